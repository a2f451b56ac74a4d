//! The form of a new session. What can be known before it starts is said at once: a vendor that is unknown, twice
//! named or not installed, a number that is none.

use super::reply::editor;
use crate::config::suggest::nearest;
use crate::domain::lang::Lang;
use crate::engine::wire::Plan;
use crate::ui::settings::Known;
use std::path::PathBuf;
use tui_textarea::TextArea;

/// The fields, in the order of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Task,
    Peers,
    Writer,
    Model,
    Roles,
    Wp,
    Rounds,
    Turns,
    Attempts,
    Lang,
}

pub const FIELDS: [Field; 10] = [
    Field::Task,
    Field::Peers,
    Field::Writer,
    Field::Model,
    Field::Roles,
    Field::Wp,
    Field::Rounds,
    Field::Turns,
    Field::Attempts,
    Field::Lang,
];

/// The opening's announcement and questions: nothing was created yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opening {
    pub announcement: Vec<String>,
    pub questions: Vec<String>,
}

#[derive(Debug)]
pub struct Form {
    pub areas: Vec<TextArea<'static>>,
    pub at: usize,
    pub opening: Option<Opening>,
    /// The plan is on its way.
    pub sent: bool,
    /// Why the engine refused.
    pub problem: Option<String>,
}

impl Field {
    pub fn label(self, lang: Lang) -> &'static str {
        match self {
            Field::Task => lang.pick("task", "задача"),
            Field::Peers => lang.pick("peers", "напарники"),
            Field::Writer => lang.pick("writer", "писатель"),
            Field::Model => lang.pick("model", "модель"),
            Field::Roles => lang.pick("roles", "роли"),
            Field::Wp => lang.pick("WP", "РП"),
            Field::Rounds => lang.pick("rounds", "раунды"),
            Field::Turns => lang.pick("turns", "ходы"),
            Field::Attempts => lang.pick("attempts", "попытки"),
            Field::Lang => lang.pick("language", "язык"),
        }
    }

    /// What to type, for an empty field.
    pub fn hint(self, lang: Lang) -> &'static str {
        match self {
            Field::Task => lang.pick("what is to be decided or done", "что решить или сделать"),
            Field::Peers => lang.pick(
                "vendors with commas, as configured when empty",
                "вендоры через запятую; пусто — как настроено",
            ),
            Field::Writer => lang.pick("a vendor, as configured when empty", "вендор; пусто — как настроено"),
            Field::Model => lang.pick("the vendor's own when empty", "пусто — своя у вендора"),
            Field::Roles => lang.pick(
                "vendor=role, …; agreed in discovery when empty",
                "вендор=роль, …; пусто — согласуют сами",
            ),
            Field::Wp => lang.pick("found in the plan when empty", "пусто — найти в плане"),
            Field::Rounds | Field::Turns | Field::Attempts => {
                lang.pick("as configured when empty", "пусто — как настроено")
            }
            Field::Lang => lang.pick("en or ru", "en или ru"),
        }
    }
}

impl Form {
    pub fn new(task: &str) -> Form {
        let areas = FIELDS.iter().map(|f| editor(if *f == Field::Task { task } else { "" })).collect();
        Form { areas, at: 0, opening: None, sent: false, problem: None }
    }

    pub fn field(&self) -> Field {
        FIELDS[self.at]
    }

