//! Imports over HTTP as tests write them down, and how they are followed to their end.

use std::fmt::Write;

use dev::process::Outcome;
use dev::request::Request;
use dev::waiting::{wait_for, wait_until};
use serde_json::Value;

use super::home::Home;
use super::server::Server;

pub(crate) const CSV: &str = "text/csv";
pub(crate) const JSON_LINES: &str = "application/x-ndjson";
pub(crate) const VCARD: &str = "text/vcard";

/// A file for a collection, which is named as in `users/?match=id`.
pub(crate) fn import(into: &str, kind: &str, file: impl Into<Vec<u8>>) -> Request {
    Request::new(&format!("POST /_/import/{into}")).header("Content-Type", kind).body(file)
}

/// A CSV file for a collection.
pub(crate) fn csv(into: &str, file: impl Into<Vec<u8>>) -> Request {
    import(into, CSV, file)
}

/// Imports a file here, by the command.
pub(crate) fn import_file(home: &Home, name: &str, content: impl AsRef<[u8]>, more: &[&str]) -> Outcome {
    std::fs::write(home.path(name), content).unwrap();
    let mut arguments = vec!["import", name];
    arguments.extend(more);
    home.run(&arguments)
}

/// So many users as CSV, no two of them equal, who share 500 addresses.
pub(crate) fn people(number: usize) -> String {
    let mut file =
        "first_name,last_name,address.country,address.city,address.street,address.number\n".to_owned();
    for at in 0..number {
        writeln!(file, "F,L{at},France,Paris,rue de Rivoli,{}", at % 500).unwrap();
    }
    file
}

/// How many records were created, were changed, and stayed as they were.
#[track_caller]
pub(crate) fn counts(report: &Value) -> [i64; 3] {
    ["created", "updated", "unchanged"]
        .map(|name| report[name].as_i64().unwrap_or_else(|| panic!("{name}: {report}")))
}

/// Whether an import goes on.
pub(crate) fn is_under_way(report: &Value) -> bool {
    ["judging", "storing"].contains(&report["state"].as_str().unwrap_or_else(|| panic!("{report}")))
}

impl Server {
    /// Imports a small file without faults, and gives the report.
    #[track_caller]
    pub(crate) fn imports(&self, request: &Request) -> Value {
        let answer = self.send(request);
        assert_eq!(answer.status, 200, "{request:?}: {answer:?}");
        let report = answer.json();
        assert_eq!(report["state"], "done", "{request:?}: {report}");
        report
    }

    /// Imports a file with so many faults, whose first one is said in these words, and gives the report.
    #[track_caller]
    pub(crate) fn finds_faults(&self, request: &Request, first: &str, number: usize) -> Value {
        let said = self.refuses_request(request, 400);
        let faults = if number == 1 { "1 fault".to_owned() } else { format!("{number} faults") };
        let words = format!("{first} ({faults} in all). Nothing was stored; all of them: ");
        let path = said.strip_prefix(&words).unwrap_or_else(|| panic!("{said} does not begin with {words}"));
        let report = self.report(path);
        assert_eq!((&report["state"], &report["error"]), (&"refused".into(), &Value::Null), "{report}");
        assert_eq!(report["fault_count"], number, "{report}");
        report
    }

    /// Begins an import that takes long, and gives the path of its report.
    #[track_caller]
    pub(crate) fn begins(&self, request: Request) -> String {
        let answer = self.send(&request.header("Prefer", "wait=0"));
        assert_eq!(answer.status, 202, "{answer:?}");
        let report = answer.json();
        assert!(is_under_way(&report), "{report}");
        let path = report["ressource_uri"].as_str().unwrap_or_else(|| panic!("{report}"));
        assert_eq!(path, format!("/_/imports/{}/", report["id"]));
        assert_eq!(answer.header("Location"), Some(&format!("{}{path}", self.base_url())[..]));
        path.to_owned()
    }

    /// The report of an import as it stands.
    #[track_caller]
    pub(crate) fn report(&self, path: &str) -> Value {
        let answer = self.ask(&format!("GET {path}"));
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    /// Follows an import to its end. It may take as long as it likes while there is something new.
    #[track_caller]
    pub(crate) fn follow(&self, path: &str) -> Value {
        let mut report = self.report(path);
        while is_under_way(&report) {
            let next = || Some(self.report(path)).filter(|now| *now != report);
            report = wait_for(|| next().ok_or_else(|| format!("it does not go on: {report}")));
        }
        report
    }

    /// Waits until a list has more than so many records.
    #[track_caller]
    pub(crate) fn wait_for_more_than(&self, total: i64, list: &str) {
        wait_until(&format!("nothing is added to {list}"), || self.total(list) > total);
    }
}
