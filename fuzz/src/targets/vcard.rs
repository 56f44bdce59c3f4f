//! A file of cards → entries → records → cards of both versions → the same records.

use std::sync::OnceLock;

use carnet::catalog::Catalog;
use carnet::config::{Config, Origin, Overrides};
use carnet::record::value::Cell;
use carnet::record::{RecordId, Value};
use carnet::store::StoreId;
use carnet::transfer::entry::{Given, Target};
use carnet::transfer::vcard::{Card, Cards, Taken, VcardMapping, VcardWriter, Version, split_street};

use crate::is_planted;

/// Every kind of property: parts of a name, texts, a day, an address.
const BOOK: &str = r#"
[[collection]]
name = "address"
[collection.fields]
street      = { type = "string" }
number      = { type = "integer" }
city        = { type = "string" }
postal_code = { type = "string" }
country     = { type = "string" }

[[collection]]
name = "users"
[collection.fields]
first_name = { type = "string" }
last_name  = { type = "string" }
second     = { type = "string", vcard = "N.middle" }
email      = { type = "string" }
phone      = { type = "string" }
company    = { type = "string" }
birthday   = { type = "date" }
note       = { type = "string" }
url        = { type = "string" }
nick       = { type = "string", vcard = "X-NICK" }
address    = { type = "integer", references = "address" }
"#;

/// What is not reported, whether or not a field is so called.
const QUIET: [&str; 8] = ["VERSION", "PRODID", "REV", "UID", "FN", "X-ABLABEL", "N", "ADR"];
/// The properties that are fields, and may have been taken.
const FIELDS: [&str; 7] = ["EMAIL", "TEL", "ORG", "BDAY", "NOTE", "URL", "X-NICK"];

/// The values of a user, and of their address.
type Values = (Vec<Value>, Vec<Value>);

fn catalog() -> &'static Catalog {
    static CATALOG: OnceLock<std::sync::Arc<Catalog>> = OnceLock::new();
    CATALOG.get_or_init(|| {
        let config = Config::parse(BOOK, Origin::File("book.toml".into()), &Overrides::default());
        config.unwrap_or_else(|error| panic!("{error}")).catalog
    })
}

pub(crate) fn run(input: &[u8]) {
    let catalog = catalog();
    let mapping = VcardMapping::of(catalog, catalog.at(1));
    let store = StoreId::new([0xab; 16]);
    let lines = input.split(|byte| *byte == b'\n').count() as u64;
    let mut last = 0;
    for card in Cards::new(input) {
        let card = match card.expect("memory can be read") {
            Ok(card) => card,
            Err(fault) => {
                assert!((last..=lines).contains(&fault.line) && fault.line > 0, "{fault:?}");
                assert!(fault.words.contains(&format!("line {}", fault.line)), "{fault:?}");
                assert!(fault.words.len() < 200 && !fault.words.contains(char::is_control), "{fault:?}");
                last = fault.line;
                continue;
            }
        };
        assert!(last < card.line && card.line <= lines, "each begins behind the one before");
        last = card.line;
        let taken = match mapping.take(&card, store) {
            Ok(taken) => taken,
            Err(fault) => {
                assert_eq!(fault.line, card.line);
                continue;
            }
        };
        nothing_is_dropped(&card, &taken);
        if let Some(values) = values(&taken) {
            round_trip(&mapping, store, values);
        }
    }
    if let Some((number, street)) = std::str::from_utf8(input).ok().and_then(split_street) {
        let again = format!("{number} {street}");
        assert_eq!(split_street(&again), Some((number, street)), "{again}");
    }
}

/// What says something is taken, or named.
fn nothing_is_dropped(card: &Card, taken: &Taken) {
    for property in card.properties().filter(|property| !property.is_empty()) {
        let name = property.upper_name();
        let is_named =
            taken.not_taken.contains_key(&name) || taken.not_taken.contains_key(&format!("{name}+"));
        let may_be_taken = FIELDS.contains(&name.as_str()) || QUIET.contains(&name.as_str());
        assert!(is_named || may_be_taken, "{name} is gone");
    }
    assert!(taken.not_taken.values().all(|count| *count > 0));
}

/// What a card gives as values; `None` where a field does not take it, or a card could not say it.
fn values(taken: &Taken) -> Option<Values> {
    let (address, users) = (catalog().at(0), catalog().at(1));
    let mut values = (vec![Value::Null; users.fields().len()], vec![Value::Null; address.fields().len()]);
    for (target, given) in &taken.entry.given {
        let (field, value) = match target {
            Target::Id => continue,
            Target::Field(position) => (&users.fields()[*position], &mut values.0[*position]),
            Target::Part { field, .. } => (&address.fields()[*field], &mut values.1[*field]),
        };
        match given {
            Given::Nothing => {}
            Given::Json(json) => panic!("a card has no JSON: {json}"),
            Given::Text(text) => {
                assert!(!text.is_empty(), "that is no value");
                if text.chars().any(|one| one.is_ascii_control() && !"\n\t".contains(one)) {
                    return None;
                }
                *value = Value::from_query(field.kind(), text)?;
            }
        }
    }
    Some(values)
}

fn round_trip(mapping: &VcardMapping, store: StoreId, (mut user, address): Values) {
    for version in Version::ALL {
        let writer = VcardWriter { mapping, version, store };
        let mut bytes = Vec::new();
        let (own, its): (Vec<Cell<'_>>, Vec<Cell<'_>>) =
            (user.iter().map(Value::cell).collect(), address.iter().map(Value::cell).collect());
        writer.write(&mut bytes, RecordId::new(7).expect("seven is an id"), &own, Some(&its));
        let text = std::str::from_utf8(&bytes).expect("a card is UTF-8");
        assert!(text.split("\r\n").all(|line| line.len() <= 75 && !line.contains('\n')), "{text}");
        let mut cards = Cards::new(bytes.as_slice());
        let card = cards.next().expect("it is one").expect("memory can be read").expect("it is whole");
        assert!(cards.next().is_none());
        let taken = mapping.take(&card, store).expect("it can be read");
        assert!(taken.not_taken.is_empty() && !taken.has_foreign_uid, "{taken:?}");
        assert_eq!(taken.entry.given.first(), Some(&(Target::Id, Given::Text("7".into()))));
        // The planted bug: line ends become spaces.
        for value in &mut user {
            if let (true, Value::Text(text)) = (is_planted(), value) {
                *text = text.replace('\n', " ");
            }
        }
        assert_eq!(values(&taken).as_ref(), Some(&(user.clone(), address.clone())), "{text}");
    }
}
