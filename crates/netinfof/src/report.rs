//! Everything a run found, as one serialisable value: the JSON is the truth, tables and pages are views of it.

use std::borrow::Cow;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};

use crate::act::ActReport;
use crate::compat::Compatibility;
use crate::component::{ColumnTreatment, Preparation};
use crate::evidence::{self, Estimate, Samples};
use crate::exec::Exec;
use crate::graph::{Graph, GraphFacts, NodeId};
use crate::information::Information;
use crate::pipeline::{LinkParams, NodeParams};
use crate::probe::{BeyondDegree, InfoScore};
use crate::score;
use crate::split::Protocol;
use crate::verdict::{self, Addition, Comparison, Group, Observed, RunInformation, Verdict};

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

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = (&str, &mut V)> {
        self.0.iter_mut().map(|(key, value)| (key.as_str(), value))
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

impl<'de, V: Deserialize<'de>> Deserialize<'de> for OrderedMap<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<V>(std::marker::PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
            type Value = OrderedMap<V>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = OrderedMap::default();
                while let Some((key, value)) = map.next_entry::<String, V>()? {
                    entries.push(key, value);
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(Entries(std::marker::PhantomData))
    }
}

/// What was found about one component on one split.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// Accuracy of the bins' most frequent labels, learned from training samples, on validation samples: what holds for new ones.
    pub held_out: Estimate,
    /// How often shuffled labels score as high.
    pub p_value: f64,
    /// Links with uniform negatives: the same against degree-matched negatives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_degree: Option<BeyondDegree>,
    /// Samples in the table.
    pub samples: u64,
    /// Bins or clusters of the table.
    pub bins: usize,
    /// The table: a row for each bin or cluster; its samples without and with an edge, or of each class.
    pub table: Vec<Vec<u64>>,
    /// Links: the similarities between one bin and the next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub borders: Vec<f32>,
    /// Links, first split: how the similarities lie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
    /// Columns of the embedding.
    pub dim: usize,
    /// Links: the compatibility matrix.
    #[serde(flatten)]
    pub compat: Option<CompatReport>,
}

/// Similarities of validation pairs, counted in steps of one width; the first and the last step take all beyond them too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Histogram {
    /// Where the steps begin and end.
    pub range: [f32; 2],
    /// Edges in each step.
    pub positives: Vec<u64>,
    /// Other pairs in each step.
    pub negatives: Vec<u64>,
}

impl Histogram {
    const STEPS: usize = 40;

    /// Counts similarities; of their range the outermost 0.5 % on both sides are left out.
    pub(crate) fn new(positives: &[f32], negatives: &[f32]) -> Self {
        let mut all = [positives, negatives].concat();
        all.sort_unstable_by(f32::total_cmp);
        let out = all.len() / 200;
        let mut range =
            [all.get(out), all.get(all.len().saturating_sub(out + 1))].map(|v| v.copied().unwrap_or(0.0));
        if range[0] >= range[1] {
            range = [range[0] - 0.5, range[0] + 0.5];
        }
        let count = |values: &[f32]| {
            let mut counts = vec![0; Self::STEPS];
            for value in values {
                let step = (value - range[0]) / (range[1] - range[0]) * Self::STEPS as f32;
                counts[(step.max(0.0) as usize).min(Self::STEPS - 1)] += 1;
            }
            counts
        };
        Histogram { range, positives: count(positives), negatives: count(negatives) }
    }
}

/// What was found about a compatibility matrix.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CompatReport {
    /// Iterations of the least-squares fit of H*; 0 where there was none.
    pub iterations: usize,
    /// Relative residual of that fit.
    pub residual: Option<f64>,
    /// Free coefficients of the matrix.
    pub coefficients: usize,
    /// Share of the matrix's absolute sum that lies on its diagonal: near 1 where like joins like (homophily) or each dimension
    /// joins its own opposite, less where different dimensions join.
    pub diagonal_share: f64,
    /// Share that lies on the diagonal below zero: a dimension joins its own opposite (heterophily).
    pub opposed_share: f64,
    /// First split: the matrix in blocks, of each block the strongest entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pooled: Vec<Vec<f32>>,
    /// Rows and columns of a block; 1 where `pooled` is the matrix itself.
    pub block: usize,
}

