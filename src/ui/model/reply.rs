//! An answer being written: to a question, or words for the writer. What was typed is kept as a draft until it is sent.

use crate::domain::effect::Call;
use crate::domain::question::Question;
use crate::domain::session::id::SessionId;
use crate::ui::text::sanitize;
use tui_textarea::{TextArea, WrapMode};

/// What the text is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Question(Box<Question>),
    /// Words for the next writer turn (PC-254).
    Direct,
    /// Words for a call that is stopped and made again (PC-701).
    CutIn(Box<Call>),
    /// Words about this place of an edit, for the next one.
    Comment(String),
}

/// Where keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Choices,
    Text,
}

#[derive(Debug)]
pub struct Reply {
    pub id: SessionId,
    pub target: Target,
    pub editor: TextArea<'static>,
    pub focus: Focus,
    pub choice: usize,
    /// The question was closed while it was on the screen; the text is kept to be copied.
    pub gone: bool,
}

impl Reply {
    pub fn new(id: SessionId, target: Target, draft: &str) -> Reply {
        let choices = matches!(&target, Target::Question(q) if !q.choices.is_empty());
        let focus = if choices && draft.is_empty() { Focus::Choices } else { Focus::Text };
        Reply { id, target, editor: editor(draft), focus, choice: 0, gone: false }
    }

    /// The key of the draft.
    pub fn key(&self) -> String {
        let what = match &self.target {
            Target::Question(q) => &q.id,
            Target::Direct => "direct",
            Target::CutIn(_) => "cut-in",
            Target::Comment(place) => &format!("comment {place}"),
        };
        format!("{}/{what}", self.id)
    }

    pub fn question(&self) -> Option<&Question> {
        match &self.target {
            Target::Question(q) => Some(q),
            _ => None,
        }
    }

    /// Whether there is an editor at all.
    pub fn takes_text(&self) -> bool {
        self.question().is_none_or(|q| q.free_text || q.choices.is_empty())
    }

    pub fn text(&self) -> String {
        self.editor.lines().join("\n")
    }
}

/// An editor that holds this text, with the cursor at its end.
pub fn editor(text: &str) -> TextArea<'static> {
    let mut editor = TextArea::new(sanitize(text).split('\n').map(str::to_string).collect());
    editor.set_wrap_mode(WrapMode::WordOrGlyph);
    editor.set_cursor_line_style(ratatui::style::Style::new());
    editor.move_cursor(tui_textarea::CursorMove::Bottom);
    editor.move_cursor(tui_textarea::CursorMove::End);
    editor
}
