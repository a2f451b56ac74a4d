//! Turns in which the agent uses tools, or asks whether it may.

use super::*;
use crate::domain::session::permission::{Detail, Request};

const OPTIONS: &str = r#"[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]"#;

fn ask(tool: &str) -> String {
    format!(
        r#"echo '{{"jsonrpc":"2.0","id":"p-1","method":"session/request_permission","params":{{"sessionId":"s-1","options":{OPTIONS},"toolCall":{tool}}}}}'"#
    )
}

/// What opencode and codex do: the turn ends where leave was refused.
fn gives_up(reason: &str, times: u32) -> String {
    let ask = ask(r#"{"toolCallId":"t-1","title":"touch a"}"#);
    format!(
        r#"*'"method":"session/prompt"'*) n=$((n+1)); prompt=$id
             if [ $n -gt {times} ]; then chunk '---\na: 1\n---\nyes' ',"messageId":"m-2"'; {END}; else chunk 'I look around.' ',"messageId":"m-1"'; {ask}; fi ;;
           *'"id":"p-1"'*) id=$prompt; update '{{"sessionUpdate":"tool_call","toolCallId":"t-1","title":"touch a"}}'
             result '{{"stopReason":"{reason}","usage":{{"inputTokens":10,"outputTokens":1,"totalTokens":11}}}}' ;;"#
    )
}

#[tokio::test]
async fn pc_062_an_agent_that_gives_up_when_it_is_refused_is_asked_for_its_reply() {
    for reason in ["end_turn", "cancelled"] {
        let lab = Lab::new(&gives_up(reason, 2));
        let reply = lab.reply().await;
        assert_eq!(reply.text, "---\na: 1\n---\nyes", "{reason}");
        let usage = reply.usage.unwrap();
        assert_eq!((usage.input, usage.output), (Some(1220), Some(36)), "all three prompts are counted");
        let got = std::fs::read_to_string(lab.dir.path().join("got")).unwrap();
        assert_eq!(got.matches("use no tools").count(), 2, "{got}");
        assert_eq!(got.matches("the prompt").count(), 1, "the prompt is not sent again: {got}");
    }
}

#[tokio::test]
async fn pc_062_an_agent_that_asks_without_end_is_not_asked_without_end() {
    let lab = Lab::new(&gives_up("cancelled", 99));
    let failure = lab.failure().await;
    assert_eq!(failure.reason, Reason::Exit(1), "{}", failure.detail);
    let got = std::fs::read_to_string(lab.dir.path().join("got")).unwrap();
    assert_eq!(got.matches("session/prompt").count(), 4, "{got}");
}

/// A turn that was ended for another reason is not begun again.
#[tokio::test]
async fn pc_059_a_cancelled_turn_without_a_request_is_a_failure() {
    let lab = Lab::new(r#"*'"method":"session/prompt"'*) result '{"stopReason":"cancelled"}' ;;"#);
    assert!(lab.failure().await.detail.contains("cancelled the turn"));
    let got = std::fs::read_to_string(lab.dir.path().join("got")).unwrap();
    assert_eq!(got.matches("session/prompt").count(), 1, "{got}");
}

#[tokio::test]
async fn pc_051_what_is_said_between_tools_is_no_part_of_the_reply() {
    let tool = r#"update '{"sessionUpdate":"tool_call","toolCallId":"t-1","title":"read"}'"#;
    let lab = Lab::new(&format!(
        r#"*'"method":"session/prompt"'*) chunk 'I look. '; {tool}; chunk '---\na: 1\n'; chunk '---\nyes'; {END} ;;"#
    ));
    assert_eq!(lab.reply().await.text, "---\na: 1\n---\nyes");
    let told = lab.told.lock().unwrap().clone();
    let said = told.iter().position(|p| *p == Progress::Text("---\na: 1\n".into())).unwrap();
    assert_eq!(told[said - 1], Progress::Restart, "{told:?}");
    // Nothing is said after the last tool: the reply stands before it.
    let lab =
        Lab::new(&format!(r#"*'"method":"session/prompt"'*) chunk '---\na: 1\n---\nyes'; {tool}; {END} ;;"#));
    assert_eq!(lab.reply().await.text, "---\na: 1\n---\nyes");
}

/// The request as the pilot gets it, from an agent that told of the tool before.
async fn shown(before: &str, tool: &str) -> Request {
    let ask = ask(tool);
    let mut lab = Lab::new(&format!(
        r#"*'"method":"session/prompt"'*) prompt=$id; {before}; {ask} ;;
           *'"id":"p-1"'*) id=$prompt; chunk '---\na: 1\n---\nyes'; {END} ;;"#
    ));
    lab.entry["permissions"] = json!("ask");
    let (leave, mut requests) = Leave::new();
    let pilot = async {
        let asked = requests.recv().await.unwrap();
        asked.answer.send(Some(1)).unwrap();
        asked.request
    };
    let (outcome, request) = tokio::join!(lab.call_with(None, Some(leave)), pilot);
    assert!(matches!(outcome, Outcome::Reply(_)), "{outcome:?}");
    request
}

#[tokio::test]
async fn pc_062_what_was_told_of_a_tool_before_is_part_of_the_request() {
    // kimi-code names the tool in its request and cuts what it would do; the whole stood in an update before.
    let before = r#"update '{"sessionUpdate":"tool_call","toolCallId":"t-1","title":"Bash","kind":"execute","content":[{"type":"content","content":{"type":"text","text":"{\"command\":\"touch a; rm -rf b\"}"}}]}'"#;
    let cut = r#"{"toolCallId":"t-1","title":"Bash","content":[{"type":"content","content":{"type":"text","text":"Running: touch a; rm…"}}]}"#;
    let request = shown(before, cut).await;
    assert_eq!((request.tool.as_str(), request.title.as_str()), ("execute", "Bash"));
    assert_eq!(request.details, [Detail::Command("touch a; rm -rf b".into())]);
    // Another tool's command is not shown in its place, and a text that is no JSON is shown as it is.
    let other = cut.replace("t-1", "t-2");
    assert_eq!(shown(before, &other).await.details, [Detail::Input("Running: touch a; rm…".into())]);
    // What the request says itself counts.
    let own = r#"{"toolCallId":"t-1","title":"rm","rawInput":{"command":"rm c"}}"#;
    let request = shown(before, own).await;
    assert_eq!((request.title.as_str(), &request.details[..]), ("rm", &[Detail::Command("rm c".into())][..]));
}
