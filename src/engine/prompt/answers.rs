//! Reading the structured answers of the writer. Models fence, chat and forget quotes: all of that is forgiven, a
//! missing or unknown value is not.

use crate::store::frontmatter::plain;
use crate::store::yaml;
use serde_json::{Map, Value};

use crate::domain::session::dispute::{Dispute, Position, Tri};
use crate::domain::session::gate::{Defer, Summary};

/// The five values of PC-462 and `defer` (PC-466). Without hours or proposed changes it is still a summary; that nobody
/// else is affected must be said, because an empty `impact` reads like that.
pub fn read_summary(text: &str) -> Result<Summary, String> {
    let map = mapping(text, &["discussed", "agreed", "proposed", "hours", "impact", "defer"])?;
    Ok(Summary {
        discussed: required(&map, "discussed")?,
        agreed: required(&map, "agreed")?,
        proposed: list(map.get("proposed")),
        hours: bare_hours(&words(map.get("hours"))),
        impact: required(&map, "impact")?,
        defer: match words(map.get("defer")).to_lowercase().as_str() {
            "" | "none" | "no" | "false" | "нет" => Defer::None,
            "wp" => Defer::Wp,
            "archgate" => Defer::Archgate,
            "context" => Defer::Context,
            other => return Err(format!("`defer` is {other:?}, not none, wp, archgate or context")),
        },
        estimated: true,
    })
}

/// PC-424. Whether every voter stands in it exactly once is judged where the voters are known.
pub fn read_dispute(text: &str) -> Result<Dispute, String> {
    let map = mapping(text, &["reversible", "in_authority", "positions"])?;
    let Some(Value::Array(items)) = map.get("positions") else {
        return Err("`positions` is not a list".into());
    };
    let positions = items.iter().map(|item| {
        let Value::Object(item) = item else { return Err("a position is not a mapping".to_string()) };
        Ok(Position { summary: required(item, "summary")?, supporters: list(item.get("supporters")) })
    });
    Ok(Dispute {
        reversible: tri(&map, "reversible")?,
        in_authority: tri(&map, "in_authority")?,
        positions: positions.collect::<Result<_, _>>()?,
    })
}

/// Agent id → role in the order written, and the writer's own role, empty when it gave none (PC-277).
pub fn read_roles(text: &str) -> Result<(Vec<(String, String)>, String), String> {
    let map = mapping(text, &["agreed_roles", "writer_role"])?;
    let Some(Value::Object(roles)) = map.get("agreed_roles") else {
        return Err("`agreed_roles` is not a mapping of agent to role".into());
    };
    let roles: Vec<_> = roles
        .iter()
        .map(|(agent, role)| (agent.clone(), list(Some(role)).join(", ")))
        .filter(|(_, role)| !role.is_empty() && role != "<role_name>")
        .collect();
    if roles.is_empty() {
        return Err("`agreed_roles` names no role".into());
    }
    Ok((roles, Some(words(map.get("writer_role"))).filter(|role| role != "<role_name>").unwrap_or_default()))
}

/// True when the reply next to a PASS raises no objection; `None` when the answer says neither (PC-402).
pub fn read_judge(text: &str) -> Option<bool> {
    let map = mapping(text, &["clean"]).ok()?;
    match tri(&map, "clean").ok()? {
        Tri::Yes => Some(true),
        Tri::No => Some(false),
        Tri::Disputed => None,
    }
}

fn tri(map: &Map<String, Value>, key: &str) -> Result<Tri, String> {
    match words(map.get(key)).to_lowercase().as_str() {
        "yes" | "true" | "да" => Ok(Tri::Yes),
        "no" | "false" | "нет" => Ok(Tri::No),
        "disputed" | "спорно" => Ok(Tri::Disputed),
        "" => Err(format!("`{key}` is missing")),
        other => Err(format!("`{key}` is {other:?}, not yes, no or disputed")),
    }
}

fn required(map: &Map<String, Value>, key: &str) -> Result<String, String> {
    match words(map.get(key)) {
        text if text.is_empty() => Err(format!("`{key}` is missing")),
        text if text.starts_with('<') && text.ends_with('>') => {
            Err(format!("`{key}` is the placeholder of the prompt"))
        }
        text => Ok(text),
    }
}

/// A value as text: lists line by line, a mapping (an unquoted `a: b`) as it was written.
fn words(value: Option<&Value>) -> String {
    match value {
        Some(Value::Array(items)) => {
            items.iter().map(|item| words(Some(item))).collect::<Vec<_>>().join("\n")
        }
        Some(Value::Object(map)) => map
            .iter()
            .map(|(key, value)| format!("{key}: {}", words(Some(value))))
            .collect::<Vec<_>>()
            .join("\n"),
        Some(scalar) => plain(scalar),
        None => String::new(),
    }
}

