//! The dashboard in a real terminal, against an engine that only plays a part. The child is this test binary itself,
//! run again for [`child`]: the product needs no door for tests.

use crate::pty::Pty;
use flightdeck::domain::fact::Fact;
use flightdeck::domain::lang::Lang;
use flightdeck::domain::question::{Question, QuestionKind};
use flightdeck::domain::session::head::Head;
use flightdeck::domain::session::id::SessionId;
use flightdeck::domain::session::meta::{Meta, Status};
use flightdeck::domain::session::state::Session;
use flightdeck::domain::session::turn::{Turn, TurnName};
use flightdeck::domain::time::Stamp;
use flightdeck::engine::clock::Clock;
use flightdeck::engine::run::Command;
use flightdeck::engine::wire::{Ask, Event, Owner, Row, Tell, View};
use flightdeck::ui::app;
use flightdeck::ui::settings::{Desktop, Kept, Pick, Settings, Start};
use flightdeck::ui::theme::Colours;
use portable_pty::CommandBuilder;
use tokio::sync::mpsc;

const PART: &str = "FLIGHTDECK_TEST_SCREEN";

/// What an agent may send to take over a terminal.
const HOSTILE: &str = "\u{1b}]0;owned\u{7} \u{1b}[?1000h \u{1b}]52;c;aGk=\u{7} a\u{202e}b 漢字 👨‍👩‍👧 שלום ещё";

#[test]
fn child() {
    let Ok(part) = std::env::var(PART) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let exit = runtime.block_on(async {
        let (asks, heard) = mpsc::channel(64);
        let (says, tells) = mpsc::channel(256);
        tokio::spawn(engine(heard, says, part.clone()));
        app::run(asks, tells, settings(&part)).await
    });
    println!(
        "EXIT {:?} drafts={:?} running={} waiting={}",
        exit.why, exit.kept.drafts, exit.running, exit.waiting
    );
}

pub fn settings(part: &str) -> Settings {
    Settings {
        lang: Lang::En,
        theme: Pick::Shipped(if part == "light" { "light" } else { "dark" }.into()),
        keymap: Pick::Shipped("default".into()),
        colours: Colours::True,
        motion: true,
        mouse: true,
        bell: true,
        desktop: Desktop::Off,
        tmux: false,
        zone: jiff::tz::TimeZone::UTC,
        start: Start::Deck,
        kept: Kept::default(),
        vendors: Vec::new(),
        budget: None,
        cwd: "/".into(),
        edit: Box::new(|text| Ok(format!("{text} and more"))),
        tell_desktop: Box::new(|_| Ok(())),
        suspend: Box::new(|| {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
        }),
        keep: Box::new(|_| ()),
    }
}

/// Answers as an engine would, from one session that asks one question.
async fn engine(mut asks: mpsc::Receiver<Ask>, tells: mpsc::Sender<Tell>, part: String) {
    let id = SessionId::new("2026-08-24", 9, "cap-fetcher-retries").unwrap();
    let mut open = true;
    while let Some(ask) = asks.recv().await {
        let answer = match ask {
            Ask::Deck { .. } => deck(&id, open),
            Ask::Watch { .. } => Tell::Snapshot { view: Box::new(view(&id)) },
            Ask::Events { id } => Tell::Events { id, events: Vec::new() },
            Ask::Read { id, file } => Tell::File { id, file, text: format!("text of it\n{HOSTILE}\n") },
            Ask::Doctor if part == "panic" => panic!("the engine's own fault"),
            Ask::Doctor => Tell::Doctor { text: "everything is fine".into() },
            Ask::Command { id, command: Command::Answer { text, .. } } => {
                open = false;
                let fact = Fact::EscalationAnswered { index: 0, answer: text };
                let event = Event { seq: 41, time: Clock::System.now().to_string(), fact };
                tells.send(Tell::Event { id: id.clone(), event: Box::new(event) }).await.unwrap();
                deck(&id, open)
            }
            _ => continue,
        };
        if tells.send(answer).await.is_err() {
            return;
        }
    }
}

fn asked() -> Question {
    Question {
        id: "escalation-00".into(),
        kind: QuestionKind::Escalation,
        since: Stamp(Clock::System.now().0 - 840),
        text: format!("codex escalates: is downtime allowed? {HOSTILE}"),
        choices: Vec::new(),
        free_text: true,
        other: None,
    }
}

fn deck(id: &SessionId, open: bool) -> Tell {
    let row = |id: SessionId, questions| Row {
        id,
        task: HOSTILE.into(),
        peers: "codex+kimi".into(),
        status: Status::Started,
        phase: "peer_call".into(),
        result: None,
        at: (2, 6),
        questions,
        speaking: None,
        owner: Owner::Here,
        changed: Clock::System.now(),
        escalations: 1,
        foreign: false,
    };
    let other = SessionId::new("2026-08-24", 8, "agree-log-rotation").unwrap();
    let asks = if open { vec![asked()] } else { Vec::new() };
    Tell::Deck { rows: vec![row(id.clone(), asks), row(other, Vec::new())], total: 2 }
}

