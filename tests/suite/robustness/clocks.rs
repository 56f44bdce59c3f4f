//! A clock that jumps: answers carry what it says now, and no year that it can show stops the server.

use dev::client::Client;
use dev::configs;
use dev::request::Request;
use dev::waiting::wait_until;

use crate::support::clock::Clock;
use crate::support::home::Home;
use crate::support::server::Server;

const DAY: i64 = 86_400;
const YEAR: i64 = 366 * DAY;

/// The year, and the whole moment, of an answer.
fn date(client: &mut Client) -> String {
    let answer = client.ask("GET /users/");
    assert_eq!(answer.status, 200);
    let dates: Vec<&str> =
        answer.headers.iter().filter(|(name, _)| name == "date").map(|(_, value)| value.as_str()).collect();
    assert_eq!(dates.len(), 1, "{answer:?}");
    dates[0].to_owned()
}

fn year(date: &str) -> i64 {
    date.split(' ').nth(3).unwrap().parse().unwrap()
}

#[test]
fn the_date_of_answers_follows_the_clock_backwards_and_forwards() {
    let (server, clock) = Home::new(&configs::built_in()).serve_by_clock(0);
    // On connections that were open before, and on new ones.
    let mut old = server.client();
    let now = year(&date(&mut old));
    for years in [-20, 3, -3, 0, 20, -1] {
        clock.set(years * YEAR);
        let dates = [date(&mut old), date(&mut server.client())];
        for date in dates {
            let off = year(&date) - now - years;
            assert!(off.abs() <= 1, "{years} years from {now}, and it is {date}");
        }
    }
}

/// Whether a request on a new connection is answered; closed without an answer otherwise.
fn is_answered(server: &Server) -> bool {
    match server.client().try_send(&Request::new("GET /users/")) {
        Ok(answer) => {
            assert_eq!(answer.status, 200, "{answer:?}");
            true
        }
        Err(_) => false,
    }
}

/// Sets a clock at which nobody looks: all connections are closed on the server's side.
fn set_unseen(server: &Server, clock: &Clock, seconds: i64) {
    let own = format!(":{:04X}", server.address().port());
    let is_open = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        let is_own = words.next().is_some_and(|local| local.ends_with(&own));
        // Established, or closed by the client alone.
        is_own && words.nth(1).is_some_and(|state| matches!(state, "01" | "08"))
    };
    wait_until("connections stay open", || {
        !std::fs::read_to_string("/proc/net/tcp").unwrap().lines().any(is_open)
    });
    clock.set(seconds);
}

#[test]
fn a_clock_that_shows_an_impossible_year_closes_connections_and_panics_nowhere() {
    for start in [0, 8_000 * YEAR, -100 * YEAR] {
        let (mut server, clock) = Home::new(&configs::built_in()).serve_by_clock(start);
        assert_eq!(is_answered(&server), start == 0);
        for years in [8_000, -100, 100_000] {
            set_unseen(&server, &clock, 0);
            assert!(is_answered(&server));
            set_unseen(&server, &clock, years * YEAR);
            assert!(!is_answered(&server) && !is_answered(&server));
        }
        server.wait_for_error("shows no year from 1970 to 9999");
        set_unseen(&server, &clock, 0);
        assert!(is_answered(&server));
        server.signal("TERM");
        assert_eq!(server.wait().code(), Some(0));
        assert!(!server.stderr().contains("panic"), "{}", server.stderr());
        // Said now and then, not for each of the seven connections.
        let said = server.stderr().matches("shows no year").count();
        assert!((1..=4).contains(&said), "{}", server.stderr());
    }
}

#[test]
fn a_connection_that_was_open_before_is_closed_as_well() {
    let (server, clock) = Home::new(&configs::built_in()).serve_by_clock(0);
    let mut open = server.client();
    assert_eq!(open.ask("GET /users/").status, 200);
    clock.set(8_000 * YEAR);
    // A look at the connection that had begun already may still answer one.
    wait_until("it stays open", || open.try_send(&Request::new("GET /users/")).is_err());
    clock.set(0);
    assert!(is_answered(&server));
}

/// Answers are stored for a day by the clock, which is that of the file's machine.
mod sqlite {
    use super::*;

    #[test]
    fn a_jump_of_a_day_forwards_forgets_stored_answers_and_one_backwards_does_not() {
        let (server, clock) = Home::new(&configs::built_in()).serve_by_clock(0);
        let request = Request::text(r#"POST /users/ {"first_name":"a","last_name":"b"}"#).key("once");
        let created = |times| (0..times).map(|_| server.send(&request).created_id()).collect::<Vec<_>>();
        assert_eq!(created(2), [1, 1]);
        clock.set(-2 * DAY);
        assert_eq!(created(2), [1, 1]);
        clock.set(2 * DAY);
        assert_eq!(created(2), [2, 2]);
    }
}
