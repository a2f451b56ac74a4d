//! A session: header and honesty line, a lane for each participant, the rounds so far.

use super::draw::{Canvas, safe};
use super::layout::Hit;
use super::{bar, lane, rounds};
use crate::domain::lang::Lang;
use crate::domain::session::honesty::{self, Doubt};
use crate::domain::session::meta::Status;
use crate::domain::time::Stamp;
use crate::engine::wire::Owner;
use crate::ui::model::deck::{slug, stands};
use crate::ui::model::pipeline::steps::hint;
use crate::ui::model::watched::Watched;
use crate::ui::model::{Model, Shown, lanes};
use crate::ui::text::{one_line, wrap};
use crate::ui::theme::Role;
use crate::ui::words;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// From this width on lanes stand beside each other, if each has enough room.
const COLUMNS: u16 = 90;
const LANE: u16 = 26;

/// From this width on the session's files are listed at the side.
const FILES: u16 = 150;

pub fn draw(model: &Model, shown: &Shown, canvas: &mut Canvas, area: Rect) {
    let Some(w) = model.watched.get(&shown.id) else {
        let title = vec![Span::styled(slug(&shown.id).to_string(), canvas.style(Role::Focus))];
        bar::top(model, canvas, area, title);
        let text = model.lang().pick("reading the session …", "читаем сессию …");
        let at = Rect { x: area.x + 1, y: area.y + 2, width: area.width - 1, height: 1 };
        return canvas.text(at, text, canvas.style(Role::Muted));
    };
    let top = header(model, shown, w, canvas, area);
    canvas.layout.header = top;
    let voices = lanes::voices(w.session(), model.lang());
    let columns = area.width >= COLUMNS && !shown.zoom && area.width / voices.len() as u16 >= LANE;
    let summary = summary_height(w, area, columns, shown.zoom, voices.len());
    // The header, timeline 1, footer 1.
    let rest = area.height.saturating_sub(top + 2 + summary);
    let mut body = Rect { y: area.y + top, height: rest, ..area };
    if area.width >= FILES && !shown.zoom {
        body.width -= 30;
        files(w, canvas, Rect { x: body.right() + 1, width: 29, ..body });
    }
    if columns {
        beside(shown, w, &voices, canvas, body);
    } else {
        tabbed(shown, w, &voices, canvas, body);
    }
    let below = Rect { y: body.bottom(), height: summary, ..area };
    summaries(w, canvas, below, columns);
    let line = rounds::timeline(w, canvas, usize::from(area.width));
    canvas.line(Rect { y: below.bottom(), height: 1, ..area }, line);
}

/// Draws the header and returns how many rows it took: who agreed and who did not is never cut where there is room for
/// another row (ui.md rule 9).
fn header(model: &Model, shown: &Shown, w: &Watched, canvas: &mut Canvas, area: Rect) -> u16 {
    let lang = model.lang();
    let s = w.session();
    let name = Span::styled(slug(&shown.id).to_string(), canvas.style(Role::Focus));
    let slot = model.slots.of(&shown.id).map_or(String::new(), |n| format!("{n} "));
    let room = usize::from(area.width).saturating_sub(slot.width() + name.width() + 4);
    let facts = safe(&fitting(facts(w, canvas), room), room, canvas.style(Role::Muted));
    let left = room.saturating_sub(facts.width() + 3);
    let mut title = vec![Span::raw(" "), Span::styled(slot, canvas.style(Role::Muted)), name];
    if left > 12 {
        title.extend([Span::raw("  "), safe(&s.meta.task_description, left, canvas.style(Role::Text))]);
    }
    canvas.ends(Rect { height: 1, ..area }, Line::from(title), Line::from(vec![facts, Span::raw(" ")]));
    let second = Rect { y: area.y + 1, height: 1, ..area };
    let panel = honesty::panel(s);
    let (text, role) = match () {
        // Why it stands still, or what of it could not be read, goes first while the session is to go on.
        () if s.meta.status == Status::Started && !w.view.problems.is_empty() => {
            (format!("⚠ {}", w.view.problems.join(" · ")), Role::Failed)
        }
        () if s.meta.engine_result_class.is_some() => {
            (panel.heading(lang), if panel.needs_extra_key() { Role::Warning } else { Role::Muted })
        }
        () if panel.doubts.is_empty() => (panel.short(lang), Role::Muted),
        () => (format!("△ {}{}", panel.short(lang), doubts(&panel.doubts, lang)), Role::Warning),
    };
    let waits = bar::waiting(model, canvas, area.width < 100);
    let beside = usize::from(area.width).saturating_sub(waits.width() + 2);
    let alone = usize::from(area.width).saturating_sub(2);
    canvas.hit(
        Rect { x: area.right().saturating_sub(waits.width() as u16), width: waits.width() as u16, ..second },
        Hit::Action(crate::ui::action::Action::NextQuestion),
    );
    let line = |text: &str, room: usize, canvas: &Canvas| {
        Line::from(vec![Span::raw(" "), safe(text, room, canvas.style(role))])
    };
    // The first row is short because of the number beside it; the rest has the whole width.
    let text = one_line(&text, usize::MAX);
    let first = wrap(&text, beside).into_iter().next().unwrap_or_default();
    let rest = text.strip_prefix(first.as_str()).unwrap_or_default().trim_start();
    let most = usize::from(area.height / 7).min(3);
    let mut rows = if rest.is_empty() || most == 0 { Vec::new() } else { wrap(rest, alone) };
    if rows.len() > most {
        let last = rows.split_off(most - 1).join(" ");
        rows.push(last);
    }
    let shown = if rows.is_empty() { &text } else { &first };
    canvas.ends(second, line(shown, beside, canvas), waits);
    for (n, row) in rows.iter().enumerate() {
        let at = Rect { y: second.y + 1 + n as u16, ..second };
        canvas.line(at, line(row, alone, canvas));
    }
    2 + rows.len() as u16
}

