//! The rows of a node table: a column is one of numbers or one of texts.

use std::path::Path;

use super::{Columns, RawTable};
use crate::frame::{ColumnValues, Frame, FrameColumn, PointGroups, TextInterner, is_chosen};
use crate::load::LoadParams;
use crate::row::Row;
use crate::table::Table;
use netinfof::graph::FeatureKind;
use netinfof::{Exec, Result};

/// The error for a row that repeats the header.
pub(super) const REPEATED: &str =
    "repeats the column names of the first line; remove such lines of files that were joined";

/// Values of a column while it is read.
enum Builder {
    /// Numbers, and whether their points may separate thousands.
    Numbers(Vec<f64>, PointGroups),
    Texts(TextInterner, Vec<u32>),
}

/// Reads all columns. A column is one of texts if any of its cells is not a number; then it is read again.
pub(super) fn whole(path: &Path, columns: &Columns, params: &LoadParams, exec: &Exec) -> Result<RawTable> {
    let width = columns.names.len();
    let mut texts = vec![false; width];
    loop {
        let mut rows = Table::open(path)?;
        if rows.is_named() {
            (0..width).for_each(|at| texts[at] |= rows.is_text(at));
        } else {
            let (sample, _) = rows.peek();
            for row in sample.iter().skip(usize::from(columns.named)) {
                (0..width).for_each(|at| {
                    texts[at] |= !row.is_missing(at) && (!row.is_number(at) || row.has_leading_zero(at));
                });
            }
        }
        let before = texts.clone();
        let table = attempt(rows, columns, params, &mut texts, exec)?;
        if before == texts {
            return Ok(table);
        }
    }
}

fn attempt(
    mut rows: Table,
    columns: &Columns,
    params: &LoadParams,
    texts: &mut [bool],
    exec: &Exec,
) -> Result<RawTable> {
    let width = columns.names.len();
    if columns.named && !rows.is_named() {
        rows.next_row()?;
    }
    let is_feature = |at: usize| {
        Some(at) != columns.id
            && Some(at) != columns.label
            && !columns.several_labels.contains(&at)
            && !is_chosen(&params.columns.drop, &columns.names[at])
    };
    let needed: Vec<usize> = (0..width)
        .filter(|&at| {
            is_feature(at)
                || [columns.id, columns.label].contains(&Some(at))
                || columns.several_labels.contains(&at)
        })
        .collect();
    rows.only(&needed)?;
    let mut builders: Vec<Option<Builder>> = (0..width)
        .map(|at| {
            is_feature(at).then(|| {
                if texts[at] {
                    Builder::Texts(TextInterner::default(), Vec::new())
                } else {
                    Builder::Numbers(Vec::new(), PointGroups::default())
                }
            })
        })
        .collect();
    let mut stated: Vec<Option<FeatureKind>> = vec![None; width];
    let (mut ids, mut lines, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    let mut several: Vec<Vec<String>> = vec![Vec::new(); columns.several_labels.len()];
    let mut row = Row::default();
    let mut blank = 0usize;
    while rows.read(&mut row)? {
        if lines.len().is_multiple_of(1 << 16) {
            exec.check()?;
        }
        // Spreadsheets write empty rows as delimiters alone. Where rows are numbered, they count.
        let is_empty = |at: usize| row.cell(at).trim().is_empty();
        if columns.id.is_some_and(is_empty) && width > 1 && needed.iter().all(|&at| is_empty(at)) {
            blank += 1;
            continue;
        }
        if columns.id.is_some_and(|at| columns.named && row.cell(at) == columns.names[at]) {
            return Err(rows.error(row.line, REPEATED));
        }
        ids.push(match columns.id {
            Some(at) => row.id(at).map_err(|what| rows.error(row.line, what))?.into_owned(),
            None => lines.len().to_string(),
        });
        if let Some(at) = columns.label {
            labels.push(row.cell(at).into_owned());
        }
        for (&at, own) in columns.several_labels.iter().zip(&mut several) {
            own.push(row.cell(at).into_owned());
        }
        for (at, builder) in builders.iter_mut().enumerate() {
            let Some(builder) = builder else { continue };
            stated[at] = stated[at].or(row.stated_kind(at));
            match builder {
                Builder::Numbers(values, groups) => {
                    let value = if row.is_missing(at) { Some(f64::NAN) } else { row.double(at) };
                    texts[at] |= value.is_none() || row.has_leading_zero(at);
                    if let Some(text) = row.text_at(at).filter(|_| !row.is_missing(at)) {
                        groups.add(text);
                    }
                    values.push(value.unwrap_or(f64::NAN));
                }
                Builder::Texts(interner, codes) => codes.push(interner.code(&row.cell(at))),
            }
        }
        lines.push(row.line);
    }
    if lines.is_empty() {
        return Err(rows.error(1, "no rows; one node per line was expected"));
    }
    let mut frame = Frame::default();
    for (at, builder) in builders.into_iter().enumerate() {
        let name = columns.names[at].clone();
        let values = match builder {
            None if [columns.id, columns.label].contains(&Some(at))
                || columns.several_labels.contains(&at) =>
            {
                continue;
            }
            // A column that is left out keeps its name, so that the choice of names can be checked.
            None => ColumnValues::Numbers(Vec::new()),
            Some(Builder::Numbers(values, groups)) => {
                // As texts, it is refused with an example.
                texts[at] |= groups.are_likely();
                ColumnValues::Numbers(values)
            }
            Some(Builder::Texts(interner, codes)) => {
                ColumnValues::Texts { codes, distinct: interner.distinct }
            }
        };
        frame.columns.push(FrameColumn { name, values, stated: stated[at] });
    }
    let label = columns.label.map(|at| (columns.names[at].clone(), labels));
    let id = columns.id.map_or_else(|| "row number".into(), |at| columns.names[at].clone());
    let header_lines = usize::from(columns.named && !rows.is_named());
    let names = columns.several_labels.iter().map(|&at| columns.names[at].clone());
    let label_columns = names.zip(several).collect();
    Ok(RawTable { ids, lines, frame, labels: label, label_columns, lists: None, id, header_lines, blank })
}
