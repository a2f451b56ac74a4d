//! The table of `docs/vendors.md`: a section for each vendor, of which a run replaces those that it ran.

use super::vendors::Row;
use std::fs;
use std::path::Path;

const FILE: &str = "docs/vendors.md";
const BEGIN: &str = "<!-- outcomes: written by tests/suite/conformance.rs -->";

/// Replaces the outcomes of these cases of a vendor; others stay.
pub fn write(row: &Row, version: &str, results: &[(&str, String)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, replaced(&text, row.name, version, &today(), results)).unwrap();
}

fn today() -> String {
    jiff::Timestamp::now().to_string()[..10].to_string()
}

fn replaced(text: &str, vendor: &str, version: &str, date: &str, results: &[(&str, String)]) -> String {
    let (before, table) = text.split_once(BEGIN).expect("the table's mark");
    let mut sections: Vec<(String, Vec<String>)> = Vec::new();
    for line in table.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        match line.strip_prefix("### ") {
            Some(title) => sections.push((title.to_string(), Vec::new())),
            None => sections.last_mut().unwrap().1.push(line.to_string()),
        }
    }
    let own = |title: &str| title.split(' ').next() == Some(vendor);
    if !sections.iter().any(|(title, _)| own(title)) {
        sections.push((vendor.into(), vec!["| case | outcome |".into(), "|---|---|".into()]));
    }
    for (title, lines) in sections.iter_mut().filter(|(title, _)| own(title)) {
        *title = format!("{vendor} {version}, {date}");
        for (case, outcome) in results {
            let new = format!("| {case} | {} |", outcome.replace('|', "\\|").replace('\n', " "));
            match lines.iter_mut().find(|line| line.starts_with(&format!("| {case} |"))) {
                Some(line) => *line = new,
                None => lines.push(new),
            }
        }
    }
    let shown = sections.iter().map(|(title, lines)| format!("\n### {title}\n\n{}\n", lines.join("\n")));
    format!("{before}{BEGIN}\n{}", shown.collect::<String>())
}

#[test]
fn a_run_replaces_what_it_ran() {
    let text = format!(
        "# Head\n\n{BEGIN}\n\n### a 1.0, 2026-01-01\n\n| case | outcome |\n|---|---|\n| x | ok |\n| y | ok |\n"
    );
    let twice = replaced(&text, "a", "1.1", "2026-02-02", &[("y", "ok: a|b".into())]);
    let twice = replaced(&twice, "b", "2.0", "2026-02-02", &[("x", "ok".into())]);
    let want = "### a 1.1, 2026-02-02\n\n| case | outcome |\n|---|---|\n| x | ok |\n| y | ok: a\\|b |\n\n### b 2.0, 2026-02-02\n\n| case | outcome |\n|---|---|\n| x | ok |\n";
    assert!(twice.starts_with("# Head\n\n<!--") && twice.ends_with(want), "{twice}");
}
