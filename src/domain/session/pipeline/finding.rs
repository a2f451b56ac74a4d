//! What a cold reviewer found (PC-521, PC-522).

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    Critical,
    High,
    Medium,
}

impl Severity {
    pub const ALL: [Severity; 3] = [Severity::Critical, Severity::High, Severity::Medium];

    pub fn key(self) -> &'static str {
        match self {
            Severity::Critical => "Critical",
            Severity::High => "High",
            Severity::Medium => "Medium",
        }
    }
}

/// One list item under a heading of a severity.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Finding {
    pub severity: Severity,
    /// Empty when the item names none.
    pub file: String,
    /// `12`, `12-15`, or empty.
    pub lines: String,
    pub issue: String,
    /// Empty when the item proposes none.
    pub fix: String,
}

impl Finding {
    /// The item as the reviewer wrote it.
    pub fn line(&self) -> String {
        let place = match (self.file.as_str(), self.lines.as_str()) {
            ("", _) => String::new(),
            (file, "") => format!("{file}: "),
            (file, lines) => format!("{file}:{lines}: "),
        };
        let fix = if self.fix.is_empty() { String::new() } else { format!(" | fix: {}", self.fix) };
        format!("{place}{}{fix}", self.issue)
    }

    /// The same finding in another review: the same file and the same words.
    pub fn is_same(&self, other: &Finding) -> bool {
        let words = |text: &str| {
            let lower = text.to_lowercase();
            lower
                .split(|c: char| !c.is_alphanumeric())
                .filter(|w| w.len() > 3)
                .map(str::to_string)
                .collect::<Vec<_>>()
        };
        if self.file != other.file {
            return false;
        }
        let (mine, theirs) = (words(&self.issue), words(&other.issue));
        let shared = mine.iter().filter(|w| theirs.contains(w)).count();
        self.issue == other.issue || shared * 2 > mine.len().max(theirs.len())
    }
}

/// One `review-NN.md`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Review {
    /// NN.
    pub number: u32,
    /// None of the four headings is there: no review (PC-522).
    pub usable: bool,
    /// In the order of the text.
    pub findings: Vec<Finding>,
}

impl Review {
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.severity == severity).count()
    }

    /// High and Medium.
    pub fn lesser(&self) -> u32 {
        (self.count(Severity::High) + self.count(Severity::Medium)) as u32
    }
}

/// Reads a review. Text before the first heading, and everything under `## OK`, is no finding.
pub fn read(number: u32, text: &str) -> Review {
    let mut review = Review { number, usable: false, findings: Vec::new() };
    let mut under = None;
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if let Some(heading) = line.trim_start().strip_prefix("## ").filter(|_| !fenced) {
            under = Severity::ALL.into_iter().find(|s| begins(heading, s.key()));
            review.usable |= under.is_some() || begins(heading, "OK");
            continue;
        }
        let Some(severity) = under else { continue };
        match item(line).filter(|_| !fenced) {
            Some(text) => review.findings.extend(finding(severity, text)),
            // The item goes on in the next line.
            None if line.starts_with([' ', '\t']) && !line.trim().is_empty() => {
                if let Some(last) = review.findings.last_mut().filter(|f| f.severity == severity) {
                    more(last, line.trim());
                }
            }
            None => {}
        }
    }
    review
}

