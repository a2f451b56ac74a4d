//! What `doctor` says about the vendors: what was found, in which version, with which signs of a login, and what keeps a
//! call in its place. No model is called.

use crate::agents::check;
use crate::agents::native::{self, binary, known};
use crate::agents::probe;
use crate::agents::process::vars::Vars;
use crate::agents::registry::{Kind, Permissions, Registry, Vendor};
use crate::agents::run::last_failure;
use crate::agents::sandbox;
use crate::domain::lang::Lang;
use crate::engine::pipeline::crew::can_edit;
use std::path::{Path, PathBuf};

/// The lines about every vendor, in the order of the registry. `runtimes` are the folders below which calls left their
/// traces.
pub async fn lines(registry: &Registry, lang: Lang, vars: &Vars, runtimes: &[&Path]) -> Vec<String> {
    let asked = registry.vendors.iter().map(|vendor| async move {
        let mut lines = vec![head(vendor, lang, vars)];
        lines.extend(details(vendor, lang, vars).await);
        lines
    });
    let mut told = futures::future::join_all(asked).await;
    for (vendor, lines) in registry.vendors.iter().zip(&mut told) {
        let failure = runtimes.iter().filter_map(|dir| last_failure(dir, &vendor.key)).max();
        lines.extend(failure.map(|(_, text)| row(lang.pick("last error", "сбой"), &text)));
    }
    told.concat()
}

fn head(vendor: &Vendor, lang: Lang, vars: &Vars) -> String {
    let state = match (vendor.kind == Kind::Pilot, check::available(vendor, vars)) {
        (true, _) => lang.pick("you", "это ты").to_string(),
        (_, Ok(())) => lang.pick("available", "доступен").to_string(),
        (_, Err(why)) => {
            format!("{}: {}", lang.pick("not available", "недоступен"), why.text(lang))
        }
    };
    format!("  {:<10} {:<9} {state} — {}", vendor.key, kind(&vendor.kind), vendor.source)
}

async fn details(vendor: &Vendor, lang: Lang, vars: &Vars) -> Vec<String> {
    let say = |en, ru, text: &str| row(lang.pick(en, ru), text);
    let mut lines = Vec::new();
    match &vendor.kind {
        Kind::Pilot | Kind::Rehearsal { .. } => return lines,
        Kind::Script => {
            let Some(path) = &vendor.path else { return lines };
            lines.push(say("program", "программа", &path.display().to_string()));
        }
        Kind::Acp => {
            let bin = vendor.bin.as_deref().and_then(|bin| binary::named(bin, vars));
            let Some(bin) = bin else { return lines };
            lines.push(say("program", "программа", &bin.display().to_string()));
            lines.push(say(
                "supports",
                "умеет",
                lang.pick(
                    "text as it comes; usage and sessions where the agent has them",
                    "текст по мере поступления; расход и сессии, где они есть у агента",
                ),
            ));
            let leave = match vendor.permissions {
                Permissions::Refuse => {
                    lang.pick("what it asks leave for is refused", "на просьбы о разрешении — отказ")
                }
                Permissions::Ask => lang.pick(
                    "what it asks leave for is asked of you; its tools are on",
                    "о разрешении спросят тебя; инструменты включены",
                ),
            };
            lines.push(say("permission", "разрешения", leave));
        }
        Kind::Native(named) => {
            let Ok(program) = binary::find(*named, vendor, vars) else { return lines };
            lines.push(say("program", "программа", &program.display().to_string()));
            let version = probe::version(&program, &native::plain_environment(vars)).await;
            let native = match version.as_deref().map(|printed| native::resolve(*named, printed)) {
                Ok(Ok(native)) => native,
                Ok(Err(refused)) => {
                    lines.push(say(
                        "version",
                        "версия",
                        &format!("{}: {refused}", lang.pick("refused", "не годится")),
                    ));
                    return lines;
                }
                Err(_) => *named,
            };
            match &version {
                Ok(printed) => {
                    lines.push(say(
                        "version",
                        "версия",
                        &format!("{printed} ({})", known::compared(native, printed, lang)),
                    ));
                }
                Err(why) => lines.push(say(
                    "version",
                    "версия",
                    &format!("{}: {why}", lang.pick("unknown", "неизвестна")),
                )),
            }
            let mut env = vars.clone();
            vendor.env.iter().for_each(|(name, value)| env.set(name, value));
            let login = known::login(native, &env);
            let no_login =
                lang.pick("no sign of one; --probe would tell", "следов нет; точно скажет --probe");
            lines.push(say("login", "вход", login.as_ref().map_or(no_login, |sign| sign.text(lang))));
            lines.push(say("supports", "умеет", known::abilities(native, lang)));
        }
    }
    lines.push(say("sandbox", "песочница", sandbox::decide(vendor, false, vars).text().text(lang)));
    if can_edit(vendor).is_ok() {
        lines.push(say(
            "implements",
            "при правке",
            sandbox::decide_editing(vendor, vars).editing_text().text(lang),
        ));
    }
    lines
}

