use super::*;
use crate::domain::session::failure::Reason;
use std::future::pending;
use std::path::Path;

/// Runs `script` with `sh -c` in `dir`; collects stdout.
async fn sh(dir: &Path, script: &str, change: impl FnOnce(&mut Spec)) -> (Finished, Vec<u8>) {
    sh_until(dir, script, change, pending()).await
}

async fn sh_until(
    dir: &Path,
    script: &str,
    change: impl FnOnce(&mut Spec),
    cancel: impl Future<Output = ()>,
) -> (Finished, Vec<u8>) {
    let mut spec = spec(dir, script);
    change(&mut spec);
    let mut out = Vec::new();
    let on = |event: Event| {
        if let Event::Stdout(piece) = event {
            out.extend_from_slice(piece);
        }
    };
    let finished = run(spec, on, cancel).await.unwrap();
    (finished, out)
}

fn spec(dir: &Path, script: &str) -> Spec {
    Spec {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: Vars::real(),
        cwd: dir.into(),
        stdin: Stdin::Whole(Vec::new()),
        deadline: Duration::from_secs(30),
        idle: None,
        hold: None,
        output_cap: 4 * 1024 * 1024,
        confinement: None,
    }
}

fn reason(finished: &Finished) -> Option<Reason> {
    match finished.end {
        End::Exited(status) => crate::agents::contract::failure(status),
        other => panic!("{other:?}"),
    }
}

/// The pid that a script wrote into a file, as a remembered process.
fn pid_in(dir: &Path, file: &str) -> tree::Seen {
    let text = std::fs::read_to_string(dir.join(file)).unwrap();
    tree::newborn(text.trim().parse().unwrap())
}

async fn until(what: &str, test: impl Fn() -> bool) {
    let waiting = async {
        while !test() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(10), waiting).await.unwrap_or_else(|_| panic!("never: {what}"));
}

#[tokio::test]
async fn pc_050_large_prompt_arrives_whole_and_both_pipes_are_drained() {
    let dir = tempfile::tempdir().unwrap();
    let prompt: Vec<u8> = (0..200_000u32).map(|i| (i % 251) as u8).collect();
    let (finished, out) = sh(dir.path(), "cat; head -c 300000 /dev/zero >&2; printf end >&2", |s| {
        s.stdin = Stdin::Whole(prompt.clone())
    })
    .await;
    assert_eq!(reason(&finished), None);
    assert_eq!(out, prompt);
    assert!(finished.stderr.ends_with("end") && finished.stderr.len() <= STDERR_KEPT);
}

#[tokio::test]
async fn pc_050_unread_prompt_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let (finished, out) = sh(dir.path(), "printf hi", |s| s.stdin = Stdin::Whole(vec![b'x'; 1 << 20])).await;
    assert_eq!((reason(&finished), out.as_slice()), (None, &b"hi"[..]));
}

#[tokio::test]
async fn pc_060_codes_and_signals() {
    let dir = tempfile::tempdir().unwrap();
    for (script, want) in [
        ("exit 5", Reason::Exit(5)),
        ("exit 64", Reason::ExitOther(64)),
        ("kill -9 $$", Reason::Signal(9)),
        ("kill -11 $$", Reason::Signal(11)),
    ] {
        let (finished, _) = sh(dir.path(), script, |_| {}).await;
        assert_eq!(reason(&finished), Some(want), "{script}");
    }
}

#[tokio::test]
async fn pc_068_deadline_kills_the_whole_tree() {
    let dir = tempfile::tempdir().unwrap();
    // A grandchild that ignores TERM, and one that left the group and lost its parent.
    let script = "sh -c 'trap \"\" TERM; echo $$ >stubborn; while :; do sleep 1; done' &
        setsid sh -c 'sh -c \"echo \\$\\$ >escaped; exec sleep 60\" &' &
        while ! [ -s stubborn ] || ! [ -s escaped ]; do sleep 0.01; done; touch ready; sleep 60";
    let (finished, _) = sh(dir.path(), script, |s| s.deadline = Duration::from_secs(2)).await;
    assert_eq!(finished.end, End::Deadline);
    assert!(finished.elapsed < Duration::from_secs(7), "{:?}", finished.elapsed);
    assert!(dir.path().join("ready").exists(), "the machine was too slow for this test");
    for file in ["stubborn", "escaped"] {
        let pid = pid_in(dir.path(), file);
        until(file, || !tree::is_alive(pid)).await;
    }
}

