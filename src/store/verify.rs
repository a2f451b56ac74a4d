//! Checks of a report that need no judgement (PC-660 to PC-662).

mod words;

use crate::domain::lang::Lang;
use crate::domain::session::meta::{Meta, ResultClass};
use crate::domain::session::report::{self, Confidence, CostSource, SYNTHESIZED, Section, Ttl};
use crate::domain::time::Stamp;
use crate::store::frontmatter;
use crate::store::report::{is_stub, parts};
use serde_json::{Map, Value};
use words::{bad_anchor, is_session_file, machine_markers, names};

/// What a report is checked against.
pub struct VerifyInput<'a> {
    pub report: &'a str,
    pub meta: &'a Meta,
    /// Names in the session directory.
    pub files: &'a [String],
    /// The turn files in reading order (PC-234).
    pub turn_files: &'a [String],
    /// Whether a relative link leads to something.
    pub exists: &'a dyn Fn(&str) -> bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
}

/// One thing that is wrong, with the rule that says so.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    pub severity: Severity,
    pub rule: &'static str,
    pub text: String,
}

/// All findings, errors first. A report of an older shape has warnings only (PC-662).
pub fn verify(input: &VerifyInput) -> Vec<Finding> {
    let mut findings = Findings::default();
    if is_stub(input.report) {
        findings.error("PC-607", "the synthesis was not performed; finalize the session again");
        return findings.0;
    }
    let text = input.report.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let (head, body) = match frontmatter::read(&text) {
        Ok((head, at)) => (head, &text[at..]),
        Err(problem) => {
            findings.error("PC-660", format!("the frontmatter does not parse: {problem}"));
            (Map::new(), text.as_str())
        }
    };
    let parsed = !head.is_empty();
    let report = Report { head: &head, body, parts: parts::all(body), input };
    if parsed {
        report.keys(&mut findings);
        report.against_meta(&mut findings);
    }
    report.sections(&mut findings);
    report.decision(&mut findings);
    report.failed_participants(&mut findings);
    report.links(&mut findings);
    report.anchors(&mut findings);
    report.machine_markers(&mut findings);
    report.directory(&mut findings);
    let old = report.legacy(parsed);
    for trait_ in &old {
        findings.warning("PC-662", format!("older shape: {trait_}"));
    }
    if !old.is_empty() {
        findings.0.iter_mut().for_each(|finding| finding.severity = Severity::Warning);
    }
    findings.0.sort_by_key(|finding| finding.severity);
    findings.0
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn error(&mut self, rule: &'static str, text: impl Into<String>) {
        self.0.push(Finding { severity: Severity::Error, rule, text: text.into() });
    }

    fn warning(&mut self, rule: &'static str, text: impl Into<String>) {
        self.0.push(Finding { severity: Severity::Warning, rule, text: text.into() });
    }
}

struct Report<'a> {
    head: &'a Map<String, Value>,
    body: &'a str,
    parts: Vec<parts::Part<'a>>,
    input: &'a VerifyInput<'a>,
}

