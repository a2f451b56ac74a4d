//! From a wait to the question that the pilot reads. The texts that the specification fixes are kept word for word.

pub mod permission;
pub mod pipeline;

use super::compose;
use crate::domain::effect::{Call, Purpose};
use crate::domain::lang::Lang;
use crate::domain::policy::Implementable;
use crate::domain::question::{Choice, Question, QuestionKind, Wording};
use crate::domain::say::Say;
use crate::domain::session::escalation::Escalation;
use crate::domain::session::gate::{self, GateHead};
use crate::domain::session::phase::{Wait, result_class};
use crate::domain::session::state::Session;
use crate::domain::session::turn::TurnName;
use crate::domain::time::Stamp;
use pipeline::Asked;

/// The question of a wait. `now` is the time when it is first asked.
pub fn question(s: &Session, wait: &Wait, implementable: &Implementable, now: Stamp) -> Question {
    let since = match wait {
        Wait::Escalation(n) | Wait::Dispute(n) => {
            find(s, *n).and_then(|e| Stamp::parse(&e.timestamp)).unwrap_or(now)
        }
        _ => now,
    };
    asked(s, (wait.id(), wait.kind()), since, |lang| worded(s, wait, implementable, lang))
}

/// The question for a turn that the pilot writes by hand.
pub fn turn(s: &Session, call: &Call, now: Stamp) -> Question {
    let file = call.name.as_ref().map(ToString::to_string).unwrap_or_default();
    asked(s, (super::answer::turn_question(call), QuestionKind::PilotTurn), now, |lang| {
        let text = match lang {
            Lang::En => format!("Write the writer's turn {file}. The text you answer with becomes the turn."),
            Lang::Ru => format!("Напиши ход писателя {file}. Текст ответа станет репликой."),
        };
        (text, Vec::new(), true)
    })
}

/// A question in the words of the session, and of a pilot who speaks the other language.
fn asked(
    s: &Session,
    (id, kind): (String, QuestionKind),
    since: Stamp,
    words: impl Fn(Lang) -> Asked,
) -> Question {
    let (text, choices, free_text) = words(s.meta.lang());
    let lang = s.meta.lang().other();
    let (other, labels, _) = words(lang);
    let labels = labels.into_iter().map(|choice| choice.label).collect();
    Question { id, kind, since, text, choices, free_text, other: Some(Wording { lang, text: other, labels }) }
}

fn worded(s: &Session, wait: &Wait, implementable: &Implementable, lang: Lang) -> Asked {
    match wait {
        Wait::Escalation(n) => {
            let source = find(s, *n).map(|e| e.source.clone()).unwrap_or_default();
            (escalation(s, *n, lang), pipeline::escalation(&source, lang), true)
        }
        Wait::Dispute(_) => (dispute(s, lang), dispute_choices(lang), true),
        Wait::PeerRetry | Wait::WriterRetry => {
            (failed_call(s, wait, lang), retry_choices(lang), *wait == Wait::WriterRetry)
        }
        Wait::Secret { .. } => (secret(s, lang), secret_choices(lang), true),
        Wait::Clarify { vendor, k } => (clarify(s, vendor, *k, lang), Vec::new(), true),
        Wait::Participants => (participants(s, lang), participant_choices(lang), false),
        Wait::Reserved(turn) => (reserved(s, turn, lang), Vec::new(), true),
        Wait::Gate => (gate(s, lang), gate_choices(lang, implementable), false),
        Wait::Close => (close(s, lang), close_choices(lang), true),
        Wait::Reflection => (reflection(s, lang), Vec::new(), true),
        Wait::Budget => (budget(s, lang), budget_choices(lang), false),
        Wait::Commit => (s.notes.commit_refused.clone().unwrap_or_default(), commit_choices(lang), false),
        wait => pipeline::question(s, wait, lang).unwrap_or_default(),
    }
}

fn find(s: &Session, index: u32) -> Option<&Escalation> {
    s.escalations.iter().find(|e| e.index == index)
}

