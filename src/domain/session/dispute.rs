//! No consensus at the round limit: does a majority decide, or the pilot? (PC-421 to PC-426)

use super::slug::collapse;

/// A yes that may itself be disputed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tri {
    Yes,
    No,
    Disputed,
}

/// One position and the agent ids that hold it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Position {
    /// One line.
    pub summary: String,
    pub supporters: Vec<String>,
}

/// What the structured writer call returns (PC-424).
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Dispute {
    pub reversible: Tri,
    pub in_authority: Tri,
    pub positions: Vec<Position>,
}

/// What follows from a dispute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Recorded, then the Decision Gate (PC-422); the minority goes to report §3.
    Majority { summary: String, supporters: Vec<String>, minority: Vec<Position> },
    /// The pilot decides (PC-423). `why` is for the pilot and not the reason in the file.
    Escalate { why: String },
}

/// The pilot's choice after an escalated dispute (PC-426).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DisputeAnswer {
    /// The pilot's own decision, trimmed.
    Decision(String),
    /// More rounds.
    Continue,
    /// Close without agreement.
    Close,
}

/// Decides for the voters, which are the writer and all active peers by agent id (PC-422). Anything but a clear
/// majority on a reversible question within their authority is escalated.
pub fn verdict(dispute: &Dispute, voters: &[String]) -> Verdict {
    let obstacle = match (dispute.reversible, dispute.in_authority) {
        (Tri::Yes, Tri::Yes) => malformed(dispute, voters),
        (Tri::No, _) => Some("the decision cannot be undone".into()),
        (Tri::Disputed, _) => Some("it is disputed whether the decision can be undone".into()),
        (_, Tri::No) => Some("the decision is beyond the voters' authority".into()),
        (_, Tri::Disputed) => {
            Some("it is disputed whether the decision is within the voters' authority".into())
        }
    };
    if let Some(why) = obstacle {
        return Verdict::Escalate { why };
    }
    // Two voters must agree, of three two are enough, then more than half (PC-422, PC-425). A voter that is alone
    // has nobody to agree with.
    let needed = (voters.len() / 2 + 1).max(2);
    let Some(winner) = dispute.positions.iter().position(|p| p.supporters.len() >= needed) else {
        return Verdict::Escalate { why: format!("no position has {needed} of {} voters", voters.len()) };
    };
    let minority = dispute.positions.iter().enumerate();
    let minority =
        minority.filter(|(at, p)| *at != winner && !p.supporters.is_empty()).map(|(_, p)| p.clone());
    let position = &dispute.positions[winner];
    Verdict::Majority {
        summary: collapse(&position.summary),
        supporters: position.supporters.clone(),
        minority: minority.collect(),
    }
}

/// Reads the pilot's free text (PC-426). English words count whole, so that "closed connections …" is a decision;
/// Russian ones by their stem.
pub fn read_answer(text: &str) -> DisputeAnswer {
    let text = text.trim();
    let lower = text.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    match first {
        "continue" => DisputeAnswer::Continue,
        "close" => DisputeAnswer::Close,
        _ if first.starts_with("продолж") => DisputeAnswer::Continue,
        _ if first.starts_with("закр") => DisputeAnswer::Close,
        _ => DisputeAnswer::Decision(text.to_string()),
    }
}

