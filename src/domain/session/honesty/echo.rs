//! Did a peer think, or say the writer's text again?

use crate::domain::session::marker::{prose, without_markers};
use crate::domain::session::turn::Turn;
use std::collections::HashSet;

/// Words in a row that are compared. Fewer are phrases that everybody uses, and whole lines would miss a text that
/// was only wrapped anew.
const RUN: usize = 5;

/// Below this many words a reply is too short to repeat anything.
const LEAST: usize = 12;

/// Share of the reply's runs that the writer wrote before.
const MOSTLY: f64 = 0.6;

/// True when most of the reply stands in what the writer said before it. What it quotes with `>` does not count.
pub fn repeats(order: &[&Turn], reply: &Turn) -> bool {
    let said = words(reply.body());
    if said.len() < LEAST {
        return false;
    }
    let before = order.iter().take_while(|turn| turn.name != reply.name).filter(|turn| turn.name.is_writer());
    let writer: HashSet<Vec<String>> = before
        .flat_map(|turn| words(turn.body()).windows(RUN).map(<[String]>::to_vec).collect::<Vec<_>>())
        .collect();
    let runs = said.len() + 1 - RUN;
    let again = said.windows(RUN).filter(|run| writer.contains(*run)).count();
    again as f64 >= runs as f64 * MOSTLY
}

fn words(body: &str) -> Vec<String> {
    let body = without_markers(body);
    let lines = prose(&body).map(|(_, line)| line).filter(|line| !line.trim_start().starts_with('>'));
    lines
        .flat_map(|line| line.split(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
