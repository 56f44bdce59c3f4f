//! The text of a configuration → what it means, or everything that is wrong with it.

use carnet::config::{Config, ConfigError, Origin, Overrides};
use carnet::store::fuzzing::of_tables;

use crate::{is_planted, sql};

const CANARY: &str = "canary-in-the-coal-mine";

pub(crate) fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match parse(text) {
        Ok(config) => accepted(&config),
        Err(error) => refused(text, &error),
    }
    // The same around an address that holds a password: whatever is said of it, the password is not.
    let (before, after) = text.split_at(text.char_indices().nth(text.len() / 2).map_or(0, |(at, _)| at));
    let with_password = format!("{before}\ndatabase = \"postgres://ann:{CANARY}@host/db{after}");
    match parse(&with_password) {
        Ok(config) => assert!(!format!("{}{config:?}", config.effective()).contains(CANARY)),
        Err(error) => assert!(!format!("{error}{error:?}").contains(CANARY), "{error}"),
    }
}

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, Origin::File("fuzz.toml".into()), &Overrides::default())
}

/// Written out with every default, it is read back as the same.
fn accepted(config: &Config) {
    let mut effective = config.effective();
    if is_planted() {
        // The planted bug: a key that is not written out.
        effective = effective.replace("count_key ", "#count_key ");
    }
    let again = parse(&effective).unwrap_or_else(|error| panic!("{effective}\n{error}"));
    assert_eq!(again.effective(), config.effective());
    for statement in of_tables(&config.catalog) {
        sql::judge(&config.catalog, &statement, '?', 0);
    }
}

/// Every problem has a place that can be shown, and nothing in it commands a terminal.
fn refused(text: &str, error: &ConfigError) {
    assert!(!error.problems().is_empty());
    for problem in error.problems() {
        let spans = problem.span.iter().chain(problem.related.as_ref().map(|(span, _)| span));
        for span in spans {
            assert!(text.get(span.clone()).is_some(), "{span:?} of {} bytes: {problem:?}", text.len());
        }
    }
    for in_colour in [false, true] {
        let shown = error.render(in_colour);
        let strange = shown.chars().find(|c| c.is_control() && *c != '\n' && !(in_colour && *c == '\u{1b}'));
        assert_eq!(strange, None, "{shown:?}");
    }
}
