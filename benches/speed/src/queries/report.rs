//! The goals of queries, and a table of those loads that are not warm reads.

use super::first_asks::{
    self, BYTES_ONE, BYTES_TWO, MAKE, PREFIX_FIRST, PREFIX_KNOWN, PREFIX_NEW, RANGE_FIRST, THREE_LETTERS,
    TWO_WORDS, TYPO,
};
use super::walk::{self, FIRST_PAGES, LAST_PAGES};
use super::writes::{self, CREATE_WITH, CREATE_WITHOUT, FETCH_WITH, FETCH_WITHOUT};
use super::{
    COLD, EXPAND, FIELDS, MILLION, RANGE, SEARCH, SORTED_COLD, SORTED_DEEP, SORTED_FILTER, SORTED_FIRST,
};
use crate::goals::Goal::{self, AtLeast, AtMost};
use crate::goals::{Row, TEN_MILLION};
use crate::process::Who::{Carnet, CarnetAnew, PocketBase, Sqlite};
use crate::reads::{DEEP, MANY};
use crate::report::{Table, clients, latency, resident, shown, users};
use crate::results::{Measure, Results, Spread};
use crate::writes::USERS;

type Measured = (String, Option<Spread>);

/// Of a run with databases of these sizes.
pub(crate) fn rows(sizes: &[u64], results: &Results) -> Vec<Row> {
    let largest = sizes.last().copied().unwrap_or_default();
    let million = largest.min(MILLION);
    let row = |measure, goal: Goal, users, measured| Row { measure, goal, users, measured };
    let ratio_of = |who, measure, line, size, base, base_size| -> Measured {
        let place = match size == base_size {
            true => format!("{}:", users(size)),
            false => format!("{} / {}:", users(size), users(base_size)),
        };
        (place, results.ratio((line, size, who), (base, base_size, who), measure))
    };
    let ratio = |measure, line, size, base, base_size| ratio_of(Carnet, measure, line, size, base, base_size);
    let anew = |line, size, base, base_size| ratio_of(CarnetAnew, Measure::Cpu, line, size, base, base_size);
    let cpu = |line, base, size| anew(line, size, base, size);
    let grown = |line, base, base_size| vec![anew(line, largest, base, base_size)];
    let each = |line, base| sizes.iter().map(|&size| cpu(line, base, size)).collect();
    let beside_sqlite = |line, size| -> Measured {
        (format!("{}:", users(size)), results.figure_ratio((line, size, Carnet), (line, size, Sqlite)))
    };
    let bytes = |line| vec![(format!("{}:", users(million)), results.figure((line, million, Carnet)))];
    let p99 = |line| {
        let key = (line, million, Carnet);
        let spread = results.spread(key, Measure::P99).filter(|_| !results.is_refused(key, key));
        vec![(format!("{}:", users(million)), spread)]
    };
    let to_pocketbase =
        results.ratio((SORTED_DEEP, million, PocketBase), (SORTED_DEEP, million, CarnetAnew), Measure::Cpu);
    let created = results.ratio((CREATE_WITH, USERS, Carnet), (CREATE_WITHOUT, USERS, Carnet), Measure::Rate);
    vec![
        row(
            "page at 90 % depth of 10 M sorted by `last_name` / unsorted, CPU per request",
            AtMost(2.0),
            Some(TEN_MILLION),
            vec![cpu(SORTED_DEEP, DEEP, largest)],
        ),
        row(
            "the same, its records not in memory",
            AtMost(8.0),
            Some(TEN_MILLION),
            vec![ratio(Measure::Cpu, SORTED_COLD, largest, COLD, largest)],
        ),
        row(
            "sorted page at 90 % depth of 10 M / sorted first page of 1 k, CPU per request",
            AtMost(1.5),
            Some(TEN_MILLION),
            grown(SORTED_DEEP, SORTED_FIRST, 1_000),
        ),
        row(
            "filter of 10 % with a sort, 10 M / 1 M, CPU per request, once it is known",
            AtMost(1.5),
            Some(TEN_MILLION),
            grown(SORTED_FILTER, SORTED_FILTER, if largest > MILLION { MILLION } else { 1_000 }),
        ),
        row(
            "range of 10 %, 10 M / 1 k, CPU per request, once it is known",
            AtMost(1.5),
            Some(TEN_MILLION),
            grown(RANGE, RANGE, 1_000),
        ),
        row(
            "the first time a range of 10 % is asked, at 1 M / plain `COUNT` by index, time",
            AtMost(1.5),
            Some(MILLION),
            vec![beside_sqlite(RANGE_FIRST, million)],
        ),
        row(
            "prefix of the sort field at 1 M, first ask / known, p50",
            AtMost(1.2),
            Some(MILLION),
            vec![ratio(Measure::P50, PREFIX_FIRST, million, PREFIX_KNOWN, million)],
        ),
        row(
            "prefix by id at 1 M, a new text / `COUNT` with `LIKE 'x%'` by index, time",
            AtMost(2.0),
            Some(MILLION),
            vec![beside_sqlite(PREFIX_NEW, million)],
        ),
        row(
            "making an order / SQLite reading `last_name, id` in the order of its index, time",
            AtMost(3.0),
            Some(MILLION),
            vec![beside_sqlite(MAKE, million), beside_sqlite(MAKE, TEN_MILLION)],
        ),
        row("order by `last_name`, bytes a record", AtMost(4.0), Some(MILLION), bytes(BYTES_ONE)),
        row("order by `last_name,first_name`, bytes a record", AtMost(9.0), Some(MILLION), bytes(BYTES_TWO)),
        row(
            "creates at 64 clients with an order, words and 16 conditions in use / without, per second",
            AtLeast(0.8),
            None,
            vec![(String::new(), created)],
        ),
        row(
            "fetch p99 beside 1,000 updates a second that move in four orders of 1 M / without orders",
            AtMost(2.0),
            Some(MILLION),
            vec![ratio(Measure::P99, FETCH_WITH, million, FETCH_WITHOUT, million)],
        ),
        row(
            "sorted page at 90 % depth of 1 M, requests per CPU second / PocketBase's",
            AtLeast(2_000.0),
            Some(MILLION),
            vec![(format!("{}:", users(million)), to_pocketbase)],
        ),
        row(
            "search of three letters at 1 M, first ask, p99, ms",
            AtMost(20.0),
            Some(MILLION),
            p99(THREE_LETTERS),
        ),
        row("search of two words at 1 M, first ask, p99, ms", AtMost(30.0), Some(MILLION), p99(TWO_WORDS)),
        row("search with a typo at 1 M, first ask, p99, ms", AtMost(50.0), Some(MILLION), p99(TYPO)),
        row(
            "known search / filter with as many matches, at 1 M, CPU per request",
            AtMost(1.5),
            Some(MILLION),
            vec![cpu(SEARCH, MANY, million)],
        ),
        row(
            "walk of 1 M by cursor, last 1 % of pages / first 1 %, CPU per request",
            AtMost(1.2),
            Some(MILLION),
            vec![ratio(Measure::Cpu, LAST_PAGES, million, FIRST_PAGES, million)],
        ),
        row("page with `expand=address` / without, CPU per request", AtMost(2.0), None, each(EXPAND, DEEP)),
        row("page with two `fields` / without, CPU per request", AtMost(1.3), None, each(FIELDS, DEEP)),
    ]
}

pub(crate) fn table(results: &Results) -> Table {
    let mut table = Table::new(&["line", "users", "per s", "CPU µs", "p50, p99 ms", "RSS MiB", "clients"]);
    for line in first_asks::LOADS.into_iter().chain(walk::LINES).chain(writes::LINES) {
        for size in results.sizes(line) {
            let key = (line, size, Carnet);
            let spread = |measure| shown(results.spread(key, measure));
            table.add([
                line.to_owned(),
                users(size),
                spread(Measure::Rate),
                spread(Measure::Cpu),
                latency(results, key),
                resident(results, key),
                clients(results, key),
            ]);
        }
    }
    table
}
