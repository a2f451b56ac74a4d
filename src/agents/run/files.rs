//! The files of a call below the runtime folder: lock, record, capture, scratch folders (PC-069, PC-070, PC-706).

use crate::agents::call::{Call, Purpose, Usage};
use crate::agents::contract::Code;
use crate::agents::native::{Content, Prepared};
use crate::agents::process::kill::{Target, end_foreign};
use crate::agents::process::tree::{self, Seen};
use crate::agents::registry::Vendor;
use rustix::fs::OFlags;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Takes the lock or says who has it. The system frees it when this process ends, however it ends.
pub fn lock(path: &Path) -> Result<File, (Code, String)> {
    let wrong = |e: io::Error| {
        (Code::General, format!("cannot use the lock {}: {e}; check the folder", path.display()))
    };
    let mut file = open_private(path, false).map_err(wrong)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let who = fs::read_to_string(path).unwrap_or_default();
            let who: String = who.chars().take_while(char::is_ascii_digit).collect();
            return Err((
                Code::Busy,
                format!("a call with the same key is running (process {who}, {})", path.display()),
            ));
        }
        Err(TryLockError::Error(e)) => return Err(wrong(e)),
    }
    let own = tree::own();
    // The text is for people; only the lock counts.
    let _ =
        file.set_len(0).and_then(|()| file.write_all(format!("{} {}\n", own.pid, own.started_at).as_bytes()));
    Ok(file)
}

/// `<runtime>/call.json`: the running call, for the engine that comes after a dead one.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LastCall {
    pub pid: u32,
    /// In the system's own unit; only compared.
    pub started_at: u64,
    /// The variable by which its processes are known.
    pub mark: String,
    pub vendor: String,
    pub purpose: Purpose,
    pub round: u32,
    pub attempt: u32,
}

impl LastCall {
    /// `None` when there is no call, or the file is not readable.
    pub fn read(runtime: &Path) -> Option<LastCall> {
        serde_json::from_slice(&fs::read(runtime.join(CALL_FILE)).ok()?).ok()
    }

    /// When it was written, in seconds.
    pub fn written(runtime: &Path) -> Option<i64> {
        fs::metadata(runtime.join(CALL_FILE)).ok().map(|m| m.mtime())
    }
}

const CALL_FILE: &str = "call.json";

/// Ends the adapter that a dead engine left running, with everything it started, and forgets it (PC-706). Must only be
/// asked by the owner of the session. Tells which call it was when something still ran.
pub async fn reap_stale(runtime: &Path) -> Option<LastCall> {
    let last = LastCall::read(runtime);
    let mut was_running = false;
    if let Some(last) = &last {
        let root = Seen { pid: last.pid, started_at: last.started_at };
        was_running = tree::is_alive(root);
        end_foreign(&Target { root, mark: last.mark.clone() }).await;
    }
    let _ = fs::remove_file(runtime.join(CALL_FILE));
    last.filter(|_| was_running)
}

/// Writes `call.json` when the child exists and removes it at the end.
#[derive(Debug)]
pub struct Record {
    path: PathBuf,
    call: LastCall,
}

impl Record {
    pub fn new(runtime: &Path, vendor: &Vendor, call: &Call) -> Record {
        let call = LastCall {
            pid: 0,
            started_at: 0,
            mark: String::new(),
            vendor: vendor.key.clone(),
            purpose: call.purpose,
            round: call.round,
            attempt: call.attempt,
        };
        Record { path: runtime.join(CALL_FILE), call }
    }

    /// For work that is no call to a vendor; `who` is the program.
    pub fn of(runtime: &Path, who: &str, purpose: Purpose) -> Record {
        let call = LastCall {
            pid: 0,
            started_at: 0,
            mark: String::new(),
            vendor: who.to_string(),
            purpose,
            round: 0,
            attempt: 1,
        };
        Record { path: runtime.join(CALL_FILE), call }
    }

