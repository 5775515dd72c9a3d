//! Columns of a table that are read like those of an earlier one, and columns per level.

use netinfof::graph::{FeatureColumn, FeatureKind};

use super::cells::{TextKind, kind_of_texts};
use super::{ColumnFault, ColumnValues, Encoded, FrameColumn, MOST_LEVELS};

/// A column per level of a category.
pub(super) fn by_level(encoded: Encoded) -> Vec<Encoded> {
    if encoded.column.kind != FeatureKind::Category {
        return vec![encoded];
    }
    let Encoded { column, values } = encoded;
    let one = |(at, level): (usize, &String)| Encoded {
        column: FeatureColumn::new(format!("{}={level}", column.name), FeatureKind::Boolean),
        values: values
            .iter()
            .map(|value| if value.is_nan() { f32::NAN } else { f32::from(*value as usize == at) })
            .collect(),
    };
    column.levels.iter().enumerate().map(one).collect()
}

/// The category whose levels are columns of a model, if there are such columns.
pub(super) fn category_of(like: &[FeatureColumn], name: &str) -> Option<FeatureColumn> {
    let levels: Vec<String> = like
        .iter()
        .filter(|own| own.kind == FeatureKind::Boolean && is_level_of(own, name))
        .map(|own| own.name[name.len() + 1..].to_string())
        .collect();
    let mut column = FeatureColumn::new(name, FeatureKind::Category);
    column.has_other = levels.len() == MOST_LEVELS && levels.last().is_some_and(|level| level == "other");
    column.levels = levels;
    (!column.levels.is_empty()).then_some(column)
}

/// Whether a column of a model is one level of this category.
pub(super) fn is_level_of(own: &FeatureColumn, name: &str) -> bool {
    own.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
}

/// Days and plain numbers are different quantities, although both are stored as numbers.
pub(super) fn check_dates(column: &FrameColumn, own: &FeatureColumn) -> Result<(), ColumnFault> {
    let is_date = match &column.values {
        ColumnValues::Numbers(values) if values.iter().all(|value| value.is_nan()) => return Ok(()),
        ColumnValues::Numbers(_) => column.stated == Some(FeatureKind::Date),
        ColumnValues::Texts { distinct, .. } if distinct.is_empty() => return Ok(()),
        ColumnValues::Texts { distinct, .. } => matches!(kind_of_texts(distinct), TextKind::Dates),
    };
    let (is, was) = match (own.kind, is_date) {
        (FeatureKind::Date, false) => ("no dates", "dates"),
        (FeatureKind::Number | FeatureKind::Boolean, true) => ("dates", "numbers"),
        _ => return Ok(()),
    };
    Err(format!(
        "column `{}` holds {is}, but the model was fitted on {was}; write them in the same way",
        column.name
    )
    .into())
}
