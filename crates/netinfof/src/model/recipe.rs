//! The columns of a newer graph in the order, with the levels and under the kinds of the model's own columns.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{FeatureColumn, FeatureKind, Features, Graph, Schema};
use crate::matrix::Matrix;

/// Maximum number of values that are rearranged.
const MOST_VALUES: usize = 1 << 30;

/// The features of a newer graph with the model's columns. Without names on both sides, columns are matched by
/// position.
pub(super) fn aligned<'a>(own: Option<&Schema>, newer: &'a Graph, exec: &Exec) -> Result<Cow<'a, Features>> {
    let named =
        |schema: Option<&'a Schema>| schema.map(|schema| &schema.columns[..]).filter(|c| !c.is_empty());
    let (Some(own), Some(other)) = (own.filter(|own| !own.columns.is_empty()), named(newer.schema())) else {
        return Ok(Cow::Borrowed(newer.features()));
    };
    let own = &own.columns;
    let same = |(a, b): (&FeatureColumn, &FeatureColumn)| {
        a.name == b.name
            && a.levels == b.levels
            && is_category(a) == is_category(b)
            && is_date(a) == is_date(b)
    };
    if own.len() == other.len() && own.iter().zip(other).all(same) {
        return Ok(Cow::Borrowed(newer.features()));
    }
    let unsuitable = |why: String| Error::Unsuitable { stage: "newer graph", why };
    let places: HashMap<&str, usize> =
        other.iter().enumerate().map(|(at, column)| (column.name.as_str(), at)).collect();
    let mut columns = Vec::with_capacity(own.len());
    for column in own {
        let Some(&at) = places.get(column.name.as_str()) else {
            return Err(unsuitable(format!(
                "it has no feature column `{}`, which the model was fitted on",
                column.name
            )));
        };
        columns.push((at, Recoding::of(column, &other[at]).map_err(unsuitable)?));
    }
    let further: Vec<&str> = other
        .iter()
        .filter(|column| own.iter().all(|own| own.name != column.name))
        .map(|column| column.name.as_str())
        .collect();
    if let Some(first) = further.first() {
        exec.notice(format!(
            "{} of the newer graph {} not used, because the model was not fitted on {}, such as `{first}`",
            if further.len() == 1 {
                "1 feature column".into()
            } else {
                format!("{} feature columns", further.len())
            },
            if further.len() == 1 { "is" } else { "are" },
            if further.len() == 1 { "it" } else { "them" },
        ));
    }
    let nodes = newer.nodes();
    if nodes.saturating_mul(other.len().max(own.len())) > MOST_VALUES {
        return Err(unsuitable("its feature columns are not in the order of the model's".into()));
    }
    let dense = match newer.features() {
        Features::None => Matrix::from_fn(nodes, 0, |_, _| 0.0),
        Features::Dense(x) => Matrix::from_fn(nodes, columns.len(), |row, col| {
            let (at, recoding) = &columns[col];
            recoding.apply(x.row(row)[*at])
        }),
        Features::Sparse(x) => {
            let mut row_values = vec![0.0; other.len()];
            let mut last = usize::MAX;
            Matrix::from_fn(nodes, columns.len(), |row, col| {
                if row != last {
                    row_values.fill(0.0);
                    let values = x.row_values(row);
                    for (at, &col) in x.row(row).iter().enumerate() {
                        row_values[col as usize] = values.map_or(1.0, |values| values[at]);
                    }
                    last = row;
                }
                let (at, recoding) = &columns[col];
                recoding.apply(row_values[*at])
            })
        }
    };
    let unknown: usize = columns.iter().map(|(_, recoding)| recoding.unknown()).sum();
    if unknown > 0 {
        exec.notice(format!(
            "{unknown} {} of the newer graph {} not known to the model and count as missing",
            if unknown == 1 { "level" } else { "levels" },
            if unknown == 1 { "is" } else { "are" },
        ));
    }
    Ok(Cow::Owned(Features::Dense(dense)))
}

fn is_category(column: &FeatureColumn) -> bool {
    column.kind == FeatureKind::Category
}

fn is_date(column: &FeatureColumn) -> bool {
    column.kind == FeatureKind::Date
}