/// Every voter stands exactly once, and nobody else.
fn malformed(dispute: &Dispute, voters: &[String]) -> Option<String> {
    let named: Vec<&String> = dispute.positions.iter().flat_map(|p| &p.supporters).collect();
    if let Some(stranger) = named.iter().find(|name| !voters.contains(name)) {
        return Some(format!("the summary of positions names {stranger}, who has no vote"));
    }
    for voter in voters {
        let times = named.iter().filter(|name| **name == voter).count();
        if times != 1 {
            return Some(format!("the summary of positions counts {voter} {times} times"));
        }
    }
    let silent = |p: &&Position| !p.supporters.is_empty() && p.summary.trim().is_empty();
    dispute
        .positions
        .iter()
        .find(silent)
        .map(|p| format!("the position of {} is empty", p.supporters.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| name.to_string()).collect()
    }

    fn dispute(positions: &[(&str, &[&str])]) -> Dispute {
        let positions = positions.iter().map(|(summary, supporters)| Position {
            summary: summary.to_string(),
            supporters: names(supporters),
        });
        Dispute { reversible: Tri::Yes, in_authority: Tri::Yes, positions: positions.collect() }
    }

    fn majority(positions: &[(&str, &[&str])], voters: &[&str]) -> Option<String> {
        match verdict(&dispute(positions), &names(voters)) {
            Verdict::Majority { summary, .. } => Some(summary),
            Verdict::Escalate { .. } => None,
        }
    }

    #[test]
    fn pc_422_majority() {
        let voters = names(&["w", "a", "b"]);
        let split = dispute(&[("keep", &["a"]), ("drop\n it", &["w", "b"]), ("nobody's", &[])]);
        assert_eq!(
            verdict(&split, &voters),
            Verdict::Majority {
                summary: "drop it".into(),
                supporters: names(&["w", "b"]),
                minority: vec![split.positions[0].clone()],
            }
        );
        assert_eq!(
            majority(&[("x", &["a", "b"]), ("y", &["c", "w"])], &["w", "a", "b", "c"]),
            None,
            "half is not more"
        );
        assert!(majority(&[("x", &["a", "b", "w"]), ("y", &["c"])], &["w", "a", "b", "c"]).is_some());
        assert_eq!(majority(&[("x", &["a"]), ("y", &["b"]), ("z", &["w"])], &["w", "a", "b"]), None);
    }

    #[test]
    fn pc_425_two_voters_must_agree() {
        assert_eq!(majority(&[("x", &["w"]), ("y", &["a"])], &["w", "a"]), None);
        assert!(majority(&[("x", &["w", "a"])], &["w", "a"]).is_some());
        assert_eq!(majority(&[("x", &["w"])], &["w"]), None, "one voter is no majority");
        assert_eq!(majority(&[], &[]), None);
    }

    #[test]
    fn pc_424_anything_but_yes_escalates() {
        for (reversible, in_authority) in
            [(Tri::No, Tri::Yes), (Tri::Disputed, Tri::Yes), (Tri::Yes, Tri::No), (Tri::Yes, Tri::Disputed)]
        {
            let dispute = Dispute { reversible, in_authority, ..dispute(&[("x", &["w", "a"])]) };
            assert!(matches!(verdict(&dispute, &names(&["w", "a"])), Verdict::Escalate { .. }));
        }
    }

    #[test]
    fn pc_424_malformed_escalates() {
        let voters = ["w", "a", "b"];
        assert_eq!(majority(&[("x", &["w", "a"])], &voters), None, "b is missing");
        assert_eq!(majority(&[("x", &["w", "a", "b", "c"])], &voters), None, "c is a stranger");
        assert_eq!(majority(&[("x", &["w", "a"]), ("y", &["a", "b"])], &voters), None, "a stands twice");
        assert_eq!(majority(&[(" ", &["w", "a", "b"])], &voters), None, "a majority for nothing");
    }

    #[test]
    fn pc_426_answers() {
        for text in ["continue", "Continue, two more", " CONTINUE", "Продолжаем", "продолжить"]
        {
            assert_eq!(read_answer(text), DisputeAnswer::Continue, "{text}");
        }
        for text in ["Close without agreement. I will decide at the weekly planning.", "закрываем", "Закрыть"]
        {
            assert_eq!(read_answer(text), DisputeAnswer::Close, "{text}");
        }
        for text in [
            "Keep the table until October.",
            "closed connections are retried",
            "continued use",
            "не закрывать",
            "",
        ] {
            assert_eq!(read_answer(&format!(" {text} ")), DisputeAnswer::Decision(text.into()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn pc_422_a_majority_is_always_more_than_half(votes in prop::collection::vec(0usize..4, 0..8)) {
            let voters: Vec<String> = (0..votes.len()).map(|n| format!("v{n}")).collect();
            let positions = (0..4).map(|p| Position {
                summary: format!("p{p}"),
                supporters: voters.iter().zip(&votes).filter(|(_, v)| **v == p).map(|(name, _)| name.clone()).collect(),
            });
            let dispute = Dispute { reversible: Tri::Yes, in_authority: Tri::Yes, positions: positions.collect() };
            let most = dispute.positions.iter().map(|p| p.supporters.len()).max().unwrap_or(0);
            match verdict(&dispute, &voters) {
                Verdict::Majority { supporters, minority, .. } => {
                    prop_assert!(supporters.len() * 2 > voters.len() && supporters.len() >= 2);
                    let rest: usize = minority.iter().map(|p| p.supporters.len()).sum();
                    prop_assert_eq!(supporters.len() + rest, voters.len());
                }
                Verdict::Escalate { .. } => prop_assert!(most * 2 <= voters.len() || most < 2),
            }
        }
    }
}
