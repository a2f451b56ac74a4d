//! The diff: below each other or side by side, with what was decided about each change.

use super::code::{self, Shown};
use crate::domain::lang::Lang;
use crate::domain::session::state::Session;
use crate::engine::wire::{ChangeKind, Scope};
use crate::ui::model::pipeline::doc::{Doc, Kind, NONE, Row};
use crate::ui::model::pipeline::{Decided, Part, Pipeline, decided};
use crate::ui::text::wrap;
use crate::ui::theme::Role;
use crate::ui::view::draw::{Canvas, safe};
use crate::ui::view::layout::{Hit, Pane, Spot};
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// From this width on both numbers of a line are shown.
const NUMBERS: u16 = 60;

pub fn draw(p: &Pipeline, s: &Session, canvas: &mut Canvas, area: Rect) {
    let Some(doc) = p.doc.as_ref().filter(|d| !d.rows.is_empty()) else {
        return nothing(p, s, canvas, area);
    };
    let side = p.is_side(canvas.frame.area().width);
    let digits = doc.digits;
    // A mark, the numbers, the sign.
    let gutter = match (side, area.width >= NUMBERS) {
        (false, true) => 2 * digits + 4,
        _ => digits + 3,
    };
    let half = (area.width.saturating_sub(1)) / 2;
    let text = if side { half.saturating_sub(gutter) } else { area.width.saturating_sub(gutter) }.max(1);
    let mut flow = std::mem::take(&mut canvas.layout.flow);
    flow.take(doc, text, side);
    canvas.hit(area, Hit::Pane(Pane::Pipeline(Part::Diff)));
    let scroll = canvas.layout.scroll(Pane::Pipeline(Part::Diff));
    scroll.fit(flow.total(), usize::from(area.height));
    let cursor = p.cursor.min(doc.rows.len() - 1);
    let (line, tall) = flow.place(cursor);
    // A change that is decided on is shown to its end, and the line behind it, where it may be said how much follows.
    let end = flow.place(doc.end(cursor));
    let end = end.0 + end.1;
    scroll.show(end.min(flow.total().saturating_sub(1)));
    scroll.show((line + tall).saturating_sub(1));
    scroll.show(line);
    let (top, below) = (scroll.top, scroll.below());
    let seen = end + usize::from(below > 0) <= top + usize::from(area.height);
    canvas.layout.decidable = doc.question(cursor).filter(|_| seen);
    let paper = Paper { p, doc, s, gutter, digits, text, both: area.width >= NUMBERS };
    let mut rows_seen: Option<Range<usize>> = None;
    for (first, (left, right)) in flow.from(top) {
        if first >= top + usize::from(area.height) {
            break;
        }
        for row in [left, right].into_iter().filter(|row| *row != NONE).map(|row| row as usize) {
            let seen = rows_seen.get_or_insert(row..row + 1);
            *seen = seen.start.min(row)..seen.end.max(row + 1);
        }
        let rows = if side && left != right { vec![(left, 0), (right, half + 1)] } else { vec![(left, 0)] };
        let over = side && is_text(doc, left) && left == right;
        let rows = if over { vec![(left, 0), (left, half + 1)] } else { rows };
        let here = [left, right].contains(&(cursor as u32));
        let tall = flow.place([left, right].into_iter().find(|r| *r != NONE).unwrap_or(0) as usize).1;
        for n in 0..tall {
            let Some(y) = (first + n).checked_sub(top).filter(|y| *y < usize::from(area.height)) else {
                continue;
            };
            let y = area.y + y as u16;
            if side && (over || left != right) {
                let at = Rect { x: area.x + half, y, width: 1, height: 1 };
                canvas.text(at, "│", canvas.style(Role::Border));
            }
            for (row, x) in &rows {
                let width = if side && (over || left != right) { half } else { area.width };
                let at = Rect { x: area.x + x, y, width, height: 1 };
                let line = paper.line(*row, n, if side { Some(*x > 0) } else { None }, here, canvas);
                canvas.line(at, line);
            }
            let row = if right == NONE { left } else { right };
            canvas.hit(Rect { y, height: 1, ..area }, Hit::Pipeline(Spot::Row(row as usize)));
        }
    }
    canvas.layout.rows = rows_seen.map(|rows| (doc.stamp, rows));
    canvas.layout.flow = flow;
    canvas.more(area, below, false);
}

