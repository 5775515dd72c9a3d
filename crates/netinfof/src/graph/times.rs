//! Times of edges: the first contact of every pair of nodes, and the contacts that repeat it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Graph, Pair, ordered};
use crate::error::{Error, Result};
use crate::work_folder::ArrayDigest;

/// What the numbers of times mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TimeUnit {
    /// Numbers of any meaning, such as years or steps.
    #[default]
    Number,
    /// Dates or times of day, as days since 1970-01-01.
    Date,
    /// Seconds since 1970-01-01.
    Seconds,
    /// Milliseconds since 1970-01-01.
    Milliseconds,
    /// Microseconds since 1970-01-01.
    Microseconds,
    /// Nanoseconds since 1970-01-01.
    Nanoseconds,
}

/// Numbers in this range of seconds since 1970 are shown as dates, too: the years 1980 to 2100.
const SECONDS: [f64; 2] = [3.15e8, 4.1e9];

impl TimeUnit {
    /// The units in which numbers of this range are dates of our time; numbers otherwise.
    fn of_range([first, last]: [f64; 2]) -> Self {
        let units = [
            (TimeUnit::Seconds, 1.0),
            (TimeUnit::Milliseconds, 1e3),
            (TimeUnit::Microseconds, 1e6),
            (TimeUnit::Nanoseconds, 1e9),
        ];
        let is = |&(_, each): &(TimeUnit, f64)| first >= SECONDS[0] * each && last <= SECONDS[1] * each;
        units.into_iter().find(is).map_or(TimeUnit::Number, |(unit, _)| unit)
    }

    /// The days since 1970-01-01, if the unit is known.
    fn days(self, time: f64) -> Option<f64> {
        let each = match self {
            TimeUnit::Number => return None,
            TimeUnit::Date => return Some(time),
            TimeUnit::Seconds => 1.0,
            TimeUnit::Milliseconds => 1e3,
            TimeUnit::Microseconds => 1e6,
            TimeUnit::Nanoseconds => 1e9,
        };
        Some(time / each / 86_400.0)
    }

    /// A time for people: a date where the unit is known, with the number where it was given as one.
    pub fn text(self, time: f64) -> String {
        match (self, self.days(time)) {
            (TimeUnit::Date, Some(days)) => day_text(days),
            (_, Some(days)) => format!("{} ({time})", day_text(days)),
            (_, None) => time.to_string(),
        }
    }
}

/// When the edges of a graph came into being. An edge exists from the first contact of its two nodes; later
/// contacts repeat it.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeTimes {
    column: String,
    unit: TimeUnit,
    /// By the order of [`Graph::edges`].
    first: Vec<f64>,
    /// Later contacts: the first time of the same pair, and the own one.
    repeats: Vec<[f64; 2]>,
}

impl EdgeTimes {
    pub(super) fn add_to(&self, digest: &mut ArrayDigest) {
        digest.add("times", &self.first);
        digest.add("repeats", self.repeats.as_flattened());
    }

    /// The column or array that holds the times.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// What the numbers mean.
    pub fn unit(&self) -> TimeUnit {
        self.unit
    }

    /// The first time of every edge, in the order of [`Graph::edges`].
    pub fn first(&self) -> &[f64] {
        &self.first
    }

    /// Contacts of pairs that had one before, at the same time or earlier: the first time of the pair, and the
    /// time of the contact.
    pub fn repeats(&self) -> &[[f64; 2]] {
        &self.repeats
    }

    /// The earliest and the latest time of an edge.
    pub fn range(&self) -> [f64; 2] {
        range(&self.first)
    }

    /// A time for people.
    pub fn text(&self, time: f64) -> String {
        self.unit.text(time)
    }

