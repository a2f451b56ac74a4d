//! `answer`: gives an answer to a session, whether an engine drives it or not.

use super::args::{Answer, Place};
use super::context::{self, Context};
use super::error::{CliError, Kind};
use super::hand::{self, Handed};
use super::resume;
use crate::domain::lang::Lang;
use crate::domain::policy::Policy;
use crate::domain::session::id::SessionId;
use crate::engine::answer::give;
use crate::engine::questions::open_questions;
use crate::store::lock::EngineLock;
use crate::store::record::StoreError;
use crate::store::runtime::Message;

pub fn run(place: &Place, args: Answer) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    let id = context::id(&args.id)?;
    let (question, given) = match &args.text {
        Some(text) => (Some(args.question.clone()), text),
        None => (None, &args.question),
    };
    let text = context::text(given)?;
    loop {
        if let Some(code) = give_once(&context, &id, question.clone(), text.clone())? {
            return Ok(code);
        }
        hand::pause();
    }
}

/// `None` when whoever held the session ended without taking the answer: it stands as it stood before, or that one has
/// answered the question.
fn give_once(
    context: &Context,
    id: &SessionId,
    question: Option<String>,
    text: String,
) -> Result<Option<u8>, CliError> {
    let loaded = crate::store::load::load(&context.layout, id).and_then(crate::store::load::Loaded::whole);
    let loaded = loaded.map_err(|e| context::not_loaded(context, e))?;
    let desk = context.desk(context.registry()?, None);
    let open = open_questions(&loaded.session, &desk);
    let ids = open.iter().map(|q| q.id.clone()).collect::<Vec<_>>().join(", ");
    let known = if ids.is_empty() {
        "nothing waits for an answer".to_string()
    } else {
        format!("open questions: {ids}")
    };
    let question = match (question, &open[..]) {
        (Some(question), _) => question,
        (None, [only]) => only.id.clone(),
        (None, _) => return Err(CliError::usage(format!("{id}: which question is meant?"), known)),
    };
    if !open.iter().any(|q| q.id == question) {
        return Err(CliError::new(
            Kind::Usage,
            format!("{id}: no open question {question:?}; nothing was changed"),
            known,
        ));
    }
    let runtime = context.layout.runtime(id);
    match hand::over(&runtime, &Message { question: question.clone(), text: text.clone() })? {
        Handed::Nobody => {}
        Handed::Back => return Ok(None),
        Handed::To(pid) => {
            println!("handed to the engine (process {pid}) that drives {id}");
            return Ok(Some(0));
        }
    }
    let policy = Policy { headless: true, ..Policy::default() };
    let mut runner = match resume::open(context, id, policy, None, None) {
        // Somebody was faster between the look and the lock.
        Err(held) if held.kind == Kind::Busy && EngineLock::holder(&runtime).is_none() => return Ok(None),
        opened => opened?,
    };
    runner.hold();
    let before = runner.session.clone();
    let storage = |e: StoreError| {
        CliError::new(
            Kind::Waiting,
            format!("{id}: {e}"),
            format!("{}, then answer again", e.remedy(Lang::En)),
        )
    };
    give(&mut runner, &question, &text).map_err(storage)?;
    let chosen = open.iter().any(|q| q.id == question && q.choices.iter().any(|c| c.key == text.trim()));
    if let Some(refusal) = runner.session.notes.commit_refused.as_ref().filter(|_| chosen) {
        let next = format!("mend it, then `flightdeck answer {id} commit yes`");
        return Err(CliError::new(Kind::Waiting, refusal, next));
    }
    if runner.session.same_on_disk(&before) {
        return Err(CliError::usage(
            format!("{id}: {text:?} does not answer {question}; nothing was changed"),
            choices(&open, &question),
        ));
    }
    println!("answered {question}; `flightdeck resume {id}` goes on");
    Ok(Some(0))
}

/// What would answer this question.
pub fn choices(open: &[crate::domain::question::Question], id: &str) -> String {
    let Some(question) = open.iter().find(|q| q.id == id) else { return String::new() };
    let keys: Vec<&str> = question.choices.iter().map(|c| c.key.as_str()).collect();
    if keys.is_empty() { "give a text".into() } else { format!("choices: {}", keys.join(", ")) }
}
