//! Where a pane stands in its text. The reading position belongs to the pilot: new text below never moves it
//! (ui.md rule 2), and after a change of width the same words stand at the top.

/// A position in a list of lines, and what the last drawing found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scroll {
    /// First visible line.
    pub top: usize,
    /// Lines there are.
    pub total: usize,
    /// Lines that fit.
    pub height: usize,
    /// Stay at the end while text comes.
    pub follow: bool,
    /// How many lines there were when following ended.
    left_at: usize,
    /// The width that `top` counts in, and the place of its line in the text.
    width: u16,
    anchor: (usize, usize),
}

impl Scroll {
    /// A pane that begins at the end of its text.
    pub fn following() -> Scroll {
        Scroll { follow: true, ..Scroll::default() }
    }

    /// Takes the size of text and pane; the position moves only when it would lie behind the end.
    pub fn fit(&mut self, total: usize, height: usize) {
        (self.total, self.height) = (total, height);
        let end = self.end();
        self.top = if self.follow { end } else { self.top.min(end) };
    }

    /// Like [`fit`](Self::fit), for blocks of wrapped text: when the width changes, the line at the top is found again
    /// by the letters before it in its block.
    pub fn fit_blocks<S: AsRef<str>>(&mut self, blocks: &[&[S]], width: u16, height: usize) {
        let total = blocks.iter().map(|b| b.len()).sum();
        if self.width != width && self.width != 0 && !self.follow {
            let before: usize = blocks.iter().take(self.anchor.0).map(|b| b.len()).sum();
            self.top = before + blocks.get(self.anchor.0).map_or(0, |b| line_of(b, self.anchor.1));
            self.left_at = total;
        }
        self.width = width;
        self.fit(total, height);
        let mut line = self.top;
        self.anchor = (blocks.len(), 0);
        for (n, block) in blocks.iter().enumerate() {
            if line < block.len() {
                self.anchor = (n, block[..line].iter().map(|l| letters(l.as_ref())).sum());
                break;
            }
            line -= block.len();
        }
    }

    /// Moves by so many lines. Moving up ends following; reaching the end does not begin it.
    pub fn by(&mut self, lines: isize) {
        let to = self.top.saturating_add_signed(lines).min(self.end());
        if self.follow && to < self.top {
            self.unfollow();
        }
        self.top = to;
    }

    pub fn page(&mut self, pages: isize) {
        let step = self.height.saturating_sub(1).max(1) as isize;
        self.by(step * pages);
    }

    pub fn first(&mut self) {
        self.unfollow();
        self.top = 0;
    }

    pub fn last(&mut self) {
        self.top = self.end();
    }

    pub fn toggle_follow(&mut self) {
        if self.follow {
            self.unfollow();
        } else {
            self.follow = true;
            self.last();
        }
    }

    /// Makes a line visible with the least movement.
    pub fn show(&mut self, line: usize) {
        if line < self.top {
            self.top = line;
        } else if self.height > 0 && line >= self.top + self.height {
            self.top = line + 1 - self.height;
        }
    }

    /// Lines below the last visible one.
    pub fn below(&self) -> usize {
        self.total.saturating_sub(self.top + self.height)
    }

    /// Whether text came below since the pilot stopped following.
    pub fn has_new(&self) -> bool {
        !self.follow && self.left_at > 0 && self.total > self.left_at && self.below() > 0
    }

    fn unfollow(&mut self) {
        if self.follow {
            self.follow = false;
            self.left_at = self.total;
        }
    }

    fn end(&self) -> usize {
        self.total.saturating_sub(self.height)
    }
}

/// Letters of a line: wrapping moves and drops blanks only.
fn letters(line: &str) -> usize {
    line.chars().filter(|c| !c.is_whitespace()).count()
}

/// The line that holds the letter number `at`.
fn line_of<S: AsRef<str>>(block: &[S], at: usize) -> usize {
    let mut seen = 0;
    for (n, line) in block.iter().enumerate() {
        seen += letters(line.as_ref());
        if seen > at {
            return n;
        }
    }
    block.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::text::wrap;

    #[test]
    fn rule_2_new_text_never_moves_the_reader() {
        let mut s = Scroll::following();
        s.fit(100, 10);
        assert_eq!(s.top, 90);
        s.by(-20);
        assert_eq!((s.top, s.follow, s.has_new()), (70, false, false));
        s.fit(140, 10);
        assert_eq!((s.top, s.below(), s.has_new()), (70, 60, true));
        s.toggle_follow();
        assert_eq!((s.top, s.has_new()), (130, false));
        s.fit(200, 10);
        assert_eq!(s.top, 190);
    }

    #[test]
    fn rule_2_a_new_width_keeps_the_words_at_the_top() {
        let text: Vec<String> = (0..60).map(|n| format!("слово{n:03}")).collect();
        let (first, second) = ("заголовок".to_string(), text.join(" "));
        let wrapped = |w: usize| [wrap(&first, w), wrap(&second, w)];
        let mut s = Scroll::default();
        let wide = wrapped(40);
        s.fit_blocks(&[&wide[0], &wide[1]], 40, 5);
        s.by(7);
        s.fit_blocks(&[&wide[0], &wide[1]], 40, 5);
        let words = wide[1][6].split(' ').next().unwrap().to_string();
        let narrow = wrapped(17);
        s.fit_blocks(&[&narrow[0], &narrow[1]], 17, 5);
        assert!(narrow[1][s.top - 1].contains(&words), "{} {:?}", words, narrow[1][s.top - 1]);
        s.fit_blocks(&[&wide[0], &wide[1]], 40, 5);
        assert!(wide[1][s.top - 1].contains(&words));
    }

    #[test]
    fn a_line_is_shown_with_the_least_movement() {
        let mut s = Scroll::default();
        s.fit(50, 10);
        s.show(12);
        assert_eq!(s.top, 3);
        s.show(5);
        assert_eq!(s.top, 3);
        s.show(1);
        assert_eq!(s.top, 1);
    }
}