    /// Facts for users.
    pub(crate) fn facts(&self) -> TimesFacts {
        let [first, last] = self.range();
        let mut distinct = self.first.clone();
        distinct.sort_unstable_by(f64::total_cmp);
        distinct.dedup();
        TimesFacts {
            column: self.column.clone(),
            unit: self.unit,
            first,
            last,
            range: [first, last].map(|time| self.text(time)),
            distinct: distinct.len(),
            repeats: self.repeats.iter().filter(|[first, own]| own > first).count(),
        }
    }
}

/// Facts about the times of edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TimesFacts {
    /// The column or array that holds the times.
    pub column: String,
    /// What the numbers mean; units other than dates are recognised by their range.
    pub unit: TimeUnit,
    /// The earliest time at which an edge begins.
    pub first: f64,
    /// The latest time at which an edge begins.
    pub last: f64,
    /// The same two for people.
    pub range: [String; 2],
    /// Number of distinct times at which edges begin.
    pub distinct: usize,
    /// Contacts of pairs that had an earlier contact.
    pub repeats: usize,
}

fn range(times: &[f64]) -> [f64; 2] {
    let start = [f64::INFINITY, f64::NEG_INFINITY];
    times.iter().fold(start, |[low, high], &time| [low.min(time), high.max(time)])
}

impl Graph {
    /// Adds the times of contacts, one for each of the pairs from which the graph was made, in any order and
    /// with repeats. Link prediction is then split by time, and an edge exists from the first contact of its
    /// nodes. `dates`: the times are days since 1970-01-01.
    ///
    /// ```
    /// use netinfof::Graph;
    /// let contacts = [[0, 1], [1, 2], [1, 0]];
    /// let graph = Graph::from_edges("log", 3, &contacts)?.with_times("time", &contacts, &[5.0, 7.0, 3.0], false)?;
    /// assert_eq!(graph.times().unwrap().first(), [3.0, 7.0]);
    /// assert_eq!(graph.times().unwrap().repeats(), [[3.0, 5.0]]);
    /// # Ok::<(), netinfof::Error>(())
    /// ```
    pub fn with_times(
        mut self,
        column: impl Into<String>,
        contacts: &[Pair],
        times: &[f64],
        dates: bool,
    ) -> Result<Self> {
        let column = column.into();
        let bad = |what: String| Err(Error::InvalidGraph { what });
        if times.len() != contacts.len() {
            return bad(format!(
                "{} times in `{column}` for {} edges; one time per edge was expected",
                times.len(),
                contacts.len()
            ));
        }
        if let Some(at) = times.iter().position(|time| !time.is_finite()) {
            let [i, j] = contacts[at].map(|node| self.node_name(node as usize));
            let what = if times[at].is_nan() { "missing".to_string() } else { times[at].to_string() };
            return bad(format!(
                "the time of edge {at} ({i}, {j}) in `{column}` is {what}; a finite number was expected"
            ));
        }
        let mut sorted: Vec<(Pair, f64)> = contacts
            .iter()
            .zip(times)
            .filter(|(pair, _)| pair[0] != pair[1])
            .map(|(&pair, &time)| (ordered(pair), time))
            .collect();
        sorted.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let (mut first, mut repeats) = (Vec::with_capacity(self.edge_count()), Vec::new());
        let mut edges: Vec<Pair> = Vec::with_capacity(self.edge_count());
        for (pair, time) in sorted {
            if edges.last() == Some(&pair) {
                repeats.push([*first.last().expect("one per edge"), time]);
            } else {
                edges.push(pair);
                first.push(time);
            }
        }
        if self.weights().is_some() && !repeats.is_empty() {
            return bad(format!(
                "the edges have weights and {} repeated contacts: the sum of the weights of a pair would contain later contacts; \
                 leave out the weights or the times, or keep one contact per pair",
                repeats.len()
            ));
        }
        if edges != self.edges() {
            return bad(format!("the times in `{column}` are not those of the graph's edges"));
        }
        let unit = if dates { TimeUnit::Date } else { TimeUnit::of_range(range(&first)) };
        self.note_times(contacts, times, dates);
        self.times = Some(Arc::new(EdgeTimes { column, unit, first, repeats }));
        Ok(self)
    }

