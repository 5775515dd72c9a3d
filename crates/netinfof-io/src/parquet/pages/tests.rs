//! Unit tests, compiled under `#[cfg(test)]` alone.

use super::*;

#[test]
fn texts_are_checked_against_their_page() {
    let page = [&3u32.to_le_bytes()[..], b"abc", &0u32.to_le_bytes()].concat();
    assert!(texts_fit(&page, 2) && texts_fit(&page, 1) && texts_fit(&[], 0));
    assert!(!texts_fit(&page, 3) && !texts_fit(&page[..6], 1) && !texts_fit(&page[..2], 1));
}

#[test]
fn rows_with_a_value_are_counted() {
    // A run of five, and groups of eight, the last one incomplete.
    assert_eq!(present(&[10, 1], 5), Some(5));
    assert_eq!(present(&[10, 0], 5), Some(0));
    assert_eq!(present(&[5, 0b1010_1010, 0b0000_0111], 10), Some(6));
    assert_eq!(present(&[4, 1, 3, 0b0000_0001], 4), Some(3));
    for broken in [&[][..], &[10], &[0, 1], &[1], &[128]] {
        assert_eq!(present(broken, 5), None, "{broken:?}");
    }
}
