//! The control lines of a reply (group O): which marker a body carries, and what only looks like one.

use unicode_normalization::UnicodeNormalization;

/// Near misses are hints for a person, so a few of them are enough.
const NEAR_MISS_LIMIT: usize = 12;
const NEAR_MISS_LENGTH: usize = 100;

/// The word of a marker in other letters stands within so many characters.
const WORD_WITHIN: usize = 60;

/// What a template puts in a marker's place (PC-371), in both languages.
const PLACEHOLDERS: [&str; 5] = ["<summary>", "<reason>", "<резюме>", "<причина>", "<agent_id>"];

/// The tails of the two template lines whose marker has no payload; a reply that repeats them quotes the prompt.
const TEMPLATE_TAILS: [&str; 4] = [
    "if you have nothing to add in this round",
    "если нечего добавить в этом раунде",
    "if you accept an OFFER_HANDOFF directed at you",
    "если принимаешь предложенный тебе OFFER_HANDOFF",
];

const KEYWORDS: [&str; 7] = [
    "PASS",
    "CONSENSUS",
    "ESCALATE_TO_USER",
    "OFFER_HANDOFF",
    "ACCEPT_HANDOFF",
    "REQUEST_HANDOFF",
    "RESERVED_DECISION",
];

/// The markers of one body. Payloads of repeated markers are joined with `; `; of hand-offs the last wins (PC-372).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Markers {
    pub pass: bool,
    /// The summary, which may be empty.
    pub consensus: Option<String>,
    /// The reason, `unspecified` when the line has none.
    pub escalate: Option<String>,
    /// Agent id or vendor key as written, and the reason.
    pub offer: Option<(String, String)>,
    pub accept: bool,
    pub request: Option<String>,
    /// The writer met a decision that only the pilot may take: the question (PC-691).
    pub reserved: Option<String>,
    /// Lines that look like a marker but are none, cut short (PC-373).
    pub near_misses: Vec<String>,
}

/// Reads the markers of a body (PC-370 to PC-373). Which of them count is the loop's business (PC-375, PC-376).
pub fn markers(body: &str) -> Markers {
    let mut found = Markers::default();
    let mut fence = Fence::default();
    let mut in_open_fence = Vec::new();
    for line in lines(body) {
        if fence.holds(line) {
            if !fence.is_open() {
                in_open_fence.clear();
            } else if matches!(parse(line), Some(Parsed::Marker(_))) {
                in_open_fence.push(line);
            }
            continue;
        }
        match parse(line) {
            Some(Parsed::Marker(marker)) => found.add(marker),
            Some(Parsed::Echo) => {}
            None if looks_like_a_marker(line) || looks_like_one_plainly(line) => found.near_miss(line),
            None => {}
        }
    }
    if fence.is_open() {
        // A fence that nobody closed swallows the rest of the reply; the pilot should know what went with it.
        in_open_fence.into_iter().for_each(|line| found.near_miss(line));
    }
    found
}

/// The body without its marker lines. Code is kept, and so are near misses and echoes of the prompt.
pub fn without_markers(body: &str) -> String {
    let mut fence = Fence::default();
    let mut out = String::with_capacity(body.len());
    for line in lines(body) {
        if fence.holds(line) || !matches!(parse(line), Some(Parsed::Marker(_))) {
            out.push_str(line);
            // A CR of the line's own would be part of the break, and the line another one.
            out.push_str(if line.ends_with('\r') { "\r\n" } else { "\n" });
        }
    }
    // Blanks that make a marker's line another line stay.
    out.truncate(out.trim_end_matches([' ', '\t', '\n']).len());
    out
}

/// The lines outside fenced code, each with its 1-based number in the body.
pub fn prose(body: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence = Fence::default();
    (1..).zip(lines(body)).filter(move |(_, line)| !fence.holds(line))
}

impl Markers {
    fn add(&mut self, marker: Marker<'_>) {
        match marker {
            Marker::Pass => self.pass = true,
            Marker::Consensus(text) => join(&mut self.consensus, text),
            Marker::Escalate(text) => join_or_unspecified(&mut self.escalate, text),
            Marker::Offer(to, reason) => self.offer = Some((to.to_string(), reason.to_string())),
            Marker::Accept => self.accept = true,
            Marker::Request(text) => self.request = Some(text.to_string()),
            Marker::Reserved(text) => join_or_unspecified(&mut self.reserved, text),
        }
    }

