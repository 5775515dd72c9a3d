//! The answer in words: would a GNN help here, or is structure or are features enough, or is there nothing to be had?
//!
//! The rule has no constants beyond the level of its intervals (95 %) and of its tests (5 %, divided by the number of components):
//!
//! 1. A component *tells* something if shuffled labels score as high no more often than the level of the test (the median of the
//!    splits' p-values).
//! 2. The best of U and R stands for structure, F for features, the best of P, S and their other depths for propagation; best by the
//!    corrected score, mean of the splits. On a graph without features F holds degrees and counts as structure. X and D stand for none of
//!    them: X is fitted to pairs, D is what features do not share.
//! 3. Nothing tells: `nothing`. Structure tells and features do not: `structure`, since what propagated features know may then be
//!    structure alone (random features on their way through a graph are a sketch of it). Only propagation tells: `gnn`.
//! 4. Else `gnn` if propagation tells, beats structure by an interval above 0, and beats features too, or is level with them
//!    (the interval holds 0) and adds to them: bins of both together know more than those of features alone (5 %). To be level with
//!    structure and to add to it is not enough, for the same reason as above: it may be another sketch of the same structure.
//! 5. Else `structure` or `features` if only one of them tells or one beats the other, `any` if neither does. Where only X tells it is
//!    `structure`, where only D does `gnn`.
//!
//! Groups that were left out of `--components` are never said to know or not to know anything.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::evidence::Estimate;
use crate::report::{self, ComponentSummary, OrderedMap, SplitReport};
use crate::seed::{Seed, Stream};

/// What to make of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum VerdictKind {
    /// Propagated features know more than structure and features each alone.
    Gnn,
    /// Structure is enough.
    Structure,
    /// Features are enough.
    Features,
    /// Structure alone or features alone: each is enough.
    Any,
    /// There is nothing to be had.
    Nothing,
}

/// The answer, why, and what to do next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Verdict {
    /// What to make of the graph.
    pub kind: VerdictKind,
    /// Why.
    pub reason: String,
    /// What to do next.
    pub next: String,
}

/// How much higher one component scores than another on the same samples, mean of the splits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The component that scores higher.
    pub better: String,
    /// The other.
    pub worse: String,
    /// How much higher.
    #[serde(flatten)]
    pub difference: Estimate,
}

/// What a second component adds to one that is known, mean of the splits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Addition {
    /// The component that is known already.
    pub given: String,
    /// The second.
    pub component: String,
    /// How much higher both together score.
    pub gain: f64,
    /// How often a component that adds nothing gains as much (the median of the splits).
    pub p_value: f64,
}

/// Everything that is said across components.
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    pub(crate) comparisons: Vec<Comparison>,
    pub(crate) additions: Vec<Addition>,
}

/// Level of the tests, before it is divided by their number.
const LEVEL: f64 = 0.05;
/// Samples for each label below which nothing found is no news.
const FEWEST_FOR_EACH: u64 = 20;
/// Shuffles behind the p-value of a gain.
const PERMUTATIONS: usize = 199;

/// What a component stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Group {
    /// Structure alone.
    Structure,
    /// Features alone.
    Features,
    /// Features on their way through the structure.
    Propagation,
    /// None of them.
    Other,
}

impl Group {
    /// The group of a component, by its name. Without features F holds degrees.
    pub(crate) fn of(component: &str, featureless: bool) -> Self {
        match component {
            "U" | "R" => Group::Structure,
            "F" if featureless => Group::Structure,
            "F" => Group::Features,
            "P" | "S" | "P1" | "S1" | "S3" | "S5" => Group::Propagation,
            _ => Group::Other,
        }
    }
}

/// Whether a p-value is small enough for one of so many components.
pub(crate) fn tells(p_value: f64, components: usize) -> bool {
    p_value <= LEVEL / components as f64
}

/// A group's best component.
struct Best<'a> {
    name: &'a str,
    group: Group,
    score: f64,
    tells: bool,
}

