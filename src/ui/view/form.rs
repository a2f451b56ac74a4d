//! The form of a new session.

use super::bar;
use super::draw::{Canvas, safe};
use super::layout::Hit;
use crate::domain::lang::Lang;
use crate::domain::spent::Spent;
use crate::ui::model::Model;
use crate::ui::model::form::{FIELDS, Field, Form};
use crate::ui::settings::Known;
use crate::ui::text::wrap;
use crate::ui::theme::Role;
use crate::ui::words;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

const LABEL: u16 = 11;

pub fn draw(model: &Model, form: &Form, canvas: &mut Canvas, area: Rect) {
    let lang = model.lang();
    let title = Span::styled(lang.pick("new session", "новая сессия"), canvas.style(Role::Focus));
    bar::top(model, canvas, area, vec![title]);
    let problems = form.problems(&model.vendors, lang);
    // Everything but header, footer and the one-line fields; what is left is shared by the task and what is said.
    let free = area.height.saturating_sub(2 + FIELDS.len() as u16 - 1);
    let said = lines(model, form, canvas, usize::from(area.width.saturating_sub(2)));
    let below = (said.len() as u16).min(free.saturating_sub(1));
    let task = (free - below).clamp(1, 8);
    let mut y = area.y + 1;
    for (n, field) in FIELDS.iter().enumerate() {
        let height = if *field == Field::Task { task } else { 1 };
        let line = Rect { y, height, ..area };
        let problem = problems
            .iter()
            .find(|(f, _)| f == field && (*f != Field::Task || form.sent))
            .map(|(_, text)| text.as_str());
        one(form, n, *field, problem, canvas, line);
        canvas.hit(line, Hit::Field(n));
        y += height;
    }
    for (n, line) in said.into_iter().take(usize::from(area.bottom().saturating_sub(y + 1))).enumerate() {
        canvas.line(
            Rect { x: area.x + 1, y: y + n as u16, height: 1, width: area.width.saturating_sub(2) },
            line,
        );
    }
}

fn one(form: &Form, n: usize, field: Field, problem: Option<&str>, canvas: &mut Canvas, area: Rect) {
    let front = form.at == n;
    let role = if front { Role::Focus } else { Role::Muted };
    let mark = if front { "▸" } else { " " };
    canvas.text(
        Rect { height: 1, ..area },
        &format!("{mark}{}", field.label(canvas.lang())),
        canvas.style(role),
    );
    let x = area.x + LABEL + 1;
    let width = area.right().saturating_sub(x + 1);
    let value = Rect { x, width, ..area };
    let Some(problem) = problem else {
        return canvas.editor(value, &form.areas[n], front, field.hint(canvas.lang()));
    };
    // What is typed keeps half of the line, what is wrong with it gets the other.
    let left = Rect { width: width / 3, ..value };
    canvas.editor(left, &form.areas[n], front, "");
    let right = Rect { x: left.right() + 1, width: width.saturating_sub(left.width + 1), height: 1, ..value };
    let text = safe(&format!("△ {problem}"), usize::from(right.width), canvas.style(Role::Warning));
    canvas.line(right, text.into());
}

/// Vendors and money, then what the engine said to the plan.
fn lines(model: &Model, form: &Form, canvas: &Canvas, width: usize) -> Vec<Line<'static>> {
    let lang = model.lang();
    let mut out = Vec::new();
    let mut add =
        |text: &str, style: Style| out.extend(wrap(text, width).into_iter().map(|l| Line::styled(l, style)));
    for line in vendors(&model.vendors, &form.named(), lang) {
        add(&line, canvas.style(Role::Muted));
    }
    add(&cost(model), canvas.style(Role::Muted));
    if let Some(problem) = &form.problem {
        add(problem, canvas.style(Role::Failed));
    }
    if let Some(opening) = &form.opening {
        for line in &opening.announcement {
            add(line, canvas.style(Role::Text));
        }
        for question in &opening.questions {
            add(&format!("? {question}"), canvas.style(Role::Waiting));
        }
        let next = lang.pick(
            "Start again to begin all the same; nothing was created yet.",
            "Начни ещё раз, чтобы всё равно начать; пока ничего не создано.",
        );
        add(next, canvas.style(Role::Muted));
    }
    if form.sent {
        add(lang.pick("asking the engine …", "спрашиваем движок …"), canvas.style(Role::Running));
    }
    out
}

/// Those that can be asked on one line; the others by what they lack, and in full what those lack that are named.
fn vendors(known: &[Known], named: &[String], lang: Lang) -> Vec<String> {
    let ready: Vec<&str> = known.iter().filter(|v| v.missing.is_none()).map(|v| v.key.as_str()).collect();
    let mut out = Vec::new();
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    if !ready.is_empty() {
        out.push(format!("✓ {}", ready.join(" · ")));
    }
    for (key, why) in known.iter().filter_map(|v| Some((v.key.as_str(), v.missing.as_deref()?))) {
        if named.iter().any(|name| name == key) {
            out.push(format!("✗ {key} — {why}"));
            continue;
        }
        // What can be done about it stands behind, in brackets.
        let what = why.split_once(" (").map_or(why, |(what, _)| what);
        match groups.iter_mut().find(|(known, _)| *known == what) {
            Some((_, keys)) => keys.push(key),
            None => groups.push((what, vec![key])),
        }
    }
    let helps = lang.pick("what helps: flightdeck doctor", "что делать: flightdeck doctor");
    out.extend(groups.iter().map(|(what, keys)| format!("✗ {what}: {} · {helps}", keys.join(" · "))));
    if !out.is_empty() {
        out.insert(0, lang.pick("vendors", "вендоры").to_string());
    }
    out
}

/// What the session may cost before it stops and asks, and what today has cost already.
fn cost(model: &Model) -> String {
    let lang = model.lang();
    let none = lang.pick(
        "no limit (limit_usd, limit_tokens set one)",
        "без лимита (его задают limit_usd, limit_tokens)",
    );
    let stops = lang.pick("it stops and asks at", "остановится и спросит на");
    let limit = model.budget.map_or(none.into(), |most| format!("{stops} {}", words::budget(&most, lang)));
    let mut text = format!("{}: {limit}", lang.pick("cost", "расход"));
    if let Some(today) = model.deck.today.as_ref().filter(|today| **today != Spent::default()) {
        let so_far = lang.pick("today so far", "сегодня уже");
        text.push_str(&format!(" · {so_far}: {}", words::spent(today, lang)));
    }
    text
}
