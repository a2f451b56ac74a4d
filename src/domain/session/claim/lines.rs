//! `path:line` and `path:from-to` in a sentence.

use super::Claim;

/// Endings of names that are files even without a folder before them; `example.com:443` is not among them.
const FILE_ENDINGS: &str = " adoc asm awk bash bat bib c cc cfg clj cmake conf cpp cs css csv cxx dart diff ejs el erl \
    ex exs fish go gradle graphql groovy h hbs hh hpp hs htm html ini ipynb java jl js json jsonl jsx kt kts less lock \
    log lua m md mdx mjs cjs mk ml mm nix patch php pl plist po proto ps1 py r rb rs rst sass scala scss sh sql svelte \
    svg swift tex tf toml ts tsx txt vim vue xml yaml yml zig zsh ";

const PLAIN_NAMES: [&str; 7] =
    ["Makefile", "Dockerfile", "Justfile", "justfile", "LICENSE", "README", "CHANGELOG"];

/// Adds what `line` (the `number`th of the body) says about lines of files.
pub fn claims(line: &str, number: usize, found: &mut Vec<Claim>) {
    for token in tokens(line) {
        if let Some((path, from, to)) = split(token)
            && is_file(path)
        {
            found.push(Claim::Lines { path: path.to_string(), from, to, line_in_reply: number });
        }
    }
}

/// Adds the files that `line` names without a line number.
pub fn files(line: &str, found: &mut Vec<Claim>) {
    let bare = tokens(line).filter(|token| !token.contains(':') && is_file(token));
    found.extend(bare.map(|token| Claim::File { path: token.to_string() }));
}

fn tokens(line: &str) -> impl Iterator<Item = &str> {
    let between = |c: char| c.is_whitespace() || c.is_control() || "`\"'«»“”„‘’()[]{}<>,;|*=!?".contains(c);
    let tokens = line.split(between).map(|token| token.trim_end_matches(['.', ':', '-', '–', '—', '…']));
    tokens.filter(|token| !token.contains("://"))
}

/// Path, first and last line. A column behind the line (`a.rs:12:5`) is dropped.
fn split(token: &str) -> Option<(&str, u32, u32)> {
    let (mut path, mut range) = token.rsplit_once(':')?;
    if let Some((shorter, line)) = path.rsplit_once(':')
        && count(line).is_some()
        && count(range).is_some()
    {
        (path, range) = (shorter, line);
    }
    let (from, to) = match range.split_once(['-', '–']) {
        Some((from, to)) => (count(from)?, count(to)?),
        None => (count(range)?, count(range)?),
    };
    (from >= 1 && to >= from && !path.contains(':')).then_some((path, from, to))
}

fn count(text: &str) -> Option<u32> {
    if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// A known ending, or a folder together with something that only files have. Hosts with a port (`db.internal:5432`),
/// images with a tag (`ghcr.io/tools/redis:7`), times and versions are not files.
fn is_file(path: &str) -> bool {
    if path.contains('\\') || path.contains('@') {
        return false;
    }
    let (folder, name) = match path.rsplit_once('/') {
        Some((folder, name)) => (Some(folder), name),
        None => (None, path),
    };
    if PLAIN_NAMES.contains(&name) {
        return true;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    if !ending.starts_with(|c: char| c.is_ascii_alphabetic())
        || !ending.bytes().all(|b| b.is_ascii_alphanumeric())
    {
        return false;
    }
    if !stem.is_empty() && FILE_ENDINGS.contains(&format!(" {} ", ending.to_ascii_lowercase())) {
        return true;
    }
    let first = folder.map(|folder| folder.split('/').next().unwrap_or(""));
    first.is_some_and(|first| first.is_empty() || first.starts_with(['.', '~']) || !first.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::super::claims;

    fn shown(body: &str) -> Vec<String> {
        claims(body).iter().map(|claim| claim.to_string()).collect()
    }

    #[test]
    fn pc_346_lines_of_files() {
        for (body, want) in [
            ("see src/main.rs:12", "src/main.rs:12"),
            ("(src/main.rs:12-20).", "src/main.rs:12-20"),
            ("`docs/план.md:7–9`", "docs/план.md:7-9"),
            ("main.rs:12:5: error", "main.rs:12"),
            ("**./x/y.foo:3**", "./x/y.foo:3"),
            ("/etc/app.d/x.unit:4", "/etc/app.d/x.unit:4"),
            ("ci/Dockerfile:2", "ci/Dockerfile:2"),
            (".github/x.weird:2", ".github/x.weird:2"),
            ("05-peer.md:3", "05-peer.md:3"),
        ] {
            assert_eq!(shown(body), [want], "{body}");
        }
    }

    #[test]
    fn pc_346_what_is_no_line_of_a_file() {
        for body in [
            "at 12:30 or 09:00:40",
            "http://host/a.rs:12 https://x.y/a.md:3",
            "localhost:8080 example.com:443 db.internal:5432",
            "ghcr.io/tools/redis:7 library/redis:7 node:20",
            "192.168.0.1:80 v1.2:3 2.5:1",
            "src/main.rs:0 src/main.rs:20-10 src/main.rs:99999999999",
            "src/main.rs: 12",
            "C:\\x\\a.rs:3 git@host.rs:3",
            "ratio a/b:3",
            "key:1 Err:2 std::fmt:3",
        ] {
            assert!(shown(body).is_empty(), "{body}: {:?}", shown(body));
        }
    }

    #[test]
    fn pc_346_bare_files_are_named_and_claim_nothing() {
        let body =
            "see `src/main.rs`, docs/план.md and README; not v1.2, e.g. this, https://x.y/a.md or b.rs:3";
        assert_eq!(shown(body), ["b.rs:3"]);
        let named: Vec<String> = super::super::named(body).iter().map(|claim| claim.to_string()).collect();
        assert_eq!(named, ["b.rs:3", "src/main.rs", "docs/план.md", "README"]);
    }

    #[test]
    fn pc_346_claims_know_their_place() {
        let found = claims("first\n```\na.rs:1\n```\nsee a.rs:2");
        assert!(matches!(&found[..], [super::Claim::Lines { line_in_reply: 5, .. }]), "{found:?}");
    }
}
