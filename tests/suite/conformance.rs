//! The real CLIs, as `tests/conformance/install.sh` brings them, against a model server on loopback that this suite
//! starts. Opt-in: without the variable it says so and ends; see "Real CLIs" in `CONTRIBUTING.md`. It writes what came
//! out into the table of `docs/vendors.md`.

mod apis;
mod cases;
mod lab;
mod model;
mod script;
mod table;
mod tools;
mod vendors;

use lab::Lab;
use std::path::PathBuf;
use std::time::Instant;
use vendors::ROWS;

const VARIABLE: &str = "FLIGHTDECK_REAL_CLI";

/// Comma-separated names of rows and of cases; all when not set.
const ROWS_VARIABLE: &str = "FLIGHTDECK_REAL_VENDORS";
const CASES_VARIABLE: &str = "FLIGHTDECK_REAL_CASES";

/// How a case came out for a vendor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Ok,
    /// As the contract wants it, with a word about how.
    Told(String),
    /// The vendor's program cannot do this; why.
    Cannot(String),
    Failed(String),
}

impl Outcome {
    fn text(&self) -> String {
        match self {
            Outcome::Ok => "ok".into(),
            Outcome::Told(how) => format!("ok: {how}"),
            Outcome::Cannot(why) => format!("—: {why}"),
            Outcome::Failed(why) => format!("**failed**: {why}"),
        }
    }
}

#[test]
fn pc_075_the_real_clis_keep_the_contract() {
    let Some(installed) = std::env::var_os(VARIABLE).map(PathBuf::from) else {
        println!(
            "skipped: {VARIABLE} names no folder of tests/conformance/install.sh (CONTRIBUTING.md, Real CLIs)"
        );
        return;
    };
    let wanted = |variable: &str, name: &str| {
        let list = std::env::var(variable).unwrap_or_default();
        list.is_empty() || list.split(',').any(|one| one == name)
    };
    let mut failed = Vec::new();
    for row in ROWS.iter().filter(|row| wanted(ROWS_VARIABLE, row.name)) {
        let mut results = Vec::new();
        let version = if row.bin(&installed).exists() {
            for (case, check) in cases::ALL.iter().filter(|(case, _)| wanted(CASES_VARIABLE, case)) {
                let started = Instant::now();
                let lab = Lab::new(row, &installed);
                let outcome = check(&lab);
                let took = started.elapsed().as_secs_f32();
                println!("{:14} {case:22} {took:5.1} s  {}", row.name, outcome.text());
                if let Outcome::Failed(why) = &outcome {
                    failed.push(format!("{} × {case}: {why}", row.name));
                }
                results.push((*case, outcome.text()));
            }
            lab::version(&row.bin(&installed))
        } else {
            println!("{:14} not run: the install script could not bring it", row.name);
            results.extend(cases::ALL.iter().map(|(case, _)| (*case, "not run".to_string())));
            "not installed".into()
        };
        table::write(row, &version, &results);
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