fn view(id: &SessionId) -> View {
    let mut meta = Meta::new(id.clone(), "How often may the fetcher try again?");
    meta.round_order = vec!["codex".into(), "kimi".into()];
    meta.peer_agents = vec!["codex".into(), "kimi-headless".into()];
    let mut session = Session::new(meta);
    let turn = |file: &str, body: &str| {
        Turn::new(TurnName::parse(file).unwrap(), Ok(Head::default()), body.to_string().into(), 0)
    };
    session.turns = vec![
        turn("00-writer.md", "Three tries, then a minute of rest."),
        turn("01-peer-codex.md", &format!("However, writes are unmeasured.\n{HOSTILE}\n")),
    ];
    View {
        session,
        dir: "/sessions/x".into(),
        questions: vec![asked()],
        owner: Owner::Here,
        seq: 40,
        preview: String::new(),
        running: None,
        problems: Vec::new(),
        files: vec!["00-writer.md".into(), "01-peer-codex.md".into()],
    }
}

/// The child in its terminal.
fn open(part: &str, size: (u16, u16)) -> Pty {
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["screen::child", "--exact", "--nocapture", "--test-threads=1"]);
    command.env(PART, part);
    command.env("TERM", "xterm-256color");
    Pty::open(command, size)
}

#[test]
fn a_question_is_answered_by_keys_and_the_terminal_is_left_clean() {
    let mut s = open("dark", (80, 24));
    s.shows("1 waiting for you · oldest 14 min");
    s.keys("!");
    s.shows("your answer");
    s.keys("нет, без простоя");
    s.shows("нет, без простоя");
    // Alt+Enter, as every terminal sends it.
    s.keys("\x1b\r");
    s.shows("0 waiting");
    s.keys("\x1b");
    s.until("deck", |s| s.text().contains("agree-log-rotation"));
    s.keys("q");
    s.shows("EXIT Quit");
    s.shows("waiting=0");
    s.clean();
}

#[test]
fn rule_8_an_answer_that_is_not_sent_is_given_back_as_a_draft() {
    let mut s = open("dark", (120, 40));
    s.shows("1 waiting for you");
    s.keys("!");
    s.shows("your answer");
    s.keys("half an ans");
    s.shows("half an ans");
    s.keys("\x05");
    s.shows("half an ans and more");
    s.keys("\x1b");
    s.until("closed", |s| !s.text().contains("your answer"));
    s.keys("!");
    s.shows("half an ans and more");
    s.keys("\x03");
    s.shows("escalation-00\": \"half an ans and more\"");
    s.clean();
}

#[test]
fn sizes_from_tiny_to_large_are_drawn() {
    let mut s = open("light", (80, 24));
    s.shows("1 waiting for you");
    for (cols, rows) in [(200, 60), (20, 5), (40, 15), (10, 2), (120, 40)] {
        s.resize((cols, rows));
        let title = if cols < 60 { "1 waiting" } else { "1 waiting for you" };
        s.until(title, |s| s.text().contains(title));
    }
    // What only the deck shows goes and comes back: Escape and q in one breath would be Alt+q.
    s.keys("\r");
    s.until("session", |s| !s.text().contains("agree-log-rotation"));
    s.shows("How often may the fetcher");
    s.keys("\x1b");
    s.shows("agree-log-rotation");
    s.keys("q");
    s.shows("EXIT Quit");
    s.clean();
}

#[test]
fn a_panic_elsewhere_gives_the_terminal_back_first() {
    let mut s = open("panic", (80, 24));
    s.shows("1 waiting for you");
    s.keys(":doctor\r");
    s.shows("the engine's own fault");
    s.shows("EXIT EngineGone");
    s.clean();
}

#[test]
fn rule_8_the_end_of_the_process_leaves_a_clean_terminal() {
    let mut s = open("dark", (80, 24));
    s.shows("1 waiting for you");
    s.signal(rustix::process::Signal::TERM);
    s.shows("EXIT Signal(Terminate)");
    s.clean();
}

#[test]
fn suspended_the_terminal_is_the_shells_and_awake_everything_is_back() {
    let mut s = open("dark", (80, 24));
    s.shows("1 waiting for you");
    s.keys("\x1a");
    s.until("given back", |s| !s.parser.screen().alternate_screen());
    s.clean();
    s.stopped();
    s.signal(rustix::process::Signal::CONT);
    s.until("back", |s| s.parser.screen().alternate_screen() && s.text().contains("1 waiting for you"));
    s.keys("q");
    s.shows("EXIT Quit");
    s.clean();
}

#[test]
fn a_terminal_that_goes_away_ends_the_screen() {
    for _ in 0..12 {
        let mut s = open("dark", (80, 24));
        s.shows("1 waiting for you");
        s.hang_up();
    }
}
