//! Keys as people write them in a keymap, and as terminals send them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt;

/// A key with its modifiers. Shift is part of the character where there is one: `G`, not Shift+g.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd)]
pub struct Key {
    pub code: KeyCode,
    pub mods: KeyModifiers,
}

const NAMED: [(&str, KeyCode); 14] = [
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Space", KeyCode::Char(' ')),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PageUp", KeyCode::PageUp),
    ("PageDown", KeyCode::PageDown),
];

const MODS: [(&str, KeyModifiers); 3] =
    [("Ctrl+", KeyModifiers::CONTROL), ("Alt+", KeyModifiers::ALT), ("Shift+", KeyModifiers::SHIFT)];

/// The letters of the Russian layout and what stands on the same keys in the Latin one.
const RUSSIAN: &str = "йцукенгшщзхъфывапролджэячсмитьбю.ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ,";
const LATIN: &str = "qwertyuiop[]asdfghjkl;'zxcvbnm,./QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>?";

impl Key {
    /// A key as a terminal reports it, in one spelling for all of them.
    pub fn pressed(event: KeyEvent) -> Key {
        let mut mods = event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::BackTab => {
                mods |= KeyModifiers::SHIFT;
                KeyCode::Tab
            }
            KeyCode::Char(c) => {
                let shifted = mods.contains(KeyModifiers::SHIFT);
                mods -= KeyModifiers::SHIFT;
                let c = if mods.contains(KeyModifiers::CONTROL) {
                    c.to_lowercase().next().unwrap_or(c)
                } else if shifted {
                    c.to_uppercase().next().unwrap_or(c)
                } else {
                    c
                };
                KeyCode::Char(c)
            }
            code => code,
        };
        Key { code, mods }
    }

    /// `Ctrl+Enter`, `g`, `F1`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Key> {
        let (mut rest, mut mods) = (text, KeyModifiers::empty());
        while let Some((name, bit)) =
            MODS.iter().find(|(name, _)| rest.len() > name.len() && rest.starts_with(name))
        {
            rest = &rest[name.len()..];
            mods |= *bit;
        }
        if let Some((_, code)) = NAMED.iter().find(|(name, _)| *name == rest) {
            return Some(Key { code: *code, mods });
        }
        let mut chars = rest.chars();
        match (chars.next()?, chars.next()) {
            (c, None) => Some(Key::pressed(KeyEvent::new(KeyCode::Char(c), mods))),
            ('F', Some(_)) => {
                let n: u8 = rest[1..].parse().ok().filter(|n| (1..=12).contains(n))?;
                Some(Key { code: KeyCode::F(n), mods })
            }
            _ => None,
        }
    }

    /// The character that the key types where text is edited.
    pub fn types(&self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.mods.is_empty() => Some(c),
            _ => None,
        }
    }

    /// As it is printed on keyboards, for places where room is scarce: `←`, `PgDn`.
    pub fn short(&self) -> String {
        const SIGNS: [(&str, &str); 6] = [
            ("PageUp", "PgUp"),
            ("PageDown", "PgDn"),
            ("Left", "←"),
            ("Right", "→"),
            ("Up", "↑"),
            ("Down", "↓"),
        ];
        let text = self.to_string();
        let sign = SIGNS.iter().find(|(name, _)| text.ends_with(name));
        sign.map_or(text.clone(), |(name, sign)| format!("{}{sign}", &text[..text.len() - name.len()]))
    }

    /// The same key of a Latin layout, when a Russian one is active.
    pub fn latin(&self) -> Option<Key> {
        let KeyCode::Char(c) = self.code else { return None };
        let at = RUSSIAN.chars().position(|r| r == c)?;
        Some(Key { code: KeyCode::Char(LATIN.chars().nth(at)?), mods: self.mods })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, bit) in MODS {
            if self.mods.contains(bit) {
                f.write_str(name)?;
            }
        }
        match (NAMED.iter().find(|(_, code)| *code == self.code), self.code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, KeyCode::Char(c)) => write!(f, "{c}"),
            (None, KeyCode::F(n)) => write!(f, "F{n}"),
            (None, _) => f.write_str("?"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_back_as_they_are_written() {
        for text in
            ["g", "G", "Ctrl+Enter", "Alt+<", "Shift+Tab", "F1", "Space", "Ctrl+]", "Ctrl++", "?", "é"]
        {
            assert_eq!(Key::parse(text).map(|k| k.to_string()).as_deref(), Some(text));
        }
        for text in ["", "Ctrl+", "F13", "Hyper+x", "gg", "Entre"] {
            assert_eq!(Key::parse(text), None, "{text}");
        }
    }

    #[test]
    fn keys_are_short_where_room_is_scarce() {
        let short = |c| Key::parse(c).map(|k| k.short());
        assert_eq!(short("Left").as_deref(), Some("←"));
        assert_eq!(short("Ctrl+PageDown").as_deref(), Some("Ctrl+PgDn"));
        assert_eq!(short("Enter").as_deref(), Some("Enter"));
    }

    #[test]
    fn terminals_differ_and_keys_do_not() {
        let key = |code, mods| Key::pressed(KeyEvent::new(code, mods)).to_string();
        assert_eq!(key(KeyCode::BackTab, KeyModifiers::empty()), "Shift+Tab");
        assert_eq!(key(KeyCode::BackTab, KeyModifiers::SHIFT), "Shift+Tab");
        assert_eq!(key(KeyCode::Char('G'), KeyModifiers::SHIFT), "G");
        assert_eq!(key(KeyCode::Char('g'), KeyModifiers::SHIFT), "G");
        assert_eq!(key(KeyCode::Char('X'), KeyModifiers::CONTROL), "Ctrl+x");
    }

    #[test]
    fn a_russian_layout_reaches_the_same_keys() {
        let latin = |c| Key::parse(c).and_then(|k| k.latin()).map(|k| k.to_string());
        assert_eq!(latin("й").as_deref(), Some("q"));
        assert_eq!(latin("Ж").as_deref(), Some(":"));
        assert_eq!(latin("П").as_deref(), Some("G"));
        assert_eq!(latin("Ctrl+з").as_deref(), Some("Ctrl+p"));
        assert_eq!(latin("q"), None);
        assert_eq!(RUSSIAN.chars().count(), LATIN.chars().count());
    }
}
