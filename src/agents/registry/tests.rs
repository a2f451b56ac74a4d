use super::*;
use serde_json::json;

fn overlay(vendors: Value) -> Overlay {
    let Value::Object(vendors) = vendors else { panic!("not a mapping") };
    Overlay { vendors, base: PathBuf::from("/conf"), origin: "config.yaml".into() }
}

fn load(vendors: Value) -> Result<Registry, Vec<ConfigProblem>> {
    Registry::load(&[overlay(vendors)], &SkillPaths::default())
}

fn message(vendors: Value) -> String {
    load(vendors).unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn pc_030_embedded_table() {
    let registry = Registry::load(&[], &SkillPaths::default()).unwrap();
    assert_eq!(registry.peer_keys(), ["kimi", "codex", "hermes", "claude", "gemini", "opencode"]);
    let row = |key: &str| {
        let v = registry.get(key).unwrap();
        let s = v.supports;
        (v.agent_id.clone(), v.peer_cmd.clone(), s.add_dir, s.model, s.session_id)
    };
    assert_eq!(row("kimi"), ("kimi-headless".into(), "kimi-peer-adapter".into(), false, true, false));
    assert_eq!(row("codex"), ("codex".into(), "codex-peer-adapter".into(), true, true, false));
    assert_eq!(row("hermes"), ("hermes".into(), "hermes-peer-adapter".into(), false, false, true));
    assert_eq!(
        row("claude"),
        ("claude-code-headless".into(), "claude-peer-adapter".into(), false, true, false)
    );
}

#[test]
fn pc_033_limits_writers_and_guards() {
    let registry = Registry::load(&[], &SkillPaths::default()).unwrap();
    let get = |key: &str| registry.get(key).unwrap().clone();
    assert_eq!(get("hermes").prompt_limit, Some(PromptLimit::Chars(4000)));
    assert_eq!(get("kimi").prompt_limit, Some(PromptLimit::Bytes(120_000)));
    assert_eq!((get("codex").prompt_limit, get("claude").prompt_limit), (None, None));
    assert!(registry.vendors.iter().all(|v| v.deadline == Duration::from_secs(300)));
    let writers = ["claude", "kimi", "codex", "hermes"].map(|k| get(k).writer_agent_id);
    assert_eq!(writers, ["claude-code", "kimi-headless", "codex", "hermes"]);
    let guards = ["claude", "kimi", "codex", "hermes"].map(|k| get(k).guard_agent);
    assert_eq!(guards, ["claude-code-headless", "kimi", "codex", "hermes"]);
}

#[test]
fn pc_032_search_order_and_source() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let paths = SkillPaths {
        home: Some(root.join("home")),
        template: Some(root.join("template")),
        workspace: root.join("ws"),
        governance: root.join("ws/DS-strategy"),
        timeout: None,
    };
    let places: Vec<_> = paths.search().into_iter().map(|(dir, _)| dir).collect();
    let want = [
        "template/scripts",
        "home/IWE/IWE/scripts",
        "ws/FMT-exocortex-template/scripts",
        "ws/DS-strategy/scripts",
    ];
    assert_eq!(places, want.map(|p| root.join(p)));
    let kimi = || Registry::load(&[], &paths).unwrap().get("kimi").unwrap().clone();
    // Without a script our own adapter, which runs the CLI without tools and so without a directory.
    assert_eq!((kimi().kind, kimi().path), (Kind::Native(Native::Kimi), None));
    assert_eq!(kimi().source, "built in; the usual places have no kimi-peer-adapter.sh");
    assert!(!kimi().supports.add_dir);
    // From the last place to the first: each better one wins over those found before.
    for (dir, label) in paths.search().into_iter().rev() {
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("kimi-peer-adapter.sh"), "").unwrap();
        assert_eq!((kimi().path, kimi().source.as_str()), (Some(dir.join("kimi-peer-adapter.sh")), label));
        assert_eq!((kimi().kind, kimi().supports.add_dir), (Kind::Script, true));
    }
    let explicit = Registry::load(&[overlay(json!({"kimi": {"path": "./k.sh"}}))], &paths).unwrap();
    let kimi = explicit.get("kimi").unwrap();
    assert_eq!((kimi.path.clone(), kimi.source.as_str()), (Some("/conf/k.sh".into()), "config.yaml"));
}

