//! The sentences the engine says to the pilot, both languages side by side.
//!
//! Texts that other rules own live with them: the Decision Gate (PC-461, PC-463), the stub and the closing summary
//! (PC-607, PC-648) in the domain, unknown vendors (PC-031) at the capability check.

use super::fill::fill;
use super::lang::Lang;
use super::session::gate::Defer;
use super::session::slug::collapse as one_line;

/// One sentence with what it speaks about.
#[derive(Debug, Clone, Copy)]
pub enum Say<'a> {
    /// `--list` without an index (PC-006).
    NoIndex,
    /// PC-113. `writer` as people call it; `peers` as (vendor, agent id).
    Opening {
        writer: &'a str,
        peers: &'a [(String, String)],
        task: &'a str,
        wp: Wp<'a>,
        method: Method,
    },
    /// The gate for a task without a WP in the plan (PC-114); `artifact` is what the session will leave behind.
    NotInPlan {
        artifact: &'a str,
    },
    /// Neither registry nor week plan exists (PC-115).
    NoPlan {
        task: &'a str,
    },
    /// PC-116. `program` is the writer's backend, `Claude Code` or another.
    WriterModel {
        model: &'a str,
        class: &'a str,
        program: &'a str,
    },
    /// PC-151.
    GuardOpenFailed {
        reason: &'a str,
    },
    GuardNotInstalled,
    /// A peer asks about its role (PC-275).
    Clarify {
        vendor: &'a str,
        question: &'a str,
    },
    /// A third clarification is not asked for (PC-275).
    ClarifyExhausted {
        vendor: &'a str,
        role: &'a str,
    },
    /// The writer's call about the roles failed, or its answer was none (PC-277).
    RolesFallback {
        failed: bool,
        why: &'a str,
    },
    /// PC-280.
    AdHocRole {
        name: &'a str,
        responsibilities: &'a str,
        method: &'a str,
    },
    /// The one note when no catalog of roles is configured (PC-280).
    AdHocRoles {
        names: &'a [String],
    },
    /// PC-294.
    PeerSilent {
        vendor: &'a str,
    },
    /// A reply was taken whose end its CLI does not tell, without the mark that was asked for (PC-051).
    Unproven {
        vendor: &'a str,
    },
    /// PC-327.
    NobodyLeft,
    /// The writer claims a consensus over open objections (PC-406).
    AcceptsIncomplete {
        vendors: &'a [String],
    },
    /// PC-443.
    Escalates {
        who: &'a str,
        reason: &'a str,
    },
    /// The writer gave no usable summary (PC-462).
    SummaryFallback,
    /// PC-465.
    GateDefault {
        seconds: u64,
    },
    /// PC-466.
    GateDeferred {
        defer: Defer,
    },
    /// PC-467.
    NotImplementable {
        reason: &'a str,
    },
    /// PC-551.
    Reflection,
    /// PC-552.
    LedgerMissing,
    /// PC-553.
    FreeToGo,
    /// PC-554, the value in the ledger.
    NoResponse,
    /// PC-606.
    PipelineWithoutOutcome,
    /// PC-607, told when the stub is written.
    SynthesisFailed,
    /// The call that the pilot wanted to stop (PC-701) had ended by then.
    CutTooLate {
        words: bool,
    },
    /// PC-444: answers come from outside, and the system does not tell of them.
    Unwatched {
        why: &'a str,
    },
    /// What another process left in the inbox is no answer.
    NoAnswerInIt {
        path: &'a str,
    },
    /// An answer in an escalation file is no UTF-8 (PC-444).
    AnswerNotText {
        file: &'a str,
    },
    /// Another program goes on with the session that this engine drives.
    Meddled {
        what: &'a str,
    },
    /// A headless run refuses what nobody answers in time (PC-062).
    PermissionUnanswered {
        question: &'a str,
    },
    /// PC-611.
    Close {
        consensus: bool,
    },
    /// PC-216.
    RowsRemoved,
    /// PC-643.
    OrzFailed {
        reason: &'a str,
    },
    /// PC-647.
    GuardCloseFailed,
}

