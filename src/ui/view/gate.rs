//! The Decision Gate: who really agreed, in plain language what was agreed, what was held against it, and the choices.

use super::bar;
use super::draw::Canvas;
use super::layout::{Hit, Pane};
use crate::domain::lang::Lang;
use crate::domain::question::QuestionKind;
use crate::domain::session::gate::hours;
use crate::domain::session::honesty::{self, Fate, Point};
use crate::domain::session::state::Session;
use crate::ui::action::Action;
use crate::ui::model::Model;
use crate::ui::model::deck::slug;
use crate::ui::model::gate::{Gate, letter};
use crate::ui::model::watched::Watched;
use crate::ui::text::{one_line, wrap};
use crate::ui::theme::Role;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Width of the names of the summary's rows.
const NAME: usize = 24;

pub fn draw(model: &Model, gate: &Gate, canvas: &mut Canvas, area: Rect) {
    let lang = model.lang();
    let title = vec![
        Span::styled("◆ Decision Gate", canvas.style(Role::Gate)),
        Span::styled(format!(" · {}", slug(&gate.id)), canvas.style(Role::Muted)),
    ];
    bar::top(model, canvas, area, title);
    let Some(w) = model.watched.get(&gate.id) else {
        let at = Rect { x: area.x + 1, y: area.y + 2, width: area.width - 1, height: 1 };
        return canvas.text(
            at,
            lang.pick("reading the session …", "читаем сессию …"),
            canvas.style(Role::Muted),
        );
    };
    let weak = honesty::panel(w.session()).needs_extra_key();
    let choices = choices(w, gate, canvas, area);
    let warning = if weak { warning(gate, lang, area) } else { Vec::new() };
    let bottom = (choices.len() + warning.len()) as u16 + 1;
    let body = Rect {
        x: area.x + 1,
        y: area.y + 1,
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(bottom + 2),
    };
    let lines = lines(w.session(), canvas, usize::from(body.width));
    canvas.scrolled(body, Pane::Gate, &lines);
    canvas.rule(Rect { y: body.bottom(), height: 1, ..area });
    let mut y = body.bottom() + 1;
    for (line, action) in choices {
        let at = Rect { y, height: 1, ..area };
        canvas.line(at, line);
        canvas.hit(at, Hit::Action(action));
        y += 1;
    }
    for line in warning {
        let spans = vec![Span::raw(" "), Span::styled(line, canvas.style(Role::Warning))];
        canvas.line(Rect { y, height: 1, ..area }, Line::from(spans));
        y += 1;
    }
}

/// What one key is not enough for.
fn warning(gate: &Gate, lang: Lang, area: Rect) -> Vec<String> {
    let text = match gate.armed.and_then(letter) {
        Some(letter) => {
            let (en, ru) = (
                "weak panel: press the same key again to decide",
                "слабый состав: нажми ту же клавишу ещё раз:",
            );
            format!("△ {} {letter}", lang.pick(en, ru))
        }
        None => {
            let (en, ru) = (
                "weak panel: every choice takes its key twice",
                "слабый состав: каждый выбор — двойным нажатием",
            );
            format!("△ {}", lang.pick(en, ru))
        }
    };
    few(&text, usize::from(area.width).saturating_sub(2), 2)
}

/// The text in at most so many lines.
fn few(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines = wrap(text, width);
    if lines.len() > most {
        let rest = lines.split_off(most - 1).join(" ");
        lines.push(one_line(&rest, width));
    }
    lines
}

fn choices(w: &Watched, gate: &Gate, canvas: &Canvas, area: Rect) -> Vec<(Line<'static>, Action)> {
    let question = w.view.questions.iter().find(|q| q.kind == QuestionKind::Gate);
    let Some(question) = question else {
        let text = canvas.lang().pick("The gate is closed.", "Решение уже принято.");
        return vec![(Line::styled(format!(" {text}"), canvas.style(Role::Muted)), Action::Later)];
    };
    let line = |action: Action| {
        let n = question.choices.iter().position(|c| Some(c.key.as_str()) == letter(action))?;
        let key = canvas
            .look
            .keymap
            .keys(crate::ui::action::Context::Gate, action)
            .into_iter()
            .next()
            .unwrap_or_default();
        let armed = gate.armed == Some(action);
        let mark = if armed { "▸" } else { " " };
        let mut head = format!(" {mark}{key:<3} ");
        // On a low screen the summary needs the rows; a choice that was pressed once is read whole.
        let most = if area.height < 20 && !armed { 1 } else { 3 };
        let label = few(question.label(n, canvas.lang()), usize::from(area.width).saturating_sub(8), most);
        let lines = label.into_iter().map(move |part| {
            let begin = std::mem::replace(&mut head, " ".repeat(6));
            let (focus, text) = (canvas.style(Role::Focus), canvas.style(Role::Text));
            (Line::from(vec![Span::styled(begin, focus), Span::styled(part, text)]), action)
        });
        Some(lines)
    };
    [Action::Record, Action::Implement, Action::RecordAndClose]
        .into_iter()
        .filter_map(line)
        .flatten()
        .collect()
}

