//! The replay screen.

use super::page::{Look, fitted, head, inner, put};
use crate::domain::session::honesty::panel;
use crate::domain::time::Stamp;
use crate::ui::markdown::{Marks, paint};
use crate::ui::model::replay::{Moment, Replay, Shape};
use crate::ui::theme::Role;
use crate::ui::words;
use jiff::tz::TimeZone;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use std::collections::BTreeSet;
use unicode_width::UnicodeWidthStr;

/// The text under the timeline is worth its place from so many rows on.
const TALL: u16 = 12;

impl Replay {
    /// Draws the timeline with the moment in its middle, and what was said then.
    pub fn draw(&self, frame: &mut Frame, area: Rect, style: Look) {
        self.head(frame, area, style);
        let mut above = 3;
        let digest = self.digest().lines(self.lang);
        if self.seen > 0 && !digest.is_empty() {
            let since = self.lang.pick("since you looked", "с прошлого раза");
            let line = format!("{since} — {}", digest.join(" · "));
            put(frame, area, 2, fitted(&[(&line, style(Role::Waiting))], area.width as usize));
            above = 4;
        }
        let body = inner(area, above, 0);
        if self.moments.is_empty() {
            let text = match self.loaded {
                false => self.lang.pick("reading the log …", "чтение журнала …"),
                true => self.lang.pick("nothing was recorded", "ничего не записано"),
            };
            return put(frame, body, 0, fitted(&[(text, style(Role::Muted))], area.width as usize));
        }
        let list = if body.height >= TALL { body.height * 2 / 5 } else { body.height };
        self.list(frame, Rect { height: list, ..body }, style);
        if list < body.height {
            self.text(frame, inner(body, list, 0), style);
        }
    }

    fn head(&self, frame: &mut Frame, area: Rect, style: Look) {
        let lang = self.lang;
        let time = self.current().and_then(|m| m.time);
        let time = time.map_or("—".to_string(), |time| words::moment(&time.to_string(), &self.zone));
        let play = match (self.playing.is_some(), self.from_files) {
            (true, _) => lang.pick("▶ playing", "▶ идёт"),
            (false, true) => lang.pick("no log: from files", "журнала нет: по файлам"),
            (false, false) => lang.pick("‖ stopped", "‖ стоит"),
        };
        let step = if self.moments.is_empty() { 0 } else { self.at + 1 };
        let right = format!("{play} · {step}/{} · {time}", self.moments.len());
        let left = self.id.to_string();
        head(
            frame,
            area,
            0,
            (&left, style(Role::Text).add_modifier(Modifier::BOLD)),
            (&right, style(Role::Muted)),
        );
        put(frame, area, 1, self.rounds(area.width as usize, style));
        // Who stood where at this moment, as the files of that moment say.
        if let Some(session) = &self.state {
            let panel = panel(session);
            let line = panel.heading(lang);
            let role = if panel.needs_extra_key() { Role::Warning } else { Role::Muted };
            let at = if self.seen > 0 && !self.digest().is_empty() { 3 } else { 2 };
            put(frame, area, at, fitted(&[(&line, style(role))], area.width as usize));
        }
    }

