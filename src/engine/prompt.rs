//! Prompts, English and Russian (PC-291, PC-322, PC-332, PC-347, PC-521, PC-604), and the sentences the pilot reads.
//!
//! Every prompt is a pure function of plain data. The texts live under `assets/prompts/<lang>/` with `{{name}}` where
//! the engine fills in a value; `<angle brackets>` in them are for the agent and stay as they are.

pub mod answers;
pub mod peer;
pub mod say;
pub mod synthesis;
pub mod writer;

use crate::domain::lang::Lang;
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

/// Puts the values in place of `{{name}}`. One pass: an inserted value is never looked at again, so a task or a reply
/// that contains `{{…}}` or `<…>` goes through as it is. Unknown names stay.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len() + values.iter().map(|(_, v)| v.len()).sum::<usize>());
    let mut rest = template;
    while let Some(at) = rest.find("{{") {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 2..];
        let known = tail.find("}}").and_then(|end| {
            values.iter().find(|(name, _)| *name == &tail[..end]).map(|(_, value)| (end, *value))
        });
        match known {
            Some((end, value)) => {
                out.push_str(value);
                rest = &tail[end + 2..];
            }
            None => {
                out.push_str("{{");
                rest = tail;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The names in `{{…}}` of a template, in order.
fn names(template: &str) -> Vec<&str> {
    template.split("{{").skip(1).filter_map(|part| part.split_once("}}").map(|(name, _)| name)).collect()
}

/// Text of an agent or a person brought onto one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_inserted_verbatim_and_never_looked_at_again() {
        let got = fill("a {{x}} {{y}} {{z}} {{", &[("x", "{{y}} <task> {}"), ("y", "{{x}}")]);
        assert_eq!(got, "a {{y}} <task> {} {{x}} {{z}} {{");
        assert_eq!(fill("{{{{x}}", &[("x", "1")]), "{{1");
        assert_eq!(names("{{a}} {{b}} {{c"), ["a", "b"]);
    }

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
