//! What shares a statement, told by the steps.

use super::*;
use crate::catalog::declaration::{Declaration, FieldDeclaration};
use crate::record::draft::Draft;
use crate::store::write::Item;

fn catalog() -> Catalog {
    let field = |name: &str| FieldDeclaration {
        name: name.into(),
        kind: "string".into(),
        required: true,
        ..FieldDeclaration::default()
    };
    let people = Declaration {
        name: "people".into(),
        show_id: true,
        fields: vec![field("name"), field("mail")],
        unique: vec![vec!["name".into()], vec!["mail".into()]],
        list_verbs: vec!["GET".into()],
        unique_verbs: vec!["GET".into()],
        pagination: None,
        authentication: false,
        authorization: false,
        rate_limit: None,
        ..Declaration::default()
    };
    Catalog::declare(&[people], &[]).unwrap()
}

fn body(name: &str, mail: &str) -> Vec<u8> {
    format!(r#"{{"name":"{name}","mail":"{mail}"}}"#).into_bytes()
}

fn insert(catalog: &Catalog, name: &str) -> Write {
    Write::Insert { collection: 0, draft: Draft::parse(catalog.at(0), &body(name, name)).unwrap(), id: None }
}

fn upsert(catalog: &Catalog, rule: usize, name: &str, mail: &str) -> Write {
    let patch = Patch::parse(catalog.at(0), RecordId::new(1).unwrap(), &body(name, mail)).unwrap();
    Write::Upsert { collection: 0, patch, rule, seen: None }
}

/// The steps in words: what they are, and the places of their writes among all.
fn steps(catalog: &Catalog, works: &[Work]) -> Vec<(&'static str, Range<usize>)> {
    let statements = Statements::all(catalog, &[]);
    let agenda = Agenda::of_group(catalog, &statements, works.iter());
    let word = |step: &Step<'_>| match step {
        Step::Inserts(_) => "inserts",
        Step::Updates(_) => "updates",
        Step::Deletes(_) => "deletes",
        Step::Upserts(_) => "upserts",
        Step::Careful(_) => "careful",
        Step::Batch(..) => "batch",
    };
    agenda.steps.iter().map(|step| (word(step), agenda.places(step))).collect()
}

#[test]
fn neighbours_share_a_statement_unless_one_decides_what_becomes_of_another() {
    let catalog = &catalog();
    let delete = |id: i64| Write::Delete { collection: 0, id: RecordId::new(id).unwrap(), seen: None };
    let item = Item { write: insert(catalog, "z"), references: Vec::new(), target: None };
    let batch = Work::Batch(Batch { items: vec![item], shows_records: false });
    let mut works: Vec<Work> = ["a", "b", "b"].map(|name| Work::One(insert(catalog, name))).into();
    works.push(batch);
    let upserts = [(0, "a", "1"), (0, "b", "1"), (0, "a", "2"), (1, "c", "3"), (1, "c", "4")];
    works.extend(upserts.map(|(rule, name, mail)| Work::One(upsert(catalog, rule, name, mail))));
    works.extend([3, 4, 3].map(|id| Work::One(delete(id))));
    let expected = [
        ("inserts", 0..2),
        ("inserts", 2..3),
        ("batch", 3..4),
        ("upserts", 4..6),
        ("upserts", 6..7),
        ("upserts", 7..9),
        ("deletes", 9..11),
        ("deletes", 11..12),
    ];
    assert_eq!(steps(catalog, &works), expected);
}

#[test]
fn no_statement_changes_more_records_than_the_log_tells() {
    let catalog = &catalog();
    let names = (0..MOST_LOGGED + 24).map(|number| number.to_string());
    let works: Vec<Work> = names.map(|name| Work::One(insert(catalog, &name))).collect();
    let expected = [("inserts", 0..MOST_LOGGED), ("inserts", MOST_LOGGED..MOST_LOGGED + 24)];
    assert_eq!(steps(catalog, &works), expected);
}
