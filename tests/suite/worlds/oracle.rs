//! What the rules grant, written from their text (groups L to S) and from nothing else: no session, no files, no
//! markers, only the kinds of what was said.

use std::rc::Rc;

/// What comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    Peer {
        round: u32,
        peer: usize,
    },
    Judge {
        peer: usize,
    },
    Writer {
        round: u32,
        again: bool,
    },
    Escalation(usize),
    LimitEscalation(usize),
    Dispute,
    /// The Decision Gate, with how the loop ended.
    Gate(Class),
    /// The report without a gate.
    Draft(Class),
    Participants,
    PeerRetry,
    WriterRetry,
    Interrupted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    Agreed,
    Partial,
    AgreedByMajority,
    PartialByMajority,
    Escalated,
    NotAgreed,
}

/// What is written down about skips, attempts, failures and escalations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Books {
    /// Sorted.
    pub skips: Vec<(u32, usize)>,
    pub attempts: Vec<u32>,
    /// Sorted.
    pub failed: Vec<usize>,
    pub failures: Vec<(u32, usize, String)>,
    /// The file that each escalation names.
    pub escalations: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stance {
    Agrees,
    Passes,
    /// A PASS that a judge calls clean or not.
    Doubtful {
        clean: bool,
    },
    Dissents,
}

/// A peer's reply as the rules see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    Valid(Reply),
    /// Not valid in the round-loop, for this reason.
    Invalid(String),
    /// No reply at all.
    Nothing(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reply {
    stance: Stance,
    escalates: bool,
    offers: bool,
    accepts: bool,
}

impl Said {
    fn valid(stance: Stance, escalates: bool) -> Said {
        Said::Valid(Reply { stance, escalates, offers: false, accepts: false })
    }

    pub fn agrees() -> Said {
        Said::valid(Stance::Agrees, false)
    }

    pub fn passes() -> Said {
        Said::valid(Stance::Passes, false)
    }

    pub fn doubtful(clean: bool) -> Said {
        Said::valid(Stance::Doubtful { clean }, false)
    }

    pub fn dissents() -> Said {
        Said::valid(Stance::Dissents, false)
    }

    /// Whatever else it says: a reply that asks the pilot to decide settles nothing (AMB-43).
    pub fn escalates() -> Said {
        Said::valid(Stance::Dissents, true)
    }

    pub fn offering(self) -> Said {
        self.with(|r| r.offers = true)
    }

    pub fn accepting(self) -> Said {
        self.with(|r| r.accepts = true)
    }

    fn with(mut self, change: impl FnOnce(&mut Reply)) -> Said {
        if let Said::Valid(reply) = &mut self {
            change(reply);
        }
        self
    }
}

/// A writer's turn as the rules see it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Wrote {
    /// `CONSENSUS:` with the peers that `accepts` names.
    claims: Option<Vec<usize>>,
    escalates: bool,
    offers: Option<usize>,
    accepts: bool,
}

impl Wrote {
    pub fn claiming(self, accepts: &[usize]) -> Wrote {
        Wrote { claims: Some(accepts.to_vec()), ..self }
    }

    pub fn escalating(self) -> Wrote {
        Wrote { escalates: true, ..self }
    }

    pub fn offering(self, peer: usize) -> Wrote {
        Wrote { offers: Some(peer), ..self }
    }

    pub fn accepting(self) -> Wrote {
        Wrote { accepts: true, ..self }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stage {
    Peer(usize),
    Judge(usize),
    Escalation,
    Writer { again: bool },
    Dispute,
    LimitEscalation,
    Gate(Class),
    Draft(Class),
    Participants,
    PeerRetry,
    WriterRetry,
    Interrupted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Seat {
    Writer,
    Peer(usize),
}

/// What one peer came to in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Mark {
    Silent,
    Replied { stance: Stance, escalates: bool },
}

impl Mark {
    fn before(self) -> Before {
        match self {
            Mark::Silent => Before::Silent,
            Mark::Replied { stance: Stance::Agrees | Stance::Passes, .. } => Before::Assented,
            Mark::Replied { .. } => Before::Dissented,
        }
    }
}

/// What one peer came to in the round before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Before {
    Silent,
    Assented,
    Dissented,
}

/// Everything the rules look at from here on, and more: which kinds exactly were said in this round, and what each
/// peer came to in the round before.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Position {
    stage: Stage,
    round: u32,
    attempts: Vec<u32>,
    failed: Vec<usize>,
    skipped: Vec<usize>,
    marks: Vec<Mark>,
    judged: Vec<bool>,
    exact: Vec<u8>,
    before: Vec<Before>,
    holder: Seat,
    offered: Option<Seat>,
    wrote: Option<Wrote>,
    raised: usize,
    tries: (u32, u32),
}

