//! Which key does what. Keymaps are files that people copy; everything that is wrong in one is said with its line and
//! the next step, and the default takes its place.
//!
//! A key means what the front context says, else what `global` says. A sequence such as `g g` waits for its second key;
//! with a Russian layout the key that stands in the same place counts when the letter itself means nothing.

use super::action::{ACTIONS, Action, Context, by_name};
use super::key::Key;
use super::yaml;
use crate::config::suggest::nearest;

/// The keymaps that ship, as name and text.
pub const SHIPPED: [(&str, &str); 3] = [
    ("default", include_str!("../../keymaps/default.yaml")),
    ("vim", include_str!("../../keymaps/vim.yaml")),
    ("emacs", include_str!("../../keymaps/emacs.yaml")),
];

/// All bindings, each a sequence of one or two keys.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Keymap {
    bindings: Vec<(Context, Vec<Key>, Action)>,
}

/// What the keys pressed so far mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    Action(Action),
    /// The beginning of a sequence.
    Begins,
    Nothing,
}

impl Keymap {
    pub fn shipped(name: &str) -> Option<Keymap> {
        let (name, text) = SHIPPED.iter().find(|(known, _)| *known == name)?;
        Keymap::read(text, name).ok()
    }

    /// The keymap of a file's text, or everything that is wrong with it. `origin` names the file in the messages.
    pub fn read(text: &str, origin: &str) -> Result<Keymap, Vec<String>> {
        let groups = yaml::groups(text).map_err(|what| vec![format!("{origin}: {what}")])?;
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        for group in groups {
            let Some(context) = Context::ALL.into_iter().find(|c| c.key() == group.name) else {
                let near = nearest(&group.name, Context::ALL.map(Context::key));
                problems.push(format!("{origin}: no screen is called {:?}.{}", group.name, meant(near)));
                continue;
            };
            for entry in group.entries {
                let place = format!("{origin}:{}", entry.line);
                match binding(context, &entry.key, &entry.value) {
                    Ok((keys, action)) => found.push((context, keys, action, entry.line)),
                    Err(what) => problems.push(format!("{place}: {what}")),
                }
            }
        }
        problems.extend(clashes(&found, origin));
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Keymap {
            bindings: found.into_iter().map(|(context, keys, action, _)| (context, keys, action)).collect(),
        })
    }

    /// What `pressed` means in `context`.
    pub fn find(&self, context: Context, pressed: &[Key]) -> Found {
        match self.exact(context, pressed) {
            Found::Nothing => {
                let latin: Vec<Key> = pressed.iter().map(|k| k.latin().unwrap_or(*k)).collect();
                if latin == pressed { Found::Nothing } else { self.exact(context, &latin) }
            }
            found => found,
        }
    }

    fn exact(&self, context: Context, pressed: &[Key]) -> Found {
        let mut begins = false;
        for front in [context, Context::Global] {
            for (_, keys, action) in self.bindings.iter().filter(|(c, ..)| *c == front) {
                if keys == pressed {
                    return Found::Action(*action);
                }
                begins |= keys.starts_with(pressed);
            }
        }
        if begins { Found::Begins } else { Found::Nothing }
    }

    /// The keys of an action where it works, in the order of the file.
    pub fn keys(&self, context: Context, action: Action) -> Vec<String> {
        let here =
            self.bindings.iter().filter(|(c, _, a)| *a == action && (*c == context || *c == Context::Global));
        here.map(|(_, keys, _)| spelled(keys)).collect()
    }

    /// The key to show for an action: the first that means it. Where a text is edited (`types`), a key that types a
    /// character means the character.
    pub fn shown(&self, context: Context, action: Action, types: bool) -> Option<String> {
        let here =
            self.bindings.iter().filter(|(c, _, a)| *a == action && (*c == context || *c == Context::Global));
        let mut works = here.filter(|(_, keys, _)| !types || keys[0].types().is_none());
        works.next().map(|(_, keys, _)| keys.iter().map(Key::short).collect::<Vec<_>>().join(" "))
    }

    /// Every action that has a key in this context itself, in the order of the action table.
    pub fn bound(&self, context: Context) -> impl Iterator<Item = Action> {
        ACTIONS
            .iter()
            .map(|e| e.action)
            .filter(move |a| self.bindings.iter().any(|(c, _, bound)| *c == context && bound == a))
    }
}

fn spelled(keys: &[Key]) -> String {
    keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
}

fn meant(near: Option<&str>) -> String {
    near.map(|n| format!(" Did you mean {n}?")).unwrap_or_default()
}

