use super::*;
use crate::domain::effect::{Call, Purpose};
use crate::domain::fact::{Fact, Usage};
use crate::domain::question::{Choice, QuestionKind};
use crate::domain::session::escalation::Escalation;
use crate::domain::session::failure::Reason;
use crate::domain::session::gate::{Defer, Summary};
use crate::domain::session::head::Head;
use crate::domain::session::meta::{Meta, PeerFailure, ResultClass, Status};
use crate::domain::session::notes::SummaryNote;
use crate::domain::session::state::Session;
use crate::domain::session::turn::{Turn, TurnName};
use crate::domain::spent::Spent;
use crate::engine::wire::{Event, Owner, Row, Tell, View};
use crate::ui::msg::Msg;
use crate::ui::settings::tests::settings;
use crate::ui::update::update;

/// What agents may send: colours, a title change, a clipboard write, bidi, joined emoji, wide and right-to-left text.
pub const HOSTILE: &str =
    "\u{1b}[31mred\u{1b}[0m \u{1b}]0;owned\u{7} \u{1b}]52;c;aGk=\u{7} a\u{202e}b 漢字 👨‍👩‍👧 ❤️ שלום ещё\0 end";

pub fn now() -> Stamp {
    Stamp::parse("2026-08-24T10:00:00Z").unwrap()
}

pub fn id(number: u32, slug: &str) -> SessionId {
    SessionId::new("2026-08-24", number, slug).unwrap()
}

pub fn question(
    kind: QuestionKind,
    id: &str,
    minutes: i64,
    text: &str,
    choices: &[(&str, &str)],
) -> Question {
    Question {
        id: id.into(),
        kind,
        since: Stamp(now().0 - minutes * 60),
        text: text.into(),
        choices: choices.iter().map(|(k, l)| Choice::new(k, *l)).collect(),
        free_text: kind != QuestionKind::Gate,
        other: None,
    }
}

pub fn row(number: u32, slug: &str, peers: &str) -> Row {
    Row {
        id: id(number, slug),
        task: format!("Decide about {slug}"),
        peers: peers.into(),
        status: Status::Started,
        phase: "peer_call".into(),
        result: None,
        at: (1, 6),
        questions: Vec::new(),
        speaking: None,
        owner: Owner::Here,
        changed: Stamp(now().0 - 1_140),
        escalations: 0,
        foreign: false,
    }
}

/// A deck with something in every group.
pub fn rows() -> Vec<Row> {
    let closed = |number, slug: &str, result| Row {
        status: Status::Completed,
        result: Some(result),
        owner: Owner::Nobody,
        ..row(number, slug, "codex+kimi")
    };
    let asks =
        question(QuestionKind::Escalation, "escalation-00", 14, "codex escalates: is downtime allowed?", &[]);
    let gate = question(QuestionKind::Gate, "gate", 3, "Consensus reached.\n\nWhat next?", GATE);
    vec![
        Row { at: (2, 6), questions: vec![asks], ..row(9, "cap-fetcher-retries", "codex+kimi") },
        Row {
            speaking: Some(("hermes".into(), Stamp(now().0 - 41))),
            ..row(8, "agree-log-rotation", "codex+hermes")
        },
        Row { questions: vec![gate], ..row(7, "choose-cache-eviction", "codex") },
        Row { task: HOSTILE.into(), at: (4, 10), ..row(6, "port-auth-middleware", "kimi") },
        Row { escalations: 2, ..closed(5, "drop-legacy-token-table", ResultClass::NotAgreed) },
        closed(4, "rename-metrics", ResultClass::Partial),
        Row {
            changed: Stamp(now().0 - 400_000),
            task: "Переименовать метрики без простоя".into(),
            ..closed(3, "pereimenovat-metriki", ResultClass::Agreed)
        },
        Row {
            status: Status::Interrupted,
            owner: Owner::Nobody,
            changed: Stamp(now().0 - 500_000),
            foreign: true,
            ..row(2, "other-programs-session", "codex")
        },
    ]
}

pub const GATE: &[(&str, &str)] = &[
    ("A", "record only: report, commit, close question"),
    ("B", "implement now (unavailable: no implementation backend is configured)"),
    ("C", "record and close at once"),
];

pub fn turn(file: &str, body: &str) -> Turn {
    let text = format!("---\nturn: 1\n---\n{body}");
    Turn::new(TurnName::parse(file).unwrap(), Ok(Head::default()), text.into(), 16)
}

