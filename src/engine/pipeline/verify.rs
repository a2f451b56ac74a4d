//! The project's own checks (PC-530): commands of the configuration, whose exit codes decide, and after them the verifier,
//! if there is one.

use super::crew::Crew;
use super::job::Shop;
use super::verifier::{Said, Verifier};
use crate::agents::privacy::pii;
use crate::agents::shell::{self, How};
use crate::config::implementation::RepoSetting;
use crate::domain::effect::Purpose;
use crate::domain::fact::Usage;
use crate::domain::input::CallResult;
use crate::domain::session::pipeline::change::Tree;
use crate::domain::session::pipeline::verdict::Verdict;
use std::path::Path;

/// Lines of a command's output that go into the verdict's file.
const LINES: usize = 60;

/// Runs the checks of every repository that changed. A failure ends its repository's list, not the others'. The usage is
/// the verifier's, when it was called.
pub async fn verify(
    shop: &Shop,
    crew: &Crew,
    number: u32,
    verifier: Option<Verifier>,
) -> Result<(CallResult, Option<Usage>), String> {
    let (mut text, mut failed, mut unchecked) = (String::new(), false, false);
    for setting in &crew.setting.repos {
        let changed = shop.track.edit.as_ref().is_some_and(|e| e.of(&setting.name).next().is_some());
        let tree = shop.track.trees.iter().find(|t| t.name == setting.name).filter(|_| changed);
        let Some(tree) = tree else { continue };
        if setting.verify.is_empty() {
            unchecked = true;
            text.push_str(&format!("{}: no verify command is configured; not run\n\n", setting.name));
        }
        match repo(shop, setting, tree, number, &mut text).await? {
            Some(true) => {}
            Some(false) => failed = true,
            None => return Ok((CallResult::Cancelled, None)),
        }
    }
    let verdict = match (failed, unchecked || text.is_empty()) {
        (true, _) => Verdict::Fail,
        (false, true) => Verdict::NotRun,
        (false, false) => Verdict::Pass,
    };
    // What a command refuses no agent can pass; what no command checks it can, because it runs things too.
    let Some(verifier) = verifier.filter(|_| !failed) else {
        return Ok((CallResult::Verified { verdict, text }, None));
    };
    let (said, usage) = verifier.run(shop).await;
    let result = match said {
        Said::Cancelled => CallResult::Cancelled,
        Said::Verdict(verdict, said) => CallResult::Verified { verdict, text: said + &text },
    };
    Ok((result, Some(usage)))
}

/// False when a command failed, `None` when it was stopped.
async fn repo(
    shop: &Shop,
    setting: &RepoSetting,
    tree: &Tree,
    number: u32,
    text: &mut String,
) -> Result<Option<bool>, String> {
    for (n, line) in setting.verify.iter().enumerate() {
        shop.notice(format!("{} {}/{}: $ {line}", setting.name, n + 1, setting.verify.len()));
        let log = format!("verify-{number:02}-{}-{}.log", setting.name, n + 1);
        let command = shop.command(line, Path::new(&tree.path), setting.deadline, &log, Purpose::Verify);
        let ended = shell::run(command, &*shop.progress, shop.cancelled()).await?;
        if ended.how == How::Cancelled {
            return Ok(None);
        }
        let seconds = ended.elapsed.as_secs_f64();
        text.push_str(&format!(
            "{}: $ {line}\n{} after {seconds:.1} s; the whole output is {log} in the runtime folder\n\n{}\n\n",
            setting.name,
            ended.how,
            pii::tail(&ended.tail, LINES)
        ));
        if ended.how != How::Exit(Some(0)) {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}
