//! What a record holds: one token, in every one of its fields, so that half a write shows.

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Collection {
    Address,
    Users,
}

pub(crate) const BOTH: [Collection; 2] = [Collection::Address, Collection::Users];

impl Collection {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Collection::Address => "address",
            Collection::Users => "users",
        }
    }

    /// The record behind a `ressource_uri`.
    pub(crate) fn of_uri(uri: &str) -> Option<(Collection, i64)> {
        BOTH.into_iter().find_map(|collection| {
            let id = uri.strip_prefix(&format!("/{}/", collection.name()))?.strip_suffix('/')?;
            Some((collection, id.parse().ok()?))
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Values {
    /// Unlike that of any other write.
    pub(crate) token: String,
    /// Where a user lives.
    pub(crate) address: Option<i64>,
    /// The length of a user's note, for writes that fill the log.
    pub(crate) pad: usize,
}

/// The collections, with so much memory, and with fields and collections that were added since the first start.
pub(crate) fn configuration(memory: &str, added: usize) -> String {
    let fields: String =
        (0..added).map(|number| format!("extra{number} = {{ type = \"string\" }}\n")).collect();
    let collections: String = (0..added / 4)
        .map(|number| format!("[[collection]]\nname = \"later{number}\"\n[collection.fields]\nname = {{ type = \"string\" }}\n"))
        .collect();
    format!(
        r#"[server]
memory = "{memory}"

[log]
level = "warn"

[[collection]]
name = "address"
show_id = true
[collection.fields]
country = {{ type = "string", required = true }}
city = {{ type = "string", required = true }}
street = {{ type = "string", required = true }}
number = {{ type = "integer", required = true }}
[collection.pagination]
page_size = 1000

[[collection]]
name = "users"
[collection.fields]
first_name = {{ type = "string", required = true }}
last_name = {{ type = "string", required = true }}
address = {{ type = "integer", references = "address" }}
note = {{ type = "string" }}
{fields}[collection.pagination]
page_size = 1000

[[collection]]
name = "things"
[collection.fields]
role = {{ type = "string", required = true }}
kind = {{ type = "string", required = true }}
token = {{ type = "string", required = true }}
seq = {{ type = "integer", required = true }}
[collection.pagination]
page_size = 1000

[[collection]]
name = "locked"
[collection.fields]
name = {{ type = "string" }}
[collection.access]
authentication = true
authorization = true
{collections}"#
    )
}

impl Values {
    pub(crate) fn body(&self, collection: Collection) -> String {
        let token = &self.token;
        let body = match collection {
            Collection::Address => {
                json!({"country": token, "city": format!("{token} city"), "street": format!("{token} street"), "number": number(token)})
            }
            Collection::Users => {
                json!({"first_name": token, "last_name": format!("{token} last"), "address": self.address, "note": "x".repeat(self.pad)})
            }
        };
        body.to_string()
    }

    /// A batch of an address and so many users who live there.
    pub(crate) fn batch(&self, users: usize) -> String {
        let item = |collection: Collection, body: Value| json!({"method": "POST", "path": format!("/{}/", collection.name()), "body": body});
        let body = |collection| serde_json::from_str::<Value>(&self.body(collection)).unwrap_or_default();
        let mut user = body(Collection::Users);
        user["address"] = "$0".into();
        let users = std::iter::repeat_n(item(Collection::Users, user), users);
        let items: Vec<Value> =
            std::iter::once(item(Collection::Address, body(Collection::Address))).chain(users).collect();
        json!({ "requests": items }).to_string()
    }

    /// What a shown record holds; an error where its parts are of different writes.
    pub(crate) fn shown(collection: Collection, record: &Value) -> Result<(i64, Values), String> {
        let wrong = |words: &str| format!("{words} in {record}");
        let text = |field: &str| record[field].as_str().ok_or_else(|| wrong(field));
        let id = record["id"].as_i64().ok_or_else(|| wrong("no id"))?;
        let values = match collection {
            Collection::Address => Values { token: text("country")?.to_owned(), address: None, pad: 0 },
            Collection::Users => Values {
                token: text("first_name")?.to_owned(),
                address: record["address"].as_i64(),
                pad: text("note")?.len(),
            },
        };
        let token = &values.token;
        let is_whole = match collection {
            Collection::Address => {
                text("city")? == format!("{token} city")
                    && text("street")? == format!("{token} street")
                    && record["number"] == number(token)
            }
            Collection::Users => text("last_name")? == format!("{token} last"),
        };
        if is_whole { Ok((id, values)) } else { Err(wrong("HALF A WRITE")) }
    }
}

fn number(token: &str) -> i64 {
    token.bytes().fold(7, |sum: i64, byte| sum.wrapping_mul(31).wrapping_add(i64::from(byte))) >> 12
}
