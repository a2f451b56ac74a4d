//! `00-index.md`: one row per session, newest first (group H).
//!
//! The file is shared with people and scripts: everything outside the row that changes stays byte for byte (PC-218).

mod cells;

use crate::domain::lang::Lang;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::{Meta, Status};
use cells::{cells, escape, is_separator, padded, unescape};
use std::ops::Range;

const COLUMNS: usize = 8;
const EN: &str = "| Date | Session | Task | Agents | Turns | Escalations | Status | Report |";
const RU: &str = "| Дата | Сессия | Задача | Агенты | Ходы | Эскалации | Статус | Отчёт |";
const SEPARATOR: &str = "|------|--------|--------|--------|------|-----------|--------|-------|";
/// What stands in a cell without a value.
pub const NONE: &str = "—";

/// One row, cells trimmed and unescaped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    pub date: String,
    /// The session id as the cell spells it; see [`Row::id`].
    pub session: String,
    pub task: String,
    pub agents: String,
    pub turns: String,
    pub escalations: String,
    pub status: String,
    /// A Markdown link or `—`.
    pub report: String,
}

impl Row {
    /// The row of a session that has just been created (PC-212).
    pub fn started(meta: &Meta) -> Row {
        Row {
            date: meta.session_id.date().to_string(),
            session: meta.session_id.to_string(),
            task: brief(&meta.task_description, 50),
            agents: format!("{} / {}", meta.writer_agent, vendors(meta).join("+")),
            turns: "0".into(),
            escalations: "0".into(),
            status: Status::Started.key().into(),
            report: NONE.into(),
        }
    }

    /// The row of a closed session (PC-213). `turns` counts files with one peer and substantive rounds with several;
    /// `report` is the path relative to the sessions dir.
    pub fn completed(meta: &Meta, turns: u32, report: &str) -> Row {
        Row {
            turns: turns.to_string(),
            escalations: meta.escalations_count.to_string(),
            status: Status::Completed.key().into(),
            report: format!("[report.md]({report})"),
            ..Row::started(meta)
        }
    }

    /// The row counts so many turns and escalations.
    pub fn counts(&self, turns: u32, escalations: u32) -> bool {
        let is = |cell: &str, count: u32| cell.trim().parse() == Ok(count);
        is(&self.turns, turns) && is(&self.escalations, escalations)
    }

    /// The session's id; a cell of an older index may hold it as code or as a link.
    pub fn id(&self) -> Option<SessionId> {
        id_in(&self.session)
    }

    /// A closed session with a writer and a peer: no control session has such a row (PC-147).
    pub fn is_of_closed_peers(&self) -> bool {
        let names = |peers: &str| !peers.trim().is_empty() && peers != NONE;
        self.status == Status::Completed.key() && self.peers().is_some_and(names)
    }

    /// What stands behind the writer in the column of the agents.
    pub fn peers(&self) -> Option<&str> {
        self.agents.split_once(" / ").map(|(_, peers)| peers)
    }

    fn render(&self) -> String {
        let cells = [
            &self.date,
            &self.session,
            &self.task,
            &self.agents,
            &self.turns,
            &self.escalations,
            &self.status,
            &self.report,
        ];
        format!("| {} |", cells.map(|cell| escape(cell)).join(" | "))
    }
}

/// A new index (PC-210). `date` is the day of its creation, `YYYY-MM-DD`.
pub fn empty(lang: Lang, date: &str) -> String {
    let title = lang.pick("# Peer Session Index", "# Индекс пир-сессий");
    let notice = format!(
        "<!-- index regenerated on {date}: created empty by peer-conversation step 1.3 (issue #568) — sessions before \
         this date exist on disk but are NOT backfilled here; the folder tree sessions/YYYY-MM/DD/ is the \
         authoritative record -->"
    );
    format!("{title}\n\n{notice}\n\n{}\n{SEPARATOR}\n", lang.pick(EN, RU))
}

