//! §4 of a draft whose session went on to another result. The draft is only appended to (AMB-89), but a report must not
//! record as decided what was withdrawn (PC-410, PC-623): the new result comes first, and the old words stand below it as
//! a quote.

use super::parts;
use crate::domain::lang::Lang;
use crate::domain::session::extension;
use crate::domain::session::meta::ResultClass;
use crate::domain::session::report::{SYNTHESIZED, Section, not_reached};
use crate::domain::session::slug::collapse;
use crate::domain::session::state::Session;
use crate::store::frontmatter;

/// The draft with what this session ended with, when its class is another one than the draft's.
pub fn renewed(draft: &str, s: &Session, class: ResultClass) -> String {
    let lang = s.meta.lang();
    let (Some(words), Some((head, _))) = (words(s, class, lang), frontmatter::split(draft)) else {
        return draft.to_string();
    };
    let told = super::values(head).into_iter().find(|(key, _)| key == "result_class");
    let is_same = told.is_none_or(|(_, told)| told == class.key());
    let Some(part) = parts::find(draft, Section::Decision).filter(|_| !is_same) else {
        return draft.to_string();
    };
    let before = lang.pick(
        "Before the session went on, this stood here:",
        "До того как сессия продолжилась, здесь стояло:",
    );
    let old = extension::quoted(part.body.trim());
    let (above, below) = (&draft[..part.at], &draft[part.at + part.body.len()..]);
    format!("{above}\n{words}\n\n{before}\n\n{old}\n\n{below}")
}

/// `None` where nothing is known of what was agreed.
fn words(s: &Session, class: ResultClass, lang: Lang) -> Option<String> {
    match class {
        ResultClass::NotAgreed => Some(not_reached(lang).into()),
        ResultClass::Escalated => {
            let last = s.escalations.last()?;
            let response = collapse(&last.response);
            let said = match response.is_empty() {
                true => lang
                    .pick("Pending: the pilot has not decided yet", "Ждёт: пилот ещё не решил")
                    .to_string(),
                false => format!("{}: {response}", lang.pick("The pilot decided", "Пилот решил")),
            };
            let file = last.file_name();
            Some(format!("- {said} ([{file}]({file})) {SYNTHESIZED}"))
        }
        // What the pilot read at the gate.
        ResultClass::Agreed | ResultClass::Partial => {
            let agreed = collapse(&s.notes.summary.as_ref()?.summary.agreed);
            (!agreed.is_empty()).then(|| format!("- {agreed} {SYNTHESIZED}"))
        }
    }
}