/// The facts in their order, as many as there is room for: whole ones, the most telling first.
fn fitting(mut facts: Vec<(u8, String)>, room: usize) -> String {
    let joined =
        |facts: &[(u8, String)]| facts.iter().map(|(_, f)| f.as_str()).collect::<Vec<_>>().join(" · ");
    while facts.len() > 1 && joined(&facts).width() > room {
        let least = facts.iter().enumerate().max_by_key(|(_, (rank, _))| *rank).map_or(0, |(n, _)| n);
        facts.remove(least);
    }
    joined(&facts)
}

/// What makes the panel weaker than it looks, while it still speaks.
fn doubts(doubts: &[Doubt], lang: Lang) -> String {
    let say = |doubt: &Doubt| match doubt {
        Doubt::Failed(who) => format!(" · {who} {}", lang.pick("is out", "выбыл")),
        Doubt::Skipped(who) => format!(" · {who} {}", lang.pick("gave no reply", "не ответил")),
        Doubt::Repeats(who) => format!(" · {who} {}", lang.pick("repeats the writer", "повторяет писателя")),
        Doubt::OneVendor(family) => format!(" · {} {family}", lang.pick("one vendor:", "один вендор:")),
    };
    doubts.iter().map(say).collect()
}

/// Round, token, time, tokens, cost; what is unknown is left out or a dash. Each with a rank: where there is no room the
/// highest goes first.
fn facts(w: &Watched, canvas: &Canvas) -> Vec<(u8, String)> {
    let s = w.session();
    let lang = canvas.lang();
    // A round begins with its first call, not with its first reply.
    let running = w.call.as_ref().map_or(0, |run| run.call.round);
    let last = w.rounds.last().map_or(0, |r| r.number).max(running);
    let unit = words::unit(s, lang);
    let limit = if s.is_round_loop() { s.meta.rounds_limit } else { s.meta.turns_limit };
    let mut out = vec![(1, format!("{unit} {last} {} {limit}", lang.pick("of", "из")))];
    out.extend(hint(w, lang).map(|hint| (0, hint)));
    match (s.meta.status, w.view.owner) {
        (Status::Completed, _) => {
            let closed = lang.pick("closed", "закрыта");
            let class =
                s.meta.engine_result_class.map(|_| stands(s.meta.status, s.meta.engine_result_class, lang));
            out.push((0, class.map_or(closed.to_string(), |class| format!("{closed} · {}", class.word))));
        }
        (Status::Interrupted, _) => out.push((0, lang.pick("interrupted", "прервана").to_string())),
        (_, Owner::Other { pid }) => {
            out.push((0, format!("{} {pid}", lang.pick("driven by process", "ведёт процесс"))))
        }
        (_, Owner::Nobody) => out.push((0, lang.pick("standing", "стоит").to_string())),
        (_, Owner::Here) => {}
    }
    if s.is_round_loop() {
        let holder = &s.meta.write_token_holder;
        let holder = if holder == "writer_agent" { lang.pick("writer", "писатель") } else { holder };
        out.push((4, format!("{}: {holder}", lang.pick("token", "перо"))));
    }
    if let Some(start) = Stamp::parse(&s.meta.start_time) {
        let end = Stamp::parse(&s.meta.end_time).unwrap_or(canvas.clock.now);
        out.push((3, words::age(start, end, lang)));
    }
    // Before the first call has ended there is nothing to know.
    if !w.spent.of.is_empty() {
        out.push((2, words::spent(&w.spent.total(), lang)));
    }
    out
}

fn beside(shown: &Shown, w: &Watched, voices: &[lanes::Voice], canvas: &mut Canvas, area: Rect) {
    let n = voices.len() as u16;
    let wide = area.width / n;
    for (lane, voice) in voices.iter().enumerate() {
        let x = area.x + wide * lane as u16;
        let width = if lane + 1 == voices.len() { area.right() - x } else { wide };
        let column = Rect { x, width, ..area };
        head(shown, w, voice, lane, canvas, column);
        // A line stands before all lanes but the first.
        let pad = if lane == 0 { 1 } else { 2 };
        let inner = Rect {
            x: x + pad,
            y: area.y + 2,
            width: width.saturating_sub(pad + 1),
            height: area.height.saturating_sub(2),
        };
        lane::body(&shown.id, w, lane, canvas, inner);
        if lane > 0 {
            for y in area.y..area.bottom() {
                canvas.text(Rect { x, y, width: 1, height: 1 }, "│", canvas.style(Role::Border));
            }
        }
        canvas.hit(Rect { height: 2.min(area.height), ..column }, Hit::Lane(lane));
    }
}

