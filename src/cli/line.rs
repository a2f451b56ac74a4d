//! The plain line view: facts as lines, questions answered from standard input.

mod pipeline;

use super::out::wrote;
use crate::agents::call::Progress;
use crate::domain::effect::Call;
use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::question::Question;
use crate::domain::say::Say;
use crate::domain::session::evidence::{Mark, summed};
use crate::domain::session::pipeline::track::short;
use crate::domain::session::secret::Clearance;
use crate::engine::run::{Command, Finish, run};
use crate::engine::runner::{Runner, Update};
use crate::ui::text::prose::joined;
use crate::ui::text::{one_line, sanitize};
use std::io::{BufRead, IsTerminal, Write};
use tokio::sync::mpsc;

/// How a session is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    Lines,
    /// One fact a line.
    Json,
}

/// Answers in place of a person: gets each question once and may give the text.
pub type Script = Box<dyn FnMut(&Question) -> Option<String> + Send>;

/// Drives the session to its end or to a question nobody answers.
pub fn drive(
    runner: Runner,
    updates: mpsc::UnboundedReceiver<Update>,
    (view, lang): (View, Lang),
    script: Option<Script>,
) -> std::io::Result<(Runner, Finish)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (commands, receiver) = mpsc::channel(64);
    let typed = !runner.policy.headless && script.is_none();
    let printer = Printer { view, lang, last_question: None };
    runtime.block_on(async move {
        let mut runner = runner;
        let shown = tokio::spawn(show(printer, updates, commands.clone(), script));
        if typed {
            let answers = commands.clone();
            std::thread::spawn(move || read_answers(&answers));
        }
        let stop = tokio::spawn(signals(commands.clone()));
        // The run ends by itself; senders that are left do not keep it alive.
        let mut receiver = receiver;
        let finish = run(&mut runner, &mut receiver).await;
        stop.abort();
        runner.close_updates();
        let _ = shown.await;
        Ok((runner, finish))
    })
}

/// SIGINT and SIGTERM pause the session: the running call is ended and counts nothing.
async fn signals(commands: mpsc::Sender<Command>) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut int), Ok(mut term), Ok(mut hup)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()), signal(SignalKind::hangup()))
    else {
        return;
    };
    tokio::select! {
        _ = int.recv() => {}
        _ = term.recv() => {}
        _ = hup.recv() => {}
    }
    let _ = commands.send(Command::Pause).await;
}

/// Lines of standard input: `/direct words`, `/interrupt`, `/quit`, or an answer to the open question.
fn read_answers(commands: &mpsc::Sender<Command>) {
    let typed = std::io::stdin().is_terminal();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let line = line.trim();
        let command = match line.split_once(' ') {
            Some(("/direct", words)) => Command::Direct { text: words.to_string() },
            _ if line == "/interrupt" => Command::Interrupt,
            _ if line == "/quit" => Command::Pause,
            _ if line.is_empty() => continue,
            // What a person types ahead is no answer; what a script pipes in is one for each question in turn.
            _ if typed => Command::Reply { text: line.to_string() },
            _ => Command::Line { text: line.to_string() },
        };
        if commands.blocking_send(command).is_err() {
            return;
        }
    }
    let _ = commands.blocking_send(Command::Leave);
}

async fn show(
    mut printer: Printer,
    mut updates: mpsc::UnboundedReceiver<Update>,
    commands: mpsc::Sender<Command>,
    mut script: Option<Script>,
) {
    while let Some(update) = updates.recv().await {
        printer.print(&update);
        let (Update::Event(event), Some(script)) = (&update, script.as_mut()) else { continue };
        if let Fact::Asked { question } = &event.fact
            && let Some(text) = script(question)
        {
            printer.say(&format!("  {}: {}", printer.lang.pick("pilot", "пилот"), one_line(&text, 100)));
            let _ = commands.send(Command::Answer { question: question.id.clone(), text }).await;
        }
    }
}

struct Printer {
    view: View,
    /// The pilot's; what is asked and done is told in it.
    lang: Lang,
    last_question: Option<String>,
}

