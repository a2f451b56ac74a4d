//! The report screen.

use super::page::{Look, fitted, head, inner, put};
use crate::ui::markdown::paint;
use crate::ui::model::report::{Panel, Report};
use crate::ui::text::one_line;
use crate::ui::theme::Role;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

/// Longer lines are hard to read.
const WIDEST: u16 = 100;

/// In front of the text: where the cursor is.
const GUTTER: u16 = 2;

/// From this width on the outline stands beside the text.
const BESIDE: u16 = 80;

impl Report {
    /// Draws the text with its head, and what lies over it.
    pub fn draw(&self, frame: &mut Frame, area: Rect, style: Look) {
        let mut text = inner(area, 1, 0);
        if !self.notice.is_empty() {
            text = inner(text, 0, 1);
            let line = one_line(&self.notice, area.width as usize);
            put(
                frame,
                area,
                area.height.saturating_sub(1) as usize,
                Line::styled(line, style(Role::Warning)),
            );
        }
        let side = (area.width / 3).max(28);
        let panel = match self.panel {
            Panel::None => None,
            _ if area.width >= BESIDE => {
                text.width -= side;
                Some(Rect { x: text.x + text.width, width: side, ..text })
            }
            _ => Some(text),
        };
        self.head(frame, area, style);
        // A panel over the text hides it; it is laid out all the same, so that its position is kept.
        self.text(frame, text, style, panel != Some(text));
        match (self.panel, panel) {
            (Panel::Outline(at), Some(place)) => self.draw_outline(frame, place, at, style),
            (Panel::Findings(at), Some(place)) => self.draw_findings(frame, place, at, style),
            _ => {}
        }
    }

    fn head(&self, frame: &mut Frame, area: Rect, style: Look) {
        let left = format!("{} · {}", self.file, self.id);
        let mut right = match self.is_loading() {
            true => self.lang.pick("loading …", "загрузка …").to_string(),
            false => format!("{}/{}", self.line(), self.document.lines),
        };
        if let Some(findings) = &self.findings {
            let errors = findings.iter().filter(|(error, ..)| *error).count();
            let words = self.lang.pick("errors", "ошибок");
            right = format!(
                "{words} {errors} · {} {} · {right}",
                self.lang.pick("warnings", "замечаний"),
                findings.len() - errors
            );
        }
        head(
            frame,
            area,
            0,
            (&left, style(Role::Text).add_modifier(Modifier::BOLD)),
            (&right, style(Role::Muted)),
        );
    }

    fn text(&self, frame: &mut Frame, area: Rect, style: Look, shown: bool) {
        let width = area.width.saturating_sub(GUTTER).clamp(1, WIDEST);
        let (top, cursor) = self.fit(width as usize, area.height as usize);
        if !shown {
            return;
        }
        let rows = self.rows();
        let place = Rect {
            x: area.x + GUTTER.min(area.width),
            width: width.min(area.width.saturating_sub(GUTTER)),
            ..area
        };
        for (n, row) in rows.iter().enumerate().skip(top).take(area.height as usize) {
            if n == cursor {
                put(frame, area, n - top, Line::from(Span::styled("▌", style(Role::Focus))));
            }
            put(frame, place, n - top, paint(row, &self.marks, self.link, style));
        }
    }

    fn draw_outline(&self, frame: &mut Frame, area: Rect, at: usize, style: Look) {
        let entries: Vec<(String, Role)> = self
            .document
            .headings
            .iter()
            .enumerate()
            .map(|(index, heading)| {
                let fold = if self.folded.contains(&index) { "▸ " } else { "" };
                let extension = if heading.extension { "✚ " } else { "" };
                let indent = "  ".repeat(heading.level.saturating_sub(1) as usize);
                let role = if heading.extension { Role::Gate } else { Role::Text };
                (format!("{indent}{fold}{extension}{}", heading.text), role)
            })
            .collect();
        list(frame, area, self.lang.pick("outline", "содержание"), &entries, at, style);
    }

    fn draw_findings(&self, frame: &mut Frame, area: Rect, at: usize, style: Look) {
        let entries: Vec<(String, Role)> = self
            .findings
            .iter()
            .flatten()
            .map(|(error, rule, text)| {
                let (sign, role) = if *error { ("✗", Role::Failed) } else { ("!", Role::Warning) };
                (format!("{sign} {rule} {text}"), role)
            })
            .collect();
        let title = match entries.is_empty() {
            true => self.lang.pick("checked: nothing to say", "проверено: замечаний нет"),
            false => self.lang.pick("findings", "замечания"),
        };
        list(frame, area, title, &entries, at, style);
    }
}

