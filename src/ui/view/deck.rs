//! The deck: sessions in groups, what each is doing, and the selected one in preview where there is room.

use super::draw::{Canvas, column, safe};
use super::layout::{Hit, Pane};
use super::{bar, preview};
use crate::domain::lang::Lang;
use crate::domain::session::meta::Status;
use crate::domain::spent::Spent;
use crate::engine::wire::{Owner, Row};
use crate::ui::model::Model;
use crate::ui::model::deck::{Group, Line as DeckLine, clock_or_date, slug, state};
use crate::ui::theme::Role;
use crate::ui::words;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// From this width on the selected session is shown beside the list.
const PREVIEW: u16 = 110;

pub fn draw(model: &Model, canvas: &mut Canvas, area: Rect) {
    let mut title = vec![Span::styled("flightdeck", canvas.style(Role::Focus))];
    // No call was made today, or there is no room beside the number that waits.
    let counted = |today: &&Spent| area.width >= 70 && **today != Spent::default();
    if let Some(today) = model.deck.today.as_ref().filter(counted) {
        let day = model.lang().pick("today", "сегодня");
        let spent =
            if area.width >= 100 { words::spent(today, model.lang()) } else { words::dollars(today.usd) };
        title.push(Span::styled(format!("   {spent} {day}"), canvas.style(Role::Muted)));
    }
    bar::top(model, canvas, area, title);
    canvas.rule(Rect { y: area.y + 1, height: 1, ..area });
    let body = Rect { y: area.y + 2, height: area.height.saturating_sub(4), ..area };
    canvas.rule(Rect { y: body.bottom(), height: 1, ..area });
    let list = if area.width >= PREVIEW { Rect { width: area.width * 6 / 10, ..body } } else { body };
    rows(model, canvas, list);
    if area.width >= PREVIEW {
        let right = Rect { x: list.right() + 2, width: area.width - list.width - 3, ..body };
        for y in body.y..body.bottom() {
            canvas.text(Rect { x: list.right(), y, width: 1, height: 1 }, "│", canvas.style(Role::Border));
        }
        preview::draw(model, canvas, right);
    }
}

fn rows(model: &Model, canvas: &mut Canvas, area: Rect) {
    let lines = model.deck.lines(model.clock, &model.look.zone);
    canvas.hit(area, Hit::Pane(Pane::Deck));
    if lines.is_empty() {
        return empty(model, canvas, area);
    }
    let selected = |l: &DeckLine| matches!(l, DeckLine::Row(n) if Some(&model.deck.rows[*n].id) == model.deck.selected.as_ref());
    let at = lines.iter().position(selected);
    let scroll = canvas.layout.scroll(Pane::Deck);
    scroll.fit(lines.len(), usize::from(area.height));
    if let Some(at) = at {
        scroll.show(at);
        // The heading of the first row belongs to it.
        if at == 1 {
            scroll.show(0);
        }
    }
    let (top, below) = (scroll.top, scroll.below());
    for (n, line) in lines.iter().enumerate().skip(top).take(usize::from(area.height)) {
        let place = Rect { y: area.y + (n - top) as u16, height: 1, ..area };
        match line {
            DeckLine::Heading(group) => heading(model, canvas, place, *group),
            DeckLine::Row(row) => {
                let row = &model.deck.rows[*row];
                session(row, model.slots.of(&row.id), canvas, place, at == Some(n));
            }
        }
    }
    canvas.more(area, below, false);
}

fn empty(model: &Model, canvas: &mut Canvas, area: Rect) {
    let lang = model.lang();
    let text = match (model.deck.loaded, model.deck.filter.is_empty()) {
        (false, _) => lang.pick("asking the engine …", "спрашиваем движок …"),
        (true, true) => lang.pick(
            "No session yet. n begins one; flightdeck demo shows one.",
            "Сессий пока нет. n начинает новую; flightdeck demo покажет пример.",
        ),
        (true, false) => lang.pick("Nothing fits the filter.", "Фильтру ничего не подходит."),
    };
    canvas.text(
        Rect { x: area.x + 2, width: area.width.saturating_sub(2), ..area },
        text,
        canvas.style(Role::Muted),
    );
}

fn heading(model: &Model, canvas: &mut Canvas, area: Rect, group: Group) {
    let mut text = format!(" {}", group.title(model.lang()));
    let hidden = model.deck.total.saturating_sub(model.deck.rows.len());
    if group == Group::Earlier && hidden > 0 {
        let word = model.lang().pick("older ones in the library", "более старых — в архиве");
        text.push_str(&format!(" · {hidden} {word}"));
    }
    if !model.deck.filter.is_empty() {
        text.push_str(&format!(" · {} {}", model.lang().pick("filter:", "фильтр:"), model.deck.filter));
    }
    canvas.line(area, safe_heading(text, area.width, canvas));
}

