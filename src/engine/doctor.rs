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
    let mut line = |label: &str, value: String| {
        let _ = writeln!(out, "{label:<11} {value}");
    };
    line("flightdeck", env!("FLIGHTDECK_VERSION").to_string());
    line("sessions", format!("{} — {}", places.sessions.display(), places.why));
    line("runtime", places.runtime_root.display().to_string());
    line("state", places.state_dir.display().to_string());
    match &places.iwe {
        Some(iwe) => {
            let used = if places.in_iwe { "in use" } else { "found, but the sessions are elsewhere" };
            line("IWE", format!("{} ({used})", iwe.workspace.display()));
            line("  govern.", iwe.governance.display().to_string());
            line("  template", iwe.template.display().to_string());
            line("  scripts", iwe.scripts.display().to_string());
            line("  ledger", iwe.ledger.display().to_string());
        }
        None => line("IWE", "not found".into()),
    }
    let repository = crate::git::repo::discover(&setting.layout.governance).ok().flatten();
    line("repository", repository.map_or("none".into(), |r| r.root().display().to_string()));
    for path in &places.config_files {
        let state = if setting.effective.files.contains(path) { "read" } else { "not there" };
        line("config", format!("{} ({state})", path.display()));
    }
    if let Some((asked, verdict)) = &setting.effective.untrusted {
        let why = if *verdict == Verdict::Refused { "refused by you" } else { "not trusted" };
        let keys: Vec<&str> = asked.wishes.iter().map(|wish| wish.key.as_str()).collect();
        let keys = keys.join(", ").escape_debug().to_string();
        let _ = writeln!(out, "            {why}, so these are not used: {keys} (`flightdeck config trust`)");
    }
    let _ = writeln!(out, "changes     {}", changes(&places.sessions, setting.lang()));
    let _ = writeln!(out, "\nvendors");
    match setting.registry() {
        Ok(registry) => {
            let probes = vendors::probe_folder(&places.state_dir);
            let runtimes = [places.runtime_root.as_path(), probes.as_path()];
            let lines = vendors::lines(&registry, setting.lang(), &Vars::real(), &runtimes).await;
            lines.iter().for_each(|line| {
                let _ = writeln!(out, "{line}");
            });
            let _ = writeln!(out, "\nimplementation");
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
        Ok(()) => "Landlock, for the vendors that say so above".to_string(),
        Err(why) => format!("no sandbox: not enforced, {why}"),
    };
    let secrets = match setting.effective.values.secrets {
        Secrets::Ask => {
            "a prompt that seems to hold a key, a token or a password waits for you; known forms only"
        }
        Secrets::Off => "not checked: prompts are sent whatever they hold (`secrets: off`)",
    };
    let _ = writeln!(out, "\nsecrets     {secrets}");
    let _ = writeln!(out, "\nenforced    process group, deadline and output cap for every call; {sandbox}");
    out
}
