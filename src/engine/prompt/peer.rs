//! What a peer is asked: a turn, a round, its role, and the same again after a reply that was not accepted.

use super::{Text, fill, names, one_line, scalar, text};
use crate::domain::lang::Lang;
use crate::domain::session::failure::Reason;

const TURN: Text = text!("turn.txt");
const TURN_MARKERS: Text = text!("turn-markers.txt");
const ROUND: Text = text!("round.txt");
const ROUND_MARKERS: Text = text!("round-markers.txt");
const DISCOVERY: Text = text!("discovery.txt");
const RETRY: Text = text!("retry.txt");

/// One question to one peer.
#[derive(Debug, Clone, Copy)]
pub struct PeerPrompt<'a> {
    pub lang: Lang,
    pub session: &'a str,
    pub task: &'a str,
    /// The name the peer has in files.
    pub agent_id: &'a str,
    /// PC-292; inserted as it is.
    pub projection: &'a str,
    pub ask: Ask<'a>,
    /// Why the last reply in this round did not count (PC-347), and what exactly was wrong.
    pub retry: Option<(&'a Reason, &'a str)>,
    /// A text of the pilot's own in place of ours; checked before with [`check_template`].
    pub template: Option<&'a str>,
}

/// What the peer is asked for.
#[derive(Debug, Clone, Copy)]
pub enum Ask<'a> {
    /// Turn-loop (PC-291). `turn` counts exchanges, `file_number` is the number of the file to come (AMB-33).
    Turn { turn: u32, limit: u32, file_number: u32 },
    /// Round-loop (PC-322). `content_role` is empty while none is agreed.
    Round { round: u32, limit: u32, holder: &'a str, content_role: &'a str },
    /// Role discovery, round 1 (PC-332). `clarification` is the pilot's answer to this peer (PC-275).
    Discovery { holder: &'a str, proposed_role: &'a str, clarification: Option<&'a str> },
}

/// The prompt as it goes to the adapter's stdin.
pub fn compose(prompt: &PeerPrompt) -> String {
    let lang = prompt.lang;
    let head = match &prompt.ask {
        Ask::Turn { turn, limit, file_number } => fill(
            prompt.template.unwrap_or(TURN.of(lang)),
            &with_common(
                prompt,
                &[
                    ("turn", &turn.to_string()),
                    ("limit", &limit.to_string()),
                    ("file_number", &file_number.to_string()),
                ],
            ),
        ),
        Ask::Round { round, limit, holder, content_role } => fill(
            prompt.template.unwrap_or(ROUND.of(lang)),
            &with_common(
                prompt,
                &[
                    ("round", &round.to_string()),
                    ("limit", &limit.to_string()),
                    ("holder", holder),
                    ("content_role", &role_line(lang, content_role)),
                ],
            ),
        ),
        Ask::Discovery { holder, proposed_role, clarification } => fill(
            prompt.template.unwrap_or(DISCOVERY.of(lang)),
            &with_common(
                prompt,
                &[
                    ("holder", holder),
                    ("proposed_role", &one_line(proposed_role)),
                    ("clarification", &clarified(lang, *clarification)),
                ],
            ),
        ),
    };
    let mut parts = Vec::new();
    if let Some((reason, detail)) = prompt.retry {
        parts.push(retry(prompt, reason, detail));
    }
    parts.push(head.trim_end().to_string());
    match prompt.ask {
        Ask::Turn { .. } => parts.push(TURN_MARKERS.of(lang).trim_end().to_string()),
        Ask::Round { .. } => parts.push(ROUND_MARKERS.of(lang).trim_end().to_string()),
        Ask::Discovery { .. } => {}
    }
    parts.join("\n\n") + "\n"
}

/// Which of the three texts a template of the pilot's own replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Template {
    Turn,
    Round,
    Discovery,
}

