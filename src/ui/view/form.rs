//! The form of a new session.

use super::bar;
use super::draw::{Canvas, column, safe};
use super::layout::Hit;
use crate::domain::lang::Lang;
use crate::ui::model::Model;
use crate::ui::model::form::{FIELDS, Field, Form};
use crate::ui::settings::Known;
use crate::ui::text::{one_line, wrap};
use crate::ui::theme::Role;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

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

/// Vendors, then what the engine said to the plan.
fn lines(model: &Model, form: &Form, canvas: &Canvas, width: usize) -> Vec<Line<'static>> {
    let lang = model.lang();
    let mut out = Vec::new();
    let mut add =
        |text: &str, style: Style| out.extend(wrap(text, width).into_iter().map(|l| Line::styled(l, style)));
    for line in vendors(&model.vendors, lang, width) {
        add(&line, canvas.style(Role::Muted));
    }
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

/// Those that can be asked on one line, and each of the others with what it lacks; all of it stands in `doctor`.
fn vendors(known: &[Known], lang: Lang, width: usize) -> Vec<String> {
    let ready: Vec<&str> = known.iter().filter(|v| v.missing.is_none()).map(|v| v.key.as_str()).collect();
    let mut out = Vec::new();
    if !ready.is_empty() {
        out.push(format!("✓ {}", ready.join(" · ")));
    }
    let wide = known.iter().map(|v| v.key.width()).max().unwrap_or(0);
    for vendor in known {
        if let Some(why) = &vendor.missing {
            out.push(one_line(&format!("✗ {} — {why}", column(&vendor.key, wide)), width));
        }
    }
    if !out.is_empty() {
        out.insert(0, lang.pick("vendors", "вендоры").to_string());
    }
    out
}