    pub fn area(&mut self) -> &mut TextArea<'static> {
        &mut self.areas[self.at]
    }

    pub fn value(&self, field: Field) -> String {
        let at = FIELDS.iter().position(|f| *f == field).unwrap_or_default();
        self.areas[at].lines().join("\n").trim().to_string()
    }

    /// Who is named in it.
    pub fn named(&self) -> Vec<String> {
        let (writer, peers) = (self.value(Field::Writer), self.value(Field::Peers));
        peers.split(',').chain([writer.as_str()]).map(|name| name.trim().to_string()).collect()
    }

    pub fn step(&mut self, by: isize) {
        let n = FIELDS.len() as isize;
        self.at = (self.at as isize + by).rem_euclid(n) as usize;
    }

    /// What would be refused anyway, by field.
    pub fn problems(&self, vendors: &[Known], lang: Lang) -> Vec<(Field, String)> {
        let mut out = Vec::new();
        if self.value(Field::Task).is_empty() {
            out.push((Field::Task, lang.pick("the task is missing", "нет задачи").to_string()));
        }
        let mut seen: Vec<String> = Vec::new();
        for field in [Field::Peers, Field::Writer] {
            for name in self.value(field).split(',').map(str::trim).filter(|n| !n.is_empty()) {
                out.extend(vendor(name, vendors, lang).map(|problem| (field, problem)));
                if field == Field::Peers && seen.iter().any(|s| s == name) {
                    out.push((field, format!("{name}: {}", lang.pick("named twice", "назван дважды"))));
                }
                seen.push(name.to_string());
            }
        }
        for field in [Field::Rounds, Field::Turns, Field::Attempts] {
            if !matches!(self.value(field).as_str(), "") && self.number(field) == 0 {
                out.push((field, lang.pick("a number from 1 to 99", "число от 1 до 99").to_string()));
            }
        }
        if !matches!(self.value(Field::Lang).as_str(), "" | "en" | "ru") {
            out.push((Field::Lang, lang.pick("en or ru", "en или ru").to_string()));
        }
        out
    }

    /// The plan as typed. The second sending answers the opening's questions with yes.
    pub fn plan(&self, cwd: PathBuf) -> Plan {
        Plan {
            task: self.value(Field::Task),
            peers: self.value(Field::Peers),
            writer: self.value(Field::Writer),
            model: self.value(Field::Model),
            wp: self.value(Field::Wp),
            roles: self.value(Field::Roles),
            lang: self.value(Field::Lang),
            turns_limit: self.number(Field::Turns),
            rounds_limit: self.number(Field::Rounds),
            max_peer_attempts: self.number(Field::Attempts),
            yes: self.opening.is_some(),
            cwd,
            ..Plan::default()
        }
    }

    fn number(&self, field: Field) -> u32 {
        self.value(field).parse().ok().filter(|n| (1..=99).contains(n)).unwrap_or(0)
    }
}

fn vendor(name: &str, vendors: &[Known], lang: Lang) -> Option<String> {
    if vendors.is_empty() {
        return None;
    }
    match vendors.iter().find(|v| v.key == name) {
        None => {
            let near = nearest(name, vendors.iter().map(|v| v.key.as_str()));
            let next = near
                .map(|n| format!(" {} {n}?", lang.pick("Did you mean", "Может быть,")))
                .unwrap_or_default();
            Some(format!("{name}: {}{next}", lang.pick("unknown vendor.", "неизвестный вендор.")))
        }
        Some(known) => known.missing.as_ref().map(|why| format!("{name}: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(values: &[(Field, &str)]) -> Form {
        let mut form = Form::new("");
        for (field, text) in values {
            form.at = FIELDS.iter().position(|f| f == field).unwrap();
            form.area().insert_str(text);
        }
        form
    }

    #[test]
    fn pc_010_what_would_be_refused_is_said_at_once() {
        let vendors = [
            Known { key: "codex".into(), missing: None },
            Known { key: "kimi".into(), missing: Some("not on PATH".into()) },
        ];
        let form = typed(&[(Field::Peers, "codex, codxe, kimi, codex"), (Field::Rounds, "no")]);
        let said: Vec<String> = form.problems(&vendors, Lang::En).into_iter().map(|(_, text)| text).collect();
        assert_eq!(
            said,
            [
                "the task is missing",
                "codxe: unknown vendor. Did you mean codex?",
                "kimi: not on PATH",
                "codex: named twice",
                "a number from 1 to 99"
            ]
        );
    }

    #[test]
    fn pc_010_the_plan_says_what_was_typed() {
        let mut form =
            typed(&[(Field::Task, "Ещё раз\nда"), (Field::Peers, "codex,kimi"), (Field::Rounds, "4")]);
        assert!(form.problems(&[], Lang::En).is_empty());
        let plan = form.plan("/x".into());
        assert_eq!(
            (plan.task.as_str(), plan.rounds_limit, plan.turns_limit, plan.yes),
            ("Ещё раз\nда", 4, 0, false)
        );
        form.opening = Some(Opening::default());
        assert!(form.plan("/x".into()).yes);
    }
}
