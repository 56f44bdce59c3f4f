//! The house number in the first line of an address.

/// The number of a house and the street without it.
///
/// `45 quai de Valmy`, `12 bis quai de Valmy`, `12bis …`, else `Hauptstraße 5`. It is a guess; but what carnet writes,
/// a number and one space before the street, is read exactly.
pub fn split_street(text: &str) -> Option<(i64, &str)> {
    leading(text).or_else(|| trailing(text))
}

fn leading(text: &str) -> Option<(i64, &str)> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let behind = digits.trim_start_matches(|character: char| character.is_ascii_digit());
    let number = text[..text.len() - behind.len()].parse().ok()?;
    let rest = behind.strip_prefix(',').unwrap_or(behind);
    if rest.is_empty() {
        return Some((number, rest));
    }
    if let Some(street) = rest.strip_prefix(' ') {
        return Some((number, street));
    }
    // `5th Avenue` has no number, `12bis quai de Valmy` has one.
    let word: String = behind.chars().take_while(|character| character.is_alphabetic()).collect();
    let is_ordinal = ["st", "nd", "rd", "th"].iter().any(|ending| word.eq_ignore_ascii_case(ending));
    (!word.is_empty() && !is_ordinal && number >= 0).then_some((number, behind))
}

fn trailing(text: &str) -> Option<(i64, &str)> {
    let (street, number) = text.rsplit_once(' ')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let street = street.strip_suffix(',').unwrap_or(street);
    is_number.then(|| number.parse().ok()).flatten().map(|number| (number, street))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_found_at_the_beginning_else_at_the_end() {
        for (text, number, street) in [
            ("45 quai de Valmy", 45, "quai de Valmy"),
            ("12 bis quai de Valmy", 12, "bis quai de Valmy"),
            ("12bis quai de Valmy", 12, "bis quai de Valmy"),
            ("12, quai de Valmy", 12, "quai de Valmy"),
            ("1600 Pennsylvania Ave NW\nBox 2", 1600, "Pennsylvania Ave NW\nBox 2"),
            ("Hauptstraße 5", 5, "Hauptstraße"),
            ("Hauptstraße, 5", 5, "Hauptstraße"),
            ("5th Avenue 350", 350, "5th Avenue"),
            ("10 Rue du 8 Mai 1945", 10, "Rue du 8 Mai 1945"),
            ("007 Lane", 7, "Lane"),
            ("7", 7, ""),
            ("-9223372036854775808  x", i64::MIN, " x"),
        ] {
            assert_eq!(split_street(text), Some((number, street)), "{text}");
        }
        for text in
            ["", "quai de Valmy", "5th Avenue", "Hauptstraße 5a", "12-14 Main", "-", "99999999999999999999 x"]
        {
            assert_eq!(split_street(text), None, "{text}");
        }
    }
}
