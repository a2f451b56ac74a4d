//! The laws of the architecture page, on random sessions with random speakers and a random pilot:
//!
//! - folding the recorded facts gives the live session, and so does folding what `events.jsonl` holds;
//! - what stands on disk is what the engine believes, after every single fact;
//! - loading twice gives the same state and writes nothing;
//! - an answer to a closed or unknown question changes nothing.

mod track;

use flightdeck::domain::effect::{Call, Effect, Purpose};
use flightdeck::domain::fact::{Fact, Usage};
use flightdeck::domain::input::{CallResult, Input};
use flightdeck::domain::lang::Both;
use flightdeck::domain::lang::Lang;
use flightdeck::domain::policy::{DecisionPolicy, Implementable, Policy};
use flightdeck::domain::session::claim::{Checked, Claim, Finding};
use flightdeck::domain::session::decide::decide;
use flightdeck::domain::session::dispute::{Dispute, Position, Tri};
use flightdeck::domain::session::failure::Reason;
use flightdeck::domain::session::gate::{self, Defer};
use flightdeck::domain::session::head::Head;
use flightdeck::domain::session::meta::{Meta, ResultClass};
use flightdeck::domain::session::phase::{Phase, Wait, phase, voters};
use flightdeck::domain::session::secret::Find;
use flightdeck::domain::session::state::{Session, apply, repairs};
use flightdeck::domain::session::turn::TurnName;
use flightdeck::domain::time::Stamp;
use flightdeck::store::layout::{self, Layout};
use flightdeck::store::load::load;
use flightdeck::store::record::Recorder;
use flightdeck::store::report::{self, EngineHead};
use flightdeck::store::{compose, frontmatter, runtime};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// More than any session needs; what is not over by then is left as it is.
const STEPS: usize = 90;

/// Text that agents and pilots may write; none of it may break a file.
const ODD: [&str; 12] = [
    "plain",
    "\"quoted\" and 'single' \\ back",
    "# not a heading: but a colon",
    "| a | table |",
    "\u{1b}[31mred\u{1b}[0m",
    "\u{202e}right to left\u{202c}",
    "кириллица — тоже",
    "{flow: [a, b]} & *anchor !tag %",
    "tab\tand nul\0end",
    "- item\n- other\n\n---\n# heading",
    "**Pilot response:** not yet",
    "trailing   ",
];

/// Where the choices of a case come from.
struct Dice {
    drawn: Vec<u16>,
    at: usize,
}

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        let drawn = self.drawn.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(drawn) % n
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    fn odd(&mut self) -> &'static str {
        self.of(&ODD)
    }
}

/// A session with its files, the live one and the one that is folded from the facts.
struct Stage {
    _dir: tempfile::TempDir,
    layout: Layout,
    recorder: Recorder,
    live: Session,
    folded: Session,
    facts: Vec<Fact>,
    policy: Policy,
    now: Stamp,
    running: Option<Call>,
    committing: bool,
}

const VENDORS: [&str; 3] = ["ada", "bo", "cy"];

