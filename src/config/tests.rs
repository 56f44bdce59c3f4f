//! Pairs of files: what is written, and what it means or everything that is wrong with it.
//!
//! Each folder of `tests/config_pairs` holds a `written.toml` and what is expected: `effective.toml` or
//! `problems.txt`. With `UPDATE_EXPECTED=1` the expectations are written anew; read the diff.

use super::{Config, DEFAULT_FILE, Given, Origin, Overrides, STARTER, keys};
use crate::catalog::name::key_parameters;
use std::fs;
use std::path::Path;

const PAIRS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/config_pairs");
const DOCUMENTATION: &str = include_str!("../../docs/configuration.md");

fn parse(text: &str) -> Result<Config, String> {
    let origin = Origin::File(DEFAULT_FILE.into());
    Config::parse(text, origin, &Overrides::default()).map_err(|error| error.to_string())
}

#[test]
fn what_is_written_means_what_is_expected() {
    let mut different = Vec::new();
    let mut cases: Vec<_> = fs::read_dir(PAIRS).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() >= 25, "the pairs are not where they were");
    for case in cases {
        let written = fs::read_to_string(case.join("written.toml")).unwrap();
        let (name, other, text) = match parse(&written) {
            Ok(config) => ("effective.toml", "problems.txt", config.effective()),
            Err(problems) => ("problems.txt", "effective.toml", problems),
        };
        if is_updating() {
            fs::write(case.join(name), &text).unwrap();
            let _ = fs::remove_file(case.join(other));
        }
        let expected = fs::read_to_string(case.join(name)).unwrap_or_default();
        if expected != text || case.join(other).exists() {
            different.push(format!("--- {}/{name}\n{text}", case.display()));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[expect(clippy::disallowed_methods, reason = "a switch for whoever runs the tests")]
fn is_updating() -> bool {
    std::env::var("UPDATE_EXPECTED").is_ok_and(|value| value == "1")
}

/// The configuration without its origin, for comparison.
fn meaning(config: Config) -> String {
    let origin = Origin::BuiltIn;
    format!("{:?}", Config { origin, ..config })
}

#[test]
fn the_effective_configuration_is_read_back_as_the_same() {
    let cases = fs::read_dir(PAIRS).unwrap().map(|entry| entry.unwrap().path());
    let written = cases.map(|case| fs::read_to_string(case.join("written.toml")).unwrap());
    let mut count = 0;
    for config in written.filter_map(|text| parse(&text).ok()) {
        let again = parse(&config.effective()).unwrap();
        assert_eq!(again.effective(), config.effective());
        assert_eq!(meaning(again), meaning(config));
        count += 1;
    }
    assert!(count >= 4);
}

#[test]
fn the_starter_is_the_built_in_address_book() {
    let config = Config::built_in(&Overrides::default()).unwrap();
    assert_eq!(config.origin, Origin::BuiltIn);
    let pair = Path::new(PAIRS).join("contract_built_in/written.toml");
    let expected = parse(&fs::read_to_string(pair).unwrap()).unwrap();
    assert_eq!(meaning(config), meaning(expected));
}

#[test]
fn the_commented_keys_of_the_starter_are_the_defaults() {
    let uncomment = |line: &str| match line.strip_prefix('#') {
        Some(rest) if !rest.starts_with(' ') => format!("{rest}\n"),
        _ => format!("{line}\n"),
    };
    let spelled_out: String = STARTER.lines().map(uncomment).collect();
    let built_in = Config::built_in(&Overrides::default()).unwrap();
    assert_eq!(meaning(parse(&spelled_out).unwrap()), meaning(built_in));
}

#[test]
fn every_key_is_in_the_starter_and_in_the_documentation() {
    for keys in keys::ALL {
        for key in keys.names {
            let key_in_code = format!("`{key}`");
            let heading = format!("{key}]");
            assert!(STARTER.contains(key), "{} {key} is not in the starter", keys.table);
            assert!(
                DOCUMENTATION.contains(&key_in_code) || DOCUMENTATION.contains(&heading),
                "{} {key} is not in the documentation",
                keys.table
            );
        }
    }
}

/// Every example of the documentation that is a whole file is one that works.
#[test]
fn the_whole_examples_of_the_documentation_are_right() {
    let blocks = DOCUMENTATION.split("```toml\n").skip(1);
    let examples: Vec<&str> = blocks.filter_map(|block| block.split("```").next()).collect();
    let mut whole = examples.iter().filter(|example| example.contains("[[collection]]")).peekable();
    assert!(whole.peek().is_some());
    for example in whole {
        if let Err(problems) = parse(example) {
            panic!("{example}\n{problems}");
        }
    }
}

fn given(text: &str, source: &'static str) -> Option<Given> {
    let text = text.to_owned();
    Some(Given { text, source })
}

#[test]
fn what_is_given_beats_the_file() {
    let overrides = Overrides {
        listen: given("0.0.0.0:0", "--listen"),
        database: given("sqlite:/tmp/other.db", "CARNET_DATABASE"),
        base_url: given("https://x.org/", "--base-url"),
        log: given("debug", "CARNET_LOG"),
        ..Overrides::default()
    };
    // The file's own database could not be used, and is not.
    let written = STARTER.replace("sqlite:carnet.db", "postgres://ann:secret@host:door/db");
    let config = Config::parse(&written, Origin::BuiltIn, &overrides).unwrap();
    let effective = config.effective();
    for line in [
        "listen             = \"0.0.0.0:0\"",
        "database           = \"sqlite:/tmp/other.db\"",
        "base_url           = \"https://x.org\"",
        "level  = \"debug\"",
    ] {
        assert!(effective.contains(line), "{line}\n{effective}");
    }
}

#[test]
fn a_problem_outside_of_the_file_names_its_source() {
    let overrides = Overrides {
        listen: given("8080", "--listen"),
        database: given("postgres://ann:secret@host:door/db", "CARNET_DATABASE"),
        base_url: given("x.org", "--base-url"),
        log: given("loud", "CARNET_LOG"),
        ..Overrides::default()
    };
    let error = Config::built_in(&overrides).unwrap_err();
    assert_eq!(error.problems().len(), 4);
    let text = format!("{error} {error:?} {overrides:?}");
    for source in ["`--listen`", "`CARNET_DATABASE`", "`--base-url`", "`CARNET_LOG` cannot be `loud`"] {
        assert!(text.contains(source), "{source}\n{text}");
    }
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let load = |name: &str| {
        let path = folder.path().join(name);
        Config::load(Some(&path), &Overrides::default()).unwrap_err().to_string()
    };
    fs::write(folder.path().join("latin.toml"), b"[server]\nlisten = \"\xe9\"").unwrap();
    assert!(load("none.toml").contains("none.toml` cannot be read"));
    assert!(load("none.toml").contains("carnet init"));
    assert!(load("").contains("cannot be read"));
    assert!(load("latin.toml").contains("is not UTF-8 text, on line 2"));
}

#[test]
fn with_the_default_name_of_the_parameter_apikey_is_one_too() {
    let config = Config::built_in(&Overrides::default()).unwrap();
    assert_eq!(key_parameters(&config.api.access_parameter), ["accesskey", "apikey"]);
    let written = STARTER.replace("\"accesskey\"", "\"token\"");
    assert_eq!(key_parameters(&parse(&written).unwrap().api.access_parameter), ["token"]);
}

proptest::proptest! {
    /// Whatever is in the file, reading it ends with a configuration or with problems.
    #[test]
    fn no_file_is_too_broken_to_be_judged(cut in 0..STARTER.len(), put in "[\\[\\]{}=\"'#.,\\n a-z0-9é]{0,12}") {
        let cut = STARTER.floor_char_boundary(cut);
        for text in [format!("{}{put}{}", &STARTER[..cut], &STARTER[cut..]), format!("{}{put}", &STARTER[..cut]), put] {
            if let Err(problems) = parse(&text) {
                assert!(problems.contains("error: ") && problems.contains("help: "), "{problems}");
            }
        }
    }
}
