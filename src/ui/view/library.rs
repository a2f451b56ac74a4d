//! The library screen.

use super::draw::column;
use super::page::{Look, fitted, head, inner, put, thousands};
use crate::domain::lang::Lang;
use crate::domain::query::Query;
use crate::domain::session::meta::{ResultClass, Status};
use crate::engine::wire::{Hit, Row};
use crate::ui::markdown::highlight;
use crate::ui::model::deck::{State, stands, state};
use crate::ui::model::library::{Facet, Focus, Kind, Library};
use crate::ui::text::one_line;
use crate::ui::theme::Role;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// From this width on the facets stand beside the list.
const BESIDE: u16 = 70;
const FACETS: u16 = 24;

/// Rows of one result: where it is, and its text.
const ROWS: usize = 2;

/// Columns of the word for a session's state, the longest in either language.
const STATE: usize = 12;

/// Columns kept in front of the first match when a line is cut.
const BEFORE: usize = 24;

impl Library {
    pub fn draw(&self, frame: &mut Frame, area: Rect, style: Look) {
        self.head(frame, area, style);
        let body = inner(area, 2, 0);
        if area.width >= BESIDE {
            let list = Rect { width: body.width - FACETS - 1, ..body };
            self.list(frame, list, style);
            self.facets(frame, Rect { x: body.x + body.width - FACETS, width: FACETS, ..body }, style);
        } else if self.focus == Focus::Facets {
            self.facets(frame, body, style);
        } else {
            self.list(frame, body, style);
        }
    }

    fn head(&self, frame: &mut Frame, area: Rect, style: Look) {
        let lang = self.lang;
        let (scanned, total, done) = self.progress;
        let right = match (self.searches(), done) {
            (false, _) => format!("{} {}", lang.pick("sessions", "сессий"), thousands(self.len())),
            (true, true) => format!("{} {}", lang.pick("lines", "строк"), thousands(self.len())),
            (true, false) => {
                format!("{} {}/{}", lang.pick("searching", "поиск"), thousands(scanned), thousands(total))
            }
        };
        let cursor = if self.focus == Focus::Results { "▏" } else { "" };
        // The end of what is typed is what the pilot looks at.
        let room = (area.width as usize).saturating_sub(right.width() + 4);
        let mut from = 0;
        while self.query[from..].width() > room {
            from += self.query[from..].chars().next().map_or(1, char::len_utf8);
        }
        let left = format!("/ {}{cursor}", &self.query[from..]);
        head(
            frame,
            area,
            0,
            (&left, style(Role::Text).add_modifier(Modifier::BOLD)),
            (&right, style(Role::Muted)),
        );
        let unread = Query::parse(&self.query).unread;
        let on: Vec<&str> = self.facets.iter().filter(|f| f.on).map(|f| value(f, lang)).collect();
        let line = match (unread.first(), on.is_empty()) {
            (Some(unread), _) => {
                format!("△ {}: {} {}", unread.key(), lang.pick("takes", "принимает"), unread.takes())
            }
            (None, true) => lang
                .pick(
                    "words, \"a phrase\", class: vendor: since: until: wp:",
                    "слова, «фраза», class: vendor: since: until: wp:",
                )
                .to_string(),
            (None, false) => format!("{} {}", lang.pick("only", "только"), on.join(" · ")),
        };
        let look = style(if unread.is_empty() && on.is_empty() { Role::Muted } else { Role::Warning });
        put(frame, area, 1, fitted(&[(&line, look)], area.width as usize));
    }

