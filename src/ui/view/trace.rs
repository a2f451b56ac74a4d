//! A trace: each step with what it is, where it leads and what stands there, below heads that say what a group answers.

use super::bar;
use super::draw::{Canvas, safe};
use super::layout::{Hit, Pane};
use crate::domain::lang::Lang;
use crate::domain::session::pipeline::track::short;
use crate::engine::wire::trace::{Goal, Kind, Step};
use crate::ui::model::Model;
use crate::ui::model::deck::slug;
use crate::ui::model::trace::{Group, Trace, group};
use crate::ui::text::{one_line, wrap};
use crate::ui::theme::Role;
use crate::ui::words::moment;
use jiff::tz::TimeZone;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Lines of a step's text: of the selected one, of the others.
const OPEN: usize = 12;
const CLOSED: usize = 2;

/// A line, and the step it belongs to.
type Laid = (Line<'static>, Option<usize>);

pub fn draw(model: &Model, trace: &Trace, canvas: &mut Canvas, area: Rect) {
    let lang = model.lang();
    let title = vec![
        Span::styled(lang.pick("trace", "след"), canvas.style(Role::Focus)),
        Span::styled(format!(" · {}", slug(&trace.id)), canvas.style(Role::Muted)),
    ];
    bar::top(model, canvas, area, title);
    let body = Rect { y: area.y + 1, height: area.height.saturating_sub(2), width: area.width - 1, ..area };
    let note = match (&trace.steps, &trace.why) {
        (None, _) => Some((lang.pick("looking it up …", "ищем …").to_string(), Role::Muted)),
        (Some(_), Some(why)) => Some((format!("△ {why}"), Role::Warning)),
        (Some(steps), None) if steps.is_empty() => {
            Some((lang.pick("nothing is known about this", "об этом ничего не известно").into(), Role::Muted))
        }
        _ => None,
    };
    let width = usize::from(body.width);
    let mut lines: Vec<Laid> = Vec::new();
    if let Some((text, role)) = note {
        let said = wrap(&text, width.saturating_sub(2).max(1)).into_iter();
        lines.extend(said.map(|l| (Line::styled(format!(" {l}"), canvas.style(role)), None)));
    }
    lines.extend(laid(trace, width, canvas));
    show(trace, &lines, canvas, body);
}

/// All lines; a step is a few, and there are some dozens of them.
fn laid(trace: &Trace, width: usize, canvas: &Canvas) -> Vec<Laid> {
    let lang = canvas.lang();
    let mut out: Vec<Laid> = Vec::new();
    let mut above = None;
    for (n, step) in trace.steps().iter().enumerate() {
        let here = group(&step.kind);
        if !step.below && above != Some(here) {
            if !out.is_empty() {
                out.push((Line::default(), None));
            }
            let head = safe(heading(here, lang), width.saturating_sub(1), canvas.style(Role::Muted));
            out.push((Line::from(vec![Span::raw(" "), head]), None));
            above = Some(here);
        }
        let selected = n == trace.selected;
        out.extend(entry(step, selected, width, canvas).into_iter().map(|line| (line, Some(n))));
    }
    out
}

fn entry(step: &Step, selected: bool, width: usize, canvas: &Canvas) -> Vec<Line<'static>> {
    let lang = canvas.lang();
    let indent = if step.below { 3 } else { 0 };
    let mark = || match selected {
        true => Span::styled("▌", canvas.style(Role::Focus)),
        false => Span::raw(" "),
    };
    let (shape, name, role) = words(&step.kind, lang, &canvas.look.zone);
    let end = step.goal.as_ref().map(leads).unwrap_or_default();
    let room = width.saturating_sub(1 + indent);
    // The place gives way where both do not fit, and its end says most.
    let end = super::pipeline::tail(&end, (room / 2).max(room.saturating_sub(name.width() + 3)));
    let left = one_line(&format!("{shape} {name}"), room.saturating_sub(end.width() + 1));
    let gap = room.saturating_sub(left.width() + end.width());
    let mut lines = vec![Line::from(vec![
        mark(),
        Span::raw(" ".repeat(indent)),
        Span::styled(left, canvas.style(role)),
        Span::raw(" ".repeat(gap)),
        Span::styled(end, canvas.style(Role::Link)),
    ])];
    let most = if selected { OPEN } else { CLOSED };
    let inner = room.saturating_sub(2).max(1);
    let text = wrap(step.text.trim(), inner);
    let cut = text.len() > most;
    for (n, mut line) in text.into_iter().take(most).enumerate() {
        if step.text.trim().is_empty() {
            break;
        }
        if cut && n + 1 == most {
            line = one_line(&format!("{line} …"), inner);
        }
        let style = canvas.style(if selected { Role::Text } else { Role::Muted });
        lines.push(Line::from(vec![mark(), Span::raw(" ".repeat(indent + 2)), Span::styled(line, style)]));
    }
    lines
}

