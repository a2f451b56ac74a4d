use super::*;
use crate::agents::process::{self, End, Event, Finished, Spec, Stdin};
use crate::agents::registry::{Overlay, Registry, SkillPaths};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

fn vendor(key: &str, entry: Value) -> Vendor {
    let mut vendors = serde_json::Map::new();
    vendors.insert(key.into(), entry);
    let overlay = Overlay { vendors, base: "/conf".into(), origin: "config.yaml".into() };
    Registry::load(&[overlay], &SkillPaths::default()).unwrap().get(key).unwrap().clone()
}

async fn sh(script: String, cwd: &Path, confinement: Option<Confinement>) -> (Finished, String) {
    let spec = Spec {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: Vars::real(),
        cwd: cwd.into(),
        stdin: Stdin::Whole(Vec::new()),
        deadline: Duration::from_secs(30),
        idle: None,
        hold: None,
        output_cap: 100_000,
        confinement,
    };
    let mut out = String::new();
    let hear = |event: Event| {
        if let Event::Stdout(piece) = event {
            out.push_str(&String::from_utf8_lossy(piece));
        }
    };
    (process::run(spec, hear, std::future::pending()).await.unwrap(), out)
}

/// What a text-mode call of codex gets, with a home and a scratch folder in `root`.
fn codex_in(root: &Path) -> Confinement {
    let env: Vars = [("HOME", root.join("home")), ("PATH", "/usr/bin:/bin".into())].into_iter().collect();
    let place = Place {
        program: "/bin/sh".as_ref(),
        native: Some(crate::agents::registry::Native::Codex),
        scratch: &root.join("scratch"),
        state: &[],
    };
    paths::confinement(&vendor("codex", json!({})), &place, &env)
}

#[tokio::test]
async fn pc_075_k_a_controlled_attempt_to_write() {
    if support().is_err() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for name in ["scratch", "source", "home/.ssh"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    std::fs::write(root.join("source/a.txt"), "original").unwrap();
    std::fs::write(root.join("home/.ssh/key"), "secret").unwrap();
    let r = root.display();
    // The child tries it itself, through a grandchild, and by way of a name that was there before.
    let script = format!(
        "echo x >{r}/source/new; echo x >>{r}/source/a.txt; true >{r}/source/a.txt; rm -f {r}/source/a.txt
         mv {r}/source/a.txt {r}/scratch/; ln {r}/source/a.txt {r}/scratch/link; mkdir {r}/source/d
         setsid sh -c 'echo x >{r}/source/orphan' ; cat {r}/home/.ssh/key; ls {r}/home
         echo inside >{r}/scratch/mine; echo state >{r}/home/.codex/auth; echo gone >/dev/null; cat {r}/scratch/mine"
    );
    let (finished, out) = sh(script.clone(), &root.join("scratch"), Some(codex_in(&root))).await;
    assert!(matches!(finished.end, End::Exited(_)));
    assert_eq!(out, "inside\n", "{}", finished.stderr);
    assert_eq!(std::fs::read_to_string(root.join("home/.codex/auth")).unwrap(), "state\n");
    let left: Vec<_> = root.join("source").read_dir().unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["a.txt"]);
    assert_eq!(std::fs::read_to_string(root.join("source/a.txt")).unwrap(), "original");
    // Without the sandbox the same attempt succeeds: it is the sandbox that stopped it, not the attempt.
    let (_, out) = sh(script, &root.join("scratch"), None).await;
    assert!(out.contains("secret"), "{out}");
    assert!(root.join("source/new").exists());
    // And this process is as free as before.
    std::fs::write(root.join("source/ours"), "").unwrap();
}

