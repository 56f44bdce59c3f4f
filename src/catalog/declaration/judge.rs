//! The rules of a declaration, one function each; whatever breaks one is noted, and the judging goes on.

use super::{
    Declaration, Fault, FieldDeclaration, PaginationDeclaration, RateLimitDeclaration, Remedy, Step,
};
use crate::catalog::collection::{Admission, Collection, Pagination, RateLimit, Verb};
use crate::catalog::field::{Field, FieldKind, OnDelete, Reference};
use crate::catalog::name::{self, CollectionName, FieldName};

/// In seconds, thirty years: the end of a window must be a moment.
const LONGEST_INTERVAL: i64 = 1_000_000_000;
/// Meta members of a list that a page's own keys must not hide.
const META_MEMBERS: [&str; 4] = ["total_count", "next", "previous", "filters"];

pub(super) struct Judge<'a> {
    key_parameters: &'a [&'a str],
    pub(super) faults: Vec<Fault>,
}

/// The path of a key inside `[[collection]]` number `position`.
fn path(position: usize, rest: &[&str]) -> Vec<Step> {
    let mut path = vec![Step::Key("collection".into()), Step::Index(position)];
    path.extend(rest.iter().map(|key| Step::Key((*key).to_owned())));
    path
}

impl<'a> Judge<'a> {
    pub(super) fn new(key_parameters: &'a [&'a str]) -> Self {
        Self { key_parameters, faults: Vec::new() }
    }

    pub(super) fn fault(&mut self, path: &[Step], message: impl Into<String>, remedy: Remedy) {
        self.faults.push(Fault { path: path.to_vec(), message: message.into(), remedy });
    }

    fn advise(&mut self, path: &[Step], message: impl Into<String>, advice: impl Into<String>) {
        self.fault(path, message, Remedy::Advice(advice.into()));
    }

    fn choose(&mut self, path: &[Step], message: impl Into<String>, given: &str, choices: Vec<String>) {
        self.fault(path, message, Remedy::OneOf { given: given.to_owned(), choices });
    }

    pub(super) fn collection(&mut self, all: &[Declaration], position: usize) -> Option<Collection> {
        let declared = &all[position];
        let name = self.collection_name(all, position);
        let fields = self.fields(all, position);
        let unique = self.unique(declared, position);
        let list_verbs = self.verbs(position, "list_verbs", &declared.list_verbs, &Verb::OF_LISTS);
        let unique_verbs = self.verbs(position, "unique_verbs", &declared.unique_verbs, &Verb::OF_RECORDS);
        let pagination =
            declared.pagination.as_ref().map(|pagination| self.pagination(declared, position, pagination));
        let admission = self.admission(declared, position);
        let rate_limit = declared.rate_limit.map(|limit| self.rate_limit(declared, position, limit));
        Some(Collection {
            position,
            name: name?,
            shows_id: declared.show_id,
            fields: fields?,
            unique,
            list_verbs,
            unique_verbs,
            pagination,
            admission,
            rate_limit,
        })
    }

    fn collection_name(&mut self, all: &[Declaration], position: usize) -> Option<CollectionName> {
        let text = &all[position].name;
        let at = path(position, &["name"]);
        if all[..position].iter().any(|earlier| earlier.name == *text) {
            self.advise(
                &at,
                format!("the collection `{text}` is declared twice"),
                "give one of them another name",
            );
        }
        match CollectionName::parse(text) {
            Ok(name) => Some(name),
            Err(error) => {
                self.advise(
                    &at,
                    format!("`{text}` cannot be the name of a collection: {error}"),
                    "choose another name",
                );
                None
            }
        }
    }

    /// `None` when a field could not be made; what is wrong has been said.
    fn fields(&mut self, all: &[Declaration], position: usize) -> Option<Vec<Field>> {
        let declared = &all[position];
        if declared.fields.is_empty() {
            self.advise(
                &path(position, &[]),
                format!("the collection `{}` has no field", declared.name),
                "declare at least one under [collection.fields], such as `title = { type = \"string\" }`",
            );
        }
        // All of them are judged before the first that could not be made ends the list.
        let fields: Vec<Option<Field>> =
            declared.fields.iter().map(|field| self.field(all, position, field)).collect();
        fields.into_iter().collect()
    }

    fn field(&mut self, all: &[Declaration], position: usize, field: &FieldDeclaration) -> Option<Field> {
        let at = path(position, &["fields", &field.name]);
        let name = match FieldName::parse(&field.name) {
            Ok(name) => Some(name),
            Err(error) => {
                let message = format!("`{}` cannot be the name of a field: {error}", field.name);
                self.advise(&at, message, "choose another name");
                None
            }
        };
        if self.key_parameters.contains(&field.name.as_str()) {
            self.advise(
                &at,
                format!("`{}` is the query parameter that carries the access key", field.name),
                "choose another name, or another `parameter` under [access]",
            );
        }
        let kind = FieldKind::parse(&field.kind);
        if kind.is_none() {
            self.choose(
                &path(position, &["fields", &field.name, "type"]),
                format!("there is no type `{}`", field.kind),
                &field.kind,
                FieldKind::ALL.iter().map(|kind| kind.name().to_owned()).collect(),
            );
        }
        let reference = self.reference(all, position, field, kind);
        Some(Field::new(name?, kind?, field.required, reference))
    }

    fn reference(
        &mut self,
        all: &[Declaration],
        position: usize,
        field: &FieldDeclaration,
        kind: Option<FieldKind>,
    ) -> Option<Reference> {
        let on_delete_at = path(position, &["fields", &field.name, "on_delete"]);
        let on_delete = match &field.on_delete {
            None => Some(OnDelete::Restrict),
            Some(text) => OnDelete::parse(text),
        };
        if let (None, Some(text)) = (on_delete, &field.on_delete) {
            let choices = OnDelete::ALL.iter().map(|rule| rule.name().to_owned()).collect();
            self.choose(&on_delete_at, format!("there is no deletion rule `{text}`"), text, choices);
        }
        let Some(target) = &field.references else {
            if field.on_delete.is_some() {
                let message = format!("`{}` has `on_delete` but refers to nothing", field.name);
                self.advise(&on_delete_at, message, "add `references`, or leave `on_delete` out");
            }
            return None;
        };
        let at = path(position, &["fields", &field.name, "references"]);
        if kind.is_some_and(|kind| kind != FieldKind::OF_IDS) {
            self.advise(
                &path(position, &["fields", &field.name, "type"]),
                format!("`{}` refers to the id of a record, which is an integer", field.name),
                "write `type = \"integer\"`",
            );
        }
        if on_delete == Some(OnDelete::SetNull) && field.required {
            let message = format!("`{}` is required, so a delete cannot clear it", field.name);
            self.advise(
                &on_delete_at,
                message,
                "use \"restrict\" or \"cascade\", or make the field optional",
            );
        }
        let found = all.iter().position(|collection| collection.name == *target);
        match found {
            Some(target) if target < position => Some(Reference { target, on_delete: on_delete? }),
            Some(target) if target == position => {
                let message = format!("`{}` refers to its own collection", field.name);
                self.advise(&at, message, "refer to a collection that is declared above");
                None
            }
            Some(_) => {
                let message =
                    format!("`{target}` is declared below `{}`, which refers to it", all[position].name);
                let advice = format!("move [[collection]] `{target}` above `{}`", all[position].name);
                self.advise(&at, message, advice);
                None
            }
            None => {
                let choices = all[..position].iter().map(|collection| collection.name.clone()).collect();
                self.choose(&at, format!("there is no collection `{target}`"), target, choices);
                None
            }
        }
    }

    fn unique(&mut self, declared: &Declaration, position: usize) -> Vec<Vec<usize>> {
        let mut rules: Vec<Vec<usize>> = Vec::new();
        for (number, names) in declared.unique.iter().enumerate() {
            let mut at = path(position, &["unique"]);
            at.push(Step::Index(number));
            let mut rule = Vec::new();
            for (place, name) in names.iter().enumerate() {
                let mut at = at.clone();
                at.push(Step::Index(place));
                match declared.fields.iter().position(|field| field.name == *name) {
                    Some(field) if rule.contains(&field) => {
                        let message = format!("`{name}` stands twice in one unique rule");
                        self.advise(&at, message, "name each field once");
                    }
                    Some(field) => rule.push(field),
                    None => {
                        let choices = declared.fields.iter().map(|field| field.name.clone()).collect();
                        let message = format!("`{name}` is not a field of `{}`", declared.name);
                        self.choose(&at, message, name, choices);
                    }
                }
            }
            if names.is_empty() {
                self.advise(&at, "a unique rule names no field", "name at least one field");
            }
            let as_set = |rule: &[usize]| {
                let mut set = rule.to_vec();
                set.sort_unstable();
                set
            };
            // What is left of a broken rule says nothing about the others.
            let is_whole = !rule.is_empty() && rule.len() == names.len();
            if is_whole && rules.iter().any(|earlier| as_set(earlier) == as_set(&rule)) {
                self.advise(&at, "the same unique rule is declared twice", "leave one of them out");
            }
            if is_whole {
                rules.push(rule);
            }
        }
        rules
    }

    fn verbs(&mut self, position: usize, key: &str, names: &[String], allowed: &[Verb]) -> Vec<Verb> {
        let mut verbs = Vec::new();
        for (number, name) in names.iter().enumerate() {
            let mut at = path(position, &[key]);
            at.push(Step::Index(number));
            match allowed.iter().find(|verb| verb.name() == name) {
                Some(verb) if verbs.contains(verb) => {
                    self.advise(&at, format!("`{name}` stands twice in `{key}`"), "name each verb once");
                }
                Some(verb) => verbs.push(*verb),
                None => {
                    let choices = allowed.iter().map(|verb| verb.name().to_owned()).collect();
                    self.choose(&at, format!("`{key}` cannot allow `{name}`"), name, choices);
                }
            }
        }
        verbs
    }

    fn pagination(
        &mut self,
        declared: &Declaration,
        position: usize,
        pages: &PaginationDeclaration,
    ) -> Pagination {
        if pages.page_size < 1 {
            let message = format!("a page of {} records is no page", pages.page_size);
            self.advise(&path(position, &["pagination", "page_size"]), message, "use 1 or more");
        }
        for (key, text) in [("offset_key", &pages.offset_key), ("count_key", &pages.count_key)] {
            let at = path(position, &["pagination", key]);
            if !name::is_parameter(text) {
                self.advise(
                    &at,
                    format!("`{text}` cannot be the name of a query parameter"),
                    "use letters, digits, _ and -, beginning with a letter or _",
                );
            }
            if self.key_parameters.contains(&text.as_str()) {
                let message = format!("`{text}` is the query parameter that carries the access key");
                self.advise(&at, message, "choose another name");
            }
            if text == name::ID || META_MEMBERS.contains(&text.as_str()) {
                let message = format!("`{text}` already has a meaning in a list");
                self.advise(&at, message, "choose another name");
            }
            if declared.fields.iter().any(|field| field.name == *text) {
                self.advise(
                    &path(position, &["fields", text]),
                    format!("the field `{text}` is called like the `{key}` of its collection"),
                    format!("rename the field, or set another `{key}` under [collection.pagination]"),
                );
            }
        }
        if pages.offset_key == pages.count_key {
            let at = path(position, &["pagination", "count_key"]);
            self.advise(&at, "`offset_key` and `count_key` are the same", "choose two names");
        }
        Pagination {
            page_size: pages.page_size.max(1).unsigned_abs(),
            offset_key: pages.offset_key.clone(),
            count_key: pages.count_key.clone(),
        }
    }

    fn admission(&mut self, declared: &Declaration, position: usize) -> Admission {
        match (declared.authentication, declared.authorization) {
            (false, false) => Admission::Open,
            (true, false) => Admission::Identified,
            (true, true) => Admission::KnownOnly,
            (false, true) => {
                self.advise(
                    &path(position, &["access", "authorization"]),
                    "`authorization` needs `authentication`: who is not asked for a key cannot be refused",
                    "add `authentication = true`",
                );
                Admission::KnownOnly
            }
        }
    }

    fn rate_limit(
        &mut self,
        declared: &Declaration,
        position: usize,
        limit: RateLimitDeclaration,
    ) -> RateLimit {
        for (key, value) in [("quota", limit.quota), ("interval", limit.interval)] {
            if value < 1 {
                let at = path(position, &["rate_limit", key]);
                self.advise(&at, format!("`{key}` is {value}"), "use 1 or more");
            }
        }
        if limit.interval > LONGEST_INTERVAL {
            let at = path(position, &["rate_limit", "interval"]);
            let advice = format!("it is in seconds; use {LONGEST_INTERVAL} or less");
            self.advise(&at, format!("`interval` is {}", limit.interval), advice);
        }
        if !declared.authentication {
            self.advise(
                &path(position, &["rate_limit"]),
                "a rate limit needs `authentication`: it counts the requests of an access key",
                "add `authentication = true` under [collection.access]",
            );
        }
        RateLimit {
            quota: limit.quota.max(1).unsigned_abs(),
            interval_seconds: limit.interval.max(1).unsigned_abs(),
        }
    }
}
