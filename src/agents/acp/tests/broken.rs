//! Replies that broke off, and what the agent told of the next try.

use super::*;

/// Recorded with claude-agent-acp 0.101.0: a reply that broke off twice, and the rest of it under a third name.
#[tokio::test]
async fn pc_060_claude_behind_acp_does_not_pass_pieces_of_broken_replies_off_as_one() {
    let again = format!(
        r#"*'"method":"session/prompt"'*) chunk '---\nstatus: ' ',"messageId":"m-1"'; chunk '---\nstatus: ' ',"messageId":"m-2"'
           chunk 'ok\n---\nyes' ',"messageId":"m-3"'; {END} ;;"#
    );
    let name = "@agentclientprotocol/claude-agent-acp";
    let failure = Lab::new(&again).named(name).failure().await;
    assert_eq!((failure.reason, failure.cause), (Reason::Exit(1), Cause::Overload), "{}", failure.detail);
    let planned = format!(
        r#"*'"method":"session/prompt"'*) chunk 'I plan. ' ',"messageId":"m-1"'
           update '{{"sessionUpdate":"plan","entries":[]}}'
           chunk '---\na: 1\n---\nyes' ',"messageId":"m-2"'; {END} ;;"#
    );
    let reply = Lab::new(&planned).named(name).reply().await;
    assert_eq!(reply.text, "---\na: 1\n---\nyes", "its work was stopped");
}

/// Recorded with codex-acp 2.6.0, which says that it will try again.
#[tokio::test]
async fn pc_060_codex_behind_acp_does_not_pass_pieces_of_broken_replies_off_as_one() {
    let again = format!(
        r#"*'"method":"session/prompt"'*) chunk '---\nstatus: ' ',"messageId":"m-1"'
           update '{{"sessionUpdate":"session_info_update","_meta":{{"codex":{{"error":{{"message":"Reconnecting... 1/1","additionalDetails":"stream disconnected before completion","willRetry":true}}}}}}}}'
           chunk '---\na: 1\n---\n' ',"messageId":"m-2"'; chunk 'yes' ',"messageId":"m-2"'; {END} ;;"#
    );
    let lab = Lab::new(&again).named("codex-acp");
    assert_eq!(lab.reply().await.text, "---\na: 1\n---\nyes");
    assert!(lab.told.lock().unwrap().contains(&Progress::Restart), "what was shown is taken back");
}