impl Stage {
    fn new(dice: &mut Dice) -> Stage {
        let dir = crate::memory::folder();
        let layout = Layout::new(dir.path().join("gov/sessions"), dir.path().join("runtime"));
        let id = layout::create_session_dir(&layout, "2026-08-24", "law", |_| ()).unwrap();
        let now = Stamp::parse("2026-08-24T09:00:00Z").unwrap();
        let peers = 1 + dice.below(3);
        let mut meta = Meta::new(id.clone(), &format!("How large is the cache? {}", dice.odd()));
        meta.start_time = now.to_string();
        meta.writer_agent = "wren".into();
        meta.peer_agents = VENDORS[..peers].iter().map(|v| format!("{v}-agent")).collect();
        meta.peer_cmds = VENDORS[..peers].iter().map(|v| format!("{v}-peer-adapter")).collect();
        (meta.peer_agent, meta.peer_cmd) = (meta.peer_agents[0].clone(), meta.peer_cmds[0].clone());
        if peers > 1 {
            meta.round_order = VENDORS[..peers].iter().map(|v| v.to_string()).collect();
            if dice.below(2) == 0 {
                meta.roles = meta.peer_agents.iter().map(|a| (a.clone(), vec!["critic".into()])).collect();
            }
        }
        meta.turns_limit = 1 + dice.below(3) as u32;
        meta.rounds_limit = 1 + dice.below(2) as u32;
        meta.max_peer_attempts = 1 + dice.below(3) as u32;
        meta.engine_lang = dice.of(&[Some(Lang::En), Some(Lang::Ru), None]);
        let policy = Policy {
            decision: dice.of(&[
                DecisionPolicy::Ask,
                DecisionPolicy::Ask,
                DecisionPolicy::Record,
                DecisionPolicy::Implement,
            ]),
            implementable: dice.of(&[Implementable::Yes, Implementable::No(Both::new("no", "нет"))]),
            close_auto: dice.below(4) == 0,
            ..Policy::default()
        };
        let recorder = Recorder::new(layout.clone(), id.clone(), layout.session_dir(&id)).unwrap();
        let live = Session::new(meta.clone());
        let mut stage = Stage {
            _dir: dir,
            layout,
            recorder,
            folded: live.clone(),
            live,
            facts: Vec::new(),
            policy,
            now,
            running: None,
            committing: false,
        };
        stage.record(Fact::Began { meta: Box::new(meta), writer_vendor: "wren".into() });
        stage
    }

    fn record(&mut self, fact: Fact) {
        let mut after = self.live.clone();
        apply(&mut after, &fact);
        let event = self.recorder.record(&fact, &self.live, &after, self.now).unwrap();
        assert_eq!(event.fact, fact);
        // What only this process knows leaves the files alone: then there is nothing new to read.
        let silent = matches!(fact, Fact::CallStarted { .. } | Fact::CallEnded { .. } | Fact::Noted { .. });
        let unchanged = silent && self.live.same_on_disk(&after);
        self.live = after;
        // The fold sees what a line of events.jsonl says, and nothing else.
        let line = serde_json::to_string(&event).unwrap();
        let read: runtime::Event = serde_json::from_str(&line).unwrap();
        assert_eq!(read.fact, fact, "a fact does not survive its line: {line}");
        apply(&mut self.folded, &read.fact);
        same(&self.folded, &self.live, "folding the facts gives another session", &fact);
        self.facts.push(fact.clone());
        if unchanged {
            return;
        }
        let loaded = load(&self.layout, &self.live.meta.session_id).unwrap();
        same(&loaded.session, &self.live, "the files say something else than the engine believes", &fact);
        assert_eq!(loaded.problems, Vec::<String>::new(), "after {fact:?}");
    }

    fn perform(&mut self, effects: Vec<Effect>) -> bool {
        let mut recorded = false;
        for effect in effects {
            match effect {
                Effect::Record(fact) => {
                    self.record(fact);
                    recorded = true;
                }
                Effect::Call(call) => {
                    self.record(Fact::CallStarted { call: call.clone() });
                    self.running = Some(call);
                }
                Effect::Cancel => {
                    let call = self.running.take().unwrap();
                    self.record(Fact::CallEnded { call, failure: None, millis: 3, usage: None });
                }
                Effect::Commit { .. } => self.committing = true,
                Effect::Wake { .. } | Effect::Ledger { .. } | Effect::Permit { .. } => {}
            }
        }
        recorded
    }

    fn decide(&self, input: Input) -> Vec<Effect> {
        decide(&self.live, &self.policy, self.now, input)
    }

    fn feed(&mut self, input: Input) {
        let effects = self.decide(input);
        let mut again = self.perform(effects);
        while again {
            let effects = self.decide(Input::Go);
            again = self.perform(effects);
        }
        if let (Phase::Wait(wait), None) = (phase(&self.live), &self.running)
            && self.live.notes.asked.as_ref().is_none_or(|q| q.id != wait.id())
        {
            let question =
                flightdeck::engine::ask::question(&self.live, &wait, &Default::default(), self.now);
            // Whatever is asked, a pilot of either language is told what each answer does.
            let other = question.other.as_ref().expect("words in the other language");
            let differs = other.labels.iter().zip(&question.choices).all(|(label, c)| *label != c.label);
            assert!(other.labels.len() == question.choices.len() && differs, "{question:?}");
            assert!(wait == Wait::Commit || other.text != question.text, "{question:?}");
            self.record(Fact::Asked { question });
        }
    }

