//! Hours of many sessions in a minute: each has a thread and a clock of its own, as in the engine, and the clock is
//! paused, so that a call of five minutes takes no time. Memory, threads and descriptors must not grow with the hours.
//!
//! The default suite runs half an hour of two sessions, `just soak` eight hours of eight (`FLIGHTDECK_SOAK`).

use flightdeck::agents::call::{CallFailure, Outcome, Progress, Reply};
use flightdeck::agents::registry::places::SkillPaths;
use flightdeck::agents::registry::{Overlay, Registry};
use flightdeck::agents::rehearsal::{self, Story};
use flightdeck::config::places::{Places, Why};
use flightdeck::domain::policy::{DecisionPolicy, Permit, Policy, ReflectionPolicy};
use flightdeck::domain::session::failure::Reason;
use flightdeck::domain::time::Stamp;
use flightdeck::engine::clock::Clock;
use flightdeck::engine::desk::{Caller, Desk};
use flightdeck::engine::opening::{
    self, Findings, NewSession, Opening, Participants, PeerChoice, WriterChoice,
};
use flightdeck::engine::run::{Finish, run};
use flightdeck::engine::wp::{Lookup, Plans};
use flightdeck::engine::{answer, begin};
use flightdeck::store::layout::Layout;
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const STORY: &str = "three";
/// What a participant prints while it thinks, in pieces.
const PIECE: usize = 4096;
const PIECES: usize = 200;

/// What the process holds.
#[derive(Debug, Clone, Copy)]
struct Held {
    kilobytes: u64,
    descriptors: usize,
    threads: u64,
}

impl Held {
    /// `None` where the system does not say.
    fn now() -> Option<Held> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let number = |key: &str| -> Option<u64> {
            let line = status.lines().find(|line| line.starts_with(key))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        let descriptors = fs::read_dir("/proc/self/fd").ok()?.count();
        Some(Held { kilobytes: number("VmRSS:")?, descriptors, threads: number("Threads:")? })
    }
}

fn caller(story: Arc<Story>, calls: Arc<AtomicU64>) -> Caller {
    Arc::new(move |vendor, call, progress, _| {
        let story = story.clone();
        calls.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            for _ in 0..PIECES {
                tokio::time::sleep(Duration::from_millis(1500)).await;
                progress(Progress::Text("word ".repeat(PIECE / 5)));
            }
            let failed = |code| {
                Outcome::Failed(CallFailure {
                    cause: Default::default(),
                    reason: Reason::Exit(code),
                    detail: "the story says so".into(),
                    stderr: "a line".into(),
                    elapsed: Duration::ZERO,
                })
            };
            let Some((line, turn)) = story.line(&vendor.key, call.purpose, call.round, call.attempt) else {
                return failed(1);
            };
            if line.exit != 0 {
                return failed(line.exit);
            }
            let values = [
                ("{turn}", turn.to_string()),
                ("{agent_id}", vendor.agent_id.clone()),
                ("{now}", "2026-08-24T10:00:00Z".to_string()),
                ("{session}", call.session.clone()),
            ];
            let text = values.iter().fold(line.say.clone(), |text, (name, value)| text.replace(name, value));
            Outcome::Reply(Reply { text, ..Reply::default() })
        })
    })
}

fn registry(story: &Story) -> Registry {
    let entry = |p: &rehearsal::Participant| {
        let value = serde_json::json!({
            "kind": "rehearsal", "story": STORY, "role": p.vendor, "agent_id": p.agent_id,
            "writer_agent_id": p.agent_id,
        });
        (p.vendor.clone(), value)
    };
    let vendors = story.participants().map(entry).collect();
    let overlay = Overlay { vendors, base: PathBuf::from("."), origin: "the story".into() };
    Registry::load(&[overlay], &SkillPaths::from_env(|_| None)).unwrap()
}

fn opening(story: &Story) -> Opening {
    let request = NewSession {
        task: story.task.clone(),
        model: None,
        wp: None,
        roles: None,
        turns_limit: story.limits.turns,
        rounds_limit: story.limits.rounds,
        max_peer_attempts: story.limits.attempts,
        lang: story.lang,
        yes: true,
    };
    let peers = story.peers.iter().map(|p| PeerChoice {
        vendor: p.vendor.clone(),
        agent_id: p.agent_id.clone(),
        peer_cmd: format!("{}-peer-adapter", p.vendor),
    });
    let writer =
        WriterChoice { vendor: story.writer.vendor.clone(), agent_id: story.writer.agent_id.clone() };
    let found = Findings { lookup: Lookup::NoPlan, class: None, personality: "unassigned".into() };
    let who = Participants { writer, peers: peers.collect(), problems: Vec::new() };
    opening::compose(&request, who, found).unwrap()
}

fn desk(layout: &Layout, story: &Story, caller: Caller) -> Desk {
    let places = Places {
        sessions: layout.sessions.clone(),
        why: Why::UserData,
        iwe: None,
        in_iwe: false,
        runtime_root: layout.runtime_root.clone(),
        state_dir: layout.runtime_root.clone(),
        config_files: Vec::new(),
    };
    Desk {
        asks_about_secrets: false,
        implementation: None,
        registry: Arc::new(registry(story)),
        caller,
        places: Arc::new(places),
        model: String::new(),
        plans: Arc::new(Plans::default()),
        roots: Vec::new(),
        peer_context_dir: false,
        russian_closing: None,
    }
}

