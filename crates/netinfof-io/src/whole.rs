//! Whole numbers that are stored or written as floats. They are ids, so inexact ones are refused.

/// The limit below which a 64-bit float holds every whole number.
pub(crate) const EXACT_DOUBLE: f64 = 9_007_199_254_740_992.0;
/// The same for a 32-bit float.
pub(crate) const EXACT_SINGLE: f64 = 16_777_216.0;

/// The id that a float represents, or the reason why it is not an id. `exact` is the limit of the stored
/// type.
pub(crate) fn id(value: f64, exact: f64) -> Result<u64, String> {
    let why = if !value.is_finite() {
        "is not finite".into()
    } else if value.fract() != 0.0 {
        "is not a whole number".into()
    } else if value < 0.0 {
        "is negative".into()
    } else if value >= exact {
        let bits = if exact == EXACT_DOUBLE { 64 } else { 32 };
        format!("is not below {exact}; larger {bits}-bit floats do not hold every whole number")
    } else {
        return Ok(value as u64);
    };
    Err(why)
}

/// The notation of an id in a text.
#[derive(Debug, PartialEq)]
pub(crate) enum Written {
    /// Not as a number.
    Name,
    /// As a whole number: digits with an optional sign.
    Whole,
    /// As a float, such as `4.0` or `1e3`: the id that it represents, or the reason why it is not an id.
    Float(Result<u64, String>),
}

/// The notation of an id.
pub(crate) fn written(cell: &str) -> Written {
    let digits = cell.strip_prefix(['+', '-']).unwrap_or(cell);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Written::Whole;
    }
    // `inf` and `nan` are names here; so is `e5`.
    let plain = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    match cell.parse::<f64>() {
        Ok(value) if plain => Written::Float(id(value, EXACT_DOUBLE)),
        _ => Written::Name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_exact_or_refused() {
        let float = |value: u64| Written::Float(Ok(value));
        for (cell, expected) in [
            ("1.6777217e7", float(16_777_217)),
            ("0.000000e+00", float(0)),
            ("-0.0", float(0)),
            ("4.", float(4)),
            ("9007199254740991.0", float((1 << 53) - 1)),
            ("-12", Written::Whole),
            ("007", Written::Whole),
            ("99999999999999999999", Written::Whole),
        ] {
            assert_eq!(written(cell), expected, "{cell}");
        }
        for (cell, why) in [
            ("1.5", "not a whole number"),
            ("-1.0", "negative"),
            ("9007199254740993.0e1", "not below 9007199254740992"),
            ("1e400", "not finite"),
        ] {
            assert!(matches!(written(cell), Written::Float(Err(what)) if what.contains(why)), "{cell}");
        }
        for name in ["", "-", ".", "e5", "nan", "inf", "1.2.3", "a1", "1e5f", "1-2"] {
            assert_eq!(written(name), Written::Name, "{name}");
        }
        assert!(id(16_777_218.0, EXACT_SINGLE).unwrap_err().contains("32-bit"));
    }
}
