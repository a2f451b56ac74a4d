//! The small world: every combination of reply kinds for one to three peers over two rounds never yields a result that
//! the rules do not grant (groups L to S).
//!
//! The engine's side is [`decide`] and [`apply`], driven in memory. The other side is an oracle that is written from
//! the text of the rules and knows nothing of the session but the kinds of the replies. After each reply both are
//! compared: what comes next, who was skipped or failed and why, where the write token is, how the loop ended.
//!
//! Worlds share their beginnings, and positions that no rule can tell apart are walked once: every kind is still
//! tried at every position, and the worlds behind a position are counted, not repeated. A position is told apart by
//! everything the rules look at, by the exact kinds that were said in the running round, and by what each peer came to
//! in the round before, so that an engine which let an old round leak into the next one would be caught.
//!
//! One and two peers say every kind there is, with one and with two attempts; three peers say one kind of each class.
//! These are 3,030,960,446,777 worlds, walked in 106,861 steps; 2,400 more are drawn at random and walked alone.

mod oracle;

use flightdeck::domain::effect::{Call, Effect, Purpose};
use flightdeck::domain::fact::Fact;
use flightdeck::domain::input::{CallResult, Input};
use flightdeck::domain::policy::Policy;
use flightdeck::domain::session::claim::{Checked, Claim, Finding};
use flightdeck::domain::session::decide::decide;
use flightdeck::domain::session::dispute::{Dispute, Position, Tri};
use flightdeck::domain::session::failure::Reason;
use flightdeck::domain::session::id::SessionId;
use flightdeck::domain::session::meta::{Meta, ResultClass};
use flightdeck::domain::session::phase::{Phase, Wait, phase, voters};
use flightdeck::domain::session::state::{Session, apply};
use flightdeck::domain::session::turn::{Turn, TurnName};
use flightdeck::domain::time::Stamp;
use flightdeck::store::frontmatter;
use oracle::{Class, Next, Oracle, Said};
use std::cell::RefCell;
use std::collections::HashMap;

/// The kinds of reply of a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Consensus,
    /// A counter-argument beside `CONSENSUS:` does not keep the round open (PC-403).
    ConsensusObjecting,
    Pass,
    /// A PASS with a counter-argument, and what the judge says about it.
    PassJudged(Option<bool>),
    Objection,
    /// `**CONSENSUS:**` is no marker (PC-373).
    NearMiss,
    /// `CONSENSUS: <summary>` is an echo of the prompt (PC-371).
    Echo,
    /// `consensus: reached` without a marker (AMB-64).
    WordOnly,
    Escalate,
    EscalateConsensus,
    EscalatePass,
    OfferBack,
    Accept,
    Request,
    Invalid(Check),
    Transport(Failure),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Check {
    OnTopic,
    Frontmatter,
    Role,
    SideEffects,
    Facts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Failure {
    Empty,
    Exit(u8),
    Other,
    Signal,
    Timeout,
    PromptTooLarge,
    OutputTooLarge,
}

const VALID: [Kind; 16] = [
    Kind::Consensus,
    Kind::ConsensusObjecting,
    Kind::Pass,
    Kind::PassJudged(Some(true)),
    Kind::PassJudged(Some(false)),
    Kind::PassJudged(None),
    Kind::Objection,
    Kind::NearMiss,
    Kind::Echo,
    Kind::WordOnly,
    Kind::Escalate,
    Kind::EscalateConsensus,
    Kind::EscalatePass,
    Kind::OfferBack,
    Kind::Accept,
    Kind::Request,
];

const INVALID: [Kind; 5] = [
    Kind::Invalid(Check::OnTopic),
    Kind::Invalid(Check::Frontmatter),
    Kind::Invalid(Check::Role),
    Kind::Invalid(Check::SideEffects),
    Kind::Invalid(Check::Facts),
];

const TRANSPORT: [Kind; 13] = [
    Kind::Transport(Failure::Empty),
    Kind::Transport(Failure::Exit(1)),
    Kind::Transport(Failure::Exit(2)),
    Kind::Transport(Failure::Exit(3)),
    Kind::Transport(Failure::Exit(4)),
    Kind::Transport(Failure::Exit(5)),
    Kind::Transport(Failure::Exit(6)),
    Kind::Transport(Failure::Exit(7)),
    Kind::Transport(Failure::Other),
    Kind::Transport(Failure::Signal),
    Kind::Transport(Failure::Timeout),
    Kind::Transport(Failure::PromptTooLarge),
    Kind::Transport(Failure::OutputTooLarge),
];

/// What stands for its class when three peers make all kinds too many: the rules treat the members of a class alike,
/// and that they do is what the worlds of one and two peers show.
const CLASSES: [Kind; 8] = [
    Kind::Consensus,
    Kind::Pass,
    Kind::PassJudged(Some(false)),
    Kind::Objection,
    Kind::EscalateConsensus,
    Kind::Accept,
    Kind::Invalid(Check::Facts),
    Kind::Transport(Failure::Exit(1)),
];

/// The kinds of a writer's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Writes {
    Plain,
    Consensus,
    /// `accepts` names every peer.
    ConsensusAll,
    /// `accepts` names the first peer only.
    ConsensusFirst,
    ConsensusEscalate,
    Escalate,
    Offer,
    Accept,
    /// The call fails and is repeated (PC-255).
    Fails,
}