/// PC-443.
fn escalation(s: &Session, index: u32, lang: Lang) -> String {
    let Some(e) = find(s, index) else { return String::new() };
    let step = |source: &str| if source.is_empty() { "?".to_string() } else { source.to_string() };
    let who = TurnName::parse(&e.source).map(|name| speaker(s, &name)).unwrap_or_else(|| step(&e.source));
    Say::Escalates { who: &who, reason: &e.reason }.text(lang)
}

fn speaker(s: &Session, name: &TurnName) -> String {
    match name.vendor() {
        Some(vendor) => vendor.to_string(),
        None if name.is_peer() => s.peers().first().map(|p| p.vendor.clone()).unwrap_or_default(),
        None => s.meta.writer_agent.clone(),
    }
}

/// PC-423, PC-424: what was judged is shown before the pilot decides.
fn dispute(s: &Session, lang: Lang) -> String {
    let mut text = lang
        .pick(
            "The round limit is reached without consensus, and the matter is irreversible or its scope is disputed.",
            "Лимит раундов исчерпан без консенсуса; вопрос необратим или выходит за рамки полномочий.",
        )
        .to_string();
    if let Some(note) = &s.notes.dispute {
        if let Some(dispute) = &note.dispute {
            for position in &dispute.positions {
                text.push_str(&format!("\n- {}: {}", position.supporters.join(", "), position.summary));
            }
        } else {
            text.push_str(&format!("\n({})", note.why));
        }
    }
    text
}

fn dispute_choices(lang: Lang) -> Vec<Choice> {
    vec![
        Choice::new("continue", lang.pick("grant more rounds (continue N)", "ещё раунды (продолжить N)")),
        Choice::new("close", lang.pick("close without agreement", "закрыть без согласия")),
        Choice::new("…", lang.pick("any other text is your decision", "любой другой текст — твоё решение")),
    ]
}

