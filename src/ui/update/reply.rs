//! What an answer being written does with an action. Leaving keeps what was typed; only sending takes it away.

use super::{open, scroll};
use crate::domain::question::QuestionKind;
use crate::domain::session::id::SessionId;
use crate::domain::session::turn::TurnName;
use crate::engine::run::Command;
use crate::ui::action::Action;
use crate::ui::model::reply::{Focus, Reply, Target};
use crate::ui::model::{Model, pipeline};
use crate::ui::msg::Cmd;
use crate::ui::overlay::Overlay;
use crate::ui::theme::Role;
use crate::ui::view::layout::Pane;
use std::time::Duration;

/// Changed drafts reach the disk after this long.
const KEEPS: Duration = Duration::from_secs(1);

pub fn act(model: &mut Model, action: Action) -> Vec<Cmd> {
    let Some(Overlay::Reply(reply)) = model.overlays.last_mut() else { return Vec::new() };
    match action {
        Action::Send if reply.focus == Focus::Choices => choose(model),
        Action::Choose if reply.focus == Focus::Choices => choose(model),
        Action::Send => send(model),
        Action::Later => {
            let cmds = close(model);
            [cmds, open::settle(model)].concat()
        }
        Action::SwitchFocus => {
            if reply.question().is_some_and(|q| !q.choices.is_empty()) && reply.takes_text() {
                reply.focus = if reply.focus == Focus::Text { Focus::Choices } else { Focus::Text };
            }
            Vec::new()
        }
        Action::Editor if reply.takes_text() => {
            reply.focus = Focus::Text;
            vec![Cmd::Edit(reply.text())]
        }
        Action::ShowTurn => show_turn(model),
        Action::Down | Action::Up if reply.focus == Focus::Choices => {
            let last = reply.question().map_or(0, |q| q.choices.len().saturating_sub(1));
            let by = if action == Action::Down { 1 } else { -1 };
            reply.choice = reply.choice.saturating_add_signed(by).min(last);
            Vec::new()
        }
        _ => {
            scroll(model, Pane::Question, action);
            Vec::new()
        }
    }
}

/// Keeps the text in front as a draft.
pub fn keep(model: &mut Model) {
    let Some(Overlay::Reply(reply)) = model.overlays.last() else { return };
    let (key, text) = (reply.key(), reply.text());
    if text.trim().is_empty() {
        model.drafts.remove(&key);
    } else {
        model.drafts.insert(key, text);
    }
    model.keep_at.get_or_insert(model.clock.at + KEEPS);
}

/// Leaves the answer for later.
pub fn close(model: &mut Model) -> Vec<Cmd> {
    if !matches!(model.overlays.last(), Some(Overlay::Reply(_))) {
        return Vec::new();
    }
    model.overlays.pop();
    if model.keep_at.take().is_some() { vec![Cmd::Keep] } else { Vec::new() }
}

/// Takes the selected choice. One that asks for words (`extend: …`) goes on in the text.
fn choose(model: &mut Model) -> Vec<Cmd> {
    let Some(Overlay::Reply(reply)) = model.overlays.last_mut() else { return Vec::new() };
    let Some(choice) = reply.question().and_then(|q| q.choices.get(reply.choice)) else { return Vec::new() };
    let key = choice.key.clone();
    let Some(words) = key.strip_suffix('…') else { return answer(model, key) };
    reply.focus = Focus::Text;
    if reply.text().trim().is_empty() && !words.trim().is_empty() {
        reply.editor.insert_str(words);
    }
    Vec::new()
}

fn send(model: &mut Model) -> Vec<Cmd> {
    let Some(Overlay::Reply(reply)) = model.overlays.last() else { return Vec::new() };
    let text = reply.text().trim().to_string();
    // Who stops a call need not say anything: it is made again as it was.
    if text.is_empty() && !matches!(reply.target, Target::CutIn(_)) {
        let said = model.lang().pick("there is no text to send", "нет текста для отправки");
        model.say(said, Role::Warning);
        return Vec::new();
    }
    answer(model, text)
}

fn answer(model: &mut Model, text: String) -> Vec<Cmd> {
    let Some(Overlay::Reply(reply)) = model.overlays.last() else { return Vec::new() };
    if reply.gone {
        let said = model.lang().pick(
            "this question is closed; your text stays here as a draft",
            "этот вопрос уже закрыт; текст остаётся черновиком",
        );
        model.say(said, Role::Warning);
        return Vec::new();
    }
    let (id, key, target) = (reply.id.clone(), reply.key(), reply.target.clone());
    let mut cmds = vec![command(&id, &target, text)];
    if let Target::Question(q) = &target {
        model.sends(&id, &q.id);
    }
    model.drafts.remove(&key);
    model.keep_at = None;
    cmds.push(Cmd::Keep);
    model.overlays.pop();
    let said = match target {
        Target::Question(_) => model.lang().pick("answer sent", "ответ отправлен"),
        Target::Direct => model
            .lang()
            .pick("the writer gets it with its next turn", "писатель получит это со следующим ходом"),
        Target::Comment(_) => {
            model.lang().pick("sent; it goes into another edit", "отправлено; пойдёт в следующую правку")
        }
        Target::CutIn(_) => model.lang().pick(
            "stopping the call; it is made again with your words",
            "вызов останавливается и будет сделан заново с твоими словами",
        ),
    };
    model.say(said, Role::Done);
    cmds.extend(open::settle(model));
    cmds
}

fn command(id: &SessionId, target: &Target, text: String) -> Cmd {
    match target {
        Target::Question(q) => Cmd::command(id, Command::Answer { question: q.id.clone(), text }),
        Target::Direct => Cmd::command(id, Command::Direct { text }),
        Target::CutIn(call) => Cmd::command(id, Command::CutIn { call: call.clone(), text }),
        Target::Comment(place) => Cmd::command(id, Command::Direct { text: format!("{place}: {text}") }),
    }
}

/// The turn that raised the question, or the file that asks.
fn show_turn(model: &mut Model) -> Vec<Cmd> {
    let Some(Overlay::Reply(reply)) = model.overlays.last() else { return Vec::new() };
    let id = reply.id.clone();
    match source(model, reply) {
        Some(file) => open::file(model, &id, &file, None),
        None => {
            let said = model.lang().pick("no turn raised it", "за этим вопросом не стоит реплика");
            model.say(said, Role::Muted);
            Vec::new()
        }
    }
}

fn source(model: &Model, reply: &Reply) -> Option<String> {
    let s = model.watched.get(&reply.id)?.session();
    let question = reply.question()?;
    if let Some(index) = question.id.strip_prefix("escalation-").and_then(|n| n.parse::<u32>().ok()) {
        let e = s.escalations.iter().find(|e| e.index == index)?;
        return Some(if e.source.is_empty() { e.file_name() } else { e.source.clone() });
    }
    if let Some(stem) = question.id.strip_prefix("reserved-") {
        return TurnName::parse(&format!("{stem}.md")).map(|name| name.to_string());
    }
    if pipeline::asks(question.kind) {
        let review = || s.reviews.last().map(|r| format!("review-{:02}.md", r.number));
        let verify = || s.verifies.last().map(|v| format!("verify-{:02}.md", v.number));
        return match question.kind {
            QuestionKind::Findings | QuestionKind::Review => review(),
            QuestionKind::Verify => verify(),
            _ => None,
        };
    }
    s.turns.last().map(|t| t.name.to_string())
}
