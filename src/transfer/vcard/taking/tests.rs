//! Tests of what cards give, by the rules and by what programs write.

mod shapes;

use super::*;
use crate::catalog::Catalog;
use crate::catalog::declaration::{Declaration, FieldDeclaration};
use crate::transfer::vcard::Cards;

/// Fields as `name type`, a reference as `name > collection`, a declared property behind an `=`.
fn collection(name: &str, fields: &[&str]) -> Declaration {
    let field = |text: &&str| {
        let (text, vcard) =
            text.split_once('=').map_or((*text, None), |(text, vcard)| (text, Some(vcard.to_owned())));
        let (name, kind) = text.split_once(' ').unwrap_or((text, "string"));
        let references = kind.strip_prefix("> ").map(str::to_owned);
        let kind = if references.is_some() { "integer" } else { kind }.to_owned();
        FieldDeclaration { name: name.to_owned(), kind, references, vcard, ..FieldDeclaration::default() }
    };
    Declaration {
        name: name.to_owned(),
        fields: fields.iter().map(field).collect(),
        ..Declaration::default()
    }
}

const ADDRESS: [&str; 6] = ["street", "number integer", "city", "region", "postal_code", "country"];
const USERS: [&str; 10] = [
    "first_name",
    "last_name",
    "email",
    "phone",
    "company",
    "birthday date",
    "title",
    "note",
    "url",
    "address > address",
];

pub(super) fn catalog(address: &[&str], users: &[&str]) -> Catalog {
    Catalog::declare(&[collection("address", address), collection("users", users)], &[]).unwrap()
}

pub(super) fn store() -> StoreId {
    StoreId::new([0xab; 16])
}

/// What a card gives, as `name=text`, then what is not taken with its counts, then whether its `UID` is foreign.
fn take(catalog: &Catalog, card: &str) -> String {
    let users = catalog.find("users").unwrap();
    let mapping = VcardMapping::of(catalog, users);
    let card = Cards::new(card.as_bytes()).next().unwrap().unwrap().unwrap();
    let taken = match mapping.take(&card, store()) {
        Ok(taken) => taken,
        Err(fault) => return fault.words,
    };
    let name = |target: Target| match target {
        Target::Id => "id".to_owned(),
        Target::Field(position) => users.fields()[position].name().to_owned(),
        Target::Part { reference, field } => {
            let target = catalog.at(users.fields()[reference].reference().unwrap().target);
            format!("{}.{}", users.fields()[reference].name(), target.fields()[field].name())
        }
    };
    let given = taken.entry.given.into_iter().map(|(target, given)| match given {
        Given::Text(text) => format!("{}={text}", name(target)),
        Given::Nothing => format!("{}:none", name(target)),
        Given::Json(json) => panic!("{json}"),
    });
    let others = taken.not_taken.iter().map(|(name, count)| format!("({name} {count})"));
    let foreign = taken.has_foreign_uid.then(|| "foreign".to_owned());
    given.chain(others).chain(foreign).collect::<Vec<_>>().join(" ")
}

/// The same of lines in a card, for users with all that has a property.
fn users(lines: &str) -> String {
    take(&catalog(&ADDRESS, &USERS), &format!("BEGIN:VCARD\nVERSION:3.0\n{lines}\nEND:VCARD\n"))
}

#[test]
fn names_of_fields_say_which_property_they_are() {
    let catalog = catalog(&ADDRESS, &USERS);
    let pairs = VcardMapping::of(&catalog, catalog.at(1)).pairs(&catalog);
    let words: Vec<String> =
        pairs.into_iter().map(|(property, field)| format!("{property}={field}")).collect();
    let expected = "N.given=first_name N.family=last_name EMAIL=email TEL=phone ORG=company BDAY=birthday TITLE=title \
                    NOTE=note URL=url ADR.street=address.street ADR.street=address.number ADR.locality=address.city \
                    ADR.region=address.region ADR.code=address.postal_code ADR.country=address.country";
    assert_eq!(words.join(" "), expected);
}

#[test]
fn what_is_declared_beats_names_and_the_first_field_has_the_property() {
    let catalog =
        catalog(&["city"], &["phone", "mobile", "tel=X-FAX", "shoe=x-shoe-size", "born", "second=N.middle"]);
    let pairs = VcardMapping::of(&catalog, catalog.at(1)).pairs(&catalog);
    let words: Vec<String> =
        pairs.into_iter().map(|(property, field)| format!("{property}={field}")).collect();
    assert_eq!(words, ["TEL=phone", "X-FAX=tel", "X-SHOE-SIZE=shoe", "N.middle=second"]);
    let card = "BEGIN:VCARD\nN:L;A;M\nX-Shoe-Size:38\nx-fax:1\nTEL:2\nEND:VCARD";
    assert_eq!(take(&catalog, card), "phone=2 tel=1 shoe=38 second=M (N.family 1) (N.given 1)");
}

#[test]
fn a_reference_to_what_is_no_address_is_in_no_card() {
    let catalog = catalog(&["label", "country"], &["first_name", "address > address"]);
    assert_eq!(take(&catalog, "BEGIN:VCARD\nADR:;;1 x;y;;;z\nEND:VCARD"), "(ADR 1)");
}

#[test]
fn of_a_repeated_property_the_preferred_is_taken_else_the_first() {
    assert_eq!(users("TEL:1\nTEL:2\nTEL;TYPE=pref:3\nTEL:"), "phone=3 (TEL+ 2)");
    assert_eq!(users("TEL:\nTEL:2\nTEL:3"), "phone=2 (TEL+ 1)");
    assert_eq!(users("EMAIL;PREF=20:a@b\nEMAIL;PREF=3:c@d"), "email=c@d (EMAIL+ 1)");
    assert_eq!(users("PHOTO:x\nPHOTO:y\nX-A:"), "(PHOTO 2)");
}

