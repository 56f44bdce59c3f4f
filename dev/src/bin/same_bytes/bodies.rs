//! Bodies of requests: good ones, and those that are wrong in every way that a field or a text can be.

use dev::answer::Answer;
use dev::dice::Dice;
use serde_json::{Map, Value, json};

use crate::lists::{TEXTS, VALUES, list};

/// A collection, as `/schema/` describes it.
pub(crate) struct Collection {
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
}

pub(crate) struct Field {
    pub(crate) name: String,
    kind: String,
    is_required: bool,
}

impl Collection {
    pub(crate) fn new(name: &str, schema: &Answer) -> Collection {
        let Ok(Value::Object(fields)) = serde_json::from_slice(&schema.body) else {
            return Collection { name: name.to_owned(), fields: Vec::new() };
        };
        let field = |(name, about): (String, Value)| Field {
            name,
            kind: about["type"].as_str().unwrap_or_default().to_owned(),
            is_required: about["required"] == "true",
        };
        Collection { name: name.to_owned(), fields: fields.into_iter().map(field).collect() }
    }

    /// A body that could be stored, if what it refers to is there.
    pub(crate) fn good(&self, dice: &mut Dice) -> Map<String, Value> {
        let mut body = Map::new();
        for field in &self.fields {
            if field.is_required || !dice.once_in(3) {
                body.insert(field.name.clone(), field.value(dice));
            }
        }
        body
    }

    /// Bodies with one fault each.
    pub(crate) fn wrong(&self, dice: &mut Dice) -> Vec<Vec<u8>> {
        let mut bodies: Vec<Vec<u8>> = list(TEXTS).map(|text| text.as_bytes().to_vec()).collect();
        for bytes in [&b"\xef\xbb\xbf{}"[..], b"{\"\xff\":1}", b"\xff\xfe{\0}\0"] {
            bodies.push(bytes.to_vec());
        }
        bodies.push([b"[".repeat(300), b"]".repeat(300)].concat());
        bodies.push([&br#"{"a":"#[..], &b"[".repeat(100), &b"]".repeat(100), b"}"].concat());
        bodies.push(format!("{{\"x\":\"{}\"}}", "x".repeat(5_000)).into_bytes());
        for field in &self.fields {
            let mut body = self.good(dice);
            body.shift_remove(&field.name);
            bodies.push(json(&body));
            for value in list(VALUES) {
                let rest = json(&body);
                let rest = String::from_utf8_lossy(&rest[1..]).into_owned();
                let comma = if rest == "}" { "" } else { "," };
                bodies.push(format!("{{\"{}\":{value}{comma}{rest}", field.name).into_bytes());
            }
            bodies.push(format!("{{\"{0}\":1,\"{0}\":2}}", field.name).into_bytes());
        }
        for (name, value) in [
            ("id", json!(1)),
            ("id", json!("1")),
            ("ressource_uri", json!("/users/1/")),
            ("nmae", json!(null)),
        ] {
            let mut body = self.good(dice);
            body.insert(name.into(), value);
            bodies.push(json(&body));
        }
        bodies
    }
}

impl Field {
    fn value(&self, dice: &mut Dice) -> Value {
        match self.kind.as_str() {
            "integer" => match dice.below(12) {
                0 => json!(i64::MAX),
                1 => json!(i64::MIN),
                2 => json!(0),
                _ => json!(dice.below(9) + 1),
            },
            "float" => json!(*dice.pick(&[0.0, -0.0, 1.5, -2.0, 1e300, 5e-324, 0.1, 123_456_789.25])),
            "boolean" => json!(dice.once_in(2)),
            _ => match dice.below(8) {
                0 => json!(format!("{}{}", dice.pick(WORDS), dice.below(1_000))),
                1 => json!("long ".repeat(dice.below(500))),
                _ => json!(dice.pick(WORDS)),
            },
        }
    }

    /// What a filter may ask for: often what is stored.
    pub(crate) fn text(&self, dice: &mut Dice) -> String {
        match self.value(dice) {
            Value::String(text) => text,
            value => value.to_string(),
        }
    }
}

pub(crate) fn json(body: &Map<String, Value>) -> Vec<u8> {
    serde_json::to_vec(body).unwrap()
}

const WORDS: &[&str] = &[
    "Ada",
    "Doe",
    "John",
    "",
    " ",
    "Ämne",
    "日本語",
    "😀",
    "a\"b\\c/",
    "null",
    "<b>&amp;</b>",
    "\u{1f}\t\n",
    "\u{2028}",
    "50% + 1",
];