fn safe_heading(text: String, width: u16, canvas: &Canvas) -> Line<'static> {
    Line::from(vec![Span::raw(" "), safe(&text, usize::from(width), canvas.style(Role::Muted))])
}

fn session(row: &Row, slot: Option<u8>, canvas: &mut Canvas, area: Rect, selected: bool) {
    let lang = canvas.lang();
    let state = state(row, lang);
    let width = usize::from(area.width);
    let now = canvas.clock.now;
    let (name_wide, peers_wide, place_wide, time_wide) = match width {
        0..50 => (width.saturating_sub(4 + 8), 0, 0, 7),
        // As wide as the longest word for a state.
        50..100 => (24, 0, if lang == Lang::Ru { 12 } else { 11 }, 7),
        _ => (width * 3 / 10, 16, 13, 7),
    };
    let time = match row.questions.iter().map(|q| q.since).min() {
        Some(since) => words::age(since, now, lang),
        None if row.speaking.is_some() => String::new(),
        None => clock_or_date(row.changed, now, &canvas.look.zone),
    };
    // Without its column the word stands before the time, in the name's room; what waits has it in the heading.
    let time = match place_wide {
        0 if width >= 30 && row.questions.is_empty() => format!(" {} {time}", state.word),
        _ => time,
    };
    let name_wide = if place_wide > 0 { name_wide } else { width.saturating_sub(5 + time.chars().count()) };
    let what_wide = width.saturating_sub(4 + name_wide + peers_wide + place_wide + time_wide + 4);
    let mark = if selected { "▌" } else { " " };
    let text = canvas.style(Role::Text);
    let muted = canvas.style(Role::Muted);
    let mut spans = vec![
        Span::styled(mark, canvas.style(Role::Focus)),
        Span::styled(format!("{} ", state.shape), canvas.style(state.role)),
        Span::styled(column(&slot.map_or(String::new(), |n| n.to_string()), 2), canvas.style(Role::Focus)),
        Span::styled(column(&name(row), name_wide.saturating_sub(2)), text),
        Span::raw(" "),
    ];
    if peers_wide > 0 {
        spans.push(Span::styled(column(&row.peers, peers_wide), muted));
        spans.push(Span::raw(" "));
    }
    if place_wide > 0 {
        let role =
            if row.status == Status::Started && row.questions.is_empty() { Role::Muted } else { state.role };
        spans.push(Span::styled(column(&place(row, canvas, state.word), place_wide), canvas.style(role)));
        spans.push(Span::raw(" "));
        spans.push(Span::styled(column(&what(row, canvas), what_wide), text));
        spans.push(Span::raw(" "));
    }
    canvas.line(area, Line::from(spans));
    let wide = (time.chars().count() as u16 + 1).min(area.width);
    let role = if row.questions.is_empty() { Role::Muted } else { Role::Waiting };
    canvas.text(Rect { x: area.right() - wide, width: wide, ..area }, &time, canvas.style(role));
    if selected {
        canvas.paint(area, canvas.style(Role::Selection));
    }
    canvas.hit(area, Hit::Row(row.id.clone()));
}

fn name(row: &Row) -> String {
    let mark = if row.foreign { "△ " } else { "" };
    format!("{mark}{}", slug(&row.id))
}

/// Where a session stands: its round while it runs, its result afterwards.
fn place(row: &Row, canvas: &Canvas, word: &str) -> String {
    let lang = canvas.lang();
    let (n, limit) = row.at;
    if row.status != Status::Started || n == 0 {
        return word.to_string();
    }
    let unit =
        if row.peers.contains('+') { lang.pick("round", "раунд") } else { lang.pick("turn", "ход") };
    if limit == 0 { format!("{unit} {n}") } else { format!("{unit} {n}/{limit}") }
}

fn what(row: &Row, canvas: &Canvas) -> String {
    let lang = canvas.lang();
    if let Some(q) = row.questions.first() {
        let more = row.questions.len() - 1;
        let line = q.text(lang).lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
        let head = &line[..line.floor_char_boundary(400)];
        return if more > 0 { format!("(+{more}) {head}") } else { head.to_string() };
    }
    if let Some((who, since)) = &row.speaking {
        let verb = lang.pick("writing", "пишет");
        return format!("{} {who} {verb} · {}", canvas.spinner(), words::age(*since, canvas.clock.now, lang));
    }
    if let Owner::Other { pid } = row.owner {
        return format!("{} {pid}", lang.pick("driven by process", "ведёт процесс"));
    }
    if row.escalations > 0 && row.status != Status::Started {
        let word = words::plural(
            row.escalations as usize,
            lang,
            ("escalation", "escalations"),
            ("эскалация", "эскалации", "эскалаций"),
        );
        return format!("{} {word}", row.escalations);
    }
    row.task[..row.task.floor_char_boundary(400)].to_string()
}
