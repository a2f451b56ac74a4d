//! When a round is closed (group Q). Agreement is never assumed: an empty set does not agree (PC-409), a reply that
//! asks the pilot settles nothing (AMB-43), and a PASS with a counter-argument is an open objection (AMB-61).

/// What one valid reply means for the round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stance {
    /// `CONSENSUS:` with its payload.
    Agrees(String),
    /// A clean PASS.
    Passes,
    Dissents,
}

/// A counted peer of the round: it gave a valid reply and has not failed (PC-401).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voice {
    pub vendor: String,
    pub agent: String,
    pub stance: Stance,
}

/// PC-401, PC-409: closed by the peers alone.
pub fn peers_close(counted: &[Voice]) -> bool {
    !counted.is_empty() && counted.iter().all(|v| v.stance != Stance::Dissents)
}

/// What the writer's `CONSENSUS:` does to a round that the peers left open (PC-406).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriterVerdict {
    Closes,
    /// At least two dissenters and not all of them named in `accepts`.
    Incomplete {
        missing: Vec<String>,
    },
    /// No valid reply to agree with.
    NobodyCounted,
}

/// PC-406, for a writer turn that carries `CONSENSUS:`. `accepts` may name vendors or agents.
pub fn writer_closes(counted: &[Voice], accepts: &[String]) -> WriterVerdict {
    if counted.is_empty() {
        return WriterVerdict::NobodyCounted;
    }
    let dissenters: Vec<&Voice> = counted.iter().filter(|v| v.stance == Stance::Dissents).collect();
    let named = |v: &Voice| accepts.iter().any(|a| *a == v.vendor || *a == v.agent);
    let missing: Vec<String> = dissenters.iter().filter(|v| !named(v)).map(|v| v.vendor.clone()).collect();
    if dissenters.len() <= 1 || missing.is_empty() {
        WriterVerdict::Closes
    } else {
        WriterVerdict::Incomplete { missing }
    }
}

/// The payloads of all agreeing peers in order, for the summary (PC-408).
pub fn payloads(counted: &[Voice]) -> Vec<String> {
    counted
        .iter()
        .filter_map(|v| match &v.stance {
            Stance::Agrees(payload) if !payload.trim().is_empty() => Some(payload.clone()),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voice(vendor: &str, stance: Stance) -> Voice {
        Voice { vendor: vendor.into(), agent: format!("{vendor}-agent"), stance }
    }

    #[test]
    fn pc_401_all_counted_peers_must_agree_or_pass() {
        let agrees = || voice("a", Stance::Agrees("x".into()));
        assert!(peers_close(&[agrees(), voice("b", Stance::Passes)]));
        assert!(!peers_close(&[agrees(), voice("b", Stance::Dissents)]));
    }

    #[test]
    fn pc_409_the_empty_set_does_not_agree() {
        assert!(!peers_close(&[]));
        assert_eq!(writer_closes(&[], &[]), WriterVerdict::NobodyCounted);
    }

    #[test]
    fn pc_406_one_agent_cannot_agree_over_two_objecting_peers() {
        let two = [voice("a", Stance::Dissents), voice("b", Stance::Dissents)];
        assert_eq!(writer_closes(&two[..1], &[]), WriterVerdict::Closes);
        assert_eq!(
            writer_closes(&two, &["a".into()]),
            WriterVerdict::Incomplete { missing: vec!["b".into()] }
        );
        assert_eq!(writer_closes(&two, &["a".into(), "b-agent".into()]), WriterVerdict::Closes);
    }
}
