//! Which work product (WP) a task belongs to: the registry, the week plan, and the match (PC-110 to 112, 115).

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;

/// `WP-7`, `WP-007` and `WP7` are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WpId(pub u32);

impl WpId {
    /// The id when the text is nothing but one.
    pub fn parse(text: &str) -> Option<WpId> {
        let text = text.trim();
        let found = TOKEN.captures(text).filter(|c| c.get(0).is_some_and(|m| m.len() == text.len()))?;
        found[1].parse().ok().map(WpId)
    }

    /// All ids that a text names, in its order.
    pub fn all_in(text: &str) -> Vec<WpId> {
        TOKEN.captures_iter(text).filter_map(|c| c[1].parse().ok().map(WpId)).collect()
    }
}

impl fmt::Display for WpId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WP-{}", self.0)
    }
}

/// A line of the registry or of the week plan. Title and status without Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WpRow {
    pub id: WpId,
    pub title: String,
    pub status: String,
}

/// What the governance repository says. `None` means that the file does not exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plans {
    pub registry: Option<Vec<WpRow>>,
    pub week: Option<Vec<WpRow>>,
}

/// What the lookup came to (PC-112).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    InPlan(WpRow),
    /// Shown by name, but the gate asks all the same.
    RegistryOnly(WpRow),
    NotFound,
    /// Neither registry nor week plan exists (PC-115).
    NoPlan,
}

/// Reads both tables. `week` is the ISO week number.
pub fn read(governance: &Path, week: u8) -> Plans {
    let file =
        |path: &str| fs::read(governance.join(path)).ok().map(|bytes| rows(&String::from_utf8_lossy(&bytes)));
    Plans {
        registry: file("WP-REGISTRY.md").or_else(|| file("docs/WP-REGISTRY.md")),
        week: file(&format!("current/WeekPlan W{week}.md")),
    }
}

/// The rows of every table with a column `#` and a title column; everything else in the file is ignored.
pub fn rows(text: &str) -> Vec<WpRow> {
    let mut rows = Vec::new();
    let mut columns: Option<Columns> = None;
    for line in text.lines() {
        let Some(cells) = cells(line) else {
            columns = None;
            continue;
        };
        match &columns {
            None => columns = Columns::of(&cells),
            Some(columns) => rows.extend(columns.row(&cells)),
        }
    }
    rows
}

impl Plans {
    /// The matching order of PC-111: the given id, an id in the task, the best title.
    pub fn lookup(&self, wp: Option<WpId>, task: &str) -> Lookup {
        if self.registry.is_none() && self.week.is_none() {
            return Lookup::NoPlan;
        }
        let named = match wp {
            Some(id) => vec![id],
            None => WpId::all_in(task),
        };
        let in_plan = |id: &WpId| find(&self.week, *id).map(Lookup::InPlan);
        let in_registry = |id: &WpId| find(&self.registry, *id).map(Lookup::RegistryOnly);
        if !named.is_empty() {
            let found = named.iter().find_map(in_plan).or_else(|| named.iter().find_map(in_registry));
            return found.unwrap_or(Lookup::NotFound);
        }
        self.by_title(task)
            .and_then(|id| in_plan(&id).or_else(|| in_registry(&id)))
            .unwrap_or(Lookup::NotFound)
    }

    /// The status words that the tables give for this WP.
    pub fn statuses(&self, id: WpId) -> Vec<&str> {
        [&self.registry, &self.week]
            .into_iter()
            .flatten()
            .flatten()
            .filter(|row| row.id == id && !row.status.is_empty())
            .map(|row| row.status.as_str())
            .collect()
    }

    /// The only WP whose titles share the most words with the task, at least two.
    fn by_title(&self, task: &str) -> Option<WpId> {
        let wanted = words(task);
        let mut titles: BTreeMap<WpId, BTreeSet<String>> = BTreeMap::new();
        for row in [&self.registry, &self.week].into_iter().flatten().flatten() {
            titles.entry(row.id).or_default().extend(words(&row.title));
        }
        let hits: Vec<(usize, WpId)> =
            titles.iter().map(|(id, title)| (wanted.intersection(title).count(), *id)).collect();
        let best = hits.iter().map(|(n, _)| *n).max().filter(|n| *n >= 2)?;
        let mut winners = hits.iter().filter(|(n, _)| *n == best);
        let winner = winners.next()?.1;
        winners.next().is_none().then_some(winner)
    }
}

