//! `verify`: the deterministic checks of a report (PC-660).

use super::args::{Place, Verify};
use super::context::{self, Context};
use super::error::{CliError, Kind};
use crate::domain::session::order::reading_order;
use crate::store::verify::{Severity, VerifyInput, verify};
use crate::store::{layout, load};
use crate::ui::text::sanitize;

/// Exit code 0 without errors (warnings are allowed), 1 with errors or without a report.
pub fn run(place: &Place, args: Verify) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    let id = context::id(&args.id)?;
    let loaded = load::load(&context.layout, &id).map_err(|e| context::not_loaded(&context, e))?;
    let path = loaded.dir.join(layout::REPORT);
    let report = std::fs::read(&path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => CliError::new(
            Kind::Failed,
            format!("{id} has no report yet"),
            format!("`flightdeck show {id}` says where it stands"),
        ),
        _ => CliError::failed(format!("{id} has no report that can be read ({}): {e}", path.display())),
    })?;
    let report = String::from_utf8_lossy(&report);
    let s = &loaded.session;
    let turns = reading_order(s.turns.iter(), &s.meta.round_order);
    let turn_files: Vec<String> = turns.iter().map(|t| t.name.to_string()).collect();
    let files: Vec<String> = std::fs::read_dir(&loaded.dir)
        .map_err(CliError::failed)?
        .flatten()
        .filter_map(|e| e.file_name().into_string().ok())
        .collect();
    let exists = |link: &str| loaded.dir.join(link).exists();
    let findings = verify(&VerifyInput {
        report: &report,
        meta: &s.meta,
        files: &files,
        turn_files: &turn_files,
        exists: &exists,
    });
    let errors = findings.iter().filter(|f| f.severity == Severity::Error).count();
    if args.json {
        println!("{}", serde_json::to_string_pretty(&findings).map_err(CliError::failed)?);
    } else {
        for f in &findings {
            let word = if f.severity == Severity::Error { "error" } else { "warning" };
            println!("{word:<8} {:<8} {}", f.rule, sanitize(&f.text));
        }
        println!("{id}: {errors} errors, {} warnings", findings.len() - errors);
    }
    Ok(u8::from(errors > 0))
}
