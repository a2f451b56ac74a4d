//! `_outcome.md` (PC-546): what was implemented, reviewed, verified and deployed. It is the source of the report's §6.

use super::change::FileChange;
use super::track::Deployed;
use super::verdict::Verdict;
use crate::domain::lang::Lang;

/// Everything that the file tells.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    pub files: &'a [FileChange],
    pub reviews: u32,
    pub unresolved: u32,
    pub verdict: Verdict,
    /// The agent that verified; empty when only commands ran.
    pub by: &'a str,
    /// Verifications that failed before the last one.
    pub failures: u32,
    pub deployed: &'a [Deployed],
    /// Why nothing, or not everything, was deployed.
    pub ended: Option<&'a str>,
    pub open: &'a [String],
}

pub fn render(o: &Outcome, lang: Lang) -> String {
    let none = lang.pick("none", "нет");
    let or_none = |lines: Vec<String>| if lines.is_empty() { none.to_string() } else { lines.join("\n") };
    let files = o.files.iter().map(|f| {
        let says = if f.says.is_empty() { f.stat() } else { f.says.clone() };
        format!("{} — {says}", f.label())
    });
    let verify = match (o.verdict, o.failures) {
        (Verdict::Pass, 0) => "PASS".to_string(),
        (Verdict::Pass, n) => {
            format!(
                "PASS ({})",
                lang.pick("fixed after {n} FAIL", "исправлено после {n} FAIL").replace("{n}", &n.to_string())
            )
        }
        (Verdict::Fail, _) => "FAIL".into(),
        (Verdict::NotRun, _) => lang.pick("not run", "не выполнялась").into(),
    };
    let verify = if o.by.is_empty() { verify } else { format!("{verify} · verifier {}", o.by) };
    let mut deploy: Vec<String> = o.deployed.iter().map(|d| deployed(d, lang)).collect();
    if let Some(why) = o.ended {
        let head = if o.deployed.is_empty() {
            lang.pick("not deployed", "не развёрнуто")
        } else {
            lang.pick("the rest was not deployed", "остальное не развёрнуто")
        };
        deploy.push(format!("- {head}: {}", one_line(why)));
    }
    let unresolved = if o.unresolved == 0 { none.to_string() } else { o.unresolved.to_string() };
    let open = or_none(o.open.iter().map(|task| format!("- {}", one_line(task))).collect());
    let [files_head, reviews, left, smoke, deploy_head, tasks] = match lang {
        Lang::En => [
            "**Changed files:**",
            "**Code review iterations:**",
            "**Unresolved (deferred):**",
            "**Smoke verification:**",
            "**Deploy:**",
            "**Open tasks after deploy:**",
        ],
        Lang::Ru => [
            "**Изменённые файлы:**",
            "**Code review итераций:**",
            "**Unresolved (отложено на потом):**",
            "**Smoke verification:**",
            "**Deploy:**",
            "**Открытые задачи после deploy:**",
        ],
    };
    let heading = lang.pick("## Implementation and verification", "## Реализация и проверка");
    let open = if open.starts_with('-') { format!("\n{open}") } else { format!(" {open}") };
    format!(
        "{heading}\n\n{files_head}\n{}\n\n{reviews} {}\n{left} {unresolved}\n\n{smoke} {verify}\n\n{deploy_head}\n{}\n\n{tasks}{open}\n",
        or_none(files.collect()),
        o.reviews,
        or_none(deploy),
    )
}

fn deployed(d: &Deployed, lang: Lang) -> String {
    let what = match d.sha.as_str() {
        "copy" => lang.pick("written, no repository", "записано, репозитория нет").to_string(),
        sha => format!("commit {sha}"),
    };
    let pushed = match (d.pushed, d.note.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!(" ({})", lang.pick("not pushed", "не отправлено")),
        (_, false) => format!(" ({})", d.note),
    };
    format!("- {}: {what}{pushed}", d.repo)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::change::tests::file;
    use super::*;

    fn outcome<'a>() -> Outcome<'a> {
        Outcome {
            files: &[],
            reviews: 2,
            unresolved: 0,
            verdict: Verdict::Pass,
            by: "",
            failures: 1,
            deployed: &[],
            ended: None,
            open: &[],
        }
    }

    #[test]
    fn pc_546_the_file_in_both_languages() {
        let files =
            [FileChange { says: "caps the retries".into(), ..file("app", "src/a.rs") }, file("app", "b")];
        let done = [
            Deployed { repo: "app".into(), sha: "1a2b".into(), pushed: true, note: String::new() },
            Deployed {
                repo: "web".into(),
                sha: "3c4d".into(),
                pushed: false,
                note: "not pushed: no remote".into(),
            },
        ];
        let open = ["tell the team".to_string()];
        let text = render(&Outcome { files: &files, deployed: &done, open: &open, ..outcome() }, Lang::En);
        assert_eq!(
            text,
            "## Implementation and verification\n\n**Changed files:**\napp/src/a.rs — caps the retries\napp/b — +1 −1\n\n\
             **Code review iterations:** 2\n**Unresolved (deferred):** none\n\n\
             **Smoke verification:** PASS (fixed after 1 FAIL)\n\n**Deploy:**\n- app: commit 1a2b\n\
             - web: commit 3c4d (not pushed: no remote)\n\n**Open tasks after deploy:**\n- tell the team\n"
        );
        let ru = render(&Outcome { unresolved: 3, ..outcome() }, Lang::Ru);
        for part in
            ["## Реализация и проверка", "**Изменённые файлы:**\nнет", "потом):** 3", "после deploy:** нет"]
        {
            assert!(ru.contains(part), "{part} in {ru}");
        }
    }

    #[test]
    fn pc_546_what_was_not_done_is_not_called_done() {
        let o = Outcome { verdict: Verdict::Fail, ended: Some("the pilot\nkeeps the branch"), ..outcome() };
        let text = render(&o, Lang::En);
        assert!(text.contains("verification:** FAIL\n"), "{text}");
        assert!(text.contains("- not deployed: the pilot keeps the branch"), "{text}");
        let text = render(&Outcome { verdict: Verdict::NotRun, ..outcome() }, Lang::En);
        assert!(text.contains("verification:** not run\n"), "{text}");
    }
}