const WRITES: [Writes; 9] = [
    Writes::Plain,
    Writes::Consensus,
    Writes::ConsensusAll,
    Writes::ConsensusFirst,
    Writes::ConsensusEscalate,
    Writes::Escalate,
    Writes::Offer,
    Writes::Accept,
    Writes::Fails,
];

/// What the structured dispute call gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Judgement {
    Majority,
    Tie,
    Irreversible,
    BeyondAuthority,
    Unusable,
    CallFails,
}

const JUDGEMENTS: [Judgement; 6] = [
    Judgement::Majority,
    Judgement::Tie,
    Judgement::Irreversible,
    Judgement::BeyondAuthority,
    Judgement::Unusable,
    Judgement::CallFails,
];

/// Answers at the limit: a decision, or none.
const ANSWERS: [&str; 2] = ["Keep the small cache.", "close"];

const NAMES: [&str; 3] = ["ada", "bo", "cy"];
const PROSE: &str = "The cache has to hold the nightly crawl as well, which the position leaves out.";

/// The engine's side.
#[derive(Clone)]
struct Engine {
    session: Session,
    running: Option<Call>,
    /// Every end of the loop that was recorded.
    ended: Vec<(ResultClass, bool)>,
}

impl Engine {
    fn new(peers: usize, max_attempts: u32) -> Engine {
        let id = SessionId::parse("2026-08-24-01-world").unwrap();
        let agents: Vec<String> = NAMES[..peers].iter().map(|n| format!("{n}-agent")).collect();
        let mut meta = Meta::new(id, "How large is the cache?");
        meta.start_time = "2026-08-24T09:00:00Z".into();
        meta.writer_agent = "wren".into();
        meta.peer_agent = agents[0].clone();
        meta.peer_cmds = NAMES[..peers].iter().map(|n| format!("{n}-peer-adapter")).collect();
        meta.peer_cmd = meta.peer_cmds[0].clone();
        if peers > 1 {
            meta.round_order = NAMES[..peers].iter().map(|n| n.to_string()).collect();
            meta.roles = agents.iter().map(|a| (a.clone(), vec!["critic".to_string()])).collect();
        }
        meta.peer_agents = agents;
        (meta.turns_limit, meta.rounds_limit, meta.max_peer_attempts) = (2, 2, max_attempts);
        let mut engine = Engine { session: Session::new(meta), running: None, ended: Vec::new() };
        engine.feed(Input::Go);
        let opening = engine.running.clone().unwrap();
        assert_eq!(opening.purpose, Purpose::Opening);
        engine.end(written(&opening, "", PROSE));
        engine
    }

    fn feed(&mut self, input: Input) {
        let mut next = Some(input);
        while let Some(input) = next.take() {
            for effect in decide(&self.session, &Policy::default(), Stamp(1_800_000_000), input) {
                if self.perform(effect) {
                    next = Some(Input::Go);
                }
            }
        }
    }

