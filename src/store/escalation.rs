//! `escalation-NN.md`: a question to the pilot, answered by the program or with an editor (PC-441 to PC-445).

use crate::domain::lang::Lang;
use crate::domain::session::escalation::Escalation;
use crate::store::frontmatter;
use crate::store::meta::lines;
use crate::store::odd::Odd;
use crate::store::yaml::quote;
use serde_json::Map;

/// Labels in the body, English first, then every Russian variant that trees hold (VL.2).
const REASON: [&str; 2] = ["Reason", "Причина"];
const SOURCE: [&str; 4] = ["Peer turn", "Реплика напарника", "Реплика Claude", "Реплика Кими"];
const ANSWER: [&str; 2] = ["Pilot response", "Ответ пилота"];
const HINTS: [&str; 2] = ["(enter below)", "(ввести ниже)"];

/// A file as it lies on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    pub file: Escalation,
    pub problems: Vec<String>,
    /// The answer stands below the last line only, not in the frontmatter yet (PC-444).
    pub by_hand: bool,
    /// Some bytes are no UTF-8. An answer among them is none: what it says would be a guess.
    pub is_odd: bool,
}

/// Reads a file of any bytes.
pub fn read(bytes: Vec<u8>, index: u32) -> Read {
    let odd = Odd::from(bytes);
    let (mut file, mut problems) = parse(&odd.text, index);
    if odd.is_odd {
        problems.push("not UTF-8, bad bytes are shown as \u{fffd}".into());
        if odd.legible(&file.response) != file.response {
            problems.push("the answer in it is not UTF-8, so it is not read".into());
            file.response.clear();
        }
        for text in [&mut file.timestamp, &mut file.reason, &mut file.source] {
            *text = odd.legible(text);
        }
    }
    let by_hand = !file.is_open() && answer_key(&odd.text).is_none();
    Read { file, problems, by_hand, is_odd: odd.is_odd }
}

/// `pilot_response` of the frontmatter, when it says anything.
fn answer_key(text: &str) -> Option<String> {
    let (map, _) = frontmatter::read(text).ok()?;
    map.get("pilot_response").map(frontmatter::plain).filter(|answer| !answer.is_empty())
}

/// Nothing stands in it: somebody emptied it, or a power failure left blanks or zeros.
pub fn is_empty(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '\0')
}

/// The whole file (PC-442).
pub fn render(file: &Escalation, lang: Lang) -> String {
    let (n, turn, reason) = (file.number, file.turn, one_line(&file.reason));
    let head = format!(
        "---\nescalation_number: {n}\nturn: {turn}\ntimestamp: {}\nreason: {}\npilot_response: \"\"\n---\n\n",
        one_line(&file.timestamp),
        quote(&file.reason),
    );
    let body = match lang {
        Lang::En => format!("# Escalation {n} (turn {turn})\n\n**{}:** {reason}\n", REASON[0]),
        Lang::Ru => format!("# Эскалация {n} (ход {turn})\n\n**{}:** {reason}\n", REASON[1]),
    };
    let source = format!("**{}:** {}\n", lang.pick(SOURCE[0], SOURCE[1]), one_line(&file.source));
    let answer = format!("**{}:** {}\n", lang.pick(ANSWER[0], ANSWER[1]), lang.pick(HINTS[0], HINTS[1]));
    with_answer(&format!("{head}{body}{source}{answer}"), &file.response)
}