impl Printer {
    fn print(&mut self, update: &Update) {
        match (self.view, update) {
            (View::Json, Update::Event(event)) => {
                if let Ok(line) = serde_json::to_string(event) {
                    self.say(&line);
                }
            }
            (View::Json, Update::Progress(..) | Update::NoAnswer { .. }) => {}
            (View::Lines, Update::NoAnswer { question, text }) => {
                let keys: Vec<&str> = question.choices.iter().map(|c| c.key.as_str()).collect();
                let hint = match keys.is_empty() {
                    true => self.lang.pick("give a text", "нужен текст").into(),
                    false => keys.join(", "),
                };
                let no_answer = self.lang.pick("does not answer", "— не ответ на");
                self.say(&format!("  {} {no_answer} {}: {hint}", one_line(text, 60), question.id));
            }
            (View::Lines, Update::Progress(call, Progress::Notice(text))) => {
                self.say(&format!("  {}: {}", who(call, self.lang), one_line(text, 100)));
            }
            (View::Lines, Update::Progress(..)) => {}
            (View::Lines, Update::Event(event)) => {
                if let Some(text) = describe(&event.fact, self.lang) {
                    self.say(&text);
                }
                if let Fact::Asked { question } = &event.fact {
                    self.ask(question);
                }
            }
        }
    }

    fn ask(&mut self, question: &Question) {
        if self.last_question.as_deref() == Some(&question.id) {
            return;
        }
        self.last_question = Some(question.id.clone());
        self.say("");
        for line in sanitize(question.text(self.lang)).lines() {
            self.say(&format!("? {line}"));
        }
        for (n, choice) in question.choices.iter().enumerate() {
            self.say(&format!("    {:<10} {}", choice.key, question.label(n, self.lang)));
        }
    }

    /// A closed pipe ends nothing: the session goes on without a reader.
    fn say(&self, line: &str) {
        let mut out = std::io::stdout().lock();
        wrote(writeln!(out, "{line}").and_then(|()| out.flush()));
    }
}

/// Whom a call asks.
fn who(call: &Call, lang: Lang) -> &str {
    call.vendor.as_deref().unwrap_or(lang.pick("writer", "писатель"))
}

/// What a turn says first. A paragraph is told whole or cut between two words, whoever wrapped it at what width.
fn theses(body: &str) -> String {
    let words = joined(&sanitize(body));
    let first = words.lines().filter(|line| !line.trim().is_empty()).take(3);
    first.map(|line| one_line(line, 240)).collect::<Vec<_>>().join("\n    ")
}

