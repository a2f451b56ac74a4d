//! Ignore files: which files of a directory an agent never sees (PC-064). The forms look like those of git but are
//! fewer and differ in detail, so they are matched here: `*` also matches `/`, and there is no re-inclusion.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// `.agentigore` is the interface of the skill family; the spelling one expects is read too.
const NAMES: [&str; 2] = [".agentigore", ".agentignore"];

/// The union of all ignore files that apply to one directory.
#[derive(Debug, Clone, Default)]
pub struct Ignore {
    sets: Vec<Set>,
}

/// The rules of one file. `above` are the folders between the file's folder and the directory: a rule may be meant
/// from either place, so it is tried from both.
#[derive(Debug, Clone)]
struct Set {
    above: Vec<String>,
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
enum Rule {
    /// `**/X/**` and `X/`: any folder of that name (several folders in a row when X has a `/`).
    Folder(Glob),
    /// `X/**` and `/X/`: the folder X at the root.
    Prefix(String, Glob),
    /// `**/X`: the file name, or the last parts of the path.
    Tail(Glob),
    /// A plain glob: the whole relative path, or the file name.
    Plain(Glob),
    /// `/X`: the whole relative path only.
    Rooted(Glob),
}

impl Ignore {
    /// Reads the ignore files that apply to `dir`: of `<home>/.iwe`, of the root of its repository, its own. A file that
    /// exists but cannot be read is an error, because without it too much would be shown.
    pub fn for_dir(dir: &Path, home: Option<&Path>) -> Result<Ignore, String> {
        let mut ignore = Ignore::default();
        if let Some(home) = home {
            ignore.read(&home.join(".iwe"), Vec::new())?;
        }
        if let Some(root) = repository(dir).filter(|root| root != dir) {
            let above =
                dir.strip_prefix(&root).map(|rest| rest.iter().map(|p| p.to_string_lossy().into()).collect());
            ignore.read(&root, above.unwrap_or_default())?;
        }
        ignore.read(dir, Vec::new())?;
        Ok(ignore)
    }

    /// Rules from text, as if it stood in the directory itself.
    pub fn parse(text: &str) -> Ignore {
        let mut ignore = Ignore::default();
        ignore.add(text, Vec::new());
        ignore
    }

    /// True for a file, given by its path relative to the directory with `/` between the parts.
    pub fn file(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        let Some((_, folders)) = parts.split_last() else { return false };
        self.any(&parts, |rule, parts| rule.file(parts))
            || (1..=folders.len()).any(|n| self.folder_parts(&folders[..n]))
    }

    /// True for a folder of which no file can be shown.
    pub fn folder(&self, path: &str) -> bool {
        self.folder_parts(&path.split('/').collect::<Vec<_>>())
    }

    fn folder_parts(&self, folders: &[&str]) -> bool {
        self.any(folders, |rule, folders| rule.folder(folders))
    }

    fn any(&self, parts: &[&str], hit: impl Fn(&Rule, &[&str]) -> bool) -> bool {
        self.sets.iter().any(|set| {
            let from_file: Vec<&str> =
                set.above.iter().map(String::as_str).chain(parts.iter().copied()).collect();
            set.rules.iter().any(|rule| hit(rule, parts) || (!set.above.is_empty() && hit(rule, &from_file)))
        })
    }

    fn read(&mut self, folder: &Path, above: Vec<String>) -> Result<(), String> {
        for path in NAMES.map(|name| folder.join(name)) {
            match fs::read(&path).map(String::from_utf8) {
                Ok(Ok(text)) => self.add(&text, above.clone()),
                Ok(Err(_)) => return Err(format!("{} is not UTF-8 text", path.display())),
                Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(e) => return Err(format!("{} cannot be read: {e}", path.display())),
            }
        }
        Ok(())
    }

    fn add(&mut self, text: &str, above: Vec<String>) {
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        let rules =
            lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(Rule::parse).collect();
        self.sets.push(Set { above, rules });
    }
}

impl Rule {
    fn parse(pattern: &str) -> Rule {
        let deep = pattern.strip_prefix("**/");
        let glob = |text: &str| Glob::parse(text.trim_matches('/'));
        let prefix = |text: &str| Rule::Prefix(text.trim_matches('/').to_string(), glob(text));
        if let Some(name) = deep.and_then(|rest| rest.strip_suffix("/**")).filter(|name| !name.is_empty()) {
            Rule::Folder(glob(name))
        } else if let Some(name) = pattern.strip_suffix('/') {
            match deep {
                None if name.starts_with('/') => prefix(name),
                _ => Rule::Folder(glob(name.strip_prefix("**/").unwrap_or(name))),
            }
        } else if let Some(tail) = deep {
            Rule::Tail(glob(tail))
        } else if let Some(name) = pattern.strip_suffix("/**") {
            prefix(name)
        } else if let Some(path) = pattern.strip_prefix('/') {
            Rule::Rooted(glob(path))
        } else {
            Rule::Plain(Glob::parse(pattern))
        }
    }

