//! Runs kept inputs through their targets, and then changes of them that chance makes, without guidance.
//!
//! `replay CORPUS DICTIONARIES RUNS SEED [TARGET]`: `CORPUS/<target>/` holds the inputs of each target. The same seed
//! makes the same changes.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;
use std::{env, fs, io};

use carnet_fuzz::TARGETS;
use dev::dice::Dice;

/// What is being run, for the last words of a run that ends here.
static NOW: Mutex<(String, Vec<u8>)> = Mutex::new((String::new(), Vec::new()));

/// A server takes as long for one input as a parser for many.
const SERVER_SHARE: u64 = 10;
const LONGEST: usize = 2048;

fn main() -> io::Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (corpus, dictionaries, runs, seed, only) = match arguments.as_slice() {
        [corpus, dictionaries, runs, seed] => (corpus, dictionaries, runs, seed, None),
        [corpus, dictionaries, runs, seed, only] => (corpus, dictionaries, runs, seed, Some(only)),
        _ => return Ok(usage()),
    };
    let (Ok(runs), Ok(seed)) = (runs.parse::<u64>(), seed.parse::<u64>()) else { return Ok(usage()) };
    // The product turns a panic into a 500 and goes on. Here it is the end.
    let say = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        say(panic);
        if let Ok(now) = NOW.try_lock() {
            let _ = fs::write("findings/replayed", &now.1);
            eprintln!("while running {}; the input is in fuzz/findings/replayed", now.0);
        }
        std::process::exit(101);
    }));
    for (name, run) in TARGETS {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        let began = Instant::now();
        let inputs = inputs(&Path::new(corpus).join(name))?;
        for (path, input) in &inputs {
            note(path, input);
            run(input);
        }
        let words = words(&fs::read_to_string(Path::new(dictionaries).join(format!("{name}.dict")))?);
        let runs = if matches!(name, "router" | "batch") { runs / SERVER_SHARE } else { runs };
        let mut dice = Dice::new(seed);
        for number in 0..runs {
            let input = change(&mut dice, &inputs, &words);
            note(&format!("change {number} of {name} (seed {seed})"), &input);
            run(&input);
        }
        println!(
            "{name}: {} inputs and {runs} changes of them in {:.1} s",
            inputs.len(),
            began.elapsed().as_secs_f64()
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn usage() -> ExitCode {
    eprintln!("usage: replay CORPUS DICTIONARIES RUNS SEED [TARGET]");
    ExitCode::from(2)
}

fn note(what: &str, input: &[u8]) {
    if let Ok(mut now) = NOW.lock() {
        *now = (what.to_owned(), input.to_owned());
    }
}

/// The kept inputs of a target, in the order of their names: at least one.
fn inputs(folder: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    let of_each = |entry: &fs::DirEntry| Ok((entry.path().display().to_string(), fs::read(entry.path())?));
    let inputs: Vec<_> = entries.iter().map(of_each).collect::<io::Result<_>>()?;
    if inputs.is_empty() {
        return Err(io::Error::other(format!("{} is empty", folder.display())));
    }
    Ok(inputs)
}

/// The words of a dictionary, each in quotes, other bytes as `\\x0a`.
fn words(text: &str) -> Vec<Vec<u8>> {
    let quoted = text.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    quoted
        .map(|word| {
            let mut parts = word.split("\\x");
            let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
            for part in parts {
                bytes.extend(part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()));
                bytes.extend_from_slice(part.get(2..).unwrap_or_default().as_bytes());
            }
            bytes
        })
        .collect()
}

/// One of the inputs with a few changes: a byte, a word, something gone, something twice, the end of another.
fn change(dice: &mut Dice, inputs: &[(String, Vec<u8>)], words: &[Vec<u8>]) -> Vec<u8> {
    let mut input = inputs[dice.below(inputs.len())].1.clone();
    for _ in 0..=dice.below(6) {
        let (start, end) = (dice.below(input.len() + 1), dice.below(input.len() + 1));
        let (start, end) = (start.min(end), start.max(end));
        match dice.below(6) {
            0 if start < input.len() => input[start] = dice.below(256) as u8,
            1 => drop(input.drain(start..end.min(start + 8))),
            2 => input.insert(start, dice.below(128) as u8),
            3 => {
                let part = input[start..end.min(start + 32)].to_vec();
                input.splice(start..start, part);
            }
            4 => {
                let other = &inputs[dice.below(inputs.len())].1;
                input.truncate(start);
                input.extend_from_slice(&other[dice.below(other.len() + 1)..]);
            }
            _ => {
                let word = words[dice.below(words.len())].clone();
                input.splice(start..start, word);
            }
        }
    }
    input.truncate(LONGEST);
    input
}
