//! Other tools do at random what tools do to tables, several at once, beside nodes that write too. Whenever all of them
//! pause, every node says what the database says.

use std::collections::BTreeMap;

use dev::client::Client;
use dev::cluster::Cluster;
use dev::configs;
use dev::dice::Dice;
use dev::schema;

use crate::support::home::Home;
use crate::support::server::Server;

const FAMILIES: [&str; 4] = ["Doe", "Roe", "Poe", "Moe"];
/// One tool corrects what others write, one forbids, one leaves out, one changes ids.
const TRIGGERS: &str = "
CREATE FUNCTION correct() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.last_name = 'Moe' AND NEW.first_name LIKE '%3' THEN
    UPDATE users SET last_name = 'Poe' WHERE id = NEW.id;
  ELSIF NEW.last_name = 'Moe' AND NEW.first_name LIKE '%7' THEN
    DELETE FROM users WHERE id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER correct AFTER INSERT OR UPDATE ON users FOR EACH ROW EXECUTE FUNCTION correct();
CREATE FUNCTION check_in() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.first_name LIKE '%11' THEN RETURN NULL; END IF;
  IF NEW.first_name LIKE '%22' THEN RAISE EXCEPTION 'no'; END IF;
  IF TG_OP = 'INSERT' AND NEW.first_name LIKE '%44' THEN NEW.id := NEW.id + 100; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER check_in BEFORE INSERT OR UPDATE ON users FOR EACH ROW EXECUTE FUNCTION check_in();
CREATE FUNCTION at_the_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE users SET last_name = 'Roe' WHERE id = NEW.id AND last_name = 'Doe';
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER at_the_end AFTER INSERT ON users DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.first_name LIKE '%5') EXECUTE FUNCTION at_the_end();
";

/// One transaction of a tool. It may fail: for another tool's sake, or a trigger's.
fn transaction(dice: &mut Dice, name: &str) -> Vec<String> {
    let level = *dice.pick(&["READ COMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"]);
    let mut sql = format!("BEGIN ISOLATION LEVEL {level}; SET LOCAL lock_timeout = '10s'; ");
    for step in 0..=dice.below(3) {
        let statement = statement(dice, &format!("{name}s{step}"));
        sql.push_str(&match dice.below(8) {
            0 => format!("SAVEPOINT one; {statement}; ROLLBACK TO one; "),
            1 => format!("SAVEPOINT one; {statement}; RELEASE one; "),
            2 => format!("SET CONSTRAINTS ALL IMMEDIATE; {statement}; "),
            _ => format!("{statement}; "),
        });
    }
    let (end, prepared) = match dice.below(8) {
        0 => ("ROLLBACK".to_owned(), None),
        1 => (format!("PREPARE TRANSACTION '{name}'"), Some(format!("COMMIT PREPARED '{name}'"))),
        2 => (format!("PREPARE TRANSACTION '{name}'"), Some(format!("ROLLBACK PREPARED '{name}'"))),
        _ => ("COMMIT".to_owned(), None),
    };
    sql.push_str(&end);
    [sql].into_iter().chain(prepared).collect()
}

fn statement(dice: &mut Dice, name: &str) -> String {
    let (family, other) = (*dice.pick(&FAMILIES), *dice.pick(&FAMILIES));
    let (first, number) = (dice.below(60), dice.below(60));
    let some = format!("id BETWEEN {first} AND {}", first + dice.below(6));
    match dice.below(20) {
        0..=5 => format!("INSERT INTO users (first_name, last_name) VALUES ('{name}{number}', '{family}')"),
        6 => format!(
            "INSERT INTO users (id, first_name, last_name) VALUES ({number}, '{name}', '{family}') ON CONFLICT DO NOTHING"
        ),
        7..=9 => format!("UPDATE users SET last_name = '{family}' WHERE {some}"),
        10 => format!("UPDATE users SET last_name = '{family}' WHERE last_name = '{other}'"),
        11 => format!("UPDATE users SET id = id + 200 WHERE id = {number}"),
        12 | 13 => format!(
            "SELECT id FROM users WHERE {some} ORDER BY id FOR UPDATE; UPDATE users SET last_name = '{family}' WHERE {some}"
        ),
        14 | 15 => format!("DELETE FROM users WHERE {some}"),
        16 => "TRUNCATE users CASCADE".to_owned(),
        17 => {
            let kind = *dice.pick(&["varchar", "text COLLATE \"C\""]);
            format!(
                "ALTER TABLE users ALTER COLUMN number TYPE bigint USING number + 0, ALTER COLUMN note TYPE {kind}"
            )
        }
        18 => format!(
            "INSERT INTO users (first_name, last_name) SELECT '{name}' || i, '{family}' FROM generate_series(1, 1500) AS i"
        ),
        _ => format!(
            "DELETE FROM users; INSERT INTO users (first_name, last_name) VALUES ('{name}', '{family}')"
        ),
    }
}