#[tokio::test]
async fn pc_068_polite_children_end_within_the_grace() {
    let dir = tempfile::tempdir().unwrap();
    let script = "trap 'touch cleaned; exit 0' TERM; while :; do sleep 0.05; done";
    let (finished, _) = sh(dir.path(), script, |s| s.deadline = Duration::from_millis(300)).await;
    assert_eq!(finished.end, End::Deadline, "exit code 0 after our signal is no success");
    assert!(dir.path().join("cleaned").exists());
}

#[tokio::test]
async fn pc_068_silence_limit() {
    let dir = tempfile::tempdir().unwrap();
    let script = "for i in 1 2 3 4; do echo $i; sleep 0.1; done; sleep 60";
    let (finished, out) = sh(dir.path(), script, |s| s.idle = Some(Duration::from_millis(400))).await;
    assert_eq!((finished.end, out.as_slice()), (End::Idle, &b"1\n2\n3\n4\n"[..]));
}

#[tokio::test]
async fn pc_051_flood_ends_at_the_cap() {
    let dir = tempfile::tempdir().unwrap();
    let script = "trap '' TERM; yes garbage | head -c 1000000000";
    let (finished, out) = sh(dir.path(), script, |s| s.output_cap = 100_000).await;
    assert_eq!(finished.end, End::TooLarge);
    assert!(out.len() <= 100_000 && finished.stdout_bytes > 100_000);
    let (finished, out) = sh(dir.path(), "head -c 100000 /dev/zero", |s| s.output_cap = 100_000).await;
    assert_eq!((reason(&finished), out.len()), (None, 100_000), "exactly the cap is allowed");
}

#[tokio::test]
async fn pc_068_held_pipe_does_not_hold_the_call() {
    let dir = tempfile::tempdir().unwrap();
    for start in ["sh -c", "setsid sh -c"] {
        let script = format!(
            "{start} 'echo $$ >holder; exec sleep 60' & while ! [ -s holder ]; do sleep 0.01; done; printf done"
        );
        let (finished, out) = sh(dir.path(), &script, |_| {}).await;
        assert_eq!((reason(&finished), out.as_slice()), (None, &b"done"[..]), "{start}");
        assert!(finished.elapsed < Duration::from_secs(5), "{:?}", finished.elapsed);
        let holder = pid_in(dir.path(), "holder");
        until("the holder is gone", || !tree::is_alive(holder)).await;
        std::fs::remove_file(dir.path().join("holder")).unwrap();
    }
}

#[tokio::test]
async fn pc_068_an_end_in_time_counts_though_a_pipe_is_held_over_the_deadline() {
    let dir = tempfile::tempdir().unwrap();
    // The drain takes 250 ms; the child ends within the last part of its second.
    let script = "sleep 60 & sleep 0.85; printf done";
    let (finished, out) = sh(dir.path(), script, |s| s.deadline = Duration::from_secs(1)).await;
    match finished.end {
        End::Exited(status) => assert_eq!((status.code(), out.as_slice()), (Some(0), &b"done"[..])),
        // Only a machine that was too slow for the 150 ms may end otherwise.
        other => assert!(other == End::Deadline && out.is_empty(), "{other:?}"),
    }
}

#[tokio::test]
async fn pc_701_cancel_and_drop_end_the_tree() {
    let dir = tempfile::tempdir().unwrap();
    let script = "sh -c 'echo $$ >inner; exec sleep 60' & wait";
    let inner = dir.path().join("inner");
    let is_written = || std::fs::read_to_string(&inner).is_ok_and(|t| t.ends_with('\n'));
    let (finished, _) = sh_until(dir.path(), script, |_| {}, until("started", is_written)).await;
    assert_eq!(finished.end, End::Cancelled);
    let first = pid_in(dir.path(), "inner");
    until("the first is gone", || !tree::is_alive(first)).await;

    std::fs::remove_file(&inner).unwrap();
    let call = run(spec(dir.path(), script), |_| {}, pending());
    tokio::select! {
        _ = call => panic!("it does not end by itself"),
        () = until("started", is_written) => {}
    }
    let second = pid_in(dir.path(), "inner");
    until("the second is gone", || !tree::is_alive(second)).await;
}

