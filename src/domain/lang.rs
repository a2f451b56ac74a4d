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
pub struct Both {
    pub en: String,
    pub ru: String,
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
