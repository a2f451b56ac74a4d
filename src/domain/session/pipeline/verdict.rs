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
}

/// Reads a file by its first line. What says neither word says nothing.
pub fn read(number: u32, text: &str) -> Verification {
    let first = text.lines().next().unwrap_or("").trim();
    let verdict = match first {
        "PASS" => Verdict::Pass,
        "FAIL" => Verdict::Fail,
        _ => Verdict::NotRun,
    };
    Verification { number, verdict }
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
}