    fn end(&mut self, result: CallResult, dice: &mut Dice) {
        let call = self.running.take().unwrap();
        let effects = self.decide(Input::Ended { call: call.clone(), result });
        let usage = (dice.below(3) == 0).then(|| Usage {
            input: Some(u64::MAX),
            output: Some(7),
            cost_usd: Some(0.1 + dice.below(1000) as f64 / 7.0),
            model: Some(dice.odd().into()),
            ..Usage::default()
        });
        self.record(Fact::CallEnded { call, failure: None, millis: 1500, usage });
        self.perform(effects);
        if self.running.is_none() {
            self.feed(Input::Go);
        }
    }

    /// The engine dies and another one takes over.
    fn restart(&mut self) {
        let id = self.live.meta.session_id.clone();
        let finalizing = self.live.live.finalizing;
        let loaded = load(&self.layout, &id).unwrap();
        self.live = loaded.session;
        self.live.live.finalizing = finalizing;
        self.folded.live = self.live.live.clone();
        (self.running, self.committing) = (None, false);
        self.recorder = Recorder::new(self.layout.clone(), id, loaded.dir).unwrap();
        let what = repairs(&self.live);
        assert_eq!(what, Vec::<String>::new(), "there was nothing to mend");
    }

    /// One thing happens. False when the session is over.
    fn step(&mut self, dice: &mut Dice) -> bool {
        self.now = Stamp(self.now.0 + dice.below(400) as i64);
        self.no_such_question(dice);
        match dice.below(24) {
            0 => self.feed(Input::Directed { text: dice.odd().into() }),
            1 => self.restart(),
            2 if dice.below(4) == 0 => self.feed(Input::Interrupt),
            3 if dice.below(4) == 0 && self.live.has(&TurnName::writer(0)) && self.running.is_none() => {
                self.live.live.finalizing = true;
                self.folded.live.finalizing = true;
            }
            _ => {}
        }
        if let Some(call) = self.running.clone() {
            let result = self.result(&call, dice);
            self.end(result, dice);
            return true;
        }
        if std::mem::take(&mut self.committing) {
            let input = match dice.below(3) {
                0 => Input::CommitRefused { text: dice.odd().into() },
                1 => Input::Committed { sha: Some("a1b2c3d".into()), pushed: true, notes: vec![] },
                _ => Input::Committed { sha: None, pushed: false, notes: vec![dice.odd().into()] },
            };
            self.feed(input);
            return true;
        }
        match phase(&self.live) {
            Phase::Closed => false,
            Phase::Interrupted => {
                if dice.below(3) == 0 {
                    return false;
                }
                self.feed(Input::Reopen);
                self.feed(Input::Go);
                true
            }
            Phase::Wait(wait) => {
                self.feed(Input::Go);
                if self.running.is_none() && phase(&self.live) == Phase::Wait(wait.clone()) {
                    let text = answer(&wait, dice);
                    self.feed(Input::Answered { question: wait.id(), text });
                    self.feed(Input::Go);
                }
                true
            }
            _ => {
                self.feed(Input::Go);
                true
            }
        }
    }

    /// An answer to a closed or unknown question decides nothing, so nothing is written.
    fn no_such_question(&self, dice: &mut Dice) {
        let open = match phase(&self.live) {
            Phase::Wait(wait) => wait.id(),
            _ => String::new(),
        };
        let mut ids: Vec<String> = [
            "gate",
            "close",
            "reflection",
            "commit",
            "participants",
            "peer-retry",
            "writer-retry",
            "",
            "nonsense",
            "escalation-77",
            "clarify-ada-1",
            "clarify-bo-9",
            "reserved-02-writer",
        ]
        .map(String::from)
        .to_vec();
        ids.extend(
            self.live
                .escalations
                .iter()
                .filter(|e| !e.is_open())
                .map(|e| format!("escalation-{:02}", e.index)),
        );
        for id in ids.into_iter().filter(|id| *id != open) {
            let text = dice.of(&["A", "close", "retry", "yes", "abort", "push", "extend: more"]).to_string();
            let effects = self.decide(Input::Answered { question: id.clone(), text });
            assert_eq!(effects, Vec::new(), "\"{id}\" is not open");
            assert_eq!(self.decide(Input::Woke { question: id }), Vec::new());
        }
    }