/// A list, or one scalar as a list of one.
fn list(value: Option<&Value>) -> Vec<String> {
    let items = match value {
        Some(Value::Array(items)) => items.iter().map(|item| words(Some(item))).collect(),
        other => vec![words(other)],
    };
    items.into_iter().filter(|item| !item.is_empty() && item != "...").collect()
}

/// `~3h` → `3`: the sentence of PC-461 brings its own `~` and `h`.
fn bare_hours(text: &str) -> String {
    let bare = text.trim().trim_start_matches(['~', '≈']).trim();
    let cut =
        ["hours", "hour", "h", "часов", "часа", "час", "ч"].iter().find_map(|unit| bare.strip_suffix(unit));
    match cut.map(str::trim) {
        Some(number) if number.ends_with(|c: char| c.is_ascii_digit()) => number.to_string(),
        _ => bare.to_string(),
    }
}

/// The mapping in an answer: behind the first line that is one of the keys, or a flow mapping.
fn mapping(text: &str, keys: &[&str]) -> Result<Map<String, Value>, String> {
    let block = block(text, keys);
    if block.is_empty() {
        return Err(format!("no line with one of the keys {}", keys.join(", ")));
    }
    yaml::mapping(&block).or_else(|problem| yaml::mapping(&quoted(&block, keys)).map_err(|_| problem))
}

