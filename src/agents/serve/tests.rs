//! The acceptance list of PC-075, with fake CLIs.

use super::*;
use crate::agents::registry::{Overlay, Registry, SkillPaths};
use serde_json::{Value, json};
use std::future::pending;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

mod natives;

/// A folder with a fake CLI, and a registry that uses it.
struct Lab {
    dir: tempfile::TempDir,
    vendors: Value,
    around: Surroundings,
}

/// A reply that keeps the contract, as the streams of both CLIs carry it.
const CLAUDE_OK: &str = r#"printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"---\nturn: 1\n---\nyes"}'"#;
const CODEX_OK: &str = r#"printf '%s\n' '{"type":"item.completed","item":{"type":"agent_message","text":"---\nturn: 1\n---\nyes"}}' '{"type":"turn.completed","usage":{}}'"#;
const REPLY: &str = "---\nturn: 1\n---\nyes";

impl Lab {
    fn new(cli: &str) -> Lab {
        let dir = tempfile::tempdir().unwrap();
        let lab = Lab {
            vendors: json!({
                // The folder counts as their state: what the fake CLIs note there must not be stopped by the sandbox.
                "claude": {"bin": "./cli", "state": ["."]}, "codex": {"bin": "./cli", "state": ["."]}, "alpha": {"kind": "script", "path": "./cli"},
            }),
            around: Surroundings {
                env: Vars::real().filtered(|name| matches!(name, "PATH" | "HOME")),
                ..Surroundings::default()
            },
            dir,
        };
        lab.write(
            "cli",
            &format!("#!/bin/sh\nhere={}\ntouch \"$here/started\"\n{cli}\n", lab.dir.path().display()),
        );
        let locks = lab.dir.path().join("locks");
        lab.set("IWE_PEER_LOCK_DIR", locks.to_str().unwrap())
    }

    fn set(mut self, name: &str, value: &str) -> Lab {
        self.around.env.set(name, value);
        self
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.path().join(name)).unwrap_or_default()
    }

    fn was_started(&self) -> bool {
        self.dir.path().join("started").exists()
    }

    fn vendor(&self, key: &str) -> Vendor {
        let vendors = self.vendors.as_object().unwrap().clone();
        let overlay = Overlay { vendors, base: self.dir.path().into(), origin: "config.yaml".into() };
        Registry::load(&[overlay], &SkillPaths::default()).unwrap().get(key).unwrap().clone()
    }

    async fn call(&self, key: &str, args: &[&str], prompt: &str) -> Served {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        serve(&self.vendor(key), &args, prompt.as_bytes(), &self.around, pending()).await
    }
}

fn cli(key: &str) -> &'static str {
    match key {
        "claude" => CLAUDE_OK,
        "codex" => CODEX_OK,
        _ => r"printf -- '---\nturn: 1\n---\nyes'",
    }
}

const ALL: [&str; 3] = ["claude", "codex", "alpha"];

#[tokio::test]
async fn pc_075_a_prompt_of_200_kb_arrives_unchanged() {
    let prompt: String = "тест \"$(x)\" \\ @/etc/hostname\r\n".chars().cycle().take(180_000).collect();
    assert!(prompt.len() > 200_000);
    for key in ALL {
        let lab = Lab::new(&format!("cat >\"$here/prompt\"\n{}", cli(key)));
        let served = lab.call(key, &["-p"], &prompt).await;
        assert_eq!((served.code, served.stdout.as_str()), (0, REPLY), "{key}: {}", served.stderr);
        assert_eq!(lab.read("prompt"), prompt, "{key}");
    }
}

#[tokio::test]
async fn pc_075_a_too_long_prompt_is_refused_with_its_length() {
    let mut lab = Lab::new(cli("alpha"));
    lab.vendors["alpha"]["prompt_limit"] = "10 chars".into();
    let served = lab.call("alpha", &[], "a secret of 22 letters").await;
    assert_eq!((served.code, lab.was_started()), (1, false));
    assert!(
        served.stderr.contains("22 characters") && !served.stderr.contains("secret"),
        "{}",
        served.stderr
    );
}

#[tokio::test]
async fn pc_075_b_wrong_flags_start_nothing() {
    let cases: [(&str, &[&str]); 10] = [
        ("claude", &["--permission-mode", "plan"]),
        ("claude", &["--add-dir", "/tmp"]),
        ("claude", &["--session-id", "x"]),
        ("claude", &["--model"]),
        ("claude", &["--model", ""]),
        ("claude", &["--model", "--add-dir"]),
        ("claude", &["--model", "a", "--model", "b"]),
        ("codex", &["--add-dir", "/no/such/folder"]),
        ("codex", &["--model=gpt-5"]),
        ("alpha", &["--model", "m"]),
    ];
    for (key, args) in cases {
        let lab = Lab::new(cli(key));
        let served = lab.call(key, args, "hello").await;
        assert_eq!((served.code, lab.was_started()), (1, false), "{key} {args:?}");
        assert!(!served.stderr.trim().is_empty() && served.stdout.is_empty());
    }
}

