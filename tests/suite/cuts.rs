//! A session that was cut off after any file of its tree goes on to the same end (SM.3, PC-670, PC-704).
//!
//! Each of the three example trees is cut behind each of its files in the order they were written. The cut tree is
//! resumed with participants that repeat what the example holds and a pilot who answers as there. Twice: with the
//! `meta.yaml` of that moment, and with one whose bookkeeping of the loop was lost.

use flightdeck::agents::call::{CallFailure, Outcome, Purpose, Reply};
use flightdeck::agents::registry::Registry;
use flightdeck::agents::registry::places::SkillPaths;
use flightdeck::config::places::{Places, Why};
use flightdeck::domain::policy::{DecisionPolicy, Permit, Policy, ReflectionPolicy};
use flightdeck::domain::session::failure::Reason;
use flightdeck::domain::session::id::SessionId;
use flightdeck::domain::session::meta::{Meta, Status};
use flightdeck::domain::time::Stamp;
use flightdeck::engine::answer;
use flightdeck::engine::clock::Clock;
use flightdeck::engine::desk::{Caller, Desk};
use flightdeck::engine::run::{Command, Finish, run};
use flightdeck::engine::runner::Runner;
use flightdeck::engine::wp::Plans;
use flightdeck::store::layout::Layout;
use flightdeck::store::{escalation, index, meta};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/DS-strategy/sessions");

/// One example and the order in which its files came to be.
struct Example {
    id: &'static str,
    files: &'static [&'static str],
}

/// `!` behind an escalation: its answer.
const ONE: Example = Example {
    id: "2026-08-24-01-choose-cache-eviction-policy",
    files: &["00-writer.md", "01-peer.md", "02-writer.md", "03-peer.md"],
};
const TWO: Example = Example {
    id: "2026-08-24-02-agree-log-rotation-for",
    files: &[
        "00-writer.md",
        "00-peer-codex.md",
        "00-peer-hermes.md",
        "01-writer.md",
        "01-peer-codex.md",
        "01-writer_r1.md",
        "02-peer-codex.md",
    ],
};
const THREE: Example = Example {
    id: "2026-08-24-03-drop-legacy-token-table",
    files: &[
        "00-writer.md",
        "01-peer-codex.md",
        "01-peer-kimi.md",
        "escalation-00.md",
        "escalation-00.md!",
        "01-writer.md",
        "02-peer-codex.md",
        "02-peer-kimi.md",
        "02-writer.md",
        "escalation-01.md",
        "escalation-01.md!",
    ],
};

/// What is there of the end, from no report at all to a session that only lacks its closing file.
const ENDS: [&str; 5] = ["loop", "draft", "report", "completed", "indexed"];

impl Example {
    fn id(&self) -> SessionId {
        SessionId::parse(self.id).unwrap()
    }

