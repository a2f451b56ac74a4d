//! What `doctor` says: what was found where.

use super::setting::Setting;
use crate::agents::check;
use crate::agents::process::vars::Vars;
use crate::agents::registry::Kind;
use std::fmt::Write;

/// The report as lines for a person.
pub fn text(setting: &Setting) -> String {
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
    let _ = writeln!(out, "\nvendors");
    match setting.registry() {
        Ok(registry) => {
            let vars = Vars::real();
            for vendor in &registry.vendors {
                let state = match (vendor.kind == Kind::Pilot, check::available(vendor, &vars)) {
                    (true, _) => "you".to_string(),
                    (_, Ok(())) => "available".to_string(),
                    (_, Err(why)) => format!("not available: {}", why.text(setting.lang())),
                };
                let _ = writeln!(
                    out,
                    "  {:<10} {:<9} {state} — {}",
                    vendor.key,
                    kind(&vendor.kind),
                    vendor.source
                );
            }
        }
        Err(e) => {
            let _ = writeln!(out, "  {e}\n  {}", e.next);
        }
    }
    let _ = writeln!(
        out,
        "\nenforced    process group, deadline and output cap for every call; no sandbox: not enforced"
    );
    out
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
