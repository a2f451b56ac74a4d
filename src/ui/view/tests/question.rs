//! A question with its answer, and a list of choices.

use super::*;

#[test]
fn question_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Answer);
    typed(&mut m, "нет 漢字 yes");
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries  How often may…    round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out          ! 2 waiting · 14 min
    | [· claude]  ! codex   ✗ hermes                                          writer
    | · answers · round 1
    | round 0 · 00-writer.md
    |─ ! cap-fetcher-retries · escalation · waits 14 min ────────────────────────────
    | Frozen: this session makes no call until you answer. Other sessions go on.
    | codex escalates: is downtime allowed?. Your decision is needed.
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |── your answer ─────────────────────────────────────────────────────────────────
    | нет 漢字 yes
    |
    |
    |
    |
    | Ctrl+s send   Esc later   Ctrl+e $EDITOR   Ctrl+t turn                 F1 keys
    ");
}

#[test]
fn question_en_120() {
    let (size, lang) = ((120, 40), Lang::En);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Answer);
    typed(&mut m, "нет 漢字 yes");
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries  How often may the fetcher try again?                      round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out                                   ! 2 waiting for you · oldest 14 min
    | ▸claude · writer                       │ codex · load critic                   │ hermes · критик клиентов
    |  · answers · round 1                   │ ! escalates · round 2                 │ ✗ out: timeout
    | round 0 · 00-writer.md                 │ round 1 · 01-peer-codex.md            │
    | # Opening                              │ However, the load of writes is        │
    |                                        │ unmeasured. The staging table covers  │
    | Three tries, then a minute of rest.    │ reads only.                           │
    | The phone app counts on its own.       │                                       │
    |                                        │ - writes double when the cap is       │
    | round 1 · 01-writer.md                 │ three                                 │
    | codex is right about writes; I add     │                                       │
    | them.                                  │ round 2 · 02-peer-codex.md            │
    |                                        │ The table answers my objection.       │
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字   │                                       │
    | 👨‍👩‍👧 ❤️ שלום ещё␀ end                    │ ESCALATE_TO_USER: is downtime         │
    |                                        │ allowed?                              │
    |                                        │                                       │
    |                                        │ ! escalation 1 · waits for you        │
    |                                        │                                       │
    |                                        │                                       │
    |─ ! cap-fetcher-retries · escalation · waits 14 min ────────────────────────────────────────────────────────────────────
    | Frozen: this session makes no call until you answer. Other sessions go on.
    | codex escalates: is downtime allowed?. Your decision is needed.
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |── your answer ─────────────────────────────────────────────────────────────────────────────────────────────────────────
    | нет 漢字 yes
    |
    |
    |
    |
    | Ctrl+s send   Esc later   Ctrl+e $EDITOR   Ctrl+t turn                                                         F1 keys
    ");
}

#[test]
fn question_en_40() {
    let (size, lang) = ((40, 15), Lang::En);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Answer);
    typed(&mut m, "нет 漢字 yes");
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries     round 2 of 6
    | △ 2 invited · 1   ! 2 waiting · 14 min
    | spoke · 1 vendor · hermes is out
    |─ ! cap-fetcher-retries · escalation… ──
    | Frozen: this session makes no call
    | until you answer. Other sessions go
    | codex escalates: is downtime allowed?.
    | Your decision is needed.
    |
    |
    |── your answer ─────────────────────────
    | нет 漢字 yes
    |
    |
    | Ctrl+s send  Esc later         F1 keys
    ");
}

#[test]
fn question_ru_80() {
    let (size, lang) = ((80, 24), Lang::Ru);
    let mut m = on_session(size, lang, session());
    act(&mut m, Action::Answer);
    typed(&mut m, "нет 漢字 yes");
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries  How often may…   раунд 2 из 6 · перо: писатель · 18 мин
    | △ 2 приглашены · 1 высказался · 1 вендор · hermes выбыл      ! 2 ждут · 14 мин
    | [· claude]  ! codex   ✗ hermes                                        писатель
    | · отвечает · раунд 1
    | раунд 0 · 00-writer.md
    |─ ! cap-fetcher-retries · эскалация · ждёт 14 мин ──────────────────────────────
    | Стоит: сессия не делает вызовов до твоего ответа. Другие сессии идут.
    | codex escalates: is downtime allowed?. Your decision is needed.
    |
    |
    |
    |
    |
    |
    |
    |
    |
    |── твой ответ ──────────────────────────────────────────────────────────────────
    | нет 漢字 yes
    |
    |
    |
    |
    | Ctrl+s отправить   Esc позже   Ctrl+e $EDITOR   Ctrl+t реплика      F1 клавиши
    ");
}

#[test]
fn choices_en_80() {
    let (size, lang) = ((80, 24), Lang::En);
    let mut m = on_session(size, lang, session());
    let choices = [("close", "close the session"), ("extend: …", "go on; the text is the reason")];
    let id = id(9, "cap-fetcher-retries");
    open::question(&mut m, &id, &question(QuestionKind::Close, "close", 1, HOSTILE, &choices));
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries  How often may…    round 2 of 6 · token: writer · 18 min
    | △ 2 invited · 1 spoke · 1 vendor · hermes is out          ! 2 waiting · 14 min
    | [· claude]  ! codex   ✗ hermes                                          writer
    | · answers · round 1
    | round 0 · 00-writer.md
    |─ ! cap-fetcher-retries · close or extend · waits 1 min ────────────────────────
    | The discussion is over; only the closing waits.
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字 👨‍👩‍👧 ❤️ שלום ещё␀ end
    |
    |
    |
    |
    |
    |
    |
    | ▸ close       close the session
    |   extend: …   go on; the text is the reason
    |── your answer ─────────────────────────────────────────────────────────────────
    | write here; leaving keeps it
    |
    |
    |
    |
    | Enter choose  Esc later  Ctrl+e $EDITOR  Ctrl+t turn  Tab choices/text  ? keys
    ");
}

#[test]
fn choices_en_40() {
    let (size, lang) = ((40, 15), Lang::En);
    let mut m = on_session(size, lang, session());
    let choices = [("close", "close the session"), ("extend: …", "go on; the text is the reason")];
    let id = id(9, "cap-fetcher-retries");
    open::question(&mut m, &id, &question(QuestionKind::Close, "close", 1, HOSTILE, &choices));
    insta::assert_snapshot!(drawn(&mut m), @r"
    | 4 cap-fetcher-retries     round 2 of 6
    | △ 2 invited · 1   ! 2 waiting · 14 min
    | spoke · 1 vendor · hermes is out
    |─ ! cap-fetcher-retries · close or ex… ─
    | The discussion is over; only the
    | closing waits.
    | red ␛]0;owned␇ ␛]52;c;aGk=␇ a�b 漢字
    | 👨‍👩‍👧 ❤️ שלום ещё␀ end
    | ▸ close       close the session
    |   extend: …   go on; the text is the…
    |── your answer ─────────────────────────
    | write here; leaving keeps it
    |
    |
    | Enter choose  Esc later         ? keys
    ");
}