#[test]
fn pc_032_paths_are_relative_to_their_file() {
    let paths = SkillPaths { home: Some("/home/ada".into()), ..SkillPaths::default() };
    let layer = overlay(json!({
        "a": {"kind": "script", "path": "./adapters/a.sh"},
        "b": {"kind": "script", "path": "~/b.sh"},
        "c": {"kind": "script", "path": "/abs/c.sh"},
        "codex": {"bin": "bin/codex"},
        "claude": {"bin": "claude-nightly"},
    }));
    let registry = Registry::load(&[layer], &paths).unwrap();
    let path = |key: &str| registry.get(key).unwrap().path.clone().unwrap();
    assert_eq!(path("a"), PathBuf::from("/conf/adapters/a.sh"));
    assert_eq!(path("b"), PathBuf::from("/home/ada/b.sh"));
    assert_eq!(path("c"), PathBuf::from("/abs/c.sh"));
    assert_eq!(registry.get("codex").unwrap().bin, Some("/conf/bin/codex".into()));
    assert_eq!(registry.get("claude").unwrap().bin, Some("claude-nightly".into()));
}

#[test]
fn pc_030_keys_are_overridden_one_by_one() {
    let first = overlay(json!({
        "alpha": {"kind": "script", "path": "a.sh", "agent_id": "al", "writer_agent_id": "alpha-w", "deadline": "30s",
                  "env": {"KEY": "value", "N": 1}, "supports": {"add_dir": true, "model": false}},
        "codex": {"model": "some-model", "args": ["-c", "key=value"]},
    }));
    let second = overlay(json!({"alpha": {"env": {"KEY": "other"}, "supports": {"model": true}}}));
    let registry = Registry::load(&[first, second], &SkillPaths::default()).unwrap();
    let alpha = registry.get("alpha").unwrap();
    assert_eq!((alpha.agent_id.as_str(), alpha.writer_agent_id.as_str()), ("al", "alpha-w"));
    assert_eq!((alpha.guard_agent.as_str(), alpha.peer_cmd.as_str()), ("al", "alpha-peer-adapter"));
    assert_eq!(alpha.deadline, Duration::from_secs(30));
    assert_eq!(alpha.env, [("N".into(), "1".into()), ("KEY".into(), "other".into())]);
    assert_eq!(alpha.supports, Supports { add_dir: true, model: true, session_id: false });
    let codex = registry.get("codex").unwrap();
    assert_eq!((codex.kind.clone(), codex.model.as_str()), (Kind::Native(Native::Codex), "some-model"));
    assert_eq!(codex.args, ["-c", "key=value"]);
    assert_eq!(registry.peer_keys(), ["kimi", "codex", "hermes", "claude", "gemini", "opencode", "alpha"]);
}

#[test]
fn pc_032_a_native_vendor_can_be_a_script() {
    let registry = load(json!({"claude": {"kind": "script", "path": "c.sh"}})).unwrap();
    let claude = registry.get("claude").unwrap();
    assert_eq!((claude.kind.clone(), claude.idle), (Kind::Script, None));
    assert_eq!(claude.agent_id, "claude-code-headless");
}

#[test]
fn pc_030_one_entry_adds_an_acp_vendor() {
    let entry = json!({"kind": "acp", "bin": "./agent", "args": ["acp"], "sandbox": "required", "state": ["~/.beta"]});
    let paths = SkillPaths { home: Some("/home/ada".into()), ..SkillPaths::default() };
    let registry = Registry::load(&[overlay(json!({"beta": entry}))], &paths).unwrap();
    let beta = registry.get("beta").unwrap();
    assert_eq!((beta.kind.clone(), beta.bin.clone()), (Kind::Acp, Some("/conf/agent".into())));
    assert_eq!((beta.retries, beta.sandbox), (1, Some(Sandbox::Required)));
    assert_eq!(beta.state, [PathBuf::from("/home/ada/.beta")]);
    assert_eq!(registry.get("codex").unwrap().retries, 1);
    let script = load(json!({"x": {"kind": "script", "path": "x.sh"}})).unwrap();
    assert_eq!((script.get("x").unwrap().retries, script.get("x").unwrap().sandbox), (0, None));
}

