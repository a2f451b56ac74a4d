//! A large report: opened (parsed, laid out, one screen painted) and scrolled by a screen.

use crate::table::{Table, median, ms};
use flightdeck::ui::markdown::{Marks, paint, parse};
use ratatui::style::Style;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const SECTION: &str = "## 4. Зафиксированное решение\n\n- **Довод:** усечение теряет строки при нагрузке → 01-peer-codex.md:11, \
                       see [the reply](02-writer.md). A longer line of plain English words that has to be broken.\n\n\
                       | who | says |\n|---|---|\n| codex | by day |\n\n```\nlet x = 1;\n```\n\n";

pub fn run(table: &mut Table) {
    let sizes: &[usize] = if table.short { &[64, 1024] } else { &[16, 64, 256, 1024] };
    let points: Vec<(usize, f64)> = sizes
        .iter()
        .map(|kilobytes| {
            let text = SECTION.repeat((kilobytes << 10) / SECTION.len() + 1);
            (*kilobytes, ms(median(&(0..7).map(|_| open(&text)).collect::<Vec<_>>())))
        })
        .collect();
    let (size, last) = points[points.len() - 1];
    let (small, first) = points[0];
    table.row(
        "report-ms",
        &format!("a report of {size} kB opened and painted, ms"),
        format!("{last:.1} ms"),
        String::new(),
        last,
    );
    let each = (last / size as f64) / (first / small as f64);
    let what = format!("the same for each kB ÷ of {small} kB");
    table.row("report-growth", &what, format!("{last:.1} ms"), format!("{first:.2} ms"), each);
    table.growth("growth-report", "report opened, ms by kB", &points);
}

fn open(text: &str) -> Duration {
    let start = Instant::now();
    let document = parse(text);
    let rows = document.rows(100, &BTreeSet::new());
    let marks = Marks::new(&["теряет".into()]);
    for from in [0, 50] {
        let screen = rows.iter().skip(from).take(50);
        std::hint::black_box(
            screen.map(|row| paint(row, &marks, None, &|_| Style::default()).width()).sum::<usize>(),
        );
    }
    start.elapsed()
}
