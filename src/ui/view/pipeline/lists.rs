//! The files that changed and the findings about them.

use super::{diff, tail};
use crate::domain::lang::Lang;
use crate::domain::session::pipeline::change::Edit;
use crate::domain::session::pipeline::finding::Severity;
use crate::domain::session::state::Session;
use crate::ui::model::pipeline::found::{Found, State, found};
use crate::ui::model::pipeline::{Part, Pipeline};
use crate::ui::text::wrap;
use crate::ui::theme::Role;
use crate::ui::view::draw::{Canvas, safe};
use crate::ui::view::layout::{Hit, Pane, Spot};
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// The lines of one entry.
type Entry = Vec<Line<'static>>;

pub fn files(p: &Pipeline, s: &Session, canvas: &mut Canvas, area: Rect) {
    let edit = s.notes.track.as_ref().and_then(|t| t.edit.as_ref());
    let Some(edit) = edit.filter(|e| !e.files.is_empty() || !e.missing.is_empty()) else {
        let text = canvas.lang().pick("no file is changed", "файлы не изменены");
        return none(text, canvas, area);
    };
    let width = usize::from(area.width.saturating_sub(1));
    let entries = |from: usize, to: usize, canvas: &Canvas| -> Vec<Entry> {
        (from..to).map(|n| file(edit, n, width, canvas)).collect()
    };
    let count = edit.files.len() + edit.missing.len();
    list(p, Part::Files, (p.file, count), canvas, area, &entries);
}

fn file(edit: &Edit, n: usize, width: usize, canvas: &Canvas) -> Entry {
    let lang = canvas.lang();
    let warn = canvas.style(Role::Warning);
    let Some(file) = edit.files.get(n) else {
        let name = edit.missing.get(n - edit.files.len()).map(String::as_str).unwrap_or_default();
        let text = lang.pick("△ claimed, not on disk", "△ заявлен, на диске нет");
        return vec![
            Line::from(vec![
                Span::styled("? ", warn),
                Span::styled(tail(name, width.saturating_sub(2)), warn),
            ]),
            Line::from(Span::styled(format!("  {text}"), warn)),
        ];
    };
    let (sign, _) = diff::kind(file.kind, lang);
    let stat = file.stat();
    let room = width.saturating_sub(stat.width() + 3);
    let name = tail(&file.label(), room);
    let gap = " ".repeat(width.saturating_sub(name.width() + stat.width() + 2));
    let mut lines = vec![Line::from(vec![
        Span::styled(format!("{sign} "), canvas.style(Role::Focus)),
        Span::styled(name, canvas.style(Role::Text)),
        Span::raw(gap),
        Span::styled(stat, canvas.style(Role::Muted)),
    ])];
    let mut note = |text: &str, role: Role| {
        let text = safe(text, width.saturating_sub(2), canvas.style(role));
        lines.push(Line::from(vec![Span::raw("  "), text]));
    };
    if edit.reserved.iter().any(|r| r.repo == file.repo && r.path == file.path) {
        note(lang.pick("! content is your decision", "! содержание решаешь ты"), Role::Waiting);
    }
    if edit.unclaimed.contains(&file.label()) {
        note(lang.pick("△ changed, not announced", "△ изменён, не заявлен"), Role::Warning);
    }
    if !file.says.is_empty() {
        note(&file.says, Role::Muted);
    }
    lines
}

pub fn findings(p: &Pipeline, s: &Session, canvas: &mut Canvas, area: Rect) {
    let all = found(s);
    if all.is_empty() {
        let reviewed = s.reviews.iter().any(|r| r.usable);
        let text = match reviewed {
            true => canvas.lang().pick("the reviews found nothing", "ревью ничего не нашли"),
            false => canvas.lang().pick("no review yet", "ревью ещё не было"),
        };
        return none(text, canvas, area);
    }
    let width = usize::from(area.width.saturating_sub(1));
    let front = p.part == Part::Findings;
    let entries = |from: usize, to: usize, canvas: &Canvas| -> Vec<Entry> {
        (from..to).map(|n| finding(&all[n], front && n == p.finding, width, canvas)).collect()
    };
    list(p, Part::Findings, (p.finding, all.len()), canvas, area, &entries);
}

fn none(text: &str, canvas: &mut Canvas, area: Rect) {
    let area = Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
    canvas.text(area, text, canvas.style(Role::Muted));
}

