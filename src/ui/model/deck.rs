//! The list of sessions: its groups, its filter, and the one that is selected. The selection follows the session, not
//! the line: a deck that changes never moves it to another one.

use super::Clock;
use crate::domain::lang::Lang;
use crate::domain::question::QuestionKind;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::{ResultClass, Status};
use crate::domain::spent::Spent;
use crate::domain::time::Stamp;
use crate::engine::wire::{Owner, Row};
use crate::ui::theme::Role;
use crate::ui::words::local;
use std::ops::Range;
use std::time::Duration;

/// How many sessions are asked for; older ones are in the library.
pub const LIMIT: usize = 300;

#[derive(Debug, Clone, Default)]
pub struct Deck {
    /// As the engine sends them, newest first.
    pub rows: Vec<Row>,
    pub total: usize,
    /// What all sessions cost today, once the engine has told.
    pub today: Option<Spent>,
    /// The engine has spoken.
    pub loaded: bool,
    pub selected: Option<SessionId>,
    pub filter: String,
    /// When the selected session is to be looked into: a selection that moves on asks for nothing.
    pub peek_at: Option<Duration>,
}

/// The groups, in the order of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    Waiting,
    Live,
    Today,
    Earlier,
}

/// One line of the deck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    Heading(Group),
    /// Index into `rows`.
    Row(usize),
}

/// A state as shape, word and role (ui.md rule 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    pub shape: &'static str,
    pub word: &'static str,
    pub role: Role,
}

impl Group {
    pub fn title(self, lang: Lang) -> &'static str {
        match self {
            Group::Waiting => lang.pick("waiting", "ждут"),
            Group::Live => lang.pick("live", "идут"),
            Group::Today => lang.pick("today", "сегодня"),
            Group::Earlier => lang.pick("earlier", "раньше"),
        }
    }
}

impl Deck {
    /// The lines in the order of the screen.
    pub fn lines(&self, clock: Clock, zone: &jiff::tz::TimeZone) -> Vec<Line> {
        let today = day(clock.now, zone).unwrap_or_default();
        let filter = self.filter.to_lowercase();
        let words: Vec<&str> = filter.split_whitespace().collect();
        let mut rows: Vec<(Group, usize)> = (0..self.rows.len())
            .filter(|n| fits(&self.rows[*n], &words))
            .map(|n| (group(&self.rows[n], &today), n))
            .collect();
        // Stable, so that within a group the newest stays first; who waits longest comes first.
        rows.sort_by_key(|(group, n)| {
            let waits = self.rows[*n].questions.iter().map(|q| q.since.0).min().unwrap_or_default();
            (*group, if *group == Group::Waiting { waits } else { 0 })
        });
        let mut lines = Vec::with_capacity(rows.len() + 4);
        let mut last = None;
        for (group, n) in rows {
            if last.replace(group) != Some(group) {
                lines.push(Line::Heading(group));
            }
            lines.push(Line::Row(n));
        }
        lines
    }

    pub fn row(&self, id: &SessionId) -> Option<&Row> {
        self.rows.iter().find(|r| r.id == *id)
    }

    /// The selected session.
    pub fn chosen(&self) -> Option<&Row> {
        self.selected.as_ref().and_then(|id| self.row(id))
    }

    /// Moves the selection by so many sessions.
    pub fn step(&mut self, lines: &[Line], by: isize) {
        let rows: Vec<usize> =
            lines.iter().filter_map(|l| if let Line::Row(n) = l { Some(*n) } else { None }).collect();
        let Some(last) = rows.len().checked_sub(1) else {
            self.selected = None;
            return;
        };
        let here = rows.iter().position(|n| Some(&self.rows[*n].id) == self.selected.as_ref());
        let to = here.map_or(0, |at| at.saturating_add_signed(by).min(last));
        self.selected = Some(self.rows[rows[to]].id.clone());
    }
}

/// The part of the id that says what the session is about.
pub fn slug(id: &SessionId) -> &str {
    let text = id.as_str();
    text.splitn(5, '-').nth(4).filter(|s| !s.is_empty()).unwrap_or(text)
}

/// What a row is, for its first two columns.
pub fn state(row: &Row, lang: Lang) -> State {
    let state = |shape, en, ru, role| State { shape, word: lang.pick(en, ru), role };
    if let Some(q) = row.questions.first() {
        return match q.kind {
            QuestionKind::Gate => state("◆", "gate", "решение", Role::Gate),
            QuestionKind::Escalation | QuestionKind::Dispute | QuestionKind::Reserved => {
                state("!", "escalated", "эскалация", Role::Escalated)
            }
            _ => state("?", "waiting", "ждёт", Role::Waiting),
        };
    }
    match row.status {
        Status::Started if row.speaking.is_some() => state("●", "writing", "пишет", Role::Running),
        Status::Started if row.owner != Owner::Nobody => state("●", "live", "идёт", Role::Running),
        status => stands(status, row.result, lang),
    }
}

/// The state of a session that nobody drives: its result, once it has one.
pub fn stands(status: Status, result: Option<ResultClass>, lang: Lang) -> State {
    let state = |shape, en, ru, role| State { shape, word: lang.pick(en, ru), role };
    match (status, result) {
        (Status::Started, _) => state("‖", "standing", "стоит", Role::Muted),
        (Status::Interrupted, _) => state("◌", "interrupted", "прервана", Role::Warning),
        (Status::Completed, Some(ResultClass::Agreed)) => state("✓", "agreed", "согласие", Role::Done),
        (Status::Completed, Some(ResultClass::Partial)) => state("◐", "partial", "частично", Role::Warning),
        (Status::Completed, Some(ResultClass::Escalated)) => {
            state("▲", "escalated", "решил пилот", Role::Done)
        }
        (Status::Completed, Some(ResultClass::NotAgreed)) => {
            state("✗", "not agreed", "без согласия", Role::Failed)
        }
        (Status::Completed, None) => state("·", "closed", "закрыта", Role::Muted),
    }
}

/// The day of a point in time, where the pilot is: from its first second to the next day's.
fn day(at: Stamp, zone: &jiff::tz::TimeZone) -> Option<Range<i64>> {
    let begins = local(at, zone)?.start_of_day().ok()?;
    let ends = begins.tomorrow().ok()?.start_of_day().ok()?;
    Some(begins.timestamp().as_second()..ends.timestamp().as_second())
}

/// `09:41` today, `08-19` this year, else `2025-08`.
pub fn clock_or_date(at: Stamp, now: Stamp, zone: &jiff::tz::TimeZone) -> String {
    let (Some(then), Some(now)) = (local(at, zone), local(now, zone)) else { return "—".into() };
    if then.date() == now.date() {
        format!("{:02}:{:02}", then.hour(), then.minute())
    } else if then.year() == now.year() {
        format!("{:02}-{:02}", then.month(), then.day())
    } else {
        format!("{}-{:02}", then.year(), then.month())
    }
}

fn group(row: &Row, today: &Range<i64>) -> Group {
    let driven = row.status == Status::Started && (row.speaking.is_some() || row.owner != Owner::Nobody);
    match () {
        () if !row.questions.is_empty() => Group::Waiting,
        () if driven => Group::Live,
        () if today.contains(&row.changed.0) => Group::Today,
        () => Group::Earlier,
    }
}

fn fits(row: &Row, words: &[&str]) -> bool {
    if words.is_empty() {
        return true;
    }
    let text = format!("{} {} {}", row.id, row.task, row.peers).to_lowercase();
    words.iter().all(|w| text.contains(w))
}
