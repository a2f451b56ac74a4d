use super::*;
use std::fs::File;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

/// A source folder with the given files and a place for the copy. Removes the copy when dropped.
struct Place {
    temp: TempDir,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Place {
        let place = Place { temp: tempfile::tempdir().unwrap() };
        fs::create_dir(place.src()).unwrap();
        for (name, text) in files {
            place.put(name, text.as_bytes());
        }
        place
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.src().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn src(&self) -> PathBuf {
        self.temp.path().join("src")
    }

    fn dst(&self) -> PathBuf {
        self.temp.path().join("run/copy")
    }

    fn copy(&self) -> Result<Copied, CopyError> {
        copy_for(&self.src(), &self.dst(), Some(&self.temp.path().join("home")))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        remove_copy(&self.dst()).unwrap();
    }
}

fn token() -> String {
    format!("ghp_{}", "k".repeat(36))
}

#[test]
fn pc_063_the_copy_is_filtered_and_read_only() {
    let place = Place::new(&[
        ("00-writer.md", "текст\n"),
        (".agentigore", "drafts/**\n"),
        ("drafts/a.md", "hidden"),
        ("sub/deep/b.md", "8.8.8.8"),
        (".git/config", "hidden"),
    ]);
    let copied = place.copy().unwrap();
    assert_eq!((copied.files, copied.public_ips, copied.notes.len()), (3, 1, 0));
    assert_eq!(copied.characters, 6 + 10 + 7);
    assert_eq!(fs::read_to_string(place.dst().join("00-writer.md")).unwrap(), "текст\n");
    assert!(!place.dst().join("drafts").exists() && !place.dst().join(".git").exists());
    for (path, mode) in [("", 0o500), ("sub", 0o500), ("sub/deep", 0o500), ("sub/deep/b.md", 0o400)] {
        assert_eq!(
            fs::metadata(place.dst().join(path)).unwrap().permissions().mode() & 0o777,
            mode,
            "{path}"
        );
    }
}

#[test]
fn pc_064_links_and_pipes_are_skipped_with_a_note() {
    let place = Place::new(&[("a.md", "x"), (".agentigore", "*.quiet\n")]);
    let outside = place.temp.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.md"), token()).unwrap();
    symlink(outside.join("secret.md"), place.src().join("link.md")).unwrap();
    symlink(&outside, place.src().join("folder")).unwrap();
    symlink("..", place.src().join("up\x1b[31m")).unwrap();
    symlink(&outside, place.src().join("link.quiet")).unwrap();
    std::os::unix::net::UnixListener::bind(place.src().join("sock")).unwrap();
    let copied = place.copy().unwrap();
    assert_eq!(copied.files, 2);
    assert_eq!(copied.notes.len(), 4, "{:?}", copied.notes);
    assert!(copied.notes.iter().all(|note| !note.contains('\x1b')));
    assert!(!place.dst().join("folder").exists());
}

#[test]
fn pc_065_a_secret_blocks_and_nothing_is_left() {
    let text = format!("line\nkey = {}\n", token());
    let place = Place::new(&[("a.md", "x"), ("sub/config.md", &text)]);
    let error = place.copy().unwrap_err();
    assert_eq!(error.code(), 3);
    let message = error.to_string();
    assert!(
        message.contains("sub/config.md") && message.contains("GitHub") && !message.contains(&token()),
        "{message}"
    );
    assert!(!place.dst().exists());
}

#[test]
fn pc_065_names_and_big_files_block_unless_ignored() {
    let place = Place::new(&[("id.pem", "x")]);
    assert_eq!(place.copy().unwrap_err().code(), 3);
    place.put(".agentigore", b"*.pem\n");
    assert_eq!(place.copy().unwrap().files, 1);

    let place = Place::new(&[]);
    place.put("limit.bin", &vec![b'a'; pii::FILE_LIMIT as usize]);
    assert_eq!(place.copy().unwrap().bytes, pii::FILE_LIMIT);
    remove_copy(&place.dst()).unwrap();
    place.put("limit.bin", &vec![b'a'; pii::FILE_LIMIT as usize + 1]);
    let error = place.copy().unwrap_err();
    assert!(error.code() == 3 && error.to_string().contains("10 MB"), "{error}");
}

#[test]
fn pc_066_size_limits() {
    let place = Place::new(&[]);
    for n in 0..FILES {
        fs::write(place.src().join(n.to_string()), "").unwrap();
    }
    assert_eq!(place.copy().unwrap().files, FILES);
    place.put("one-more", b"");
    assert_eq!(place.copy().unwrap_err().code(), 4);

    let place = Place::new(&[]);
    // Sparse files: the size counts, the disk does not.
    for n in 0..11 {
        File::create(place.src().join(n.to_string())).unwrap().set_len(pii::FILE_LIMIT).unwrap();
    }
    let error = place.copy().unwrap_err();
    assert!(error.code() == 4 && error.to_string().contains("100 MB"), "{error}");
    assert!(!place.dst().exists());
    // What an ignore rule leaves out does not count.
    let jobs = collect(&place.src(), &Ignore::parse("1*").unwrap(), &mut Copied::default());
    assert_eq!(jobs.map(|jobs| jobs.len()), Ok(9));
}

#[test]
fn pc_066_token_estimate() {
    let place = Place::new(&[("a.md", &"ж".repeat(1000))]);
    let copied = place.copy().unwrap();
    assert_eq!(copied.within_tokens(500), Ok(()));
    assert_eq!(copied.within_tokens(499).unwrap_err().code(), 4);
}

#[test]
fn pc_063_a_filter_that_cannot_work_stops_the_call() {
    let place = Place::new(&[("a.md", "x")]);
    fs::create_dir(place.src().join(".agentigore")).unwrap();
    assert_eq!(place.copy().unwrap_err().code(), 2);

    let place = Place::new(&[("a.md", "x")]);
    fs::create_dir_all(place.dst()).unwrap();
    fs::write(place.dst().join("old.md"), "old").unwrap();
    assert_eq!(place.copy().unwrap_err().code(), 2);
    assert!(place.dst().join("old.md").exists(), "what was there before is not ours");

    assert_eq!(copy_for(Path::new("/no/such/dir"), &place.dst(), None).unwrap_err().code(), 2);
}