    fn near_miss(&mut self, line: &str) {
        if self.near_misses.len() < NEAR_MISS_LIMIT {
            self.near_misses.push(line.trim().chars().take(NEAR_MISS_LENGTH).collect());
        }
    }
}

enum Marker<'a> {
    Pass,
    Consensus(&'a str),
    Escalate(&'a str),
    Offer(&'a str, &'a str),
    Accept,
    Request(&'a str),
    Reserved(&'a str),
}

enum Parsed<'a> {
    Marker(Marker<'a>),
    Echo,
}

/// One line, at its very start and case-sensitive (PC-370).
fn parse(line: &str) -> Option<Parsed<'_>> {
    // Most lines end here: no marker begins with another letter.
    if !line.starts_with(['P', 'C', 'E', 'O', 'A', 'R']) {
        return None;
    }
    let word_end = line.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(line.len());
    let (word, rest) = line.split_at(word_end);
    let marker = match word {
        "PASS" | "ACCEPT_HANDOFF" => {
            let tail = bare_tail(rest)?;
            if TEMPLATE_TAILS.iter().any(|template| tail.starts_with(template)) {
                return Some(Parsed::Echo);
            }
            if word == "PASS" { Marker::Pass } else { Marker::Accept }
        }
        _ => {
            let payload = rest.strip_prefix(':')?.trim();
            if is_placeholder(payload) && KEYWORDS.contains(&word) {
                return Some(Parsed::Echo);
            }
            match word {
                "CONSENSUS" => Marker::Consensus(payload),
                "ESCALATE_TO_USER" => Marker::Escalate(payload),
                "OFFER_HANDOFF" => {
                    let (to, reason) = offer(payload)?;
                    if is_placeholder(reason) {
                        return Some(Parsed::Echo);
                    }
                    Marker::Offer(to, reason)
                }
                "REQUEST_HANDOFF" => Marker::Request(payload),
                "RESERVED_DECISION" => Marker::Reserved(payload),
                _ => return None,
            }
        }
    };
    Some(Parsed::Marker(marker))
}

/// What may follow a marker without payload: nothing, or a delimiter and any text, which is returned.
fn bare_tail(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\t']);
    if rest.is_empty() {
        return Some("");
    }
    Some(rest.strip_prefix(['—', '–', ':', '.', '-'])?.trim())
}

/// A payload that *starts* with a placeholder is an echo of the prompt (PC-371): agents repeat template lines with
/// their tail (`<summary> — if you believe agreement has been reached`), and such a line must never end a session.
fn is_placeholder(payload: &str) -> bool {
    PLACEHOLDERS.iter().any(|p| payload.starts_with(p))
}

/// `<id>[ — reason]`. An id may itself hold `-`, so `codex- why` is the id `codex` with a reason.
fn offer(payload: &str) -> Option<(&str, &str)> {
    let end = payload
        .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '_' | '-'))
        .unwrap_or(payload.len());
    let (to, rest) = payload.split_at(end);
    let rest = rest.trim_start_matches([' ', '\t']);
    if to.is_empty() {
        return None;
    }
    if rest.is_empty() {
        return Some((to, ""));
    }
    if let Some(reason) = rest.strip_prefix(['—', '–', ':', '-']) {
        return Some((to, reason.trim()));
    }
    let dash = to.rfind('-').filter(|at| *at > 0)?;
    Some((&to[..dash], payload[dash + 1..].trim()))
}

fn join(into: &mut Option<String>, text: &str) {
    let joined = into.get_or_insert_default();
    if !joined.is_empty() && !text.is_empty() {
        joined.push_str("; ");
    }
    joined.push_str(text);
}

fn join_or_unspecified(into: &mut Option<String>, text: &str) {
    const UNSPECIFIED: &str = "unspecified";
    if into.as_deref() == Some(UNSPECIFIED) {
        *into = None;
    }
    join(into, text);
    if into.as_deref() == Some("") {
        *into = Some(UNSPECIFIED.into());
    }
}

