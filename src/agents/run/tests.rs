use super::*;
use crate::agents::call::Purpose;
use crate::agents::process::kill::Target;
use crate::agents::process::tree;
use crate::agents::registry::{Overlay, Registry, SkillPaths};
use serde_json::{Value, json};
use std::future::pending;
use std::os::unix::fs::PermissionsExt;
use std::sync::Mutex;

struct Lab {
    dir: tempfile::TempDir,
    key: String,
    entry: Value,
    around: Surroundings,
}

impl Lab {
    /// A script vendor `alpha` whose adapter runs `script`; `$here` is the lab's folder.
    fn new(script: &str) -> Lab {
        let dir = tempfile::tempdir().unwrap();
        let adapter = dir.path().join("adapter");
        std::fs::write(&adapter, format!("#!/bin/sh\nhere={}\n{script}\n", dir.path().display())).unwrap();
        std::fs::set_permissions(&adapter, std::fs::Permissions::from_mode(0o755)).unwrap();
        let env = Vars::real().filtered(|name| matches!(name, "PATH" | "HOME"));
        Lab {
            dir,
            key: "alpha".into(),
            entry: json!({"kind": "script", "path": "./adapter"}),
            around: Surroundings { env, ..Surroundings::default() },
        }
    }

    fn with(mut self, key: &str, value: Value) -> Lab {
        self.entry[key] = value;
        self
    }

    fn vendor(&self) -> Vendor {
        let mut vendors = serde_json::Map::new();
        vendors.insert(self.key.clone(), self.entry.clone());
        let overlay = Overlay { vendors, base: self.dir.path().into(), origin: "config.yaml".into() };
        Registry::load(&[overlay], &SkillPaths::default()).unwrap().get(&self.key).unwrap().clone()
    }

    fn call(&self, purpose: Purpose) -> Call {
        Call {
            vendor: self.key.clone(),
            purpose,
            session: "2026-08-24-01-x".into(),
            round: 2,
            attempt: 1,
            prompt: "the prompt".into(),
            model: String::new(),
            add_dir: None,
            conversation: None,
            runtime: self.runtime(),
            extra_env: vec![("IWE_ROOT".into(), "/ws".into())],
            work: None,
            leave: None,
        }
    }

    fn runtime(&self) -> PathBuf {
        self.dir.path().join("runtime")
    }

    async fn run(&self, purpose: Purpose) -> Outcome {
        run_in(&self.around, &self.vendor(), self.call(purpose), |_| {}, pending()).await
    }

    async fn reply(&self, purpose: Purpose) -> String {
        match self.run(purpose).await {
            Outcome::Reply(reply) => reply.text,
            other => panic!("{other:?}"),
        }
    }

    async fn failure(&self) -> CallFailure {
        match self.run(Purpose::Turn).await {
            Outcome::Failed(failure) => failure,
            other => panic!("{other:?}"),
        }
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.path().join(name)).unwrap_or_default()
    }
}

async fn until(test: impl Fn() -> bool) {
    let waiting = async {
        while !test() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), waiting).await.expect("it never happened");
}

const TELL: &str = "echo \"$FLIGHTDECK_CALL $FLIGHTDECK_SESSION $FLIGHTDECK_ROUND $FLIGHTDECK_ATTEMPT \
    [$IWE_PEER_PLAIN] $IWE_ROOT $OWN $IWE_PEER_TIMEOUT_SECONDS\"; cat";

#[tokio::test]
async fn pc_054_every_call_tells_its_purpose() {
    let mut lab = Lab::new(TELL).with("env", json!({"OWN": "mine"})).with("deadline", json!("40s"));
    let told = lab.reply(Purpose::Synthesis).await;
    assert_eq!(told, "synthesis 2026-08-24-01-x 2 1 [1] /ws mine 45\nthe prompt");
    lab.around.env.set("IWE_PEER_PLAIN", "1");
    let told = lab.reply(Purpose::Peer).await;
    assert!(told.starts_with("peer 2026-08-24-01-x 2 1 [] "), "{told}");
}

