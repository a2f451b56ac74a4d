//! Where flightdeck keeps things, resolved once at start (section 0.3, PC-000), and why there.

use super::layers::{Effective, Origin};
use crate::domain::lang::Lang;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// The environment, as a function so that tests need not touch the real one.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Every place of this run. All paths are absolute; none of them has to exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    pub sessions: PathBuf,
    pub why: Why,
    /// Present when an IWE installation is named by variables or found on disk, wherever the sessions are.
    pub iwe: Option<Iwe>,
    /// True when the sessions are those of the governance repository. Only then do WP lookup, session-guard, ledger
    /// and the commit without a question apply.
    pub in_iwe: bool,
    /// Holds one folder per session, outside every repository (section 0.3).
    pub runtime_root: PathBuf,
    /// What the program remembers between sessions.
    pub state_dir: PathBuf,
    /// Configuration files that are looked for, in layer order.
    pub config_files: Vec<PathBuf>,
}

/// An IWE installation (section 0.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Iwe {
    pub workspace: PathBuf,
    pub governance: PathBuf,
    pub governance_name: String,
    pub template: PathBuf,
    /// `IWE_TEMPLATE` is set; only then does it lead the search for adapters (PC-032).
    pub template_set: bool,
    pub scripts: PathBuf,
    /// The script that writes the ledger.
    pub ledger: PathBuf,
}

/// Why the sessions are where they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// A flag, a variable or a configuration file says so.
    Set(Origin),
    /// `IWE_WORKSPACE` or `IWE_GOVERNANCE_REPO` is set.
    IweVariables,
    /// The governance repository exists at its usual place.
    IweTree,
    GitRoot(PathBuf),
    UserData,
    /// Whoever started this engine chose them: each of its screens may have a reason of its own.
    Starter,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Set(origin) => write!(f, "set by {origin}"),
            Why::IweVariables => f.write_str("IWE_WORKSPACE or IWE_GOVERNANCE_REPO is set"),
            Why::IweTree => f.write_str("the governance repository of an IWE tree exists"),
            Why::GitRoot(root) => {
                write!(f, "the current folder belongs to the repository {}", root.display())
            }
            Why::UserData => f.write_str("no repository here, so the user data folder"),
            Why::Starter => f.write_str("those of this engine; `flightdeck doctor` in a shell says why"),
        }
    }
}

impl Why {
    /// In the pilot's language.
    pub fn text(&self, lang: Lang) -> String {
        match (self, lang) {
            (_, Lang::En) => self.to_string(),
            (Why::Set(origin), _) => format!("задано: {origin}"),
            (Why::IweVariables, _) => "задана IWE_WORKSPACE или IWE_GOVERNANCE_REPO".into(),
            (Why::IweTree, _) => "есть управляющий репозиторий дерева IWE".into(),
            (Why::GitRoot(root), _) => format!("текущая папка принадлежит репозиторию {}", root.display()),
            (Why::UserData, _) => "репозитория здесь нет, поэтому папка данных пользователя".into(),
            (Why::Starter, _) => {
                "сессии этого движка; почему они, скажет `flightdeck doctor` в оболочке".into()
            }
        }
    }
}

/// A place cannot be named. Both cases come from an environment without `HOME`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacesError {
    NoSessions,
    NoState,
}

impl fmt::Display for PlacesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PlacesError::NoSessions => {
                "no place for sessions: HOME is not set and there is no repository here. Set HOME, or give --sessions-dir"
            }
            PlacesError::NoState => {
                "no place for the program's own state: HOME is not set. Set HOME or XDG_STATE_HOME"
            }
        })
    }
}

impl std::error::Error for PlacesError {}

/// The configuration files to look for, each with the folder where its relative paths start, which is its own: the
/// user's, then the project's.
pub fn config_files(env: Env, cwd: &Path) -> Vec<(PathBuf, PathBuf)> {
    let user = xdg(env, "XDG_CONFIG_HOME", ".config").map(|config| config.join("flightdeck"));
    let project = project_folder(cwd);
    user.map(|folder| (folder.join("config.yaml"), folder))
        .into_iter()
        .chain([(project.join("config.yaml"), project)])
        .collect()
}

/// The configuration file that comes with the project of `cwd`.
pub fn project_file(cwd: &Path) -> PathBuf {
    project_folder(cwd).join("config.yaml")
}

fn project_folder(cwd: &Path) -> PathBuf {
    git_root(cwd).unwrap_or_else(|| cwd.to_path_buf()).join(".flightdeck")
}

/// Where the program keeps what it remembers between sessions.
pub fn state_dir(env: Env) -> Result<PathBuf, PlacesError> {
    let state = xdg(env, "XDG_STATE_HOME", ".local/state").map(|state| state.join("flightdeck"));
    state.ok_or(PlacesError::NoState)
}

