//! An agent that verifies by running (PC-530), after the project's own commands. Its word counts only when it is a
//! verdict; whatever else comes of the call is no pass.

use super::crew::Crew;
use super::implement;
use super::job::Shop;
use crate::agents::call::{Call as AgentCall, Outcome};
use crate::agents::privacy::pii;
use crate::agents::registry::Vendor;
use crate::domain::effect::Call;
use crate::domain::fact::Usage;
use crate::domain::lang::Lang;
use crate::domain::session::pipeline::verdict::{self, Verdict};
use crate::domain::session::secret::Find;
use crate::engine::desk::Caller;
use crate::engine::prompt::verify::{self, VerifyPrompt};
use crate::engine::runner::Runner;
use crate::engine::secrets;

/// Lines of its answer that go into the verdict's file.
const LINES: usize = 120;

/// The call, ready to be made.
#[derive(Clone)]
pub struct Verifier {
    vendor: Vendor,
    call: AgentCall,
    caller: Caller,
    lang: Lang,
}

/// What came of it.
pub enum Said {
    Verdict(Verdict, String),
    Cancelled,
}

/// The session's verifier, if it has one. It may not be called yet when its prompt holds what looks like a secret: that is
/// asked before the commands run, which can take long.
pub fn ready(runner: &Runner, crew: &Crew, call: &Call) -> Result<Option<Verifier>, Vec<Find>> {
    let s = &runner.session;
    let Some(vendor) = crew.verifier.clone() else { return Ok(None) };
    let lang = s.meta.lang();
    let track = s.notes.track.clone().unwrap_or_default();
    let prompt = verify::verify(&VerifyPrompt {
        lang,
        session: s.meta.session_id.as_str(),
        summary: &implement::summary(s),
        files: track.edit.as_ref().map(|e| e.files.as_slice()).unwrap_or_default(),
        trees: &track.trees,
    });
    let prompt = secrets::checked(runner, &vendor, prompt)?;
    let call = AgentCall {
        vendor: vendor.key.clone(),
        purpose: call.purpose,
        session: s.meta.session_id.to_string(),
        round: call.round,
        attempt: call.attempt,
        prompt,
        model: runner.desk.model.clone(),
        add_dir: None,
        conversation: None,
        runtime: runner.recorder().runtime().to_path_buf(),
        extra_env: runner.desk.places.script_env(),
        work: Some(implement::places(runner)),
        leave: None,
    };
    Ok(Some(Verifier { vendor, call, caller: runner.desk.caller.clone(), lang }))
}

impl Verifier {
    /// Calls it. The text begins with who was called, so that the verdict's file can be read back. A call whose tokens
    /// are not known is a call all the same.
    pub async fn run(self, shop: &Shop) -> (Said, Usage) {
        let key = self.vendor.key.clone();
        let lang = self.lang;
        let head = verdict::named(&key);
        let none = |why: &str, answer: &str| {
            let text = lang.pick(
                "gave no verdict, and no verdict is not passed",
                "не дал вердикта; нет вердикта — не значит прошло",
            );
            Said::Verdict(Verdict::NotRun, format!("{head}\n\n{key} {text}: {why}\n\n{answer}"))
        };
        shop.notice(format!("{key} {}", lang.pick("verifies by running it", "проверяет запуском")));
        let outcome =
            (self.caller)(self.vendor, self.call, shop.progress.clone(), Box::pin(shop.cancelled())).await;
        let usage = match &outcome {
            Outcome::Reply(reply) => reply.usage.clone(),
            _ => None,
        };
        let said = match outcome {
            Outcome::Cancelled => Said::Cancelled,
            Outcome::Failed(failure) => {
                let detail = pii::tail(&failure.detail, 5);
                none(&format!("{} · {detail}", failure.reason), "")
            }
            Outcome::Reply(reply) => {
                let answer = format!("{}\n\n", pii::tail(&reply.text, LINES));
                match verdict::said(&reply.text) {
                    Some(verdict) => Said::Verdict(verdict, format!("{head}\n\n{answer}")),
                    None => none(
                        lang.pick(
                            "its answer does not end in `VERDICT: PASS` or `VERDICT: FAIL`",
                            "его ответ не кончается на `VERDICT: PASS` или `VERDICT: FAIL`",
                        ),
                        &answer,
                    ),
                }
            }
        };
        (said, usage.unwrap_or_default())
    }
}