#[tokio::test]
async fn pc_060_every_end_has_its_class() {
    for (script, want) in [
        ("exit 1", Reason::Exit(1)),
        ("exit 2", Reason::Exit(2)),
        ("exit 3", Reason::Exit(3)),
        ("exit 4", Reason::Exit(4)),
        ("exit 5", Reason::Exit(5)),
        ("exit 6", Reason::Exit(6)),
        ("exit 7", Reason::Exit(7)),
        ("echo text; exit 64", Reason::ExitOther(64)),
        ("echo text; kill -9 $$", Reason::Signal(9)),
        ("", Reason::Empty),
        ("echo; printf ' \\t'", Reason::Empty),
    ] {
        let failure = Lab::new(&format!("cat >/dev/null; echo noise >&2; {script}")).failure().await;
        assert_eq!(failure.reason, want, "{script}");
        assert_eq!(failure.stderr, "noise\n");
        assert!(!failure.detail.is_empty() && !failure.detail.contains("the prompt"));
    }
}

#[tokio::test]
async fn pc_068_timeouts_have_a_class() {
    let failure = Lab::new("sleep 30").with("deadline", json!("200ms")).failure().await;
    assert_eq!(
        (failure.reason, failure.detail.as_str()),
        (Reason::Timeout, "no reply within 200 ms (deadline)")
    );
    let failure = Lab::new("echo a; sleep 30").with("idle", json!("200ms")).failure().await;
    assert_eq!(failure.reason, Reason::Timeout);
}

#[tokio::test]
async fn pc_051_a_flood_fails_with_its_size() {
    let failure = Lab::new("head -c 1000000000 /dev/zero").with("output_cap", json!(100_000)).failure().await;
    assert_eq!(failure.reason, Reason::OutputTooLarge);
    assert!(failure.detail.contains("the limit is 100000"), "{}", failure.detail);
}

#[tokio::test]
async fn pc_238_bad_bytes_are_replaced() {
    let lab = Lab::new(r"printf 'a\377b\000\033[31m'; printf '\320'; printf '\264'");
    assert_eq!(lab.reply(Purpose::Turn).await, "a\u{fffd}b\0\u{1b}[31mд");
}

#[tokio::test]
async fn pc_342_a_script_without_frontmatter_is_judged_by_the_engine() {
    let lab = Lab::new("echo yes");
    assert_eq!(lab.reply(Purpose::Peer).await, "yes\n");
}

#[tokio::test]
async fn pc_293_too_long_prompts_are_counted_not_shown() {
    let lab = Lab::new("touch \"$here/started\"; echo yes").with("prompt_limit", json!("9 bytes"));
    let failure = lab.failure().await;
    assert_eq!(failure.reason, Reason::PromptTooLarge);
    assert_eq!(failure.detail, "the prompt has 10 characters (10 bytes); alpha takes 9 bytes");
    assert!(!lab.dir.path().join("started").exists());
}

#[tokio::test]
async fn pc_102_missing_and_not_executable() {
    let lab = Lab::new("");
    let adapter = lab.dir.path().join("adapter");
    std::fs::set_permissions(&adapter, std::fs::Permissions::from_mode(0o644)).unwrap();
    let failure = lab.failure().await;
    assert_eq!(failure.reason, Reason::Exit(1));
    assert!(failure.detail.contains("chmod +x"), "{}", failure.detail);
    std::fs::remove_file(&adapter).unwrap();
    assert!(lab.failure().await.detail.contains("does not exist"));
    let unset = Lab { entry: json!({"kind": "script"}), ..Lab::new("") };
    assert!(unset.failure().await.detail.contains("vendors.alpha.path"));
    let pilot = Lab { entry: json!({"kind": "pilot"}), ..Lab::new("") };
    assert!(pilot.failure().await.detail.contains("by hand"));
}

