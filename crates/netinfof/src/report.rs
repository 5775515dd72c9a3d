//! Everything a run found, as one serialisable value: the JSON is the truth, tables and pages are views of it.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::act::ActReport;
use crate::compat::Compatibility;
use crate::evidence::{Estimate, Samples};
use crate::exec::Exec;
use crate::graph::{Graph, GraphFacts};
use crate::pipeline::{LinkParams, NodeParams};
use crate::probe::InfoScore;
use crate::split::Protocol;
use crate::verdict::{self, Addition, Comparison, Verdict};

/// A map that keeps the order of insertion, for reading and for stable files.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderedMap<V>(Vec<(String, V)>);

impl<V> Default for OrderedMap<V> {
    fn default() -> Self {
        OrderedMap(Vec::new())
    }
}

impl<V> OrderedMap<V> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&V> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Adds an entry at the end.
    pub(crate) fn push(&mut self, key: impl Into<String>, value: V) {
        self.0.push((key.into(), value));
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V> FromIterator<(String, V)> for OrderedMap<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(entries: I) -> Self {
        OrderedMap(entries.into_iter().collect())
    }
}

impl<V: Serialize> Serialize for OrderedMap<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// What was found about one component on one split.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ComponentReport {
    /// NetInfoF score, on validation pairs or on labelled nodes.
    pub score: f64,
    /// The score less its bias from few samples (Grassberger 2003); without information it falls on both sides of
    /// `no_information`.
    pub corrected: f64,
    /// The 95 % interval of `corrected`.
    pub interval: [f64; 2],
    /// The score on a scale from 0, no information, to 1.
    pub normalized: f64,
    /// Accuracy of the same table, an upper neighbour of the score (theorem 2).
    pub accuracy: f64,
    /// The score of knowing nothing.
    pub no_information: f64,
    /// Accuracy of the bins' usual labels, learned from training samples, on validation samples: what holds for new ones.
    pub held_out: Estimate,
    /// How often shuffled labels score as high.
    pub p_value: f64,
    /// Samples in the table.
    pub samples: u64,
    /// Bins or clusters of the table.
    pub bins: usize,
    /// The table: a row for each bin or cluster; its samples without and with an edge, or of each class.
    pub table: Vec<Vec<u64>>,
    /// Columns of the embedding.
    pub dim: usize,
    /// Links: the compatibility matrix.
    #[serde(flatten)]
    pub compat: Option<CompatReport>,
}

/// What was found about a compatibility matrix.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CompatReport {
    /// Iterations of the least-squares fit of H*; 0 where there was none.
    pub iterations: usize,
    /// Relative residual of that fit.
    pub residual: Option<f64>,
    /// Free coefficients of the matrix.
    pub coefficients: usize,
}

/// What was found on one split.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SplitReport {
    /// Seed of the split.
    pub seed: u64,
    /// By component.
    pub components: OrderedMap<ComponentReport>,
    /// Act's part; absent from a probe.
    #[serde(flatten)]
    pub act: Option<ActReport>,
    /// Wall-clock time of every stage.
    pub seconds: OrderedMap<f64>,
    #[serde(skip)]
    pub(crate) samples: Samples,
}

/// A figure for each metric and each component, over the splits.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Test metrics; empty for a probe.
    #[serde(skip_serializing_if = "OrderedMap::is_empty")]
    pub test: OrderedMap<f64>,
    /// Scores of the components.
    pub components: OrderedMap<f64>,
    /// The same, corrected.
    pub corrected: OrderedMap<f64>,
    /// Means: their 95 % intervals, the splits' errors taken as independent.
    #[serde(skip_serializing_if = "OrderedMap::is_empty")]
    pub interval: OrderedMap<[f64; 2]>,
}

/// The parameters of a run, whichever the task.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum RunParams {
    /// Of link prediction.
    Links(LinkParams),
    /// Of node classification.
    Nodes(NodeParams),
}

/// Everything a run found.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// Would a GNN help?
    pub verdict: Verdict,
    /// Version of netinfof.
    pub netinfof: &'static str,
    /// The task: `links` or `nodes`.
    pub task: &'static str,
    /// What the graph is.
    pub graph: GraphFacts,
    /// Links: how negatives were drawn; figures of different protocols cannot be compared.
    pub protocol: Option<Protocol>,
    /// All parameters.
    pub params: RunParams,
    /// By split.
    pub splits: Vec<SplitReport>,
    /// The best components of structure, features and propagation against each other.
    pub comparisons: Vec<Comparison>,
    /// What every other component adds to the best one.
    pub additions: Vec<Addition>,
    /// Means over the splits.
    pub mean: Summary,
    /// Standard deviations over the splits (of the population, as in the paper's tables).
    pub std: Summary,
    /// Things the user should know.
    pub notices: Vec<String>,
    /// Threads used; no result depends on them.
    pub threads: usize,
    /// Largest memory of the process, where the system tells.
    pub peak_memory_bytes: Option<u64>,
}

