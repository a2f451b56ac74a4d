//! Prompts, English and Russian (PC-291, PC-322, PC-332, PC-347, PC-521, PC-604), and the sentences the pilot reads.
//!
//! Every prompt is a pure function of plain data. The texts live under `assets/prompts/<lang>/` with `{{name}}` where
//! the engine fills in a value; `<angle brackets>` in them are for the agent and stay as they are.

pub mod answers;
pub mod implement;
pub mod peer;
pub mod synthesis;
pub mod verify;
pub mod writer;

use crate::domain::fill::{fill, names};
use crate::domain::lang::Lang;
use crate::domain::session::slug::collapse as one_line;
use crate::store::report::scalar;

/// One embedded text in both languages.
struct Text {
    en: &'static str,
    ru: &'static str,
}

impl Text {
    fn of(&self, lang: Lang) -> &'static str {
        lang.pick(self.en, self.ru)
    }
}

/// The embedded text `assets/prompts/{en,ru}/<name>`.
macro_rules! text {
    ($name:literal) => {
        $crate::engine::prompt::Text {
            en: include_str!(concat!("../../../assets/prompts/en/", $name)),
            ru: include_str!(concat!("../../../assets/prompts/ru/", $name)),
        }
    };
}
use text;

/// What stands before a call that is made again because the pilot stopped it; nothing when he gave no words.
pub fn cut_in(lang: Lang, words: &[&str]) -> String {
    let words: Vec<&str> = words.iter().map(|w| w.trim()).filter(|w| !w.is_empty()).collect();
    if words.is_empty() {
        return String::new();
    }
    let head = lang.pick(
        "The pilot stopped your answer to what follows before it was finished; nothing of it counts. Answer it anew and whole, and heed what the pilot says:",
        "Пилот остановил твой ответ на то, что следует ниже, до его завершения; ничего из него не засчитано. Ответь заново и полностью, учитывая слова пилота:",
    );
    format!("{head}\n{}\n\n", words.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_that_would_break_the_head_are_quoted() {
        assert_eq!(scalar("operations critic"), "operations critic");
        assert_eq!(scalar("роль критика"), "роль критика");
        assert_eq!(scalar("cost: critic"), "\"cost: critic\"");
        assert_eq!(scalar("true"), "\"true\"");
        assert_eq!(scalar("a\nb"), "a b");
        assert_eq!(scalar("x # y"), "\"x # y\"");
        assert_eq!(scalar(""), "\"\"");
    }
}
