use super::*;
use crate::domain::session::escalation::{Escalation, LIMIT_REASON};
use crate::domain::session::head::{ConsensusWord, Head, RoleAccepted};
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::{Meta, PeerFailure};
use crate::domain::session::turn::TurnName;

/// Enough of a reader for the files of the examples; the real one is in the store.
fn turn(file: &str, text: &str) -> Turn {
    let body_at = text.match_indices("\n---\n").next().map_or(0, |(at, _)| at + 5);
    let line = |key: &str| text[..body_at].lines().find_map(|l| l.strip_prefix(key)).map(str::trim);
    let head = Head {
        consensus: line("consensus:").and_then(ConsensusWord::parse).unwrap_or_default(),
        role_accepted: line("role_accepted:").map(|_| RoleAccepted::Yes),
        agreed_roles: line("agreed_roles:").map(|_| Vec::new()),
        accepts: line("accepts:")
            .map_or(Vec::new(), |v| v.split(',').map(|n| n.trim().to_string()).collect()),
        ..Head::default()
    };
    Turn::new(TurnName::parse(file).unwrap(), Ok(head), text.into(), body_at)
}

fn session(vendors: &[(&str, &str)], files: &[(&str, &str)]) -> Session {
    let mut meta = Meta::new(SessionId::parse("2026-08-24-01-x").unwrap(), "task");
    meta.peer_agents = vendors.iter().map(|(_, agent)| agent.to_string()).collect();
    meta.peer_agent = meta.peer_agents[0].clone();
    meta.peer_cmds = vendors.iter().map(|(vendor, _)| format!("{vendor}-peer-adapter")).collect();
    if vendors.len() > 1 {
        meta.round_order = vendors.iter().map(|(vendor, _)| vendor.to_string()).collect();
    }
    let mut s = Session::new(meta);
    s.turns = files.iter().map(|(file, text)| turn(file, text)).collect();
    s.turns.sort_by(|a, b| a.name.cmp(&b.name));
    s
}

macro_rules! example {
    ($dir:literal, $($file:literal),+) => {
        [$(($file, include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/DS-strategy/sessions/2026-08/24/", $dir, "/", $file
        )))),+]
    };
}

fn cache() -> Session {
    let files = example!(
        "2026-08-24-01-choose-cache-eviction-policy",
        "00-writer.md",
        "01-peer.md",
        "02-writer.md",
        "03-peer.md"
    );
    let mut s = session(&[("codex", "codex")], &files);
    s.meta.engine_result_class = Some(ResultClass::Agreed);
    s
}

fn rotation() -> Session {
    let files = example!(
        "2026-08-24-02-agree-log-rotation-for",
        "00-writer.md",
        "00-peer-codex.md",
        "00-peer-hermes.md",
        "01-writer.md",
        "01-peer-codex.md",
        "01-writer_r1.md",
        "02-peer-codex.md"
    );
    let mut s = session(&[("codex", "codex"), ("hermes", "hermes")], &files);
    s.meta.round_skips = vec![(1, vec!["hermes".into()]), (2, vec!["hermes".into()])];
    s.meta.failed = vec!["hermes".into()];
    s.meta.peer_failures = vec![PeerFailure { round: 2, vendor: "hermes".into(), reason: Reason::Exit(1) }];
    s.meta.engine_result_class = Some(ResultClass::Partial);
    s
}

fn tokens() -> Session {
    let files = example!(
        "2026-08-24-03-drop-legacy-token-table",
        "00-writer.md",
        "01-peer-codex.md",
        "01-peer-kimi.md",
        "01-writer.md",
        "02-peer-codex.md",
        "02-peer-kimi.md",
        "02-writer.md"
    );
    let mut s = session(&[("codex", "codex"), ("kimi", "kimi-headless")], &files);
    let escalation = |index: u32, reason: &str, source: &str, response: &str| Escalation {
        index,
        number: index + 1,
        turn: index + 1,
        timestamp: String::new(),
        reason: reason.into(),
        source: source.into(),
        response: response.into(),
    };
    s.escalations = vec![
        escalation(0, "may the auth database be taken down?", "01-peer-codex.md", "No restore window."),
        escalation(1, LIMIT_REASON, "02-writer.md", "Close without agreement. I will decide."),
    ];
    s.meta.engine_result_class = Some(ResultClass::NotAgreed);
    s
}

fn shown(s: &Session) -> Vec<String> {
    let line =
        |p: Point| format!("{} r{} {}:{} {} — {:?}", p.holder, p.round, p.file, p.line, p.text, p.fate);
    points(s).into_iter().map(line).collect()
}