    /// True when the folder itself is named; whether a folder above it is, the caller asks separately.
    fn folder(&self, folders: &[&str]) -> bool {
        match self {
            Rule::Folder(glob) => (0..folders.len())
                .any(|from| glob.depth == folders.len() - from && glob.matches(&folders[from..].join("/"))),
            Rule::Prefix(text, glob) => {
                let path = folders.join("/");
                path == *text || glob.matches(&path)
            }
            Rule::Tail(_) | Rule::Plain(_) | Rule::Rooted(_) => false,
        }
    }

    fn file(&self, parts: &[&str]) -> bool {
        let name = parts.last().copied().unwrap_or_default();
        match self {
            Rule::Tail(glob) => (0..parts.len()).any(|from| glob.matches(&parts[from..].join("/"))),
            Rule::Plain(glob) => glob.matches(name) || glob.matches(&parts.join("/")),
            Rule::Rooted(glob) => glob.matches(&parts.join("/")),
            // `X/**` excludes a file X too.
            Rule::Prefix(text, _) => parts.join("/") == *text,
            Rule::Folder(_) => false,
        }
    }
}

/// A shell glob: `*`, `?`, `[abc]`, `[a-z]`, `[!a]`. Everything else stands for itself; `*` matches `/` as well.
#[derive(Debug, Clone)]
struct Glob {
    tokens: Vec<Token>,
    /// Parts of the path in the pattern.
    depth: usize,
}

#[derive(Debug, Clone)]
enum Token {
    Star,
    Any,
    One(char),
    Class { not: bool, ranges: Vec<(char, char)> },
}

impl Glob {
    fn parse(pattern: &str) -> Glob {
        let chars: Vec<char> = pattern.chars().collect();
        let (mut tokens, mut at) = (Vec::new(), 0);
        while let Some(&c) = chars.get(at) {
            at += 1;
            tokens.push(match c {
                '*' => Token::Star,
                '?' => Token::Any,
                '[' => match class(&chars[at..]) {
                    Some((token, len)) => {
                        at += len;
                        token
                    }
                    None => Token::One('['),
                },
                c => Token::One(c),
            });
        }
        Glob { tokens, depth: pattern.split('/').count() }
    }

    /// Linear in practice: only the last star is ever tried again.
    fn matches(&self, text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        let (mut token, mut at, mut retry) = (0, 0, None);
        while at < chars.len() {
            match self.tokens.get(token) {
                Some(Token::Star) => {
                    retry = Some((token + 1, at));
                    token += 1;
                }
                Some(one) if one.accepts(chars[at]) => (token, at) = (token + 1, at + 1),
                _ => {
                    let Some((after_star, from)) = retry else { return false };
                    retry = Some((after_star, from + 1));
                    (token, at) = (after_star, from + 1);
                }
            }
        }
        self.tokens[token..].iter().all(|rest| matches!(rest, Token::Star))
    }
}

impl Token {
    fn accepts(&self, c: char) -> bool {
        match self {
            Token::Star => false,
            Token::Any => true,
            Token::One(one) => *one == c,
            Token::Class { not, ranges } => ranges.iter().any(|(a, b)| (*a..=*b).contains(&c)) != *not,
        }
    }
}

/// A class from behind its `[`, and how many characters it takes. `None` when nothing closes it: then `[` is itself.
fn class(chars: &[char]) -> Option<(Token, usize)> {
    let not = chars.first() == Some(&'!');
    let from = usize::from(not);
    // A `]` right at the start is a member.
    let close = from + 1 + chars.get(from + 1..)?.iter().position(|c| *c == ']')?;
    let (mut ranges, mut members) = (Vec::new(), &chars[from..close]);
    while let [first, rest @ ..] = members {
        members = match rest {
            ['-', last, rest @ ..] => {
                ranges.push((*first, *last));
                rest
            }
            _ => {
                ranges.push((*first, *first));
                rest
            }
        };
    }
    Some((Token::Class { not, ranges }, close + 1))
}

/// The root of the repository that holds `dir`: the nearest folder with `.git` in it.
fn repository(dir: &Path) -> Option<PathBuf> {
    dir.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, hidden: &[&str], shown: &[&str]) {
        let ignore = Ignore::parse(pattern);
        for path in hidden {
            assert!(ignore.file(path), "{pattern} must hide {path}");
        }
        for path in shown {
            assert!(!ignore.file(path), "{pattern} must show {path}");
        }
    }

