//! Are the facts true that a reply names? High precision only: what has no source is unverified, and that is valid
//! (PC-346).

use crate::domain::session::claim::{Checked, Claim, Finding, WpState, wp_state};
use crate::domain::session::evidence::{Evidence, Mark};
use crate::engine::wp::{Plans, WpId};
use crate::git::repo::{self, Repo};
use sha2::{Digest, Sha256};
use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};

/// How much of a file is read to count its lines, and how many names of a root are looked at. Beyond, the answer is
/// unverified.
const READ_LIMIT: u64 = 16 * 1024 * 1024;
const NAMES_LIMIT: usize = 50_000;

/// What a session may compare with.
pub struct Sources<'a> {
    /// Any folder of each of the session's repositories.
    pub repositories: &'a [PathBuf],
    /// Folders that the agents may know; nothing outside of them is looked at.
    pub roots: &'a [PathBuf],
    pub plans: &'a Plans,
}

/// Resolves each claim. Blocks on files and repositories.
pub fn check(claims: Vec<Claim>, sources: &Sources) -> Vec<Checked> {
    let desk = Desk::new(sources);
    claims.into_iter().map(|claim| Checked { finding: desk.judge(&claim), claim }).collect()
}

/// What is shown beside a turn about each of its facts.
pub fn evidence(claims: Vec<Claim>, sources: &Sources) -> Vec<Evidence> {
    let desk = Desk::new(sources);
    let judged = |claim: Claim| {
        let (mark, why) = match desk.judge(&claim) {
            Finding::Confirmed => (Mark::Confirmed, String::new()),
            Finding::Contradicted(why) => (Mark::NotFound, why),
            Finding::Unverified => (Mark::Unverified, String::new()),
        };
        let print = if mark == Mark::Confirmed { desk.print(&claim) } else { String::new() };
        Evidence { claim, mark, why, print }
    };
    claims.into_iter().map(judged).collect()
}

/// The same facts as they are now: what was there and is another one has changed. `None` when all is as it was.
pub fn again(items: &[Evidence], sources: &Sources) -> Option<Vec<Evidence>> {
    if items.iter().all(|item| item.print.is_empty()) {
        return None;
    }
    let desk = Desk::new(sources);
    let look = |item: &Evidence| {
        let is_same = item.print.is_empty() || desk.print(&item.claim) == item.print;
        let mark = match item.mark {
            Mark::Confirmed | Mark::ChangedSince if is_same => Mark::Confirmed,
            Mark::Confirmed => Mark::ChangedSince,
            other => other,
        };
        Evidence { mark, ..item.clone() }
    };
    let now: Vec<Evidence> = items.iter().map(look).collect();
    (now != items).then_some(now)
}

/// What is opened and listed once for all claims, when the first one needs it.
struct Desk<'a> {
    sources: &'a Sources<'a>,
    repositories: OnceCell<Vec<Repo>>,
    /// Links resolved.
    roots: Vec<PathBuf>,
    /// Every file below the roots; `None` when there are too many to say that one is absent.
    names: OnceCell<Option<Vec<PathBuf>>>,
}