pub fn row(label: &str, text: &str) -> String {
    format!("    {label:<10} {text}")
}

fn kind(kind: &Kind) -> &'static str {
    match kind {
        Kind::Script => "script",
        Kind::Native(_) => "native",
        Kind::Acp => "acp",
        Kind::Rehearsal { .. } => "rehearsal",
        Kind::Pilot => "pilot",
    }
}

/// Where `--probe` runs, and leaves its trace.
pub fn probe_folder(state_dir: &Path) -> PathBuf {
    state_dir.join("probe")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::registry::{Overlay, SkillPaths};
    use serde_json::json;
    use std::os::unix::fs::PermissionsExt;

    fn executable(path: &Path, script: &str) {
        std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[tokio::test]
    async fn pc_100_the_report_calls_no_model() {
        let dir = tempfile::tempdir().unwrap();
        let noted = format!("echo \"$@\" >>{}/args", dir.path().display());
        executable(&dir.path().join("claude"), &format!("{noted}; echo '2.1.400 (Claude Code)'"));
        executable(&dir.path().join("kimi"), "echo 'kimi, version 1.52.0'");
        let vendors = json!({"beta": {"kind": "acp", "bin": "./claude", "permissions": "ask"}, "claude": {"sandbox": "off"}});
        let overlay = Overlay {
            vendors: vendors.as_object().unwrap().clone(),
            base: dir.path().into(),
            origin: "config.yaml".into(),
        };
        let registry = Registry::load(&[overlay], &SkillPaths::default()).unwrap();
        let path = format!("{}:/usr/bin:/bin", dir.path().display());
        let vars: Vars = [("PATH", path.as_str()), ("ANTHROPIC_API_KEY", "sk-secret")].into_iter().collect();
        let calls = dir.path().join("runtime/2026-x/calls");
        std::fs::create_dir_all(&calls).unwrap();
        std::fs::write(calls.join("claude.failure"), "rate limit: claude: slow down").unwrap();
        let text = lines(&registry, Lang::En, &vars, &[&dir.path().join("runtime")]).await.join("\n");
        for part in [
            "claude     native    available",
            "2.1.400 (Claude Code) (newer than the tested 2.1.332)",
            "login      $ANTHROPIC_API_KEY is set",
            "sandbox    not enforced: `sandbox: off`",
            "implements not enforced: `sandbox: off`",
            "last error rate limit: claude: slow down",
            "version    refused: kimi-cli 1.52.0 is archived",
            "codex      native    not available",
            "beta       acp       available",
            "permission what it asks leave for is asked of you; its tools are on",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert_eq!(text.matches("    implements ").count(), 1, "only who was found and can edit:\n{text}");
        assert!(!text.contains("sk-secret"));
        assert_eq!(std::fs::read_to_string(dir.path().join("args")).unwrap(), "--version\n");
    }
}
