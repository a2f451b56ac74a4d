//! One screen's asks.

use super::{Client, Hub, deck, diff, locked, search, session, spend, trace};
use crate::agents::privacy::pii;
use crate::config::layers::FlagValue;
use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::policy::Policy;
use crate::domain::session::id::SessionId;
use crate::domain::session::order::reading_order;
use crate::engine::answer;
use crate::engine::begin;
use crate::engine::clock::Clock;
use crate::engine::opening::Opening;
use crate::engine::prepare::prepare;
use crate::engine::questions::open_questions;
use crate::engine::rehearse;
use crate::engine::run::Command;
use crate::engine::runner::{Runner, Update};
use crate::engine::setting::Setting;
use crate::engine::wire::{Ask, Event, PROTOCOL, Plan, Tell};
use crate::store::lock::EngineLock;
use crate::store::runtime::{self, Message};
use crate::store::verify::{Severity, VerifyInput, verify};
use crate::store::{layout, load};
use std::path::Path;
use std::sync::atomic::Ordering;
use tokio::sync::mpsc::{self, UnboundedReceiver};

/// The largest file that a screen is sent whole.
const READ_LIMIT: u64 = 16 * 1024 * 1024;

/// Lines of stderr that the pilot is shown (PC-695).
const STDERR_LINES: usize = 20;

/// Serves one screen until it leaves.
pub async fn serve(hub: Hub, mut asks: mpsc::Receiver<Ask>, tells: mpsc::Sender<Tell>) {
    let me = hub.shared.next_client.fetch_add(1, Ordering::Relaxed);
    locked(&hub.shared.clients)
        .insert(me, Client { tells, deck: 0, watched: Default::default(), search: Default::default() });
    while let Some(ask) = asks.recv().await {
        handle(&hub, me, ask).await;
    }
    if let Some(gone) = locked(&hub.shared.clients).remove(&me) {
        gone.search.store(true, Ordering::Relaxed);
    }
    session::forget_unwatched(&hub);
    hub.shared.idle.notify_waiters();
}

