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

pub fn args(request: &Request, vendor: &Vendor) -> Vec<OsString> {
    let mut args: Vec<OsString> = Vec::new();
    if vendor.supports.session_id {
        args.push("chat".into());
    }
    args.extend(NO_TOOLS.map(OsString::from));
    if !request.model.is_empty() {
        args.extend(["-m".into(), request.model.into()]);
    }
    if !vendor.supports.session_id {
        args.extend(["--usage-file".into(), request.setup.join(USAGE_FILE).into()]);
        args.extend(vendor.args.iter().map(OsString::from));
        // One word, so that no prompt is taken for an option.
        args.push(format!("--oneshot={}", request.prompt).into());
        return args;
    }
    args.push("-Q".into());
    if let Some(id) = request.conversation {
        args.extend(["--resume".into(), id.into()]);
    }
    args.extend(vendor.args.iter().map(OsString::from));
    args.push(format!("--query={}", request.prompt).into());
    args
}