/// Reads a file in either language. What is missing in the frontmatter is taken from the body. An answer that was
/// typed under the last line, or on it, counts while `pilot_response` is empty (PC-444).
pub fn parse(text: &str, index: u32) -> (Escalation, Vec<String>) {
    let mut problems = Vec::new();
    let (map, body_at) = frontmatter::read(text).unwrap_or_else(|problem| {
        problems.push(if problem == "no frontmatter" {
            problem
        } else {
            "the frontmatter is not valid YAML".into()
        });
        (Map::new(), frontmatter::split(text).map_or(0, |(_, at)| at))
    });
    let body = &text[body_at..];
    let title = body.lines().find(|line| line.starts_with("# ")).unwrap_or("");
    let mut in_title = title.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u32>().ok());
    let (title_number, title_turn) = (in_title.next(), in_title.next());
    let word = |key: &str| map.get(key).map(frontmatter::plain).filter(|text| !text.is_empty());
    let count = |key: &str| word(key).and_then(|text| text.parse().ok());
    let labelled =
        |labels: &[&str]| label(body, labels).map(|(rest, _)| rest.trim().to_string()).unwrap_or_default();
    let file = Escalation {
        index,
        number: count("escalation_number").or(title_number).unwrap_or(index.saturating_add(1)),
        turn: count("turn").or(title_turn).unwrap_or(0),
        timestamp: word("timestamp").unwrap_or_default(),
        reason: word("reason").unwrap_or_else(|| labelled(&REASON)),
        source: base_name(labelled(&SOURCE)),
        response: word("pilot_response").unwrap_or_else(|| typed(body)),
    };
    (file, problems)
}

/// The file with the pilot's answer in the frontmatter and, unless it already stands there, as text at the end
/// (PC-444). The rest stays byte for byte.
pub fn with_answer(text: &str, answer: &str) -> String {
    let answer = answer.replace("\r\n", "\n").replace('\r', "\n");
    let answer = answer.trim();
    if answer.is_empty() {
        return text.to_string();
    }
    let eol = lines::eol(text);
    let mut out = in_frontmatter(text, answer, eol);
    let body_at = frontmatter::split(&out).map_or(0, |(_, at)| at);
    if typed(&out[body_at..]) != trimmed_lines(answer) {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push_str(eol);
        }
        out.push_str(&format!("\n{answer}\n").replace('\n', eol));
    }
    // Neither a head that can be read nor the line for answers is left: an answer must not be lost with them.
    if parse(&out, 0).0.is_open() {
        out = format!("---{eol}pilot_response: {}{eol}---{eol}{out}", quote(answer));
    }
    out
}

fn in_frontmatter(text: &str, answer: &str, eol: &str) -> String {
    let Some((head, _)) = frontmatter::split(text) else { return text.to_string() };
    // The opening fence is the first line that is not blank.
    let fence = text.find("---").unwrap_or(0);
    let start = text[fence..].find('\n').map_or(fence, |at| fence + at + 1);
    let end = start + head.len();
    let value = format!(" {}", quote(answer));
    let blocks = lines::blocks(text, start..end);
    let change = match blocks.iter().find(|block| block.key == "pilot_response") {
        Some(block) => (block.content.clone(), block.with_value(text, &value, eol)),
        None => (end..end, format!("pilot_response:{value}{eol}")),
    };
    lines::apply(text, vec![change], eol)
}

/// What somebody typed on the answer line behind its hint, and below it. Line ends are normalised.
fn typed(body: &str) -> String {
    let Some((rest, below)) = label(body, &ANSWER) else { return String::new() };
    let rest = HINTS.iter().fold(rest.to_string(), |rest, hint| rest.replacen(hint, "", 1));
    format!("{}\n{}", rest.trim(), trimmed_lines(&body[below..])).trim().to_string()
}

fn trimmed_lines(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// The text behind `**<label>:**` and the offset of the next line. The first such line counts: an answer may quote one.
fn label<'a>(body: &'a str, labels: &[&str]) -> Option<(&'a str, usize)> {
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        at += line.len();
        let marked = line.trim_start().strip_prefix("**");
        let rest = labels.iter().find_map(|label| {
            let rest = marked?.strip_prefix(label)?;
            rest.strip_prefix(":**").or_else(|| rest.strip_prefix("**:"))
        });
        if let Some(rest) = rest {
            return Some((rest.trim_end_matches(['\n', '\r']), at));
        }
    }
    None
}

