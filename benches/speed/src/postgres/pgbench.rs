//! Plain SQL on the same server, by PostgreSQL's own load generator.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::Bench;
use crate::load::Outcome;
use crate::queries::SORTED_DEEP;
use crate::reads::{DEEP, FETCH, FEW, FIRST, HOT_IDS, HOT_NAMES, MANY, WINDOW};
use crate::results::{Measure, Sample};
use crate::rows::{Book, COMMON_FIRST_NAME, COMMON_LAST_NAME, LETTERS, RARE_LETTERS};
use crate::substance::PAGE;

/// Clients, and threads of pgbench, among which the fastest pair is looked for.
const PAIRS: [(usize, usize); 4] = [(8, 1), (8, 2), (64, 1), (64, 2)];
/// How long its sessions may take to end. The server may have started something else meanwhile.
const PATIENCE: Duration = Duration::from_secs(2);
/// One in so many transactions tells its latency, where there are many.
const SAMPLED: &str = "0.1";

/// As carnet folds the names that there are.
pub(super) const BY_LAST_NAME: &str = "last_name COLLATE \"C\", id";

/// What pgbench is to do.
pub(super) struct Job {
    pub(super) database: String,
    /// Scripts with their weights.
    pub(super) scripts: Vec<(String, u32)>,
    /// Whether there are so many transactions that not every latency need be written down.
    pub(super) is_quick: bool,
}

pub(super) enum Until {
    Seconds(u64),
    /// So many transactions of each client, from this one of the run on.
    Each {
        count: u64,
        first: u64,
    },
}

impl Job {
    pub(super) fn new(database: &str, script: String, is_quick: bool) -> Self {
        Job { database: database.to_owned(), scripts: vec![(script, 1)], is_quick }
    }

    pub(super) fn run(
        &self,
        bench: &Bench<'_>,
        (clients, threads): (usize, usize),
        until: &Until,
        seed: u64,
    ) -> anyhow::Result<Sample> {
        let folder = bench.scratch.join("pgbench");
        std::fs::create_dir_all(&folder)?;
        let mut command = bench.cluster.program("pgbench", &self.database);
        command.current_dir(&folder);
        command.args(["--no-vacuum", "--protocol=prepared", "--log", "--log-prefix=latency"]);
        for (place, (script, weight)) in self.scripts.iter().enumerate() {
            let file = folder.join(format!("{place}.sql"));
            std::fs::write(&file, script)?;
            command.arg(format!("--file={}@{weight}", file.display()));
        }
        if self.is_quick {
            command.arg(format!("--sampling-rate={SAMPLED}"));
        }
        command.arg(format!("--client={clients}")).arg(format!("--jobs={threads}"));
        command.arg(format!("--random-seed={}", seed + 1));
        match until {
            // Its clock runs while it connects, and is set back afterwards only for what it reports.
            Until::Seconds(seconds) => command.arg(format!("--time={}", seconds + 1 + clients as u64 / 64)),
            Until::Each { count, first } => command
                .arg(format!("--transactions={count}"))
                .args([format!("--define=n={first}"), format!("--define=clients={clients}")]),
        };
        let (before, size) = (bench.cluster.cpu()?, bench.cluster.size()?);
        let output = command.stdin(Stdio::null()).output().context("cannot start pgbench")?;
        // Its sessions end after it, and must not weigh on whoever is measured next.
        let ended = Instant::now();
        while bench.cluster.size()? > size && ended.elapsed() < PATIENCE {
            std::thread::park_timeout(Duration::from_millis(5));
        }
        let database_seconds = bench.cluster.cpu()? - before;
        let text = String::from_utf8_lossy(&output.stdout);
        let words = || format!("{text}{}", String::from_utf8_lossy(&output.stderr));
        ensure!(output.status.success(), "pgbench: {}", words());
        let figure = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            let figure =
                line.and_then(|line| line.split([' ', '/']).find_map(|word| word.parse::<f64>().ok()));
            figure.with_context(|| format!("pgbench said no {name:?}: {}", words()))
        };
        let requests = figure("number of transactions actually processed: ")?;
        // One that had no time to do anything is not the fastest.
        let seconds = figure("tps = ").map_or(1.0, |rate| requests / rate);
        let mut latencies = Vec::new();
        for entry in std::fs::read_dir(&folder)? {
            let log = std::fs::read_to_string(entry?.path())?;
            let latency = |line: &str| line.split(' ').nth(2)?.parse::<u32>().ok();
            latencies.extend(
                log.lines()
                    .filter(|line| line.starts_with(|it: char| it.is_ascii_digit()))
                    .filter_map(latency),
            );
        }
        std::fs::remove_dir_all(&folder)?;
        latencies.sort_unstable();
        let load = Outcome { requests: requests as u64, seconds, latencies, ..Outcome::default() };
        Ok(Sample { load, clients, cpu_seconds: 0.0, database_seconds, resident: f64::NAN })
    }

    /// The number of clients and threads at which it is fastest, of at most so many clients.
    pub(super) fn best(&self, bench: &Bench<'_>, most: usize) -> anyhow::Result<(usize, usize)> {
        let mut best = (0.0, (most.min(8), 1));
        let mut pairs: Vec<_> =
            PAIRS.iter().map(|&(clients, threads)| (clients.min(most), threads.min(most))).collect();
        pairs.dedup();
        for pair in pairs {
            let rate = self.run(bench, pair, &Until::Seconds(1), 0)?.measure(Measure::Rate);
            if rate > best.0 {
                best = (rate, pair);
            }
        }
        Ok(best.1)
    }
}

