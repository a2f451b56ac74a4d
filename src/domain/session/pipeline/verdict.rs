//! What a verification said (PC-530, PC-531).

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Pass,
    Fail,
    /// Nothing was there to run. Never the same as passed.
    NotRun,
}

impl Verdict {
    /// First line of `verify-NN.md`.
    pub fn key(self) -> &'static str {
        match self {
            Verdict::Pass => "PASS",
            Verdict::Fail => "FAIL",
            Verdict::NotRun => "NOT RUN",
        }
    }

    /// `verify_status` of `meta.yaml`, which knows no third word.
    pub fn status(self) -> &'static str {
        match self {
            Verdict::NotRun => "",
            ran => ran.key(),
        }
    }
}

/// One `verify-NN.md`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Verification {
    /// NN.
    pub number: u32,
    pub verdict: Verdict,
    /// Registry key of the agent that verified; empty when only commands ran.
    #[serde(default)]
    pub by: String,
}

/// The line that names who verified; it is the first one below the verdict.
const BY: &str = "verifier: ";

pub fn named(key: &str) -> String {
    format!("{BY}{key}")
}

/// Who is named by a verification's text.
pub fn by(text: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    first.strip_prefix(BY).unwrap_or_default().trim().to_string()
}

/// The verdict of an agent's answer: its last line, or its first one when the last says nothing, and no other word
/// anywhere. Everything else is none.
pub fn said(text: &str) -> Option<Verdict> {
    let word = |line: &str| {
        let bare = line.trim().trim_matches(['*', '`', '_']).trim();
        match bare.strip_prefix("VERDICT:").map(|rest| rest.trim().trim_matches(['*', '`', '_'])) {
            Some("PASS") => Some(Verdict::Pass),
            Some("FAIL") => Some(Verdict::Fail),
            _ => None,
        }
    };
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let verdict = lines().next_back().and_then(word).or_else(|| lines().next().and_then(word))?;
    lines().filter_map(word).all(|other| other == verdict).then_some(verdict)
}

/// Reads a file by its first line. What says neither word says nothing.
pub fn read(number: u32, text: &str) -> Verification {
    let first = text.lines().next().unwrap_or("").trim();
    let verdict = match first {
        "PASS" => Verdict::Pass,
        "FAIL" => Verdict::Fail,
        _ => Verdict::NotRun,
    };
    let below = text.split_once('\n').map_or("", |(_, below)| below);
    Verification { number, verdict, by: by(below) }
}

/// The file's text.
pub fn render(verdict: Verdict, text: &str) -> String {
    format!("{}\n\n{}\n", verdict.key(), text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_531_the_first_line_is_the_verdict() {
        for verdict in [Verdict::Pass, Verdict::Fail, Verdict::NotRun] {
            assert_eq!(read(1, &render(verdict, "log")).verdict, verdict);
        }
        assert_eq!(read(1, "passed, I think").verdict, Verdict::NotRun, "not run is never passed");
        assert_eq!(Verdict::NotRun.status(), "");
    }

    #[test]
    fn pc_530_only_a_verdict_is_a_verdict() {
        assert_eq!(said("$ cargo test\nok\n\nVERDICT: PASS\n"), Some(Verdict::Pass));
        assert_eq!(said("**VERDICT: FAIL**\n\ntraceback"), Some(Verdict::Fail));
        assert_eq!(said("VERDICT: **PASS**"), Some(Verdict::Pass));
        for none in [
            "",
            "all is well",
            "PASS, I think",
            "VERDICT: PASSED",
            "VERDICT: PASS or FAIL",
            "a\nVERDICT: PASS\nand so on",
            "VERDICT: FAIL\n…\nVERDICT: PASS",
            "I would say VERDICT: PASS",
            "verdict: pass",
        ] {
            assert_eq!(said(none), None, "{none}");
        }
        let text = format!("{}\n\nok", named("bo"));
        assert_eq!(read(1, &render(Verdict::Pass, &text)).by, "bo");
        assert_eq!(
            read(1, &render(Verdict::Pass, "app: $ echo\nverifier: eve")).by,
            "",
            "only its first line"
        );
    }
}
