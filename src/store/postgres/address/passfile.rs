//! A file of passwords, as libpq reads it: lines of `host:port:database:user:password`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::error::AddressError;

/// Folders of sockets that libpq was built to look in: in the file they are called `localhost`.
const SOCKET_FOLDERS: [&str; 3] = ["/var/run/postgresql", "/run/postgresql", "/tmp"];

pub(super) struct Passfile {
    path: PathBuf,
    text: String,
    is_private: bool,
}

pub(super) fn read(path: &Path) -> Result<Passfile, AddressError> {
    let contents = || {
        let text = std::fs::read_to_string(path)?;
        Ok((text, std::fs::metadata(path)?.permissions().mode()))
    };
    let (text, mode) = contents().map_err(|error: std::io::Error| {
        let cause = error.to_string();
        AddressError::Passfile { path: path.to_owned(), cause }
    })?;
    Ok(Passfile { path: path.to_owned(), text, is_private: mode & 0o077 == 0 })
}

impl Passfile {
    /// The password of the first line that fits. A file that others can read is refused where it matters.
    pub(super) fn password(
        &self,
        host: &str,
        port: u16,
        database: &str,
        user: &str,
    ) -> Result<Option<String>, AddressError> {
        let port = port.to_string();
        let is_host = |pattern: &str| {
            fits(pattern, host) || SOCKET_FOLDERS.contains(&host) && fits(pattern, "localhost")
        };
        let lines = self.text.lines().filter(|line| !line.starts_with('#'));
        let mut passwords = lines.filter_map(|line| {
            let [of_host, of_port, of_database, of_user, password] = fields(line)?;
            let all = is_host(of_host)
                && fits(of_port, &port)
                && fits(of_database, database)
                && fits(of_user, user);
            all.then(|| plain(password))
        });
        match passwords.next().filter(|password| !password.is_empty()) {
            Some(_) if !self.is_private => Err(AddressError::OpenPassfile(self.path.clone())),
            found => Ok(found),
        }
    }
}

/// Splits at the first four colons that no backslash stands before.
fn fields(line: &str) -> Option<[&str; 5]> {
    let mut fields = [""; 5];
    let mut rest = line;
    for field in fields.iter_mut().take(4) {
        let mut is_escaped = false;
        let end = rest.bytes().position(|byte| {
            let ends = byte == b':' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            ends
        })?;
        (*field, rest) = (&rest[..end], &rest[end + 1..]);
    }
    fields[4] = rest;
    Some(fields)
}

fn fits(pattern: &str, value: &str) -> bool {
    pattern == "*" || plain(pattern) == value
}

/// A field without the backslashes that escape.
fn plain(field: &str) -> String {
    let mut letters = field.chars();
    let mut plain = String::with_capacity(field.len());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.extend(letters.next()),
            letter => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Passfile {
        Passfile { path: "pgpass".into(), text: text.to_owned(), is_private: true }
    }

    #[test]
    fn the_first_line_that_fits_counts() {
        let file = file(
            "# a:1:b:c:comment\nshort:line\nhost:1:db:ann:first\n*:*:db:ann:any\\:one\\\\\nlocalhost:*:*:bob:so:cket\n\\:\\:1:*:*:*:six",
        );
        let ask = |host, port, database, user| file.password(host, port, database, user).unwrap();
        assert_eq!(ask("host", 1, "db", "ann").as_deref(), Some("first"));
        assert_eq!(ask("host", 2, "db", "ann").as_deref(), Some("any:one\\"));
        assert_eq!(ask("/run/postgresql", 5432, "x", "bob").as_deref(), Some("so:cket"));
        assert_eq!(ask("::1", 5432, "x", "eve").as_deref(), Some("six"));
        assert_eq!(ask("host", 1, "other", "ann"), None);
    }

    #[test]
    fn a_file_that_others_can_read_is_refused_where_it_would_be_used() {
        let file = Passfile { is_private: false, ..file("host:*:*:*:secret") };
        assert_eq!(file.password("else", 1, "db", "ann"), Ok(None));
        let error = file.password("host", 1, "db", "ann").unwrap_err().to_string();
        assert!(error.contains("chmod 0600 pgpass") && !error.contains("secret"), "{error}");
    }
}
