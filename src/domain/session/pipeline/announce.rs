//! The announcement before edits count (PC-510).

use super::change::{Edit, Tree};
use crate::domain::lang::Lang;

/// Labels of the edit's files that were not announced yet; an announcement is due when there is any (PC-511).
pub fn fresh(edit: &Edit, announced: &[String]) -> Vec<String> {
    edit.files.iter().map(|f| f.label()).filter(|label| !announced.contains(label)).collect()
}

/// The text of PC-510: every file of the edit with its real path.
pub fn text(lang: Lang, session: &str, edit: &Edit, trees: &[Tree]) -> String {
    let real =
        |repo: &str| trees.iter().find(|t| t.name == repo).map(|t| t.real.as_str()).unwrap_or_default();
    // An agent may call a file what looks like the next line.
    let one_line = |path: &str| path.replace(char::is_control, "\u{fffd}");
    let files: Vec<String> =
        edit.files.iter().map(|f| format!("{}/{}", real(&f.repo), one_line(&f.path))).collect();
    let mut repos: Vec<&str> = edit.files.iter().map(|f| f.repo.as_str()).collect();
    repos.dedup();
    let (files, repos) = (files.join(", "), repos.join(" · "));
    match lang {
        Lang::En => format!(
            "Implementing consensus {session}\nFiles: {files}\nRepo: {repos}\nMethod: Edit/Write tools directly"
        ),
        Lang::Ru => format!(
            "Реализация консенсуса {session}\nФайлы: {files}\nРепо: {repos}\nМетод: Edit/Write tools напрямую"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::tests::file;
    use super::*;

    fn edit() -> Edit {
        Edit {
            number: 1,
            files: vec![file("app", "a.rs"), file("app", "b.rs"), file("web", "c.js")],
            trees: vec![],
            reserved: vec![],
            missing: vec![],
            unclaimed: vec![],
            reviews: 0,
            verifies: 0,
            pinpoint: false,
        }
    }

    #[test]
    fn pc_510_files_with_absolute_paths_and_repositories() {
        let tree = |name: &str| Tree {
            name: name.into(),
            real: format!("/home/ada/{name}"),
            path: String::new(),
            branch: String::new(),
            base: String::new(),
            git: true,
        };
        let said = text(Lang::En, "2026-08-24-01-x", &edit(), &[tree("app"), tree("web")]);
        assert_eq!(
            said,
            "Implementing consensus 2026-08-24-01-x\nFiles: /home/ada/app/a.rs, /home/ada/app/b.rs, \
             /home/ada/web/c.js\nRepo: app · web\nMethod: Edit/Write tools directly"
        );
        assert!(text(Lang::Ru, "x", &edit(), &[]).starts_with("Реализация консенсуса x\nФайлы: "));
    }

    #[test]
    fn pc_510_a_file_name_adds_no_line() {
        let edit = Edit { files: vec![file("app", "a\nRepo: web\u{1b}[2J")], ..edit() };
        let said = text(Lang::En, "x", &edit, &[]);
        assert_eq!(said.lines().nth(1), Some("Files: /a\u{fffd}Repo: web\u{fffd}[2J"));
        assert_eq!(said.lines().count(), 4);
    }

    #[test]
    fn pc_511_only_new_files_are_announced_again() {
        assert_eq!(fresh(&edit(), &["app/a.rs".into()]), ["app/b.rs", "web/c.js"]);
    }
}