/// Other programs write the whole path (AMB-70), which is another one after a move.
fn base_name(path: String) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or_default().trim_matches('`').to_string()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/");
    const EXAMPLE: &str = "examples/DS-strategy/sessions/2026-08/24/2026-08-24-03-drop-legacy-token-table";
    const RUSSIAN: &str = "russian/DS-strategy/sessions/2026-09/02/2026-09-02-01-session";
    const KIMI: &str = "kimi-writer/DS-strategy/sessions/2026-08/03/2026-08-03-02-pick-queue-library";

    #[test]
    fn pc_444_an_answer_to_a_damaged_file_is_found_again() {
        let damaged = ["", "# Escalation\n", "---\nturn: [\n---\nbody\n", "\n\n---\nno end"];
        for text in damaged {
            let answered = with_answer(text, "Two\ngigabytes.");
            assert_eq!(parse(&answered, 0).0.response, "Two\ngigabytes.", "{text:?}: {answered:?}");
            assert!(text.lines().all(|line| answered.contains(line)), "{answered:?}");
        }
    }

    fn read(dir: &str, n: u32) -> String {
        std::fs::read_to_string(format!("{ROOT}{dir}/escalation-{n:02}.md")).unwrap()
    }

    fn open(reason: &str) -> Escalation {
        Escalation {
            index: 0,
            number: 1,
            turn: 3,
            timestamp: "2026-08-24T14:08:00Z".into(),
            reason: reason.into(),
            source: "03-peer.md".into(),
            response: String::new(),
        }
    }

    #[test]
    fn pc_442_examples_are_written_byte_for_byte() {
        for n in 0..2 {
            let text = read(EXAMPLE, n);
            let (file, problems) = parse(&text, n);
            assert_eq!(problems, Vec::<String>::new());
            assert_eq!((file.index, file.number), (n, n + 1));
            assert_eq!(render(&file, Lang::En), text);
            let unanswered = render(&Escalation { response: String::new(), ..file.clone() }, Lang::En);
            assert!(unanswered.ends_with("**Pilot response:** (enter below)\n"), "{unanswered}");
            assert_eq!(with_answer(&unanswered, &file.response), text);
        }
    }

    #[test]
    fn pc_442_russian_labels() {
        let text = render(&open("сколько памяти?"), Lang::Ru);
        let want = "# Эскалация 1 (ход 3)\n\n**Причина:** сколько памяти?\n**Реплика напарника:** 03-peer.md\n\
                    **Ответ пилота:** (ввести ниже)\n";
        assert!(text.ends_with(want), "{text}");
        assert_eq!(parse(&text, 0), (open("сколько памяти?"), Vec::new()));
    }

    #[test]
    fn amb_70_older_programs_count_from_zero_and_write_paths() {
        let (file, problems) = parse(&read(KIMI, 0), 0);
        assert_eq!((file.number, file.turn, problems.len()), (0, 1, 0));
        assert!(file.source == "01-peer.md" && file.response.is_empty());
        for label in ["Реплика Кими", "Реплика Claude", "Peer turn"] {
            assert_eq!(parse(&format!("**{label}:** 01-peer.md\n"), 0).0.source, "01-peer.md", "{label}");
        }
    }

    #[test]
    fn pc_444_an_answer_typed_by_hand_is_adopted() {
        let text = read(RUSSIAN, 0);
        let (file, _) = parse(&text, 0);
        assert_eq!(file.response, "Не больше 2 ГБ.\nПересмотрим в октябре.");
        let adopted = with_answer(&text, &file.response);
        let line = "pilot_response: \"Не больше 2 ГБ.\\nПересмотрим в октябре.\"";
        assert_eq!(adopted, text.replacen("pilot_response: \"\"", line, 1), "the text is not repeated");
        assert_eq!(with_answer(&adopted, &file.response), adopted);
        let same_line = render(&open("why"), Lang::En).replace("(enter below)", "yes, do it");
        assert_eq!(parse(&same_line, 0).0.response, "yes, do it");
        let both = render(&open("why"), Lang::En).replace("(enter below)", "(enter below) yes,") + "do it\n";
        assert_eq!(parse(&both, 0).0.response, "yes,\ndo it");
    }

    #[test]
    fn pc_445_open_until_something_is_answered() {
        let text = render(&open("why"), Lang::En);
        for tail in ["", "\n", "\n\n   \n", "\r\n"] {
            assert_eq!(parse(&format!("{text}{tail}"), 0).0.response, "");
        }
        assert_eq!(with_answer(&text, "  \n"), text);
        let by_key = text.replace("pilot_response: \"\"", "pilot_response: 2");
        assert_eq!(parse(&by_key, 0).0.response, "2");
        let block = text.replace("pilot_response: \"\"", "pilot_response: |\n  one\n  two");
        assert_eq!(parse(&block, 0).0.response, "one\ntwo");
        assert_eq!(parse(&with_answer(&block, "three"), 0).0.response, "three");
    }

    #[test]
    fn pc_444_line_endings_and_strangers_stay() {
        let text = render(&open("why"), Lang::En)
            .replace("turn: 3\n", "turn: 3\nnote: mine # kept\n")
            .replace('\n', "\r\n");
        let answered = with_answer(&text, "a\nb");
        assert_eq!(answered.matches('\n').count(), answered.matches("\r\n").count());
        assert!(
            answered.contains("note: mine # kept\r\n")
                && answered.ends_with("(enter below)\r\n\r\na\r\nb\r\n")
        );
        assert_eq!(parse(&answered, 0).0.response, "a\nb");
        let torn = "---\nreason: \"why\"\n---\n**Pilot response:**";
        assert_eq!(
            with_answer(torn, "x"),
            "---\nreason: \"why\"\npilot_response: \"x\"\n---\n**Pilot response:**\n\nx\n"
        );
    }

    #[test]
    fn pc_442_a_broken_head_is_read_from_the_body() {
        let text = "---\nreason: [secret\n---\n\n# Escalation 2 (turn 5)\n\n**Reason:** why\n**Peer turn:** 05-peer.md\n";
        let (file, problems) = parse(text, 1);
        assert_eq!(
            (file.number, file.turn, file.reason.as_str(), file.source.as_str()),
            (2, 5, "why", "05-peer.md")
        );
        assert!(problems.len() == 1 && !problems[0].contains("secret"));
        assert_eq!(parse("", 4).0.number, 5);
    }

    #[test]
    fn pc_444_an_answer_that_is_no_utf_8_is_no_answer() {
        let text = render(&open("сколько памяти?"), Lang::Ru);
        let answered = |answer: &[u8]| super::read([text.as_bytes(), b"\n", answer, b"\n"].concat(), 0);
        let cp1251 = answered(b"\xc4\xe0, 2 \xc3\xc1.");
        assert!(cp1251.file.is_open() && cp1251.is_odd && !cp1251.by_hand);
        assert_eq!(cp1251.file.reason, "сколько памяти?");
        assert!(cp1251.problems.iter().any(|p| p.contains("so it is not read")), "{:?}", cp1251.problems);
        let utf8 = answered("Да, 2 ГБ \u{fffd}.".as_bytes());
        assert!(utf8.file.response == "Да, 2 ГБ \u{fffd}." && utf8.by_hand && !utf8.is_odd);
        assert!(!super::read(with_answer(&text, "Да").into_bytes(), 0).by_hand);
        // An answer that can be read counts, whatever else the file holds.
        let mixed = text.replace("pilot_response: \"\"", "pilot_response: \"yes\"").into_bytes();
        let mixed = super::read([mixed, b"\n\xff\n".to_vec()].concat(), 0);
        assert!(mixed.file.response == "yes" && mixed.is_odd && !mixed.by_hand);
        assert!(!super::read(text.into_bytes(), 0).is_odd);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn pc_444_any_answer_reads_back(reason in any::<String>(), answer in any::<String>(), junk in any::<String>()) {
            let mut file = open(reason.trim());
            let text = with_answer(&render(&file, Lang::Ru), &answer);
            file.response = answer.replace("\r\n", "\n").replace('\r', "\n").trim().to_string();
            let (read, problems) = parse(&text, 0);
            prop_assert_eq!(problems, Vec::<String>::new());
            prop_assert_eq!(read, file);
            let _ = parse(&junk, 0);
            let _ = with_answer(&junk, &answer);
        }
    }
}
