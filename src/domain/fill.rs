//! Texts with places to fill in.

/// Puts the values in place of `{{name}}`. One pass: an inserted value is never looked at again, so a task or a reply
/// that contains `{{…}}` or `<…>` goes through as it is. Unknown names stay.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len() + values.iter().map(|(_, v)| v.len()).sum::<usize>());
    let mut rest = template;
    while let Some(at) = rest.find("{{") {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 2..];
        let known = tail.find("}}").and_then(|end| {
            values.iter().find(|(name, _)| *name == &tail[..end]).map(|(_, value)| (end, *value))
        });
        match known {
            Some((end, value)) => {
                out.push_str(value);
                rest = &tail[end + 2..];
            }
            None => {
                out.push_str("{{");
                rest = tail;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The names in `{{…}}` of a template, in order.
pub fn names(template: &str) -> Vec<&str> {
    template.split("{{").skip(1).filter_map(|part| part.split_once("}}").map(|(name, _)| name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_inserted_verbatim_and_never_looked_at_again() {
        let got = fill("a {{x}} {{y}} {{z}} {{", &[("x", "{{y}} <task> {}"), ("y", "{{x}}")]);
        assert_eq!(got, "a {{y}} <task> {} {{x}} {{z}} {{");
        assert_eq!(fill("{{{{x}}", &[("x", "1")]), "{{1");
        assert_eq!(names("{{a}} {{b}} {{c"), ["a", "b"]);
    }
}