/// The values of a newer column as values of the model's.
enum Recoding {
    Same,
    /// The level of the model for every level of the newer column; NaN if the model has no such level.
    Levels(Vec<f32>),
    /// Numbers whose texts are levels of the model.
    Texts(HashMap<String, f32>),
}

impl Recoding {
    fn of(own: &FeatureColumn, other: &FeatureColumn) -> std::result::Result<Self, String> {
        let numbers =
            || own.levels.iter().zip(0u16..).map(|(level, number)| (level.as_str(), f32::from(number)));
        match (is_category(own), is_category(other)) {
            (false, false) if is_date(own) != is_date(other) => {
                let [is, was] = [other, own].map(|column| if is_date(column) { "dates" } else { "numbers" });
                Err(format!("column `{}` holds {is}, but the model was fitted on {was}", own.name))
            }
            (false, false) => Ok(Recoding::Same),
            (true, true) => {
                let numbers: HashMap<&str, f32> = numbers().collect();
                let rest = if own.has_other { own.levels.len().saturating_sub(1) as f32 } else { f32::NAN };
                let level = |level: &String| numbers.get(level.as_str()).copied().unwrap_or(rest);
                Ok(Recoding::Levels(other.levels.iter().map(level).collect()))
            }
            (true, false) => Ok(Recoding::Texts(numbers().map(|(level, at)| (level.into(), at)).collect())),
            (false, true) => {
                Err(format!("column `{}` holds texts, but the model was fitted on numbers", own.name))
            }
        }
    }

    fn apply(&self, value: f32) -> f32 {
        match self {
            Recoding::Same => value,
            _ if value.is_nan() => value,
            Recoding::Levels(levels) => levels.get(value as usize).copied().unwrap_or(f32::NAN),
            Recoding::Texts(levels) => levels.get(&value.to_string()).copied().unwrap_or(f32::NAN),
        }
    }

    /// Number of levels that the model does not have.
    fn unknown(&self) -> usize {
        match self {
            Recoding::Levels(levels) => levels.iter().filter(|level| level.is_nan()).count(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn category(name: &str, levels: &[&str]) -> FeatureColumn {
        let mut column = FeatureColumn::new(name, FeatureKind::Category);
        column.levels = levels.iter().map(ToString::to_string).collect();
        column
    }

    #[test]
    fn columns_and_levels_are_matched_by_name() {
        let exec = Exec::new(1).unwrap();
        let mut own = Schema::new("edges");
        own.columns =
            vec![FeatureColumn::new("age", FeatureKind::Number), category("town", &["Oslo", "Rome"])];
        let mut schema = Schema::new("edges");
        schema.columns = vec![
            category("town", &["Bern", "Oslo", "Rome"]),
            FeatureColumn::new("height", FeatureKind::Number),
            FeatureColumn::new("age", FeatureKind::Number),
        ];
        let x = Matrix::from_vec(3, 3, vec![2.0, 9.0, 30.0, 1.0, 9.0, 31.0, 0.0, 9.0, 32.0]);
        let graph = Graph::from_edges("g", 3, &[[0, 1], [1, 2]]).unwrap();
        let graph = graph.with_features(Features::Dense(x)).unwrap().with_schema(schema);
        let found = aligned(Some(&own), &graph, &exec).unwrap();
        let Features::Dense(x) = found.as_ref() else { panic!("dense") };
        assert_eq!((x.row(0), x.row(1)), (&[30.0, 1.0][..], &[31.0, 0.0][..]));
        assert!(x.row(2)[1].is_nan());
        let notices = exec.notices().join("\n");
        assert!(notices.contains("`height`") && notices.contains("1 level of the newer"), "{notices}");
        let mut dated = own.clone();
        dated.columns[0].kind = FeatureKind::Date;
        let error = aligned(Some(&dated), &graph, &exec).unwrap_err().to_string();
        assert!(error.contains("`age` holds numbers, but the model was fitted on dates"), "{error}");
        own.columns.push(FeatureColumn::new("income", FeatureKind::Number));
        let error = aligned(Some(&own), &graph, &exec).unwrap_err().to_string();
        assert!(error.contains("no feature column `income`"), "{error}");
    }
}
