//! `trace`: from a line back to the argument, from a session's objections forward to what became of them.

use super::args::{Place, Trace as Args};
use super::context::{self, Context};
use super::error::CliError;
use crate::domain::lang::Lang;
use crate::domain::session::honesty::points::{Fate, Point};
use crate::domain::session::pipeline::track::short;
use crate::engine::trace::{self, Approval, Forward, Origin, Trace};
use crate::ui::text::one_line;
use serde_json::{Value, json};
use std::path::Path;

/// Wider than any terminal; a line is cut before it floods one.
const WIDTH: usize = 400;

/// Exit code 0; 1 when no session stands behind the line.
pub fn run(place: &Place, args: &Args) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    let lang = context.lang();
    if let Some((path, number)) = place_of(&args.what) {
        let failed = |e: String| CliError::failed(e);
        let found = trace::line(&context.layout, &context.cwd, Path::new(path), number).map_err(failed)?;
        match args.json {
            true => println!("{}", serde_json::to_string_pretty(&as_json(&found)).map_err(CliError::failed)?),
            false => say(&found, lang),
        }
        return Ok(u8::from(found.origin.is_none()));
    }
    let id = context::id(&args.what).map_err(|_| {
        CliError::usage(
            format!("{:?} is neither a place nor a session", args.what),
            "give path:line, such as src/main.rs:12, or the id of a session",
        )
    })?;
    let found = trace::objections(&context.layout, &id).map_err(CliError::failed)?;
    match args.json {
        true => {
            let rows: Vec<Value> = found.iter().map(forward_json).collect();
            println!("{}", serde_json::to_string_pretty(&rows).map_err(CliError::failed)?);
        }
        false => found.iter().for_each(|f| forward(f, lang)),
    }
    if found.is_empty() && !args.json {
        println!("{}", lang.pick("nobody objected in this session", "в этой сессии никто не возражал"));
    }
    Ok(0)
}

fn place_of(text: &str) -> Option<(&str, u32)> {
    let (path, line) = text.rsplit_once(':')?;
    Some((path, line.parse().ok().filter(|n| *n > 0)?)).filter(|(path, _)| !path.is_empty())
}

fn clean(text: &str) -> String {
    one_line(text, WIDTH)
}

fn say(found: &Trace, lang: Lang) {
    let line = &found.line;
    println!("{}:{}  {}", clean(&line.path), line.number, clean(line.text.trim()));
    if !line.is_committed() {
        println!("{}", lang.pick("not committed yet", "ещё не в коммите"));
        return;
    }
    let short = short(&line.sha);
    println!("{:<12} {short}  {}", lang.pick("commit", "коммит"), clean(&line.summary));
    let Some(o) = &found.origin else {
        println!("{}", lang.pick("no session deployed this commit", "этот коммит развернула не сессия"));
        return;
    };
    let row = |name: &str, text: String| println!("{name:<12} {}", clean(&text));
    row(lang.pick("session", "сессия"), format!("{}  {}", o.session, o.task));
    if !o.deployed_at.is_empty() {
        row(lang.pick("deployed", "развёрнуто"), o.deployed_at.clone());
    }
    if let Some(e) = &o.edit {
        let by = match e.wanted_by.as_str() {
            "" => lang.pick("the first edit", "первая правка").to_string(),
            by => format!("{} {by}", lang.pick("wanted by", "по требованию")),
        };
        row(lang.pick("edit", "правка"), format!("{}, {by}  {}", e.number, e.says));
    }
    o.findings.iter().for_each(|(file, f)| row(lang.pick("finding", "замечание"), format!("{file}  {f}")));
    for a in &o.approvals {
        let words = lang.pick("approved by the pilot, line", "одобрено пилотом, строка");
        let edit = lang.pick("edit", "правка");
        row("content gate", format!("{}  {edit} {}, {words} {}", a.at, a.edit, a.lines));
    }
    let decision = o.decision.map(|d| d.key()).unwrap_or("?");
    row(lang.pick("decision", "решение"), format!("{decision}  {}", o.decided_at));
    o.consensus.iter().for_each(|c| row(lang.pick("consensus", "консенсус"), c.clone()));
    if !o.sentences.is_empty() {
        println!(
            "\n{}",
            lang.pick(
                "Sentences that share the most telling words with this line (by words, not by meaning):",
                "Фразы, у которых больше всего общих редких слов с этой строкой (по словам, не по смыслу):"
            )
        );
    }
    for s in &o.sentences {
        println!("  {}:{}  {}  [{}]", s.file, s.line, clean(&s.text), clean(&s.shared.join(", ")));
    }
    if !o.objections.is_empty() {
        println!("\n{}", lang.pick("Objections, and what became of them:", "Возражения и что с ними стало:"));
    }
    o.objections.iter().for_each(|p| println!("  {}", point(p, lang)));
}

