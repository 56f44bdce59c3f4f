//! What the entries of a file mean: which record, which fields, and which of them would break a rule.

use dev::configs;

use crate::support::home::Home;
use crate::support::imports::import_file;

const CONTACTS: &str = r#"
[[collection]]
name = "contacts"
unique = [["first_name", "last_name"]]
[collection.fields]
first_name = { type = "string", required = true }
last_name  = { type = "string" }
email      = { type = "string", format = "email" }
phone      = { type = "string", format = "phone" }
birthday   = { type = "date" }
note       = { type = "string" }
title      = { type = "string" }
"#;

const INTO: [&str; 2] = ["--into", "contacts"];

/// All contacts, each in a line.
fn contacts(home: &Home) -> Vec<String> {
    let all = home.run(&["export", "contacts", "--format", "csv"]).exits(0).stdout;
    all.lines().skip(1).map(str::to_owned).collect()
}

fn with(more: &[&'static str]) -> Vec<&'static str> {
    [&INTO[..], more].concat()
}

/// Two that say nothing have nothing in common.
#[test]
fn entries_without_a_value_for_what_they_are_matched_by_are_nobody_else() {
    let home = Home::new(CONTACTS);
    import_file(&home, "a.csv", "first_name,last_name,email\nAda,Lovelace,\n", &INTO).exits(0);
    let file = "first_name,last_name,email\nGrace,Hopper,\nEdith,Clarke,\nAda,Lovelace,\n";
    for summary in ["created 2, updated 0, unchanged 1", "created 0, updated 0, unchanged 3"] {
        import_file(&home, "b.csv", file, &with(&["--match", "email"])).exits(0).says(&[summary]);
    }
    assert_eq!(contacts(&home), ["1,Ada,Lovelace,,,,,", "2,Grace,Hopper,,,,,", "3,Edith,Clarke,,,,,"]);
    // The column need not be there.
    import_file(
        &home,
        "c.csv",
        "first_name,last_name\nMary,Jackson\nKay,Antonelli\n",
        &with(&["--match", "email"]),
    )
    .exits(0)
    .says(&["created 2"]);
}

#[test]
fn a_unique_rule_that_entries_would_break_is_found_before_anything_is_stored() {
    let home = Home::new(CONTACTS);
    let stored = "id,first_name,last_name,phone\n1,Ada,Lovelace,101\n2,Grace,Hopper,102\n";
    import_file(&home, "stored.csv", stored, &INTO).exits(0);
    let before = contacts(&home);
    let unique = "first_name,last_name must be unique together";
    for (file, matching, faults) in [
        (
            "id,first_name,last_name\n3,A,1\n4,A,1\n5,B,1\n",
            "id",
            vec!["line 3 has the same first_name,last_name as line 2".to_owned()],
        ),
        (
            "phone,first_name,last_name\n103,Ada,Lovelace\n101,Ada,Lovelace\n102,Ada,Lovelace\n",
            "phone",
            vec![
                "line 4 has the same first_name,last_name as line 2".to_owned(),
                format!("line 2: {unique}: record 1 has the same"),
            ],
        ),
        (
            "first_name,last_name\nMary,Jackson\nGrace,Hopper\n",
            "none",
            vec![format!("line 3: {unique}: record 2 has the same")],
        ),
        // Each wants what the other one has.
        (
            "id,first_name,last_name\n1,Grace,Hopper\n2,Ada,Lovelace\n",
            "id",
            vec![format!("line 2: {unique}: record 2 has the same")],
        ),
    ] {
        for dry_run in [&["--dry-run"][..], &[]] {
            let more = [&["--match", matching][..], dry_run].concat();
            let outcome = import_file(&home, "a.csv", file, &[&INTO[..], &more].concat()).exits(2);
            for fault in &faults {
                assert!(outcome.stderr.contains(fault.as_str()), "{fault}: {}", outcome.stderr);
            }
        }
        assert_eq!(contacts(&home), before, "{file}");
    }
    // What an entry before gives up may be taken.
    let file = "id,first_name,last_name\n1,Augusta,King\n2,Ada,Lovelace\n";
    import_file(&home, "b.csv", file, &with(&["--match", "id"])).exits(0).says(&["updated 2"]);
    import_file(&home, "b.csv", file, &with(&["--match", "id"])).exits(0).says(&["unchanged 2"]);
}

/// Different addresses that are made by the same file are different.
#[test]
fn a_rule_over_a_reference_tells_new_records_apart() {
    let config = configs::built_in().replacen(
        "name = \"users\"",
        "name = \"users\"\nunique = [[\"last_name\", \"address\"]]",
        1,
    );
    let home = Home::new(&config);
    let file = "first_name,last_name,address.country,address.city,address.street,address.number\n\
                Ada,Doe,FR,Paris,rue,1\nBob,Doe,FR,Paris,rue,2\n";
    import_file(&home, "a.csv", file, &["--into", "users"])
        .exits(0)
        .says(&["created 2", "address: created 2"]);
    let twice = format!("{file}Cid,Doe,FR,Lyon,rue,3\nDan,Doe,FR,Lyon,rue,3\n");
    import_file(&home, "b.csv", twice, &["--into", "users"])
        .exits(2)
        .says(&["line 5 has the same last_name,address as line 4"]);
}

#[test]
fn what_is_left_out_or_mapped_is_so_in_every_format() {
    let cards = "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Lovelace;Ada;;;\r\nTEL:+441\r\nTEL:+442\r\nNOTE:n\r\nROLE:r\r\nX-AbFoo:x\r\nEND:VCARD\r\n";
    let lines = "{\"first_name\":\"Ada\",\"last_name\":\"Lovelace\",\"phone\":\"+441\",\"note\":\"n\",\"role\":\"r\"}\n";
    for (name, file, more, stored) in [
        (
            "a.vcf",
            cards,
            &["--ignore", "note", "--ignore", "tel", "--ignore", "role", "--ignore", "X-AbFoo"][..],
            "1,Ada,Lovelace,,,,,",
        ),
        (
            "b.vcf",
            cards,
            &["--ignore", "TEL+", "--ignore", "X-ABFOO", "--map", "role=title"],
            "1,Ada,Lovelace,,+441,,n,r",
        ),
        ("c.vcf", cards, &["--ignore-rest", "--map", "TEL=note"], "1,Ada,Lovelace,,,,+441,"),
        (
            "d.vcf",
            cards,
            &["--ignore-rest", "--ignore", "N.family", "--map", "n.given=title", "--fill", "first_name=x"],
            "1,x,,,+441,,n,Ada",
        ),
        ("e.jsonl", lines, &["--ignore", "phone", "--ignore", "role"], "1,Ada,Lovelace,,,,n,"),
        ("f.jsonl", lines, &["--map", "role=title"], "1,Ada,Lovelace,,+441,,n,r"),
    ] {
        let home = Home::new(CONTACTS);
        import_file(&home, name, file, &[&INTO[..], more].concat()).exits(0);
        assert_eq!(contacts(&home), [stored], "{name}");
    }
    let home = Home::new(&configs::built_in());
    let card = "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Lovelace;Ada;;;\r\nADR:;;no number;;;;\r\nEND:VCARD\r\n";
    import_file(&home, "a.vcf", card, &["--into", "users"]).exits(2).says(&["ADR has no house number"]);
    import_file(&home, "a.vcf", card, &["--into", "users", "--ignore", "adr"])
        .exits(0)
        .says(&["ignored ADR 1"]);
    for (more, words) in [
        (["--map", "ADR.code=first_name"], "--map: ADR.code of a card cannot be first_name"),
        (["--map", "TEL=address.city"], "--map: TEL of a card cannot be address.city"),
        (["--delimiter", ";"], "--delimiter: it is for CSV"),
    ] {
        import_file(&home, "a.vcf", card, &[&["--into", "users"], &more[..]].concat())
            .exits(2)
            .says(&[words]);
    }
}

#[test]
fn half_an_array_is_no_file_and_two_ids_are_no_record() {
    let home = Home::new(CONTACTS);
    for (name, file, words) in [
        ("a.json", "[{\"first_name\":\"Ada\"},", "line 1: not JSON: the file ends in it"),
        ("b.json", "[{\"first_name\":\"Ada\"}\n", "line 2: not JSON: the file ends in it"),
        (
            "c.json",
            "[{\"first_name\":\"Ada\"} {\"first_name\":\"Bob\"}]",
            "line 1: not JSON: an array of objects is expected",
        ),
        (
            "d.csv",
            "id,ressource_uri,first_name\n1,/contacts/2/,Ada\n",
            "line 2: id and ressource_uri are of two records",
        ),
        (
            "e.csv",
            "ressource_uri,first_name,id\n/contacts/2/,Ada,1\n",
            "line 2: id and ressource_uri are of two records",
        ),
        (
            "old.csv",
            "first_name,last_name\rAda,Lovelace\r",
            "line 1: a carriage return stands alone. Save the file with line feeds",
        ),
        ("f.jsonl", "{\"first_name\":\"Ada\",\"id\":\"1\"}\n", "line 1: id does not validate: \"1\""),
    ] {
        import_file(&home, name, file, &INTO).exits(2).says(&[words]);
    }
    assert!(contacts(&home).is_empty());
    import_file(
        &home,
        "g.csv",
        "id,ressource_uri,first_name\n1,/contacts/1/,Ada\n,/contacts/2/,Bob\n3,,Cid\n",
        &INTO,
    )
    .exits(0);
    assert_eq!(contacts(&home), ["1,Ada,,,,,,", "2,Bob,,,,,,", "3,Cid,,,,,,"]);
}

/// A file moves no cursor, and its names are quoted for a shell.
#[test]
fn faults_of_strange_names_can_be_printed_and_mended() {
    let home = Home::new(CONTACTS);
    let outcome = import_file(&home, "a.csv", "first_name,Nick's,\u{1b}[31mred\nAda,x,y\n", &INTO).exits(2);
    assert!(outcome.stderr.contains(r"--ignore 'Nick'\''s'"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(r"\u{1b}[31mred"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains('\u{1b}'), "{}", outcome.stderr);
}

#[test]
fn birthdays_and_several_values_of_the_exports_people_have_are_taken_where_they_are_clear() {
    let google = "First Name,Last Name,Birthday,Labels,E-mail 1 - Value,Phone 1 - Value\n\
                  Ada,Lovelace,1815-12-10,,ada@example.org ::: a@example.org,+1 555 0100 ::: +1 555 0101\n\
                  Grace,Hopper, --12-09,,,\n";
    let outlook = "First Name,Last Name,Birthday,E-mail Address,Mobile Phone,Home Street\n\
                   Ada,Lovelace,1815-12-10,ada@example.org,+1 555 0100,\n\
                   Grace,Hopper,0/0/00,,,\nEdith,Clarke,2/10/1883,,,\n";
    let thunderbird = "First Name,Last Name,Primary Email,Screen Name,Mobile Number,Birth Year,Birth Month,Birth Day\n\
                       Ada,Lovelace,ada@example.org,,+1 555 0100,1815,12,10\nGrace,Hopper,,,,,12,9\nEdith,Clarke,,,,1883,2,1\n";
    for (name, file, ignored, others) in [
        (
            "google.csv",
            google,
            "ignored Birthday.unclear 1, E-mail 1 - Value+ 1, Phone 1 - Value+ 1",
            vec!["2,Grace,Hopper,,,,,"],
        ),
        (
            "outlook.csv",
            outlook,
            "ignored Birthday.unclear 1",
            vec!["2,Grace,Hopper,,,,,", "3,Edith,Clarke,,,,,"],
        ),
        (
            "thunderbird.csv",
            thunderbird,
            "ignored Birth Day.unclear 1",
            vec!["2,Grace,Hopper,,,,,", "3,Edith,Clarke,,,1883-02-01,,"],
        ),
    ] {
        let home = Home::new(CONTACTS);
        import_file(&home, name, file, &with(&["--ignore-rest"])).exits(0).says(&[ignored]);
        let all = contacts(&home);
        assert_eq!(all[0], "1,Ada,Lovelace,ada@example.org,+1 555 0100,1815-12-10,,", "{name}");
        assert_eq!(all[1..], others, "{name}");
        import_file(&home, name, file, &with(&["--ignore-rest"])).exits(0).says(&["created 0, updated 0"]);
    }
    // Without it, what is not taken is named with what can be said.
    let home = Home::new(CONTACTS);
    import_file(&home, "a.csv", google, &with(&["--ignore", "Labels"])).exits(2).says(&[
        "not taken: Birthday.unclear (1), E-mail 1 - Value+ (1), Phone 1 - Value+ (1)",
        "--ignore Birthday.unclear --ignore 'E-mail 1 - Value+'",
    ]);
}

/// A column is what the programs mean by it, also where no program wrote the header.
#[test]
fn columns_of_programs_are_known_in_any_header() {
    let home = Home::new(CONTACTS);
    let file = "Given Name,Family Name,Phone 1 - Value,E-mail Address\nAda,Lovelace,+441,ada@example.org\n";
    import_file(&home, "a.csv", file, &INTO).exits(0);
    import_file(&home, "b.csv", "first_name,last_name,Mobile Phone\nGrace,Hopper,+112\n", &INTO).exits(0);
    assert_eq!(contacts(&home), ["1,Ada,Lovelace,ada@example.org,+441,,,", "2,Grace,Hopper,,+112,,,"]);
    let home = Home::new(&configs::built_in());
    let file = "First Name,Last Name,Labels,Address 1 - Street,Address 1 - City,Address 1 - Country\n\
                Ada,Lovelace,x,12 St James Square,London,UK\n";
    import_file(&home, "c.csv", file, &["--into", "users", "--ignore-rest"])
        .exits(0)
        .says(&["address: created 1"]);
    let stored = "SELECT street || ' ' || number FROM address";
    assert_eq!(home.query(stored), ["St James Square 12"]);
}
