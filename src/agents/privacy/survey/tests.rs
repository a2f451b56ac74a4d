use super::super::copy::{copy_for, remove_copy};
use super::*;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

struct Place {
    temp: TempDir,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Place {
        let place = Place { temp: tempfile::tempdir().unwrap() };
        fs::create_dir(place.dir()).unwrap();
        for (name, text) in files {
            place.put(name, text);
        }
        place
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.dir().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn dir(&self) -> PathBuf {
        self.temp.path().join("dir")
    }

    fn survey(&self) -> Survey {
        survey(&self.dir(), Some(&self.temp.path().join("home")), true).unwrap()
    }

    fn explain(&self, path: &str) -> (String, Option<Kept>) {
        let (at, kept) = explain(&self.dir(), None, Path::new(path)).unwrap();
        (at.to_string_lossy().into(), kept)
    }
}

fn token() -> String {
    format!("ghp_{}", "x9".repeat(18))
}

fn names(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|p| p.to_string_lossy().into()).collect()
}

#[test]
fn pc_064_to_066_each_path_gets_its_verdict() {
    let place = Place::new(&[
        (".agentigore", "# secret drafts\n*.tmp\nbuild/\n"),
        (".hidden", "ж 8.8.8.8"),
        ("Z.md", "x"),
        ("a/b.md", "x"),
        ("a-b.md", "x"),
        ("a/c.tmp", "x"),
        ("build/out/x.md", "x"),
        (".git/config", "x"),
        ("id.pem", "x"),
        ("a/conf.md", &format!("one\ntwo {}\n", token())),
    ]);
    symlink("Z.md", place.dir().join("link.md")).unwrap();
    fs::File::create(place.dir().join("big")).unwrap().set_len(pii::FILE_LIMIT + 1).unwrap();
    let survey = place.survey();
    // By bytes: `-` before `/`, capitals before small letters.
    assert_eq!(names(&survey.passed), [".agentigore", ".hidden", "Z.md", "a-b.md", "a/b.md"]);
    assert_eq!((survey.bytes, survey.characters, survey.public_ips), (29 + 10 + 3, 29 + 9 + 3, 1));
    let rule = |line: usize, pattern: &str| {
        let file: std::sync::Arc<Path> = place.dir().canonicalize().unwrap().join(".agentigore").into();
        Kept::Ignored(super::super::ignore::Origin { file, line, pattern: pattern.into() })
    };
    let kept: Vec<(String, Kept)> =
        survey.kept.iter().map(|(path, kept)| (path.to_string_lossy().into(), kept.clone())).collect();
    let content = pii::content(token().as_bytes()).unwrap();
    let wanted = [
        (".git", Kept::Repository),
        ("a/c.tmp", rule(2, "*.tmp")),
        ("a/conf.md", Kept::Content(content)),
        ("big", Kept::TooBig),
        ("build", rule(3, "build/")),
        ("id.pem", Kept::Name(pii::file_name(b"id.pem").unwrap())),
        ("link.md", Kept::Link),
    ];
    let mut wanted = wanted.map(|(path, kept)| (path.to_string(), kept));
    wanted.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(kept, wanted);
    assert!(!survey.is_given());

    assert_eq!(place.explain("./a/b.md"), ("a/b.md".into(), None));
    assert_eq!(place.explain("a"), ("a".into(), None));
    assert_eq!(place.explain("build/out/x.md"), ("build".into(), Some(rule(3, "build/"))));
    assert_eq!(place.explain(".git/config").1, Some(Kept::Repository));
    assert_eq!(place.explain("a/conf.md").1, Some(Kept::Content(content)));
    assert!(explain(&place.dir(), None, Path::new("none.md")).is_err());
}

#[test]
fn pc_063_the_survey_is_what_the_copy_holds() {
    let place = Place::new(&[
        (".agentigore", "*.tmp\nbuild/\nprivate/**\n**/deep/*.db\n"),
        ("a/b.md", "x"),
        ("a/deep/c.db", "x"),
        ("c.tmp", "x"),
        ("build/out/x.md", "x"),
        ("sub/private/x.md", "x"),
        ("private/x.md", "x"),
        ("имя.md", "x"),
    ]);
    symlink("/etc", place.dir().join("etc")).unwrap();
    let survey = place.survey();
    assert!(survey.is_given());
    let to = place.temp.path().join("copy");
    let copied = copy_for(&place.dir(), &to, Some(&place.temp.path().join("home"))).unwrap();
    assert_eq!((survey.passed.len(), survey.bytes), (copied.files, copied.bytes));
    let there: Vec<bool> = survey.passed.iter().map(|path| to.join(path).is_file()).collect();
    assert_eq!(there, [true; 4]);
    remove_copy(&to).unwrap();
}

#[test]
fn pc_066_a_directory_over_the_limits_is_given_to_nobody() {
    let place = Place::new(&[]);
    for n in 0..=FILES {
        fs::write(place.dir().join(n.to_string()), "").unwrap();
    }
    let found = survey(&place.dir(), None, false).unwrap();
    assert!(found.is_too_large() && !found.is_given() && found.passed.len() == FILES + 1);
    // What an ignore rule leaves out does not count.
    place.put(".agentigore", "10");
    let found = survey(&place.dir(), None, false).unwrap();
    assert!(found.is_too_large() && found.passed.len() == FILES + 1, "the ignore file is a file too");
    place.put(".agentigore", "1?");
    assert!(survey(&place.dir(), None, false).unwrap().is_given());
}

#[test]
fn pc_063_what_cannot_be_judged_is_an_error() {
    let place = Place::new(&[(".agentigore/x", "a folder, not a file")]);
    assert!(survey(&place.dir(), None, false).unwrap_err().contains(".agentigore"));
    assert!(survey(&place.dir().join("none"), None, false).is_err());
    assert!(survey(&place.dir().join(".agentigore/x"), None, false).is_err(), "a file is no directory");
}
