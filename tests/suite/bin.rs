//! Runs the built program as a stranger would have it: an empty home, no variables but what it needs, UTC.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Long enough for a loaded machine; a program that hangs fails its test instead of the whole run.
const PATIENCE: Duration = Duration::from_secs(120);

/// A home of its own, with the program in it. Everything below [`Bin::path`] is removed at the end.
pub struct Bin {
    temp: TempDir,
    /// The folder's path with links resolved, as children may print it.
    real: PathBuf,
    vars: Vec<(String, String)>,
}

/// How a run ended. In both texts the path of the temporary folder is `<tmp>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// `None` when a signal or the test's patience ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Bin {
    pub fn new() -> Bin {
        let temp = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(temp.path()).unwrap();
        for folder in ["home", "tmp", "run", "work"] {
            fs::create_dir(temp.path().join(folder)).unwrap();
        }
        Bin { temp, real, vars: Vec::new() }
    }

    /// The temporary folder: `home`, `tmp`, and `work`, where the program starts.
    pub fn path(&self) -> &Path {
        self.temp.path()
    }

    /// Sets a variable for all later runs.
    pub fn var(mut self, name: &str, value: impl AsRef<OsStr>) -> Bin {
        self.vars.push((name.to_string(), value.as_ref().to_string_lossy().into_owned()));
        self
    }

    pub fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Ran {
        self.run_with(args, "")
    }

    /// Runs with a text on stdin.
    pub fn run_with<S: AsRef<OsStr>>(&self, args: &[S], stdin: &str) -> Ran {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_flightdeck"));
        let home = self.path().join("home");
        command
            .args(args)
            .env_clear()
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_DATA_HOME", home.join(".local/share"))
            .env("XDG_STATE_HOME", home.join(".local/state"))
            .env("XDG_CACHE_HOME", home.join(".cache"))
            .env("XDG_RUNTIME_DIR", self.path().join("run"))
            .env("TMPDIR", self.path().join("tmp"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TZ", "UTC")
            .env("LANG", "C.UTF-8")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            // Stops git from finding a repository above the temporary folder.
            .env("GIT_CEILING_DIRECTORIES", self.path())
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Pilot")))
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "pilot@example.invalid")))
            .envs(self.vars.iter().map(|(name, value)| (name, value)))
            .current_dir(self.path().join("work"))
            .write_stdin(stdin)
            .timeout(PATIENCE);
        let output = command.output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: self.plain(&output.stdout),
            stderr: self.plain(&output.stderr),
        }
    }

    fn plain(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes);
        // The resolved path first: it may contain the other one.
        [&self.real, &self.path().to_path_buf()]
            .into_iter()
            .fold(text.into_owned(), |text, path| text.replace(&*path.to_string_lossy(), "<tmp>"))
    }
}

#[test]
fn the_version_names_the_program_and_leaves_nothing_behind() {
    let bin = Bin::new();
    let ran = bin.run(&["--version"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(ran.stdout.starts_with(concat!("flightdeck ", env!("CARGO_PKG_VERSION"))), "{}", ran.stdout);
    assert_eq!(fs::read_dir(bin.path().join("home")).unwrap().count(), 0, "--version wrote something");
}

#[test]
fn paths_of_the_run_are_normalised() {
    let bin = Bin::new().var("FLIGHTDECK_SESSIONS_DIR", "/nowhere/sessions");
    let ran = bin.run(&["config"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("/nowhere/sessions"), "variables reach the program: {}", ran.stdout);
    assert!(!ran.stdout.contains(&*bin.path().to_string_lossy()), "{}", ran.stdout);
}
