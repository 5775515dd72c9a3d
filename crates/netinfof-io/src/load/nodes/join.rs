//! The id column of a node table, found by comparison with the ids of the edges.

use std::collections::HashSet;
use std::path::Path;

use super::{Columns, ROW_NUMBERS};
use crate::load::LoadParams;
use crate::load::ids::Ids;
use crate::row::Row;
use crate::table::Table;
use crate::whole::{Written, written};
use netinfof::{Exec, Result};

/// Which columns could hold the ids of the edges.
pub(in crate::load) struct JoinChoice {
    pub(super) columns: Vec<usize>,
    /// Whether the ids of the edges are numbers of rows, and not ids of which a few are missing.
    pub(super) by_row: bool,
}

impl JoinChoice {
    /// Columns whose values are all different and include every id of the edges.
    pub(super) fn of(path: &Path, columns: &Columns, edges: &Ids, exec: &Exec) -> Result<Self> {
        let whole_id = |text: &str| match written(text) {
            Written::Float(Ok(value)) => value.to_string(),
            _ => text.to_string(),
        };
        let wanted: HashSet<String> = edges.names.iter().map(|name| whole_id(name)).collect();
        let width = columns.names.len();
        let mut seen: Vec<Option<HashSet<String>>> = vec![Some(HashSet::new()); width];
        let mut rows = Table::open(path)?;
        if columns.named && !rows.is_named() {
            rows.next_row()?;
        }
        let (mut row, mut count) = (Row::default(), 0usize);
        while rows.read(&mut row)? {
            if count.is_multiple_of(1 << 16) {
                exec.check()?;
            }
            count += 1;
            for (at, own) in seen.iter_mut().enumerate() {
                let fresh = match (&mut *own, row.id(at)) {
                    (Some(seen), Ok(id)) => seen.insert(whole_id(&id)),
                    _ => false,
                };
                if !fresh {
                    *own = None;
                }
            }
        }
        // Where most ids of the edges are in the id column, the others are missing.
        let in_ids = columns.id.and_then(|at| seen[at].as_ref());
        let held = in_ids.map_or(0, |seen| wanted.iter().filter(|id| seen.contains(*id)).count());
        let columns = (0..width)
            .filter(|&at| seen[at].as_ref().is_some_and(|seen| wanted.iter().all(|id| seen.contains(id))))
            .collect();
        let number = |id: &String| id.parse::<usize>().is_ok_and(|number| number < count);
        // Most rows have an edge, or the numbers may mean anything.
        let by_row = wanted.iter().all(number) && 2 * wanted.len() >= count && 2 * held < wanted.len();
        Ok(JoinChoice { columns, by_row })
    }

    /// Advice if ids of the edges are not in the table.
    pub(in crate::load) fn advice(params: &LoadParams, edges: &Ids, exec: &Exec) -> Option<String> {
        for path in &params.nodes {
            let mut table = Table::open(path).ok()?;
            let columns = Columns::of(&mut table, path, params).ok()?;
            let choice = JoinChoice::of(path, &columns, edges, exec).ok()?;
            let other = choice.columns.iter().find(|&&at| Some(at) != columns.id);
            if let Some(&at) = other {
                return Some(format!(
                    "{} of {} has them all: give it as `id`",
                    columns.shown(at),
                    path.display()
                ));
            }
            if choice.by_row {
                return Some(format!(
                    "they are the numbers of the rows of {} from 0: give `{ROW_NUMBERS}` as `id`",
                    path.display()
                ));
            }
        }
        None
    }
}
