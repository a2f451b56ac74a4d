//! The evidence lane: what a turn names is looked up when it has spoken, and what earlier turns named is looked at again
//! (PC-346). It is shown and decides nothing.

use super::facts;
use super::runner::Runner;
use crate::domain::fact::Fact;
use crate::domain::session::claim;
use crate::domain::session::turn::TurnName;
use crate::store::record::StoreError;

/// So many earlier turns are looked at again: their lines are read once a turn.
const AGAIN: usize = 20;

/// After a call: the facts of its turn, if it became one, and changes under those of the turns before.
pub fn look(runner: &mut Runner, name: &TurnName) -> Result<(), StoreError> {
    let known = &runner.session.notes.evidence;
    let Some(turn) = runner.session.turn(name).filter(|_| known.iter().all(|(of, _)| of != name)) else {
        return Ok(());
    };
    let claims = claim::named(turn.body());
    let sources = runner.desk.sources();
    let before = known.iter().rev().take(AGAIN);
    let mut found: Vec<(TurnName, _)> =
        before.filter_map(|(of, items)| Some((of.clone(), facts::again(items, &sources)?))).collect();
    if !claims.is_empty() {
        found.push((name.clone(), facts::evidence(claims, &sources)));
    }
    for (turn, items) in found {
        runner.record(Fact::Evidence { turn, items })?;
    }
    Ok(())
}