fn binding(context: Context, keys: &str, action: &str) -> Result<(Vec<Key>, Action), String> {
    let parsed: Option<Vec<Key>> = keys.split(' ').map(Key::parse).collect();
    let keys = parsed.filter(|k| (1..=2).contains(&k.len())).ok_or_else(|| {
        format!("{keys:?} is not a key. Write it as g, G, Ctrl+x, Alt+Enter, F1, or two of them with a space")
    })?;
    let Some(entry) = by_name(action) else {
        let near = nearest(action, ACTIONS.iter().map(|e| e.name));
        return Err(format!("no action is called {action:?}.{}", meant(near)));
    };
    if !entry.contexts.contains(&context) {
        let places: Vec<&str> = entry.contexts.iter().map(|c| c.key()).collect();
        return Err(format!("{action} does nothing in {}. It works in {}", context.key(), places.join(", ")));
    }
    Ok((keys, entry.action))
}

/// A key that would never be reached: bound twice, or the beginning of a sequence that is bound as well.
fn clashes(found: &[(Context, Vec<Key>, Action, u64)], origin: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (n, (context, keys, _, line)) in found.iter().enumerate() {
        for (other, others, _, before) in &found[..n] {
            let together = context == other || *context == Context::Global || *other == Context::Global;
            if !together || !(keys.starts_with(others) || others.starts_with(keys)) {
                continue;
            }
            let how =
                if keys == others { "is taken in" } else { "and a sequence share their beginning with" };
            out.push(format!(
                "{origin}:{line}: {} {how} line {before} ({}). Give one of them another key",
                spelled(keys),
                other.key()
            ));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn find(map: &Keymap, context: Context, keys: &str) -> Found {
        let keys: Vec<Key> = keys.split(' ').filter_map(Key::parse).collect();
        map.find(context, &keys)
    }

    #[test]
    fn every_shipped_keymap_is_sound_and_offers_the_same_actions() {
        let offered = |text, name| -> BTreeSet<(Context, &str)> {
            let map = Keymap::read(text, name).unwrap();
            map.bindings.iter().map(|(c, _, a)| (*c, super::super::action::entry(*a).name)).collect()
        };
        let default = offered(SHIPPED[0].1, "default");
        for (name, text) in SHIPPED {
            assert_eq!(offered(text, name), default, "{name}");
        }
        for e in ACTIONS {
            for context in e.contexts {
                let here = default.iter().any(|(c, name)| c == context && *name == e.name);
                // The palette offers what has no key.
                assert!(here || e.short.0.is_empty(), "{} has no key in {}", e.name, context.key());
            }
        }
    }

    #[test]
    fn sequences_and_the_russian_layout_are_found() {
        let vim = Keymap::shipped("vim").unwrap();
        assert_eq!(find(&vim, Context::Deck, "g"), Found::Begins);
        assert_eq!(find(&vim, Context::Deck, "g g"), Found::Action(Action::First));
        assert_eq!(find(&vim, Context::Deck, "g x"), Found::Nothing);
        assert_eq!(find(&vim, Context::Deck, "п п"), Found::Action(Action::First));
        let default = Keymap::shipped("default").unwrap();
        assert_eq!(find(&default, Context::Deck, "о"), Found::Action(Action::Down));
        assert_eq!(find(&default, Context::Deck, "?"), Found::Action(Action::Help));
        assert_eq!(find(&default, Context::Deck, "Й"), Found::Nothing);
    }

    #[test]
    fn what_is_wrong_is_said_with_line_and_next_step() {
        let wrong = |text: &str| Keymap::read(text, "my.yaml").unwrap_err().join("\n");
        assert_eq!(
            wrong("deck:\n  \"j\": donw\n"),
            "my.yaml:2: no action is called \"donw\". Did you mean down?"
        );
        assert!(wrong("dekc: {}\n").contains("Did you mean deck?"));
        assert!(wrong("deck:\n  \"Hyper+x\": down\n").starts_with("my.yaml:2: \"Hyper+x\" is not a key."));
        assert!(wrong("deck:\n  \"x\": send\n").contains("send does nothing in deck. It works in question"));
        assert!(wrong("global:\n  \"x\": help\ndeck:\n  \"x\": down\n").contains("x is taken in line"));
        assert!(wrong("deck:\n  \"g\": up\n  \"g g\": down\n").contains("Give one of them another key"));
        assert!(wrong("deck:\n  \"x\": up\n  \"x\": down\n").contains("my.yaml"));
    }
}
