//! The plain line view: facts as lines, questions answered from standard input.

mod pipeline;

use crate::agents::call::Progress;
use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::question::Question;
use crate::domain::session::evidence::{Mark, summed};
use crate::domain::session::pipeline::track::short;
use crate::domain::session::secret::Clearance;
use crate::engine::run::{Command, Finish, run};
use crate::engine::runner::{Runner, Update};
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
    view: View,
    script: Option<Script>,
) -> std::io::Result<(Runner, Finish)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (commands, receiver) = mpsc::channel(64);
    let typed = !runner.policy.headless && script.is_none();
    let printer = Printer { view, last_question: None };
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
            printer.say(&format!("  pilot: {}", one_line(&text, 100)));
            let _ = commands.send(Command::Answer { question: question.id.clone(), text }).await;
        }
    }
}

struct Printer {
    view: View,
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
                let hint = if keys.is_empty() { "give a text".into() } else { keys.join(", ") };
                self.say(&format!("  {} does not answer {}: {hint}", one_line(text, 60), question.id));
            }
            (View::Lines, Update::Progress(call, Progress::Notice(text))) => {
                let who = call.vendor.as_deref().unwrap_or("writer");
                self.say(&format!("  {who}: {}", one_line(text, 100)));
            }
            (View::Lines, Update::Progress(..)) => {}
            (View::Lines, Update::Event(event)) => {
                if let Some(text) = describe(&event.fact) {
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
        for line in sanitize(&question.text).lines() {
            self.say(&format!("? {line}"));
        }
        for choice in &question.choices {
            self.say(&format!("    {:<10} {}", choice.key, choice.label));
        }
    }

    /// A closed pipe ends nothing: the session goes on without a reader.
    fn say(&self, line: &str) {
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{line}");
        let _ = out.flush();
    }
}

/// One line for a fact, `None` for those that a reader need not see.
pub fn describe(fact: &Fact) -> Option<String> {
    Some(match fact {
        Fact::Began { meta, .. } => {
            format!("● {} — {}", meta.session_id, one_line(&meta.task_description, 80))
        }
        Fact::CallStarted { call } => {
            let who = call.vendor.as_deref().unwrap_or("writer");
            let again = if call.attempt > 1 { format!(" (attempt {})", call.attempt) } else { String::new() };
            format!("… {who}: {} {}{again}", call.purpose.key(), call.round)
        }
        Fact::Spoke { turn } => {
            let words = sanitize(turn.body());
            let first: Vec<&str> = words.lines().filter(|l| !l.trim().is_empty()).take(3).collect();
            format!(
                "✎ {}\n    {}",
                turn.name,
                first.iter().map(|l| one_line(l, 100)).collect::<Vec<_>>().join("\n    ")
            )
        }
        Fact::Rejected { name, k, reason, detail, failed, .. } => {
            let out = if *failed { ", and its author is out of the session" } else { "" };
            format!("✗ {name}: reply {k} not accepted: {reason}{out} — {}", one_line(detail, 90))
        }
        Fact::Skipped { round, vendor, reason, detail, failed } => {
            let out = if *failed { ", and is out of the session" } else { "" };
            format!("✗ {vendor} gave no reply in round {round}: {reason}{out} — {}", one_line(detail, 90))
        }
        Fact::Evidence { turn, items } => {
            let doubtful =
                items.iter().filter(|item| matches!(item.mark, Mark::NotFound | Mark::ChangedSince));
            let doubtful: Vec<String> =
                doubtful.map(|item| format!("{} {}", item.mark.shown(Lang::En).0, item.claim)).collect();
            let which = one_line(&doubtful.join(", "), 120);
            let which = if which.is_empty() { which } else { format!(" ({which})") };
            format!("  {turn}: {}{which}", summed(items, Lang::En))
        }
        Fact::Withheld { call, .. } => {
            let who = call.vendor.as_deref().unwrap_or("writer");
            format!("! {who} is not called: its prompt holds what looks like a secret")
        }
        Fact::Cleared { how, .. } => format!(
            "◆ the secret in the prompt: {}",
            match how {
                Clearance::Redact => "sent with a mask in its place",
                Clearance::Send => "sent as it is",
                Clearance::Abort => "the call is not made",
            }
        ),
        Fact::Permitted { choice, title, .. } => {
            format!("◆ the agent asked for leave: {choice} — {}", one_line(title, 90))
        }
        Fact::CutIn { call, text, .. } => {
            let who = call.vendor.as_deref().unwrap_or("writer");
            format!("✂ {who} was stopped by the pilot; it counts nothing — {}", one_line(text, 90))
        }
        Fact::Overruled { vendor, failed: true, .. } => format!("◆ {vendor} is taken out by the pilot"),
        Fact::Overruled { vendor, .. } => format!("◆ {vendor} gets another chance from the pilot"),
        Fact::PipelineDropped => format!(
            "◆ {}",
            crate::domain::say::Say::PipelineWithoutOutcome.text(crate::domain::lang::Lang::En)
        ),
        Fact::RolesAgreed { roles, .. } => {
            let list: Vec<String> = roles.iter().map(|(a, r)| format!("{a}: {}", r.join(", "))).collect();
            format!("◆ roles agreed — {}", list.join(" · "))
        }
        Fact::HandedOff { holder, .. } => format!("◆ write token: {holder}"),
        Fact::Escalated { escalation } => {
            format!("! escalation {}: {}", escalation.number, one_line(&escalation.reason, 100))
        }
        Fact::EscalationAnswered { index, answer } => {
            format!("  answer to escalation {}: {}", index + 1, one_line(answer, 90))
        }
        Fact::LoopEnded { class, majority } => {
            format!(
                "◆ the discussion ended: {}{}",
                class.key(),
                if *majority { " (by majority)" } else { "" }
            )
        }
        Fact::GateClosed { decision, .. } => format!("◆ Decision Gate: {}", decision.key()),
        Fact::Extended { reason, .. } => format!("◆ extension: {}", one_line(reason, 90)),
        Fact::Drafted { stub, findings, .. } => {
            let mut text =
                if *stub { "◆ report: a stub".to_string() } else { "◆ report drafted".to_string() };
            for finding in findings {
                text.push_str(&format!("\n    {finding}"));
            }
            text
        }
        Fact::Committed { sha, pushed, notes } => {
            let sha = sha.as_ref().map(|s| format!("committed {}", short(s))).into_iter();
            let pushed = pushed.then(|| "pushed".to_string());
            format!("◆ {}", sha.chain(pushed).chain(notes.iter().cloned()).collect::<Vec<_>>().join(" · "))
        }
        Fact::CommitRefused { text } => format!("! {}", one_line(text, 200)),
        Fact::Interrupted { .. } => "◌ interrupted".into(),
        Fact::Resumed => "● resumed".into(),
        Fact::Repaired { what } => format!("◆ repaired: {}", what.join("; ")),
        Fact::Noted { text } => format!("  {}", one_line(text, 200)),
        Fact::DisputeJudged { dispute: None, why, .. } => format!("◆ positions could not be judged: {why}"),
        Fact::DisputeJudged { dispute: Some(d), .. } => {
            let list: Vec<String> = d
                .positions
                .iter()
                .map(|p| format!("{} ({})", one_line(&p.summary, 60), p.supporters.join(", ")))
                .collect();
            format!("◆ positions: {}", list.join(" · "))
        }
        other => return pipeline::describe(other),
    })
}