async fn handle(hub: &Hub, me: u64, ask: Ask) {
    let refuse = |what: &str, why: String| hub.tell(me, Tell::Refused { what: what.into(), why });
    match ask {
        Ask::Hello { protocol, .. } if protocol != PROTOCOL => {
            let why = hub.lang().pick(
                "this engine speaks protocol {{ours}}, the screen {{theirs}}; stop the engine with `flightdeck engines --stop`",
                "этот движок говорит по протоколу {{ours}}, экран — {{theirs}}; останови движок: `flightdeck engines --stop`",
            );
            let (ours, theirs) = (PROTOCOL.to_string(), protocol.to_string());
            refuse("hello", why.replace("{{ours}}", &ours).replace("{{theirs}}", &theirs));
        }
        Ask::Hello { .. } if *hub.shared.ended.borrow() => {
            let why = hub.lang().pick("the engine is about to end", "движок вот-вот завершится");
            hub.tell(me, Tell::Bye { why: why.into() });
        }
        Ask::Hello { .. } => hub.tell(
            me,
            Tell::Welcome {
                protocol: PROTOCOL,
                version: env!("CARGO_PKG_VERSION").into(),
                pid: std::process::id(),
                sessions: hub.shared.setting.places.sessions.clone(),
            },
        ),
        Ask::Deck { limit } => {
            if let Some(client) = locked(&hub.shared.clients).get_mut(&me) {
                client.deck = limit;
            }
            deck::refresh(hub).await;
            deck::send(hub, Some(me));
            spend::send(hub, Some(me));
        }
        Ask::Watch { id } => {
            if let Some(client) = locked(&hub.shared.clients).get_mut(&me) {
                client.watched.insert(id.clone());
            }
            match session::view(hub, &id).await {
                Ok(view) => hub.tell(me, Tell::Snapshot { view: Box::new(view) }),
                Err(why) => refuse("watch", why),
            }
        }
        Ask::Unwatch { id } => {
            if let Some(client) = locked(&hub.shared.clients).get_mut(&me) {
                client.watched.remove(&id);
            }
            session::forget_unwatched(hub);
        }
        Ask::Begin { plan } => begin_session(hub, me, plan).await,
        Ask::Resume { id, yes } => {
            if let Err(why) = session::resume(hub, &id, yes, false).await {
                refuse("resume", why);
            }
        }
        Ask::Finalize { id } => {
            if let Err(why) = session::resume(hub, &id, true, true).await {
                refuse("finalize", why);
            }
        }
        Ask::Command { id, command } => {
            if let Err(why) = command_session(hub, &id, command).await {
                refuse("command", why);
            }
        }
        Ask::Read { id, file } => match read(hub, &id, &file) {
            Ok(text) => hub.tell(me, Tell::File { id, file, text }),
            Err(why) => refuse("read", why),
        },
        Ask::Search { seq, query, limit } => search::start(hub, me, seq, &query, limit),
        Ask::Diff { id, scope, file, context } => {
            diff::start(hub, me, diff::Wanted { id, scope, file, context })
        }
        Ask::Trace { id, of } => trace::start(hub, me, id, of),
        Ask::Events { id } => {
            let events = runtime::events(&hub.shared.setting.layout.runtime(&id));
            hub.tell(me, Tell::Events { id, events });
        }
        Ask::Verify { id } => match findings(&hub.shared.setting, &id) {
            Ok(findings) => hub.tell(me, Tell::Verified { id, findings }),
            Err(why) => refuse("verify", why),
        },
        Ask::Doctor => {
            // The programs are asked for their versions, and nobody else shall wait for them.
            let hub = hub.clone();
            tokio::spawn(async move {
                let setting = hub.setting().unwrap_or_else(|_| hub.shared.setting.clone());
                let text = crate::engine::doctor::text(&setting).await;
                hub.tell(me, Tell::Doctor { text });
            });
        }
        Ask::Park => {
            hub.park_and_stop().await;
        }
        Ask::Stop { force } => {
            let running = hub.running();
            if running.is_empty() || force {
                hub.pause_all().await;
                hub.stop(hub.lang().pick("asked to", "попросили"));
            } else {
                let ids: Vec<String> = running.iter().map(ToString::to_string).collect();
                let why = hub.lang().pick(
                    "sessions run: {{ids}}; pause them first, or stop with --force",
                    "идут сессии: {{ids}}; сначала поставь их на паузу или останови с --force",
                );
                refuse("stop", why.replace("{{ids}}", &ids.join(", ")));
            }
        }
    }
}

/// The flags that a plan stands for.
fn flags(plan: &Plan, setting: &Setting) -> Vec<FlagValue> {
    let number = |n: u32| (n > 0).then(|| n.to_string());
    let text = |t: &str| (!t.is_empty()).then(|| t.to_string());
    let sessions = setting.places.sessions.to_string_lossy().into_owned();
    [
        ("sessions_dir", "--sessions-dir", Some(sessions)),
        ("writer", "writer", text(&plan.writer)),
        ("lang", "language", text(&plan.lang)),
        ("turns_limit", "turn limit", number(plan.turns_limit)),
        ("rounds_limit", "round limit", number(plan.rounds_limit)),
        ("max_peer_attempts", "attempts", number(plan.max_peer_attempts)),
    ]
    .into_iter()
    .filter_map(|(key, name, value)| Some(FlagValue { key, name, value: value? }))
    .collect()
}

