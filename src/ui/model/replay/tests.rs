use super::*;
use crate::domain::effect::{Call, Purpose};
use crate::domain::fact::Usage;
use crate::domain::question::{Question, QuestionKind};
use crate::domain::session::head::Head;
use crate::domain::session::meta::ResultClass;
use crate::domain::session::turn::{Turn, TurnName};

fn turn(file: &str, body: &str) -> Fact {
    Fact::Spoke { turn: Turn::new(TurnName::parse(file).unwrap(), Ok(Head::default()), body.into(), 0) }
}

pub fn id() -> SessionId {
    SessionId::parse("2026-08-24-02-agree-log").unwrap()
}

/// Two peers, two rounds: kimi comes round.
pub fn story() -> Vec<Event> {
    let mut meta = Meta::new(id(), "Ротация журналов 日本語");
    meta.peer_agents = vec!["codex".into(), "kimi-headless".into()];
    meta.round_order = vec!["codex".into(), "kimi".into()];
    meta.roles =
        vec![("codex".into(), vec!["critic".into()]), ("kimi-headless".into(), vec!["critic".into()])];
    let call =
        Call { purpose: Purpose::Peer, vendor: None, round: 1, attempt: 1, name: None, complaints: vec![] };
    let usage = Usage { cost_usd: Some(0.25), output: Some(900), ..Usage::default() };
    let ended = |usage| Fact::CallEnded { call: call.clone(), failure: None, millis: 9, usage };
    let question = Question {
        id: "gate".into(),
        kind: QuestionKind::Gate,
        since: Stamp(0),
        text: "What next?".into(),
        choices: vec![],
        free_text: false,
        other: None,
    };
    let facts = [
        Fact::Began { meta: Box::new(meta), writer_vendor: String::new() },
        turn("00-writer.md", "Ротация по размеру.\n\n- 100 MB"),
        turn("01-peer-codex.md", "CONSENSUS: by size"),
        Fact::CallStarted { call: call.clone() },
        turn("01-peer-kimi.md", "I object: a quiet worker keeps one file."),
        turn("01-writer.md", "Accepted: daily too."),
        ended(Some(usage)),
        turn("02-peer-codex.md", "PASS"),
        turn("02-peer-kimi.md", "Хорошо.\n\nCONSENSUS: size or day"),
        ended(None),
        Fact::LoopEnded { class: ResultClass::Agreed, majority: false },
        Fact::Asked { question },
    ];
    let at = |n: i64| Stamp(1_787_560_000 + n * 70).to_string();
    (1..).zip(facts).map(|(seq, fact)| Event { seq, time: at(seq as i64), fact }).collect()
}

pub fn opened(seen: u64) -> Replay {
    let (mut replay, outs) = Replay::open(id(), seen, Lang::En, TimeZone::UTC);
    assert_eq!(outs, [Out::ask(Ask::Events { id: id() })]);
    replay.update(Input::Tell(&Tell::Events { id: id(), events: story() }));
    replay
}

fn here(replay: &Replay) -> &str {
    replay.current().and_then(|m| m.file.as_deref()).unwrap_or("")
}

#[test]
fn ui_replay_steps_forwards_and_back() {
    let mut replay = opened(0);
    assert_eq!((replay.moments.len(), replay.at), (9, 0), "calls are no moments");
    for want in ["00-writer.md", "01-peer-codex.md", "01-peer-kimi.md"] {
        replay.update(Input::Right);
        assert_eq!(here(&replay), want);
    }
    let state = replay.state.as_ref().unwrap();
    assert_eq!((state.turns.len(), phase_key(state)), (3, "writer_turn"));
    replay.update(Input::Left);
    assert_eq!(replay.state.as_ref().unwrap().turns.len(), 2);
    let open = replay.update(Input::Enter);
    assert_eq!(open, [Out::Open { id: id(), file: "01-peer-codex.md".into(), line: 1 }]);
    replay.update(Input::Last);
    replay.update(Input::Right);
    assert_eq!(replay.at, 8);
}

fn phase_key(s: &Session) -> &'static str {
    crate::domain::session::phase::phase(s).key()
}

#[test]
fn ui_replay_round_by_round() {
    let mut replay = opened(0);
    let mut seen = Vec::new();
    for input in [Input::Down, Input::Down, Input::Down, Input::Up, Input::Up, Input::Up] {
        replay.update(input);
        seen.push((replay.current().unwrap().round.unwrap(), replay.at));
    }
    assert_eq!(seen, [(1, 2), (2, 5), (2, 8), (2, 5), (1, 2), (0, 0)]);
}