#[derive(Debug, Clone)]
pub struct Oracle {
    peers: usize,
    max_attempts: u32,
    limit: u32,
    round: u32,
    stage: Stage,
    books: Books,
    /// Valid replies of this round.
    replies: Vec<Option<Reply>>,
    judged: Vec<bool>,
    /// The caller's numbers of the kinds that were said in this round.
    exact: Vec<u8>,
    before: Vec<Before>,
    /// Three peers: what was said in the round before is not told apart.
    forgets: bool,
    holder: Seat,
    offered: Option<Seat>,
    handoffs: usize,
    wrote: Option<Wrote>,
    /// Escalating replies of this round that have their file already.
    raised: usize,
    /// Failed calls of the peer (turn-loop) and of the writer that were repeated.
    tries: (u32, u32),
    story: Story,
}

/// What happened so far, shared between the worlds that began alike.
#[derive(Debug, Clone, Default)]
struct Story(Option<Rc<(String, Story)>>);

impl Oracle {
    pub fn new(peers: usize, max_attempts: u32, limit: u32) -> Oracle {
        Oracle {
            peers,
            max_attempts,
            limit,
            round: 1,
            stage: Stage::Peer(0),
            books: Books { attempts: vec![0; peers], ..Books::default() },
            replies: vec![None; peers],
            judged: vec![false; peers],
            exact: vec![0; peers],
            before: vec![Before::Silent; peers],
            forgets: peers > 2,
            holder: Seat::Writer,
            offered: None,
            handoffs: 0,
            wrote: None,
            raised: 0,
            tries: (0, 0),
            story: Story::default(),
        }
    }

    pub fn next(&self) -> Next {
        let last = self.books.escalations.len().saturating_sub(1);
        match self.stage {
            Stage::Peer(peer) => Next::Peer { round: self.round, peer },
            Stage::Judge(peer) => Next::Judge { peer },
            Stage::Escalation => Next::Escalation(last),
            Stage::Writer { again } => Next::Writer { round: self.round, again },
            Stage::Dispute => Next::Dispute,
            Stage::LimitEscalation => Next::LimitEscalation(last),
            Stage::Gate(class) => Next::Gate(class),
            Stage::Draft(class) => Next::Draft(class),
            Stage::Participants => Next::Participants,
            Stage::PeerRetry => Next::PeerRetry,
            Stage::WriterRetry => Next::WriterRetry,
            Stage::Interrupted => Next::Interrupted,
        }
    }

    pub fn books(&self) -> Books {
        let mut books = self.books.clone();
        books.skips.sort_unstable();
        books.failed.sort_unstable();
        books
    }

    /// The holder's peer, `None` for the writer, and how often the token moved.
    pub fn token(&self) -> (Option<usize>, usize) {
        let holder = match self.holder {
            Seat::Writer => None,
            Seat::Peer(peer) => Some(peer),
        };
        (holder, self.handoffs)
    }

    pub fn round(&self) -> u32 {
        self.round
    }

    pub fn story(&self) -> String {
        let (mut lines, mut at) = (Vec::new(), &self.story);
        while let Some(node) = &at.0 {
            lines.push(node.0.as_str());
            at = &node.1;
        }
        lines.reverse();
        format!("{} peers, {} attempts\n  {}", self.peers, self.max_attempts, lines.join("\n  "))
    }