/// Every row of the table, top to bottom.
pub fn rows(text: &str) -> Vec<Row> {
    lines(text).map(|line| parse(&text[line])).collect()
}

/// The first `n` rows: the newest, as rows are inserted at the top. Reads no further.
pub fn newest(text: &str, n: usize) -> Vec<Row> {
    lines(text).take(n).map(|line| parse(&text[line])).collect()
}

/// Replaces the row of the session or inserts it as the newest (PC-213, PC-216). The flag tells that the session had
/// several rows, of which the first was replaced and the others were removed.
pub fn upsert(text: &str, row: &Row) -> (String, bool) {
    let Some(table) = table(text) else { return (with_table(text, row), false) };
    let mine: Vec<Range<usize>> =
        lines(text).filter(|line| is_row_of(&text[line.clone()], &row.session)).collect();
    let mut out = String::with_capacity(text.len() + 256);
    let Some(first) = mine.first() else {
        out.push_str(&text[..table.start]);
        if !out.ends_with('\n') {
            out.push_str(table.eol);
        }
        out.push_str(&row.render());
        out.push_str(table.eol);
        out.push_str(&text[table.start..]);
        return (out, false);
    };
    let mut at = 0;
    for line in &mine {
        out.push_str(&text[at..line.start]);
        if line == first {
            let bare = text[line.clone()].trim_end_matches(['\n', '\r']).len();
            out.push_str(&row.render());
            out.push_str(&text[line.start + bare..line.end]);
        }
        at = line.end;
    }
    out.push_str(&text[at..]);
    (out, mine.len() > 1)
}

/// Changes the status and report cells of a session and nothing else (PC-217, PC-670), but that several rows of it become
/// one (PC-216). `None` when it has no row.
pub fn set_status(text: &str, id: &SessionId, status: Status, report: &str) -> Option<String> {
    let mine: Vec<Range<usize>> =
        lines(text).filter(|line| is_row_of(&text[line.clone()], id.as_str())).collect();
    let (mut out, mut at) = (String::with_capacity(text.len() + 16), 0);
    for line in &mine {
        out.push_str(&text[at..line.start]);
        if line == &mine[0] {
            out.push_str(&with_status(&text[line.clone()], status, report));
        }
        at = line.end;
    }
    out.push_str(&text[at..]);
    (!mine.is_empty()).then_some(out)
}

/// This session's row.
pub fn row_of(text: &str, id: &SessionId) -> Option<Row> {
    // Most rows are those of other sessions: they are told apart before a row is taken to pieces.
    lines(text)
        .map(|line| &text[line])
        .filter(|line| line.contains(id.as_str()))
        .map(parse)
        .find(|row| row.id().as_ref() == Some(id))
}

/// How many rows a session has; the self-check before a commit wants exactly one (PC-646).
pub fn count(text: &str, id: &SessionId) -> usize {
    lines(text).filter(|line| is_row_of(&text[line.clone()], id.as_str())).count()
}

/// The lines of the table below the separator, each with its line break.
pub(in crate::store) fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let start = table(text).map_or(text.len(), |table| table.start);
    let mut at = start;
    text[start..].split_inclusive('\n').take_while(|line| line.trim_start().starts_with('|')).map(
        move |line| {
            at += line.len();
            at - line.len()..at
        },
    )
}

/// The session cell of a row, trimmed; cheaper than parsing the row.
pub(in crate::store) fn session_cell(line: &str) -> &str {
    cells(line).nth(1).map_or("", |cell| line[cell].trim())
}

/// The id in a session cell: plain, as code, or the text of a link.
pub(in crate::store) fn id_in(cell: &str) -> Option<SessionId> {
    SessionId::parse(id_text(cell))
}

/// What stands where the id should be.
pub(in crate::store) fn id_text(cell: &str) -> &str {
    let cell = cell.trim().trim_start_matches('[');
    cell.split("](").next().unwrap_or(cell).trim_matches(['`', '*', ']', ' '])
}

