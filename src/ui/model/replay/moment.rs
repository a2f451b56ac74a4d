//! One line of the timeline.

mod implementation;

use crate::domain::fact::Fact;
use crate::domain::lang::Lang;
use crate::domain::session::marker::without_markers;
use crate::domain::session::meta::Status;
use crate::domain::session::pipeline::track::short;
use crate::domain::session::secret::Clearance;
use crate::domain::session::turn::Turn;
use crate::domain::time::Stamp;
use crate::engine::wire::Event;
use crate::ui::model::deck::stands;
use crate::ui::words;

/// An event that is worth looking at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// Index of the event.
    pub event: usize,
    pub seq: u64,
    pub time: Option<Stamp>,
    /// Round or number of the turn; `None` where the event has none of its own.
    pub round: Option<u32>,
    pub shape: Shape,
    /// Vendor key, `writer`, or empty for what the engine or the pilot did.
    pub who: String,
    pub text: String,
    /// The session's file to open.
    pub file: Option<String>,
}

/// What kind of event it is; the screen gives it a sign and a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Spoke,
    Failed,
    Escalated,
    /// Something waits for the pilot, or the pilot did something.
    Pilot,
    Verdict,
    Step,
}

/// `None` for events that only matter while they happen.
pub fn moment(index: usize, event: &Event, lang: Lang) -> Option<Moment> {
    let blank = |shape: Shape, text: String| Moment {
        event: index,
        seq: event.seq,
        time: Stamp::parse(&event.time),
        round: None,
        shape,
        who: String::new(),
        text,
        file: None,
    };
    let pick = |en: &str, ru: &str| lang.pick(en, ru).to_string();
    Some(match &event.fact {
        Fact::Began { meta, .. } => Moment {
            round: Some(0),
            ..blank(Shape::Step, format!("{} — {}", pick("began", "начало"), meta.task_description))
        },
        Fact::Spoke { turn } => Moment {
            round: Some(turn.name.number),
            who: who(turn),
            file: Some(turn.name.to_string()),
            ..blank(
                if turn.markers().escalate.is_some() { Shape::Escalated } else { Shape::Spoke },
                said(turn),
            )
        },
        Fact::Rejected { name, vendor, k, reason, .. } => Moment {
            round: Some(name.number),
            who: vendor.clone(),
            file: Some(format!("{}.rejected-{k}.txt", name.stem())),
            ..blank(
                Shape::Failed,
                format!("{} {}", pick("reply not accepted:", "ответ не принят:"), reason.text(lang)),
            )
        },
        Fact::Skipped { round, vendor, reason, failed, .. } => {
            let out = if *failed { pick(", out of the session", ", выбыл") } else { String::new() };
            let text = format!("{} {}{out}", pick("no reply:", "нет ответа:"), reason.text(lang));
            Moment { round: Some(*round), who: vendor.clone(), ..blank(Shape::Failed, text) }
        }
        Fact::CallFailed { call, reason, .. } => Moment {
            who: call.vendor.clone().unwrap_or_else(|| "writer".into()),
            ..blank(
                Shape::Failed,
                format!("{} {}", pick("call failed:", "вызов не удался:"), reason.text(lang)),
            )
        },
        Fact::Withheld { call, .. } => Moment {
            who: call.vendor.clone().unwrap_or_else(|| "writer".into()),
            ..blank(
                Shape::Failed,
                pick("call not made: a secret in its prompt", "вызов не сделан: секрет в промпте"),
            )
        },
        Fact::Cleared { how, .. } => blank(
            Shape::Pilot,
            match how {
                Clearance::Redact => pick("pilot: mask the secret", "пилот: скрыть секрет"),
                Clearance::Send => pick("pilot: send the secret", "пилот: отправить секрет"),
                Clearance::Abort => pick("pilot: do not make the call", "пилот: не делать вызов"),
            },
        ),
        Fact::Permitted { call, choice, title, .. } => Moment {
            who: call.vendor.clone().unwrap_or_else(|| "writer".into()),
            ..blank(
                Shape::Pilot,
                format!("{} {choice}: {title}", pick("asked for leave,", "просил разрешения,")),
            )
        },
        Fact::Reactivated { vendors } => {
            blank(Shape::Pilot, format!("{} {}", pick("again:", "снова:"), vendors.join(", ")))
        }
        Fact::RolesAgreed { .. } => blank(Shape::Step, pick("roles agreed", "роли согласованы")),
        Fact::HandedOff { holder, .. } => {
            blank(Shape::Step, format!("{} {holder}", pick("write token:", "токен записи:")))
        }
        Fact::Escalated { escalation } => Moment {
            file: Some(escalation.file_name()),
            ..blank(Shape::Escalated, format!("{} {}", pick("escalation:", "эскалация:"), escalation.reason))
        },
        Fact::EscalationAnswered { index, answer } => Moment {
            file: Some(format!("escalation-{index:02}.md")),
            ..blank(Shape::Pilot, format!("{} {answer}", pick("pilot:", "пилот:")))
        },
        Fact::Asked { question } => {
            let what = words::asks(question.kind, lang);
            blank(Shape::Pilot, format!("{} {what}", pick("waits for the pilot:", "ждёт пилота:")))
        }
        Fact::LoopEnded { class, majority } => {
            let by =
                if *majority { pick(" by majority", " большинством") } else { String::new() };
            blank(
                Shape::Verdict,
                format!(
                    "{} {}{by}",
                    pick("discussion ended:", "обсуждение окончено:"),
                    stands(Status::Completed, Some(*class), lang).word
                ),
            )
        }
        Fact::GateClosed { decision, .. } => {
            blank(Shape::Verdict, format!("{} {}", pick("decision:", "решение:"), decision.key()))
        }
        Fact::LimitsRaised { turns_limit, rounds_limit } => blank(
            Shape::Pilot,
            format!("{} {turns_limit} / {rounds_limit}", pick("limits raised:", "лимиты подняты:")),
        ),
        Fact::Directed { text } => {
            blank(Shape::Pilot, format!("{} {text}", pick("pilot directs:", "указание пилота:")))
        }
        Fact::CutIn { call, text, .. } => Moment {
            round: Some(call.round),
            who: call.vendor.clone().unwrap_or_else(|| "writer".into()),
            ..blank(Shape::Pilot, format!("{} {text}", pick("stopped by the pilot:", "остановлен пилотом:")))
        },
        Fact::Extended { reason, .. } => {
            blank(Shape::Pilot, format!("{} {reason}", pick("extension:", "дополнение:")))
        }
        Fact::Drafted { stub, .. } => Moment {
            file: Some("report-draft.md".into()),
            ..blank(
                Shape::Step,
                if *stub {
                    pick("report: a stub", "отчёт-заглушка")
                } else {
                    pick("report drafted", "черновик отчёта")
                },
            )
        },
        Fact::Published => Moment {
            file: Some("report.md".into()),
            ..blank(Shape::Step, pick("report published", "отчёт готов"))
        },
        Fact::Committed { sha, .. } => blank(
            Shape::Step,
            format!("{} {}", pick("committed", "коммит"), sha.as_deref().map_or("—", short)),
        ),
        Fact::CommitRefused { text } => blank(Shape::Failed, text.clone()),
        Fact::Interrupted { .. } => blank(Shape::Pilot, pick("interrupted", "прервано")),
        Fact::Resumed => blank(Shape::Pilot, pick("resumed", "продолжено")),
        Fact::Completed => blank(Shape::Step, pick("completed", "завершено")),
        Fact::Noted { text } => blank(Shape::Step, format!("△ {text}")),
        Fact::Repaired { what } => blank(Shape::Step, format!("△ {}", words::mended(what, lang))),
        fact => return implementation::moment(fact, lang, blank),
    })
}

/// The vendor, or `writer`; the turn-loop's one peer is `peer`.
fn who(turn: &Turn) -> String {
    match turn.name.vendor() {
        Some(vendor) => vendor.to_string(),
        None if turn.name.is_writer() => "writer".into(),
        None => "peer".into(),
    }
}

/// The verdict of a turn if it has one, else its first words.
fn said(turn: &Turn) -> String {
    let markers = turn.markers();
    if let Some(reason) = &markers.escalate {
        return format!("! {reason}");
    }
    if let Some(summary) = &markers.consensus {
        return format!("CONSENSUS: {summary}");
    }
    let body = without_markers(turn.body());
    let first = body.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("").to_string();
    if markers.pass { format!("PASS {first}").trim_end().to_string() } else { first }
}
