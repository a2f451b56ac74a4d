//! The state of a session from its files alone: one tree for each of the rules D1 to D19, without engine keys and
//! without runtime notes (SM.3, PC-704), and the trees of older programs.

use flightdeck::domain::fact::Fact;
use flightdeck::domain::session::id::SessionId;
use flightdeck::domain::session::meta::{Decision, Meta, ResultClass, Status};
use flightdeck::domain::session::phase::{Phase, Step, Wait, phase};
use flightdeck::domain::session::state::{Session, apply, repairs};
use flightdeck::domain::session::turn::TurnName;
use flightdeck::domain::time::Stamp;
use flightdeck::store::index::{self, Row};
use flightdeck::store::layout::Layout;
use flightdeck::store::load::{LoadError, load};
use flightdeck::store::meta;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
const PROSE: &str = "The cache has to hold the nightly crawl as well.";

/// A session tree that is built by hand.
struct Tree {
    _root: TempDir,
    layout: Layout,
    dir: PathBuf,
    meta: Meta,
}

impl Tree {
    fn new(vendors: &[&str]) -> Tree {
        let root = crate::memory::folder();
        let layout = Layout::new(root.path().join("gov/sessions"), root.path().join("runtime"));
        let id = SessionId::parse("2026-08-24-01-derive").unwrap();
        let dir = layout.session_dir(&id);
        fs::create_dir_all(&dir).unwrap();
        let mut meta = Meta::new(id, "How large is the cache?");
        meta.start_time = "2026-08-24T09:00:00Z".into();
        meta.peer_agents = vendors.iter().map(|v| format!("{v}-agent")).collect();
        meta.peer_cmds = vendors.iter().map(|v| format!("{v}-peer-adapter")).collect();
        meta.peer_agent = meta.peer_agents[0].clone();
        meta.peer_cmd = meta.peer_cmds[0].clone();
        if vendors.len() > 1 {
            meta.round_order = vendors.iter().map(|v| v.to_string()).collect();
            meta.roles = meta.peer_agents.iter().map(|a| (a.clone(), vec!["critic".into()])).collect();
        }
        Tree { _root: root, layout, dir, meta }
    }

    fn one() -> Tree {
        Tree::new(&["codex"])
    }

    fn two() -> Tree {
        Tree::new(&["codex", "kimi"])
    }

    fn meta(mut self, change: impl FnOnce(&mut Meta)) -> Tree {
        change(&mut self.meta);
        self
    }

    fn file(self, name: &str, text: &str) -> Tree {
        fs::write(self.dir.join(name), text).unwrap();
        self
    }

    /// A turn with this body.
    fn turn(self, name: &str, body: &str) -> Tree {
        self.headed(name, "", body)
    }

    fn headed(self, name: &str, extra: &str, body: &str) -> Tree {
        let text = format!("---\nturn: 1\nagent_id: x\nconsensus: none\n{extra}---\n\n{body}\n");
        self.file(name, &text)
    }

    fn turns(self, names: &[&str]) -> Tree {
        names.iter().fold(self, |tree, name| tree.turn(name, PROSE))
    }

    fn escalation(self, n: u32, source: &str, answer: &str) -> Tree {
        let text = format!(
            "---\nescalation_number: {}\nturn: 1\nreason: \"who pays?\"\npilot_response: \"{answer}\"\n---\n\n\
             # Escalation\n\n**Reason:** who pays?\n**Peer turn:** {source}\n**Pilot response:** (enter below)\n",
            n + 1
        );
        self.file(&format!("escalation-{n:02}.md"), &text)
    }

    fn report(self, name: &str, links: &[&str]) -> Tree {
        let links: Vec<String> = links.iter().map(|l| format!("[{l}]({l})")).collect();
        let text = format!(
            "---\nschema_version: 1\nsession_id: 2026-08-24-01-derive\n---\n\n# Final Report\n\n\
             ## 4. Recorded decision\n- Small.\n\n## 7. Metadata and navigation\n- **Log:** {}\n",
            links.join(", ")
        );
        self.file(name, &text)
    }

