use super::*;
use crate::engine::wire::{ChangeKind, Patch};

fn doc(path: &str, text: &str) -> Arc<Doc> {
    let (repo, path, text) = ("app".into(), path.into(), text.into());
    let patch = Patch { repo, path, kind: ChangeKind::Modified, added: 0, removed: 0, binary: false, text };
    Arc::new(Doc::new(vec![patch], &[], 1, false, 1))
}

/// The coloured pieces of each row.
fn pieces<'a>(doc: &'a Doc, from: usize, runs: &[Runs]) -> Vec<Vec<(&'a str, Class)>> {
    let row = |(at, runs): (usize, &Runs)| {
        let text = doc.text(&doc.rows[at]);
        runs.iter().map(|run| (&text[run.at.start as usize..run.at.end as usize], run.class)).collect()
    };
    (from..).zip(runs).map(row).collect()
}

fn all(path: &str, text: &str) -> Vec<Vec<(String, Class)>> {
    let doc = doc(path, text);
    let runs = Painter::new().paint(&doc, 0..doc.rows.len(), &|| false).unwrap();
    let owned =
        |row: Vec<(&str, Class)>| row.into_iter().map(|(text, class)| (text.to_string(), class)).collect();
    pieces(&doc, 0, &runs).into_iter().map(owned).collect()
}

fn texts(row: &[(String, Class)], class: Class) -> Vec<&str> {
    row.iter().filter(|(_, c)| *c == class).map(|(text, _)| text.as_str()).collect()
}

#[test]
fn code_comes_apart_into_a_few_kinds() {
    let rows =
        all("a.rs", "@@ -1 +1,2 @@\n pub fn retry(n: u8) -> &str { \"ten\" } // says ten\n+let x = 7;\n");
    let line = &rows[2];
    assert_eq!(texts(line, Class::Name), ["retry"]);
    assert_eq!(texts(line, Class::String), ["\"ten\""]);
    assert_eq!(texts(line, Class::Comment), ["// says ten"]);
    assert!(texts(line, Class::Keyword).contains(&"pub") && texts(line, Class::Keyword).contains(&"fn"));
    assert_eq!(texts(&rows[3], Class::String), ["7"]);
}

#[test]
fn each_side_goes_on_where_its_own_text_was() {
    let text = "@@ -1,3 +1,3 @@\n a\n-/* gone\n+/* came */\n-let\n+let\n b\n@@ -9 +9 @@\n let\n";
    let rows = all("a.rs", text);
    let comment = |n: usize| texts(&rows[n], Class::Comment).concat();
    assert_eq!((comment(3), comment(4)), ("/* gone".into(), "/* came */".into()));
    assert_eq!(comment(5), "let", "the old side is inside of the comment");
    assert_eq!(texts(&rows[6], Class::Keyword), ["let"], "the new side is behind it");
    assert_eq!(texts(&rows[9], Class::Keyword), ["let"], "another hunk begins anew");
}

#[test]
fn a_file_is_known_by_its_name_or_its_first_line() {
    let keyword = |path, line: &str| {
        let rows = all(path, &format!("@@ -1,2 +1,2 @@\n {line}\n if true; then\n"));
        texts(&rows[3], Class::Keyword).contains(&"if")
    };
    assert!(keyword("retry.sh", "x"));
    assert!(keyword("bin/retry", "#!/bin/sh"));
    assert!(!keyword("bin/retry", "x"), "nobody knows what it is");
    let rows = all("Makefile", "@@ -1,2 +1,2 @@\n all:\n \techo # x\n");
    assert!(!rows[2].is_empty());
}

#[test]
fn a_jump_is_coloured_as_if_all_had_been_read() {
    let mut text = String::from("@@ -1,3000 +1,3000 @@\n");
    for n in 0..3_000 {
        let line = match n % 700 {
            0 => " /* a comment begins",
            200 => " and ends */",
            _ => " let x = \"y\"; // z",
        };
        text.push_str(line);
        text.push('\n');
    }
    let doc = doc("a.rs", &text);
    let mut painter = Painter::new();
    let far = painter.paint(&doc, 2_850..2_860, &|| false).unwrap();
    assert!(painter.states.len() > 5, "states are kept on the way");
    let whole = Painter::new().paint(&doc, 0..doc.rows.len(), &|| false).unwrap();
    assert_eq!(far, whole[2_850..2_860]);
    let (begin, back) = (painter.begin(2_500), painter.paint(&doc, 2_500..2_600, &|| false).unwrap());
    assert!(begin > 2_500 - EVERY, "{begin}");
    assert_eq!(back, whole[2_500..2_600]);
    assert_eq!(painter.paint(&doc, 0..3_000, &|| true), None, "a newer wish ends it");
}

/// Lines that trouble parsers, in some syntaxes (all of them take minutes without optimisation): what fails there costs
/// the colours only, and should not happen.
#[test]
fn no_syntax_fails_on_rough_lines() {
    let painter = Painter::new();
    let rough = [
        "",
        "\"'`((([[[{{{<<<",
        "\t/* <!-- ''' \"\"\" #{ ${",
        "\u{1b}[31m\u{0}\u{202e}жжж 漢字 \\",
        "%>?>*/-->",
        "<<EOF",
    ];
    for name in ["rs", "py", "sh", "md", "yaml", "toml"] {
        let syntax = painter.set.find_syntax_by_extension(name).unwrap();
        let mut sides = Sides::new(syntax);
        for line in rough.iter().cycle().take(12) {
            for run in painter.line(&mut sides, Kind::Came, line).iter() {
                assert!(line.get(run.at.start as usize..run.at.end as usize).is_some(), "{}", syntax.name);
            }
        }
    }
}
