//! The acceptance list for the other built-in adapters.

use super::*;

/// Key, what its CLI prints for `--version`, and a reply as its stream carries it. `TEXT` stands for the text.
const OTHERS: [(&str, &str, &str); 5] = [
    (
        "gemini",
        "0.61.0",
        r#"printf '%s\n' '{"type":"message","role":"assistant","content":"TEXT\n[end of reply]","delta":true}' '{"type":"result","status":"success","stats":{}}'"#,
    ),
    (
        "opencode",
        "1.18.33",
        r#"printf '%s\n' '{"type":"step_start","part":{}}' '{"type":"text","part":{"text":"TEXT"}}' '{"type":"step_finish","part":{"reason":"stop","tokens":{}}}'"#,
    ),
    (
        "kimi",
        "kimi, version 1.50.0",
        r#"printf '%s\n' '{"method":"event","params":{"type":"StepBegin"}}' '{"method":"event","params":{"type":"ContentPart","payload":{"type":"text","text":"TEXT\n[end of reply]"}}}' '{"id":"prompt","result":{"status":"finished"}}'"#,
    ),
    ("kimi", "2.1.0", r#"printf '%s\n' '{"role":"assistant","content":"TEXT\n[end of reply]"}'"#),
    ("hermes", "Hermes Agent v0.19.0", r#"printf -- '[begin of reply]\nTEXT\n[end of reply]\n'"#),
];

fn lab(version: &str, key: &str, script: &str) -> Lab {
    let versioned = format!(
        "if [ \"$1\" = --version ]; then echo '{version}'; rm -f \"$here/started\"; exit 0; fi\n{script}"
    );
    let mut lab = Lab::new(&versioned);
    lab.vendors[key] = json!({"kind": "native", "bin": "./cli", "state": ["."], "retries": 0});
    lab
}

fn says(stream: &str, text: &str) -> String {
    stream.replace("TEXT", text)
}

#[tokio::test]
async fn pc_075_a_a_long_prompt_arrives_or_is_refused_with_its_length() {
    let prompt: String = "тест \"$(x)\" \\ @/etc/hostname\r\n".chars().cycle().take(180_000).collect();
    for (key, version, stream) in OTHERS {
        let lab = lab(
            version,
            key,
            &format!("cat >\"$here/prompt\"\n{}", says(stream, "---\\nturn: 1\\n---\\nyes")),
        );
        let served = lab.call(key, &["-p"], &prompt).await;
        if matches!(key, "kimi" | "hermes") {
            assert_eq!((served.code, lab.was_started()), (1, false), "{key}");
            assert!(served.stderr.contains("180000 characters"), "{}", served.stderr);
        } else {
            assert_eq!(served.code, 0, "{key}: {}", served.stderr);
            assert!(lab.read("prompt").starts_with(&prompt), "{key}");
        }
    }
}

#[tokio::test]
async fn pc_075_d_f_banners_and_frontmatter() {
    for (key, version, stream) in OTHERS {
        let script = format!("echo 'update available' >&2\n{}", says(stream, "---\\nturn: 1\\n---\\nyes"));
        let served = lab(version, key, &script).call(key, &[], "hello").await;
        assert_eq!((served.code, served.stdout.trim_end()), (0, REPLY), "{version}: {}", served.stderr);
        assert!(served.stderr.contains("update available"));
        let bare = says(stream, "just yes");
        assert_eq!(lab(version, key, &bare).call(key, &[], "hello").await.code, 1, "{version}");
        let plain = lab(version, key, &bare).set("IWE_PEER_PLAIN", "1").call(key, &[], "hello").await;
        assert_eq!((plain.code, plain.stdout.trim_end()), (0, "just yes"), "{version}");
    }
}

#[tokio::test]
async fn pc_075_e_g_empty_output_and_codes() {
    for (key, version, stream) in OTHERS {
        let empty = lab(version, key, &says(stream, " \\n")).call(key, &[], "hello").await;
        assert_eq!((empty.code, empty.stdout.as_str()), (7, ""), "{version}: {}", empty.stderr);
        // kimi's wire ends with its answer, so its code says nothing.
        for code in [2, 7].into_iter().filter(|_| version != "kimi, version 1.50.0") {
            let script = format!("{}\nexit {code}", says(stream, "---\\nturn: 1\\n---\\nyes"));
            assert_eq!(lab(version, key, &script).call(key, &[], "hello").await.code, 1, "{version} {code}");
        }
        let nothing = lab(version, key, "exit 0").call(key, &[], "hello").await;
        assert!(matches!(nothing.code, 1 | 7), "{version}: {}", nothing.stderr);
    }
}

#[tokio::test]
async fn pc_075_h_k_timeouts_and_an_empty_folder_to_work_in() {
    for (key, version, stream) in OTHERS {
        let mut slow = lab(version, key, "echo $$ >\"$here/pid\"; trap '' TERM; while :; do sleep 0.1; done");
        slow.vendors[key]["deadline"] = "2s".into();
        let served = slow.call(key, &[], "hello").await;
        assert_eq!(served.code, 1);
        assert!(served.stderr.contains("no reply within 2 s"), "{}", served.stderr);
        let pid = slow.read("pid").trim().parse().unwrap();
        assert!(!tree::is_alive(tree::newborn(pid)), "{version}");
        // What `@name` in foreign text could name is not there.
        let script = format!("ls -A >\"$here/ls\"\n{}", says(stream, "---\\nturn: 1\\n---\\nyes"));
        let lab = lab(version, key, &script);
        assert_eq!(lab.call(key, &[], "mail me@leak.txt").await.code, 0, "{version}");
        assert_eq!(lab.read("ls"), "", "{version}");
    }
}

#[tokio::test]
async fn pc_066_kimi_reads_a_directory_within_its_tokens() {
    let source = tempfile::tempdir().unwrap();
    let dir = ["--add-dir", source.path().to_str().unwrap()];
    for version in ["kimi, version 1.50.0", "2.1.0"] {
        let mut lab = lab(version, "kimi", "");
        lab.around.copy_filter = Some(Arc::new(|_, _, tokens| Err((4, format!("at most {tokens:?}")))));
        let served = lab.call("kimi", &dir, "hello").await;
        assert!(served.code == 4 && served.stderr.contains("at most Some(130000)"), "{}", served.stderr);
        assert!(!lab.was_started());
    }
}
