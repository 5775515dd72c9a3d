//! Cells of a line of a text, with quotes, and lines that may be comments or rows.

/// Whether a line that begins with `#` or `%` may also be a row, such as one of hashtags. Comments have a space
/// after the sign, or repeat it.
pub(super) fn could_be_row(text: &str) -> bool {
    text[1..].starts_with(char::is_alphanumeric)
}

/// The error for such a line.
pub(super) fn unclear_row(text: &str) -> String {
    let sign = &text[..1];
    format!(
        "begins with `{sign}` and has as many cells as a row; put a space after `{sign}` if it is a comment, or the cell in double quotes if it is a row"
    )
}

/// Number of cells of a line.
pub(super) fn cells_in(text: &str, delimiter: char) -> usize {
    unquoted(text, delimiter).iter().flatten().count()
}

/// Splits a line in which a cell that begins with a double quote may contain the delimiter; a doubled quote
/// means a quote. A space as delimiter means any white space. `None` if a quote is not closed.
pub(super) fn unquoted(text: &str, delimiter: char) -> Option<Vec<String>> {
    let spaces = delimiter == ' ';
    let ends_cell = |c: char| if spaces { c.is_whitespace() } else { c == delimiter };
    let mut cells = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() && (spaces || c != delimiter));
        if spaces && rest.is_empty() {
            return Some(cells);
        }
        let mut cell = String::new();
        if let Some(mut inside) = rest.strip_prefix('"') {
            rest = loop {
                let end = inside.find('"')?;
                cell.push_str(&inside[..end]);
                match inside[end + 1..].strip_prefix('"') {
                    Some(more) => inside = more,
                    None => break &inside[end + 1..],
                }
                cell.push('"');
            };
        }
        let end = rest.find(ends_cell);
        cell.push_str(&rest[..end.unwrap_or(rest.len())]);
        cells.push(cell.trim().to_string());
        match end {
            Some(end) => rest = &rest[end + delimiter_length(rest, end)..],
            None => return Some(cells),
        }
    }
}

/// The bytes of the character at this position.
fn delimiter_length(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}
