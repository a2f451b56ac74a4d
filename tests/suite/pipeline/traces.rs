//! Where a line, a finding and an objection come from and what became of them: on the command line, and as a screen is
//! told it through the socket of a real engine.

use super::world::World;
use crate::diffs::Screen;
use flightdeck::domain::session::id::SessionId;
use flightdeck::engine::wire::trace::{Goal, Kind, Step, Traced};
use flightdeck::engine::wire::{Ask, Tell};
use serde_json::Value;

#[test]
fn a_deployed_line_is_traced_back_to_what_argued_for_it() {
    let review = r#"case "$FLIGHTDECK_ROUND" in
1) printf '## Critical\n- app/code.txt:2: the size is not bounded | fix: bound it\n' ;;
*) printf '## OK\n' ;;
esac"#;
    let edit = r#"case "$FLIGHTDECK_ROUND" in
1) echo "the cache stays small" >> code.txt ;;
*) echo "size is bounded by the load" >> code.txt ;;
esac; printf 'changed_files:\n- code.txt — bounds the size\n'"#;
    let world = World::new(&["app"], edit, review, "true");
    let ran = world.run(&[]);
    world.assert_deployed(&ran, &["app"]);
    let trace = |place: &str| world.stage.run(&["trace", "--json", place]);
    let code = world.path("app/code.txt");
    let at = |n: u32| -> Value {
        let ran = trace(&format!("{}:{n}", code.display()));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        serde_json::from_str(&ran.out).unwrap()
    };
    let (first, second) = (at(2), at(3));
    assert_eq!(first["commit"], world.git("app", &["rev-parse", "HEAD"]));
    assert_eq!(first["origin"]["session"], world.stage.id());
    assert_eq!(
        (&first["origin"]["edit"]["number"], &second["origin"]["edit"]["number"]),
        (&Value::from(1), &Value::from(2))
    );
    assert_eq!(second["origin"]["edit"]["wanted_by"], "review-01.md");
    assert_eq!(second["origin"]["decision"], "B");
    assert_eq!(
        second["origin"]["findings"][0]["text"],
        "Critical: app/code.txt:2: the size is not bounded | fix: bound it"
    );
    assert_eq!(first["origin"]["consensus"][0], "01-peer.md: the cache stays small");
    let argued = &second["origin"]["sentences_by_shared_words"][0];
    assert!(argued["file"] == "01-peer.md" && argued["text"].as_str().unwrap().contains("load"), "{argued}");
    let ran = trace(&format!("{}:1", code.display()));
    assert_eq!(ran.code, Some(1), "no session wrote this line: {ran:?}");
    let people = world.stage.run(&["trace", &format!("{}:3", code.display())]);
    assert!(people.out.contains("by words, not by meaning"), "{}", people.out);
    let forward = world.stage.run(&["trace", &world.stage.id()]);
    assert!(forward.code == Some(0) && forward.out.contains("nobody objected"), "{forward:?}");
    assert_eq!(world.stage.run(&["trace", "nonsense"]).code, Some(2));
}

/// `bo` objects once and then agrees.
const OBJECTS: &str = r#"
case "$FLIGHTDECK_CALL:$FLIGHTDECK_ROUND" in
discovery:*) reply critic "I am bo and take the role as proposed; I answer on standard output only, without touching files." ;;
*:1) reply critic "However, the size is not bounded by anything, and the load grows with every client that is added." ;;
*) reply critic "The answer of the writer settles what I asked for, for our load and for the clients.
CONSENSUS: the size is bounded by the load" ;;
esac
"#;

fn trace(screen: &mut Screen, id: &str, of: Traced) -> Result<Vec<Step>, String> {
    let id = SessionId::parse(id).unwrap();
    screen.ask(&Ask::Trace { id: id.clone(), of: of.clone() });
    let (steps, why) = screen.told(|tell| match tell {
        Tell::Trace { id: about, of: what, steps, why } if about == id && what == of => Some((steps, why)),
        _ => None,
    });
    why.map_or(Ok(steps), Err)
}

/// What the steps are, and the words of their places.
fn names(steps: &[Step]) -> Vec<String> {
    let name = |step: &Step| {
        let kind = serde_json::to_value(&step.kind).unwrap()["kind"].as_str().unwrap().to_string();
        if step.below { format!("  {kind}") } else { kind }
    };
    steps.iter().map(name).collect()
}

/// The line of the session's file that a step leads to.
#[track_caller]
fn led_to(world: &World, steps: &[Step], is: fn(&Kind) -> bool) -> (String, String) {
    let step = steps.iter().find(|s| is(&s.kind)).unwrap_or_else(|| panic!("{steps:?}"));
    let Some(Goal::File { file, line, .. }) = &step.goal else { panic!("{step:?}") };
    let text = world.stage.file(file);
    (file.clone(), text.lines().nth(*line as usize - 1).unwrap_or_default().to_string())
}

#[test]
fn a_screen_is_led_from_a_line_to_the_sentence_and_back() {
    let review = r#"case "$FLIGHTDECK_ROUND" in
1) printf '## Critical\n- app/code.txt:2: the size is not bounded | fix: bound it\n' ;;
*) printf '## OK\n' ;;
esac"#;
    let edit = r#"case "$FLIGHTDECK_ROUND" in