impl CompatReport {
    /// Blocks on a side at most.
    const BLOCKS: usize = 32;

    fn new(compatibility: &Compatibility) -> Self {
        let h = &compatibility.matrix;
        let d = h.rows();
        let of = |chosen: fn(usize, usize, f32) -> bool| -> f64 {
            let row = |i: usize| h.row(i).iter().enumerate().filter(move |(j, v)| chosen(i, *j, **v));
            (0..d).flat_map(row).map(|(_, v)| f64::from(v.abs())).sum()
        };
        let all = of(|_, _, _| true);
        let block = d.div_ceil(Self::BLOCKS).max(1);
        let strongest = |row: usize, col: usize| {
            let rows = (row * block..d.min((row + 1) * block))
                .map(|i| &h.row(i)[col * block..d.min((col + 1) * block)]);
            rows.flatten().fold(0.0f32, |top, &v| if v.abs() > top.abs() { v } else { top })
        };
        // A matrix of zeros has no shares.
        let share = |part: f64| if all > 0.0 { part / all } else { 0.0 };
        CompatReport {
            iterations: compatibility.lsqr.as_ref().map_or(0, |info| info.iterations),
            residual: compatibility.lsqr.as_ref().map(|info| info.residual),
            coefficients: compatibility.coefficients,
            diagonal_share: share(of(|i, j, _| i == j)),
            opposed_share: share(of(|i, j, v| i == j && v < 0.0)),
            pooled: (0..d.div_ceil(block))
                .map(|row| (0..d.div_ceil(block)).map(|col| strongest(row, col)).collect())
                .collect(),
            block,
        }
    }
}

/// What was found on one split.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SplitReport {
    /// Seed of the split.
    pub seed: u64,
    /// By component.
    pub components: OrderedMap<ComponentReport>,
    /// Links: degrees alone, and the columns of X by group where X is one of the components.
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub parts: OrderedMap<ComponentReport>,
    /// Links with uniform negatives: how well training degrees alone separate validation edges from the other pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degree_auc: Option<f64>,
    /// Act's part; absent from a probe.
    #[serde(flatten)]
    pub act: Option<ActReport>,
    /// Test samples that a training sample repeats: nodes with the same features and another number, or edges between such nodes.
    pub repeats: usize,
    /// Wall-clock time of every stage.
    pub seconds: OrderedMap<f64>,
    #[serde(skip)]
    pub(crate) samples: Samples,
    #[serde(skip)]
    pub(crate) matched: Option<Samples>,
    /// Bits about the target, by groups of components.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictive_information: Option<Information>,
    /// Links with uniform negatives: the same against degree-matched negatives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_degree_information: Option<Information>,
}

impl SplitReport {
    /// Without what only pictures need; those of one split are enough.
    fn plain(mut self) -> Self {
        for (_, component) in self.components.0.iter_mut().chain(&mut self.parts.0) {
            component.histogram = None;
            if let Some(compat) = &mut component.compat {
                compat.pooled = Vec::new();
            }
        }
        if let Some(act) = &mut self.act {
            act.curves = None;
        }
        self
    }
}

/// A figure for each metric and each component, over the splits.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// Test metrics; empty for a probe.
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub test: OrderedMap<f64>,
    /// Scores of the components.
    pub components: OrderedMap<f64>,
}

/// What was found about one component over all splits: means, but for the p-value.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ComponentSummary {
    /// What it stands for in the verdict.
    pub group: Group,
    /// NetInfoF score.
    pub score: f64,
    /// The score less its bias from few samples.
    pub corrected: f64,
    /// The 95 % interval of `corrected`; samples that several splits share count once.
    pub interval: [f64; 2],
    /// The score on a scale from 0, no information, to 1.
    pub normalized: f64,
    /// Accuracy of the same tables.
    pub accuracy: f64,
    /// The score of knowing nothing.
    pub no_information: f64,
    /// Accuracy on held-out samples.
    pub held_out: Estimate,
    /// How often shuffled labels score as high: the median of the splits.
    pub p_value: f64,
    /// Links with uniform negatives: means of the same against degree-matched negatives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_degree: Option<BeyondDegree>,
    /// Whether it predicts something: see [`crate::verdict`].
    pub tells: bool,
}