async fn begin_session(hub: &Hub, me: u64, plan: Plan) {
    let refuse = |why: String| hub.tell(me, Tell::Refused { what: "begin".into(), why });
    let cwd = if plan.cwd.is_dir() { plan.cwd.clone() } else { hub.shared.setting.cwd.clone() };
    let setting = match Setting::new(&cwd, &flags(&plan, &hub.shared.setting)) {
        Ok(setting) => setting,
        Err(e) => return refuse(format!("{} — {}", e.cause, e.next)),
    };
    let prepared = match &plan.rehearsal {
        Some(rehearsal) => rehearse::prepare(&setting, rehearsal),
        None => prepare(&setting, &plan).map_err(|e| format!("{} {}", e.cause, e.next)),
    };
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(why) => return refuse(why),
    };
    let announcement = prepared.opening.announcement.clone();
    if !plan.yes && !prepared.opening.questions.is_empty() {
        let questions = questions(&prepared.opening);
        return hub.tell(me, Tell::Opening { announcement, questions });
    }
    let desk =
        setting.desk(prepared.registry, Some(&plan.model).filter(|m| !m.is_empty()).map(String::as_str));
    let (sender, updates) = mpsc::unbounded_channel();
    let budget = setting.effective.values.budget();
    let policy = Policy { headless: false, budget: plan.policy.budget.or(budget), ..plan.policy };
    let begun = begin::begin(
        &setting.layout,
        &prepared.opening,
        &prepared.writer,
        desk,
        policy,
        Clock::System,
        Some(sender),
    );
    match begun {
        Ok(mut runner) => {
            if let Some(rehearsal) = plan.rehearsal
                && let Err(e) = runner.record(Fact::Rehearsed { rehearsal })
            {
                return refuse(e.text(setting.lang()));
            }
            let id = runner.session.meta.session_id.clone();
            if let Some(client) = locked(&hub.shared.clients).get_mut(&me) {
                client.watched.insert(id.clone());
            }
            session::launch(hub, runner, updates);
            hub.tell(me, Tell::Began { id: id.clone(), announcement });
            if let Ok(view) = session::view(hub, &id).await {
                hub.tell(me, Tell::Snapshot { view: Box::new(view) });
            }
        }
        Err(e) => {
            let what = setting.lang().pick("the session could not be created", "сессию не удалось создать");
            refuse(format!("{what}: {e}"));
        }
    }
}

fn questions(opening: &Opening) -> Vec<String> {
    opening.questions.iter().map(|q| q.text.clone()).collect()
}

/// A command reaches the session here, in another engine through its inbox, or a session that stands still.
async fn command_session(hub: &Hub, id: &SessionId, command: Command) -> Result<(), String> {
    let live = locked(&hub.shared.live).get(id).map(|l| l.commands.clone());
    if let Some(commands) = live {
        let ended =
            |_| hub.lang().pick("the session has just ended", "сессия только что завершилась").to_string();
        return commands.send(command).await.map_err(ended);
    }
    let dir = hub.shared.setting.layout.runtime(id);
    if EngineLock::holder(&dir).is_some() {
        let message = match command {
            Command::Answer { question, text } => Message { question, text },
            Command::Interrupt => Message { question: runtime::INTERRUPT.into(), text: String::new() },
            _ => {
                let why = hub.lang().pick(
                    "another engine drives this session; only answers and interrupts reach it",
                    "эту сессию ведёт другой движок; до него доходят только ответы и прерывание",
                );
                return Err(why.into());
            }
        };
        return runtime::post(&dir, &message).map(drop).map_err(|e| e.to_string());
    }
    match command {
        Command::Answer { question, text } => {
            let setting = hub.setting()?;
            let (mut runner, mended) = open(&setting, id)?;
            let given = answer_standing(&mut runner, &question, &text, setting.lang());
            drop(runner);
            session::reload(hub, id).await;
            tell_mended(hub, id, mended);
            given
        }
        Command::Interrupt => {
            let setting = hub.setting()?;
            let (mut runner, mended) = open(&setting, id)?;
            runner.feed(crate::domain::input::Input::Interrupt).map_err(|e| e.text(setting.lang()))?;
            drop(runner);
            session::reload(hub, id).await;
            tell_mended(hub, id, mended);
            Ok(())
        }
        _ => {
            let why = hub.lang().pick(
                "nobody drives this session; let it go on first",
                "эту сессию никто не ведёт; сначала продолжи её",
            );
            Err(why.into())
        }
    }
}

