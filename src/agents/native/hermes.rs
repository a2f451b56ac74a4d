//! Command line of `hermes`. It takes the prompt as an argument only. A one-shot call writes a usage file, by which alone
//! its errors are told from replies, but cannot go on with a session; `chat` can, and has no such file.

use super::Request;
use crate::agents::registry::Vendor;
use std::ffi::OsString;

/// The prefixes of its own variables.
pub const OWN_VARIABLES: &[&str] = &["HERMES_", "NOUS_", "OPENROUTER_"];

pub const USAGE_FILE: &str = "usage.json";

/// This set has no tool; an empty list would mean all of them.
const NO_TOOLS: [&str; 3] = ["-t", "context_engine", "--ignore-rules"];

/// The conversation that the call goes on with.
pub fn resumed<'a>(request: &Request<'a>, vendor: &Vendor) -> Option<&'a str> {
    request.conversation.filter(|_| vendor.supports.session_id)
}

/// The first call of a conversation is a one-shot call too: its session is kept, and can be gone on with.
pub fn args(request: &Request, vendor: &Vendor) -> Vec<OsString> {
    let resumed = resumed(request, vendor);
    let mut args: Vec<OsString> = Vec::new();
    if resumed.is_some() {
        args.push("chat".into());
    }
    args.extend(NO_TOOLS.map(OsString::from));
    if !request.model.is_empty() {
        args.extend(["-m".into(), request.model.into()]);
    }
    let (more, prompt): ([OsString; 2], &str) = match resumed {
        Some(id) => (["--resume".into(), id.into()], "--query"),
        None => (["--usage-file".into(), request.setup.join(USAGE_FILE).into()], "--oneshot"),
    };
    if resumed.is_some() {
        args.push("-Q".into());
    }
    args.extend(more);
    args.extend(vendor.args.iter().map(OsString::from));
    // One word, so that no prompt is taken for an option.
    args.push(format!("{prompt}={}", request.prompt).into());
    args
}

/// A resumed session writes no usage file, but its own store has the sums.
pub fn account(id: &str) -> Vec<OsString> {
    ["sessions", "export", "--session-id", id, "-"].map(OsString::from).into()
}