/// Two peers, two rounds; codex escalated, hermes is out.
pub fn session() -> Session {
    let mut meta = Meta::new(id(9, "cap-fetcher-retries"), "How often may the fetcher try again?");
    meta.start_time = Stamp(now().0 - 18 * 60).to_string();
    meta.round_order = vec!["codex".into(), "hermes".into()];
    meta.peer_agents = vec!["codex".into(), "hermes-agent".into()];
    meta.peer_cmds = vec!["codex-peer-adapter".into(), "hermes-peer-adapter".into()];
    meta.peer_agent = "codex".into();
    meta.roles = vec![
        ("codex".into(), vec!["load critic".into()]),
        ("hermes-agent".into(), vec!["критик клиентов".into()]),
    ];
    meta.failed = vec!["hermes".into()];
    meta.round_skips = vec![(1, vec!["hermes".into()])];
    meta.peer_failures = vec![PeerFailure { round: 2, vendor: "hermes".into(), reason: Reason::Timeout }];
    let mut s = Session::new(meta);
    s.notes.writer_vendor = "claude".into();
    s.turns = vec![
        turn(
            "00-writer.md",
            "# Opening\n\nThree tries, then a minute of rest. The phone app counts on its own.",
        ),
        turn(
            "01-peer-codex.md",
            "However, the load of writes is unmeasured. The staging table covers reads only.\n\n- writes double when the cap is three\n",
        ),
        turn("01-writer.md", &format!("codex is right about writes; I add them.\n\n{HOSTILE}\n")),
        turn(
            "02-peer-codex.md",
            "The table answers my objection.\n\nESCALATE_TO_USER: is downtime allowed?\n",
        ),
    ];
    s.escalations = vec![Escalation {
        index: 0,
        number: 1,
        turn: 2,
        timestamp: Stamp(now().0 - 840).to_string(),
        reason: "is downtime allowed?".into(),
        source: "02-peer-codex.md".into(),
        response: String::new(),
    }];
    s.turns.sort_by(|a, b| a.name.cmp(&b.name));
    s
}

pub fn view_of(session: Session) -> Box<View> {
    let files = session.turns.iter().map(|t| t.name.to_string()).chain(["meta.yaml".to_string()]).collect();
    Box::new(View {
        session,
        dir: "/sessions/2026-08/24/cap-fetcher-retries".into(),
        questions: vec![question(
            QuestionKind::Escalation,
            "escalation-00",
            14,
            "codex escalates: is downtime allowed?. Your decision is needed.",
            &[],
        )],
        owner: Owner::Here,
        seq: 40,
        preview: String::new(),
        running: None,
        problems: Vec::new(),
        files,
    })
}

/// The same session at the gate: codex agreed in round 3.
pub fn at_gate() -> Session {
    let mut s = session();
    s.escalations[0].response = "No.".into();
    s.turns.push(turn("02-writer.md", "No downtime then: the switch is staged."));
    s.turns.push(turn("03-peer-codex.md", "CONSENSUS: three tries, then a minute; writes are counted\n"));
    s.meta.engine_result_class = Some(ResultClass::Partial);
    s.notes.summary = Some(SummaryNote {
        at: 3,
        summary: Summary {
            discussed: "how often the fetcher may try again".into(),
            agreed: "three tries, then wait a minute; count the tries of the phone app too".into(),
            proposed: vec!["limit the tries".into(), "count them".into(), "show the count".into()],
            hours: "~3 h".into(),
            impact: String::new(),
            defer: Defer::None,
            estimated: true,
        },
    });
    s
}

pub fn call(vendor: Option<&str>, round: u32) -> Call {
    Call {
        purpose: if vendor.is_some() { Purpose::Peer } else { Purpose::Turn },
        vendor: vendor.map(str::to_string),
        round,
        attempt: 1,
        name: None,
        complaints: Vec::new(),
    }
}

pub fn event(seq: u64, fact: Fact) -> Tell {
    Tell::Event {
        id: id(9, "cap-fetcher-retries"),
        event: Box::new(Event { seq, time: now().to_string(), fact }),
    }
}

/// A model with the deck of [`rows`].
pub fn model(size: (u16, u16), lang: Lang) -> Model {
    let mut s = settings();
    s.lang = lang;
    let mut model = Model::new(&s, Clock { now: now(), at: Duration::from_secs(100) }, size);
    hear(&mut model, Tell::Deck { rows: rows(), total: 214 });
    model
}

pub fn hear(model: &mut Model, tell: Tell) -> Vec<crate::ui::msg::Cmd> {
    update(model, Msg::Tell(Box::new(tell)))
}