/// One line for a fact in the pilot's language, `None` for those that a reader need not see.
pub fn describe(fact: &Fact, lang: Lang) -> Option<String> {
    let pick = |en: &'static str, ru: &'static str| lang.pick(en, ru);
    Some(match fact {
        Fact::Began { meta, .. } => {
            format!("● {} — {}", meta.session_id, one_line(&meta.task_description, 80))
        }
        Fact::CallStarted { call } => {
            let again = match call.attempt {
                0 | 1 => String::new(),
                n => format!(" ({} {n})", pick("attempt", "попытка")),
            };
            let purpose = match lang {
                Lang::En => call.purpose.key(),
                Lang::Ru => call.purpose.text(lang),
            };
            format!("… {}: {purpose} {}{again}", who(call, lang), call.round)
        }
        Fact::Spoke { turn } => {
            format!("✎ {}\n    {}", turn.name, theses(turn.body()))
        }
        Fact::Rejected { name, k, reason, detail, failed, .. } => {
            let out = match failed {
                true => pick(", and its author is out of the session", ", и автор выбыл из сессии"),
                false => "",
            };
            let not = match lang {
                Lang::En => format!("reply {k} not accepted"),
                Lang::Ru => format!("ответ {k} не принят"),
            };
            format!("✗ {name}: {not}: {reason}{out} — {}", one_line(detail, 90))
        }
        Fact::Skipped { round, vendor, reason, detail, failed } => {
            let out = match failed {
                true => pick(", and is out of the session", ", и выбыл из сессии"),
                false => "",
            };
            let no = match lang {
                Lang::En => format!("{vendor} gave no reply in round {round}"),
                Lang::Ru => format!("{vendor} не ответил в раунде {round}"),
            };
            format!("✗ {no}: {reason}{out} — {}", one_line(detail, 90))
        }
        Fact::Evidence { turn, items } => {
            let doubtful =
                items.iter().filter(|item| matches!(item.mark, Mark::NotFound | Mark::ChangedSince));
            let doubtful: Vec<String> =
                doubtful.map(|item| format!("{} {}", item.mark.shown(lang).0, item.claim)).collect();
            let which = one_line(&doubtful.join(", "), 120);
            let which = if which.is_empty() { which } else { format!(" ({which})") };
            format!("  {turn}: {}{which}", summed(items, lang))
        }
        Fact::Withheld { call, .. } => {
            let why = pick(
                "is not called: its prompt holds what looks like a secret",
                "не вызван: в промпте есть похожее на секрет",
            );
            format!("! {} {why}", who(call, lang))
        }
        Fact::Cleared { how, .. } => format!(
            "◆ {}: {}",
            pick("the secret in the prompt", "секрет в промпте"),
            match how {
                Clearance::Redact => pick("sent with a mask in its place", "вместо него отправлена заглушка"),
                Clearance::Send => pick("sent as it is", "отправлен как есть"),
                Clearance::Abort => pick("the call is not made", "вызов не сделан"),
            }
        ),
        Fact::Permitted { choice, title, .. } => {
            let asked = pick("the agent asked for leave", "агент просил разрешения");
            format!("◆ {asked}: {choice} — {}", one_line(title, 90))
        }
        Fact::CutIn { call, text, .. } => {
            let stopped = pick(
                "was stopped by the pilot; it counts nothing",
                "остановлен пилотом; это ничего не значит",
            );
            format!("✂ {} {stopped} — {}", who(call, lang), one_line(text, 90))
        }
        Fact::Overruled { vendor, failed: true, .. } => {
            format!("◆ {vendor} {}", pick("is taken out by the pilot", "выведен пилотом"))
        }
        Fact::Overruled { vendor, .. } => {
            format!(
                "◆ {vendor} {}",
                pick("gets another chance from the pilot", "получил от пилота ещё попытку")
            )
        }
        Fact::PipelineDropped => format!("◆ {}", Say::PipelineWithoutOutcome.text(lang)),
        Fact::RolesAgreed { roles, .. } => {
            let list: Vec<String> = roles.iter().map(|(a, r)| format!("{a}: {}", r.join(", "))).collect();
            format!("◆ {} — {}", pick("roles agreed", "роли согласованы"), list.join(" · "))
        }
        Fact::HandedOff { holder, .. } => format!("◆ {}: {holder}", pick("write token", "перо у")),
        Fact::Escalated { escalation } => {
            let head = pick("escalation", "эскалация");
            format!("! {head} {}: {}", escalation.number, one_line(&escalation.reason, 100))
        }
        Fact::EscalationAnswered { index, answer } => {
            let head = pick("answer to escalation", "ответ на эскалацию");
            format!("  {head} {}: {}", index + 1, one_line(answer, 90))
        }
        Fact::LoopEnded { class, majority } => {
            format!(
                "◆ {}: {}{}",
                pick("the discussion ended", "обсуждение окончено"),
                class.key(),
                if *majority { pick(" (by majority)", " (большинством)") } else { "" }
            )
        }
        Fact::GateClosed { decision, .. } => format!("◆ Decision Gate: {}", decision.key()),
        Fact::Extended { reason, .. } => {
            format!("◆ {}: {}", pick("extension", "дозакрытие"), one_line(reason, 90))
        }
        Fact::Drafted { stub, findings, .. } => {
            let mut text = match stub {
                true => pick("◆ report: a stub", "◆ отчёт: заглушка").to_string(),
                false => pick("◆ report drafted", "◆ черновик отчёта готов").to_string(),
            };
            for finding in findings {
                text.push_str(&format!("\n    {finding}"));
            }
            text
        }
        Fact::Committed { sha, pushed, notes } => {
            let sha =
                sha.as_ref().map(|s| format!("{} {}", pick("committed", "коммит"), short(s))).into_iter();
            let pushed = pushed.then(|| pick("pushed", "отправлен").to_string());
            format!("◆ {}", sha.chain(pushed).chain(notes.iter().cloned()).collect::<Vec<_>>().join(" · "))
        }
        Fact::CommitRefused { text } => format!("! {}", one_line(text, 200)),
        Fact::Interrupted { .. } => pick("◌ interrupted", "◌ прервана").into(),
        Fact::Resumed => pick("● resumed", "● продолжена").into(),
        Fact::Repaired { what } => format!("◆ {}: {}", pick("repaired", "исправлено"), what.join("; ")),
        Fact::Noted { text } => format!("  {}", one_line(text, 200)),
        Fact::DisputeJudged { dispute: None, why, .. } => {
            format!("◆ {}: {why}", pick("positions could not be judged", "позиции не удалось оценить"))
        }
        Fact::DisputeJudged { dispute: Some(d), .. } => {
            let list: Vec<String> = d
                .positions
                .iter()
                .map(|p| format!("{} ({})", one_line(&p.summary, 60), p.supporters.join(", ")))
                .collect();
            format!("◆ {}: {}", pick("positions", "позиции"), list.join(" · "))
        }
        other => return pipeline::describe(other, lang),
    })
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::domain::effect::Purpose;
    use crate::domain::session::meta::{Decision, ResultClass};
    use crate::domain::session::turn::TurnName;
    use crate::store::frontmatter;

    #[test]
    fn lines_are_in_the_pilots_language() {
        let call = Call {
            purpose: Purpose::Peer,
            vendor: None,
            round: 2,
            attempt: 2,
            name: None,
            complaints: Vec::new(),
        };
        for (fact, en, ru) in [
            (Fact::CallStarted { call }, "… writer: peer 2 (attempt 2)", "… писатель: ответ 2 (попытка 2)"),
            (
                Fact::LoopEnded { class: ResultClass::Agreed, majority: true },
                "◆ the discussion ended: agreed (by majority)",
                "◆ обсуждение окончено: agreed (большинством)",
            ),
            (
                Fact::HandedOff { holder: "mira".into(), history: Vec::new() },
                "◆ write token: mira",
                "◆ перо у: mira",
            ),
            (
                Fact::GateClosed { decision: Decision::Record, close: false },
                "◆ Decision Gate: A",
                "◆ Decision Gate: A",
            ),
            (
                Fact::Unverified,
                "◆ the pilot deploys without a verification",
                "◆ пилот разворачивает без проверки",
            ),
            (Fact::Resumed, "● resumed", "● продолжена"),
        ] {
            assert_eq!(describe(&fact, Lang::En).as_deref(), Some(en));
            assert_eq!(describe(&fact, Lang::Ru).as_deref(), Some(ru));
        }
    }

    #[test]
    fn pc_295_a_turn_is_told_by_its_first_paragraphs() {
        let long = "слово ".repeat(60);
        let text = format!(
            "---\nturn: 1\n---\nA paragraph that somebody wrapped by hand at a hundred columns, which nobody who listens wants\nto hear about.\n\n- an item\n\n{long}\n\nlast"
        );
        let turn = frontmatter::turn(TurnName::peer(1), text);
        let told = describe(&Fact::Spoke { turn }, Lang::En).unwrap();
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(
            lines[..2],
            [
                "✎ 01-peer.md",
                "    A paragraph that somebody wrapped by hand at a hundred columns, which nobody who listens wants to hear about."
            ]
        );
        assert!(lines.len() == 4 && lines[2] == "    - an item" && lines[3].ends_with('…'), "{told}");
    }
}
