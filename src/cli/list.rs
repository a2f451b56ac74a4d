//! `list`: the index table as it stands (PC-005, PC-006).

use super::args::{List, Place};
use super::context::Context;
use super::error::CliError;
use super::out::wrote;
use crate::store::list;
use std::io::Write;

pub fn run(place: &Place, args: List) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    if args.json {
        return json(&context, args.limit);
    }
    match std::fs::read(context.layout.index()) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            let mut out = std::io::stdout().lock();
            for line in text.lines().filter(|line| line.trim_start().starts_with('|')) {
                if !wrote(writeln!(out, "{}", crate::ui::text::sanitize(line))) {
                    break;
                }
            }
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            println!("{}", crate::domain::say::Say::NoIndex.text(context.lang()));
        }
        Err(e) => {
            return Err(CliError::failed(format!("cannot read {}: {e}", context.layout.index().display())));
        }
    }
    Ok(0)
}

fn json(context: &Context, limit: usize) -> Result<u8, CliError> {
    let rows: Vec<serde_json::Value> = list::newest(&context.layout, limit)
        .into_iter()
        .map(|l| {
            let row = l.row.as_ref();
            let cell = |f: fn(&crate::store::index::Row) -> &String| row.map(|r| f(r).clone());
            serde_json::json!({
                "id": l.id.to_string(), "dir": l.dir, "foreign": l.foreign,
                "task": cell(|r| &r.task), "agents": cell(|r| &r.agents), "turns": cell(|r| &r.turns),
                "escalations": cell(|r| &r.escalations), "status": cell(|r| &r.status), "report": cell(|r| &r.report),
            })
        })
        .collect();
    println!("{}", serde_json::to_string_pretty(&rows).map_err(CliError::failed)?);
    Ok(0)
}