/// Resolves every place. Reads variables through `env` and asks the file system only what exists.
pub fn resolve(config: &Effective, env: Env, cwd: &Path) -> Result<Places, PlacesError> {
    let iwe = iwe(env);
    let (sessions, why) = sessions(config, env, cwd, iwe.as_ref())?;
    let sessions = settled(&sessions);
    let in_iwe = iwe.as_ref().is_some_and(|iwe| settled(&iwe.governance.join("sessions")) == sessions);
    let state_dir = state_dir(env)?;
    let runtime_root = match iwe.as_ref().filter(|_| in_iwe) {
        Some(iwe) => iwe.workspace.join(".iwe-runtime/peer-sessions"),
        None => state_dir.join("sessions").join(short_hash(&sessions)),
    };
    let config_files = config_files(env, cwd).into_iter().map(|(path, _)| path).collect();
    Ok(Places { sessions, why, iwe, in_iwe, runtime_root, state_dir, config_files })
}

impl Places {
    /// The governance repository, when the sessions belong to it.
    pub fn governance(&self) -> Option<&Path> {
        self.active_iwe().map(|iwe| iwe.governance.as_path())
    }

    /// The IWE tree, when the sessions belong to it.
    pub fn active_iwe(&self) -> Option<&Iwe> {
        self.iwe.as_ref().filter(|_| self.in_iwe)
    }

    /// What scripts of the skill family need to find their tree (PC-000). Empty without an IWE installation.
    pub fn script_env(&self) -> Vec<(String, String)> {
        let Some(iwe) = &self.iwe else { return Vec::new() };
        let text = |path: &Path| path.display().to_string();
        let workspace = text(&iwe.workspace);
        [
            ("IWE_ROOT", workspace.clone()),
            ("IWE_DIR", workspace.clone()),
            ("IWE_WORKSPACE", workspace),
            ("IWE_GOVERNANCE_REPO", iwe.governance_name.clone()),
            ("IWE_TEMPLATE", text(&iwe.template)),
            ("IWE_SCRIPTS", text(&iwe.scripts)),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_string(), value))
        .collect()
    }
}

fn sessions(
    config: &Effective,
    env: Env,
    cwd: &Path,
    iwe: Option<&Iwe>,
) -> Result<(PathBuf, Why), PlacesError> {
    if let Some(dir) = &config.values.sessions_dir {
        return Ok((dir.clone(), Why::Set(config.origin("sessions_dir"))));
    }
    if let Some(iwe) = iwe {
        let sessions = iwe.governance.join("sessions");
        if set(env, "IWE_WORKSPACE").is_some() || set(env, "IWE_GOVERNANCE_REPO").is_some() {
            return Ok((sessions, Why::IweVariables));
        }
        if iwe.governance.is_dir() {
            return Ok((sessions, Why::IweTree));
        }
    }
    if let Some(root) = git_root(cwd) {
        return Ok((root.join("sessions"), Why::GitRoot(root)));
    }
    let data = xdg(env, "XDG_DATA_HOME", ".local/share").ok_or(PlacesError::NoSessions)?;
    Ok((data.join("flightdeck/sessions"), Why::UserData))
}

/// `None` when no variable names an installation and none lies at the usual place.
fn iwe(env: Env) -> Option<Iwe> {
    let home = set(env, "HOME").map(PathBuf::from);
    let at_home = |tail: &str| home.as_ref().map(|home| home.join("IWE").join(tail));
    let workspace =
        set(env, "IWE_WORKSPACE").map(PathBuf::from).or_else(|| Some(home.as_ref()?.join("IWE")))?;
    let workspace = std::path::absolute(&workspace).unwrap_or(workspace);
    let governance_name = set(env, "IWE_GOVERNANCE_REPO").map_or_else(
        || "DS-strategy".to_string(),
        |name| name.to_string_lossy().trim_matches('/').to_string(),
    );
    let governance = workspace.join(&governance_name);
    let (template, scripts) = (set(env, "IWE_TEMPLATE"), set(env, "IWE_SCRIPTS"));
    let named = ["IWE_WORKSPACE", "IWE_GOVERNANCE_REPO", "IWE_TEMPLATE", "IWE_SCRIPTS"];
    if !governance.is_dir() && named.iter().all(|name| set(env, name).is_none()) {
        return None;
    }
    Some(Iwe {
        template_set: template.is_some(),
        template: template
            .map(PathBuf::from)
            .or_else(|| at_home("IWE"))
            .unwrap_or_else(|| workspace.join("IWE")),
        scripts: scripts
            .map(PathBuf::from)
            .or_else(|| at_home("scripts"))
            .unwrap_or_else(|| workspace.join("scripts")),
        ledger: governance.join("scripts/ledger-append.sh"),
        workspace,
        governance,
        governance_name,
    })
}

