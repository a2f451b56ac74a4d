//! Errors as a person reads them: kind, cause, next step; and their exit codes (PC-011).

use std::fmt;

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Failed,
    Usage,
    /// Something waits for the pilot.
    Waiting,
    NoPeer,
    Busy,
}

/// An error of a command.
#[derive(Debug)]
pub struct CliError {
    pub kind: Kind,
    pub cause: String,
    pub next: String,
}

impl CliError {
    pub fn new(kind: Kind, cause: impl fmt::Display, next: impl Into<String>) -> CliError {
        CliError { kind, cause: cause.to_string(), next: next.into() }
    }

    pub fn failed(cause: impl fmt::Display) -> CliError {
        CliError::new(Kind::Failed, cause, "")
    }

    pub fn usage(cause: impl fmt::Display, next: impl Into<String>) -> CliError {
        CliError::new(Kind::Usage, cause, next)
    }

    /// The process exit code.
    pub fn code(&self) -> u8 {
        match self.kind {
            Kind::Failed => 1,
            Kind::Usage => 2,
            Kind::Waiting => 3,
            Kind::NoPeer => 4,
            Kind::Busy => 5,
        }
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Failed => "error",
            Kind::Usage => "usage error",
            Kind::Waiting => "waiting for the pilot",
            Kind::NoPeer => "no usable peer",
            Kind::Busy => "busy",
        };
        write!(f, "{kind}: {}", self.cause)?;
        if self.next.is_empty() { Ok(()) } else { write!(f, "\nnext: {}", self.next) }
    }
}

impl std::error::Error for CliError {}
