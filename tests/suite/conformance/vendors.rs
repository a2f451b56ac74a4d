//! The programs that the suite knows: where the install script put them, and how they are told of the model.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The name of the row, and of the vendor in the configuration unless `vendor` says otherwise.
    pub name: &'static str,
    /// The registry key.
    pub vendor: &'static str,
    /// The program in the folder of the install script.
    pub program: &'static str,
    pub is_acp: bool,
    /// Whether it tells tokens at all.
    pub has_usage: bool,
    /// Whether it can go on with a conversation of its own.
    pub is_sticky: bool,
    /// Tools that stay in a request and can do nothing.
    pub tools: usize,
    /// Agents to which no text-only mode is known: their requests carry tools, and permissions are refused.
    pub keeps_tools: bool,
    /// Agents that end a turn in which the model failed as an empty one, without a word.
    pub hides_errors: bool,
    /// Whether it can be called to edit files.
    pub edits: bool,
    /// How often its agent asks before it runs one command: opencode asks for the place first.
    pub requests: usize,
}

const fn native(name: &'static str, vendor: &'static str) -> Row {
    Row {
        name,
        vendor,
        program: name,
        is_acp: false,
        has_usage: true,
        is_sticky: true,
        tools: 0,
        keeps_tools: false,
        hides_errors: false,
        edits: false,
        requests: 1,
    }
}

const fn acp(name: &'static str, program: &'static str) -> Row {
    Row { is_acp: true, program, ..native(name, name) }
}

pub const ROWS: [Row; 13] = [
    Row { edits: true, ..native("claude", "claude") },
    Row { tools: 1, edits: true, ..native("codex", "codex") },
    native("opencode", "opencode"),
    native("gemini", "gemini"),
    Row { has_usage: false, ..native("kimi-code", "kimi") },
    native("kimi-cli", "kimi"),
    native("hermes", "hermes"),
    acp("claude-acp", "claude-acp"),
    Row { tools: 1, ..acp("codex-acp", "codex-acp") },
    Row { requests: 2, ..acp("opencode-acp", "opencode") },
    // What it tells by the way counts cached tokens as input and leaves reasoning out: no number of ours.
    // Its second process does not find the sessions of its first.
    Row { has_usage: false, is_sticky: false, ..acp("gemini-acp", "gemini") },
    Row { has_usage: false, keeps_tools: true, hides_errors: true, ..acp("kimi-code-acp", "kimi-code") },
    Row { keeps_tools: true, ..acp("hermes-acp", "hermes") },
];

impl Row {
    pub fn bin(&self, installed: &Path) -> PathBuf {
        installed.join("bin").join(self.program)
    }

