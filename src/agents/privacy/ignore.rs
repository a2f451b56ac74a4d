//! Ignore files: which files of a directory an agent never sees (PC-064). The forms look like those of git but are
//! fewer and differ in detail, so they are matched here: `*` also matches `/`, and there is no re-inclusion.

mod rule;

use regex::{RegexSet, RegexSetBuilder};
use rule::Rule;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

/// `.agentigore` is the interface of the skill family; the spelling one expects is read too.
const NAMES: [&str; 2] = [".agentigore", ".agentignore"];

/// Room for ten thousands of rules: a long ignore file must not stop the filter.
const SIZE_LIMIT: usize = 512 << 20;

/// Where a rule stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub file: Arc<Path>,
    /// Counted from 1.
    pub line: usize,
    pub pattern: String,
}

/// The union of all ignore files that apply to one directory.
#[derive(Debug, Clone)]
pub struct Ignore {
    /// Every rule, meant from the directory itself.
    here: Set,
    /// The rules of the repository's root once more: they may also be meant from there. The text leads from the root to
    /// the directory and ends with `/`.
    above: Option<(String, Set)>,
}

/// Rules as two searches over a path, each of which runs once however many rules there are.
#[derive(Debug, Clone)]
struct Set {
    origins: Vec<Origin>,
    /// For the path of a file.
    files: RegexSet,
    /// For the path of a folder, with `/` at its end.
    folders: RegexSet,
}

impl Ignore {
    /// Reads the ignore files that apply to `dir`: of `<home>/.iwe`, of the root of its repository, its own. A file that
    /// exists but cannot be read is an error, because without it too much would be shown.
    pub fn for_dir(dir: &Path, home: Option<&Path>) -> Result<Ignore, String> {
        let (mut all, mut of_root) = (Vec::new(), Vec::new());
        if let Some(home) = home {
            read(&home.join(".iwe"), &mut all)?;
        }
        let root = repository(dir).filter(|root| root != dir);
        if let Some(root) = &root {
            read(root, &mut of_root)?;
            all.extend(of_root.iter().cloned());
        }
        read(dir, &mut all)?;
        let lead = root.as_deref().and_then(|root| dir.strip_prefix(root).ok());
        let lead = lead.map(|lead| format!("{}/", lead.to_string_lossy()));
        let above = match lead.filter(|_| !of_root.is_empty()) {
            Some(lead) => Some((lead, Set::new(of_root)?)),
            None => None,
        };
        Ok(Ignore { here: Set::new(all)?, above })
    }

    /// Rules from text, as if it stood in the directory itself.
    pub fn parse(text: &str) -> Result<Ignore, String> {
        let mut origins = Vec::new();
        add(text, &Arc::from(Path::new(NAMES[0])), &mut origins);
        Ok(Ignore { here: Set::new(origins)?, above: None })
    }

    /// The first rule that leaves out this file, given by its path relative to the directory with `/` between the parts.
    pub fn file(&self, path: &str) -> Option<&Origin> {
        let above = || {
            let (lead, set) = self.above.as_ref()?;
            set.first(&set.files, &format!("{lead}{path}"))
        };
        self.here.first(&self.here.files, path).or_else(above)
    }

    /// The first rule by which no file of this folder can be shown.
    pub fn folder(&self, path: &str) -> Option<&Origin> {
        let path = format!("{path}/");
        let above = || {
            let (lead, set) = self.above.as_ref()?;
            set.first(&set.folders, &format!("{lead}{path}"))
        };
        self.here.first(&self.here.folders, &path).or_else(above)
    }
}

impl Set {
    fn new(origins: Vec<Origin>) -> Result<Set, String> {
        let rules: Vec<Rule> = origins.iter().map(|origin| Rule::parse(&origin.pattern)).collect();
        let build = |patterns: Vec<String>| {
            let built =
                RegexSetBuilder::new(patterns).dot_matches_new_line(true).size_limit(SIZE_LIMIT).build();
            built.map_err(|e| format!("too many rules, or too long ones: {e}"))
        };
        let files = build(rules.iter().map(Rule::file).collect())?;
        let folders = build(rules.iter().map(Rule::folder).collect())?;
        Ok(Set { origins, files, folders })
    }

    fn first(&self, set: &RegexSet, path: &str) -> Option<&Origin> {
        // The search for any match stops early; which one it was is asked only then.
        let at = set.is_match(path).then(|| set.matches(path).iter().next())??;
        self.origins.get(at)
    }
}

fn read(folder: &Path, origins: &mut Vec<Origin>) -> Result<(), String> {
    for path in NAMES.map(|name| folder.join(name)) {
        match fs::read(&path).map(String::from_utf8) {
            Ok(Ok(text)) => add(&text, &Arc::from(path), origins),
            Ok(Err(_)) => return Err(format!("{} is not UTF-8 text", path.display())),
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(e) => return Err(format!("{} cannot be read: {e}", path.display())),
        }
    }
    Ok(())
}

fn add(text: &str, file: &Arc<Path>, origins: &mut Vec<Origin>) {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).enumerate();
    origins.extend(
        lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(|(at, line)| Origin {
            file: file.clone(),
            line: at + 1,
            pattern: line.to_string(),
        }),
    );
}

/// The root of the repository that holds `dir`: the nearest folder with `.git` in it.
fn repository(dir: &Path) -> Option<PathBuf> {
    dir.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, hidden: &[&str], shown: &[&str]) {
        let ignore = Ignore::parse(pattern).unwrap();
        for path in hidden {
            assert!(ignore.file(path).is_some(), "{pattern} must hide {path}");
        }
        for path in shown {
            assert!(ignore.file(path).is_none(), "{pattern} must show {path}");
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
        assert!(Ignore::parse(&("*a".repeat(40) + "b")).unwrap().file(&name).is_none());
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
            assert!(ignore.file(hidden).is_some(), "{hidden}");
        }
        assert!(ignore.file("a.between").is_none() && ignore.file("a.md").is_none());
        assert!(ignore.folder("private").is_some() && ignore.folder("public").is_none());
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
