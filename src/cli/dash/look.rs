//! The screen's settings, from configuration and environment.

use super::outside;
use crate::agents::check;
use crate::agents::process::vars::Vars;
use crate::agents::registry::Kind;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::config::places::project_file;
use crate::config::suggest::nearest;
use crate::ui::settings::{Desktop, Known, Pick, Settings, Start};
use crate::ui::theme::Colours;
use serde_json::Value;

pub fn settings(context: &Context, start: Start) -> Result<Settings, CliError> {
    let values = &context.effective.values;
    let screen = Screen::read(values.screen.as_ref())?;
    let pick = |folder, value: &Option<Value>| pick(context, folder, value.as_ref());
    Ok(Settings {
        lang: context.lang(),
        theme: pick("themes", &values.theme)?,
        keymap: pick("keymaps", &values.keymap)?,
        colours: colours(),
        motion: screen.motion,
        mouse: screen.mouse,
        bell: screen.bell,
        desktop: screen.notice,
        tmux: set("TMUX"),
        zone: jiff::tz::TimeZone::system(),
        start,
        kept: outside::kept(context),
        vendors: vendors(context)?,
        budget: context.effective.values.budget(),
        cwd: context.cwd.clone(),
        edit: Box::new(outside::edit),
        tell_desktop: Box::new(outside::notify),
        suspend: Box::new(outside::suspend),
        keep: outside::keeper(context),
    })
}

fn set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|v| !v.is_empty())
}

/// `screen` of the configuration.
struct Screen {
    motion: bool,
    mouse: bool,
    bell: bool,
    notice: Desktop,
}

impl Screen {
    fn read(value: Option<&Value>) -> Result<Screen, CliError> {
        const KEYS: [&str; 4] = ["motion", "mouse", "bell", "notice"];
        let mut screen = Screen { motion: true, mouse: true, bell: true, notice: Desktop::Off };
        let Some(value) = value else { return Ok(screen) };
        let wrong = |what: String, next: String| CliError::usage(format!("screen: {what}"), next);
        let Some(map) = value.as_object() else {
            return Err(wrong("is not a list of settings".into(), format!("give {}", KEYS.join(", "))));
        };
        for (key, value) in map {
            let switch = || {
                value.as_bool().ok_or_else(|| wrong(format!("{key}: {value}"), "give true or false".into()))
            };
            match key.as_str() {
                "motion" => screen.motion = switch()?,
                "mouse" => screen.mouse = switch()?,
                "bell" => screen.bell = switch()?,
                "notice" => {
                    screen.notice = match value.as_str() {
                        Some("off") => Desktop::Off,
                        Some("osc9") => Desktop::Osc9,
                        Some("osc777") => Desktop::Osc777,
                        Some("osc99") => Desktop::Osc99,
                        Some("notify-send") => Desktop::Program,
                        _ => {
                            return Err(wrong(
                                format!("notice: {value}"),
                                "give off, osc9, osc777, osc99 or notify-send".into(),
                            ));
                        }
                    }
                }
                _ => {
                    let next = match nearest(key, KEYS) {
                        Some(near) => format!("did you mean {near}?"),
                        None => format!("known: {}", KEYS.join(", ")),
                    };
                    return Err(wrong(format!("there is no {key:?}"), next));
                }
            }
        }
        Ok(screen)
    }
}

/// What the terminal can show, as it says itself.
fn colours() -> Colours {
    let term = std::env::var("TERM").unwrap_or_default();
    let depth = std::env::var("COLORTERM").unwrap_or_default();
    match () {
        () if set("NO_COLOR") => Colours::None,
        () if matches!(depth.as_str(), "truecolor" | "24bit") || term.ends_with("-direct") => Colours::True,
        () if term.contains("256color") => Colours::Indexed,
        () => Colours::Sixteen,
    }
}

/// A file of the pilot's beside a configuration file, else one that ships. A tree in the configuration is a file too. A
/// project brings no keymap along: a key that seems to look could decide.
fn pick(context: &Context, folder: &str, value: Option<&Value>) -> Result<Pick, CliError> {
    let name = match value {
        None => return Ok(Pick::Shipped("default".into())),
        Some(Value::String(name)) => name.clone(),
        Some(tree) => {
            let text = serde_yaml::to_string(tree).map_err(CliError::failed)?;
            return Ok(Pick::File {
                text,
                origin: format!("{} in the configuration", folder.trim_end_matches('s')),
            });
        }
    };
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let project = project_file(&context.cwd);
    let files = context.places.config_files.iter().rev().filter(|f| folder != "keymaps" || **f != project);
    let folders = files.filter_map(|f| f.parent());
    for path in folders.map(|f| f.join(folder).join(format!("{name}.yaml"))).filter(|_| plain) {
        if let Ok(text) = std::fs::read_to_string(&path) {
            return Ok(Pick::File { text, origin: path.display().to_string() });
        }
    }
    Ok(Pick::Shipped(name))
}

/// The vendors that can be invited, and why not where not.
fn vendors(context: &Context) -> Result<Vec<Known>, CliError> {
    let vars = Vars::real();
    let registry = context.registry()?;
    let known = registry.vendors.iter().filter(|v| v.kind != Kind::Pilot);
    Ok(known
        .map(|v| Known {
            key: v.key.clone(),
            missing: check::available(v, &vars).err().map(|why| why.text(context.lang())),
        })
        .collect())
}
