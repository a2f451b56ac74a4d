//! What the pilot reads at the opening, in both languages.

use super::{NewSession, OpeningQuestion, Participants, PeerChoice};
use crate::domain::lang::Lang;
use crate::domain::question::{Choice, QuestionKind};
use crate::engine::wp::{Lookup, WpRow};

/// Who was found usable (PC-105).
pub fn peer_lines(peers: &[PeerChoice], lang: Lang) -> Vec<String> {
    let (one, many) = (lang.pick("Peer", "Напарник"), lang.pick("Peers", "Напарники"));
    match peers {
        [peer] => vec![format!("{one}: {} ({})", peer.vendor, peer.agent_id)],
        peers => {
            let list =
                peers.iter().enumerate().map(|(n, p)| format!("  {}. {} ({})", n + 1, p.vendor, p.agent_id));
            [format!("{many} ({}):", peers.len())].into_iter().chain(list).collect()
        }
    }
}

/// The announcement proper (PC-113). Limits are the real ones.
pub fn head_lines(request: &NewSession, task: &str, with: &Participants, lookup: &Lookup) -> Vec<String> {
    let lang = request.lang;
    let writer = capitalised(&with.writer.vendor);
    let peers: Vec<_> =
        with.peers.iter().map(|peer| format!("{} ({})", peer.vendor, peer.agent_id)).collect();
    let peers = peers.join(", ");
    let not_found = lang.pick("not found in plan", "не найден в плане");
    let titled = |row: &WpRow| match lang {
        Lang::En => format!("{} \"{}\"", row.id, row.title),
        Lang::Ru => format!("{} «{}»", row.id, row.title),
    };
    let wp = match lookup {
        Lookup::InPlan(row) => titled(row),
        Lookup::RegistryOnly(row) => format!("{} — {not_found}", titled(row)),
        Lookup::NotFound | Lookup::NoPlan => not_found.to_string(),
    };
    let (turns, rounds) = (request.turns_limit, request.rounds_limit);
    let method = match (with.peers.len(), lang) {
        (1, Lang::En) => format!("turn-loop ≤{turns} turns (PEER_COUNT==1)"),
        (1, Lang::Ru) => format!("turn-loop ≤{turns} ходов (PEER_COUNT==1)"),
        (_, Lang::En) => format!("round-loop ≤{rounds} rounds (PEER_COUNT>=2, WP-509)"),
        (_, Lang::Ru) => format!("round-loop ≤{rounds} раундов (PEER_COUNT>=2, WP-509)"),
    };
    match lang {
        Lang::En => vec![
            "Opening Peer Session (DP.SC.154)".to_string(),
            format!("Role: Writer ({writer}) | Peer(s): {peers}"),
            format!("Task: {task}"),
            format!("WP: {wp}"),
            format!("Method: {method}"),
        ],
        Lang::Ru => vec![
            "Открываю peer-сессию (DP.SC.154)".to_string(),
            format!("Роль: Писатель ({writer}) | Напарник(и): {peers}"),
            format!("Задача: {task}"),
            format!("РП: {wp}"),
            format!("Метод: {method}"),
        ],
    }
}

fn capitalised(vendor: &str) -> String {
    let mut chars = vendor.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// What must be answered before anything is created.
pub fn questions(task: &str, problems: &[String], lookup: &Lookup, lang: Lang) -> Vec<OpeningQuestion> {
    let vendors = problems.iter().map(|problem| OpeningQuestion {
        kind: QuestionKind::Vendor,
        text: problem.clone(),
        choices: vec![
            Choice::new("continue", lang.pick("continue with the rest", "продолжить с остальными")),
            Choice::new("abort", lang.pick("abort, nothing is created", "прервать, ничего не создаётся")),
        ],
    });
    let gate = gate(task, lookup, lang).map(|text| OpeningQuestion {
        kind: QuestionKind::WpGate,
        text,
        choices: vec![
            Choice::new("yes", lang.pick("open the session", "открыть сессию")),
            Choice::new("no", lang.pick("nothing is created", "ничего не создаётся")),
        ],
    });
    vendors.chain(gate).collect()
}

/// A task may be a question itself.
fn asked(text: String) -> String {
    if text.ends_with(['?', '.', '!']) { text } else { text + "?" }
}

/// The WP gate's text; `None` when the WP stands in the week plan (PC-112, PC-114, PC-115).
fn gate(task: &str, lookup: &Lookup, lang: Lang) -> Option<String> {
    let artifact = match (lookup, lang) {
        (Lookup::InPlan(_), _) => return None,
        (Lookup::NoPlan, Lang::En) => {
            return Some(asked(format!("No plan found. Open a session for this task: {task}")));
        }
        (Lookup::NoPlan, Lang::Ru) => {
            return Some(asked(format!("План не найден. Открыть сессию для задачи: {task}")));
        }
        (Lookup::RegistryOnly(row), Lang::En) => {
            format!("{} \"{}\" is in the registry, not in the week plan.", row.id, row.title)
        }
        (Lookup::RegistryOnly(row), Lang::Ru) => {
            format!("{} «{}» есть в реестре, но не в плане недели.", row.id, row.title)
        }
        (Lookup::NotFound, _) => lang
            .pick("No WP of the week plan fits this task.", "В плане недели нет РП для этой задачи.")
            .to_string(),
    };
    let ask = lang.pick(
        "Artifact of this session: a recorded decision (report.md). Open it outside of the plan? Only \"yes\" opens it.",
        "Артефакт сессии: записанное решение (report.md). Открыть вне плана? Открывает только «да».",
    );
    Some(match lang {
        Lang::En => format!("{artifact}\nTask: {task}\n{ask}"),
        Lang::Ru => format!("{artifact}\nЗадача: {task}\n{ask}"),
    })
}
