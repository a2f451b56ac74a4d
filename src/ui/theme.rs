//! Colours as roles: what a colour means, never which one it is. Themes are files that people copy; a broken one gives
//! the default and a notice. Colour is never the only sign, so a screen without colours loses nothing.

use crate::config::suggest::nearest;
use crate::ui::yaml;
use ratatui::style::{Color, Modifier, Style};
use std::str::FromStr;

/// The meanings that a theme gives a colour, in the order of the theme files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Role {
    Text,
    Muted,
    Border,
    Focus,
    Selection,
    Running,
    Waiting,
    Done,
    Failed,
    Escalated,
    Gate,
    Writer,
    Peer1,
    Peer2,
    Peer3,
    Peer4,
    Peer5,
    Peer6,
    DiffAdd,
    DiffDel,
    Warning,
    Link,
    CodeKeyword,
    CodeString,
    CodeName,
}

/// Names as the theme files spell them.
pub const ROLES: [(Role, &str); 25] = [
    (Role::Text, "text"),
    (Role::Muted, "muted"),
    (Role::Border, "border"),
    (Role::Focus, "focus"),
    (Role::Selection, "selection"),
    (Role::Running, "running"),
    (Role::Waiting, "waiting"),
    (Role::Done, "done"),
    (Role::Failed, "failed"),
    (Role::Escalated, "escalated"),
    (Role::Gate, "gate"),
    (Role::Writer, "writer"),
    (Role::Peer1, "peer-1"),
    (Role::Peer2, "peer-2"),
    (Role::Peer3, "peer-3"),
    (Role::Peer4, "peer-4"),
    (Role::Peer5, "peer-5"),
    (Role::Peer6, "peer-6"),
    (Role::DiffAdd, "diff-add"),
    (Role::DiffDel, "diff-del"),
    (Role::Warning, "warning"),
    (Role::Link, "link"),
    (Role::CodeKeyword, "code-keyword"),
    (Role::CodeString, "code-string"),
    (Role::CodeName, "code-name"),
];

/// Roles that a theme may leave out.
const CODE: [Role; 3] = [Role::CodeKeyword, Role::CodeString, Role::CodeName];

/// The themes that ship, as name and text.
pub const SHIPPED: [(&str, &str); 6] = [
    ("default", include_str!("../../themes/default.yaml")),
    ("dark", include_str!("../../themes/dark.yaml")),
    ("light", include_str!("../../themes/light.yaml")),
    ("high-contrast", include_str!("../../themes/high-contrast.yaml")),
    ("paper", include_str!("../../themes/paper.yaml")),
    ("glass-cockpit", include_str!("../../themes/glass-cockpit.yaml")),
];

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colours {
    /// `NO_COLOR`: shape, word and weight only.
    None,
    #[default]
    Sixteen,
    Indexed,
    True,
}

/// A theme ready to draw with.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    styles: [Style; ROLES.len()],
}

impl Theme {
    /// The theme named `name` that ships; `None` when none is called so.
    pub fn shipped(name: &str, colours: Colours) -> Option<Theme> {
        let (name, text) = SHIPPED.iter().find(|(known, _)| *known == name)?;
        Theme::read(text, name, colours).ok()
    }

    /// The theme of a file's text. `origin` names the file in the message, which says line and next step.
    pub fn read(text: &str, origin: &str, colours: Colours) -> Result<Theme, String> {
        let groups = yaml::groups(text).map_err(|what| format!("{origin}: {what}"))?;
        let mut styles = plain();
        // A theme without colours for code is a whole theme: code is text then.
        let needed = ROLES.iter().filter(|(role, _)| !CODE.contains(role));
        let mut missing: Vec<&str> = needed.map(|(_, name)| *name).collect();
        for group in groups {
            if group.name != "roles" {
                return Err(format!(
                    "{origin}: {:?} is not part of a theme. It has one key, roles",
                    group.name
                ));
            }
            for entry in group.entries {
                let place = format!("{origin}:{}", entry.line);
                let Some((role, name)) = ROLES.iter().find(|(_, name)| *name == entry.key) else {
                    let near = nearest(&entry.key, ROLES.iter().map(|(_, name)| *name));
                    let next = near.map(|n| format!(" Did you mean {n}?")).unwrap_or_default();
                    return Err(format!("{place}: no role is called {:?}.{next}", entry.key));
                };
                let colour = Color::from_str(&entry.value).map_err(|_| {
                    format!("{place}: {:?} is not a colour. Give a name, 0 to 255 or #rrggbb", entry.value)
                })?;
                styles[*role as usize] = style(*role, colour, colours);
                missing.retain(|m| m != name);
            }
        }
        match missing.first() {
            Some(name) => Err(format!("{origin}: the role {name} has no colour. Add it below roles")),
            None => Ok(Theme { styles }),
        }
    }

