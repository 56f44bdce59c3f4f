//! The report of an import at a server: read from its JSON, and found by its path.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::transfer::import::{Fault, Faults, Report, State};

/// What the paths of reports begin with.
const REPORTS: &str = "/_/imports/";

/// The report as it is at a moment.
#[derive(Debug)]
pub(super) struct RemoteReport {
    pub(super) state: State,
    /// How many entries the file has, once that is known.
    pub(super) entries: Option<u64>,
    /// Why it was stopped.
    pub(super) error: Option<String>,
    pub(super) report: Report,
}

impl RemoteReport {
    /// None where it is no report. What a report does not have counts as nothing.
    pub(super) fn parse(body: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(body).ok()?;
        let state = State::find(value["state"].as_str()?)?;
        let number = |name: &str| value[name].as_u64().unwrap_or(0);
        let mut report = Report::default();
        report.read = number("read");
        report.created = number("created");
        report.updated = number("updated");
        report.unchanged = number("unchanged");
        report.related = counts(&value["related"]);
        report.ignored = counts(&value["ignored"]);
        report.was_stored = state == State::Done && value["dry_run"] != true;
        report.faults = Faults { kept: list(&value["faults"], fault), count: number("fault_count") };
        report.mapping = list(&value["mapping"], |row| Some((text(&row["column"])?, text(&row["field"])?)));
        report.first = list(&value["first"], text);
        Some(Self { state, entries: value["entries"].as_u64(), error: text(&value["error"]), report })
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.state, State::Done | State::Refused | State::Stopped)
    }
}

/// The path of a report, which stands last in a URL or a sentence.
pub(super) fn path_in(text: &str) -> Option<&str> {
    let path = &text[text.rfind(REPORTS)?..];
    let number = &path[REPORTS.len()..].strip_suffix('/')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(path)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn counts(value: &Value) -> BTreeMap<String, u64> {
    let members = value.as_object().into_iter().flatten();
    members.filter_map(|(name, number)| Some((name.clone(), number.as_u64()?))).collect()
}

fn list<T>(value: &Value, read: impl Fn(&Value) -> Option<T>) -> Vec<T> {
    value.as_array().into_iter().flatten().filter_map(read).collect()
}

fn fault(value: &Value) -> Option<Fault> {
    Some(Fault::new(value["line"].as_u64().unwrap_or(0), text(&value["fault"])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_the_same_summary_as_an_import_here() {
        let body = br#"{"id":17,"ressource_uri":"/_/imports/17/","collection":"users","format":"csv","state":"done",
            "dry_run":false,"entries":9,"read":9,"created":2,"updated":3,"unchanged":4,"related":{"address":1},
            "ignored":{"PHOTO":8},"fault_count":1,"faults":[{"line":9,"fault":"line 9: record 41 was changed meanwhile"}],
            "mapping":[{"column":"First Name","field":"first_name"}],"first":["{}"],"error":null}"#;
        let RemoteReport { state, entries, error, report } = RemoteReport::parse(body).unwrap();
        assert_eq!((state, entries, error), (State::Done, Some(9), None));
        let summary = "read 9: created 2, updated 3, unchanged 4; address: created 1; ignored PHOTO 8";
        assert_eq!(report.summary(), summary);
        assert!(report.was_stored && report.faults.count == 1);
        assert_eq!(report.faults.kept[0].words, "line 9: record 41 was changed meanwhile");
        assert_eq!(report.mapping, [("First Name".to_owned(), "first_name".to_owned())]);
        for none in [&b"[]"[..], b"", b"{}", br#"{"state":"lost"}"#] {
            assert!(RemoteReport::parse(none).is_none());
        }
    }

    #[test]
    fn the_path_of_a_report_is_found_and_nothing_else() {
        for text in [
            "http://127.0.0.1:8080/_/imports/17/",
            "/book/_/imports/17/",
            "line 7: last_name is missing (12 faults in all). Nothing was stored; all of them: /_/imports/17/",
        ] {
            assert_eq!(path_in(text), Some("/_/imports/17/"), "{text}");
        }
        for text in
            ["", "/_/imports/", "/_/imports//", "/_/imports/17", "/_/imports/17/?a=b", "/_/imports/../"]
        {
            assert_eq!(path_in(text), None, "{text}");
        }
    }
}
