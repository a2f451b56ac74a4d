//! `meta.yaml`: reading it as anybody may have written it, writing it so that scripts can edit it (group G).
//!
//! A new file is spelled by [`render_new`]. From then on [`edit`] touches only the lines whose value changed (PC-162):
//! the file belongs to the people and scripts around it as much as to us.

pub(in crate::store) mod lines;
mod read;
mod spell;

use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Meta;
use crate::store::yaml;
use lines::Block;
use std::ops::Range;

/// Reads a file in any shape that PC-161 lists. A line that cannot be read costs only its own value: the default of
/// PC-163 takes its place and the problem is told. `fallback` is the id from the directory's name, for files without
/// one. `None` when there is no key at all or no id to be had.
pub fn parse(text: &str, fallback: Option<&SessionId>) -> (Option<Meta>, Vec<String>) {
    read::meta(text, fallback)
}

/// A whole new file (PC-160, PC-163 to PC-165).
pub fn render_new(meta: &Meta) -> String {
    let mut out = String::new();
    for key in spell::KEYS {
        if let Some(value) = spell::value(meta, key) {
            out.push_str(&format!("{key}:{value}\n"));
        }
    }
    out
}

/// `old` with the values of `meta`. Lines whose value is the same stay byte for byte, and so do unknown keys,
/// comments, order and line endings; a comment behind a changed value on one line is kept. A missing key is added only
/// when its value is not what a reader would assume. `edit(text, parse(text)) == text`.
pub fn edit(old: &str, meta: &Meta) -> String {
    let mut text = old.to_string();
    // Readers derive missing keys from others (`peer_agents` from `peer_agent`), so one change may call for another.
    for _ in 0..3 {
        let next = edit_once(&text, meta);
        if next == text {
            break;
        }
        text = next;
    }
    text
}

/// [`edit`] of a text whose values are known to be those of `before`, because we wrote it: nothing is parsed. `None`
/// when the text is not one key per line, or a key comes or goes.
pub fn edit_known(old: &str, before: &Meta, meta: &Meta) -> Option<String> {
    let blocks = lines::blocks(old, lines::first_mapping(old));
    let eol = lines::eol(old);
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for key in spell::KEYS {
        let (value, known) = (spell::value(meta, key), spell::value(before, key));
        if value == known {
            continue;
        }
        let mut mine = blocks.iter().filter(|b| b.key == *key);
        let (block, None) = (mine.next()?, mine.next()) else { return None };
        changes.push((block.content.clone(), block.with_value(old, &value?, eol)));
    }
    Some(lines::apply(old, changes, eol))
}

/// What `peer-session-finalize.sh --validate` finds wrong (PC-194), in the words of a person. Empty = fine.
pub fn check(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for key in ["session_id", "start_time", "status", "writer_agent", "peer_agent"] {
        if script_value(text, key).is_empty() {
            problems.push(format!("`{key}` is missing or empty"));
        }
    }
    let (start, end) = (script_value(text, "start_time"), script_value(text, "end_time"));
    for (key, value) in [("start_time", &start), ("end_time", &end)] {
        if value.contains("$(") {
            problems.push(format!("`{key}` holds a shell command that was never run"));
        }
    }
    if !end.is_empty() && end < start && !start.contains("$(") && !end.contains("$(") {
        problems.push("`end_time` is earlier than `start_time`".to_string());
    }
    problems
}

/// The value as the repository's scripts see it: the first line that begins with `key:`, without quotes and blanks;
/// `~` and `null` are nothing.
pub(in crate::store) fn script_value(text: &str, key: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let value: String =
        line.unwrap_or("").chars().filter(|c| !matches!(c, '"' | '\'' | ' ' | '\t' | '\r')).collect();
    if matches!(value.as_str(), "~" | "null") { String::new() } else { value }
}

fn edit_once(old: &str, meta: &Meta) -> String {
    let (Some(before), _) = parse(old, Some(&meta.session_id)) else { return render_new(meta) };
    let region = lines::first_mapping(old);
    let blocks = lines::blocks(old, region.clone());
    // A mapping that is not one key per line (all in braces, say) cannot be edited by lines.
    if yaml::mapping(&old[region]).is_ok_and(|map| map.keys().any(|key| blocks.iter().all(|b| b.key != *key)))
    {
        return if before == *meta { old.to_string() } else { render_new(meta) };
    }
    let eol = lines::eol(old);
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for key in spell::KEYS {
        let value = spell::value(meta, key);
        if value == spell::value(&before, key) {
            continue;
        }
        let mine: Vec<&Block> = blocks.iter().filter(|b| b.key == *key).collect();
        match value {
            Some(value) if mine.is_empty() => {
                let at = place(&blocks, key);
                changes.push((at..at, format!("{key}:{value}\n").replace('\n', eol)));
            }
            Some(value) => {
                for block in mine {
                    changes.push((block.content.clone(), block.with_value(old, &value, eol)));
                }
            }
            None => changes.extend(mine.iter().map(|block| (block.content.clone(), String::new()))),
        }
    }
    lines::apply(old, changes, eol)
}

/// Where a missing key goes: a skill key behind the last skill key, an engine key in front of the engine keys that
/// follow it, else at the end (PC-164).
fn place(blocks: &[Block], key: &str) -> usize {
    let rank = |key: &str| spell::KEYS.iter().position(|k| *k == key);
    let engine = |key: &str| key.starts_with("engine_");
    if engine(key) {
        let later = blocks.iter().find(|b| engine(b.key) && rank(b.key) > rank(key));
        return match later {
            Some(block) => block.content.start,
            None => blocks.last().map_or(0, |b| b.content.end),
        };
    }
    match blocks.iter().rev().find(|b| rank(b.key).is_some() && !engine(b.key)) {
        Some(block) => block.content.end,
        None => blocks.first().map_or(0, |b| b.content.start),
    }
}

#[cfg(test)]
mod tests;
