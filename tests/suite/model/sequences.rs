//! Sequences of random requests to the server and to the model: through restarts, other tools and copies; and many
//! short ones, one after the other on the same server.

use std::ops::Range;

use super::book::{Book, CONFIG, NUMBER};
use super::requests::{Answers, Run};
use crate::support::home::Home;

/// How many requests each of the short ones has, the first and the last batch not counted.
const LENGTH: usize = 40;

/// Runs short sequences with these seeds; says how many requests they were. Each deletes what it has left.
pub(super) fn short<A: Answers>(
    answers: &mut A,
    seeds: Range<u64>,
    mut begin: impl FnMut(&mut A, u64),
) -> usize {
    let (mut given, mut requests) = ([0; NUMBER], 0);
    for seed in seeds {
        begin(answers, seed);
        let mut run = Run::new(seed, Book { given, ..Book::default() });
        run.begin(answers, 12);
        for _ in 0..LENGTH {
            run.step(answers);
        }
        run.compare_all(answers);
        run.delete_all(answers);
        (given, requests) = (run.book.given, requests + run.requests);
    }
    requests
}

/// Runs sequences with these seeds: requests, and now and then a restart with or without warning, with or without
/// another tool at work meanwhile, of the same store or of a copy.
#[expect(clippy::print_stdout, reason = "how much was tried belongs to the result")]
fn agree(memory: &str, seeds: std::ops::Range<u64>) {
    let (mut requests, mut restarts, mut copies) = (0, 0, 0);
    for seed in seeds.clone() {
        let mut run = Run::new(seed, Book::default());
        // One name for all ports, so that answers are the same after a restart.
        let server = format!("[server]\nbase_url = \"http://book.example.org\"\nmemory = \"{memory}\"");
        let config = format!("{server}\n{CONFIG}");
        let mut home = Home::new(&config);
        let mut server = home.serve();
        for _ in 0..3 {
            let mut client = server.client();
            for _ in 0..50 + run.dice.below(50) {
                run.step(&mut client);
            }
            if run.dice.once_in(2) {
                server.kill();
            } else {
                server.stop();
            }
            if run.dice.once_in(2) {
                run.other_tool(&home);
            }
            if run.dice.once_in(3) {
                // Whoever walks by cursors goes on in the copy.
                let copy = Home::new(&config);
                home.copy_into(&copy).exits(0);
                home = copy;
                run.forget_kept();
                copies += 1;
            }
            server = home.serve();
            restarts += 1;
        }
        run.compare_all(&mut server.client());
        requests += run.requests;
        server.stop().is_sound();
    }
    println!("memory {memory}, seeds {seeds:?}: {requests} requests, {restarts} restarts, {copies} copies");
}

/// So many records that sorts and conditions on text are answered by orders, which follow every write.
#[test]
fn the_server_answers_as_the_model_does_where_orders_are_kept() {
    for seed in 3_000..3_002 {
        let home = Home::new(CONFIG);
        home.serve().stop();
        let mut run = Run::new(seed, Book::default());
        run.fill(&home);
        let server = home.serve();
        let mut client = server.client();
        for _ in 0..400 {
            run.step(&mut client);
        }
        server.stop().is_sound();
    }
}

#[test]
fn the_server_answers_as_the_model_does() {
    agree("256MiB", 1_000..1_012);
}

#[test]
fn the_server_answers_as_the_model_does_with_hardly_any_memory() {
    agree("8KiB", 2_000..2_012);
}

/// What `CARNET_SEQUENCES` makes a campaign of. With PostgreSQL beside it, and many more of them, in `postgres.rs`.
mod sqlite {
    use super::*;
    use crate::support::engine::sequences;

    #[test]
    fn the_server_answers_as_the_model_does_in_short_sequences() {
        for (memory, seeds) in [("256MiB", sequences(1, 60)), ("8KiB", sequences(1_000_000, 20))] {
            let server = Home::new(&format!("[server]\nmemory = \"{memory}\"\n{CONFIG}")).serve();
            let requests = short(&mut server.client(), seeds.clone(), |_, _| {});
            println!("memory {memory}, seeds {seeds:?}: {requests} requests");
            server.stop().is_sound();
        }
    }
}