    pub fn position(&self) -> Position {
        let mut failed = self.books.failed.clone();
        failed.sort_unstable();
        Position {
            stage: self.stage,
            round: self.round,
            attempts: self.books.attempts.clone(),
            failed,
            skipped: (0..self.peers).filter(|p| self.skipped(*p)).collect(),
            marks: self.marks(),
            judged: self.judged.clone(),
            exact: self.exact(),
            before: self.before.clone(),
            holder: self.holder,
            offered: self.offered,
            wrote: self.wrote.clone(),
            raised: self.raised,
            tries: self.tries,
        }
    }

    /// The kinds of the running round are told apart until its peers are through, in the first round to its end.
    fn exact(&self) -> Vec<u8> {
        let peers_speak = self.wrote.is_none()
            && matches!(self.stage, Stage::Peer(_) | Stage::Judge(_) | Stage::Escalation);
        let first = self.round == 1 && !self.forgets && self.stage != Stage::Dispute;
        if peers_speak || first { self.exact.clone() } else { Vec::new() }
    }

    /// The turn-loop's last exchange: an answer to an escalation ends the loop (T14).
    pub fn ends_with_answer(&self) -> bool {
        self.turn_loop() && self.wrote.is_none() && self.round >= self.limit
    }

    /// What the judge says of the reply that waits for it.
    pub fn verdict(&self) -> bool {
        let Stage::Judge(peer) = self.stage else { return false };
        self.replies[peer].is_some_and(|r| r.stance == Stance::Doubtful { clean: true })
    }

    pub fn may_fail(&self) -> bool {
        self.tries.1 == 0
    }

    pub fn may_retry(&self) -> bool {
        self.tries.0 == 0
    }

    // What happens.

    /// `kind` is the caller's number of what was said.
    pub fn replied(&mut self, said: Said, kind: u8) {
        let Stage::Peer(peer) = self.stage else { panic!("no peer was asked") };
        self.tell(format!("round {}, peer {peer}: {said:?}", self.round));
        if matches!(said, Said::Valid(_)) {
            self.exact[peer] = kind;
        }
        if self.turn_loop() {
            return self.exchanged(said);
        }
        match said {
            Said::Nothing(reason) => {
                // PC-350: no retry in this round.
                self.books.skips.push((self.round, peer));
                self.unsuccessful(peer, reason);
                self.ask_from(peer + 1);
            }
            Said::Invalid(reason) => {
                // PC-347: the same peer again, until its attempts are used up.
                if self.unsuccessful(peer, reason) {
                    self.ask_from(peer + 1);
                }
            }
            Said::Valid(reply) => {
                self.books.attempts[peer] = 0;
                self.replies[peer] = Some(reply);
                self.hand_over(Seat::Peer(peer), reply.accepts, reply.offers.then_some(Seat::Writer));
                self.ask_from(peer + 1);
            }
        }
    }

    pub fn judged(&mut self) {
        let Stage::Judge(peer) = self.stage else { panic!("nothing to judge") };
        self.tell(format!("peer {peer} judged"));
        self.judged[peer] = true;
        self.check();
    }

    pub fn wrote(&mut self, wrote: Wrote) {
        let Stage::Writer { again } = self.stage else { panic!("the writer was not asked") };
        self.tell(format!("round {}, writer: {wrote:?}", self.round));
        if self.turn_loop() {
            // AMB-38: the writer's CONSENSUS is recorded and closes nothing.
            if wrote.escalates {
                self.raise(format!("{:02}-writer.md", 2 * self.round));
                self.wrote = Some(wrote);
                return;
            }
            return self.next_round();
        }
        let complete = self.dissenters().len() < 2 || self.accepted(&wrote);
        if wrote.claims.is_some() && !wrote.escalates && !complete && !again {
            // PC-406: asked once to complete it.
            self.stage = Stage::Writer { again: true };
            return;
        }
        self.hand_over(Seat::Writer, wrote.accepts, wrote.offers.map(Seat::Peer));
        let escalates = wrote.escalates;
        self.wrote = Some(wrote);
        if escalates {
            self.raise(format!("{:02}-writer.md", self.round));
        } else {
            self.after_writer();
        }
    }

