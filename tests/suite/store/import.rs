//! Imports: a file is taken as a whole or not at all, and taking it again adds nothing.

use std::fmt::Write;
use std::fs;

use dev::configs;
use dev::dice::Dice;
use dev::process::Process;
use dev::waiting::wait_until;

use crate::support::engine::Engine;
use crate::support::home::Home;
use crate::support::imports::import_file as import;

const PEOPLE: &str = r#"
[[collection]]
name = "people"
unique = [["email"]]
[collection.fields]
first_name = { type = "string", required = true }
last_name  = { type = "string" }
email      = { type = "string", format = "email" }
title      = { type = "string" }
born       = { type = "date" }
score      = { type = "float" }
is_known   = { type = "boolean" }
number     = { type = "integer" }
"#;

/// Takes a file into `users`, and gives the line that says what became of it.
fn into_users(home: &Home, name: &str, content: impl AsRef<[u8]>, more: &[&str]) -> String {
    let mut arguments = vec!["--into", "users"];
    arguments.extend(more);
    import(home, name, content, &arguments).exits(0).stdout.trim_end().to_owned()
}

/// How many records each collection has, with their digests.
fn digest(home: &Home) -> String {
    home.run(&["verify"]).exits(0).stdout
}

/// The whole of a list, over HTTP.
fn list(home: &std::sync::Arc<Home>, path: &str) -> String {
    let server = home.serve();
    let text = server.ask(&format!("GET {path}")).body_text().to_owned();
    server.stop();
    text
}

#[test]
fn every_fault_is_said_in_the_words_of_the_contract_and_nothing_is_stored() {
    let home = Home::new(&configs::built_in());
    into_users(&home, "first.csv", "first_name,last_name\nAda,Lovelace\nAda,Lovelace\n", &[]);
    let before = digest(&home);
    let (csv, jsonl, vcf) = ("a.csv", "a.jsonl", "a.vcf");
    for (name, content, more, words) in [
        (
            csv,
            &b"first_name,Nick\na,b\n"[..],
            &[][..],
            "line 1: the column Nick is no field of users. Map it with --map 'Nick=FIELD', or leave it out with \
             --ignore 'Nick'",
        ),
        (csv, b"first_name,first_name\na,b\n", &[], "line 1: the column first_name is given twice"),
        (csv, b"first_name,last_name\na,b\nc\n", &[], "line 3 has 1 cells, and the header has 2"),
        (csv, b"first_name,last_name\na,\n", &[], "line 2: last_name is missing"),
        (csv, b"first_name\na\n", &[], "line 2: last_name is missing"),
        (
            csv,
            b"first_name,last_name,address\na,b,99\n",
            &[],
            "line 2: address does not validate: there is no record 99",
        ),
        (csv, b"first_name,last_name,address\na,b,12a\n", &[], "line 2: address does not validate: \"12a\""),
        (
            csv,
            b"first_name,last_name\na,b\na,b\n",
            &["--match", "first_name,last_name"],
            "line 3 has the same first_name,last_name as line 2",
        ),
        (
            csv,
            b"first_name,last_name\nAda,Lovelace\n",
            &["--match", "last_name"],
            "line 2 matches 2 records (1, 2). Match by more fields",
        ),
        (
            csv,
            b"id,first_name,last_name\n7,a,b\n",
            &[],
            "the file has ids, and users has records. Say --match id if they are ours, or --ignore id",
        ),
        (csv, b"first_name,last_name\na,\"b\n", &[], "line 2: a quote is opened and never closed"),
        (
            csv,
            b"first_name,last_name\na,b\xff\n",
            &[],
            "line 2 is not UTF-8 (byte 24). Say what the file is: --encoding windows-1252",
        ),
        (
            csv,
            b"\xff\xfef\0i\0r\0s\0t\0_\0n\0a\0m\0e\0\n\0\0\xd8a\0\n\0",
            &[],
            "line 1: the file is not UTF-16, as its first bytes say",
        ),
        (
            csv,
            b"ressource_uri,first_name,last_name\n/address/7/,a,b\n",
            &["--match", "id"],
            "line 2: id does not validate: \"/address/7/\"",
        ),
        (jsonl, b"{\"first_name\":,}\n", &[], "line 1: not JSON: expected value at column 15"),
        (
            jsonl,
            b"{\"first_name\":\"a\",\"last_name\":\"b\",\"nick\":1}\n",
            &[],
            "not taken: nick (1). Leave them out with --ignore nick, or all such with --ignore-rest",
        ),
        (
            csv,
            b"first_name,last_name,address.country,address.city,address.street,address.number\na,b,c,d,e,12a\n",
            &[],
            "line 2: address.number does not validate: \"12a\"\ncarnet: 1 fault in 1 entries",
        ),
        (
            csv,
            b"first_name,last_name,address.country,address.city,address.street,address.number\na,b,c,d,e,\n",
            &[],
            "line 2: address.number is missing. Give one with --fill address.number=0\ncarnet: 1 fault in 1 entries",
        ),
        (vcf, b"BEGIN:VCARD\nVERSION:3.0\nN:a;b\n", &[], "the card at line 1 has no END:VCARD"),
        (
            vcf,
            b"BEGIN:VCARD\nVERSION:3.0\nN:a;b\nTEL:1\nTEL:2\nPHOTO:x\nEND:VCARD\n",
            &[],
            "not taken: PHOTO (1), TEL (2). Leave them out with --ignore PHOTO --ignore TEL, or all such with \
             --ignore-rest",
        ),
        (
            vcf,
            b"BEGIN:VCARD\nVERSION:3.0\nN:a;b\nADR:;;Unter den Linden;Berlin;;;DE\nEND:VCARD\n",
            &[],
            "the card at line 1: ADR has no house number, and number is required. Give one with --fill \
             address.number=0",
        ),
    ] {
        let mut arguments = vec!["--into", "users"];
        arguments.extend(more);
        import(&home, name, content, &arguments).exits(2).says(&[words, "Nothing was stored"]);
        assert_eq!(digest(&home), before, "{words}");
    }
    for (name, words) in [("a.xlsx", "save it as CSV"), ("a.ldif", "vCard"), ("a.txt", "--format")] {
        import(&home, name, "", &["--into", "users"]).exits(2).says(&[words]);
    }
    import(&home, csv, "first_name\na\n", &["--into", "nobody"]).exits(2).says(&["there are address, users"]);
}

