//! What is said on standard output and on standard error.

use std::io::{self, IsTerminal, Write};

use super::environment;
use crate::config::ConfigError;

/// Says a result on standard output. A reader that has gone away has heard enough.
pub(super) fn say(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome,
    }
}

/// Says something about the result on standard error.
pub(super) fn remark(text: &str) {
    // Where standard error is closed there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Says what went wrong, with its causes.
pub(super) fn complain(error: &anyhow::Error) {
    match error.downcast_ref::<ConfigError>() {
        Some(problems) => remark(problems.render(is_colourful()).trim_end()),
        None => remark(&format!("carnet: {error:#}")),
    }
}

/// Whether a person is watching who can see colours.
fn is_colourful() -> bool {
    io::stderr().is_terminal() && allows_colour()
}

/// Whether the environment has nothing against colours.
pub(super) fn allows_colour() -> bool {
    environment::read("NO_COLOR").is_none()
        && environment::read("TERM").is_none_or(|terminal| terminal != "dumb")
}
