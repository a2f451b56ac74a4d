//! What `show` says of an implementation: trees, edit, reviews, verifications, deployments.

use crate::domain::session::pipeline::finding::Severity;
use crate::domain::session::state::Session;
use crate::ui::text::sanitize;
use serde_json::{Value, json};

/// For scripts; `null` when nothing was implemented.
pub fn json(s: &Session) -> Value {
    let track = s.notes.track.as_ref();
    if track.is_none() && s.reviews.is_empty() && s.verifies.is_empty() {
        return Value::Null;
    }
    let edit = track.and_then(|t| t.edit.as_ref());
    let files = edit.map(|e| e.files.as_slice()).unwrap_or_default();
    let files: Vec<Value> = files
        .iter()
        .map(|f| {
            json!({"repo": f.repo, "path": f.path, "kind": f.kind, "added": f.added, "removed": f.removed, "says": f.says})
        })
        .collect();
    let reviews = s.reviews.iter().map(|r| {
        let findings = r.findings.iter().map(|f| {
            json!({
                "severity": f.severity, "file": f.file, "lines": f.lines, "issue": f.issue, "fix": f.fix,
            })
        });
        json!({"number": r.number, "usable": r.usable, "findings": findings.collect::<Vec<_>>()})
    });
    json!({
        "trees": track.map(|t| &t.trees),
        "edit": edit.map(|e| e.number),
        "files": files,
        "claimed_not_changed": edit.map(|e| &e.missing),
        "changed_not_claimed": edit.map(|e| &e.unclaimed),
        "reserved": edit.map(|e| e.reserved.iter().map(|r| r.label()).collect::<Vec<_>>()),
        "reviews": reviews.collect::<Vec<_>>(),
        "verifications": s.verifies,
        "deployed": track.map(|t| &t.deployed),
        "refused": track.and_then(|t| t.refused.as_ref()),
        "ended": track.and_then(|t| t.ended.as_ref()),
    })
}

/// For people; empty when nothing was implemented.
pub fn lines(s: &Session) -> Vec<String> {
    let mut out = Vec::new();
    let track = s.notes.track.clone().unwrap_or_default();
    for tree in track.trees.iter().filter(|_| !track.cleaned) {
        out.push(format!("tree        {} in {} on {}", tree.name, tree.path, tree.branch));
    }
    for file in track.edit.iter().flat_map(|e| &e.files) {
        out.push(format!("changed     {} {}", sanitize(&file.label()), file.stat()));
    }
    for r in &s.reviews {
        let counts = Severity::ALL.map(|severity| format!("{} {}", r.count(severity), severity.key()));
        out.push(format!("review      {}: {}", r.number, counts.join(", ")));
    }
    out.extend(s.verifies.iter().map(|v| format!("verify      {}: {}", v.number, v.verdict.key())));
    for d in &track.deployed {
        let pushed = if d.pushed { "pushed" } else { "not pushed" };
        out.push(format!("deployed    {} {} ({pushed})", d.repo, d.sha));
    }
    out
}
