//! The rows, the budgets they are judged by, and the page they are written to.

use crate::machine;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[derive(Debug, Clone, Copy, serde::Deserialize)]
struct Budget {
    target: f64,
    ci: f64,
}

struct Line {
    part: &'static str,
    key: String,
    what: String,
    ours: String,
    reference: String,
    /// What is judged; `None` when it was not measured.
    value: Option<f64>,
}

pub struct Table {
    /// Seconds instead of minutes.
    pub short: bool,
    budgets: BTreeMap<String, Budget>,
    part: &'static str,
    lines: Vec<Line>,
}

/// The middle one.
pub fn median<T: PartialOrd + Copy>(values: &[T]) -> T {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    sorted[sorted.len() / 2]
}

pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

impl Table {
    pub fn new(short: bool) -> Table {
        let text = std::fs::read_to_string(format!("{ROOT}/benches/budgets.yaml")).unwrap();
        Table { short, budgets: serde_yaml::from_str(&text).unwrap(), part: "", lines: Vec::new() }
    }

    /// The rows that follow are of this part.
    pub fn begin(&mut self, part: &'static str) {
        println!("-- {part}");
        self.part = part;
    }

    /// One row: what was measured, beside what, and the number that its budget is about.
    pub fn row(&mut self, key: &str, what: &str, ours: String, reference: String, value: f64) {
        assert!(self.budgets.contains_key(key), "{key} has no budget in benches/budgets.yaml");
        self.keep(key, what, (ours, reference), Some(value));
    }

    /// Ours divided by theirs.
    pub fn ratio(&mut self, key: &str, what: &str, ours: Duration, theirs: (&str, Duration)) {
        let value = ours.as_secs_f64() / theirs.1.as_secs_f64().max(1e-9);
        self.row(
            key,
            what,
            format!("{:.2} ms", ms(ours)),
            format!("{} {:.2} ms", theirs.0, ms(theirs.1)),
            value,
        );
    }

    /// The exponent of growth through points of (size, value): 0 does not grow, 1 grows as the size does.
    pub fn growth(&mut self, key: &str, what: &str, points: &[(usize, f64)]) {
        let logs: Vec<(f64, f64)> =
            points.iter().map(|(n, v)| ((*n as f64).ln(), v.max(1e-9).ln())).collect();
        let n = logs.len() as f64;
        let (sx, sy) = logs.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
        let over: f64 = logs.iter().map(|p| (p.0 - sx / n) * (p.1 - sy / n)).sum();
        let under: f64 = logs.iter().map(|p| (p.0 - sx / n).powi(2)).sum();
        let list: Vec<String> = points.iter().map(|(n, v)| format!("{n}: {v:.2}")).collect();
        self.row(key, what, list.join(", "), String::new(), over / under);
    }

    pub fn missing(&mut self, key: &str, what: &str, why: &str) {
        self.keep(key, what, ("not measured".into(), why.into()), None);
    }

    /// Of a row that is measured again the better value stays: other work on the machine only ever makes it worse.
    fn keep(&mut self, key: &str, what: &str, (ours, reference): (String, String), value: Option<f64>) {
        let line = Line { part: self.part, key: key.into(), what: what.into(), ours, reference, value };
        println!("{}", self.cells(&line).join("  "));
        match self.lines.iter_mut().find(|known| known.key == key) {
            Some(known) if value.is_some_and(|new| known.value.is_none_or(|old| new < old)) => *known = line,
            Some(_) => {}
            None => self.lines.push(line),
        }
    }

    fn cells(&self, line: &Line) -> [String; 7] {
        let budget = self.budgets.get(&line.key).copied();
        let number = |n: f64| format!("{}", (n * 100.0).round() / 100.0);
        let limit = budget.map(|b| if self.short { b.ci } else { b.target });
        let verdict = match (line.value, limit) {
            (Some(value), Some(limit)) if value <= limit => "ok",
            (Some(_), Some(_)) if self.short => "TOO MUCH",
            (Some(_), Some(_)) => "missed",
            _ => "—",
        };
        [
            format!("{:<17}", line.key),
            format!("{:<52}", line.what),
            format!("{:>18}", line.ours),
            format!("{:>22}", line.reference),
            format!("{:>8}", line.value.map_or("—".into(), number)),
            format!("≤ {:<6}", limit.map_or("—".into(), number)),
            verdict.to_string(),
        ]
    }

    fn beyond(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.value.is_some_and(|value| value > self.budgets[&line.key].ci))
    }

    /// A row of this part is beyond what a change may cost.
    pub fn is_beyond(&self, part: &str) -> bool {
        self.beyond().any(|line| line.part == part)
    }

    /// Nothing is beyond what a change may cost.
    pub fn holds(&self) -> bool {
        let beyond: Vec<&str> = self.beyond().map(|line| line.key.as_str()).collect();
        if !beyond.is_empty() {
            println!("beyond the budget (benches/budgets.yaml): {}", beyond.join(", "));
        }
        beyond.is_empty()
    }

    /// The page of the full form.
    pub fn write(&self) {
        let mut page = String::from(
            "# Performance\n\nWritten by `just bench` (`benches/measure.rs`); do not edit. Each row is beside something that the same\n\
             machine did in the same run; a target is a promise on a quiet machine. `benches/budgets.yaml` holds the targets and\n\
             the wider limits that every change has to keep.\n\n",
        );
        let _ = writeln!(page, "{}\n", machine::line());
        page.push_str("| row | what | here | beside | value | target | |\n|---|---|--:|--:|--:|--:|---|\n");
        for line in &self.lines {
            let cells: Vec<String> =
                self.cells(line).iter().map(|cell| cell.trim().replace('|', "\\|")).collect();
            let _ = writeln!(page, "| {} |", cells.join(" | "));
        }
        page.push_str(
            "\nKeys with a unit are absolute; `growth-…` is the exponent fitted through the sizes in \"here\" (0: does not grow, 1:\n\
             grows as the number of sessions does); everything else is here ÷ beside.\n",
        );
        std::fs::write(format!("{ROOT}/docs/performance.md"), page).unwrap();
        println!("written: docs/performance.md");
    }
}
