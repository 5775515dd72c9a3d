//! Numbers that stand for a missing value, such as -999 or 9999.

use netinfof::graph::{FeatureColumn, FeatureKind};

/// A number that stands, or may stand, for a missing value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sentinel {
    /// The number.
    pub(crate) value: i64,
    /// Number of rows that hold it.
    pub(crate) rows: usize,
    /// Whether it is so far from all other values that it is no value of the column.
    pub(crate) is_certain: bool,
}

/// A column has at most this many such numbers: surveys have one for each reason.
const MOST: usize = 4;
/// Minimum distance from the other values, as a multiple of their range.
const FAR: f64 = 10.0;
/// The same for the only negative number of a column.
const FAR_BELOW_ZERO: f64 = 2.0;

/// The numbers of a column that stand for missing values, and those that may.
///
/// Such a number consists of nines only and is the smallest or the largest of its column. It is certain if it has at
/// least three digits (two if it is the only negative number), if it is repeated, if the column has at least two other
/// values, and if it is far outside of them: by ten times their range, or twice if it is the only negative number.
pub(crate) fn sentinels(values: &[f64]) -> Vec<Sentinel> {
    let mut found: Vec<Sentinel> = Vec::new();
    while found.len() < MOST {
        let rest = |value: &f64| !value.is_nan() && found.iter().all(|own| own.value as f64 != *value);
        let known = || values.iter().copied().filter(rest);
        let low = known().fold(f64::INFINITY, f64::min);
        let high = known().fold(f64::NEG_INFINITY, f64::max);
        let ends: Vec<Sentinel> =
            [low, high].into_iter().filter_map(|value| judged(value, known())).collect();
        let Some(&own) = ends.iter().find(|own| own.is_certain).or(ends.first()) else { break };
        found.push(own);
        // What is beyond a doubtful number is doubtful, too.
        if !own.is_certain {
            break;
        }
    }
    found
}

/// Whether the smallest or largest of these values stands for a missing one.
fn judged(value: f64, known: impl Iterator<Item = f64>) -> Option<Sentinel> {
    let digits = nines(value)?;
    let (mut rows, mut low, mut high) = (0, f64::INFINITY, f64::NEG_INFINITY);
    for other in known {
        // Another number of this kind stands for another reason.
        let alike = other.signum() == value.signum() && nines(other).is_some_and(|digits| digits >= 2);
        if other == value {
            rows += 1;
        } else if !alike {
            (low, high) = (low.min(other), high.max(other));
        }
    }
    let range = high - low;
    if range.is_nan() || range < 0.0 {
        return None;
    }
    let gap = if value < low { low - value } else { value - high };
    let only_negative = value < 0.0 && low >= 0.0;
    let (far, fewest_digits) = if only_negative { (FAR_BELOW_ZERO, 2) } else { (FAR, 3) };
    let is_far = gap >= far * range;
    let is_certain = digits >= fewest_digits && rows >= 2 && range > 0.0 && is_far;
    let is_odd = (only_negative || digits >= 2 && gap >= range) && (rows >= 2 || digits >= 3 && is_far);
    (is_certain || is_odd && range > 0.0).then_some(Sentinel { value: value as i64, rows, is_certain })
}

/// The number of digits of a whole number of nines.
fn nines(value: f64) -> Option<u32> {
    (1..=10).find(|&digits| value.abs() == 10f64.powi(digits as i32) - 1.0)
}

/// What is said about such numbers of several columns.
#[derive(Default)]
pub(super) struct SentinelNotes {
    certain: Vec<String>,
    doubtful: Vec<String>,
}