fn show(trace: &Trace, lines: &[Laid], canvas: &mut Canvas, body: Rect) {
    canvas.hit(body, Hit::Pane(Pane::Trace));
    let scroll = canvas.layout.scroll(Pane::Trace);
    scroll.fit(lines.len(), usize::from(body.height));
    let mine = |(_, step): &Laid| *step == Some(trace.selected);
    if let (Some(mut first), Some(last)) = (lines.iter().position(mine), lines.iter().rposition(mine)) {
        // With the head of its group, and the first step with everything above it.
        while first > 0 && lines[first - 1].1.is_none() {
            first -= 1;
        }
        scroll.show((last + 1).min(lines.len() - 1));
        scroll.show(last);
        scroll.show(first);
    }
    let (top, below) = (scroll.top, scroll.below());
    for (n, (line, step)) in lines.iter().enumerate().skip(top).take(usize::from(body.height)) {
        let at = Rect { y: body.y + (n - top) as u16, height: 1, ..body };
        canvas.line(at, line.clone());
        if let Some(step) = step {
            canvas.hit(at, Hit::Line(*step));
        }
    }
    canvas.more(body, below, false);
}

fn heading(group: Group, lang: Lang) -> &'static str {
    match group {
        Group::Place => lang.pick("where it stands", "где это стоит"),
        Group::Making => lang.pick("how it came about", "как это появилось"),
        Group::Decision => lang.pick("who decided it", "кто это решил"),
        Group::Argument => lang.pick(
            "what may have argued for it: by shared words, not by meaning",
            "что могло говорить за это: по общим словам, не по смыслу",
        ),
        Group::Objection => {
            lang.pick("objections, and what became of them", "возражения, и что с ними стало")
        }
    }
}

/// Where Enter leads.
fn leads(goal: &Goal) -> String {
    match goal {
        Goal::File { file, line: 0 | 1, .. } => file.clone(),
        Goal::File { file, line, .. } => format!("{file}:{line}"),
        Goal::Diff { label, line: 0 } => format!("diff {label}"),
        Goal::Diff { label, line } => format!("diff {label}:{line}"),
        Goal::Session { id } => slug(id).to_string(),
    }
}

/// A sign, words and a colour for a step; each of them says it alone.
fn words(kind: &Kind, lang: Lang, zone: &TimeZone) -> (&'static str, String, Role) {
    let plain = |sign, en: &'static str, ru: &'static str, role| (sign, lang.pick(en, ru).to_string(), role);
    let dated = |text: &str, at: &str| match at {
        "" => text.to_string(),
        at => format!("{text} · {}", moment(at, zone)),
    };
    match kind {
        Kind::Line => plain("▪", "line", "строка", Role::Text),
        Kind::Commit { sha } => {
            ("●", format!("{} {}", lang.pick("commit", "коммит"), short(sha)), Role::Done)
        }
        Kind::Uncommitted => plain("○", "not committed yet", "ещё не в коммите", Role::Muted),
        Kind::Foreign => {
            plain("–", "no session deployed this commit", "этот коммит развернула не сессия", Role::Muted)
        }
        Kind::Session => plain("▪", "session", "сессия", Role::Text),
        Kind::Changed => {
            plain("~", "a changed file shares its words", "изменённый файл с теми же словами", Role::Text)
        }
        Kind::Deployed { at } => ("✓", dated(lang.pick("deployed", "развёрнуто"), at), Role::Done),
        Kind::Edit { number, wanted_by } => {
            let by = match wanted_by.as_str() {
                "" => lang.pick("the first", "первая").to_string(),
                by => format!("{} {by}", lang.pick("wanted by", "по требованию")),
            };
            ("✎", format!("{} {number} · {by}", lang.pick("edit", "правка")), Role::Text)
        }
        Kind::Finding => plain("!", "finding", "замечание", Role::Warning),
        Kind::Gone => plain("✓", "not found again", "больше не найдено", Role::Done),
        Kind::Approval { edit, lines, at } => {
            let text = match (*edit, lang) {
                (0, Lang::En) => format!("approved by you, line {lines}"),
                (0, Lang::Ru) => format!("одобрено тобой, строка {lines}"),
                (edit, Lang::En) => format!("edit {edit} approved by you, line {lines}"),
                (edit, Lang::Ru) => format!("правка {edit} одобрена тобой, строка {lines}"),
            };
            ("✓", dated(&text, at), Role::Done)
        }
        Kind::Decision { choice, at } => ("◆", dated(&format!("Decision Gate · {choice}"), at), Role::Gate),
        Kind::Consensus => plain("=", "consensus", "консенсус", Role::Text),
        Kind::Sentence { shared } => {
            ("·", format!("{} {}", lang.pick("shares", "общее:"), shared.join(", ")), Role::Text)
        }
        Kind::Objection { holder, round } => {
            let text = lang.pick("objects, round", "возражает, раунд");
            ("≠", format!("{holder} {text} {round}"), Role::Warning)
        }
        Kind::Open => plain("≠", "open", "открыто", Role::Warning),
        Kind::Answered => plain("↩", "answered", "есть ответ", Role::Text),
        Kind::Withdrawn => plain("✓", "withdrawn", "снято", Role::Done),
        Kind::Overruled => {
            plain("✗", "the session closed over it", "сессия закрыта поверх него", Role::Failed)
        }
        Kind::Escalated => plain("!", "went to you", "ушло к тебе", Role::Escalated),
        Kind::Peace => {
            plain("✓", "nobody objected in this session", "в сессии никто не возражал", Role::Done)
        }
    }
}

#[cfg(test)]
mod tests;
