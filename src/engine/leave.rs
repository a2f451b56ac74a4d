//! What the running agent asks leave for, on its way to the pilot and back. The pilot gets one request at a time; the
//! agent's call does not run out of time meanwhile (`agents::process::hold`).

use super::ask;
use super::runner::Runner;
use crate::agents::call::{Asking, Leave};
use crate::agents::registry::{Permissions, Vendor};
use crate::domain::effect::Call;
use crate::domain::fact::Fact;
use crate::domain::session::permission::keys;
use crate::store::record::StoreError;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

/// The requests of the running call; empty when nothing runs, or when the vendor's requests are refused.
#[derive(Debug, Default)]
pub struct Asks {
    requests: Option<UnboundedReceiver<Asking>>,
    pending: Option<Pending>,
    deadline: Duration,
    patience: Duration,
}

#[derive(Debug)]
struct Pending {
    id: String,
    asking: Asking,
    since: Instant,
}

/// The two ends of the way, where the vendor's requests come to the pilot.
pub fn open(vendor: &Vendor) -> (Option<Leave>, Asks) {
    if vendor.permissions == Permissions::Refuse {
        return (None, Asks::default());
    }
    let (leave, requests) = Leave::new();
    let (deadline, patience) = (vendor.deadline, vendor.patience);
    (Some(leave), Asks { requests: Some(requests), pending: None, deadline, patience })
}

impl Asks {
    /// The next request, once the one before it is answered.
    pub async fn next(&mut self) -> Asking {
        if self.pending.is_none()
            && let Some(requests) = &mut self.requests
        {
            match requests.recv().await {
                Some(asking) => return asking,
                None => self.requests = None,
            }
        }
        std::future::pending().await
    }

    /// Makes it a question.
    pub fn ask(&mut self, runner: &mut Runner, call: &Call, asking: Asking) -> Result<(), StoreError> {
        let question = ask::permission::question(&runner.session, call, &asking.request, runner.clock.now());
        let id = question.id.clone();
        runner.record(Fact::Asked { question })?;
        runner.wakes.push((id.clone(), self.patience.as_secs().max(1)));
        self.pending = Some(Pending { id, asking, since: Instant::now() });
        Ok(())
    }

    /// The question that stands.
    pub fn standing(&self) -> Option<&str> {
        self.pending.as_ref().map(|pending| pending.id.as_str())
    }

    /// Tells the agent. Gives the seconds that the call may take from now on.
    pub fn answer(&mut self, choice: &str) -> Option<u64> {
        let Pending { asking, since, .. } = self.pending.take()?;
        let offer = keys(&asking.request.offers).iter().position(|key| key == choice);
        // Nobody may listen any more; then its end is on its way.
        let _ = asking.answer.send(offer);
        self.deadline += since.elapsed();
        Some(self.deadline.as_secs())
    }
}
