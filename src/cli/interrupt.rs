//! `interrupt`: stop a session; its files stay (Y.1).

use super::args::{Interrupt, Place};
use super::context::{self, Context};
use super::error::{CliError, Kind};
use super::hand::{self, Handed};
use super::resume;
use crate::domain::input::Input;
use crate::domain::session::meta::Status;
use crate::store::runtime::{self, Message};

pub fn run(place: &Place, args: Interrupt) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    let id = context::id(&args.id)?;
    let message = Message { question: runtime::INTERRUPT.into(), text: String::new() };
    if let Handed::To(pid) = hand::over(&context.layout.runtime(&id), &message)? {
        println!("told the engine (process {pid}) to interrupt {id}");
        return Ok(0);
    }
    let mut policy = context.policy(&args.drive)?;
    policy.headless = true;
    let mut runner = resume::open(&context, &id, policy, None, None)?;
    match runner.session.meta.status {
        Status::Completed => {
            return Err(CliError::new(
                Kind::Failed,
                format!("{id} is completed, so there is nothing to interrupt"),
                "`flightdeck show` prints its result",
            ));
        }
        Status::Interrupted => println!("{id} is interrupted already; nothing was changed"),
        Status::Started => {
            runner.feed(Input::Interrupt).map_err(CliError::failed)?;
            println!("{id} is interrupted; `flightdeck finalize {id}` writes its report");
            if let Some(text) = &runner.session.notes.commit_refused {
                return Err(CliError::new(
                    Kind::Waiting,
                    text,
                    format!("mend it, then `flightdeck answer {id} commit yes`"),
                ));
            }
        }
    }
    Ok(0)
}
