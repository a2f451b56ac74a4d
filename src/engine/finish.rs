//! F10 and F11: self-check, commit, push, semaphore; and the daily ledger.

use super::guard::{self, Guard};
use super::ledger;
use super::runner::Runner;
use super::wp::WpId;
use crate::domain::effect::Consent;
use crate::domain::input::Input;
use crate::domain::lang::Lang;
use crate::domain::policy::Permit;
use crate::domain::session::meta::Status;
use crate::domain::session::slug::brief;
use crate::git::commit::{self, CommitOutcome, PushOutcome, Refused};
use crate::store::{index, layout};
use std::fs;
use std::path::PathBuf;

/// Commits the session as the pilot allowed it. A refusal becomes a question, never a bypass (PC-542, PC-645).
pub fn commit(runner: &Runner, consent: Option<Consent>) -> Input {
    let policy = &runner.policy;
    let (commit, push) = match consent {
        Some(consent) => (Permit::from(consent.commit), Permit::from(consent.push)),
        None => (policy.commit, policy.push),
    };
    let layout = runner.recorder().layout();
    let root = &layout.governance;
    let lang = runner.session.meta.lang();
    match commit {
        Permit::No => {
            let why = "not committed: commits are off for this run";
            return done(None, false, vec![lang.pick(why, "нет commit: в этом запуске он выключен").into()]);
        }
        Permit::Ask if policy.headless => {
            let why = "not committed: nobody was asked (allow it with --commit)";
            let ru = "нет commit: спросить некого (разреши его через --commit)";
            return done(None, false, vec![lang.pick(why, ru).into()]);
        }
        Permit::Ask if crate::git::repo::discover(root).ok().flatten().is_none() => {
            return done(None, false, vec![no_repository(lang)]);
        }
        Permit::Ask => {
            let text = match lang {
                Lang::En => format!("Commit the session's files in {}?", root.display()),
                Lang::Ru => format!("Сделать commit файлов сессии в {}?", root.display()),
            };
            return Input::CommitRefused { text };
        }
        Permit::Yes => {}
    }
    if let Some(text) = self_check(runner) {
        return Input::CommitRefused { text };
    }
    let guard = session_guard(runner);
    let id = &runner.session.meta.session_id;
    let mut notes = Vec::new();
    if guard.semaphore(id).is_some_and(|s| s.needs_renewal(runner.clock.now())) {
        let _ = guard.renew(id);
    }
    let paths: Vec<PathBuf> = vec![runner.recorder().dir().to_path_buf(), layout.index(), layout.orz(id)];
    let env = runner.desk.places.script_env();
    let message = format!("feat(peer): {id} — {}", brief(&runner.session.meta.task_description, 50));
    let sha = match commit::commit(root, &paths, &message, &env) {
        Ok(CommitOutcome::Done(sha)) => Some(sha),
        Ok(CommitOutcome::Nothing) => {
            notes.push(lang.pick("nothing to commit", "для commit нет изменений").into());
            None
        }
        Ok(CommitOutcome::NoRepository) => {
            return done(None, false, vec![no_repository(lang)]);
        }
        Err(refused) => return Input::CommitRefused { text: refusal(&refused, lang) },
    };
    let pushed = match push {
        Permit::Yes => match commit::push(root, &env) {
            Ok(PushOutcome::Pushed) => true,
            Ok(PushOutcome::NoUpstream | PushOutcome::NoRepository) => {
                let ru = "нет push: у ветки нет upstream";
                notes.push(lang.pick("not pushed: the branch has no upstream", ru).into());
                false
            }
            Err(refused) => {
                // The session stays completed locally and the semaphore open (PC-645).
                let (pending, run) =
                    (lang.pick("push pending", "push не сделан"), lang.pick("run", "выполни"));
                notes.push(format!(
                    "{pending}: {} — {run}: git -C {} push",
                    refusal(&refused, lang),
                    root.display()
                ));
                return done(sha, false, notes);
            }
        },
        _ => false,
    };
    if pushed {
        notes.extend(guard::close_lines(&guard.close(id), runner.session.meta.lang()));
    }
    done(sha, pushed, notes)
}

/// The guard of the session's writer.
pub fn session_guard(runner: &Runner) -> Guard {
    let agent = runner.desk.writer(&runner.session).map(|v| v.guard_agent).unwrap_or_default();
    Guard::new(&runner.desk.places, &agent)
}

/// Writes the reflection to the daily ledger; a line for the pilot when it could not.
pub fn ledger(runner: &Runner, answer: &str) -> Option<String> {
    let meta = &runner.session.meta;
    let date = super::clock::local_date(runner.clock.now());
    runner.desk.places.active_iwe()?;
    let data = ledger::reflection(WpId::parse(&meta.task_id), answer);
    ledger::line(&ledger::append(&runner.desk.places, &date, &data), meta.lang())
}

fn done(sha: Option<String>, pushed: bool, notes: Vec<String>) -> Input {
    Input::Committed { sha, pushed, notes }
}

fn no_repository(lang: Lang) -> String {
    lang.pick("not committed: not a git repository", "нет commit: это не репозиторий git").to_string()
}

fn refusal(refused: &Refused, lang: Lang) -> String {
    format!("{} {}: {}", refused.step, lang.pick("was refused", "отклонён"), refused.stderr.trim())
}

/// PC-646, for closed sessions: what must be true before the commit.
fn self_check(runner: &Runner) -> Option<String> {
    if runner.session.meta.status != Status::Completed {
        return None;
    }
    let (dir, layout) = (runner.recorder().dir(), runner.recorder().layout());
    let id = &runner.session.meta.session_id;
    let rows = index::count(&String::from_utf8_lossy(&fs::read(layout.index()).unwrap_or_default()), id);
    let lang = runner.session.meta.lang();
    let both = |en: String, ru: String| if lang == Lang::En { en } else { ru };
    let orz = layout.orz(id);
    let checks = [
        (
            !dir.join(layout::REPORT).exists(),
            both("report.md is missing: put it back".into(), "нет report.md: верни его на место".into()),
        ),
        (
            dir.join(layout::DRAFT).exists(),
            both(
                "report-draft.md is there beside report.md: report.md counts, so move the draft away".into(),
                "рядом с report.md лежит report-draft.md: считается report.md, убери черновик".into(),
            ),
        ),
        (
            !orz.exists(),
            both(
                format!("{} is missing: put it back", orz.display()),
                format!("нет {}: верни его на место", orz.display()),
            ),
        ),
        (
            rows != 1,
            both(
                format!("the index has {rows} rows of this session: leave one"),
                format!("строк этой сессии в индексе: {rows}; оставь одну"),
            ),
        ),
    ];
    let wrong: Vec<String> = checks.into_iter().filter(|(bad, _)| *bad).map(|(_, text)| text).collect();
    let head = lang.pick("Self-check before the commit", "Самопроверка перед commit");
    let then = lang.pick("Then answer yes.", "Потом ответь yes.");
    (!wrong.is_empty()).then(|| format!("{head}: {}. {then}", wrong.join("; ")))
}

impl From<bool> for Permit {
    fn from(allowed: bool) -> Permit {
        if allowed { Permit::Yes } else { Permit::No }
    }
}
