//! What was done with which columns, for the report.

use super::column::{Encoding, TableColumn};
use super::{ColumnKind, ColumnTreatment, Method, Preparation, WordColumns};

/// Number of example columns in a report.
const LISTED: usize = 8;

impl Preparation {
    /// How the columns were prepared, by kind.
    pub(crate) fn treatments(&self) -> Vec<ColumnTreatment> {
        // The kind, the treatment, and whether values are missing.
        type Group = (ColumnKind, &'static str, bool);
        let all = |kind, treatment: &'static str| {
            let first = (0..self.columns.min(LISTED)).collect();
            vec![ColumnTreatment { kind, columns: self.columns, first, treatment: treatment.into() }]
        };
        let (words, table, common_scale, weighed) = match &self.method {
            Method::Degrees { .. } => return Vec::new(),
            Method::Paper { degrees, .. } => {
                let mut found = all(None, "overall minimum subtracted, rows divided by their sum");
                if *degrees > 0 {
                    found[0].treatment.to_mut().push_str(", one-hot degrees appended");
                }
                return found;
            }
            Method::Kinds { words, table, common_scale, weighed, .. } => {
                (words, table, *common_scale, *weighed)
            }
        };
        let describe = |own: Option<&TableColumn>| match (own, words) {
            (None, Some(WordColumns { signed: false, .. })) => {
                (ColumnKind::Word, "rows divided by their sum")
            }
            (None, Some(_)) => (ColumnKind::Hashed, "rows divided by their length"),
            (Some(own), _) if own.varies() => match &own.encoding {
                Encoding::Flag if common_scale => (ColumnKind::Flag, "centred"),
                Encoding::Flag => (ColumnKind::Flag, "centred and scaled"),
                Encoding::Category { .. } => (ColumnKind::Category, "scaled, with one column per level"),
                Encoding::Number { .. } if common_scale => {
                    (ColumnKind::Number, "centred by the median, all on one scale")
                }
                Encoding::Number { quantiles, .. } if quantiles.is_empty() => {
                    (ColumnKind::Number, "centred by the median, scaled by the interquartile range")
                }
                Encoding::Number { .. } => (
                    ColumnKind::Number,
                    "centred by the median, scaled by the interquartile range, with hinges at nine quantiles",
                ),
            },
            (Some(own), _) if own.is_used() => (ColumnKind::Constant, "constant where a value is present"),
            _ => (ColumnKind::Constant, "not used"),
        };
        let mut found: Vec<(Group, Vec<usize>)> = Vec::new();
        let mut listed = table.iter().peekable();
        for column in 0..self.columns {
            let own = listed.next_if(|own| own.column == column);
            let (kind, treatment) = describe(own);
            let group = (kind, treatment, own.is_some_and(|own| own.missing.is_some()));
            match found.iter_mut().find(|found| found.0 == group) {
                Some(same) => same.1.push(column),
                None => found.push((group, vec![column])),
            }
        }
        let report = |((kind, treatment, missing), columns): (Group, Vec<usize>)| ColumnTreatment {
            kind: Some(kind),
            columns: columns.len(),
            first: columns.into_iter().take(LISTED).collect(),
            treatment: {
                let in_table = !matches!(kind, ColumnKind::Word | ColumnKind::Hashed | ColumnKind::Constant);
                let weighed =
                    if weighed && in_table { "; weighted by correlation across training edges" } else { "" };
                let missing = if missing { "; missing values replaced and marked" } else { "" };
                match (weighed, missing) {
                    ("", "") => treatment.into(),
                    _ => format!("{treatment}{weighed}{missing}").into(),
                }
            },
        };
        found.into_iter().map(report).collect()
    }
}