#[tokio::test]
async fn pc_069_busy_before_anything_starts() {
    let lab =
        Lab::new("echo x >>\"$here/starts\"; while ! [ -e \"$here/go\" ]; do sleep 0.02; done; echo yes");
    let second = async {
        until(|| !lab.read("starts").is_empty()).await;
        let second = lab.failure().await;
        std::fs::write(lab.dir.path().join("go"), "").unwrap();
        second
    };
    let (first, second) = tokio::join!(lab.run(Purpose::Turn), second);
    assert!(matches!(first, Outcome::Reply(_)));
    assert_eq!((second.reason, lab.read("starts").as_str()), (Reason::Exit(5), "x\n"));
    assert!(second.detail.contains(&std::process::id().to_string()), "{}", second.detail);
    assert!(lab.read("runtime/locks/alpha.lock").starts_with(&std::process::id().to_string()));
}

#[tokio::test]
async fn pc_069_a_planted_link_is_not_followed() {
    let lab = Lab::new("echo yes");
    std::fs::create_dir_all(lab.runtime().join("locks")).unwrap();
    std::fs::write(lab.dir.path().join("precious"), "text").unwrap();
    std::os::unix::fs::symlink(lab.dir.path().join("precious"), lab.runtime().join("locks/alpha.lock"))
        .unwrap();
    assert!(lab.failure().await.detail.contains("cannot use the lock"));
    assert_eq!(lab.read("precious"), "text");
}

#[tokio::test]
async fn pc_070_stdout_is_captured_in_the_runtime_folder() {
    let lab = Lab::new("pwd >\"$here/cwd\"; touch stray; echo yes; exit 3");
    lab.failure().await;
    assert_eq!(lab.read("runtime/calls/alpha.out"), "yes\n");
    assert!(lab.read("cwd").contains("/runtime/scratch/alpha/work"));
    let left = lab.runtime().join("scratch/alpha/work").read_dir().map_or(0, Iterator::count);
    assert_eq!(left, 0, "what the call wrote is gone");
    let mode = lab.runtime().join("calls/alpha.out").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0);
}

#[tokio::test]
async fn pc_701_cancelled_output_is_discarded() {
    let lab = Lab::new("echo half; touch \"$here/started\"; sleep 30");
    let cancel = until(|| lab.dir.path().join("started").exists());
    let outcome = run_in(&lab.around, &lab.vendor(), lab.call(Purpose::Turn), |_| {}, cancel).await;
    assert_eq!(outcome, Outcome::Cancelled);
    assert!(!lab.runtime().join("calls/alpha.out").exists());
    assert_eq!(LastCall::read(&lab.runtime()), None);
}

#[tokio::test]
async fn pc_706_a_running_call_is_on_record_and_can_be_reaped() {
    let lab = Lab::new(
        "setsid sh -c 'echo $$ >\"$0\"; exec sleep 60' \"$here/escaped\" & trap '' TERM; echo >\"$here/deaf\"; while :; do sleep 0.1; done",
    );
    let (runtime, vendor, call) = (lab.runtime(), lab.vendor(), lab.call(Purpose::Judge));
    let around = lab.around.clone();
    // A call that nobody ends: as if its engine had died.
    let running = tokio::spawn(async move { run_in(&around, &vendor, call, |_| {}, pending()).await });
    let ready = |file: &str| !lab.read(file).is_empty();
    until(|| ready("escaped") && ready("deaf") && LastCall::read(&runtime).is_some()).await;
    let last = LastCall::read(&runtime).unwrap();
    assert_eq!((last.purpose, last.round, last.attempt), (Purpose::Judge, 2, 1));
    let escaped = tree::newborn(lab.read("escaped").trim().parse().unwrap());
    assert_eq!(reap_stale(&runtime).await, Some(last.clone()));
    until(|| !tree::is_alive(escaped)).await;
    assert!(matches!(running.await.unwrap(), Outcome::Failed(f) if f.reason == Reason::Signal(9)));
    assert_eq!((reap_stale(&runtime).await, LastCall::read(&runtime)), (None, None));
}

