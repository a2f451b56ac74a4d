//! What the verifying agent is asked (PC-530).

use super::implement::{files, trees};
use super::{Text, fill, text};
use crate::domain::lang::Lang;
use crate::domain::session::pipeline::change::{FileChange, Tree};

const VERIFY: Text = text!("verify.txt");

#[derive(Debug, Clone, Copy)]
pub struct VerifyPrompt<'a> {
    pub lang: Lang,
    pub session: &'a str,
    pub summary: &'a str,
    pub files: &'a [FileChange],
    pub trees: &'a [Tree],
}

pub fn verify(p: &VerifyPrompt) -> String {
    fill(
        VERIFY.of(p.lang),
        &[
            ("session", p.session),
            ("summary", p.summary.trim()),
            ("files", &files(p.files)),
            ("trees", &trees(p.trees)),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::pipeline::verdict::said;

    #[test]
    fn pc_530_an_echo_of_the_prompt_is_no_verdict() {
        for lang in [Lang::En, Lang::Ru] {
            let asked = verify(&VerifyPrompt { lang, session: "s", summary: "caps", files: &[], trees: &[] });
            assert!(asked.contains("VERDICT") && asked.contains("caps"), "{asked}");
            assert_eq!(said(&asked), None);
        }
    }
}