    fn result(&self, call: &Call, dice: &mut Dice) -> CallResult {
        if dice.below(6) == 0 {
            let reason = dice.of(&[
                Reason::Exit(1),
                Reason::ExitOther(-1),
                Reason::Signal(9),
                Reason::Timeout,
                Reason::Empty,
                Reason::PromptTooLarge,
                Reason::OutputTooLarge,
            ]);
            if call.purpose != Purpose::Roles {
                return CallResult::Failed {
                    reason,
                    detail: dice.odd().into(),
                    stderr: dice.odd().into(),
                    until: None,
                };
            }
        }
        if dice.below(12) == 0 {
            return CallResult::Withheld(vec![Find {
                places: vec!["00-writer.md:3".into()],
                what: dice.odd().into(),
                masked: "ghp_…".into(),
                mark: dice.odd().into(),
            }]);
        }
        match call.purpose {
            purpose if purpose.is_pipeline() => track::result(&self.live, call, dice),
            Purpose::Peer | Purpose::Discovery => peer(call, dice),
            Purpose::Opening | Purpose::Turn => self.writer(call, dice),
            Purpose::Roles => self.roles(call, dice),
            Purpose::Summary => {
                let mut summary = gate::fallback(dice.odd());
                summary.defer = dice.of(&[Defer::None, Defer::None, Defer::None, Defer::Wp, Defer::Context]);
                CallResult::Summary(if dice.below(4) == 0 { Err(dice.odd().into()) } else { Ok(summary) })
            }
            Purpose::Dispute => self.dispute(dice),
            Purpose::Judge => CallResult::Judge(dice.of(&[None, Some(true), Some(false)])),
            _ => self.draft(dice),
        }
    }

    fn writer(&self, call: &Call, dice: &mut Dice) -> CallResult {
        let line = dice.of(&[
            "",
            "",
            "CONSENSUS: as the peers say",
            "ESCALATE_TO_USER: may I?",
            "OFFER_HANDOFF: ada — your schema",
            "RESERVED_DECISION: who signs?",
        ]);
        let reply =
            format!("---\naccepts: [{}]\n---\n{}\n\n{line}\n", dice.of(&["", "ada", "ada, bo"]), dice.odd());
        let mut head = Head::default();
        let name = call.name.clone().unwrap();
        if name.number == 0 && self.live.is_round_loop() && self.live.meta.roles.is_empty() {
            let agents = self.live.peers().into_iter().map(|p| p.agent);
            head.proposed_roles = agents.map(|a| (a, "critic".to_string())).collect();
        }
        let turn = compose::writer_turn(name.clone(), name.number, "wren", self.now, &reply, &head);
        CallResult::Turn { turn, facts: Vec::new(), prompt: "".into() }
    }

    fn roles(&self, call: &Call, dice: &mut Dice) -> CallResult {
        let role = dice.of(&["critic", "cost: critic", "критик"]);
        let agreed: Vec<(String, String)> =
            self.live.peers().into_iter().map(|p| (p.agent, role.to_string())).collect();
        let head = Head {
            agreed_roles: Some(agreed.clone()),
            writer_role: "moderator".into(),
            discovery_turns: Some(1),
            ..Head::default()
        };
        let name = call.name.clone().unwrap();
        let turn = compose::writer_turn(name, 0, "wren", self.now, "The roles are agreed.", &head);
        let mut roles = vec![("wren".to_string(), vec!["moderator".to_string()])];
        roles.extend(agreed.into_iter().map(|(a, r)| (a, vec![r])));
        let note = (dice.below(2) == 0).then(|| dice.odd().to_string());
        CallResult::Roles { turn, roles, note }
    }