fn find(rows: &Option<Vec<WpRow>>, id: WpId) -> Option<WpRow> {
    rows.as_ref()?.iter().find(|row| row.id == id).cloned()
}

/// Case-folded words of at least four letters.
fn words(text: &str) -> BTreeSet<String> {
    let text: String = text.nfc().flat_map(char::to_lowercase).collect();
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 4)
        .map(str::to_string)
        .collect()
}

/// Where the interesting columns of a table are.
struct Columns {
    number: usize,
    title: usize,
    wp: Option<usize>,
    status: Option<usize>,
}

impl Columns {
    fn of(header: &[String]) -> Option<Columns> {
        let column = |names: &[&str]| {
            names.iter().find_map(|name| header.iter().position(|cell| cell.to_lowercase() == *name))
        };
        Some(Columns {
            number: column(&["#"])?,
            title: column(&["название", "рп", "title", "wp"])?,
            wp: column(&["рп", "wp"]),
            status: column(&["ст", "статус", "st", "status"]),
        })
    }

    /// `None` for the line under the header and for rows without a number. `#` may merely count the rows of a week
    /// plan; a cell that begins with an id is then the better witness.
    fn row(&self, cells: &[String]) -> Option<WpRow> {
        let cell = |at: usize| cells.get(at).map(String::as_str);
        let title = cell(self.title)?;
        let leading =
            |text: &str| TOKEN.find(text).filter(|token| token.start() == 0).map(|token| token.end());
        let witness =
            [Some(title), self.wp.and_then(cell)].into_iter().flatten().find(|text| leading(text).is_some());
        let id = match witness {
            Some(text) => WpId::all_in(text).into_iter().next()?,
            None => {
                let number = cell(self.number)?;
                WpId::parse(number).or_else(|| number.parse().ok().map(WpId))?
            }
        };
        let rest = title[leading(title).unwrap_or(0)..].trim_start_matches([' ', ':', '.', '—', '–', '-']);
        let title = if rest.is_empty() { title } else { rest };
        let status = self.status.and_then(cell).unwrap_or_default();
        Some(WpRow { id, title: title.to_string(), status: status.to_string() })
    }
}

/// The cells of a table line, Markdown removed; `None` for other lines. `\|` is a bar inside a cell.
fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?;
    let mut cells = vec![String::new()];
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'|') => cells.last_mut()?.extend(chars.next()),
            '|' => cells.push(String::new()),
            c => cells.last_mut()?.push(c),
        }
    }
    Some(cells.iter().map(|cell| bare(cell)).collect())
}

/// Text without links, emphasis and code marks.
fn bare(cell: &str) -> String {
    LINK.replace_all(cell, "$1").replace(['*', '`', '~'], "").trim().to_string()
}

static TOKEN: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)(?-u:\b)WP-?0*(\d{1,6})(?-u:\b)"));
static LINK: LazyLock<Regex> = LazyLock::new(|| regex(r"\[([^\]]*)\]\([^)]*\)"));