/// What the opening says about the WP (PC-112, PC-113).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wp<'a> {
    InPlan {
        id: &'a str,
        title: &'a str,
    },
    /// Shown by name, counts as not found.
    OnlyInRegistry {
        id: &'a str,
        title: &'a str,
    },
    NotFound,
}

/// The loop and its limit (PC-113).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    TurnLoop { limit: u32 },
    RoundLoop { limit: u32 },
}

impl Say<'_> {
    pub fn text(&self, lang: Lang) -> String {
        let (en, ru) = self.both();
        let values = self.values(lang);
        let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        fill(lang.pick(en, ru), &values)
    }

    /// The table: English and Russian.
    fn both(&self) -> (&'static str, &'static str) {
        match self {
            Say::NoIndex => (
                "session index not yet created (the first Peer Session will create it, step 1.3); see past sessions in the sessions/YYYY-MM/DD/ tree",
                "индекс сессий ещё не создан (его создаст первая пир-сессия, шаг 1.3); прошлые сессии смотри в дереве sessions/YYYY-MM/DD/",
            ),
            Say::Opening { .. } => (
                "Opening Peer Session (DP.SC.154)\nRole: Writer ({{writer}}) | Peer(s): {{peers}}\nTask: {{task}}\nWP: {{wp}}\nMethod: {{method}}",
                "Открываю peer-сессию (DP.SC.154)\nРоль: Писатель ({{writer}}) | Напарник(и): {{peers}}\nЗадача: {{task}}\nРП: {{wp}}\nМетод: {{method}}",
            ),
            Say::NotInPlan { .. } => (
                "This task has no WP in the week plan. The session will create: {{artifact}}. Start it anyway? Only an explicit yes does.",
                "Для этой задачи нет РП в плане недели. Сессия создаст: {{artifact}}. Всё равно начать? Только по явному «да».",
            ),
            Say::NoPlan { .. } => (
                "Task: {{task}}. No plan found: there is neither a WP registry nor a week plan. Start the session?",
                "Задача: {{task}}. План не найден: нет ни реестра РП, ни плана недели. Начать сессию?",
            ),
            Say::WriterModel { .. } => (
                "Recommended writer model: {{model}}\n(Task class: {{class}}. Select the model at {{program}} startup.)",
                "Модель писателя (рекомендуется): {{model}}\n(Класс задачи: {{class}}. Выбери модель при запуске {{program}}.)",
            ),
            Say::GuardOpenFailed { .. } => (
                "session-guard open failed ({{reason}}), continuing without semaphore — manual unblock via touch/note-file may be needed at Step 4.5",
                "session-guard open не сработал ({{reason}}), продолжаю без семафора — на Шаге 4.5 возможна ручная разблокировка через touch/note-file",
            ),
            Say::GuardNotInstalled => ("session-guard not installed", "session-guard не установлен"),
            Say::Clarify { .. } => (
                "{{vendor}} asks before it takes its role: {{question}}",
                "{{vendor}} спрашивает, прежде чем взять роль: {{question}}",
            ),
            Say::ClarifyExhausted { .. } => (
                "{{vendor}} asked for a clarification a third time; the proposed role \"{{role}}\" is taken as agreed.",
                "{{vendor}} просит уточнения в третий раз; предложенная роль «{{role}}» считается согласованной.",
            ),
            Say::RolesFallback { failed: true, .. } => (
                "The roles call failed ({{why}}); the proposed roles are taken as agreed.",
                "Вызов о ролях не удался ({{why}}); предложенные роли считаются согласованными.",
            ),
            Say::RolesFallback { failed: false, .. } => (
                "The writer's answer about the roles was not usable ({{why}}); the proposed roles are taken as agreed.",
                "Ответ писателя о ролях непригоден ({{why}}); предложенные роли считаются согласованными.",
            ),
            Say::AdHocRole { .. } => (
                "Taking ad-hoc role \"{{name}}\". No such role exists in the Pack catalog.\nResponsibilities: {{responsibilities}}. Method: {{method}}.\nProposing to create a WP for formalization (~30 min: passport + scenarios + templates).\nChoose:\n  A. Create now → separate WP \"pack-gap-{{name}}\" via create-wp.sh.\n  B. Defer → I will continue as ad-hoc; the guardian will remind you at Week Close.",
                "Беру ad-hoc роль «{{name}}». В каталоге Pack такой нет.\nОбязанности: {{responsibilities}}. Метод: {{method}}.\nПредлагаю создать РП на формализацию (~30 мин: passport + scenarios + templates).\nВыбери:\n  А. Создать сейчас → отдельный РП «pack-gap-{{name}}» через create-wp.sh.\n  Б. Отложить → продолжу как ad-hoc, сторож напомнит при Week Close.",
            ),
            Say::AdHocRoles { .. } => (
                "No role catalog is configured, so these roles are ad hoc: {{names}}. They are kept in meta.yaml.",
                "Каталог ролей не настроен, поэтому эти роли ad-hoc: {{names}}. Они записаны в meta.yaml.",
            ),
            Say::PeerSilent { .. } => (
                "{{vendor}} did not respond. Retry or abort?",
                "{{vendor}} не ответил. Повторить или прервать?",
            ),
            Say::NobodyLeft => (
                "No active peer is left. Re-activate the failed ones, interrupt, or close without agreement?",
                "Активных напарников не осталось. Вернуть выбывших, прервать или закрыть без согласия?",
            ),
            Say::AcceptsIncomplete { .. } => (
                "The writer claims consensus, but {{vendors}} still object. It is asked once to name whose objections it accepts.",
                "Писатель объявил консенсус, но возражают: {{vendors}}. Он получит один вопрос, чьи возражения принимает.",
            ),
            Say::Escalates { .. } => (
                "{{who}} escalates: {{reason}}. Your decision is needed.",
                "{{who}} эскалирует: {{reason}}. Нужно твоё решение.",
            ),
            Say::SummaryFallback => (
                "The writer gave no usable summary: what was agreed is taken from the consensus marker, the rest is not estimated.",
                "Писатель не дал пригодного резюме: решение взято из маркера консенсуса, остальное не оценено.",
            ),
            Say::GateDefault { .. } => (
                "No answer within {{seconds}} s: the decision is B, implement now (--gate-timeout).",
                "Нет ответа за {{seconds}} с: решение Б, реализовать сейчас (--gate-timeout).",
            ),
            Say::GateDeferred { defer: Defer::None } => ("", ""),
            Say::GateDeferred { defer: Defer::Wp } => (
                "Recorded only: the implementation needs a new WP.",
                "Только зафиксировано: реализация требует нового РП.",
            ),
            Say::GateDeferred { defer: Defer::Archgate } => (
                "Recorded only: an ArchGate is required first.",
                "Только зафиксировано: сначала требуется ArchGate.",
            ),
            Say::GateDeferred { defer: Defer::Context } => (
                "Recorded only: the context has switched completely.",
                "Только зафиксировано: контекст полностью переключился.",
            ),
            Say::NotImplementable { .. } => (
                "B is not available: {{reason}}. The decision is recorded; the session goes on as with A.",
                "Б недоступно: {{reason}}. Решение зафиксировано; сессия продолжается как при А.",
            ),
            Say::Reflection => (
                "What from this session is worth remembering for the future — not about the task itself, but about how the work went?",
                "Что в этой сессии стоит запомнить на будущее — не про саму задачу, а про то, как шла работа?",
            ),
            Say::LedgerMissing => (
                "ledger-append.sh is not available on this installation — reflection was not written to the daily ledger",
                "ledger-append.sh недоступен на этой установке — рефлексия не записана в дневной ledger",
            ),
            Say::FreeToGo => (
                "You are free to go; I will close the session from here",
                "Ты свободен, дальше закрываю сессию сам",
            ),
            Say::NoResponse => ("no response", "нет ответа"),
            Say::PipelineWithoutOutcome => (
                "implementation_pipeline was true, but there is no _outcome.md: it is set to false and §6 is left out",
                "implementation_pipeline был true, но _outcome.md нет: записано false, §6 пропущен",
            ),
            Say::SynthesisFailed => (
                "synthesis not performed: report.md only points to the turn files; finalize the session to try again",
                "синтез не выполнен: report.md лишь указывает на файлы реплик; повтори финализацию сессии",
            ),
            Say::CutTooLate { words: true } => (
                "the call had ended before it could be stopped; your words go to the writer's next turn",
                "вызов завершился раньше, чем его удалось остановить; слова получит писатель со следующим ходом",
            ),
            Say::CutTooLate { words: false } => (
                "the call had ended before it could be stopped",
                "вызов завершился раньше, чем его удалось остановить",
            ),
            Say::Unwatched { .. } => (
                "the system tells nobody about changed files ({{why}}); answers from outside are looked for every 2 s",
                "система не сообщает об изменениях файлов ({{why}}); ответы извне ищутся каждые 2 с",
            ),
            Say::NoAnswerInIt { .. } => (
                "an answer that came from outside cannot be read and was put aside ({{path}}); give it again",
                "ответ извне не читается и отложен ({{path}}); дай его ещё раз",
            ),
            Say::Meddled { .. } => (
                "somebody else wrote here: {{what}}; it stands still, and is read anew when you let it go on",
                "писал кто-то другой: {{what}}; она стоит и будет прочитана заново, когда ты её продолжишь",
            ),
            Say::AnswerNotText { .. } => (
                "{{file}} is not UTF-8, so an answer in it is not read; save it as UTF-8, or answer here",
                "{{file}} не в UTF-8, поэтому ответ в нём не прочитан; сохрани файл в UTF-8 или ответь здесь",
            ),
            Say::Unproven { .. } => (
                "{{vendor}} did not write the line that shows a whole reply; what came reads like one and is taken, but it may have been cut",
                "{{vendor}} не дал строки, по которой виден целый ответ; то, что пришло, похоже на целый и принято, но могло быть обрезано",
            ),
            Say::PermissionUnanswered { .. } => (
                "nobody answered {{question}} in time; it is refused, and the call goes on",
                "на {{question}} никто не ответил вовремя; отказано, вызов продолжается",
            ),
            Say::Close { consensus: true } => (
                "Consensus reached. Closing the session or do you need an extension?",
                "Консенсус достигнут. Закрываем сессию или нужно дозакрытие?",
            ),
            Say::Close { consensus: false } => (
                "No consensus within the limit. Closing the session or do you need an extension?",
                "Консенсус не достигнут. Закрываем сессию или нужно дозакрытие?",
            ),
            Say::RowsRemoved => (
                "the index had several rows of this session; the first one is kept and brought up to date, the others are removed",
                "в индексе было несколько строк этой сессии; первая оставлена и обновлена, остальные убраны",
            ),
            Say::OrzFailed { .. } => (
                "the closing file could not be written ({{reason}}); finalization goes on",
                "закрывающий файл не записан ({{reason}}); финализация продолжается",
            ),
            Say::GuardCloseFailed => (
                "session-guard close failed — semaphore will remain active until auto-orphan (TTL 30 min on next open), does not block the pilot",
                "session-guard close не прошёл — семафор останется активным до auto-orphan (TTL 30 мин на следующем open), не блокирует пилота",
            ),
        }
    }

    /// What stands in the gaps; everything an agent or a tool said is brought onto one line.
    fn values(&self, lang: Lang) -> Vec<(&'static str, String)> {
        match *self {
            Say::Opening { writer, peers, task, wp, method } => {
                let peers: Vec<_> =
                    peers.iter().map(|(vendor, agent)| format!("{vendor} ({agent})")).collect();
                vec![
                    ("writer", writer.to_string()),
                    ("peers", peers.join(", ")),
                    ("task", one_line(task)),
                    ("wp", wp.text(lang)),
                    ("method", method.text(lang)),
                ]
            }
            Say::NotInPlan { artifact } => vec![("artifact", artifact.to_string())],
            Say::NoPlan { task } => vec![("task", bare(task))],
            Say::WriterModel { model, class, program } => {
                vec![
                    ("model", model.to_string()),
                    ("class", class.to_string()),
                    ("program", program.to_string()),
                ]
            }
            Say::GuardOpenFailed { reason } | Say::OrzFailed { reason } => vec![("reason", one_line(reason))],
            Say::NotImplementable { reason } => vec![("reason", bare(reason))],
            Say::Unwatched { why } => vec![("why", bare(why))],
            Say::RolesFallback { why, .. } => vec![("why", bare(why))],
            Say::NoAnswerInIt { path } => vec![("path", one_line(path))],
            Say::Meddled { what } => vec![("what", one_line(what))],
            Say::AnswerNotText { file } => vec![("file", one_line(file))],
            Say::Clarify { vendor, question } => {
                vec![("vendor", vendor.to_string()), ("question", question.trim().to_string())]
            }
            Say::ClarifyExhausted { vendor, role } => {
                vec![("vendor", vendor.to_string()), ("role", one_line(role))]
            }
            Say::AdHocRole { name, responsibilities, method } => vec![
                ("name", one_line(name)),
                ("responsibilities", bare(responsibilities)),
                ("method", bare(method)),
            ],
            Say::AdHocRoles { names } => vec![("names", names.join(", "))],
            Say::PeerSilent { vendor } | Say::Unproven { vendor } => vec![("vendor", vendor.to_string())],
            Say::AcceptsIncomplete { vendors } => vec![("vendors", vendors.join(", "))],
            Say::Escalates { who, reason } => vec![("who", who.to_string()), ("reason", bare(reason))],
            Say::PermissionUnanswered { question } => vec![("question", question.to_string())],
            Say::GateDefault { seconds } => vec![("seconds", seconds.to_string())],
            Say::NoIndex
            | Say::GuardNotInstalled
            | Say::RowsRemoved
            | Say::NobodyLeft
            | Say::SummaryFallback
            | Say::GateDeferred { .. }
            | Say::Reflection
            | Say::LedgerMissing
            | Say::FreeToGo
            | Say::NoResponse
            | Say::PipelineWithoutOutcome
            | Say::SynthesisFailed
            | Say::CutTooLate { .. }
            | Say::Close { .. }
            | Say::GuardCloseFailed => Vec::new(),
        }
    }
}

