//! What the engine tells the pilot about an implementation besides its questions.

use crate::domain::lang::Lang;

/// Claimed by the agent, not changed on disk (PC-512).
pub fn claimed_not_changed(lang: Lang, files: &[String]) -> String {
    format!(
        "{} {}",
        lang.pick("Claimed, but not changed on disk:", "Заявлено, но на диске не изменено:"),
        files.join(", ")
    )
}

pub fn changed_not_claimed(lang: Lang, files: &[String]) -> String {
    format!("{} {}", lang.pick("Changed, but not claimed:", "Изменено, но не заявлено:"), files.join(", "))
}

pub fn unreviewed(lang: Lang) -> &'static str {
    lang.pick(
        "The pilot goes on without a review of the last edit.",
        "Пилот продолжает без ревью последней правки.",
    )
}

/// Real files that changed while the agent ran, by whoever (PC-512).
pub fn changed_outside(lang: Lang, files: &[String]) -> String {
    let head = lang.pick(
        "While the implementer ran, these changed outside its trees:",
        "Пока работал исполнитель, вне его деревьев изменилось:",
    );
    format!("{head} {}", files.join(", "))
}
