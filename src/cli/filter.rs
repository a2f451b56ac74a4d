//! `filter`: what of a directory would leave the machine, and why the rest would not (PC-063 to PC-066).

use super::args::{Filter, Place};
use super::context::Context;
use super::error::CliError;
use super::out::wrote;
use crate::agents::privacy::copy::plain;
use crate::agents::privacy::judge::Kept;
use crate::agents::privacy::pii;
use crate::agents::privacy::survey::{Survey, explain, opened, survey};
use crate::domain::lang::Lang;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// So many examples of what stops a copy are shown.
const EXAMPLES: usize = 20;

/// Exit code 0 when the directory could be given as it is, 1 when something stops that or nothing can be said. A list
/// that could be made has 0; an explained path that does not pass has 1.
pub fn run(place: &Place, args: Filter) -> Result<u8, CliError> {
    // A broken configuration is no reason not to look.
    let lang = Context::plain(place).map(|context| context.lang()).unwrap_or_default();
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    if let Some(path) = &args.explain {
        return explained(&args.dir, home.as_deref(), path, lang);
    }
    let found = survey(&args.dir, home.as_deref(), !args.list).map_err(|why| nothing(&why))?;
    if args.list { listed(&found, lang) } else { summed(&args.dir, &found, lang) }
}

fn nothing(why: &str) -> CliError {
    CliError::new(
        super::error::Kind::Failed,
        plain(why),
        "nothing would be given; name a directory that can be read",
    )
}

fn listed(found: &Survey, lang: Lang) -> Result<u8, CliError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for path in &found.passed {
        if !wrote(writeln!(out, "{}", name(path))) {
            return Ok(0);
        }
    }
    wrote(out.flush());
    for (path, kept) in &found.kept {
        if let Kept::Unreadable(why) = kept {
            eprintln!("{}: {}", name(path), plain(why));
        }
    }
    if !found.is_given() {
        eprintln!("{}", verdict(found, lang));
    }
    Ok(0)
}

fn summed(dir: &Path, found: &Survey, lang: Lang) -> Result<u8, CliError> {
    let dir = opened(dir).map_err(|why| nothing(&why))?;
    println!("{}\n", name(&dir));
    let tokens = lang.pick("tokens at most", "токенов самое большее");
    println!(
        "{:<12} {}, {}, {} {tokens}",
        lang.pick("passes", "проходит"),
        files(found.passed.len(), lang),
        size(found.bytes),
        found.characters / 2
    );
    if found.public_ips > 0 {
        let what = lang.pick(
            "public IP addresses in them, a warning only",
            "публичных IP-адресов в них, только предупреждение",
        );
        println!("{:<12} {} {what}", "", found.public_ips);
    }
    let mut rules: BTreeMap<(String, usize), (String, usize)> = BTreeMap::new();
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, kept) in found.kept.iter().filter(|(_, kept)| !kept.stops()) {
        if let Kept::Ignored(rule) = kept {
            let place = (rule.file.to_string_lossy().into_owned(), rule.line);
            rules.entry(place).or_insert_with(|| (rule.pattern.clone(), 0)).1 += 1;
        } else {
            *others.entry(reason(kept, lang)).or_default() += 1;
        }
    }
    let mut label = lang.pick("left out", "пропущено");
    for ((file, line), (pattern, count)) in &rules {
        println!("{label:<12} {count:>6}  {}  ({}:{line})", plain(pattern), plain(file));
        label = "";
    }
    for (what, count) in &others {
        println!("{label:<12} {count:>6}  {what}");
        label = "";
    }
    let stops: Vec<_> = found.kept.iter().filter(|(_, kept)| kept.stops()).collect();
    let mut label = lang.pick("stops it", "мешает");
    for (path, kept) in stops.iter().take(EXAMPLES) {
        let first =
            matches!(kept, Kept::Content(_)).then(|| secrets(&dir.join(path)).into_iter().next()).flatten();
        let line = first.map_or(String::new(), |hit| format!(":{}", hit.line));
        println!("{label:<12} {}{line}: {}", name(path), why(kept, lang));
        label = "";
    }
    if stops.len() > EXAMPLES {
        println!("{:<12} … {} {}", "", lang.pick("and", "и ещё"), stops.len() - EXAMPLES);
    }
    println!("\n{}", verdict(found, lang));
    Ok(u8::from(!found.is_given()))
}