impl Wp<'_> {
    fn text(self, lang: Lang) -> String {
        let named = |id: &str, title: &str| match lang {
            Lang::En => format!("{id} \"{title}\""),
            Lang::Ru => format!("{id} «{title}»"),
        };
        let not_found = lang.pick("not found in plan", "не найден в плане");
        match self {
            Wp::InPlan { id, title } => named(id, title),
            Wp::OnlyInRegistry { id, title } => {
                format!("{not_found} ({}: {})", lang.pick("registry", "реестр"), named(id, title))
            }
            Wp::NotFound => not_found.to_string(),
        }
    }
}

impl Method {
    fn text(self, lang: Lang) -> String {
        match (self, lang) {
            (Method::TurnLoop { limit }, Lang::En) => format!("turn-loop ≤{limit} turns (PEER_COUNT==1)"),
            (Method::TurnLoop { limit }, Lang::Ru) => format!("turn-loop ≤{limit} ходов (PEER_COUNT==1)"),
            (Method::RoundLoop { limit }, Lang::En) => {
                format!("round-loop ≤{limit} rounds (PEER_COUNT>=2, WP-509)")
            }
            (Method::RoundLoop { limit }, Lang::Ru) => {
                format!("round-loop ≤{limit} раундов (PEER_COUNT>=2, WP-509)")
            }
        }
    }
}

