//! What the implementer and the cold reviewer are asked (PC-510 to PC-521).

use super::{Text, fill, one_line, text};
use crate::domain::lang::Lang;
use crate::domain::session::pipeline::change::{FileChange, Tree};

const IMPLEMENT: Text = text!("implement.txt");
const REVIEW: Text = text!("review.txt");

/// PC-521 (1) to (5); the configuration may name another list.
const CHECKLIST: [(&str, &str); 5] = [
    (
        "asyncio: `wait_for(coro)` without `shield`; fire-and-forget tasks that touch one DB row from several places",
        "asyncio: `wait_for(coro)` без `shield`; задачи fire-and-forget, трогающие одну строку БД из разных мест",
    ),
    (
        "shell: a function called before its definition; `set -u`",
        "shell: вызов функции до определения; `set -u`",
    ),
    (
        "SQL: writers of one row in several files without atomicity",
        "SQL: запись одной строки из нескольких файлов без атомарности",
    ),
    (
        "locks: what happens on a collision, exit or warn and go on, and whether that is intended",
        "блокировки: что при столкновении — выход или предупреждение и продолжение, и намеренно ли это",
    ),
    (
        "invariants of this decision: everything that the text above promises",
        "инварианты этого решения: всё, что обещает текст выше",
    ),
];

/// The implementing call.
#[derive(Debug, Clone, Copy)]
pub struct ImplementPrompt<'a> {
    pub lang: Lang,
    pub session: &'a str,
    pub task: &'a str,
    /// Who agreed to what, one line each.
    pub consensus: &'a [String],
    pub summary: &'a str,
    pub trees: &'a [Tree],
    /// What the last review or verification wants fixed; empty the first time.
    pub findings: &'a str,
    pub directions: &'a [String],
}

/// The trees of an implementation, one on each line.
pub fn trees(trees: &[Tree]) -> String {
    trees.iter().map(|t| format!("- {}: {}", t.name, t.path)).collect::<Vec<_>>().join("\n")
}

/// What an edit changed, one file on each line.
pub fn files(files: &[FileChange]) -> String {
    files.iter().map(FileChange::line).collect::<Vec<_>>().join("\n")
}

pub fn implement(p: &ImplementPrompt) -> String {
    let lang = p.lang;
    let block = |head: &str, text: &str| match text.trim() {
        "" => String::new(),
        text => format!("\n{head}\n{text}\n"),
    };
    let directions: Vec<&str> = p.directions.iter().map(|d| d.trim()).collect();
    fill(
        IMPLEMENT.of(lang),
        &[
            ("session", p.session),
            ("task", &one_line(p.task)),
            ("consensus", p.consensus.join("\n").trim()),
            ("summary", p.summary.trim()),
            ("findings", &block(lang.pick("To be fixed now:", "Исправить сейчас:"), p.findings)),
            (
                "direction",
                &block(lang.pick("Pilot direction:", "Направление пилота:"), &directions.join("\n")),
            ),
            ("trees", &trees(p.trees)),
        ],
    )
}

/// The reviewing call.
#[derive(Debug, Clone, Copy)]
pub struct ReviewPrompt<'a> {
    pub lang: Lang,
    pub session: &'a str,
    pub summary: &'a str,
    pub files: &'a [FileChange],
    pub diff: &'a str,
    /// Empty for the built-in list.
    pub checklist: &'a [String],
    /// The first answer was no review (PC-522).
    pub again: bool,
}

pub fn review(p: &ReviewPrompt) -> String {
    let lang = p.lang;
    let built_in = || CHECKLIST.map(|(en, ru)| lang.pick(en, ru).to_string()).to_vec();
    let list = if p.checklist.is_empty() { built_in() } else { p.checklist.to_vec() };
    let list: Vec<String> = list.iter().zip(1..).map(|(item, n)| format!("({n}) {item}")).collect();
    let again = match p.again {
        true => lang.pick(
            "Your first answer had none of these headings. Answer again, in exactly this form.",
            "В твоём первом ответе не было ни одного из этих заголовков. Ответь ещё раз, ровно в этой форме.",
        ),
        false => "",
    };
    let text = fill(
        REVIEW.of(lang),
        &[
            ("session", p.session),
            ("summary", p.summary.trim()),
            ("files", &files(p.files)),
            ("diff", p.diff.trim_end()),
            ("checklist", &list.join("\n")),
            ("again", again),
        ],
    );
    text.trim_end().to_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_521_the_review_asks_for_the_mandatory_form_in_both_languages() {
        let ask = |lang, again| {
            review(&ReviewPrompt {
                lang,
                session: "2026-08-24-01-x",
                summary: "Caps the retries.",
                files: &[],
                diff: "+{{session}} stays as it is",
                checklist: &[],
                again,
            })
        };
        for lang in [Lang::En, Lang::Ru] {
            let text = ask(lang, false);
            for part in ["## Critical (must fix before deploy)\n", "\n## High\n", "\n## Medium\n", "(5) "] {
                assert!(text.contains(part), "{part}");
            }
            assert!(text.contains("+{{session}} stays as it is"), "what is filled in is not filled again");
            assert!(ask(lang, true).len() > text.len());
        }
    }

    #[test]
    fn pc_512_the_implementer_learns_where_and_what() {
        let tree = Tree {
            name: "app".into(),
            real: "/r".into(),
            path: "/w/app".into(),
            branch: "b".into(),
            base: "c".into(),
            git: true,
        };
        let text = implement(&ImplementPrompt {
            lang: Lang::En,
            session: "s",
            task: "t",
            consensus: &["codex: cap at three".into()],
            summary: "limit the tries",
            trees: &[tree],
            findings: "- a.rs:1: wrong",
            directions: &["keep it short".into()],
        });
        for part in
            ["codex: cap at three", "- app: /w/app", "To be fixed now:\n- a.rs:1: wrong", "keep it short"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.contains("/r\n"), "the real place is none of its business");
    }
}
