//! `override`: the pilot overrules the bookkeeping of a participant (PC-354).

use super::args::{Overrule, Place};
use super::context::{self, Context};
use super::error::{CliError, Kind};
use super::resume;
use crate::domain::input::{Input, Override};
use crate::domain::policy::Policy;
use crate::domain::session::turn::TurnName;
use crate::store::{compose, frontmatter, layout};

pub fn run(place: &Place, args: Overrule) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    let id = context::id(&args.id)?;
    let policy = Policy { headless: true, ..Policy::default() };
    let mut runner = resume::open(&context, &id, policy, None, None)?;
    let peers: Vec<String> = runner.session.peers().into_iter().map(|p| p.vendor).collect();
    if !peers.contains(&args.vendor) {
        let cause = format!("{id}: {:?} takes no part in it", args.vendor);
        return Err(CliError::usage(cause, format!("its peers are: {}", peers.join(", "))));
    }
    runner.hold();
    let how = match args.how.as_str() {
        "rerun" => Override::Rerun,
        "fail" => Override::Fail,
        _ => {
            let last =
                runner.session.rejected.iter().rfind(|r| r.name.vendor() == Some(&args.vendor)).cloned();
            let last = last.ok_or_else(|| {
                CliError::usage(
                    format!("{} has no reply that was kept aside", args.vendor),
                    "only a rejected reply can be accepted; rerun or fail works without one",
                )
            })?;
            let path = runner.recorder().dir().join(layout::rejected(&last.name.stem(), last.k));
            let text =
                std::fs::read(&path).map_err(|e| CliError::failed(format!("{}: {e}", path.display())))?;
            let text = String::from_utf8_lossy(&text).into_owned();
            let reply = text.split_once("\n\n").map_or("", |(_, reply)| reply);
            let name = TurnName::peer_of(last.name.number, &args.vendor);
            Override::Accept(frontmatter::turn(name, compose::peer_text(reply)))
        }
    };
    let before = runner.session.clone();
    runner.feed(Input::Override { vendor: args.vendor.clone(), how }).map_err(CliError::failed)?;
    if runner.session.same_on_disk(&before) {
        let next = "only a peer of a round-loop that has not replied in the running round can be overruled";
        return Err(CliError::new(
            Kind::Usage,
            format!("{id}: nothing was changed for {}", args.vendor),
            next,
        ));
    }
    println!("{}: {}; `flightdeck resume {id}` goes on", args.vendor, args.how);
    Ok(0)
}