impl Report<'_> {
    fn value(&self, key: &str) -> String {
        self.head.get(key).map(frontmatter::plain).unwrap_or_default()
    }

    fn class(&self) -> Option<ResultClass> {
        ResultClass::parse(&self.value("result_class"))
    }

    fn part(&self, section: Section) -> Option<&parts::Part<'_>> {
        self.parts.iter().find(|part| part.section == Some(section))
    }

    /// The shapes of PC-662. Quotes around scalars are read as well and are no finding.
    fn legacy(&self, parsed: bool) -> Vec<&'static str> {
        let titled = |line: &str| {
            [Lang::En, Lang::Ru].iter().any(|lang| {
                line.strip_prefix(report::title(*lang)).is_some_and(|rest| rest.trim_start().starts_with(':'))
            })
        };
        let tagged = |part: &&parts::Part| part.heading.contains(SYNTHESIZED);
        let six = self.part(Section::Metadata).is_some_and(|part| part.number == "6");
        [
            (parsed && !self.head.contains_key("schema_version"), "no schema_version"),
            (parsed && !self.head.contains_key("cost_source"), "no cost_source"),
            (self.parts.first().is_some_and(|part| titled(part.heading)), "the title names the topic"),
            (
                self.part(Section::Decision).filter(tagged).is_some(),
                "[synthesized] stands in the heading of §4",
            ),
            (six && self.part(Section::Implementation).is_none(), "six sections"),
        ]
        .into_iter()
        .filter_map(|(found, name)| found.then_some(name))
        .collect()
    }

    /// Keys and enums of PC-620.
    fn keys(&self, findings: &mut Findings) {
        let whole = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        type Check<'a> = (&'a str, &'a dyn Fn(&str) -> bool, &'a str);
        let checks: [Check; 10] = [
            ("schema_version", &|v| v == "1", "1"),
            ("session_id", &|v| !v.is_empty(), "a session id"),
            ("generated_at", &|v| Stamp::parse(v).is_some(), "a time like 2026-08-24T09:20:10Z"),
            ("writer", &|v| !v.is_empty(), "an agent id"),
            ("peer", &|v| !v.is_empty(), "agent ids"),
            ("duration_min", &whole, "whole minutes"),
            ("escalations_count", &whole, "a whole number"),
            (
                "result_class",
                &|v| ResultClass::parse(v).is_some(),
                "agreed, partial, escalated or not-agreed",
            ),
            ("confidence", &|v| Confidence::parse(v).is_some(), "low, med or high"),
            ("cost_source", &|v| CostSource::parse(v).is_some(), "api, estimated or missing"),
        ];
        for (key, good, want) in checks {
            match self.head.get(key) {
                None => findings.error("PC-620", format!("the key {key} is missing")),
                Some(value) if !good(&frontmatter::plain(value)) => {
                    findings.error("PC-620", format!("{key} is {:?}, not {want}", frontmatter::plain(value)));
                }
                Some(_) => {}
            }
        }
        if self.head.contains_key("ttl_event") && Ttl::parse(&self.value("ttl_event")).is_none() {
            findings
                .error("PC-620", "ttl_event is not until merge PR-NNN, until WP-NNN or until pilot cancels");
        }
        let cost = self.head.get("cost_usd").map(frontmatter::plain);
        if cost.as_ref().is_some_and(|cost| cost.parse::<f64>().map_or(true, |n| !n.is_finite() || n < 0.0)) {
            findings.error("PC-620", "cost_usd is not a number");
        }
        if self.head.contains_key("cost_source") && (self.value("cost_source") == "missing") == cost.is_some()
        {
            findings.warning("PC-620", "cost_usd and cost_source contradict each other");
        }
        let basis = !self.value("confidence_basis").is_empty();
        match Confidence::parse(&self.value("confidence")) {
            Some(Confidence::High) if basis => {
                findings.error("PC-620", "confidence is high, so confidence_basis must be omitted")
            }
            Some(Confidence::Low | Confidence::Med) if !basis => {
                findings.error("PC-620", "confidence is below high, so confidence_basis is required");
            }
            _ => {}
        }
    }

    fn against_meta(&self, findings: &mut Findings) {
        let meta = self.input.meta;
        for (key, want) in [
            ("session_id", meta.session_id.to_string()),
            ("writer", meta.writer_agent.clone()),
            ("peer", report::peer_value(meta)),
            ("escalations_count", meta.escalations_count.to_string()),
        ] {
            let got = self.value(key);
            if !got.is_empty() && got != want {
                findings.error("PC-660", format!("{key} is {got:?}, meta.yaml says {want:?}"));
            }
        }
        let span = Stamp::parse(&meta.start_time).zip(Stamp::parse(&meta.end_time));
        if let (Some((start, end)), Ok(got)) = (span, self.value("duration_min").parse::<i64>()) {
            let want = end.minutes_since_rounded(start);
            if (got - want).abs() > 1 {
                findings.error("PC-660", format!("duration_min is {got}, meta.yaml gives {want}"));
            }
        }
        if let (Some(got), Some(want)) = (self.class(), meta.engine_result_class)
            && got != want
        {
            findings.warning(
                "PC-410",
                format!("result_class is {}, the session ended as {}", got.key(), want.key()),
            );
        }
    }

    fn sections(&self, findings: &mut Findings) {
        let title = self.parts.first().is_some_and(|part| {
            [Lang::En, Lang::Ru].iter().any(|lang| part.heading.starts_with(report::title(*lang)))
        });
        if !title {
            findings.warning("PC-621", "the title # Final Report is missing");
        }
        for section in Section::ALWAYS {
            if self.part(section).is_none() {
                findings.error("PC-622", format!("the section {:?} is missing", section.title(Lang::En)));
            }
        }
        let known: Vec<_> =
            self.parts.iter().filter_map(|part| part.section.map(|s| (s, part.number))).collect();
        for pair in known.windows(2).filter(|pair| pair[0].0 >= pair[1].0) {
            findings.warning(
                "PC-622",
                format!("the section {:?} is out of order or double", pair[1].0.title(Lang::En)),
            );
        }
        for (section, number) in known.iter().filter(|(section, number)| section.number() != *number) {
            findings.warning(
                "PC-622",
                format!("{:?} has the number {number:?}, not {}", section.title(Lang::En), section.number()),
            );
        }
        match (self.input.meta.implementation_pipeline, self.part(Section::Implementation).is_some()) {
            (true, false) => findings.error("PC-622", "the session was implemented, but §6 is missing"),
            (false, true) => findings.error("PC-622", "nothing was implemented, but there is a §6"),
            _ => {}
        }
    }

    /// PC-623.
    fn decision(&self, findings: &mut Findings) {
        let (Some(class), Some(part)) = (self.class(), self.part(Section::Decision)) else { return };
        let line = part.body.lines().map(|l| parts::list_item(l).unwrap_or(l.trim())).find(|l| !l.is_empty());
        let first = line.unwrap_or_default().replace(SYNTHESIZED, "");
        let first = first.trim().trim_matches(['*', '.', ' ']);
        let not_reached = [Lang::En, Lang::Ru].iter().any(|lang| first == report::not_reached(*lang));
        if class == ResultClass::NotAgreed {
            if !not_reached {
                findings.error("PC-623", "the result is not-agreed, so §4 must say: Consensus not reached");
            }
            return;
        }
        if first.is_empty() {
            findings.error("PC-623", format!("the result is {}, but §4 is empty", class.key()));
        } else if not_reached {
            findings.error(
                "PC-623",
                format!("the result is {}, but §4 says that no consensus was reached", class.key()),
            );
        }
        if !part.body.contains(SYNTHESIZED) {
            findings.error("PC-623", "no statement of §4 carries [synthesized]");
        }
    }

    /// PC-404: who failed is named in §5 of a partial result, by agent id or vendor key.
    fn failed_participants(&self, findings: &mut Findings) {
        if self.class() != Some(ResultClass::Partial) {
            return;
        }
        let meta = self.input.meta;
        let Some(part) = self.part(Section::Open) else {
            findings.error("PC-622", "the result is partial, but §5 is missing");
            return;
        };
        for vendor in &meta.failed {
            let at = meta.round_order.iter().position(|v| v == vendor);
            let agent = at.and_then(|at| meta.peer_agents.get(at)).unwrap_or(vendor);
            if !names(part.body, vendor) && !names(part.body, agent) {
                findings.error("PC-660", format!("§5 does not name {agent}, who failed"));
            }
        }
    }

    fn links(&self, findings: &mut Findings) {
        let targets = parts::links(self.body);
        for path in targets.iter().filter_map(|target| parts::relative(target)) {
            if !(self.input.exists)(path) {
                findings.error("PC-660", format!("the link {path} leads nowhere"));
            }
        }
        let log: Vec<String> = self.part(Section::Metadata).map_or(Vec::new(), |part| {
            parts::links(part.body).iter().filter_map(|t| parts::relative(t).map(str::to_string)).collect()
        });
        // An extension is appended and the log stays as it was (AMB-89), so its turns are linked in its own section.
        let extended: Vec<String> = parts::all(self.body)
            .iter()
            .filter(|part| is_extension(part.heading))
            .flat_map(|part| parts::links(part.body))
            .collect();
        let linked =
            |file: &String| log.contains(file) || extended.iter().any(|t| parts::relative(t) == Some(file));
        for file in self.input.turn_files.iter().filter(|file| !linked(file)) {
            findings.error("PC-660", format!("§7 does not link to {file}"));
        }
        let order: Vec<_> = log.iter().filter(|file| self.input.turn_files.contains(file)).collect();
        let want: Vec<_> = self.input.turn_files.iter().filter(|file| log.contains(file)).collect();
        if order != want {
            findings.warning("PC-622", "the log of §7 is not in reading order");
        }
    }

    /// `path:line` anchors outside fenced code are well-formed; files of the session that are only named exist.
    fn anchors(&self, findings: &mut Findings) {
        let mut fence = parts::Fence::default();
        let separator = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '`' | ',' | ';');
        for word in self.body.lines().filter(|line| fence.prose(line)).flat_map(|line| line.split(separator))
        {
            let word = word.trim_matches(['*', '_', '"', '\'', '«', '»', '.', '<', '>', '!', '?']);
            if let Some(line) = bad_anchor(word) {
                findings.error(
                    "PC-660",
                    format!("the anchor {word} is not file:line or file:from-to ({line:?})"),
                );
            }
            let own = word.trim_end_matches(':');
            if is_session_file(own) && !self.input.files.iter().any(|file| file == own) {
                findings.warning("PC-660", format!("{own} is named, but there is no such file"));
            }
        }
    }

    /// PC-624, without the task itself, which is quoted verbatim.
    fn machine_markers(&self, findings: &mut Findings) {
        let spoken = [Section::Problem, Section::Positions, Section::Rejected, Section::Decision];
        for part in self.parts.iter().filter(|part| part.section.is_some_and(|s| spoken.contains(&s))) {
            let task = self.input.meta.task_description.trim();
            let text = if task.is_empty() { part.body.to_string() } else { part.body.replace(task, "") };
            for marker in machine_markers(&text) {
                findings
                    .warning("PC-624", format!("{} speaks the language of machines: {marker}", part.heading));
            }
        }
    }

    fn directory(&self, findings: &mut Findings) {
        let has = |name: &str| self.input.files.iter().any(|file| file == name);
        if has("report.md") && has("report-draft.md") {
            findings.error("PC-610", "report.md and report-draft.md stand side by side");
        }
        for file in self.input.files.iter().filter(|f| f.starts_with("report-v") && f.ends_with(".md")) {
            findings.error("PC-616", format!("one session has one report, but there is {file}"));
        }
    }
}

/// `## Extension (turns …` in either language (PC-614).
fn is_extension(heading: &str) -> bool {
    let title = heading.trim_start_matches('#').trim_start();
    title.starts_with("Extension (") || title.starts_with("Дополнение (")
}

#[cfg(test)]
mod tests;