    /// The times of the edges, if they are known.
    pub fn times(&self) -> Option<&EdgeTimes> {
        self.times.as_deref()
    }

    /// The same graph without times: link prediction is split at random.
    #[must_use]
    pub fn without_times(mut self) -> Self {
        self.times = None;
        self
    }
}

/// Days since 1970-01-01 as a date, with the time of day to the second unless it is midnight.
pub fn day_text(days: f64) -> String {
    let (day, rest) = (days.floor(), days - days.floor());
    let mut seconds = (rest * 86_400.0).round() as i64;
    let mut day = day as i64;
    if seconds == 86_400 {
        (day, seconds) = (day + 1, 0);
    }
    // Days since 0000-03-01, so that leap days are the last of a year (Hinnant's algorithm).
    let shifted = day.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let m = (5 * of_year + 2) / 153;
    let date = of_year - (153 * m + 2) / 5 + 1;
    let month = if m < 10 { m + 3 } else { m - 9 };
    let year = year_of_era + 400 * era + i64::from(month <= 2);
    let text = format!("{year:04}-{month:02}-{date:02}");
    if seconds == 0 {
        return text;
    }
    format!("{text}T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_begins_with_its_first_contact() {
        let contacts = [[2, 1], [0, 1], [1, 0], [3, 3], [1, 2], [0, 1]];
        let graph = Graph::from_edges("log", 4, &contacts).unwrap();
        let graph = graph.with_times("when", &contacts, &[9.0, 4.0, 2.0, 1.0, 9.0, 8.0], false).unwrap();
        let times = graph.times().unwrap();
        assert_eq!(graph.edges(), [[0, 1], [1, 2]]);
        assert_eq!(times.first(), [2.0, 9.0]);
        assert_eq!(times.repeats(), [[2.0, 4.0], [2.0, 8.0], [9.0, 9.0]]);
        let facts = times.facts();
        assert_eq!((facts.first, facts.last, facts.distinct, facts.repeats), (2.0, 9.0, 2, 2));
        assert_eq!((times.unit(), times.text(2.0)), (TimeUnit::Number, "2".into()));
    }

    #[test]
    fn faults_name_the_edge() {
        let contacts = [[0, 1], [1, 2]];
        let graph = Graph::from_edges("log", 3, &contacts).unwrap();
        let fault = |contacts: &[Pair], times: &[f64]| {
            graph.clone().with_times("t", contacts, times, false).unwrap_err().to_string()
        };
        assert!(fault(&contacts, &[1.0]).contains("1 times in `t` for 2 edges"));
        assert!(fault(&contacts, &[1.0, f64::NAN]).contains("edge 1 (1, 2) in `t` is missing"));
        assert!(fault(&contacts, &[f64::INFINITY, 0.0]).contains("edge 0 (0, 1) in `t` is inf"));
        assert!(fault(&[[0, 1]], &[1.0]).contains("not those of the graph's edges"));
    }

    #[test]
    fn units_are_recognised_by_their_range() {
        let cases = [
            ([1_289_241_942.0, 1_453_438_800.0], TimeUnit::Seconds, "2010-11-08T18:45:42 (1289241942)"),
            (
                [1_289_241_942_000.0, 1_453_438_800_000.0],
                TimeUnit::Milliseconds,
                "2010-11-08T18:45:42 (1289241942000)",
            ),
            ([1990.0, 2020.0], TimeUnit::Number, "1990"),
            ([0.0, 1_453_438_800.0], TimeUnit::Number, "0"),
            ([20_200_101.0, 20_201_231.0], TimeUnit::Number, "20200101"),
        ];
        for (range, unit, text) in cases {
            assert_eq!(TimeUnit::of_range(range), unit, "{range:?}");
            assert_eq!(unit.text(range[0]), text);
        }
        assert_eq!(TimeUnit::Date.text(18_292.5), "2020-01-31T12:00:00");
    }
}
