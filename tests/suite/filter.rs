//! `filter`: what a user sees of what would leave the machine (PC-063 to PC-066).

use crate::bin::Bin;
use std::fs;
use std::os::unix::fs::symlink;

fn tree(bin: &Bin, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = bin.path().join("work/tree").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn token() -> String {
    format!("ghp_{}", "x9".repeat(18))
}

#[test]
fn pc_064_the_list_has_what_passes_and_nothing_else() {
    let bin = Bin::new();
    tree(&bin, &[(".agentigore", "*.log\nbuild/\n"), ("a b.md", "x"), ("Z.md", "x"), ("sub/c.md", "x")]);
    tree(&bin, &[("a.log", "x"), ("build/x.md", "x"), ("sub/key.md", &format!("1\n2\nkey {}", token()))]);
    tree(&bin, &[("new\nline\u{1b}[31m", "x")]);
    fs::create_dir_all(bin.path().join("home/.iwe")).unwrap();
    fs::write(bin.path().join("home/.iwe/.agentigore"), "Z.*\n").unwrap();
    symlink("Z.md", bin.path().join("work/tree/link")).unwrap();
    let ran = bin.run(&["filter", "tree", "--list"]);
    assert_eq!(ran.stdout, ".agentigore\na b.md\nnew\\nline\\u{1b}[31m\nsub/c.md\n");
    assert_eq!(ran.code, Some(0), "the list was made: {}", ran.stderr);
    assert!(ran.stderr.contains("1 file") && !ran.stderr.contains("ghp_"), "{}", ran.stderr);
}

#[test]
fn pc_065_the_summary_and_the_explanation_name_rules_and_never_the_secret() {
    let bin = Bin::new();
    tree(
        &bin,
        &[(".agentigore", "# notes\n*.log\nbuild/\n"), ("a.md", "x"), ("b.log", "x"), ("build/x.md", "x")],
    );
    let ran = bin.run(&["filter", "tree"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("2 files") && ran.stdout.contains("*.log"), "{}", ran.stdout);
    assert!(ran.stdout.contains("tree/.agentigore:2"), "{}", ran.stdout);

    tree(&bin, &[("conf/keys.md", &format!("1\n2\nkey {}\n", token())), ("id.pem", "x")]);
    let ran = bin.run(&["filter", "tree"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for part in ["conf/keys.md:3: a GitHub token (ghp_)", "id.pem: the name of a key file"] {
        assert!(ran.stdout.contains(part), "{part} in {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("x9x9"), "{}", ran.stdout);

    let explain = |path: &str| {
        let ran = bin.run(&["filter", "tree", "--explain", path]);
        (ran.code, ran.stdout)
    };
    assert_eq!(explain("a.md"), (Some(0), "a.md: passes\n".into()));
    assert_eq!(explain("tree/a.md"), (Some(0), "a.md: passes\n".into()), "as a shell completes it");
    let (code, text) = explain("conf/keys.md");
    assert!(
        code == Some(1) && text.contains("line 3: a GitHub token (ghp_)") && !text.contains("x9x9"),
        "{text}"
    );
    let (code, text) = explain("build/x.md");
    assert!(code == Some(1) && text.contains("(build)") && text.contains(".agentigore:3: build/"), "{text}");
    assert_eq!(explain("none.md").0, Some(2));
    assert_eq!(explain("../outside.md").0, Some(2));
    assert_eq!(bin.run(&["filter", "none"]).code, Some(1));
    assert_eq!(bin.run(&["filter"]).code, Some(2));
}

#[test]
fn pc_063_ignore_rules_that_cannot_be_read_give_nothing() {
    let bin = Bin::new();
    tree(&bin, &[(".agentigore/x", "a folder"), ("a.md", "x")]);
    let ran = bin.run(&["filter", "tree", "--list"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
    assert!(ran.stderr.contains(".agentigore"), "{}", ran.stderr);
}