    /// Its entry in the configuration, without what a case adds.
    pub fn entry(&self, bin: &Path, home: &Path, url: &str) -> Value {
        let mut entry = json!({"kind": if self.is_acp { "acp" } else { "native" }, "bin": bin, "retries": 0});
        let v1 = format!("{url}/v1");
        let more = match self.program {
            "claude" => {
                json!({"model": "sonnet", "env": {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-stub"}})
            }
            "claude-acp" => json!({"env": {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-stub",
                "ANTHROPIC_MODEL": "sonnet", "CLAUDE_CODE_MAX_RETRIES": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}}),
            "codex" => json!({"model": "stub-model", "args": codex_provider(&v1), "env": {
                "CODEX_HOME": home.join(".codex"), "CODEX_STUB_KEY": "sk-stub"}}),
            "codex-acp" => json!({"env": {"CODEX_HOME": home.join(".codex"), "CODEX_STUB_KEY": "sk-stub",
                "CODEX_CONFIG": codex_config(&v1).to_string(), "MODEL_PROVIDER": "stub", "NO_BROWSER": "1",
                "INITIAL_AGENT_MODE": "read-only"}}),
            "gemini" => json!({"model": "gemini-2.5-pro", "env": {"GEMINI_API_KEY": "stub",
                "GOOGLE_GEMINI_BASE_URL": url, "NO_BROWSER": "true"}}),
            "opencode" => json!({"model": "stub/stub-model", "env": {"OPENCODE_CONFIG_CONTENT":
                opencode_config(&v1).to_string(), "OPENCODE_DISABLE_MODELS_FETCH": "1"}}),
            "kimi-code" => json!({"model": "stub"}),
            _ => json!({}),
        };
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        if self.is_acp {
            let args: &[&str] = match self.program {
                "gemini" => &["--acp", "-m", "gemini-2.5-pro"],
                "opencode" | "kimi-code" | "hermes" => &["acp"],
                _ => &[],
            };
            entry["args"] = json!(args);
            entry.as_object_mut().unwrap().remove("model");
            if self.program == "gemini" {
                entry["env"]["GEMINI_CLI_NO_RELAUNCH"] = "true".into();
            }
        }
        entry
    }

    /// The settings of somebody who wants the agent to use tools, and to ask first.
    pub fn with_tools(&self, entry: &mut Value, home: &Path) {
        let changed = |entry: &mut Value, name: &str, change: &dyn Fn(&mut Value)| {
            let mut config: Value = serde_json::from_str(entry["env"][name].as_str().unwrap()).unwrap();
            change(&mut config);
            entry["env"][name] = config.to_string().into();
        };
        match self.program {
            "opencode" => changed(entry, "OPENCODE_CONFIG_CONTENT", &|config| {
                config["permission"] = json!({"bash": "ask"});
                config.as_object_mut().unwrap().remove("tools");
            }),
            "codex-acp" => {
                changed(entry, "CODEX_CONFIG", &|config| {
                    config["features"] = json!({"apps": false, "plugins": false, "hooks": false});
                });
            }
            "gemini" => {
                let path = home.join(".gemini/settings.json");
                let mut settings: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
                settings.as_object_mut().unwrap().remove("tools");
                std::fs::write(path, settings.to_string()).unwrap();
            }
            _ => {}
        }
    }

    /// Files that the CLI's user would have in the home.
    pub fn files(&self, url: &str) -> Vec<(&'static str, String)> {
        let v1 = format!("{url}/v1");
        match self.program {
            "codex" | "codex-acp" => vec![(".codex/.keep", String::new())],
            "kimi-code" => vec![(".kimi-code/config.toml", kimi_config(&v1, "max_attempts_per_step"))],
            "kimi-cli" => vec![(".kimi/config.toml", kimi_config(&v1, "max_retries_per_step"))],
            "hermes" => vec![(
                ".hermes/config.yaml",
                json!({"model": {"default": "stub-model", "provider": "custom", "base_url": v1, "api_key": "k",
                        "context_length": 128_000},
                    "agent": {"max_turns": 2, "api_max_retries": 1}, "compression": {"enabled": false},
                    "memory": {"memory_enabled": false, "user_profile_enabled": false},
                    "security": {"tirith_enabled": false}})
                .to_string(),
            )],
            "gemini" if self.is_acp => vec![(
                ".gemini/settings.json",
                json!({"security": {"auth": {"selectedType": "gemini-api-key"}},
                    "general": {"enableAutoUpdate": false, "maxAttempts": 1},
                    "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false},
                    "tools": {"core": []}, "context": {"includeDirectoryTree": false}})
                .to_string(),
            )],
            _ => Vec::new(),
        }
    }
}

fn codex_provider(v1: &str) -> Vec<String> {
    let settings = [
        r#"model_provider="stub""#.to_string(),
        r#"model_providers.stub.name="stub""#.into(),
        format!(r#"model_providers.stub.base_url="{v1}""#),
        r#"model_providers.stub.env_key="CODEX_STUB_KEY""#.into(),
        r#"model_providers.stub.wire_api="responses""#.into(),
        "model_providers.stub.request_max_retries=1".into(),
        "model_providers.stub.stream_max_retries=1".into(),
    ];
    settings.into_iter().flat_map(|setting| ["-c".to_string(), setting]).collect()
}

fn codex_config(v1: &str) -> Value {
    json!({"model": "stub-model", "model_provider": "stub", "web_search": "disabled",
        "model_providers": {"stub": {"name": "stub", "base_url": v1, "env_key": "CODEX_STUB_KEY",
            "wire_api": "responses", "request_max_retries": 1, "stream_max_retries": 1}},
        "features": {"shell_tool": false, "unified_exec": false, "view_image": false, "goals": false, "apps": false,
            "plugins": false, "hooks": false, "image_generation": false},
        "agents": {"enabled": false}, "skills": {"include_instructions": false}, "analytics": {"enabled": false}})
}

fn opencode_config(v1: &str) -> Value {
    json!({"enabled_providers": ["stub"], "model": "stub/stub-model", "small_model": "stub/stub-model",
        "autoupdate": false, "share": "disabled", "permission": {"*": "deny"}, "tools": {"*": false},
        "agent": {"title": {"disable": true}},
        "provider": {"stub": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": v1, "apiKey": "sk-stub"},
            "models": {"stub-model": {"limit": {"context": 128_000, "output": 8000},
                "cost": {"input": 1, "output": 2, "cache_read": 0.1}}}}}})
}

/// Both programs of that name read it; they call the number of tries differently.
fn kimi_config(v1: &str, tries: &str) -> String {
    format!(
        "default_model = \"stub\"\ndefault_thinking = false\ntelemetry = false\n[providers.stub]\ntype = \"kimi\"\n\
         base_url = \"{v1}\"\napi_key = \"sk-stub\"\n[models.stub]\nprovider = \"stub\"\nmodel = \"stub-model\"\n\
         max_context_size = 128000\n[loop_control]\n{tries} = 1\n"
    )
}
