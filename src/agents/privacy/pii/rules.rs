//! The patterns of PC-065, with their names.

use crate::domain::lang::Lang;

/// A pattern and its name for the person. Messages carry the name only, never what matched.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    pub en: &'static str,
    pub ru: &'static str,
    pub pattern: &'static str,
    /// It opens a door (a key, a token, a password); the others are personal data.
    pub is_secret: bool,
}

impl Rule {
    pub fn name(&self, lang: Lang) -> &'static str {
        lang.pick(self.en, self.ru)
    }

    /// The first line of a private key, whose lines follow.
    pub fn is_key(&self) -> bool {
        self.pattern.starts_with("-----BEGIN")
    }
}

const fn secret(en: &'static str, ru: &'static str, pattern: &'static str) -> Rule {
    Rule { en, ru, pattern, is_secret: true }
}

const fn personal(en: &'static str, ru: &'static str, pattern: &'static str) -> Rule {
    Rule { en, ru, pattern, is_secret: false }
}

pub static CONTENTS: [Rule; 16] = [
    secret("a bearer token", "токен Bearer", r"Bearer [A-Za-z0-9._/+=-]{20,}"),
    secret("an API key (sk-)", "ключ API (sk-)", r"sk-[A-Za-z0-9]{20,}"),
    secret("a GitHub token (ghp_)", "токен GitHub (ghp_)", r"ghp_[A-Za-z0-9]{20,}"),
    secret("a GitHub token (github_pat_)", "токен GitHub (github_pat_)", r"github_pat_[A-Za-z0-9_]{20,}"),
    secret("a GitHub token (gho_)", "токен GitHub (gho_)", r"gho_[A-Za-z0-9]{20,}"),
    secret("a Slack token (xoxb-)", "токен Slack (xoxb-)", r"xoxb-[0-9]+-[0-9]+-[A-Za-z0-9]+"),
    secret("a Slack token (xoxe-)", "токен Slack (xoxe-)", r"xoxe-[A-Za-z0-9-]+"),
    secret("an AWS access key (AKIA)", "ключ доступа AWS (AKIA)", r"AKIA[0-9A-Z]{16}"),
    secret("a Google API key (AIza)", "ключ Google API (AIza)", r"AIza[0-9A-Za-z_-]{35}"),
    secret("a private key", "закрытый ключ", r"-----BEGIN [A-Z]+ PRIVATE KEY-----"),
    secret("a Telegram bot token", "токен бота Telegram", r"[0-9]{8,}:[A-Za-z0-9_-]{35}"),
    secret("a JSON web token", "токен JWT", r"eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+"),
    secret(
        "a database address with a password",
        "адрес базы данных с паролем",
        r"(?:mongodb|postgres|mysql|redis)(?:\+srv)?://[^:]+:[^@/\s]+@",
    ),
    secret("a web address with a password", "веб-адрес с паролем", r"https?://[^:/\s]+:[^@/\s]+@"),
    secret("a Discord token", "токен Discord", r"M[A-Za-z0-9_-]{23}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}"),
    personal(
        "a SNILS number",
        "номер СНИЛС",
        r"(?P<before>^|[^0-9-])[0-9]{3}-[0-9]{3}-[0-9]{3}\s[0-9]{2}(?P<after>[^0-9]|$)",
    ),
];

pub static NAMES: [Rule; 6] = [
    personal(
        "the name of a client profile (cp_profile_…)",
        "имя файла профиля клиента (cp_profile_…)",
        r"cp_profile_[^/]+\.(?:json|yaml|md)$",
    ),
    personal(
        "an e-mail address as its name",
        "адрес почты вместо имени",
        r".*@[a-zA-Z0-9.-]+\.(?:ru|com|net|org)$",
    ),
    secret("the name of a token file (.token)", "имя файла с токеном (.token)", r".*\.token$"),
    secret(
        "the name of a secret file (-secret.…)",
        "имя файла с секретом (-secret.…)",
        r".*-secret\.[a-z]+$",
    ),
    secret("the name of a key file (.key)", "имя файла с ключом (.key)", r".*\.key$"),
    secret("the name of a key file (.pem)", "имя файла с ключом (.pem)", r".*\.pem$"),
];