impl ComponentSummary {
    fn new(name: &str, own: &[&ComponentReport], splits: &SplitsInfo) -> Self {
        let mean_of =
            |figure: fn(&ComponentReport) -> f64| mean(&own.iter().map(|c| figure(c)).collect::<Vec<_>>());
        let estimate = |of: fn(&ComponentReport) -> Estimate| {
            Estimate::mean(&own.iter().map(|c| of(c)).collect::<Vec<_>>(), splits.repetition)
        };
        let corrected = estimate(|c| Estimate { value: c.corrected, interval: c.interval });
        let p_value = median(own.iter().map(|c| c.p_value).collect());
        let matched: Option<Vec<BeyondDegree>> = own.iter().map(|c| c.beyond_degree).collect();
        let beyond_degree = matched.filter(|m| !m.is_empty()).map(|matched| {
            let of = |of: fn(&BeyondDegree) -> Estimate| {
                Estimate::mean(&matched.iter().map(of).collect::<Vec<_>>(), splits.repetition)
            };
            let corrected = of(|m| Estimate { value: m.corrected, interval: m.interval });
            BeyondDegree {
                corrected: corrected.value,
                interval: corrected.interval,
                held_out: of(|m| m.held_out),
                p_value: median(matched.iter().map(|m| m.p_value).collect()),
            }
        });
        let held_out = estimate(|c| c.held_out);
        let seen = Observed { p_value, held_out, components: splits.components, links: splits.links };
        let matched = beyond_degree.map(|m| Observed { p_value: m.p_value, held_out: m.held_out, ..seen });
        ComponentSummary {
            group: Group::of(name, splits.featureless),
            score: mean_of(|c| c.score),
            corrected: corrected.value,
            interval: corrected.interval.map(|end| end.min(1.0)),
            normalized: mean_of(|c| c.normalized),
            accuracy: mean_of(|c| c.accuracy),
            no_information: mean_of(|c| c.no_information),
            held_out,
            p_value,
            beyond_degree,
            tells: seen.predicts() && matched.is_none_or(|matched| matched.predicts()),
        }
    }

    /// Whether it predicts something under uniform negatives, be it by degrees alone.
    pub(crate) fn tells_by_degree(&self, components: usize) -> bool {
        let seen = Observed { p_value: self.p_value, held_out: self.held_out, components, links: true };
        self.beyond_degree.is_some() && !self.tells && seen.predicts()
    }
}

/// What is common to the splits of a run.
pub(crate) struct SplitsInfo {
    pub(crate) links: bool,
    pub(crate) featureless: bool,
    /// How many components were measured.
    pub(crate) components: usize,
    /// How many times each sample was used, on average.
    pub(crate) repetition: f64,
}

impl SplitsInfo {
    pub(crate) fn new(links: bool, featureless: bool, splits: &[SplitReport]) -> Self {
        SplitsInfo {
            links,
            featureless,
            components: splits.first().map_or(1, |split| split.components.0.len()),
            repetition: evidence::repetition(splits.iter().map(|split| &split.samples.units[..])),
        }
    }
}

/// The parameters of a run, whichever the task.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RunParams {
    /// Of link prediction.
    Links(LinkParams),
    /// Of node classification.
    Nodes(NodeParams),
}

impl RunParams {
    /// What the run is about.
    pub(crate) fn task(&self) -> &'static str {
        match self {
            RunParams::Links(_) => "links",
            RunParams::Nodes(_) => "nodes",
        }
    }
}