1) echo "    the cache stays small" >> code.txt ;;
*) echo "    size is bounded by the load" >> code.txt ;;
esac; printf 'changed_files:\n- code.txt — bounds the size\n'"#;
    let world = World::new(&["app"], edit, review, "true");
    world
        .stage
        .script("bo", &format!("[ \"$FLIGHTDECK_CALL\" = review ] && {{ {review}\nexit; }}\n{OBJECTS}"));
    world.hook("app", "pre-commit", "exit 1");
    let ran = world.run(&[]);
    let (question, _) = world.question(&ran);
    let id = world.stage.id();
    let line =
        |line, old, text: &str| Traced::Line { label: "app/code.txt".into(), line, old, text: text.into() };
    let bounded = || line(3, false, "    size is bounded by the load");

    let mut screen = Screen::of(&world.stage);
    let steps = trace(&mut screen, &id, bounded()).unwrap();
    assert_eq!(names(&steps)[..2], ["line", "uncommitted"], "the hook refused it");
    assert!(!names(&steps).contains(&"deployed".to_string()));
    assert!(names(&steps).contains(&"decision".to_string()), "why it was written is known before");
    screen.end();

    world.hook("app", "pre-commit", "exit 0");
    let ran = world.answer(&question, "retry");
    world.assert_deployed(&ran, &["app"]);
    let mut screen = Screen::of(&world.stage);
    let steps = trace(&mut screen, &id, bounded()).unwrap();
    let want = [
        "line",
        "commit",
        "session",
        "deployed",
        "edit",
        "finding",
        "decision",
        "consensus",
        "sentence",
        "sentence",
        "sentence",
        "objection",
        "  withdrawn",
    ];
    assert_eq!(names(&steps), want);
    assert_eq!(steps[0].goal, Some(Goal::Diff { label: "app/code.txt".into(), line: 3 }));
    let head = world.git("app", &["rev-parse", "HEAD"]);
    assert!(matches!(&steps[1].kind, Kind::Commit { sha } if *sha == head));
    assert!(matches!(&steps[4].kind, Kind::Edit { number: 2, wanted_by } if wanted_by == "review-01.md"));
    let (file, said) = led_to(&world, &steps, |k| matches!(k, Kind::Finding));
    assert_eq!((file.as_str(), said.contains("not bounded")), ("review-01.md", true), "{said}");
    let (file, said) = led_to(&world, &steps, |k| matches!(k, Kind::Decision { .. }));
    assert_eq!((file.as_str(), said.as_str()), ("meta.yaml", "engine_decision: \"B\""));
    let (_, said) = led_to(&world, &steps, |k| matches!(k, Kind::Consensus));
    assert_eq!(said, "CONSENSUS: the size is bounded by the load");
    let (_, said) = led_to(&world, &steps, |k| matches!(k, Kind::Sentence { .. }));
    assert!(said.contains("load"), "{said}");
    let (_, said) = led_to(&world, &steps, |k| matches!(k, Kind::Objection { .. }));
    assert!(said.contains("However, the size is not bounded"), "{said}");

    let first = trace(&mut screen, &id, line(2, false, "    the cache stays small")).unwrap();
    let by = |steps: &[Step]| {
        steps.iter().find_map(|s| match &s.kind {
            Kind::Edit { number, .. } => Some(*number),
            _ => None,
        })
    };
    assert_eq!((by(&first), by(&steps)), (Some(1), Some(2)));
    let before = trace(&mut screen, &id, line(1, true, "one")).unwrap();
    assert_eq!(names(&before), ["line", "commit", "foreign"], "no session wrote what was there before");
    assert_eq!(before[1].text, "begin");

    let found = trace(&mut screen, &id, Traced::Finding { review: 1, at: 0 }).unwrap();
    assert_eq!(names(&found)[..5], ["finding", "line", "edit", "gone", "decision"]);
    assert_eq!(found[1].goal, Some(Goal::Diff { label: "app/code.txt".into(), line: 2 }));
    let (file, _) = led_to(&world, &found, |k| matches!(k, Kind::Gone));
    assert_eq!(file, "review-02.md");
    assert!(names(&found).contains(&"objection".to_string()), "it says what the objection said");
    let text = world.stage.file("review-01.md");
    let at = text.lines().position(|l| l.contains("not bounded")).unwrap() as u32 + 1;
    let place = |file: &str, line| Traced::Place { file: file.into(), line };
    assert_eq!(trace(&mut screen, &id, place("review-01.md", at)).unwrap(), found);

    let objections = trace(&mut screen, &id, Traced::Objections).unwrap();
    let want = ["objection", "  withdrawn", "  finding", "  changed", "decision", "consensus"];
    assert_eq!(names(&objections), want);
    assert_eq!(objections[3].goal, Some(Goal::Diff { label: "app/code.txt".into(), line: 0 }));
    let Some(Goal::File { file, line: at, .. }) = objections[0].goal.clone() else { panic!() };
    assert_eq!(trace(&mut screen, &id, place(&file, at)).unwrap(), objections);

    let gone = trace(
        &mut screen,
        &id,
        Traced::Line { label: "site/x".into(), line: 1, old: false, text: "x".into() },
    );
    assert!(gone.unwrap_err().contains("site/x"));
    let outside = trace(&mut screen, &id, place("../../.config/flightdeck/config.yaml", 2)).unwrap();
    assert_eq!(outside, objections, "no file outside of the session's folder is read");
    let nobody = SessionId::parse("2020-01-01-01-nobody").unwrap();
    assert!(trace(&mut screen, &nobody.to_string(), Traced::Objections).is_err());
    screen.end();
}
