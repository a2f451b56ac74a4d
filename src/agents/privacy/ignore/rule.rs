//! One line of an ignore file as regular expressions over a relative path.

/// What a pattern means, by its form (PC-064). The text is a glob.
#[derive(Debug)]
pub enum Rule<'a> {
    /// `**/X/**` and `X/`: any folder of that name (several folders in a row when X has a `/`).
    Folder(&'a str),
    /// `X/**` and `/X/`: the folder X at the root.
    Prefix(&'a str),
    /// `**/X`: the file name, or the last parts of the path.
    Tail(&'a str),
    /// A plain glob: the whole relative path, or the file name.
    Plain(&'a str),
    /// `/X`: the whole relative path only.
    Rooted(&'a str),
}

/// Matches no text at all.
const NEVER: &str = r"[^\x00-\x{10FFFF}]";

impl<'a> Rule<'a> {
    pub fn parse(pattern: &'a str) -> Rule<'a> {
        let deep = pattern.strip_prefix("**/");
        let bare = |text: &'a str| text.trim_matches('/');
        if let Some(name) = deep.and_then(|rest| rest.strip_suffix("/**")).filter(|name| !name.is_empty()) {
            Rule::Folder(bare(name))
        } else if let Some(name) = pattern.strip_suffix('/') {
            match deep {
                None if name.starts_with('/') => Rule::Prefix(bare(name)),
                _ => Rule::Folder(bare(name.strip_prefix("**/").unwrap_or(name))),
            }
        } else if let Some(tail) = deep {
            Rule::Tail(bare(tail))
        } else if let Some(name) = pattern.strip_suffix("/**") {
            Rule::Prefix(bare(name))
        } else if let Some(path) = pattern.strip_prefix('/') {
            Rule::Rooted(bare(path))
        } else {
            Rule::Plain(pattern)
        }
    }

    /// Over the path of a folder that ends with `/`. What only files can match is no reason to leave out a folder.
    pub fn folder(&self) -> String {
        match self {
            // Between the borders of folders no wildcard reaches over a `/`: there are as many as in the pattern.
            Rule::Folder(glob) => format!("(?:^|/){}/", translated(glob, false)),
            Rule::Prefix(glob) => format!("^(?:{}|{})/", regex::escape(glob), translated(glob, true)),
            Rule::Tail(_) | Rule::Plain(_) | Rule::Rooted(_) => NEVER.to_string(),
        }
    }

    /// Over the path of a file: the file itself or any folder above it.
    pub fn file(&self) -> String {
        match self {
            Rule::Folder(_) => self.folder(),
            // `X/**` leaves out a file X too.
            Rule::Prefix(glob) => format!("{}|^{}$", self.folder(), regex::escape(glob)),
            Rule::Tail(glob) => format!("(?:^|/){}$", translated(glob, true)),
            Rule::Plain(glob) if glob.contains('/') => format!("^{}$", translated(glob, true)),
            Rule::Plain(glob) => format!("^{}$|(?:^|/){}$", translated(glob, true), translated(glob, false)),
            Rule::Rooted(glob) => format!("^{}$", translated(glob, true)),
        }
    }
}

/// A shell glob: `*`, `?`, `[abc]`, `[a-z]`, `[!a]`; everything else stands for itself. Wildcards match `/` as well where
/// `far` says so.
fn translated(glob: &str, far: bool) -> String {
    let chars: Vec<char> = glob.chars().collect();
    let (mut out, mut at) = (String::from("(?:"), 0);
    while let Some(&c) = chars.get(at) {
        at += 1;
        match c {
            // Several stars in a row are one, and one is quicker to search.
            '*' if at > 1 && chars[at - 2] == '*' => {}
            '*' => out.push_str(if far { ".*" } else { "[^/]*" }),
            '?' => out.push_str(if far { "." } else { "[^/]" }),
            '[' => match class(&chars[at..]) {
                Some((members, len)) => {
                    at += len;
                    out.push_str(&if far { members } else { format!("[{members}&&[^/]]") });
                }
                None => out.push_str(r"\["),
            },
            c => out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    out + ")"
}

/// A class from behind its `[`, and how many characters it takes. `None` when nothing closes it: then `[` is itself.
fn class(chars: &[char]) -> Option<(String, usize)> {
    let not = chars.first() == Some(&'!');
    let from = usize::from(not);
    // A `]` right at the start is a member.
    let close = from + 1 + chars.get(from + 1..)?.iter().position(|c| *c == ']')?;
    let (mut ranges, mut members) = (String::new(), &chars[from..close]);
    while let [first, rest @ ..] = members {
        let last;
        (last, members) = match rest {
            ['-', last, rest @ ..] => (last, rest),
            _ => (first, rest),
        };
        // A range that runs backwards holds nothing.
        if first <= last {
            ranges.push_str(&format!("\\x{{{:X}}}-\\x{{{:X}}}", u32::from(*first), u32::from(*last)));
        }
    }
    let text = match (ranges.is_empty(), not) {
        (true, false) => NEVER.to_string(),
        (true, true) => ".".to_string(),
        (false, _) => format!("[{}{ranges}]", if not { "^" } else { "" }),
    };
    Some((text, close + 1))
}
