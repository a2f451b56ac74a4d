//! Finding programs: the vendor CLIs (PC-035) and plain commands.

use crate::agents::process::vars::Vars;
use crate::agents::registry::{Native, Vendor};
use crate::domain::lang::Both;
use std::path::{Path, PathBuf};

/// The CLI of a native vendor: the config's `bin`, `<NAME>_BIN`, `PATH`, then the places where their
/// installers put them. The error says what was looked for and what to do.
pub fn find(native: Native, vendor: &Vendor, vars: &Vars) -> Result<PathBuf, Both> {
    let name = native.command();
    let variable = format!("{}_BIN", name.to_uppercase());
    if let Some(bin) = &vendor.bin {
        return named(bin, vars).ok_or_else(|| {
            not_executable(&format!("`bin` of {}", vendor.key), &format!("`bin` у {}", vendor.key), bin)
        });
    }
    if let Some(bin) = vars.get(&variable) {
        let bin = PathBuf::from(bin);
        let name = format!("${variable}");
        return named(&bin, vars).ok_or_else(|| not_executable(&name, &name, &bin));
    }
    if let Some(found) = command(name, vars) {
        return Ok(found);
    }
    let home = vars.get("HOME").map(PathBuf::from).unwrap_or_default();
    let found = usual_places(native).into_iter().find_map(|pattern| expand(&home, pattern, name));
    found.ok_or_else(|| {
        let key = &vendor.key;
        Both::new(
            format!(
                "the command `{name}` was not found; install it, or set {variable} or `vendors.{key}.bin`"
            ),
            format!("команда `{name}` не найдена; установи её или задай {variable} либо `vendors.{key}.bin`"),
        )
    })
}

fn not_executable(en: &str, ru: &str, bin: &Path) -> Both {
    let bin = bin.display();
    Both::new(format!("{en} is not an executable: {bin}"), format!("{ru} — не исполняемый файл: {bin}"))
}

/// A command that was looked for in vain.
pub fn not_found(name: &str) -> Both {
    Both::new(format!("the command `{name}` was not found"), format!("команда `{name}` не найдена"))
}

/// A command in `PATH`.
pub fn command(name: &str, vars: &Vars) -> Option<PathBuf> {
    let path = vars.get("PATH")?;
    std::env::split_paths(path)
        .map(|dir| dir.join(name))
        .find(|file| file.is_absolute() && is_executable(file))
}

/// A file that exists and has an execute bit (PC-102).
pub fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// A path as it is, a bare name through `PATH`.
pub fn named(bin: &Path, vars: &Vars) -> Option<PathBuf> {
    match bin.to_str().filter(|text| !text.contains('/')) {
        Some(name) => command(name, vars),
        None => Some(bin.to_path_buf()).filter(|bin| is_executable(bin)),
    }
}

/// Folders below the home; `*` stands for any one name that begins and ends as the rest of its part.
fn usual_places(native: Native) -> Vec<&'static str> {
    match native {
        Native::Claude => vec![".local/bin", ".npm-global/bin", ".nvm/versions/node/*/bin"],
        Native::Opencode => {
            vec![".opencode/bin", ".local/bin", ".npm-global/bin", ".nvm/versions/node/*/bin"]
        }
        Native::Gemini | Native::Kimi | Native::KimiCode | Native::Hermes => {
            vec![".local/bin", ".npm-global/bin", ".nvm/versions/node/*/bin"]
        }
        Native::Codex => vec![
            ".vscode/extensions/openai.chatgpt-*/bin/*",
            ".vscode-server/extensions/openai.chatgpt-*/bin/*",
            ".cursor/extensions/openai.chatgpt-*/bin/*",
            ".cursor-server/extensions/openai.chatgpt-*/bin/*",
        ],
    }
}

/// The last match in name order, which is the newest version where versions are folder names.
fn expand(home: &Path, pattern: &str, file: &str) -> Option<PathBuf> {
    let mut dirs = vec![home.to_path_buf()];
    for part in pattern.split('/') {
        let Some((head, tail)) = part.split_once('*') else {
            dirs = dirs.into_iter().map(|dir| dir.join(part)).collect();
            continue;
        };
        dirs =
            dirs.iter().filter_map(|dir| dir.read_dir().ok()).flatten().flatten().map(|e| e.path()).collect();
        dirs.retain(|dir| {
            let name = dir.file_name().map(|n| n.to_string_lossy()).unwrap_or_default();
            name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail)
        });
    }
    dirs.sort();
    dirs.into_iter().rev().map(|dir| dir.join(file)).find(|path| is_executable(path))
}
