//! `carnet keys` beside a server, some of its commands killed: a key that was shown is there, one that was revoked is
//! not.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use dev::client::Client;
use dev::dice::Dice;
use dev::request::Request;

use crate::http;
use crate::server::Launch;

#[derive(Clone, Debug)]
enum Known {
    /// Shown to whoever made it.
    There(String),
    Gone,
    /// The command was killed.
    Unknown,
}

#[derive(Debug, Default)]
pub(super) struct Keys {
    known: BTreeMap<String, Known>,
    /// How many there have been; no name comes twice.
    made: usize,
    pub(super) killed: usize,
}

impl Keys {
    /// Makes, rotates and revokes keys until a moment, and kills every second command on its way.
    pub(super) fn kill_some(
        &mut self,
        launch: &Launch,
        dice: &mut Dice,
        until: Instant,
    ) -> anyhow::Result<()> {
        let help = launch.command(&["keys", "rotate", "--help"]).output()?;
        let can_rotate = help.status.success();
        while Instant::now() < until {
            let there: Vec<&String> = self
                .known
                .iter()
                .filter(|(_, known)| matches!(known, Known::There(_)))
                .map(|(name, _)| name)
                .collect();
            let name = match there.as_slice() {
                [_, _, ..] if dice.once_in(3) => (*dice.pick(&there)).clone(),
                _ => {
                    self.made += 1;
                    format!("k{}", self.made)
                }
            };
            let verb = match self.known.get(&name) {
                None => "create",
                Some(_) if can_rotate && dice.once_in(2) => "rotate",
                Some(_) => "revoke",
            };
            let mut command = launch.command(&["keys", verb, &name]);
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
            if dice.once_in(2) {
                std::thread::sleep(Duration::from_micros(dice.below(25_000) as u64));
                child.kill()?;
                self.killed += 1;
            }
            let output = child.wait_with_output()?;
            let (status, said) = (output.status, String::from_utf8_lossy(&output.stdout));
            let known = match (verb, said.trim()) {
                ("revoke", _) if status.success() => Known::Gone,
                // Shown is as good as ended: somebody may have written it down.
                ("create" | "rotate", key) if !key.is_empty() => Known::There(key.to_owned()),
                // The secret before stays good for a while, whether there is a new one or not.
                ("rotate", _) if status.code().is_none() => continue,
                _ if status.code().is_none() => Known::Unknown,
                _ => bail!("carnet keys ended with {status}: {}", String::from_utf8_lossy(&output.stderr)),
            };
            self.known.insert(name, known);
        }
        Ok(())
    }

    /// What a server that has just started lets in.
    pub(super) fn check(&mut self, launch: &Launch, address: SocketAddr) -> anyhow::Result<Vec<String>> {
        if self.known.is_empty() {
            return Ok(Vec::new());
        }
        let output = launch.command(&["keys", "list", "--json"]).output()?;
        let listed: serde_json::Value = serde_json::from_slice(&output.stdout).context("keys list --json")?;
        let listed: Vec<&str> =
            listed.as_array().into_iter().flatten().filter_map(|key| key["name"].as_str()).collect();
        let mut faults = Vec::new();
        let mut client = Client::new(address);
        for (name, known) in &mut self.known {
            let is_listed = listed.contains(&name.as_str());
            match known {
                Known::There(key) => {
                    let answer = http::ask(
                        &mut client,
                        &Request::new("GET /locked/").header("X-API-Key", key.as_str()),
                    )?;
                    if !is_listed || answer.status != 200 {
                        faults.push(format!("KEY LOST: {name}: {}", answer.status));
                    }
                }
                Known::Gone if is_listed => faults.push(format!("KEY BACK: {name}")),
                Known::Gone => {}
                // Nobody has seen its key, so there is nothing more to know.
                Known::Unknown => *known = Known::Gone,
            }
        }
        self.known.retain(|_, known| !matches!(known, Known::Gone));
        for name in listed.iter().filter(|name| !self.known.contains_key(**name)) {
            launch.command(&["keys", "revoke", name]).output()?;
        }
        Ok(faults)
    }
}