/// A lane's name and state; the name of the lane that has the keys is marked.
fn head(shown: &Shown, w: &Watched, voice: &lanes::Voice, lane: usize, canvas: &mut Canvas, area: Rect) {
    let width = usize::from(area.width.saturating_sub(4));
    let mark = if shown.lane == lane { "▸" } else { " " };
    let mut spans = vec![Span::styled(format!(" {mark}"), canvas.style(Role::Focus))];
    spans.extend(lane::name(voice, lane, canvas, width));
    canvas.line(Rect { height: 1.min(area.height), ..area }, Line::from(spans));
    let second = Rect { x: area.x + 2, y: area.y + 1, width: area.width.saturating_sub(3), height: 1 };
    if area.height > 1 {
        let status = lane::status(w, lane, canvas, usize::from(second.width));
        canvas.line(second, status);
    }
}

/// One lane at a time; the others are a word each.
fn tabbed(shown: &Shown, w: &Watched, voices: &[lanes::Voice], canvas: &mut Canvas, area: Rect) {
    let mut x = area.x + 1;
    let share = usize::from(area.width) / voices.len().max(1);
    for (lane, voice) in voices.iter().enumerate() {
        let front = lane == shown.lane;
        // Who speaks and who asks is seen from every tab.
        let shape = lane::shape(w, lane, canvas);
        let room = share.saturating_sub(4 + shape.width()).max(3);
        let text = safe(&format!("{shape} {}", voice.name), room + 2, canvas.look.theme.voice(lane));
        let wide = text.width() as u16 + 2;
        if x + wide > area.right() {
            break;
        }
        let at = Rect { x, width: wide, height: 1, y: area.y };
        let (open, close) = if front { ("[", "]") } else { (" ", " ") };
        let edge = canvas.style(Role::Focus);
        canvas.line(at, Line::from(vec![Span::styled(open, edge), text, Span::styled(close, edge)]));
        canvas.hit(at, Hit::Lane(lane));
        x += wide + 1;
    }
    if let Some(voice) = voices.get(shown.lane) {
        let left = usize::from(area.right().saturating_sub(x + 1));
        let role = safe(&voice.role, left, canvas.style(Role::Muted));
        let wide = role.width() as u16;
        canvas.line(
            Rect { x: area.right().saturating_sub(wide + 1), width: wide, height: 1, y: area.y },
            role.into(),
        );
    }
    let second = Rect { x: area.x + 1, y: area.y + 1, width: area.width - 1, height: 1 };
    if area.height > 2 {
        let status = lane::status(w, shown.lane, canvas, usize::from(second.width));
        canvas.line(second, status);
    }
    let inner =
        Rect { x: area.x + 1, y: area.y + 2, width: area.width - 1, height: area.height.saturating_sub(2) };
    lane::body(&shown.id, w, shown.lane, canvas, inner);
}

/// Lines of the summary: a line per round in columns, the last round entry by entry elsewhere.
fn summary_height(w: &Watched, area: Rect, columns: bool, zoom: bool, participants: usize) -> u16 {
    if zoom || area.height < 18 {
        return 0;
    }
    let most = area.height / 4;
    let wanted = if columns { w.rounds.len() + 1 } else { participants + 2 };
    most.min(wanted as u16)
}

fn summaries(w: &Watched, canvas: &mut Canvas, area: Rect, columns: bool) {
    if area.height < 2 {
        return;
    }
    canvas.rule(Rect { height: 1, ..area });
    let room = usize::from(area.height - 1);
    let width = usize::from(area.width);
    let lines: Vec<Line> = if columns {
        w.rounds.iter().rev().take(room).rev().map(|r| rounds::wide(w, r, canvas, width)).collect()
    } else {
        w.rounds.last().map(|r| rounds::tall(w, r, canvas, width)).unwrap_or_default()
    };
    for (n, line) in lines.into_iter().take(room).enumerate() {
        canvas.line(Rect { y: area.y + 1 + n as u16, height: 1, ..area }, line);
    }
}

fn files(w: &Watched, canvas: &mut Canvas, area: Rect) {
    let title = format!(" {}", canvas.lang().pick("files", "файлы"));
    canvas.text(area, &title, canvas.style(Role::Muted));
    let room = usize::from(area.height.saturating_sub(1));
    let hidden = w.view.files.len().saturating_sub(room);
    for (n, file) in w.view.files.iter().skip(hidden).enumerate() {
        let at =
            Rect { x: area.x + 1, y: area.y + 1 + n as u16, width: area.width.saturating_sub(1), height: 1 };
        let name = safe(file, file.width().min(usize::from(at.width)), canvas.style(Role::Link));
        canvas.line(at, name.into());
    }
}
