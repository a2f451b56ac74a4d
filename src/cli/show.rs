//! `show`: one session, its state and its open questions.

mod implementation;

use super::args::{Place, Show};
use super::context::{self, Context};
use super::error::CliError;
use super::finish::kind;
use crate::domain::question::Question;
use crate::domain::session::evidence::{Evidence, summed};
use crate::domain::session::order::reading_order;
use crate::domain::session::phase::shown;
use crate::domain::session::state::Session;
use crate::domain::session::turn::TurnName;
use crate::engine::desk::Desk;
use crate::engine::facts;
use crate::engine::questions::open_questions;
use crate::store::load::load;
use crate::store::lock::EngineLock;
use crate::ui::text::sanitize;

pub fn run(place: &Place, args: Show) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    let id = context::id(&args.id)?;
    let loaded = load(&context.layout, &id).map_err(|e| context::not_loaded(&context, e))?;
    let s = &loaded.session;
    let desk = context.desk(context.registry()?, None);
    let questions = open_questions(s, &desk);
    let evidence = evidence(s, &desk);
    let engine = EngineLock::holder(&context.layout.runtime(&id)).map(|(pid, _)| pid);
    let turns = reading_order(s.turns.iter(), &s.meta.round_order);
    if args.json {
        // The keys and shapes of the file, which scripts know; what it cannot say is taken from what was read.
        let file = std::fs::read_to_string(loaded.dir.join(crate::store::layout::META)).ok();
        let file =
            file.and_then(|text| crate::store::yaml::mapping(&text).ok()).map(serde_json::Value::Object);
        let meta = file.map_or_else(|| serde_json::to_value(&s.meta), Ok).map_err(CliError::failed)?;
        let value = serde_json::json!({
            "id": id.to_string(),
            "dir": loaded.dir,
            "phase": shown(s),
            "status": s.meta.status.key(),
            "result_class": s.meta.engine_result_class.map(|c| c.key()),
            "decision": s.meta.engine_decision.map(|d| d.key()),
            "engine": engine,
            "meta": meta,
            "turns": turns.iter().map(|t| t.name.to_string()).collect::<Vec<_>>(),
            "rejected": s.rejected.iter().map(|r| serde_json::json!({"file": format!("{}.rejected-{}.txt", r.name.stem(), r.k), "reason": r.reason})).collect::<Vec<_>>(),
            "escalations": s.escalations.iter().map(|e| serde_json::json!({"file": e.file_name(), "turn": e.turn, "reason": e.reason, "source": e.source, "response": e.response})).collect::<Vec<_>>(),
            "implementation": implementation::json(s),
            "questions": questions.iter().map(question).collect::<Vec<_>>(),
            "evidence": evidence.iter().flat_map(|(turn, items)| items.iter().map(move |item| serde_json::json!({"turn": turn.to_string(), "claim": item.claim.to_string(), "mark": item.mark, "why": item.why}))).collect::<Vec<_>>(),
            "problems": loaded.problems,
        });
        println!("{}", serde_json::to_string_pretty(&value).map_err(CliError::failed)?);
        return Ok(0);
    }
    let peers: Vec<String> = s
        .peers()
        .into_iter()
        .map(|p| if p.vendor == p.agent { p.agent } else { format!("{} ({})", p.vendor, p.agent) })
        .collect();
    println!("{id}");
    println!("task        {}", sanitize(&s.meta.task_description));
    println!("where       {}", loaded.dir.display());
    println!("status      {} · {}", s.meta.status.key(), shown(s));
    println!("writer      {}", s.meta.writer_agent);
    println!("peers       {}", peers.join(", "));
    if let Some(class) = s.meta.engine_result_class {
        println!("result      {}", class.key());
    }
    if let Some(decision) = s.meta.engine_decision {
        println!("decision    {}", decision.key());
    }
    for f in &s.meta.peer_failures {
        println!("failed      {} in round {}: {}", f.vendor, f.round, f.reason);
    }
    if let Some(pid) = engine {
        println!("engine      process {pid}");
    }
    println!("turns       {}", turns.iter().map(|t| t.name.to_string()).collect::<Vec<_>>().join(" "));
    for e in &s.escalations {
        let state = if e.is_open() { "open" } else { "answered" };
        println!("escalation  {} ({state}) {}", e.file_name(), sanitize(&e.reason));
    }
    for (turn, items) in &evidence {
        println!("facts       {turn}: {}", summed(items, context.lang()));
        for item in items {
            let (shape, word) = item.mark.shown(context.lang());
            let why = if item.why.is_empty() { String::new() } else { format!(": {}", item.why) };
            println!(
                "              {shape} {} — {word}{}",
                sanitize(&item.claim.to_string()),
                sanitize(&why)
            );
        }
    }
    implementation::lines(s).iter().for_each(|line| println!("{line}"));
    for problem in &loaded.problems {
        println!("problem     {}", sanitize(problem));
    }
    for q in &questions {
        println!("\n? {} ({}, since {})", q.id, kind(q.kind), q.since);
        for line in sanitize(&q.text).lines() {
            println!("  {line}");
        }
        for choice in &q.choices {
            println!("    {:<10} {}", choice.key, choice.label);
        }
    }
    Ok(0)
}

/// The facts that turns name, as they are now.
fn evidence(s: &Session, desk: &Desk) -> Vec<(TurnName, Vec<Evidence>)> {
    let sources = desk.sources();
    let now = |items: &Vec<Evidence>| facts::again(items, &sources).unwrap_or_else(|| items.clone());
    s.notes.evidence.iter().map(|(turn, items)| (turn.clone(), now(items))).collect()
}

/// A question for scripts: times are spelt as everywhere else in the files.
fn question(q: &Question) -> serde_json::Value {
    let choices: Vec<_> =
        q.choices.iter().map(|c| serde_json::json!({ "key": c.key, "label": c.label })).collect();
    serde_json::json!({
        "id": q.id, "kind": kind(q.kind), "since": q.since.to_string(), "text": q.text, "choices": choices,
        "free_text": q.free_text,
    })
}
