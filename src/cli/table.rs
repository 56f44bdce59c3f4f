//! A table for a terminal: columns as wide as what is in them.

use annotate_snippets::normalize_untrusted_str;

/// The head and the rows, each with as many cells. What another tool has put into the store cannot steer the terminal.
pub(super) fn write(head: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| normalize_untrusted_str(cell)).collect()).collect();
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let all = || std::iter::once(&head).chain(&rows);
    let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let lines = all().map(|row| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_wide_as_what_is_in_it_and_steers_no_terminal() {
        let rows = [["a\u{1b}[31m", "1"], ["bé", "22"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(write(&["NAME", "N"], &rows), "NAME    N\na␛[31m  1\nbé      22\n");
    }
}
