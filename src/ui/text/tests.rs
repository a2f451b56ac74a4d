use super::*;
use proptest::prelude::*;

#[test]
fn plain_text_stays() {
    for text in [
        "",
        "plain",
        "two\nlines\n",
        "Ещё раз: да",
        "漢字 and 👩‍💻",
        "é e\u{301} й",
        "❤️ 1️⃣ 🇷🇺",
        "می‌خواهم",
        "क्‍ष",
    ] {
        assert_eq!(sanitize(text), text, "{text}");
    }
}

#[test]
fn escape_sequences_are_disarmed() {
    for (text, want) in [
        ("\u{1b}[31mred\u{1b}[0m", "red"),
        ("\u{1b}[38;2;1;2;3mx\u{1b}[m", "x"),
        ("a\u{1b}[2Jb\u{1b}[10;5H", "a␛b␛"),
        ("\u{1b}[?25lx", "␛x"),
        ("\u{1b}[>4;1mx", "␛x"),
        ("\u{1b}]0;title\u{7}text", "␛]0;title␇text"),
        ("\u{1b}]52;c;AAAA never ends\nnext", "␛]52;c;AAAA never ends\nnext"),
        ("\u{1b}Pq#0\u{1b}\\x", "␛Pq#0␛\\x"),
        ("\u{1b}_hidden\u{1b}\\", "␛_hidden␛\\"),
        ("cut \u{1b}[31", "cut ␛[31"),
        ("cut \u{1b}[3\n1m", "cut ␛[3\n1m"),
        ("\u{1b}[31é", "␛[31é"),
        ("\u{9b}31mx", "\u{fffd}31mx"),
        ("\u{1b}c", "␛c"),
        ("\u{1b}", "␛"),
    ] {
        assert_eq!(sanitize(text), want, "{text:?}");
    }
}

#[test]
fn controls_are_visible() {
    assert_eq!(sanitize("a\0b\u{8}c\u{7f}d\u{85}e"), "a␀b␈c␡d\u{fffd}e");
    assert_eq!(sanitize("a\r\nb\rc\r\r\n"), "a\nb␍c␍\n");
    assert_eq!(sanitize("a\u{2028}b"), "a\nb");
}

#[test]
fn tabs_reach_the_next_stop() {
    assert_eq!(sanitize("\ta\tbc\t漢\td\n\tx"), "    a   bc  漢  d\n    x");
}

#[test]
fn nothing_hides() {
    for text in [
        "a\u{202e}b",
        "a\u{200b}b",
        "a\u{feff}b",
        "a\u{2066}b",
        "a\u{e0041}b",
        "a\u{ad}b",
        "a\u{3164}b",
        "a\u{200d}b",
        "a\u{fe0f}b",
        "a\u{e0100}b",
        "a\u{61c}b",
    ] {
        assert_eq!(sanitize(text), "a\u{fffd}b", "{text:?}");
    }
    assert_eq!(sanitize("\u{301}x"), "\u{fffd}x");
    assert_eq!(sanitize("ж\u{200d}\u{80}"), "ж\u{fffd}\u{fffd}");
    assert_eq!(sanitize("❤\u{fe0f}\u{fe0f}"), "❤\u{fe0f}\u{fffd}");
    let heap = format!("a{}b", "\u{301}".repeat(500));
    assert_eq!(sanitize(&heap), format!("a{}\u{fffd}b", "\u{301}".repeat(MARKS)));
}

#[test]
fn one_line_is_cut_by_width() {
    assert_eq!(one_line("  a\n b\t c ", 20), "a b c");
    assert_eq!(one_line("abcdef", 6), "abcdef");
    assert_eq!(one_line("abcdef", 5), "abcd…");
    assert_eq!(one_line("漢字漢", 5), "漢字…");
    assert_eq!(one_line("漢字漢", 4), "漢…");
    assert_eq!(one_line("👩‍💻👩‍💻", 3), "👩‍💻…");
    assert_eq!(one_line("ab cd", 4), "ab…");
    assert_eq!(
        (one_line("abc", 1), one_line("abc", 0), one_line("", 0)),
        ("…".into(), String::new(), String::new())
    );
}

