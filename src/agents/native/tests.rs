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
    let start = start(Native::of(key).unwrap(), entry, request, env);
    let args: Vec<_> = start.args.iter().map(|a| a.to_string_lossy().into_owned()).collect();
    (format!(" {} ", args.join(" ")), start.env)
}

fn start(native: Native, entry: Value, request: &Request, env: &[(&str, &str)]) -> Invocation {
    let dir = tempfile::tempdir().unwrap();
    let key = native.command();
    executable(&dir.path().join(key));
    let mut vars: Vars = env.iter().copied().collect();
    vars.set("PATH", dir.path());
    invocation(native, &vendor(key, entry), request, &vars).unwrap()
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
    assert!(args.contains(r#"{"permissions":{"deny":["Read"]}}"#), "`@path` would send a file: {args}");
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
        // It would write the environment into a file.
        " --disable shell_snapshot ",
        // These two ask the network; and its own files speak to the model.
        " --disable plugins ",
        " --disable apps ",
        " -c project_doc_max_bytes=0 ",
    ] {
        assert!(args.contains(part), "{part} in {args}");
    }
    assert!(!args.contains("base_url"), "{args}");
    let url = "https://gateway.example.invalid/v1";
    let (args, _) = started("codex", json!({}), &Request::default(), &[("OPENAI_BASE_URL", url)]);
    for part in [
        " -c model_provider=\"flightdeck\" ",
        &format!(" -c model_providers.flightdeck.base_url=\"{url}\" "),
        " -c model_providers.flightdeck.requires_openai_auth=true ",
        " -c model_providers.flightdeck.supports_websockets=false ",
        " -c model_providers.flightdeck.stream_max_retries=0 ",
    ] {
        assert!(args.contains(part), "{part} in {args}");
    }
    for entry in [
        json!({"args": ["-c", "model_provider=\"mine\""]}),
        json!({"args": ["--oss"]}),
        json!({"args": ["--profile", "mine"]}),
        json!({"supports": {"session_id": true}}),
    ] {
        let (args, _) = started("codex", entry, &Request::default(), &[("OPENAI_BASE_URL", url)]);
        assert!(args.contains(&format!(" -c openai_base_url=\"{url}\" ")), "{args}");
        assert!(!args.contains("model_provider=\"flightdeck\""), "the user's own provider stays: {args}");
    }
    let request = Request { conversation: Some("id-1"), ..Request::default() };
    let (args, _) = started("codex", json!({"supports": {"session_id": true}}), &request, &[]);
    assert!(args.ends_with(" resume id-1 - ") && !args.contains("--ephemeral"), "{args}");
}

/// The arguments of an editing call.
fn editing(key: &str, entry: Value, env: &[(&str, &str)]) -> String {
    let tree = ("app".to_string(), PathBuf::from("/trees/app"));
    let work =
        Work { dir: "/trees".into(), write: vec![tree.1.clone()], trees: vec![tree], guarded: Vec::new() };
    started(key, entry, &Request { work: Some(&work), ..Request::default() }, env).0
}

#[test]
fn pc_512_claude_edits_with_the_same_tools_whatever_its_login() {
    for env in [&[("HOME", "/h"), ("ANTHROPIC_API_KEY", "k")][..], &[("HOME", "/h")]] {
        let args = editing("claude", json!({}), env);
        for part in [
            " --safe-mode ",
            " --tools Read,Edit,Write,Glob,Grep ",
            " --permission-mode acceptEdits ",
            " --add-dir /trees/app ",
            "Read(//h/.claude/**)",
            "Edit(//h/.claude.json)",
        ] {
            assert!(args.contains(part), "{part} in {args}");
        }
        // It offers the model two tools then, none of which finds a file.
        assert!(!args.contains("--bare"));
    }
    let moved = editing("claude", json!({}), &[("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "/c")]);
    assert!(moved.contains("Read(//c/**)"), "{moved}");
}

#[test]
fn pc_512_codex_edits_in_its_own_sandbox_or_in_ours() {
    let own = editing("codex", json!({}), &[]);
    assert!(own.contains(" -s workspace-write "), "{own}");
    assert!(own.contains(" sandbox_workspace_write.exclude_slash_tmp=true ") && own.contains(" -C /trees "));
    assert!(!own.contains("--disable shell_tool"), "{own}");
    for ours in ["required", "bubblewrap"] {
        let args = editing("codex", json!({"sandbox": ours}), &[]);
        assert!(args.contains(" -s danger-full-access "), "{args}");
    }
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
fn pc_055_no_prompt_begins_like_a_command_a_file_or_an_option() {
    for native in [Native::Gemini, Native::Opencode, Native::Kimi, Native::KimiCode, Native::Hermes] {
        for special in ["/help me", "-x", "--oneshot", "@/etc/hostname", "!ls"] {
            let sent = prompt(native, special.into());
            assert!(sent.starts_with(&format!("Message:\n{special}")), "{native:?} {sent}");
        }
    }
    // And no prompt becomes an option of its own where it travels as an argument.
    for (native, flag) in [(Native::KimiCode, "--prompt=-x"), (Native::Hermes, "--oneshot=-x")] {
        let start =
            start(native, json!({"kind": "native"}), &Request { prompt: "-x", ..Request::default() }, &[]);
        assert_eq!((start.args.last().unwrap().to_str(), start.feed), (Some(flag), Feed::Argument));
    }
}

#[test]
fn pc_062_gemini_gets_a_home_without_the_users_tools() {
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join(".gemini");
    std::fs::create_dir(&state).unwrap();
    let own = json!({"security": {"auth": {"selectedType": "oauth-personal"}}, "mcpServers": {"evil": {"command": "x"}},
        "tools": {"core": ["read_file"]}});
    std::fs::write(state.join("settings.json"), own.to_string()).unwrap();
    std::fs::write(state.join("oauth_creds.json"), "{}").unwrap();
    let env = [("HOME", home.path().to_str().unwrap()), ("OPENAI_API_KEY", "o")];
    let start =
        start(Native::Gemini, json!({}), &Request { model: "gemini-2.5-pro", ..Request::default() }, &env);
    assert_eq!(start.env.text("GEMINI_CLI_HOME"), Some("/setup"));
    assert_eq!(
        start.env.text("GEMINI_CLI_NO_RELAUNCH"),
        Some("true"),
        "else a second process survives a signal"
    );
    assert_eq!(start.env.get("OPENAI_API_KEY"), None);
    assert_eq!(start.state, std::slice::from_ref(&state));
    let file = |name: &str| start.files.iter().find(|f| f.name == name).map(|f| f.content.clone());
    assert_eq!(file(".gemini/oauth_creds.json"), Some(Content::Link(state.join("oauth_creds.json"))));
    let Some(Content::Text(settings)) = file(".gemini/settings.json") else { panic!("no settings") };
    let settings: Value = serde_json::from_str(&settings).unwrap();
    assert_eq!(settings["tools"]["core"], json!([]));
    assert_eq!(settings["security"]["auth"]["selectedType"], "oauth-personal");
    assert_eq!(settings.get("mcpServers"), None);
    assert_eq!(settings["context"]["includeDirectoryTree"], false, "its folder is nobody's business");
    let args = start.args.iter().map(|a| a.to_str().unwrap()).collect::<Vec<_>>().join(" ");
    for part in ["--skip-trust", "--approval-mode default", "--extensions none", "--model gemini-2.5-pro"] {
        assert!(args.contains(part), "{part} in {args}");
    }
    assert!(!args.contains("--yolo"));
    assert_eq!(settings["general"]["maxAttempts"], 1, "retries are ours");
    // With a key and no way in chosen it would not start.
    let key = [&env[..1], &[("GEMINI_API_KEY", "k")][..]].concat();
    let start = self::start(Native::Gemini, json!({}), &Request::default(), &key);
    let chosen = start.files.iter().find(|f| f.name == ".gemini/settings.json").map(|f| f.content.clone());
    assert!(matches!(&chosen, Some(Content::Text(t)) if t.contains("gemini-api-key")), "{chosen:?}");
}

#[test]
fn pc_062_opencode_gets_an_agent_without_tools() {
    let request = Request { model: "openrouter/some-model", ..Request::default() };
    let env = [
        ("OPENROUTER_API_KEY", "k"),
        ("ANTHROPIC_API_KEY", "a"),
        ("OPENCODE_CONFIG_CONTENT", r#"{"model": "m", "permission": "allow"}"#),
    ];
    let start = start(Native::Opencode, json!({}), &request, &env);
    let config: Value = serde_json::from_str(start.env.text("OPENCODE_CONFIG_CONTENT").unwrap()).unwrap();
    assert_eq!(config["permission"], json!({"*": "deny"}));
    assert_eq!(config["agent"]["flightdeck"]["tools"], json!({"*": false}));
    assert_eq!((config["share"].as_str(), config["model"].as_str()), (Some("disabled"), Some("m")));
    assert_eq!(start.env.text("OPENCODE_DB"), Some(":memory:"), "nothing is kept");
    assert_eq!(
        (start.env.get("OPENROUTER_API_KEY").is_some(), start.env.get("ANTHROPIC_API_KEY")),
        (true, None)
    );
    let args = start.args.iter().map(|a| a.to_str().unwrap()).collect::<Vec<_>>().join(" ");
    assert!(args.starts_with("run --pure --agent flightdeck --title flightdeck --format json "), "{args}");
    assert!(args.contains(" -m openrouter/"), "{args}");
    assert!(args.contains(" --print-logs --log-level ERROR"), "its log tells of a limit at once: {args}");
    let (args, _) = started("opencode", json!({}), &Request { model: "opus", ..Request::default() }, &[]);
    assert!(!args.contains(" -m "), "a name without a provider is another vendor's: {args}");
}

#[test]
fn pc_062_both_kimis_get_an_agent_without_tools() {
    let entry = json!({"kind": "native"});
    let request = Request { model: "k2", prompt: "the prompt", ..Request::default() };
    let cli = start(Native::Kimi, entry.clone(), &request, &[("KIMI_API_KEY", "k"), ("OPENAI_API_KEY", "o")]);
    let args: Vec<_> = cli.args.iter().map(|a| a.to_str().unwrap()).collect();
    assert_eq!(
        args,
        [
            "--agent-file",
            "/setup/agent.yaml",
            "--mcp-config-file",
            "/setup/mcp.json",
            "--wire",
            "--model",
            "k2"
        ]
    );
    assert!(
        matches!(&cli.feed, Feed::Wire(text) if text.contains("the prompt") && text.lines().count() == 2)
    );
    assert!(cli.files.iter().any(|f| matches!(&f.content, Content::Text(t) if t.contains("\"tools\":[]"))));
    assert_eq!((cli.env.text("KIMI_API_KEY"), cli.env.get("OPENAI_API_KEY")), (Some("k"), None));
    let code = start(Native::KimiCode, entry, &request, &[]);
    let args: Vec<_> = code.args.iter().map(|a| a.to_str().unwrap()).collect();
    let want = [
        "--output-format",
        "stream-json",
        "--agent-file",
        "/setup/agent.md",
        "-m",
        "k2",
        "--prompt=the prompt",
    ];
    assert_eq!(args, want);
    assert!(code.files.iter().any(|f| matches!(&f.content, Content::Text(t) if t.contains("tools: []"))));
}

#[test]
fn pc_061_hermes_goes_on_with_a_session_or_tells_its_usage() {
    let entry = |keeps: bool| json!({"kind": "native", "supports": {"session_id": keeps}});
    let request = Request { prompt: "p", conversation: Some("id-1"), ..Request::default() };
    let chat = start(Native::Hermes, entry(true), &request, &[]);
    let args = |start: &Invocation| {
        start.args.iter().map(|a| a.to_str().unwrap().to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(args(&chat), "chat -t context_engine --ignore-rules -Q --resume id-1 --query=p");
    assert_eq!(chat.usage_file, None);
    let account = chat.account.unwrap().iter().map(|a| a.to_str().unwrap()).collect::<Vec<_>>().join(" ");
    assert_eq!(account, "sessions export --session-id id-1 -");
    let first = start(Native::Hermes, entry(true), &Request { conversation: None, ..request.clone() }, &[]);
    assert_eq!((first.usage_file, first.account), (Some("usage.json"), None));
    let once = start(Native::Hermes, entry(false), &Request { conversation: None, ..request }, &[]);
    assert_eq!(args(&once), "-t context_engine --ignore-rules --usage-file /setup/usage.json --oneshot=p");
    assert_eq!(once.usage_file, Some("usage.json"));
}

#[test]
fn pc_035_search_order_of_the_binary() {
    let dir = tempfile::tempdir().unwrap();
    let (home, at) = (dir.path().join("home"), |name: &str| executable(&dir.path().join(name)));
    let mut vars: Vars =
        [("HOME", home.to_str().unwrap()), ("PATH", "relative:/nonexistent")].into_iter().collect();
    let plain = vendor("claude", json!({}));
    let found = |vars: &Vars| binary::find(Native::Claude, &plain, vars);
    assert!(found(&vars).unwrap_err().en.contains("CLAUDE_BIN"));
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
    assert!(found(&vars).unwrap_err().en.contains("$CLAUDE_BIN is not an executable"));

    let codex = at("home/.vscode/extensions/openai.chatgpt-1.2/bin/linux-x64/codex");
    assert_eq!(binary::find(Native::Codex, &vendor("codex", json!({})), &vars), Ok(codex));
}