/// The lines of the answer without BOM, fences, prose before the first key and prose after the last one.
fn block(text: &str, keys: &[&str]) -> String {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut lines =
        text.lines().skip_while(|line| !line.trim_start().starts_with('{') && key_of(line, keys).is_none());
    let Some(first) = lines.next() else { return String::new() };
    let indent = first.len() - first.trim_start().len();
    let flow = first.trim_start().starts_with('{');
    let mut out = format!("{}\n", first.trim_start());
    for line in lines {
        let fence = line.trim_start();
        if fence.starts_with("```") || fence.starts_with("~~~") || line.trim_end() == "---" {
            break;
        }
        let blank = line.bytes().take(indent).take_while(|b| *b == b' ').count();
        let line = &line[blank..];
        // In a block mapping a line in column 0 that starts with a letter is one of our keys or prose again.
        if !flow && line.starts_with(char::is_alphabetic) && key_of(line, keys).is_none() {
            break;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The key that a line starts with, and the offset behind its colon.
fn key_of<'k>(line: &str, keys: &[&'k str]) -> Option<(&'k str, usize)> {
    let trimmed = line.trim_start();
    let at = line.len() - trimmed.len();
    keys.iter().find_map(|key| {
        let quoted = format!("\"{key}\":");
        let bare = format!("{key}:");
        [quoted, bare]
            .iter()
            .find(|head| trimmed.starts_with(head.as_str()))
            .map(|head| (*key, at + head.len()))
    })
}

/// The same lines with every bare scalar quoted: `agreed: two parts: a and b` is no YAML otherwise.
fn quoted(block: &str, keys: &[&str]) -> String {
    let quote = |head: &str, value: &str| {
        let value = value.trim();
        match value.chars().next() {
            None | Some('"' | '\'' | '[' | '{' | '|' | '>' | '&' | '*' | '#') => format!("{head} {value}\n"),
            _ => format!("{head} {}\n", yaml::quote(value)),
        }
    };
    let keys = [keys, &["summary", "supporters"]].concat();
    block
        .lines()
        .map(|line| {
            let item = line.trim_start().strip_prefix("- ").map_or(0, |rest| line.len() - rest.len());
            match key_of(&line[item..], &keys) {
                Some((_, end)) => quote(&line[..item + end], &line[item + end..]),
                None if item > 0 => quote(line[..item].trim_end(), &line[item..]),
                None => format!("{line}\n"),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMMARY: &str = "discussed: \"cache\"\nagreed: \"two parts\"\nproposed: [\"split\", \"measure\"]\nhours: 3\nimpact: local only\ndefer: none\n";

    #[test]
    fn pc_462_a_clean_answer() {
        let got = read_summary(SUMMARY).unwrap();
        assert_eq!(
            (got.discussed.as_str(), got.agreed.as_str(), got.hours.as_str()),
            ("cache", "two parts", "3")
        );
        assert_eq!(got.proposed, ["split", "measure"]);
        assert_eq!((got.impact.as_str(), got.defer, got.estimated), ("local only", Defer::None, true));
    }

    #[test]
    fn pc_462_fences_prose_and_bom_are_forgiven() {
        let want = read_summary(SUMMARY).unwrap();
        for text in [
            format!("```yaml\n{SUMMARY}```\n"),
            format!("\u{feff}Here is the summary you asked for:\n\n```\n{SUMMARY}```\nTell me if you need more: I am here."),
            format!("---\n{SUMMARY}---\n\nThat was it.\n"),
            SUMMARY.replace('\n', "\r\n"),
            format!("{SUMMARY}\nLet me know: anything else?\n"),
            SUMMARY.lines().map(|line| format!("  {line}\n")).collect(),
            "Sure:\n{\"discussed\": \"cache\", \"agreed\": \"two parts\", \"proposed\": [\"split\", \"measure\"],\n \"hours\": \"~3h\", \"impact\": \"local only\", \"defer\": null}\n".to_string(),
        ] {
            assert_eq!(read_summary(&text).unwrap(), want, "{text}");
        }
    }

    #[test]
    fn pc_462_forgotten_quotes_are_forgiven() {
        let text = "discussed: cache: hot set\nagreed: two parts: trial, protected\nproposed:\n  - split: 20/80\n  - measure # later\nhours: about 3 hours\nimpact: local only\ndefer: WP\n";
        let got = read_summary(text).unwrap();
        assert_eq!(got.discussed, "cache: hot set");
        assert_eq!(got.agreed, "two parts: trial, protected");
        assert_eq!(got.proposed, ["split: 20/80", "measure # later"]);
        assert_eq!((got.hours.as_str(), got.defer), ("about 3", Defer::Wp));
        let text = "discussed: a\nagreed: |\n  line one\n  line two: b\nproposed: []\nimpact: local only\n";
        let got = read_summary(text).unwrap();
        assert_eq!(got.agreed, "line one\nline two: b");
        assert_eq!((got.proposed.len(), got.hours.as_str()), (0, ""));
    }

    #[test]
    fn pc_462_what_is_missing_is_an_error() {
        for text in [
            "",
            "I cannot do that.",
            "discussed: a\n",
            "discussed: a\nagreed: \"\"\n",
            "{",
            "discussed: [",
            "discussed: a\nagreed: <2-3 lines: the essence of the decision>\n",
            "discussed: a\nagreed: b\nimpact: c\ndefer: maybe\n",
            "discussed: a\nagreed: b\nhours: 3\n",
        ] {
            assert!(read_summary(text).is_err(), "{text}");
        }
    }

    #[test]
    fn pc_424_disputes() {
        let text = "reversible: yes\nin_authority: disputed\npositions:\n  - summary: freeze writes: now\n    supporters: [claude-code, codex]\n  - summary: \"change nothing\"\n    supporters: kimi-headless\n";
        let got = read_dispute(text).unwrap();
        assert_eq!((got.reversible, got.in_authority), (Tri::Yes, Tri::Disputed));
        assert_eq!(got.positions[0].summary, "freeze writes: now");
        assert_eq!(got.positions[0].supporters, ["claude-code", "codex"]);
        assert_eq!(got.positions[1].supporters, ["kimi-headless"]);
        for text in [
            text.replace("reversible: yes", "reversible: yes | no | disputed"),
            text.replace("reversible: yes\n", ""),
            text.replace("summary: \"change nothing\"", "what: x"),
            "reversible: yes\nin_authority: yes\npositions: none\n".to_string(),
        ] {
            assert!(read_dispute(&text).is_err(), "{text}");
        }
    }

    #[test]
    fn pc_277_roles() {
        let text = "---\nagreed_roles: {\"codex\": \"operations critic\", \"hermes\": [a, b]}\nwriter_role: moderator\n---\n\nRoles are agreed.\n";
        let (roles, writer) = read_roles(text).unwrap();
        assert_eq!(
            roles,
            [("codex".to_string(), "operations critic".to_string()), ("hermes".into(), "a, b".into())]
        );
        assert_eq!(writer, "moderator");
        assert_eq!(read_roles("agreed_roles:\n  codex: critic\n").unwrap().1, "");
        assert!(read_roles("agreed_roles: {\"codex\": \"<role_name>\"}\nwriter_role: x\n").is_err());
        assert!(read_roles("agreed_roles: critic\n").is_err());
    }

    #[test]
    fn pc_402_the_judge() {
        assert_eq!(read_judge("clean: yes"), Some(true));
        assert_eq!(read_judge("```yaml\nclean: No\n```"), Some(false));
        assert_eq!(read_judge("It looks fine.\n\nclean: true\n"), Some(true));
        for text in ["", "clean:", "clean: yes | no", "clean: maybe", "no"] {
            assert_eq!(read_judge(text), None, "{text}");
        }
    }

    #[test]
    fn hostile_answers_are_errors_not_panics() {
        for text in [
            "agreed_roles: \u{1b}[2J\u{0}",
            "«»\nclean: ««",
            "\u{202e}agreed_roles:",
            "  é\nagreed_roles: {é: {é: {}}}",
        ] {
            let _ = (read_roles(text), read_judge(text), read_summary(text), read_dispute(text));
        }
        assert!(read_roles(&format!("agreed_roles: {}", "[".repeat(100_000))).is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_answer_panics(text in "([a-z_]{0,12}:| |\n|-|```|\\{|\\}|\"|agreed_roles:|positions:|clean:|\\PC){0,30}") {
            let _ = (read_roles(&text), read_judge(&text), read_summary(&text), read_dispute(&text));
        }
    }
}