/// Checks a template of the pilot's own: it may say what it likes, but it uses only names that we fill in and keeps
/// those without which the peer would not know what to answer. The marker lines are ours and always follow (PC-291).
pub fn check_template(which: Template, template: &str) -> Result<(), String> {
    let ours = match which {
        Template::Turn => TURN.en,
        Template::Round => ROUND.en,
        Template::Discovery => DISCOVERY.en,
    };
    let (known, used) = (names(ours), names(template));
    if let Some(name) = used.iter().find(|name| !known.contains(name)) {
        return Err(format!("unknown placeholder {{{{{name}}}}}; known are: {}", known.join(", ")));
    }
    for name in ["task", "projection", "agent_id", "proposed_role", "clarification"] {
        if known.contains(&name) && !used.contains(&name) {
            return Err(format!(
                "the placeholder {{{{{name}}}}} is missing: the peer could not answer without it"
            ));
        }
    }
    Ok(())
}

fn with_common<'a>(prompt: &PeerPrompt<'a>, own: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut values = vec![
        ("session", prompt.session),
        ("task", prompt.task),
        ("agent_id", prompt.agent_id),
        ("projection", prompt.projection.trim_end()),
    ];
    values.extend_from_slice(own);
    values
}

fn role_line(lang: Lang, role: &str) -> String {
    if role.trim().is_empty() {
        lang.pick(
            "<agreed role or proposal if not yet agreed>",
            "<согласованная роль или предложение, если ещё не согласована>",
        )
        .to_string()
    } else {
        scalar(role)
    }
}

fn clarified(lang: Lang, answer: Option<&str>) -> String {
    let Some(answer) = answer.map(str::trim) else { return String::new() };
    let head =
        lang.pick("The pilot's answer to your clarification:", "Ответ пилота на твой запрос уточнения:");
    format!("\n\n{head}\n{answer}")
}