#[test]
fn ids_of_another_time_are_never_given_again() {
    let home = Home::new(&configs::built_in());
    let file = "id,first_name,last_name\n3,a,b\n7,c,d\n";
    // Into a collection that never had a record ids come along.
    assert_eq!(into_users(&home, "a.csv", file, &[]), "read 2: created 2, updated 0, unchanged 0");
    assert_eq!(
        into_users(&home, "a.csv", file, &["--match", "id"]),
        "read 2: created 0, updated 0, unchanged 2"
    );
    let server = home.serve();
    assert_eq!(server.ask(r#"POST /users/ {"first_name":"e","last_name":"f"}"#).created_id(), 8);
    assert_eq!(server.status("DELETE /users/7/"), 200);
    server.stop();
    let again = import(&home, "a.csv", file, &["--into", "users", "--match", "id"]);
    again.exits(2).says(&["line 3: id 7 was given before and its record is gone"]);
    let more = "id,first_name,last_name\n3,changed,b\n12,g,h\n";
    assert_eq!(
        into_users(&home, "b.csv", more, &["--match", "id"]),
        "read 2: created 1, updated 1, unchanged 0"
    );
    let descending = import(
        &home,
        "c.csv",
        "id,first_name,last_name\n20,a,b\n19,a,b\n",
        &["--into", "users", "--match", "id"],
    );
    descending.exits(2).says(&["line 3: id 19 comes after id 20: new ids ascend"]);
    let users = list(&home, "/users/");
    for part in [
        r#""total_count":3"#,
        r#"{"first_name":"changed","last_name":"b","address":null,"id":3,"#,
        r#""id":12,"#,
    ] {
        assert!(users.contains(part), "{part} in {users}");
    }
}

#[test]
fn files_of_every_shape_come_in_once_however_often_they_are_imported() {
    let utf16 = |text: &str, big: bool| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    let plain = "first_name,last_name\r\nAda,Lovelace\r\nJosé,\"García, M.\"\r\n";
    let google = "First Name,Last Name,Labels,E-mail 1 - Value,Phone 1 - Value,Address 1 - Street,Address 1 - City,\
                  Address 1 - Country\n\
                  Ada,Lovelace,* myContacts,ada@example.org,+44 1,12 St James Square,London,UK\n\
                  José,\"García, M.\",,,,Calle Mayor 5,Madrid,Spain\n";
    let outlook = "Title,First Name,Last Name,E-mail Address,Home Street,Home City,Home Country/Region,Business Street\n\
                   Mrs,Ada,Lovelace,ada@example.org,12 St James Square,London,UK,\n\
                   Mr,José,\"García, M.\",,5 Calle Mayor,Madrid,Spain,\n";
    let thunderbird = "First Name,Last Name,Primary Email,Screen Name,Home Address,Home City,Home Country,Home ZipCode\n\
                       Ada,Lovelace,ada@example.org,,12 St James Square,London,UK,SW1\n\
                       José,\"García, M.\",,,5 Calle Mayor,Madrid,Spain,\n";
    let apple = "BEGIN:VCARD\r\nVERSION:3.0\r\nPRODID:-//Apple Inc.//macOS 15//EN\r\nN:Lovelace;Ada;;;\r\nFN:Ada Lovelace\r\n\
                 EMAIL;type=INTERNET;type=HOME;type=pref:ada@example.org\r\n\
                 item1.ADR;type=HOME;type=pref:;;12 St James Square;London;;;UK\r\nitem1.X-ABADR:gb\r\nEND:VCARD\r\n\
                 BEGIN:VCARD\r\nVERSION:3.0\r\nN:García\\, M.;José;;;\r\nFN:José García\\, M.\r\nEND:VCARD\r\n";
    let android = "BEGIN:VCARD\r\nVERSION:2.1\r\nN:Lovelace;Ada;;;\r\nFN:Ada Lovelace\r\nTEL;CELL:+441\r\nEND:VCARD\r\n\
                   BEGIN:VCARD\r\nVERSION:2.1\r\n\
                   N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Garc=C3=ADa, M.;Jos=C3=A9;;;\r\nEND:VCARD\r\n";
    let jsonl = "{\"first_name\":\"Ada\",\"last_name\":\"Lovelace\"}\n{\"first_name\":\"José\",\"last_name\":\"García, M.\"}\n";
    let json = "[{\"first_name\":\"Ada\",\"last_name\":\"Lovelace\"},\n {\"first_name\":\"José\",\"last_name\":\"García, M.\"}]";
    let bom = format!("\u{feff}{plain}");
    let rest = &["--ignore-rest"][..];
    let windows = [b"first_name,last_name\r\nAda,Lovelace\r\nJos\xe9,\"Garc\xeda, M.\"\r\n"][0].to_vec();
    for (name, content, more) in [
        ("bom.csv", bom.into_bytes(), &[][..]),
        ("le.csv", utf16(plain, false), &[]),
        ("be.csv", utf16(plain, true), &[]),
        (
            "semicolon.csv",
            b"First Name;LAST-NAME\nAda;Lovelace\nJos\xc3\xa9;Garc\xc3\xada, M.\n".to_vec(),
            &[],
        ),
        (
            "tab.tsv",
            plain.replace(",L", "\tL").replace("e,l", "e\tl").replace("José,", "José\t").into_bytes(),
            &[],
        ),
        ("sep.csv", "sep=;\r\nfirst_name;last_name\r\nAda;Lovelace\r\nJosé;García, M.\r\n".into(), &[]),
        ("windows.csv", windows, &["--encoding", "windows-1252"]),
        ("google.csv", google.into(), rest),
        ("outlook.csv", outlook.into(), rest),
        ("thunderbird.csv", thunderbird.into(), rest),
        ("apple.vcf", apple.into(), rest),
        ("android.vcf", android.into(), rest),
        ("lines.jsonl", jsonl.into(), &[]),
        ("array.json", json.into(), &[]),
    ] {
        let home = Home::new(&configs::built_in());
        let first = into_users(&home, name, &content, more);
        assert!(first.starts_with("read 2: created 2, updated 0, unchanged 0"), "{name}: {first}");
        let before = digest(&home);
        for _ in 0..2 {
            let again = into_users(&home, name, &content, more);
            assert!(again.starts_with("read 2: created 0, updated 0, unchanged 2"), "{name}: {again}");
            assert_eq!(digest(&home), before, "{name}");
        }
        let users = list(&home, "/users/");
        for part in [
            r#"{"first_name":"Ada","last_name":"Lovelace","#,
            r#"{"first_name":"José","last_name":"García, M.","#,
        ] {
            assert!(users.contains(part), "{name}: {users}");
        }
        if ["google.csv", "outlook.csv", "thunderbird.csv", "apple.vcf"].contains(&name) {
            let addresses = list(&home, "/address/");
            let london = r#"{"country":"UK","city":"London","street":"St James Square","number":12,"#;
            assert!(addresses.contains(london), "{name}: {addresses}");
        }
    }
}

#[test]
fn outlooks_title_is_no_title_and_its_job_title_is() {
    let home = Home::new(PEOPLE);
    let file = "Title,First Name,Job Title,E-mail Address,Home Street\nMrs,Ada,Countess,ada@example.org,\n";
    import(&home, "a.csv", file, &["--into", "people", "--ignore-rest"]).exits(0);
    let people = list(&home, "/people/");
    assert!(people.contains(r#""title":"Countess""#) && !people.contains("Mrs"), "{people}");
}

#[test]
fn an_entry_means_the_record_with_its_values_of_a_unique_rule() {
    let home = Home::new(PEOPLE);
    let file = "first_name,email,number\nAda,ada@example.org,1\nBob,,2\nBob,,2\n";
    let into = |name: &str, content: &str, more: &[&str]| {
        let mut arguments = vec!["--into", "people"];
        arguments.extend(more);
        import(&home, name, content, &arguments)
    };
    into("a.csv", file, &[]).exits(0).says(&["read 3: created 3, updated 0, unchanged 0"]);
    into("a.csv", file, &[]).exits(0).says(&["read 3: created 0, updated 0, unchanged 3"]);
    // Without a value for the rule the whole entry counts: the third equal one is new.
    let three = format!("{file}Bob,,2\n");
    into("b.csv", &three, &[]).exits(0).says(&["read 4: created 1, updated 0, unchanged 3"]);
    // What is given is set, an empty cell clears, what has no column stays.
    let changed = "email,first_name,born\nada@example.org,Augusta,1815-12-10\n";
    into("c.csv", changed, &["--existing", "keep"]).exits(0).says(&["updated 0, unchanged 1"]);
    into("c.csv", changed, &["--existing", "refuse"]).exits(2).says(&["line 2: record 1 is there already"]);
    into("c.csv", changed, &[]).exits(0).says(&["read 1: created 0, updated 1, unchanged 0"]);
    let people = list(&home, "/people/1/");
    assert!(people.contains(r#""first_name":"Augusta""#) && people.contains(r#""number":1,"#), "{people}");
    into("d.csv", "email,first_name,born,number\nada@example.org,Augusta,,1\n", &[]).exits(0);
    assert!(list(&home, "/people/1/").contains(r#""born":null"#));
    into("e.csv", "first_name,email\na,x@example.org\nb,x@example.org\n", &[])
        .exits(2)
        .says(&["line 3 has the same email as line 2"]);
    into("f.csv", "first_name,email,born,score,is_known\na,no,1815-02-30,1e400,yes\n", &[]).exits(2).says(&[
        "line 2: email does not validate: it is an address such as ada@example.org",
        "line 2: born does not validate: it is a day such as 1815-12-10",
        "line 2: score does not validate: \"1e400\"",
        "line 2: is_known does not validate: \"yes\"",
        "4 faults",
    ]);
    into("g.csv", "first_name,is_known,title\n'=a,TRUE,''-b\n", &["--spreadsheet", "--match", "none"])
        .exits(0);
    let last = list(&home, "/people/?first_name==a");
    assert!(last.contains(r#""title":"'-b""#) && last.contains(r#""is_known":true"#), "{last}");
}

#[test]
fn an_address_is_found_by_all_its_fields_and_made_once_for_all_who_share_it() {
    let home = Home::new(&configs::built_in());
    let mut file =
        "first_name,last_name,address.country,address.city,address.street,address.number\n".to_owned();
    for number in 0..1_000 {
        writeln!(file, "F,L{number},FR,Paris,rue {},{}", number % 7, number % 7).unwrap();
    }
    let first = into_users(&home, "a.csv", &file, &[]);
    assert_eq!(first, "read 1000: created 1000, updated 0, unchanged 0; address: created 7");
    let again = into_users(&home, "a.csv", &file, &[]);
    assert_eq!(again, "read 1000: created 0, updated 0, unchanged 1000");
    assert!(list(&home, "/users/?address=1").contains(r#""total_count":143"#));
    let both = "first_name,last_name,address,address.city\na,b,1,Paris\n";
    import(&home, "b.csv", both, &["--into", "users"]).exits(2).says(&["address and address.city together"]);
}

#[test]
fn a_dry_run_shows_mapping_records_and_counts_and_changes_nothing() {
    let home = Home::new(&configs::built_in());
    let file = "Vorname,last_name,x\nAda,Lovelace,\n";
    let flags = ["--into", "users", "--map", "Vorname=first_name", "--ignore", "x", "--dry-run"];
    import(&home, "a.csv", file, &flags).exits(0).says(&[
        "Vorname -> first_name",
        "x -> left out",
        r#"{"first_name":"Ada","last_name":"Lovelace","address":null}"#,
        "read 1: created 1, updated 0, unchanged 0",
    ]);
    assert!(!home.path("carnet.db").exists());
    // What a new record lacks is found without a store, too.
    import(&home, "b.csv", "first_name\na\n", &["--into", "users", "--dry-run"])
        .exits(2)
        .says(&["line 2: last_name is missing"]);
    import(&home, "a.csv", "first_name,last_name\n,b\n", &["--into", "users", "--dry-run"])
        .exits(2)
        .says(&["line 2: first_name is missing"]);
}

#[test]
fn a_hundred_faults_among_many_entries_are_named_exactly() {
    let home = Home::new(&configs::built_in());
    let mut dice = Dice::new(7);
    let mut wrong: Vec<u64> = (0..100).map(|_| dice.below(20_000) as u64 + 2).collect();
    wrong.sort_unstable();
    wrong.dedup();
    let mut file = "first_name,last_name\n".to_owned();
    for line in 2..20_002_u64 {
        let name = if wrong.binary_search(&line).is_ok() { "" } else { "Doe" };
        writeln!(file, "F{line},{name}").unwrap();
    }
    let count = format!("{} faults", wrong.len());
    import(&home, "a.csv", &file, &["--into", "users", "--faults", "faults.csv"]).exits(2).says(&[&count]);
    let named = fs::read_to_string(home.path("faults.csv")).unwrap();
    let expected: String =
        wrong.iter().map(|line| format!("{line},line {line}: last_name is missing\r\n")).collect();
    assert_eq!(named, format!("line,fault\r\n{expected}"));
    assert!(list(&home, "/users/").contains(r#""total_count":0"#));
    import(&home, "a.csv", &file, &["--into", "users", "--faults", "faults.csv"])
        .exits(1)
        .says(&["exists; choose another name"]);
}

#[test]
fn an_import_that_is_stopped_says_that_it_can_go_on() {
    let home = Home::new(&configs::built_in());
    let mut file = "first_name,last_name\n".to_owned();
    (0..50_000).for_each(|number| writeln!(file, "F,L{number}").unwrap());
    fs::write(home.path("a.csv"), &file).unwrap();
    let import = Process::start(home.command_here(&["import", "a.csv", "--into", "users"]));
    import.wait_for_error("judging users");
    import.signal("INT");
    import.outcome().exits(1).says(&["the import was stopped", "the same command goes on"]);
    // One that matches nothing cannot, and says so before anything is stored.
    let import =
        Process::start(home.command_here(&["import", "a.csv", "--into", "users", "--match", "none"]));
    import.wait_for_error("an import that is stopped cannot go on");
    import.wait_for_error("judging users");
    import.signal("INT");
    import.outcome().exits(1).says(&["the same file again would be stored twice (match none)"]);
}

#[test]
fn a_killed_import_leaves_whole_chunks_and_another_run_ends_as_an_undisturbed_one() {
    let mut file =
        "first_name,last_name,address.country,address.city,address.street,address.number\n".to_owned();
    for number in 0..some_chunks() {
        writeln!(file, "F,L{number},FR,Paris,rue {},{number}", number % 900).unwrap();
    }
    killed_and_gone_on(&file);
}

/// How many entries are stored as several chunks.
fn some_chunks() -> usize {
    match Engine::chosen() {
        Engine::Sqlite => 12_000,
        Engine::Postgres => 3_000,
    }
}

/// All that an import leaves behind. What PostgreSQL takes back has used up its ids, so they are left out there.
fn contents(home: &Home) -> Vec<String> {
    if home.engine() == Engine::Sqlite {
        return vec![digest(home)];
    }
    let exported = home.run(&["export", "users", "--expand", "address"]).exits(0).stdout;
    let mut lines: Vec<String> =
        exported.lines().map(|line| line.split_once(',').unwrap().1.to_owned()).collect();
    lines.sort();
    lines.extend(home.query("SELECT count(*) FROM address"));
    lines
}

/// Kills an import again and again, lets it end, and compares with one that nobody disturbed.
fn killed_and_gone_on(file: &str) -> std::sync::Arc<Home> {
    let entries = some_chunks();
    let whole = Home::new(&configs::built_in());
    into_users(&whole, "a.csv", file, &[]);
    let wanted = contents(&whole);
    let home = Home::new(&configs::built_in());
    fs::write(home.path("a.csv"), file).unwrap();
    home.serve().stop();
    let stored = || home.query("SELECT count(*) FROM users")[0].parse::<usize>().unwrap();
    let mut import = Process::start(home.command_here(&["import", "a.csv", "--into", "users"]));
    wait_until("nothing is stored", || {
        let is_stored = stored() > 0;
        assert!(is_stored || import.wait_for(std::time::Duration::ZERO).is_none(), "nothing is stored");
        is_stored
    });
    import.kill();
    assert!(stored() < entries, "it was over before it could be killed");
    let mut dice = Dice::new(11);
    for _ in 0..5 {
        let mut import = Process::start(home.command_here(&["import", "a.csv", "--into", "users"]));
        import.wait_for(std::time::Duration::from_millis(dice.below(1_500) as u64));
        import.kill();
    }
    home.run(&["import", "a.csv", "--into", "users"]).exits(0);
    assert_eq!(contents(&home), wanted);
    let again = home.run(&["import", "a.csv", "--into", "users"]).exits(0);
    assert_eq!(again.stdout, format!("read {entries}: created 0, updated 0, unchanged {entries}\n"));
    home
}

#[test]
fn a_killed_import_of_a_file_with_ids_goes_on_by_its_ids() {
    let mut file = "id,first_name,last_name\n".to_owned();
    let ids: Vec<String> = (0..some_chunks()).map(|number| (3 * number + 5).to_string()).collect();
    for (number, id) in ids.iter().enumerate() {
        writeln!(file, "{id},F,L{}", number % 7).unwrap();
    }
    let home = killed_and_gone_on(&file);
    assert_eq!(home.query("SELECT id FROM users ORDER BY id"), ids);
    // Another file is not that one.
    let other = import(&home, "b.csv", "id,first_name,last_name\n5,a,b\n", &["--into", "users"]);
    other.exits(2).says(&["the file has ids, and users has records."]);
    // Once it is over, what is gone stays gone.
    let server = home.serve();
    assert_eq!(server.status(&format!("DELETE /users/{}/", ids[ids.len() - 1])), 200);
    server.stop();
    let again = home.run(&["import", "a.csv", "--into", "users"]).exits(2);
    again.says(&["was given before and its record is gone"]);
}