    fn list(&self, frame: &mut Frame, area: Rect, style: Look) {
        if self.is_empty() {
            let nothing = match (self.searches(), self.progress.2) {
                (true, false) => "",
                (true, true) => self.lang.pick("nothing found", "ничего не найдено"),
                (false, _) => self.lang.pick("no sessions", "сессий нет"),
            };
            return put(frame, area, 1, fitted(&[(nothing, style(Role::Muted))], area.width as usize));
        }
        let rows = if self.searches() { ROWS } else { 1 };
        let visible = self.fit(area.height as usize / rows);
        let top = visible.start;
        if self.searches() {
            for at in visible {
                let selected = at == self.selected && self.focus == Focus::Results;
                let (place, text) = entry(&self.hits[at], area.width as usize, selected, style);
                put(frame, area, (at - top) * ROWS, place);
                put(frame, area, (at - top) * ROWS + 1, text);
            }
        } else {
            for (n, row) in self.sessions().skip(top).take(visible.len()).enumerate() {
                let selected = top + n == self.selected && self.focus == Focus::Results;
                put(frame, area, n, session(row, area.width as usize, selected, self.lang, style));
            }
        }
    }

    fn facets(&self, frame: &mut Frame, area: Rect, style: Look) {
        // Titles take rows too, so the window is over the lines, not over the values.
        let mut lines: Vec<(String, Style, bool)> = Vec::new();
        let mut kind = None;
        let mut at = 0;
        for (n, facet) in self.facets.iter().enumerate() {
            if kind != Some(facet.kind) {
                kind = Some(facet.kind);
                let title = match facet.kind {
                    Kind::Class => self.lang.pick("result", "итог"),
                    Kind::Vendor => self.lang.pick("vendor", "вендор"),
                    Kind::Month => self.lang.pick("month", "месяц"),
                    Kind::Wp => self.lang.pick("work product", "рабочий продукт"),
                };
                lines.push((title.to_string(), style(Role::Muted), false));
            }
            let here = n == self.facet && self.focus == Focus::Facets;
            if here {
                at = lines.len();
            }
            let sign = if facet.on { "☑" } else { "☐" };
            let look =
                if here { style(Role::Selection).add_modifier(Modifier::BOLD) } else { style(Role::Text) };
            lines.push((format!("{sign} {} {}", value(facet, self.lang), facet.count), look, here));
        }
        let height = area.height as usize;
        let top = (at + 1).saturating_sub(height);
        for (n, (text, look, here)) in lines.iter().skip(top).take(height).enumerate() {
            let mark = if *here { ("▌ ", style(Role::Focus)) } else { ("  ", Style::default()) };
            put(frame, area, n, fitted(&[mark, (text, *look)], area.width as usize));
        }
    }
}

/// A facet's value as the list of sessions says it.
fn value(facet: &Facet, lang: Lang) -> &str {
    let class = if facet.kind == Kind::Class { ResultClass::parse(&facet.value) } else { None };
    class.map_or(&facet.value, |class| stands(Status::Completed, Some(class), lang).word)
}

/// Where a result is, and its text with the matches marked.
fn entry(hit: &Hit, width: usize, selected: bool, style: Look) -> (Line<'static>, Line<'static>) {
    let muted = style(Role::Muted);
    let mark = if selected { ("▌ ", style(Role::Focus)) } else { ("  ", muted) };
    let look = if selected { style(Role::Selection).add_modifier(Modifier::BOLD) } else { style(Role::Link) };
    // Which file and line is what tells the results of a session apart: its name gives way.
    let file = format!(" {}:{}", one_line(&hit.file, width / 2), hit.line);
    let id = one_line(hit.id.as_str(), width.saturating_sub(file.width() + 2).max(8));
    let place = fitted(&[mark, (id.as_str(), look), (file.as_str(), muted)], width);
    let text = style(Role::Text);
    let marked = highlight(text, style);
    let mut parts: Vec<(&str, Style)> = vec![mark];
    let mut at = start(hit, width);
    if !hit.text.get(..at).unwrap_or("").trim().is_empty() {
        parts.push(("…", muted));
    }
    for (begin, end) in &hit.marks {
        let (begin, end) = (*begin as usize, *end as usize);
        let (Some(before), Some(found)) = (hit.text.get(at..begin), hit.text.get(begin..end)) else {
            continue;
        };
        parts.push((before, text));
        parts.push((found, marked));
        at = end;
    }
    parts.push((hit.text.get(at..).unwrap_or(""), text));
    (place, fitted(&parts, width))
}