    fn load(&self) -> Session {
        let text = meta::render_new(&self.meta);
        // As other programs write it: without the engine's keys, unless the rule is about one.
        let foreign: String = text
            .lines()
            .filter(|l| !l.starts_with("engine_") || l.starts_with("engine_decision") && !l.ends_with("\"\""))
            .map(|l| format!("{l}\n"))
            .collect();
        fs::write(self.dir.join("meta.yaml"), foreign).unwrap();
        let id = &self.meta.session_id;
        let (once, twice) = (load(&self.layout, id).unwrap(), load(&self.layout, id).unwrap());
        assert!(once.session.same_on_disk(&twice.session), "PC-709");
        assert_eq!(once.problems, Vec::<String>::new());
        once.session
    }

    #[track_caller]
    fn is(&self, want: Phase) {
        assert_eq!(phase(&self.load()), want);
    }

    #[track_caller]
    fn waits(&self, want: Wait) {
        self.is(Phase::Wait(want));
    }

    #[track_caller]
    fn calls(&self, round: u32, file: &str) {
        let name = TurnName::parse(file).unwrap();
        let peers = self.load().peers();
        let vendor = name.vendor().map_or_else(|| peers[0].vendor.clone(), str::to_string);
        self.is(Phase::PeerCall { round, vendor, name });
    }

    #[track_caller]
    fn writes(&self, round: u32, file: &str) {
        self.is(Phase::WriterTurn { round, name: TurnName::parse(file).unwrap() });
    }

    fn row(self, completed: bool) -> Tree {
        let mut row = Row::started(&self.meta);
        if completed {
            row = Row::completed(&self.meta, 2, "x/report.md");
        }
        let text = index::upsert(&index::empty(self.meta.lang(), &self.meta.date), &row).0;
        fs::write(self.layout.index(), text).unwrap();
        self
    }
}

fn completed(meta: &mut Meta) {
    meta.status = Status::Completed;
    meta.end_time = "2026-08-24T10:00:00Z".into();
}

#[test]
fn pc_704_d1_no_meta_is_no_session() {
    let tree = Tree::one().turns(&["00-writer.md"]);
    let found = load(&tree.layout, &tree.meta.session_id);
    assert!(matches!(found, Err(LoadError::Orphan(_))), "{found:?}");
}

#[test]
fn pc_704_d2_interrupted() {
    let tree = Tree::one().turns(&["00-writer.md"]).escalation(0, "00-writer.md", "");
    tree.meta(|m| m.status = Status::Interrupted).is(Phase::Interrupted);
}

#[test]
fn pc_704_d3_completed_with_a_draft_waits_for_the_close() {
    let tree = Tree::one().turns(&["00-writer.md"]).report("report-draft.md", &["00-writer.md"]);
    tree.meta(completed).waits(Wait::Close);
}

#[test]
fn pc_704_d4_completed_without_any_report() {
    Tree::one().turns(&["00-writer.md"]).meta(completed).is(Phase::Draft);
}

#[test]
fn pc_704_d5_completed_with_a_report() {
    let tree = || Tree::one().turns(&["00-writer.md"]).report("report.md", &["00-writer.md"]).meta(completed);
    tree().is(Phase::Finalize(Step::Index));
    tree().row(false).is(Phase::Finalize(Step::Index));
    // A row of another program counts nothing.
    let counted = |m: &mut Meta| m.turns_count = 2;
    tree().row(true).is(Phase::Finalize(Step::Index));
    let indexed = tree().meta(counted).row(true);
    indexed.is(Phase::Finalize(Step::Closing));
    let scaffold = "---\ndate: 2026-08-24\ntype: peer-session\n---\n";
    fs::write(indexed.layout.orz(&indexed.meta.session_id), scaffold).unwrap();
    indexed.is(Phase::Finalize(Step::Closing));
}

#[test]
fn pc_704_d6_a_report_in_a_started_session() {
    let tree = Tree::one().turns(&["00-writer.md"]).report("report.md", &["00-writer.md"]);
    tree.escalation(0, "00-writer.md", "").is(Phase::Finalize(Step::Complete));
}

#[test]
fn pc_704_d7_an_open_escalation() {
    let tree =
        || Tree::two().turns(&["00-writer.md", "01-peer-codex.md"]).escalation(0, "01-peer-codex.md", "");
    tree().waits(Wait::Escalation(0));
    tree()
        .report("report-draft.md", &[])
        .meta(|m| m.end_time = "2026-08-24T10:00:00Z".into())
        .waits(Wait::Escalation(0));
    // An answer that was typed under the last line closes it (PC-445).
    let path = tree();
    let file = path.dir.join("escalation-00.md");
    fs::write(&file, fs::read_to_string(&file).unwrap() + "\nThe house.\n").unwrap();
    path.calls(1, "01-peer-kimi.md");
}

