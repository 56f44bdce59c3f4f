//! Passwords in the text of a configuration, which is quoted where something is wrong with it.
//!
//! The text may be anything, also broken TOML, so this goes line by line and would rather blot out too much.

/// The text with every password of a URL starred out, byte for byte, so that spans still fit.
pub(crate) fn without_passwords(text: &str) -> String {
    let mut blotted = text.as_bytes().to_vec();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = line.trim_end().len();
        of_users(&line[..end], &mut blotted[start..start + end]);
        of_parameters(&line[..end], &mut blotted[start..start + end]);
        start += line.len();
    }
    // Only whole letters were replaced, each byte of them by a star.
    String::from_utf8(blotted).unwrap_or_default()
}

/// What stands between the user and the host of `scheme://user:password@host`.
fn of_users(line: &str, blotted: &mut [u8]) {
    let mut from = 0;
    while let Some((found, is_postgres)) = next_url(line, from) {
        let rest = &line[found..];
        let quote = rest.find(|letter: char| letter.is_whitespace() || letter == '"' || letter == '\'');
        // A password may hold a quote or a slash that should have been escaped: the last @ of the line counts.
        let end = if is_postgres { rest.len() } else { quote.unwrap_or(rest.len()) };
        let at = rest[..end].rfind('@');
        match (at, rest[..at.unwrap_or(0)].find(':')) {
            (Some(at), Some(colon)) => blotted[found + colon + 1..found + at].fill(b'*'),
            // The host was forgotten: the password stands where a port would.
            (None, _) if is_postgres => {
                let end = rest.find(['/', '?', '"', '\'', ' ', ',', '[']).unwrap_or(rest.len());
                let colon = rest[..end].find(':').map_or(end, |colon| colon + 1);
                let is_port = rest[colon..end].bytes().all(|byte| byte.is_ascii_digit());
                if !is_port {
                    let end = quote.unwrap_or(rest.len()).max(end);
                    blotted[found + colon..found + end].fill(b'*');
                }
            }
            _ => {}
        }
        from = found;
    }
}

/// Where the next URL goes on after its scheme, and whether it is one of PostgreSQL.
fn next_url(line: &str, from: usize) -> Option<(usize, bool)> {
    let slashes = line[from..].find("://").map(|at| (from + at, from + at + "://".len()));
    let bare = ["postgres:", "postgresql:"].iter().filter_map(|scheme| {
        let at = from + line[from..].find(scheme)? + scheme.len();
        Some((at - 1, at))
    });
    let (colon, after) = bare.chain(slashes).min_by_key(|(colon, after)| (*colon, usize::MAX - after))?;
    Some((after, line[..colon].ends_with("postgres") || line[..colon].ends_with("postgresql")))
}

/// What stands after `password=`.
fn of_parameters(line: &str, blotted: &mut [u8]) {
    const NAME: &str = "password=";
    let lower = line.to_ascii_lowercase();
    for (at, _) in lower.match_indices(NAME) {
        let start = at + NAME.len();
        let rest = &line[start..];
        let end = rest.find('&').or_else(|| rest.rfind(['"', '\''])).unwrap_or(rest.len());
        blotted[start..start + end].fill(b'*');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_starred_out() {
        for (written, shown) in [
            ("\"postgres://ann:pä:s@s@host/db\"", "\"postgres://ann:*******@host/db\""),
            ("'https://x.org/a:b' # c@d", "'https://x.org/a:b' # c@d"),
            ("'https://ann:pw@x.org' # c@d", "'https://ann:**@x.org' # c@d"),
            ("\"postgres://ann:it's@host/db\"", "\"postgres://ann:****@host/db\""),
            ("\"postgresql://ann:a/b?c@host/db\"", "\"postgresql://ann:*****@host/db\""),
            ("\"postgres:ann:pw@host/db\"", "\"postgres:ann:**@host/db\""),
            ("\"postgres://ann:secret\"", "\"postgres://ann:******\""),
            ("\"postgres://ann:sec/ret?\" # x", "\"postgres://ann:********\" # x"),
            ("\"postgres://host:5432/db\"", "\"postgres://host:5432/db\""),
            ("\"postgres://a:1,b:2/db\"", "\"postgres://a:1,b:2/db\""),
            ("\"postgres://[::1]:5432/db\"", "\"postgres://[::1]:5432/db\""),
            ("\"postgres://ann@host/db\"", "\"postgres://ann@host/db\""),
            ("\"postgres://h/db?password=a\"b&x=y\"", "\"postgres://h/db?password=***&x=y\""),
            ("\"postgres://h/db?password=it's\"", "\"postgres://h/db?password=****\""),
            ("\"host=h password=secret\"", "\"host=h password=******\""),
        ] {
            let text = format!("a = 1\r\ndatabase = {written}\r\n");
            assert_eq!(without_passwords(&text), format!("a = 1\r\ndatabase = {shown}\r\n"));
        }
    }
}
