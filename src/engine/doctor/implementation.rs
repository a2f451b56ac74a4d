//! What `doctor` says about `implementation`: who edits, who reviews, and how each repository stands. Nothing is changed
//! and nobody is called.

use super::vendors::row;
use crate::agents::process::vars::Vars;
use crate::agents::registry::{Kind, Registry};
use crate::agents::sandbox;
use crate::config::implementation::{Implementation, RepoSetting};
use crate::domain::lang::Lang;
use crate::domain::session::pipeline::track::short;
use crate::engine::pipeline::crew::{can_edit, can_verify};
use crate::git::{onward, repo};

/// The lines about the implementation; one when nothing is configured. `writer` edits when nobody is named. Asks git, so it
/// is not for an async thread.
pub fn lines(
    setting: Option<&Implementation>,
    writer: &str,
    registry: &Registry,
    lang: Lang,
    vars: &Vars,
) -> Vec<String> {
    let Some(setting) = setting.filter(|setting| !setting.repos.is_empty()) else {
        return vec![row(
            lang.pick("none", "нет"),
            lang.pick(
                "`implementation` names no repository; choice B is only recorded",
                "`implementation` не называет репозитория; выбор B только записывается",
            ),
        )];
    };
    let mut lines = vec![
        row(
            lang.pick("edits", "правит"),
            &editor(setting.vendor.as_deref().unwrap_or(writer), registry, lang, vars),
        ),
        row(lang.pick("reviews", "ревью"), &reviewer(setting, registry, lang)),
    ];
    if let Some(key) = &setting.verifier {
        lines.push(row(lang.pick("verifies", "проверяет"), &verifier(key, registry, lang)));
    }
    for one in &setting.repos {
        lines.push(row(&one.name, &place(one, lang)));
        let verify = match one.verify.as_slice() {
            [] => lang.pick("nothing verifies it", "проверять нечем").to_string(),
            commands => {
                format!("{} {}", lang.pick("verified by", "проверка:"), commands.join(" · ").escape_debug())
            }
        };
        lines.push(row("", &verify));
    }
    lines
}

fn unknown(key: &str, lang: Lang) -> String {
    format!(
        "{key}: {}",
        lang.pick("no such vendor; correct `implementation`", "нет такого; исправь `implementation`")
    )
}

fn editor(key: &str, registry: &Registry, lang: Lang, vars: &Vars) -> String {
    let Some(vendor) = registry.get(key) else { return unknown(key, lang) };
    match can_edit(vendor) {
        Ok(()) => format!("{key} — {}", sandbox::decide_editing(vendor, vars).editing_text().text(lang)),
        Err((en, ru)) => format!("{key}: {}", lang.pick(en, ru)),
    }
}

fn reviewer(setting: &Implementation, registry: &Registry, lang: Lang) -> String {
    let Some(key) = &setting.reviewer else {
        let other =
            lang.pick("another participant than the one who edits", "другой участник, не тот, кто правит");
        return other.into();
    };
    match registry.get(key).map(|vendor| &vendor.kind) {
        None => unknown(key, lang),
        Some(Kind::Pilot) => format!("{key}: {}", lang.pick("cannot review", "не может делать ревью")),
        Some(_) => key.clone(),
    }
}

fn verifier(key: &str, registry: &Registry, lang: Lang) -> String {
    match registry.get(key).map(can_verify) {
        None => unknown(key, lang),
        Some(Ok(())) => key.to_string(),
        Some(Err((en, ru))) => format!("{key}: {}", lang.pick(en, ru)),
    }
}