/// Decoration around a keyword, another case, an indent, a forgotten colon (PC-373).
fn looks_like_a_marker(line: &str) -> bool {
    let decoration = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '*' | '_' | '`' | '#' | '>' | '-' | '+' | '•' | '~' | '"' | '\u{200b}' | '\u{feff}'
            )
    };
    let bare =
        line.trim_start_matches(|c: char| decoration(c) || c.is_ascii_digit() || matches!(c, '.' | ')'));
    KEYWORDS.iter().any(|keyword| {
        let Some(word) = bare.get(..keyword.len()) else { return false };
        let same = word.bytes().zip(keyword.bytes()).all(|(got, want)| {
            got.eq_ignore_ascii_case(&want) || (want == b'_' && matches!(got, b' ' | b'-'))
        });
        if !same {
            return false;
        }
        let shouted = !word.bytes().any(|b| b.is_ascii_lowercase());
        let tail = bare[keyword.len()..].trim_start_matches(decoration);
        let apart = bare[keyword.len()..].starts_with(decoration) || tail.is_empty();
        match *keyword {
            // "pass" and "Pass:" are everyday words; only a line of its own or capitals are suspicious.
            "PASS" => tail.is_empty() || (shouted && tail.starts_with(['—', '–', ':', '.', '：'])),
            "ACCEPT_HANDOFF" => true,
            "CONSENSUS" => {
                tail.starts_with([':', '：'])
                    || (shouted && apart && (tail.is_empty() || tail.starts_with(['—', '–'])))
            }
            _ => tail.starts_with([':', '：', '—', '–']) || (shouted && apart),
        }
    })
}

/// The same for a line in other letters: full width, Cyrillic or Greek capitals among the Latin ones, coloured by an
/// escape sequence; or with the word in Russian, which is no marker either (PC-721).
fn looks_like_one_plainly(line: &str) -> bool {
    if line.bytes().all(|b| (b' '..0x7f).contains(&b)) {
        return false;
    }
    let mut start = String::new();
    let mut chars = line.chars().take(WORD_WITHIN);
    while let Some(c) = chars.next() {
        match c {
            // An escape sequence ends with a letter.
            '\u{1b}' => drop(chars.by_ref().find(char::is_ascii_alphabetic)),
            c if c.is_control() => {}
            c => start.push(c),
        }
    }
    let plain: String = start.nfkc().collect();
    let bare = plain.trim_start_matches(|c: char| !c.is_alphabetic());
    let russian = ["КОНСЕНСУС", "ЭСКАЛАЦИЯ"].into_iter().any(|word| {
        bare.strip_prefix(word).is_some_and(|tail| tail.trim_start_matches(['*', '_', ' ']).starts_with(':'))
    });
    russian || looks_like_a_marker(&plain.chars().map(latin).collect::<String>())
}

/// The Latin capital that looks the same.
fn latin(c: char) -> char {
    const SAME: [(&str, char); 18] = [
        ("АΑ", 'A'),
        ("ВΒ", 'B'),
        ("С", 'C'),
        ("ЕΕ", 'E'),
        ("НΗ", 'H'),
        ("ІΙ", 'I'),
        ("Ј", 'J'),
        ("КΚ", 'K'),
        ("МΜ", 'M'),
        ("Ν", 'N'),
        ("ОΟ", 'O'),
        ("РΡ", 'P'),
        ("Ѕ", 'S'),
        ("ТΤ", 'T'),
        ("ҮΥ", 'Y'),
        ("ХΧ", 'X'),
        ("Ζ", 'Z'),
        ("Ⅽ", 'C'),
    ];
    SAME.into_iter().find(|(others, _)| others.contains(c)).map_or(c, |(_, latin)| latin)
}

/// Lines without their ends; CR LF is one end.
fn lines(body: &str) -> impl Iterator<Item = &str> {
    body.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line))
}

/// Follows fenced code from line to line: ``` and ~~~, any length from three, with any indent, because lists indent
/// their code. A fence that is never closed runs to the end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fence {
    open: Option<(u8, usize)>,
}

impl Fence {
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// True when the line belongs to fenced code, fences included.
    pub fn holds(&mut self, line: &str) -> bool {
        let line = line.trim_matches([' ', '\t']);
        let mark = match line.as_bytes().first() {
            Some(b @ (b'`' | b'~')) => *b,
            _ => return self.is_open(),
        };
        let length = line.bytes().take_while(|b| *b == mark).count();
        match self.open {
            Some((open, least)) => {
                if mark == open && length >= least && length == line.len() {
                    self.open = None;
                }
                true
            }
            // The info string of a backtick fence holds no backtick; otherwise it is code within a sentence.
            None if length >= 3 && (mark == b'~' || !line[length..].contains('`')) => {
                self.open = Some((mark, length));
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests;
