//! What is started for a call: program, arguments, environment, stdin.

use super::{Refusal, Surroundings};
use crate::agents::call::Call;
use crate::agents::contract::Code;
use crate::agents::native::{self, Request};
use crate::agents::process::{Spec, vars::Vars};
use crate::agents::registry::{Kind, Native, Vendor};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A stream of events is several times as long as the text that it carries.
const STREAM_FACTOR: u64 = 16;

pub struct Plan {
    pub spec: Spec,
    /// Whose events stdout consists of; `None` when stdout is the reply.
    pub native: Option<Native>,
    pub is_resumed: bool,
    pub note: Option<String>,
}

/// `add_dir` is what the call may read: for a native vendor the filtered copy.
pub fn plan(
    around: &Surroundings,
    vendor: &Vendor,
    call: &Call,
    add_dir: Option<&Path>,
    cwd: &Path,
) -> Result<Plan, Refusal> {
    let general = |detail: String| (Code::General as u8, detail);
    let model = if call.model.is_empty() { vendor.model.as_str() } else { call.model.as_str() };
    let conversation = call.conversation.as_deref().filter(|_| vendor.supports.session_id);
    let cap = vendor.output_cap as u64;
    let spec = |program: PathBuf, args: Vec<OsString>, env: Vars, prompt: String, output_cap: u64| Spec {
        program: std::path::absolute(&program).unwrap_or(program),
        args,
        env,
        cwd: cwd.to_path_buf(),
        stdin: prompt.into_bytes(),
        deadline: vendor.deadline,
        idle: vendor.idle,
        output_cap,
    };
    match &vendor.kind {
        Kind::Pilot => Err(general(format!("{} writes by hand; there is nothing to call", vendor.key))),
        Kind::Native(native) => {
            let model = if vendor.supports.model { model } else { "" };
            let request = Request { model, add_dir, conversation };
            let start = native::invocation(*native, vendor, &request, &around.env).map_err(general)?;
            let mut env = start.env;
            describe(&mut env, vendor, call);
            let prompt = match &around.prompt_filter {
                Some(filter) => filter(&call.prompt)?,
                None => call.prompt.clone(),
            };
            let prompt = native::prompt(*native, prompt);
            let cap = cap.saturating_mul(STREAM_FACTOR);
            let spec = spec(start.program, start.args, env, prompt, cap);
            Ok(Plan { spec, native: Some(*native), is_resumed: conversation.is_some(), note: start.note })
        }
        Kind::Script | Kind::Rehearsal { .. } => {
            let (program, mut args) = match &vendor.kind {
                Kind::Rehearsal { story, role } => {
                    let own = std::env::current_exe()
                        .map_err(|e| general(format!("cannot find this program: {e}")))?;
                    (vendor.bin.clone().unwrap_or(own), vec!["rehearse".into(), story.into(), role.into()])
                }
                _ => {
                    let missing = || {
                        general(format!(
                            "there is no adapter for {}; set `vendors.{}.path`",
                            vendor.key, vendor.key
                        ))
                    };
                    (vendor.path.clone().ok_or_else(missing)?, Vec::new())
                }
            };
            let mut option = |flag: &str, value: OsString| args.extend([OsString::from(flag), value]);
            if vendor.supports.model && !model.is_empty() {
                option("--model", model.into());
            }
            if let Some(dir) = add_dir {
                option("--add-dir", dir.into());
            }
            if let Some(id) = conversation {
                option("--session-id", id.into());
            }
            args.extend(vendor.args.iter().map(OsString::from));
            let mut env = around.env.clone();
            call.extra_env.iter().chain(&vendor.env).for_each(|(name, value)| env.set(name, value));
            describe(&mut env, vendor, call);
            Ok(Plan {
                spec: spec(program, args, env, call.prompt.clone(), cap),
                native: None,
                is_resumed: false,
                note: None,
            })
        }
    }
}

/// Tells the adapter what the call is for.
fn describe(env: &mut Vars, vendor: &Vendor, call: &Call) {
    env.set("FLIGHTDECK_CALL", call.purpose.key());
    env.set("FLIGHTDECK_SESSION", &call.session);
    env.set("FLIGHTDECK_ROUND", call.round.to_string());
    env.set("FLIGHTDECK_ATTEMPT", call.attempt.to_string());
    // Ours must not leak into a peer call from an outer plain one.
    if call.purpose.is_plain() {
        env.set("IWE_PEER_PLAIN", "1");
    } else {
        env.remove("IWE_PEER_PLAIN");
    }
    // The adapter's own clock shall not cut a longer deadline short, and ours shall end it first, with its class.
    if !vendor.env.iter().any(|(name, _)| name == "IWE_PEER_TIMEOUT_SECONDS") {
        let own = vendor.deadline + Duration::from_secs(5);
        env.set("IWE_PEER_TIMEOUT_SECONDS", (own.as_millis().div_ceil(1000)).to_string());
    }
}
