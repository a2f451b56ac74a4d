//! Turn files: names, speakers, texts (group I).

use super::head::Head;
use super::marker::{self, Markers};
use std::fmt;
use std::sync::Arc;

/// What a file name `NN-….md` says (PC-230).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TurnKind {
    /// `NN-writer.md`
    Writer,
    /// `01-writer_r1.md`: the writer of round 1 when `01-writer.md` is the discovery file.
    WriterRound1,
    /// `NN-peer.md`, turn-loop.
    Peer,
    /// `NN-peer-<vendor>.md`, round-loop.
    PeerOf(String),
    /// Any other `[0-9][0-9]-*.md`; counted (PC-233), otherwise left alone.
    Other(String),
}

/// A turn file's name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnName {
    /// The two-digit prefix.
    pub number: u32,
    pub kind: TurnKind,
}

impl TurnName {
    pub fn writer(number: u32) -> TurnName {
        TurnName { number, kind: TurnKind::Writer }
    }

    pub fn peer(number: u32) -> TurnName {
        TurnName { number, kind: TurnKind::Peer }
    }

    pub fn peer_of(number: u32, vendor: &str) -> TurnName {
        TurnName { number, kind: TurnKind::PeerOf(vendor.to_string()) }
    }

    /// The name of a file `[0-9][0-9]-*.md`, else `None`.
    pub fn parse(file: &str) -> Option<TurnName> {
        let stem = file.strip_suffix(".md")?;
        let (digits, rest) = (stem.get(..2)?, stem.get(2..)?.strip_prefix('-')?);
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let number = digits.parse().ok()?;
        let kind = match rest {
            "writer" => TurnKind::Writer,
            "writer_r1" if number == 1 => TurnKind::WriterRound1,
            "peer" => TurnKind::Peer,
            _ => match rest.strip_prefix("peer-").filter(|v| !v.is_empty()) {
                Some(vendor) => TurnKind::PeerOf(vendor.to_string()),
                None => TurnKind::Other(rest.to_string()),
            },
        };
        Some(TurnName { number, kind })
    }

    pub fn is_writer(&self) -> bool {
        matches!(self.kind, TurnKind::Writer | TurnKind::WriterRound1)
    }

    pub fn is_peer(&self) -> bool {
        matches!(self.kind, TurnKind::Peer | TurnKind::PeerOf(_))
    }

    pub fn vendor(&self) -> Option<&str> {
        match &self.kind {
            TurnKind::PeerOf(vendor) => Some(vendor),
            _ => None,
        }
    }

    /// The name without `.md`, for `.err` and `.rejected-K.txt` companions.
    pub fn stem(&self) -> String {
        let text = self.to_string();
        text[..text.len() - 3].to_string()
    }
}

impl fmt::Display for TurnName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            TurnKind::Writer => write!(f, "{:02}-writer.md", self.number),
            TurnKind::WriterRound1 => write!(f, "{:02}-writer_r1.md", self.number),
            TurnKind::Peer => write!(f, "{:02}-peer.md", self.number),
            TurnKind::PeerOf(vendor) => write!(f, "{:02}-peer-{vendor}.md", self.number),
            TurnKind::Other(rest) => write!(f, "{:02}-{rest}.md", self.number),
        }
    }
}

impl serde::Serialize for TurnName {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for TurnName {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<TurnName, D::Error> {
        let text = String::deserialize(d)?;
        TurnName::parse(&text).ok_or_else(|| serde::de::Error::custom("not a turn file name"))
    }
}

/// An accepted turn file. Cheap to clone: text and markers are shared.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(from = "Wire", into = "Wire")]
pub struct Turn {
    pub name: TurnName,
    /// `Err` holds what is wrong with the frontmatter; old trees may have turns without any.
    pub head: Result<Head, String>,
    /// The whole file as on disk.
    pub text: Arc<str>,
    /// Where the body starts in `text` (behind the closing fence; 0 without frontmatter).
    pub body_at: usize,
    markers: Arc<Markers>,
}

/// A turn as it travels: the markers follow from the text.
#[derive(serde::Serialize, serde::Deserialize)]
struct Wire {
    name: TurnName,
    head: Result<Head, String>,
    text: Arc<str>,
    body_at: usize,
}

impl From<Wire> for Turn {
    fn from(w: Wire) -> Turn {
        let body_at = if w.text.is_char_boundary(w.body_at) { w.body_at } else { 0 };
        Turn::new(w.name, w.head, w.text, body_at)
    }
}

impl From<Turn> for Wire {
    fn from(t: Turn) -> Wire {
        Wire { name: t.name, head: t.head, text: t.text, body_at: t.body_at }
    }
}

impl Turn {
    /// `body_at` must be a character boundary of `text`.
    pub fn new(name: TurnName, head: Result<Head, String>, text: Arc<str>, body_at: usize) -> Turn {
        let markers = Arc::new(marker::markers(&text[body_at..]));
        Turn { name, head, text, body_at, markers }
    }

    /// The markers of the body (group O), read once.
    pub fn markers(&self) -> &Markers {
        &self.markers
    }

    /// The body without the frontmatter and without leading blank lines.
    pub fn body(&self) -> &str {
        self.text[self.body_at..].trim_start_matches(['\n', '\r'])
    }

    /// True for the file that settles the roles (PC-277).
    pub fn settles_roles(&self) -> bool {
        self.name.is_writer() && self.head.as_ref().is_ok_and(|h| h.agreed_roles.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_230_names_round_trip() {
        for name in [
            "00-writer.md",
            "03-peer.md",
            "01-peer-codex.md",
            "00-peer-kimi-2.md",
            "01-writer_r1.md",
            "07-note.md",
        ] {
            assert_eq!(TurnName::parse(name).unwrap().to_string(), name);
        }
        for name in [
            "0-writer.md",
            "escalation-00.md",
            "01-peer.rejected-1.txt",
            "report.md",
            "a1-peer.md",
            "01_peer.md",
        ] {
            assert_eq!(TurnName::parse(name), None, "{name}");
        }
        assert_eq!(TurnName::parse("02-peer-kimi.md").unwrap().vendor(), Some("kimi"));
    }
}
