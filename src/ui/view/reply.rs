//! A question with everything that it takes to answer well: who asks, since when, what stands still because of it, the
//! whole reason, the choices with what each will do, and a place to write.

use super::draw::{Canvas, safe};
use super::layout::{Hit, Pane};
use crate::domain::lang::Lang;
use crate::domain::question::{Question, QuestionKind};
use crate::ui::model::Model;
use crate::ui::model::deck::slug;
use crate::ui::model::reply::{Focus, Reply, Target};
use crate::ui::text::wrap;
use crate::ui::theme::Role;
use crate::ui::words;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Rows of a question beside its text and its choices: headings, what is frozen, and room to write.
const AROUND: u16 = 14;

pub fn draw(model: &Model, reply: &Reply, canvas: &mut Canvas, area: Rect) {
    // On a small screen everything; else what is behind stays in sight.
    let width = usize::from(area.width.saturating_sub(2));
    let lines = body(model, reply, width, canvas);
    let choices = reply.question().map_or(0, |q| q.choices.len()) as u16;
    let height = if area.height <= 20 {
        area.height
    } else {
        let needed = (lines.len() as u16).saturating_add(choices + AROUND);
        (area.height * 3 / 4).min(needed).max(18)
    };
    let area = Rect { y: area.bottom() - height, height, ..area };
    canvas.clear(area);
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    heading(model, reply, canvas, area);
    let lang = canvas.lang();
    let mut y = area.y + 1;
    // Without a question this is all there is to read, and it scrolls.
    let above = match (reply.question(), area.height) {
        (None, _) => 0,
        (Some(_), 12..) => 3,
        (Some(_), _) => 2,
    };
    for line in frozen(reply, lang, width).into_iter().take(above) {
        canvas.text(Rect { y, height: 1, ..inner }, &line, canvas.style(Role::Muted));
        y += 1;
    }
    let left = area.bottom().saturating_sub(y);
    let editor = if reply.takes_text() { (left / 3).clamp(3, 12).min(left) } else { 0 };
    let text = left.saturating_sub(choices + editor + u16::from(editor > 0));
    let place = Rect { y, height: text, ..inner };
    canvas.scrolled(place, Pane::Question, &lines);
    y += text;
    if let Some(q) = reply.question() {
        options(reply, q, canvas, Rect { y, height: choices, ..inner });
    }
    y += choices;
    if editor > 0 {
        let focused = reply.focus == Focus::Text;
        divider(canvas, Rect { y, height: 1, ..area }, lang.pick("your answer", "твой ответ"), focused);
        let hint = lang.pick("write here; leaving keeps it", "пиши здесь; при выходе текст сохранится");
        let place = Rect { y: y + 1, height: (area.bottom() - y).saturating_sub(1), ..inner };
        canvas.editor(place, &reply.editor, focused, hint);
    }
}

fn heading(model: &Model, reply: &Reply, canvas: &mut Canvas, area: Rect) {
    let lang = canvas.lang();
    let (title, role) = match &reply.target {
        Target::Question(q) => {
            let age = words::age(q.since, model.clock.now, lang);
            let waits = lang.pick("waits", "ждёт");
            (format!("! {} · {} · {waits} {age}", slug(&reply.id), words::asks(q.kind, lang)), Role::Waiting)
        }
        Target::Direct => (
            format!("{} · {}", slug(&reply.id), lang.pick("words for the writer", "слова писателю")),
            Role::Focus,
        ),
        Target::CutIn(call) => {
            let writer = || lang.pick("writer", "писатель").to_string();
            let who = call.vendor.clone().unwrap_or_else(writer);
            let what = lang.pick("stop and ask again:", "остановить и спросить заново:");
            (format!("{what} {who} · {} · {}", call.purpose.text(lang), slug(&reply.id)), Role::Focus)
        }
        Target::Comment(place) => {
            (format!("{} · {} {place}", slug(&reply.id), lang.pick("about", "о")), Role::Focus)
        }
    };
    let gone = if reply.gone { lang.pick(" · closed meanwhile", " · уже закрыт") } else { "" };
    canvas.rule(Rect { height: 1, ..area });
    let at = Rect { x: area.x + 1, width: area.width.saturating_sub(2), height: 1, ..area };
    let text = safe(&format!("{title}{gone}"), usize::from(at.width).saturating_sub(2), canvas.style(role));
    canvas.line(at, Line::from(vec![Span::raw(" "), text, Span::raw(" ")]));
}

fn divider(canvas: &mut Canvas, area: Rect, title: &str, focused: bool) {
    canvas.rule(area);
    let role = if focused { Role::Focus } else { Role::Muted };
    canvas.text(
        Rect { x: area.x + 2, width: area.width.saturating_sub(2), ..area },
        &format!(" {title} "),
        canvas.style(role),
    );
}