/// What is compared, how, and where the cursor is: for the head of the pane.
pub fn title(p: &Pipeline, width: u16, lang: Lang) -> String {
    let scope = match p.scope {
        Scope::Session => lang.pick("against the base", "с базой"),
        Scope::Branch => lang.pick("commits of the branch", "коммиты ветки"),
        Scope::Staged => lang.pick("what you have staged", "что ты проиндексировал"),
        Scope::Last => lang.pick("since the last edit", "с прошлой правки"),
    };
    let mut text = scope.to_string();
    if p.whole.is_some() {
        text.push_str(&format!(" · {}", lang.pick("whole file", "файл целиком")));
    }
    if p.is_side(width) {
        text.push_str(&format!(" · {}", lang.pick("side by side", "рядом")));
    }
    if let Some(doc) = p.doc.as_ref().filter(|d| !d.changes.is_empty()) {
        let at = doc.changes.partition_point(|row| *row as usize <= p.cursor);
        text.push_str(&format!(" · {} {at}/{}", lang.pick("change", "изменение"), doc.changes.len()));
    }
    if p.doc.as_ref().is_some_and(|d| d.cut) {
        let cut = lang.pick("longer than 8 MiB: w shows a file", "больше 8 МиБ: w покажет файл");
        text = format!("△ {cut} · {text}");
    }
    if let Some(why) = &p.why {
        text = format!("△ {why} · {text}");
    }
    text
}

fn nothing(p: &Pipeline, s: &Session, canvas: &mut Canvas, area: Rect) {
    let area = Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
    let lang = canvas.lang();
    let text = match (&p.why, &p.doc, p.wanted(s)) {
        (Some(why), ..) => why.clone(),
        (None, Some(_), _) if p.scope == Scope::Branch => {
            lang.pick("the branch holds no commit of its own yet", "в ветке ещё нет своих коммитов").into()
        }
        (None, Some(_), _) if p.scope == Scope::Staged => lang
            .pick("nothing is staged in the work trees", "в рабочих деревьях ничего не проиндексировано")
            .into(),
        (None, Some(_), _) => lang.pick("nothing differs", "различий нет").into(),
        (None, None, None) => lang
            .pick(
                "no edit yet; it shows here when the call ends",
                "правки ещё нет; появится, когда вызов закончится",
            )
            .into(),
        (None, None, Some(_)) => lang.pick("reading the diff …", "читаем diff …").into(),
    };
    for (n, line) in
        wrap(&text, usize::from(area.width.max(1))).iter().take(usize::from(area.height)).enumerate()
    {
        canvas.text(Rect { y: area.y + n as u16, height: 1, ..area }, line, canvas.style(Role::Muted));
    }
}

fn is_text(doc: &Doc, row: u32) -> bool {
    doc.rows.get(row as usize).is_some_and(|r| matches!(r.kind, Kind::Same))
}

/// What every line of one drawing has in common.
struct Paper<'a> {
    p: &'a Pipeline,
    doc: &'a Doc,
    s: &'a Session,
    gutter: u16,
    digits: u16,
    text: u16,
    both: bool,
}