#[tokio::test]
async fn pc_706_a_used_again_pid_is_left_alone() {
    let lab = Lab::new("");
    let mut other = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let mut root = tree::newborn(other.id());
    root.started_at += 100;
    let target = Target { root, mark: "FLIGHTDECK_MARK_TEST".into() };
    std::fs::create_dir_all(lab.runtime()).unwrap();
    let mut record = files::Record::new(&lab.runtime(), &lab.vendor(), &lab.call(Purpose::Turn));
    record.write(&target);
    assert_eq!(reap_stale(&lab.runtime()).await, None);
    assert_eq!(other.try_wait().unwrap(), None, "it still runs");
    other.kill().unwrap();
    other.wait().unwrap();
}

#[tokio::test]
async fn progress_is_told_in_order() {
    let lab = Lab::new(
        "printf one; touch \"$here/one\"; while ! [ -e \"$here/go\" ]; do sleep 0.02; done; printf two",
    );
    let told = Arc::new(Mutex::new(Vec::new()));
    let (heard, go) = (told.clone(), lab.dir.path().join("go"));
    let progress = move |p: Progress| {
        if p == Progress::Text("one".into()) {
            std::fs::write(&go, "").unwrap();
        }
        heard.lock().unwrap().push(p);
    };
    run_in(&lab.around, &lab.vendor(), lab.call(Purpose::Turn), progress, pending()).await;
    let told = told.lock().unwrap();
    assert!(matches!(&told[0], Progress::Sandbox(text) if text.en.starts_with("not enforced")), "{told:?}");
    assert!(matches!(told[1], Progress::Started { pid, started_at } if pid > 0 && started_at > 0));
    assert_eq!(
        told[2..],
        [Progress::Text("one".into()), Progress::Bytes(3), Progress::Text("two".into()), Progress::Bytes(6)]
    );
}

#[tokio::test]
async fn a_rehearsal_is_a_child_with_the_same_contract() {
    let rehearsal = json!({"kind": "rehearsal", "story": "three", "role": "mira", "bin": "./adapter", "args": ["--speed", "0"]});
    let lab = Lab { entry: rehearsal, ..Lab::new("echo \"$@\"") };
    assert_eq!(lab.reply(Purpose::Turn).await, "rehearse three mira --speed 0\n");
}

#[test]
fn a_call_can_be_spawned() {
    fn is_send<T: Send>(_: &T) {}
    let lab = Lab::new("");
    let vendor = lab.vendor();
    is_send(&run(&vendor, lab.call(Purpose::Turn), |_| {}, pending()));
}

impl Lab {
    /// The adapter becomes the CLI of a native vendor, and `$here` counts as its state.
    fn native(key: &str, script: &str) -> Lab {
        let lab =
            Lab { entry: json!({"kind": "native", "bin": "./adapter", "state": ["."]}), ..Lab::new(script) };
        lab.named(key)
    }

    fn named(self, key: &str) -> Lab {
        Lab { key: key.into(), ..self }
    }
}

/// A fake CLI that answers each call by the next of these fixtures.
fn replies(fixtures: &[&str]) -> String {
    let numbered = fixtures.iter().enumerate();
    let cases: String = numbered.map(|(i, f)| format!("{}) cat <<'OUT'\n{f}\nOUT\n;;\n", i + 1)).collect();
    format!("echo x >>\"$here/calls\"; case $(wc -l <\"$here/calls\" | tr -d ' ') in\n{cases}esac")
}

#[tokio::test]
async fn pc_060_trouble_that_passes_is_tried_again() {
    let busy = include_str!("../stream/fixtures/opencode-429.jsonl")
        .replace("\"server\":", "\"retry-after\":\"0.01\",\"server\":");
    let ok = include_str!("../stream/fixtures/opencode-ok.jsonl");
    let lab = Lab::native("opencode", &replies(&[&busy, ok]));
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = told.clone();
    let progress = move |p: Progress| heard.lock().unwrap().push(p);
    let outcome = run_in(&lab.around, &lab.vendor(), lab.call(Purpose::Peer), progress, pending()).await;
    assert!(matches!(&outcome, Outcome::Reply(r) if r.text.contains("Hello from the stub")), "{outcome:?}");
    let told = told.lock().unwrap().clone();
    let notice = |p: &Progress| matches!(p, Progress::Notice(n) if n.contains("rate limit, lifted in 10 ms") && n.contains("again in 10 ms"));
    assert!(told.iter().any(notice) && told.contains(&Progress::Restart), "{told:?}");
    // With no retries the failure is told with its cause.
    let lab = Lab::native("opencode", &replies(&[&busy, ok])).with("retries", json!(0));
    let failure = lab.failure().await;
    let reset = Some(crate::agents::call::Reset::After(Duration::from_millis(10)));
    assert_eq!((failure.reason, failure.cause), (Reason::Exit(1), Cause::RateLimit { reset }));
    assert_eq!(lab.read("calls"), "x\n");
}