#[test]
fn pc_704_d8_a_draft_with_an_end_time() {
    let tree =
        Tree::one().turns(&["00-writer.md", "01-peer.md"]).report("report-draft.md", &["00-writer.md"]);
    // F5 wrote the end time behind the refreshed draft, so the rename is what is left.
    tree.meta(|m| m.end_time = "2026-08-24T10:00:00Z".into()).is(Phase::Finalize(Step::Publish));
}

#[test]
fn pc_704_d9_a_running_extension() {
    let one = || {
        let tree = Tree::one().turns(&["00-writer.md", "01-peer.md", "02-writer.md"]);
        tree.report("report-draft.md", &["00-writer.md", "01-peer.md"])
    };
    one().calls(2, "03-peer.md");
    // What the first run of the loop left behind does not end the second (PC-619).
    one().file("_outcome.md", "done\n").calls(2, "03-peer.md");
    one().file("_outcome.md", "done\n").meta(|m| m.implementation_pipeline = true).calls(2, "03-peer.md");
    let two = Tree::two().turns(&["00-writer.md", "01-peer-codex.md", "01-peer-kimi.md", "02-peer-codex.md"]);
    two.report("report-draft.md", &["00-writer.md", "01-peer-codex.md", "01-peer-kimi.md"])
        .calls(2, "02-peer-kimi.md");
}

#[test]
fn pc_704_d10_a_draft() {
    let tree = Tree::one().turns(&["00-writer.md", "01-peer.md"]);
    tree.report("report-draft.md", &["00-writer.md", "01-peer.md"]).waits(Wait::Close);
    let stub = "---\nsession_id: x\nnote: synthesis not performed\n---\n\n# Final Report\n";
    Tree::one().turns(&["00-writer.md"]).file("report-draft.md", stub).waits(Wait::Close);
}

#[test]
fn pc_704_d11_an_outcome() {
    Tree::one().turns(&["00-writer.md"]).file("_outcome.md", "done\n").is(Phase::Draft);
}

#[test]
fn pc_704_d12_a_pipeline_without_an_outcome() {
    // Nothing can implement yet, so the guard of PC-606 applies.
    let tree = Tree::one().turns(&["00-writer.md"]).meta(|m| m.implementation_pipeline = true);
    assert_eq!(phase(&tree.load()).key(), "check");
}

#[test]
fn pc_704_d13_a_decision() {
    for decision in [Decision::Record, Decision::DeferWp, Decision::DeferContext, Decision::NotImplementable]
    {
        let tree = Tree::one().turn("00-writer.md", PROSE).turn("01-peer.md", "CONSENSUS: small");
        tree.meta(|m| m.engine_decision = Some(decision)).is(Phase::Draft);
    }
}

#[test]
fn pc_704_d14_no_opening() {
    Tree::one().is(Phase::WriterOpening);
    Tree::two().is(Phase::WriterOpening);
}

#[test]
fn pc_704_d15_the_writer_spoke_last() {
    Tree::one().turns(&["00-writer.md"]).calls(1, "01-peer.md");
    Tree::one().turns(&["00-writer.md", "01-peer.md", "02-writer.md"]).calls(2, "03-peer.md");
}

#[test]
fn pc_704_d16_the_peer_spoke_last() {
    let said = |body: &str| Tree::one().turn("00-writer.md", PROSE).turn("01-peer.md", body);
    said(PROSE).writes(1, "02-writer.md");
    said("PASS").writes(1, "02-writer.md");
    let class = |tree: &Tree| match phase(&tree.load()) {
        Phase::Due(fact) => format!("{fact:?}"),
        other => panic!("{other:?}"),
    };
    let ended = |class: ResultClass| format!("LoopEnded {{ class: {class:?}, majority: false }}");
    assert_eq!(class(&said("CONSENSUS: small")), ended(ResultClass::Agreed));
    assert!(class(&said("CONSENSUS: small\nESCALATE_TO_USER: who pays?")).starts_with("Escalated"));
    // The escalation is answered: T13, T14.
    let asked = "CONSENSUS: small\nESCALATE_TO_USER: who pays?";
    let answered = |text| said(asked).escalation(0, "01-peer.md", text);
    answered("We do.").writes(1, "02-writer.md");
    let last = |tree: Tree| tree.meta(|m| m.turns_limit = 1);
    assert_eq!(class(&last(answered("We do."))), ended(ResultClass::Escalated));
    assert_eq!(class(&last(answered("close"))), ended(ResultClass::NotAgreed));
    assert_eq!(class(&last(said(PROSE))), ended(ResultClass::NotAgreed));
}

