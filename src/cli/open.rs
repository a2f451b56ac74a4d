//! The bare `flightdeck`: the dashboard; as lines, what is live, what waits, and the way in.

use super::args::{Drive, Limits, Place, Resume, Who};
use super::context::Context;
use super::dash;
use super::error::CliError;
use super::resume;
use crate::domain::session::id::SessionId;
use crate::domain::session::meta::Status;
use crate::domain::session::phase::shown;
use crate::engine::questions::open_questions;
use crate::store::{list, load};
use crate::ui::text::one_line;
use std::io::{BufRead, IsTerminal, Write};

/// Sessions shown; older ones are in `list`.
const SHOWN: usize = 20;

pub fn run(place: &Place) -> Result<u8, CliError> {
    if dash::wanted(place, &Drive::default()) {
        let context = Context::calling(place, &Who::default(), &Limits::default(), true)?;
        return dash::run(&context, place.inline, dash::Goal::Deck);
    }
    let context = Context::plain(place)?;
    let desk = context.desk(context.registry()?, None);
    let mut open: Vec<SessionId> = Vec::new();
    for listed in list::newest(&context.layout, SHOWN) {
        let Ok(loaded) = load::load_listed(&context.layout, &listed) else { continue };
        let s = &loaded.session;
        let number = if s.meta.status == Status::Started {
            open.push(listed.id.clone());
            format!("{:>3}", open.len())
        } else {
            "   ".into()
        };
        println!("{number} {:<11} {:<16} {}", s.meta.status.key(), shown(s), listed.id);
        println!("      {}", one_line(&s.meta.task_description, 90));
        for q in open_questions(s, &desk) {
            println!("    ? {}: {}", q.id, one_line(&q.text, 90));
        }
    }
    if open.is_empty() {
        println!("No session is open. `flightdeck new \"task\"` begins one, `flightdeck demo` shows one.");
        return Ok(0);
    }
    if !std::io::stdin().is_terminal() {
        return Ok(0);
    }
    print!("\nGo on with which one? [1-{}, empty = none] ", open.len());
    let _ = std::io::stdout().flush();
    let mut line = String::new();
    let _ = std::io::stdin().lock().read_line(&mut line);
    let chosen = line.trim().parse::<usize>().ok().and_then(|n| open.get(n.checked_sub(1)?));
    let Some(id) = chosen else { return Ok(0) };
    let drive =
        Drive { decision: "ask".into(), close: "ask".into(), reflection: "ask".into(), ..Drive::default() };
    resume::run(
        place,
        Resume { id: id.to_string(), who: Who::default(), limits: Limits::default(), drive, answer: None },
    )
}
