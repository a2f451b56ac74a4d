use super::*;
use crate::agents::registry::{Overlay, SkillPaths};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

struct Lab {
    dir: tempfile::TempDir,
    registry: Registry,
}

impl Lab {
    /// Adapters for kimi and hermes and the commands claude and codex; the command hermes is missing.
    fn new() -> Lab {
        let dir = tempfile::tempdir().unwrap();
        for file in ["kimi.sh", "hermes.sh", "bin/claude", "bin/codex"] {
            executable(&dir.path().join(file));
        }
        let Some(vendors) =
            json!({"kimi": {"path": "kimi.sh"}, "hermes": {"path": "hermes.sh"}}).as_object().cloned()
        else {
            panic!()
        };
        let overlay = Overlay { vendors, base: dir.path().into(), origin: "config.yaml".into() };
        let registry = Registry::load(&[overlay], &SkillPaths::default()).unwrap();
        Lab { dir, registry }
    }

    fn check(&self, list: &str, writer: &str) -> Checked {
        let vars = Vars::from_iter([("PATH", self.dir.path().join("bin"))]);
        let writer = self.registry.get(writer).unwrap();
        check(&parse_list(list).unwrap(), writer, &self.registry, &vars)
    }

    fn keys(&self, checked: &Checked) -> Vec<String> {
        checked.usable.iter().map(|v| v.key.clone()).collect()
    }
}

fn executable(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn pc_008_syntax_of_the_list() {
    assert_eq!(parse_list("kimi,codex"), Ok(vec!["kimi".into(), "codex".into()]));
    for bad in ["", ",", "kimi,", ",kimi", "kimi,,codex"] {
        assert_eq!(parse_list(bad), Err(ListError::EmptyElement), "{bad:?}");
    }
    for bad in ["kimi, codex", " kimi", "kimi\tcodex", "kimi\u{a0}"] {
        assert_eq!(parse_list(bad), Err(ListError::WhiteSpace), "{bad:?}");
    }
}

#[test]
fn pc_031_unknown_stops_on_the_element_only() {
    let lab = Lab::new();
    let checked = lab.check("kimi,foo,codex", "claude");
    assert_eq!(lab.keys(&checked), ["kimi", "codex"]);
    let [problem] = &checked.problems[..] else { panic!("{:?}", checked.problems) };
    assert_eq!(
        problem.text(Lang::En),
        "Peer `foo` is not registered. Known vendors: kimi, codex, hermes, claude, gemini, opencode."
    );
    assert_eq!(
        problem.text(Lang::Ru),
        "Напарник `foo` не зарегистрирован. Известные: kimi, codex, hermes, claude, gemini, opencode."
    );
    assert!(!problem.stops() && !checked.must_stop());
}

#[test]
fn amb_13_unknown_is_reported_before_the_duplicate() {
    let lab = Lab::new();
    let checked = lab.check("codex,foo,codex", "claude");
    assert!(matches!(&checked.problems[..], [Problem::Unknown { .. }, Problem::Duplicate { .. }]));
    assert!(checked.must_stop());
}

#[test]
fn pc_101_duplicates_are_refused() {
    let lab = Lab::new();
    let checked = lab.check("codex,codex", "claude");
    assert!(checked.must_stop());
    assert!(checked.problems[0].text(Lang::En).contains("`codex` is listed twice"));
}

#[test]
fn pc_034_writer_and_peer_need_distinct_agent_ids() {
    let lab = Lab::new();
    assert!(lab.check("codex", "codex").must_stop());
    assert!(matches!(lab.check("codex", "codex").problems[0], Problem::SameAgent { .. }));
    // Claude writes as claude-code and is called as claude-code-headless.
    let both = lab.check("claude", "claude");
    assert_eq!((lab.keys(&both), both.problems.len()), (vec!["claude".to_string()], 0));
}

#[test]
fn pc_102_and_103_unavailable_with_the_reason() {
    let lab = Lab::new();
    let checked = lab.check("hermes,kimi", "claude");
    assert_eq!(lab.keys(&checked), ["kimi"]);
    let text = checked.problems[0].text(Lang::En);
    assert!(text.contains("no CLI (the command `hermes` was not found)"), "{text}");
    executable(&lab.dir.path().join("bin/hermes"));
    assert!(lab.check("hermes,kimi", "claude").problems.is_empty());

    std::fs::set_permissions(lab.dir.path().join("kimi.sh"), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(
        lab.check("kimi", "claude").problems[0].text(Lang::En).contains("not executable: chmod +x"),
        "AMB-14"
    );
    std::fs::remove_file(lab.dir.path().join("kimi.sh")).unwrap();
    assert!(lab.check("kimi", "claude").problems[0].text(Lang::Ru).contains("нет адаптера"));
    std::fs::create_dir(lab.dir.path().join("kimi.sh")).unwrap();
    assert!(
        matches!(lab.check("kimi", "claude").problems[0], Problem::Unavailable { .. }),
        "a folder is no adapter"
    );
    std::fs::remove_file(lab.dir.path().join("bin/codex")).unwrap();
    assert!(lab.check("codex", "claude").problems[0].text(Lang::En).contains("CODEX_BIN"));
}

#[test]
fn pc_104_nobody_left_is_a_stop() {
    let lab = Lab::new();
    assert!(lab.check("foo,bar", "claude").must_stop());
    assert!(lab.check("pilot", "claude").must_stop(), "the pilot is no peer");
}

#[test]
fn pc_105_announcement() {
    let lab = Lab::new();
    let peers = lab.check("kimi,codex", "claude").usable;
    assert_eq!(announcement(&peers, Lang::En), "Peers (2):\n  1. kimi (kimi-headless)\n  2. codex (codex)");
    assert!(announcement(&peers, Lang::Ru).starts_with("Напарники (2):\n"));
    assert_eq!(announcement(&peers[..1], Lang::En), "Peer: kimi (kimi-headless)");
    assert_eq!(announcement(&peers[..1], Lang::Ru), "Напарник: kimi (kimi-headless)");
}