fn begins(heading: &str, word: &str) -> bool {
    let rest = heading.trim().strip_prefix(word);
    rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// The text of a list item at the left margin.
fn item(line: &str) -> Option<&str> {
    let indent = line.len() - line.trim_start().len();
    let line = line.trim_start();
    let text = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or_else(|| {
        let digits = line.find(|c: char| !c.is_ascii_digit()).filter(|n| *n > 0)?;
        line[digits..].strip_prefix(". ").or_else(|| line[digits..].strip_prefix(") "))
    });
    let text = text.or_else(|| (line == "-" || line == "*").then_some(""));
    text.filter(|_| indent < 2).map(str::trim)
}

fn finding(severity: Severity, text: &str) -> Option<Finding> {
    let plain = text.trim_matches(['*', '_', '`', '.', ' ']).to_lowercase();
    if matches!(plain.as_str(), "" | "-" | "—" | "…" | "none" | "нет" | "no" | "n/a") {
        return None;
    }
    let (head, fix) = split_fix(text);
    let (file, lines, issue) = place(head);
    Some(Finding { severity, file, lines, issue, fix })
}

fn split_fix(text: &str) -> (&str, String) {
    match text.split_once("| fix:").or_else(|| text.split_once("|fix:")) {
        Some((head, fix)) => (head.trim(), fix.trim().to_string()),
        None => (text, String::new()),
    }
}

fn more(finding: &mut Finding, line: &str) {
    let (head, fix) = match line.strip_prefix("fix:").or_else(|| line.strip_prefix("| fix:")) {
        Some(fix) => ("", fix.trim().to_string()),
        None => split_fix(line),
    };
    let into = if finding.fix.is_empty() { &mut finding.issue } else { &mut finding.fix };
    if !head.is_empty() {
        into.push(' ');
        into.push_str(head);
    }
    if !fix.is_empty() {
        finding.fix = fix;
    }
}

/// `file:12-15: issue` in its parts; a text without a place is all issue.
fn place(text: &str) -> (String, String, String) {
    let whole = || (String::new(), String::new(), text.trim().to_string());
    let text = text.trim_start_matches(['`', '*']);
    let Some((path, rest)) = text.split_once(':') else { return whole() };
    let path = path.trim_matches(['`', '*', ' ']);
    if path.is_empty() || path.contains(char::is_whitespace) && !path.contains('/') && !path.contains('.') {
        return whole();
    }
    let digits =
        rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '–' | 'L'))).unwrap_or(rest.len());
    let lines = rest[..digits].replace(['L'], "").replace('–', "-").trim_matches('-').to_string();
    if lines.is_empty() {
        // `note: it is slow` names no file.
        let is_file = path.contains('.') || path.contains('/');
        return if is_file { (path.into(), lines, rest.trim().into()) } else { whole() };
    }
    let issue = rest[digits..].trim_start_matches(['`', '*', ':', ' ', '—']).trim();
    (path.to_string(), lines, issue.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pc_521_a_review_in_the_mandatory_form() {
        let text = "Here is my review.\n- not a finding\n\n## Critical (must fix before deploy)\n\
            - src/a.rs:12-15: the lock is lost | fix: hold it\n- `b.sh:3`: called before it is defined\n\
            ## High\n- none\n## Medium\n- docs: no example\n  in the second part\n  fix: add one\n\
            ## OK (what was checked and is fine)\n- c.rs:1: all is well\n";
        let review = read(2, text);
        assert!(review.usable);
        let counts = Severity::ALL.map(|s| review.count(s));
        assert_eq!(counts, [2, 0, 1]);
        let first = &review.findings[0];
        assert_eq!((first.file.as_str(), first.lines.as_str()), ("src/a.rs", "12-15"));
        assert_eq!((first.issue.as_str(), first.fix.as_str()), ("the lock is lost", "hold it"));
        assert_eq!(review.findings[1].line(), "b.sh:3: called before it is defined");
        let last = &review.findings[2];
        assert_eq!((last.file.as_str(), last.issue.as_str()), ("", "docs: no example in the second part"));
        assert_eq!(last.fix, "add one");
    }

    #[test]
    fn pc_522_what_counts_as_nothing() {
        for nothing in ["-", "- ...", "- none", "- None.", "- нет", "* —", "- N/A", ""] {
            let review = read(1, &format!("## Critical\n{nothing}\n## OK\n- x\n"));
            assert!(review.usable && review.findings.is_empty(), "{nothing}");
        }
        assert!(!read(1, "Looks good to me.\n- fine\n### Critical\n- x").usable);
        assert!(!read(1, "```\n## Critical\n- x\n```\n").usable, "an example is no review");
        assert!(!read(1, "## Criticality\n- x").usable);
        assert!(read(1, "## OK").usable);
    }

    #[test]
    fn a_finding_is_recognised_in_the_next_review() {
        let one = read(1, "## High\n- a.rs:3: the retry counter overflows silently").findings;
        let two = read(2, "## High\n- a.rs:9: retry counter still overflows silently\n- b.rs:3: the retry counter overflows").findings;
        assert!(one[0].is_same(&two[0]) && !one[0].is_same(&two[1]));
    }

    proptest! {
        #[test]
        fn pc_522_any_text(text in "(## (Critical|OK)?\n|- [a-z:0-9|. ]*\n|[^a]{0,9}\n){0,12}") {
            let review = read(1, &text);
            prop_assert!(review.usable || review.findings.is_empty());
        }
    }
}