impl<'a> Desk<'a> {
    fn new(sources: &'a Sources<'a>) -> Desk<'a> {
        let roots = sources.roots.iter().filter_map(|root| root.canonicalize().ok());
        Desk {
            repositories: OnceCell::new(),
            roots: roots.filter(|root| root.is_dir()).collect(),
            names: OnceCell::new(),
            sources,
        }
    }

    fn judge(&self, claim: &Claim) -> Finding {
        match claim {
            Claim::Commit { sha } => self.commit(sha),
            Claim::Lines { path, from, to, .. } => self.lines(path, *from, *to).0,
            Claim::File { path } => match self.lines(path, 1, 1) {
                (Finding::Confirmed, _) => Finding::Confirmed,
                _ => Finding::Unverified,
            },
            Claim::WpStatus { wp, status_word: status } => self.wp_status(wp, status),
        }
    }

    fn commit(&self, sha: &str) -> Finding {
        let repositories = self.repositories.get_or_init(|| {
            self.sources.repositories.iter().filter_map(|path| repo::discover(path).ok().flatten()).collect()
        });
        if repositories.iter().any(|repo| repo.resolves(sha)) {
            Finding::Confirmed
        } else if repositories.iter().any(|repo| !repo.is_partial()) {
            Finding::Contradicted(format!("{sha} is in none of the session's repositories"))
        } else {
            Finding::Unverified
        }
    }

    /// A hash of what a confirmed claim points at; empty for what does not change.
    fn print(&self, claim: &Claim) -> String {
        match claim {
            Claim::Lines { path, from, to, .. } => {
                let found = self.lines(path, *from, *to).1;
                found.and_then(|file| hash_of_lines(&file, *from, *to)).unwrap_or_default()
            }
            Claim::Commit { .. } | Claim::WpStatus { .. } | Claim::File { .. } => String::new(),
        }
    }

    /// The finding, and the file that confirms it.
    fn lines(&self, path: &str, from: u32, to: u32) -> (Finding, Option<PathBuf>) {
        if self.roots.is_empty() || from == 0 || to < from {
            return (Finding::Unverified, None);
        }
        let Some(wanted) = plain_path(path) else { return (Finding::Unverified, None) };
        let mut nearby: Vec<Place> = self.roots.iter().map(|root| self.place(&root.join(&wanted))).collect();
        if !nearby.iter().any(|place| matches!(place, Place::File(_))) && wanted.is_relative() {
            let Some(names) = self.names.get_or_init(|| names(&self.roots)) else {
                return (Finding::Unverified, None);
            };
            nearby.extend(names.iter().filter(|name| name.ends_with(&wanted)).map(|name| self.place(name)));
        }
        let (mut longest, mut unknown) = (None, false);
        for place in nearby {
            match place {
                Place::Absent => {}
                Place::Elsewhere => unknown = true,
                Place::File(file) => match line_count(&file, to) {
                    Some(lines) if lines >= to => return (Finding::Confirmed, Some(file)),
                    Some(lines) => longest = longest.max(Some(lines)),
                    None => unknown = true,
                },
            }
        }
        let finding = match longest {
            _ if unknown => Finding::Unverified,
            Some(lines) => Finding::Contradicted(format!("{path} has {lines} lines, not {to}")),
            None => Finding::Contradicted(format!("{path} is not in the folders of this session")),
        };
        (finding, None)
    }

    /// Links are followed only to see whether they stay inside; what leads out is not looked at.
    fn place(&self, path: &Path) -> Place {
        if !self.roots.iter().any(|root| path.starts_with(root)) {
            return Place::Elsewhere;
        }
        match path.canonicalize() {
            Ok(real) if !self.roots.iter().any(|root| real.starts_with(root)) => Place::Elsewhere,
            Ok(real) if real.is_file() => Place::File(real),
            Ok(_) => Place::Elsewhere,
            Err(error)
                if error.kind() == std::io::ErrorKind::NotFound && path.symlink_metadata().is_err() =>
            {
                Place::Absent
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Place::Absent,
            Err(_) => Place::Elsewhere,
        }
    }

    fn wp_status(&self, wp: &str, status: &str) -> Finding {
        let (Some(id), Some(claimed)) = (WpId::parse(wp), state(status)) else {
            return Finding::Unverified;
        };
        let written = self.sources.plans.statuses(id);
        let known: Vec<Option<WpState>> = written.iter().map(|status| state(status)).collect();
        if known.contains(&Some(claimed)) {
            Finding::Confirmed
        } else if known.is_empty() || known.contains(&None) {
            Finding::Unverified
        } else {
            Finding::Contradicted(format!("{id} is {} in the plan, not {status}", written.join(" and ")))
        }
    }
}

enum Place {
    File(PathBuf),
    Absent,
    /// Outside of the roots, not a regular file, or not readable.
    Elsewhere,
}

/// The state of a table cell or of a claimed word. Cells may add a word to their sign and wrap either in punctuation;
/// archived and merged are states that no claim can contradict.
fn state(text: &str) -> Option<WpState> {
    let bare = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{fe0f}' || c.is_ascii_punctuation());
    match bare.split_once(' ') {
        _ if bare == "⏳" => Some(WpState::Pending),
        Some((sign @ ("✅" | "🔄" | "⏳"), _)) => state(sign),
        _ => wp_state(bare),
    }
}

/// The path when it is one that may be looked for: not upwards, no odd parts. Text of agents is untrusted.
fn plain_path(path: &str) -> Option<PathBuf> {
    if path.is_empty() || path.starts_with('~') || path.len() > 1024 || path.chars().any(char::is_control) {
        return None;
    }
    let path: PathBuf =
        Path::new(path).components().filter(|part| !matches!(part, Component::CurDir)).collect();
    let ok = path.components().all(|part| matches!(part, Component::Normal(_) | Component::RootDir));
    (ok && path.file_name().is_some()).then_some(path)
}

