//! What the writer is asked: its opening, its turns, and the structured answers the engine needs from it.
//!
//! All of these are plain calls (PC-252): the writer returns a body or YAML, the engine adds the frontmatter. The
//! answers in YAML are read by [`super::answers`].

use super::{Text, fill, one_line, text};
use crate::domain::lang::Lang;
use crate::store::yaml::quote;

const OPENING: Text = text!("writer-opening.txt");
const TURN: Text = text!("writer-turn.txt");
const TURN_MARKERS: Text = text!("writer-turn-markers.txt");
const ROUND_MARKERS: Text = text!("writer-round-markers.txt");
const AGAIN: Text = text!("writer-again.txt");
const SCOPE: Text = text!("writer-scope.txt");
const ROLES: Text = text!("writer-roles.txt");
const SUMMARY: Text = text!("writer-summary.txt");
const DISPUTE: Text = text!("writer-dispute.txt");
const JUDGE: Text = text!("writer-judge.txt");

/// One question to the writer.
#[derive(Debug, Clone, Copy)]
pub struct WriterPrompt<'a> {
    pub lang: Lang,
    pub session: &'a str,
    pub task: &'a str,
    /// The writer's name in files.
    pub writer: &'a str,
    /// Agent ids in vendor order.
    pub peers: &'a [String],
    /// PC-292. For the opening: the files that the task names, empty if there are none (AMB-37).
    pub projection: &'a str,
    /// What the pilot typed since the last writer call (PC-254), and answers to reserved decisions (PC-691).
    pub directions: &'a [String],
    pub ask: Ask<'a>,
}

