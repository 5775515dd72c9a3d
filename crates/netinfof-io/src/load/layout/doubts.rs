//! Reasons why the two columns that would be taken as the ends of edges are probably something else.

use std::collections::BTreeSet;

use super::names::{EDGE_ATTRIBUTES, is_id_name, known_ends, plain};
use crate::frame::days_of_date;
use crate::row::Row;

/// Properties of fewer rows mean nothing.
const ENOUGH: usize = 3;
/// A column of types, or of nodes that all differ, shows in this many rows.
const MANY: usize = 50;

/// The first rows of a table, without its header.
pub(super) struct Sample<'a> {
    pub(super) rows: &'a [Row],
    pub(super) names: Option<&'a [String]>,
    /// Whether the names are certain.
    pub(super) named: bool,
    /// The columns that would be taken as ends.
    pub(super) ends: [usize; 2],
    /// Whether the times of the edges are known to be in another column.
    pub(super) timed: bool,
}

impl Sample<'_> {
    /// Why these columns are probably no ends, and what to do.
    pub(super) fn doubt(&self) -> Option<String> {
        if self.names.is_some_and(|names| known_ends(names).is_some()) || self.rows.is_empty() {
            return None;
        }
        let signs = || if self.names.is_none() { self.no_plain_ids() } else { None };
        let logged = || self.times().or_else(|| self.kinds()).or_else(signs);
        let logged = if self.timed { None } else { logged() };
        logged.or_else(|| self.numbers_edges()).or_else(|| self.one_row_per_node())
    }

    fn width(&self) -> usize {
        self.rows.first().map_or(0, Row::len)
    }

    fn values(&self, at: usize) -> BTreeSet<String> {
        self.rows.iter().map(|row| row.cell(at).into_owned()).collect()
    }

    fn name(&self, at: usize) -> String {
        match self.names {
            Some(names) if !names[at].trim().is_empty() => format!("`{}`", names[at]),
            _ => (at + 1).to_string(),
        }
    }

    /// Names or numbers of columns, as `ends` takes them.
    fn asked(&self, columns: [usize; 2]) -> String {
        columns.map(|at| self.name(at).trim_matches('`').to_string()).join(",")
    }

    /// Other columns than this one.
    fn others(&self, than: usize) -> String {
        let rest: Vec<usize> = (0..self.width()).filter(|&at| at != than).take(2).collect();
        self.asked([rest[0], *rest.last().unwrap_or(&rest[0])])
    }

    /// One of the ends holds times.
    fn times(&self) -> Option<String> {
        if self.width() < 3 || self.rows.len() < ENOUGH {
            return None;
        }
        let time = |at: usize| {
            let one = |row: &Row| {
                let (cell, value) = (row.cell(at), row.double(at));
                let seconds = value.is_some_and(|v| (6e8..2.2e9).contains(&v) && v.fract() == 0.0);
                let milliseconds = value.is_some_and(|v| (6e11..2.2e12).contains(&v));
                seconds || milliseconds || days_of_date(&cell).is_some()
            };
            self.rows.iter().all(one)
        };
        // Ids of some services are as large as times.
        let [a, b] = self.ends;
        let at = [[a, b], [b, a]].into_iter().find(|&[one, other]| time(one) && !time(other))?[0];
        Some(format!(
            "column {} looks like times, not like ids; name the two id columns with `ends`, such as {}",
            self.name(at),
            self.others(at)
        ))
    }

    /// The type of an edge stands before its ends or between them: few values, none of which is an id, and ids that
    /// the other two columns share.
    fn kinds(&self) -> Option<String> {
        if self.rows.len() < MANY || !(3..=4).contains(&self.width()) || self.ends != [0, 1] {
            return None;
        }
        let [first, second, third] = [0, 1, 2].map(|at| self.values(at));
        let kinds = |kinds: &BTreeSet<String>, [a, b]: [&BTreeSet<String>; 2]| {
            let (fewer, more) = (a.len().min(b.len()), a.len().max(b.len()));
            kinds.is_disjoint(a)
                && kinds.is_disjoint(b)
                && a.intersection(b).count() >= ENOUGH
                && kinds.len() * 3 <= fewer
                && more <= 4 * fewer
        };
        let before = first.len() <= 10
            && second.len().min(third.len()) * 4 >= self.rows.len()
            && kinds(&first, [&second, &third]);
        let (at, ends, count) = if before {
            (0, [1, 2], first.len())
        } else if kinds(&second, [&first, &third]) {
            (1, [0, 2], second.len())
        } else {
            return None;
        };
        Some(format!(
            "column {} has only {} and could be the type of an edge between columns {} and {}; name the two id columns with `ends`, such as {} or {}",
            self.name(at),
            if count == 1 { "one value".into() } else { format!("{count} values") },
            self.name(ends[0]),
            self.name(ends[1]),
            self.asked(ends),
            self.asked([0, 1])
        ))
    }

    /// The first column numbers edges between the next two, or begins lists of neighbours: it has another value in
    /// every row, and the next two share ids.
    fn numbers_edges(&self) -> Option<String> {
        const COUNTED: usize = 10;
        if self.width() < 3 || self.ends != [0, 1] || self.rows.len() < ENOUGH {
            return None;
        }
        let is_attribute = |name: &String| EDGE_ATTRIBUTES.contains(&plain(name).as_str());
        if self.names.is_some_and(|names| names.iter().take(3).any(is_attribute)) {
            return None;
        }
        let [numbers, first, second] = [0, 1, 2].map(|at| self.values(at));
        if numbers.len() < self.rows.len() || first.intersection(&second).count() < ENOUGH {
            return None;
        }
        // Weights have few values.
        let alike = first.len().max(second.len()) <= 4 * first.len().min(second.len());
        let counts = || self.rows.len() >= COUNTED && self.counts(0);
        (alike && (numbers.is_disjoint(&first) || counts())).then(|| {
            let asked = self.asked([1, 2]);
            format!(
                "column 1 has another value in every row, and columns 2 and 3 share ids: it may number edges between them, or begin lists of neighbours; name the two id columns with `ends`, such as {asked}, or write one edge per line"
            )
        })
    }

    /// Whether a column holds consecutive numbers.
    fn counts(&self, at: usize) -> bool {
        let number = |row: &Row| row.cell(at).parse::<i64>().ok();
        self.rows.windows(2).all(|pair| number(&pair[0]).is_some_and(|n| number(&pair[1]) == Some(n + 1)))
    }

    /// A table of nodes: ids that all differ, beside a column that holds no ids by its name; or consecutive numbers,
    /// beside a column of few values.
    fn one_row_per_node(&self) -> Option<String> {
        const DIFFERENT: usize = 20;
        let [id, other] = self.ends;
        let advice = |what: String| {
            format!(
                "{what}: looks like a node table; give it as `nodes` together with an edge list, or name the two id columns with `ends`, such as {}",
                self.asked(self.ends)
            )
        };
        if let Some(names) = self.names {
            let is_id = |at: usize| is_id_name(&names[at]) || plain(&names[at]).ends_with("id");
            let different = || self.rows.len() >= DIFFERENT && self.values(id).len() == self.rows.len();
            return (self.named && is_id(id) && !is_id(other) && different())
                .then(|| advice(format!("column {} has another value in every row", self.name(id))));
        }
        if self.rows.len() < MANY || self.ends != [0, 1] || !self.counts(0) {
            return None;
        }
        let count = self.values(1).len();
        let few = if self.width() > 2 { count * 4 <= self.rows.len() } else { count <= 20 };
        (few && count > 1)
            .then(|| advice(format!("column 1 counts the rows, and column 2 has only {count} values")))
    }

    /// The cells are not ids: they are signs, such as `->`, or rows are in brackets.
    fn no_plain_ids(&self) -> Option<String> {
        let is_sign = |row: &Row, at: usize| {
            let cell = row.cell(at);
            !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_punctuation())
        };
        if self.width() > 2
            && let Some(at) = (0..2).find(|&at| self.rows.iter().all(|row| is_sign(row, at)))
        {
            return Some(format!(
                "column {} holds only signs such as `{}`; name the two id columns with `ends`, such as {}",
                at + 1,
                self.rows[0].cell(at),
                self.others(at)
            ));
        }
        // Ids may be in brackets each.
        let in_brackets = |row: &Row| {
            let (first, last) = (row.cell(0), row.cell(row.len() - 1));
            [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')].iter().any(|&(open, close)| {
                first.starts_with(open)
                    && !first.ends_with(close)
                    && !last.starts_with(open)
                    && last.ends_with(close)
            })
        };
        self.rows.iter().all(in_brackets).then(|| {
            let shown = self.rows[0].cells().take(4).collect::<Vec<_>>().join(", ");
            format!("rows are written in brackets, such as `{shown}`; write them without brackets")
        })
    }
}

/// The counts that a first line such as `80 260` may hold, the numbers of nodes and of the rows below it.
pub(super) fn counts_of(first: &Row) -> Option<usize> {
    let whole = (0..first.len()).all(|at| first.cell(at).bytes().all(|byte| byte.is_ascii_digit()));
    let last = first.cell(first.len().checked_sub(1)?).parse().ok();
    last.filter(|_| whole && (2..=3).contains(&first.len()))
}
