//! What the server counts about itself, read from `/metrics`.

use dev::waiting::wait_until;

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

    /// Waits until the server has taken so many requests that it has not answered yet.
    #[track_caller]
    pub(crate) fn wait_for_requests(&self, number: usize) {
        // And the one that asks.
        let is_so = || self.metric("http_server_active_requests") > number as u64;
        wait_until(&format!("fewer than {number} requests are taken"), is_so);
    }
}