#[test]
fn what_is_there_and_empty_clears_and_what_is_absent_does_not() {
    assert_eq!(users("N:Doe;;;;\nNOTE:"), "first_name:none last_name=Doe note:none");
    assert_eq!(users("ADR:;;;;;;"), "");
    assert_eq!(
        users("ADR:;;7 Way;;;;"),
        "address.street=Way address.number=7 address.city:none address.region:none address.postal_code:none \
         address.country:none"
    );
}

#[test]
fn parts_without_a_field_are_named() {
    assert_eq!(
        users("N:D;J;M;Dr.;Jr;X;III;z\nORG:Acme;R&D;Lab"),
        "first_name=J last_name=D company=Acme (N.generation 1) (N.middle 1) (N.other 1) (N.prefix 1) \
         (N.secondary 1) (N.suffix 1) (ORG.unit 2)"
    );
    let catalog = catalog(&["city"], &["name", "address > address"]);
    let card = "BEGIN:VCARD\nFN:Ada\nADR:1;2;3;Paris;5;6;7\nEND:VCARD";
    assert_eq!(
        take(&catalog, card),
        "name=Ada address.city=Paris (ADR.box 1) (ADR.code 1) (ADR.country 1) (ADR.extended 1) (ADR.region 1) \
         (ADR.street 1)"
    );
    assert_eq!(take(&catalog, "BEGIN:VCARD\nADR:1;;;;;;\nEND:VCARD"), "(ADR.box 1)");
}

#[test]
fn a_full_name_is_taken_or_made_of_the_parts() {
    let catalog = catalog(&["city"], &["full_name"]);
    let take = |lines: &str| take(&catalog, &format!("BEGIN:VCARD\n{lines}\nEND:VCARD"));
    assert_eq!(take("N:Lovelace;Ada;;;\nFN:Lady Ada"), "full_name=Lady Ada (N.family 1) (N.given 1)");
    assert_eq!(take("N:Lovelace;Ada;King;;"), "full_name=Ada Lovelace (N.middle 1)");
    assert_eq!(users("FN:Ada Lovelace"), "(FN 1)");
    assert_eq!(users("FN:Ada Lovelace\nN:;;;;"), "first_name:none last_name:none (FN 1)");
    assert_eq!(users("FN:Ada Lovelace\nN:L;A"), "first_name=A last_name=L");
}

#[test]
fn the_uid_of_this_store_is_an_id() {
    let ours = "ab".repeat(16);
    assert_eq!(users(&format!("UID:users-7@{ours}")), "id=7");
    for uid in
        [format!("users-07@{ours}"), format!("address-7@{ours}"), "users-7@".to_owned() + &"ac".repeat(16)]
    {
        assert_eq!(users(&format!("UID:{uid}")), "foreign", "{uid}");
    }
    let catalog = catalog(&["city"], &["uid"]);
    assert_eq!(take(&catalog, "BEGIN:VCARD\nUID:urn:uuid:1\nEND:VCARD"), "uid=urn:uuid:1");
    assert_eq!(take(&catalog, &format!("BEGIN:VCARD\nUID:users-9@{ours}\nEND:VCARD")), "id=9");
}

#[test]
fn a_day_is_whole_or_not_taken() {
    for line in
        [":1815-12-10", ":18151210", ":1815-12-10T00:00:00Z", ";VALUE=date:1815-12-10", ":18151210T000000"]
    {
        assert_eq!(users(&format!("BDAY{line}")), "birthday=1815-12-10", "{line}");
    }
    for line in [
        ":--1210",
        ":--12-10",
        ":1815",
        ":1815-12",
        ";VALUE=text:circa 1800",
        ";X-APPLE-OMIT-YEAR=1604:1604-12-10",
    ] {
        assert_eq!(users(&format!("BDAY{line}")), "(BDAY.unclear 1)", "{line}");
    }
    assert_eq!(users("BDAY:10.12.1815"), "birthday=10.12.1815");
}

#[test]
fn an_address_is_read_from_its_parts_else_guessed() {
    let street = |lines: &str| {
        let words = users(lines);
        words.split(" address.city").next().unwrap().to_owned()
    };
    assert_eq!(street("ADR:;;45 quai de Valmy;Paris;;;"), "address.street=quai de Valmy address.number=45");
    assert_eq!(street("ADR:;;45 quai;Paris;;;;;;;12;Rue 8;;;;;;"), "address.street=Rue 8 address.number=12");
    assert_eq!(street("ADR:;;8 Way;Paris;;;;;;;;8 Way;;;;;;"), "address.street=8 Way address.number:none");
    // Without any number the field is not given.
    assert_eq!(street("ADR:;;Way;Paris;;;"), "address.street=Way");
    let catalog = catalog(&["street", "city"], &["address > address"]);
    let card = "BEGIN:VCARD\nADR:;;45 quai;Paris;;;;;;;45;quai\nEND:VCARD";
    assert_eq!(take(&catalog, card), "address.street=45 quai address.city=Paris");
}

#[test]
fn a_value_that_cannot_be_decoded_is_a_fault_where_it_is_taken() {
    let line = ";ENCODING=QUOTED-PRINTABLE;CHARSET=KOI8-R:=C1";
    assert_eq!(
        users(&format!("NOTE{line}")),
        "the card at line 1: NOTE is in the charset KOI8-R, and only UTF-8, windows-1252 and ISO-8859-1 are known"
    );
    assert_eq!(users(&format!("X-A{line}")), "(X-A 1)");
}
