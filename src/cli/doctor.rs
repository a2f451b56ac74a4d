//! `doctor`: what was found where.

use super::args::Place;
use super::context::Context;
use super::error::CliError;
use crate::agents::check;
use crate::agents::process::vars::Vars;
use crate::agents::registry::Kind;

pub fn run(place: &Place) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    let places = &context.places;
    println!("flightdeck  {}", super::args::version());
    println!("sessions    {} — {}", places.sessions.display(), places.why);
    println!("runtime     {}", places.runtime_root.display());
    println!("state       {}", places.state_dir.display());
    match &places.iwe {
        Some(iwe) => {
            let used = if places.in_iwe { "in use" } else { "found, but the sessions are elsewhere" };
            println!("IWE         {} ({used})", iwe.workspace.display());
            println!("  governance {}", iwe.governance.display());
            println!("  template   {}", iwe.template.display());
            println!("  scripts    {}", iwe.scripts.display());
            println!("  ledger     {}", iwe.ledger.display());
        }
        None => println!("IWE         not found"),
    }
    let repository = crate::git::repo::discover(&context.layout.governance).ok().flatten();
    println!("repository  {}", repository.map_or("none".into(), |r| r.root().display().to_string()));
    for path in &places.config_files {
        let state = if context.effective.files.contains(path) { "read" } else { "not there" };
        println!("config      {} ({state})", path.display());
    }
    println!("\nvendors");
    let vars = Vars::real();
    for vendor in &context.registry()?.vendors {
        let state = match (vendor.kind == Kind::Pilot, check::available(vendor, &vars)) {
            (true, _) => "you".to_string(),
            (_, Ok(())) => "available".to_string(),
            (_, Err(why)) => format!("not available: {}", why.text(context.lang())),
        };
        println!("  {:<10} {:<9} {state} — {}", vendor.key, kind(&vendor.kind), vendor.source);
    }
    println!("\nenforced    process group, deadline and output cap for every call; no sandbox: not enforced");
    Ok(0)
}

fn kind(kind: &Kind) -> &'static str {
    match kind {
        Kind::Script => "script",
        Kind::Native(_) => "native",
        Kind::Rehearsal { .. } => "rehearsal",
        Kind::Pilot => "pilot",
    }
}