    /// `R0 ●──R1 ●──R2 ◐`: rounds behind, the one shown, rounds to come.
    fn rounds(&self, width: usize, style: Look) -> Line<'static> {
        let mut rounds: Vec<u32> = self.moments.iter().filter_map(|moment| moment.round).collect();
        rounds.dedup();
        let here = self.current().and_then(|moment| moment.round);
        let at = rounds.iter().position(|round| Some(*round) == here).unwrap_or(0);
        let ended = self.moments.iter().rposition(|moment| moment.round == here) == Some(self.at);
        let names: Vec<String> = rounds
            .iter()
            .enumerate()
            .map(|(n, round)| {
                let sign = match n.cmp(&at) {
                    std::cmp::Ordering::Less => "●",
                    std::cmp::Ordering::Equal if ended => "●",
                    std::cmp::Ordering::Equal => "◐",
                    std::cmp::Ordering::Greater => "○",
                };
                format!("R{round} {sign}")
            })
            .collect();
        // Many rounds: those around the current one.
        let fits = (width / 7).max(1);
        let from = (at + 1).saturating_sub(fits.div_ceil(2)).min(names.len().saturating_sub(fits));
        let mut parts: Vec<(&str, Style)> = Vec::new();
        if from > 0 {
            parts.push(("… ", style(Role::Muted)));
        }
        for (n, name) in names.iter().enumerate().skip(from) {
            if n > from {
                parts.push(("──", style(Role::Border)));
            }
            let look = match n == at {
                true => style(Role::Focus).add_modifier(Modifier::BOLD),
                false => style(if n < at { Role::Text } else { Role::Muted }),
            };
            parts.push((name, look));
        }
        fitted(&parts, width)
    }

    fn list(&self, frame: &mut Frame, area: Rect, style: Look) {
        let height = area.height as usize;
        let top = self.at.saturating_sub(height / 2).min(self.moments.len().saturating_sub(height));
        for (n, moment) in self.moments.iter().enumerate().skip(top).take(height) {
            let here = n == self.at;
            let mark = if here { ("▌", style(Role::Focus)) } else { (" ", Style::default()) };
            // New to the pilot: a sign of its own, not only a colour.
            let new = if self.is_new(moment) && self.seen > 0 {
                ("• ", style(Role::Waiting))
            } else {
                ("  ", Style::default())
            };
            let (sign, role) = shape(moment);
            let time = format!("{} ", clock(moment.time, &self.zone));
            let (sign, who) = (
                format!("{sign} "),
                match moment.who.as_str() {
                    "" => String::new(),
                    "writer" => format!("{} ", self.lang.pick("writer", "писатель")),
                    who => format!("{who} "),
                },
            );
            let text = match here {
                true => style(Role::Selection).add_modifier(Modifier::BOLD),
                false => style(if n > self.at { Role::Muted } else { Role::Text }),
            };
            let parts = [
                mark,
                new,
                (time.as_str(), style(Role::Muted)),
                (sign.as_str(), style(role)),
                (who.as_str(), style(self.voice(moment)).add_modifier(Modifier::BOLD)),
                (moment.text.as_str(), text),
            ];
            put(frame, area, n - top, fitted(&parts, area.width as usize));
        }
    }

    fn text(&self, frame: &mut Frame, area: Rect, style: Look) {
        let name = self.current().and_then(|moment| moment.file.as_deref()).unwrap_or("");
        let border = style(Role::Border);
        let title = if name.is_empty() { String::new() } else { format!(" {name} ") };
        let rule = "─".repeat((area.width as usize).saturating_sub(title.width() + 1));
        put(
            frame,
            area,
            0,
            fitted(&[("─", border), (&title, style(Role::Muted)), (&rule, border)], area.width as usize),
        );
        let rows = self.document.rows(area.width.max(1) as usize, &BTreeSet::new());
        let room = area.height.saturating_sub(1) as usize;
        for (n, row) in rows.iter().take(room).enumerate() {
            put(frame, area, n + 1, paint(row, &Marks::default(), None, style));
        }
        if rows.len() > room && room > 0 {
            // At the right, as everywhere, and on a row of its own.
            let more = format!("↓ {} {} ", rows.len() - room + 1, self.lang.pick("more", "ещё"));
            let blank = " ".repeat((area.width as usize).saturating_sub(more.width()));
            put(
                frame,
                area,
                room,
                fitted(&[(&blank, style(Role::Text)), (&more, style(Role::Muted))], area.width as usize),
            );
        }
    }

    /// The colour of a participant, by its place in the calling order.
    fn voice(&self, moment: &Moment) -> Role {
        const PEERS: [Role; 6] =
            [Role::Peer1, Role::Peer2, Role::Peer3, Role::Peer4, Role::Peer5, Role::Peer6];
        if moment.who == "writer" {
            return Role::Writer;
        }
        let peers = self.state.iter().flat_map(|session| session.peers());
        let at = peers.into_iter().position(|peer| peer.vendor == moment.who).unwrap_or(0);
        PEERS[at % PEERS.len()]
    }
}

