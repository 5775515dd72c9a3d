//! All results of a run as one serialisable value, and the types it consists of. The JSON is complete; tables and
//! pages are views of it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::component::Preparation;
use crate::evidence;
use crate::exec::Exec;
use crate::findings::{SplitsInfo, summaries};
use crate::graph::{Graph, NodeId};
use crate::memory;
use crate::spec::{TaskKind, Weighting};
use crate::split::Protocol;
use crate::verdict::{self, RunInformation};

pub use crate::act::{ActReport, Chosen, Confusion, EndsFigures, LabelResults, NumberResults, PathStep};
pub use crate::component::{ColumnKind, ColumnTreatment};
pub use crate::evidence::Estimate;
pub use crate::findings::{CompatReport, ComponentReport, ComponentSummary, SplitReport};
pub use crate::graph::{GraphFacts, TargetFacts, TargetKind};
pub use crate::information::{Answer, GroupInformation, Information, InformationGain};
pub use crate::linalg::SglInfo;
pub use crate::metric::Curves;
pub use crate::ordered_map::OrderedMap;
pub use crate::params::RunParams;
pub use crate::probe::{BeyondDegree, Histogram, InfoScore};
pub use crate::spec::Group;
pub use crate::split::TimeOrder;
pub use crate::verdict::{Addition, Comparison, Verdict, VerdictKind};

/// One figure per metric and per component, over the splits.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// Test metrics; empty after `Goal::Probe`.
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub test: OrderedMap<f64>,
    /// The same for a model without information ([`ActReport::no_information`]).
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub no_information: OrderedMap<f64>,
    /// Scores of the components.
    pub components: OrderedMap<f64>,
}

/// All results of a run. Reports can be written as JSON and read again ([`Report::from_json`]).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The answer: whether a GNN would help.
    pub verdict: Verdict,
    /// Version of netinfof.
    pub netinfof: Cow<'static, str>,
    /// The task: `links` or `nodes`.
    pub task: TaskKind,
    /// Facts about the graph.
    pub graph: GraphFacts,
    /// Links: how negatives were drawn; figures of different protocols must not be compared.
    pub protocol: Option<Protocol>,
    /// How the feature columns were prepared, by kind.
    #[serde(default)]
    pub preparation: Vec<ColumnTreatment>,
    /// Nodes: bits about the target by groups of components, over all splits: the evidence behind the
    /// verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictive_information: Option<Information>,
    /// Links with uniform negatives: the same against degree-matched negatives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_degree_information: Option<Information>,
    /// By component, over all splits.
    pub components: OrderedMap<ComponentSummary>,
    /// Links: degrees alone, and the columns of X by group, over all splits.
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub parts: OrderedMap<ComponentSummary>,
    /// All parameters.
    pub params: RunParams,
    /// By split.
    pub splits: Vec<SplitReport>,
    /// Comparisons of the best components of structure, features and propagation.
    pub comparisons: Vec<Comparison>,
    /// The gain of every other component over the best one, and of propagation over features.
    pub additions: Vec<Addition>,
    /// Means over the splits.
    pub mean: Summary,
    /// Standard deviations over the splits (of the population, as in the paper's tables).
    pub std: Summary,
    /// Notices for the user.
    pub notices: Vec<String>,
    /// Number of threads; no result depends on it.
    pub threads: usize,
    /// Peak memory of the process, if the system reports it.
    pub peak_memory_bytes: Option<u64>,
    /// System and processor.
    pub platform: String,
    /// The command that reproduces this report, if it came from the command line.
    pub command: Option<String>,
}

impl Report {
    /// `twins` are those of the graph's features.
    pub(crate) fn new(
        graph: &Graph,
        twins: &[NodeId],
        task: TaskKind,
        params: RunParams,
        splits: Vec<SplitReport>,
        exec: &Exec,
    ) -> Self {
        let featureless = graph.features().cols() == 0;
        let facts = graph.facts_with(twins);
        let info = SplitsInfo::new(task, featureless, facts.labelled, &splits);
        let (mut components, mut parts) = summaries(&splits, &info);
        verdict::confirm(&mut components, &mut parts, &splits, &info);
        let information = information(&splits, |split| split.predictive_information.as_ref());
        let beyond_degree = self::information(&splits, |split| split.beyond_degree_information.as_ref());
        let known = information
            .as_ref()
            .map(|information| RunInformation { information, beyond_degree: beyond_degree.as_ref() });
        let judgement = verdict::judge(&info, &components, &parts, known, &splits);
        let component = params.component();
        let prepared = (!featureless).then(|| {
            Preparation::learn(graph.features(), Weighting::Equal, graph.adjacency(), component, exec)
        });
        Report {
            verdict: judgement.verdict,
            comparisons: judgement.comparisons,
            additions: judgement.additions,
            netinfof: env!("CARGO_PKG_VERSION").into(),
            task,
            graph: facts,
            protocol: params.protocol(),
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
            peak_memory_bytes: memory::peak(),
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            command: None,
        }
    }

    /// The report as indented JSON, lists of numbers on one line.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("a report can always be written as JSON");
        short_lists(&text)
    }

    /// Reads the JSON of [`Report::to_json`].
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

/// The end of the JSON string that begins here.
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

/// The end of the list of numbers that begins here; the position after its bracket if it contains anything
/// else.
fn list_end(text: &str) -> usize {
    match text[1..].find(['"', '[', ']', '{']) {
        Some(at) if text[1 + at..].starts_with(']') => at + 2,
        _ => 1,
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
        let over_splits = |metrics: fn(&ActReport) -> &OrderedMap<f64>| -> OrderedMap<f64> {
            let of = |name: &str| {
                let value = |split: &SplitReport| metrics(split.act.as_ref()?).get(name).copied();
                figure(&splits.iter().filter_map(value).collect::<Vec<f64>>())
            };
            metrics(act).iter().map(|(name, _)| (name.to_string(), of(name))).collect()
        };
        summary.test = over_splits(|act| &act.test);
        summary.no_information = over_splits(|act| &act.no_information);
    }
    summary
}

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
}
