//! A line of code with its colours and with the part marked that differs from the other side.

use crate::ui::code::{Class, Run};
use crate::ui::text::sanitize;
use crate::ui::theme::{Role, Theme};
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;
use std::ops::Range;

/// One shown line of a text that may take several.
pub struct Shown<'a> {
    /// As it came.
    pub text: &'a str,
    /// As it is shown, and which of these lines is meant.
    pub lines: &'a [String],
    pub n: usize,
    pub runs: &'a [Run],
    /// What it differs from, where that is to be marked.
    pub other: Option<&'a str>,
}

/// The spans of the line. A changed line keeps its colour wherever the code has no other one, its comments too.
pub fn spans(shown: &Shown, base: Style, changed: bool, theme: &Theme) -> Vec<Span<'static>> {
    let Some(line) = shown.lines.get(shown.n) else { return Vec::new() };
    let differs = shown.other.and_then(|other| differing(line, &sanitize(other)));
    let classes = classes(shown, line);
    let mut cuts: Vec<usize> = vec![0, line.len()];
    cuts.extend(classes.iter().flat_map(|(at, _)| [at.start, at.end]));
    cuts.extend(differs.iter().flat_map(|at| [at.start, at.end]));
    cuts.retain(|at| line.is_char_boundary(*at));
    cuts.sort_unstable();
    cuts.dedup();
    let piece = |ends: &[usize]| {
        let (from, to) = (ends[0], ends[1]);
        let class = classes.iter().find(|(at, _)| at.start <= from && to <= at.end).map(|(_, class)| *class);
        let style =
            class.and_then(|class| role(class, changed)).map_or(base, |role| base.patch(theme.of(role)));
        let marked = differs.as_ref().is_some_and(|at| at.start <= from && to <= at.end);
        let marks = if marked { Modifier::UNDERLINED | Modifier::BOLD } else { Modifier::empty() };
        Span::styled(line[from..to].to_string(), style.add_modifier(marks))
    };
    cuts.windows(2).map(piece).collect()
}

fn role(class: Class, changed: bool) -> Option<Role> {
    match class {
        Class::Comment => (!changed).then_some(Role::Muted),
        Class::String => Some(Role::CodeString),
        Class::Keyword => Some(Role::CodeKeyword),
        Class::Name => Some(Role::CodeName),
    }
}

/// Where the classes of the text stand in the shown line.
fn classes(shown: &Shown, line: &str) -> Vec<(Range<usize>, Class)> {
    if shown.runs.is_empty() {
        return Vec::new();
    }
    let text = sanitize(shown.text);
    let Some(begin) = begins(&text, shown.lines, shown.n) else { return Vec::new() };
    let same = text == shown.text;
    // What is shown of a beginning is the beginning of what is shown, but for tricks, which only lose their colour.
    let at = |byte: u32| match (same, shown.text.get(..byte as usize)) {
        (true, _) => byte as usize,
        (false, Some(before)) => sanitize(before).len(),
        (false, None) => 0,
    };
    let inside = |byte: usize| byte.saturating_sub(begin).min(line.len());
    let place = |run: &Run| inside(at(run.at.start))..inside(at(run.at.end));
    let all = shown.runs.iter().map(|run| (place(run), run.class));
    let whole = |at: &Range<usize>| {
        at.start < at.end && line.is_char_boundary(at.start) && line.is_char_boundary(at.end)
    };
    all.filter(|(at, _)| whole(at)).collect()
}

/// Where a line begins in the text that was wrapped; spaces at the breaks are gone.
fn begins(text: &str, lines: &[String], n: usize) -> Option<usize> {
    let mut at = 0;
    for (number, line) in lines.iter().enumerate().take(n + 1) {
        let begin = at + text.get(at..)?.find(line.as_str())?;
        if number == n {
            return Some(begin);
        }
        at = begin + line.len();
    }
    None
}

