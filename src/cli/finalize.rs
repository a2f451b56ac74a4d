//! `finalize`: write the report of an interrupted session and close it (Y.2).

use super::args::{Finalize, Place};
use super::context::{self, Context};
use super::error::{CliError, Kind};
use super::line::{self, View};
use super::{finish, resume};
use crate::domain::session::phase::{Phase, phase};
use crate::domain::session::state::ReportState;
use crate::domain::session::turn::TurnName;

pub fn run(place: &Place, args: Finalize) -> Result<u8, CliError> {
    let limits = super::args::Limits::default();
    let context = Context::calling(place, &args.who, &limits, args.drive.is_here())?;
    let id = context::id(&args.id)?;
    let mut policy = context.policy(&args.drive)?;
    policy.headless = true;
    let (sender, updates) = tokio::sync::mpsc::unbounded_channel();
    let mut runner = resume::open(&context, &id, policy, args.who.model.as_deref(), Some(sender))?;
    if !runner.session.has(&TurnName::writer(0)) {
        return Err(CliError::failed(format!(
            "{id} has no opening position (00-writer.md), so there is nothing to report"
        )));
    }
    if matches!(runner.session.report, ReportState::Final { stub: false })
        && phase(&runner.session) == Phase::Closed
    {
        if !args.force {
            return Err(CliError::new(
                Kind::Failed,
                format!("{id} has a report already"),
                "--force replaces it",
            ));
        }
        runner.session.report = ReportState::Final { stub: true };
    }
    runner.session.live.finalizing = true;
    let view = if args.drive.json { View::Json } else { View::Lines };
    let (runner, ended) =
        line::drive(runner, updates, (view, context.lang()), None).map_err(CliError::failed)?;
    finish::report(&runner, &id, ended, args.drive.json)
}
