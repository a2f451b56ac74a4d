//! How long does a large report take to open: parse, lay out, paint one screen?
//!
//! `cargo bench --bench report [-- KILOBYTES]`, 1 MB unless told. The best of several runs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::panic,
    reason = "a benchmark is a program of its own"
)]

use flightdeck::ui::markdown::{Marks, paint, parse};
use ratatui::style::Style;
use std::collections::BTreeSet;
use std::time::Instant;

const SECTION: &str = "## 4. Зафиксированное решение\n\n- **Довод:** усечение теряет строки при нагрузке → 01-peer-codex.md:11, \
                       see [the reply](02-writer.md). A longer line of plain English words that has to be broken.\n\n\
                       | who | says |\n|---|---|\n| codex | by day |\n\n```\nlet x = 1;\n```\n\n";

fn main() {
    let kilobytes = std::env::args().skip(1).find_map(|arg| arg.parse::<usize>().ok()).unwrap_or(1024);
    let text = SECTION.repeat((kilobytes << 10) / SECTION.len() + 1);
    let run = || {
        let start = Instant::now();
        let document = parse(&text);
        let parsed = start.elapsed();
        let rows = document.rows(100, &BTreeSet::new());
        let marks = Marks::new(&["теряет".into()]);
        let painted = rows
            .iter()
            .take(50)
            .map(|row| paint(row, &marks, None, &|_| Style::default()).width())
            .sum::<usize>();
        (start.elapsed(), parsed, rows.len(), painted)
    };
    if let Some((all, parsed, rows, _)) = (0..7).map(|_| run()).min_by_key(|(all, ..)| *all) {
        println!("{kilobytes} kB, {rows} rows: opened in {all:.1?}, {parsed:.1?} of it to parse");
    }
}