/// What the writer is asked for.
#[derive(Debug, Clone, Copy)]
pub enum Ask<'a> {
    /// `00-writer.md` (PC-250). Roles that the pilot assigned, as in `meta.yaml` (agent id → roles); whoever is missing
    /// there gets a proposal (AMB-39).
    Opening { assigned: &'a [(String, Vec<String>)] },
    /// A turn of the turn-loop (PC-253).
    Turn { turn: u32, limit: u32 },
    /// A turn of the round-loop. `again` names the dissenting vendors when a CONSENSUS without a complete `accepts` is
    /// asked for once more (PC-406); empty the first time.
    Round { round: u32, limit: u32, holder: &'a str, again: &'a [String] },
    /// Settling the roles (PC-277). `proposed` as in `00-writer.md`, agent id → role.
    Roles { proposed: &'a [(String, String)] },
    /// The plain-language summary for the Decision Gate (PC-462).
    Summary { outcome: Outcome<'a> },
    /// Positions and reversibility after the last round (PC-424). Agent ids of the writer and all active peers.
    Dispute { voters: &'a [String] },
    /// Is the text next to a PASS free of objections (PC-402)?
    Judge { reply: &'a str },
}

/// How the discussion came to its end.
#[derive(Debug, Clone, Copy)]
pub enum Outcome<'a> {
    /// Who marked the consensus with which words, in `round_order` (PC-408).
    Consensus { payloads: &'a [(String, String)] },
    /// Everybody passed (PC-407).
    AllPassed,
    /// PC-422.
    Majority { position: &'a str, minority: &'a [String] },
}

/// The prompt as it goes to the adapter's stdin.
pub fn compose(prompt: &WriterPrompt) -> String {
    let lang = prompt.lang;
    let text = match &prompt.ask {
        Ask::Opening { assigned } => filled(
            prompt,
            &OPENING,
            &[
                ("context", &context(prompt)),
                ("roles", &opening_roles(prompt, assigned)),
                ("scope", SCOPE.of(lang).trim_end()),
            ],
        ),
        Ask::Turn { turn, limit } => {
            let position = position(lang.pick("Turn", "Ход"), lang, *turn, *limit);
            turn_prompt(prompt, &position, "", TURN_MARKERS.of(lang), "")
        }
        Ask::Round { round, limit, holder, again } => {
            let position = position(lang.pick("Round", "Раунд"), lang, *round, *limit);
            let label = lang.pick("Current write token holder", "Текущий держатель write token");
            let again = match again {
                [] => String::new(),
                names => format!("\n{}", fill(AGAIN.of(lang), &[("dissenters", &names.join(", "))])),
            };
            turn_prompt(prompt, &position, &format!("{label}: {holder}\n"), ROUND_MARKERS.of(lang), &again)
        }
        Ask::Roles { proposed } => filled(
            prompt,
            &ROLES,
            &[(
                "role_map",
                &role_map(prompt.peers, |agent| {
                    proposed.iter().find(|(a, _)| a == agent).map(|(_, role)| role.clone())
                }),
            )],
        ),
        Ask::Summary { outcome } => filled(prompt, &SUMMARY, &[("outcome", &outcome_text(lang, outcome))]),
        Ask::Dispute { voters } => filled(prompt, &DISPUTE, &[("voters", &voters.join(", "))]),
        Ask::Judge { reply } => filled(prompt, &JUDGE, &[("reply", reply.trim_end())]),
    };
    text.trim_end().to_string() + "\n"
}

/// Fills what every text may use and the values of its own.
fn filled(prompt: &WriterPrompt, template: &Text, own: &[(&str, &str)]) -> String {
    let (peers, direction) = (prompt.peers.join(", "), direction(prompt.lang, prompt.directions));
    let mut values = vec![
        ("session", prompt.session),
        ("task", prompt.task),
        ("writer", prompt.writer),
        ("peers", peers.as_str()),
        ("projection", prompt.projection.trim_end()),
        ("direction", direction.as_str()),
    ];
    values.extend_from_slice(own);
    fill(template.of(prompt.lang), &values)
}

fn turn_prompt(prompt: &WriterPrompt, position: &str, holder: &str, markers: &str, again: &str) -> String {
    let own = [
        ("position", position),
        ("holder", holder),
        ("scope", SCOPE.of(prompt.lang).trim_end()),
        ("markers", markers.trim_end()),
        ("again", again),
    ];
    filled(prompt, &TURN, &own)
}

fn position(label: &str, lang: Lang, n: u32, limit: u32) -> String {
    format!("{label}: {n} {} {limit}", lang.pick("of", "из"))
}

fn context(prompt: &WriterPrompt) -> String {
    match prompt.projection.trim() {
        "" => String::new(),
        text => {
            format!("\n{}\n{text}\n", prompt.lang.pick("What the task names:", "То, что названо в задаче:"))
        }
    }
}

/// The block of PC-254, empty without directions.
fn direction(lang: Lang, directions: &[String]) -> String {
    if directions.is_empty() {
        return String::new();
    }
    let head = lang.pick("Pilot direction:", "Направление пилота:");
    format!("\n{head}\n{}\n", directions.iter().map(|d| d.trim()).collect::<Vec<_>>().join("\n"))
}

/// `{"codex": "critic", "kimi": "<role_name>"}`: a known role stands in it, an open one is left to the writer.
fn role_map(peers: &[String], known: impl Fn(&str) -> Option<String>) -> String {
    let entry = |agent: &String| {
        let role = known(agent).unwrap_or_else(|| "<role_name>".into());
        format!("{}: {}", quote(agent), quote(&one_line(&role)))
    };
    format!("{{{}}}", prompt_list(peers, entry, ", "))
}

fn prompt_list<T>(items: &[T], entry: impl Fn(&T) -> String, between: &str) -> String {
    items.iter().map(entry).collect::<Vec<_>>().join(between)
}

fn opening_roles(prompt: &WriterPrompt, assigned: &[(String, Vec<String>)]) -> String {
    let lang = prompt.lang;
    let role_of = |agent: &str| {
        assigned.iter().find(|(a, roles)| a == agent && !roles.is_empty()).map(|(_, roles)| roles.join(", "))
    };
    let open = prompt.peers.iter().any(|agent| role_of(agent).is_none());
    let fixed = prompt_list(assigned, |(agent, roles)| format!("{agent} — {}", roles.join(", ")), "; ");
    if !open {
        return format!(
            "{}: {fixed}.",
            lang.pick("The pilot has assigned the roles; keep to them", "Роли назначил пилот; держись их")
        );
    }
    if prompt.peers.len() < 2 {
        return lang
            .pick(
                "Say which role you take and which role you propose to the peer, and why.",
                "Скажи, какую роль берёшь сам и какую предлагаешь напарнику, и почему.",
            )
            .to_string();
    }
    let ask = lang.pick(
        "Propose a substantive role to each peer separately, not one for the group, with a reason per peer. No agent gets a role R15-*: it belongs to the pilot.",
        "Предложи содержательную роль каждому напарнику отдельно, не одну на группу, с обоснованием на каждого. Роль R15-* не получает ни один агент: она закреплена за пилотом.",
    );
    let keep = lang.pick("These roles the pilot has fixed, keep them", "Эти роли закрепил пилот, сохрани их");
    let keep = if fixed.is_empty() { String::new() } else { format!(" {keep}: {fixed}.") };
    let begin = lang.pick(
        "Begin the reply with this frontmatter, one entry per peer:",
        "Начни реплику с этого frontmatter, по одной записи на напарника:",
    );
    let map = role_map(prompt.peers, role_of);
    format!(
        "{ask}{keep}\n{begin}\n---\nproposed_roles: {map}\nsuggested_initiator_role: \"<role_name>\"\n---"
    )
}

fn outcome_text(lang: Lang, outcome: &Outcome) -> String {
    match outcome {
        Outcome::AllPassed => lang
            .pick(
                "All participants passed without an objection: the agreement is the position of the last writer turn.",
                "Все участники промолчали без возражений: решение — позиция последней реплики писателя.",
            )
            .to_string(),
        Outcome::Majority { position, minority } => {
            let head = lang.pick("A majority decision was recorded", "Записано решение большинства");
            let against = lang.pick("The minority holds", "Меньшинство считает");
            let against = match minority {
                [] => String::new(),
                some => format!("\n{against}: {}", prompt_list(some, |m| one_line(m), "; ")),
            };
            format!("{head}: {}{against}", one_line(position))
        }
        Outcome::Consensus { payloads } => {
            let line = |(who, words): &(String, String)| format!("- {who}: {}", one_line(words));
            let lines = prompt_list(payloads, line, "\n");
            let head = lang.pick("The agreement in the words of the participants:", "Согласие словами участников:");
            let differ = payloads.windows(2).any(|pair| one_line(&pair[0].1) != one_line(&pair[1].1));
            let condense = lang.pick(
                "The wordings differ: begin `agreed` with one sentence of your own that covers them all; do not take one voice at random.",
                "Формулировки разошлись: начни `agreed` с одного своего предложения, которое сводит их все; не бери произвольно один голос.",
            );
            if differ { format!("{head}\n{lines}\n{condense}") } else { format!("{head}\n{lines}") }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::prompt::names;

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| s.to_string()).collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
    }

    fn say(lang: Lang, peers: &[&str], directions: &[&str], ask: Ask) -> String {
        let (peers, directions) = (strings(peers), strings(directions));
        compose(&WriterPrompt {
            lang,
            session: "2026-08-24-01-x",
            task: "Choose {{scope}} {} <task>",
            writer: "claude-code",
            peers: &peers,
            projection: "=== 00-writer.md ===\n{{task}}\n",
            directions: &directions,
            ask,
        })
    }

    #[test]
    fn pc_250_opening_of_one_peer() {
        let got = say(Lang::En, &["codex"], &[], Ask::Opening { assigned: &[] });
        assert!(got.contains("Do not retell the task: take a position and argue for it."), "{got}");
        assert!(got.contains("Task: Choose {{scope}} {} <task>\n"));
        assert!(got.contains("What the task names:\n=== 00-writer.md ===\n{{task}}\n\nWrite your opening"));
        assert!(!got.contains("proposed_roles"), "PC-270: no discovery with one peer");
        assert!(got.contains("which role you propose to the peer"));
    }

    #[test]
    fn pc_272_opening_of_more_peers_proposes_roles() {
        let got = say(Lang::En, &["codex", "hermes"], &[], Ask::Opening { assigned: &[] });
        let want = "---\nproposed_roles: {\"codex\": \"<role_name>\", \"hermes\": \"<role_name>\"}\nsuggested_initiator_role: \"<role_name>\"\n---\n";
        assert!(got.contains(want), "{got}");
        assert!(got.contains("R15-*"), "PC-692");
        let got = say(Lang::Ru, &["codex", "hermes"], &[], Ask::Opening { assigned: &[] });
        assert!(got.contains(want) && got.contains("каждому напарнику отдельно"), "{got}");
    }

    #[test]
    fn amb_39_roles_of_the_pilot_stay() {
        let some = [("codex".to_string(), strings(&["operations critic"]))];
        let got = say(Lang::En, &["codex", "hermes"], &[], Ask::Opening { assigned: &some });
        assert!(got.contains("{\"codex\": \"operations critic\", \"hermes\": \"<role_name>\"}"), "{got}");
        assert!(got.contains("These roles the pilot has fixed, keep them: codex — operations critic."));
        let got = say(Lang::En, &["codex"], &[], Ask::Opening { assigned: &some });
        assert!(
            got.contains("keep to them: codex — operations critic.") && !got.contains("proposed_roles"),
            "{got}"
        );
    }

    #[test]
    fn pc_691_the_scope_boundary_stands_in_opening_and_turns() {
        for lang in [Lang::En, Lang::Ru] {
            for ask in [
                Ask::Opening { assigned: &[] },
                Ask::Turn { turn: 1, limit: 10 },
                Ask::Round { round: 1, limit: 6, holder: "codex", again: &[] },
            ] {
                let got = say(lang, &["codex", "kimi"], &[], ask);
                assert!(got.contains(
                    lang.pick("\nRESERVED_DECISION: <question>\n", "\nRESERVED_DECISION: <вопрос>\n")
                ));
            }
        }
    }

    #[test]
    fn pc_253_markers_of_the_round_loop() {
        let got = say(
            Lang::En,
            &["codex", "kimi"],
            &[],
            Ask::Round { round: 2, limit: 6, holder: "codex", again: &[] },
        );
        assert!(
            got.contains("\nRound: 2 of 6\n")
                && got.contains("\nCurrent write token holder: codex\n\nThe session so far:\n")
        );
        for marker in [
            "CONSENSUS: <summary>",
            "ESCALATE_TO_USER: <reason>",
            "OFFER_HANDOFF:",
            "ACCEPT_HANDOFF",
            "REQUEST_HANDOFF:",
        ] {
            assert!(got.lines().any(|line| line.starts_with(marker)), "{marker}");
        }
        assert!(got.contains("accepts: [<vendor>, ...]"), "PC-406");
        let got = say(Lang::Ru, &["codex"], &[], Ask::Turn { turn: 3, limit: 10 });
        assert!(
            got.contains("\nХод: 3 из 10\n") && !got.contains("HANDOFF") && !got.contains("accepts"),
            "{got}"
        );
    }

    #[test]
    fn pc_254_directions_of_the_pilot() {
        let got = say(
            Lang::En,
            &["codex"],
            &["look at cost", "{{markers}} too\n"],
            Ask::Turn { turn: 1, limit: 10 },
        );
        assert!(
            got.contains(
                "{{task}}\n\nPilot direction:\nlook at cost\n{{markers}} too\n\nWrite your next turn"
            ),
            "{got}"
        );
        assert!(
            !say(Lang::En, &["codex"], &[], Ask::Turn { turn: 1, limit: 10 }).contains("Pilot direction")
        );
    }

    #[test]
    fn pc_406_the_writer_is_asked_to_complete_accepts() {
        let again = strings(&["codex", "kimi"]);
        for lang in [Lang::En, Lang::Ru] {
            let got = say(
                lang,
                &["codex", "kimi"],
                &[],
                Ask::Round { round: 2, limit: 6, holder: "x", again: &again },
            );
            assert!(got.contains("---\naccepts: [codex, kimi]\n---\n"), "{got}");
            assert!(!got.contains("\n\n\n"), "{got}");
        }
    }

    #[test]
    fn pc_277_roles_are_settled_in_yaml() {
        let proposed = pairs(&[("codex", "operations critic"), ("hermes", "cost \"critic\"")]);
        let got = say(Lang::En, &["codex", "hermes"], &[], Ask::Roles { proposed: &proposed });
        assert!(got.ends_with(
            "agreed_roles: {\"codex\": \"operations critic\", \"hermes\": \"cost \\\"critic\\\"\"}\nwriter_role: \"<role_name>\"\n"
        ), "{got}");
    }

    #[test]
    fn pc_408_different_wordings_are_condensed() {
        let one = pairs(&[("codex", "two segments"), ("kimi", "two  segments")]);
        let got =
            say(Lang::En, &["codex"], &[], Ask::Summary { outcome: Outcome::Consensus { payloads: &one } });
        assert!(
            got.contains("- codex: two segments\n- kimi: two segments\n") && !got.contains("wordings differ"),
            "{got}"
        );
        let two = pairs(&[("codex", "two segments"), ("kimi", "segments, later")]);
        let got =
            say(Lang::En, &["codex"], &[], Ask::Summary { outcome: Outcome::Consensus { payloads: &two } });
        assert!(got.contains("The wordings differ: begin `agreed` with one sentence"), "{got}");
        let minority = strings(&["keep it"]);
        let outcome = Outcome::Majority { position: "drop it", minority: &minority };
        let got = say(Lang::Ru, &["codex"], &[], Ask::Summary { outcome });
        assert!(
            got.contains("Записано решение большинства: drop it\nМеньшинство считает: keep it\n"),
            "{got}"
        );
    }

    #[test]
    fn pc_462_424_402_answers_in_yaml_name_their_keys() {
        for lang in [Lang::En, Lang::Ru] {
            let got = say(lang, &["codex"], &[], Ask::Summary { outcome: Outcome::AllPassed });
            for key in [
                "discussed: ",
                "agreed: ",
                "proposed: ",
                "hours: ",
                "impact: ",
                "defer: none | wp | archgate | context",
            ] {
                assert!(got.lines().any(|line| line.starts_with(key)), "{key} {got}");
            }
            let voters = strings(&["claude-code", "codex", "kimi-headless"]);
            let got = say(lang, &["codex"], &[], Ask::Dispute { voters: &voters });
            let want = "reversible: yes | no | disputed\nin_authority: yes | no | disputed\npositions:\n  - summary: ";
            assert!(got.contains(want) && got.contains(": claude-code, codex, kimi-headless\n"), "{got}");
            let got = say(lang, &["codex"], &[], Ask::Judge { reply: "PASS\nbut {{reply}}\n" });
            assert!(
                got.contains("===\nPASS\nbut {{reply}}\n===") && got.ends_with("\nclean: yes | no\n"),
                "{got}"
            );
        }
    }

    #[test]
    fn no_placeholder_is_left_and_both_languages_fill_the_same() {
        for text in [OPENING, TURN, TURN_MARKERS, ROUND_MARKERS, AGAIN, SCOPE, ROLES, SUMMARY, DISPUTE, JUDGE]
        {
            assert_eq!(names(text.en), names(text.ru));
        }
        let peers = strings(&["codex", "kimi"]);
        for lang in [Lang::En, Lang::Ru] {
            for ask in [
                Ask::Opening { assigned: &[] },
                Ask::Turn { turn: 1, limit: 2 },
                Ask::Round { round: 1, limit: 2, holder: "x", again: &peers },
                Ask::Roles { proposed: &[] },
                Ask::Summary { outcome: Outcome::AllPassed },
                Ask::Dispute { voters: &peers },
                Ask::Judge { reply: "r" },
            ] {
                let prompt = WriterPrompt {
                    lang,
                    session: "s",
                    task: "t",
                    writer: "w",
                    peers: &peers,
                    projection: "p",
                    directions: &peers,
                    ask,
                };
                let got = compose(&prompt);
                assert!(!got.contains("{{") && !got.contains("\n\n\n"), "{got}");
            }
        }
    }
}