    pub fn write(&mut self, target: &Target) {
        self.call.pid = target.root.pid;
        self.call.started_at = target.root.started_at;
        self.call.mark.clone_from(&target.mark);
        // One write, no sync: after a power cut the adapter is gone too. A full disk only costs the clean-up after a
        // crash and shall not fail the call.
        if let Ok(text) = serde_json::to_vec(&self.call) {
            let _ = open_private(&self.path, true).and_then(|mut file| file.write_all(&text));
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if self.call.pid != 0 {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// stdout of the last call of a vendor as it came: `<runtime>/calls/<vendor>.out`.
#[derive(Debug)]
pub struct Capture {
    path: PathBuf,
    file: Option<File>,
}

impl Capture {
    /// A capture is evidence, not part of the call: when it cannot be written, the call goes on.
    pub fn new(runtime: &Path, vendor: &str) -> Capture {
        let path = runtime.join(format!("calls/{vendor}.out"));
        let file = open_private(&path, true).ok();
        Capture { path, file }
    }

    pub fn write(&mut self, piece: &[u8]) {
        if self.file.as_mut().is_some_and(|file| file.write_all(piece).is_err()) {
            self.file = None;
        }
    }

    pub fn discard(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Keeps the line of a vendor's last call when it failed: `<runtime>/calls/<vendor>.failure`. For `doctor` only, so a
/// disk that is full does not matter.
pub fn note_failure(runtime: &Path, vendor: &str, detail: Option<&str>) {
    let path = runtime.join(format!("calls/{vendor}.failure"));
    let _ = match detail {
        Some(detail) => open_private(&path, true).and_then(|mut file| file.write_all(detail.as_bytes())),
        None => fs::remove_file(path),
    };
}

/// What a vendor's conversation had cost after its last call: `<runtime>/calls/<vendor>.total`.
pub fn total(runtime: &Path, vendor: &str, conversation: &str) -> Option<Usage> {
    let text = fs::read(runtime.join(format!("calls/{vendor}.total"))).ok()?;
    let (id, total): (String, Usage) = serde_json::from_slice(&text).ok()?;
    Some(total).filter(|_| id == conversation)
}

/// When it cannot be written, the next turn's cost is unknown, and nothing else.
pub fn note_total(runtime: &Path, vendor: &str, conversation: &str, total: &Usage) {
    let path = runtime.join(format!("calls/{vendor}.total"));
    if let Ok(text) = serde_json::to_vec(&(conversation, total)) {
        let _ = open_private(&path, true).and_then(|mut file| file.write_all(&text));
    }
}

/// The newest of these lines below a folder of runtime folders, and when it was written.
pub fn last_failure(root: &Path, vendor: &str) -> Option<(std::time::SystemTime, String)> {
    let name = format!("calls/{vendor}.failure");
    let below = root.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let files = below.chain([root.to_path_buf()]).map(|dir| dir.join(&name));
    let dated = files.filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)));
    let (at, path) = dated.max()?;
    Some((at, fs::read_to_string(path).ok()?))
}

/// The empty folder in which a call runs, and beside it a temporary folder, what is prepared for the CLI, and the place
/// of a filtered copy (PC-062, PC-063). What a call leaves there is removed at its end; the empty folder stays for the
/// next one.
#[derive(Debug)]
pub struct Scratch {
    root: PathBuf,
    work: PathBuf,
    copy: PathBuf,
    setup: PathBuf,
    temporary: PathBuf,
    /// A CLI whose home is there keeps its conversations in it.
    keeps_setup: bool,
}

impl Scratch {
    pub fn new(runtime: &Path, vendor: &Vendor) -> io::Result<Scratch> {
        let root = runtime.join(format!("scratch/{}", vendor.key));
        let scratch = Scratch {
            work: root.join("work"),
            copy: root.join("copy"),
            setup: root.join("setup"),
            temporary: root.join("tmp"),
            root,
            keeps_setup: vendor.supports.session_id,
        };
        // A crash may have left something.
        scratch.clear();
        make_dir(&scratch.work)?;
        Ok(scratch)
    }

    /// All of them.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn setup(&self) -> &Path {
        &self.setup
    }

    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Lays out what a CLI is to find, and the temporary folder.
    pub fn prepare(&self, files: &[Prepared]) -> io::Result<()> {
        make_dir(&self.temporary)?;
        make_dir(&self.setup)?;
        for file in files {
            let path = self.setup.join(&file.name);
            // From an earlier call; a link is replaced and not written through.
            match fs::remove_file(&path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => {}
            }
            if let Some(dir) = path.parent() {
                make_dir(dir)?;
            }
            match &file.content {
                Content::Text(text) => open_private(&path, true)?.write_all(text.as_bytes())?,
                Content::Link(to) => std::os::unix::fs::symlink(to, &path)?,
            }
        }
        Ok(())
    }

    pub fn work(&self) -> &Path {
        &self.work
    }

    /// Does not exist until the filter makes it.
    pub fn copy(&self) -> &Path {
        &self.copy
    }

    fn clear(&self) {
        if self.work.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
            remove_tree(&self.work);
        }
        remove_tree(&self.copy);
        remove_tree(&self.temporary);
        if !self.keeps_setup {
            remove_tree(&self.setup);
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Removes a folder that may contain read-only folders. Links are removed, never followed.
pub fn remove_tree(root: &Path) {
    if fs::remove_dir_all(root).is_ok() || !root.exists() {
        return;
    }
    let mut dirs = vec![root.to_path_buf()];
    while let Some(dir) = dirs.pop() {
        let _ = fs::set_permissions(&dir, fs::Permissions::from_mode(0o700));
        let entries = dir.read_dir().into_iter().flatten().flatten();
        dirs.extend(entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path()));
    }
    let _ = fs::remove_dir_all(root);
}

/// A folder that only the user may enter: prompts and replies are private.
pub fn make_dir(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Opens a file for writing that only the user may read; makes its folder when it is missing. A link is an error: in a
/// shared folder such as `/tmp` somebody else may have put it there.
fn open_private(path: &Path, truncate: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options
        .write(true)
        .create(true)
        .truncate(truncate)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits() as i32);
    let open = || options.open(path);
    match (open(), path.parent()) {
        (Err(e), Some(dir)) if e.kind() == io::ErrorKind::NotFound => {
            make_dir(dir)?;
            open()
        }
        (result, _) => result,
    }
}
