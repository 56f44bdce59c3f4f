//! `GET /_/export/…`: the bytes of a file, what it takes, and who gets it.

use dev::configs;
use dev::request::Request;
use serde_json::json;

use crate::support::home::Home;
use crate::support::server::Server;

/// All kinds of values, with a reference to another collection.
const BOOK: &str = r#"
[[collection]]
name = "places"

[collection.fields]
city = { type = "string" }
size = { type = "integer" }

[[collection]]
name = "things"

[collection.fields]
name   = { type = "string", searchable = true }
size   = { type = "integer" }
weight = { type = "float" }
sold   = { type = "boolean" }
born   = { type = "date" }
met    = { type = "datetime" }
place  = { type = "integer", references = "places" }

[collection.pagination]
page_size = 20
"#;

const HEADER: &str = "id,name,size,weight,sold,born,met,place\r\n";

/// Two things and a place.
fn filled() -> Server {
    let server = Server::start(BOOK);
    server.create("/places/", r#"{"city":"Paris, \"Ville\"","size":null}"#);
    let first = json!({
        "name": "a,\"b\"\r\nZoë", "size": i64::MIN, "weight": -0.5, "sold": true, "born": "1815-12-10",
        "met": "2027-01-31T14:00:00.5+02:00", "place": 1,
    });
    server.create("/things/", &first.to_string());
    server.create("/things/", &json!({"name": "", "size": i64::MAX, "weight": 1e300}).to_string());
    server.create("/things/", &json!({"name": "=1+1", "weight": 2}).to_string());
    server.create("/things/", &json!({"name": "''-1"}).to_string());
    server
}

#[track_caller]
fn export(server: &Server, target: &str) -> String {
    let answer = server.ask(&format!("GET /_/export/{target}"));
    assert_eq!(answer.status, 200, "{answer:?}");
    String::from_utf8(answer.body).unwrap()
}

#[test]
fn csv_has_the_exact_values() {
    let server = filled();
    let lines = [
        HEADER,
        "1,\"a,\"\"b\"\"\r\nZoë\",-9223372036854775808,-0.5,true,1815-12-10,2027-01-31T12:00:00.5Z,1\r\n",
        "2,\"\",9223372036854775807,1e300,,,,\r\n",
        "3,=1+1,,2.0,,,,\r\n",
        "4,''-1,,,,,,\r\n",
    ];
    assert_eq!(export(&server, "things.csv"), lines.concat());
    assert_eq!(export(&server, "things.csv/"), lines.concat());
    assert_eq!(export(&server, "places.csv"), "id,city,size\r\n1,\"Paris, \"\"Ville\"\"\",\r\n");
}

#[test]
fn a_spreadsheet_gets_a_mark_and_computes_no_text() {
    let server = filled();
    let lines = [
        "\u{feff}",
        HEADER,
        "1,\"a,\"\"b\"\"\r\nZoë\",-9223372036854775808,-0.5,true,1815-12-10,2027-01-31T12:00:00.5Z,1\r\n",
        "2,\"\",9223372036854775807,1e300,,,,\r\n",
        "3,'=1+1,,2.0,,,,\r\n",
        "4,'''-1,,,,,,\r\n",
    ];
    assert_eq!(export(&server, "things.csv?spreadsheet=true"), lines.concat());
    assert_eq!(export(&server, "things.csv?spreadsheet=false"), export(&server, "things.csv"));
}

#[test]
fn json_lines_are_the_records_of_the_list() {
    let server = filled();
    for query in ["", "?expand=place", "?size.null=true&expand=place"] {
        let list = server.ask(&format!("GET /things/{query}"));
        let list = list.body_text();
        let records = list.split_once(r#""object_list":["#).unwrap().1.strip_suffix("]}").unwrap();
        let lines = export(&server, &format!("things.jsonl{query}"));
        let lines: Vec<&str> = lines.strip_suffix('\n').unwrap().split('\n').collect();
        assert_eq!(lines.join(","), records, "{query}");
    }
}

#[test]
fn an_expanded_reference_becomes_the_columns_of_its_record() {
    let server = filled();
    let lines = [
        "id,name,size,weight,sold,born,met,place.city,place.size\r\n",
        "1,\"a,\"\"b\"\"\r\nZoë\",-9223372036854775808,-0.5,true,1815-12-10,2027-01-31T12:00:00.5Z,\"Paris, \"\"Ville\"\"\",\r\n",
        "2,\"\",9223372036854775807,1e300,,,,,\r\n",
    ];
    assert_eq!(export(&server, "things.csv?expand=place&id.lte=2"), lines.concat());
}

#[test]
fn a_card_has_the_name_and_the_address_of_its_record() {
    let server = Server::start(&configs::built_in());
    server.create_address();
    server.create("/users/", r#"{"first_name":"Ada","last_name":"Love,lace","address":1}"#);
    server.create_user("", "Doe");
    let cards = export(&server, "users.vcf");
    let store = cards.split_once('@').unwrap().1[..32].to_owned();
    assert!(store.bytes().all(|byte| byte.is_ascii_hexdigit()), "{cards}");
    let first = |version: &str| {
        let lines = [
            "BEGIN:VCARD",
            &format!("VERSION:{version}"),
            &format!("UID:users-1@{store}"),
            "FN:Ada Love\\,lace",
        ];
        lines.join("\r\n") + "\r\nN:Love\\,lace;Ada;;;\r\nADR:;;5 Rivoli;Paris;;;France"
    };
    let second =
        format!("BEGIN:VCARD\r\nVERSION:3.0\r\nUID:users-2@{store}\r\nFN:Doe\r\nN:Doe;;;;\r\nEND:VCARD\r\n");
    assert_eq!(cards, first("3.0") + "\r\nEND:VCARD\r\n" + &second);
    let newer = export(&server, "users.vcf?vcard=4.0&id=1");
    assert!(newer.starts_with(&first("4.0")) && newer.contains(";5;Rivoli;"), "{newer}");
    assert_eq!(export(&server, "users.vcf?vcard=3.0"), cards);
    server.faults("GET /_/export/users.vcf?vcard=2.1", "vcard does not validate");
    server.faults("GET /_/export/users.vcf?expand=address", "expand is not a field of users");
    server.faults("GET /_/export/users.csv?vcard=3.0", "vcard is not a field of users");
}

#[test]
fn what_is_exported_is_what_the_list_finds() {
    let server = filled();
    server.create("/things/", &json!({"name": "Ada Lovelace", "size": 7}).to_string());
    for (query, ids) in [
        ("size=7", "5"),
        ("size=", "3 4"),
        ("name=", "2"),
        ("size.gte=7", "2 5"),
        ("size.ne=7", "1 2 3 4"),
        ("size.in=7&size.in=9223372036854775807", "2 5"),
        ("name.prefix=ADA", "5"),
        ("name.contains=zoe", "1"),
        ("name.gte=a", "1 5"),
        ("id.gt=1&weight.lt=3", "3"),
        ("born=1815-12-10", "1"),
        ("met=2027-01-31T12:00:00.5Z", "1"),
        ("sold=true", "1"),
        ("search=love", "5"),
        ("search=lovelaec", "5"),
        ("search=lovelaec&size=1", ""),
        ("search=nobody", ""),
        ("size=12", ""),
    ] {
        let csv = export(&server, &format!("things.csv?{query}"));
        let rows = csv.strip_prefix(HEADER).unwrap_or_else(|| panic!("{csv}"));
        let found: Vec<&str> = rows
            .split("\r\n")
            .filter(|line| !line.starts_with("Zoë"))
            .filter_map(|line| line.split_once(',').map(|(id, _)| id))
            .collect();
        assert_eq!(found.join(" "), ids, "{query}");
        let mut listed = server.ids(&format!("/things/?{query}"));
        listed.sort_unstable();
        let listed: Vec<String> = listed.iter().map(i64::to_string).collect();
        assert_eq!(listed.join(" "), ids, "{query}");
    }
}

#[test]
fn it_is_a_file_with_a_name_and_a_type() {
    let server = filled();
    let files = [
        ("things.csv", "text/csv; charset=utf-8"),
        ("things.jsonl", "application/x-ndjson"),
        ("things.vcf", "text/vcard; charset=utf-8"),
    ];
    for (file, kind) in files {
        for method in ["GET", "HEAD"] {
            let answer = server.ask(&format!("{method} /_/export/{file}"));
            assert_eq!((answer.status, answer.header("Content-Type")), (200, Some(kind)), "{answer:?}");
            let disposition = format!("attachment; filename=\"{file}\"");
            assert_eq!(answer.header("Content-Disposition"), Some(&disposition[..]));
            assert_eq!(answer.header("Cache-Control"), Some("private, no-cache"));
            assert_eq!(answer.body.is_empty(), method == "HEAD");
        }
    }
    assert_eq!(server.status("GET /_/export/nobody.csv"), 404);
    assert_eq!(server.status("GET /_/export/things.xlsx"), 404);
    assert_eq!(server.status("GET /_/export/things"), 404);
    assert_eq!(server.ask("POST /_/export/things.csv {}").header("Allow"), Some("GET, HEAD, OPTIONS"));
}

#[test]
fn a_query_is_held_to_the_words_of_a_list() {
    let server = filled();
    for parameter in ["offset", "count", "sort", "fields", "after", "_sort", "nick", "_spreadsheets"] {
        let message = format!("{parameter} is not a field of things");
        server.faults(&format!("GET /_/export/things.csv?{parameter}=1"), &message);
    }
    server.faults("GET /_/export/things.jsonl?spreadsheet=true", "spreadsheet is not a field of things");
    server.faults("GET /_/export/things.csv?spreadsheet=yes", "spreadsheet does not validate");
    server
        .faults("GET /_/export/things.csv?spreadsheet=true&_spreadsheet=true", "_spreadsheet is given twice");
    server.faults("GET /_/export/things.csv?size=many", "size does not validate");
    server.faults(
        "GET /_/export/things.csv?expand=name",
        "expand does not validate: name refers to no collection",
    );
    let problem = Request::new("GET /_/export/things.csv?spreadsheet=1&count=1&nam=x");
    let problem = server.send(&problem.header("Accept", "application/problem+json")).json();
    let faults: Vec<_> = problem["errors"].as_array().unwrap().iter().map(|one| &one["parameter"]).collect();
    assert_eq!(faults, ["spreadsheet", "count", "nam"]);
    assert_eq!(problem["errors"][2]["suggestion"], "name");
    assert_eq!(
        problem["errors"][1]["accepted"],
        "one of name, size, weight, sold, born, met, place, id, search, expand, spreadsheet"
    );
}

#[test]
fn a_field_of_the_same_name_is_a_filter() {
    let fields = "[collection.fields]\nspreadsheet = { type = \"string\" }\n";
    let server = Server::start(&format!("[[collection]]\nname = \"files\"\n{fields}"));
    server.create("/files/", r#"{"spreadsheet":"=true"}"#);
    assert_eq!(export(&server, "files.csv?spreadsheet=true"), "id,spreadsheet\r\n");
    assert_eq!(export(&server, "files.csv?_spreadsheet=true"), "\u{feff}id,spreadsheet\r\n1,'=true\r\n");
}

#[test]
fn it_is_judged_as_the_list() {
    let server = Server::start(&configs::verbs(r#"["POST"]"#, r#"["GET"]"#));
    let answer = server.ask("GET /_/export/users.csv");
    assert_eq!((answer.status, answer.header("Allow")), (405, Some("OPTIONS")));

    let access = "[collection.access]\nauthentication = true\nauthorization = true\n";
    let address = "[[collection]]\nname = \"address\"\n[collection.fields]\ncity = { type = \"string\" }\n";
    let users = "[[collection]]\nname = \"users\"\n[collection.fields]\naddress = { type = \"integer\", references = \"address\" }\n";
    let home = Home::new(&configs::patient(&[address, access, users, access].concat()));
    let key = |name: &str, scope: &str| {
        home.run(&["keys", "create", name, "--scope", scope]).exits(0).stdout.trim_end().to_owned()
    };
    let (reader, writer, other) =
        (key("reader", "users:read"), key("writer", "users:write"), key("other", "address:read"));
    let server = home.serve();
    let ask = |key: &str, query: &str| {
        let request = Request::new(&format!("GET /_/export/users.csv{query}")).header("X-API-Key", key);
        let answer = server.send(&request);
        (answer.status, if answer.status == 200 { String::new() } else { answer.error() })
    };
    assert_eq!(server.status("GET /_/export/users.csv"), 401);
    assert_eq!(ask(&reader, "").0, 200);
    let refused = |name: &str, right: &str| {
        let words = format!("This access key may not {right} {name}: it needs the scope {name}:{right}");
        (403, words)
    };
    for key in [&writer, &other] {
        assert_eq!(ask(key, ""), refused("users", "read"));
    }
    assert_eq!(ask(&reader, "?expand=address"), refused("address", "read"));
    let cards = server.send(&Request::new("GET /_/export/users.vcf").header("X-API-Key", &reader));
    assert_eq!((cards.status, cards.error()), refused("address", "read"));
    let trail = home.run(&["audit", "--json"]).exits(0).stdout;
    let rows: Vec<serde_json::Value> = serde_json::from_str(&trail).unwrap();
    let exports: Vec<_> = rows.iter().filter(|row| row["event"] == "exported").collect();
    assert_eq!(exports.len(), 1, "{trail}");
    assert_eq!(exports[0]["by"], "key reader");
}

#[test]
fn it_counts_as_one_request() {
    let home = Home::new(&configs::guarded_and_rate_limited(2));
    home.add_key("alice", "the-key-of-alice-1");
    let server = home.serve();
    let ask =
        || server.send(&Request::new("GET /_/export/users.csv").header("X-API-Key", "the-key-of-alice-1"));
    assert_eq!([ask().status, ask().status, ask().status], [200, 200, 429]);
}

#[test]
fn a_reference_that_is_followed_anyway_and_asked_for_is_counted_once() {
    let limit =
        "[collection.access]\nauthentication = true\n[collection.rate_limit]\nquota = 2\ninterval = 3600";
    let home = Home::new(&format!(
        "[[collection]]\nname = \"address\"\n[collection.fields]\ncity = {{ type = \"string\" }}\n{limit}\n\
         [[collection]]\nname = \"users\"\n[collection.fields]\nlast_name = {{ type = \"string\" }}\n\
         address = {{ type = \"integer\", references = \"address\" }}\n{limit}\n"
    ));
    home.add_key("alice", "the-key-of-alice-1");
    let server = home.serve();
    let ask = |target: &str| {
        let request = Request::new(&format!("GET {target}")).header("X-API-Key", "the-key-of-alice-1");
        let answer = server.send(&request);
        (answer.status, answer.header("RateLimit").unwrap().split(';').nth(1).unwrap().to_owned())
    };
    // Counted before its query is judged.
    assert_eq!(ask("/_/export/users.vcf?expand=address"), (400, "r=1".into()));
    assert_eq!(ask("/_/export/users.vcf"), (200, "r=0".into()));
    assert_eq!(ask("/address/"), (429, "r=0".into()));
}

#[test]
fn the_trail_tells_of_it_without_the_values_of_filters() {
    let server = filled();
    export(&server, "things.csv?name.ne=secret-name&size.null=false");
    let trail = server.home().run(&["audit", "--json"]).exits(0).stdout;
    let rows: Vec<serde_json::Value> = serde_json::from_str(&trail).unwrap();
    let row = rows.last().unwrap();
    assert_eq!((&row["event"], &row["subject"]), (&json!("exported"), &json!("things")));
    let details = json!({"format": "csv", "filters": ["name.ne", "size.null"], "records": 2, "whole": true});
    assert_eq!(row["details"], details);
    assert!(!trail.contains("secret-name"));
}

#[test]
fn it_is_compressed_where_that_is_asked_for() {
    let server = filled();
    let plain = export(&server, "things.csv");
    let mut client = server.client();
    let request = Request::new("GET /_/export/things.csv").header("Accept-Encoding", "gzip");
    let answer = client.read_compressed(&request);
    assert_eq!(answer.header("Content-Encoding"), Some("gzip"));
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&answer.body[..]), &mut text).unwrap();
    assert_eq!(text, plain);
}