#[expect(clippy::expect_used, reason = "the patterns are constants that a test compiles")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGISTRY: &str = "# Реестр\n\n| Статус | Расшифровка |\n|---|---|\n| ✅ | done |\n\n\
        | # | P | Название | Ст | Репо | Бюджет |\n|---|---|----------|----|------|--------|\n\
        | — | — | — | — | — | — |\n\
        | 142 | P2 | **Cache** layer for the [thumbnail store](inbox/WP-142.md) | 🔄 | app | 6h |\n\
        | WP-007 | P1 | Подключение кэша \\| миниатюр | ✅ | app | 2h |\n\
        | 9 | P3 | Cache layer cleanup | ⏳ | app | 2h |\n\ntext\n";
    const WEEK: &str = "| 🚦 | # | РП | h | Источник | P | Статус | Результат |\r\n|--|--|--|--|--|--|--|--|\r\n\
        | 🟢 | 1 | WP-142: Cache layer | 6 | — | P2 | in_progress | x |\r\n| 🟢 | 150 | Log rotation | 2 | — | P2 | pending | |\r\n";

    fn plans() -> Plans {
        Plans { registry: Some(rows(REGISTRY)), week: Some(rows(WEEK)) }
    }

    fn id(lookup: &Lookup) -> Option<(u32, bool)> {
        match lookup {
            Lookup::InPlan(row) => Some((row.id.0, true)),
            Lookup::RegistryOnly(row) => Some((row.id.0, false)),
            Lookup::NotFound | Lookup::NoPlan => None,
        }
    }

    #[test]
    fn pc_110_both_tables_are_recognised_by_their_columns() {
        let registry = rows(REGISTRY);
        assert_eq!(registry.iter().map(|r| r.id.0).collect::<Vec<_>>(), [142, 7, 9]);
        assert_eq!(registry[0].title, "Cache layer for the thumbnail store");
        assert_eq!(
            (registry[1].title.as_str(), registry[1].status.as_str()),
            ("Подключение кэша | миниатюр", "✅")
        );
        let week = rows(WEEK);
        assert_eq!(
            (week[0].id.0, week[0].title.as_str(), week[0].status.as_str()),
            (142, "Cache layer", "in_progress")
        );
        assert_eq!((week[1].id.0, week[1].title.as_str()), (150, "Log rotation"));
        assert_eq!(plans().statuses(WpId(142)), ["🔄", "in_progress"]);
    }

    #[test]
    fn pc_110_the_registry_may_lie_in_docs_and_the_week_is_not_padded() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(dir.path(), 4), Plans::default());
        fs::create_dir_all(dir.path().join("docs")).unwrap();
        fs::create_dir_all(dir.path().join("current")).unwrap();
        fs::write(dir.path().join("docs/WP-REGISTRY.md"), REGISTRY).unwrap();
        fs::write(dir.path().join("current/WeekPlan W4.md"), WEEK).unwrap();
        assert_eq!(read(dir.path(), 4), plans());
        assert_eq!(read(dir.path(), 5).week, None);
        fs::write(dir.path().join("WP-REGISTRY.md"), "nothing").unwrap();
        assert_eq!(read(dir.path(), 4).registry, Some(Vec::new()), "the first place wins");
    }

    #[test]
    fn pc_111_given_id_then_token_then_title() {
        let plans = plans();
        for (wp, task, want) in [
            (Some(150), "WP-142 anything", Some((150, true))),
            (Some(77), "Log rotation for workers", None),
            (None, "look at WP7 please", Some((7, false))),
            (None, "wp-0142 and more", Some((142, true))),
            (None, "WP-7 blocks WP-150", Some((150, true))),
            (None, "WP-1500", None),
            (None, "Agree LOG rotation, rotation policies", None),
            (None, "store the THUMBNAIL nicely", Some((142, true))),
            (None, "Настроить подключение кэша", Some((7, false))),
            (None, "cache layer", None),
            (None, "one thumbnail", None),
            (None, "", None),
        ] {
            assert_eq!(id(&plans.lookup(wp.map(WpId), task)), want, "{wp:?} {task}");
        }
    }

    #[test]
    fn pc_112_only_the_week_plan_counts_as_found() {
        assert!(matches!(plans().lookup(Some(WpId(7)), ""), Lookup::RegistryOnly(_)));
        let no_week = Plans { week: None, ..plans() };
        assert!(matches!(no_week.lookup(Some(WpId(142)), ""), Lookup::RegistryOnly(_)));
    }

    #[test]
    fn pc_115_without_both_files_there_is_no_plan() {
        assert_eq!(Plans::default().lookup(Some(WpId(1)), "WP-1"), Lookup::NoPlan);
        let empty = Plans { registry: Some(Vec::new()), week: None };
        assert_eq!(empty.lookup(None, "a task"), Lookup::NotFound);
    }

    #[test]
    fn pc_111_spellings_of_an_id() {
        for text in ["WP-7", "WP-007", "WP7", "wp7", " WP-7 "] {
            assert_eq!(WpId::parse(text), Some(WpId(7)), "{text}");
        }
        for text in ["", "WP-", "WP-7a", "7", "XWP-7", "WP-7 x", "WP-9999999999"] {
            assert_eq!(WpId::parse(text), None, "{text}");
        }
        assert_eq!(WpId(7).to_string(), "WP-7");
    }

    #[test]
    fn odd_tables_do_no_harm() {
        for text in [
            "|",
            "|#|Title|",
            "| # | Title |\n|--|",
            "| # | Title |\n| 1\n| x | y |\n|é|",
            "| # |\n| 1 |",
            "\u{0}|#|",
        ] {
            assert!(rows(text).is_empty(), "{text:?}");
        }
        let row = &rows("| # | WP | Title | Status |\n|--|--|--|--|\n| 3 | WP-8 | Eight | done |")[0];
        assert_eq!((row.id.0, row.title.as_str(), row.status.as_str()), (8, "Eight", "done"));
    }
}