fn shape(moment: &Moment) -> (&'static str, Role) {
    match moment.shape {
        Shape::Spoke => ("✎", Role::Text),
        Shape::Failed => ("✗", Role::Failed),
        Shape::Escalated => ("!", Role::Escalated),
        Shape::Pilot => ("?", Role::Waiting),
        Shape::Verdict => ("◆", Role::Gate),
        Shape::Step => ("·", Role::Muted),
    }
}

/// `12:03:10`, as the pilot's clock showed it.
fn clock(time: Option<Stamp>, zone: &TimeZone) -> String {
    let Some(at) = time.and_then(|time| words::local(time, zone)) else {
        return "——:——:——".into();
    };
    format!("{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::lang::Lang;
    use crate::engine::wire::Tell;
    use crate::ui::model::part::Input;
    use crate::ui::model::replay::tests::{id, opened, story};
    use crate::ui::view::page::tests::screen;

    fn shown(replay: &Replay, width: u16, height: u16) -> String {
        screen(width, height, |frame, area, style| replay.draw(frame, area, style))
    }

    #[test]
    fn ui_replay_at_80_by_24() {
        let mut replay = opened(0);
        (0..3).for_each(|_| drop(replay.update(Input::Right)));
        insta::assert_snapshot!(shown(&replay, 80, 24), @r#"
        2026-08-24-02-agree-log                       ‖ stopped · 4/9 · 2026-08-24 08:32
        R0 ●──R1 ◐──R2 ○
        No result yet — 1 of 2: codex agrees, kimi objects · 2 vendors
           08:27:50 · began — Ротация журналов 日本語
           08:29:00 ✎ writer Ротация по размеру.
           08:30:10 ✎ codex CONSENSUS: by size
        ▌  08:32:30 ✎ kimi I object: a quiet worker keeps one file.
           08:33:40 ✎ writer Accepted: daily too.
           08:36:00 ✎ codex PASS
           08:37:10 ✎ kimi CONSENSUS: size or day
           08:39:30 ◆ discussion ended: agreed
        ─ 01-peer-kimi.md ──────────────────────────────────────────────────────────────
        I object: a quiet worker keeps one file.
        "#);
    }

    #[test]
    fn ui_replay_of_the_unseen_at_40_by_15() {
        let mut replay = opened(7);
        replay.lang = Lang::Ru;
        replay.update(Input::Tell(&Tell::Events { id: id(), events: story() }));
        insta::assert_snapshot!(shown(&replay, 40, 15), @r#"
        2026-08-24-02-agre… ‖ стоит · 6/9 · 202…
        R0 ●──R1 ●──R2 ◐
        с прошлого раза — новые реплики: 02-pee…
        Итога пока нет — 1 из 2: codex пас, kim…
           08:27:50 · начало — Ротация журналов…
           08:29:00 ✎ писатель Ротация по разме…
           08:30:10 ✎ codex CONSENSUS: by size
           08:32:30 ✎ kimi I object: a quiet wo…
           08:33:40 ✎ писатель Accepted: daily …
        ▌• 08:36:00 ✎ codex PASS
         • 08:37:10 ✎ kimi CONSENSUS: size or d…
         • 08:39:30 ◆ обсуждение окончено: согл…
         • 08:40:40 ? ждёт пилота: Decision Gate
        "#);
    }

    #[test]
    fn ui_replay_before_anything_came() {
        let (mut replay, _) = Replay::open(id(), 0, Lang::En, TimeZone::UTC);
        assert!(shown(&replay, 60, 10).contains("reading the log"));
        replay.update(Input::Tell(&Tell::Events { id: id(), events: vec![] }));
        assert!(shown(&replay, 60, 10).contains("nothing was recorded"));
    }

    #[test]
    fn rule_7_any_size_is_drawn() {
        let mut replay = opened(3);
        for _ in 0..9 {
            replay.update(Input::Right);
            for (width, height) in [(1, 1), (2, 3), (20, 5), (79, 2), (200, 60)] {
                shown(&replay, width, height);
            }
        }
    }
}
