//! The question whether an agent may do what it asks leave for.

use super::pipeline::Asked;
use crate::domain::effect::Call;
use crate::domain::lang::Lang;
use crate::domain::question::{Choice, Question, QuestionKind};
use crate::domain::session::permission::{Detail, Offer, OfferKind, REJECT, Request, keys};
use crate::domain::session::state::Session;
use crate::domain::time::Stamp;

/// The first line is what the agent wants, in its own words; it is what stays of the question when it is over.
pub fn question(s: &Session, call: &Call, request: &Request, now: Stamp) -> Question {
    let id = format!("permission-{}", s.notes.permissions + 1);
    super::asked(s, (id, QuestionKind::Permission), now, |lang| worded(s, call, request, lang))
}

fn worded(s: &Session, call: &Call, request: &Request, lang: Lang) -> Asked {
    let who = call.vendor.as_deref().unwrap_or(&s.meta.writer_agent);
    let title = match (request.title.trim(), request.tool.trim()) {
        ("", "") => lang.pick("something that it does not name", "что-то, чего не называет"),
        ("", tool) => tool,
        (title, _) => title,
    };
    let tool = if request.tool.is_empty() { String::new() } else { format!(" ({})", request.tool) };
    let mut text = match lang {
        Lang::En => format!("{title}\n{who} asks whether it may do this{tool}:"),
        Lang::Ru => format!("{title}\n{who} спрашивает, можно ли это сделать{tool}:"),
    };
    for detail in &request.details {
        text.push('\n');
        text.push_str(&match detail {
            Detail::Path(path) => format!("  {} {path}", lang.pick("file:", "файл:")),
            Detail::Command(line) => format!("  $ {line}"),
            Detail::Input(input) => format!("  {input}"),
            Detail::More(n) => match lang {
                Lang::En => format!("  … {n} characters more that are not shown"),
                Lang::Ru => format!("  … ещё символов, которые не показаны: {n}"),
            },
        });
    }
    (text, choices(request, lang), false)
}

/// Only what the agent offers, and the refusal that needs no offer.
fn choices(request: &Request, lang: Lang) -> Vec<Choice> {
    let offers = request.offers.iter().zip(keys(&request.offers));
    let mut choices: Vec<Choice> = offers.map(|(offer, key)| Choice::new(&key, label(offer, lang))).collect();
    if !choices.iter().any(|choice| choice.key == REJECT) {
        choices.push(Choice::new(
            REJECT,
            lang.pick("refuse it; the agent goes on without", "отказать; агент продолжит без этого"),
        ));
    }
    choices
}

/// What the kind means comes first: the name is the agent's, and could say anything.
fn label(offer: &Offer, lang: Lang) -> String {
    let means = match offer.kind {
        OfferKind::AllowOnce => lang.pick("allow it this once", "разрешить один раз"),
        OfferKind::AllowAlways => lang.pick("allow it from now on", "разрешать всегда"),
        OfferKind::RejectOnce => lang.pick("refuse it", "отказать"),
        OfferKind::RejectAlways => lang.pick("refuse it from now on", "отказывать всегда"),
    };
    let said = lang.pick("the agent says", "агент пишет");
    if offer.name.trim().is_empty() { means.to_string() } else { format!("{means} ({said}: {})", offer.name) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::effect::Purpose;
    use crate::domain::session::id::SessionId;
    use crate::domain::session::meta::Meta;

    fn asked(request: &Request, lang: Lang) -> Question {
        let mut meta = Meta::new(SessionId::parse("2026-08-24-01-x").unwrap(), "task");
        meta.task_description = lang.pick("a task", "задача").into();
        let s = Session::new(meta);
        let vendor = Some("beta".to_string());
        let call =
            Call { purpose: Purpose::Peer, vendor, round: 1, attempt: 1, name: None, complaints: Vec::new() };
        question(&s, &call, request, Stamp::default())
    }

    #[test]
    fn pc_062_a_request_is_shown_whole_and_offers_nothing_of_its_own() {
        let offer = |kind, name: &str| Offer { kind, name: name.into() };
        let request = Request {
            tool: "execute".into(),
            title: "Make a file".into(),
            details: vec![Detail::Path("/w/a".into()), Detail::Command("touch a".into()), Detail::More(12)],
            offers: vec![offer(OfferKind::AllowOnce, "Refuse"), offer(OfferKind::AllowAlways, "")],
        };
        let q = asked(&request, Lang::En);
        assert_eq!(q.id, "permission-1");
        let lines: Vec<&str> = q.text.lines().collect();
        assert_eq!(
            lines,
            [
                "Make a file",
                "beta asks whether it may do this (execute):",
                "  file: /w/a",
                "  $ touch a",
                "  … 12 characters more that are not shown"
            ]
        );
        let keys: Vec<(&str, &str)> = q.choices.iter().map(|c| (c.key.as_str(), c.label.as_str())).collect();
        assert_eq!(
            keys,
            [
                // A name that lies stands behind what the choice does.
                ("allow", "allow it this once (the agent says: Refuse)"),
                ("always", "allow it from now on"),
                ("reject", "refuse it; the agent goes on without"),
            ]
        );
        assert!(!q.free_text);
        let q = asked(&Request::default(), Lang::En);
        assert_eq!(q.choices.len(), 1, "an agent that offers nothing can only be refused");
        assert!(q.text.starts_with("something that it does not name\n"), "{}", q.text);
    }
}