#[test]
fn pc_032_a_named_cli_wins_over_a_script_that_was_found() {
    let dir = tempfile::tempdir().unwrap();
    let paths = SkillPaths { template: Some(dir.path().into()), ..SkillPaths::default() };
    std::fs::create_dir(dir.path().join("scripts")).unwrap();
    std::fs::write(dir.path().join("scripts/hermes-peer-adapter.sh"), "").unwrap();
    let kind = |entry: Value| {
        Registry::load(&[overlay(json!({"hermes": entry}))], &paths)
            .unwrap()
            .get("hermes")
            .unwrap()
            .kind
            .clone()
    };
    assert_eq!(kind(json!({})), Kind::Script);
    assert_eq!(kind(json!({"bin": "hermes"})), Kind::Native(Native::Hermes));
    assert_eq!(kind(json!({"kind": "native"})), Kind::Native(Native::Hermes));
}

#[test]
fn pc_068_environment_replaces_the_default_deadline_only() {
    let paths = SkillPaths { timeout: Some("45".into()), ..SkillPaths::default() };
    let registry = Registry::load(&[overlay(json!({"codex": {"deadline": "5m"}}))], &paths).unwrap();
    assert_eq!(registry.get("kimi").unwrap().deadline, Duration::from_secs(45));
    assert_eq!(registry.get("codex").unwrap().deadline, Duration::from_secs(300));
    for bad in ["0", "-3", "soon", "1.5"] {
        let paths = SkillPaths { timeout: Some(bad.into()), ..SkillPaths::default() };
        let problems = Registry::load(&[], &paths).unwrap_err();
        assert_eq!(problems[0].key, "IWE_PEER_TIMEOUT_SECONDS", "{bad}");
    }
}

#[test]
fn pc_030_problems_name_file_key_and_next_step() {
    let text = message(json!({"alpha": {"kind": "script", "dead_line": "3s"}, "beta": {"kind": "scirpt"}}));
    assert!(
        text.contains("config.yaml: vendors.alpha.dead_line: there is no such key. Did you mean `deadline`?"),
        "{text}"
    );
    assert!(text.contains("vendors.beta.kind: `scirpt` is not a kind. Did you mean `script`?"), "{text}");
    assert!(message(json!({"x": {"deadline": "1s"}})).contains("vendors.x.kind: is missing"));
    assert!(message(json!({"x": {"kind": "native"}})).contains("only for the built-in vendors"));
    assert!(message(json!({"x": null})).contains("must be a mapping"));
    assert!(message(json!({"../x": {"kind": "script"}})).contains("a vendor's name"));
    assert!(message(json!({"codex": {"path": "c.sh"}})).contains("belongs to `kind: script`"));
    assert!(message(json!({"kimi": {"kind": "script", "bin": "kimi"}})).contains("a script has `path`"));
    assert!(message(json!({"x": {"kind": "rehearsal", "story": "three"}})).contains("vendors.x.role"));
    assert!(message(json!({"kimi": {"env": {"A=B": "1"}}})).contains("cannot be the name"));
    assert!(message(json!({"kimi": {"supports": {"adddir": true}}})).contains("Did you mean `add_dir`?"));
    assert!(message(json!({"kimi": {"agent_id": "a b"}})).contains("must be a name"));
    assert!(message(json!({"kimi": {"output_cap": 0}})).contains("above 0"));
    assert!(message(json!({"kimi": {"retries": 6}})).contains("from 0 to 5"));
    assert!(message(json!({"kimi": {"sandbox": "requird"}})).contains("Did you mean `required`?"));
    assert!(message(json!({"x": {"kind": "acp"}})).contains("vendors.x.bin: is missing"));
}

#[test]
fn pc_058_claude_never_gets_a_directory() {
    assert!(message(json!({"claude": {"supports": {"add_dir": true}}})).contains("prohibited"));
}

#[test]
fn skill_paths_follow_the_variables() {
    let vars = |name: &str| match name {
        "HOME" => Some("/h".to_string()),
        "IWE_GOVERNANCE_REPO" => Some("gov".into()),
        "IWE_TEMPLATE" => Some(String::new()),
        _ => None,
    };
    let paths = SkillPaths::from_env(vars);
    assert_eq!(paths.workspace, PathBuf::from("/h/IWE"));
    assert_eq!(paths.governance, PathBuf::from("/h/IWE/gov"));
    assert_eq!(paths.template, None);
}
