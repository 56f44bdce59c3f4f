//! The rules of a declaration, one function each; whatever breaks one is noted, and the check goes on.

mod card;
mod wording;

use super::{
    Declaration, Fault, FieldDeclaration, PaginationDeclaration, RateLimitDeclaration, Remedy, Step,
};
use crate::catalog::collection::{Admission, Collection, Pagination, RateLimit, Verb};
use crate::catalog::control::Control;
use crate::catalog::field::{Field, FieldKind, OnDelete, Reference};
use crate::catalog::name::{self, CollectionName, FieldName};

/// In seconds, thirty years: the end of a window must be a moment.
const LONGEST_INTERVAL: i64 = 1_000_000_000;
/// Meta members of a list that a page's own keys must not hide.
const META_MEMBERS: [&str; 4] = ["total_count", "next", "previous", "filters"];

/// Checks one collection after the other.
pub(super) struct Checker<'a> {
    key_parameters: &'a [&'a str],
    /// All that are declared.
    all: &'a [Declaration],
    /// The place of the one that is checked.
    position: usize,
    faults: Vec<Fault>,
}

impl<'a> Checker<'a> {
    /// Every collection, or everything that stands against them.
    pub(super) fn check(
        all: &'a [Declaration],
        key_parameters: &'a [&'a str],
    ) -> Result<Vec<Collection>, Vec<Fault>> {
        let mut checker = Self { key_parameters, all, position: 0, faults: Vec::new() };
        let mut collections = Vec::with_capacity(all.len());
        for (position, declared) in all.iter().enumerate() {
            checker.position = position;
            collections.extend(checker.collection(declared));
        }
        if all.is_empty() {
            let remedy = Remedy::Advice("declare at least one [[collection]]".into());
            let message = "no collection is declared".into();
            checker.faults.push(Fault { path: Vec::new(), message, remedy });
        }
        if checker.faults.is_empty() { Ok(collections) } else { Err(checker.faults) }
    }

    /// Notes a fault of the key at this path inside the collection.
    pub(super) fn fault(
        &mut self,
        keys: &[&str],
        places: &[usize],
        message: impl Into<String>,
        remedy: Remedy,
    ) {
        let mut path = vec![Step::Key("collection".into()), Step::Index(self.position)];
        path.extend(keys.iter().map(|key| Step::Key((*key).to_owned())));
        path.extend(places.iter().map(|place| Step::Index(*place)));
        self.faults.push(Fault { path, message: message.into(), remedy });
    }

    pub(super) fn advise(&mut self, keys: &[&str], message: impl Into<String>, advice: impl Into<String>) {
        self.fault(keys, &[], message, Remedy::Advice(advice.into()));
    }

    fn advise_at(&mut self, key: &str, places: &[usize], message: impl Into<String>, advice: &str) {
        self.fault(&[key], places, message, Remedy::Advice(advice.into()));
    }

    fn collection(&mut self, declared: &'a Declaration) -> Option<Collection> {
        let name = self.collection_name(&declared.name);
        self.wording(&[], &declared.wording);
        self.title(declared);
        let fields = self.fields(declared);
        self.card_properties(declared);
        let unique = self.unique(declared);
        let list_verbs = self.verbs("list_verbs", &declared.list_verbs, &Verb::OF_LISTS);
        if list_verbs.contains(&Verb::Put) && declared.unique.is_empty() {
            let message = format!("`list_verbs` allows PUT, and `{}` has no unique rule", declared.name);
            let advice = "declare one with `unique`: PUT on a list finds the record that it changes by it";
            self.advise(&["list_verbs"], message, advice);
        }
        let unique_verbs = self.verbs("unique_verbs", &declared.unique_verbs, &Verb::OF_RECORDS);
        let pagination = declared.pagination.as_ref().map(|pages| self.pagination(declared, pages));
        let admission = self.admission(declared);
        let rate_limit = declared.rate_limit.map(|limit| self.rate_limit(declared, limit));
        Some(Collection {
            position: self.position,
            name: name?,
            shows_id: declared.show_id,
            fields: fields?,
            unique,
            list_verbs,
            unique_verbs,
            pagination,
            admission,
            rate_limit,
            wording: declared.wording.clone(),
            title: declared.title.clone(),
        })
    }

    fn collection_name(&mut self, text: &str) -> Option<CollectionName> {
        if self.all[..self.position].iter().any(|earlier| earlier.name == *text) {
            let message = format!("the collection `{text}` is declared twice");
            self.advise(&["name"], message, "give one of them another name");
        }
        let name = CollectionName::parse(text).map_err(|error| {
            let message = format!("`{text}` cannot be the name of a collection: {error}");
            self.advise(&["name"], message, "choose another name");
        });
        name.ok()
    }

    /// `None` when a field could not be made; what is wrong has been said.
    fn fields(&mut self, declared: &Declaration) -> Option<Vec<Field>> {
        if declared.fields.is_empty() {
            let message = format!("the collection `{}` has no field", declared.name);
            let advice =
                "declare at least one under [collection.fields], such as `title = { type = \"string\" }`";
            self.advise(&[], message, advice);
        }
        // All of them are checked before the first that could not be made ends the list.
        let fields: Vec<Option<Field>> = declared.fields.iter().map(|field| self.field(field)).collect();
        fields.into_iter().collect()
    }

    fn field(&mut self, field: &FieldDeclaration) -> Option<Field> {
        let at = ["fields", &field.name];
        let name = FieldName::parse(&field.name).map_err(|error| {
            let message = format!("`{}` cannot be the name of a field: {error}", field.name);
            self.advise(&at, message, "choose another name");
        });
        if self.key_parameters.contains(&field.name.as_str()) {
            let message = format!("`{}` is the query parameter that carries the access key", field.name);
            self.advise(&at, message, "choose another name, or another `parameter` under [access]");
        }
        let kind = FieldKind::parse(&field.kind);
        if kind.is_none() {
            let message = format!("there is no type `{}`", field.kind);
            let remedy = Remedy::one_of(&field.kind, FieldKind::ALL.map(FieldKind::name));
            self.fault(&["fields", &field.name, "type"], &[], message, remedy);
        }
        let reference = self.reference(field, kind);
        let rules = self.rules(field, kind);
        let default = kind.and_then(|kind| self.default(field, kind, &rules));
        if field.searchable && kind.is_some_and(|kind| !kind.is_text()) {
            let message = format!("`{}` is no string, and has no words to search", field.name);
            self.advise(&["fields", &field.name, "searchable"], message, "leave `searchable` out");
        }
        let card_property = self.card_property(field);
        self.wording(&at, &field.wording);
        let member = format!("\"{}\":", field.name);
        Some(Field {
            name: name.ok()?,
            kind: kind?,
            rules,
            default,
            required: field.required,
            reference,
            target_name: field.references.clone(),
            keeps_order: field.keep_order,
            is_searchable: field.searchable,
            card_property,
            wording: field.wording.clone(),
            member,
        })
    }

    fn reference(&mut self, field: &FieldDeclaration, kind: Option<FieldKind>) -> Option<Reference> {
        let at = ["fields", &field.name, "references"];
        let at_on_delete = ["fields", &field.name, "on_delete"];
        let on_delete = field.on_delete.as_deref().map_or(Some(OnDelete::Restrict), OnDelete::parse);
        if let (None, Some(text)) = (on_delete, &field.on_delete) {
            let remedy = Remedy::one_of(text, OnDelete::ALL.map(OnDelete::name));
            self.fault(&at_on_delete, &[], format!("there is no deletion rule `{text}`"), remedy);
        }
        let Some(target) = &field.references else {
            if field.on_delete.is_some() {
                let message = format!("`{}` has `on_delete` but refers to nothing", field.name);
                self.advise(&at_on_delete, message, "add `references`, or leave `on_delete` out");
            }
            return None;
        };
        if kind.is_some_and(|kind| kind != FieldKind::OF_IDS) {
            let message = format!("`{}` refers to the id of a record, which is an integer", field.name);
            self.advise(&["fields", &field.name, "type"], message, "write `type = \"integer\"`");
        }
        if on_delete == Some(OnDelete::SetNull) && field.required {
            let message = format!("`{}` is required, so a delete cannot clear it", field.name);
            let advice = "use \"restrict\" or \"cascade\", or make the field optional";
            self.advise(&at_on_delete, message, advice);
        }
        let (all, position) = (self.all, self.position);
        match all.iter().position(|collection| collection.name == *target) {
            Some(target) if target < position => {
                let is_fetched = all[target].unique_verbs.iter().any(|verb| verb == Verb::Get.name());
                return Some(Reference { target, on_delete: on_delete?, is_fetched });
            }
            Some(target) if target == position => {
                let message = format!("`{}` refers to its own collection", field.name);
                self.advise(&at, message, "refer to a collection that is declared above");
            }
            Some(_) => {
                let own = &all[position].name;
                let message = format!("`{target}` is declared below `{own}`, which refers to it");
                self.advise(&at, message, format!("move [[collection]] `{target}` above `{own}`"));
            }
            None => {
                let names = all[..position].iter().map(|collection| collection.name.as_str());
                let remedy = Remedy::one_of(target, names);
                self.fault(&at, &[], format!("there is no collection `{target}`"), remedy);
            }
        }
        None
    }

    fn unique(&mut self, declared: &Declaration) -> Vec<Vec<usize>> {
        let mut rules: Vec<Vec<usize>> = Vec::new();
        for (number, names) in declared.unique.iter().enumerate() {
            let mut rule = Vec::new();
            for (place, name) in names.iter().enumerate() {
                match declared.fields.iter().position(|field| field.name == *name) {
                    Some(field) if rule.contains(&field) => {
                        let message = format!("`{name}` stands twice in one unique rule");
                        self.advise_at("unique", &[number, place], message, "name each field once");
                    }
                    Some(field) => rule.push(field),
                    None => {
                        let message = format!("`{name}` is not a field of `{}`", declared.name);
                        let names = declared.fields.iter().map(|field| field.name.as_str());
                        self.fault(&["unique"], &[number, place], message, Remedy::one_of(name, names));
                    }
                }
            }
            if names.is_empty() {
                let message = "a unique rule names no field";
                self.advise_at("unique", &[number], message, "name at least one field");
            }
            let as_set = |rule: &[usize]| {
                let mut set = rule.to_vec();
                set.sort_unstable();
                set
            };
            // What is left of a broken rule says nothing about the others.
            let is_whole = !rule.is_empty() && rule.len() == names.len();
            if is_whole && rules.iter().any(|earlier| as_set(earlier) == as_set(&rule)) {
                let message = "the same unique rule is declared twice";
                self.advise_at("unique", &[number], message, "leave one of them out");
            }
            if is_whole {
                rules.push(rule);
            }
        }
        rules
    }

    fn verbs(&mut self, key: &str, names: &[String], allowed: &[Verb]) -> Vec<Verb> {
        let mut verbs = Vec::new();
        for (number, name) in names.iter().enumerate() {
            match allowed.iter().find(|verb| verb.name() == name) {
                Some(verb) if verbs.contains(verb) => {
                    let message = format!("`{name}` stands twice in `{key}`");
                    self.advise_at(key, &[number], message, "name each verb once");
                }
                Some(verb) => verbs.push(*verb),
                None => {
                    let remedy = Remedy::one_of(name, allowed.iter().map(|verb| verb.name()));
                    self.fault(&[key], &[number], format!("`{key}` cannot allow `{name}`"), remedy);
                }
            }
        }
        verbs
    }

    fn pagination(&mut self, declared: &Declaration, pages: &PaginationDeclaration) -> Pagination {
        if pages.page_size < 1 {
            let message = format!("a page of {} records is no page", pages.page_size);
            self.advise(&["pagination", "page_size"], message, "use 1 or more");
        }
        for (key, text) in [("offset_key", &pages.offset_key), ("count_key", &pages.count_key)] {
            let at = ["pagination", key];
            if !name::is_parameter(text) {
                let message = format!("`{text}` cannot be the name of a query parameter");
                self.advise(&at, message, "use letters, digits, _ and -, beginning with a letter or _");
            }
            if self.key_parameters.contains(&text.as_str()) {
                let message = format!("`{text}` is the query parameter that carries the access key");
                self.advise(&at, message, "choose another name");
            }
            if text == name::ID || META_MEMBERS.contains(&text.as_str()) || Control::is_long(text) {
                let message = format!("`{text}` already has a meaning in a list");
                self.advise(&at, message, "choose another name");
            }
            if declared.fields.iter().any(|field| field.name == *text) {
                let message = format!("the field `{text}` is called like the `{key}` of its collection");
                let advice =
                    format!("rename the field, or set another `{key}` under [collection.pagination]");
                self.advise(&["fields", text], message, advice);
            }
        }
        if pages.offset_key == pages.count_key {
            let message = "`offset_key` and `count_key` are the same";
            self.advise(&["pagination", "count_key"], message, "choose two names");
        }
        Pagination {
            page_size: pages.page_size.max(1).unsigned_abs(),
            offset_key: pages.offset_key.clone(),
            count_key: pages.count_key.clone(),
        }
    }

    fn admission(&mut self, declared: &Declaration) -> Admission {
        match (declared.authentication, declared.authorization) {
            (false, false) => Admission::Open,
            (true, false) => Admission::Identified,
            (true, true) => Admission::KnownOnly,
            (false, true) => {
                let message =
                    "`authorization` needs `authentication`: who is not asked for a key cannot be refused";
                self.advise(&["access", "authorization"], message, "add `authentication = true`");
                Admission::KnownOnly
            }
        }
    }

    fn rate_limit(&mut self, declared: &Declaration, limit: RateLimitDeclaration) -> RateLimit {
        for (key, value) in [("quota", limit.quota), ("interval", limit.interval)] {
            if value < 1 {
                self.advise(&["rate_limit", key], format!("`{key}` is {value}"), "use 1 or more");
            }
        }
        if limit.interval > LONGEST_INTERVAL {
            let advice = format!("it is in seconds; use {LONGEST_INTERVAL} or less");
            self.advise(&["rate_limit", "interval"], format!("`interval` is {}", limit.interval), advice);
        }
        if !declared.authentication {
            let message = "a rate limit needs `authentication`: it counts the requests of an access key";
            let advice = "add `authentication = true` under [collection.access]";
            self.advise(&["rate_limit"], message, advice);
        }
        RateLimit {
            quota: limit.quota.max(1).unsigned_abs(),
            interval_seconds: limit.interval.max(1).unsigned_abs(),
        }
    }
}
