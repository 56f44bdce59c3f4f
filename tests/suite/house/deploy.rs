//! What `deploy/` tells to install is there once, and its steps lead to one database.

use std::fs;
use std::process::Command;

use super::repository::{PAGES, files, read};

#[test]
fn there_is_one_unit_for_systemd() {
    assert_eq!(files("deploy", ".service"), ["deploy/carnet.service"]);
    for page in PAGES {
        let text = read(page);
        assert!(!text.contains("[Service]") && !text.contains("ExecStart="), "{page} has a unit of its own");
    }
    let page = read("deploy/README.md");
    assert!(page.contains("sudo install -m 0644 deploy/carnet.service /etc/systemd/system/\n"));
}

/// The steps are done as they stand, but for their folders and for who does them, from somewhere else.
#[test]
fn the_steps_for_systemd_make_one_database_where_the_unit_looks_for_it() {
    let root = tempfile::tempdir().unwrap();
    let [etc, var, elsewhere] = ["etc", "var", "elsewhere"].map(|name| root.path().join(name));
    for folder in [&var, &elsewhere] {
        fs::create_dir(folder).unwrap();
    }
    let unit = read("deploy/carnet.service");
    assert!(unit.contains("\nExecStart=/usr/local/bin/carnet --config /etc/carnet/carnet.toml\n"));
    assert!(
        unit.contains("\nStateDirectory=carnet\nStateDirectoryMode=0700\nWorkingDirectory=/var/lib/carnet\n")
    );

    let page = read("deploy/README.md");
    let steps = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let done = steps
        .lines()
        .filter(|line| ["carnet init", "sed ", "carnet keys"].iter().any(|it| line.contains(it)));
    let done: Vec<&str> = done.collect();
    assert_eq!(done.len(), 3, "{done:?}");
    for line in done {
        let line = line
            .replace("sudo -u carnet ", "")
            .replace("sudo ", "")
            .replace("/usr/local/bin/carnet", env!("CARGO_BIN_EXE_carnet"))
            .replace("/etc/carnet", etc.to_str().unwrap())
            .replace("/var/lib/carnet", var.to_str().unwrap());
        let ran = Command::new("sh").args(["-euc", &line]).current_dir(&elsewhere).output().unwrap();
        assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    assert!(var.join("carnet.db").is_file());
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "something was left where the steps were typed");
}