/// The same questions as carnet is asked, in SQL: the total and the page by a statement each, as most servers do
/// it. One id in ten is a hole, which costs pgbench less than a record.
pub(super) fn read(line: &str, book: Book) -> String {
    let spread = |wanted: u64, of: u64| (wanted.min(of), (of / wanted).max(1));
    let by = if line == SORTED_DEEP { BY_LAST_NAME } else { "id" };
    let listed = |setting: String, condition: String| {
        format!(
            "{setting}SELECT count(*) FROM users{condition};\n\
             SELECT id, first_name, last_name, address FROM users{condition} ORDER BY {by} LIMIT {PAGE} OFFSET :offset;\n"
        )
    };
    let pages = |first: u64, records: u64| {
        format!(
            "\\set offset {} + {PAGE} * random(0, {})\n",
            first / PAGE * PAGE,
            (records / PAGE).max(1) - 1
        )
    };
    let last_name = format!("last_name = '{COMMON_LAST_NAME}' AND {}", short("last_name"));
    match line {
        FETCH => {
            let (ids, step) = spread(HOT_IDS as u64, book.last_id);
            format!(
                "\\set id 1 + {step} * random(0, {})\n\
                 SELECT id, first_name, last_name, address FROM users WHERE id = :id;\n",
                ids - 1
            )
        }
        FIRST => listed("\\set offset 0\n".into(), String::new()),
        DEEP | SORTED_DEEP => listed(pages(book.users / 10 * 9, WINDOW.min(book.users / 20)), String::new()),
        FEW => {
            let (names, step) = spread(HOT_NAMES as u64, book.rare_names());
            listed(
                format!(
                    "\\set offset 0\n\\set name {} * random(0, {})\n",
                    step * book.rare_step(),
                    names - 1
                ),
                format!(
                    " WHERE last_name = initcap(translate(lpad(:name::text, {RARE_LETTERS}, '0'), '0123456789', '{}')) \
                     AND {}",
                    String::from_iter(LETTERS),
                    short("last_name")
                ),
            )
        }
        MANY => listed(pages(0, (book.users / 20).min(WINDOW / 5)), format!(" WHERE {last_name}")),
        _ => listed(
            pages(0, (book.users / 100).clamp(PAGE, WINDOW / 5)),
            format!(" WHERE {last_name} AND first_name = '{COMMON_FIRST_NAME}' AND {}", short("first_name")),
        ),
    }
}

/// In the words of carnet's index on a field.
pub(super) fn short(field: &str) -> String {
    format!("octet_length({field}) <= 2000")
}

/// Writes to a twin of the table, with the same columns and indexes and without carnet's triggers.
pub(super) fn create(book: Book) -> String {
    format!(
        "\\set n random(0, 9999999)\n\\set m :n % 1000\n\\set address random(1, {})\n\
         INSERT INTO plain.users (first_name, last_name, address) \
         VALUES ('Given' || lpad(:m::text, 3, '0'), 'New' || lpad(:n::text, 7, '0'), :address);\n",
        book.addresses()
    )
}

pub(super) fn update(book: Book) -> String {
    format!(
        "{}\\set m random(0, 999)\n\
         UPDATE plain.users SET first_name = 'Given' || lpad(:m::text, 3, '0') WHERE id = :id;\n",
        hot(book)
    )
}

pub(super) fn fetch_plain(book: Book) -> String {
    format!("{}SELECT id, first_name, last_name, address FROM plain.users WHERE id = :id;\n", hot(book))
}

fn hot(book: Book) -> String {
    let step = (book.last_id / HOT_IDS as u64).max(1);
    format!("\\set id 1 + {step} * random(0, {})\n", (HOT_IDS as u64).min(book.last_id) - 1)
}

/// Every id once, in random order: `n` goes on within a client from one transaction to the next.
pub(super) fn delete(book: Book) -> String {
    format!(
        "\\set id 1 + permute(:n * :clients + :client_id, {})\n\\set n :n + 1\n\
         DELETE FROM plain.users WHERE id = :id;\n",
        book.last_id
    )
}
