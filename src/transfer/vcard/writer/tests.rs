//! Tests of what is written: its form, and that it is read back as the same.

use proptest::prelude::*;

use super::*;
use crate::catalog::Catalog;
use crate::catalog::date::Date;
use crate::catalog::declaration::{Declaration, FieldDeclaration};
use crate::record::Value;
use crate::transfer::entry::{Given, Target};
use crate::transfer::vcard::Cards;

fn catalog(number: &str) -> Catalog {
    let collection = |name: &str, fields: &[(&str, &str)]| {
        let field = |(name, kind): &(&str, &str)| FieldDeclaration {
            name: (*name).to_owned(),
            kind: (*kind).to_owned(),
            references: (*name == "address").then(|| "address".to_owned()),
            vcard: (*name == "shoe").then(|| "X-SHOE".to_owned()),
            ..FieldDeclaration::default()
        };
        let fields = fields.iter().map(field).collect();
        Declaration { name: name.to_owned(), fields, ..Declaration::default() }
    };
    let address = [("city", "string"), ("number", number), ("street", "string"), ("country", "string")];
    let users = [
        ("last_name", "string"),
        ("first_name", "string"),
        ("born", "date"),
        ("note", "string"),
        ("url", "string"),
        ("company", "string"),
        ("shoe", "float"),
        ("address", "integer"),
    ];
    Catalog::declare(&[collection("address", &address), collection("users", &users)], &[]).unwrap()
}

fn write(catalog: &Catalog, version: Version, values: &[Value], address: Option<&[Value]>) -> String {
    let mapping = VcardMapping::of(catalog, catalog.at(1));
    assert_eq!(mapping.address_reference(), Some(7));
    let store = StoreId::new([0xab; 16]);
    let values: Vec<Cell<'_>> = values.iter().map(Value::cell).collect();
    let address: Option<Vec<Cell<'_>>> = address.map(|values| values.iter().map(Value::cell).collect());
    let mut out = Vec::new();
    let writer = VcardWriter { mapping: &mapping, version, store };
    writer.write(&mut out, RecordId::new(7).unwrap(), &values, address.as_deref());
    String::from_utf8(out).unwrap()
}

/// What the card gives, by the positions of the fields; those of the address behind those of the user.
fn read(catalog: &Catalog, card: &str) -> (Vec<Value>, Vec<Value>) {
    let (address, users) = (catalog.at(0), catalog.at(1));
    let mapping = VcardMapping::of(catalog, users);
    let mut cards = Cards::new(card.as_bytes());
    let card = cards.next().unwrap().unwrap().unwrap();
    assert!(cards.next().is_none());
    let taken = mapping.take(&card, StoreId::new([0xab; 16])).unwrap();
    assert!(taken.not_taken.is_empty() && !taken.has_foreign_uid, "{taken:?}");
    let mut values = (vec![Value::Null; users.fields().len()], vec![Value::Null; address.fields().len()]);
    for (target, given) in taken.entry.given {
        let (field, value) = match target {
            Target::Id => {
                assert_eq!(given, Given::Text("7".to_owned()));
                continue;
            }
            Target::Field(position) => (&users.fields()[position], &mut values.0[position]),
            Target::Part { field, .. } => (&address.fields()[field], &mut values.1[field]),
        };
        match given {
            Given::Nothing => {}
            Given::Text(text) => *value = Value::from_query(field.kind(), &text).unwrap(),
            Given::Json(json) => panic!("{json}"),
        }
    }
    values
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn ada() -> Vec<Value> {
    let born = Value::Date(Date::parse("1815-12-10").unwrap());
    vec![
        text("Lovelace"),
        text("Ada"),
        born,
        text("a,b;c\\d\ne"),
        text("http://x/a,b;c"),
        Value::Null,
        Value::Float(38.5),
        3.into(),
    ]
}

#[test]
fn a_card_has_a_fixed_form() {
    let address = [text("Paris"), 45.into(), text("quai de Valmy"), text("France")];
    let card = write(&catalog("integer"), Version::V3, &ada(), Some(&address));
    let expected = "BEGIN:VCARD\nVERSION:3.0\nUID:users-7@abababababababababababababababab\nFN:Ada Lovelace\n\
                    N:Lovelace;Ada;;;\nBDAY:1815-12-10\nNOTE:a\\,b\\;c\\\\d\\ne\nURL:http://x/a,b;c\nX-SHOE:38.5\n\
                    ADR:;;45 quai de Valmy;Paris;;;France\nEND:VCARD\n";
    assert_eq!(card, expected.replace('\n', "\r\n"));
    let card = write(&catalog("integer"), Version::V4, &ada(), Some(&address));
    assert!(card.contains("\r\nBDAY:18151210\r\n"), "{card}");
    assert!(
        card.contains("\r\nADR:;;45 quai de Valmy;Paris;;;France;;;;45;quai de Valmy;;;;;;\r\n"),
        "{card}"
    );
}

#[test]
fn a_card_always_has_a_full_name() {
    let nobody = vec![Value::Null; 8];
    let card = write(&catalog("integer"), Version::V3, &nobody, None);
    assert!(card.contains("\r\nFN:\r\nN:;;;;\r\nEND"), "{card}");
    let card = write(&catalog("integer"), Version::V4, &nobody, None);
    assert!(card.contains("\r\nFN:\r\nEND"), "{card}");
}

#[test]
fn a_street_that_nobody_could_split_stands_by_itself() {
    let address = [Value::Null, Value::Null, text("8 Mai"), Value::Null];
    let card = write(&catalog("integer"), Version::V3, &ada(), Some(&address));
    assert!(card.contains("\r\nADR:;;8 Mai;;;;;;;;;8 Mai;;;;;;\r\n"), "{card}");
}

/// Any text that a card can say.
fn said() -> impl Strategy<Value = Value> {
    let kept =
        |text: String| text.chars().filter(|one| !one.is_ascii_control() || "\n\t".contains(*one)).collect();
    let words = "[0-9]{0,3}[ ,;\\\\n\"=:A-Za-zé€😀\n\t-]{0,90}[ ]?[0-9]{0,2}";
    let texts = prop_oneof![any::<String>(), words].prop_map(kept);
    texts.prop_map(|text: String| if text.is_empty() { Value::Null } else { Value::Text(text) })
}

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::Integer),
        (-1..30i64).prop_map(Value::Integer)
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        texts in prop::array::uniform5(said()),
        day in prop::option::of(0..9999i32),
        shoe in any::<i32>(),
        place in prop::array::uniform3(said()),
        number in prop_oneof![number(), said()],
        is_4 in any::<bool>(),
    ) {
        let version = if is_4 { Version::V4 } else { Version::V3 };
        let catalog = catalog(if matches!(number, Value::Text(_)) { "string" } else { "integer" });
        let [last, first, note, url, company] = texts;
        let born = day.map_or(Value::Null, |day| Value::Date(Date::from_days_since_2000(day)));
        let values = vec![last, first, born, note, url, company, Value::Float(f64::from(shoe) / 8.0), Value::Null];
        let [city, street, country] = place;
        let address = vec![city, number, street, country];
        let card = write(&catalog, version, &values, Some(&address));
        prop_assert!(card.split("\r\n").all(|line| line.len() <= 75 && !line.contains('\n')), "{}", card);
        prop_assert_eq!(read(&catalog, &card), (values, address), "{}", card);
    }
}