/// What was spent, what the limit is, and how sure the figures are.
fn budget(s: &Session, lang: Lang) -> String {
    let spent = &s.notes.spent;
    let limit = s.notes.budget.unwrap_or_default();
    let part = |is: Option<String>, most: Option<String>| {
        most.map(|most| format!("{} {} {most}", is.unwrap_or("—".into()), lang.pick("of", "из")))
    };
    let usd = |n: f64| format!("${n:.2}");
    let tokens = |n: u64| format!("{n} {}", lang.pick("tokens", "токенов"));
    let parts = [
        part(spent.usd.map(usd), limit.usd.map(usd)),
        part(spent.tokens.map(tokens), limit.tokens.map(tokens)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let head =
        lang.pick("The session has cost as much as it may:", "Сессия стоила столько, сколько ей можно:");
    let mut text = format!("{head} {}.", parts.join(", "));
    let silent = if limit.usd.is_some() { spent.unpriced } else { spent.silent };
    if silent > 0 {
        text.push_str(&match lang {
            Lang::En => format!("\nCalls that did not report it: {silent}, so it is more than that."),
            Lang::Ru => format!("\nВызовов, которые об этом не сообщили: {silent}; на деле больше."),
        });
    }
    text
}

fn budget_choices(lang: Lang) -> Vec<Choice> {
    vec![
        Choice::new(
            "raise",
            lang.pick("go on until as much again is spent", "продолжить, пока не уйдёт ещё столько же"),
        ),
        Choice::new("off", lang.pick("go on without a limit", "продолжить без лимита")),
        Choice::new(
            "abort",
            lang.pick("interrupt the session; it can be resumed", "прервать сессию; её можно продолжить"),
        ),
    ]
}

/// PC-294, PC-255.
fn failed_call(s: &Session, wait: &Wait, lang: Lang) -> String {
    let Some(failed) = &s.notes.failed_call else { return String::new() };
    let who = match (&failed.call.vendor, wait) {
        (Some(vendor), _) => vendor.clone(),
        _ => s.meta.writer_agent.clone(),
    };
    let mut text = Say::PeerSilent { vendor: &who }.text(lang);
    // The class is kept beside its words (PC-060): programs read it here.
    let reason = failed.reason.text(lang);
    text.push_str(&format!("\n{reason} ({}): {}", failed.reason, failed.detail));
    if let Some(until) = failed.until {
        let lifted = lang.pick("The limit is lifted at", "Лимит снимается в");
        text.push_str(&format!("\n{lifted} {until}."));
    }
    if !failed.stderr.trim().is_empty() {
        text.push_str(&format!("\nstderr:\n{}", failed.stderr.trim_end()));
    }
    if *wait == Wait::WriterRetry {
        text.push_str(lang.pick(
            "\nOr answer with a text of more than 20 characters: it becomes the writer's turn.",
            "\nИли ответь текстом длиннее 20 символов: он станет ходом писателя.",
        ));
    }
    text
}

/// What is in the prompt and where it comes from; never the secret itself.
fn secret(s: &Session, lang: Lang) -> String {
    let Some(withheld) = &s.notes.withheld else { return String::new() };
    let who = match withheld.call.purpose {
        Purpose::Implement => lang.pick("the implementer", "исполнителя"),
        Purpose::Review => lang.pick("the reviewer", "рецензента"),
        Purpose::Verify => lang.pick("the verifying agent", "проверяющего"),
        _ => withheld.call.vendor.as_deref().unwrap_or(&s.meta.writer_agent),
    };
    let mut text = match lang {
        Lang::En => format!("The call to {who} was not made: its prompt holds what looks like a secret."),
        Lang::Ru => format!("Вызов {who} не сделан: в промпте есть похожее на секрет."),
    };
    for find in &withheld.finds {
        text.push_str(&format!("\n- {}: {}, {}", find.places.join(", "), find.what, find.masked));
    }
    text
}

/// Sending has no key of its own: it is a word that has to be typed.
fn secret_choices(lang: Lang) -> Vec<Choice> {
    vec![
        Choice::new(
            "redact",
            lang.pick(
                "mask it in the prompts of this session; files stay as they are",
                "в промптах сессии будет заглушка; файлы не меняются",
            ),
        ),
        Choice::new(
            "abort",
            lang.pick(
                "do not make this call: it counts as failed",
                "не делать этот вызов: он считается неудачным",
            ),
        ),
        Choice::new(
            "…",
            lang.pick(
                "type the word send: it goes out as it is, in this session",
                "набери «отправить»: в этой сессии уйдёт как есть",
            ),
        ),
    ]
}

fn retry_choices(lang: Lang) -> Vec<Choice> {
    vec![
        Choice::new("retry", lang.pick("repeat the same call", "повторить тот же вызов")),
        Choice::new("abort", lang.pick("interrupt the session", "прервать сессию")),
    ]
}

fn clarify(s: &Session, vendor: &str, k: u32, lang: Lang) -> String {
    let role =
        s.peer(vendor).map(|p| crate::domain::session::phase::proposed_role(s, &p.agent)).unwrap_or_default();
    let file = format!("{}.rejected-{k}.txt", TurnName::peer_of(0, vendor).stem());
    match lang {
        Lang::En => format!("{vendor} asks about its role \"{role}\" before it accepts ({file})."),
        Lang::Ru => format!("{vendor} уточняет роль «{role}», прежде чем принять её ({file})."),
    }
}

/// PC-327.
fn participants(s: &Session, lang: Lang) -> String {
    let failed: Vec<String> = s
        .meta
        .peer_failures
        .iter()
        .map(|f| format!("{} ({}, {} {})", f.vendor, f.reason, lang.pick("round", "раунд"), f.round))
        .collect();
    format!("{}\n{}", Say::NobodyLeft.text(lang), failed.join("\n"))
}

fn participant_choices(lang: Lang) -> Vec<Choice> {
    vec![
        Choice::new(
            "retry",
            lang.pick("give the failed participants another chance", "дать участникам ещё попытку"),
        ),
        Choice::new("close", lang.pick("close as not agreed", "закрыть без согласия")),
        Choice::new("abort", lang.pick("interrupt the session", "прервать сессию")),
    ]
}

/// PC-691.
fn reserved(s: &Session, turn: &TurnName, lang: Lang) -> String {
    let asked = s.turn(turn).and_then(|t| t.markers().reserved.clone()).unwrap_or_default();
    match lang {
        Lang::En => format!("A decision that only you may take ({turn}): {asked}"),
        Lang::Ru => format!("Решение, которое можешь принять только ты ({turn}): {asked}"),
    }
}

/// PC-461, PC-463: the summary first, then who agreed, then the question.
fn gate(s: &Session, lang: Lang) -> String {
    let head = if s.notes.majority { GateHead::Majority } else { GateHead::Consensus };
    let summary = s.notes.summary.as_ref().map(|n| gate::render(&n.summary, lang, head)).unwrap_or_default();
    let (_, minority) = compose::majority(s);
    let mut parts = vec![summary.trim_end().to_string()];
    parts.extend(minority.iter().map(|m| format!("{} {m}", lang.pick("Minority:", "Меньшинство:"))));
    for f in &s.meta.peer_failures {
        parts.push(match lang {
            Lang::En => {
                format!("{} did not take part in the result ({}, round {}).", f.vendor, f.reason, f.round)
            }
            Lang::Ru => format!("{} не участвовал в результате ({}, раунд {}).", f.vendor, f.reason, f.round),
        });
    }
    parts.push(gate::question(lang).trim_end().to_string());
    parts.join("\n\n")
}

fn gate_choices(lang: Lang, implementable: &Implementable) -> Vec<Choice> {
    let implement = match implementable {
        Implementable::Yes => lang
            .pick(
                "implement now: isolate, content gate, cold review, verify, deploy",
                "реализовать сейчас: изоляция, одобрение твоих документов, ревью, проверка, развёртывание",
            )
            .to_string(),
        // PC-467.
        Implementable::No(why) => {
            let unavailable = lang.pick("implement now: unavailable", "реализовать сейчас: недоступно");
            format!("{unavailable} ({})", why.text(lang))
        }
    };
    vec![
        Choice::new(
            "A",
            lang.pick(
                "record only: report, commit, close question",
                "зафиксировать: отчёт, commit, вопрос о закрытии",
            ),
        ),
        Choice::new("B", implement),
        Choice::new("C", lang.pick("record and close at once", "зафиксировать и сразу закрыть")),
    ]
}

/// PC-611.
fn close(s: &Session, lang: Lang) -> String {
    use crate::domain::session::meta::ResultClass::{Agreed, Partial};
    let consensus = matches!(result_class(s), Agreed | Partial);
    Say::Close { consensus }.text(lang)
}

fn close_choices(lang: Lang) -> Vec<Choice> {
    vec![
        Choice::new("close", lang.pick("close the session", "закрыть сессию")),
        Choice::new("extend: …", lang.pick("go on; the text is the reason", "продолжить; текст — причина")),
    ]
}

/// PC-551.
fn reflection(s: &Session, lang: Lang) -> String {
    let done = match lang {
        Lang::En => format!(
            "{} turns, {} escalations: {}",
            s.turns.len(),
            s.escalations.len(),
            s.meta.task_description
        ),
        Lang::Ru => format!(
            "Реплик: {}, эскалаций: {}. {}",
            s.turns.len(),
            s.escalations.len(),
            s.meta.task_description
        ),
    };
    let asked = Say::Reflection.text(lang);
    format!("{done}\n{asked}")
}

fn commit_choices(lang: Lang) -> Vec<Choice> {
    vec![
        Choice::new("yes", lang.pick("commit the session's files", "закоммитить файлы сессии")),
        Choice::new("push", lang.pick("commit and push", "закоммитить и отправить")),
        Choice::new("no", lang.pick("leave them uncommitted", "оставить без коммита")),
    ]
}
