//! One participant's lane: who it is, what it does now, and everything it said.

use super::draw::{Canvas, safe};
use super::layout::{Breaks, Hit, Pane};
use crate::domain::effect::Purpose;
use crate::domain::question::QuestionKind;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Status;
use crate::ui::model::lanes::{self, Voice};
use crate::ui::model::rounds::Mark;
use crate::ui::model::watched::Watched;
use crate::ui::theme::Role;
use crate::ui::words;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::rc::Rc;

/// Name and role, for a column's head or a tab.
pub fn name(voice: &Voice, lane: usize, canvas: &Canvas, width: usize) -> Vec<Span<'static>> {
    let style = canvas.look.theme.voice(lane);
    let name = safe(&voice.name, width, style);
    let rest = width.saturating_sub(name.width() + 3);
    let role = safe(&voice.role, rest, canvas.style(Role::Muted));
    let mut spans = vec![name];
    if rest > 3 && !role.content.is_empty() {
        spans.extend([Span::styled(" · ", canvas.style(Role::Muted)), role]);
    }
    spans
}

/// What the participant does now, as shape and words.
pub fn state(w: &Watched, lane: usize, canvas: &Canvas) -> Span<'static> {
    let (text, role) = now(w, lane, canvas);
    safe(&text, 60, canvas.style(role))
}

/// The first sign of the state, for a tab.
pub fn shape(w: &Watched, lane: usize, canvas: &Canvas) -> String {
    now(w, lane, canvas).0.chars().take_while(|c| *c != ' ').collect()
}

/// The state with what is known about the process, for the line below the name.
pub fn status(w: &Watched, lane: usize, canvas: &Canvas, width: usize) -> Line<'static> {
    let (mut text, role) = now(w, lane, canvas);
    let s = w.session();
    if let Some(run) = w.call.as_ref().filter(|r| lanes::lane_of_call(s, r.call.vendor.as_deref()) == lane) {
        if run.bytes > 0 {
            text.push_str(&format!(" · {}", words::bytes(run.bytes, canvas.lang())));
        }
        if let Some(pid) = run.pid {
            text.push_str(&format!(" · pid {pid}"));
        }
        let says = run.says(canvas.lang());
        match run.stderr.lines().rev().find(|line| !line.trim().is_empty()) {
            Some(line) => text.push_str(&format!(" · ⚠ {}", line.trim())),
            None if !says.is_empty() => text.push_str(&format!(" · {says}")),
            None => {}
        }
        return Line::from(vec![safe(&text, width, canvas.style(role))]);
    }
    let who = lane.checked_sub(1).and_then(|n| s.peers().into_iter().nth(n)).map(|p| p.vendor);
    let who = who.unwrap_or_default();
    if let Some((ended, reason)) = w.ended.get(&who).and_then(|e| Some((e, e.failure.as_ref()?))) {
        let after = canvas.lang().pick("after", "через");
        let lasted = words::lasted(i64::try_from(ended.seconds).unwrap_or(i64::MAX), canvas.lang());
        let reason = reason.text(canvas.lang());
        // That it was asked for a reply goes without saying.
        let what = match ended.call.purpose {
            Purpose::Turn | Purpose::Peer => reason,
            purpose => format!("{}: {reason}", purpose.text(canvas.lang())),
        };
        text.push_str(&format!(" · {what} {after} {lasted}"));
    }
    if let Some(spent) = w.spent.of.get(&who) {
        text.push_str(&format!(" · {}", words::spent(spent, canvas.lang())));
    }
    Line::from(vec![safe(&text, width, canvas.style(role))])
}

