use super::*;
use crate::agents::call::{Call, Cause, Outcome, Purpose};
use crate::agents::process::vars::Vars;
use crate::agents::registry::{Overlay, Registry, SkillPaths, Vendor};
use crate::agents::run::{Surroundings, run_in};
use crate::domain::session::failure::Reason;
use serde_json::{Value, json};
use std::future::pending;
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

mod broken;
mod turn;

/// A fake agent in sh. It notes every message it gets in `$here/got` and answers by method with what `answers` says;
/// `$id` is the id of the request, and `update` tells an update of the session.
const AGENT: &str = r#"
update() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":%s}}\n' "$1"; }
result() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
failed() { printf '{"jsonrpc":"2.0","id":%s,"error":%s}\n' "$id" "$1"; }
chunk() { update "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"$1\"}$2}"; }
echo 'a banner that is no message'
while IFS= read -r line; do
  printf '%s\n' "$line" >>"$here/got"
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
  case $line in
    *'"method":"initialize"'*) result '{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}' ;;
    *'"method":"session/new"'*) result '{"sessionId":"s-1"}' ;;
"#;

struct Lab {
    dir: tempfile::TempDir,
    entry: Value,
    told: Arc<Mutex<Vec<Progress>>>,
}

impl Lab {
    fn new(answers: &str) -> Lab {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("agent");
        let script = format!("#!/bin/sh\nhere={}\n{AGENT}{answers}\n  esac\ndone\n", dir.path().display());
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let entry = json!({"kind": "acp", "bin": "./agent", "retries": 0, "supports": {"session_id": true}});
        Lab { dir, entry, told: Arc::default() }
    }