    /// The style of a role. Backgrounds are painted only for the selection.
    pub fn of(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// Whether code looks any different from other text.
    pub fn colours_code(&self) -> bool {
        CODE.iter().any(|role| self.of(*role).fg.is_some())
    }

    /// The style of a participant: 0 is the writer, peers follow in calling order.
    pub fn voice(&self, lane: usize) -> Style {
        const PEERS: [Role; 6] =
            [Role::Peer1, Role::Peer2, Role::Peer3, Role::Peer4, Role::Peer5, Role::Peer6];
        match lane.checked_sub(1) {
            None => self.of(Role::Writer),
            Some(peer) => self.of(PEERS[peer % PEERS.len()]),
        }
    }
}

impl Default for Theme {
    /// Without any colour.
    fn default() -> Theme {
        Theme { styles: plain() }
    }
}

fn plain() -> [Style; ROLES.len()] {
    std::array::from_fn(|at| style(ROLES[at].0, Color::Reset, Colours::None))
}

/// Weight and shape carry a role's meaning where colours do not.
fn style(role: Role, colour: Color, colours: Colours) -> Style {
    let weight = match role {
        Role::Focus | Role::Waiting | Role::Failed | Role::Escalated | Role::Gate | Role::Writer => {
            Modifier::BOLD
        }
        Role::Muted | Role::Border if colours == Colours::None => Modifier::DIM,
        Role::Link => Modifier::UNDERLINED,
        _ => Modifier::empty(),
    };
    let style = Style::new().add_modifier(weight);
    let colour = within(colour, colours);
    match (role, colour) {
        (Role::Selection, None) => style.add_modifier(Modifier::REVERSED),
        // Of sixteen colours, any may be the one that some text has: it would be gone on such a background.
        (Role::Selection, Some(_)) if colours == Colours::Sixteen => style.add_modifier(Modifier::REVERSED),
        (Role::Selection, Some(colour)) => style.bg(colour),
        (_, None) => style,
        (_, Some(colour)) => style.fg(colour),
    }
}

/// The nearest colour that the terminal has; `None` for its own.
fn within(colour: Color, colours: Colours) -> Option<Color> {
    match (colour, colours) {
        (_, Colours::None) | (Color::Reset, _) => None,
        (Color::Rgb(r, g, b), Colours::Indexed) => Some(Color::Indexed(nearest_of_256(r, g, b))),
        (Color::Rgb(r, g, b), Colours::Sixteen) => Some(sixteen(r, g, b)),
        (other, _) => Some(other),
    }
}

/// The nearest of the 256 colours: of their 6×6×6 cube or of their greys.
fn nearest_of_256(r: u8, g: u8, b: u8) -> u8 {
    let far = |n: &u8| {
        let (x, y, z) = rgb_of_256(*n);
        let d = |a: u8, b: u8| (i32::from(a) - i32::from(b)).pow(2);
        d(r, x) + d(g, y) + d(b, z)
    };
    (16..=255).min_by_key(far).unwrap_or(16)
}

/// What a colour from 16 on looks like; the first sixteen are the terminal's own.
fn rgb_of_256(n: u8) -> (u8, u8, u8) {
    let level = |v: u8| if v == 0 { 0 } else { 55 + 40 * v };
    match n.checked_sub(232) {
        Some(grey) => (8 + 10 * grey, 8 + 10 * grey, 8 + 10 * grey),
        None => {
            let n = n.saturating_sub(16);
            (level(n / 36), level(n / 6 % 6), level(n % 6))
        }
    }
}

fn sixteen(r: u8, g: u8, b: u8) -> Color {
    let (max, min) = (r.max(g).max(b), r.min(g).min(b));
    if max - min < 40 {
        return match max {
            0..60 => Color::Black,
            60..140 => Color::DarkGray,
            140..220 => Color::Gray,
            _ => Color::White,
        };
    }
    let half = min + (max - min) / 2;
    match (r > half, g > half, b > half) {
        (true, true, false) => Color::Yellow,
        (true, false, true) => Color::Magenta,
        (false, true, true) => Color::Cyan,
        (true, false, false) => Color::Red,
        (false, true, false) => Color::Green,
        _ => Color::Blue,
    }
}

#[cfg(test)]
mod contrast;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_theme_is_complete_for_every_terminal() {
        for (name, text) in SHIPPED {
            for colours in [Colours::None, Colours::Sixteen, Colours::Indexed, Colours::True] {
                assert!(
                    Theme::shipped(name, colours).is_some(),
                    "{name} {:?}",
                    Theme::read(text, name, colours)
                );
            }
        }
    }

    #[test]
    fn a_theme_from_before_code_had_colours_still_counts() {
        let old: Vec<&str> = SHIPPED[0].1.lines().filter(|line| !line.contains("code-")).collect();
        let theme = Theme::read(&old.join("\n"), "mine", Colours::True).unwrap();
        assert!(!theme.colours_code() && theme.of(Role::CodeName).fg.is_none());
    }

    #[test]
    fn without_colours_weight_and_shape_are_left() {
        let theme = Theme::shipped("dark", Colours::None).unwrap();
        for (role, name) in ROLES {
            assert_eq!((theme.of(role).fg, theme.of(role).bg), (None, None), "{name}");
        }
        assert!(theme.of(Role::Selection).add_modifier.contains(Modifier::REVERSED));
        assert!(theme.of(Role::Waiting).add_modifier.contains(Modifier::BOLD));
    }

    #[test]
    fn sixteen_colours_get_near_ones() {
        let theme = Theme::shipped("dark", Colours::Sixteen).unwrap();
        for (role, name) in ROLES {
            for colour in [theme.of(role).fg, theme.of(role).bg].into_iter().flatten() {
                assert!(!matches!(colour, Color::Rgb(..) | Color::Indexed(_)), "{name}: {colour}");
            }
        }
        assert_eq!(theme.of(Role::Failed).fg, Some(Color::Red));
    }

    #[test]
    fn a_broken_theme_says_where_and_what_to_do() {
        let read = |text: &str| Theme::read(text, "my.yaml", Colours::True).unwrap_err();
        assert_eq!(
            read("roles:\n  txet: red\n"),
            "my.yaml:2: no role is called \"txet\". Did you mean text?"
        );
        assert!(read("roles:\n  text: \"#ab\"\n").starts_with("my.yaml:2: \"#ab\" is not a colour."));
        assert!(read("roles:\n  text: red\n").contains("muted"));
        assert!(read("colours: {}\n").contains("roles"));
        assert!(read("roles: [").starts_with("my.yaml: "));
    }
}