/// The selected one in full, the others on two lines.
fn finding(found: &Found, whole: bool, width: usize, canvas: &Canvas) -> Entry {
    let lang = canvas.lang();
    let over = matches!(found.state, State::NotAgain(_));
    let (shape, role) = match found.finding.severity {
        _ if over => ("✓", Role::Muted),
        Severity::Critical => ("‼", Role::Failed),
        Severity::High => ("!", Role::Warning),
        Severity::Medium => ("·", Role::Text),
    };
    let f = &found.finding;
    let place = match (f.file.as_str(), f.lines.as_str()) {
        ("", _) => "—".to_string(),
        (file, "") => file.to_string(),
        (file, lines) => format!("{file}:{lines}"),
    };
    let head = format!("{shape} {} ", f.severity.key());
    let name = tail(&place, width.saturating_sub(head.width()));
    let style = canvas.style(role);
    let mut lines = vec![Line::from(vec![
        Span::styled(head, style.add_modifier(Modifier::BOLD)),
        Span::styled(name, canvas.style(if over { Role::Muted } else { Role::Link })),
    ])];
    let text = canvas.style(if over { Role::Muted } else { Role::Text });
    let room = width.saturating_sub(2).max(1);
    let mut push = |what: &str, style, most: usize| {
        for line in wrap(what, room).into_iter().take(most) {
            lines.push(Line::from(vec![Span::raw("  "), Span::styled(line, style)]));
        }
    };
    if whole {
        push(&f.issue, text, 40);
        if !f.fix.is_empty() {
            push(&format!("→ {}", f.fix), canvas.style(Role::Done), 20);
        }
    } else {
        let line = safe(&f.issue, room, text);
        push(&line.content, text, 1);
    }
    push(&history(found, lang), canvas.style(Role::Muted), 1);
    lines
}

fn history(found: &Found, lang: Lang) -> String {
    let since = match (found.first == found.last, lang) {
        (true, Lang::En) => format!("review {}", found.first),
        (true, Lang::Ru) => format!("ревью {}", found.first),
        (false, Lang::En) => format!("reviews {}–{}", found.first, found.last),
        (false, Lang::Ru) => format!("ревью {}–{}", found.first, found.last),
    };
    let state = match (found.state, lang) {
        (State::Open, _) => lang.pick("open", "открыто").to_string(),
        (State::Deferred, _) => lang.pick("after deploy", "после деплоя").to_string(),
        (State::NotAgain(n), Lang::En) => format!("not found again in review {n}"),
        (State::NotAgain(n), Lang::Ru) => format!("в ревью {n} уже нет"),
    };
    format!("{state} · {since}")
}

/// Entries of different height, of which the selected one is in sight. Only what may be seen is made.
fn list(
    p: &Pipeline,
    part: Part,
    (selected, count): (usize, usize),
    canvas: &mut Canvas,
    area: Rect,
    entries: &dyn Fn(usize, usize, &Canvas) -> Vec<Entry>,
) {
    let room = usize::from(area.height);
    canvas.hit(area, Hit::Pane(Pane::Pipeline(part)));
    if room == 0 {
        return;
    }
    // The first entry is remembered; an entry has at least one line.
    let scroll = canvas.layout.scroll(Pane::Pipeline(part));
    (scroll.total, scroll.height) = (count, room);
    let selected = selected.min(count.saturating_sub(1));
    let mut top = scroll.top.min(selected).max(selected.saturating_sub(room));
    let mut shown = entries(top, count.min(selected.max(top + room) + 1), canvas);
    // Down until the selected one ends inside.
    while top < selected && shown[..=selected - top].iter().map(Vec::len).sum::<usize>() > room {
        shown.remove(0);
        top += 1;
    }
    canvas.layout.scroll(Pane::Pipeline(part)).top = top;
    let (mut y, mut drawn) = (area.y, 0);
    for (n, entry) in shown.into_iter().enumerate() {
        if y >= area.bottom() {
            break;
        }
        drawn += 1;
        let here = n + top == selected;
        for line in entry {
            if y >= area.bottom() {
                break;
            }
            let at = Rect { y, height: 1, ..area };
            if here {
                let role = if p.part == part { Role::Focus } else { Role::Border };
                canvas.text(at, "▌", canvas.style(role));
            }
            canvas.line(Rect { x: at.x + 1, width: at.width.saturating_sub(1), ..at }, line);
            let spot = if part == Part::Files { Spot::File(n + top) } else { Spot::Finding(n + top) };
            canvas.hit(at, Hit::Pipeline(spot));
            y += 1;
        }
    }
    canvas.more(area, count.saturating_sub(top + drawn), false);
}