#[test]
fn ui_replay_plays_by_the_clock_of_the_events() {
    let mut replay = opened(0);
    replay.update(Input::Tick(Duration::from_secs(5)));
    replay.update(Input::Char(' '));
    let next = replay.next_wake().unwrap();
    assert_eq!(next, Duration::from_millis(5_700), "70 s, a hundred times faster");
    replay.update(Input::Tick(next - Duration::from_millis(1)));
    assert_eq!(replay.at, 0);
    replay.update(Input::Tick(next));
    assert_eq!(replay.at, 1);
    let mut steps = 0;
    while let Some(at) = replay.next_wake() {
        replay.update(Input::Tick(at));
        steps += 1;
    }
    assert_eq!((replay.at, steps), (8, 7));
    replay.update(Input::Char(' '));
    assert_eq!(replay.at, 0, "from the beginning");
    replay.update(Input::Right);
    assert_eq!(replay.next_wake(), None, "whoever steps has taken over");
}

#[test]
fn ui_replay_walks_through_the_unseen_only() {
    let mut replay = opened(8);
    let mut files = vec![here(&replay).to_string()];
    for _ in 0..3 {
        replay.update(Input::Char('n'));
        files.push(replay.current().unwrap().text.clone());
    }
    assert_eq!(files[0], "02-peer-kimi.md");
    assert_eq!(files[1..3], ["discussion ended: agreed", "waits for the pilot: Decision Gate"]);
    assert!(files[3].starts_with("CONSENSUS"), "round again: {}", files[3]);
}

#[test]
fn ui_replay_new_events_leave_the_reader_where_he_is() {
    let mut replay = opened(0);
    replay.update(Input::Right);
    let event = Event { seq: 13, time: String::new(), fact: Fact::Resumed };
    let tell = Tell::Event { id: id(), event: Box::new(event) };
    replay.update(Input::Tell(&tell));
    replay.update(Input::Tell(&tell));
    assert_eq!((replay.at, replay.moments.len(), replay.last_seq()), (1, 10, 13));
}

#[test]
fn ui_digest_of_what_is_unseen() {
    let all = digest(&story(), 0);
    assert_eq!(all.turns.len(), 6);
    let new = digest(&story(), 7);
    assert_eq!(new.turns, ["02-peer-codex.md", "02-peer-kimi.md"]);
    let flips: Vec<_> = new.flips.iter().map(|f| (f.vendor.as_str(), f.from, f.to)).collect();
    assert_eq!(flips, [("codex", "agrees", "passes"), ("kimi", "objects", "agrees")]);
    assert_eq!(new.gates, ["agreed", "? gate"]);
    assert_eq!((new.cost_usd, new.untold), (None, 1), "unknown is not 0");
    assert_eq!(all.lines(Lang::En).last().map(String::as_str), Some("spent: $0.25 at least · 900 tok"));
    assert!(digest(&story(), 12).is_empty());
    assert!(all.lines(Lang::Ru).len() <= 5);
}

#[test]
fn ui_seen_marks_never_go_back() {
    let mut seen = Seen::default();
    seen.mark(&id(), 7);
    seen.mark(&id(), 3);
    assert_eq!(seen.of(&id()), 7);
    let text = serde_json::to_string(&seen).unwrap();
    assert_eq!(serde_json::from_str::<Seen>(&text).unwrap(), seen);
}

#[test]
fn ui_replay_of_a_session_without_a_log() {
    let (mut replay, _) = Replay::open(id(), 0, Lang::En, TimeZone::UTC);
    let outs = replay.update(Input::Tell(&Tell::Events { id: id(), events: vec![] }));
    assert_eq!(outs, [Out::ask(Ask::Watch { id: id() })]);
    let session = fold(&story()).unwrap();
    let events = from_files(&session);
    assert_eq!(events.len(), 7);
    assert!(fold(&events).is_some_and(|again| again.turns == session.turns));
}

#[test]
fn pc_705_notes_and_repairs_are_moments() {
    let text = |fact| {
        let event = Event { seq: 1, time: String::new(), fact };
        super::moment::moment(0, &event, Lang::Ru).map(|m| m.text)
    };
    assert_eq!(text(Fact::Noted { text: "x".into() }), Some("△ x".into()));
    let what = vec!["a".into(), "b".into()];
    assert_eq!(text(Fact::Repaired { what }), Some("△ исправлено: a; b".into()));
}