pub(in crate::store) fn parse(line: &str) -> Row {
    let mut cells: Vec<String> = cells(line).map(|cell| unescape(line[cell].trim())).collect();
    // An unescaped `|` in the task of a foreign row makes too many cells; the outer ones are still right.
    if cells.len() > COLUMNS {
        let task: Vec<String> = cells.splice(2..cells.len() - 5, [String::new()]).collect();
        cells[2] = task.join(" | ");
    }
    let mut cells = cells.into_iter();
    let mut next = || cells.next().unwrap_or_default();
    Row {
        date: next(),
        session: next(),
        task: next(),
        agents: next(),
        turns: next(),
        escalations: next(),
        status: next(),
        report: next(),
    }
}

struct Table {
    /// Behind the separator row.
    start: usize,
    eol: &'static str,
}

/// The first row of eight cells that is followed by a separator row (PC-211).
fn table(text: &str) -> Option<Table> {
    let (mut at, mut header) = (0, false);
    for line in text.split_inclusive('\n') {
        at += line.len();
        if header && is_separator(line) {
            return Some(Table { start: at, eol: if line.ends_with("\r\n") { "\r\n" } else { eol(text) } });
        }
        header = line.trim_start().starts_with('|') && cells(line).count() == COLUMNS;
    }
    None
}

/// Never by substring: `…-01-foo` is not `…-01-foo-bar` (PC-215).
fn is_row_of(line: &str, session: &str) -> bool {
    let cell = session_cell(line);
    cell == session || id_in(cell).is_some_and(|id| id.as_str() == session)
}

fn with_status(line: &str, status: Status, report: &str) -> String {
    let cells: Vec<Range<usize>> = cells(line).collect();
    let bare = line.trim_end_matches(['\n', '\r']);
    let ending = &line[bare.len()..];
    if cells.len() < COLUMNS {
        let row = Row { status: status.key().into(), report: report.into(), ..parse(line) };
        return row.render() + ending;
    }
    let (before, behind) = (&cells[cells.len() - 2], &cells[cells.len() - 1]);
    let (status, report) =
        (padded(&line[before.clone()], status.key()), padded(&line[behind.clone()], &escape(report)));
    format!("{}{status}|{report}{}", &line[..before.start], &line[behind.end..])
}

/// A file without a table gets one at its end, in its own language.
fn with_table(text: &str, row: &Row) -> String {
    let russian = text.chars().any(|c| matches!(c, 'а'..='я' | 'А'..='Я' | 'ё' | 'Ё'));
    let (header, eol) = (if russian { RU } else { EN }, eol(text));
    let gap = match text {
        "" => "",
        t if t.ends_with("\n\n") || t.ends_with("\n\r\n") => "",
        t if t.ends_with('\n') => eol,
        _ => &eol.repeat(2),
    };
    format!("{text}{gap}{header}{eol}{SEPARATOR}{eol}{}{eol}", row.render())
}

fn eol(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Vendor keys, as the Agents column wants them (PC-212). They stand in the adapters' names; trees without those
/// have agent ids only.
fn vendors(meta: &Meta) -> Vec<String> {
    let from_cmds: Option<Vec<String>> =
        meta.peer_cmds.iter().map(|cmd| cmd.strip_suffix("-peer-adapter").map(str::to_string)).collect();
    match from_cmds {
        Some(vendors) if !vendors.is_empty() => vendors,
        _ if !meta.round_order.is_empty() => meta.round_order.clone(),
        _ => meta.peer_agents.clone(),
    }
}

/// At most `max` characters: longer texts end in `…` (PC-214).
fn brief(task: &str, max: usize) -> String {
    let task = task.split_whitespace().collect::<Vec<_>>().join(" ");
    if task.chars().count() <= max {
        return task;
    }
    let cut: String = task.chars().take(max.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests;
