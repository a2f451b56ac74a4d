//! What `doctor` says: what was found where.

mod call;
mod implementation;
mod vendors;

pub use call::probe;

use super::outside;
use super::setting::Setting;
use crate::agents::process::vars::Vars;
use crate::agents::sandbox;
use crate::config::layers::Secrets;
use crate::config::trust::Verdict;
use crate::domain::lang::Lang;
use std::fmt::Write;
use std::path::Path;

/// How changes by other programs are found: PC-444 holds without watches too, only later.
fn changes(sessions: &Path, lang: Lang) -> String {
    let folder = sessions.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    match outside::available(folder) {
        Ok(()) => lang.pick("the system tells of them at once", "система сообщает о них сразу").to_string(),
        Err(error) => lang
            .pick(
                "the system tells nobody of them ({{why}}), so answers are looked for every 2 s and sessions every 5 s; \
                 other programs use its watches up, or `fs.inotify.max_user_watches` and `…_instances` are too low",
                "система о них не сообщает ({{why}}), поэтому ответы ищутся каждые 2 с, сессии — каждые 5 с; \
                 наблюдения исчерпали другие программы, или `fs.inotify.max_user_watches` и `…_instances` слишком малы",
            )
            .replace("{{why}}", &error.to_string()),
    }
}

/// The report as lines for a person.
pub async fn text(setting: &Setting) -> String {
    let mut out = String::new();
    let places = &setting.places;
    let lang = setting.lang();
    let mut line = |label: &str, value: String| {
        let _ = writeln!(out, "{label:<11} {value}");
    };
    line("flightdeck", env!("FLIGHTDECK_VERSION").to_string());
    let why = places.why.text(lang);
    line(lang.pick("sessions", "сессии"), format!("{} — {why}", places.sessions.display()));
    line(lang.pick("runtime", "при работе"), places.runtime_root.display().to_string());
    line(lang.pick("state", "состояние"), places.state_dir.display().to_string());
    match &places.iwe {
        Some(iwe) => {
            let used = match places.in_iwe {
                true => lang.pick("in use", "используется"),
                false => lang.pick("found, but the sessions are elsewhere", "есть, но сессии не там"),
            };
            line("IWE", format!("{} ({used})", iwe.workspace.display()));
            line("  govern.", iwe.governance.display().to_string());
            line("  template", iwe.template.display().to_string());
            line("  scripts", iwe.scripts.display().to_string());
            line("  ledger", iwe.ledger.display().to_string());
        }
        None => line("IWE", lang.pick("not found", "не найдено").into()),
    }
    let repository = crate::git::repo::discover(&setting.layout.governance).ok().flatten();
    let none = || lang.pick("none", "нет").to_string();
    line(
        lang.pick("repository", "репозиторий"),
        repository.map_or_else(none, |r| r.root().display().to_string()),
    );
    for path in &places.config_files {
        let state = match setting.effective.files.contains(path) {
            true => lang.pick("read", "прочитан"),
            false => lang.pick("not there", "его нет"),
        };
        line(lang.pick("config", "настройки"), format!("{} ({state})", path.display()));
    }
    if let Some((asked, verdict)) = &setting.effective.untrusted {
        let why = match verdict {
            Verdict::Refused => lang.pick("refused by you", "ты отказал"),
            _ => lang.pick("not trusted", "нет доверия"),
        };
        let keys: Vec<&str> = asked.wishes.iter().map(|wish| wish.key.as_str()).collect();
        let keys = keys.join(", ").escape_debug().to_string();
        let unused = lang.pick("so these are not used", "поэтому не действуют");
        let _ = writeln!(out, "            {why}, {unused}: {keys} (`flightdeck config trust`)");
    }
    let label = lang.pick("changes", "перемены");
    let _ = writeln!(out, "{label:<11} {}", changes(&places.sessions, lang));
    let _ = writeln!(out, "\n{}", lang.pick("vendors", "вендоры"));
    match setting.registry() {
        Ok(registry) => {
            let probes = vendors::probe_folder(&places.state_dir);
            let runtimes = [places.runtime_root.as_path(), probes.as_path()];
            let lines = vendors::lines(&registry, lang, &Vars::real(), &runtimes).await;
            lines.iter().for_each(|line| {
                let _ = writeln!(out, "{line}");
            });
            let _ = writeln!(out, "\n{}", lang.pick("implementation", "реализация"));
            let values = setting.effective.values.clone();
            let asked = tokio::task::spawn_blocking(move || {
                let (named, lang) = (values.implementation.as_ref(), values.lang);
                implementation::lines(named, &values.writer, &registry, lang, &Vars::real())
            });
            asked.await.unwrap_or_default().iter().for_each(|line| {
                let _ = writeln!(out, "{line}");
            });
        }
        Err(e) => {
            let _ = writeln!(out, "  {e}\n  {}", e.next);
        }
    }
    let sandbox = match sandbox::support() {
        Ok(()) => lang
            .pick(
                "Landlock, for the vendors that say so above",
                "Landlock — у вендоров, где это сказано выше",
            )
            .to_string(),
        Err(why) => {
            format!("{}, {}", lang.pick("no sandbox: not enforced", "песочницы нет"), why.text(lang))
        }
    };
    let secrets = match setting.effective.values.secrets {
        Secrets::Ask => lang.pick(
            "a prompt that seems to hold a key, a token or a password waits for you; known forms only",
            "промпт, где похоже есть ключ, токен или пароль, ждёт тебя; только известные виды",
        ),
        Secrets::Off => lang.pick(
            "not checked: prompts are sent whatever they hold (`secrets: off`)",
            "не проверяются: промпты уходят с чем угодно (`secrets: off`)",
        ),
    };
    let _ = writeln!(out, "\n{:<11} {secrets}", lang.pick("secrets", "секреты"));
    let always = lang.pick(
        "process group, deadline and output cap for every call",
        "группа процессов, срок и предел вывода у каждого вызова",
    );
    let _ = writeln!(out, "\n{:<11} {always}; {sandbox}", lang.pick("enforced", "ограничено"));
    out
}
