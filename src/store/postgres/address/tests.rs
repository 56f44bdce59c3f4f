//! What is understood, what is refused, and what is never shown.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::config::{ChannelBinding, Host};

use super::*;

fn parse(text: &str) -> PostgresUrl {
    PostgresUrl::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The hosts and ports, as the driver has them.
fn hosts(text: &str) -> Vec<String> {
    let configs = parse(text).hosts();
    let one = |config: &Config| match &config.get_hosts()[0] {
        Host::Tcp(name) => format!("{name} {}", config.get_ports()[0]),
        Host::Unix(folder) => format!("unix {} {}", folder.display(), config.get_ports()[0]),
    };
    configs.iter().map(one).collect()
}

#[test]
fn hosts_are_understood_as_libpq_does() {
    for (written, expected) in [
        ("postgres://h/db", vec!["h 5432"]),
        ("postgresql://h", vec!["h 5432"]),
        ("postgres://h:/db", vec!["h 5432"]),
        ("postgres://ann:pw@a:5432,b:5433/db", vec!["a 5432", "b 5433"]),
        ("postgres://a,b/db?port=7", vec!["a 7", "b 7"]),
        ("postgres://a,b/db?port=7,8", vec!["a 7", "b 8"]),
        ("postgres://[::1]:7,[fe80::2]/db", vec!["::1 7", "fe80::2 5432"]),
        ("postgres://%2Frun%2Fpg:7/db", vec!["unix /run/pg 7"]),
        ("postgres:///db?host=/run/postgresql", vec!["unix /run/postgresql 5432"]),
        ("postgres://ann@/db?host=/run/a,b&port=1,2", vec!["unix /run/a 1", "b 2"]),
        ("postgres://?host=a&port=1&host=b&port=2", vec!["a 1", "b 2"]),
        ("postgres:///db", vec!["unix /var/run/postgresql 5432"]),
        ("postgres://ann@:7/db", vec!["unix /var/run/postgresql 7"]),
    ] {
        assert_eq!(hosts(written), expected, "{written}");
    }
}

#[test]
fn names_and_passwords_are_decoded() {
    let config = &parse("postgres://a%40b:p%3A%2f%C3%A9:+@h/my%20db").hosts()[0];
    assert_eq!(config.get_user(), Some("a@b"));
    assert_eq!(config.get_password(), Some("p:/é:+".as_bytes()));
    assert_eq!(config.get_dbname(), Some("my db"));
    let config = &parse("postgres://h?user=ann&password=pw&dbname=book").hosts()[0];
    assert_eq!((config.get_user(), config.get_dbname()), (Some("ann"), Some("book")));
    assert_eq!(config.get_password(), Some(&b"pw"[..]));
    assert_eq!(parse("postgres://ann:@h/db").hosts()[0].get_password(), None);
}

#[test]
fn what_is_not_said_has_a_default() {
    let config = &parse("postgres://h/db").hosts()[0];
    assert_eq!(config.get_application_name(), Some("carnet"));
    assert_eq!(config.get_connect_timeout(), Some(&Duration::from_secs(5)));
    assert!(config.get_keepalives());
    assert_eq!(config.get_keepalives_idle(), Duration::from_secs(5));
    assert_eq!(config.get_keepalives_interval(), Some(Duration::from_secs(2)));
    assert_eq!(config.get_keepalives_retries(), Some(3));
    assert_eq!(config.get_tcp_user_timeout(), Some(&Duration::from_secs(10)));
    assert_eq!(config.get_ssl_mode(), SslMode::Prefer);
    assert_eq!(config.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
}

#[test]
fn parameters_are_in_the_units_of_libpq() {
    let written = "postgres://h/db?connect_timeout=2&application_name=x&options=-c%20a=b&keepalives=0\
                   &keepalives_idle=9&keepalives_interval=0&keepalives_count=4&tcp_user_timeout=4000\
                   &channel_binding=require&target_session_attrs=any&sslmode=verify-ca";
    let config = &parse(written).hosts()[0];
    assert_eq!(config.get_connect_timeout(), Some(&Duration::from_secs(2)));
    assert_eq!(config.get_application_name(), Some("x"));
    assert_eq!(config.get_options(), Some("-c a=b"));
    assert!(!config.get_keepalives());
    assert_eq!(config.get_keepalives_idle(), Duration::from_secs(9));
    assert_eq!(config.get_keepalives_interval(), None);
    assert_eq!(config.get_keepalives_retries(), Some(4));
    assert_eq!(config.get_tcp_user_timeout(), Some(&Duration::from_secs(4)));
    assert_eq!(config.get_channel_binding(), ChannelBinding::Require);
    assert_eq!(config.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
    assert_eq!(config.get_ssl_mode(), SslMode::Require);
    let socket = &parse("postgres:///db?host=/run/pg&sslmode=require").hosts()[0];
    assert_eq!(socket.get_ssl_mode(), SslMode::Disable);
    assert_eq!(parse("postgres://h?sslmode=allow").tls().mode, TlsMode::Prefer);
    assert_eq!(parse("postgres://h?sslrootcert=system").tls().mode, TlsMode::VerifyFull);
}

#[test]
fn what_is_wrong_is_refused_in_a_sentence_without_secrets() {
    use AddressError as Error;
    let value = |name, expected| Error::Value { name, expected };
    for (written, expected) in [
        ("postgres:ann:secret@h/db", Error::NoSlashes),
        ("postgres://ann:sec%ret@h/db", Error::Escape),
        ("postgres://ann:secret%@h/db", Error::Escape),
        ("postgres://ann:secret%ff@h/db", Error::NotUnicode),
        ("postgres://ann:secret%00@h/db", Error::Control),
        ("postgres://ann:secret@h%1b/db", Error::Control),
        ("postgres://ann:sec@secret@h/db", Error::StrayAt),
        ("postgres://ann:12/secret@h/db", Error::StrayAt),
        ("postgres://ann:12?secret=1@h/db", Error::StrayAt),
        ("postgres://ann:secret", Error::Port),
        ("postgres://ann:secret/db", Error::Port),
        ("postgres://h:0/db", Error::Port),
        ("postgres://h:65536/db", Error::Port),
        ("postgres://h:+1/db", Error::Port),
        ("postgres://::1/db", Error::Brackets),
        ("postgres://[::1/db", Error::Brackets),
        ("postgres://[::1]5/db", Error::Brackets),
        ("postgres://a,,b/db", Error::EmptyHost),
        ("postgres://a/db?host=b", Error::HostsTwice),
        ("postgres://a:1/db?port=2", Error::HostsTwice),
        ("postgres:///db?host=a,b&port=1,2,3", Error::Ports),
        ("postgres://h/db?secret", Error::NotAPair),
        ("postgres://h/db?sslmod=require", Error::Unknown("sslmod".into())),
        ("postgres://h/db?a%20secret=1", Error::Unnamed),
        ("postgres://ann@h/db?user=bob", Error::Twice("user")),
        ("postgres://ann:secret@h/db?password=secret", Error::Twice("password")),
        ("postgres://h?options=a&options=b", Error::Twice("options")),
        ("postgres://h?connect_timeout=0", value("connect_timeout", "a number of seconds from 1 to 86400")),
        ("postgres://h?keepalives=yes", value("keepalives", "0 or 1")),
        ("postgres://h?target_session_attrs=standby", Error::Standby),
        ("postgres://h?target_session_attrs=read-only", Error::Standby),
        ("postgres://h?sslrootcert=system&sslmode=require", Error::SystemRoots),
        ("postgres://h?sslcert=a.crt", Error::HalfCertificate),
        ("postgres://h?sslnegotiation=direct", Error::Direct),
    ] {
        let error = PostgresUrl::parse(written).unwrap_err();
        assert_eq!(error, expected, "{written}");
        let sentence = format!("{error} {error:?}");
        assert!(!sentence.contains("secret"), "{sentence}");
    }
}

#[test]
fn every_known_parameter_is_understood_and_no_other() {
    for name in error::KNOWN {
        if let Err(AddressError::Unknown(_)) = PostgresUrl::parse(&format!("postgres:///db?{name}=x")) {
            panic!("{name}");
        }
    }
    let error = PostgresUrl::parse("postgres://h?ssl=1").unwrap_err().to_string();
    assert!(error.contains("no parameter `ssl`") && error.contains("sslmode, sslrootcert"), "{error}");
}

#[test]
fn what_is_shown_has_no_password_and_is_read_back_as_the_same() {
    for (written, shown) in [
        ("postgresql://ann:secret@h/db", "postgres://ann@h/db"),
        ("postgres://h:5432/db?password=secret", "postgres://h/db"),
        ("postgres://a%40b:secret@a:1,[::1]:2/my%2Fdb", "postgres://a%40b@a:1,[::1]:2/my%2Fdb"),
        ("postgres://%2Frun%2Fpg:7,b/db", "postgres:///db?host=/run/pg,b&port=7,5432"),
        ("postgres://%2Frun%2Ca,b%2Cc/db", "postgres:///db?host=/run%2Ca,b%2Cc"),
        ("postgres://[a:b%2Fc%5D]/db", "postgres://[a:b%2Fc%5D]/db"),
        (
            "postgres://ann:secret@h/db?options=-c%20a%3Db&sslmode=verify-full&sslrootcert=/a/ca.pem&sslcert=c&sslkey=k",
            "postgres://ann@h/db?sslmode=verify-full&sslrootcert=/a/ca.pem&sslcert=c&sslkey=k&options=-c%20a%3Db",
        ),
        (
            "postgres://h?sslmode=require&sslnegotiation=direct&tcp_user_timeout=0&passfile=p&keepalives=1",
            "postgres://h?sslmode=require&sslnegotiation=direct&passfile=p&keepalives=1&tcp_user_timeout=0",
        ),
    ] {
        let url = parse(written);
        assert_eq!(url.to_string(), shown);
        assert!(!format!("{url:?} {:?}", url.hosts()).contains("secret"));
        assert_eq!(parse(shown).to_string(), shown);
        let without = parse(shown);
        let is_same = |(a, b): (&OneHost, &OneHost)| (&a.name, a.port) == (&b.name, b.port);
        assert!(url.hosts.len() == without.hosts.len() && url.hosts.iter().zip(&without.hosts).all(is_same));
        assert!(url.parameters == without.parameters && url.tls == without.tls, "{shown}");
    }
}

type OneHost = super::Host;

/// A home folder with a file of passwords.
fn home(mode: u32) -> (tempfile::TempDir, Surroundings) {
    let folder = tempfile::tempdir().unwrap();
    let passfile = folder.path().join(".pgpass");
    std::fs::write(&passfile, "a:*:*:ann:of-a\nb:*:*:ann:of-b\n").unwrap();
    std::fs::set_permissions(passfile, std::fs::Permissions::from_mode(mode)).unwrap();
    let home = Some(folder.path().to_owned());
    (folder, Surroundings { user: Some("ann".into()), home, ..Surroundings::default() })
}

fn passwords(url: &PostgresUrl) -> Vec<String> {
    let text = |config: &Config| String::from_utf8_lossy(config.get_password().unwrap_or(b"-")).into_owned();
    url.hosts().iter().map(text).collect()
}

#[test]
fn what_is_missing_comes_from_the_surroundings() {
    let (folder, surroundings) = home(0o600);
    let url = parse("postgres://a,b,c").within(&surroundings).unwrap();
    assert_eq!(passwords(&url), ["of-a", "of-b", "-"]);
    assert_eq!((url.user.as_deref(), url.database.as_deref()), (Some("ann"), Some("ann")));
    let url = parse("postgres://bob:mine@a/db").within(&surroundings).unwrap();
    assert_eq!(passwords(&url), ["mine"]);
    assert_eq!((url.user.as_deref(), url.database.as_deref()), (Some("bob"), Some("db")));
    let set = Surroundings { password: Some("set".into()), ..surroundings.clone() };
    assert_eq!(passwords(&parse("postgres://a,b").within(&set).unwrap()), ["set", "set"]);
    assert!(!format!("{set:?}").contains("\"set\""));
    let elsewhere = Surroundings { passfile: Some(folder.path().join("none")), ..surroundings };
    let error = parse("postgres://a").within(&elsewhere).unwrap_err().to_string();
    assert!(error.contains("none cannot be read"), "{error}");
    assert_eq!(parse("postgres://a:1").within(&Surroundings::default()).unwrap().user, None);
}

#[test]
fn a_file_of_passwords_must_be_private() {
    let (_folder, surroundings) = home(0o640);
    let error = parse("postgres://a").within(&surroundings).unwrap_err();
    assert!(matches!(error, AddressError::OpenPassfile(_)), "{error}");
    assert!(parse("postgres://c").within(&surroundings).is_ok());
}

#[test]
fn certificates_are_found_in_the_home_folder() {
    let (folder, surroundings) = home(0o600);
    let store = folder.path().join(".postgresql");
    std::fs::create_dir(&store).unwrap();
    for file in ["root.crt", "postgresql.crt", "postgresql.key"] {
        std::fs::write(store.join(file), "").unwrap();
    }
    let tls = |text: &str| parse(text).within(&surroundings).unwrap().tls().clone();
    let found = tls("postgres://c");
    assert_eq!(found.roots, super::super::tls::Roots::File(store.join("root.crt")));
    assert_eq!(found.identity, Some((store.join("postgresql.crt"), store.join("postgresql.key"))));
    let named = tls("postgres://c?sslrootcert=x&sslcert=y&sslkey=z");
    assert_eq!(named.identity, Some((PathBuf::from("y"), PathBuf::from("z"))));
    assert_eq!(named.roots, super::super::tls::Roots::File("x".into()));
}
