//! The `[[collection]]` tables, as declarations for the catalog to judge.
//!
//! A part that cannot be read gets a stand-in, so that the rest of its collection is still judged, and a
//! reference to it still finds it.

use super::keys;
use super::problem::{self, Problem};
use super::syntax;
use super::tree::{Reader, Table, put};
use crate::catalog::declaration::{
    Declaration, FieldDeclaration, PaginationDeclaration, RateLimitDeclaration, Step,
};
use crate::catalog::field::FieldKind;
use crate::catalog::wording::Wording;
use std::borrow::Cow;
use toml::Spanned;
use toml::de::DeValue;

/// Every collection of the file, in its order.
pub(super) fn collections<'t>(reader: &mut Reader<'t>, file: &Table<'t>) -> Vec<Declaration> {
    let Some(value) = file.entries.get("collection") else {
        // A misspelt heading has been complained about; "no collection is declared" would follow from it.
        let mut names = file.entries.keys().map(|key| key.get_ref());
        if names.any(|name| problem::nearest(name, keys::FILE.names) == Some("collection")) {
            reader.spoiled.push(Vec::new());
        }
        return Vec::new();
    };
    match value.get_ref() {
        DeValue::Array(items) => {
            let items = items.iter().enumerate();
            items.map(|(position, item)| collection(reader, position, item)).collect()
        }
        DeValue::Table(_) => {
            let message = "`collection` is one table, and should be a list of tables";
            let remedy = "begin each collection with two brackets: `[[collection]]`";
            let at = syntax::first_heading(reader.text, "[collection").unwrap_or(value.span());
            reader.problems.push(Problem::at(at, message, remedy));
            // How many were meant, nobody knows: the shape of this one is looked at, not its meaning.
            reader.spoiled.push(Vec::new());
            vec![collection(reader, 0, value)]
        }
        _ => {
            let message = "`collection` is not a list of tables";
            let remedy = "begin each collection with `[[collection]]`";
            reader.problems.push(Problem::at(value.span(), message, remedy));
            reader.spoiled.push(Vec::new());
            Vec::new()
        }
    }
}

fn collection<'t>(reader: &mut Reader<'t>, position: usize, value: &'t Spanned<DeValue<'t>>) -> Declaration {
    let path = vec![Step::Key("collection".to_owned()), Step::Index(position)];
    let mut declaration = Declaration {
        name: "(unnamed)".to_owned(),
        show_id: true,
        fields: Vec::new(),
        unique: Vec::new(),
        list_verbs: ["GET", "POST"].map(str::to_owned).to_vec(),
        unique_verbs: ["GET", "PUT", "DELETE"].map(str::to_owned).to_vec(),
        pagination: None,
        authentication: false,
        authorization: false,
        rate_limit: None,
        ..Declaration::default()
    };
    let DeValue::Table(entries) = value.get_ref() else {
        let remedy = "begin each collection with `[[collection]]`";
        let problem = Problem::at(value.span(), "a collection is not a table", remedy);
        reader.problems.push(problem);
        reader.spoiled.push(path);
        return declaration;
    };
    let table = Table { path, keys: keys::COLLECTION, entries, span: value.span() };
    reader.refuse_unknown_keys(&table);
    let name = reader.string(&table, "name");
    let name = reader.demand(name, &table, "name", "\"…\"");
    put(name.map(Spanned::into_inner), &mut declaration.name);
    put(reader.boolean(&table, "show_id"), &mut declaration.show_id);
    declaration.unique = unique(reader, &table);
    put(reader.texts(&table, "list_verbs"), &mut declaration.list_verbs);
    put(reader.texts(&table, "unique_verbs"), &mut declaration.unique_verbs);
    declaration.fields = fields(reader, &table);
    declaration.pagination = pagination(reader, &table);
    (declaration.authentication, declaration.authorization) = admission(reader, &table);
    declaration.rate_limit = rate_limit(reader, &table);
    declaration.wording = wording(reader, &table);
    declaration.title = reader.string(&table, "title").map(Spanned::into_inner);
    declaration
}

fn unique<'t>(reader: &mut Reader<'t>, table: &Table<'t>) -> Vec<Vec<String>> {
    let Some(value) = table.entries.get("unique") else {
        return Vec::new();
    };
    let rules = value.get_ref().as_array().and_then(|rules| {
        let rules = rules.iter().map(Reader::all_strings);
        rules.collect::<Option<Vec<_>>>()
    });
    let Some(rules) = rules else {
        let message = "`unique` is not a list of rules, each a list of fields";
        let remedy =
            "write `unique = [[\"a\", \"b\"]]` for a and b together, `[[\"a\"], [\"b\"]]` for each alone";
        reader.problems.push(Problem::at(value.span(), message, remedy));
        return Vec::new();
    };
    let names = |rule: Vec<Spanned<String>>| rule.into_iter().map(Spanned::into_inner).collect();
    rules.into_iter().map(names).collect()
}

fn fields<'t>(reader: &mut Reader<'t>, table: &Table<'t>) -> Vec<FieldDeclaration> {
    let Some(value) = table.entries.get("fields") else {
        return Vec::new();
    };
    let DeValue::Table(entries) = value.get_ref() else {
        // Without fields, whatever the catalog says about this collection would be beside the point.
        reader.spoiled.push(table.path.clone());
        reader.wrong_type::<()>(table, "fields", value, "a table");
        return Vec::new();
    };
    let fields = Table { path: table.path_of("fields"), keys: keys::FIELD, entries, span: value.span() };
    let entries = entries.iter();
    entries.map(|(name, value)| field(reader, &fields, name, value)).collect()
}