#[tokio::test]
async fn pc_059_a_refused_key_is_not_tried_again() {
    let lab = Lab::native("opencode", &replies(&[include_str!("../stream/fixtures/opencode-401.jsonl")]));
    let failure = lab.with("retries", json!(5)).failure().await;
    assert_eq!((failure.reason, failure.cause), (Reason::Exit(6), Cause::Auth));
    assert!(failure.detail.contains("log in"), "{}", failure.detail);
}

#[tokio::test]
async fn pc_053_an_empty_reply_is_asked_for_once_more_and_then_told() {
    let empty = include_str!("../stream/fixtures/opencode-empty.jsonl");
    let lab = Lab::native("opencode", &replies(&[empty, empty, empty])).with("retries", json!(5));
    assert_eq!(lab.failure().await.reason, Reason::Exit(7));
    assert_eq!(lab.read("calls"), "x\nx\n");
}

#[tokio::test]
async fn an_endless_asking_is_ended() {
    let script = format!(
        "cat <<'OUT'\n{}OUT\necho $$ >\"$here/pid\"; exec sleep 60",
        include_str!("../stream/fixtures/opencode-drop.jsonl")
    );
    let lab = Lab::native("opencode", &script).with("retries", json!(0));
    let failure = lab.failure().await;
    assert_eq!(failure.cause, Cause::Overload, "{}", failure.detail);
    let pid = lab.read("pid").trim().parse().map(tree::newborn);
    assert!(pid.is_err() || !tree::is_alive(pid.unwrap()));
}

const WIRE: &str = "if [ \"$1\" = --version ]; then echo 'kimi, version 1.50.0'; exit 0; fi\nread -r hello; read -r prompt\n";

#[tokio::test]
async fn pc_051_kimi_by_wire_ends_when_its_answer_is_there() {
    let ok = include_str!("../stream/fixtures/kimi-ok.jsonl").replace("\"id\":\"2\"", "\"id\":\"prompt\"");
    // The CLI waits for more requests and ends when its stdin does.
    let lab = Lab::native(
        "kimi",
        &format!(
            "{WIRE}echo \"$prompt\" >\"$here/asked\"\ncat <<'OUT'\n{ok}OUT\ncat >/dev/null; touch \"$here/ended\""
        ),
    );
    assert_eq!(lab.reply(Purpose::Peer).await, "---\nstatus: ok\n---\nHello from the stub.\n");
    assert!(lab.read("asked").contains("the prompt"));
    assert!(lab.dir.path().join("ended").exists(), "it ended by itself");
    // One that does not end by itself is ended.
    let lab = Lab::native("kimi", &format!("{WIRE}cat <<'OUT'\n{ok}OUT\nwhile :; do sleep 0.1; done"));
    assert_eq!(lab.reply(Purpose::Peer).await, "---\nstatus: ok\n---\nHello from the stub.\n");
}

#[tokio::test]
async fn pc_035_the_version_tells_which_kimi_it_is() {
    let code = include_str!("../stream/fixtures/kimi-code-ok.jsonl");
    let script = format!(
        "if [ \"$1\" = --version ]; then echo 2.1.0; exit 0; fi\nprintf '%s\\n' \"$@\" >\"$here/args\"\ncat <<'OUT'\n{code}OUT"
    );
    let lab = Lab::native("kimi", &script);
    assert_eq!(lab.reply(Purpose::Peer).await, "---\nstatus: ok\n---\nHello from the stub.\n");
    assert!(lab.read("args").contains("--prompt=the prompt"));
    for told in ["kimi, version 1.52.0", "This version is archived, see the web site"] {
        let lab =
            Lab::native("kimi", &format!("echo '{told}'; [ \"$1\" = --version ] || touch \"$here/called\""));
        let failure = lab.failure().await;
        assert!(failure.detail.contains("archived"), "{}", failure.detail);
        assert!(!lab.dir.path().join("called").exists());
    }
}