fn explained(dir: &Path, home: Option<&Path>, path: &Path, lang: Lang) -> Result<u8, CliError> {
    let real = opened(dir).map_err(|why| nothing(&why))?;
    let inside = inside(dir, &real, path).ok_or_else(|| {
        let cause = format!("there is no {} in {}", name(path), name(&real));
        CliError::usage(cause, "give a path below the directory, as `--list` prints them")
    })?;
    let (at, kept) = explain(&real, home, &inside).map_err(|why| nothing(&why))?;
    let (passes, stays) = (lang.pick("passes", "проходит"), lang.pick("kept back", "не передаётся"));
    let Some(kept) = kept else {
        let folder = real.join(&at).is_dir();
        let note = lang.pick(
            " (a folder: no rule names it; its files are judged one by one)",
            " (папка: правил о ней нет, каждый файл в ней проверяется отдельно)",
        );
        println!("{}: {passes}{}", name(&inside), if folder { note } else { "" });
        return Ok(0);
    };
    let through = if at == inside { String::new() } else { format!(" ({})", name(&at)) };
    println!("{}: {stays}{through}: {}", name(&inside), why(&kept, lang));
    if matches!(kept, Kept::Content(_)) {
        for hit in secrets(&real.join(&at)).iter().take(EXAMPLES) {
            println!("  {} {}: {}", lang.pick("line", "строка"), hit.line, hit.rule.name(lang));
        }
    }
    Ok(1)
}

/// The path relative to the directory, if it is one below it: given as `--list` prints it, or as seen from here.
fn inside(dir: &Path, real: &Path, path: &Path) -> Option<PathBuf> {
    let below = |path: &Path| {
        let parent = path.parent()?.canonicalize().ok()?;
        let path = parent.join(path.file_name()?);
        path.strip_prefix(real).ok().map(Path::to_path_buf)
    };
    let there = |path: &Path| real.join(path).symlink_metadata().is_ok();
    let plain = path
        .components()
        .all(|c| matches!(c, std::path::Component::Normal(_) | std::path::Component::CurDir));
    let listed = || Some(path.to_path_buf()).filter(|path| plain && there(path));
    // With the directory in front, as a shell completes it; its links are not followed below the directory.
    let led = || path.strip_prefix(dir).or_else(|_| path.strip_prefix(real)).ok().filter(|path| there(path));
    let found = listed()
        .or_else(|| led().map(Path::to_path_buf))
        .or_else(|| below(path).filter(|path| there(path)))?;
    found
        .components()
        .all(|c| c != std::path::Component::ParentDir)
        .then(|| found.components().filter(|c| *c != std::path::Component::CurDir).collect())
}

fn secrets(path: &Path) -> Vec<pii::Hit> {
    std::fs::read(path).map(|bytes| pii::hits(&bytes)).unwrap_or_default()
}

/// What it means for whoever would get the directory.
fn verdict(found: &Survey, lang: Lang) -> String {
    let stops = found.kept.iter().filter(|(_, kept)| kept.stops()).count();
    match (found.is_too_large(), stops) {
        (true, _) => lang
            .pick(
                "Nothing would be given: behind the ignore rules there are more than 5000 files or 100 MB.",
                "Ничего не будет передано: после правил пропуска осталось больше 5000 файлов или 100 МБ.",
            )
            .to_string(),
        (false, 0) => lang
            .pick(
                "An agent would get a read-only copy of what passes.",
                "Агент получит копию прошедшего, только для чтения.",
            )
            .to_string(),
        (false, n) if lang == Lang::Ru => {
            format!("Ничего не будет передано, пока {n} из файлов не исправлены и не названы в .agentigore.")
        }
        (false, n) => format!(
            "Nothing would be given while {} stop it: mend them or name them in .agentigore.",
            files(n, lang)
        ),
    }
}

fn why(kept: &Kept, lang: Lang) -> String {
    match kept {
        Kept::Ignored(rule) => format!("{}:{}: {}", name(&rule.file), rule.line, plain(&rule.pattern)),
        Kept::Name(rule) | Kept::Content(rule) => rule.name(lang).to_string(),
        Kept::Unreadable(why) => format!("{}: {}", reason(kept, lang), plain(why)),
        other => reason(other, lang).to_string(),
    }
}

fn reason(kept: &Kept, lang: Lang) -> &'static str {
    match kept {
        Kept::Ignored(_) => lang.pick("an ignore rule", "правило пропуска"),
        Kept::Repository => lang.pick("the inside of a repository (.git)", "внутренности репозитория (.git)"),
        Kept::Link => lang.pick("a link", "ссылка"),
        Kept::Special => lang.pick("no ordinary file", "не обычный файл"),
        Kept::Changed => lang.pick("it changed meanwhile", "файл за это время изменился"),
        Kept::Name(_) => lang.pick("its name", "имя файла"),
        Kept::Content(_) => lang.pick("its text", "текст файла"),
        Kept::TooBig => {
            lang.pick("more than 10 MB, too much to be scanned", "больше 10 МБ, проверить нельзя")
        }
        Kept::Unreadable(_) => lang.pick("cannot be read", "не читается"),
    }
}

/// A path on one line: names are outside text and may hold anything.
fn name(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let piece = |chunk: std::str::Utf8Chunk| {
        let odd: String = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")).collect();
        plain(chunk.valid()) + &odd
    };
    bytes.utf8_chunks().map(piece).collect()
}

fn files(n: usize, lang: Lang) -> String {
    match (lang, n) {
        (Lang::En, 1) => "1 file".to_string(),
        (Lang::En, n) => format!("{n} files"),
        (Lang::Ru, n) => format!("файлов: {n}"),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