/// Everything the lane holds, from where the pilot reads.
pub fn body(id: &SessionId, w: &Watched, lane: usize, canvas: &mut Canvas, area: Rect) {
    let pane = Pane::Lane(id.clone(), lane);
    canvas.hit(area, Hit::Pane(pane.clone()));
    let blocks = lanes::blocks(w, lane, canvas.lang());
    let width = area.width.saturating_sub(1).max(1);
    // A block is its heading, its text and an empty line.
    let wrapped: Vec<Rc<Vec<String>>> = blocks
        .iter()
        .map(|b| match b.id.as_str() {
            "preview" => canvas.layout.wraps.growing(id, b.body, (width, Breaks::Prose)),
            _ if b.body.is_empty() => Rc::new(Vec::new()),
            name => canvas.layout.wraps.whole(id, name, b.body, (width, Breaks::Prose)),
        })
        .collect();
    let framed: Vec<Vec<&str>> = blocks
        .iter()
        .zip(&wrapped)
        .map(|(b, lines)| {
            let tail = if b.id == "preview" { None } else { Some("") };
            std::iter::once(b.heading.as_str()).chain(lines.iter().map(String::as_str)).chain(tail).collect()
        })
        .collect();
    let refs: Vec<&[&str]> = framed.iter().map(Vec::as_slice).collect();
    let scroll = canvas.layout.scroll(pane);
    scroll.fit_blocks(&refs, area.width, usize::from(area.height));
    let (top, below, new) = (scroll.top, scroll.below(), scroll.has_new());
    let mut skip = top;
    let mut y = area.y;
    for (block, lines) in blocks.iter().zip(&framed) {
        if skip >= lines.len() {
            skip -= lines.len();
            continue;
        }
        for (n, line) in lines.iter().enumerate().skip(skip) {
            if y >= area.bottom() {
                break;
            }
            let style = if n == 0 { canvas.style(block.role) } else { line_style(line, canvas) };
            canvas.text(Rect { y, height: 1, width, ..area }, line, style);
            y += 1;
        }
        skip = 0;
    }
    canvas.more(area, below, new);
}

/// Markers are what the loop reads; they stand out.
fn line_style(line: &str, canvas: &Canvas) -> Style {
    let role = match line.trim_start() {
        l if l.starts_with("CONSENSUS:") => Role::Done,
        l if l.starts_with("ESCALATE_TO_USER") || l.starts_with("RESERVED_DECISION") => Role::Escalated,
        l if l.starts_with("PASS") => Role::Muted,
        l if l.starts_with("OFFER_HANDOFF")
            || l.starts_with("ACCEPT_HANDOFF")
            || l.starts_with("REQUEST_HANDOFF") =>
        {
            Role::Gate
        }
        l if l.starts_with('#') => Role::Focus,
        _ => Role::Text,
    };
    canvas.style(role)
}

fn now(w: &Watched, lane: usize, canvas: &Canvas) -> (String, Role) {
    let s = w.session();
    let lang = canvas.lang();
    let vendor = lane.checked_sub(1).and_then(|n| s.peers().into_iter().nth(n)).map(|p| p.vendor);
    if let Some(run) = w.call.as_ref().filter(|r| lanes::lane_of_call(s, r.call.vendor.as_deref()) == lane) {
        // Its clock stands still, so none is shown.
        if let Some(q) = w.view.questions.iter().find(|q| q.kind == QuestionKind::Permission) {
            let text = lang.pick("! asks you for leave", "! просит у тебя разрешения");
            return (format!("{text} · {}", words::age(q.since, canvas.clock.now, lang)), Role::Waiting);
        }
        let mut text = format!("{} {}", canvas.spinner(), lang.pick("writing", "пишет"));
        text.push_str(&format!(" · {}", words::age(run.since, canvas.clock.now, lang)));
        if let Some(deadline) = run.deadline {
            let of = lang.pick("of", "из");
            text.push_str(&format!(
                " {of} {}",
                words::lasted(i64::try_from(deadline).unwrap_or(i64::MAX), lang)
            ));
        }
        if run.call.attempt > 1 {
            text.push_str(&format!(" · {} {}", lang.pick("attempt", "попытка"), run.call.attempt));
        }
        return (text, Role::Running);
    }
    if let Some(vendor) = vendor.as_ref().filter(|v| s.meta.is_failed(v)) {
        let why = s.meta.peer_failures.iter().rfind(|f| f.vendor == *vendor).map(|f| f.reason.text(lang));
        let text = format!("✗ {}: {}", lang.pick("out", "выбыл"), why.unwrap_or_else(|| "—".into()));
        return (text, Role::Failed);
    }
    let said = w.rounds.iter().rev().find_map(|r| {
        r.said
            .iter()
            .find(|p| p.lane == lane && !matches!(p.mark, Mark::Due | Mark::Never))
            .map(|p| (r.number, p))
    });
    let attempts = vendor.map_or(0, |v| s.meta.attempts(&v));
    let Some((round, said)) = said else {
        return (lang.pick("… not yet", "… ещё нет").to_string(), Role::Muted);
    };
    let (shape, word, role) = said.mark.shown(lang);
    let unit = words::unit(s, lang);
    let mut text = format!("{shape} {word} · {unit} {round}");
    if attempts > 0 {
        text.push_str(&format!(
            " · {} {attempts}/{}",
            lang.pick("attempts", "попытки"),
            s.meta.max_peer_attempts
        ));
    }
    let role = if s.meta.status == Status::Started { role } else { Role::Muted };
    (text, role)
}
