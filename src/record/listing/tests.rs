//! What queries mean.

use super::condition::{Comparison, Probe};
use super::sort::Direction::{self, Ascending, Descending};
use super::*;
use crate::catalog::Catalog;
use crate::catalog::declaration::{Declaration, FieldDeclaration, PaginationDeclaration};
use crate::record::Value;

/// One collection with a field of each kind, in pages; what is not a string is optional.
pub(in crate::record) fn catalog(names: &[&str]) -> Catalog {
    let declarations = names.iter().map(|name| Declaration {
        name: (*name).into(),
        show_id: true,
        fields: [("title", "string"), ("size", "integer"), ("weight", "float"), ("done", "boolean")]
            .map(|(name, kind)| FieldDeclaration {
                name: name.into(),
                kind: kind.into(),
                required: kind == "string",
                ..FieldDeclaration::default()
            })
            .into(),
        unique: Vec::new(),
        list_verbs: Vec::new(),
        unique_verbs: Vec::new(),
        pagination: Some(PaginationDeclaration {
            page_size: 20,
            offset_key: "offset".into(),
            count_key: "count".into(),
        }),
        authentication: false,
        authorization: false,
        rate_limit: None,
        ..Declaration::default()
    });
    Catalog::declare(&declarations.collect::<Vec<_>>(), &[]).unwrap()
}

type Pairs<'a> = Vec<(Cow<'a, str>, Cow<'a, str>)>;

/// The pairs of a query without anything to decode.
fn pairs(query: &str) -> Pairs<'_> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap()).map(|(name, text)| (name.into(), text.into())).collect()
}

fn parse(query: &str) -> Listing {
    Listing::parse(catalog(&["things"]).at(0), pairs(query).iter())
        .unwrap_or_else(|error| panic!("{error:?}"))
}

/// All faults, and the first of them is the one that ends the reading.
fn faults(query: &str) -> Vec<ListingError> {
    let catalog = catalog(&["things"]);
    let all = Listing::faults(catalog.at(0), pairs(query).iter()).faults;
    let all: Vec<ListingError> = all.into_iter().map(|fault| fault.error).collect();
    assert_eq!(Listing::parse(catalog.at(0), pairs(query).iter()).err().as_ref(), all.first());
    all
}

fn condition(query: &str) -> Condition {
    parse(query).filters.remove(0).condition
}

#[test]
fn an_operator_is_a_condition() {
    let seven = || Condition::Equals(Value::Integer(7));
    let not = |condition| Condition::Not(Box::new(condition));
    for (query, expected) in [
        ("size=7", seven()),
        ("size.ne=7", not(seven())),
        ("size.ne=", not(Condition::Absent)),
        ("title.ne=", not(Condition::Equals(Value::Text(String::new())))),
        ("id.ne=", not(Condition::Never)),
        ("size.in=7", Condition::Any(vec![seven()])),
        ("size.null=true", Condition::Absent),
        ("done.null=false", not(Condition::Absent)),
        ("size.lt=7", Condition::Compare(Comparison::Less, Value::Integer(7))),
        ("weight.lte=7", Condition::Compare(Comparison::LessOrEqual, Value::Float(7.0))),
        ("id.gt=7", Condition::Compare(Comparison::Greater, Value::Integer(7))),
        ("title.gte=Zoe", Condition::Compare(Comparison::GreaterOrEqual, Value::Text("zoe".into()))),
        ("title.folded=Zoe", Condition::Folded("zoe".into())),
        ("title.prefix=Zoe", Condition::Prefix("zoe".into())),
        ("title.contains=Zoe", Condition::Contains("zoe".into())),
    ] {
        assert_eq!(condition(query), expected, "{query}");
    }
}

#[test]
fn several_values_of_in_are_one_filter() {
    let mut listing = parse("size.in=7&title=a&size.in=&size.in=8&id.in=1");
    let names: Vec<&str> = listing.filters.iter().map(|filter| filter.name.as_str()).collect();
    assert_eq!(names, ["size.in", "title", "id.in"]);
    let given = [("size.in", "7"), ("title", "a"), ("size.in", ""), ("size.in", "8"), ("id.in", "1")];
    assert_eq!(listing.given_filters(), given);
    let filter = listing.filters.remove(0);
    assert_eq!((filter.text.as_str(), filter.others), ("7", vec![(2, String::new()), (3, "8".into())]));
    let equals = |integer| Condition::Equals(Value::Integer(integer));
    assert_eq!(filter.condition, Condition::Any(vec![equals(7), Condition::Absent, equals(8)]));
}