    fn dispute(&self, dice: &mut Dice) -> CallResult {
        let voters = voters(&self.live);
        let one = Position { summary: dice.odd().into(), supporters: voters.clone() };
        let each =
            voters.into_iter().map(|v| Position { summary: "x".into(), supporters: vec![v] }).collect();
        let positions = dice.of(&[vec![one], each]);
        let reversible = dice.of(&[Tri::Yes, Tri::Yes, Tri::No, Tri::Disputed]);
        match dice.below(4) {
            0 => CallResult::Dispute(Err(dice.odd().into())),
            _ => CallResult::Dispute(Ok(Dispute { reversible, in_authority: Tri::Yes, positions })),
        }
    }

    fn draft(&self, dice: &mut Dice) -> CallResult {
        let class = self.live.meta.engine_result_class.unwrap_or(ResultClass::NotAgreed);
        let links: Vec<String> =
            self.live.turns.iter().map(|t| format!("[{name}]({name})", name = t.name)).collect();
        let body = format!(
            "# Final Report\n\n## 1. Original problem statement\n- **Task:** {}\n\n## 4. Recorded decision\n- Small. [synthesized]\n\n\
             ## 7. Metadata and navigation\n- **Log:** {}\n",
            dice.odd(),
            links.join(", ")
        );
        let text = report::finish(&body, &EngineHead::of(&self.live.meta, class, self.now));
        let linked = report::linked_files(&text);
        let findings = if dice.below(4) == 0 { vec![dice.odd().to_string()] } else { Vec::new() };
        CallResult::Draft { text, linked, findings }
    }
}

fn peer(call: &Call, dice: &mut Dice) -> CallResult {
    let prose = "The cache has to hold the nightly crawl as well, which the position leaves out.";
    let line = dice.of(&[
        "",
        "",
        "CONSENSUS: a small cache",
        "CONSENSUS: a small cache",
        "PASS",
        "PASS\nHowever, why?",
        "ESCALATE_TO_USER: ",
        "CONSENSUS: x\nESCALATE_TO_USER: y",
        "OFFER_HANDOFF: wren — back",
        "ACCEPT_HANDOFF",
        "FILE_WRITTEN: x",
    ]);
    let line = if line.ends_with("USER: ") { format!("{line}{}", dice.odd()) } else { line.to_string() };
    let role = dice.of(&["critic", "critic", "critic", "nightly crawl", "judge"]);
    let accepted = dice.of(&["true", "true", "false", "clarify", "perhaps"]);
    let name = call.name.clone().unwrap();
    let head = format!(
        "---\nturn: {}\nrole: peer\nagent_id: x\ncontent_role: {role}\nrole_accepted: {accepted}\nconsensus: none\n---\n",
        name.number
    );
    let head =
        if call.purpose == Purpose::Discovery { head } else { head.replace("role_accepted: ", "note: ") };
    let head = if dice.below(12) == 0 { String::new() } else { head };
    let text = compose::peer_text(&format!("{head}\n{prose} {}\n\n{line}\n", dice.odd()));
    let facts = match dice.below(12) {
        0 => vec![Checked {
            claim: Claim::Commit { sha: "abcdef1".into() },
            finding: Finding::Contradicted(dice.odd().into()),
        }],
        _ => Vec::new(),
    };
    CallResult::Turn { turn: frontmatter::turn(name, text), facts, prompt: "".into() }
}

/// Any of the odd texts, without drawing a number of its own.
fn dice_word(at: usize) -> &'static str {
    ODD[at % ODD.len()]
}

