//! Days and moments: what is taken, how it is answered, how it is found and sorted.

use dev::configs;
use serde_json::json;

use crate::support::server::Server;

const DAY: &str = "born does not validate: it is a day such as 1815-12-10";
const MOMENT: &str = "met does not validate: it is a moment such as 2027-01-31T12:00:00Z";

fn server() -> Server {
    Server::start(&configs::dates())
}

fn event(field: &str, value: &serde_json::Value) -> String {
    let mut body = json!({ "name": "a" });
    body[field] = value.clone();
    body.to_string()
}

/// How a value of this field is answered.
#[track_caller]
fn answered(server: &Server, field: &str, value: &str) -> String {
    let id = server.create("/events/", &event(field, &json!(value)));
    server.ask(&format!("GET /events/{id}/")).json()[field].as_str().unwrap().to_owned()
}

#[test]
fn a_day_is_answered_as_it_was_written() {
    let server = server();
    for day in
        ["0001-01-01", "0004-02-29", "1582-10-10", "1815-12-10", "2000-02-29", "2024-12-31", "9999-12-31"]
    {
        assert_eq!(answered(&server, "born", day), day);
    }
}

#[test]
fn a_moment_is_answered_in_utc_with_as_few_digits_as_it_needs() {
    let server = server();
    for (given, told) in [
        ("2027-01-31T12:00:00Z", "2027-01-31T12:00:00Z"),
        ("2027-01-31T12:00:00.000Z", "2027-01-31T12:00:00Z"),
        ("2027-01-31T12:00:00.120Z", "2027-01-31T12:00:00.12Z"),
        ("2027-01-31T12:00:00.000001Z", "2027-01-31T12:00:00.000001Z"),
        ("2027-01-31T14:00:00+02:00", "2027-01-31T12:00:00Z"),
        ("2027-01-31T12:00:00-00:00", "2027-01-31T12:00:00Z"),
        ("2024-02-28T23:30:00-00:45", "2024-02-29T00:15:00Z"),
        ("2023-03-01T00:30:00+23:59", "2023-02-28T00:31:00Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("0001-01-01T23:59:00+23:59", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ("9999-12-31T00:00:00-23:59", "9999-12-31T23:59:00Z"),
    ] {
        assert_eq!(answered(&server, "met", given), told, "{given}");
    }
}

/// More than 200 texts that are no day or no moment, each refused by a create and an update in the same words.
#[test]
fn what_is_no_day_or_no_moment_is_told_what_is_one() {
    let server = server();
    server.create("/events/", r#"{"name":"first"}"#);
    let before = server.ask("GET /events/").body;
    let mut days: Vec<String> = [
        "",
        " ",
        "1815-12-10T00:00:00Z",
        "0000-01-01",
        "0000-12-31",
        "10000-01-01",
        "1815-1-10",
        "1815-12-1",
        "15-12-10",
        "18151210",
        "1815/12/10",
        "10.12.1815",
        "12-10-1815",
        "1815-12-10 ",
        " 1815-12-10",
        "+815-12-10",
        "-001-12-10",
        "1815-12-+1",
        "1815-W50-7",
        "1815-344",
        "today",
        "infinity",
        "-infinity",
        "epoch",
        "١٨١٥-12-10",
        "1815-12-1é",
        "1815–12–10",
        "1815-12-10Z",
        "1815-12",
        "1815",
        "NaN",
        "\u{0}",
        "1815-12-10\u{0}",
        "1815-12-10\n",
        "0001-01-01 BC",
    ]
    .map(str::to_owned)
    .to_vec();
    // Days that there are not.
    for year in ["1900", "2023", "2100", "9999"] {
        days.push(format!("{year}-02-29"));
    }
    for year in ["2024", "0001"] {
        days.extend(
            (0..100)
                .filter(|month| !(1..=12).contains(month))
                .step_by(3)
                .map(|m| format!("{year}-{m:02}-01")),
        );
        for month in 1..=12 {
            let last =
                if month == 2 { 30 } else { 32 - [4, 6, 9, 11].iter().filter(|it| **it == month).count() };
            days.extend([0, last, 99].map(|day| format!("{year}-{month:02}-{day:02}")));
        }
    }
    let moments = [
        "",
        "2027-01-31",
        "2027-01-31T12:00:00",
        "2027-01-31T12:00Z",
        "2027-01-31T12Z",
        "2027-01-31 12:00:00Z",
        "2027-01-31t12:00:00Z",
        "2027-01-31T12:00:00z",
        "2027-01-31T24:00:00Z",
        "2027-01-31T23:60:00Z",
        "2027-01-31T23:59:60Z",
        "2016-12-31T23:59:60Z",
        "2027-01-31T12:00:00.Z",
        "2027-01-31T12:00:00.1234567Z",
        "2027-01-31T12:00:00,5Z",
        "2027-01-31T12:00:00+0200",
        "2027-01-31T12:00:00+02",
        "2027-01-31T12:00:00+24:00",
        "2027-01-31T12:00:00+02:60",
        "2027-01-31T12:00:00+02:00:00",
        "2027-01-31T12:00:00 +02:00",
        "2027-01-31T12:00:00Z ",
        "2027-01-31T12:00:00ZZ",
        "2027-01-31T12:00:00 UTC",
        "2027-01-31T12:00:00[Europe/Paris]",
        "2027-02-29T12:00:00Z",
        "0000-12-31T23:00:00-05:00",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "10000-01-01T00:00:00Z",
        "20270131T120000Z",
        "1801396800",
        "now",
        "infinity",
        "-infinity",
        "2027-01-31T1é:00:00Z",
        "2027-01-31T12:00:00Z\u{0}",
        "2027-01-31T12:00:00−02:00",
    ];
    assert!(days.len() + moments.len() >= 200, "{}", days.len());
    let all = days
        .iter()
        .map(|day| ("born", day.as_str(), DAY))
        .chain(moments.map(|moment| ("met", moment, MOMENT)));
    for (field, text, words) in all {
        let body = event(field, &json!(text));
        server.faults(&format!("POST /events/ {body}"), words);
        server.faults(&format!("PUT /events/1/ {body}"), words);
    }
    assert_eq!(server.ask("GET /events/").body, before);
}

#[test]
fn a_value_that_is_no_string_keeps_its_words() {
    let server = server();
    for value in [json!(18151210), json!(1815.5), json!(true), json!(["1815-12-10"]), json!({})] {
        for field in ["born", "met"] {
            let words = format!("{field} does not validate");
            server.faults(&format!("POST /events/ {}", event(field, &value)), &words);
        }
    }
    server.faults(r#"POST /events/ {"name":"a","day":null}"#, "day does not validate");
}

#[test]
fn a_day_is_compared_as_a_day_and_a_moment_by_its_moment() {
    let server = server();
    for (born, met) in [
        ("1815-12-10", "2027-01-31T12:00:00Z"),
        ("0001-01-01", "2027-01-31T12:00:00.000001Z"),
        ("9999-12-31", "0001-01-01T00:00:00Z"),
        ("1815-12-11", "2027-01-31T12:00:00.5Z"),
        ("1815-12-10", "9999-12-31T23:59:59.999999Z"),
    ] {
        server.create("/events/", &json!({"name": "a", "born": born, "met": met}).to_string());
    }
    server.create("/events/", r#"{"name":"b"}"#);
    for (query, ids) in [
        ("born=1815-12-10", vec![1, 5]),
        ("born.ne=1815-12-10", vec![2, 3, 4, 6]),
        ("born.in=0001-01-01&born.in=9999-12-31&born.in=", vec![2, 3, 6]),
        ("born=", vec![6]),
        ("born.null=true", vec![6]),
        ("born.gt=1815-12-10", vec![3, 4]),
        ("born.gte=1815-12-10&born.lt=9999-12-31", vec![1, 4, 5]),
        ("born.lte=0001-01-01", vec![2]),
        ("sort=born", vec![2, 1, 5, 4, 3, 6]),
        ("sort=-born", vec![3, 4, 5, 1, 2, 6]),
        ("sort=-born,met", vec![3, 4, 1, 5, 2, 6]),
        ("sort=born,-met", vec![2, 5, 1, 4, 3, 6]),
        ("sort=met", vec![3, 1, 2, 4, 5, 6]),
        ("sort=-met", vec![5, 4, 2, 1, 3, 6]),
        ("sort=met,born", vec![3, 1, 2, 4, 5, 6]),
        ("sort=met&met.gt=2027-01-31T12:00:00Z", vec![2, 4, 5]),
        ("sort=met&met.lte=2027-01-31T12:00:00Z", vec![3, 1]),
        ("sort=met&born.gte=1815-12-10", vec![3, 1, 4, 5]),
        ("met=2027-01-31T12:00:00Z", vec![1]),
        ("met=2027-01-31T14:00:00.0%2B02:00", vec![1]),
        ("met=2027-01-31T07:00:00.50-05:00", vec![4]),
        ("met.ne=2027-01-31T14:00:00%2B02:00", vec![2, 3, 4, 5, 6]),
        ("met.gt=2027-01-31T14:00:00%2B02:00", vec![2, 4, 5]),
        ("met.lte=2027-01-31T11:00:00-01:00", vec![1, 3]),
        ("met.lt=0001-01-01T00:00:00Z", vec![]),
        ("met.gte=9999-12-31T23:59:59.999999Z", vec![5]),
        ("met=&born=", vec![6]),
        ("day=", vec![]),
    ] {
        // Twice: the second time memory knows.
        for _ in 0..2 {
            assert_eq!(server.ids(&format!("/events/?{query}")), ids, "{query}");
        }
    }
    let filters =
        server.ask("GET /events/?met=2027-01-31T14:00:00.0%2B02:00").json()["meta"]["filters"].clone();
    assert_eq!(filters, json!({ "met": "2027-01-31T14:00:00.0+02:00" }));
}

#[test]
fn a_filter_is_as_strict_as_a_body() {
    let server = server();
    for (query, words) in [
        ("born=1815-12-1", DAY),
        ("born=1815-12-10T00:00:00Z", DAY),
        ("met=2027-01-31", MOMENT),
        // A plus is a space.
        ("met=2027-01-31T12:00:00+02:00", MOMENT),
    ] {
        server.faults(&format!("GET /events/?{query}"), words);
    }
    server.faults("GET /events/?born.gt=", "born.gt does not validate: it is a day such as 1815-12-10");
    server.faults(
        "GET /events/?met.in=now",
        "met.in does not validate: it is a moment such as 2027-01-31T12:00:00Z",
    );
    let takes = "born.prefix is not a filter of events: born takes ne, in, null, lt, lte, gt, gte";
    server.faults("GET /events/?born.prefix=1815", takes);
}

#[test]
fn a_walk_by_cursor_goes_through_days_and_moments() {
    let server = server();
    for number in 0..30 {
        let (day, micros) = (1 + number % 3, number % 5);
        server.create(
            "/events/",
            &format!(
                r#"{{"name":"a","born":"2024-02-{day:02}","met":"2027-01-31T12:00:00.00000{micros}Z"}}"#
            ),
        );
    }
    for sort in ["born", "-born", "met", "-met", "born,met", "met,-born"] {
        let whole = server.ids(&format!("/events/?sort={sort}&count=20"));
        let first = server.ask(&format!("GET /events/?sort={sort}&after=&count=7"));
        let link = first.header("Link").unwrap().to_owned();
        let next = link.split('<').nth(1).unwrap().split('>').next().unwrap();
        let next = next.split_once("/events/").unwrap().1;
        assert_eq!(server.ids(&format!("/events/{next}")), whole[7..14], "{sort}");
    }
}

#[test]
fn days_and_moments_can_be_unique_and_found_by_an_upsert() {
    let server = server();
    let body = r#"{"name":"a","day":"2024-02-29","at":"2027-01-31T14:00:00+02:00"}"#;
    assert_eq!(server.ask(&format!("PUT /events/ {body}")).status, 201);
    let again = r#"{"name":"b","day":"2024-02-29","at":"2027-01-31T12:00:00.0Z"}"#;
    assert_eq!(server.ask(&format!("PUT /events/ {again}")).status, 200);
    assert_eq!(server.ask("GET /events/1/").json()["name"], "b");
    server.faults(&format!("POST /events/ {body}"), "day,at must be unique together");
}

#[test]
fn problem_details_and_descriptions_know_days_and_moments() {
    let server = server();
    let refused = server
        .ask("POST /events/\nAccept: application/problem+json\n\n{\"name\":\"a\",\"born\":\"x\",\"met\":1}")
        .json();
    assert_eq!(refused["title"], DAY);
    assert_eq!(
        refused["errors"],
        json!([
            {"pointer": "/born", "detail": "it is a day such as 1815-12-10", "value": "\"x\"",
             "accepted": "a day of the years 0001 to 9999, such as 1815-12-10; or null"},
            {"pointer": "/met", "detail": "a number where a moment such as 2027-01-31T12:00:00Z is wanted", "value": "1",
             "accepted": "a moment with an offset, such as 2027-01-31T12:00:00Z; or null"},
        ])
    );
    let schema = server.ask("GET /schema/events/").json();
    assert_eq!(schema["born"], json!({ "type": "date", "example": "1815-12-10" }));
    assert_eq!(schema["met"], json!({ "type": "datetime", "example": "2027-01-31T12:00:00Z" }));
    assert_eq!(
        schema["day"],
        json!({ "type": "date", "required": "true", "example": "1815-12-10" }).to_owned()
    );
    let document = server.ask("GET /openapi.json").json();
    for schema in ["record", "create", "update"] {
        let properties = &document["components"]["schemas"][format!("events-{schema}")]["properties"];
        assert_eq!(
            (&properties["born"]["type"], &properties["born"]["format"]),
            (&json!(["string", "null"]), &json!("date"))
        );
        assert_eq!(
            (&properties["at"]["type"], &properties["at"]["format"]),
            (&json!(["string", "null"]), &json!("date-time"))
        );
    }
    let filter = &document["components"]["parameters"]["events-filter-met.gte"]["schema"];
    assert_eq!(filter, &json!({ "type": "string", "format": "date-time" }));
}