fn field<'t>(
    reader: &mut Reader<'t>,
    fields: &Table<'t>,
    name: &Spanned<Cow<'_, str>>,
    value: &'t Spanned<DeValue<'t>>,
) -> FieldDeclaration {
    let mut declaration = FieldDeclaration {
        name: name.get_ref().to_string(),
        kind: "string".to_owned(),
        ..FieldDeclaration::default()
    };
    let path = fields.path_of(name.get_ref());
    let DeValue::Table(entries) = value.get_ref() else {
        reader.problems.push(no_field(name.get_ref(), value));
        let mut kind = path;
        kind.push(Step::Key("type".to_owned()));
        reader.spoiled.push(kind);
        return declaration;
    };
    let table = Table { path, keys: keys::FIELD, entries, span: name.span() };
    reader.refuse_unknown_keys(&table);
    let kind = reader.string(&table, "type");
    let kind = reader.demand(kind, &table, "type", "\"string\"");
    put(kind.map(Spanned::into_inner), &mut declaration.kind);
    put(reader.boolean(&table, "required"), &mut declaration.required);
    put(reader.boolean(&table, "keep_order"), &mut declaration.keep_order);
    put(reader.boolean(&table, "searchable"), &mut declaration.searchable);
    declaration.format = reader.string(&table, "format").map(Spanned::into_inner);
    declaration.choices = reader.texts(&table, "choices");
    declaration.max_length = reader.integer(&table, "max_length").map(Spanned::into_inner);
    declaration.default = reader.literal(&table, "default");
    declaration.vcard = reader.string(&table, "vcard").map(Spanned::into_inner);
    declaration.wording = wording(reader, &table);
    declaration.references = reader.string(&table, "references").map(Spanned::into_inner);
    declaration.on_delete = reader.string(&table, "on_delete").map(Spanned::into_inner);
    if entries.contains_key("references") && declaration.references.is_none() {
        // It refers to something, whatever that is: `on_delete` is in its place.
        declaration.on_delete = None;
    }
    declaration
}

/// What people call a collection or a field.
fn wording<'t>(reader: &mut Reader<'t>, table: &Table<'t>) -> Wording {
    Wording {
        label: reader.string(table, "label").map(Spanned::into_inner),
        help: reader.string(table, "help").map(Spanned::into_inner),
    }
}

/// A value under `[collection.fields]` that does not declare a field.
fn no_field(name: &str, value: &Spanned<DeValue<'_>>) -> Problem {
    let message = format!("the field `{name}` is not declared by a table");
    let remedy = match value.get_ref() {
        // In TOML a key belongs to the heading above it, which is easily forgotten.
        given if keys::COLLECTION.names.contains(&name) && !is_type(given) => {
            format!("if `{name}` is meant for the collection, write it above [collection.fields]")
        }
        DeValue::String(kind) => format!("write `{name} = {{ type = \"{kind}\" }}`"),
        _ => format!("write `{name} = {{ type = \"string\" }}`"),
    };
    Problem::at(value.span(), message, remedy)
}

/// Whether it is the name of a type, for want of a table around it.
fn is_type(value: &DeValue<'_>) -> bool {
    value.as_str().is_some_and(|text| FieldKind::parse(text).is_some())
}

fn pagination<'t>(reader: &mut Reader<'t>, parent: &Table<'t>) -> Option<PaginationDeclaration> {
    let table = reader.table(parent, "pagination", keys::PAGINATION)?;
    let page_size = reader.integer(&table, "page_size");
    let page_size = reader.demand(page_size, &table, "page_size", "20");
    let offset_key = reader.string(&table, "offset_key");
    let count_key = reader.string(&table, "count_key");
    Some(PaginationDeclaration {
        page_size: page_size.map_or(1, Spanned::into_inner),
        offset_key: offset_key.map_or_else(|| "offset".to_owned(), Spanned::into_inner),
        count_key: count_key.map_or_else(|| "count".to_owned(), Spanned::into_inner),
    })
}

/// Whether callers are identified, and whether the anonymous are refused.
fn admission<'t>(reader: &mut Reader<'t>, parent: &Table<'t>) -> (bool, bool) {
    let Some(table) = reader.table(parent, "access", keys::ADMISSION) else {
        // An `access` that is no table has been complained about; what needs it need not complain too.
        return (parent.entries.contains_key("access"), false);
    };
    let authentication = reader.boolean(&table, "authentication");
    let authorization = reader.boolean(&table, "authorization");
    let is_spoiled = authentication.is_none() && table.entries.contains_key("authentication");
    (authentication.unwrap_or(is_spoiled), authorization.unwrap_or(false))
}

fn rate_limit<'t>(reader: &mut Reader<'t>, parent: &Table<'t>) -> Option<RateLimitDeclaration> {
    let table = reader.table(parent, "rate_limit", keys::RATE_LIMIT)?;
    let quota = reader.integer(&table, "quota");
    let interval = reader.integer(&table, "interval");
    Some(RateLimitDeclaration {
        quota: reader.demand(quota, &table, "quota", "200").map_or(1, Spanned::into_inner),
        interval: reader.demand(interval, &table, "interval", "100").map_or(1, Spanned::into_inner),
    })
}
