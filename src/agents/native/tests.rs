use super::*;
use crate::agents::registry::{Overlay, Registry, SkillPaths};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

fn vendor(key: &str, entry: Value) -> Vendor {
    let mut vendors = serde_json::Map::new();
    vendors.insert(key.into(), entry);
    let overlay = Overlay { vendors, base: "/conf".into(), origin: "config.yaml".into() };
    Registry::load(&[overlay], &SkillPaths::default()).unwrap().get(key).unwrap().clone()
}

fn executable(path: &Path) -> PathBuf {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, "").unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_path_buf()
}

/// The arguments as one text, and the environment.
fn started(key: &str, entry: Value, request: &Request, env: &[(&str, &str)]) -> (String, Vars) {
    let dir = tempfile::tempdir().unwrap();
    let native = if key == "claude" { Native::Claude } else { Native::Codex };
    executable(&dir.path().join(key));
    let mut vars: Vars = env.iter().copied().collect();
    vars.set("PATH", dir.path());
    let start = invocation(native, &vendor(key, entry), request, &vars).unwrap();
    let args: Vec<_> = start.args.iter().map(|a| a.to_string_lossy().into_owned()).collect();
    (format!(" {} ", args.join(" ")), start.env)
}

#[test]
fn pc_035_claude_gets_text_only() {
    let (args, env) = started("claude", json!({}), &Request::default(), &[]);
    for part in [
        " -p ",
        " --tools  ",
        " --strict-mcp-config ",
        " --setting-sources  ",
        " --disable-slash-commands ",
        " --safe-mode ",
        " --permission-mode dontAsk ",
        " --max-turns 40 ",
        " --no-session-persistence ",
        " --output-format stream-json --include-partial-messages --verbose ",
        "{\"permissions\":{\"deny\":[\"Read\"]}}",
    ] {
        assert!(args.contains(part), "{part} in {args}");
    }
    assert!(!args.contains("--bare") && !args.contains("--model") && !args.contains("--add-dir"));
    assert_eq!(env.text("CLAUDE_CODE_MAX_RETRIES"), Some("1"));
}

#[test]
fn pc_035_claude_is_bare_only_with_a_key() {
    for (entry, env) in
        [(json!({}), vec![("ANTHROPIC_API_KEY", "k")]), (json!({"env": {"ANTHROPIC_API_KEY": "k"}}), vec![])]
    {
        let (args, _) = started("claude", entry, &Request::default(), &env);
        assert!(args.contains(" --bare ") && !args.contains("--safe-mode"), "{args}");
    }
    let (args, _) = started(
        "claude",
        json!({}),
        &Request::default(),
        &[("ANTHROPIC_API_KEY", ""), ("CLAUDE_PEER_MAX_TURNS", "7")],
    );
    assert!(!args.contains("--bare") && args.contains("--max-turns 7"));
    let (args, _) = started("claude", json!({}), &Request::default(), &[("CLAUDE_PEER_MAX_TURNS", "1")]);
    assert!(args.contains("--max-turns 40"), "at least 2");
}

#[test]
fn pc_035_models_and_own_arguments() {
    let request = Request { model: "opus", ..Request::default() };
    let (args, _) =
        started("claude", json!({"model": "haiku", "args": ["--fallback-model", "sonnet"]}), &request, &[]);
    assert!(args.contains(" --model opus ") && args.ends_with(" --fallback-model sonnet "), "{args}");
    let (args, _) =
        started("codex", json!({"model": "gpt-5", "args": ["-c", "key=value"]}), &Request::default(), &[]);
    assert!(args.contains(" -m gpt-5 ") && args.ends_with(" -c key=value - "), "{args}");
    let (args, _) = started("codex", json!({}), &request, &[]);
    assert!(!args.contains(" -m "), "{args}");
}

#[test]
fn pc_035_codex_reads_only() {
    let (args, _) = started("codex", json!({}), &Request::default(), &[]);
    assert!(args.starts_with(" exec ") && args.ends_with(" - "));
    for part in [
        " -s read-only ",
        " --skip-git-repo-check ",
        " --json ",
        " --ephemeral ",
        " --ignore-user-config ",
        " --disable shell_tool ",
    ] {
        assert!(args.contains(part), "{part} in {args}");
    }
    let request = Request { conversation: Some("id-1"), ..Request::default() };
    let (args, _) = started("codex", json!({"supports": {"session_id": true}}), &request, &[]);
    assert!(args.ends_with(" resume id-1 - ") && !args.contains("--ephemeral"), "{args}");
}

