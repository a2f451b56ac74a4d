//! A text over the screen: a file of a session, or what the doctor found.

use crate::domain::session::id::SessionId;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    pub title: String,
    /// The file that is shown; `None` for a text that is no file.
    pub file: Option<(SessionId, String)>,
    /// `None` until it has come. Not yet safe to draw.
    pub text: Option<String>,
    /// The line to stand at, from 1, until it was shown once.
    pub line: Option<usize>,
}

impl Reader {
    pub fn file(id: &SessionId, file: &str, line: Option<usize>) -> Reader {
        Reader { title: file.to_string(), file: Some((id.clone(), file.to_string())), text: None, line }
    }

    pub fn text(title: &str, text: Option<String>) -> Reader {
        Reader { title: title.to_string(), file: None, text, line: None }
    }
}