/// A session that nobody drives, and where what happens to it is heard.
fn open(setting: &Setting, id: &SessionId) -> Result<(Runner, UnboundedReceiver<Update>), String> {
    let desk = setting.desk(setting.registry().map_err(|e| e.cause)?, None);
    let policy = Policy { headless: true, ..Policy::default() };
    let (sender, updates) = mpsc::unbounded_channel();
    let opened = Runner::open(&setting.layout, id, desk, policy, Clock::System, Some(sender));
    opened.map(|runner| (runner, updates)).map_err(|e| e.text(setting.lang()))
}

/// The snapshot has what came of it, but not what was found broken when the session was opened.
fn tell_mended(hub: &Hub, id: &SessionId, mut updates: UnboundedReceiver<Update>) {
    while let Ok(update) = updates.try_recv() {
        if let Update::Event(event @ Event { fact: Fact::Repaired { .. }, .. }) = update {
            hub.tell_watchers(id, &Tell::Event { id: id.clone(), event: Box::new(event) });
        }
    }
}

fn answer_standing(runner: &mut Runner, question: &str, text: &str, lang: Lang) -> Result<(), String> {
    let open = open_questions(&runner.session, &runner.desk);
    if !open.iter().any(|q| q.id == question) {
        let why = lang.pick(
            "the question {{id}} is not open; nothing was changed",
            "вопрос {{id}} не открыт; ничего не изменено",
        );
        return Err(why.replace("{{id}}", question));
    }
    runner.hold();
    answer::give(runner, question, text).map_err(|e| e.text(lang))
}

/// The text of one file of the session's directory. The name comes from a screen and stays inside.
fn read(hub: &Hub, id: &SessionId, file: &str) -> Result<String, String> {
    let plain =
        Path::new(file).components().count() == 1 && !file.starts_with('.') && !file.contains(['/', '\\']);
    if !plain {
        return Err(format!(
            "{file:?} {}",
            hub.lang().pick("is not a file of the session", "— не файл сессии")
        ));
    }
    let dir = hub
        .shared
        .setting
        .layout
        .find_session(id)
        .ok_or_else(|| hub.lang().pick("there is no such session", "такой сессии нет"))?;
    // The closing file stands beside the directory.
    let path = if file == format!("{id}.md") { hub.shared.setting.layout.orz(id) } else { dir.join(file) };
    // What a call printed on stderr may hold secrets, and nothing when there is no file (PC-695).
    if file.ends_with(".err") {
        let text = std::fs::read(&path).unwrap_or_default();
        return Ok(pii::tail(&String::from_utf8_lossy(&text), STDERR_LINES));
    }
    let size = std::fs::metadata(&path).map_err(|e| format!("{file}: {e}"))?.len();
    if size > READ_LIMIT {
        let why = hub.lang().pick(
            "{{file}} has {{size}} bytes, more than is shown",
            "в {{file}} {{size}} байт, столько не показывают",
        );
        return Err(why.replace("{{file}}", file).replace("{{size}}", &size.to_string()));
    }
    std::fs::read(&path).map(|b| String::from_utf8_lossy(&b).into_owned()).map_err(|e| format!("{file}: {e}"))
}

fn findings(setting: &Setting, id: &SessionId) -> Result<Vec<(bool, String, String)>, String> {
    let loaded = load::load(&setting.layout, id).map_err(|e| e.text(setting.lang()))?;
    let report = std::fs::read(loaded.dir.join(layout::REPORT)).map_err(|e| format!("report.md: {e}"))?;
    let report = String::from_utf8_lossy(&report);
    let s = &loaded.session;
    let turns = reading_order(s.turns.iter(), &s.meta.round_order);
    let turn_files: Vec<String> = turns.iter().map(|t| t.name.to_string()).collect();
    let files = session::names(&loaded.dir);
    let exists = |link: &str| loaded.dir.join(link).exists();
    let input = VerifyInput {
        report: &report,
        meta: &s.meta,
        files: &files,
        turn_files: &turn_files,
        exists: &exists,
    };
    Ok(verify(&input)
        .into_iter()
        .map(|f| (f.severity == Severity::Error, f.rule.to_string(), f.text))
        .collect())
}