#[test]
fn pc_062_environment_is_an_allow_list() {
    let env = [
        ("HOME", "/h"),
        ("LC_ALL", "C.UTF-8"),
        ("https_proxy", "p"),
        ("ANTHROPIC_BASE_URL", "a"),
        ("OPENAI_API_KEY", "o"),
        ("CODEX_HOME", "c"),
        ("AWS_SECRET_ACCESS_KEY", "s"),
        ("GITHUB_TOKEN", "g"),
        ("IWE_ROOT", "i"),
        ("TERM", "xterm"),
        ("FLIGHTDECK_MARK_1", "1"),
        ("CLAUDECODE", "1"),
    ];
    let names = |vars: &Vars| {
        let mut names: Vec<String> = vars.iter().map(|(n, _)| n.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    let (_, codex) = started("codex", json!({"env": {"EXTRA": "1"}}), &Request::default(), &env);
    let want = [
        "CODEX_HOME",
        "EXTRA",
        "FLIGHTDECK_MARK_1",
        "HOME",
        "LC_ALL",
        "OPENAI_API_KEY",
        "PATH",
        "TERM",
        "https_proxy",
    ];
    assert_eq!(names(&codex), want);
    assert_eq!(codex.text("TERM"), Some("dumb"));
    let (_, claude) = started("claude", json!({}), &Request::default(), &env);
    assert!(claude.get("ANTHROPIC_BASE_URL").is_some());
    for hidden in ["OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "CLAUDECODE"] {
        assert_eq!(claude.get(hidden), None, "{hidden}");
    }
    let bedrock = [env.as_slice(), &[("CLAUDE_CODE_USE_BEDROCK", "1")]].concat();
    let (_, claude) = started("claude", json!({}), &Request::default(), &bedrock);
    assert!(claude.get("AWS_SECRET_ACCESS_KEY").is_some());
}

#[test]
fn a_prompt_never_begins_with_a_slash_for_claude() {
    assert_eq!(prompt(Native::Claude, "/help".into()), "Message:\n/help");
    assert_eq!(prompt(Native::Claude, "help /x".into()), "help /x");
    assert_eq!(prompt(Native::Codex, "/help".into()), "/help");
}

#[test]
fn pc_035_search_order_of_the_binary() {
    let dir = tempfile::tempdir().unwrap();
    let (home, at) = (dir.path().join("home"), |name: &str| executable(&dir.path().join(name)));
    let mut vars: Vars =
        [("HOME", home.to_str().unwrap()), ("PATH", "relative:/nonexistent")].into_iter().collect();
    let plain = vendor("claude", json!({}));
    let found = |vars: &Vars| binary::find(Native::Claude, &plain, vars);
    assert!(found(&vars).unwrap_err().contains("CLAUDE_BIN"));
    // Each later find wins over the ones before.
    let older = at("home/.nvm/versions/node/v20.1.0/bin/claude");
    assert_eq!(found(&vars), Ok(older));
    let newer = at("home/.nvm/versions/node/v22.0.0/bin/claude");
    assert_eq!(found(&vars), Ok(newer));
    let npm = at("home/.npm-global/bin/claude");
    assert_eq!(found(&vars), Ok(npm));
    let local = at("home/.local/bin/claude");
    assert_eq!(found(&vars), Ok(local));
    let in_path = at("path/claude");
    vars.set("PATH", in_path.parent().unwrap());
    assert_eq!(found(&vars), Ok(in_path));
    let variable = at("variable");
    vars.set("CLAUDE_BIN", &variable);
    assert_eq!(found(&vars), Ok(variable));
    let configured = at("configured");
    let explicit = vendor("claude", json!({"bin": configured}));
    assert_eq!(binary::find(Native::Claude, &explicit, &vars), Ok(configured));
    vars.set("CLAUDE_BIN", "/no/such");
    assert!(found(&vars).unwrap_err().contains("$CLAUDE_BIN is not an executable"));

    let codex = at("home/.vscode/extensions/openai.chatgpt-1.2/bin/linux-x64/codex");
    assert_eq!(binary::find(Native::Codex, &vendor("codex", json!({})), &vars), Ok(codex));
}