#[tokio::test]
async fn pc_102_what_cannot_be_started() {
    let dir = tempfile::tempdir().unwrap();
    let missing = Spec { program: dir.path().join("none"), ..spec(dir.path(), "") };
    assert_eq!(run(missing, |_| {}, pending()).await.unwrap_err().kind(), io::ErrorKind::NotFound);
    std::fs::write(dir.path().join("plain"), "echo").unwrap();
    let plain = Spec { program: dir.path().join("plain"), ..spec(dir.path(), "") };
    assert_eq!(run(plain, |_| {}, pending()).await.unwrap_err().kind(), io::ErrorKind::PermissionDenied);
}

#[tokio::test]
async fn a_script_without_shebang_runs_in_a_shell() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("bare");
    std::fs::write(&file, "printf \"$1\"").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut out = Vec::new();
    let spec = Spec { program: file, args: vec!["yes".into()], ..spec(dir.path(), "") };
    let on = |event: Event| {
        if let Event::Stdout(piece) = event {
            out.extend_from_slice(piece);
        }
    };
    let finished = run(spec, on, pending()).await.unwrap();
    assert_eq!(reason(&finished), None, "{}", finished.stderr);
    assert_eq!(out, b"yes");
}

/// The pilot takes a day; the call has five seconds of its own, and is not charged with his.
#[tokio::test(start_paused = true)]
async fn pc_062_while_somebody_holds_them_the_clocks_stand_still() {
    const DAY: Duration = Duration::from_secs(24 * 3600);
    for idle in [None, Some(Duration::from_secs(5))] {
        let dir = tempfile::tempdir().unwrap();
        let hold = Hold::new();
        let held = hold.hold();
        let waits = "until [ -e go ]; do sleep 0.01; done; echo done";
        let run = sh(dir.path(), waits, |spec| {
            (spec.deadline, spec.idle, spec.hold) = (Duration::from_secs(5), idle, Some(hold.clone()));
        });
        let pilot = async {
            sleep(DAY).await;
            std::fs::write(dir.path().join("go"), "").unwrap();
        };
        let ((finished, out), ()) = tokio::join!(run, pilot);
        assert!(reason(&finished).is_none() && out == b"done\n", "{:?}", finished.end);
        drop(held);
        assert!(hold.total() >= DAY);

        // They go on where they stood.
        let held = hold.hold();
        let run = sh(dir.path(), "exec sleep 600", |spec| {
            (spec.deadline, spec.idle, spec.hold) = (Duration::from_secs(5), idle, Some(hold.clone()));
        });
        let pilot = async {
            sleep(DAY).await;
            drop(held);
        };
        let ((finished, _), ()) = tokio::join!(run, pilot);
        assert!(matches!(finished.end, End::Deadline | End::Idle), "{:?}", finished.end);
        assert!(finished.elapsed >= DAY + Duration::from_secs(5), "{:?}", finished.elapsed);
    }
}

/// A disk that takes its time, or a stop of this process, holds up the thread that watches the call: what was said in time
/// counts all the same, and a deadline that is over ends who is still at it.
#[tokio::test]
async fn pc_231_a_reply_that_was_there_in_time_counts_however_late_it_is_seen() {
    const TIME: Duration = Duration::from_millis(300);
    for (idle, ends) in [(false, true), (true, true), (false, false), (true, false)] {
        let dir = tempfile::tempdir().unwrap();
        let script = match ends {
            true => "echo $$ > pid; echo one; sleep 0.1; echo two",
            false => "echo $$ > pid; echo one; exec sleep 600",
        };
        let mut spec = spec(dir.path(), script);
        (if idle { spec.idle.insert(TIME) } else { &mut spec.deadline }).clone_from(&TIME);
        let (mut out, said) = (Vec::new(), std::cell::Cell::new(false));
        let on = |event: Event| {
            let Event::Stdout(piece) = event else { return };
            out.extend_from_slice(piece);
            said.set(true);
        };
        let holds_up = async {
            until("the first word", || said.get()).await;
            let child = pid_in(dir.path(), "pid");
            let over = std::time::Instant::now() + TIME * 2;
            while std::time::Instant::now() < over || ends && tree::is_alive(child) {
                std::thread::park_timeout(Duration::from_millis(5));
            }
        };
        let (finished, ()) = tokio::join!(run(spec, on, pending()), holds_up);
        let finished = finished.unwrap();
        let as_expected = match (&finished.end, ends) {
            (End::Exited(status), true) => status.success() && out == b"one\ntwo\n",
            (End::Deadline, false) => !idle,
            (End::Idle, false) => idle,
            _ => false,
        };
        assert!(as_expected, "idle {idle}, ends {ends}: {:?}, {out:?}", finished.end);
    }
}
