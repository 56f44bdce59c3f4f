//! Moments that sessions of other time zones write, as the log of changes tells them.

use dev::configs;

use crate::support::home::Home;

/// Each session of another tool has another time zone: that of the far east, one of before there were time zones, one
/// behind UTC. A warm server hears of all by the log.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_moment_is_the_same_whatever_the_time_zone_of_its_writer() {
    let home = Home::new(&configs::dates());
    let server = home.serve();
    let moments = [
        "0001-01-01T00:00:00Z",
        "1800-01-01T00:00:00Z",
        "2027-01-31T12:00:00.25Z",
        "9999-12-31T23:59:59.999999Z",
    ];
    for moment in moments {
        server.create("/events/", &format!(r#"{{"name":"a","met":"{moment}"}}"#));
    }
    assert_eq!(server.ids("/events/?sort=met"), [1, 2, 3, 4]);
    for zone in ["Pacific/Kiritimati", "Europe/Paris", "America/New_York", "Asia/Kathmandu", "UTC"] {
        for style in ["German, DMY", "SQL, MDY", "ISO, YMD"] {
            // By one transaction, so that it is logged with the time zone of its session.
            home.execute(&format!(
                "SET TimeZone = '{zone}'; SET DateStyle = '{style}';
                 UPDATE events SET name = '{zone}', born = DATE '2024-02-29'"
            ));
            let told = server.walk("/events/");
            let met: Vec<&str> = told.iter().map(|event| event["met"].as_str().unwrap()).collect();
            assert_eq!(met, moments, "{zone}");
            assert!(
                told.iter().all(|event| event["name"] == zone && event["born"] == "2024-02-29"),
                "{told:?}"
            );
            assert_eq!(server.ids("/events/?sort=-met"), [4, 3, 2, 1], "{zone}");
            for (place, moment) in moments.iter().enumerate() {
                assert_eq!(server.ids(&format!("/events/?met={moment}")), [place as i64 + 1], "{zone}");
            }
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_default_is_known_again_whatever_the_settings_of_the_role() {
    let home = Home::new(&configs::defaults());
    home.serve().stop();
    let url = format!("{}%20-c%20datestyle%3DGerman%20-c%20timezone%3DAsia/Kathmandu", home.database_url());
    let config = home.path("book.toml");
    let check = ["check", "--config", config.to_str().unwrap(), "--database", &url];
    home.run_bare(&check).exits(0).says(&["a start would change nothing"]);
}