fn options(reply: &Reply, q: &Question, canvas: &mut Canvas, area: Rect) {
    for (n, choice) in q.choices.iter().enumerate().take(usize::from(area.height)) {
        let at = Rect { y: area.y + n as u16, height: 1, ..area };
        let front = reply.focus == Focus::Choices && reply.choice == n;
        let mark = if front { "▸ " } else { "  " };
        let key = safe(&choice.key, 12, canvas.style(Role::Focus));
        let gap = " ".repeat(12usize.saturating_sub(key.width()));
        let room = usize::from(area.width).saturating_sub(15);
        let label = safe(q.label(n, canvas.lang()), room, canvas.style(Role::Text));
        canvas.line(
            at,
            Line::from(vec![Span::styled(mark, canvas.style(Role::Focus)), key, Span::raw(gap), label]),
        );
        if front {
            canvas.paint(at, canvas.style(Role::Selection));
        }
        canvas.hit(at, Hit::Line(n));
    }
}

/// The question in full, in the pilot's language where it is not the participants' own.
fn body(model: &Model, reply: &Reply, width: usize, canvas: &Canvas) -> Vec<Line<'static>> {
    let Some(q) = reply.question() else {
        return frozen(reply, model.lang(), width).into_iter().map(Line::from).collect();
    };
    let mut lines = Vec::new();
    for line in q.text(model.lang()).trim_end().split('\n') {
        let style = canvas.style(diff_role(q.kind, line));
        lines.extend(wrap(line, width).into_iter().map(|l| Line::styled(l, style)));
    }
    let others = model.deck.row(&reply.id).map_or(0, |r| r.questions.len().saturating_sub(1));
    if others > 0 {
        let text = match model.lang() {
            Lang::En => format!("{others} more in this session"),
            Lang::Ru => format!("ещё вопросов в этой сессии: {others}"),
        };
        lines.extend([Line::default(), Line::styled(text, canvas.style(Role::Muted))]);
    }
    lines
}

/// A change that is decided on is shown as one.
fn diff_role(kind: QuestionKind, line: &str) -> Role {
    match line.as_bytes().first() {
        Some(b'+') if kind == QuestionKind::Content => Role::DiffAdd,
        Some(b'-') if kind == QuestionKind::Content => Role::DiffDel,
        _ => Role::Text,
    }
}

/// What stands still until the pilot answers.
fn frozen(reply: &Reply, lang: Lang, width: usize) -> Vec<String> {
    let text = match &reply.target {
        Target::Direct => lang.pick(
            "The writer reads this before its next turn. Nothing stops.",
            "Писатель прочтёт это перед следующим ходом. Ничего не останавливается.",
        ),
        Target::Comment(_) => lang.pick(
            "The implementer gets it with another edit, before anything is deployed. Nothing stops.",
            "Исполнитель получит это со следующей правкой, до деплоя. Ничего не останавливается.",
        ),
        Target::CutIn(_) => lang.pick(
            "Sending ends this call now. What it has said is kept, marked, and counts nothing; the same participant is asked again in the same round, with your words before the question. Without words it is asked as before.",
            "Отправка обрывает этот вызов. Сказанное сохранится с пометкой и не засчитается; тот же участник будет спрошен заново в том же раунде, твои слова — перед вопросом. Без слов — как прежде.",
        ),
        Target::Question(q) => match q.kind {
            QuestionKind::Escalation | QuestionKind::Dispute | QuestionKind::Reserved => lang.pick(
                "Frozen: this session makes no call until you answer. Other sessions go on.",
                "Стоит: сессия не делает вызовов до твоего ответа. Другие сессии идут.",
            ),
            QuestionKind::PeerRetry | QuestionKind::WriterRetry | QuestionKind::Secret | QuestionKind::PilotTurn | QuestionKind::Participants => {
                lang.pick("Frozen: the turn that is due waits for you.", "Стоит: очередной ход ждёт тебя.")
            }
            QuestionKind::Permission => lang.pick(
                "Frozen: the agent's call waits for you, and its clock stands still.",
                "Стоит: вызов агента ждёт тебя, его часы остановлены.",
            ),
            QuestionKind::Clarify => lang.pick("Frozen: the roles are settled after your answer.", "Стоит: роли утвердятся после ответа."),
            QuestionKind::Content
            | QuestionKind::Findings
            | QuestionKind::Review
            | QuestionKind::Verify
            | QuestionKind::Deploy
            | QuestionKind::Implement => lang.pick(
                "Frozen: the implementation waits; your real files are as they were.",
                "Стоит: реализация ждёт; твои настоящие файлы не тронуты.",
            ),
            QuestionKind::Gate => lang.pick("Frozen: nothing is recorded before you decide.", "Стоит: до решения ничего не фиксируется."),
            QuestionKind::Close | QuestionKind::Reflection | QuestionKind::Commit => lang.pick(
                "The discussion is over; only the closing waits.",
                "Обсуждение окончено; ждёт только закрытие.",
            ),
            QuestionKind::Vendor | QuestionKind::WpGate => lang.pick("Nothing was created yet.", "Пока ничего не создано."),
            QuestionKind::Budget => lang.pick(
                "Frozen: no call is made, so nothing more is spent. Other sessions go on.",
                "Стоит: вызовов нет, больше ничего не тратится. Другие сессии идут.",
            ),
            QuestionKind::Storage => lang.pick(
                "Frozen: the session's files cannot be written.",
                "Стоит: файлы сессии не удаётся записать.",
            ),
        },
    };
    wrap(text, width)
}
