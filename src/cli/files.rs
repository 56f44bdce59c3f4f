//! How many files the system lets the process have open: every connection is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::observe::{Event, Observer};

/// Left to the store, the log and those who are told that there are too many connections.
const FOR_OTHERS: usize = 128;

/// Raises the limit as far as the system lets us, and says how many connections fit beneath it: all of these where they
/// do. Beyond that number clients are told so; beyond the system's, nobody could tell them, and the store could open
/// nothing either.
pub(super) fn suffice_for(connections: usize, observer: &Observer) -> usize {
    let Some(files) = raise(observer) else { return connections };
    let fit = room(files);
    if fit >= connections {
        return connections;
    }
    observer.report(Event::Warning(&format!(
        "the system lets this process open no more than {files} files, so {fit} connections may be open at once and \
         not {connections}; raise the limit (ulimit -Hn, or LimitNOFILE= of systemd), or lower max_connections"
    )));
    fit
}

/// The usual soft limit is for programs that know no better; the hard one is what the operator allows. None where there
/// is no limit.
fn raise(observer: &Observer) -> Option<usize> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised =
        current != maximum && setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok();
    let files = if raised { maximum } else { current };
    if raised {
        let words = |limit: Option<u64>| limit.map_or("any number".to_owned(), |limit| limit.to_string());
        let text = format!("{} files may be open at once, it was {}", words(files), words(current));
        observer.report(Event::Detail(&text));
    }
    files.map(|files| usize::try_from(files).unwrap_or(usize::MAX))
}

/// How many connections fit.
fn room(files: usize) -> usize {
    files.saturating_sub(FOR_OTHERS).max(files / 4).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_is_left_for_others() {
        assert_eq!([room(20_000), room(1_024), room(64), room(1)], [19_872, 896, 16, 1]);
    }
}
