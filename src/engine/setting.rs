//! Configuration, places and registry, resolved once (PC-000).

use super::clock::{Clock, iso_week};
use super::desk::{self, Desk};
use super::trust;
use super::wp;
use crate::agents::registry::places::SkillPaths;
use crate::agents::registry::{OUTPUT_CAP, Overlay, Registry};
use crate::config::layers::{self, Consent, Effective, FlagValue, OrzHeadings, PeerContext, Secrets};
use crate::config::places::{self, Places};
use crate::config::trust::{Asked, Guard, Verdict};
use crate::domain::lang::Lang;
use crate::domain::policy::Permit;
use crate::store::layout::Layout;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Everything that is known before a session is touched.
#[derive(Debug, Clone)]
pub struct Setting {
    pub effective: Effective,
    pub places: Places,
    pub layout: Layout,
    pub cwd: PathBuf,
}

/// A configuration that cannot be used: what is wrong, and the next step.
#[derive(Debug)]
pub struct SettingError {
    pub cause: String,
    pub next: &'static str,
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)
    }
}

impl std::error::Error for SettingError {}

fn env(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

impl Setting {
    /// The configuration as it is seen from `cwd`, with these flags on top.
    pub fn new(cwd: &Path, flags: &[FlagValue]) -> Result<Setting, SettingError> {
        let files = places::config_files(&env, cwd);
        let guard =
            places::state_dir(&env).ok().map(|state| move |asked: &Asked| trust::verdict(&state, asked));
        let unknown = |_: &Asked| Verdict::Open;
        let verdict: &dyn Fn(&Asked) -> Verdict = guard.as_ref().map_or(&unknown, |known| known);
        let guard = Guard { file: places::project_file(cwd), verdict };
        let effective =
            layers::load_guarded(&files, &env, flags, cwd, Some(&guard)).map_err(|e| SettingError {
                cause: format!("the configuration cannot be used:\n{e}"),
                next: "correct it, then try again",
            })?;
        let places = places::resolve(&effective, &env, cwd)
            .map_err(|e| SettingError { cause: e.to_string(), next: "" })?;
        let layout = Layout::new(places.sessions.clone(), places.runtime_root.clone());
        Ok(Setting { effective, places, layout, cwd: cwd.to_path_buf() })
    }

    pub fn lang(&self) -> Lang {
        self.effective.values.lang
    }

    /// The vendors: embedded, then what the configuration files add.
    pub fn registry(&self) -> Result<Registry, SettingError> {
        let values = &self.effective.values;
        let overlays: Vec<Overlay> = values
            .vendors
            .iter()
            .map(|v| Overlay { vendors: v.map.clone(), base: v.base.clone(), origin: v.origin.to_string() })
            .collect();
        let paths = SkillPaths::from_env(|name| std::env::var(name).ok());
        let mut registry = Registry::load(&overlays, &paths).map_err(|problems| SettingError {
            cause: problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
            next: "correct the vendors in the configuration",
        })?;
        for vendor in &mut registry.vendors {
            // A cap of the configuration is for vendors that set none of their own.
            if vendor.output_cap == OUTPUT_CAP {
                vendor.output_cap = values.output_cap;
            }
        }
        Ok(registry)
    }

    /// What may happen to the files of a closed session, as configured: commit, push.
    pub fn permits(&self) -> (Permit, Permit) {
        let (values, in_iwe) = (&self.effective.values, self.places.in_iwe);
        let permit = |consent| match consent {
            Consent::Always => Permit::Yes,
            Consent::Never => Permit::No,
            Consent::Ask => Permit::Ask,
        };
        (permit(values.commit(in_iwe)), permit(values.push(in_iwe)))
    }

    /// What engines of this setting work with.
    pub fn desk(&self, registry: Registry, model: Option<&str>) -> Desk {
        let values = &self.effective.values;
        let mut roots = vec![self.cwd.clone()];
        roots.extend(self.places.governance().map(PathBuf::from));
        let week = iso_week(Clock::System.now());
        let plans = self.places.governance().map(|g| wp::read(g, week)).unwrap_or_default();
        Desk {
            plans: Arc::new(plans),
            registry: Arc::new(registry),
            caller: desk::processes(),
            places: Arc::new(self.places.clone()),
            model: model.unwrap_or_default().to_string(),
            roots,
            asks_about_secrets: values.secrets == Secrets::Ask,
            peer_context_dir: values.peer_context == PeerContext::Dir,
            russian_closing: match values.orz_headings {
                OrzHeadings::Auto => None,
                OrzHeadings::Fixed(lang) => Some(lang == Lang::Ru),
            },
            implementation: values.implementation.clone().map(Arc::new),
        }
    }
}
