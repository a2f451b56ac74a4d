//! Reading `meta.yaml`: the whole document first, key by key when that fails (PC-161).

use super::lines::{self, Block};
use crate::domain::lang::Lang;
use crate::domain::session::failure::Reason;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::{
    AdHocRole, Decision, Extension, Handoff, Meta, PeerFailure, ResultClass, Status,
};
use crate::store::yaml;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// See [`super::parse`].
pub fn meta(text: &str, fallback: Option<&SessionId>) -> (Option<Meta>, Vec<String>) {
    let region = lines::first_mapping(text);
    let mut source =
        Source { text, blocks: lines::blocks(text, region.clone()), map: Map::new(), problems: Vec::new() };
    match yaml::mapping(&text[region]) {
        Ok(map) => source.map = map,
        Err(_) => source.by_key(),
    }
    if source.map.is_empty() {
        source.problems.push("meta.yaml holds no readable key".into());
        return (None, source.problems);
    }
    let Some(id) = source.session_id(fallback) else { return (None, source.problems) };
    let meta = source.meta(id);
    (Some(meta), source.problems)
}

struct Source<'a> {
    text: &'a str,
    blocks: Vec<Block<'a>>,
    map: Map<String, Value>,
    problems: Vec<String>,
}

impl Source<'_> {
    /// Reads each top-level key for itself, so that a broken line does not take the others with it. Of a key that
    /// stands there twice the last one counts. The parser's own words are not repeated: they may quote the file.
    fn by_key(&mut self) {
        for block in self.blocks.clone() {
            let text = &self.text[block.content.clone()];
            let mut sound = yaml::mapping(text).ok().or_else(|| texts_only(text));
            let sound = sound.as_mut().and_then(|map| map.remove(block.key));
            if sound.is_none() {
                self.problems.push(format!("`{}` is not valid YAML", block.key));
            }
            let Some(value) = sound.or_else(|| self.salvaged(&block)) else { continue };
            if self.map.insert(block.key.to_string(), value).is_some() {
                self.problems.push(format!("`{}` stands there twice; the last one counts", block.key));
            }
        }
    }

    /// The text of a scalar line that is no YAML, such as `task_description: Fix: the parser` or a torn quote.
    fn salvaged(&self, block: &Block) -> Option<Value> {
        let raw = self.raw(block)?;
        if raw.starts_with(['[', '{', '|', '>', '&', '*', '!']) {
            return None;
        }
        let open = raw.strip_prefix(['"', '\'']).unwrap_or(raw);
        Some(Value::String(open.strip_suffix(['"', '\'']).unwrap_or(open).to_string()))
    }

    /// The value of a key on one line, as typed, without its comment.
    fn raw(&self, block: &Block) -> Option<&str> {
        let value = self.text[block.value_at..block.content.end].trim_end_matches(['\n', '\r']);
        let value = &value[..lines::comment_at(value).unwrap_or(value.len())];
        (!value.contains('\n')).then(|| value.trim())
    }

    fn session_id(&mut self, fallback: Option<&SessionId>) -> Option<SessionId> {
        let text = self.words("session_id").unwrap_or_default();
        let id = SessionId::parse(text.trim());
        if id.is_none() && (!text.is_empty() || fallback.is_none()) {
            self.problems.push("`session_id` is missing or not a session id".into());
        }
        id.or_else(|| fallback.cloned())
    }

    fn meta(&mut self, id: SessionId) -> Meta {
        let base = Meta::new(id, "");
        let peer_agents = self.list("peer_agents");
        let peer_cmds = self.list("peer_cmds");
        // The scalar keys came first; each pair of keys stands in for the other (PC-163, keys 8 to 11).
        let first =
            |list: &Option<Vec<String>>| list.as_ref().and_then(|l| l.first().cloned()).unwrap_or_default();
        let peer_agent = self.words("peer_agent").unwrap_or_else(|| first(&peer_agents));
        let peer_cmd = self.words("peer_cmd").unwrap_or_else(|| first(&peer_cmds));
        let alone = |text: &str| if text.is_empty() { Vec::new() } else { vec![text.to_string()] };
        Meta {
            task_id: self.words("task_id").unwrap_or_default(),
            date: self.words("date").unwrap_or(base.date),
            start_time: self.words("start_time").unwrap_or_default(),
            end_time: self.words("end_time").unwrap_or_default(),
            writer_agent: self.words("writer_agent").unwrap_or(base.writer_agent),
            personality: self.words("personality").unwrap_or(base.personality),
            peer_agents: peer_agents.unwrap_or_else(|| alone(&peer_agent)),
            peer_cmds: peer_cmds.unwrap_or_else(|| alone(&peer_cmd)),
            peer_agent,
            peer_cmd,
            round_order: self.list("round_order").unwrap_or_default(),
            write_token_holder: self.words("write_token_holder").unwrap_or(base.write_token_holder),
            peer_model: self.words("peer_model").unwrap_or_default(),
            status: self.choice("status", Status::parse).unwrap_or_default(),
            turns_count: self.number("turns_count").unwrap_or(base.turns_count),
            turns_limit: self.number("turns_limit").unwrap_or(base.turns_limit),
            rounds_limit: self.number("rounds_limit").unwrap_or(base.rounds_limit),
            round_skips: self.entries("round_skips", |key, value| Some((digits(key)?, strings(value)?))),
            failed: self.failed(),
            max_peer_attempts: self.number("max_peer_attempts").unwrap_or(base.max_peer_attempts),
            peer_attempts: self.entries("peer_attempts", |key, value| Some((key.to_string(), count(value)?))),
            peer_failures: self.items("peer_failures", |item| {
                let reason = Reason::from(word_in(item, "reason")?);
                Some(PeerFailure { round: round_of(item)?, vendor: word_in(item, "vendor")?, reason })
            }),
            handoff_history: self.items("handoff_history", |item| {
                Some(Handoff {
                    round: round_of(item)?,
                    from: word_in(item, "from")?,
                    to: word_in(item, "to")?,
                    reason: word_in(item, "reason").unwrap_or_default(),
                })
            }),
            escalations_count: self.number("escalations_count").unwrap_or(base.escalations_count),
            extensions: self.items("extensions", |item| {
                Some(Extension {
                    turns: item.get("turns")?.as_array()?.iter().map(count).collect::<Option<_>>()?,
                    reason: word_in(item, "reason").unwrap_or_default(),
                    appended_at: word_in(item, "appended_at").unwrap_or_default(),
                })
            }),
            result_path: self.words("result_path").unwrap_or_default(),
            task_description: self.words("task_description").unwrap_or_default(),
            implementation_pipeline: self.choice("implementation_pipeline", flag).unwrap_or_default(),
            review_iterations: self.number("review_iterations").unwrap_or_default(),
            verify_status: self.words("verify_status").unwrap_or_default(),
            deploy_shas: self.shas(),
            writer_model_recommended: self
                .words("writer_model_recommended")
                .unwrap_or(base.writer_model_recommended),
            roles: self.entries("roles", |key, value| Some((key.to_string(), strings(value)?))),
            discovery_turns: self.number("discovery_turns").unwrap_or_default(),
            ad_hoc_roles: self.entries("ad_hoc_roles", |key, value| {
                Some(AdHocRole {
                    name: key.to_string(),
                    agent_id: word_in(value, "agent_id").unwrap_or_default(),
                    rationale: word_in(value, "rationale").unwrap_or_default(),
                    first_used_turn: value.get("first_used_turn").and_then(count).unwrap_or_default(),
                })
            }),
            unresolved: self.number("unresolved"),
            engine_phase: self.words("engine_phase").unwrap_or_default(),
            engine_decision: self.choice("engine_decision", Decision::parse),
            engine_result_class: self.choice("engine_result_class", ResultClass::parse),
            engine_lang: self.choice("engine_lang", Lang::parse),
            test_subject: self.words("test_subject").unwrap_or_default(),
            session_id: base.session_id,
        }
    }

    /// A text. Numbers and words such as `true` are taken as typed: a task `0484` is not 484.
    fn words(&mut self, key: &str) -> Option<String> {
        match self.map.get(key)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            Value::Bool(_) | Value::Number(_) => {
                let typed = self.blocks.iter().rev().find(|b| b.key == key).and_then(|b| self.raw(b));
                Some(typed.map_or_else(|| self.map[key].to_string(), str::to_string))
            }
            Value::Array(_) | Value::Object(_) => self.refuse(key, "is not a text"),
        }
    }

    /// A word out of a fixed set; empty means absent.
    fn choice<T>(&mut self, key: &str, parse: fn(&str) -> Option<T>) -> Option<T> {
        let text = self.words(key).filter(|text| !text.trim().is_empty())?;
        parse(text.trim()).or_else(|| self.refuse(key, "has an unknown value"))
    }

    fn number(&mut self, key: &str) -> Option<u32> {
        let value = self.map.get(key).filter(|v| !v.is_null() && v.as_str() != Some(""))?;
        count(value).or_else(|| self.refuse(key, "is not a whole number"))
    }

    fn list(&mut self, key: &str) -> Option<Vec<String>> {
        let value = self.map.get(key).filter(|v| !v.is_null())?;
        strings(value).or_else(|| self.refuse(key, "is not a list of texts"))
    }

    fn items<T>(&mut self, key: &str, read: fn(&Value) -> Option<T>) -> Vec<T> {
        let all = match self.map.get(key) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(items)) => items.iter().map(read).collect::<Vec<_>>(),
            Some(_) => vec![None],
        };
        self.readable(key, all)
    }

    fn entries<T>(&mut self, key: &str, read: fn(&str, &Value) -> Option<T>) -> Vec<T> {
        let all = match self.map.get(key) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Object(map)) => map.iter().map(|(key, value)| read(key, value)).collect::<Vec<_>>(),
            // `[]` is how some trees write an empty map.
            Some(Value::Array(items)) if items.is_empty() => return Vec::new(),
            Some(_) => vec![None],
        };
        self.readable(key, all)
    }

    fn readable<T>(&mut self, key: &str, all: Vec<Option<T>>) -> Vec<T> {
        if all.iter().any(Option::is_none) {
            self.problems.push(format!("`{key}` has an entry that cannot be read"));
        }
        all.into_iter().flatten().collect()
    }

    /// Vendors with status `failed`; whoever is not named is active (AMB-26).
    fn failed(&mut self) -> Vec<String> {
        let all =
            self.entries("participant_status", |vendor, status| Some((vendor.to_string(), plain(status)?)));
        all.into_iter().filter(|(_, status)| status.trim() == "failed").map(|(vendor, _)| vendor).collect()
    }

    /// An unquoted sha may look like a number: then it is read again as text.
    fn shas(&mut self) -> Vec<(String, String)> {
        let key = "deploy_shas";
        if self
            .map
            .get(key)
            .and_then(Value::as_object)
            .is_some_and(|map| map.values().any(|v| !v.is_string()))
        {
            let block = self.blocks.iter().rev().find(|b| b.key == key);
            let exact = block.and_then(|b| texts_only(&self.text[b.content.clone()])?.remove(key));
            self.map.extend(exact.map(|value| (key.to_string(), value)));
        }
        self.entries(key, |repo, sha| Some((repo.to_string(), plain(sha)?)))
    }

    fn refuse<T>(&mut self, key: &str, why: &str) -> Option<T> {
        self.problems.push(format!("`{key}` {why}; its default is used"));
        None
    }
}

/// A map of texts below a key, each as typed: `{app: 12e4567}` is a sha and no number.
fn texts_only(block: &str) -> Option<Map<String, Value>> {
    let map: BTreeMap<String, BTreeMap<String, String>> = yaml::read(block).ok()?;
    let text = |(key, value): (String, String)| (key, Value::String(value));
    Some(
        map.into_iter()
            .map(|(key, inner)| (key, Value::Object(inner.into_iter().map(text).collect())))
            .collect(),
    )
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

/// A list of texts; one text with commas is accepted as a list.
fn strings(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Null => Some(Vec::new()),
        Value::Object(_) => None,
        one => Some(plain(one)?.split(',').map(|t| t.trim().to_string()).filter(|t| !t.is_empty()).collect()),
    }
}

fn count(value: &Value) -> Option<u32> {
    plain(value)?.trim().parse().ok()
}

/// `2`, `round_02` or `"round 2"`.
fn digits(text: &str) -> Option<u32> {
    text.trim().trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()
}

fn round_of(item: &Value) -> Option<u32> {
    digits(&plain(item.get("round")?)?)
}

fn word_in(item: &Value, key: &str) -> Option<String> {
    plain(item.get(key)?)
}

fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}