#[tokio::test]
async fn pc_059_the_usage_file_of_hermes_decides() {
    let of = |text: &str, file: &str| {
        let find = "for a in \"$@\"; do case $last in --usage-file) file=$a;; esac; last=$a; done";
        let script = format!("{find}\ncat >\"$file\" <<'USE'\n{file}\nUSE\ncat <<'OUT'\n{text}\nOUT");
        Lab::native("hermes", &script)
            .with("supports", json!({"session_id": false}))
            .with("retries", json!(0))
    };
    let ok = include_str!("../stream/fixtures/hermes-ok.json");
    let text = format!("[begin of reply]\n{}", include_str!("../stream/fixtures/hermes-ok.txt"));
    assert_eq!(of(&text, ok).reply(Purpose::Peer).await, "---\nstatus: ok\n---\nHello from the stub.\n");
    let failed = include_str!("../stream/fixtures/hermes-401.json");
    let failure = of(include_str!("../stream/fixtures/hermes-401.txt"), failed).failure().await;
    assert_eq!(failure.reason, Reason::Exit(6), "though the code is 0");
    assert_eq!(of(&text, "").failure().await.reason, Reason::Exit(1), "no usage file, no success");
}

/// A resumed session of hermes tells its cost only when it is asked afterwards, and then that of all its turns.
#[tokio::test]
async fn pc_061_a_later_turn_of_hermes_costs_what_came_to_the_sum() {
    let script = r#"for a in "$@"; do case $last in --usage-file) file=$a;; esac; last=$a; done
row() { echo "{\"session_id\":\"s1\",\"completed\":true,\"failed\":false,\"api_calls\":1,\"input_tokens\":$1,\"output_tokens\":$2}"; }
case "$1" in
sessions) row 2500 90; exit 0 ;;
chat) echo 'session_id: s1' >&2 ;;
*) row 1000 34 >"$file" ;;
esac
printf -- '[begin of reply]\nyes\n[end of reply]\n'"#;
    let lab = Lab::native("hermes", script).with("retries", json!(0));
    let of = async |conversation: Option<&str>| {
        let call = Call { conversation: conversation.map(String::from), ..lab.call(Purpose::Turn) };
        match run_in(&lab.around, &lab.vendor(), call, |_| {}, pending()).await {
            Outcome::Reply(reply) => reply,
            other => panic!("{other:?}"),
        }
    };
    let first = of(None).await;
    assert_eq!((first.usage.unwrap().input, first.conversation.as_deref()), (Some(1000), Some("s1")));
    let second = of(Some("s1")).await.usage.unwrap();
    assert_eq!((second.input, second.output), (Some(1500), Some(56)));
}

#[tokio::test]
async fn pc_062_a_call_says_what_confines_it_and_what_that_may_have_stopped() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let lab = Lab::native("codex", &format!("cat {}; exit 1", secret.display()));
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = told.clone();
    let progress = move |p: Progress| heard.lock().unwrap().push(p);
    let outcome = run_in(&lab.around, &lab.vendor(), lab.call(Purpose::Turn), progress, pending()).await;
    let Outcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
    let is_enforced = crate::agents::sandbox::support().is_ok();
    let sandbox = told.lock().unwrap().iter().find_map(|p| match p {
        Progress::Sandbox(text) => Some(text.clone()),
        _ => None,
    });
    let want = if is_enforced { "landlock" } else { "not enforced" };
    assert!(sandbox.unwrap().en.starts_with(want));
    assert_eq!(failure.detail.contains("sandbox: off"), is_enforced, "{}", failure.detail);
    assert_eq!(lab.read("runtime/calls/codex.out") == "secret", !is_enforced);
    assert_eq!(lab.read("runtime/calls/codex.failure"), failure.detail);
}
