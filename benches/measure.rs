//! Nothing slow: every promise as a ratio to something that the same machine does in the same run.
//!
//! `cargo bench --bench measure` takes the full form and writes `docs/performance.md`; `-- short` takes two minutes
//! and fails beyond the budgets of `benches/budgets.yaml`. Names of rows behind it (`-- list
//! keys`) take only these. A reference program that is missing makes its row "not measured"; `FLIGHTDECK_REFERENCE` is a
//! checkout of the programs that flightdeck replaces.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::panic,
    reason = "a benchmark is a program of its own"
)]

#[path = "measure/change.rs"]
mod change;
#[path = "measure/diff.rs"]
mod diff;
#[path = "measure/filter.rs"]
mod filter;
#[path = "measure/idle.rs"]
mod idle;
#[path = "measure/keys.rs"]
mod keys;
#[path = "measure/list.rs"]
mod list;
#[path = "measure/machine.rs"]
mod machine;
#[path = "measure/memory.rs"]
mod memory;
#[path = "measure/random.rs"]
mod random;
#[path = "measure/reference.rs"]
mod reference;
#[path = "measure/report.rs"]
mod report;
#[path = "measure/search.rs"]
mod search;
#[path = "measure/table.rs"]
mod table;
#[path = "measure/turns.rs"]
mod turns;
#[path = "measure/world.rs"]
mod world;

use std::process::ExitCode;
use table::Table;

type Part = (&'static str, fn(&mut Table));

const PARTS: [Part; 10] = [
    ("list", list::run),
    ("search", search::run),
    ("keys", keys::run),
    ("turns", turns::run),
    ("filter", filter::run),
    ("change", change::run),
    ("idle", idle::run),
    ("memory", memory::run),
    ("report", report::run),
    ("diff", diff::run),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if words.iter().any(|word| word == "stream") {
        return keys::stream(&words);
    }
    let short = words.iter().any(|word| word == "short");
    let named = |name: &str| words.iter().any(|word| word == name);
    let all = !PARTS.iter().any(|(name, _)| named(name));
    let mut table = Table::new(short);
    for (name, part) in PARTS.iter().filter(|(name, _)| all || named(name)) {
        table.begin(name);
        part(&mut table);
        // A mistake is there the second time, too; what other work on the machine took is not.
        if short && table.is_beyond(name) {
            println!("-- once more");
            part(&mut table);
        }
    }
    if all && !short {
        table.write();
    }
    if table.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
