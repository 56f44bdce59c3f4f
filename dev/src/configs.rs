//! The configurations that the tests serve, put together from the same few pieces.

const ADDRESS: &str = r#"
[[collection]]
name = "address"
show_id = false

[collection.fields]
country = { type = "string", required = true }
city    = { type = "string", required = true, searchable = true }
street  = { type = "string", required = true, searchable = true }
number  = { type = "integer", required = true }

[collection.pagination]
page_size = 20
"#;

const USERS_FIELDS: &str = r#"
[collection.fields]
first_name = { type = "string", required = true, searchable = true }
last_name  = { type = "string", required = true, searchable = true }
address    = { type = "integer", references = "address", on_delete = "restrict" }
"#;

const PAGES: &str = "
[collection.pagination]
page_size = 20
";

/// The built-in address book, written out.
pub fn built_in() -> String {
    users("", PAGES)
}

/// The built-in address book with pages of a thousand records.
pub fn long_pages() -> String {
    built_in().replace("page_size = 20", "page_size = 1000")
}

/// The built-in address book with further keys in `[server]`.
pub fn with_server(keys: &str) -> String {
    format!("[server]\n{keys}\n{}", built_in())
}

/// No two users of the same first and last name.
pub fn unique() -> String {
    users(r#"unique = [["first_name", "last_name"]]"#, PAGES)
}

/// Users only for those who present a known access key.
pub fn guarded() -> String {
    users("", &format!("{PAGES}\n[collection.access]\nauthentication = true\nauthorization = true\n"))
}

/// As many unknown keys may be presented from one address as a test likes.
pub fn patient(config: &str) -> String {
    with_unknown_keys(0, config)
}

/// So many unknown keys may be presented from one address in a minute.
pub fn with_unknown_keys(limit: u32, config: &str) -> String {
    format!("[access]\nunknown_keys_per_minute = {limit}\n{config}")
}

/// As [`guarded`], with the key in another query parameter.
pub fn guarded_by(parameter: &str) -> String {
    format!("[access]\nparameter = \"{parameter}\"\n{}", guarded())
}

/// Callers of users are identified, and nobody is refused.
pub fn identified() -> String {
    users("", &format!("{PAGES}\n[collection.access]\nauthentication = true\n"))
}

/// Callers of users are identified, and each key may ask so often.
pub fn rate_limited(quota: u32, interval: u32) -> String {
    format!("{}\n[collection.rate_limit]\nquota = {quota}\ninterval = {interval}\n", identified())
}

/// Users only for known keys, and each may ask so often.
pub fn guarded_and_rate_limited(quota: u32) -> String {
    format!("{}\n[collection.rate_limit]\nquota = {quota}\ninterval = 3600\n", guarded())
}

/// `first_id` for `offset`, `limit` for `count`, on users.
pub fn renamed() -> String {
    users("", &format!("{PAGES}offset_key = \"first_id\"\ncount_key = \"limit\"\n"))
}

/// Users in one piece.
pub fn unpaged() -> String {
    users("", "")
}

/// What happens to users when their address goes.
pub fn on_delete(rule: &str) -> String {
    built_in().replace(r#"on_delete = "restrict""#, &format!(r#"on_delete = "{rule}""#))
}

/// Users with these verbs, written as TOML arrays.
pub fn verbs(list: &str, unique: &str) -> String {
    users(&format!("list_verbs = {list}\nunique_verbs = {unique}"), PAGES)
}

/// `id` shown the other way round: by addresses, not by users.
pub fn ids_shown_the_other_way() -> String {
    users("show_id = false", PAGES).replace(
        "show_id = false\n\n[collection.fields]\ncountry",
        "show_id = true\n\n[collection.fields]\ncountry",
    )
}

/// One collection with a field of each type, required and optional.
pub fn kinds() -> String {
    r#"
[[collection]]
name = "things"
unique = [["code"], ["name", "size"]]

[collection.fields]
name    = { type = "string", required = true }
size    = { type = "integer", required = true }
weight  = { type = "float", required = true }
fragile = { type = "boolean", required = true }
note    = { type = "string" }
code    = { type = "integer" }
height  = { type = "float" }
sold    = { type = "boolean" }

[collection.pagination]
page_size = 20
"#
    .to_owned()
}

/// One collection with every rule that a string may have.
pub fn contacts() -> String {
    contacts_with("", "")
}

/// As [`contacts`], with further fields, and with other keys of `nick`.
pub fn contacts_with(nick: &str, fields: &str) -> String {
    format!(
        r#"
[[collection]]
name = "contacts"
unique = [["nick"]]
list_verbs = ["GET", "POST", "PUT"]

[collection.fields]
nick  = {{ type = "string", required = true, max_length = 40{nick} }}
email = {{ type = "string", format = "email" }}
phone = {{ type = "string", format = "phone" }}
site  = {{ type = "string", format = "url" }}
kind  = {{ type = "string", choices = ["home", "work", "it's \"ours\""] }}
{fields}

[collection.pagination]
page_size = 20
"#
    )
}

/// One collection with days and moments, required and optional.
pub fn dates() -> String {
    r#"
[[collection]]
name = "events"
unique = [["day", "at"]]
list_verbs = ["GET", "POST", "PUT"]

[collection.fields]
name = { type = "string", required = true }
born = { type = "date" }
met  = { type = "datetime" }
day  = { type = "date", required = true, default = 2000-01-01 }
at   = { type = "datetime" }

[collection.pagination]
page_size = 20
"#
    .to_owned()
}

/// One collection in which fields of every type have a default.
pub fn defaults() -> String {
    r#"
[[collection]]
name = "parcels"
unique = [["code", "country"]]
list_verbs = ["GET", "POST", "PUT"]

[collection.fields]
code    = { type = "string", required = true }
country = { type = "string", required = true, default = "FR" }
size    = { type = "integer", default = -5 }
weight  = { type = "float", required = true, default = 1.5 }
fragile = { type = "boolean", required = true, default = false }
since   = { type = "date", default = 1815-12-10 }
at      = { type = "datetime", default = 2027-01-31T12:00:00+02:00 }
note    = { type = "string", default = "it's \\ \"so\"" }

[collection.pagination]
page_size = 20
"#
    .to_owned()
}

/// Addresses, and users with these keys before their fields and these tables after.
pub fn users(keys: &str, tables: &str) -> String {
    users_with_fields(keys, USERS_FIELDS, tables)
}

/// As [`users`], with other fields.
pub fn users_with_fields(keys: &str, fields: &str, tables: &str) -> String {
    format!("{ADDRESS}\n[[collection]]\nname = \"users\"\n{keys}\n{fields}\n{tables}")
}

/// Everything that a configuration can say about collections: every type of field, every rule, pages of several kinds.
pub const EVERYTHING: &str = r#"
[server]
max_body = "4KiB"
trusted_proxies = ["127.0.0.0/8"]
cors_origins = ["https://app.example.org"]

[[collection]]
name = "address"
show_id = false

[collection.fields]
city   = { type = "string", required = true }
number = { type = "integer" }

[[collection]]
name = "things"
unique = [["code"], ["name", "size"]]
unique_verbs = ["GET", "PUT", "PATCH", "DELETE"]

[collection.fields]
name    = { type = "string", required = true }
size    = { type = "integer", required = true }
weight  = { type = "float", required = true }
fragile = { type = "boolean", required = true }
note    = { type = "string" }
code    = { type = "integer" }
height  = { type = "float" }
sold    = { type = "boolean" }
address = { type = "integer", references = "address", on_delete = "restrict" }
spare   = { type = "integer", references = "address", on_delete = "set_null" }
born    = { type = "date" }
met     = { type = "datetime" }
email   = { type = "string", format = "email" }
phone   = { type = "string", format = "phone" }
site    = { type = "string", format = "url", max_length = 30 }
kind    = { type = "string", choices = ["home", "work"], default = "home" }
since   = { type = "date", required = true, default = 1815-12-10 }

[collection.pagination]
page_size  = 7
offset_key = "first-id"
count_key  = "Limit"

[[collection]]
name = "users"

[collection.fields]
first_name = { type = "string", required = true, searchable = true }
address    = { type = "integer", references = "address", on_delete = "cascade" }

[collection.pagination]
page_size = 20

[collection.access]
authentication = true
authorization = true
"#;
