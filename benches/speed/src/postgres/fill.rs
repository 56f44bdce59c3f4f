//! Databases of a given size: carnet makes its tables at a first start, is stopped, and the rows are copied in.

use std::io::Write;
use std::time::Instant;

use super::Filled;
use super::cluster::Cluster;
use crate::fill::place;
use crate::options::Options;
use crate::process::Server;
use crate::rows::Book;

/// Indexes are cheaper to make from sorted rows than to keep while rows arrive; triggers would keep all rows.
const BEFORE: &str = "\
SET session_replication_role = replica;
CREATE TEMP TABLE made AS SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS text FROM pg_index
  WHERE indrelid IN ('users'::regclass, 'address'::regclass) AND NOT indisprimary
  AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid);
SELECT 'DROP INDEX ' || name FROM made \\gexec
";
const AFTER: &str = "\
SELECT text FROM made \\gexec
SELECT setval(pg_get_serial_sequence('users', 'id'), max(id)) FROM users;
SELECT setval(pg_get_serial_sequence('address', 'id'), max(id)) FROM address;
VACUUM (ANALYZE, FREEZE) users;
VACUUM (ANALYZE, FREEZE) address;
CHECKPOINT;
";

pub(super) fn prepare(options: &Options, cluster: &Cluster, size: u64) -> anyhow::Result<Filled> {
    let book = Book::new(size);
    let database = format!("users_{size}");
    let began = Instant::now();
    eprint!("filling {database} … ");
    cluster.sql("postgres", &format!("CREATE DATABASE {database}"))?;
    Server::carnet_on(options, &cluster.url(&database))?.stop()?;
    cluster.feed(&database, |input| rows(input, book))?;
    eprintln!("{:.1} s", began.elapsed().as_secs_f64());
    Ok(Filled { book, database })
}

fn rows(input: &mut dyn Write, book: Book) -> std::io::Result<()> {
    writeln!(input, "{BEFORE}COPY address (id, country, city, street, number) FROM STDIN;")?;
    for id in 1..=book.addresses() {
        let (city, street) = place(id);
        writeln!(input, "{id}\tFrance\t{city}\t{street}\t{}", id % 200)?;
    }
    writeln!(input, "\\.\nCOPY users (id, first_name, last_name, address) FROM STDIN;")?;
    for row in book.ids().map(|id| book.user(id)) {
        write!(input, "{}\t{}\t{}\t", row.id, row.first_name, row.last_name)?;
        match row.address {
            Some(address) => writeln!(input, "{address}")?,
            None => writeln!(input, "\\N")?,
        }
    }
    write!(input, "\\.\n{AFTER}")
}