#[tokio::test]
async fn pc_076_empty_or_broken_prompt() {
    let lab = Lab::new(cli("alpha"));
    assert_eq!(lab.call("alpha", &[], " \n").await.code, 1);
    let served = serve(&lab.vendor("alpha"), &[], &b"\xff\xfe"[..], &lab.around, pending()).await;
    assert_eq!((served.code, lab.was_started()), (1, false));
}

#[tokio::test]
async fn pc_075_c_foreign_models_are_dropped_with_a_note() {
    for (key, model, is_foreign) in [
        ("codex", "sonnet", true),
        ("codex", "claude-opus-4", true),
        ("codex", "gpt-5", false),
        ("claude", "gpt-5", true),
        ("claude", "opus", false),
    ] {
        let lab = Lab::new(&format!("printf '%s ' \"$@\" >\"$here/args\"\n{}", cli(key)));
        let served = lab.call(key, &["--model", model], "hello").await;
        assert_eq!(served.code, 0, "{}", served.stderr);
        assert_eq!(lab.read("args").contains(model), !is_foreign, "{key} {model}");
        assert_eq!(served.stderr.contains("belongs to another vendor"), is_foreign);
    }
}

#[tokio::test]
async fn pc_075_d_banners_do_not_reach_stdout() {
    for key in ["claude", "codex"] {
        let lab = Lab::new(&format!("echo 'Welcome to the CLI!'\necho update available >&2\n{}", cli(key)));
        let served = lab.call(key, &[], "hello").await;
        assert_eq!((served.code, served.stdout.as_str()), (0, REPLY));
        assert!(served.stderr.contains("update available"));
    }
}

#[tokio::test]
async fn pc_075_e_empty_output_is_7() {
    for text in ["", " \\n\\t", "---\\nturn: 1\\n---\\n \\n"] {
        let lab = Lab::new(&format!("printf -- '{text}'"));
        assert_eq!(lab.call("alpha", &[], "hello").await.code, 7, "{text:?}");
        let lab = Lab::new(&CLAUDE_OK.replace(r"---\nturn: 1\n---\nyes", text));
        assert_eq!(lab.call("claude", &[], "hello").await.code, 7, "{text:?}");
    }
}

#[tokio::test]
async fn pc_075_f_frontmatter_unless_plain() {
    for key in ALL {
        let bare = cli(key).replace(r"---\nturn: 1\n---\nyes", "just yes");
        let lab = Lab::new(&bare);
        assert_eq!(lab.call(key, &[], "hello").await.code, 1, "{key}");
        let lab = Lab::new(&bare).set("IWE_PEER_PLAIN", "1");
        let served = lab.call(key, &[], "hello").await;
        assert_eq!((served.code, served.stdout.as_str()), (0, "just yes"), "{key}");
    }
}

#[tokio::test]
async fn pc_075_g_codes_of_a_cli_become_1() {
    for key in ["claude", "codex"] {
        for code in 2..=7 {
            let lab = Lab::new(&format!("{}\nexit {code}", cli(key)));
            assert_eq!(lab.call(key, &[], "hello").await.code, 1, "{key} {code}");
        }
    }
    // A script is an adapter already: its codes mean what the contract says.
    let lab = Lab::new("exit 6");
    assert_eq!(lab.call("alpha", &[], "hello").await.code, 6);
}

#[tokio::test]
async fn pc_075_h_timeout_kills_a_grandchild() {
    async fn hangs(key: &str) {
        let stubborn = "trap \"\" TERM; echo $$ >\"$0\"; while :; do sleep 1; done";
        let mut lab = Lab::new(&format!("sh -c '{stubborn}' \"$here/pid\" &\nwait"));
        lab.vendors[key]["deadline"] = "1s".into();
        let began = Instant::now();
        let served = lab.call(key, &[], "hello").await;
        assert_eq!(served.code, 1);
        assert!(served.stderr.contains("no reply within 1 s"), "{}", served.stderr);
        assert!(began.elapsed() < Duration::from_secs(6));
        let pid = lab.read("pid").trim().parse().unwrap();
        assert!(!tree::is_alive(tree::newborn(pid)));
    }
    tokio::join!(hangs("claude"), hangs("codex"), hangs("alpha"));
}

#[tokio::test]
async fn pc_075_i_second_call_with_the_same_key() {
    let slow = format!("while ! [ -e \"$here/go\" ]; do sleep 0.02; done\n{CLAUDE_OK}");
    let lab = Lab::new(&slow).set("FLIGHTDECK_SESSION", "2026-08-24-01-x");
    let second = async {
        while !lab.was_started() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let served = lab.call("claude", &[], "hello").await;
        lab.write("go", "");
        served
    };
    let (first, second) = tokio::join!(lab.call("claude", &[], "hello"), second);
    assert_eq!((first.code, second.code), (0, 5), "{} {}", first.stderr, second.stderr);
    assert_eq!(lab.call("claude", &[], "hello").await.code, 0, "the lock is free again");
}