/// A list with a title and one selected entry.
fn list(frame: &mut Frame, area: Rect, title: &str, entries: &[(String, Role)], at: usize, style: Look) {
    let muted = style(Role::Muted);
    let width = area.width.saturating_sub(2) as usize;
    put(frame, area, 0, fitted(&[("│ ", style(Role::Border)), (title, muted)], area.width as usize));
    let height = area.height.saturating_sub(1) as usize;
    let top = at.saturating_sub(height.saturating_sub(1));
    for n in 0..height {
        let (mark, text, look) = match entries.get(top + n) {
            Some((text, role)) if top + n == at => {
                ("▌ ", text.as_str(), style(*role).patch(style(Role::Selection)).add_modifier(Modifier::BOLD))
            }
            Some((text, role)) => ("│ ", text.as_str(), style(*role)),
            None => ("│ ", "", muted),
        };
        let mut line = fitted(&[(text, look)], width);
        line.spans
            .insert(0, Span::styled(mark, style(if mark == "▌ " { Role::Focus } else { Role::Border })));
        put(frame, area, n + 1, line);
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::lang::Lang;
    use crate::domain::session::id::SessionId;
    use crate::engine::wire::Tell;
    use crate::ui::model::part::Input;
    use crate::ui::model::report::Report;
    use crate::ui::view::page::tests::screen;

    const TEXT: &str = "---\nschema_version: 1\nresult_class: partial\n---\n\n# Итоговый отчёт\n\n## 4. Зафиксированное решение\n- Начинать новый журнал при 100 МБ или каждый день, хранить 14 сжатых файлов на рабочего. [synthesized]\n- **Довод:** усечение 日本語 теряет строки → 01-peer-codex.md:11\n\n## 7. Метаданные и навигация\n- **Лог:** [00-writer.md](00-writer.md), [01-peer-codex.md](01-peer-codex.md)\n\n## Дополнение (turns 4–6, 2026-08-24T12:00:00Z)\n\n| кто | что |\n|---|---|\n| codex | сутки |\n";

    fn report() -> Report {
        let id = SessionId::parse("2026-08-24-02-agree-log-rotation-for").unwrap();
        let (mut report, _) =
            Report::open(id.clone(), "/s".into(), "report.md", 10, &["теряет".into()], Lang::Ru);
        let tell = Tell::File { id, file: "report.md".into(), text: TEXT.into() };
        report.update(Input::Tell(&tell));
        report
    }

    fn shown(report: &Report, width: u16, height: u16) -> String {
        screen(width, height, |frame, area, style| report.draw(frame, area, style))
    }

    #[test]
    fn ui_report_at_80_by_24() {
        insta::assert_snapshot!(shown(&report(), 80, 24), @r#"
        report.md · 2026-08-24-02-agree-log-rotation-for                           10/19
          schema_version: 1
          result_class: partial

          Итоговый отчёт

          4. Зафиксированное решение
          • Начинать новый журнал при 100 МБ или каждый день, хранить 14 сжатых файлов
            на рабочего. [synthesized]
        ▌ • Довод: усечение 日本語 теряет строки → 01-peer-codex.md:11

          7. Метаданные и навигация
          • Лог: 00-writer.md, 01-peer-codex.md

          ✚ Дополнение (turns 4–6, 2026-08-24T12:00:00Z)

          кто   │ что
          ──────┼──────
          codex │ сутки
        "#);
    }

    #[test]
    fn ui_report_at_40_by_15() {
        insta::assert_snapshot!(shown(&report(), 40, 15), @r#"
        report.md · 2026-08-24-02-agree-l… 10/19
          • Начинать новый журнал при 100 МБ или
            каждый день, хранить 14 сжатых
            файлов на рабочего. [synthesized]
        ▌ • Довод: усечение 日本語 теряет строки
            → 01-peer-codex.md:11

          7. Метаданные и навигация
          • Лог: 00-writer.md, 01-peer-codex.md

          ✚ Дополнение (turns 4–6,
          2026-08-24T12:00:00Z)

          кто   │ что
          ──────┼──────
        "#);
    }

    #[test]
    fn ui_report_outline_beside_and_over_the_text() {
        let mut report = report();
        report.update(Input::Char('z'));
        report.update(Input::Char('o'));
        insta::assert_snapshot!(shown(&report, 80, 12), @r#"
        report.md · 2026-08-24-02-agree-log-rotation-for                            8/19
          schema_version: 1                                 │ содержание
          result_class: partial                             │ Итоговый отчёт
                                                            ▌   ▸ 4. Зафиксированное ре…
          Итоговый отчёт                                    │   ▸ 7. Метаданные и навиг…
                                                            │   ▸ ✚ Дополнение (turns 4…
        ▌ ▸ 4. Зафиксированное решение · 3 …                │
                                                            │
          ▸ 7. Метаданные и навигация · 2 …                 │
                                                            │
          ▸ ✚ Дополнение (turns 4–6, 2026-08-24T12:00:00Z) ·│
          4 …                                               │
        "#);
        insta::assert_snapshot!(shown(&report, 40, 8), @r#"
        report.md · 2026-08-24-02-agree-lo… 8/19
        │ содержание
        │ Итоговый отчёт
        ▌   ▸ 4. Зафиксированное решение
        │   ▸ 7. Метаданные и навигация
        │   ▸ ✚ Дополнение (turns 4–6, 2026-08-…
        │
        │
        "#);
    }

    #[test]
    fn ui_report_findings_and_notice() {
        let mut report = report();
        let findings =
            vec![(true, "PC-623".into(), "§4 пуст".into()), (false, "PC-620".into(), "cost_source".into())];
        report.update(Input::Tell(&Tell::Verified { id: report.id.clone(), findings }));
        report.notice = "путь скопирован".into();
        insta::assert_snapshot!(shown(&report, 40, 8), @r#"
        report.md · 2026-0… ошибок 1 · замечани…
        │ замечания
        ▌ ✗ PC-623 §4 пуст
        │ ! PC-620 cost_source
        │
        │
        │
        путь скопирован
        "#);
    }

    #[test]
    fn rule_7_any_size_is_drawn() {
        let mut report = report();
        for input in [Input::Down, Input::Char('o'), Input::Back, Input::Tab, Input::Char('v')] {
            report.update(input);
            for (width, height) in [(1, 1), (2, 3), (20, 5), (79, 2), (200, 60)] {
                shown(&report, width, height);
            }
        }
    }
}
