//! What is started for a call: program, arguments, environment, stdin.

use super::files::Scratch;
use super::{Refusal, Surroundings};
use crate::agents::acp;
use crate::agents::call::Call;
use crate::agents::contract::Code;
use crate::agents::native::{self, Feed, Request};
use crate::agents::process::{Spec, Stdin, hold::Hold, vars::Vars};
use crate::agents::registry::{Kind, Native, Sandbox, Vendor};
use crate::agents::sandbox::{self, Decision, Place};
use crate::domain::lang::Both;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// A stream of events is several times as long as the text that it carries.
const STREAM_FACTOR: u64 = 16;

/// How long a CLI may take to say what a conversation has cost. Without an answer it is unknown.
const ACCOUNT_DEADLINE: Duration = Duration::from_secs(30);

pub struct Plan {
    pub spec: Spec,
    pub speech: Speech,
    pub note: Option<String>,
    /// What keeps the child in its place, one line.
    pub sandbox: Both,
    /// Keeps stdin open until it is dropped.
    pub feed: Option<UnboundedSender<Vec<u8>>>,
    /// Asks the CLI afterwards what its conversation has cost so far.
    pub account: Option<Spec>,
    /// Where the CLI tells what the call cost.
    pub usage_file: Option<PathBuf>,
    /// The vendor's own conversation that the call goes on with.
    pub conversation: Option<String>,
}

/// How stdout is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Speech {
    /// It is the reply.
    Reply,
    /// Events of a CLI.
    Native { native: Native, is_resumed: bool },
    /// Messages of the Agent Client Protocol; they carry this prompt in.
    Acp { prompt: String, conversation: Option<String> },
}

/// `add_dir` is what the call may read: for a native vendor the filtered copy. `native` is the program that was found
/// behind a native vendor's name. `time` is what is left of the deadline; `hold` stops its clock.
pub fn plan(
    around: &Surroundings,
    vendor: &Vendor,
    call: &Call,
    add_dir: Option<&Path>,
    scratch: &Scratch,
    native: Option<Native>,
    (time, hold): (Duration, Option<Hold>),
) -> Result<Plan, Refusal> {
    let general = |detail: String| (Code::General as u8, detail);
    let model = if call.model.is_empty() { vendor.model.as_str() } else { call.model.as_str() };
    let conversation = call.conversation.as_deref().filter(|_| vendor.supports.session_id);
    let cap = vendor.output_cap as u64;
    let ours = |prompt: &str| match &around.prompt_filter {
        Some(filter) => filter(prompt),
        None => Ok(prompt.to_string()),
    };
    let mut feed = None;
    let mut note = None;
    let mut usage_file = None;
    let mut account = None;
    let mut state = Vec::new();
    let (program, args, mut env, stdin, cap, speech) = match &vendor.kind {
        Kind::Pilot => {
            return Err(general(format!("{} writes by hand; there is nothing to call", vendor.key)));
        }
        Kind::Native(named) => {
            let native = native.unwrap_or(*named);
            let model = if vendor.supports.model { model } else { "" };
            let prompt = native::prompt(native, ours(&call.prompt)?);
            let setup = scratch.setup();
            let work = call.work.as_ref();
            let request = Request { model, add_dir, conversation, prompt: &prompt, setup, work };
            let start = native::invocation(native, vendor, &request, &around.env).map_err(general)?;
            scratch.prepare(&start.files).map_err(|e| cannot_prepare(scratch, &e))?;
            note = start.note;
            state = start.state;
            usage_file = start.usage_file.map(|name| setup.join(name));
            account = start.account;
            let stdin = match start.feed {
                Feed::Stdin => Stdin::Whole(prompt.into_bytes()),
                Feed::Argument => Stdin::Whole(Vec::new()),
                Feed::Wire(text) => fed(&mut feed, text.into_bytes()),
            };
            let cap = cap.saturating_mul(STREAM_FACTOR);
            let speech = Speech::Native { native, is_resumed: conversation.is_some() };
            (start.program, start.args, start.env, stdin, cap, speech)
        }
        Kind::Acp => {
            let bin = vendor.bin.clone().unwrap_or_default();
            let program = native::binary::named(&bin, &around.env).ok_or_else(|| {
                general(format!(
                    "`bin` of {} is not an executable: {}; correct it, or install the program",
                    vendor.key,
                    bin.display()
                ))
            })?;
            scratch.prepare(&[]).map_err(|e| cannot_prepare(scratch, &e))?;
            let mut env = native::plain_environment(&around.env);
            acp::ENVIRONMENT.iter().for_each(|(name, value)| env.set(name, value));
            vendor.env.iter().for_each(|(name, value)| env.set(name, value));
            let args = vendor.args.iter().map(OsString::from).collect();
            let conversation = conversation.map(String::from);
            let speech = Speech::Acp { prompt: native::plain_prompt(ours(&call.prompt)?), conversation };
            let cap = cap.saturating_mul(STREAM_FACTOR);
            (program, args, env, fed(&mut feed, Vec::new()), cap, speech)
        }
        Kind::Script | Kind::Rehearsal { .. } => {
            let (program, args, env) = script(around, vendor, call, add_dir, model, conversation)?;
            (program, args, env, Stdin::Whole(call.prompt.clone().into_bytes()), cap, Speech::Reply)
        }
    };
    describe(&mut env, vendor, call);
    if speech != Speech::Reply || call.work.is_some() {
        scratch.prepare(&[]).map_err(|e| cannot_prepare(scratch, &e))?;
        env.set("TMPDIR", scratch.temporary());
    }
    let program = std::path::absolute(&program).unwrap_or(program);
    let native = match &speech {
        Speech::Native { native, .. } => Some(*native),
        _ => None,
    };
    let place = Place { program: &program, native, scratch: scratch.root(), state: &state };
    let (decision, confinement) = sandbox::confinement(vendor, call, &place, &env);
    if let Decision::Refused(why) = &decision {
        return Err(general(format!(
            "{}: `sandbox: {}` cannot be enforced: {why}; the call was not made",
            vendor.key,
            if vendor.sandbox == Some(Sandbox::Bubblewrap) { "bubblewrap" } else { "required" }
        )));
    }
    let cwd = call.work.as_ref().map_or_else(|| scratch.work(), |work| &work.dir);
    let account = account.map(|args| Spec {
        program: program.clone(),
        args,
        env: env.clone(),
        cwd: scratch.work().to_path_buf(),
        stdin: Stdin::Whole(Vec::new()),
        deadline: ACCOUNT_DEADLINE,
        idle: None,
        hold: None,
        output_cap: cap,
        confinement: confinement.clone(),
    });
    let spec = Spec {
        program,
        args,
        env,
        cwd: cwd.to_path_buf(),
        stdin,
        deadline: time,
        idle: vendor.idle,
        hold,
        output_cap: cap,
        confinement,
    };
    let conversation = conversation.map(String::from);
    let sandbox = if call.work.is_some() { decision.editing_text() } else { decision.text() };
    Ok(Plan { spec, speech, note, sandbox, feed, account, usage_file, conversation })
}