#[tokio::test]
async fn pc_075_j_and_l_filters_stop_the_call() {
    for code in [2, 3, 4] {
        let mut lab = Lab::new(CODEX_OK);
        lab.around.copy_filter = Some(Arc::new(move |_, _, _| Err((code, "keys/x.pem: PII".into()))));
        let source = tempfile::tempdir().unwrap();
        let served = lab.call("codex", &["--add-dir", source.path().to_str().unwrap()], "hello").await;
        assert_eq!((served.code, lab.was_started()), (code, false));
        assert!(served.stderr.contains("keys/x.pem"));
    }
    let mut lab = Lab::new(CODEX_OK);
    let source = tempfile::tempdir().unwrap();
    let dir = ["--add-dir", source.path().to_str().unwrap()];
    assert_eq!(lab.call("codex", &dir, "hello").await.code, 2, "no filter at all");
    lab.around.copy_filter = Some(Arc::new(|_, _, _| panic!("broken filter")));
    assert_eq!(lab.call("codex", &dir, "hello").await.code, 2);
    lab.around.prompt_filter = Some(Arc::new(|_| Err((2, "the filter map is broken".into()))));
    assert_eq!(lab.call("codex", &[], "hello").await.code, 2, "PC-067");
    assert!(!lab.was_started());
}

#[tokio::test]
async fn pc_075_k_the_source_stays_as_it_is() {
    let script = format!(
        "printf '%s\\n' \"$@\" >\"$here/args\"; pwd >\"$here/cwd\"; ls -A >\"$here/ls\"\ntouch intruder; echo x >>./a.txt\n{CODEX_OK}"
    );
    let mut lab = Lab::new(&script);
    lab.around.copy_filter = Some(Arc::new(|from, to, _| {
        std::fs::create_dir_all(to.join("sub")).unwrap();
        std::fs::copy(from.join("a.txt"), to.join("sub/a.txt")).unwrap();
        std::fs::set_permissions(to.join("sub"), std::fs::Permissions::from_mode(0o555)).unwrap();
        Ok(())
    }));
    let source = tempfile::tempdir().unwrap();
    std::fs::write(source.path().join("a.txt"), "original").unwrap();
    let path = source.path().to_str().unwrap();
    for args in [vec![], vec!["--add-dir", path]] {
        let served = lab.call("codex", &args, "hello").await;
        assert_eq!(served.code, 0, "{}", served.stderr);
        let names: Vec<_> = source.path().read_dir().unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["a.txt"]);
        assert_eq!(std::fs::read_to_string(source.path().join("a.txt")).unwrap(), "original");
        // The sandbox as configured: read-only, its own folder, the original never named.
        let given = lab.read("args");
        assert!(given.contains("-s\nread-only\n") && !given.contains(path), "{given}");
        assert_eq!(given.contains("-C\n"), !args.is_empty());
        assert_eq!(given.contains("--disable\nshell_tool"), args.is_empty());
        assert_eq!(lab.read("ls"), "", "an empty working folder");
        assert!(
            !Path::new(lab.read("cwd").trim()).exists(),
            "scratch folders are removed, read-only ones too"
        );
    }
}

#[tokio::test]
async fn pc_061_session_ids_are_passed_on() {
    let mut lab = Lab::new(&format!("printf '%s ' \"$@\" >\"$here/args\"\n{}", cli("alpha")));
    lab.vendors["alpha"]["supports"] = json!({"session_id": true, "model": true});
    assert_eq!(lab.call("alpha", &["--session-id", "abc", "--model", "m", "-p"], "hello").await.code, 0);
    assert_eq!(lab.read("args"), "--model m --session-id abc ");
}

#[tokio::test]
async fn pc_068_a_stopped_adapter_stops_its_cli() {
    let lab = Lab::new("echo $$ >\"$here/pid.new\"; mv \"$here/pid.new\" \"$here/pid\"; sleep 60");
    let cancel = async {
        while lab.read("pid").is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let served = serve(&lab.vendor("claude"), &[], &b"hello"[..], &lab.around, cancel).await;
    assert_eq!(served.code, 1);
    assert!(!tree::is_alive(tree::newborn(lab.read("pid").trim().parse().unwrap())));
}

#[test]
fn pc_069_lock_keys() {
    let env = |pairs: &[(&str, &str)]| pairs.iter().copied().collect::<Vars>();
    let locks = ("IWE_PEER_LOCK_DIR", "/locks");
    assert_eq!(
        lock_path("kimi", Some(Path::new("/a/2026-x")), &env(&[locks])),
        Path::new("/locks/2026-x.pid")
    );
    let parent = format!("/locks/kimi-peer-ppid-{}.pid", std::os::unix::process::parent_id());
    assert_eq!(lock_path("kimi", None, &env(&[locks])), Path::new(&parent));
    let session = env(&[locks, ("FLIGHTDECK_SESSION", "../s")]);
    assert_eq!(lock_path("kimi", None, &session), Path::new("/locks/kimi-.._s.pid"));
    assert!(
        lock_path("kimi", None, &env(&[]))
            .ends_with(format!("kimi-peer-locks/kimi-peer-ppid-{}.pid", std::os::unix::process::parent_id()))
    );
}
