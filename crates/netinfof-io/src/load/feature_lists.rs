//! Node features in JSON: an object with a list per node, of the columns that the node has (as MUSAE publishes
//! them) or of numbers.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::de::{Deserializer, MapAccess, Visitor};

use crate::table::{is_json_features, start_of, whole_text};
use netinfof::{Csr, Error, Exec, Result};

/// More columns are not features but numbers of another kind.
const MOST_COLUMNS: f64 = (1 << 26) as f64;

/// Whether a file begins like `{"0": [1, 2], …`.
pub(super) fn is(path: &Path) -> Result<bool> {
    if !std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(false);
    }
    Ok(is_json_features(&start_of(path)?))
}

/// The entries of an object in order; a repeated key is an error.
struct Lists(Vec<(String, Vec<f64>)>);

impl<'de> serde::Deserialize<'de> for Lists {
    fn deserialize<D: Deserializer<'de>>(input: D) -> std::result::Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Lists;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(out, "an object with a list of numbers per node")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Lists, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Lists(entries))
            }
        }
        input.deserialize_map(Entries)
    }
}

/// The ids of the nodes, ascending if they are numbers, and their features.
pub(super) fn read(path: &Path, exec: &Exec) -> Result<(Vec<String>, Csr)> {
    let fault = |what: String| Error::Format { path: path.into(), what };
    let Lists(mut entries) = serde_json::from_slice(&whole_text(path)?)
        .map_err(|e| fault(format!("not an object with a list of numbers per node: {e}")))?;
    exec.check()?;
    if entries.is_empty() {
        return Err(fault("no nodes".into()));
    }
    if entries.iter().all(|(id, _)| id.parse::<u64>().is_ok()) {
        entries.sort_by_key(|(id, _)| id.parse::<u64>().expect("checked"));
    }
    let column = |value: f64| value.fract() == 0.0 && (0.0..MOST_COLUMNS).contains(&value);
    let is_set = |list: &Vec<f64>| {
        let mut sorted = list.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    };
    let lengths: BTreeMap<usize, usize> = entries.iter().fold(BTreeMap::new(), |mut lengths, (_, list)| {
        *lengths.entry(list.len()).or_default() += 1;
        lengths
    });
    let as_columns = entries.iter().all(|(_, list)| list.iter().all(|&value| column(value)) && is_set(list));
    let (ids, lists): (Vec<String>, Vec<Vec<f64>>) = entries.into_iter().unzip();
    if as_columns {
        let width = lists.iter().flatten().fold(0.0f64, |top, &value| top.max(value + 1.0)) as usize;
        let row = |list: Vec<f64>| {
            let mut columns: Vec<u32> = list.into_iter().map(|value| value as u32).collect();
            columns.sort_unstable();
            let ones = vec![1.0; columns.len()];
            (columns, ones)
        };
        return Ok((ids, Csr::from_rows(width, lists.into_iter().map(row))));
    }
    if lengths.len() > 1 {
        return Err(fault(
            "the lists have different lengths, but hold other numbers than columns; one list of columns, or one vector of the same length per node was expected"
                .into(),
        ));
    }
    if lists.iter().flatten().any(|&value| (value as f32).is_infinite()) {
        return Err(fault("a number is beyond single precision".into()));
    }
    let width = lists.first().map_or(0, Vec::len);
    let row = |list: Vec<f64>| {
        let entries = list.into_iter().zip(0u32..).filter(|(value, _)| *value != 0.0);
        entries.map(|(value, col)| (col, value as f32)).unzip()
    };
    Ok((ids, Csr::from_rows(width, lists.into_iter().map(row))))
}