fn retry(prompt: &PeerPrompt, reason: &Reason, detail: &str) -> String {
    let of = prompt.lang.pick("of", "из");
    let position = match prompt.ask {
        Ask::Turn { turn, limit, .. } => format!("{turn} {of} {limit}"),
        Ask::Round { round, limit, .. } => format!("{round} {of} {limit}"),
        Ask::Discovery { .. } => "discovery 1".to_string(),
    };
    let detail = one_line(detail);
    let reason = if detail.is_empty() { reason.to_string() } else { format!("{reason} — {detail}") };
    fill(RETRY.of(prompt.lang), &[("reason", &reason), ("position", &position)]).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PC-291, letter by letter.
    const PC_291: &str = r#"You are a peer agent in a dialog session (DP.SC.154).
Session: <SESSION_ID>
Turn: <TURN> of <turns_limit>
Task: <task>

The context Projection below is the only source about the session. Do not read files or use tools:
<projection>

Write your reply to stdout with frontmatter:
---
turn: <file number>
role: peer
agent_id: <PEER_AGENT_ID>
timestamp: <ISO-8601 UTC>
consensus: none | proposed | reached | escalate
---

<Your response>

Critic rule: find AT LEAST ONE thesis or assumption from the writer that you disagree with. Do not yield after the first objection — hold your position with arguments. If everything is genuinely OK — explain specifically why, not just "I agree".

Markers (strictly at the start of a line):
CONSENSUS: <summary> — if you believe agreement has been reached
ESCALATE_TO_USER: <reason> — if the writer is ignoring a significant objection"#;

    /// PC-322, letter by letter.
    const PC_322: &str = r#"You are a peer agent in a dialog session (DP.SC.154, N>2 participants).
Session: <SESSION_ID>
Round: <ROUND> of <rounds_limit>
Task: <task>
Current write token holder: <holder agent id>

The context Projection below is the only source about the session. Do not read files or use tools:
<projection>

IMPORTANT: reply in stdout only. Do not use your file tools on any
file in this directory — this creates a race with stdout capture and corrupts the session log.

Write your reply to stdout with frontmatter:
---
turn: <ROUND>
role: peer
agent_id: <PEER_AGENT_ID>
content_role: <agreed role or proposal if not yet agreed>
process_position: peer
timestamp: <ISO-8601 UTC>
consensus: none | proposed | reached | escalate
---

<Your response>

Critic rule: find AT LEAST ONE thesis you disagree with — your own or another peer's.

Markers (strictly at the start of a line):
PASS — if you have nothing to add in this round (not an error, an explicit right to remain silent)
CONSENSUS: <summary> — if you agree with the outcome
ESCALATE_TO_USER: <reason> — if a significant objection has been ignored
OFFER_HANDOFF: <agent_id> — <reason> — if you want to offer your write token to another (only if you currently hold it)
ACCEPT_HANDOFF — if you accept an OFFER_HANDOFF directed at you
REQUEST_HANDOFF: <reason> — a non-binding request to the holder"#;

    /// PC-332, the part behind the head.
    const PC_332: &str = r#"Your only task in this round:
1. Read the opening position in the Projection.
2. Accept your proposed role "<role>", suggest a change, or ask the pilot for clarification.
3. Confirm explicitly that you reply in stdout only and perform no file operations in SESSION_DIR."#;

    /// The Russian seed, §3.1. Blank lines got lost in it, see [`squeezed`].
    const RU_3_1: &str = r#"Ты — напарник (peer agent) в диалоговой сессии (DP.SC.154).
Сессия: <SESSION_ID>
Ход: <TURN> из 10
Задача: <задача>
Контекстная проекция ниже — единственный источник о сессии. Не читай файлы и не используй инструменты:
<минимальная текстовая проекция предыдущих реплик и проверяемых фактов>
Напиши реплику в stdout с frontmatter:
---
turn: <TURN>
role: peer
agent_id: <PEER_AGENT_ID>
timestamp: <ISO-8601 UTC>
consensus: none | proposed | reached | escalate
---
<Твой ответ>
Правило критика: найди ХОТЯ БЫ ОДИН тезис или допущение писателя, с которым не согласен. Не сдавайся после первого возражения — держись аргументированно. Если всё действительно ОК — объясни почему конкретно, не просто «согласен».
Маркеры (строго в начале строки):
CONSENSUS: <резюме> — если считаешь что договорились
ESCALATE_TO_USER: <причина> — если писатель игнорирует существенное возражение"#;

    /// The Russian seed, §3р.1, without the sentence for the writer (AMB-46).
    const RU_3R_1: &str = r#"Ты — напарник (peer agent) в диалоговой сессии (DP.SC.154, N>2 участников).
Сессия: <SESSION_ID>
Раунд: <ROUND> из <rounds_limit>
Задача: <задача>
Текущий держатель write token: <WRITE_TOKEN_HOLDER>
ВАЖНО: ответ только в stdout. Не используй свои файловые инструменты ни для одного
файла в этой папке — это создаёт гонку с перехватом stdout и портит журнал сессии.
Напиши реплику в stdout с frontmatter:
---
turn: <ROUND>
role: peer
agent_id: <PEER_AGENT_ID>
content_role: <согласованная роль или предложение, если ещё не согласована>
process_position: peer
timestamp: <ISO-8601 UTC>
consensus: none | proposed | reached | escalate
---
<Твой ответ>
Правило критика: найди ХОТЯ БЫ ОДИН тезис, с которым не согласен — свой или другого напарника.
Маркеры (строго в начале строки):
PASS — если нечего добавить в этом раунде (не ошибка, явное право промолчать)
CONSENSUS: <резюме> — если согласен с итогом
ESCALATE_TO_USER: <причина> — если есть проигнорированное существенное возражение
OFFER_HANDOFF: <agent_id> — <причина> — если хочешь предложить свой write token другому (только если ты сейчас держатель)
ACCEPT_HANDOFF — если принимаешь предложенный тебе OFFER_HANDOFF
REQUEST_HANDOFF: <причина> — необязывающая просьба к держателю"#;

    const TASK: &str = "Choose <TURN> {{holder}} {} cache | yes";
    const PROJECTION: &str = "=== 00-writer.md (writer, claude-code) ===\n{{task}} <SESSION_ID> <reason>\n";

    fn base(lang: Lang, ask: Ask<'static>) -> PeerPrompt<'static> {
        PeerPrompt {
            lang,
            session: "2026-08-24-01-x",
            task: TASK,
            agent_id: "codex",
            projection: PROJECTION,
            ask,
            retry: None,
            template: None,
        }
    }

    fn turn() -> Ask<'static> {
        Ask::Turn { turn: 2, limit: 10, file_number: 3 }
    }

    fn round(content_role: &'static str) -> Ask<'static> {
        Ask::Round { round: 3, limit: 6, holder: "claude-code", content_role }
    }

    fn discovery(clarification: Option<&'static str>) -> Ask<'static> {
        Ask::Discovery { holder: "claude-code", proposed_role: "cost critic", clarification }
    }

    /// The seed page lost the blank lines of its blocks.
    fn squeezed(text: &str) -> String {
        text.lines().filter(|line| !line.trim().is_empty()).map(|line| format!("{line}\n")).collect()
    }

    /// Replaces the placeholders of the specification; the free texts last, because they hold such strings too.
    fn spec(text: &str, values: &[(&str, &str)]) -> String {
        let mut out = text.to_string();
        for (name, value) in values {
            assert!(out.contains(name), "{name}");
            out = out.replace(name, value);
        }
        out + "\n"
    }

    #[test]
    fn pc_291_turn_prompt_en() {
        let want = spec(
            PC_291,
            &[
                ("<SESSION_ID>", "2026-08-24-01-x"),
                ("<TURN>", "2"),
                ("<turns_limit>", "10"),
                ("<file number>", "3"),
                ("<PEER_AGENT_ID>", "codex"),
                ("<task>", TASK),
                ("<projection>", PROJECTION.trim_end()),
            ],
        );
        assert_eq!(compose(&base(Lang::En, turn())), want);
    }

    #[test]
    fn pc_291_turn_prompt_ru() {
        let want = spec(
            RU_3_1,
            &[
                ("<SESSION_ID>", "2026-08-24-01-x"),
                ("Ход: <TURN>", "Ход: 2"),
                ("turn: <TURN>", "turn: 3"),
                ("<PEER_AGENT_ID>", "codex"),
                ("<задача>", TASK),
                (
                    "<минимальная текстовая проекция предыдущих реплик и проверяемых фактов>",
                    PROJECTION.trim_end(),
                ),
            ],
        );
        assert_eq!(squeezed(&compose(&base(Lang::Ru, turn()))), squeezed(&want));
    }

    #[test]
    fn pc_322_round_prompt_en() {
        let values = |role| {
            [
                ("<SESSION_ID>", "2026-08-24-01-x"),
                ("<ROUND>", "3"),
                ("<rounds_limit>", "6"),
                ("<holder agent id>", "claude-code"),
                ("<PEER_AGENT_ID>", "codex"),
                ("<agreed role or proposal if not yet agreed>", role),
                ("<task>", TASK),
                ("<projection>", PROJECTION.trim_end()),
            ]
        };
        assert_eq!(compose(&base(Lang::En, round("cost critic"))), spec(PC_322, &values("cost critic")));
        let open = values("<agreed role or proposal if not yet agreed>");
        assert_eq!(compose(&base(Lang::En, round(" "))), spec(PC_322, &open));
    }

    #[test]
    fn pc_322_round_prompt_ru() {
        let want = spec(
            RU_3R_1,
            &[
                ("<SESSION_ID>", "2026-08-24-01-x"),
                ("<ROUND>", "3"),
                ("<rounds_limit>", "6"),
                ("<WRITE_TOKEN_HOLDER>", "claude-code"),
                ("<PEER_AGENT_ID>", "codex"),
                ("<согласованная роль или предложение, если ещё не согласована>", "критик цены"),
                ("<задача>", TASK),
            ],
        );
        let mut got = squeezed(&compose(&base(Lang::Ru, round("критик цены"))));
        let projection = format!(
            "Контекстная проекция ниже — единственный источник о сессии. Не читай файлы и не используй инструменты:\n{PROJECTION}"
        );
        assert!(got.contains(&projection));
        got = got.replace(&projection, "");
        assert_eq!(got, squeezed(&want));
    }

    #[test]
    fn pc_332_discovery_prompt() {
        let got = compose(&base(Lang::En, discovery(None)));
        let head = compose(&base(Lang::En, round("x"))).replace("Round: 3 of 6", "Round: discovery 1");
        let (head, _) = head.split_once("Write your reply").unwrap();
        let body = PC_332.replace("<role>", "cost critic");
        assert!(
            got.starts_with(&format!("{head}{body}\n\nWrite your reply to stdout with frontmatter:\n---\n")),
            "{got}"
        );
        let frontmatter = "---\nturn: 0\nrole: peer\nagent_id: codex\ncontent_role: <agreed/proposed role>\n\
            process_position: peer\ntimestamp: <ISO-8601 UTC>\nconsensus: none\nrole_accepted: true | false | clarify\n---\n";
        assert!(got.contains(frontmatter), "{got}");
        assert!(!got.contains("CONSENSUS:"), "markers are ignored in discovery (PC-376)");

        let got = compose(&base(Lang::Ru, discovery(None)));
        let head = compose(&base(Lang::Ru, round("x"))).replace("Раунд: 3 из 6", "Раунд: discovery 1");
        let (head, _) = head.split_once("Напиши реплику").unwrap();
        assert!(got.starts_with(head), "{got}");
        assert!(got.contains("role_accepted: true | false | clarify"));
        assert!(got.contains("ролью «cost critic»"));
    }

    #[test]
    fn pc_275_the_pilots_answer_is_added() {
        let got = compose(&base(Lang::En, discovery(Some(" storage only, {{task}}\n"))));
        let want = "file operations in SESSION_DIR.\n\nThe pilot's answer to your clarification:\nstorage only, {{task}}\n\nWrite";
        assert!(got.contains(want), "{got}");
        assert!(
            compose(&base(Lang::Ru, discovery(Some("да"))))
                .contains("Ответ пилота на твой запрос уточнения:\nда\n\nНапиши")
        );
    }

    #[test]
    fn pc_347_retry_comes_first() {
        let mut prompt = base(Lang::En, round("cost critic"));
        let normal = compose(&prompt);
        let reason = Reason::FactMismatch;
        prompt.retry = Some((&reason, "commit abc1234\nresolves nowhere"));
        let want = "Your previous reply in this round was not accepted.\n\
            Reason: fact_mismatch — commit abc1234 resolves nowhere\n\
            Round context: 3 of 6, task as below. Send the complete reply again.\n\n";
        assert_eq!(compose(&prompt), format!("{want}{normal}"));

        let mut prompt = base(Lang::Ru, discovery(None));
        let normal = compose(&prompt);
        prompt.retry = Some((&reason, ""));
        let want = "Твоя предыдущая реплика в этом раунде не принята.\nПричина: fact_mismatch\n\
            Контекст раунда: discovery 1, задача ниже. Пришли реплику целиком ещё раз.\n\n";
        assert_eq!(compose(&prompt), format!("{want}{normal}"));
    }

    #[test]
    fn pc_291_marker_lines_are_not_configurable() {
        let mut prompt = base(Lang::En, turn());
        prompt.template = Some("Reply as {{agent_id}} to {{task}}:\n{{projection}}\n");
        let got = compose(&prompt);
        assert!(got.starts_with("Reply as codex to Choose <TURN>"), "{got}");
        assert!(
            got.ends_with("ESCALATE_TO_USER: <reason> — if the writer is ignoring a significant objection\n")
        );
    }

    #[test]
    fn templates_of_the_pilots_own_are_checked() {
        assert!(check_template(Template::Turn, "{{agent_id}} {{task}} {{projection}}").is_ok());
        assert!(check_template(Template::Turn, "{{agent_id}} {{task}}").unwrap_err().contains("projection"));
        let unknown =
            check_template(Template::Round, "{{agent_id}} {{task}} {{projection}} {{turns}}").unwrap_err();
        assert!(unknown.contains("{{turns}}") && unknown.contains("holder"), "{unknown}");
        assert!(check_template(Template::Discovery, ROUND.en).is_err());
        for (which, text) in
            [(Template::Turn, TURN), (Template::Round, ROUND), (Template::Discovery, DISCOVERY)]
        {
            assert!(check_template(which, text.en).is_ok());
            assert!(check_template(which, text.ru).is_ok());
            assert_eq!(names(text.en), names(text.ru));
        }
    }

    #[test]
    fn no_placeholder_is_left() {
        for lang in [Lang::En, Lang::Ru] {
            for ask in [turn(), round("r"), round(""), discovery(None), discovery(Some("x"))] {
                let reason = Reason::OnTopic;
                let mut prompt = base(lang, ask);
                (prompt.task, prompt.projection, prompt.retry) = ("t", "p", Some((&reason, "d")));
                assert!(!compose(&prompt).contains("{{"));
            }
        }
    }
}