/// Where the repository is, and in which state; where it is pushed to.
fn place(one: &RepoSetting, lang: Lang) -> String {
    let shown = one.path.display();
    let Some(real) = one.path.canonicalize().ok().filter(|path| path.is_dir()) else {
        return format!(
            "{shown}: {}",
            lang.pick("not found; correct its `path`", "не найден; исправь `path`")
        );
    };
    let shown = real.display();
    let found = match repo::discover(&real) {
        Ok(Some(found)) => found,
        Ok(None) => {
            let what =
                lang.pick("a folder without git; a filtered copy is edited", "папка без git; правится копия");
            return format!("{shown}: {what}");
        }
        Err(e) => return e.to_string(),
    };
    let Some(head) = found.head() else {
        return format!("{shown}: {}", lang.pick("no commit yet; make one", "ещё нет коммита; сделай его"));
    };
    let branch = found.branch();
    let on = match &branch {
        Some(branch) => format!("{branch} {}", lang.pick("at", "на")),
        None => lang.pick("no branch, HEAD at", "без ветки, HEAD на").to_string(),
    };
    let changed = match found.status(std::slice::from_ref(&real)).map(|changes| changes.len()) {
        Ok(0) => lang.pick("clean", "чисто").to_string(),
        Ok(n) => format!(
            "{n} {}",
            lang.pick("changed by you, left as they are", "изменено тобой, останется как есть")
        ),
        Err(e) => e.what,
    };
    let push = match (one.push, onward::upstream(&real).unwrap_or_default()) {
        (false, _) => lang.pick("not pushed (`push: false`)", "без push (`push: false`)").to_string(),
        (true, None) => lang.pick("not pushed: no upstream", "без push: нет upstream").to_string(),
        (true, Some(to)) => {
            let name = to.branch.strip_prefix("refs/heads/").unwrap_or(&to.branch);
            format!("{} {}/{name}", lang.pick("pushed to", "push в"), to.remote)
        }
    };
    format!("{shown}: {on} {}, {changed}; {push}", short(&head))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::registry::SkillPaths;
    use serde_json::json;
    use std::path::Path;

    fn git(at: &Path, args: &[&str]) {
        let mut command = std::process::Command::new("git");
        command.current_dir(at).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid"]).args(args);
        assert!(command.status().unwrap().success(), "{args:?}");
    }

    fn told(setting: Option<&Implementation>, lang: Lang) -> String {
        let registry = Registry::load(&[], &SkillPaths::default()).unwrap();
        lines(setting, "gemini", &registry, lang, &Vars::default()).join("\n")
    }

    #[test]
    fn pc_467_the_report_says_what_choice_b_would_meet() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("app")).unwrap();
        std::fs::create_dir_all(root.join("plain")).unwrap();
        let app = root.join("app");
        git(&app, &["init", "-q", "-b", "main"]);
        git(&app, &["commit", "-q", "--allow-empty", "-m", "begin"]);
        let read = |value| crate::config::implementation::read(&value, &root, None).unwrap();
        let setting = read(json!({"vendor": "codex", "reviewer": "nobody", "repos": {
            "app": {"path": "app", "verify": ["make check"]}, "plain": {"path": "plain", "push": false},
            "gone": {"path": "gone"}}}));
        let text = told(Some(&setting), Lang::En);
        for part in [
            "edits      codex — the CLI's own",
            "reviews    nobody: no such vendor",
            "/app: main at ",
            ", clean; not pushed: no upstream",
            "verified by make check",
            "/plain: a folder without git",
            "nothing verifies it",
            "/gone: not found",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        std::fs::write(app.join("mine.txt"), "").unwrap();
        git(&app, &["config", "branch.main.remote", "origin"]);
        git(&app, &["config", "branch.main.merge", "refs/heads/main"]);
        let text = told(Some(&setting), Lang::Ru);
        for part in ["правит", "main на ", "1 изменено тобой", "push в origin/main", "проверять нечем"]
        {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn pc_467_the_writer_edits_when_nobody_is_named_and_nothing_is_one_line() {
        assert_eq!(told(None, Lang::En).lines().count(), 1);
        let value = json!({"repos": {"app": {"path": "/nowhere"}}});
        let setting = crate::config::implementation::read(&value, Path::new("/"), None).unwrap();
        let text = told(Some(&setting), Lang::En);
        assert!(text.contains("gemini: is called for text only"), "{text}");
        assert!(text.contains("another participant"), "{text}");
    }
}