impl SentinelNotes {
    /// Makes the numbers that stand for missing values missing, and returns them: those of the model, otherwise those
    /// that are certain. Of a column that was asked for as numbers, none does.
    pub(super) fn take_out(
        &mut self,
        column: &str,
        values: &mut [f64],
        kind: Option<FeatureKind>,
        like: Option<&FeatureColumn>,
        numeric: bool,
    ) -> Vec<i64> {
        let mut codes = Vec::new();
        if let Some(own) = like {
            codes.clone_from(&own.missing_codes);
        } else if !numeric && matches!(kind, None | Some(FeatureKind::Number)) {
            for own in sentinels(values) {
                self.add(column, own);
                if own.is_certain {
                    codes.push(own.value);
                }
            }
        }
        for value in values.iter_mut().filter(|value| codes.iter().any(|&code| code as f64 == **value)) {
            *value = f64::NAN;
        }
        codes
    }

    fn add(&mut self, column: &str, own: Sentinel) {
        let rows = if own.rows == 1 { "1 row".into() } else { format!("{} rows", own.rows) };
        let list = if own.is_certain { &mut self.certain } else { &mut self.doubtful };
        list.push(format!("{} in {rows} of `{column}`", own.value));
    }

    pub(super) fn notices(self) -> impl Iterator<Item = String> {
        let shown = |list: &[String]| {
            let more = list.len().saturating_sub(6);
            let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
            list[..list.len() - more].join(", ") + &rest
        };
        let certain = (!self.certain.is_empty()).then(|| {
            format!(
                "these numbers count as missing values: {}; give a column as `numeric` to keep them",
                shown(&self.certain)
            )
        });
        let doubtful = (!self.doubtful.is_empty()).then(|| {
            format!(
                "these numbers may stand for missing values, but are used as numbers: {}; leave such cells empty if they do",
                shown(&self.doubtful)
            )
        });
        certain.into_iter().chain(doubtful)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten values from `low` in steps, and the number in so many rows.
    fn column(low: f64, step: f64, value: f64, rows: usize) -> Vec<f64> {
        (0..10).map(|at| low + step * f64::from(at)).chain(std::iter::repeat_n(value, rows)).collect()
    }

    fn kinds(values: &[f64]) -> Vec<(i64, bool)> {
        sentinels(values).into_iter().map(|own| (own.value, own.is_certain)).collect()
    }

    #[test]
    fn numbers_far_outside_are_missing_values() {
        assert_eq!(kinds(&column(10.0, 0.5, -999.0, 2)), [(-999, true)]);
        assert_eq!(kinds(&column(-40.0, 9.0, -999.0, 3)), [(-999, true)]);
        assert_eq!(kinds(&column(20.0, 4.0, 9999.0, 3)), [(9999, true)]);
        assert_eq!(kinds(&column(1.0, 0.5, -99.0, 3)), [(-99, true)]);
        // One for each reason, below and above.
        let both = [column(0.0, 1.0, -99.0, 2), vec![-999.0; 2], vec![99_999.0; 2], vec![f64::NAN]].concat();
        assert_eq!(kinds(&both), [(99_999, true), (-999, true), (-99, true)]);
    }

    #[test]
    fn numbers_in_doubt_are_used_and_said() {
        // Once, with two digits, near the others, one other value.
        assert_eq!(kinds(&column(10.0, 0.5, -999.0, 1)), [(-999, false)]);
        assert_eq!(kinds(&column(1.0, 0.5, 99.0, 2)), [(99, false)]);
        assert_eq!(kinds(&column(0.0, 40.0, 999.0, 2)), [(999, false)]);
        assert_eq!(kinds(&column(0.0, 50_000.0, -999.0, 5)), [(-999, false)]);
        assert_eq!(kinds(&column(1.0, 0.5, -9.0, 2)), [(-9, false)]);
    }

    #[test]
    fn other_numbers_are_not_mentioned() {
        for values in [
            column(0.0, 1.0, -1.0, 5),
            column(0.0, 111.0, 999.0, 5),
            column(900.0, 11.0, 999.0, 5),
            column(-2000.0, 100.0, -999.0, 5),
            column(0.0, 1.0, -998.0, 5),
            column(0.0, 1.0, 9.0, 5),
            column(0.0, 0.0, 999.0, 5),
            vec![-999.0; 4],
            vec![f64::NAN; 3],
            Vec::new(),
        ] {
            assert_eq!(kinds(&values), [], "{values:?}");
        }
    }
}