/// Judges the splits of a run.
pub(crate) fn judge(
    task: &str,
    featureless: bool,
    components: &OrderedMap<ComponentSummary>,
    splits: &[SplitReport],
) -> Judgement {
    let all: Vec<Best<'_>> = components
        .iter()
        .map(|(name, c)| Best { name, group: c.group, score: c.corrected, tells: c.tells })
        .collect();
    let best_of = |group: Group| {
        let members = all.iter().filter(|c| c.group == group);
        members.max_by(|a, b| a.score.total_cmp(&b.score))
    };
    let [structure, features, propagation] =
        [Group::Structure, Group::Features, Group::Propagation].map(best_of);
    let pairs = [(propagation, structure), (propagation, features), (structure, features)];
    let comparisons: Vec<Comparison> = pairs.iter().filter_map(|&(a, b)| compared(a?, b?, splits)).collect();
    let best = all.iter().max_by(|a, b| a.score.total_cmp(&b.score)).expect("a component");
    let mut asked: Vec<[&str; 2]> =
        all.iter().filter(|other| other.name != best.name).map(|other| [best.name, other.name]).collect();
    let beyond = features.zip(propagation).map(|(f, p)| [f.name, p.name]);
    asked.extend(beyond.filter(|pair| !asked.contains(pair)));
    let additions: Vec<Addition> =
        asked.iter().filter_map(|[given, name]| added(given, name, splits)).collect();
    let beats = |a: &Best<'_>, b: &Best<'_>| {
        comparisons.iter().any(|c| c.better == a.name && c.worse == b.name && c.difference.above(0.0))
    };
    let adds = |a: &Best<'_>, b: &Best<'_>| {
        let own = additions.iter().find(|found| found.given == b.name && found.component == a.name);
        own.is_some_and(|found| found.gain > 0.0 && found.p_value <= LEVEL)
    };
    let ahead = |p: &Best<'_>| {
        structure.is_none_or(|s| beats(p, s))
            && features.is_none_or(|f| beats(p, f) || !beats(f, p) && adds(p, f))
    };
    let tells = |best: Option<&Best<'_>>| best.is_some_and(|best| best.tells);
    let (s, f, p) = (tells(structure), tells(features), tells(propagation));
    let other = all.iter().find(|c| c.group == Group::Other && c.tells).map(|c| c.name);
    let kind = match (s, f) {
        (false, false) if p => VerdictKind::Gnn,
        (false, false) => match other {
            None => VerdictKind::Nothing,
            Some("D") => VerdictKind::Gnn,
            Some(_) => VerdictKind::Structure,
        },
        (true, false) if features.is_some() => VerdictKind::Structure,
        _ if p && propagation.is_some_and(ahead) => VerdictKind::Gnn,
        (true, false) => VerdictKind::Structure,
        (false, true) => VerdictKind::Features,
        (true, true) => match (structure, features) {
            (Some(s), Some(f)) if beats(s, f) => VerdictKind::Structure,
            (Some(s), Some(f)) if beats(f, s) => VerdictKind::Features,
            _ => VerdictKind::Any,
        },
    };
    let words = Words {
        groups: [structure, features, propagation],
        only: if s || f || p { None } else { other },
        comparisons: &comparisons,
        additions: &additions,
        featureless,
        few: few_samples(splits),
    };
    let verdict =
        Verdict { kind, reason: words.reason(kind), next: words.next(kind, task, best.name == "X") };
    Judgement { verdict, comparisons, additions }
}

/// Samples of the smallest split, where even a component that knows a good deal would go unnoticed.
fn few_samples(splits: &[SplitReport]) -> Option<u64> {
    let tables = splits.iter().flat_map(|split| split.components.iter().map(|(_, component)| component));
    let fewest = tables.min_by_key(|component| component.samples)?;
    let labels = fewest.table.first().map_or(2, Vec::len) as u64;
    (fewest.samples < FEWEST_FOR_EACH * labels).then_some(fewest.samples)
}