    fn perform(&mut self, effect: Effect) -> bool {
        match effect {
            Effect::Record(fact) => {
                if let Fact::LoopEnded { class, majority } = &fact {
                    assert!(self.session.open_escalation().is_none(), "PC-446: an escalation is open");
                    self.ended.push((*class, *majority));
                }
                apply(&mut self.session, &fact);
                true
            }
            Effect::Call(call) => {
                apply(&mut self.session, &Fact::CallStarted { call: call.clone() });
                self.running = Some(call);
                false
            }
            // An interrupted session commits, which is beyond these worlds.
            Effect::Commit { .. } => false,
            other => panic!("nothing here wants {other:?}"),
        }
    }

    /// The running call ends with this result.
    fn end(&mut self, result: CallResult) {
        let call = self.running.take().expect("a call runs");
        let input = Input::Ended { call: call.clone(), result };
        let effects = decide(&self.session, &Policy::default(), Stamp(1_800_000_000), input);
        apply(&mut self.session, &Fact::CallEnded { call, failure: None, millis: 0, usage: None });
        for effect in effects {
            self.perform(effect);
        }
        if self.running.is_none() {
            self.feed(Input::Go);
        }
    }

    fn answer(&mut self, text: &str) {
        let Phase::Wait(wait) = phase(&self.session) else { panic!("no question stands open") };
        self.feed(Input::Answered { question: wait.id(), text: text.into() });
    }

    /// What comes next, in the oracle's words.
    fn next(&self) -> Next {
        if let Some(call) = &self.running {
            let peer = |call: &Call| {
                let vendor = call.vendor.as_deref().or(call.name.as_ref()?.vendor());
                NAMES.iter().position(|n| Some(*n) == vendor)
            };
            return match call.purpose {
                Purpose::Peer => Next::Peer { round: call.round, peer: peer(call).unwrap() },
                Purpose::Judge => Next::Judge { peer: peer(call).unwrap() },
                Purpose::Turn => Next::Writer { round: call.round, again: !call.complaints.is_empty() },
                Purpose::Dispute => Next::Dispute,
                Purpose::Summary => Next::Gate(self.class()),
                Purpose::Synthesis => Next::Draft(self.class()),
                other => panic!("an unexpected call: {other:?}"),
            };
        }
        match phase(&self.session) {
            Phase::Wait(Wait::Escalation(n)) => Next::Escalation(n as usize),
            Phase::Wait(Wait::Dispute(n)) => Next::LimitEscalation(n as usize),
            Phase::Wait(Wait::Participants) => Next::Participants,
            Phase::Wait(Wait::PeerRetry) => Next::PeerRetry,
            Phase::Wait(Wait::WriterRetry) => Next::WriterRetry,
            Phase::Interrupted | Phase::Finalize(_) => Next::Interrupted,
            other => panic!("an unexpected phase: {other:?}"),
        }
    }

    fn class(&self) -> Class {
        assert_eq!(self.ended.len(), 1, "PC-410: the loop ends once");
        let (class, majority) = self.ended[0];
        assert_eq!(self.session.meta.engine_result_class, Some(class));
        match (class, majority) {
            (ResultClass::Agreed, false) => Class::Agreed,
            (ResultClass::Partial, false) => Class::Partial,
            (ResultClass::Agreed, true) => Class::AgreedByMajority,
            (ResultClass::Partial, true) => Class::PartialByMajority,
            (ResultClass::Escalated, _) => Class::Escalated,
            (ResultClass::NotAgreed, _) => Class::NotAgreed,
        }
    }

    /// Bookkeeping as the oracle spells it.
    fn books(&self) -> oracle::Books {
        let meta = &self.session.meta;
        let at = |vendor: &str| NAMES.iter().position(|n| *n == vendor).unwrap();
        let mut skips: Vec<(u32, usize)> = meta
            .round_skips
            .iter()
            .flat_map(|(round, vendors)| vendors.iter().map(|v| (*round, at(v))))
            .collect();
        skips.sort_unstable();
        oracle::Books {
            skips,
            attempts: NAMES[..self.session.peers().len()].iter().map(|v| meta.attempts(v)).collect(),
            failed: {
                let mut failed: Vec<usize> = meta.failed.iter().map(|v| at(v)).collect();
                failed.sort_unstable();
                failed
            },
            failures: meta
                .peer_failures
                .iter()
                .map(|f| (f.round, at(&f.vendor), f.reason.to_string()))
                .collect(),
            escalations: self.session.escalations.iter().map(|e| e.source.clone()).collect(),
        }
    }