/// `None` when the file cannot be read. The ends of lines do not count.
fn hash_of_lines(path: &Path, from: u32, to: u32) -> Option<String> {
    let reader = BufReader::new(File::open(path).ok()?.take(READ_LIMIT));
    let mut hash = Sha256::new();
    for line in reader.split(b'\n').skip(from as usize - 1).take((to - from) as usize + 1) {
        let line = line.ok()?;
        hash.update(line.trim_ascii_end());
        hash.update(b"\n");
    }
    Some(hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

/// Lines of the file, counted no further than `enough`. `None` when that cannot be said.
fn line_count(path: &Path, enough: u32) -> Option<u32> {
    let mut file = File::open(path).ok()?.take(READ_LIMIT);
    let (mut lines, mut open_line) = (0_u32, false);
    let mut buffer = [0; 64 * 1024];
    loop {
        let n = file.read(&mut buffer).ok()?;
        if n == 0 {
            break;
        }
        lines += buffer[..n].iter().filter(|byte| **byte == b'\n').count() as u32;
        open_line = buffer[n - 1] != b'\n';
        if lines >= enough {
            return Some(lines);
        }
    }
    if file.limit() == 0 {
        return None;
    }
    // Editors number the one line of an empty file, too.
    Some((lines + u32::from(open_line)).max(1))
}

/// Every file below the roots without following links; `.git` holds no file that a reply could mean.
fn names(roots: &[PathBuf]) -> Option<Vec<PathBuf>> {
    let (mut files, mut folders, mut seen) = (Vec::new(), roots.to_vec(), 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).ok()? {
            let entry = entry.ok()?;
            seen += 1;
            if seen > NAMES_LIMIT {
                return None;
            }
            match entry.file_type().ok()? {
                kind if kind.is_dir() && entry.file_name() == ".git" => {}
                kind if kind.is_dir() => folders.push(entry.path()),
                _ => files.push(entry.path()),
            }
        }
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::wp::WpRow;
    use std::os::unix::fs::symlink;

    fn find(claim: Claim, repositories: &[PathBuf], roots: &[PathBuf], plans: &Plans) -> Finding {
        check(vec![claim], &Sources { repositories, roots, plans }).remove(0).finding
    }

    fn lines(path: &str, from: u32, to: u32, roots: &[PathBuf]) -> Finding {
        find(Claim::Lines { path: path.into(), from, to, line_in_reply: 1 }, &[], roots, &Plans::default())
    }

    fn contradicted(finding: &Finding) -> bool {
        matches!(finding, Finding::Contradicted(_))
    }

    fn tree() -> (tempfile::TempDir, Vec<PathBuf>) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::write(root.join("src/three.rs"), "1\n2\n3\n").unwrap();
        fs::write(root.join("src/deep/two.rs"), "1\n2").unwrap();
        fs::write(root.join("empty"), "").unwrap();
        fs::write(dir.path().join("secret.txt"), "1\n").unwrap();
        (dir, vec![root])
    }

    #[test]
    fn pc_346_a_range_must_lie_within_its_file() {
        let (_dir, roots) = tree();
        assert_eq!(lines("src/three.rs", 3, 3, &roots), Finding::Confirmed);
        assert_eq!(lines("./src/three.rs", 1, 3, &roots), Finding::Confirmed);
        assert_eq!(
            lines("src/deep/two.rs", 2, 2, &roots),
            Finding::Confirmed,
            "a last line without a line break"
        );
        assert_eq!(lines("three.rs", 2, 2, &roots), Finding::Confirmed, "named from a folder inside");
        assert_eq!(
            lines(roots[0].join("src/three.rs").canonicalize().unwrap().to_str().unwrap(), 1, 1, &roots),
            Finding::Confirmed
        );
        assert_eq!(lines("empty", 1, 1, &roots), Finding::Confirmed);
        let finding = lines("src/three.rs", 2, 4, &roots);
        assert_eq!(finding, Finding::Contradicted("src/three.rs has 3 lines, not 4".into()));
        assert!(contradicted(&lines("src/none.rs", 1, 1, &roots)));
        assert!(contradicted(&lines("src/three.rs/x.rs", 1, 1, &roots)));
    }

    #[test]
    fn pc_346_what_has_no_source_is_unverified() {
        let (_dir, roots) = tree();
        assert_eq!(lines("src/three.rs", 1, 1, &[]), Finding::Unverified);
        assert_eq!(lines("src/three.rs", 1, 1, &[PathBuf::from("/no/such/root")]), Finding::Unverified);
        for (path, from, to) in
            [("src/three.rs", 0, 0), ("src/three.rs", 3, 2), ("src", 1, 1), ("", 1, 1), ("a\0b", 1, 1)]
        {
            assert_eq!(lines(path, from, to, &roots), Finding::Unverified, "{path}:{from}-{to}");
        }
    }

    #[test]
    fn pc_346_untrusted_paths_never_leave_the_roots() {
        let (dir, roots) = tree();
        symlink(dir.path().join("secret.txt"), roots[0].join("link.txt")).unwrap();
        symlink(dir.path(), roots[0].join("up")).unwrap();
        symlink("nowhere", roots[0].join("dangling")).unwrap();
        let absolute = dir.path().join("secret.txt").display().to_string();
        for path in [
            "../secret.txt",
            "src/../../secret.txt",
            "../../etc/passwd",
            "/etc/passwd",
            &absolute,
            "link.txt",
            "up/secret.txt",
            "dangling",
            "/dev/zero",
            "~/x",
            "..",
            "/",
        ] {
            let finding = lines(path, 1, 99, &roots);
            assert!(
                finding == Finding::Unverified || path == "~/x" && contradicted(&finding),
                "{path}: {finding:?}"
            );
        }
        symlink("src/three.rs", roots[0].join("inside.rs")).unwrap();
        assert_eq!(lines("inside.rs", 3, 3, &roots), Finding::Confirmed);
    }

    #[test]
    fn pc_346_large_files_are_not_read_whole() {
        let (_dir, roots) = tree();
        let file = File::create(roots[0].join("sparse.bin")).unwrap();
        file.set_len(READ_LIMIT * 64).unwrap();
        assert_eq!(lines("sparse.bin", 2, 2, &roots), Finding::Unverified);
    }

    #[test]
    fn pc_346_commits_need_a_full_clone_to_be_contradicted() {
        let dir = tempfile::tempdir().unwrap();
        let repository = git2::Repository::init(dir.path()).unwrap();
        let blob = repository.blob(b"x").unwrap().to_string();
        let here = [dir.path().to_path_buf()];
        let commit = |sha: &str, repositories: &[PathBuf]| {
            find(Claim::Commit { sha: sha.into() }, repositories, &[], &Plans::default())
        };
        assert_eq!(commit(&blob, &here), Finding::Confirmed);
        assert_eq!(commit(&blob[..7], &here), Finding::Confirmed);
        assert!(contradicted(&commit("0123456789abcdef", &here)));
        assert_eq!(commit("0123456789abcdef", &[]), Finding::Unverified);
        assert_eq!(commit("0123456789abcdef", &[PathBuf::from("/no/repository")]), Finding::Unverified);
        fs::write(dir.path().join(".git/shallow"), "0123456789012345678901234567890123456789\n").unwrap();
        assert_eq!(commit("0123456789abcdef", &here), Finding::Unverified);
    }

    #[test]
    fn pc_346_wp_status_against_registry_and_plan() {
        let row = |id, status: &str| WpRow { id: WpId(id), title: String::new(), status: status.into() };
        let plans = Plans {
            registry: Some(vec![
                row(7, "✅"),
                row(8, "🔄"),
                row(9, "?"),
                row(10, ""),
                row(12, "⏳ pending"),
                row(13, "📦"),
            ]),
            week: Some(vec![row(8, "pending")]),
        };
        let status = |wp: &str, word: &str| {
            find(Claim::WpStatus { wp: wp.into(), status_word: word.into() }, &[], &[], &plans)
        };
        assert_eq!(status("WP-007", "done"), Finding::Confirmed);
        assert_eq!(
            status("WP-7", "in_progress"),
            Finding::Contradicted("WP-7 is ✅ in the plan, not in_progress".into())
        );
        assert!(contradicted(&status("WP-7", "в работе")));
        assert_eq!(status("WP-8", "Pending."), Finding::Confirmed, "one of two sources agrees");
        assert!(contradicted(&status("WP-8", "завершён")));
        for (wp, word) in [
            ("WP-9", "done"),
            ("WP-10", "done"),
            ("WP-11", "done"),
            ("WP-13", "done"),
            ("WP-7", "splendid"),
            ("x", "done"),
        ] {
            assert_eq!(status(wp, word), Finding::Unverified, "{wp} {word}");
        }
    }
}
