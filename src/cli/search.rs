//! `search`: lines in everything that sessions left behind, the most relevant first.

use super::args::{Place, Search};
use super::context::Context;
use super::error::CliError;
use super::out::wrote;
use crate::domain::query::{Query, Unread};
use crate::domain::session::meta::ResultClass;
use crate::domain::time::is_day;
use crate::store::search::{Batch, search};
use crate::ui::text::one_line;
use std::io::Write;
use std::sync::atomic::AtomicBool;

/// Wider than any terminal; a line is cut before it floods one.
const WIDTH: usize = 400;

/// Exit code 0 with results, 1 without, as `grep` has it.
pub fn run(place: &Place, args: Search) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    let query = query(&args)?;
    let mut last = Batch::default();
    search(&context.layout, &query, args.limit, &AtomicBool::new(false), &mut |batch| last = batch);
    let mut out = std::io::stdout().lock();
    let found = u8::from(last.hits.is_empty());
    if args.json {
        let hits: Vec<serde_json::Value> = last
            .hits
            .iter()
            .map(|hit| {
                serde_json::json!({
                    "id": hit.id.to_string(), "file": hit.file, "line": hit.line, "text": hit.text, "marks": hit.marks,
                })
            })
            .collect();
        wrote(writeln!(out, "{}", serde_json::to_string_pretty(&hits).map_err(CliError::failed)?));
        return Ok(found);
    }
    if last.hits.is_empty() {
        eprintln!("no line matches");
    }
    for hit in &last.hits {
        // Names come from the disk and are as little to be trusted as the text.
        let place = one_line(&format!("{}/{}:{}", hit.id, hit.file, hit.line), WIDTH);
        if !wrote(writeln!(out, "{place}: {}", one_line(&hit.text, WIDTH))) {
            break;
        }
    }
    Ok(found)
}

fn query(args: &Search) -> Result<Query, CliError> {
    let mut query = Query::default();
    for word in &args.words {
        // The shell took the quotes of a phrase away.
        let phrase = word.contains(char::is_whitespace) && !word.contains(['"', '«']);
        let typed = Query::parse(&if phrase { format!("\"{word}\"") } else { word.clone() });
        if let Some(unread) = typed.unread.first() {
            return Err(no_value(word, *unread));
        }
        query.words.extend(typed.words);
        query.classes.extend(typed.classes);
        query.vendors.extend(typed.vendors);
        for (from, into) in
            [(typed.since, &mut query.since), (typed.until, &mut query.until), (typed.wp, &mut query.wp)]
        {
            if !from.is_empty() {
                *into = from;
            }
        }
    }
    for class in args.class.iter().flat_map(|classes| classes.split(',')) {
        query.classes.push(ResultClass::parse(class).ok_or_else(|| no_value(class, Unread::Class))?);
    }
    query.vendors.extend(args.vendor.iter().flat_map(|vendors| vendors.split(',')).map(str::to_string));
    for (given, unread, into) in
        [(&args.since, Unread::Since, &mut query.since), (&args.until, Unread::Until, &mut query.until)]
    {
        let Some(day) = given else { continue };
        if !is_day(day) {
            return Err(no_value(day, unread));
        }
        *into = day.clone();
    }
    query.wp = args.wp.clone().unwrap_or(query.wp);
    if query.words.is_empty() {
        return Err(CliError::usage(
            "there is no word to search for",
            "give words, or a \"phrase in quotes\"",
        ));
    }
    Ok(query)
}

fn no_value(given: &str, unread: Unread) -> CliError {
    let problem = format!("{given:?} is nothing to filter by {}", unread.key());
    // A word may have been meant as one.
    let meant = if given.contains(':') {
        format!(", or '\"{given}\"' to look for the text itself")
    } else {
        String::new()
    };
    CliError::usage(problem, format!("give {}{meant}", unread.takes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Search {
        Search {
            words: words.iter().map(|w| w.to_string()).collect(),
            limit: 9,
            json: false,
            class: None,
            vendor: None,
            since: None,
            until: None,
            wp: None,
        }
    }

    #[test]
    fn search_flags_and_typed_filters_meet() {
        let given = Search {
            class: Some("agreed,partial".into()),
            vendor: Some("codex".into()),
            since: Some("2026-08".into()),
            ..args(&["retry", "two hits", "vendor:kimi", "wp:WP-1"])
        };
        let query = query(&given).unwrap();
        assert_eq!(query.words, ["retry", "two hits"]);
        assert_eq!(query.classes, [ResultClass::Agreed, ResultClass::Partial]);
        assert_eq!(query.vendors, ["kimi", "codex"]);
        assert_eq!((query.since.as_str(), query.wp.as_str()), ("2026-08", "WP-1"));
    }

    #[test]
    fn search_bad_flags_say_what_to_give() {
        for bad in [
            Search { class: Some("good".into()), ..args(&["x"]) },
            Search { since: Some("yesterday".into()), ..args(&["x"]) },
            args(&["vendor:codex"]),
            args(&["x", "class:agred"]),
            Search { until: Some("2026-02-31".into()), ..args(&["x"]) },
        ] {
            let error = query(&bad).unwrap_err();
            assert!(error.code() == 2 && !error.next.is_empty());
        }
    }
}
