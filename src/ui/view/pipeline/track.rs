//! The steps in a row, and what the current one is about.

use crate::domain::lang::Lang;
use crate::ui::model::pipeline::steps::{State, Step, steps};
use crate::ui::model::pipeline::{Pipeline, question};
use crate::ui::model::watched::Watched;
use crate::ui::theme::Role;
use crate::ui::view::draw::{Canvas, safe};
use crate::ui::words;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Between steps where there is no room for arrows.
const TIGHT: &str = "  ";

/// Draws the track and returns how many rows it took.
pub fn draw(p: &Pipeline, w: &Watched, canvas: &mut Canvas, area: Rect) -> u16 {
    let lang = canvas.lang();
    let (steps, at) = steps(w, lang);
    let width = usize::from(area.width.saturating_sub(1));
    // The word of every step and arrows between them where there is room; else as much as fits on a line. The current
    // one's word stands below anyway.
    let ways = [(true, " → "), (false, " → "), (false, TIGHT)];
    let rows = ways.into_iter().map(|(words, gap)| laid(&steps, at, width, words, gap, canvas));
    let mut rows: Vec<Vec<Line>> = rows.collect();
    let fits = rows.iter().position(|lines| lines.len() == 1).unwrap_or(rows.len() - 1);
    let rows = rows.swap_remove(fits);
    let most = usize::from(area.height / 4).max(1);
    let mut y = area.y;
    for line in rows.into_iter().take(most) {
        canvas.line(Rect { x: area.x + 1, y, width: area.width - 1, height: 1 }, line);
        y += 1;
    }
    let state = at.map(|at| now(p, w, &steps[at], canvas));
    let (text, role) = state.unwrap_or_else(|| over(w, &steps, lang));
    let line = safe(&text, width, canvas.style(role));
    canvas.line(Rect { x: area.x + 1, y, width: area.width - 1, height: 1 }, line.into());
    y + 1 - area.y
}

/// The steps in lines of this width.
fn laid(
    steps: &[Step],
    at: Option<usize>,
    width: usize,
    words: bool,
    gap: &'static str,
    canvas: &Canvas,
) -> Vec<Line<'static>> {
    let lang = canvas.lang();
    let mut lines: Vec<Vec<Span>> = vec![Vec::new()];
    let mut used = 0;
    for (n, step) in steps.iter().enumerate() {
        let (shape, word, role) = step.state.shown(lang);
        let tight = gap == TIGHT;
        let name = if tight { step.name.split(' ').next().unwrap_or_default() } else { step.name };
        let mut text = format!("{shape} {name}");
        let told = !tight || step.state != State::Done;
        if told && !step.detail.is_empty() {
            text.push_str(&format!(" {}", step.detail));
        }
        // What is done or to come says so by its place and shape; the rest needs its word.
        if words && step.state != State::Done {
            text.push_str(&format!(" · {word}"));
        }
        let style = canvas.style(role);
        let style = if at == Some(n) { style.add_modifier(Modifier::BOLD) } else { style };
        let wide = text.width();
        if used > 0 && used + gap.width() + wide > width {
            lines.push(Vec::new());
            used = 0;
        }
        let Some(line) = lines.last_mut() else { break };
        if used > 0 {
            line.push(Span::styled(gap, canvas.style(Role::Border)));
            used += gap.width();
        }
        line.push(Span::styled(text, style));
        used += wide;
    }
    lines.into_iter().map(Line::from).collect()
}

/// What the current step does or waits for.
fn now(p: &Pipeline, w: &Watched, step: &Step, canvas: &Canvas) -> (String, Role) {
    let lang = canvas.lang();
    let (shape, word, role) = step.state.shown(lang);
    let mut text = match step.state {
        State::Running(since) => {
            format!(
                "{} {} · {word} · {}",
                canvas.spinner(),
                step.name,
                words::age(since, canvas.clock.now, lang)
            )
        }
        _ => format!("{shape} {} · {word}", step.name),
    };
    if let (State::Running(_), Some(run)) = (step.state, &w.call) {
        if let Some(deadline) = run.deadline.filter(|d| *d > 0) {
            let of = lang.pick("of", "из");
            text.push_str(&format!(
                " {of} {}",
                words::lasted(i64::try_from(deadline).unwrap_or(i64::MAX), lang)
            ));
        }
        if let Some(vendor) = &run.call.vendor {
            text.push_str(&format!(" · {vendor}"));
        }
        let says = run.says(lang);
        if !says.is_empty() {
            text.push_str(&format!(" · {says}"));
        }
        return (text, role);
    }
    if let Some(q) = question(p, w).filter(|_| matches!(step.state, State::Waits | State::Failed)) {
        text.push_str(&format!(" {} · ", words::age(q.since, canvas.clock.now, lang)));
        text.push_str(q.text(lang).lines().find(|l| !l.trim().is_empty()).unwrap_or_default());
    }
    (text, role)
}

fn over(w: &Watched, steps: &[Step], lang: Lang) -> (String, Role) {
    let track = w.session().notes.track.as_ref();
    if let Some(why) = track.and_then(|t| t.ended.as_ref()) {
        let ended = lang.pick("ended without a full deployment", "окончено без полного развёртывания");
        return (format!("✗ {ended}: {why}"), Role::Failed);
    }
    match steps.last().map(|s| s.state) {
        Some(State::Done) => (format!("✓ {}", lang.pick("deployed", "развёрнуто")), Role::Done),
        _ => (lang.pick("no implementation runs", "реализация не идёт").into(), Role::Muted),
    }
}