    fn token(&self) -> (Option<usize>, usize) {
        let holder = NAMES.iter().position(|n| self.session.meta.write_token_holder == format!("{n}-agent"));
        (holder, self.session.meta.handoff_history.len())
    }
}

/// A reply of this kind, and what the rules see in it.
fn reply(call: &Call, kind: Kind) -> (CallResult, Said) {
    let failed = |reason: Reason| CallResult::Failed {
        reason,
        detail: String::new(),
        stderr: String::new(),
        until: None,
    };
    let said = |body: String, said: Said| (turn(call, "critic", "none", &body), said);
    let prose = |line: &str| format!("{PROSE}\n\n{line}");
    let invalid = |result: CallResult, reason: &str| (result, Said::Invalid(reason.into()));
    match kind {
        Kind::Consensus => said(prose("CONSENSUS: a small cache"), Said::agrees()),
        Kind::ConsensusObjecting => {
            let body = "However, I disagree about the size: is 20 enough?\n\nCONSENSUS: a small cache";
            said(body.into(), Said::agrees())
        }
        Kind::Pass => said("PASS — nothing to add".into(), Said::passes()),
        Kind::PassJudged(verdict) => {
            said("PASS\nHowever, why is it so small?".into(), Said::doubtful(verdict == Some(true)))
        }
        Kind::Objection => said(PROSE.into(), Said::dissents()),
        Kind::NearMiss => said(prose("**CONSENSUS:** a small cache\n- PASS"), Said::dissents()),
        Kind::Echo => said(prose("CONSENSUS: <summary>"), Said::dissents()),
        Kind::WordOnly => (turn(call, "critic", "reached", PROSE), Said::dissents()),
        Kind::Escalate => said(prose("ESCALATE_TO_USER: who pays for it?"), Said::escalates()),
        Kind::EscalateConsensus => {
            let body = prose("CONSENSUS: a small cache\nESCALATE_TO_USER: who pays for it?");
            said(body, Said::escalates())
        }
        Kind::EscalatePass => said(prose("PASS\nESCALATE_TO_USER: who pays for it?"), Said::escalates()),
        Kind::OfferBack => said(prose("OFFER_HANDOFF: wren — it is yours"), Said::dissents().offering()),
        Kind::Accept => said(prose("ACCEPT_HANDOFF"), Said::dissents().accepting()),
        Kind::Request => said(prose("REQUEST_HANDOFF: let me"), Said::dissents()),
        Kind::Invalid(Check::OnTopic) => invalid(turn(call, "critic", "none", "I see."), "on_topic"),
        Kind::Invalid(Check::Frontmatter) => {
            let name = call.name.clone().unwrap();
            invalid(parsed(name, format!("{PROSE}\n\nCONSENSUS: a small cache\n")), "frontmatter")
        }
        Kind::Invalid(Check::Role) => {
            invalid(turn(call, "judge of all", "none", "CONSENSUS: a small cache"), "role")
        }
        Kind::Invalid(Check::SideEffects) => {
            let body = prose("CONSENSUS: a small cache\nFILE_WRITTEN: cache.rs");
            invalid(turn(call, "critic", "none", &body), "side_effects")
        }
        Kind::Invalid(Check::Facts) => {
            let CallResult::Turn { turn, prompt, .. } =
                turn(call, "critic", "none", &prose("CONSENSUS: as in `abcdef1`"))
            else {
                unreachable!()
            };
            let claim = Claim::Commit { sha: "abcdef1".into() };
            let facts = vec![Checked { claim, finding: Finding::Contradicted("no such commit".into()) }];
            invalid(CallResult::Turn { turn, facts, prompt }, "fact_mismatch")
        }
        Kind::Transport(failure) => {
            let (reason, text) = match failure {
                Failure::Empty => (Reason::Empty, "empty".to_string()),
                Failure::Exit(n) => (Reason::Exit(n), format!("exit_{n}")),
                Failure::Other => (Reason::ExitOther(64), "exit_other_64".into()),
                Failure::Signal => (Reason::Signal(9), "signal_9".into()),
                Failure::Timeout => (Reason::Timeout, "timeout".into()),
                Failure::PromptTooLarge => (Reason::PromptTooLarge, "prompt_too_large".into()),
                Failure::OutputTooLarge => (Reason::OutputTooLarge, "output_too_large".into()),
            };
            (failed(reason), Said::Nothing(text))
        }
    }
}