fn compared(a: &Best<'_>, b: &Best<'_>, splits: &[SplitReport]) -> Option<Comparison> {
    let (better, worse) = if a.score >= b.score { (a, b) } else { (b, a) };
    let differences: Option<Vec<Estimate>> = splits
        .iter()
        .map(|split| {
            let mut draw = stream(split, better.name, worse.name, 0);
            split.samples.difference(better.name, worse.name, &mut draw)
        })
        .collect();
    let difference = Estimate::mean(&differences.filter(|d| !d.is_empty())?);
    Some(Comparison { better: better.name.into(), worse: worse.name.into(), difference })
}

fn added(given: &str, name: &str, splits: &[SplitReport]) -> Option<Addition> {
    let gain = |split: &SplitReport| {
        split.samples.gain(given, name, PERMUTATIONS, &mut stream(split, given, name, 1))
    };
    let gains: Vec<_> = splits.iter().map(gain).collect::<Option<_>>()?;
    Some(Addition {
        given: given.into(),
        component: name.into(),
        gain: gains.iter().map(|g| g.value).sum::<f64>() / gains.len() as f64,
        p_value: report::median(gains.iter().map(|g| g.p_value).collect()),
    })
}

/// A stream for each split, pair of components and question.
fn stream(split: &SplitReport, a: &str, b: &str, question: u64) -> crate::seed::Draw {
    let unit = a.bytes().chain([b'|']).chain(b.bytes()).fold(question + 1, |unit, byte| {
        unit.wrapping_mul(131).wrapping_add(u64::from(byte)) & ((1 << 40) - 1)
    });
    Seed(split.seed).stream(Stream::Resampling, unit)
}

/// What a verdict is explained with.
struct Words<'a> {
    /// The best of structure, features and propagation.
    groups: [Option<&'a Best<'a>>; 3],
    /// The component that alone tells, where none of the groups does.
    only: Option<&'a str>,
    comparisons: &'a [Comparison],
    additions: &'a [Addition],
    featureless: bool,
    /// Samples of a split, where they are too few for silence to mean anything.
    few: Option<u64>,
}