    fn dir(&self) -> PathBuf {
        Layout::new(EXAMPLES, "/nowhere").session_dir(&self.id())
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.dir().join(file)).unwrap()
    }

    fn meta(&self) -> Meta {
        meta::parse(&self.text("meta.yaml"), None).0.unwrap()
    }

    /// `meta.yaml` as it was when these files were there; without `kept` the loop's bookkeeping is lost.
    fn meta_then(&self, files: &[&str], kept: bool) -> Meta {
        let end = self.meta();
        let has = |file: &str| files.contains(&file);
        let mut then = end.clone();
        then.status = Status::Started;
        then.end_time = String::new();
        then.engine_phase = String::new();
        (then.engine_decision, then.engine_result_class) = (None, None);
        then.turns_count = files.iter().filter(|f| !f.starts_with('e')).count() as u32;
        then.escalations_count = files.iter().filter(|f| f.ends_with('!')).count() as u32;
        then.failed.clear();
        then.peer_failures.clear();
        then.peer_attempts.clear();
        then.round_skips.clear();
        if end.discovery_turns > 0 && !(kept && has("01-writer.md")) {
            then.roles.clear();
            then.discovery_turns = 0;
        }
        if !kept {
            return then;
        }
        then.escalations_count =
            files.iter().filter(|f| f.starts_with('e') && !f.ends_with('!')).count() as u32;
        for vendor in &end.round_order {
            if files.iter().any(|f| f.ends_with(&format!("-peer-{vendor}.md"))) {
                then.set_attempts(vendor, 0);
            }
        }
        if self.id == TWO.id && has("01-writer_r1.md") {
            then.skip(1, "hermes");
            then.set_attempts("hermes", 1);
        }
        then
    }

    /// Cuts the tree behind its first `n` files.
    fn cut(&self, root: &Path, n: usize, end: &str, kept: bool) -> Layout {
        let layout = Layout::new(root.join("DS-strategy/sessions"), root.join("runtime"));
        let dir = layout.session_dir(&self.id());
        fs::create_dir_all(&dir).unwrap();
        let files = &self.files[..n];
        for file in files {
            let answered = file.ends_with('!');
            let name = file.trim_end_matches('!');
            let mut text = self.text(name);
            if name.starts_with('e') && !answered {
                let mut open = escalation::parse(&text, number(name)).0;
                open.response = String::new();
                text = escalation::render(&open, self.meta().lang());
            }
            fs::write(dir.join(name), text).unwrap();
        }
        let mut then = self.meta_then(files, kept);
        let reached = ENDS.iter().position(|e| *e == end).unwrap();
        if reached > 0 {
            let last = self.meta();
            then = Meta { status: Status::Started, end_time: String::new(), ..last.clone() };
            fs::write(
                dir.join(if reached == 1 { "report-draft.md" } else { "report.md" }),
                self.text("report.md"),
            )
            .unwrap();
            if reached > 1 {
                then.end_time = last.end_time;
            }
            if reached > 2 {
                then.status = Status::Completed;
            }
        }
        fs::write(dir.join("meta.yaml"), meta::render_new(&then)).unwrap();
        let mut row = index::Row::started(&then);
        if end == "indexed" {
            let link = layout.in_sessions(&dir.join("report.md"));
            row = index::Row::completed(&then, if self.id == ONE.id { 4 } else { 2 }, &link);
        }
        let text = index::upsert(&index::empty(then.lang(), &then.date), &row).0;
        fs::write(layout.index(), text).unwrap();
        layout
    }

    /// Participants that say what the example holds.
    fn caller(&'static self) -> Caller {
        Arc::new(move |vendor, call, _, _| {
            let outcome = match self.says(&vendor.key, call.purpose, call.round) {
                Some(text) => Outcome::Reply(Reply { text, ..Reply::default() }),
                None => Outcome::Failed(CallFailure {
                    cause: Default::default(),
                    reason: Reason::Exit(1),
                    detail: "the call failed".into(),
                    stderr: String::new(),
                    elapsed: Duration::ZERO,
                }),
            };
            Box::pin(async move { outcome })
        })
    }

    fn says(&self, vendor: &str, purpose: Purpose, round: u32) -> Option<String> {
        let turn_loop = self.meta().round_order.is_empty();
        let file = match purpose {
            Purpose::Opening => "00-writer.md".to_string(),
            Purpose::Discovery => format!("00-peer-{vendor}.md"),
            Purpose::Peer if turn_loop => format!("{:02}-peer.md", 2 * round - 1),
            Purpose::Peer => format!("{round:02}-peer-{vendor}.md"),
            Purpose::Turn if turn_loop => format!("{:02}-writer.md", 2 * round),
            Purpose::Turn if round == 1 && self.id == TWO.id => "01-writer_r1.md".to_string(),
            Purpose::Turn => format!("{round:02}-writer.md"),
            Purpose::Synthesis => "report.md".to_string(),
            Purpose::Roles => {
                let text = self.text("01-writer.md");
                return Some(
                    text.lines().filter(|l| l.contains("_role")).map(|l| format!("{l}\n")).collect(),
                );
            }
            Purpose::Summary => {
                let text =
                    "discussed: a\nagreed: b\nproposed: [c]\nhours: 1\nimpact: local only\ndefer: none\n";
                return Some(text.into());
            }
            Purpose::Dispute => {
                let voters = "[claude-code, codex]";
                return Some(format!(
                    "reversible: disputed\nin_authority: yes\npositions:\n  - {{summary: a, supporters: {voters}}}\n  - {{summary: b, supporters: [kimi-headless]}}\n"
                ));
            }
            other => panic!("nothing here calls for {other:?}"),
        };
        fs::read_to_string(self.dir().join(file)).ok()
    }

    fn desk(&'static self, layout: &Layout) -> Desk {
        desk(layout, self.caller())
    }

    /// Resumes the cut session and answers as the example's pilot until it is closed.
    fn resume(&'static self, layout: &Layout) -> Runner {
        let base = Stamp::parse(&self.meta().end_time).unwrap();
        let wait = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        wait.block_on(async {
            let clock = Clock::Tokio { base, start: tokio::time::Instant::now() };
            let mut runner =
                Runner::open(layout, &self.id(), self.desk(layout), policy(), clock, None).unwrap();
            let (_sender, mut commands) = tokio::sync::mpsc::channel(1);
            for _ in 0..10 {
                match run(&mut runner, &mut commands).await {
                    Finish::Closed => return runner,
                    Finish::Waiting(questions) => {
                        let id = questions[0].id.clone();
                        let file = format!("{id}.md");
                        let answered = escalation::parse(&self.text(&file), number(&file)).0.response;
                        answer::give(&mut runner, &id, &answered).unwrap();
                    }
                    other => panic!("{}: {other:?}", self.id),
                }
            }
            panic!("{}: the session does not end", self.id);
        })
    }

    fn check(&'static self, n: usize, end: &str, kept: bool) {
        let root = crate::memory::folder();
        let layout = self.cut(root.path(), n, end, kept);
        let what = format!("{} cut behind {n} files, {end}, bookkeeping kept: {kept}", self.id);
        let runner = self.resume(&layout);
        let dir = layout.session_dir(&self.id());

        let names = |dir: &Path| {
            let mut names: Vec<String> =
                fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&dir), names(&self.dir()), "{what}");
        for name in names(&dir) {
            let (got, want) = (fs::read_to_string(dir.join(&name)).unwrap(), self.text(&name));
            let there = self.files[..n].iter().any(|f| f.trim_end_matches('!') == name);
            match name.as_str() {
                "meta.yaml" => {}
                "report.md" => assert_eq!(settled(&got, kept), settled(&want, kept), "{what}: {name}"),
                // The engine words this one itself; its head is what counts.
                "01-writer.md" if self.id == TWO.id && !there => {
                    assert_eq!(timeless(head(&got)), timeless(head(&want)), "{what}: {name}");
                }
                _ if name.contains("peer") || there && !name.starts_with('e') => {
                    assert_eq!(got, want, "{what}: {name}");
                }
                _ => assert_eq!(timeless(&got), timeless(&want), "{what}: {name}"),
            }
        }
        let (got, want) =
            (meta::parse(&fs::read_to_string(dir.join("meta.yaml")).unwrap(), None).0, self.meta());
        let mut got = got.unwrap();
        assert_eq!(got, runner.session.meta);
        assert_eq!(got.engine_phase, "closed", "{what}");
        got.end_time = want.end_time.clone();
        if !kept {
            // A lost failure is not made up (PC-708): the participant may be asked once more, or is not missed.
            assert_eq!((got.status, got.turns_count), (want.status, want.turns_count), "{what}");
            assert_eq!((got.roles, got.escalations_count), (want.roles, want.escalations_count), "{what}");
            return;
        }
        assert_eq!(got, want, "{what}");
        let row = |text: &str| text.lines().find(|l| l.contains(self.id)).unwrap().to_string();
        let example = fs::read_to_string(Path::new(EXAMPLES).join("00-index.md")).unwrap();
        assert_eq!(row(&fs::read_to_string(layout.index()).unwrap()), row(&example), "{what}");
        let orz = |layout: &Layout| fs::read_to_string(layout.orz(&self.id())).unwrap();
        assert_eq!(orz(&layout), orz(&Layout::new(EXAMPLES, "/nowhere")), "{what}");
    }

    fn check_all(&'static self) {
        for kept in [true, false] {
            for n in 0..=self.files.len() {
                self.check(n, "loop", kept);
            }
        }
        for end in &ENDS[1..] {
            self.check(self.files.len(), end, true);
        }
    }
}