/// What a client of a node does meanwhile. Whatever it is told is one of what may be told.
fn write(client: &mut Client, dice: &mut Dice, name: &str) {
    let family = *dice.pick(&FAMILIES);
    let id = dice.below(80) + 1;
    let request = match dice.below(4) {
        0 | 1 => format!(r#"POST /users/ {{"first_name":"{name}","last_name":"{family}"}}"#),
        2 => format!(r#"PUT /users/{id}/ {{"last_name":"{family}"}}"#),
        _ => format!("DELETE /users/{id}/"),
    };
    let answer = client.ask(&request);
    assert!([200, 201, 404, 409, 503].contains(&answer.status), "{request}: {answer:?}");
    let page = client.ask(&format!("GET /users/?last_name={family}&count=3"));
    assert!([200, 503].contains(&page.status), "{page:?}");
}

/// Compares all that a node tells with what the database has.
#[track_caller]
fn compare(server: &Server, what: &str) {
    let mut client = server.client();
    let rows =
        server.home().query("SELECT id || ' ' || first_name || ' ' || last_name FROM users ORDER BY id");
    let mut told = Vec::new();
    for offset in (0..).step_by(1000) {
        let page = client.ask(&format!("GET /users/?count=1000&offset={offset}")).json();
        assert_eq!(page["meta"]["total_count"], rows.len(), "{what}");
        let records = page["object_list"].as_array().unwrap();
        told.extend(records.iter().map(|record| {
            let text = |field: &str| record[field].as_str().unwrap().to_owned();
            format!("{} {} {}", record["id"], text("first_name"), text("last_name"))
        }));
        if records.len() < 1000 {
            break;
        }
    }
    assert_eq!(told, rows, "{what}");
    let mut families: BTreeMap<&str, usize> = FAMILIES.iter().map(|family| (*family, 0)).collect();
    for row in &rows {
        *families.entry(row.rsplit(' ').next().unwrap()).or_default() += 1;
    }
    for (family, number) in families {
        let found = client.ask(&format!("GET /users/?last_name={family}")).json();
        assert_eq!(found["meta"]["total_count"], number, "{family}: {what}");
    }
    for row in rows.iter().take(30) {
        let id = row.split(' ').next().unwrap();
        let record = client.ask(&format!("GET /users/{id}/")).json();
        assert_eq!(record["last_name"], row.rsplit(' ').next().unwrap(), "{what}");
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn every_node_says_what_the_database_says_whatever_tools_do() {
    const ROUNDS: u64 = 12;
    let cluster = Cluster::start();
    cluster.set("max_prepared_transactions", "20");
    cluster.kill();
    cluster.start_again();
    let home = Home::at(&cluster.url(), &configs::long_pages());
    let mut nodes: Vec<Server> = (0..2).map(|_| home.serve()).collect();
    home.execute("ALTER TABLE users ADD COLUMN number integer DEFAULT 1, ADD COLUMN note text");
    home.execute(TRIGGERS);
    let mut committed = 0;
    for round in 0..ROUNDS {
        let done: Vec<usize> = std::thread::scope(|scope| {
            let tools: Vec<_> = (0..3)
                .map(|tool: u64| {
                    let url = home.database_url();
                    scope.spawn(move || {
                        let mut dice = Dice::new(round << 8 | tool);
                        let names = (0..8).map(|step| format!("r{round}t{tool}x{step}"));
                        let mut run = |name: &String| {
                            let parts = transaction(&mut dice, name);
                            parts.iter().all(|sql| schema::query(&url, sql).is_ok())
                        };
                        names.filter(|name| run(name)).count()
                    })
                })
                .collect();
            for (number, node) in nodes.iter().enumerate() {
                let (mut client, mut dice) = (node.client(), Dice::new(round << 16 | number as u64));
                scope.spawn(move || {
                    for step in 0..12 {
                        write(&mut client, &mut dice, &format!("r{round}n{number}x{step}"));
                    }
                });
            }
            tools.into_iter().map(|tool| tool.join().unwrap()).collect()
        });
        committed += done.iter().sum::<usize>();
        if round % 4 == 3 {
            nodes.push(home.serve());
        }
        nodes.iter().for_each(|node| compare(node, &format!("round {round}")));
    }
    let taken_back: u64 = nodes.iter().map(|node| node.metric("carnet_store_commits_taken_back_total")).sum();
    println!("{committed} transactions of tools went through; {taken_back} groups were taken back");
    assert!(committed as u64 > ROUNDS, "the tools did next to nothing");
    nodes.into_iter().for_each(|node| node.stop().is_sound());
}