fn answer(wait: &Wait, dice: &mut Dice) -> String {
    match wait {
        Wait::Escalation(_) => dice.of(&["fix", "retry", "rebase", dice_word(dice.at)]).into(),
        Wait::Dispute(_) => match dice.below(4) {
            0 => "close".into(),
            1 => "continue 1".into(),
            _ => dice.odd().into(),
        },
        Wait::PeerRetry | Wait::WriterRetry => dice.of(&["retry", "retry", "retry", "abort", "what?"]).into(),
        Wait::Secret { .. } => dice.of(&["redact", "send", "s", "abort", "what?"]).into(),
        Wait::Participants => dice.of(&["retry", "close", "close", "abort"]).into(),
        Wait::Gate => dice.of(&["A", "Б", "B", "C", "what?"]).into(),
        Wait::Close => match dice.below(4) {
            0 => format!("extend: {}", dice.odd()),
            1 => dice.odd().into(),
            _ => "close".into(),
        },
        Wait::Budget => dice.of(&["raise", "off", "abort", "what?"]).into(),
        Wait::Commit => dice.of(&["retry", "push", "skip"]).into(),
        Wait::Content { .. } => dice.of(&["yes", "yes", "no", "", "only the first"]).into(),
        Wait::Findings(_) => dice.of(&["now", "after", "what?"]).into(),
        Wait::Review(_) => dice.of(&["retry", "without", "escalate", "what?"]).into(),
        Wait::Verify(_) => {
            dice.of(&["fix", "fix it so", "pinpoint", "retry", "unverified", "escalate", "stop"]).into()
        }
        Wait::Deploy => dice.of(&["retry", "rebase", "keep", "escalate", "what?"]).into(),
        Wait::Unchanged(_) | Wait::ImplementRetry => dice.of(&["retry", "stop", "what?"]).into(),
        Wait::Clarify { .. } | Wait::Reserved(_) | Wait::Reflection => dice.odd().into(),
    }
}

#[track_caller]
fn same(a: &Session, b: &Session, what: &str, fact: &Fact) {
    if !a.same_on_disk(b) {
        let bare = |s: &Session| format!("{:#?}", Session { live: Default::default(), ..s.clone() });
        let (a, b) = (bare(a), bare(b));
        let lines: Vec<String> = a
            .lines()
            .zip(b.lines())
            .filter(|(a, b)| a != b)
            .take(6)
            .map(|(a, b)| format!("  {}\n    instead of\n  {}", a.trim(), b.trim()))
            .collect();
        panic!("{what} after {fact:?}:\n{}", lines.join("\n"));
    }
}

/// Every file below a folder with its bytes and the time of its last change.
pub fn snapshot(root: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![root.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let changed = fs::metadata(&path).unwrap().modified().unwrap();
                found.insert(path.clone(), (fs::read(&path).unwrap(), changed));
            }
        }
    }
    found
}

fn play(drawn: Vec<u16>) {
    let mut dice = Dice { drawn, at: 0 };
    let mut stage = Stage::new(&mut dice);
    stage.feed(Input::Go);
    for _ in 0..STEPS {
        if !stage.step(&mut dice) {
            break;
        }
    }
    let id = stage.live.meta.session_id.clone();

    let before = snapshot(stage._dir.path());
    let (once, twice) = (load(&stage.layout, &id).unwrap(), load(&stage.layout, &id).unwrap());
    assert!(once.session.same_on_disk(&twice.session));
    assert_eq!(phase(&once.session), phase(&twice.session), "PC-709");
    assert_eq!(phase(&once.session), phase(&once.session.clone()));
    assert_eq!(snapshot(stage._dir.path()), before, "PC-709: reading wrote something");

    let events = runtime::events(&stage.layout.runtime(&id));
    let facts: Vec<Fact> = events.iter().map(|e| e.fact.clone()).collect();
    assert_eq!(facts, stage.facts, "events.jsonl holds every fact");
    assert!(events.iter().zip(1..).all(|(event, seq)| event.seq == seq));
    let mut folded = Session::new(Meta::new(id, ""));
    facts.iter().for_each(|fact| apply(&mut folded, fact));
    // Whether `finalize` was asked for is the command's, not a fact; the phase that is noted down depends on it.
    folded.meta.engine_phase = stage.live.meta.engine_phase.clone();
    same(&folded, &stage.live, "folding the whole log gives another session", &facts[facts.len() - 1]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn pc_709_the_four_laws(drawn in prop::collection::vec(any::<u16>(), 200..600)) {
        play(drawn);
    }
}