#[test]
fn pc_704_d17_discovery() {
    let tree = || {
        let roles = "proposed_roles: {\"codex-agent\": \"cost critic\", \"kimi-agent\": \"critic\"}\n";
        Tree::two().meta(|m| m.roles.clear()).headed("00-writer.md", roles, PROSE)
    };
    let vendor = |v: &str| Phase::Discovery { vendor: v.into() };
    tree().is(vendor("codex"));
    tree().turns(&["00-peer-codex.md"]).is(vendor("kimi"));
    tree().meta(|m| m.skip(0, "codex")).is(vendor("kimi"));
    tree().meta(|m| m.failed = vec!["codex".into()]).is(vendor("kimi"));
    tree().turns(&["00-peer-codex.md", "00-peer-kimi.md"]).is(Phase::RolesWriter);
    let asked = tree().file("00-peer-codex.rejected-1.txt", "# rejected: clarify\n\nwhich costs?\n");
    asked.waits(Wait::Clarify { vendor: "codex".into(), k: 1 });
    let settled =
        tree().headed("01-writer.md", "agreed_roles: {\"codex-agent\": \"cost critic\"}\n", "Agreed.");
    settled.calls(1, "01-peer-codex.md");
    assert!(repairs(&settled.load()).iter().any(|r| r.contains("roles")), "PC-705");
    settled.turns(&["01-peer-codex.md", "01-peer-kimi.md"]).writes(1, "01-writer_r1.md");
}

#[test]
fn pc_704_d18_somebody_has_not_spoken_in_the_round() {
    let tree = || Tree::two().turns(&["00-writer.md"]);
    tree().calls(1, "01-peer-codex.md");
    tree().turns(&["01-peer-codex.md"]).calls(1, "01-peer-kimi.md");
    tree().turns(&["01-peer-kimi.md"]).calls(1, "01-peer-codex.md");
    tree().meta(|m| m.skip(1, "codex")).calls(1, "01-peer-kimi.md");
    tree().meta(|m| m.failed = vec!["codex".into()]).calls(1, "01-peer-kimi.md");
    let first = ["01-peer-codex.md", "01-peer-kimi.md", "01-writer.md"];
    tree().turns(&first).calls(2, "02-peer-codex.md");
    tree().turns(&first).meta(|m| m.skip(2, "codex")).calls(2, "02-peer-kimi.md");
    tree()
        .turns(&first)
        .file("02-peer-codex.rejected-1.txt", "# rejected: role\n\nx\n")
        .calls(2, "02-peer-codex.md");
}

#[test]
fn pc_704_d19_everybody_has_spoken() {
    let round = |a: &str, b: &str| {
        let tree = Tree::two().turn("00-writer.md", PROSE);
        tree.turn("01-peer-codex.md", a).turn("01-peer-kimi.md", b)
    };
    let due = |tree: &Tree| match phase(&tree.load()) {
        Phase::Due(fact) => format!("{fact:?}"),
        other => panic!("{other:?}"),
    };
    round(PROSE, "CONSENSUS: small").writes(1, "01-writer.md");
    assert_eq!(due(&round("PASS", "CONSENSUS: small")), "LoopEnded { class: Agreed, majority: false }");
    let judged = round("PASS\nHowever, why?", "CONSENSUS: small");
    judged.is(Phase::Judge { round: 1, turn: TurnName::peer_of(1, "codex") });
    // The missing escalation file is written first.
    let asks = format!("{PROSE}\nESCALATE_TO_USER: who pays?");
    assert!(due(&round(&asks, &asks)).contains("source: \"01-peer-codex.md\""));
    assert!(
        due(&round(&asks, &asks).escalation(0, "01-peer-codex.md", "We do.")).contains("01-peer-kimi.md")
    );
    // Hand-offs are replayed.
    let offered = || Tree::two().turn("00-writer.md", PROSE).turns(&["01-peer-codex.md", "01-peer-kimi.md"]);
    let offered = || offered().turn("01-writer.md", "OFFER_HANDOFF: codex — yours");
    let accepted = offered().turn("02-peer-codex.md", "ACCEPT_HANDOFF").turn("02-peer-kimi.md", PROSE);
    assert!(due(&accepted).contains("holder: \"codex-agent\""));
    let last = |body: &str| {
        let tree = round(PROSE, "CONSENSUS: small").meta(|m| m.rounds_limit = 1);
        tree.turn("01-writer.md", body)
    };
    last(PROSE).is(Phase::Dispute { round: 1 });
    assert_eq!(due(&last("CONSENSUS: small")), "LoopEnded { class: Agreed, majority: false }");
    let nobody = Tree::two().turn("00-writer.md", PROSE);
    nobody.meta(|m| m.failed = m.round_order.clone()).waits(Wait::Participants);
}

