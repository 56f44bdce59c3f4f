//! The engine for many nodes, beside plain SQL on the same PostgreSQL server.

pub(crate) mod cluster;
mod fill;
mod pgbench;
mod reads;
mod report;
mod starts;
mod tools;
mod writes;

use std::path::Path;

use anyhow::Context;

use crate::load::{self, Limit, Plan};
use crate::options::Options;
use crate::process::Server;
use crate::results::{Results, Sample};
use crate::rows::Book;
use cluster::Cluster;

/// What every part of the run needs to know.
struct Bench<'a> {
    options: &'a Options,
    cluster: Cluster,
    /// One for each size, smallest first.
    filled: Vec<Filled>,
    scratch: &'a Path,
}

/// A database of the server, named by the number of its users.
struct Filled {
    book: Book,
    database: String,
}

pub(crate) fn run(options: &Options, scratch: &Path) -> anyhow::Result<()> {
    let cluster = Cluster::find(options)?;
    let machine = report::describe(options, &cluster)?;
    eprintln!("{machine}");
    let sizes = options.sizes().into_iter();
    let filled =
        sizes.map(|size| fill::prepare(options, &cluster, size)).collect::<anyhow::Result<Vec<_>>>()?;
    let bench = Bench { options, cluster, filled, scratch };
    let mut results = Results::default();
    starts::measure(&bench, &mut results).context("while measuring starts")?;
    reads::measure(&bench, &mut results).context("while measuring reads")?;
    writes::measure(&bench, &mut results).context("while measuring writes")?;
    tools::measure(&bench, &mut results).context("while measuring beside other tools")?;
    std::fs::remove_dir_all(scratch)?;
    report::write(&bench, &machine, &results)
}

impl Bench<'_> {
    fn carnet(&self, database: &str) -> anyhow::Result<Server> {
        Server::carnet_on(self.options, &self.cluster.url(database))
    }

    /// Drives one or several nodes on one database for one slice.
    fn turn(
        &self,
        nodes: &[&Server],
        clients: usize,
        limit: Limit<'_>,
        plan: &Plan,
        seed: u64,
    ) -> anyhow::Result<Sample> {
        let cpu = || nodes.iter().map(|node| node.cpu()).sum::<anyhow::Result<f64>>();
        let before = (cpu()?, self.cluster.cpu()?);
        let addresses: Vec<_> = nodes.iter().map(|node| node.address).collect();
        let load = load::drive_all(&addresses, clients, limit, plan, seed)?;
        let resident = nodes.first().map_or(Ok(f64::NAN), |node| node.memory().map(|it| it.resident))?;
        Ok(Sample {
            load,
            clients,
            cpu_seconds: cpu()? - before.0,
            database_seconds: self.cluster.cpu()? - before.1,
            resident,
        })
    }
}
