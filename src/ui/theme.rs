//! Colours as roles: what a colour means, never which one it is.

/// The meanings that a theme gives a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Text,
    Muted,
    Border,
    Focus,
    Selection,
    Running,
    Waiting,
    Done,
    Failed,
    Escalated,
    Gate,
    Writer,
    Peer1,
    Peer2,
    Peer3,
    Peer4,
    Peer5,
    Peer6,
    DiffAdd,
    DiffDel,
    Warning,
    Link,
}
