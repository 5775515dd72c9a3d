//! Lines of plain numbers: their format, and the numbers of a block of lines.

use std::io::{BufRead as _, Read as _};
use std::path::Path;

use crate::load::layout::known_ends;
use crate::table::opened;
use netinfof::graph::NodeId;
use netinfof::{Error, Result};

/// The format of the lines of a list.
pub(super) struct Shape {
    /// A comma, a tab, a semicolon, or a space, which means any white space.
    delimiter: u8,
    pub(super) columns: usize,
    /// Whether the first line names the columns.
    pub(super) header: bool,
}

impl Shape {
    /// The format of a list of plain numbers; `None` if it begins differently.
    pub(super) fn of(path: &Path) -> Result<Option<Self>> {
        let (mut reader, _) = opened(path)?;
        let (mut header, mut comments) = (false, 0);
        let mut line = Vec::new();
        loop {
            line.clear();
            // Longer lines are not edges; a byte-order mark or an unusual character is left to the general
            // reader.
            let read =
                (&mut reader).take(1 << 16).read_until(b'\n', &mut line).map_err(|e| Error::io(path, e))?;
            if read == 0 || read == 1 << 16 || !line.is_ascii() {
                return Ok(None);
            }
            if skipped(&line) {
                comments += usize::from(could_be_row(&line));
                continue;
            }
            // The general reader decides whether these are rows.
            if comments > 1 {
                return Ok(None);
            }
            let text = String::from_utf8_lossy(&line).trim().to_string();
            let delimiter =
                [b',', b'\t', b';'].into_iter().find(|d| text.as_bytes().contains(d)).unwrap_or(b' ');
            let cells: Vec<&str> = match delimiter {
                b' ' => text.split_whitespace().collect(),
                d => text.split(char::from(d)).collect(),
            };
            let shape = Shape { delimiter, columns: cells.len(), header };
            let delimiters = [',', '\t', ';'].into_iter().filter(|&d| text.contains(d)).count();
            if cells.len() < 2 || text.contains('"') || delimiters > 1 {
                return Ok(None);
            }
            if shape.parse(&line, |_, _| ()).is_some() {
                return Ok(Some(shape));
            }
            // Words above numbers are a header, if no word is a number and the ids are below the first two.
            let names: Vec<String> = cells.iter().map(|cell| cell.trim().to_string()).collect();
            let elsewhere = known_ends(&names).is_some_and(|columns| columns != [0, 1]);
            if header || elsewhere || names.iter().any(|name| name.parse::<f64>().is_ok()) {
                return Ok(None);
            }
            header = true;
        }
    }

    /// Passes every edge of a block of whole lines; `None` if a line has another format.
    pub(super) fn parse(&self, block: &[u8], mut each: impl FnMut(NodeId, NodeId)) -> Option<()> {
        let mut rest = block;
        while !rest.is_empty() {
            if let Some((i, j, after)) = self.plain(rest) {
                each(i, j);
                rest = &rest[after..];
                continue;
            }
            let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            let (line, after) = (&rest[..end], &rest[(end + 1).min(rest.len())..]);
            rest = after;
            let (i, tail) = number(self.blank(line));
            let Some(i) = i else {
                if skipped(line) && !could_be_row(line) {
                    continue;
                }
                return None;
            };
            let (j, mut tail) = number(self.next(tail)?);
            let j = j?;
            let mut columns = 2;
            // Other columns are only counted.
            while !self.blank(tail).is_empty() {
                let cell = self.next(tail)?;
                let end = cell.iter().position(|&b| self.ends_cell(b)).unwrap_or(cell.len());
                if cell[..end].contains(&b'"') {
                    return None;
                }
                tail = &cell[end..];
                columns += 1;
            }
            if columns != self.columns {
                return None;
            }
            each(i, j);
        }
        Some(())
    }

    /// The edge of the most common kind of line, two short numbers, and the length of the line.
    #[inline]
    fn plain(&self, text: &[u8]) -> Option<(NodeId, NodeId, usize)> {
        let (i, length) = short(text)?;
        if self.columns != 2 || text.get(length) != Some(&self.delimiter) {
            return None;
        }
        let (j, more) = short(&text[length + 1..])?;
        let end = length + 1 + more;
        match text.get(end..)? {
            [b'\n', ..] => Some((i, j, end + 1)),
            [b'\r', b'\n', ..] => Some((i, j, end + 2)),
            _ => None,
        }
    }

    fn ends_cell(&self, byte: u8) -> bool {
        byte == self.delimiter || self.delimiter == b' ' && byte == b'\t'
    }

    /// The text without leading white space, unless white space is the delimiter.
    fn blank<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        let tab = self.delimiter != b'\t';
        let start = text.iter().position(|&b| !(b == b' ' || b == b'\r' || b == b'\t' && tab));
        &text[start.unwrap_or(text.len())..]
    }

    /// The text after the delimiter, which must be here.
    fn next<'a>(&self, text: &'a [u8]) -> Option<&'a [u8]> {
        let after = self.blank(text);
        if self.delimiter == b' ' {
            return (after.len() < text.len()).then_some(after);
        }
        after.strip_prefix(&[self.delimiter]).map(|after| self.blank(after))
    }
}

/// Whether a line is blank or a comment.
pub(super) fn skipped(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'#' | b'%')) || line.iter().all(u8::is_ascii_whitespace)
}

/// Whether a comment may also be a row, such as one of hashtags.
fn could_be_row(comment: &[u8]) -> bool {
    matches!(comment.first(), Some(b'#' | b'%'))
        && comment.get(1).is_some_and(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

/// The number of up to seven digits at the start of the text, and its length: eight bytes at once, without a
/// branch per byte.
#[inline]
fn short(text: &[u8]) -> Option<(NodeId, usize)> {
    let bytes = u64::from_le_bytes(*text.first_chunk::<8>()?);
    // Digits become 0 to 9; the lowest larger byte ends the number (carries into higher bytes do not matter).
    let digits = bytes ^ 0x3030_3030_3030_3030;
    let other = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
    let length = other.trailing_zeros() as usize / 8;
    if !(1..8).contains(&length) || length > 1 && text[0] == b'0' {
        return None;
    }
    // Leading zeros are shifted in; then pairs of digits, pairs of pairs, and their pairs are combined.
    let digits = digits << (64 - 8 * length);
    let pairs = digits.wrapping_mul((10 << 8) + 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul((100 << 16) + 1) >> 16 & 0x0000_ffff_0000_ffff;
    let value = fours.wrapping_mul((10_000 << 32) + 1) >> 32;
    Some((value as NodeId, length))
}

/// The number at the start of the text, and the rest. Plain notation only: no sign, no leading zeros.
fn number(text: &[u8]) -> (Option<NodeId>, &[u8]) {
    let mut value = 0u64;
    let mut length = 0;
    while let Some(digit) = text.get(length).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        value = value * 10 + u64::from(digit);
        length += 1;
        if length > 10 {
            return (None, text);
        }
    }
    let plain = length > 0 && (length == 1 || text[0] != b'0');
    (plain.then(|| NodeId::try_from(value).ok()).flatten(), &text[length..])
}