#[test]
fn pc_062_what_a_vendor_meets() {
    let native = |sandbox: Value| {
        let entry = if sandbox.is_null() { json!({}) } else { json!({"sandbox": sandbox}) };
        decide(&vendor("codex", entry), false, &Vars::default())
    };
    assert!(matches!(native(json!("off")), Decision::Free(why) if why.en.contains("off")));
    let (auto, required) = (native(Value::Null), native(json!("required")));
    match support() {
        Ok(()) => assert_eq!((auto, required), (Decision::Confined, Decision::Confined)),
        Err(_) => assert!(matches!((auto, required), (Decision::Free(_), Decision::Refused(_)))),
    }
    let script = json!({"kind": "script", "path": "a.sh"});
    assert!(
        matches!(decide(&vendor("alpha", script), false, &Vars::default()), Decision::Free(_)),
        "the user's own may write"
    );
    assert!(matches!(decide(&vendor("codex", json!({})), true, &Vars::default()), Decision::Free(_)));
    let free = Decision::Free(Both::new("x", "y")).text();
    assert_eq!((free.en.as_str(), free.ru.as_str()), ("not enforced: x", "не ограничена: y"));
}

#[test]
fn pc_512_what_an_editing_call_meets() {
    let edits =
        |sandbox: Value| decide_editing(&vendor("codex", json!({"sandbox": sandbox})), &Vars::default());
    assert_eq!(decide_editing(&vendor("codex", json!({})), &Vars::default()), Decision::Own);
    assert_eq!(edits(json!("off")), Decision::Own, "it is ours that is off");
    assert!(Decision::Own.editing_text().en.contains("no network"));
    match support() {
        Ok(()) => assert_eq!(edits(json!("required")), Decision::Confined),
        Err(_) => assert!(matches!(edits(json!("required")), Decision::Refused(_))),
    }
    assert!(Decision::Confined.editing_text().en.contains("its trees"));
}

/// An installed bubblewrap that may make namespaces here.
fn installed() -> Option<PathBuf> {
    let program = bubblewrap::find(&Vars::real()).ok()?;
    let tried = std::process::Command::new(&program).args(["--ro-bind", "/", "/", "true"]).output();
    tried.is_ok_and(|ran| ran.status.success()).then_some(program)
}

#[tokio::test]
async fn pc_075_k_bubblewrap_shows_no_more_than_it_may() {
    let Some(program) = installed() else { return };
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for name in ["scratch", "source", "home/.ssh"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    std::fs::write(root.join("source/a.txt"), "original").unwrap();
    std::fs::write(root.join("home/.ssh/key"), "secret").unwrap();
    let confinement = Confinement { wrapper: Some(program), ..codex_in(&root) };
    let (r, outer) = (root.display(), std::process::id());
    let script = format!(
        "cat {r}/source/a.txt {r}/home/.ssh/key; echo x >>{r}/source/a.txt; echo x >/usr/new; ls /proc/{outer}
         echo inside >{r}/scratch/mine; echo state >{r}/home/.codex/auth; echo gone >/dev/null
         cat {r}/scratch/mine; pwd; setsid sleep 600 &"
    );
    let (finished, out) = sh(script, &root.join("scratch"), Some(confinement)).await;
    assert!(matches!(finished.end, End::Exited(_)));
    assert_eq!(out, format!("inside\n{r}/scratch\n"), "{}", finished.stderr);
    assert_eq!(std::fs::read_to_string(root.join("source/a.txt")).unwrap(), "original");
    assert_eq!(std::fs::read_to_string(root.join("home/.codex/auth")).unwrap(), "state\n");
}

#[test]
fn pc_062_bubblewrap_is_used_where_it_is_chosen_and_there() {
    let chosen = vendor("codex", json!({"sandbox": "bubblewrap"}));
    let none: Vars = [("PATH", "/nowhere")].into_iter().collect();
    assert!(matches!(decide(&chosen, true, &none), Decision::Refused(why) if why.en.contains("bwrap")));
    let confinement = Confinement {
        read: vec!["/usr".into(), "/proc".into()],
        write: vec!["/dev".into(), "/s".into()],
        wrapper: Some("/b/bwrap".into()),
    };
    let (program, args) = confinement.wrapped("/usr/bin/x".as_ref(), "/s/work".as_ref()).unwrap();
    let args: Vec<String> = args.into_iter().map(|arg| arg.into_string().unwrap()).collect();
    assert_eq!(program, Path::new("/b/bwrap"));
    assert_eq!(
        args.join(" "),
        "--unshare-pid --unshare-ipc --die-with-parent --tmpfs /tmp --ro-bind-try /usr /usr --bind-try /s /s \
         --proc /proc --dev /dev --chdir /s/work -- /usr/bin/x"
    );
}