#[test]
fn a_text_is_compared_by_as_much_as_a_sort_looks_at() {
    let condition = condition(&format!("title.lte={}B", "a".repeat(64)));
    for (text, is_in) in
        [("a".repeat(63), true), ("a".repeat(64), true), ("A".repeat(64) + "c", true), ("b".into(), false)]
    {
        assert_eq!(condition.matches(&Probe::new(&Value::Text(text.clone()))), is_in, "{text}");
    }
    assert!(!condition.matches(&Probe::new(&Value::Null)));
}

#[test]
fn what_is_no_value_is_refused_and_what_is_between_parameters_comes_last() {
    let unknown = |name: &str| ListingError::UnknownParameter(name.into());
    let no_value = |name: &str| ListingError::DoesNotValidate(name.into());
    let twice = |name: &str| ListingError::GivenTwice(name.into());
    for query in [
        "size.gt=",
        "size.gt=1.5",
        "title.gt=",
        "title.folded=",
        "size.null=yes",
        "size.in=x",
        "title.prefix=\0",
    ] {
        assert_eq!(faults(query), [no_value(query.split('=').next().unwrap())], "{query}");
    }
    assert_eq!(faults("nick.gt=1&.gt=1&offset.gt=1"), ["nick.gt", ".gt", "offset.gt"].map(unknown));
    assert_eq!(
        faults("size.gt=1&size.gt=1&sort=id&_sort=id&sort=id"),
        ["size.gt", "_sort", "sort"].map(twice)
    );
    let beside = ListingError::AfterBesideOffset { after: "_after".into(), offset: "offset".into() };
    assert_eq!(faults("_after=&offset=0&nick=1"), [unknown("nick"), beside]);
    for operator in ["", "like", "gt.x", "GT"] {
        let name = format!("done.{operator}");
        let takes = vec![Operator::Ne, Operator::In, Operator::Null];
        assert_eq!(
            faults(&format!("{name}=1")),
            [ListingError::NotAFilter { name, field: "done".into(), takes }]
        );
    }
}

#[test]
fn every_way_to_write_a_sort_is_the_same_sort() {
    let sort = |fields: &[(usize, Direction)], ids| Sort { fields: fields.into(), ids };
    for (texts, expected, full) in [
        (&["id", "id,title,size"][..], sort(&[], Ascending), "id"),
        (&["-id", "-id,-size"], sort(&[], Descending), "-id"),
        (&["title", "title,id", "title,id,size"], sort(&[(0, Ascending)], Ascending), "title,id"),
        (&["-title", "-title,-id"], sort(&[(0, Descending)], Descending), "-title,-id"),
        (&["title,-id"], sort(&[(0, Ascending)], Descending), "title,-id"),
        (&["title,-size"], sort(&[(0, Ascending), (1, Descending)], Descending), "title,-size,-id"),
    ] {
        for text in texts {
            let sort = parse(&format!("sort={text}")).sort;
            assert_eq!(sort, expected, "{text}");
            assert_eq!(sort.text(catalog(&["things"]).at(0)), full);
        }
    }
    assert_eq!(parse("").sort, sort(&[], Ascending));
}

#[test]
fn a_cursor_is_of_one_sort_of_one_collection() {
    let catalog = catalog(&["things", "others"]);
    let listing =
        |collection: usize, query: &str| Listing::parse(catalog.at(collection), pairs(query).iter());
    let place = crate::record::cursor::Place { key: b"key".into(), id: crate::record::RecordId(7) };
    let sort = listing(0, "sort=-title").unwrap().sort;
    let text = place.text(catalog.at(0), Sorting { sort: &sort, search: None });
    for sort in ["-title", "-title,-id"] {
        let listing = listing(0, &format!("after={text}&sort={sort}")).unwrap();
        assert_eq!(listing.after, Some(After::Place(place.clone())));
    }
    for (collection, query) in [(0, "sort=title&"), (0, "sort=-title,id&"), (0, ""), (1, "sort=-title&")] {
        let refused = listing(collection, &format!("{query}_after={text}")).unwrap_err();
        assert_eq!(refused, ListingError::DoesNotValidate("_after".into()), "{query}");
    }
    // Nothing is said of a cursor beside a sort that cannot be read.
    assert_eq!(faults(&format!("after={text}&sort=")).len(), 1);
    assert_eq!(listing(0, "after=").unwrap().after, Some(After::Start));
}