/// Everything a run found. What it wrote it reads again ([`Report::from_json`]).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// Would a GNN help?
    pub verdict: Verdict,
    /// Version of netinfof.
    pub netinfof: Cow<'static, str>,
    /// The task: `links` or `nodes`.
    pub task: Cow<'static, str>,
    /// What the graph is.
    pub graph: GraphFacts,
    /// Links: how negatives were drawn; figures of different protocols cannot be compared.
    pub protocol: Option<Protocol>,
    /// What was done with the feature columns, by kind.
    #[serde(default)]
    pub preparation: Vec<ColumnTreatment>,
    /// Nodes: bits about the target by groups of components, over all splits: the evidence behind the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictive_information: Option<Information>,
    /// Links with uniform negatives: the same against degree-matched negatives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_degree_information: Option<Information>,
    /// By component, over all splits.
    pub components: OrderedMap<ComponentSummary>,
    /// Links: degrees alone, and the columns of X by the group they belong to, over all splits.
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub parts: OrderedMap<ComponentSummary>,
    /// All parameters.
    pub params: RunParams,
    /// By split.
    pub splits: Vec<SplitReport>,
    /// The best components of structure, features and propagation against each other.
    pub comparisons: Vec<Comparison>,
    /// What every other component adds to the best one, and propagation to features.
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
    /// System and processor.
    pub platform: String,
    /// The command that gives this report again, where it was a command.
    pub command: Option<String>,
}

impl Report {
    /// `twins` are those of the graph's features.
    pub(crate) fn new(
        graph: &Graph,
        twins: &[NodeId],
        params: RunParams,
        splits: Vec<SplitReport>,
        exec: &Exec,
    ) -> Self {
        let task = params.task();
        let protocol = match &params {
            RunParams::Links(params) => Some(params.split.protocol),
            RunParams::Nodes(_) => None,
        };
        let featureless = graph.features().cols() == 0;
        let info = SplitsInfo::new(matches!(params, RunParams::Links(_)), featureless, &splits);
        let (mut components, mut parts) = summaries(&splits, &info);
        verdict::confirm(&mut components, &mut parts, &splits, &info);
        let information = information(&splits, |split| split.predictive_information.as_ref());
        let beyond_degree = self::information(&splits, |split| split.beyond_degree_information.as_ref());
        let known = information
            .as_ref()
            .map(|information| RunInformation { information, beyond_degree: beyond_degree.as_ref() });
        let judgement = verdict::judge(&info, &components, &parts, known, &splits);
        let component = match &params {
            RunParams::Links(params) => &params.component,
            RunParams::Nodes(params) => &params.component,
        };
        let prepared = (!featureless)
            .then(|| Preparation::learn(graph.features(), false, graph.adjacency(), component, exec));
        Report {
            verdict: judgement.verdict,
            comparisons: judgement.comparisons,
            additions: judgement.additions,
            netinfof: env!("CARGO_PKG_VERSION").into(),
            task: task.into(),
            graph: graph.facts_with(twins),
            protocol,
            preparation: prepared.map_or_else(Vec::new, |prepared| prepared.treatments()),
            predictive_information: information,
            beyond_degree_information: beyond_degree,
            components,
            parts,
            params,
            mean: summarize(&splits, mean),
            std: summarize(&splits, deviation),
            splits: splits
                .into_iter()
                .enumerate()
                .map(|(at, s)| if at == 0 { s } else { s.plain() })
                .collect(),
            notices: exec.notices(),
            threads: exec.threads(),
            peak_memory_bytes: peak_memory(),
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            command: None,
        }
    }

    /// The report as indented JSON, lists of numbers on one line.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("a report holds nothing JSON cannot say");
        short_lists(&text)
    }

    /// Reads what [`Report::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

/// Indented JSON with every list that holds no other list or object on one line.
pub(crate) fn short_lists(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '[']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let end = if from.starts_with('"') { string_end(from) } else { list_end(from) };
        if from.starts_with('"') {
            out.push_str(&from[..end]);
        } else {
            let items: Vec<&str> = from[..end].split_whitespace().collect();
            out.push_str(&items.join(" ").replace("[ ", "[").replace(" ]", "]"));
        }
        rest = &from[end..];
    }
    out + rest
}

/// Where a JSON string that begins here ends.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Where a list of numbers that begins here ends; after its bracket if it holds anything else.
fn list_end(text: &str) -> usize {
    match text[1..].find(['"', '[', ']', '{']) {
        Some(at) if text[1 + at..].starts_with(']') => at + 2,
        _ => 1,
    }
}

