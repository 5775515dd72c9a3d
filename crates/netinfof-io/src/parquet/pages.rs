//! Pages of a Parquet file, whose declared sizes are checked before decoding.

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result as Decoded};

/// Pages of a column, checked before decoding: the library allocates memory for the declared number of
/// values, and panics if a text is longer than its page.
pub(super) struct CheckedPages {
    pub(super) pages: Box<dyn PageReader>,
    pub(super) optional: bool,
    pub(super) texts: bool,
}

impl CheckedPages {
    pub(super) fn check(&self, page: &Page) -> Decoded<()> {
        let sound = match page {
            Page::DictionaryPage { buf, num_values, .. } => {
                *num_values as usize <= buf.len() && (!self.texts || texts_fit(buf, *num_values))
            }
            Page::DataPage { buf, num_values, encoding, .. } => {
                // The levels come first, with their length.
                let size =
                    |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
                let levels = if self.optional { buf.get(..4).map(|bytes| 4 + size(bytes)) } else { Some(0) };
                levels.is_some_and(|levels| {
                    self.values_fit(*encoding, buf.get(levels.min(4)..levels), buf.get(levels..), *num_values)
                })
            }
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                def_levels_byte_len,
                rep_levels_byte_len,
                num_nulls,
                ..
            } => {
                let start = *rep_levels_byte_len as usize;
                let end = *def_levels_byte_len as usize + start;
                num_nulls <= num_values
                    && self.values_fit(*encoding, buf.get(start..end), buf.get(end..), *num_values)
            }
        };
        if sound { Ok(()) } else { Err(ParquetError::General("a page claims more than it holds".into())) }
    }

    /// Whether the declared number of values is possible.
    pub(super) fn values_fit(
        &self,
        encoding: Encoding,
        levels: Option<&[u8]>,
        values: Option<&[u8]>,
        count: u32,
    ) -> bool {
        let (Some(levels), Some(values)) = (levels, values) else { return false };
        if !lengths_fit(encoding, values, count) {
            return false;
        }
        if !self.texts || encoding != Encoding::PLAIN {
            return true;
        }
        let present = if self.optional { present(levels, count) } else { Some(count) };
        present.is_some_and(|present| texts_fit(values, present))
    }
}

/// Whether this many length-prefixed texts fit in a page.
pub(super) fn texts_fit(mut page: &[u8], count: u32) -> bool {
    (0..count).all(|_| {
        let Some((size, rest)) = page.split_first_chunk::<4>() else { return false };
        let rest = rest.get(u32::from_le_bytes(*size) as usize..);
        page = rest.unwrap_or_default();
        rest.is_some()
    })
}

/// The number of rows of a page with a value: one-bit levels, in runs and in groups of eight.
pub(super) fn present(mut levels: &[u8], count: u32) -> Option<u32> {
    let (mut left, mut present) = (count, 0);
    while left > 0 {
        let mut head = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = levels.split_first()?;
            levels = rest;
            head |= u64::from(byte & 127) << shift;
            if byte < 128 {
                break;
            }
        }
        let size = usize::try_from(head >> 1).ok()?;
        if head & 1 == 0 {
            let (&value, rest) = levels.split_first()?;
            levels = rest;
            let run = u32::try_from(size).unwrap_or(u32::MAX).min(left);
            // An empty run would not advance.
            if run == 0 {
                return None;
            }
            present += if value == 0 { 0 } else { run };
            left -= run;
            continue;
        }
        // The last group may be incomplete.
        for &byte in levels.get(..size.min(levels.len()))? {
            let bits = left.min(8);
            present += (u32::from(byte) & ((1 << bits) - 1)).count_ones();
            left -= bits;
        }
        if size == 0 || size > levels.len() && left > 0 {
            return None;
        }
        levels = &levels[size.min(levels.len())..];
    }
    Some(present)
}

/// Delta-encoded texts follow a list of their lengths with its count; there are two such lists if texts share
/// prefixes.
pub(super) fn lengths_fit(encoding: Encoding, values: &[u8], count: u32) -> bool {
    if !matches!(encoding, Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY) {
        return true;
    }
    // Block size, blocks in it, number of values.
    let mut numbers = [0u64; 3];
    let mut bytes = values.iter();
    for number in &mut numbers {
        for shift in (0..64).step_by(7) {
            let Some(&byte) = bytes.next() else { return false };
            *number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                break;
            }
        }
    }
    numbers[2] <= u64::from(count)
}

impl Iterator for CheckedPages {
    type Item = Decoded<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Decoded<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page {
            self.check(page)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Decoded<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Decoded<()> {
        self.pages.skip_next_page()
    }
}

#[cfg(test)]
mod tests;