impl Words<'_> {
    fn group(&self, group: usize) -> &'static str {
        match (group, self.featureless) {
            (0, _) => "structure",
            (1, _) => "features",
            (_, false) => "propagated features",
            (_, true) => "propagated degrees",
        }
    }

    /// A group's component in words.
    fn component(&self, name: &str) -> String {
        let group = (0..3).find(|&g| self.groups[g].is_some_and(|best| best.name == name));
        group.map_or(name.into(), |g| format!("{} ({name})", self.group(g)))
    }

    fn comparison(&self, c: &Comparison) -> String {
        let [low, high] = c.difference.interval;
        let (better, worse) = (self.component(&c.better), self.component(&c.worse));
        if c.difference.above(0.0) {
            let verb = if better.starts_with("structure") { "beats" } else { "beat" };
            return format!("{better} {verb} {worse} by {:.3} [{low:.3}, {high:.3}]", c.difference.value);
        }
        let mut text =
            format!("{better} and {worse} are level ({:+.3} [{low:.3}, {high:.3}])", c.difference.value);
        // Level with features: what counts is whether propagation knows anything else.
        let beyond = self.groups[1].zip(self.groups[2]).and_then(|(f, p)| {
            let both = [f.name, p.name];
            let own = both.contains(&c.better.as_str()) && both.contains(&c.worse.as_str());
            self.additions.iter().find(|a| own && a.given == f.name && a.component == p.name)
        });
        if let Some(Addition { given, component, gain, p_value }) = beyond {
            let but = if *p_value <= LEVEL { " but" } else { ", and" };
            let _ = write!(text, "{but} {component} adds {gain:.3} to {given} (p {p_value:.3})");
        }
        text
    }

    fn reason(&self, kind: VerdictKind) -> String {
        let [structure, features, propagation] = self.groups;
        let known = match kind {
            _ if self.only == Some("X") => "Only what two nodes share (X) tells something, no embedding does",
            _ if self.only.is_some() => {
                "Only what sets nodes apart from their neighbours (D) tells something"
            }
            VerdictKind::Nothing => "No component scores above what shuffled labels score",
            VerdictKind::Gnn if structure.is_none() && features.is_none() => "Propagation tells something",
            VerdictKind::Gnn => "Propagation knows more than its parts",
            VerdictKind::Structure if features.is_some_and(|f| !f.tells) && propagation.is_some() => {
                "Structure knows and features do not, so what propagated features know is structure"
            }
            VerdictKind::Structure if features.is_some_and(|f| !f.tells) => {
                "Structure knows and features do not"
            }
            VerdictKind::Structure if propagation.is_some() => {
                "Structure knows most, and propagation adds nothing clear to it"
            }
            VerdictKind::Structure => "Structure tells something",
            VerdictKind::Features if propagation.is_some() => {
                "Features know, and propagation adds nothing clear to them"
            }
            VerdictKind::Features => "Features tell something",
            VerdictKind::Any if propagation.is_some() => {
                "Structure and features each know about as much, and propagation adds nothing clear"
            }
            VerdictKind::Any => "Structure and features each know about as much",
        };
        let mut listed = Vec::new();
        let mut missing = Vec::new();
        for (group, best) in self.groups.iter().enumerate() {
            let alone = if group < 2 { " alone" } else { "" };
            match best {
                Some(best) => {
                    let chance = if best.tells { "" } else { ", not to be told from chance" };
                    listed.push(format!(
                        "{}{alone} ({} {:.2}{chance})",
                        self.group(group),
                        best.name,
                        best.score
                    ));
                }
                None if group == 1 && self.featureless => {}
                None => missing.push(self.group(group)),
            }
        }
        let mut text = String::new();
        if self.featureless {
            text.push_str("The graph has no features; degrees stand in for them. ");
        }
        text.push_str(known);
        if !listed.is_empty() {
            let _ = write!(text, ": {}", listed.join(", "));
        }
        if !self.comparisons.is_empty() && kind != VerdictKind::Nothing {
            let all: Vec<String> = self.comparisons.iter().map(|c| self.comparison(c)).collect();
            let _ = write!(text, "; {}", all.join(", "));
        }
        text.push('.');
        if !missing.is_empty() {
            let _ = write!(text, " Not measured: {}.", missing.join(", "));
        }
        text
    }

    fn next(&self, kind: VerdictKind, task: &str, x_best: bool) -> String {
        if let (VerdictKind::Nothing, Some(samples)) = (kind, self.few) {
            let what = if task == "links" { "pairs" } else { "labelled nodes" };
            return format!(
                "Only {samples} {what} were looked at, too few to say: take larger shares, such as `--shares {}`, or find more {}.",
                if task == "links" { "0.5,0.3" } else { "0.5,0.25" },
                if task == "links" { "edges" } else { "labels" },
            );
        }
        let text = match kind {
            _ if self.only == Some("X") => "Prefer a model that looks at pairs, or `netinfof act`.",
            VerdictKind::Gnn => {
                "Train one; `netinfof act` gives its linear counterpart in seconds, the bar to beat."
            }
            VerdictKind::Structure if self.featureless => {
                "Structural embeddings, label propagation or `netinfof act` should do as well as a GNN."
            }
            VerdictKind::Structure => {
                "Do without the features: structural embeddings, label propagation or `netinfof act` should do as well as a GNN."
            }
            VerdictKind::Features => {
                "Do without the graph: an MLP or any classifier on the features should do as well as a GNN."
            }
            VerdictKind::Any => {
                "Take whichever is cheaper, features or structure: each alone is enough, and a GNN should not do better."
            }
            VerdictKind::Nothing => {
                "No model will find what is not there: look for better features, more labels or another task."
            }
        };
        let mut text = text.to_string();
        if task == "links" && x_best && kind != VerdictKind::Nothing && self.only.is_none() {
            text.push_str(
                " What two nodes share (X) knows more still: prefer a model that looks at pairs, or `netinfof act`.",
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{self, Samples};
    use crate::probe::InfoScore;
    use crate::report::ComponentReport;
    use crate::score::Contingency;
    use crate::seed::Draw;

    const SAMPLES: usize = 2000;

    /// The verdict on components that put samples with a yes or no into two bins.
    fn verdict(labels: &[u32], components: &[(&str, Vec<u32>)]) -> Verdict {
        let mut draw = Seed(9).stream(Stream::Synth, 0);
        let found = components.iter().map(|(name, bins)| {
            let mut table = Contingency::new(2, 2);
            bins.iter().zip(labels).for_each(|(&bin, &label)| table.add(bin as usize, label as usize));
            let info = InfoScore {
                score: table.score(),
                accuracy: table.accuracy(),
                no_information: table.no_information(),
                corrected: evidence::interval(&table, &mut draw),
                p_value: evidence::p_value(&table, 999, &mut draw),
                held_out: Estimate::share(1, 2),
                table,
                borders: Vec::new(),
                histogram: None,
            };
            (name.to_string(), ComponentReport::new(&info, 1, None))
        });
        let split = SplitReport {
            seed: 0,
            components: found.collect(),
            act: None,
            repeats: 0,
            seconds: OrderedMap::default(),
            samples: Samples {
                labels: labels.to_vec(),
                classes: 2,
                bins: components.iter().map(|(name, bins)| (name.to_string(), 2, bins.clone())).collect(),
            },
        };
        let splits = [split];
        judge("links", false, &report::summaries(&splits, false), &splits).verdict
    }

    /// The labels, but for a share of them that coins decide.
    fn noisy(labels: &[u32], known: f64, draw: &mut Draw) -> Vec<u32> {
        labels.iter().map(|&label| if draw.unit() < known { label } else { draw.below(2) }).collect()
    }

    /// Nothing found among a handful of samples is no news, and is not told as if it were.
    #[test]
    fn few_samples_say_that_they_are_few() {
        let mut draw = Seed(5).stream(Stream::Synth, 0);
        let labels: Vec<u32> = (0..SAMPLES).map(|_| draw.below(2)).collect();
        let coins = noisy(&labels, 0.0, &mut draw);
        let of = |count: usize| verdict(&labels[..count], &[("U", coins[..count].to_vec())]);
        assert_eq!((of(12).kind, of(SAMPLES).kind), (VerdictKind::Nothing, VerdictKind::Nothing));
        assert!(of(12).next.contains("Only 12 ") && of(12).next.contains("--shares"), "{}", of(12).next);
        assert!(of(SAMPLES).next.contains("No model will find"), "{}", of(SAMPLES).next);
    }

    #[test]
    fn every_kind_of_verdict() {
        let mut draw = Seed(3).stream(Stream::Synth, 0);
        let labels: Vec<u32> = (0..SAMPLES).map(|_| draw.below(2)).collect();
        let mut of = |known: f64| noisy(&labels, known, &mut draw);
        let (weak, other, strong, coins, more) = (of(0.5), of(0.5), of(0.8), of(0.0), of(0.0));
        let kind = |u: &[u32], f: &[u32], p: &[u32]| {
            let found = verdict(&labels, &[("U", u.to_vec()), ("F", f.to_vec()), ("P", p.to_vec())]);
            assert!(!found.reason.contains("NaN") && found.reason.ends_with('.') && !found.next.is_empty());
            found.kind
        };
        assert_eq!(kind(&coins, &more, &coins), VerdictKind::Nothing);
        assert_eq!(kind(&coins, &more, &strong), VerdictKind::Gnn);
        assert_eq!(kind(&weak, &coins, &strong), VerdictKind::Structure);
        assert_eq!(kind(&weak, &other, &strong), VerdictKind::Gnn);
        assert_eq!(kind(&coins, &strong, &weak), VerdictKind::Features);
        assert_eq!(kind(&weak, &strong, &other), VerdictKind::Features);
        assert_eq!(kind(&strong, &weak, &other), VerdictKind::Structure);
        // Propagation that repeats what both know adds nothing.
        assert_eq!(kind(&weak, &weak, &weak), VerdictKind::Any);
        assert_eq!(kind(&weak, &other, &coins), VerdictKind::Any);
    }

    #[test]
    fn level_with_a_part_but_knowing_something_else() {
        let mut draw = Seed(4).stream(Stream::Synth, 0);
        let labels: Vec<u32> = (0..SAMPLES).map(|_| draw.below(2)).collect();
        let weak = noisy(&labels, 0.4, &mut draw);
        // As often wrong as each other, never together.
        let wrong =
            |at: usize| labels.iter().enumerate().map(move |(i, &l)| if i % 7 == at { 1 - l } else { l });
        let (features, propagated): (Vec<u32>, Vec<u32>) = wrong(0).zip(wrong(3)).unzip();
        // Level with structure is not enough, whatever it adds: it may be a sketch of the structure.
        let sketch =
            verdict(&labels, &[("R", features.clone()), ("F", weak.clone()), ("S", propagated.clone())]);
        assert_eq!(sketch.kind, VerdictKind::Structure, "{}", sketch.reason);
        let found = verdict(&labels, &[("R", weak.clone()), ("F", features.clone()), ("S", propagated)]);
        assert_eq!(found.kind, VerdictKind::Gnn, "{}", found.reason);
        assert!(found.reason.contains("S adds"), "{}", found.reason);
        let same = verdict(&labels, &[("R", weak), ("F", features.clone()), ("S", features)]);
        assert_eq!(same.kind, VerdictKind::Features, "{}", same.reason);
    }

    #[test]
    fn what_was_not_measured_is_not_judged() {
        let mut draw = Seed(6).stream(Stream::Synth, 0);
        let labels: Vec<u32> = (0..SAMPLES).map(|_| draw.below(2)).collect();
        let (weak, strong, coins) =
            (noisy(&labels, 0.4, &mut draw), noisy(&labels, 0.8, &mut draw), noisy(&labels, 0.0, &mut draw));
        let of = |components: &[(&str, &Vec<u32>)]| {
            let components: Vec<(&str, Vec<u32>)> =
                components.iter().map(|(n, b)| (*n, (*b).clone())).collect();
            verdict(&labels, &components)
        };
        for (components, kind, not) in [
            (&[("U", &weak), ("P", &strong)][..], VerdictKind::Gnn, "features."),
            (&[("U", &strong), ("P", &weak)], VerdictKind::Structure, "features."),
            (&[("F", &strong)], VerdictKind::Features, "structure, propagated features."),
            (&[("U", &strong)], VerdictKind::Structure, "features, propagated features."),
            (&[("P", &strong)], VerdictKind::Gnn, "structure, features."),
            (&[("U", &strong), ("F", &strong)], VerdictKind::Any, "propagated features."),
            (&[("X", &strong)], VerdictKind::Structure, "structure, features, propagated features."),
            (&[("D", &strong)], VerdictKind::Gnn, "structure, features, propagated features."),
            (&[("X", &coins)], VerdictKind::Nothing, "structure, features, propagated features."),
        ] {
            let found = of(components);
            assert_eq!(found.kind, kind, "{components:?}: {}", found.reason);
            assert!(found.reason.ends_with(&format!("Not measured: {not}")), "{}", found.reason);
            assert!(
                !found.reason.contains("adds nothing") || components.iter().any(|c| c.0 == "P"),
                "{}",
                found.reason
            );
        }
        // X tells where no embedding does.
        let found = of(&[("U", &coins), ("F", &coins), ("P", &coins), ("X", &strong)]);
        assert_eq!(found.kind, VerdictKind::Structure);
        assert!(
            found.reason.starts_with("Only what two nodes share (X)") && found.next.contains("pairs"),
            "{found:?}"
        );
    }

    #[test]
    fn any_number_of_components_can_tell() {
        let mut draw = Seed(5).stream(Stream::Synth, 0);
        let labels: Vec<u32> = (0..SAMPLES).map(|_| draw.below(2)).collect();
        let names = ["U", "R", "F", "P", "S", "P1", "S1", "S3", "S5", "D", "X"];
        let all: Vec<(&str, Vec<u32>)> = names.map(|name| (name, noisy(&labels, 0.5, &mut draw))).to_vec();
        assert_ne!(verdict(&labels, &all).kind, VerdictKind::Nothing);
    }
}