    pub fn writer_failed(&mut self) {
        self.tell("the writer's call fails".into());
        self.tries.1 += 1;
        self.stage = Stage::WriterRetry;
    }

    pub fn retried(&mut self) {
        self.tell("retry".into());
        self.stage = match self.stage {
            Stage::PeerRetry => {
                self.tries.0 += 1;
                Stage::Peer(0)
            }
            _ => Stage::Writer { again: false },
        };
    }

    pub fn aborted(&mut self) {
        self.tell("abort".into());
        self.stage = Stage::Interrupted;
    }

    /// The pilot answers the open escalation; `decides` when the answer is a decision.
    pub fn answered(&mut self, decides: bool) {
        self.tell(format!("answered, decides: {decides}"));
        if self.stage == Stage::LimitEscalation {
            // PC-426 (a) and (c).
            self.stage = Stage::Draft(if decides { Class::Escalated } else { Class::NotAgreed });
            return;
        }
        match (self.turn_loop(), self.wrote.is_some()) {
            // T16: the writer's own escalation, then the next exchange.
            (true, true) => self.next_round(),
            // T13, T14.
            (true, false) if self.round < self.limit => self.stage = Stage::Writer { again: false },
            (true, false) => {
                self.stage = Stage::Draft(if decides { Class::Escalated } else { Class::NotAgreed });
            }
            (false, true) => self.after_writer(),
            (false, false) => self.check(),
        }
    }

    pub fn disputed(&mut self, majority: bool) {
        self.tell(format!("dispute, majority: {majority}"));
        if majority {
            self.stage = Stage::Gate(match self.books.failed.is_empty() {
                true => Class::AgreedByMajority,
                false => Class::PartialByMajority,
            });
        } else {
            self.books.escalations.push(format!("{:02}-writer.md", self.round));
            self.stage = Stage::LimitEscalation;
        }
    }

    // The rules.

    fn turn_loop(&self) -> bool {
        self.peers == 1
    }

    /// SM.1: the four checks do not belong here (AMB-42), and PASS and hand-offs say nothing (PC-375).
    fn exchanged(&mut self, said: Said) {
        self.tries.0 = match &said {
            Said::Nothing(_) => self.tries.0,
            _ => 0,
        };
        match said {
            Said::Nothing(_) => self.stage = Stage::PeerRetry,
            Said::Valid(Reply { escalates: true, .. }) => {
                self.raise(format!("{:02}-peer.md", 2 * self.round - 1));
            }
            Said::Valid(Reply { stance: Stance::Agrees, .. }) => self.stage = Stage::Gate(Class::Agreed),
            // The texts of these carry a CONSENSUS marker, which nothing forbids here.
            Said::Invalid(reason) if reason != "on_topic" => self.stage = Stage::Gate(Class::Agreed),
            _ if self.round < self.limit => self.stage = Stage::Writer { again: false },
            // PC-297: no writer turn, no gate.
            _ => self.stage = Stage::Draft(Class::NotAgreed),
        }
    }

    /// PC-348, PC-351. True when the peer has failed.
    fn unsuccessful(&mut self, peer: usize, reason: String) -> bool {
        self.books.attempts[peer] += 1;
        let fails = self.books.attempts[peer] >= self.max_attempts;
        if fails {
            self.books.failed.push(peer);
            self.books.failures.push((self.round, peer, reason));
            // PC-394: the addressee fails.
            self.offered = self.offered.filter(|to| *to != Seat::Peer(peer));
        }
        fails
    }

    /// PC-321: one after the other, failed ones are not called.
    fn ask_from(&mut self, first: usize) {
        match (first..self.peers).find(|p| !self.books.failed.contains(p)) {
            Some(peer) => self.stage = Stage::Peer(peer),
            None => self.check(),
        }
    }

