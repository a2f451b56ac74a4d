//! Everything a person can do, once: name, help and where it works. Keys, footer, help, palette and documents read
//! this table; an action without a row does not exist.

use crate::domain::lang::Lang;

/// Where keys have a meaning. An overlay hides the keys of what is below it; `Global` works everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Context {
    Global,
    Deck,
    Session,
    Question,
    Gate,
    Report,
    Library,
    Replay,
    Pipeline,
    Trace,
    New,
    /// A text over the screen: a turn file, the doctor's findings.
    Reader,
    /// A list to choose from over the screen: palette, help, files.
    Menu,
    /// A yes or no.
    Confirm,
}

impl Context {
    pub const ALL: [Context; 14] = [
        Context::Global,
        Context::Deck,
        Context::Session,
        Context::Question,
        Context::Gate,
        Context::Report,
        Context::Library,
        Context::Replay,
        Context::Pipeline,
        Context::Trace,
        Context::New,
        Context::Reader,
        Context::Menu,
        Context::Confirm,
    ];

    /// The name in keymap files.
    pub fn key(self) -> &'static str {
        match self {
            Context::Global => "global",
            Context::Deck => "deck",
            Context::Session => "session",
            Context::Question => "question",
            Context::Gate => "gate",
            Context::Report => "report",
            Context::Library => "library",
            Context::Replay => "replay",
            Context::Pipeline => "pipeline",
            Context::Trace => "trace",
            Context::New => "new",
            Context::Reader => "reader",
            Context::Menu => "menu",
            Context::Confirm => "confirm",
        }
    }
}

/// One row of the table.
pub struct Entry {
    pub action: Action,
    /// In keymap files and in the palette.
    pub name: &'static str,
    /// In the footer; empty for actions that the footer leaves out.
    pub short: (&'static str, &'static str),
    /// In the help.
    pub help: (&'static str, &'static str),
    pub contexts: &'static [Context],
}

impl Entry {
    pub fn short(&self, lang: Lang) -> &'static str {
        lang.pick(self.short.0, self.short.1)
    }

    pub fn help(&self, lang: Lang) -> &'static str {
        lang.pick(self.help.0, self.help.1)
    }
}

/// One table, three things made of it: the enum, its rows, and the order in which the footer offers them.
macro_rules! actions {
    ($($name:ident $text:literal $short:expr, $help:expr, [$($context:ident)+];)+) => {
        /// What a key, a button or the palette asks for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action { $($name),+ }

        /// The table, in the order of footer and help.
        pub const ACTIONS: &[Entry] = &[$(Entry {
            action: Action::$name,
            name: $text,
            short: $short,
            help: $help,
            contexts: &[$(Context::$context),+],
        }),+];
    };
}

/// What a number key does.
macro_rules! slot {
    ($n:literal) => {
        (
            concat!("Open the session with the number ", $n, "; it keeps the number until it is over"),
            concat!("Открыть сессию с номером ", $n, "; номер остаётся за ней, пока она не закрыта"),
        )
    };
}

