//! Stored values as cells: texts, decimals and numbers of 16 bits.

use parquet::data_type::{ByteArray, FixedLenByteArray};

use crate::row::Row;

/// A text as a cell, without the white space around it, as in other tables.
pub(super) fn text(bytes: &ByteArray, row: &mut Row) -> bool {
    std::str::from_utf8(bytes.data()).map(|text| row.push_text(text.trim())).is_ok()
}

/// A big-endian number of any length.
pub(super) fn decimal(bytes: &[u8], scale: i32) -> f64 {
    let negative = bytes.first().is_some_and(|&byte| byte > 127);
    let start = if negative { -1.0 } else { 0.0 };
    bytes.iter().fold(start, |value, &byte| value * 256.0 + f64::from(byte)) / 10f64.powi(scale)
}

/// A number of 16 bits.
pub(super) fn half(value: &FixedLenByteArray) -> f64 {
    let &[low, high] = value.data() else { return f64::NAN };
    let bits = u16::from_le_bytes([low, high]);
    let (exponent, digits) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => digits * 2f64.powi(-24),
        31 if digits == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + digits) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}
