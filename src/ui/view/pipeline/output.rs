//! What the running step prints, and what the deployment came to.

use crate::domain::lang::Lang;
use crate::domain::session::pipeline::track::{COPIED, Deployed, Track};
use crate::domain::session::state::Session;
use crate::ui::model::pipeline::{OUTCOME, Part, Pipeline};
use crate::ui::model::watched::Watched;
use crate::ui::text::wrap;
use crate::ui::theme::Role;
use crate::ui::view::draw::Canvas;
use crate::ui::view::layout::{Breaks, Hit, Pane};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

/// Live while a step runs; the verdict's file otherwise.
pub fn output(p: &Pipeline, w: &Watched, canvas: &mut Canvas, area: Rect) {
    let lang = canvas.lang();
    let pane = Pane::Pipeline(Part::Output);
    let width = area.width.max(1);
    if let Some(run) = w.call.as_ref().filter(|run| run.call.purpose.is_pipeline()) {
        let says = run.says(lang);
        let head = if says.is_empty() { run.call.purpose.text(lang) } else { &says };
        let head = crate::ui::view::draw::safe(head, usize::from(width), canvas.style(Role::Running));
        canvas.line(area, head.into());
        let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        if w.view.preview.is_empty() {
            let text = lang.pick("no output yet", "вывода пока нет");
            return canvas.text(body, text, canvas.style(Role::Muted));
        }
        let lines = canvas.layout.wraps.growing(&p.id, &w.view.preview, (width, Breaks::Lines));
        return shown(&lines, pane, canvas, body);
    }
    let Some((file, held)) = &p.verify else {
        let text = lang.pick("nothing was verified yet", "проверок ещё не было");
        return canvas.text(area, text, canvas.style(Role::Muted));
    };
    let Some(text) = held else {
        let text = format!("{} {file} …", lang.pick("reading", "читаем"));
        return canvas.text(area, &text, canvas.style(Role::Muted));
    };
    let lines = canvas.layout.wraps.whole(&p.id, file, text, (width, Breaks::Lines));
    shown(&lines, pane, canvas, area);
}

fn shown(lines: &[String], pane: Pane, canvas: &mut Canvas, area: Rect) {
    canvas.hit(area, Hit::Pane(pane.clone()));
    let scroll = canvas.layout.scroll(pane);
    scroll.fit(lines.len(), usize::from(area.height));
    let (top, below, new) = (scroll.top, scroll.below(), scroll.has_new());
    for (n, line) in lines.iter().skip(top).take(usize::from(area.height)).enumerate() {
        canvas.text(Rect { y: area.y + n as u16, height: 1, ..area }, line, verdict(line, canvas));
    }
    canvas.more(area, below, new);
}

/// The verdict and the commands stand out.
fn verdict(line: &str, canvas: &Canvas) -> Style {
    canvas.style(match line.trim_end() {
        "PASS" => Role::Done,
        "FAIL" => Role::Failed,
        "NOT RUN" => Role::Warning,
        line if line.contains(": $ ") => Role::Focus,
        _ => Role::Text,
    })
}

/// Commits, what became of them, what stopped the rest.
pub fn result(w: &Watched, canvas: &mut Canvas, area: Rect) {
    let (s, lang) = (w.session(), canvas.lang());
    let blank = Track::default();
    let track = s.notes.track.as_ref().unwrap_or(&blank);
    let mut lines: Vec<Line> = Vec::new();
    let width = usize::from(area.width.max(1));
    let mut say = |text: String, style: Style| {
        lines.extend(wrap(&text, width).into_iter().map(|line| Line::styled(line, style)));
    };
    let [text, muted, done, warn, failed] =
        [Role::Text, Role::Muted, Role::Done, Role::Warning, Role::Failed].map(|role| canvas.style(role));
    for d in deployed(s, track) {
        let what = match d.sha.as_str() {
            COPIED => lang.pick("copied (no repository)", "скопировано (не репозиторий)").to_string(),
            sha => sha.to_string(),
        };
        say(format!("✓ {} {what}", d.repo), done);
        if d.sha != COPIED && !track.trees.is_empty() {
            let pushed = match d.pushed {
                true => lang.pick("pushed", "отправлено"),
                false => lang.pick("not pushed", "не отправлено"),
            };
            say(format!("  {pushed}"), if d.pushed { done } else { warn });
        }
        if !d.note.is_empty() {
            say(format!("  {}", d.note), muted);
        }
    }
    if let Some(refused) = &track.refused {
        say(format!("✗ {}", refused.repo), failed);
        say(format!("  {}", refused.text), text);
    }
    if let Some(ended) = &track.ended {
        say(format!("✗ {}: {ended}", lang.pick("ended", "окончено")), failed);
    }
    for tree in track.trees.iter().filter(|t| !track.deployed.iter().any(|d| d.repo == t.name)) {
        say(format!("○ {} {}", tree.name, lang.pick("not deployed", "не развёрнуто")), text);
        say(format!("  {} {}", lang.pick("base", "база"), tree.base), muted);
        say(format!("  {} {}", lang.pick("branch", "ветка"), tree.branch), muted);
        say(format!("  {} {}", lang.pick("tree", "дерево"), tree.path), muted);
    }
    if s.has_outcome {
        let key = enter(canvas, lang);
        say(key, muted);
    }
    if lines.is_empty() {
        let none = lang.pick("nothing is deployed yet", "ничего ещё не развёрнуто");
        lines.push(Line::styled(none, muted));
    }
    canvas.scrolled(area, Pane::Pipeline(Part::Result), &lines);
}

fn enter(canvas: &Canvas, lang: Lang) -> String {
    use crate::ui::action::{Action, Context};
    let key = canvas.look.keymap.keys(Context::Pipeline, Action::Open).into_iter().next().unwrap_or_default();
    format!("{key} {OUTCOME}{}", lang.pick(": what is written about it", ": что об этом записано"))
}

/// What this process knows, else what the session's files say.
fn deployed(s: &Session, track: &Track) -> Vec<Deployed> {
    if !track.trees.is_empty() {
        return track.deployed.clone();
    }
    let known = |(repo, sha): &(String, String)| Deployed {
        repo: repo.clone(),
        sha: sha.clone(),
        // Nobody knows any more.
        pushed: false,
        note: "meta.yaml".into(),
    };
    s.meta.deploy_shas.iter().map(known).collect()
}