    /// PC-390 to PC-394, for a valid reply or a writer's turn.
    fn hand_over(&mut self, speaker: Seat, accepts: bool, offers: Option<Seat>) {
        if self.offered == Some(speaker) {
            self.offered = None;
            if accepts {
                self.holder = speaker;
                self.handoffs += 1;
            }
        }
        let active = |seat: Seat| match seat {
            Seat::Writer => true,
            Seat::Peer(peer) => !self.books.failed.contains(&peer),
        };
        if let Some(to) = offers.filter(|to| self.holder == speaker && *to != speaker && active(*to)) {
            self.offered = Some(to);
        }
    }

    /// After all peers of the round (PC-323): escalations, then nobody left, then consensus.
    fn check(&mut self) {
        let escalating: Vec<usize> =
            (0..self.peers).filter(|p| self.replies[*p].is_some_and(|r| r.escalates)).collect();
        if let Some(peer) = escalating.get(self.raised) {
            self.raised += 1;
            return self.raise(format!("{:02}-peer-{}.md", self.round, super::NAMES[*peer]));
        }
        if self.books.failed.len() == self.peers {
            // PC-327.
            self.stage = Stage::Participants;
            return;
        }
        let doubtful = |p: &usize| {
            !self.judged[*p] && self.replies[*p].is_some_and(|r| matches!(r.stance, Stance::Doubtful { .. }))
        };
        if let Some(peer) = (0..self.peers).find(doubtful) {
            self.stage = Stage::Judge(peer);
            return;
        }
        // PC-401, PC-409.
        let counted = self.counted();
        if !counted.is_empty() && self.dissenters().is_empty() {
            self.stage = Stage::Gate(self.agreed());
            return;
        }
        self.stage = Stage::Writer { again: false };
    }

    /// PC-406, PC-326.
    fn after_writer(&mut self) {
        let Some(wrote) = self.wrote.clone() else { panic!("the writer was silent") };
        let dissenters = self.dissenters();
        let closes = wrote.claims.is_some()
            && !wrote.escalates
            && !self.counted().is_empty()
            && (dissenters.len() <= 1 || self.accepted(&wrote));
        if closes {
            self.stage = Stage::Gate(self.agreed());
        } else if self.round < self.limit {
            self.next_round();
        } else {
            self.stage = Stage::Dispute;
        }
    }

    fn next_round(&mut self) {
        if !self.forgets {
            self.before = self.marks().iter().map(|mark| mark.before()).collect();
        }
        self.exact = vec![0; self.peers];
        self.round += 1;
        self.replies = vec![None; self.peers];
        self.judged = vec![false; self.peers];
        (self.wrote, self.raised, self.tries.1) = (None, 0, 0);
        if self.turn_loop() {
            self.stage = Stage::Peer(0);
        } else {
            self.ask_from(0);
        }
    }

    /// PC-404.
    fn agreed(&self) -> Class {
        if self.books.failed.is_empty() { Class::Agreed } else { Class::Partial }
    }

    fn skipped(&self, peer: usize) -> bool {
        self.books.skips.contains(&(self.round, peer))
    }

    fn counted(&self) -> Vec<usize> {
        let counts =
            |p: &usize| self.replies[*p].is_some() && !self.skipped(*p) && !self.books.failed.contains(p);
        (0..self.peers).filter(counts).collect()
    }

    fn dissenters(&self) -> Vec<usize> {
        let dissents = |p: &usize| {
            let stance = self.replies[*p].map(|r| r.stance);
            matches!(stance, Some(Stance::Dissents | Stance::Doubtful { clean: false }))
        };
        self.counted().into_iter().filter(dissents).collect()
    }

    fn accepted(&self, wrote: &Wrote) -> bool {
        let named = wrote.claims.clone().unwrap_or_default();
        self.dissenters().iter().all(|p| named.contains(p))
    }

    fn raise(&mut self, source: String) {
        self.books.escalations.push(source);
        self.stage = Stage::Escalation;
    }

    fn marks(&self) -> Vec<Mark> {
        let mark = |reply: &Option<Reply>| match reply {
            None => Mark::Silent,
            Some(r) => Mark::Replied { stance: r.stance, escalates: r.escalates },
        };
        self.replies.iter().map(mark).collect()
    }

    fn tell(&mut self, what: String) {
        self.story = Story(Some(Rc::new((what, std::mem::take(&mut self.story)))));
    }
}