/// One line without the full stop that the sentence brings itself.
fn bare(text: &str) -> String {
    one_line(text).trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn both(say: Say, en: &str, ru: &str) {
        assert_eq!(say.text(Lang::En), en);
        assert_eq!(say.text(Lang::Ru), ru);
    }

    #[test]
    fn pc_006_no_index() {
        both(
            Say::NoIndex,
            "session index not yet created (the first Peer Session will create it, step 1.3); see past sessions in the sessions/YYYY-MM/DD/ tree",
            "индекс сессий ещё не создан (его создаст первая пир-сессия, шаг 1.3); прошлые сессии смотри в дереве sessions/YYYY-MM/DD/",
        );
    }

    #[test]
    fn pc_113_opening() {
        let pair = |v: &str, a: &str| (v.to_string(), a.to_string());
        let peers = [pair("codex", "codex"), pair("kimi", "kimi-headless")];
        let wp = Wp::InPlan { id: "WP-142", title: "Thumbnails" };
        let method = Method::RoundLoop { limit: 4 };
        both(
            Say::Opening { writer: "Claude", peers: &peers, task: "Choose {{wp}}", wp, method },
            "Opening Peer Session (DP.SC.154)\nRole: Writer (Claude) | Peer(s): codex (codex), kimi (kimi-headless)\n\
             Task: Choose {{wp}}\nWP: WP-142 \"Thumbnails\"\nMethod: round-loop ≤4 rounds (PEER_COUNT>=2, WP-509)",
            "Открываю peer-сессию (DP.SC.154)\nРоль: Писатель (Claude) | Напарник(и): codex (codex), kimi (kimi-headless)\n\
             Задача: Choose {{wp}}\nРП: WP-142 «Thumbnails»\nМетод: round-loop ≤4 раундов (PEER_COUNT>=2, WP-509)",
        );
        let method = Method::TurnLoop { limit: 10 };
        let alone =
            Say::Opening { writer: "Claude", peers: &peers[..1], task: "t", wp: Wp::NotFound, method };
        both(
            alone,
            "Opening Peer Session (DP.SC.154)\nRole: Writer (Claude) | Peer(s): codex (codex)\nTask: t\n\
             WP: not found in plan\nMethod: turn-loop ≤10 turns (PEER_COUNT==1)",
            "Открываю peer-сессию (DP.SC.154)\nРоль: Писатель (Claude) | Напарник(и): codex (codex)\nЗадача: t\n\
             РП: не найден в плане\nМетод: turn-loop ≤10 ходов (PEER_COUNT==1)",
        );
        let registry = Wp::OnlyInRegistry { id: "WP-7", title: "x" };
        assert_eq!(registry.text(Lang::En), "not found in plan (registry: WP-7 \"x\")", "PC-112");
    }

    #[test]
    fn pc_116_writer_model() {
        both(
            Say::WriterModel { model: "opus", class: "open-loop", program: "Claude Code" },
            "Recommended writer model: opus\n(Task class: open-loop. Select the model at Claude Code startup.)",
            "Модель писателя (рекомендуется): opus\n(Класс задачи: open-loop. Выбери модель при запуске Claude Code.)",
        );
    }

    #[test]
    fn pc_151_647_session_guard() {
        both(
            Say::GuardOpenFailed { reason: "exit 3\nambiguous" },
            "session-guard open failed (exit 3 ambiguous), continuing without semaphore — manual unblock via touch/note-file may be needed at Step 4.5",
            "session-guard open не сработал (exit 3 ambiguous), продолжаю без семафора — на Шаге 4.5 возможна ручная разблокировка через touch/note-file",
        );
        assert_eq!(Say::GuardNotInstalled.text(Lang::En), "session-guard not installed");
        both(
            Say::GuardCloseFailed,
            "session-guard close failed — semaphore will remain active until auto-orphan (TTL 30 min on next open), does not block the pilot",
            "session-guard close не прошёл — семафор останется активным до auto-orphan (TTL 30 мин на следующем open), не блокирует пилота",
        );
    }

    #[test]
    fn pc_280_ad_hoc_role() {
        both(
            Say::AdHocRole {
                name: "cost critic",
                responsibilities: "looks at the bill.",
                method: "estimates",
            },
            "Taking ad-hoc role \"cost critic\". No such role exists in the Pack catalog.\n\
             Responsibilities: looks at the bill. Method: estimates.\n\
             Proposing to create a WP for formalization (~30 min: passport + scenarios + templates).\n\
             Choose:\n  A. Create now → separate WP \"pack-gap-cost critic\" via create-wp.sh.\n  \
             B. Defer → I will continue as ad-hoc; the guardian will remind you at Week Close.",
            "Беру ad-hoc роль «cost critic». В каталоге Pack такой нет.\n\
             Обязанности: looks at the bill. Метод: estimates.\n\
             Предлагаю создать РП на формализацию (~30 мин: passport + scenarios + templates).\n\
             Выбери:\n  А. Создать сейчас → отдельный РП «pack-gap-cost critic» через create-wp.sh.\n  \
             Б. Отложить → продолжу как ad-hoc, сторож напомнит при Week Close.",
        );
    }

    #[test]
    fn pc_294_443_peers() {
        both(
            Say::PeerSilent { vendor: "codex" },
            "codex did not respond. Retry or abort?",
            "codex не ответил. Повторить или прервать?",
        );
        both(
            Say::Escalates { who: "codex", reason: "may we?" },
            "codex escalates: may we?. Your decision is needed.",
            "codex эскалирует: may we?. Нужно твоё решение.",
        );
    }

    #[test]
    fn pc_551_to_554_reflection() {
        both(
            Say::Reflection,
            "What from this session is worth remembering for the future — not about the task itself, but about how the work went?",
            "Что в этой сессии стоит запомнить на будущее — не про саму задачу, а про то, как шла работа?",
        );
        both(
            Say::LedgerMissing,
            "ledger-append.sh is not available on this installation — reflection was not written to the daily ledger",
            "ledger-append.sh недоступен на этой установке — рефлексия не записана в дневной ledger",
        );
        both(
            Say::FreeToGo,
            "You are free to go; I will close the session from here",
            "Ты свободен, дальше закрываю сессию сам",
        );
        both(Say::NoResponse, "no response", "нет ответа");
    }

    #[test]
    fn pc_611_close_question() {
        both(
            Say::Close { consensus: true },
            "Consensus reached. Closing the session or do you need an extension?",
            "Консенсус достигнут. Закрываем сессию или нужно дозакрытие?",
        );
        both(
            Say::Close { consensus: false },
            "No consensus within the limit. Closing the session or do you need an extension?",
            "Консенсус не достигнут. Закрываем сессию или нужно дозакрытие?",
        );
    }

    #[test]
    fn every_gap_is_filled() {
        let names = ["a".to_string(), "b".to_string()];
        let peers = [("v".to_string(), "a".to_string())];
        let method = Method::TurnLoop { limit: 1 };
        for say in [
            Say::Opening { writer: "w", peers: &peers, task: "t", wp: Wp::NotFound, method },
            Say::NotInPlan { artifact: "a" },
            Say::NoPlan { task: "t" },
            Say::WriterModel { model: "m", class: "c", program: "p" },
            Say::GuardOpenFailed { reason: "r" },
            Say::Clarify { vendor: "v", question: "q" },
            Say::ClarifyExhausted { vendor: "v", role: "r" },
            Say::AdHocRole { name: "n", responsibilities: "r", method: "m" },
            Say::AdHocRoles { names: &names },
            Say::PeerSilent { vendor: "v" },
            Say::NobodyLeft,
            Say::AcceptsIncomplete { vendors: &names },
            Say::Escalates { who: "w", reason: "r" },
            Say::SummaryFallback,
            Say::GateDefault { seconds: 5 },
            Say::GateDeferred { defer: Defer::Wp },
            Say::GateDeferred { defer: Defer::Archgate },
            Say::GateDeferred { defer: Defer::Context },
            Say::NotImplementable { reason: "r" },
            Say::PipelineWithoutOutcome,
            Say::SynthesisFailed,
            Say::CutTooLate { words: true },
            Say::CutTooLate { words: false },
            Say::Unwatched { why: "w" },
            Say::NoAnswerInIt { path: "p" },
            Say::RolesFallback { failed: true, why: "w" },
            Say::RolesFallback { failed: false, why: "w" },
            Say::AnswerNotText { file: "f" },
            Say::Meddled { what: "w" },
            Say::RowsRemoved,
            Say::PermissionUnanswered { question: "permission-1" },
            Say::OrzFailed { reason: "r" },
        ] {
            let (en, ru) = (say.text(Lang::En), say.text(Lang::Ru));
            assert!(!en.is_empty() && !en.contains("{{") && !ru.contains("{{"), "{en} {ru}");
            assert!(ru.chars().any(|c| c >= 'А'), "{ru}");
        }
    }
}
