//! From Markdown to blocks.

use super::{Block, Body, DEPTH, Document, Heading, Ink, Kind, Piece, Table, Target, link};
use crate::ui::text::sanitize;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::borrow::Cow;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Parses any text; what is no Markdown is a paragraph.
pub fn parse(text: &str) -> Document {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut builder = Builder::new(text);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        builder.event(event, range);
    }
    builder.finish()
}

/// A level of nesting: what stands in front of the rows inside it.
struct Indent {
    /// The list marker, until it has been used.
    first: Option<String>,
    rest: String,
}

struct Builder<'t> {
    text: &'t str,
    /// Offsets where lines begin.
    starts: Vec<usize>,
    document: Document,
    indents: Vec<Indent>,
    /// The next number of each list, `None` for bullets.
    lists: Vec<Option<u64>>,
    pieces: Vec<Piece>,
    /// Where the block under construction begins.
    at: Option<usize>,
    bold: u32,
    italic: u32,
    struck: u32,
    links: Vec<u32>,
    /// Blocks whose text is taken as it stands.
    verbatim: Option<Kind>,
    heading: Option<u8>,
    table: Option<Table>,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str) -> Builder<'t> {
        let starts: Vec<usize> = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1))
            .collect();
        let lines = starts.len() as u32 - u32::from(text.ends_with('\n'));
        Builder {
            text,
            starts,
            document: Document { lines: lines.max(1), ..Document::default() },
            indents: Vec::new(),
            lists: Vec::new(),
            pieces: Vec::new(),
            at: None,
            bold: 0,
            italic: 0,
            struck: 0,
            links: Vec::new(),
            verbatim: None,
            heading: None,
            table: None,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match self.verbatim {
                Some(kind) => self.lines(&text, kind, range.start),
                None => self.prose(&text, Kind::Text, range.start),
            },
            Event::Code(text) => self.prose(&text, Kind::Code, range.start),
            Event::Html(text) => self.lines(&text, Kind::Muted, range.start),
            Event::InlineHtml(text) => self.prose(&text, Kind::Muted, range.start),
            Event::SoftBreak => self.piece(" ", Kind::Text, range.start),
            Event::HardBreak => self.piece("\n", Kind::Text, range.start),
            Event::Rule => {
                self.flush();
                self.at = Some(range.start);
                self.block(Body::Rule);
            }
            Event::TaskListMarker(done) => {
                self.piece(if done { "☑ " } else { "☐ " }, Kind::Text, range.start)
            }
            // Not switched on.
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Emphasis => self.italic += 1,
            Tag::Strong => self.bold += 1,
            Tag::Strikethrough => self.struck += 1,
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let link = self.link(&dest_url);
                self.links.push(link);
            }
            Tag::TableRow | Tag::TableHead => {
                if let Some(table) = &mut self.table {
                    table.cells.push(Vec::new());
                }
            }
            Tag::TableCell => self.pieces.clear(),
            _ => {
                self.flush();
                self.at = Some(range.start);
                match tag {
                    Tag::Heading { level, .. } => self.heading = Some(level as u8),
                    Tag::BlockQuote(_) => self.indents.push(Indent { first: None, rest: "▏ ".into() }),
                    Tag::CodeBlock(_) => {
                        self.indents.push(Indent { first: None, rest: "  ".into() });
                        self.verbatim = Some(Kind::Code);
                    }
                    Tag::MetadataBlock(_) => self.verbatim = Some(Kind::Muted),
                    Tag::List(first) => self.lists.push(first),
                    Tag::Item => self.item(),
                    Tag::Table(_) => self.table = Some(Table::default()),
                    _ => {}
                }
            }
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.italic = self.italic.saturating_sub(1),
            TagEnd::Strong => self.bold = self.bold.saturating_sub(1),
            TagEnd::Strikethrough => self.struck = self.struck.saturating_sub(1),
            TagEnd::Link | TagEnd::Image => drop(self.links.pop()),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.pieces);
                if let Some(row) = self.table.as_mut().and_then(|table| table.cells.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::TableRow | TagEnd::TableHead => {}
            TagEnd::Table => {
                self.pieces.clear();
                if let Some(mut table) = self.table.take() {
                    let head = table.cells.first_mut().into_iter().flatten().flatten();
                    head.for_each(|piece| piece.ink.bold = true);
                    self.block(Body::Table(table));
                }
            }
            TagEnd::CodeBlock | TagEnd::MetadataBlock(_) | TagEnd::HtmlBlock => {
                let pieces = std::mem::take(&mut self.pieces);
                self.block(Body::Verbatim(pieces));
                if self.verbatim.take() == Some(Kind::Code) {
                    self.indents.pop();
                }
            }
            TagEnd::Heading(_) => self.end_heading(),
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.indents.pop();
            }
            TagEnd::Item => {
                // An empty item still has its marker.
                let unused = self.indents.last().is_some_and(|indent| indent.first.is_some());
                if self.pieces.is_empty() && unused {
                    self.block(Body::Flow(Vec::new()));
                }
                self.flush();
                self.indents.pop();
            }
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            _ => self.flush(),
        }
    }

    fn item(&mut self) {
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => "• ".to_string(),
        };
        let rest = " ".repeat(marker.width());
        self.indents.push(Indent { first: Some(marker), rest });
    }

    fn end_heading(&mut self) {
        let level = self.heading.take().unwrap_or(1);
        let mut pieces = std::mem::take(&mut self.pieces);
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        let line = self.line(self.at.unwrap_or(0));
        let extension = ["Extension (turns", "Дополнение (turns", "Дополнение (ход"]
            .iter()
            .any(|word| text.starts_with(word));
        for piece in &mut pieces {
            if piece.ink.kind == Kind::Text {
                piece.ink.kind = if extension { Kind::Extension } else { Kind::Heading(level) };
            }
        }
        if extension {
            let ink = Ink { kind: Kind::Extension, ..Ink::default() };
            pieces.insert(0, Piece { text: "✚ ".into(), ink, line });
        }
        let headings = &mut self.document.headings;
        let index = headings.len();
        // Sections of this and deeper levels end here.
        let mut parent = index.checked_sub(1);
        while let Some(open) = parent.filter(|open| headings[*open].level >= level) {
            parent = headings[open].parent;
        }
        headings.push(Heading { level, text, line, extension, parent, end: line });
        self.block(Body::Heading(index, pieces));
    }

    /// Ends the paragraph under construction, if there is one.
    fn flush(&mut self) {
        if !self.pieces.is_empty() {
            let pieces = std::mem::take(&mut self.pieces);
            self.block(Body::Flow(pieces));
        }
    }

    fn block(&mut self, body: Body) {
        let at = self.at.take().or_else(|| first_line(&body).map(|line| self.starts[line as usize - 1]));
        let line = self.line(at.unwrap_or(0));
        let depth = self.indents.len().min(DEPTH);
        let (outer, inner) = self.indents.split_at_mut(depth);
        inner.iter_mut().for_each(|indent| indent.first = None);
        let rest: String = outer.iter().map(|indent| indent.rest.as_str()).collect();
        let first: String = outer
            .iter_mut()
            .map(|indent| indent.first.take().map_or(Cow::Borrowed(indent.rest.as_str()), Cow::Owned))
            .collect();
        let above = (line as usize).checked_sub(2).map(|n| &self.text[self.starts[n]..self.starts[n + 1]]);
        let blank = above.is_some_and(|above| above.trim_matches(['>', ' ', '\t', '\r', '\n']).is_empty());
        let gap =
            blank || matches!(&body, Body::Heading(index, _) if self.document.headings[*index].level <= 2);
        let section = self.document.headings.len().checked_sub(1);
        self.document.blocks.push(Block { first, rest, body, line, gap, section });
    }

    /// Prose, with the session files that it names as links.
    fn prose(&mut self, text: &str, kind: Kind, at: usize) {
        let mut from = 0;
        if self.links.is_empty() {
            for name in link::names(text) {
                self.piece(&text[from..name.start], kind, at);
                let link = self.link(&text[name.clone()]);
                self.links.push(link);
                self.piece(&text[name.clone()], kind, at);
                self.links.pop();
                from = name.end;
            }
        }
        self.piece(&text[from..], kind, at);
    }

    fn piece(&mut self, text: &str, kind: Kind, at: usize) {
        if text.is_empty() {
            return;
        }
        let ink = Ink {
            kind,
            bold: self.bold > 0,
            italic: self.italic > 0,
            struck: self.struck > 0,
            link: self.links.last().copied(),
        };
        let text = if text == "\n" { text.to_string() } else { clean(text).replace('\n', " ") };
        let line = self.line(at);
        self.pieces.push(Piece { text, ink, line });
    }

    /// Verbatim text, a piece for each line.
    fn lines(&mut self, text: &str, kind: Kind, at: usize) {
        let first = self.line(at);
        let ink = Ink { kind, ..Ink::default() };
        for (line, text) in (first..).zip(text.lines()) {
            self.pieces.push(Piece { text: clean(text).replace('\n', " "), ink, line });
        }
    }

    fn link(&mut self, address: &str) -> u32 {
        self.document.links.push(Target::of(address));
        self.document.links.len() as u32 - 1
    }

    /// The number of the line that holds this offset.
    fn line(&self, at: usize) -> u32 {
        self.starts.partition_point(|start| *start <= at).max(1) as u32
    }

    fn finish(mut self) -> Document {
        self.flush();
        let last = self.document.lines;
        let headings = &mut self.document.headings;
        for index in 0..headings.len() {
            let level = headings[index].level;
            let next = headings[index + 1..].iter().find(|later| later.level <= level);
            headings[index].end = next.map_or(last, |later| later.line.saturating_sub(1));
        }
        self.document
    }
}

fn first_line(body: &Body) -> Option<u32> {
    match body {
        Body::Flow(pieces) | Body::Verbatim(pieces) | Body::Heading(_, pieces) => Some(pieces.first()?.line),
        Body::Table(table) => Some(table.cells.iter().flatten().flatten().next()?.line),
        Body::Rule => None,
    }
}

/// Safe text in which every letter takes a column at least.
pub fn clean(text: &str) -> String {
    let text = sanitize(text);
    if text.is_ascii() {
        return text;
    }
    text.graphemes(true)
        .map(|letter| if letter.width() == 0 && letter != "\n" { "\u{fffd}" } else { letter })
        .collect()
}
