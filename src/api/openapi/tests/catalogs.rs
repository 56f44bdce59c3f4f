//! The catalogs that the documents are made of.

use crate::catalog::Catalog;
use crate::catalog::declaration::{
    Declaration, FieldDeclaration, PaginationDeclaration, RateLimitDeclaration,
};

/// The address book that is served without a configuration.
pub(super) fn built_in() -> Catalog {
    let address = Declaration {
        show_id: false,
        pagination: pages("offset", "count"),
        ..collection(
            "address",
            vec![
                required(field("country", "string")),
                required(field("city", "string")),
                required(field("street", "string")),
                required(field("number", "integer")),
            ],
        )
    };
    let users = Declaration {
        pagination: pages("offset", "count"),
        ..collection(
            "users",
            vec![
                required(field("first_name", "string")),
                required(field("last_name", "string")),
                refers("address", "address", "restrict"),
            ],
        )
    };
    declare(&[address, users])
}

/// Every kind, admission, deletion rule and verb, pages renamed and absent.
pub(super) fn rich() -> Catalog {
    let things = Declaration {
        unique: vec![vec!["title".into()], vec!["title".into(), "size".into()]],
        list_verbs: texts(&["GET", "POST", "PUT"]),
        unique_verbs: texts(&["DELETE", "PATCH", "PUT", "GET"]),
        pagination: pages("first_id", "limit"),
        authentication: true,
        authorization: true,
        rate_limit: Some(RateLimitDeclaration { quota: 200, interval: 100 }),
        ..collection(
            "things",
            vec![
                required(field("title", "string")),
                field("size", "integer"),
                field("weight", "float"),
                field("done", "boolean"),
            ],
        )
    };
    let parts = Declaration {
        authentication: true,
        ..collection("parts", vec![required(refers("thing", "things", "cascade"))])
    };
    let notes = collection("notes", vec![field("text", "string"), refers("thing", "things", "set_null")]);
    let log = Declaration {
        list_verbs: texts(&["POST"]),
        unique_verbs: Vec::new(),
        ..collection("log", vec![refers("part", "parts", "restrict")])
    };
    declare(&[things, parts, notes, log])
}

pub(super) fn declare(declarations: &[Declaration]) -> Catalog {
    Catalog::declare(declarations, &["accesskey", "apikey", "token"]).unwrap()
}

pub(super) fn collection(name: &str, fields: Vec<FieldDeclaration>) -> Declaration {
    Declaration {
        name: name.into(),
        show_id: true,
        fields,
        unique: Vec::new(),
        list_verbs: texts(&["GET", "POST"]),
        unique_verbs: texts(&["GET", "PUT", "DELETE"]),
        pagination: None,
        authentication: false,
        authorization: false,
        rate_limit: None,
        ..Declaration::default()
    }
}

pub(super) fn field(name: &str, kind: &str) -> FieldDeclaration {
    FieldDeclaration { name: name.into(), kind: kind.into(), required: false, ..FieldDeclaration::default() }
}

fn required(field: FieldDeclaration) -> FieldDeclaration {
    FieldDeclaration { required: true, ..field }
}

fn refers(name: &str, target: &str, on_delete: &str) -> FieldDeclaration {
    FieldDeclaration {
        references: Some(target.into()),
        on_delete: Some(on_delete.into()),
        ..field(name, "integer")
    }
}

fn pages(offset_key: &str, count_key: &str) -> Option<PaginationDeclaration> {
    Some(PaginationDeclaration { page_size: 20, offset_key: offset_key.into(), count_key: count_key.into() })
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