    #[test]
    fn pc_064_deep_folder() {
        check(
            "**/node_modules/**",
            &["node_modules/a", "x/node_modules/y/z"],
            &["node_modules", "a/node_modules.md", "xnode_modules/a"],
        );
        check("**/.*/**", &[".git/config", "a/.venv/x"], &[".env", "a/b"]);
        check("**/a/b/**", &["a/b/x", "q/a/b/c/x"], &["a/x", "b/a/x", "a/c/b/x"]);
    }

    #[test]
    fn pc_064_deep_name_or_tail() {
        check("**/*.db", &["a.db", "x/y/a.db"], &["a.dbx", "db"]);
        check(
            "**/conf/local.yaml",
            &["conf/local.yaml", "x/conf/local.yaml"],
            &["local.yaml", "xconf/local.yaml"],
        );
    }

    #[test]
    fn pc_064_prefix() {
        check("private/**", &["private/a", "private/x/y", "private"], &["x/private/a", "privates/a"]);
        check("docs/*/raw/**", &["docs/a/raw/x"], &["docs/raw/x", "docs/a/x"]);
    }

    #[test]
    fn pc_064_folder_anywhere_issue_728() {
        check(
            "__pycache__/",
            &["guide-kit/structurer/__pycache__/foo.pyc", "__pycache__/x"],
            &["keep/file.txt", "__pycache__"],
        );
        check("build*/", &["build-1/x/y"], &["x/rebuild/y", "build.md"]);
        check("**/tmp/", &["tmp/a", "x/tmp/a"], &["x/tmp", "tmp.md"]);
        check("/out/", &["out/a"], &["x/out/a"]);
    }

    #[test]
    fn pc_064_plain_glob() {
        check("*.pdf", &["a.pdf", "x/y.pdf"], &["a.pdf.md"]);
        check("notes/*.md", &["notes/a.md", "notes/x/y.md"], &["a.md", "x/notes/a.md"]);
        check("secret?.[tj]*", &["secret1.txt", "x/secretЖ.json"], &["secret.txt", "secret1.md"]);
        check("[!a-c]x", &["dx", "p/ёx"], &["ax", "cx"]);
        check("[x", &["[x", "a/[x"], &["x"]);
        check("[]]y", &["]y"], &["y"]);
        check("/top.md", &["top.md"], &["x/top.md"]);
        // Re-inclusion is no form of ours: it never shows more.
        check("a\n!a", &["a"], &["b"]);
    }

    #[test]
    fn pc_064_comments_and_blank_lines() {
        check("\u{feff}# all\n\n   \n  *.log  \r\n#*.md", &["a.log"], &["a.md", "#a"]);
    }

    #[test]
    fn pc_064_a_glob_of_stars_ends() {
        let name = "a".repeat(5_000);
        assert!(!Ignore::parse(&("*a".repeat(40) + "b")).file(&name));
    }

    #[test]
    fn pc_064_union_of_home_repository_and_directory() {
        let temp = tempfile::tempdir().unwrap();
        let (home, root) = (temp.path().join("home"), temp.path().join("repo"));
        let dir = root.join("sub/dir");
        fs::create_dir_all(&dir).unwrap();
        fs::create_dir_all(home.join(".iwe")).unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        fs::write(home.join(".iwe/.agentigore"), "*.home\n").unwrap();
        fs::write(root.join(".agentigore"), "*.root\nsub/dir/private/**\nlocal/**\n").unwrap();
        fs::write(root.join("sub/.agentigore"), "*.between\n").unwrap();
        fs::write(dir.join(".agentignore"), "*.dir\n").unwrap();
        let ignore = Ignore::for_dir(&dir, Some(&home)).unwrap();
        for hidden in ["a.home", "a.root", "a.dir", "private/x", "local/x"] {
            assert!(ignore.file(hidden), "{hidden}");
        }
        assert!(!ignore.file("a.between") && !ignore.file("a.md"));
        assert!(ignore.folder("private") && !ignore.folder("public"));
    }

    #[test]
    fn pc_063_an_ignore_file_that_cannot_be_read_is_an_error() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join(".agentigore")).unwrap();
        assert!(Ignore::for_dir(temp.path(), None).is_err());
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join(".agentigore"), [0xff, 0xfe]).unwrap();
        assert!(Ignore::for_dir(temp.path(), None).unwrap_err().contains("UTF-8"));
    }
}
