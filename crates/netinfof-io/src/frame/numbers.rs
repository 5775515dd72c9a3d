//! Columns of numbers in single precision.

use netinfof::graph::{FeatureColumn, FeatureKind};

use super::cells::days_of_date;
use super::{ColumnFault, Encoded};

/// A column of numbers in single precision.
pub(super) fn numbers(
    name: &str,
    values: Vec<f64>,
    kind: Option<FeatureKind>,
    notices: &mut Vec<String>,
) -> Result<Encoded, ColumnFault> {
    const EXACT: f64 = crate::whole::EXACT_SINGLE;
    if let Some(row) = values.iter().position(|value| (*value as f32).is_infinite()) {
        let value = values[row];
        let what = if value.is_infinite() {
            format!("`{value}` is not a finite number; a missing value is an empty cell")
        } else {
            format!("`{value:e}` is beyond single precision")
        };
        return Err(ColumnFault { what: format!("column `{name}`: {what}"), row: Some(row) });
    }
    let rounded = values.iter().find(|&&value| value.abs() >= EXACT && f64::from(value as f32) != value);
    if let Some(value) = rounded {
        let becomes = f64::from(*value as f32);
        let way = if values.iter().all(|value| value.is_nan() || is_day(*value)) {
            "they look like dates: write them as 2020-01-31"
        } else {
            "subtract or divide by a constant"
        };
        notices.push(format!(
            "column `{name}`: features have single precision, so {value} becomes {becomes}; {way}"
        ));
    }
    let binary = values.iter().all(|value| value.is_nan() || *value == 0.0 || *value == 1.0);
    let kind = match kind {
        Some(FeatureKind::Date) => FeatureKind::Date,
        _ if binary => FeatureKind::Boolean,
        _ => FeatureKind::Number,
    };
    let values = values.into_iter().map(|value| value as f32).collect();
    Ok(Encoded { column: FeatureColumn::new(name, kind), values })
}

/// Whether a number is written like a date, such as 20200131.
fn is_day(value: f64) -> bool {
    let number = value as u64;
    (19_000_101.0..21_000_101.0).contains(&value)
        && days_of_date(&format!("{}-{:02}-{:02}", number / 10_000, number / 100 % 100, number % 100))
            .is_some()
}