#[test]
fn pc_704_the_example_trees_are_closed() {
    let layout = Layout::new(Path::new(FIXTURES).join("examples/DS-strategy/sessions"), "/nowhere");
    for id in [
        "2026-08-24-01-choose-cache-eviction-policy",
        "2026-08-24-02-agree-log-rotation-for",
        "2026-08-24-03-drop-legacy-token-table",
    ] {
        let loaded = load(&layout, &SessionId::parse(id).unwrap()).unwrap();
        assert_eq!(phase(&loaded.session), Phase::Closed, "{id}");
        assert_eq!(loaded.problems, Vec::<String>::new(), "{id}");
        assert_eq!(repairs(&loaded.session), Vec::<String>::new(), "{id}");
    }
}

/// Another program's tree: what it holds, and where it stands.
fn foreign(tree: &str, id: &str) -> Session {
    let layout = Layout::new(Path::new(FIXTURES).join(tree).join("DS-strategy/sessions"), "/nowhere");
    load(&layout, &SessionId::parse(id).unwrap()).unwrap().session
}

#[test]
fn pc_704_trees_of_older_programs() {
    let old = foreign("old", "2026-06-17-01-editor-setup");
    assert_eq!(old.turns.len(), 4);
    assert!(matches!(phase(&old), Phase::Finalize(_) | Phase::Closed), "{:?}", phase(&old));
    let kimi = foreign("kimi-writer", "2026-08-03-02-pick-queue-library");
    assert_eq!(phase(&kimi), Phase::Interrupted);
    assert_eq!(kimi.open_escalation().map(|e| e.index), Some(0));
    let russian = foreign("russian", "2026-09-02-01-session");
    // The pilot answered under the last line, with an editor (PC-444).
    assert_eq!(phase(&russian), Phase::WriterTurn { round: 1, name: TurnName::writer(2) });
    let literal = foreign("literal", "2026-07-20-01-tidy-build-cache");
    assert!(matches!(phase(&literal), Phase::Finalize(_) | Phase::Closed), "{:?}", phase(&literal));
}

#[test]
fn pc_147_a_control_session_is_foreign() {
    let layout = Layout::new(Path::new(FIXTURES).join("control/DS-strategy/sessions"), "/nowhere");
    let found = load(&layout, &SessionId::parse("2026-08-11-04-writer-alone").unwrap());
    assert!(matches!(found, Err(LoadError::Foreign(_))), "{found:?}");
}

#[test]
fn pc_240_a_resumed_tree_keeps_its_numbers() {
    let files = ["00-writer.md", "01-peer.md", "02-writer.md", "02-peer.md", "03-writer.md", "03-peer.md"];
    let until = |n: usize| Tree::one().turns(&files[..n]);
    // Up to here both styles look alike, and new turns are numbered anew.
    until(3).calls(2, "03-peer.md");
    until(4).writes(2, "03-writer.md");
    until(5).calls(3, "03-peer.md");
    until(6).writes(3, "04-writer.md");
    // An empty peer file is a call without a reply.
    until(5).file("03-peer.md", "").calls(3, "03-peer.md");
}

#[test]
fn pc_617_a_close_that_is_repeated_lists_an_extension_once() {
    let tree = Tree::one().turns(&["00-writer.md", "01-peer.md", "02-writer.md", "03-peer.md"]);
    let mut session = tree.report("report-draft.md", &["00-writer.md", "01-peer.md"]).load();
    for _ in 0..2 {
        apply(&mut session, &Fact::Ended { end_time: Stamp(1_800_000_000) });
        let turns: Vec<&[u32]> = session.meta.extensions.iter().map(|e| e.turns.as_slice()).collect();
        assert_eq!(turns, [[2, 3]]);
    }
}
