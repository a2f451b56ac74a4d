use super::*;
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

fn shown(text: &str, width: usize) -> String {
    let rows = parse(text).rows(width, &BTreeSet::new());
    rows.iter().map(|row| format!("{:>3} {}\n", row.line, row.text().trim_end())).collect()
}

#[test]
fn ui_report_blocks_and_hanging_indents() {
    let text = "# Итоговый отчёт\n\n## 4. Решение\n- Делить кэш на два **сегмента** и не\n  трогать остальное\n- второе\n\n1. один\n   - вложенный пункт подлиннее\n\n> цитата из\n> двух строк\n\n```rust\nlet x = 1;\n    let y = 2;\n```\n";
    insta::assert_snapshot!(shown(text, 26), @r#"
         1 Итоговый отчёт
         3 
         3 4. Решение
         4 • Делить кэш на два
         4   сегмента и не трогать
         5   остальное
         6 • второе
         8 
         8 1. один
         9    • вложенный пункт
         9      подлиннее
        11 
        11 ▏ цитата из двух строк
        14 
        15   let x = 1;
        16       let y = 2;
        "#);
}

#[test]
fn ui_tables_fit_or_become_lists() {
    let text = "| vendor | says |\n|---|---|\n| codex | the cap must hold under load |\n| 日本 | да |\n";
    insta::assert_snapshot!(shown(text, 24), @r#"
        1 vendor │ says
        1 ───────┼────────────────
        3 codex  │ the cap must
        3        │ hold under load
        4 日本   │ да
        "#);
    insta::assert_snapshot!(shown(text, 13), @r#"
        3 vendor: codex
        3 says: the cap
        3   must hold
        3   under load
        4 
        4 vendor: 日本
        4 says: да
        "#);
}

#[test]
fn ui_sections_fold() {
    let text = "# A\nx\n## B\ny\n\nz\n## C\nw\n";
    let document = parse(text);
    let titles: Vec<_> = document.headings.iter().map(|h| (h.level, h.text.as_str(), h.line)).collect();
    assert_eq!(titles, [(1, "A", 1), (2, "B", 3), (2, "C", 7)]);
    let folded = |which: &[usize]| -> String {
        let rows = document.rows(40, &which.iter().copied().collect());
        rows.iter().map(Row::text).filter(|t| !t.is_empty()).collect::<Vec<_>>().join("|")
    };
    assert_eq!(folded(&[]), "A|x|B|y|z|C|w");
    assert_eq!(folded(&[1]), "A|x|▸ B · 3 …|C|w");
    assert_eq!(folded(&[0]), "▸ A · 7 …");
    assert_eq!(document.section_at(4), Some(1));
}

#[test]
fn ui_source_lines_survive_wrapping() {
    let text = "one two three four\nfive six\n\n- seven eight nine\n";
    let rows = parse(text).rows(10, &BTreeSet::new());
    let lines: Vec<(u32, String)> = rows.iter().map(|row| (row.line, row.text())).collect();
    assert_eq!(lines[0], (1, "one two".into()));
    assert_eq!(lines[2], (2, "five six".into()));
    assert_eq!(rows[Document::row_of(&rows, 2)].text(), "five six");
    assert!(rows[Document::row_of(&rows, 4)].text().starts_with("• seven"), "{lines:?}");
    assert_eq!(rows[Document::row_of(&rows, 999)].line, 4);
    assert_eq!(Document::row_of(&[], 3), 0);
}

#[test]
fn ui_links_marked_or_named() {
    let document = parse("see [the reply](01-peer.md:14) → 02-writer.md and `meta.yaml`");
    let file = |name: &str, line| Target::File { id: None, file: name.into(), line };
    let want = [file("01-peer.md", Some(14)), file("02-writer.md", None), file("meta.yaml", None)];
    assert_eq!(document.links, want);
    assert_eq!(document.rows(80, &BTreeSet::new())[0].links(), [0, 1, 2]);
}

#[test]
fn ui_extensions_are_marked() {
    let document = parse("## Extension (turns 4–6, 2026-08-24T10:00:00Z)\n### Turn 4 — x\n");
    assert!(document.headings[0].extension && !document.headings[1].extension);
    assert!(document.rows(60, &BTreeSet::new())[0].text().starts_with("✚ Extension"));
}

#[test]
fn ui_marks_take_whole_letters() {
    let marks = Marks::new(&["отчет".into(), "e".into()]);
    let found = |text: &str| marks.find(text).into_iter().map(|r| text[r].to_string()).collect::<Vec<_>>();
    assert_eq!(found("Отчёт, ОТЧЕТ"), ["Отчёт", "ОТЧЕТ"]);
    assert_eq!(found("cafe\u{301}s"), ["e\u{301}"]);
    assert!(found("кэш").is_empty());
}

#[test]
fn ui_plain_letters_are_as_wide_as_they_are_counted() {
    for c in ('\u{0}'..='\u{2fff}').filter(|c| flow::plain(&c.to_string()).is_some()) {
        let pair = format!("{c}{c}");
        assert_eq!((c.to_string().width(), pair.graphemes(true).count()), (1, 2), "{c:?}");
    }
}

#[test]
fn ui_hostile_text_is_disarmed() {
    let text = "# \u{1b}]0;t\u{7}x\n\u{202e}abc\u{200b} `\u{1b}[2J`\n\n    \u{9b}31m\n";
    let all: String = parse(text).rows(40, &BTreeSet::new()).iter().map(Row::text).collect();
    assert!(!all.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{200b}', '\u{9b}']), "{all:?}");
}

#[test]
fn ui_nesting_bombs_and_long_lines() {
    for text in [
        "> ".repeat(3000) + "x",
        "- ".repeat(3000) + "x",
        "*".repeat(20_000),
        "[".repeat(20_000),
        "|a".repeat(3000) + "|\n" + &"|-".repeat(3000) + "|\n",
        "я".repeat(200_000),
    ] {
        let start = std::time::Instant::now();
        let rows = parse(&text).rows(40, &BTreeSet::new());
        assert!(rows.iter().all(|row| row.width() <= 40));
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]
    #[test]
    fn ui_no_row_is_wider_than_its_place(
        pieces in proptest::collection::vec(
            prop_oneof![
                prop::sample::select(vec![
                    "# ", "\n", "\n\n", "- ", "1. ", "> ", "```\n", "| a | b |\n|--|--|\n", "| x |\n", "**", "*", "~~", "`",
                    "[l](", "00-writer.md", ")", "---\n", "日本語", "👩‍👩‍👧", "🇷🇺", "é", "e\u{301}", "\u{200d}", "한글",
                    "\t", "    ", "<b>", "слово ", "a_very_long_word_that_has_no_blank ", "\u{1b}[31m", "\u{ad}", "- [x] ",
                ]).prop_map(str::to_string),
                ".{0,10}",
            ],
            0..24,
        ),
        width in 1usize..50,
        fold in 0usize..3,
    ) {
        let text = pieces.concat();
        let document = parse(&text);
        let rows = document.rows(width, &BTreeSet::from([fold]));
        let style = |_| ratatui::style::Style::default();
        for row in &rows {
            let text = row.text();
            let drawn: usize = row.pieces.iter().flat_map(|(t, _)| t.graphemes(true)).map(UnicodeWidthStr::width).sum();
            prop_assert!(drawn <= width && row.width() == drawn, "{drawn} {} of {width}: {text:?}", row.width());
            prop_assert!(row.line >= 1 && row.line <= document.lines, "line {} of {}", row.line, document.lines);
            prop_assert!(!text.contains(|c: char| c.is_control()));
            let painted = paint(row, &Marks::new(&["a".into(), "сл".into()]), Some(0), &style);
            let again: String = painted.spans.iter().map(|span| span.content.as_ref()).collect();
            prop_assert_eq!(again, text);
        }
    }
}

#[test]
fn the_head_of_a_file_is_broken_at_blanks() {
    let document = parse("---\nbasis: the participant who knows did not answer\nttl: none\n---\n\n# T\n");
    let rows: Vec<String> = document.rows(20, &BTreeSet::new()).iter().map(|row| row.text()).collect();
    assert_eq!(rows[..4], ["basis: the", "participant who", "knows did not answer", "ttl: none"]);
}