#[test]
fn wrap_prefers_words() {
    assert_eq!(wrap("the quick brown fox", 9), ["the quick", "brown fox"]);
    assert_eq!(wrap("the quick brown", 7), ["the", "quick", "brown"]);
    assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
    assert_eq!(wrap("a\n\nb\n", 5), ["a", "", "b", ""]);
    assert_eq!(wrap("    indented text", 12), ["    indented", "text"]);
    assert_eq!(wrap("    abcdefgh", 6), ["    ab", "cdefgh"]);
    assert_eq!(wrap("слово и слово", 7), ["слово и", "слово"]);
    assert_eq!(wrap("", 0), [""]);
    assert_eq!(wrap("漢", 1), ["\u{fffd}"]);
    assert_eq!(wrap(" abcd漢", 5), [" abcd", "漢"], "a word that would not fit below either is cut");
}

#[test]
fn simple_letters_stand_alone() {
    let letters: Vec<char> = ('\0'..=char::MAX).filter(|c| simple(*c)).collect();
    assert!(letters.len() > 500 && letters.contains(&'я') && letters.contains(&'─'));
    for c in letters {
        let text = format!("a{c}{c}я");
        assert_eq!((text.width(), text.graphemes(true).count()), (4, 4), "{c:?}");
        assert_eq!(sanitize(&text), text);
    }
}

fn nasty() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "(\u{1b}\\[|\u{1b}\\]|[0-9;]{1,3}|m|\t|\r|\n| |a|漢|ж|\u{301}|\u{200d}|👩|❤|\u{fe0f}|\u{202e}|🇷|ا|ل|\\PC|.){0,50}",
        "(\\PC|[\u{0}-\u{ff}]|[\u{300}-\u{36f}]|[\u{1100}-\u{11ff}]|[\u{900}-\u{97f}]|[\u{1f3fb}-\u{1f64f}]){0,40}",
    ]
}

fn assert_safe(text: &str) -> Result<(), TestCaseError> {
    let bad = text.chars().find(|c| (c.is_control() && *c != '\n') || is_invisible(*c));
    prop_assert_eq!(bad, None, "{:?}", text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_simple_line_is_cut_like_any_other(text in "[ a-eа-я—─]{0,20}", width in 0_usize..24) {
        prop_assert!(is_simple(&text));
        let pieces: Vec<&str> = visible(&text).collect();
        prop_assert_eq!(pieces, text.graphemes(true).collect::<Vec<_>>());
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let head: String = flat.chars().take(width.saturating_sub(1)).collect();
        let want = match flat.chars().count() > width {
            true if width == 0 => String::new(),
            true => format!("{}…", head.trim_end()),
            false => flat,
        };
        prop_assert_eq!(one_line(&text, width), want);
    }

    #[test]
    fn sanitized_text_is_safe_and_stays_so(text in nasty()) {
        let safe = sanitize(&text);
        assert_safe(&safe)?;
        prop_assert_eq!(sanitize(&safe), safe.clone(), "{:?}", text);
    }

    #[test]
    fn wrapped_lines_are_never_too_wide(text in nasty(), width in 0usize..12) {
        for line in wrap(&text, width) {
            assert_safe(&line)?;
            prop_assert!(!line.contains('\n'));
            let cells: usize = line.graphemes(true).map(|g| g.width()).sum();
            prop_assert!(cells <= width.max(1) && line.width() <= width.max(1), "{:?} {} {}", line, cells, line.width());
        }
    }

    #[test]
    fn one_line_is_never_too_wide(text in nasty(), width in 0usize..12) {
        let line = one_line(&text, width);
        assert_safe(&line)?;
        prop_assert!(!line.contains('\n'));
        let cells: usize = line.graphemes(true).map(|g| g.width()).sum();
        prop_assert!(cells <= width && line.width() <= width, "{:?}", line);
    }

    #[test]
    fn wrapping_loses_no_letters(text in "[a-zа-я \n]{0,60}", width in 1usize..12) {
        let letters = |text: &str| text.split_whitespace().collect::<String>();
        prop_assert_eq!(letters(&wrap(&text, width).join("\n")), letters(&text));
    }
}