impl Paper<'_> {
    /// Line `n` of a row. `right` says which side it stands at, where there are sides.
    fn line(&self, at: u32, n: usize, right: Option<bool>, here: bool, canvas: &Canvas) -> Line<'static> {
        let mark = Span::styled(if here { "▌" } else { " " }, canvas.style(Role::Focus));
        let Some(row) = self.doc.rows.get(at as usize) else { return Line::from(mark) };
        match row.kind {
            Kind::Same | Kind::Gone | Kind::Came => self.code(at, row, n, right, mark, canvas),
            Kind::File => Line::from([vec![mark], self.file(row, canvas)].concat()),
            Kind::Gate => Line::from([vec![mark], self.gate(at as usize, canvas)].concat()),
            Kind::Head | Kind::Note => {
                let width = usize::from(self.text + self.gutter - 1);
                Line::from(vec![mark, safe(self.doc.text(row), width, canvas.style(Role::Muted))])
            }
        }
    }

    fn code(
        &self,
        at: u32,
        row: &Row,
        n: usize,
        right: Option<bool>,
        mark: Span<'static>,
        canvas: &Canvas,
    ) -> Line<'static> {
        let (sign, role) = match row.kind {
            Kind::Gone => ("-", Role::DiffDel),
            Kind::Came => ("+", Role::DiffAdd),
            _ => (" ", Role::Text),
        };
        let digits = usize::from(self.digits);
        let number = |n: u32| if n > 0 { format!("{n:>digits$}") } else { " ".repeat(digits) };
        let numbers = match (right, self.both) {
            _ if n > 0 => " ".repeat(usize::from(self.gutter) - 2),
            (Some(true), _) => format!("{} ", number(row.new)),
            (Some(false), _) => format!("{} ", number(row.old)),
            (None, true) => format!("{} {} ", number(row.old), number(row.new)),
            (None, false) => format!("{} ", number(row.new.max(row.old))),
        };
        let style = canvas.style(role);
        let text = self.doc.text(row);
        let mut spans = vec![
            mark,
            Span::styled(numbers, canvas.style(if row.kind == Kind::Same { Role::Muted } else { role })),
            Span::styled(if n == 0 { sign } else { " " }, style),
        ];
        let lines = wrap(text, usize::from(self.text));
        let pair = self.doc.rows.get(row.pair as usize).filter(|_| lines.len() == 1 && n == 0);
        let runs = self.p.colours.of(self.doc.stamp, at as usize).unwrap_or_default();
        let other = pair.map(|pair| self.doc.text(pair));
        let shown = Shown { text, lines: &lines, n, runs, other };
        spans.extend(code::spans(&shown, style, row.kind != Kind::Same, &canvas.look.theme));
        Line::from(spans)
    }

    fn file(&self, row: &Row, canvas: &Canvas) -> Vec<Span<'static>> {
        let lang = canvas.lang();
        let Some(patch) = self.doc.patches.get(row.file as usize) else { return Vec::new() };
        let stat = match patch.binary {
            true => lang.pick("binary", "двоичный").to_string(),
            false => format!("+{} −{}", patch.added, patch.removed),
        };
        let (sign, word) = kind(patch.kind, lang);
        let edit = self.s.notes.track.as_ref().and_then(|t| t.edit.as_ref());
        let known = edit.and_then(|e| e.of(&patch.repo).find(|f| f.path == patch.path));
        // What a file is allowed to do changes with it, and no line of the text says so.
        let mode = known.filter(|f| f.before_mode != f.after_mode && f.before_mode != 0 && f.after_mode != 0);
        let mode =
            mode.map(|f| format!(" mode {:o} → {:o}", f.before_mode, f.after_mode)).unwrap_or_default();
        let tail = format!(" {stat}{mode} {word}");
        let room = usize::from(self.text + self.gutter).saturating_sub(tail.width() + 4);
        let bold = canvas.style(Role::Focus).add_modifier(Modifier::BOLD);
        vec![
            Span::styled(format!("{sign} "), canvas.style(Role::Focus)),
            Span::styled(super::tail(&self.doc.label(row), room), bold),
            Span::styled(tail, canvas.style(Role::Muted)),
        ]
    }

    /// What stands about a change that the pilot decides on.
    fn gate(&self, row: usize, canvas: &Canvas) -> Vec<Span<'static>> {
        let lang = canvas.lang();
        let Some(gate) = self.doc.gate(row) else { return Vec::new() };
        let key = |action| {
            let context = crate::ui::action::Context::Pipeline;
            canvas.look.keymap.keys(context, action).into_iter().next().unwrap_or_default()
        };
        use crate::ui::action::Action;
        let (shape, word, role) = match decided(self.p, self.doc, row, self.s) {
            Some(Decided::Approved) => ("✓", lang.pick("approved", "одобрено").to_string(), Role::Done),
            Some(Decided::Rejected) => ("✗", lang.pick("rejected", "отклонено").to_string(), Role::Failed),
            Some(Decided::Sent(yes)) => {
                let what = if yes {
                    lang.pick("approval", "одобрение")
                } else {
                    lang.pick("rejection", "отказ")
                };
                ("…", format!("{what} {}", lang.pick("sent", "отправлено")), Role::Running)
            }
            Some(Decided::Open) => {
                let text = match lang {
                    Lang::En => {
                        format!("open · {} approve · {} reject", key(Action::Approve), key(Action::Reject))
                    }
                    Lang::Ru => format!(
                        "открыто · {} одобрить · {} отклонить",
                        key(Action::Approve),
                        key(Action::Reject)
                    ),
                };
                ("!", text, Role::Waiting)
            }
            // Of an edit that is not the last one any more.
            None => ("·", lang.pick("of an earlier edit", "прежней правки").to_string(), Role::Muted),
        };
        let mut text =
            format!("{shape} {} {}/{} · {word}", lang.pick("change", "изменение"), gate.hunk, gate.of);
        // What the change stands in is more than the lines around it show (PC-503).
        let edit = self.s.notes.track.as_ref().and_then(|t| t.edit.as_ref());
        let hunk = edit.and_then(|e| e.reserved.get(gate.reserved)?.hunks.get(gate.hunk as usize - 1));
        if hunk.is_some_and(|h| !h.around.is_empty()) {
            let table = lang.pick("the whole table", "вся таблица");
            text.push_str(&format!(" · {} {table}", key(Action::Answer)));
        }
        let width = usize::from(self.text + self.gutter - 1);
        vec![safe(&text, width, canvas.style(role).add_modifier(Modifier::BOLD))]
    }
}

/// A name and sign for what happened to a file.
pub fn kind(kind: ChangeKind, lang: Lang) -> (&'static str, &'static str) {
    match kind {
        ChangeKind::Added => ("+", lang.pick("new", "новый")),
        ChangeKind::Modified => ("~", ""),
        ChangeKind::Deleted => ("-", lang.pick("deleted", "удалён")),
    }
}
