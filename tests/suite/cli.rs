//! The command line as a stranger meets it.

use crate::stage::Stage;

#[test]
fn pc_011_a_session_without_a_person_ends_0() {
    let stage = Stage::new();
    let ran = stage.session(&["--peer", "bo"]);
    println!("{}", ran.out);
    stage.assert_closed(&ran);
}
#[test]
fn pc_011_two() {
    let stage = Stage::new();
    let ran = stage.session(&["--peer", "bo,cy"]);
    println!("{}", ran.out);
    stage.assert_closed(&ran);
}
