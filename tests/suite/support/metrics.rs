//! What the server counts about itself, read from `/metrics`.

use super::server::Server;

impl Server {
    /// The value of a metric without labels.
    #[track_caller]
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let answer = self.ask("GET /metrics");
        let line = answer.body_text().lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = line.unwrap_or_else(|| panic!("{name} is not among the metrics: {answer:?}"));
        value.parse().unwrap_or_else(|_| panic!("{name} is {value:?}"))
    }
}
