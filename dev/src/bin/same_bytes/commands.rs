//! What the commands say: about every configuration that the suite has, right or wrong, and about themselves.

use std::path::Path;

use dev::process::{Process, carnet};

use crate::differences::Differences;
use crate::lists::list;
use crate::{Programs, normal, served};

/// On the built-in address book, in this order, in a folder that is empty at first.
const COMMANDS: &str = "\
    --help | --version | help serve | help init | help check | help keys | help audit | help copy | \
    help openapi | help completions | help man | keys create --help | nothing | --nothing | check --confg x | \
    serve --listen nowhere | man | completions bash | completions zsh | completions fish | check | openapi | \
    keys list | keys create ann --key abcdefghijklmnop | keys create ann --key abcdefghijklmnop | \
    keys create short --key abc --scope users:read | keys create x --scope nothing | keys list | \
    keys list --json | keys rotate ann | keys revoke ann | keys revoke ann | audit | init";

pub(crate) fn compare(programs: &Programs, differences: &mut Differences) {
    differences.place = "commands".to_owned();
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    // Under one name, by which it speaks of itself.
    for (folder, program) in folders.iter().zip([&programs.old, &programs.new]) {
        std::os::unix::fs::symlink(program, folder.path().join("carnet")).unwrap();
    }
    for command in list(COMMANDS) {
        both(&folders, &command.split(' ').collect::<Vec<_>>(), differences);
    }
    both(&folders, &["check"], differences);
    for pair in served::pairs() {
        let name = pair.rsplit('/').next().unwrap().to_owned();
        for folder in &folders {
            std::fs::copy(Path::new(&pair).join("written.toml"), folder.path().join("book.toml")).unwrap();
        }
        differences.place = format!("commands, with {name}");
        for command in ["check", "openapi", "serve"] {
            // A server that would start goes on; those have been compared.
            if command != "serve" || Path::new(&pair).join("problems.txt").exists() {
                both(&folders, &[command, "--config", "book.toml"], differences);
            }
        }
    }
}

fn both(folders: &[tempfile::TempDir; 2], words: &[&str], differences: &mut Differences) {
    let said = folders.each_ref().map(|folder| {
        let mut command = carnet(folder.path().join("carnet"), words);
        command.current_dir(folder.path());
        let outcome = Process::start(command).outcome();
        let text = format!("{:?}\n{}\n{}", outcome.code, outcome.stdout, outcome.stderr);
        let text = text.replace(folder.path().to_str().unwrap(), "(folder)");
        if words.first().is_some_and(|word| ["keys", "audit"].contains(word)) {
            normal::keys(&text)
        } else {
            text
        }
    });
    differences.compare(&format!("carnet {}", words.join(" ")), said[0].as_bytes(), said[1].as_bytes());
}