fn number(file: &str) -> u32 {
    file.trim_start_matches("escalation-").trim_end_matches(".md").parse().unwrap()
}

fn head(text: &str) -> &str {
    text.split("\n---\n").next().unwrap_or("")
}

fn timeless(text: &str) -> String {
    text.lines().filter(|l| !l.starts_with("timestamp: ")).map(|l| format!("{l}\n")).collect()
}

/// A report without its times; without class and basis, too, when a participant's failure was lost with the
/// bookkeeping.
fn settled(text: &str, kept: bool) -> String {
    let times = ["generated_at: ", "duration_min: "];
    let lines = text.lines().filter(|l| !times.iter().any(|t| l.starts_with(t)));
    let lines =
        lines.filter(|l| kept || !l.starts_with("result_class: ") && !l.starts_with("confidence_basis: "));
    lines.map(|l| format!("{l}\n")).collect()
}

fn policy() -> Policy {
    Policy {
        headless: true,
        decision: DecisionPolicy::Record,
        close_auto: true,
        reflection: ReflectionPolicy::Skip,
        commit: Permit::No,
        push: Permit::No,
        ..Policy::default()
    }
}

fn desk(layout: &Layout, caller: Caller) -> Desk {
    let paths = SkillPaths::from_env(|_| None);
    let places = Places {
        sessions: layout.sessions.clone(),
        why: Why::UserData,
        iwe: None,
        in_iwe: false,
        runtime_root: layout.runtime_root.clone(),
        state_dir: layout.runtime_root.clone(),
        config_files: Vec::new(),
    };
    Desk {
        implementation: None,
        registry: Arc::new(Registry::load(&[], &paths).unwrap()),
        caller,
        places: Arc::new(places),
        model: String::new(),
        plans: Arc::new(Plans::default()),
        roots: Vec::new(),
        peer_context_dir: false,
        asks_about_secrets: true,
        russian_closing: None,
    }
}