/// Heading, summary, objections: everything above the choices.
fn lines(s: &Session, canvas: &Canvas, width: usize) -> Vec<Line<'static>> {
    let lang = canvas.lang();
    let panel = honesty::panel(s);
    let role = if panel.needs_extra_key() { Role::Warning } else { Role::Gate };
    let mut out = paragraph(&panel.heading(lang), width, canvas, role);
    out.push(Line::styled("─".repeat(width), canvas.style(Role::Border)));
    summary(s, canvas, width, &mut out);
    out.push(Line::default());
    let points = honesty::points(s);
    match honesty::strongest_open(s) {
        Some(point) => {
            let title = lang.pick("Strongest open objection", "Сильнейшее открытое возражение");
            row(title, &said(&point, lang), canvas, width, Role::Warning, &mut out);
        }
        None if points.is_empty() => {
            row(
                lang.pick("Objections", "Возражения"),
                lang.pick("none in the turn files", "в репликах нет"),
                canvas,
                width,
                Role::Muted,
                &mut out,
            );
        }
        None => {
            let title = lang.pick("Strongest open objection", "Сильнейшее открытое возражение");
            row(title, lang.pick("none open", "открытых нет"), canvas, width, Role::Done, &mut out);
        }
    }
    if !points.is_empty() {
        out.push(Line::default());
        out.push(Line::styled(
            lang.pick("Disagreements", "Разногласия").to_string(),
            canvas.style(Role::Muted),
        ));
        for point in &points {
            let (shape, role) = fate_sign(&point.fate);
            let text = format!("{shape} {}", said(point, lang));
            out.extend(paragraph(&text, width, canvas, role));
        }
    }
    out
}

fn summary(s: &Session, canvas: &Canvas, width: usize, out: &mut Vec<Line<'static>>) {
    let lang = canvas.lang();
    let Some(note) = &s.notes.summary else {
        let text = lang
            .pick("no summary: the agreement stands in the turns", "резюме нет: договорённость — в репликах");
        return row(lang.pick("Summary", "Резюме"), text, canvas, width, Role::Muted, out);
    };
    let summary = &note.summary;
    let missing =
        |text: &str| if text.trim().is_empty() { "—".to_string() } else { text.trim().to_string() };
    let rows = [
        (lang.pick("What was discussed", "Что обсуждалось"), missing(&summary.discussed)),
        (lang.pick("What was agreed", "К чему пришли"), missing(&summary.agreed)),
        (lang.pick("What is proposed", "Что предлагается"), missing(&summary.proposed.join(" · "))),
        (lang.pick("Estimated time", "Сколько займёт"), missing(&hours(&summary.hours, lang))),
        (lang.pick("Impact on other users", "Влияние на других"), missing(&summary.impact)),
    ];
    for (name, value) in rows {
        row(name, &value, canvas, width, Role::Text, out);
    }
    let origin = if summary.estimated {
        lang.pick(
            "condensed by the writer; s opens what it rests on",
            "сжато писателем; s открывает источник",
        )
    } else {
        lang.pick(
            "quoted from the discussion; no summary could be written",
            "цитата из обсуждения; резюме составить не удалось",
        )
    };
    row("", origin, canvas, width, Role::Muted, out);
}

/// A name and a wrapped value beside it; below it on a narrow screen.
fn row(name: &str, value: &str, canvas: &Canvas, width: usize, role: Role, out: &mut Vec<Line<'static>>) {
    let beside = width >= NAME + 30;
    let indent = if beside { NAME + 2 } else { 2 };
    let mut lines = wrap(value, width.saturating_sub(indent)).into_iter();
    if beside {
        let first = lines.next().unwrap_or_default();
        let name = super::draw::column(name, NAME);
        out.push(Line::from(vec![
            Span::styled(format!("{name}  "), canvas.style(Role::Muted)),
            Span::styled(first, canvas.style(role)),
        ]));
    } else if !name.is_empty() {
        out.push(Line::styled(name.to_string(), canvas.style(Role::Muted)));
    }
    out.extend(
        lines.map(|l| Line::from(vec![Span::raw(" ".repeat(indent)), Span::styled(l, canvas.style(role))])),
    );
}

fn paragraph(text: &str, width: usize, canvas: &Canvas, role: Role) -> Vec<Line<'static>> {
    wrap(text, width).into_iter().map(|l| Line::styled(l, canvas.style(role))).collect()
}

/// Who said it where, and what became of it.
fn said(point: &Point, lang: Lang) -> String {
    let Point { holder, round, file, line, text, .. } = point;
    let fate = match &point.fate {
        Fate::Open => lang.pick("open", "открыто").to_string(),
        Fate::Answered { file, line } => format!("{} {file}:{line}", lang.pick("answered in", "ответ в")),
        Fate::Withdrawn { file, line } => format!("{} {file}:{line}", lang.pick("withdrawn in", "снято в")),
        Fate::Overruled => lang.pick("overruled", "отклонено").to_string(),
        Fate::Escalated { file } => format!("{} {file}", lang.pick("went to you:", "ушло к тебе:")),
    };
    match lang {
        Lang::En => format!("{holder}, round {round}, {file}:{line}: \"{text}\" — {fate}"),
        Lang::Ru => format!("{holder}, раунд {round}, {file}:{line}: «{text}» — {fate}"),
    }
}

fn fate_sign(fate: &Fate) -> (&'static str, Role) {
    match fate {
        Fate::Open => ("≠", Role::Warning),
        Fate::Overruled => ("✗", Role::Failed),
        Fate::Escalated { .. } => ("!", Role::Escalated),
        Fate::Answered { .. } => ("↩", Role::Text),
        Fate::Withdrawn { .. } => ("✓", Role::Done),
    }
}