fn policy() -> Policy {
    Policy {
        headless: true,
        decision: DecisionPolicy::Record,
        close_auto: true,
        reflection: ReflectionPolicy::Skip,
        commit: Permit::No,
        push: Permit::No,
        ..Policy::default()
    }
}

/// One session after the other until its clock says that the hours are over. `told` hears after each.
fn sit(layout: &Layout, hours: f64, calls: &Arc<AtomicU64>, told: &dyn Fn(Duration)) -> usize {
    let story = Arc::new(rehearsal::story(STORY).unwrap());
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let start = tokio::time::Instant::now();
        let clock = Clock::Tokio { base: Stamp::parse("2026-08-24T00:00:00Z").unwrap(), start };
        let mut closed = 0;
        while start.elapsed().as_secs_f64() < hours * 3600.0 {
            let desk = desk(layout, &story, caller(story.clone(), calls.clone()));
            let writer = desk.registry.get(&story.writer.vendor).cloned().unwrap();
            // A screen that takes everything.
            let (sender, mut updates) = tokio::sync::mpsc::unbounded_channel();
            let screen = tokio::spawn(async move { while updates.recv().await.is_some() {} });
            let mut runner =
                begin::begin(layout, &opening(&story), &writer, desk, policy(), clock, Some(sender)).unwrap();
            let (_commands, mut commands) = tokio::sync::mpsc::channel(1);
            let mut asked = HashMap::new();
            loop {
                match run(&mut runner, &mut commands).await {
                    Finish::Closed => break,
                    Finish::Waiting(questions) => {
                        let nth = asked.entry(questions[0].kind).or_insert(0);
                        let text = story.answer(questions[0].kind, *nth).unwrap().to_string();
                        *nth += 1;
                        answer::give(&mut runner, &questions[0].id, &text).unwrap();
                    }
                    other => panic!("{other:?}"),
                }
            }
            drop(runner);
            screen.await.unwrap();
            closed += 1;
            tokio::time::sleep(Duration::from_secs(120)).await;
            told(start.elapsed());
        }
        closed
    })
}

#[test]
fn hours_of_sessions_leave_memory_and_descriptors_as_they_were() {
    let asked = std::env::var("FLIGHTDECK_SOAK").ok().and_then(|hours| hours.parse::<f64>().ok());
    let (hours, seats) = asked.map_or((0.5, 2), |hours| (hours, 8));
    let root = crate::memory::folder();
    // The test harness may start and end other tests of this process meanwhile, but nextest and `just soak` do not.
    let calls = Arc::new(AtomicU64::new(0));
    let closed: usize = std::thread::scope(|scope| {
        let seats: Vec<_> = (0..seats)
            .map(|seat| {
                let layout = Layout::new(
                    root.path().join(format!("{seat}/sessions")),
                    root.path().join(format!("{seat}/runtime")),
                );
                let calls = &calls;
                scope.spawn(move || {
                    let mut samples: Vec<(Duration, Held)> = Vec::new();
                    let taken = std::cell::RefCell::new(&mut samples);
                    let closed = sit(&layout, hours, calls, &|at| {
                        if let Some(held) = Held::now() {
                            taken.borrow_mut().push((at, held));
                        }
                    });
                    if seat == 0 {
                        judge(&samples, hours);
                    }
                    closed
                })
            })
            .collect();
        seats.into_iter().map(|seat| seat.join().unwrap()).sum()
    });
    println!(
        "{seats} sessions at a time for {hours} h: {closed} closed, {} calls",
        calls.load(Ordering::Relaxed)
    );
    assert!(closed >= seats);
}

/// Growth from the first quarter on. What a process holds swings; what leaks only rises.
#[expect(clippy::print_stdout, reason = "the figures are what a soak is run for")]
fn judge(samples: &[(Duration, Held)], hours: f64) {
    for (at, held) in samples {
        println!("{:>5.1} h  {held:?}", at.as_secs_f64() / 3600.0);
    }
    if hours < 2.0 {
        return;
    }
    let quarter = &samples[samples.len() / 4..];
    let (half, rest) = quarter.split_at(quarter.len() / 2);
    let most = |part: &[(Duration, Held)], of: fn(&Held) -> u64| part.iter().map(|(_, held)| of(held)).max();
    let (before, after) = (most(half, |h| h.kilobytes).unwrap(), most(rest, |h| h.kilobytes).unwrap());
    assert!(after <= before + before / 10 + 4096, "memory grows: {before} kB, then {after} kB");
    let (before, after) = (most(half, |h| h.descriptors as u64), most(rest, |h| h.descriptors as u64));
    assert!(after <= before.map(|n| n + 4), "descriptors: {before:?}, then {after:?}");
    let (before, after) = (most(half, |h| h.threads), most(rest, |h| h.threads));
    assert!(after <= before.map(|n| n + 1), "threads: {before:?}, then {after:?}");
}
