//! Agents whose ways are known, by the name that they give themselves. The protocol has a word for a cut reply and one
//! for an error; not every agent uses them.

use crate::agents::call::Cause;
use crate::agents::contract::{self, Code};
use crate::agents::stream::mark::{self, Body, Marks};
use crate::agents::stream::{Refused, cause};

/// What opencode needs to tell at once, on stderr, what it tells by the protocol after minutes of silence or never. Nobody
/// else knows these names. That it asks the model once more it tells at this level only.
pub const ENVIRONMENT: [(&str, &str); 2] = [("OPENCODE_PRINT_LOGS", "1"), ("OPENCODE_LOG_LEVEL", "INFO")];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Agent {
    Claude,
    Gemini,
    Hermes,
    Kimi,
    Opencode,
    #[default]
    Other,
}

impl Agent {
    pub fn named(name: &str) -> Agent {
        let name = name.to_ascii_lowercase();
        let known = [
            ("claude", Agent::Claude),
            ("gemini", Agent::Gemini),
            ("hermes", Agent::Hermes),
            ("kimi", Agent::Kimi),
            ("opencode", Agent::Opencode),
        ];
        known.into_iter().find(|(word, _)| name.contains(word)).map_or(Agent::Other, |(_, agent)| agent)
    }

    /// Who ends the turn of a broken stream or a cut reply like any other is asked for the same marks as by its command
    /// line.
    fn marks(self) -> Option<Marks> {
        match self {
            Agent::Hermes => Some(Marks::Both),
            Agent::Gemini | Agent::Kimi => Some(Marks::End),
            Agent::Claude | Agent::Opencode | Agent::Other => None,
        }
    }

    pub fn asked(self, prompt: String) -> String {
        match self.marks() {
            Some(marks) => mark::ask(prompt, marks),
            None => prompt,
        }
    }

    /// The reply in what it said in a turn that ended well.
    pub fn reply(self, text: &str) -> Result<Body, Refused> {
        if contract::is_blank(text) || text.starts_with("⚠\u{fe0f} No reply") {
            return Err(Refused::new(Code::Empty, "the agent gave an empty reply"));
        }
        if let Some(error) = error(text) {
            return Err(error);
        }
        match self.marks() {
            Some(marks) => mark::between(text, marks, "the agent"),
            None => Ok(Body { text: text.to_string(), is_unproven: false }),
        }
    }
}

/// hermes tells an HTTP error as its reply, on one line.
fn error(text: &str) -> Option<Refused> {
    let is_error = text.trim().lines().count() == 1
        && (text.starts_with("HTTP ") || text.starts_with("API call failed"));
    is_error.then(|| Refused::by_vendor(None, text))
}

/// Whether trying again and waiting is all that can come of this: a limit, or a refused key.
pub fn is_hopeless(text: &str) -> bool {
    matches!(cause::of(None, text), Cause::Auth | Cause::RateLimit { .. })
}