thread_local! {
    /// Parsed turns by file and text: the same few are said over and over.
    static PARSED: RefCell<HashMap<(TurnName, String), Turn>> = RefCell::default();
}

fn parsed(name: TurnName, text: String) -> CallResult {
    let turn = PARSED.with_borrow_mut(|known| {
        let parse = || frontmatter::turn(name.clone(), text.as_str());
        known.entry((name.clone(), text.clone())).or_insert_with(parse).clone()
    });
    CallResult::Turn { turn, facts: Vec::new(), prompt: "".into() }
}

fn turn(call: &Call, role: &str, word: &str, body: &str) -> CallResult {
    let name = call.name.clone().unwrap();
    let agent = name.vendor().unwrap_or(NAMES[0]);
    let text = format!(
        "---\nturn: {}\nrole: peer\nagent_id: {agent}-agent\ncontent_role: {role}\nprocess_position: peer\n\
         timestamp: 2026-08-24T09:10:00Z\nconsensus: {word}\n---\n\n{body}\n",
        name.number
    );
    parsed(name, text)
}

fn written(call: &Call, extra: &str, body: &str) -> CallResult {
    let name = call.name.clone().unwrap();
    let text = format!(
        "---\nturn: {}\nrole: writer\nagent_id: wren\ntimestamp: 2026-08-24T09:10:00Z\nconsensus: none\n{extra}---\n\n{body}\n",
        name.number
    );
    parsed(name, text)
}

fn writes(call: &Call, kind: Writes, peers: usize) -> (CallResult, oracle::Wrote) {
    let body = |line: &str| format!("{PROSE}\n\n{line}");
    let all = format!("accepts: [{}]\n", NAMES[..peers].join(", "));
    let consensus = "CONSENSUS: I take the peers' position";
    let wrote = oracle::Wrote::default();
    match kind {
        Writes::Plain | Writes::Fails => (written(call, "", PROSE), wrote),
        Writes::Consensus => (written(call, "", &body(consensus)), wrote.claiming(&[])),
        Writes::ConsensusAll => {
            let everybody: Vec<usize> = (0..peers).collect();
            (written(call, &all, &body(consensus)), wrote.claiming(&everybody))
        }
        Writes::ConsensusFirst => {
            // By agent id: `accepts` may name either.
            (written(call, "accepts: [ada-agent]\n", &body(consensus)), wrote.claiming(&[0]))
        }
        Writes::ConsensusEscalate => {
            let lines = format!("{consensus}\nESCALATE_TO_USER: may I?");
            (written(call, &all, &body(&lines)), wrote.escalating())
        }
        Writes::Escalate => (written(call, "", &body("ESCALATE_TO_USER: may I?")), wrote.escalating()),
        Writes::Offer => (written(call, "", &body("OFFER_HANDOFF: ada — your schema")), wrote.offering(0)),
        Writes::Accept => (written(call, "", &body("ACCEPT_HANDOFF")), wrote.accepting()),
    }
}

fn judgement(session: &Session, kind: Judgement) -> (CallResult, bool) {
    let voters = voters(session);
    let position = |name: &str, supporters: &[String]| Position {
        summary: name.into(),
        supporters: supporters.to_vec(),
    };
    let all = vec![position("small", &voters)];
    let each = voters.iter().map(|v| position(v, std::slice::from_ref(v))).collect();
    let ok = |reversible, in_authority, positions| {
        CallResult::Dispute(Ok(Dispute { reversible, in_authority, positions }))
    };
    match kind {
        Judgement::Majority => (ok(Tri::Yes, Tri::Yes, all), true),
        Judgement::Tie => (ok(Tri::Yes, Tri::Yes, each), false),
        Judgement::Irreversible => (ok(Tri::No, Tri::Yes, all), false),
        Judgement::BeyondAuthority => (ok(Tri::Yes, Tri::Disputed, all), false),
        Judgement::Unusable => (CallResult::Dispute(Err("not YAML".into())), false),
        Judgement::CallFails => (
            CallResult::Failed {
                reason: Reason::Timeout,
                detail: String::new(),
                stderr: String::new(),
                until: None,
            },
            false,
        ),
    }
}

