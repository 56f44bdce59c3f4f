//! How far an import is, in the words of its report.

/// How far an import is, or how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Judging,
    Storing,
    Done,
    /// Something is wrong with the file, and nothing was stored.
    Refused,
    /// It came to no end; what was stored is whole.
    Stopped,
}

impl State {
    const ALL: [Self; 5] = [Self::Judging, Self::Storing, Self::Done, Self::Refused, Self::Stopped];

    pub fn name(self) -> &'static str {
        match self {
            Self::Judging => "judging",
            Self::Storing => "storing",
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Stopped => "stopped",
        }
    }

    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}