impl ComponentReport {
    pub(crate) fn new(info: &InfoScore, dim: usize, compat: Option<&Compatibility>) -> Self {
        ComponentReport {
            score: info.score,
            corrected: info.corrected.value,
            interval: info.corrected.interval,
            normalized: score::normalized(info.score, info.no_information),
            held_out: info.held_out,
            accuracy: info.accuracy,
            no_information: info.no_information,
            p_value: info.p_value,
            beyond_degree: info.beyond_degree,
            samples: info.table.samples(),
            bins: info.table.bins(),
            table: info.table.rows().map(<[u64]>::to_vec).collect(),
            borders: info.borders.clone(),
            histogram: info.histogram.clone(),
            dim,
            compat: compat.map(CompatReport::new),
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

/// Components and the parts of X, over all splits.
pub(crate) fn summaries(splits: &[SplitReport], info: &SplitsInfo) -> (Summaries, Summaries) {
    let of = |own: fn(&SplitReport) -> &OrderedMap<ComponentReport>| -> Summaries {
        let Some(first) = splits.first() else { return OrderedMap::default() };
        own(first)
            .iter()
            .map(|(name, _)| {
                let found: Vec<&ComponentReport> = splits.iter().filter_map(|s| own(s).get(name)).collect();
                (name.to_string(), ComponentSummary::new(name, &found, info))
            })
            .collect()
    };
    (of(|split| &split.components), of(|split| &split.parts))
}

type Summaries = OrderedMap<ComponentSummary>;

/// Predictive information over all splits.
fn information(splits: &[SplitReport], own: fn(&SplitReport) -> Option<&Information>) -> Option<Information> {
    let all: Vec<&Information> = splits.iter().filter_map(own).collect();
    Information::mean(&all, evidence::repetition(all.iter().map(|own| &own.units[..])))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let centre = mean(values);
    (values.iter().map(|v| (v - centre).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

/// The middle value; of two the upper.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
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
    fn lists_of_numbers_stand_on_one_line() {
        let value = serde_json::json!({ "a[": [1, 2.5], "b": [[1], []], "c\"[": ["x [ y"], "d": {} });
        let text = serde_json::to_string_pretty(&value).unwrap();
        let short = short_lists(&text);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&short).unwrap(), value);
        assert!(short.contains("\"a[\": [1, 2.5],") && short.contains("    [1],\n    []"), "{short}");
    }

    #[test]
    fn matrices_in_short() {
        let matrix = crate::matrix::Matrix::from_fn(40, 40, |i, j| match (i, j) {
            (0, 0) => 3.0,
            (1, 1) => -4.0,
            (2, 39) | (39, 2) => 0.5,
            _ => 0.0,
        });
        let found = CompatReport::new(&Compatibility { matrix, coefficients: 3, lsqr: None });
        assert!(
            (found.diagonal_share - 7.0 / 8.0).abs() < 1e-12 && (found.opposed_share - 0.5).abs() < 1e-12
        );
        assert_eq!((found.block, found.pooled.len()), (2, 20));
        assert_eq!((found.pooled[0][0], found.pooled[1][19], found.pooled[5][5]), (-4.0, 0.5, 0.0));
        let none = Compatibility { matrix: crate::matrix::Matrix::zeros(0, 0), coefficients: 0, lsqr: None };
        assert_eq!(
            (CompatReport::new(&none).diagonal_share, CompatReport::new(&none).pooled.len()),
            (0.0, 0)
        );
    }

    #[test]
    fn histograms_count_all() {
        let positives: Vec<f32> = (0..1000).map(|v| v as f32).collect();
        let histogram = Histogram::new(&positives, &[-1e9, 500.0]);
        // 1002 values: 5 on both sides are outside the range, and counted at its ends.
        assert_eq!(histogram.range, [4.0, 994.0]);
        assert_eq!((histogram.positives.iter().sum::<u64>(), histogram.negatives[0]), (1000, 1));
        assert_eq!(histogram.negatives[20], 1);
        assert_eq!(Histogram::new(&[2.0], &[2.0]).range, [1.5, 2.5]);
        assert_eq!(Histogram::new(&[], &[]).positives, [0; 40]);
    }

    #[test]
    fn maps_keep_their_order() {
        let map: OrderedMap<u8> = [("b".to_string(), 1), ("a".to_string(), 2)].into_iter().collect();
        assert_eq!(serde_json::to_string(&map).unwrap(), r#"{"b":1,"a":2}"#);
        assert_eq!(map.get("a"), Some(&2));
    }
}