#[test]
fn ui_9_a_full_panel_of_one() {
    let panel = panel(&cache());
    assert_eq!(panel.heading(Lang::En), "Consensus — 1 of 1: codex agrees · 1 vendor");
    assert_eq!(panel.short(Lang::En), "1 invited · 1 spoke · 1 vendor");
    assert_eq!(panel.short(Lang::Ru), "1 приглашён · 1 высказался · 1 вендор");
    assert!(!panel.needs_extra_key(), "one peer is what the pilot asked for");
}

#[test]
fn ui_9_a_failed_peer_is_in_the_heading_and_takes_a_key() {
    let panel = panel(&rotation());
    assert_eq!(
        panel.heading(Lang::En),
        "Consensus — 1 of 2: codex agrees, hermes failed (error, code 1) · 1 vendor"
    );
    assert_eq!(panel.short(Lang::En), "2 invited · 1 spoke · 1 vendor");
    assert_eq!((panel.seats[1].spoke, panel.seats[1].skips.as_slice()), (false, &[1, 2][..]));
    assert_eq!(panel.doubts, [Doubt::Failed("hermes".into())]);
    assert!(panel.needs_extra_key());
}

#[test]
fn ui_9_no_result_needs_no_key() {
    let panel = panel(&tokens());
    assert_eq!(panel.heading(Lang::En), "Not agreed — 1 of 2: codex agrees, kimi objects · 2 vendors");
    assert!(panel.doubts.is_empty() && !panel.needs_extra_key());
    let running = Session { turns: Vec::new(), ..tokens() };
    assert_eq!(super::panel(&running).seats[0].part, Part::Waits);
}

#[test]
fn ui_9_skipped_and_waiting_are_told_apart() {
    let mut s = tokens();
    s.turns.retain(|t| t.name.to_string() != "02-peer-kimi.md");
    assert_eq!(panel(&s).seats[1].part, Part::Waits);
    s.meta.skip(2, "kimi");
    s.meta.engine_result_class = Some(ResultClass::Agreed);
    let panel = panel(&s);
    assert_eq!((&panel.seats[1].part, panel.seats[1].spoke), (&Part::Skipped, true));
    assert!(panel.needs_extra_key() && panel.doubts == [Doubt::Skipped("kimi".into())]);
}

#[test]
fn ui_9_one_vendor_under_two_names() {
    let body = |text: &str| format!("---\nconsensus: none\n---\n\n{text}\n");
    let (w, a) = (body("Use a cache."), body("Fine.\n\nCONSENSUS: cache"));
    let files =
        [("00-writer.md", w.as_str()), ("01-peer-kimi.md", a.as_str()), ("01-peer-kimi-2.md", a.as_str())];
    let mut s = session(&[("kimi", "kimi-headless"), ("kimi-2", "kimi-headless")], &files);
    s.meta.engine_result_class = Some(ResultClass::Agreed);
    let one = panel(&s);
    assert!(one.heading(Lang::En).ends_with("· one vendor: kimi"), "{}", one.heading(Lang::En));
    assert!(one.needs_extra_key());
    // The writer's own vendor agrees with itself.
    let mut s = session(&[("claude", "claude-headless")], &[("00-writer.md", &w), ("01-peer.md", &a)]);
    s.meta.engine_result_class = Some(ResultClass::Agreed);
    assert_eq!(panel(&s).doubts, [Doubt::OneVendor("claude".into())]);
    s.notes.writer_vendor = "codex".into();
    assert_eq!(panel(&s).doubts, []);
}

#[test]
fn ui_9_a_peer_that_repeats_the_writer() {
    let said = "The store serves two request shapes: a hot set of about\n3 000 images and a nightly crawl that touches every image once.";
    let again = "The store serves two request shapes:\na hot set of about 3 000 images and a nightly crawl that touches every image once.\n\nI agree.\n\nCONSENSUS: two segments";
    let quoted = "> The store serves two request shapes: a hot set of about 3 000 images\n\nThe crawl retries failed images, so once is not true for one image in fifty.\n\nCONSENSUS: two segments";
    for (reply, repeats) in [(again, true), (quoted, false), ("PASS", false)] {
        let mut s = session(&[("codex", "codex")], &[("00-writer.md", said), ("01-peer.md", reply)]);
        s.meta.engine_result_class = Some(ResultClass::Agreed);
        let panel = panel(&s);
        assert_eq!(panel.seats[0].repeats, repeats, "{reply}");
        assert_eq!(panel.needs_extra_key(), repeats);
        assert_eq!(panel.heading(Lang::En).contains("in the writer's own words"), repeats);
    }
}