#[test]
fn pc_704_the_first_example_from_every_cut() {
    ONE.check_all();
}

#[test]
fn pc_704_the_second_example_from_every_cut() {
    TWO.check_all();
}

#[test]
fn pc_704_the_third_example_from_every_cut() {
    THREE.check_all();
}

/// PC-701: a call that is stopped for a pause does not begin again, and the session is where it was.
#[test]
fn pc_701_a_pause_ends_the_running_call() {
    let root = crate::memory::folder();
    let layout = ONE.cut(root.path(), 1, "loop", true);
    let wait = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for gone in [false, true] {
        wait.block_on(async {
            let started = Arc::new(tokio::sync::Notify::new());
            let calls = Arc::clone(&started);
            let caller: Caller = Arc::new(move |_, _, _, stop| {
                calls.notify_one();
                Box::pin(async move {
                    stop.await;
                    Outcome::Cancelled
                })
            });
            let desk = desk(&layout, caller);
            let mut runner = Runner::open(&layout, &ONE.id(), desk, policy(), Clock::System, None).unwrap();
            // The phase is noted down before its work starts (PC-700); nothing else changes.
            let mut before = runner.session.clone();
            before.meta.engine_phase = "peer_call".into();
            let (sender, mut commands) = tokio::sync::mpsc::channel(1);
            let pause = async {
                started.notified().await;
                // A screen that is gone pauses, too.
                if !gone {
                    sender.send(Command::Pause).await.unwrap();
                    std::future::pending::<()>().await;
                }
                drop(sender);
            };
            let finish = async {
                tokio::select! {
                    biased;
                    finish = run(&mut runner, &mut commands) => finish,
                    () = async { pause.await; std::future::pending().await } => unreachable!(),
                }
            };
            let finish = tokio::time::timeout(Duration::from_secs(20), finish).await.expect("it pauses");
            assert!(matches!(finish, Finish::Paused), "{finish:?}");
            assert_eq!(runner.session.live.running, None);
            assert!(runner.session.same_on_disk(&before));
        });
    }
}

/// An answer to a closed or unknown question changes nothing, not even the time of a file.
#[test]
fn pc_445_an_answer_to_no_question_changes_nothing() {
    let root = crate::memory::folder();
    let layout = THREE.cut(root.path(), 4, "loop", true);
    let wait = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    wait.block_on(async {
        let desk = THREE.desk(&layout);
        let mut runner = Runner::open(&layout, &THREE.id(), desk, policy(), Clock::System, None).unwrap();
        let (_sender, mut commands) = tokio::sync::mpsc::channel(1);
        assert!(matches!(run(&mut runner, &mut commands).await, Finish::Waiting(_)));
        let (before, session) = (crate::laws::snapshot(root.path()), runner.session.clone());
        for id in ["escalation-01", "gate", "close", "writer-retry", "turn-01-writer", "", "../meta.yaml"] {
            answer::give(&mut runner, id, "A decision that is long enough to be a turn of its own.").unwrap();
        }
        answer::give(&mut runner, "escalation-00", "  ").unwrap();
        assert_eq!(runner.session, session);
        assert_eq!(crate::laws::snapshot(root.path()), before);
    });
}

/// A closing file that cannot be written holds nobody up, and the next run writes it.
#[test]
fn pc_643_a_closing_file_that_cannot_be_written_does_not_block() {
    let root = crate::memory::folder();
    let layout = ONE.cut(root.path(), 4, "indexed", true);
    let orz = layout.orz(&ONE.id());
    fs::create_dir_all(&orz).unwrap();
    let runner = ONE.resume(&layout);
    assert!(!runner.session.closing);
    drop(runner);
    fs::remove_dir(&orz).unwrap();
    assert!(ONE.resume(&layout).session.closing);
    assert!(orz.is_file());
}
