//! Every pair of colours that carries text can be read: computed as WCAG 2 does, for the background that a theme file says
//! it is made for, in full colour and in the nearest of 256.

use super::*;

/// What is read, as WCAG AA asks.
const TEXT: f64 = 4.5;

/// What may be skipped (WCAG's measure for large text and signs), where it lies on the selected row; elsewhere it is text.
const SKIPPED: f64 = 3.0;

/// Lines between areas carry nothing: they are to be seen, not read.
const LINES: f64 = 1.5;

/// The selected row against the rest: it has a sign of its own too.
const ROW: f64 = 1.1;

/// Ratio that a theme promises above these.
const HIGH: f64 = 7.0;

fn luminance((r, g, b): (u8, u8, u8)) -> f64 {
    let linear = |v: u8| {
        let v = f64::from(v) / 255.0;
        if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

fn ratio(a: (u8, u8, u8), b: (u8, u8, u8)) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn rgb(colour: Color) -> (u8, u8, u8) {
    match colour {
        Color::Rgb(r, g, b) => (r, g, b),
        Color::Indexed(n) => rgb_of_256(n),
        other => panic!("{other} is the terminal's own"),
    }
}

/// The background that the file names: "Made for a background near #rrggbb".
fn background(text: &str) -> (u8, u8, u8) {
    let (_, rest) = text.split_once("background near ").unwrap();
    rgb(Color::from_str(&rest[..7]).unwrap())
}

/// Every pair that is too weak, for a theme's file.
fn weak(name: &str, text: &str, colours: Colours) -> Vec<String> {
    let theme = Theme::read(text, name, colours).unwrap();
    let ground = background(text);
    let row = rgb(theme.of(Role::Selection).bg.unwrap());
    let mut found = Vec::new();
    let mut ask = |what: String, a, b, least: f64| {
        let has = ratio(a, b);
        if has < least {
            found.push(format!("{name} {colours:?}: {what} has {has:.2}, needs {least}"));
        }
    };
    let least = |role, text: f64| match role {
        _ if name == "high-contrast" => HIGH,
        Role::Border => LINES,
        _ => text,
    };
    ask("the selected row".into(), row, ground, ROW);
    for (role, of) in ROLES.iter().filter(|(role, _)| *role != Role::Selection) {
        let colour = rgb(theme.of(*role).fg.unwrap());
        ask(format!("{of} on the background"), colour, ground, least(*role, TEXT));
        // The nearest of 256 colours is a compromise, which shows on the selected row first. No line lies there.
        let on_row = match role {
            Role::Border => continue,
            Role::Muted => SKIPPED,
            _ if colours == Colours::Indexed => SKIPPED,
            _ => TEXT,
        };
        ask(format!("{of} on the selected row"), colour, row, least(*role, on_row).min(TEXT));
    }
    found
}

/// The themes that bring colours of their own; `default` has those of the terminal.
fn coloured() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    SHIPPED.iter().filter(|(name, _)| *name != "default")
}

#[test]
fn the_ratio_is_that_of_wcag() {
    assert!((ratio((0, 0, 0), (255, 255, 255)) - 21.0).abs() < 0.001);
    assert!((ratio((0x77, 0x77, 0x77), (255, 255, 255)) - 4.48).abs() < 0.01);
}

#[test]
fn every_text_can_be_read_in_full_colour() {
    let found: Vec<String> = coloured().flat_map(|(name, text)| weak(name, text, Colours::True)).collect();
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn every_text_can_be_read_in_256_colours() {
    let found: Vec<String> = coloured().flat_map(|(name, text)| weak(name, text, Colours::Indexed)).collect();
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_weak_colour_is_found() {
    let text = SHIPPED.iter().find(|(name, _)| *name == "light").unwrap().1;
    let weaker = text.replace("muted: \"#5e6873\"", "muted: \"#a0a8b0\"");
    let found = weak("light", &weaker, Colours::True);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn sixteen_colours_never_hide_a_text_and_keep_what_belongs_apart() {
    for (name, _) in SHIPPED {
        let theme = Theme::shipped(name, Colours::Sixteen).unwrap();
        for (role, of) in ROLES {
            assert_eq!(theme.of(role).bg, None, "{name}: {of} on a colour that a text may have");
        }
        for (a, b) in [
            (Role::DiffAdd, Role::DiffDel),
            (Role::Done, Role::Failed),
            (Role::Waiting, Role::Running),
            (Role::Muted, Role::Waiting),
        ] {
            assert_ne!(theme.of(a).fg, theme.of(b).fg, "{name}: {a:?} and {b:?}");
        }
    }
}

#[test]
fn without_colours_weight_tells_what_must_not_be_missed() {
    let theme = Theme::default();
    for role in [Role::Waiting, Role::Failed, Role::Escalated, Role::Gate, Role::Focus] {
        assert_ne!(theme.of(role), theme.of(Role::Text), "{role:?}");
    }
    assert!(theme.of(Role::Selection).add_modifier.contains(Modifier::REVERSED));
}
