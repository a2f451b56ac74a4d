//! The two languages of a session tree.

/// Language of prompts, headings and messages (`engine_lang`). Markers and YAML keys are English in both (PC-721).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    #[default]
    En,
    Ru,
}

impl Lang {
    pub fn key(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Ru => "ru",
        }
    }

    pub fn parse(text: &str) -> Option<Lang> {
        match text.trim() {
            "en" => Some(Lang::En),
            "ru" => Some(Lang::Ru),
            _ => None,
        }
    }

    pub fn other(self) -> Lang {
        match self {
            Lang::En => Lang::Ru,
            Lang::Ru => Lang::En,
        }
    }

    /// The text in this language.
    pub fn pick<'a>(self, en: &'a str, ru: &'a str) -> &'a str {
        match self {
            Lang::En => en,
            Lang::Ru => ru,
        }
    }
}

/// A text in both languages, where who makes it does not know who will read it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(from = "Written")]
pub struct Both {
    pub en: String,
    pub ru: String,
}

/// What older files hold is one text for both.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Written {
    One(String),
    Two { en: String, ru: String },
}

impl From<Written> for Both {
    fn from(written: Written) -> Both {
        match written {
            Written::One(text) => text.into(),
            Written::Two { en, ru } => Both { en, ru },
        }
    }
}

/// A text that is the same in both, such as a name or what a program said.
impl From<String> for Both {
    fn from(text: String) -> Both {
        Both { en: text.clone(), ru: text }
    }
}

impl Both {
    pub fn new(en: impl Into<String>, ru: impl Into<String>) -> Both {
        Both { en: en.into(), ru: ru.into() }
    }

    pub fn text(&self, lang: Lang) -> &str {
        lang.pick(&self.en, &self.ru)
    }
}

/// English, as in logs and in what programs read.
impl std::fmt::Display for Both {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.en)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_older_files_hold_is_read_as_both() {
        let both: Both = serde_json::from_str("\"why\"").unwrap();
        assert_eq!((both.text(Lang::En), both.text(Lang::Ru)), ("why", "why"));
        let two = Both::new("why", "почему");
        assert_eq!(serde_json::from_str::<Both>(&serde_json::to_string(&two).unwrap()).unwrap(), two);
    }
}