/// The part of a line in which it differs from the other side.
fn differing(line: &str, other: &str) -> Option<Range<usize>> {
    let (a, b): (Vec<char>, Vec<char>) = (line.chars().collect(), other.chars().collect());
    let before = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let most = a.len().min(b.len()) - before;
    let after = a.iter().rev().zip(b.iter().rev()).take(most).take_while(|(x, y)| x == y).count();
    let (from, to) = (before, a.len() - after);
    // Where hardly anything is common, or nothing differs, there is nothing to point at.
    if from >= to || before + after == 0 {
        return None;
    }
    let bytes = |chars: &[char]| chars.iter().map(|c| c.len_utf8()).sum::<usize>();
    let begin = bytes(&a[..from]);
    Some(begin..begin + bytes(&a[from..to]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::text::wrap;
    use crate::ui::theme::Colours;

    fn shown(text: &str, width: usize, runs: &[Run], other: Option<&str>) -> Vec<Vec<(String, Style)>> {
        let theme = Theme::shipped("light", Colours::True).unwrap();
        let lines = wrap(text, width);
        let line = |n| {
            let shown = Shown { text, lines: &lines, n, runs, other };
            let all = spans(&shown, theme.of(Role::DiffAdd), true, &theme);
            all.into_iter().map(|s| (s.content.into_owned(), s.style)).collect()
        };
        (0..lines.len()).map(line).collect()
    }

    fn run(at: Range<u32>, class: Class) -> Run {
        Run { at, class }
    }

    #[test]
    fn colours_follow_the_text_through_tabs_and_breaks() {
        let theme = Theme::shipped("light", Colours::True).unwrap();
        let keyword = theme.of(Role::DiffAdd).patch(theme.of(Role::CodeKeyword));
        let runs = [run(1..4, Class::Keyword), run(12..18, Class::Keyword)];
        let got = shown("\tfor жжж return", 40, &runs, None);
        let coloured = |line: &Vec<(String, Style)>| -> Vec<String> {
            line.iter().filter(|(_, style)| *style == keyword).map(|(text, _)| text.clone()).collect()
        };
        assert_eq!(got[0].iter().map(|(t, _)| t.as_str()).collect::<String>(), "    for жжж return");
        assert_eq!(coloured(&got[0]), ["for", "return"]);
        let broken = shown("\tfor жжж return", 10, &runs, None);
        assert_eq!(broken.iter().map(coloured).collect::<Vec<_>>(), [vec!["for"], vec!["return"]]);
    }

    #[test]
    fn what_differs_is_marked_within_its_colour() {
        let runs = [run(0..3, Class::Keyword), run(8..13, Class::String)];
        let got = &shown("let a = \"one\"", 40, &runs, Some("let a = \"two\""))[0];
        let marked: Vec<&str> = got
            .iter()
            .filter(|(_, s)| s.add_modifier.contains(Modifier::UNDERLINED))
            .map(|(t, _)| t.as_str())
            .collect();
        assert_eq!(marked, ["one"]);
        let theme = Theme::shipped("light", Colours::True).unwrap();
        let one = got.iter().find(|(t, _)| t == "one").unwrap();
        assert_eq!(one.1.fg, theme.of(Role::CodeString).fg);
        let plain = got.iter().find(|(t, _)| t == " a = ").unwrap();
        assert_eq!(plain.1.fg, theme.of(Role::DiffAdd).fg, "the rest keeps the colour of what came");
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_lost_or_changed(
            text in "(\\PC|\t|\u{1b}|\u{202e}|[a-z \"]){0,40}", other in "[a-z \"]{0,20}", width in 1usize..30,
            runs in proptest::collection::vec((0u32..60, 0u32..20), 0..5),
        ) {
            let runs: Vec<Run> = runs.into_iter().map(|(a, n)| run(a..a + n, Class::String)).collect();
            let got: Vec<String> = shown(&text, width, &runs, Some(&other))
                .into_iter().map(|line| line.into_iter().map(|(t, _)| t).collect()).collect();
            proptest::prop_assert_eq!(got, wrap(&text, width));
        }
    }
}