/// The walk through all worlds of one setting.
struct Walk {
    peers: usize,
    kinds: Vec<Kind>,
    writes: Vec<Writes>,
    /// Worlds behind each position.
    seen: HashMap<oracle::Position, u128>,
    /// Replies, verdicts and answers that were tried.
    steps: u64,
    /// One random world at a time, each from its beginning to its end, instead of all of them.
    lottery: Option<u64>,
}

impl Walk {
    fn new(peers: usize, kinds: &[Kind], writes: &[Writes]) -> Walk {
        let (kinds, writes) = (kinds.to_vec(), writes.to_vec());
        Walk { peers, kinds, writes, seen: HashMap::new(), steps: 0, lottery: None }
    }

    /// Compares, then tries everything that may come next. Gives the number of worlds from here on.
    fn visit(&mut self, engine: &Engine, oracle: &Oracle) -> u128 {
        let next = oracle.next();
        self.compare(engine, oracle, &next);
        if let Some(worlds) = self.seen.get(&oracle.position()) {
            return *worlds;
        }
        let worlds = match next {
            Next::Peer { .. } => self.peer(engine, oracle),
            Next::Judge { .. } => {
                let verdict = oracle.verdict();
                let judged = if verdict { Some(true) } else { Some(false) };
                self.branch(engine, oracle, |e, o| {
                    e.end(CallResult::Judge(judged));
                    o.judged();
                })
            }
            Next::Writer { .. } => self.writer(engine, oracle),
            Next::Escalation(_) if oracle.ends_with_answer() => self.answers(engine, oracle),
            Next::Escalation(_) => self.branch(engine, oracle, |e, o| {
                e.answer("The house pays, go on.");
                o.answered(true);
            }),
            Next::Dispute => self
                .options(&JUDGEMENTS)
                .into_iter()
                .map(|kind| {
                    self.branch(engine, oracle, |e, o| {
                        let (result, majority) = judgement(&e.session, kind);
                        e.end(result);
                        o.disputed(majority);
                    })
                })
                .sum(),
            Next::LimitEscalation(_) => self.answers(engine, oracle),
            Next::PeerRetry | Next::WriterRetry => self.retry(engine, oracle, &next),
            Next::Gate(_) | Next::Draft(_) | Next::Participants | Next::Interrupted => 1,
        };
        if self.lottery.is_none() {
            self.seen.insert(oracle.position(), worlds);
        }
        worlds
    }

    /// All of them, or the one that the lottery draws.
    fn options<T: Copy>(&mut self, all: &[T]) -> Vec<T> {
        let Some(seed) = &mut self.lottery else { return all.to_vec() };
        // Knuth's MMIX generator; its high bits are good enough to draw with.
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        vec![all[(*seed >> 33) as usize % all.len()]]
    }

    fn branch(
        &mut self,
        engine: &Engine,
        oracle: &Oracle,
        act: impl FnOnce(&mut Engine, &mut Oracle),
    ) -> u128 {
        let (mut engine, mut oracle) = (engine.clone(), oracle.clone());
        act(&mut engine, &mut oracle);
        self.steps += 1;
        self.visit(&engine, &oracle)
    }

    fn peer(&mut self, engine: &Engine, oracle: &Oracle) -> u128 {
        let kinds: Vec<(Kind, u8)> = self.kinds.iter().copied().zip(1..).collect();
        self.options(&kinds)
            .into_iter()
            .map(|(kind, number)| {
                self.branch(engine, oracle, |e, o| {
                    let (result, said) = reply(e.running.as_ref().unwrap(), kind);
                    e.end(result);
                    o.replied(said, number);
                })
            })
            .sum()
    }

    fn writer(&mut self, engine: &Engine, oracle: &Oracle) -> u128 {
        let mut kinds = self.writes.clone();
        kinds.retain(|kind| *kind != Writes::Fails || oracle.may_fail());
        let peers = self.peers;
        self.options(&kinds)
            .into_iter()
            .map(|kind| {
                self.branch(engine, oracle, |e, o| {
                    if kind == Writes::Fails {
                        let detail = "the writer is not there".to_string();
                        e.end(CallResult::Failed {
                            reason: Reason::Exit(3),
                            detail,
                            stderr: String::new(),
                            until: None,
                        });
                        return o.writer_failed();
                    }
                    let (result, wrote) = writes(e.running.as_ref().unwrap(), kind, peers);
                    e.end(result);
                    o.wrote(wrote);
                })
            })
            .sum()
    }