impl Report {
    pub(crate) fn new(graph: &Graph, params: RunParams, splits: Vec<SplitReport>, exec: &Exec) -> Self {
        let (task, protocol) = match &params {
            RunParams::Links(params) => ("links", Some(params.split.protocol)),
            RunParams::Nodes(_) => ("nodes", None),
        };
        let judgement = verdict::judge(task, &splits);
        Report {
            verdict: judgement.verdict,
            comparisons: judgement.comparisons,
            additions: judgement.additions,
            netinfof: env!("CARGO_PKG_VERSION"),
            task,
            graph: graph.facts(),
            protocol,
            params,
            mean: Summary { interval: intervals(&splits), ..summarize(&splits, mean) },
            std: summarize(&splits, deviation),
            splits,
            notices: exec.notices(),
            threads: exec.threads(),
            peak_memory_bytes: peak_memory(),
        }
    }

    /// The report as indented JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a report holds nothing JSON cannot say")
    }
}

impl ComponentReport {
    pub(crate) fn new(info: &InfoScore, dim: usize, compat: Option<&Compatibility>) -> Self {
        ComponentReport {
            score: info.score,
            corrected: info.corrected.value,
            interval: info.corrected.interval,
            normalized: (info.score - info.no_information) / (1.0 - info.no_information),
            held_out: info.held_out,
            accuracy: info.accuracy,
            no_information: info.no_information,
            p_value: info.p_value,
            samples: info.table.samples(),
            bins: info.table.bins(),
            table: info.table.rows().map(<[u64]>::to_vec).collect(),
            dim,
            compat: compat.map(|compatibility| CompatReport {
                iterations: compatibility.lsqr.as_ref().map_or(0, |info| info.iterations),
                residual: compatibility.lsqr.as_ref().map(|info| info.residual),
                coefficients: compatibility.coefficients,
            }),
        }
    }
}

fn summarize(splits: &[SplitReport], figure: fn(&[f64]) -> f64) -> Summary {
    let mut summary = Summary::default();
    let Some(first) = splits.first() else { return summary };
    for (name, _) in first.components.iter() {
        let values: Vec<f64> =
            splits.iter().filter_map(|s| s.components.get(name)).map(|c| c.score).collect();
        summary.components.push(name, figure(&values));
        let corrected: Vec<f64> =
            splits.iter().filter_map(|s| s.components.get(name)).map(|c| c.corrected).collect();
        summary.corrected.push(name, figure(&corrected));
    }
    if let Some(act) = &first.act {
        for (name, _) in act.test.iter() {
            let of = |split: &SplitReport| split.act.as_ref().and_then(|act| act.test.get(name).copied());
            let values: Vec<f64> = splits.iter().filter_map(of).collect();
            summary.test.push(name, figure(&values));
        }
    }
    summary
}

fn intervals(splits: &[SplitReport]) -> OrderedMap<[f64; 2]> {
    let Some(first) = splits.first() else { return OrderedMap::default() };
    first.components.iter().map(|(name, _)| (name.to_string(), corrected(name, splits).interval)).collect()
}

/// The corrected score of a component, mean of the splits.
pub(crate) fn corrected(name: &str, splits: &[SplitReport]) -> Estimate {
    let own = splits.iter().filter_map(|s| s.components.get(name));
    let estimates: Vec<Estimate> =
        own.map(|c| Estimate { value: c.corrected, interval: c.interval }).collect();
    Estimate::mean(&estimates)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let centre = mean(values);
    (values.iter().map(|v| (v - centre).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

/// The largest resident memory of this process so far, on systems that tell it through `/proc`.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
        assert!((deviation(&[1.0, 2.0, 6.0]) - (14.0f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn maps_keep_their_order() {
        let map: OrderedMap<u8> = [("b".to_string(), 1), ("a".to_string(), 2)].into_iter().collect();
        assert_eq!(serde_json::to_string(&map).unwrap(), r#"{"b":1,"a":2}"#);
        assert_eq!(map.get("a"), Some(&2));
    }
}