#[test]
fn costs_are_counted_once_and_unknown_stays_unknown() {
    let mut w = Watched::new(view_of(session()));
    assert_eq!(w.spent.total(), Spent::default());
    let ended = |seq, vendor, usage| Event {
        seq,
        time: now().to_string(),
        fact: Fact::CallEnded { call: call(vendor, 1), failure: None, millis: 5, usage },
    };
    let usage = |input, cost| Some(Usage { input: Some(input), cost_usd: cost, ..Usage::default() });
    let log = [
        ended(1, None, usage(1_000, Some(0.5))),
        ended(2, Some("codex"), usage(500, None)),
        ended(3, Some("codex"), None),
    ];
    w.history(&log);
    let total = w.spent.total();
    assert_eq!((total.tokens, total.usd, total.silent, total.unpriced), (Some(1_500), Some(0.5), 1, 2));
    w.event(&ended(41, Some("codex"), usage(10, None)));
    w.event(&ended(41, Some("codex"), usage(10, None)));
    assert_eq!(w.spent.total().tokens, Some(1_510));
    assert_eq!(w.spent.of["codex"].tokens, Some(510));
}

#[test]
fn a_late_piece_of_text_does_not_reach_the_next_call() {
    let mut w = Watched::new(view_of(session()));
    let started = |seq, vendor| Event {
        seq,
        time: now().to_string(),
        fact: Fact::CallStarted { call: call(vendor, 3) },
    };
    w.event(&started(41, Some("codex")));
    w.progress(&call(Some("codex"), 3), &crate::engine::wire::Progress::Text("one".into()), now());
    w.event(&started(42, None));
    w.progress(&call(Some("codex"), 3), &crate::engine::wire::Progress::Text("late".into()), now());
    assert_eq!(w.view.preview, "");
}

#[test]
fn every_round_has_an_entry_for_each_participant() {
    let rounds = rounds::rounds(&session(), &BTreeMap::new());
    let marks: Vec<Vec<(usize, rounds::Mark)>> =
        rounds.iter().map(|r| r.said.iter().map(|p| (p.lane, p.mark)).collect()).collect();
    use rounds::Mark::*;
    assert_eq!(marks[0], [(0, Opens)]);
    assert_eq!(marks[1], [(1, Objects), (2, Silent), (0, Says)]);
    assert_eq!(marks[2], [(1, Escalates), (2, Silent), (0, Due)]);
    assert_eq!(rounds[1].said[0].text, "However, the load of writes is unmeasured.");
    assert_eq!(rounds[2].said[1].text, "timeout");
}

#[test]
fn pc_234_exchanges_of_the_turn_loop_are_counted_by_the_peer() {
    let mut s = Session::new(Meta::new(id(1, "a"), "t"));
    s.meta.peer_agent = "codex".into();
    s.turns = vec![
        turn("00-writer.md", "a"),
        turn("01-peer.md", "b"),
        turn("02-writer.md", "c"),
        turn("03-peer.md", "PASS\n"),
    ];
    let got: Vec<(u32, usize)> =
        rounds::rounds(&s, &BTreeMap::new()).iter().map(|r| (r.number, r.said.len())).collect();
    assert_eq!(got, [(0, 1), (1, 2), (2, 2)]);
}

#[test]
fn the_deck_keeps_the_selected_session_when_rows_move() {
    let mut m = model((80, 24), Lang::En);
    m.deck.selected = Some(id(5, "drop-legacy-token-table"));
    let mut moved = rows();
    moved.rotate_left(3);
    hear(&mut m, Tell::Deck { rows: moved, total: 214 });
    assert_eq!(m.deck.selected, Some(id(5, "drop-legacy-token-table")));
}

#[test]
fn an_idle_screen_wakes_nobody() {
    let mut m = model((80, 24), Lang::En);
    assert!(m.next_wake().is_some(), "a session speaks");
    let quiet: Vec<Row> =
        rows().into_iter().map(|r| Row { questions: vec![], speaking: None, ..r }).collect();
    hear(&mut m, Tell::Deck { rows: quiet, total: 8 });
    m.deck.peek_at = None;
    assert_eq!(m.next_wake(), None);
}

#[test]
fn without_motion_a_running_call_is_drawn_once_a_second() {
    let mut m = model((80, 24), Lang::En);
    m.deck.peek_at = None;
    assert_eq!(m.next_wake(), Some(Duration::from_secs(101)));
    m.look.motion = true;
    assert_eq!(m.next_wake(), Some(Duration::from_millis(100_100)));
}

#[test]
fn pc_373_a_near_miss_stands_below_its_turn() {
    let mut s = session();
    let spoken = s.turns.iter_mut().find(|t| t.name.to_string() == "01-peer-codex.md").unwrap();
    *spoken = turn("01-peer-codex.md", "I agree.\n\n**CONSENSUS:** three tries\n");
    let watched = crate::ui::model::watched::Watched::new(view_of(s));
    let blocks = crate::ui::model::lanes::blocks(&watched, 1, Lang::Ru);
    let at = blocks.iter().position(|b| b.id == "01-peer-codex.md").unwrap();
    assert_eq!(blocks[at + 1].heading, "△ возможно, неверно записанный маркер:");
    assert_eq!(blocks[at + 1].body, "**CONSENSUS:** three tries");
}