    fn answers(&mut self, engine: &Engine, oracle: &Oracle) -> u128 {
        self.options(&ANSWERS)
            .into_iter()
            .map(|text| {
                self.branch(engine, oracle, |e, o| {
                    e.answer(text);
                    o.answered(text != "close");
                })
            })
            .sum()
    }

    fn retry(&mut self, engine: &Engine, oracle: &Oracle, next: &Next) -> u128 {
        let again = oracle.may_retry() || *next == Next::WriterRetry;
        let answers: &[&str] = if again { &["abort", "retry"] } else { &["abort"] };
        self.options(answers)
            .into_iter()
            .map(|text| {
                self.branch(engine, oracle, |e, o| {
                    e.answer(text);
                    if text == "abort" { o.aborted() } else { o.retried() }
                })
            })
            .sum()
    }

    fn compare(&self, engine: &Engine, oracle: &Oracle, next: &Next) {
        let told = || oracle.story();
        assert_eq!(engine.next(), *next, "what comes next differs from the rules after\n{}", told());
        assert_eq!(
            engine.books(),
            oracle.books(),
            "the bookkeeping differs from the rules after\n{}",
            told()
        );
        if matches!(next, Next::Writer { .. } | Next::Gate(_) | Next::Dispute | Next::Draft(_)) {
            assert_eq!(engine.token(), oracle.token(), "the write token is elsewhere after\n{}", told());
        }
        if let Next::Gate(Class::Agreed | Class::Partial) = next {
            let last = engine.session.turns.iter().filter(|t| t.name.is_peer()).map(|t| t.name.number).max();
            let round = oracle.round();
            let number = if self.peers > 1 { round } else { 2 * round - 1 };
            assert_eq!(last, Some(number), "PC-409: no peer spoke in the closing round\n{}", told());
            assert!(engine.session.open_escalation().is_none());
            assert!(engine.session.has(&TurnName::writer(0)));
        }
    }
}

/// Walks all worlds; gives their number and how many steps it took to try everything everywhere.
fn walk(peers: usize, max_attempts: u32, kinds: &[Kind], writes: &[Writes]) -> (u128, u64) {
    let mut walk = Walk::new(peers, kinds, writes);
    // A world is as deep as it has calls, and each of them has a frame: more than a test's thread can stack.
    let body = move || {
        let worlds = walk.visit(&Engine::new(peers, max_attempts), &Oracle::new(peers, max_attempts, 2));
        (worlds, walk.steps)
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(body).unwrap();
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn all_kinds() -> Vec<Kind> {
    [&VALID[..], &INVALID, &TRANSPORT].concat()
}

#[test]
fn pc_400_one_peer_over_two_exchanges() {
    for max_attempts in [1, 2] {
        assert_eq!(walk(1, max_attempts, &all_kinds(), &WRITES), (1_740_956, 466));
    }
}

#[test]
fn pc_401_two_peers_over_two_rounds_with_one_attempt() {
    assert_eq!(walk(2, 1, &all_kinds(), &WRITES), (2_206_073_476, 26_624));
}

#[test]
fn pc_401_two_peers_over_two_rounds_with_two_attempts() {
    assert_eq!(walk(2, 2, &all_kinds(), &WRITES), (3_027_014_628_113, 54_437));
}

#[test]
fn pc_401_three_peers_over_two_rounds() {
    let writes = [Writes::Plain, Writes::Consensus, Writes::ConsensusFirst, Writes::ConsensusAll];
    assert_eq!(walk(3, 1, &CLASSES, &writes), (28_478_656, 9_728));
    assert_eq!(walk(3, 2, &CLASSES, &writes), (1_707_784_620, 15_140));
}

/// Walking equal positions once rests on what a position holds. These worlds are walked one by one from their
/// beginning, so nothing rests on it.
#[test]
fn pc_401_random_worlds_in_full() {
    for (peers, max_attempts) in [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)] {
        let engine = Engine::new(peers, max_attempts);
        let mut walk = Walk::new(peers, &all_kinds(), &WRITES);
        walk.lottery = Some(20_260_824);
        let worlds: u128 = (0..400).map(|_| walk.visit(&engine, &Oracle::new(peers, max_attempts, 2))).sum();
        assert_eq!(worlds, 400);
    }
}