#[test]
fn ui_9_majority_and_the_writer_over_a_dissent_are_said() {
    let mut s = tokens();
    s.meta.engine_result_class = Some(ResultClass::Agreed);
    assert_eq!(panel(&s).basis, Basis::WriterOver(vec!["kimi".into()]));
    assert!(panel(&s).heading(Lang::Ru).starts_with("Закрыто писателем вопреки возражению: kimi — 1 из 2"));
    s.notes.majority = true;
    assert!(panel(&s).heading(Lang::En).starts_with("Majority — 1 of 2"));
    assert_eq!(strongest_open(&s).unwrap().fate, Fate::Overruled);
}

#[test]
fn ui_9_the_map_of_the_examples() {
    assert_eq!(
        shown(&cache()),
        [
            "codex r1 01-peer.md:9 I disagree with question 2 being only about the split. — Answered { file: \"02-writer.md\", line: 9 }"
        ]
    );
    assert_eq!(strongest_open(&cache()), None, "the holder came round");
    let rotation = shown(&rotation());
    assert_eq!(rotation.len(), 1, "answers about roles are no points");
    assert!(rotation[0].starts_with("codex r1 01-peer-codex.md:11 Counter-argument: size-only rotation"));
    assert!(rotation[0].ends_with("Answered { file: \"01-writer_r1.md\", line: 9 }"), "{rotation:?}");
    let tokens = shown(&tokens());
    assert_eq!(
        tokens,
        [
            "codex r1 01-peer-codex.md:12 I object to \"in this release\". — Escalated { file: \"escalation-00.md\" }",
            "kimi r1 01-peer-kimi.md:11 The mobile client 3.x still reads legacy_tokens at login. — Open",
            "kimi r2 02-peer-kimi.md:11 I do not agree. Client 3.x writes a last_seen value on every login, so revoking writes breaks login exactly like dropping the table does. — Open",
        ]
    );
}

#[test]
fn ui_9_the_strongest_open_objection() {
    let point = strongest_open(&tokens()).unwrap();
    assert_eq!((point.holder.as_str(), point.round, point.explicit), ("kimi", 2, true));
    let mut s = tokens();
    s.escalations[1].response = "Freeze reads too, I decide so.".into();
    assert_eq!(strongest_open(&s).unwrap().fate, Fate::Escalated { file: "escalation-01.md".into() });
    s.escalations[1].response.clear();
    assert_eq!(points(&s)[2].fate, Fate::Escalated { file: "escalation-01.md".into() });
}

#[test]
fn ui_9_fates_by_what_followed() {
    let fate = |reply: &str, writer: &str, next: &str| {
        let mut files =
            vec![("00-writer.md", "Use a cache."), ("01-peer-codex.md", reply), ("01-writer.md", writer)];
        files.push(("02-peer-codex.md", next));
        let s = session(&[("codex", "codex"), ("kimi", "kimi-headless")], &files);
        points(&s)[0].fate.clone()
    };
    let answered = |line: u32| Fate::Answered { file: "01-writer.md".into(), line };
    let object = "I object: it is slow.";
    assert_eq!(fate(object, "As for codex, it is fast.", "PASS"), answered(1));
    assert_eq!(fate(object, "\nWell.\n\nAccepted: a bound.", "PASS"), answered(4));
    assert_eq!(
        fate(object, "I cannot accept that.", "No.\n\nPASS"),
        Fate::Withdrawn { file: "02-peer-codex.md".into(), line: 3 }
    );
    assert_eq!(fate(object, "Accepted what kimi said.", "I still object."), Fate::Open);
    assert_eq!(fate(object, "---\naccepts: codex\n---\n\nYes.", "I object."), answered(5));
    assert_eq!(fate(object, "Принято.", "PASS"), answered(1));
    assert_eq!(
        fate(object, "Не принимаю.", "CONSENSUS: x"),
        Fate::Withdrawn { file: "02-peer-codex.md".into(), line: 1 }
    );
    assert_eq!(
        fate("ESCALATE_TO_USER: may we?", "Accepted.", "PASS"),
        Fate::Escalated { file: "01-peer-codex.md".into() }
    );
}

proptest::proptest! {
    #[test]
    fn ui_9_any_text(a in "(PASS|CONSENSUS: x|но |object|> |- |\n|\\PC|.){0,30}", b in "(codex|accept|\n|.){0,20}") {
        let mut s = session(&[("codex", "codex")], &[("00-writer.md", &b), ("01-peer.md", &a), ("02-writer.md", &b)]);
        s.meta.engine_result_class = Some(ResultClass::Agreed);
        let lines = a.split('\n').count() as u32;
        for point in points(&s) {
            proptest::prop_assert!(point.line >= 1 && point.line <= lines);
        }
        let _ = (panel(&s).heading(Lang::Ru), strongest_open(&s));
    }
}