    /// The agent says in `initialize` that this is its name.
    fn named(self, name: &str) -> Lab {
        let path = self.dir.path().join("agent");
        let script = std::fs::read_to_string(&path).unwrap();
        let said = format!(r#""agentInfo":{{"name":"{name}","version":"1.0"}},"agentCapabilities""#);
        std::fs::write(&path, script.replacen(r#""agentCapabilities""#, &said, 1)).unwrap();
        self
    }

    fn vendor(&self) -> Vendor {
        let mut vendors = serde_json::Map::new();
        vendors.insert("beta".into(), self.entry.clone());
        let overlay = Overlay { vendors, base: self.dir.path().into(), origin: "config.yaml".into() };
        Registry::load(&[overlay], &SkillPaths::default()).unwrap().get("beta").unwrap().clone()
    }

    async fn call(&self, conversation: Option<&str>) -> Outcome {
        self.call_with(conversation, None).await
    }

    async fn call_with(&self, conversation: Option<&str>, leave: Option<Leave>) -> Outcome {
        let call = Call {
            vendor: "beta".into(),
            purpose: Purpose::Peer,
            session: "2026-08-24-01-x".into(),
            round: 1,
            attempt: 1,
            prompt: "the prompt".into(),
            model: String::new(),
            add_dir: None,
            conversation: conversation.map(String::from),
            runtime: self.dir.path().join("runtime"),
            extra_env: Vec::new(),
            work: None,
            leave,
        };
        let env = Vars::real().filtered(|name| matches!(name, "PATH" | "HOME"));
        let told = self.told.clone();
        let progress = move |p: Progress| told.lock().unwrap().push(p);
        let around = Surroundings { env, ..Surroundings::default() };
        run_in(&around, &self.vendor(), call, progress, pending()).await
    }

    async fn reply(&self) -> crate::agents::call::Reply {
        match self.call(None).await {
            Outcome::Reply(reply) => reply,
            other => panic!("{other:?}"),
        }
    }

    async fn failure(&self) -> crate::agents::call::CallFailure {
        match self.call(None).await {
            Outcome::Failed(failure) => failure,
            other => panic!("{other:?}"),
        }
    }

    fn got(&self, method: &str) -> Value {
        let all = std::fs::read_to_string(self.dir.path().join("got")).unwrap_or_default();
        let messages = all.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        messages.into_iter().find(|m| m["method"] == method).unwrap_or_default()
    }

    fn notices(&self) -> String {
        let told = self.told.lock().unwrap();
        let texts =
            told.iter().filter_map(|p| if let Progress::Notice(n) = p { Some(n.as_str()) } else { None });
        texts.collect::<Vec<_>>().join("\n")
    }
}

const END: &str = r#"result '{"stopReason":"end_turn","usage":{"inputTokens":1200,"outputTokens":34,"cachedReadTokens":200,"totalTokens":1434}}'"#;

#[tokio::test]
async fn pc_030_any_agent_that_speaks_the_protocol_is_a_vendor() {
    let lab = Lab::new(&format!(
        r#"*'"method":"session/prompt"'*) chunk '---\nturn: 1\n' ; chunk '---\nyes' ; {END} ;;"#
    ));
    let reply = lab.reply().await;
    assert_eq!((reply.text.as_str(), reply.conversation.as_deref()), ("---\nturn: 1\n---\nyes", Some("s-1")));
    let usage = reply.usage.unwrap();
    assert_eq!((usage.input, usage.cached, usage.output), (Some(1200), Some(200), Some(34)));
    assert_eq!(usage.cost_usd, None, "unknown is never 0");
    let told = lab.told.lock().unwrap();
    assert!(told.contains(&Progress::Text("---\nyes".into())), "{told:?}");
    drop(told);
    // No files and no terminal of ours; an empty folder to work in; the prompt as it is.
    let hello = lab.got("initialize");
    let offered = hello["params"]["clientCapabilities"].to_string();
    assert!(!offered.contains("true"), "{offered}");
    assert!(lab.got("session/new")["params"]["cwd"].as_str().unwrap().ends_with("/scratch/beta/work"));
    assert_eq!(lab.got("session/new")["params"]["mcpServers"], json!([]));
    assert_eq!(lab.got("session/prompt")["params"]["prompt"][0]["text"], "the prompt");
}

#[tokio::test]
async fn warnings_are_no_part_of_the_reply() {
    let lab = Lab::new(&format!(
        r#"*'"method":"session/prompt"'*) chunk 'Warning: no metadata.' ; chunk '---\nturn: 1\n---\nyes' ',"messageId":"m-1"'
           chunk 'We are changing something' ',"messageId":"m-2","_meta":{{"claudeCode":{{"kind":"informational"}}}}' ; {END} ;;"#
    ));
    assert_eq!(lab.reply().await.text, "---\nturn: 1\n---\nyes");
    assert!(lab.notices().contains("We are changing something"), "{}", lab.notices());
}

/// Asks for leave before it replies.
fn asking() -> String {
    let options = r#"[{"optionId":"yes-always","name":"Always","kind":"allow_always"},{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]"#;
    let ask = format!(
        r#"{{"jsonrpc":"2.0","id":"p-1","method":"session/request_permission","params":{{"sessionId":"s-1","options":{options},"toolCall":{{"toolCallId":"t-1","title":"touch made-by-agent"}}}}}}"#
    );
    format!(
        r#"*'"method":"session/set_mode"'*) result '{{}}' ;;
           *'"method":"session/prompt"'*) prompt=$id; echo '{ask}' ;;
           *'"id":"p-1"'*) id=$prompt; chunk '---\nturn: 1\n---\nyes' ; {END} ;;"#
    )
}

#[tokio::test]
async fn pc_062_permissions_are_refused_by_kind() {
    let lab = Lab::new(&asking());
    // Who is asked by nobody's wish is not asked.
    let (leave, mut requests) = Leave::new();
    let Outcome::Reply(reply) = lab.call_with(None, Some(leave)).await else { panic!("no reply") };
    assert_eq!(reply.text, "---\nturn: 1\n---\nyes");
    assert!(requests.try_recv().is_err());
    assert_eq!(lab.reply().await.text, "---\nturn: 1\n---\nyes");
    let got = std::fs::read_to_string(lab.dir.path().join("got")).unwrap();
    assert!(got.contains(r#""optionId":"no""#) && !got.contains("yes-always"), "{got}");
    assert!(lab.notices().contains("refused a permission: touch made-by-agent"));
}

#[tokio::test]
async fn pc_062_the_pilots_choice_is_one_of_the_agents_options() {
    for (chosen, want, told) in [
        (Some(1), r#""optionId":"yes""#, "allowed by the pilot: touch made-by-agent"),
        (Some(2), r#""optionId":"no""#, "refused a permission: touch made-by-agent"),
        (Some(3), r#""optionId":"no""#, "refused a permission: touch made-by-agent"),
        (None, r#""optionId":"no""#, "refused a permission: touch made-by-agent"),
    ] {
        let mut lab = Lab::new(&asking());
        lab.entry["permissions"] = json!("ask");
        let (leave, mut requests) = Leave::new();
        let pilot = async {
            let asked = requests.recv().await.unwrap();
            let kinds: Vec<bool> = asked.request.offers.iter().map(|offer| offer.kind.allows()).collect();
            assert_eq!(
                (asked.request.title.as_str(), kinds),
                ("touch made-by-agent", vec![true, true, false])
            );
            asked.answer.send(chosen).unwrap();
        };
        let (outcome, ()) = tokio::join!(lab.call_with(None, Some(leave)), pilot);
        assert!(matches!(outcome, Outcome::Reply(_)), "{outcome:?}");
        let got = std::fs::read_to_string(lab.dir.path().join("got")).unwrap();
        assert!(got.contains(want), "{chosen:?}: {got}");
        assert!(lab.notices().contains(told), "{chosen:?}: {}", lab.notices());
        // Its tools stay, for it asks first; the prompt still sends no file.
        let options = &lab.got("session/new")["params"]["_meta"]["claudeCode"]["options"];
        assert_eq!(options["tools"], Value::Null);
        assert_eq!(options["settings"]["permissions"]["deny"], json!(["Read"]));
    }
}

#[tokio::test]
async fn pc_062_an_agent_that_asks_begins_in_the_mode_in_which_it_does() {
    let modes = r#"{"sessionId":"s-1","modes":{"currentModeId":"auto","availableModes":[{"id":"auto","name":"A"},{"id":"default","name":"D"}]}}"#;
    let prompt = format!(r#"*'"method":"session/prompt"'*) chunk '---\n---\nyes'; {END} ;;"#);
    let set = r#"*'"method":"session/set_mode"'*) result '{}' ;;"#;
    for (permissions, mode) in [("ask", json!("default")), ("refuse", Value::Null)] {
        let mut lab = Lab::new(&format!("{set} {prompt}"));
        let path = lab.dir.path().join("agent");
        let script =
            std::fs::read_to_string(&path).unwrap().replace(r#"{"sessionId":"s-1"}'"#, &format!("{modes}'"));
        std::fs::write(&path, script).unwrap();
        lab.entry["permissions"] = json!(permissions);
        let (leave, _requests) = Leave::new();
        assert!(matches!(lab.call_with(None, Some(leave)).await, Outcome::Reply(_)));
        assert_eq!(lab.got("session/set_mode")["params"]["modeId"], mode, "{permissions}");
    }
}

#[test]
fn pc_065_what_is_shown_of_a_request_is_masked_and_cut() {
    let token = format!("ghp_{}", "x9".repeat(18));
    let command = format!("curl -H {token} \u{1b}[2J\n{}", "true\n".repeat(40));
    let asked: RequestPermissionRequest = serde_json::from_value(json!({
        "sessionId": "s", "options": [{"optionId": "n", "name": "No\u{1b}[31m", "kind": "reject_once"}],
        "toolCall": {"toolCallId": "t", "title": format!("run {token}\nnow"), "kind": "execute",
            "rawInput": {"command": command}, "locations": [{"path": "/w/a"}]},
    }))
    .unwrap();
    let request = permission::request(&asked);
    let shown = format!("{request:?}");
    assert!(!shown.contains(&token) && !shown.contains("u{1b}"), "{shown}");
    assert_eq!((request.tool.as_str(), request.title.lines().count()), ("execute", 1));
    use crate::domain::session::permission::Detail;
    let lines = request.details.iter().filter(|d| matches!(d, Detail::Command(_))).count();
    assert_eq!((lines, request.details.first()), (30, Some(&Detail::Path("/w/a".into()))));
    assert!(matches!(request.details.last(), Some(Detail::More(n)) if *n > 0), "{shown}");
}

#[tokio::test]
async fn pc_061_an_earlier_conversation_is_loaded_and_not_repeated() {
    let lab = Lab::new(&format!(
        r#"*'"method":"session/load"'*) chunk 'old words'; result '{{}}' ;;
           *'"method":"session/prompt"'*) chunk '---\nturn: 2\n---\nyes' ; {END} ;;"#
    ));
    let Outcome::Reply(reply) = lab.call(Some("s-0")).await else { panic!("no reply") };
    assert_eq!((reply.text.as_str(), reply.conversation.as_deref()), ("---\nturn: 2\n---\nyes", Some("s-0")));
    assert!(!lab.told.lock().unwrap().contains(&Progress::Text("old words".into())), "it is not shown again");
    assert_eq!(lab.got("session/load")["params"]["sessionId"], "s-0");
    // An unknown one is an error and does not silently begin anew.
    let lab =
        Lab::new(r#"*'"method":"session/load"'*) failed '{"code":-32602,"message":"no such session"}' ;;"#);
    let Outcome::Failed(failure) = lab.call(Some("s-0")).await else { panic!("a reply") };
    assert!(failure.detail.contains("no such session"), "{}", failure.detail);
    for (answer, cause) in [
        // opencode's words, and hermes' way: no answer to the load, and a refusal of the prompt.
        (r#"failed '{"code":-32603,"message":"Internal error: service failure"}'"#, Cause::LostConversation),
        ("result null", Cause::LostConversation),
        (r#"failed '{"code":-32000,"message":"Authentication required"}'"#, Cause::Auth),
        (r#"failed '{"code":429,"message":"slow down"}'"#, Cause::RateLimit { reset: None }),
        ("result '{}'", Cause::LostConversation),
        // It is there, and the model does not want to answer.
        ("chunk 'old words'; result '{}'", Cause::Other),
    ] {
        let lab = Lab::new(&format!(
            r#"*'"method":"session/load"'*) {answer} ;;
               *'"method":"session/prompt"'*) result '{{"stopReason":"refusal"}}' ;;"#
        ));
        let Outcome::Failed(failure) = lab.call(Some("s-0")).await else { panic!("{answer}: a reply") };
        assert_eq!(failure.cause, cause, "{answer}: {}", failure.detail);
    }
    // No answer to the load is not the end: it was a valid one once.
    let lab = Lab::new(&format!(
        r#"*'"method":"session/load"'*) result null ;;
           *'"method":"session/prompt"'*) chunk '---\nturn: 2\n---\nyes' ; {END} ;;"#
    ));
    assert!(matches!(lab.call(Some("s-0")).await, Outcome::Reply(_)));
}

#[tokio::test]
async fn pc_059_every_end_has_its_class() {
    let prompt = |answer: &str| Lab::new(&format!(r#"*'"method":"session/prompt"'*) {answer} ;;"#));
    for (answer, want, cause, word) in [
        (
            r#"failed '{"code":-32000,"message":"Authentication required"}'"#,
            Reason::Exit(6),
            Cause::Auth,
            "log in",
        ),
        (r#"failed '{"code":401,"message":"bad key"}'"#, Reason::Exit(6), Cause::Auth, "bad key"),
        (
            r#"chunk 'HTTP 401: invalid api key'; result '{"stopReason":"end_turn"}'"#,
            Reason::Exit(6),
            Cause::Auth,
            "401",
        ),
        (
            r#"failed '{"code":-32603,"message":"rate limit reached, retry in 90s"}'"#,
            Reason::Exit(1),
            Cause::RateLimit {
                reset: Some(crate::agents::call::Reset::After(std::time::Duration::from_secs(90))),
            },
            "90 s",
        ),
        (r#"result '{"stopReason":"end_turn"}'"#, Reason::Exit(7), Cause::Other, "empty"),
        (r#"chunk 'x'; result '{"stopReason":"refusal"}'"#, Reason::Exit(1), Cause::Other, "refused"),
        (r#"chunk 'x'; result '{"stopReason":"max_tokens"}'"#, Reason::Exit(1), Cause::Other, "cut"),
        (
            r#"chunk 'no frontmatter'; result '{"stopReason":"end_turn"}'"#,
            Reason::Exit(1),
            Cause::Other,
            "frontmatter",
        ),
        // codex' agent ends a turn that failed like any other.
        (
            r#"update '{"sessionUpdate":"session_info_update","_meta":{"codex":{"threadStatus":{"type":"systemError"}}}}'; chunk 'last status: 429 Too Many Requests'; result '{"stopReason":"end_turn"}'"#,
            Reason::Exit(1),
            Cause::RateLimit { reset: None },
            "429",
        ),
        (
            r#"update '{"sessionUpdate":"session_info_update","_meta":{"codex":{"threadStatus":{"type":"idle"}}}}'; chunk 'Warning: no metadata'; result '{"stopReason":"end_turn"}'"#,
            Reason::Exit(7),
            Cause::Other,
            "empty",
        ),
        // It would wait for as long as the service asks for, and then try again.
        (
            r#"update '{"sessionUpdate":"session_info_update","_meta":{"codex":{"error":{"message":"Reconnecting... 1/5","additionalDetails":"last status: 429 Too Many Requests","willRetry":true}}}}'"#,
            Reason::Exit(1),
            Cause::RateLimit { reset: None },
            "429",
        ),
        ("echo 'it broke' >&2; exit 3", Reason::Exit(1), Cause::Other, "it broke"),
    ] {
        let failure = prompt(answer).failure().await;
        assert_eq!((&failure.reason, &failure.cause), (&want, &cause), "{answer}: {}", failure.detail);
        assert!(failure.detail.contains(word), "{answer}: {}", failure.detail);
    }
}

#[tokio::test]
async fn pc_051_an_agent_that_glues_pieces_together_is_asked_for_marks() {
    let answered = |chunks: &str| {
        let answers = format!(r#"*'"method":"session/prompt"'*) {chunks} ; {END} ;;"#);
        Lab::new(&answers).named("hermes-agent")
    };
    let whole =
        r"chunk '[begin of reply]\n---\nsta' ; chunk '[begin of reply]\n---\na: 1\n---\nyes\n[end of reply]'";
    let lab = answered(whole);
    assert_eq!(lab.reply().await.text, "---\na: 1\n---\nyes\n");
    let asked = lab.got("session/prompt")["params"]["prompt"][0]["text"].as_str().unwrap().to_string();
    assert!(asked.starts_with("the prompt\n") && asked.contains("[end of reply]"), "{asked}");
    for (chunks, want, cause) in [
        (r"chunk '[begin of reply]\n---\na: 1\n---\nhalf a wo'", Reason::Exit(1), Cause::Other),
        (r"chunk '---\na: 1\n---\nyes'", Reason::Exit(1), Cause::Other),
        ("chunk '⚠️ No reply: the model returned empty content'", Reason::Exit(7), Cause::Other),
        (
            "chunk 'API call failed after 1 retries: HTTP 429: slow down'",
            Reason::Exit(1),
            Cause::RateLimit { reset: None },
        ),
        ("chunk 'API call failed after 1 retries: HTTP 500: x'", Reason::Exit(1), Cause::Overload),
    ] {
        let failure = answered(chunks).failure().await;
        assert_eq!((&failure.reason, &failure.cause), (&want, &cause), "{chunks}: {}", failure.detail);
    }
    for (name, marked) in [("Kimi Code CLI", true), ("gemini-cli", true), ("OpenCode", false), ("x", false)] {
        let lab = Lab::new(&format!(r#"*'"method":"session/prompt"'*) chunk 'no' ; {END} ;;"#)).named(name);
        lab.failure().await;
        assert_eq!(lab.got("session/prompt").to_string().contains("[end of reply]"), marked, "{name}");
    }
}

#[tokio::test]
async fn pc_060_opencode_behind_acp_neither_asks_nor_waits_without_end() {
    // A message more with nothing done in between is another request to the model.
    let again = r#"*'"method":"session/prompt"'*) chunk '---\nsta' ',"messageId":"m-1"'; chunk '---\nsta' ',"messageId":"m-2"'; exec sleep 60 ;;"#;
    let failure = Lab::new(again).named("OpenCode").failure().await;
    assert_eq!((failure.reason, failure.cause), (Reason::Exit(1), Cause::Overload), "{}", failure.detail);
    let worked = format!(
        r#"*'"method":"session/prompt"'*) chunk 'I look. ' ',"messageId":"m-1"'
           update '{{"sessionUpdate":"tool_call","toolCallId":"t-1","title":"read"}}'
           chunk '---\na: 1\n---\nyes' ',"messageId":"m-2"'; {END} ;;"#
    );
    let reply = Lab::new(&worked).named("OpenCode").reply().await;
    assert_eq!(reply.text, "---\na: 1\n---\nyes", "its work was stopped");
    // It tells on stderr at once that it waits for the end of a limit, because it is told to.
    let waits = r#"*'"method":"session/prompt"'*)
        [ "$OPENCODE_PRINT_LOGS" = 1 ] && echo 'level=ERROR message="stream error" error.error="AI_APICallError: Rate limit reached"' >&2
        exec sleep 60 ;;"#;
    let failure = Lab::new(waits).named("OpenCode").failure().await;
    assert_eq!(failure.cause, Cause::RateLimit { reset: None }, "{}", failure.detail);
    // Where nothing at all is said, its log alone tells that it asks again and again.
    let silent = r#"*'"method":"session/prompt"'*)
        for step in 0 1 2 3 4 5; do
            [ "$OPENCODE_LOG_LEVEL" = INFO ] && echo "timestamp=2026-12-01T09:33:29.341Z level=INFO run=c1 message=loop session.id=s-1 step=$step" >&2
        done
        echo 'the last words' >&2
        exec sleep 60 ;;"#;
    let failure = Lab::new(silent).named("OpenCode").failure().await;
    assert_eq!((failure.reason, failure.cause), (Reason::Exit(1), Cause::Overload), "{}", failure.detail);
    assert!(!failure.stderr.contains("message=loop"), "{}", failure.stderr);
}

#[tokio::test]
async fn pc_062_an_agent_is_asked_for_a_session_without_tools() {
    let lab = Lab::new(
        r#"*'"method":"session/prompt"'*) chunk '---\n---\nyes'; result '{"stopReason":"end_turn"}' ;;"#,
    );
    lab.call(None).await;
    let meta = &lab.got("session/new")["params"]["_meta"];
    assert_eq!(meta["claudeCode"]["options"]["tools"], json!([]));
    assert_eq!(meta["claudeCode"]["options"]["promptSuggestions"], json!(false));
    assert_eq!(meta["claudeCode"]["options"]["settings"]["permissions"]["deny"], json!(["Read"]));
}

#[tokio::test]
async fn pc_068_an_agent_that_never_answers_is_ended() {
    let mut lab = Lab::new(r#"*'"method":"session/prompt"'*) echo $$ >"$here/pid"; exec sleep 60 ;;"#);
    lab.entry["deadline"] = json!("2s");
    assert_eq!(lab.failure().await.reason, Reason::Timeout);
    let pid = std::fs::read_to_string(lab.dir.path().join("pid")).unwrap();
    let seen = crate::agents::process::tree::newborn(pid.trim().parse().unwrap());
    assert!(!crate::agents::process::tree::is_alive(seen));
}

#[tokio::test]
async fn pc_068_an_agent_that_stays_after_its_reply_is_ended() {
    let stays = format!(
        r#"*'"method":"session/prompt"'*) chunk '---\n---\nyes' ; {END} ; echo $$ >"$here/pid"; exec sleep 600 ;;"#
    );
    let mut lab = Lab::new(&stays);
    lab.entry["deadline"] = json!("60s");
    assert_eq!(lab.reply().await.text, "---\n---\nyes");
    let pid = std::fs::read_to_string(lab.dir.path().join("pid")).unwrap();
    let seen = crate::agents::process::tree::newborn(pid.trim().parse().unwrap());
    assert!(!crate::agents::process::tree::is_alive(seen));
}

#[test]
fn lines_are_cut_where_they_end() {
    let (mut lines, mut incoming) = lines();
    for piece in ["{\"a\"", ":1}\n{\"b\":2}", "\nnoise\n \n{\"c\":\u{fffd}", "}\n{half"] {
        lines.feed(piece.as_bytes());
    }
    lines.close();
    let got: Vec<String> = std::iter::from_fn(|| incoming.try_recv().ok()).collect();
    assert_eq!(got, ["{\"a\":1}", "{\"b\":2}", "{\"c\":\u{fffd}}"]);
}

/// The model used 1000 tokens of input, 200 cached ones, and 34 of output, 5 of them thoughts (vendors.md, section 7).
#[test]
fn pc_051_a_turn_has_one_meaning_however_the_agent_counts() {
    for given in [
        json!({"inputTokens": 1000, "cachedReadTokens": 200, "outputTokens": 34, "thoughtTokens": 5, "totalTokens": 1234}),
        json!({"inputTokens": 1000, "cachedReadTokens": 200, "outputTokens": 29, "thoughtTokens": 5, "totalTokens": 1234}),
        json!({"inputTokens": 1200, "cachedReadTokens": 200, "outputTokens": 34, "thoughtTokens": 5, "totalTokens": 1234}),
        json!({"inputTokens": 1200, "cachedReadTokens": 200, "outputTokens": 29, "thoughtTokens": 5, "totalTokens": 1234}),
    ] {
        let given: agent_client_protocol::v1::schema::Usage = serde_json::from_value(given).unwrap();
        let usage = Collected::default().usage(std::slice::from_ref(&given)).unwrap();
        let counted = (usage.input, usage.cached, usage.output, usage.reasoning);
        assert_eq!(counted, (Some(1000), Some(200), Some(34), Some(5)), "{given:?}");
    }
}
