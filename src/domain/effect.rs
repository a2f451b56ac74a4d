//! What a session wants done. The engine performs effects in order and feeds results back as inputs.

use super::fact::Fact;
use super::lang::Lang;
use super::session::turn::TurnName;

/// Why the engine calls (`FLIGHTDECK_CALL`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    Opening,
    Roles,
    Turn,
    Summary,
    Dispute,
    Judge,
    Synthesis,
    /// Trees for the implementation are made. Work of the engine itself, like all of [`Purpose::is_job`].
    Isolate,
    Implement,
    /// Rejected hunks are taken out (PC-505).
    Prune,
    Review,
    Verify,
    /// The trees move to where their repositories are now.
    Renew,
    Deploy,
    /// The trees are removed, as far as nothing would be lost.
    Clean,
    Discovery,
    Peer,
}

impl Purpose {
    pub fn key(self) -> &'static str {
        match self {
            Purpose::Opening => "opening",
            Purpose::Roles => "roles",
            Purpose::Turn => "turn",
            Purpose::Summary => "summary",
            Purpose::Dispute => "dispute",
            Purpose::Judge => "judge",
            Purpose::Synthesis => "synthesis",
            Purpose::Isolate => "isolate",
            Purpose::Implement => "implement",
            Purpose::Prune => "prune",
            Purpose::Review => "review",
            Purpose::Verify => "verify",
            Purpose::Renew => "renew",
            Purpose::Deploy => "deploy",
            Purpose::Clean => "clean",
            Purpose::Discovery => "discovery",
            Purpose::Peer => "peer",
        }
    }

    /// In the pilot's words.
    pub fn text(self, lang: Lang) -> &'static str {
        let (en, ru) = match self {
            Purpose::Opening => ("opening", "начало"),
            Purpose::Roles => ("roles", "роли"),
            Purpose::Turn | Purpose::Peer => ("reply", "ответ"),
            Purpose::Summary => ("summary", "резюме"),
            Purpose::Dispute => ("dispute", "спор"),
            Purpose::Judge => ("judge", "суждение"),
            Purpose::Synthesis => ("report", "отчёт"),
            Purpose::Isolate => ("isolate", "изоляция"),
            Purpose::Implement => ("edit", "правка"),
            Purpose::Prune => ("take out", "изъятие"),
            Purpose::Review => ("review", "ревью"),
            Purpose::Verify => ("verify", "проверка"),
            Purpose::Renew => ("renew", "обновление деревьев"),
            Purpose::Deploy => ("deploy", "деплой"),
            Purpose::Clean => ("clean", "уборка"),
            Purpose::Discovery => ("role", "роль"),
        };
        lang.pick(en, ru)
    }

    /// Work of the engine itself: nobody is called.
    pub fn is_job(self) -> bool {
        matches!(
            self,
            Purpose::Isolate
                | Purpose::Prune
                | Purpose::Verify
                | Purpose::Renew
                | Purpose::Deploy
                | Purpose::Clean
        )
    }

    /// A step of the implementation (group U).
    pub fn is_pipeline(self) -> bool {
        self.is_job() || matches!(self, Purpose::Implement | Purpose::Review)
    }

    /// Peers answer with frontmatter; everything else is a plain call (PC-054, `IWE_PEER_PLAIN=1`).
    pub fn is_plain(self) -> bool {
        !matches!(self, Purpose::Discovery | Purpose::Peer)
    }
}

/// One call the session wants. The prompt is composed by the engine from the session's files.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Call {
    pub purpose: Purpose,
    /// The peer's vendor key; `None` for the writer's side.
    pub vendor: Option<String>,
    /// Exchange in the turn-loop, round in the round-loop, 0 in opening and discovery (`FLIGHTDECK_ROUND`).
    pub round: u32,
    /// 1 for the first try (`FLIGHTDECK_ATTEMPT`).
    pub attempt: u32,
    /// The turn file that a reply becomes, where it becomes one; the judged file for `judge`.
    pub name: Option<TurnName>,
    /// What the previous answer lacked, for the retry prompt (PC-347, PC-406, PC-605).
    pub complaints: Vec<String>,
}

/// What the pilot allows at the end (PC-644).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Consent {
    pub commit: bool,
    pub push: bool,
}

/// What the engine is told to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Write the fact, then apply it, then show it.
    Record(Fact),
    Call(Call),
    /// Stop the running call; its output is discarded (PC-701).
    Cancel,
    /// Tell the agent whose call runs which of its options was chosen.
    Permit {
        choice: String,
    },
    /// Feed `Input::Woke` back after so many seconds unless the question was answered before.
    Wake {
        question: String,
        seconds: u64,
    },
    /// Write the reflection to the daily ledger, best effort (PC-552).
    Ledger {
        answer: String,
    },
    /// F10 and F11: self-check, commit, push, semaphore. `consent` is the pilot's answer, `None` = as configured.
    Commit {
        consent: Option<Consent>,
    },
}