/// A variable that is set and not empty, as `${NAME:-…}` of the shell sees it.
fn set(env: Env, name: &str) -> Option<OsString> {
    env(name).filter(|value| !value.is_empty())
}

/// An XDG base folder. A relative value is ignored, as the XDG specification demands.
fn xdg(env: Env, name: &str, below_home: &str) -> Option<PathBuf> {
    set(env, name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(set(env, "HOME")?).join(below_home)))
}

/// The nearest folder at or above `from` that holds `.git` (a file in worktrees and submodules).
fn git_root(from: &Path) -> Option<PathBuf> {
    from.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf)
}

/// The path with everything that exists of it resolved, so that it is the same before and after the folder is made.
fn settled(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    path.ancestors()
        .find_map(|folder| {
            let real = folder.canonicalize().ok()?;
            let rest = path.strip_prefix(folder).ok()?;
            Some(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
        })
        .unwrap_or(path)
}

/// FNV-1a: short, and the same in every version of the program, which std's hasher does not promise.
fn short_hash(path: &Path) -> String {
    let hash = path.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
impl Places {
    /// An installation below one folder, with sessions in its governance repository: for the tests of other modules.
    pub fn in_tree(root: &Path, in_iwe: bool) -> Places {
        Places {
            sessions: root.join("gov/sessions"),
            why: Why::IweTree,
            iwe: Some(Iwe {
                workspace: root.to_path_buf(),
                governance: root.join("gov"),
                governance_name: "gov".into(),
                template: root.join("t"),
                template_set: false,
                scripts: root.join("scripts"),
                ledger: root.join("l"),
            }),
            in_iwe,
            runtime_root: root.join("r"),
            state_dir: root.join("state"),
            config_files: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::layers::{self, FlagValue};
    use super::*;
    use std::fs;

    struct World {
        _dir: tempfile::TempDir,
        root: PathBuf,
        vars: Vec<(&'static str, PathBuf)>,
    }

    impl World {
        fn new(vars: &[&'static str]) -> World {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().canonicalize().unwrap();
            let vars = vars.iter().map(|name| (*name, root.join(name.to_lowercase()))).collect();
            fs::create_dir_all(root.join("cwd/deep")).unwrap();
            World { _dir: dir, root, vars }
        }

        fn env(&self, name: &str) -> Option<OsString> {
            self.vars.iter().find(|(n, _)| *n == name).map(|(_, path)| path.clone().into_os_string())
        }

        fn resolve(&self, flags: &[FlagValue]) -> Result<Places, PlacesError> {
            let (cwd, env) = (self.root.join("cwd/deep"), |name: &str| self.env(name));
            let config = layers::load(&config_files(&env, &cwd), &env, flags, &cwd).unwrap();
            resolve(&config, &env, &cwd)
        }
    }

    #[test]
    fn pc_000_the_order_of_places() {
        let mut world = World::new(&["HOME"]);
        let why = |world: &World| world.resolve(&[]).map(|p| (p.sessions, p.why)).unwrap();
        let root = world.root.clone();
        assert_eq!(why(&world), (root.join("home/.local/share/flightdeck/sessions"), Why::UserData));

        fs::create_dir_all(root.join("cwd/.git")).unwrap();
        assert_eq!(why(&world), (root.join("cwd/sessions"), Why::GitRoot(root.join("cwd"))));

        fs::create_dir_all(root.join("home/IWE/DS-strategy")).unwrap();
        assert_eq!(why(&world), (root.join("home/IWE/DS-strategy/sessions"), Why::IweTree));

        world.vars.push(("IWE_WORKSPACE", root.join("elsewhere")));
        assert_eq!(why(&world), (root.join("elsewhere/DS-strategy/sessions"), Why::IweVariables));

        let file = root.join("cwd/.flightdeck/config.yaml");
        fs::create_dir_all(root.join("cwd/.flightdeck")).unwrap();
        fs::write(&file, "sessions_dir: mine\n").unwrap();
        let origin = Origin::File { path: file, line: 1 };
        assert_eq!(why(&world), (root.join("cwd/.flightdeck/mine"), Why::Set(origin)));

        world.vars.push(("FLIGHTDECK_SESSIONS_DIR", root.join("from-env")));
        let origin = Origin::Env("FLIGHTDECK_SESSIONS_DIR".into());
        assert_eq!(why(&world), (root.join("from-env"), Why::Set(origin)));

        let flag = FlagValue { key: "sessions_dir", name: "--sessions-dir", value: "by-flag".into() };
        let places = world.resolve(&[flag]).unwrap();
        assert_eq!(places.sessions, root.join("cwd/deep/by-flag"));
        assert_eq!(places.why.to_string(), "set by --sessions-dir");
    }

    #[test]
    fn pc_000_inside_an_iwe_tree() {
        let mut world = World::new(&["HOME", "IWE_WORKSPACE"]);
        world.vars.push(("IWE_GOVERNANCE_REPO", "gov".into()));
        let places = world.resolve(&[]).unwrap();
        let root = &world.root;
        assert!(places.in_iwe);
        assert_eq!(places.governance(), Some(root.join("iwe_workspace/gov").as_path()));
        assert_eq!(places.runtime_root, root.join("iwe_workspace/.iwe-runtime/peer-sessions"));
        let env = places.script_env();
        let get = |name: &str| env.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone()).unwrap();
        let workspace = root.join("iwe_workspace").display().to_string();
        for name in ["IWE_ROOT", "IWE_DIR", "IWE_WORKSPACE"] {
            assert_eq!(get(name), workspace);
        }
        assert_eq!(get("IWE_GOVERNANCE_REPO"), "gov");
        assert_eq!(get("IWE_TEMPLATE"), root.join("home/IWE/IWE").display().to_string());
        assert_eq!(get("IWE_SCRIPTS"), root.join("home/IWE/scripts").display().to_string());
        let iwe = places.iwe.unwrap();
        assert_eq!(iwe.ledger, root.join("iwe_workspace/gov/scripts/ledger-append.sh"));
        assert!(!iwe.template_set);
    }

    #[test]
    fn pc_000_naming_the_iwe_sessions_by_flag_is_still_inside() {
        let world = World::new(&["HOME", "IWE_WORKSPACE"]);
        let dir = world.root.join("iwe_workspace/DS-strategy/sessions").display().to_string();
        let flag =
            |value: &str| FlagValue { key: "sessions_dir", name: "--sessions-dir", value: value.into() };
        assert!(world.resolve(&[flag(&dir)]).unwrap().in_iwe);
        let outside = world.resolve(&[flag("other")]).unwrap();
        assert!(!outside.in_iwe && outside.iwe.is_some() && outside.governance().is_none());
        assert!(outside.runtime_root.starts_with(world.root.join("home/.local/state/flightdeck/sessions")));
    }

    #[test]
    fn the_runtime_folder_is_the_same_before_and_after_and_through_a_link() {
        let world = World::new(&["HOME"]);
        let flag =
            |value: &str| FlagValue { key: "sessions_dir", name: "--sessions-dir", value: value.into() };
        let before = world.resolve(&[flag("s/t")]).unwrap().runtime_root;
        fs::create_dir_all(world.root.join("cwd/deep/s/t")).unwrap();
        std::os::unix::fs::symlink(world.root.join("cwd/deep/s"), world.root.join("link")).unwrap();
        assert_eq!(world.resolve(&[flag("s/t")]).unwrap().runtime_root, before);
        let linked = world.root.join("link/t").display().to_string();
        assert_eq!(world.resolve(&[flag(&linked)]).unwrap().runtime_root, before);
        assert_ne!(world.resolve(&[flag("s/u")]).unwrap().runtime_root, before);
        assert_eq!(short_hash(Path::new("/a")), "07d66707b49cd92d", "an upgrade must find the folder again");
    }

    #[test]
    fn xdg_folders_are_used_and_relative_ones_ignored() {
        let mut world = World::new(&["HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"]);
        let places = world.resolve(&[]).unwrap();
        assert_eq!(places.state_dir, world.root.join("xdg_state_home/flightdeck"));
        assert_eq!(places.sessions, world.root.join("xdg_data_home/flightdeck/sessions"));
        assert_eq!(places.config_files[0], world.root.join("xdg_config_home/flightdeck/config.yaml"));
        assert_eq!(places.config_files[1], world.root.join("cwd/deep/.flightdeck/config.yaml"));
        world.vars.retain(|(name, _)| *name != "XDG_STATE_HOME");
        world.vars.push(("XDG_STATE_HOME", "relative".into()));
        assert_eq!(world.resolve(&[]).unwrap().state_dir, world.root.join("home/.local/state/flightdeck"));
    }

    #[test]
    fn without_home_there_is_an_error_and_no_panic() {
        let mut world = World::new(&[]);
        let error = world.resolve(&[]).unwrap_err();
        assert!(error.to_string().contains("HOME"), "{error}");
        world.vars.push(("XDG_STATE_HOME", world.root.join("state")));
        assert_eq!(world.resolve(&[]), Err(PlacesError::NoSessions));
        world.vars.push(("IWE_WORKSPACE", world.root.join("w")));
        let places = world.resolve(&[]).unwrap();
        assert_eq!(places.iwe.unwrap().scripts, world.root.join("w/scripts"));
    }
}