fn forward(f: &Forward, lang: Lang) {
    println!("{}", point(&f.point, lang));
    for (file, finding) in &f.findings {
        println!("    {} {file}  {}", lang.pick("finding", "замечание"), clean(finding));
    }
    if !f.files.is_empty() {
        let head = lang.pick("changed files that share its words:", "изменённые файлы с теми же словами:");
        println!("    {head} {}", clean(&f.files.join(", ")));
    }
}

fn point(p: &Point, lang: Lang) -> String {
    format!("{}:{} {} — \"{}\" → {}", p.file, p.line, clean(&p.holder), clean(&p.text), fate(&p.fate, lang))
}

fn fate(fate: &Fate, lang: Lang) -> String {
    match fate {
        Fate::Open => lang.pick("open", "открыто").into(),
        Fate::Answered { file, line } => format!("{} {file}:{line}", lang.pick("answered in", "ответ в")),
        Fate::Withdrawn { file, line } => format!("{} {file}:{line}", lang.pick("withdrawn in", "снято в")),
        Fate::Overruled => lang.pick("the session closed over it", "сессия закрыта поверх него").into(),
        Fate::Escalated { file } => format!("{} {file}", lang.pick("went to the pilot:", "передано пилоту:")),
    }
}

fn as_json(t: &Trace) -> Value {
    let line = &t.line;
    json!({
        "path": line.path, "line": line.number, "text": line.text,
        "commit": line.is_committed().then_some(&line.sha), "summary": line.summary,
        "origin": t.origin.as_ref().map(origin_json),
    })
}

fn origin_json(o: &Origin) -> Value {
    let edit = o.edit.as_ref();
    let edit = edit.map(|e| json!({"number": e.number, "wanted_by": e.wanted_by, "says": e.says}));
    let sentences: Vec<Value> = o
        .sentences
        .iter()
        .map(|s| json!({"file": s.file, "line": s.line, "text": s.text, "shared_words": s.shared}))
        .collect();
    let pair = |(file, text): &(String, String)| json!({"file": file, "text": text});
    json!({
        "session": o.session.as_str(), "task": o.task, "repo": o.repo,
        "decision": o.decision.map(|d| d.key()), "decided_at": o.decided_at, "deployed_at": o.deployed_at,
        "edit": edit,
        "findings": o.findings.iter().map(pair).collect::<Vec<_>>(),
        "approvals": o.approvals.iter().map(approval_json).collect::<Vec<_>>(),
        "consensus": o.consensus,
        "sentences_by_shared_words": sentences,
        "objections": o.objections.iter().map(point_json).collect::<Vec<_>>(),
    })
}

fn approval_json(a: &Approval) -> Value {
    json!({"ts": a.at, "edit": a.edit, "lines": a.lines})
}

fn point_json(p: &Point) -> Value {
    json!({
        "holder": p.holder, "file": p.file, "line": p.line, "text": p.text, "fate": fate(&p.fate, Lang::En),
    })
}

fn forward_json(f: &Forward) -> Value {
    let findings: Vec<Value> =
        f.findings.iter().map(|(file, text)| json!({"file": file, "text": text})).collect();
    json!({"objection": point_json(&f.point), "findings": findings, "changed_files": f.files})
}
