//! What a panic says about itself.

use std::process::Command;

const CHILD: &str = "FLIGHTDECK_TEST_PANIC";

/// Panics when the other test asks for it, in a process of its own.
#[test]
fn child_that_panics() {
    if std::env::var_os(CHILD).is_some() {
        flightdeck::cli::panic::install();
        panic!("a prompt that nobody may read: {}", "secret".repeat(2));
    }
}

#[test]
fn a_panic_names_its_place_and_not_its_words() {
    let ran = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "panics::child_that_panics", "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .env_remove("RUST_BACKTRACE")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(said.contains("a fault of its own at tests/suite/panics.rs:"), "{said}");
    assert!(!said.contains("secret") && !said.contains("prompt that"), "{said}");
    assert!(!said.contains('\u{1b}'), "no colours into a pipe: {said}");
}