/// A CLI that lives in an unusual place says only that it may not read it.
pub fn hint(is_confined: bool, stderr: &str) -> &'static str {
    let is_denied = stderr.contains("Permission denied") || stderr.contains("EACCES");
    match is_confined && is_denied {
        true => "; it runs in the sandbox: name its folders in `state`, or set `sandbox: off`",
        false => "",
    }
}

fn fed(feed: &mut Option<UnboundedSender<Vec<u8>>>, first: Vec<u8>) -> Stdin {
    let (sender, receiver) = unbounded_channel();
    let _ = sender.send(first);
    *feed = Some(sender);
    Stdin::Fed(receiver)
}

fn cannot_prepare(scratch: &Scratch, error: &std::io::Error) -> Refusal {
    let root = scratch.root().display();
    (Code::General as u8, format!("cannot write below {root}: {error}; check the folder"))
}

/// Program, arguments and environment of an adapter that keeps the contract.
fn script(
    around: &Surroundings,
    vendor: &Vendor,
    call: &Call,
    add_dir: Option<&Path>,
    model: &str,
    conversation: Option<&str>,
) -> Result<(PathBuf, Vec<OsString>, Vars), Refusal> {
    let general = |detail: String| (Code::General as u8, detail);
    let (program, mut args) = match &vendor.kind {
        Kind::Rehearsal { story, role } => {
            let own =
                std::env::current_exe().map_err(|e| general(format!("cannot find this program: {e}")))?;
            (vendor.bin.clone().unwrap_or(own), vec!["rehearse".into(), story.into(), role.into()])
        }
        _ => {
            let missing = || {
                general(format!("there is no adapter for {}; set `vendors.{}.path`", vendor.key, vendor.key))
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
    Ok((program, args, env))
}

/// Tells the adapter what the call is for.
fn describe(env: &mut Vars, vendor: &Vendor, call: &Call) {
    env.set("FLIGHTDECK_CALL", call.purpose.key());
    env.set("FLIGHTDECK_SESSION", &call.session);
    env.set("FLIGHTDECK_ROUND", call.round.to_string());
    env.set("FLIGHTDECK_ATTEMPT", call.attempt.to_string());
    if let Some(work) = &call.work {
        let trees = work.trees.iter().map(|(name, at)| (name.clone(), at.to_string_lossy().into()));
        let map: serde_json::Map<String, serde_json::Value> = trees.collect();
        env.set("FLIGHTDECK_WORKTREES", serde_json::Value::from(map).to_string());
    }
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
