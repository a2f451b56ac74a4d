//! Pictures of the README: the program's own screens, cell by cell, as SVG. `FLIGHTDECK_PICTURES=docs/pictures cargo test
//! --test suite pictures` draws them anew from a rehearsal that is played by keys.

use crate::dash::{Desk, SEND};
use crate::pty::Pty;
use crate::source::root;
use crate::stage::{AGREES, finish};
use std::fmt::Write;
use std::fs;
use std::process::Command;
use vt100::Color;

const COLUMN: f32 = 8.4;
const ROW: f32 = 18.0;
const PAD: f32 = 12.0;

/// A terminal's colours: background, text, and the first sixteen.
struct Palette {
    back: &'static str,
    text: &'static str,
    ansi: [&'static str; 16],
}

const DARK: Palette = Palette {
    back: "#14171c",
    text: "#d5dae1",
    ansi: [
        "#14171c", "#e5646e", "#6cc07a", "#d9ae57", "#6ea8f5", "#c78be0", "#58b9c4", "#c2c8d0", "#7d8794",
        "#f0868e", "#8ad697", "#ecc97d", "#93c0fa", "#d9a9ec", "#7fd2db", "#ffffff",
    ],
};

const LIGHT: Palette = Palette {
    back: "#ffffff",
    text: "#24292f",
    ansi: [
        "#24292f", "#b8242c", "#2a7332", "#8a5a00", "#0a58c4", "#8a2fa5", "#00707f", "#5e6873", "#5e6873",
        "#b8242c", "#2a7332", "#8a5a00", "#0a58c4", "#8a2fa5", "#00707f", "#24292f",
    ],
};

impl Palette {
    fn of(&self, color: Color, otherwise: &str) -> String {
        match color {
            Color::Default => otherwise.to_string(),
            Color::Idx(n @ 0..16) => self.ansi[usize::from(n)].to_string(),
            Color::Idx(n @ 16..232) => {
                let part = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
                let n = n - 16;
                format!("#{:02x}{:02x}{:02x}", part(n / 36), part(n / 6 % 6), part(n % 6))
            }
            Color::Idx(n) => {
                let grey = 8 + 10 * (n - 232);
                format!("#{grey:02x}{grey:02x}{grey:02x}")
            }
            Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        }
    }
}

fn size(screen: &vt100::Screen) -> (u16, u16) {
    let (rows, cols) = screen.size();
    (rows.get(), cols.get())
}

/// The text and the coloured grounds of a screen, without the frame around them.
fn cells(screen: &vt100::Screen, palette: &Palette) -> String {
    let (rows, cols) = size(screen);
    let mut out = String::new();
    for row in 0..rows {
        let mut col = 0;
        while col < cols {
            let look = |col: u16| {
                let cell = screen.cell(row, col).unwrap();
                let (mut text, mut back) =
                    (palette.of(cell.fgcolor(), palette.text), palette.of(cell.bgcolor(), palette.back));
                if cell.inverse() {
                    std::mem::swap(&mut text, &mut back);
                }
                (text, back, cell.bold())
            };
            let (from, style) = (col, look(col));
            let mut text = String::new();
            while col < cols && look(col) == style {
                let cell = screen.cell(row, col).unwrap();
                if !cell.is_wide_continuation() {
                    text.push_str(if cell.has_contents() { cell.contents() } else { " " });
                }
                col += 1;
                // A wide character ends its run, so that what follows stands in its own column whatever the font.
                if cell.is_wide() {
                    col += 1;
                    break;
                }
            }
            let (x, y) = (PAD + f32::from(from) * COLUMN, PAD + f32::from(row) * ROW);
            let wide = f32::from(col - from) * COLUMN;
            if style.1 != palette.back {
                let back = &style.1;
                write!(
                    out,
                    r#"<rect x="{x:.1}" y="{y:.1}" width="{wide:.1}" height="{ROW}" fill="{back}"/>"#
                )
                .unwrap();
            }
            let lead = text.chars().take_while(|c| *c == ' ').count();
            let words = text.trim();
            if words.is_empty() {
                continue;
            }
            let (x, y) = (x + lead as f32 * COLUMN, y + ROW * 0.72);
            let long = unicode_width::UnicodeWidthStr::width(words) as f32 * COLUMN;
            let bold = if style.2 { r#" font-weight="bold""# } else { "" };
            let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            writeln!(
                out,
                r#"<text x="{x:.1}" y="{y:.1}" textLength="{long:.1}" fill="{}"{bold}>{words}</text>"#,
                style.0
            )
            .unwrap();
        }
    }
    out
}

fn frame(size: (u16, u16), palette: &Palette, body: &str) -> String {
    let (rows, cols) = size;
    let (width, height) = (f32::from(cols) * COLUMN + 2.0 * PAD, f32::from(rows) * ROW + 2.0 * PAD);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" xml:space=\"preserve\" \
         font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n{body}</svg>\n",
        palette.back
    )
}

fn still(s: &Pty, palette: &Palette) -> String {
    let screen = s.parser.screen();
    frame(size(screen), palette, &cells(screen, palette))
}

/// One frame after the other, without end.
fn film(frames: &[(String, u32)], size: (u16, u16), palette: &Palette) -> String {
    let all: u32 = frames.iter().map(|(_, seconds)| seconds).sum();
    let (mut at, mut body) = (0, String::new());
    for (cells, seconds) in frames {
        let (from, to) = (at as f32 / all as f32, (at + seconds) as f32 / all as f32);
        let (times, values) = match (at, at + seconds == all) {
            (0, _) => (format!("0;{to:.3}"), "visible;hidden"),
            (_, true) => (format!("0;{from:.3}"), "hidden;visible"),
            _ => (format!("0;{from:.3};{to:.3}"), "hidden;visible;hidden"),
        };
        write!(
            body,
            "<g visibility=\"hidden\"><animate attributeName=\"visibility\" calcMode=\"discrete\" dur=\"{all}s\" \
             repeatCount=\"indefinite\" keyTimes=\"{times}\" values=\"{values}\"/>\n{cells}</g>\n"
        )
        .unwrap();
        at += seconds;
    }
    frame(size, palette, &body)
}

#[test]
fn pictures_of_the_readme() {
    let Ok(folder) = std::env::var("FLIGHTDECK_PICTURES") else {
        println!("FLIGHTDECK_PICTURES is not set: nothing to draw");
        return;
    };
    let folder = root().join(folder);
    fs::create_dir_all(&folder).unwrap();
    for (name, palette) in [("dark", &DARK), ("light", &LIGHT)] {
        let desk = Desk::new();
        desk.stage.config(&format!("screen: {{motion: false}}\ntheme: {name}"));
        let sessions = desk.stage.sessions();
        let played = |story: &str| {
            let place = ["--sessions-dir", sessions.to_str().unwrap(), "demo", "--speed", "0"];
            let ran = desk.stage.run(&[&place[..], &["--headless", "--story", story]].concat());
            assert_eq!(ran.code, Some(0), "{ran:?}");
        };
        played("consensus");
        played("disagree");
        let place = ["--sessions-dir", sessions.to_str().unwrap(), "demo", "--speed", "4"];
        let mut s = desk.open(&place, (120, 32));
        let mut frames = Vec::new();
        let mut take = |s: &mut Pty, what: &str, seconds: u32| {
            s.until("a whole frame", Pty::is_whole);
            if !what.is_empty() {
                fs::write(folder.join(format!("{what}-{name}.svg")), still(s, palette)).unwrap();
            }
            frames.push((cells(s.parser.screen(), palette), seconds));
        };
        s.shows("Roles: mira");
        take(&mut s, "", 2);
        s.until("mira speaks in round 1", |s| s.text().contains("round 1 · reply · as it comes"));
        s.shows("has answered");
        take(&mut s, "session", 3);
        s.shows("! 1 waiting");
        s.keys("\r");
        s.shows("your answer");
        take(&mut s, "", 2);
        s.keys("Seven days. Longer is not promised to anybody.");
        s.shows("to anybody.");
        take(&mut s, "question", 3);
        s.keys("\x1b");
        s.until("the session", |s| !s.text().contains("your answer"));
        s.keys("\x1b");
        s.shows("L library");
        take(&mut s, "deck", 3);
        s.keys("!");
        s.shows("to anybody.");
        s.keys(SEND);
        s.shows("round 2");
        take(&mut s, "", 2);
        s.shows("Consensus — 1 of 2");
        s.shows("! 1 waiting");
        s.keys("\r");
        s.shows("every choice takes its key twice");
        take(&mut s, "gate", 4);
        s.keys("a");
        s.shows("again to decide A");
        s.keys("a");
        s.until("the gate is over", |s| !s.text().contains("Decision Gate"));
        s.shows("! 1 waiting");
        s.keys("\r");
        s.shows("close or extend");
        take(&mut s, "", 2);
        s.keys("\r");
        s.shows("closed · ");
        s.keys("r");
        s.shows("Final Report");
        take(&mut s, "report", 4);
        s.keys("\x03");
        assert_eq!(s.code(), 0);
        if name == "dark" {
            fs::write(folder.join("run.svg"), film(&frames, (32, 120), palette)).unwrap();
        }
    }
}

/// From decision to deployment: the pipeline's screen, and a film of the way there.
#[test]
fn pictures_of_a_deployment() {
    let Ok(folder) = std::env::var("FLIGHTDECK_PICTURES") else {
        println!("FLIGHTDECK_PICTURES is not set: nothing to draw");
        return;
    };
    let folder = root().join(folder);
    for (name, palette) in [("dark", &DARK), ("light", &LIGHT)] {
        let desk = Desk::new();
        desk.stage.config(&format!("screen: {{motion: false}}\ntheme: {name}"));
        let sessions = desk.stage.sessions();
        let place =
            ["--sessions-dir", sessions.to_str().unwrap(), "demo", "--story", "deploy", "--speed", "4"];
        let mut s = desk.open(&place, (100, 30));
        let mut frames = Vec::new();
        let mut take = |s: &mut Pty, what: &str, seconds: u32| {
            s.until("a whole frame", Pty::is_whole);
            if !what.is_empty() {
                fs::write(folder.join(format!("{what}-{name}.svg")), still(s, palette)).unwrap();
            }
            frames.push((cells(s.parser.screen(), palette), seconds));
        };
        s.shows("! 1 waiting");
        s.keys("\r");
        s.shows("implement now");
        take(&mut s, "", 3);
        s.keys("b");
        s.shows("! 2 waiting");
        s.shows("P pipeline");
        s.keys("P");
        s.shows("change 1/2 · open");
        take(&mut s, "pipeline", 4);
        s.keys("y");
        s.shows("▌! change 2/2 · open");
        s.shows("! 1 waiting");
        take(&mut s, "", 2);
        s.keys("n");
        s.shows("▌! change 1/1 · open");
        s.shows("gate · waits for you");
        take(&mut s, "", 3);
        // The change is on the screen a moment before its question, and a key that comes between is not kept.
        s.shows("is a document whose content");
        s.keys("y");
        s.shows("review 1/3");
        take(&mut s, "", 2);
        s.until("the tests have run", |s| s.text().contains("✓ verify") || s.text().contains("✓ deploy"));
        take(&mut s, "", 2);
        s.shows("✓ outcome");
        take(&mut s, "", 4);
        s.keys("\x03");
        assert_eq!(s.code(), 0);
        if name == "dark" {
            fs::write(folder.join("deploy.svg"), film(&frames, (30, 100), palette)).unwrap();
        }
    }
}

/// Halves the memory of the search, says so in the decisions, and meddles with their first lines.
const HALVES: &str = r#"sed -i 's/CAP: usize = 256 << 20/CAP: usize = 128 << 20/' src/store/search/shelf.rs
sed -i '3s/.*/Choices that nobody may question. The newest stand last in their section; a decision that is undone/' docs/decisions.md
printf '\n## The search keeps 128 MB\n\nMore was never read again within a search.\n' >> docs/decisions.md
echo 'changed_files: [src/store/search/shelf.rs, docs/decisions.md]'
exit"#;

/// A copy of this project, and a decision that is carried out in it.
#[test]
fn pictures_of_a_deployment_in_a_copy_of_this_project() {
    let Ok(folder) = std::env::var("FLIGHTDECK_PICTURES") else {
        println!("FLIGHTDECK_PICTURES is not set: nothing to draw");
        return;
    };
    let desk = Desk::new();
    let copy = desk.stage.home().join("flightdeck");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        desk.stage.clean(&mut command).args(args);
        let ran = finish(command, "");
        assert_eq!(ran.code, Some(0), "git {args:?}: {ran:?}");
    };
    let at = copy.to_str().unwrap();
    git(&["clone", "--quiet", "--no-hardlinks", root().to_str().unwrap(), at]);
    git(&["-C", at, "config", "user.email", "pilot@example.invalid"]);
    git(&["-C", at, "config", "user.name", "Pilot"]);
    desk.stage.config(
        "screen: {motion: false}\ntheme: dark\nimplementation:\n  reviewer: bo\n  reserved: [\"docs/decisions.md\"]\n  repos:\n    \
         flightdeck: {path: ../../flightdeck, verify: [\"sleep 1; grep -n 'CAP: usize' src/store/search/shelf.rs\"], push: false}\n",
    );
    desk.stage.writer(&format!("[ \"$FLIGHTDECK_CALL\" = implement ] && {{ sleep 1\n{HALVES}\n}}\n"));
    let review = "sleep 1; printf '## OK\\n- the cap is halved, and nothing else\\n'; exit";
    desk.stage.script("bo", &format!("[ \"$FLIGHTDECK_CALL\" = review ] && {{ {review}\n}}\n{AGREES}"));
    let mut s = desk.session("bo", (100, 30));
    let mut frames = Vec::new();
    let mut take = |s: &mut Pty, seconds: u32| {
        s.until("a whole frame", Pty::is_whole);
        frames.push((cells(s.parser.screen(), &DARK), seconds));
    };
    s.shows("! 1 waiting");
    s.keys("\r");
    s.shows("implement now");
    s.keys("bb");
    s.until("the gate is over", |s| !s.text().contains("Decision Gate"));
    s.shows("P pipeline");
    s.keys("P");
    s.shows("change 1/2 · open");
    take(&mut s, 4);
    s.keys("n");
    s.shows("! change 2/2 · open");
    s.until("one is decided", |s| s.text().contains("1 waiting"));
    take(&mut s, 2);
    s.keys("y");
    s.shows("! change 1/1 · open");
    s.shows("! 1 waiting");
    take(&mut s, 3);
    s.keys("y");
    s.shows("review 1/3");
    take(&mut s, 2);
    s.until("the check runs", |s| s.text().contains("✓ verify") || s.text().contains("✓ deploy"));
    take(&mut s, 2);
    s.shows("✓ outcome");
    take(&mut s, 4);
    s.keys("\x03");
    assert_eq!(s.code(), 0);
    fs::write(root().join(folder).join("here.svg"), film(&frames, (30, 100), &DARK)).unwrap();
}
