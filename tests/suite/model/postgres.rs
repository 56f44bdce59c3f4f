//! The model, SQLite and PostgreSQL, side by side: the same requests get the same answers, byte for byte.

use dev::answer::Answer;
use dev::client::Client;
use dev::request::Request;

use super::book::CONFIG;
use super::requests::Answers;
use super::sequences::short;
use crate::support::engine::{Engine, sequences};
use crate::support::home::Home;
use crate::support::server::Server;

/// How many sequences each of these tests runs; with `./test --long` more.
const SEQUENCES: u64 = 400;
/// What differs between any two answers.
const OF_THE_MOMENT: [&str; 2] = ["Date", "X-Request-Id"];

/// Two servers that are asked the same.
struct Both {
    seed: u64,
    clients: [Client; 2],
    bases: [String; 2],
}

impl Both {
    fn whole(&self, place: usize, answer: &Answer) -> String {
        let mut text = format!("{} {}\n", answer.status, answer.reason);
        for (name, value) in &answer.headers {
            if !OF_THE_MOMENT.iter().any(|it| name.eq_ignore_ascii_case(it)) {
                text.push_str(&format!("{name}: {}\n", value.replace(&self.bases[place], "{base_url}")));
            }
        }
        text + "\n" + &answer.body_text().replace(&self.bases[place], "{base_url}")
    }

    /// Asks both, who must answer alike.
    #[track_caller]
    fn ask(&mut self, request: &Request) -> Answer {
        // Both work at the same time: most of it is waiting for a disk.
        for (client, base) in self.clients.iter_mut().zip(&self.bases) {
            client.write(&request.bytes(base.trim_start_matches("http://"))).unwrap();
        }
        let [one, other] = [0, 1].map(|place| {
            let answer = self.clients[place].read(&request.method).unwrap();
            answer.keeps_its_promises(&request.method);
            answer
        });
        let [sqlite, postgres] = [self.whole(0, &one), self.whole(1, &other)];
        assert!(
            sqlite == postgres,
            "seed {}: {request:?}\nSQLite:\n{sqlite}\nPostgreSQL:\n{postgres}",
            self.seed
        );
        other
    }
}

impl Answers for Both {
    #[track_caller]
    fn send(&mut self, request: &Request) -> Answer {
        let answer = self.ask(request);
        // What is refused changes nothing, and is refused for the same reason in its other form.
        if answer.status >= 400 {
            let problem = self.ask(&request.clone().header("Accept", "application/problem+json"));
            assert_eq!(problem.status, answer.status, "seed {}: {request:?}: {problem:?}", self.seed);
            if !answer.body.is_empty() {
                assert_eq!(
                    problem.json()["title"],
                    answer.json()["error"],
                    "seed {}: {request:?}",
                    self.seed
                );
            }
        }
        answer
    }
}

/// Runs the sequences of these seeds, with so much memory, one after the other on the same two servers.
#[expect(clippy::print_stdout, reason = "how much was tried belongs to the result")]
fn agree(memory: &str, seeds: std::ops::Range<u64>) {
    let config = format!("[server]\nmemory = \"{memory}\"\n{CONFIG}");
    let servers: [Server; 2] =
        [Engine::Sqlite, Engine::Postgres].map(|engine| Home::of(engine, &config).serve());
    let mut both = Both {
        seed: 0,
        clients: [0, 1].map(|place: usize| servers[place].client()),
        bases: [0, 1].map(|place: usize| servers[place].base_url()),
    };
    let requests = short(&mut both, seeds.clone(), |both, seed| both.seed = seed);
    println!("memory {memory}: seeds {seeds:?}, {requests} requests");
    servers.into_iter().for_each(|server| server.stop().is_sound());
}

// Several tests, so that several processes share the work.

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn the_model_and_both_engines_answer_alike() {
    agree("256MiB", sequences(1, SEQUENCES));
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn the_model_and_both_engines_answer_alike_in_other_sequences() {
    agree("256MiB", sequences(200_000, SEQUENCES));
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn the_model_and_both_engines_answer_alike_in_still_others() {
    agree("256MiB", sequences(400_000, SEQUENCES));
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn the_model_and_both_engines_answer_alike_with_hardly_any_memory() {
    agree("8KiB", sequences(1_000_000, SEQUENCES));
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn the_model_and_both_engines_answer_alike_with_little_memory() {
    agree("1MiB", sequences(1_200_000, SEQUENCES));
}
