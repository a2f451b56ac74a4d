//! Which files a confined call gets: the system, the program with what it is made of, its scratch folder, its state.

use super::{Confinement, state};
use crate::agents::native::binary;
use crate::agents::process::vars::Vars;
use crate::agents::registry::{Kind, Native, Vendor};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Where one call happens.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub program: &'a Path,
    /// Which CLI a native vendor's program turned out to be.
    pub native: Option<Native>,
    /// Written at will, removed afterwards.
    pub scratch: &'a Path,
    /// More of the vendor's own state than its variables tell.
    pub state: &'a [PathBuf],
}

/// What every program needs to run at all. Not the homes, not the temporary folders, not what is mounted.
const SYSTEM: [&str; 15] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/proc", "/sys", "/run",
    "/nix", "/snap", "/gnu",
];

/// Where people's tool managers put interpreters and CLIs, below the home. Programs, no data.
const TOOLS: [&str; 22] = [
    ".local/bin",
    ".local/lib",
    ".local/share/uv",
    ".local/share/pnpm",
    ".local/share/fnm",
    ".local/share/mise",
    ".npm-global",
    ".nvm",
    ".fnm",
    ".n",
    ".volta",
    ".asdf",
    ".bun",
    ".deno",
    ".pyenv",
    ".nodenv",
    ".cargo/bin",
    ".linuxbrew",
    ".nix-profile",
    "miniconda3",
    "anaconda3",
    ".opencode/bin",
];

/// Files that decide about names and encryption for whoever calls the vendor's service, if somebody set them.
const FILES_NAMED_BY: [&str; 5] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "GOOGLE_APPLICATION_CREDENTIALS",
];

pub fn confinement(vendor: &Vendor, place: &Place, env: &Vars) -> Confinement {
    let home = env.get("HOME").map(PathBuf::from).unwrap_or_default();
    let mut read: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    read.extend(TOOLS.iter().map(|name| home.join(name)));
    read.extend(FILES_NAMED_BY.iter().filter_map(|name| env.get(name)).map(PathBuf::from));
    read.extend(program_files(place.program, &home, env, 3));
    // A program may be a script of a tool manager that starts another one from the search path.
    let found =
        env.get("PATH").map(|path| std::env::split_paths(path).collect::<Vec<_>>()).unwrap_or_default();
    read.extend(found.iter().filter_map(|dir| installation(&dir.join("x"), &home)));
    if let (Kind::Script, Some(dir)) = (&vendor.kind, place.program.parent()) {
        read.push(dir.to_path_buf());
    }
    // Devices, among them the null device that everybody writes to.
    let mut write = vec![PathBuf::from("/dev"), place.scratch.to_path_buf()];
    if let Some(native) = place.native {
        let state = state::of(native, env);
        state.made.iter().for_each(|dir| make(dir));
        write.extend(state.made.into_iter().chain(state.other));
    }
    write.extend(vendor.state.iter().chain(place.state).cloned());
    read.retain(|path| path.is_absolute());
    write.retain(|path| path.is_absolute());
    read.dedup();
    Confinement { read, write, wrapper: None }
}

fn make(dir: &Path) {
    use std::os::unix::fs::DirBuilderExt;
    // If it cannot be made, the CLI says so better than we could.
    let _ = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir);
}

/// The program, what is installed with it, and the interpreter that its first line names.
fn program_files(program: &Path, home: &Path, env: &Vars, depth: u8) -> Vec<PathBuf> {
    let real = program.canonicalize().unwrap_or_else(|_| program.to_path_buf());
    let mut files = vec![program.to_path_buf(), real.clone()];
    for path in [program, real.as_path()] {
        files.extend(installation(path, home));
    }
    if let Some(interpreter) = interpreter(&real, env).filter(|_| depth > 0) {
        files.extend(program_files(&interpreter, home, env, depth - 1));
    }
    files
}

/// The folder that an installer made for this program: the outermost `node_modules`, or the prefix around `bin`. A
/// prefix that is a home, or the common one below it, holds more than the program.
fn installation(path: &Path, home: &Path) -> Option<PathBuf> {
    let modules = path.ancestors().filter(|dir| dir.ends_with("node_modules")).last();
    if let Some(modules) = modules {
        return Some(modules.to_path_buf());
    }
    let dir = path.parent()?;
    let prefix = dir.parent().filter(|_| dir.ends_with("bin"));
    let is_own = |prefix: &Path| prefix != home && prefix != home.join(".local") && prefix.parent().is_some();
    let found = prefix.filter(|prefix| is_own(prefix)).unwrap_or(dir);
    Some(found.to_path_buf()).filter(|dir| dir != home && dir.parent().is_some())
}

/// What `#!` names; for `#!/usr/bin/env name` the command of that name.
fn interpreter(program: &Path, env: &Vars) -> Option<PathBuf> {
    let mut line = Vec::new();
    let file = BufReader::new(File::open(program).ok()?);
    file.take(512).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8_lossy(line.strip_prefix(b"#!")?).into_owned();
    let mut words = line.split_whitespace();
    let first = words.next()?;
    if Path::new(first).file_name()? != "env" {
        return Some(PathBuf::from(first));
    }
    binary::command(words.find(|word| !word.starts_with('-') && !word.contains('='))?, env)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn file(path: PathBuf, text: &str) -> PathBuf {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn pc_062_a_script_brings_its_interpreter_and_its_modules() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let home = root.join("home");
        let node = file(root.join("tools/node-22/bin/node"), "");
        let module = file(root.join("npm/node_modules/@v/cli/dist/main.mjs"), "#!/usr/bin/env -S node --x\n");
        let link = root.join("npm/bin/cli");
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&module, &link).unwrap();
        let env: Vars = [("PATH", node.parent().unwrap())].into_iter().collect();
        let files = program_files(&link, &home, &env, 3);
        for want in ["npm/node_modules", "npm/bin/cli", "tools/node-22"] {
            assert!(files.contains(&root.join(want)), "{want} in {files:?}");
        }
    }

    #[test]
    fn pc_062_a_home_is_no_installation() {
        let home = Path::new("/home/ada");
        let of = |path: &str| installation(Path::new(path), home).unwrap();
        assert_eq!(of("/home/ada/.local/bin/claude"), Path::new("/home/ada/.local/bin"));
        assert_eq!(of("/home/ada/bin/claude"), Path::new("/home/ada/bin"));
        assert_eq!(of("/home/ada/venv/bin/hermes"), Path::new("/home/ada/venv"));
        assert_eq!(of("/bin/sh"), Path::new("/bin"));
        assert_eq!(of("/x/codex"), Path::new("/x"));
        assert_eq!(installation(Path::new("/home/ada/claude"), home), None);
    }
}
