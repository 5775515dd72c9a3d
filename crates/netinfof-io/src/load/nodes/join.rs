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
    /// For each column, how many of the ids of the edges it holds, and how many more apart from upper and lower case, spaces and
    /// leading zeros.
    shared: Vec<[usize; 2]>,
    wanted: usize,
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
        let loosely: HashSet<String> = wanted.iter().map(|id| loose(id)).collect();
        let mut shared: Vec<[HashSet<String>; 2]> = vec![Default::default(); width];
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
                let id = row.id(at).map(|id| whole_id(&id));
                if let Ok(id) = &id {
                    let near = loose(id);
                    if wanted.contains(id) {
                        shared[at][0].insert(id.clone());
                    } else if loosely.contains(&near) {
                        shared[at][1].insert(near);
                    }
                }
                let fresh = match (&mut *own, id) {
                    (Some(seen), Ok(id)) => seen.insert(id),
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
        let shared = shared.iter().map(|own| own.each_ref().map(HashSet::len)).collect();
        Ok(JoinChoice { columns, by_row, shared, wanted: wanted.len() })
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
            if let Some(at) = columns.id {
                let ([same, near], wanted) = (choice.shared[at], choice.wanted);
                let (own, file) = (columns.shown(at), path.display());
                if near > 0 && 2 * (same + near) >= wanted {
                    return Some(format!(
                        "{near} of them are in {own} of {file} with other leading zeros or in another case: write ids the same way in both files"
                    ));
                }
                // A column with some of the ids is no table in the order of the rows.
                if same > 0 {
                    return Some(format!(
                        "{own} of {file} holds {same} of the {wanted} ids of the edges: complete the table, or leave the other edges out"
                    ));
                }
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

/// An id apart from the case of its letters and from leading zeros.
fn loose(id: &str) -> String {
    let id = id.trim().to_lowercase();
    let short = id.trim_start_matches('0');
    if short.is_empty() { "0".into() } else { short.into() }
}