/// Where the shown part of the text begins: leading blanks are left out, and so is what would hide the first match.
fn start(hit: &Hit, width: usize) -> usize {
    let blanks = hit.text.len() - hit.text.trim_start().len();
    let first = hit.marks.first().map_or(0, |(begin, _)| *begin as usize);
    let blanks = blanks.min(first);
    let Some(before) = hit.text.get(blanks..first) else { return 0 };
    if before.width() + 12 < width {
        return blanks;
    }
    let mut kept = 0;
    let cut = before.char_indices().rev().find(|(_, c)| {
        kept += unicode_width::UnicodeWidthChar::width(*c).unwrap_or(0);
        kept > BEFORE.min(width / 3)
    });
    blanks + cut.map_or(0, |(at, c)| at + c.len_utf8())
}

fn session(row: &Row, width: usize, selected: bool, lang: Lang, style: Look) -> Line<'static> {
    let State { shape: sign, word, role } = state(row, lang);
    let look = if selected { style(Role::Selection).add_modifier(Modifier::BOLD) } else { style(Role::Text) };
    let mark = if selected { ("▌ ", style(Role::Focus)) } else { ("  ", Style::default()) };
    let (word, peers) = (format!(" {} ", column(word, STATE)), format!(" {}", row.peers));
    let date = format!("{} ", row.id.date());
    let muted = style(Role::Muted);
    let parts = [
        mark,
        (sign, style(role)),
        (word.as_str(), style(role)),
        (date.as_str(), muted),
        (row.task.as_str(), look),
    ];
    let mut line = fitted(&parts, width.saturating_sub(peers.width()));
    let used: usize = line.spans.iter().map(Span::width).sum();
    if used + peers.width() <= width && width >= 60 {
        line.spans.push(Span::raw(" ".repeat(width - used - peers.width())));
        line.spans.push(Span::styled(crate::ui::markdown::clean(&peers), muted));
        return line;
    }
    fitted(&parts, width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::wire::Tell;
    use crate::ui::model::library::tests::{deck, hit};
    use crate::ui::model::part::Input;
    use crate::ui::view::page::tests::screen;

    fn shown(library: &Library, width: u16, height: u16) -> String {
        screen(width, height, |frame, area, style| library.draw(frame, area, style))
    }

    fn found() -> Library {
        let mut library = Library::open(&deck(), Lang::Ru);
        "отчет кэш".chars().for_each(|c| drop(library.update(Input::Char(c))));
        let long = format!("{} и в конце отчёт 日本語 \u{1b}[31mкрасный", "очень длинная строка ".repeat(6));
        let hits = vec![
            hit("2026-08-24-01-choose-cache", "report.md", 31, "- Делить кэш 20/80", "кэш"),
            hit("2026-08-24-03-drop-legacy", "02-peer-kimi.md", 12, &long, "отчёт"),
            hit("2026-07-02-01-log", "2026-07-02-01-log.md", 3, "    Отчёт", "Отчёт"),
        ];
        let tell = Tell::Found { seq: 9, hits, done: false, scanned: 4200, total: 10_000 };
        library.update(Input::Tell(&tell));
        library.update(Input::Down);
        library
    }

    #[test]
    fn ui_library_a_filter_that_cannot_be_read_is_told() {
        let mut library = Library::open(&deck(), Lang::Ru);
        let hint = |library: &Library| shown(library, 80, 5).lines().nth(1).unwrap_or_default().to_string();
        for (typed, want) in [
            ("кэш class:", "слова, «фраза»"),
            ("agr", "△ class: принимает agreed, "),
            ("eed since:2026-1", "△ since: принимает 2026-08-24, "),
            ("1", "слова, «фраза»"),
        ] {
            typed.chars().for_each(|c| drop(library.update(Input::Char(c))));
            assert!(hint(&library).starts_with(want), "{typed}: {}", hint(&library));
        }
    }

    #[test]
    fn ui_library_results_at_80_by_24() {
        insta::assert_snapshot!(shown(&found(), 80, 24), @r#"
        / отчет кэш▏                                                  поиск 4 200/10 000
        слова, «фраза», class: vendor: since: until: wp:
          2026-08-24-01-choose-cache report.md:31                 итог
          - Делить кэш 20/80                                      ☐ согласие 2
        ▌ 2026-08-24-03-drop-legacy 02-peer-kimi.md:12            ☐ без согласия 1
        ▌ …строка  и в конце отчёт 日本語 красный                 вендор
          2026-07-02-01-log 2026-07-02-01-log.md:3                ☐ codex 2
          Отчёт                                                   ☐ kimi 2
                                                                  месяц
                                                                  ☐ 2026-08 2
                                                                  ☐ 2026-07 1
                                                                  рабочий продукт
                                                                  ☐ WP-142 1
        "#);
    }

    #[test]
    fn ui_library_results_at_40_by_15() {
        insta::assert_snapshot!(shown(&found(), 40, 15), @r#"
        / отчет кэш▏          поиск 4 200/10 000
        слова, «фраза», class: vendor: since: u…
          2026-08-24-01-choose-cac… report.md:31
          - Делить кэш 20/80
        ▌ 2026-08-24-03-drop… 02-peer-kimi.md:12
        ▌ …а  и в конце отчёт 日本語 красный
          2026-07-02-01-… 2026-07-02-01-log.md:3
          Отчёт
        "#);
    }

    #[test]
    fn ui_library_sessions_and_facets() {
        let mut library = Library::open(&deck(), Lang::En);
        insta::assert_snapshot!(shown(&library, 100, 12), @r#"
        / ▏                                                                                       sessions 3
        words, "a phrase", class: vendor: since: until: wp:
        ▌ ✗ not agreed   2026-08-24 Drop legacy token table              codex+kimi   result
          ✓ agreed       2026-08-24 Choose cache eviction (WP-142)            codex   ☐ agreed 2
          ✓ agreed       2026-07-02 Журнал 日本語                              kimi   ☐ not agreed 1
                                                                                      vendor
                                                                                      ☐ codex 2
                                                                                      ☐ kimi 2
                                                                                      month
                                                                                      ☐ 2026-08 2
                                                                                      ☐ 2026-07 1
                                                                                      work product
        "#);
        library.update(Input::Tab);
        library.update(Input::Char(' '));
        library.update(Input::Down);
        insta::assert_snapshot!(shown(&library, 40, 9), @r#"
        /                             sessions 2
        only agreed
          result
          ☑ agreed 2
        ▌ ☐ not agreed 1
          vendor
          ☐ codex 2
          ☐ kimi 2
          month
        "#);
    }

    #[test]
    fn rule_5_states_are_named_as_on_the_deck_in_the_pilots_language() {
        let mut library = Library::open(&deck(), Lang::Ru);
        library.update(Input::Tab);
        library.update(Input::Char(' '));
        let all = shown(&library, 100, 12);
        assert!(
            all.contains("✓ согласие") && all.contains("☑ согласие 2") && all.contains("☐ без согласия 1"),
            "{all}"
        );
        assert!(all.contains("только согласие"), "{all}");
        assert!(!all.contains("agreed"), "{all}");
    }

    #[test]
    fn ui_library_nothing_found() {
        let mut library = Library::open(&[], Lang::En);
        assert!(shown(&library, 40, 5).contains("no sessions"));
        library.update(Input::Paste("never\n seen"));
        let tell = Tell::Found { seq: 1, hits: vec![], done: true, scanned: 3, total: 3 };
        library.update(Input::Tell(&tell));
        assert!(shown(&library, 40, 5).contains("nothing found"));
    }

    #[test]
    fn rule_7_any_size_is_drawn() {
        let mut library = found();
        for _ in 0..2 {
            for (width, height) in [(1, 1), (2, 3), (20, 5), (71, 2), (200, 60)] {
                shown(&library, width, height);
            }
            library.update(Input::Tab);
        }
    }
}