actions! {
    Approve "approve" ("approve", "одобрить"),
        ("Approve the change under the cursor in a document of yours", "Одобрить изменение под курсором в твоём документе"), [Pipeline];
    Reject "reject" ("reject", "отклонить"),
        ("Take the change under the cursor out", "Убрать изменение под курсором"), [Pipeline];
    Retry "retry" ("retry", "повторить"),
        ("The step that failed once more", "Повторить шаг, который не удался"), [Pipeline];
    Escalate "escalate" ("escalate", "эскалировать"),
        ("Write the open question down as an escalation and decide there", "Записать вопрос как эскалацию и решить там"), [Pipeline];
    Open "open" ("open", "открыть"),
        ("Open what is selected", "Открыть выбранное"), [Deck Library Replay Pipeline Trace];
    Choose "choose" ("choose", "выбрать"),
        ("Take the selected line", "Взять выбранную строку"), [Menu Question];
    Answer "answer" ("answer", "ответить"),
        ("Answer the session's open question", "Ответить на вопрос сессии"), [Session Pipeline];
    Send "send" ("send", "отправить"),
        ("Send the text", "Отправить текст"), [Question];
    Start "start" ("start", "начать"),
        ("Begin the session", "Начать сессию"), [New];
    Later "later" ("later", "позже"),
        ("Leave the question open; it stays counted", "Оставить вопрос открытым; он остаётся в счёте"), [Question Gate];
    Cancel "cancel" ("cancel", "отмена"),
        ("Leave the form; what you typed is kept", "Выйти из формы; введённое останется"), [New];
    Record "record" ("record only", "зафиксировать"),
        ("A: report, commit, close question; no implementation", "А: отчёт, commit, вопрос о закрытии; без реализации"), [Gate];
    Implement "implement" ("implement", "реализовать"),
        ("B: implement now: isolate, review, verify, deploy", "Б: реализовать сейчас: изоляция, ревью, проверка, деплой"), [Gate];
    RecordAndClose "record-and-close" ("record and close", "и закрыть"),
        ("C: record and close at once", "В: зафиксировать и сразу закрыть"), [Gate];
    Sources "sources" ("sources", "источники"),
        ("Open the turn behind the summary or the objection", "Открыть реплику, на которой стоит резюме или возражение"), [Gate];
    Comment "comment" ("comment", "заметка"),
        ("Say something about this line; it goes into another edit", "Сказать об этой строке; пойдёт в следующую правку"), [Pipeline];
    NextHunk "next-hunk" ("change", "изменение"),
        ("Next change", "Следующее изменение"), [Pipeline];
    PreviousHunk "previous-hunk" ("", ""),
        ("Previous change", "Предыдущее изменение"), [Pipeline];
    NextFile "next-file" ("", ""),
        ("Next file of the diff", "Следующий файл"), [Pipeline];
    PreviousFile "previous-file" ("", ""),
        ("Previous file of the diff", "Предыдущий файл"), [Pipeline];
    NextPart "next-part" ("part", "часть"),
        ("Next part of the screen", "Следующая часть экрана"), [Pipeline];
    PreviousPart "previous-part" ("", ""),
        ("Previous part of the screen", "Предыдущая часть экрана"), [Pipeline];
    SideBySide "side-by-side" ("side", "рядом"),
        ("Old and new beside each other or below each other", "Старое и новое рядом или друг под другом"), [Pipeline];
    WholeFile "whole-file" ("whole", "целиком"),
        ("The whole file, or only what changed", "Весь файл или только изменения"), [Pipeline];
    Compare "compare" ("compare", "сравнить"),
        ("Compare with the base or the last edit, or show the branch's commits or what you have staged", "Сравнить с базой или прошлой правкой, показать коммиты ветки или твой индекс"), [Pipeline];
    Yes "yes" ("yes", "да"),
        ("Do it", "Сделать"), [Confirm];
    No "no" ("no", "нет"),
        ("Leave it", "Не делать"), [Confirm];
    NextQuestion "next-question" ("next question", "след. вопрос"),
        ("Open the question that has waited longest", "Открыть вопрос, который ждёт дольше всех"), [Global];
    New "new" ("new", "новая"),
        ("Begin a new session", "Начать новую сессию"), [Deck];
    Direct "direct" ("direct", "указать"),
        ("Give the writer words for its next turn", "Дать писателю указание к следующему ходу"), [Session Pipeline];
    CutIn "cut-in" ("cut in", "вмешаться"),
        ("Stop the running call, add your words, go on", "Остановить идущий вызов, добавить свои слова, продолжить"), [Session];
    Pause "pause" ("pause", "пауза"),
        ("Pause the session, or let a standing one go on", "Приостановить сессию или продолжить стоящую"), [Session Deck Pipeline];
    Interrupt "interrupt" ("", ""),
        ("Interrupt the session; it can be resumed later", "Прервать сессию; её можно продолжить позже"), [Session];
    Finalize "finalize" ("", ""),
        ("Write the report of an interrupted session and close it", "Написать отчёт прерванной сессии и закрыть её"), [Session];
    Filter "filter" ("filter", "фильтр"),
        ("Show only sessions with these words", "Показать только сессии с этими словами"), [Deck];
    Reports "reports" ("report", "отчёт"),
        ("Read the session's report", "Читать отчёт сессии"), [Deck Session];
    Library "library" ("library", "архив"),
        ("Search everything in all sessions", "Искать по всем сессиям"), [Deck];
    TurnFiles "turn-files" ("files", "файлы"),
        ("List the session's files", "Список файлов сессии"), [Session Pipeline];
    Pipeline "pipeline" ("pipeline", "реализация"),
        ("The implementation: diff, findings, checks, deployment", "Реализация: diff, замечания, проверки, деплой"), [Session];
    Replay "replay" ("replay", "повтор"),
        ("Go through the session step by step", "Пройти сессию шаг за шагом"), [Session];
    Trace "trace" ("trace", "след"),
        ("Where this comes from, and what became of it", "Откуда это взялось и что с этим стало"), [Pipeline Gate Report Session];
    NextLane "next-lane" ("lane", "дорожка"),
        ("Next participant", "Следующий участник"), [Session];
    PreviousLane "previous-lane" ("", ""),
        ("Previous participant", "Предыдущий участник"), [Session];
    Zoom "zoom" ("zoom", "крупно"),
        ("One participant on the whole screen, and back", "Один участник на весь экран и обратно"), [Session];
    Stderr "stderr" ("stderr", "stderr"),
        ("What this participant's last call printed beside its reply", "Что последний вызов участника вывел помимо ответа"), [Session];
    Follow "follow" ("follow", "следить"),
        ("Follow the newest text of this lane, or stay where you read", "Следить за новым текстом дорожки или остаться на месте"), [Session Pipeline];
    Editor "editor" ("$EDITOR", "$EDITOR"),
        ("Write in your editor", "Писать в своём редакторе"), [Question New];
    ShowTurn "show-turn" ("turn", "реплика"),
        ("Read the turn that raised the question", "Прочитать реплику, из которой возник вопрос"), [Question];
    SwitchFocus "switch-focus" ("choices/text", "выбор/текст"),
        ("Between the choices and the text", "Между вариантами и текстом"), [Question];
    NextField "next-field" ("field", "поле"),
        ("Next field", "Следующее поле"), [New];
    PreviousField "previous-field" ("", ""),
        ("Previous field", "Предыдущее поле"), [New];
    Outline "outline" ("outline", "оглавление"),
        ("List the headings", "Список заголовков"), [Report];
    FollowLink "follow-link" ("follow", "перейти"),
        ("Open the link", "Открыть ссылку"), [Report];
    NextLink "next-link" ("link", "ссылка"),
        ("Next link", "Следующая ссылка"), [Report];
    PreviousLink "previous-link" ("", ""),
        ("Previous link", "Предыдущая ссылка"), [Report];
    Fold "fold" ("fold", "свернуть"),
        ("Fold or unfold the section", "Свернуть или развернуть раздел"), [Report];
    FoldAll "fold-all" ("", ""),
        ("Fold or unfold all sections", "Свернуть или развернуть все разделы"), [Report];
    NextMark "next-mark" ("", ""),
        ("Next place with the words searched for", "Следующее место с искомыми словами"), [Report];
    PreviousMark "previous-mark" ("", ""),
        ("Previous place with the words searched for", "Предыдущее место с искомыми словами"), [Report];
    Verify "verify" ("verify", "проверить"),
        ("Check the report against the session's files", "Проверить отчёт по файлам сессии"), [Report];
    CopyPath "copy-path" ("copy path", "копировать путь"),
        ("Copy the path of this file", "Копировать путь этого файла"), [Report Reader Session];
    Facets "facets" ("facets", "фильтры"),
        ("Filters of the search", "Фильтры поиска"), [Library];
    StepBack "step-back" ("back", "назад"),
        ("One step back", "Шаг назад"), [Replay];
    StepOn "step-on" ("on", "вперёд"),
        ("One step on", "Шаг вперёд"), [Replay];
    Play "play" ("play", "играть"),
        ("Let it run, and stop", "Пустить и остановить"), [Replay];
    NextNew "next-new" ("unseen", "новое"),
        ("Next event that you have not seen", "Следующее событие, которого ты не видел"), [Replay];
    Down "down" ("", ""),
        ("One line down; in a replay, one round on", "На строку вниз; в повторе — на раунд вперёд"), [Deck Session Question Gate Report Library Replay Pipeline Trace Reader Menu];
    Up "up" ("", ""),
        ("One line up; in a replay, one round back", "На строку вверх; в повторе — на раунд назад"), [Deck Session Question Gate Report Library Replay Pipeline Trace Reader Menu];
    PageDown "page-down" ("", ""),
        ("One page down", "На страницу вниз"), [Deck Session Question Gate Report Library Pipeline Trace Reader Menu];
    PageUp "page-up" ("", ""),
        ("One page up", "На страницу вверх"), [Deck Session Question Gate Report Library Pipeline Trace Reader Menu];
    First "first" ("", ""),
        ("To the beginning", "В начало"), [Deck Session Report Library Replay Pipeline Trace Reader Menu];
    Last "last" ("", ""),
        ("To the end", "В конец"), [Deck Session Report Library Replay Pipeline Trace Reader Menu];
    Back "back" ("back", "назад"),
        ("Back to where you came from", "Вернуться"), [Session Report Library Replay Pipeline Trace Reader Menu];
    Slot1 "slot-1" ("", ""), slot!(1), [Global Deck];
    Slot2 "slot-2" ("", ""), slot!(2), [Global Deck];
    Slot3 "slot-3" ("", ""), slot!(3), [Global Deck];
    Slot4 "slot-4" ("", ""), slot!(4), [Global Deck];
    Slot5 "slot-5" ("", ""), slot!(5), [Global Deck];
    Slot6 "slot-6" ("", ""), slot!(6), [Global Deck];
    Slot7 "slot-7" ("", ""), slot!(7), [Global Deck];
    Slot8 "slot-8" ("", ""), slot!(8), [Global Deck];
    Slot9 "slot-9" ("", ""), slot!(9), [Global Deck];
    Doctor "doctor" ("", ""),
        ("What was found where: agents, folders, terminal", "Что где найдено: агенты, папки, терминал"), [Global];
    Palette "palette" ("", ""),
        ("Run any action by its name", "Выполнить любое действие по имени"), [Global];
    Redraw "redraw" ("", ""),
        ("Draw the screen anew", "Перерисовать экран"), [Global];
    Suspend "suspend" ("", ""),
        ("Back to the shell; fg returns", "В оболочку; вернуться: fg"), [Global];
    Help "help" ("keys", "клавиши"),
        ("Every action and its keys", "Все действия и их клавиши"), [Global];
    Quit "quit" ("quit", "выход"),
        ("Leave the dashboard; sessions run on", "Выйти; сессии продолжат работать"), [Global Deck];
}

impl Action {
    /// The number of a session that the action opens.
    pub fn slot(self) -> Option<u8> {
        use Action::*;
        let slots = [Slot1, Slot2, Slot3, Slot4, Slot5, Slot6, Slot7, Slot8, Slot9];
        (1..).zip(slots).find(|(_, slot)| *slot == self).map(|(n, _)| n)
    }
}

/// The action with this name in keymap files.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    ACTIONS.iter().find(|e| e.name == name)
}

/// The row of an action.
pub fn entry(action: Action) -> &'static Entry {
    &ACTIONS[action as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_action_has_one_row_with_a_name_of_its_own() {
        let names: BTreeSet<_> = ACTIONS.iter().map(|e| e.name).collect();
        assert_eq!(names.len(), ACTIONS.len());
        for e in ACTIONS {
            assert_eq!(entry(e.action).name, e.name);
            assert!(!e.help.0.is_empty() && !e.help.1.is_empty(), "{}", e.name);
            assert!(e.help.1.chars().any(|c| c >= 'А'), "{} has no Russian help", e.name);
        }
    }
}
