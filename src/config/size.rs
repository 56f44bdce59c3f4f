//! Sizes in bytes, as a person writes them: `1048576`, `"64KiB"`, `"1MiB"`.

/// The units, largest first.
const UNITS: [(&str, usize); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

/// How many bytes a text means; `None` when it is no size, or one that no memory could hold.
pub(super) fn parse(text: &str) -> Option<usize> {
    let text = text.trim();
    let (digits, bytes) = UNITS
        .iter()
        .find_map(|(unit, bytes)| Some((text.strip_suffix(unit)?.trim_end(), *bytes)))
        .unwrap_or((text, 1));
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<usize>().ok()?.checked_mul(bytes)
}

/// The shortest way to write a size, as a value of TOML.
pub(super) fn write(size: usize) -> String {
    UNITS
        .iter()
        .find(|(unit, bytes)| *unit != "B" && size > 0 && size.is_multiple_of(*bytes))
        .map_or_else(|| size.to_string(), |(unit, bytes)| format!("\"{}{unit}\"", size / bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_unit_or_is_in_bytes() {
        for (text, size) in [
            ("1048576", Some(1 << 20)),
            ("1MiB", Some(1 << 20)),
            ("1 KiB", Some(1024)),
            ("2GiB", Some(2 << 30)),
            ("7B", Some(7)),
            ("1MB", None),
            ("1.5MiB", None),
            ("-1", None),
            ("+1", None),
            ("MiB", None),
            ("99999999999999GiB", None),
        ] {
            assert_eq!(parse(text), size, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for size in [1, 1000, 1024, 1025, 1 << 20, 3 << 20, 1 << 30] {
            assert_eq!(parse(write(size).trim_matches('"')), Some(size));
        }
        assert_eq!(write(1 << 20), "\"1MiB\"");
        assert_eq!(write(1000), "1000");
    }
}
