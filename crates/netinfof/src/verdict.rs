//! The answer in words: would a GNN help here, or is structure or are features enough, or is there nothing to be had?
//!
//! The rule has no constants beyond the level of its intervals (95 %) and of its tests (5 %, divided by the number of components):
//!
//! 1. A component *tells* something if shuffled labels score as high no more often than the level of the test (the median of the
//!    splits' p-values).
//! 2. The best of U and R stands for structure, F for features, the best of P, S and their other depths for propagation; best by the
//!    corrected score, mean of the splits. X and D stand for none of them: X is fitted to pairs, D is what features do not share.
//! 3. Nothing tells: `nothing`. Only propagation tells: `gnn`. Structure tells and features do not: `structure`, since what
//!    propagated features know may then be structure alone (random features on their way through a graph are a sketch of it).
//! 4. Features tell: `gnn` if propagation tells, beats structure by an interval above 0, and beats features too, or is level with them
//!    (the interval holds 0) and adds to them: bins of both together know more than those of features alone (5 %). To be level with
//!    structure and to add to it is not enough, for the same reason as above: it may be another sketch of the same structure.
//!    Else `features` if structure tells nothing or features beat it, `structure` if it beats them, `any` if neither does.

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
    /// The group of a component, by its name.
    pub fn of(component: &str) -> Self {
        match component {
            "U" | "R" => Group::Structure,
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
    let told = |best: Option<&'_ Best<'_>>| best.is_some_and(|best| best.tells);
    let kind = match (told(structure), told(features), told(propagation)) {
        (false, false, false) => VerdictKind::Nothing,
        (false, false, true) => VerdictKind::Gnn,
        (true, false, _) => VerdictKind::Structure,
        (_, _, true) if propagation.is_some_and(ahead) => VerdictKind::Gnn,
        (false, true, _) => VerdictKind::Features,
        (true, true, _) => match (structure, features) {
            (Some(s), Some(f)) if beats(s, f) => VerdictKind::Structure,
            (Some(s), Some(f)) if beats(f, s) => VerdictKind::Features,
            _ => VerdictKind::Any,
        },
    };
    let verdict = Verdict {
        kind,
        reason: reason(kind, [structure, features, propagation], &comparisons, &additions),
        next: next(kind, task, best.name == "X"),
    };
    Judgement { verdict, comparisons, additions }
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

fn reason(
    kind: VerdictKind,
    groups: [Option<&Best<'_>>; 3],
    comparisons: &[Comparison],
    additions: &[Addition],
) -> String {
    let words = ["structure", "features", "propagated features"];
    let named = |group: usize| {
        groups[group].map(|best| {
            let said = if best.tells { String::new() } else { ", not to be told from chance".into() };
            format!("{} alone ({} {:.2}{said})", words[group], best.name, best.score)
        })
    };
    let word = |name: &str| {
        let group = (0..3).find(|&g| groups[g].is_some_and(|best| best.name == name));
        group.map_or(String::new(), |g| format!("{} ({name})", words[g]))
    };
    let compared = |c: &Comparison| {
        let [low, high] = c.difference.interval;
        let verb = match (c.difference.above(0.0), Group::of(&c.better) == Group::Structure) {
            (true, true) => "beats",
            (true, false) => "beat",
            (false, true) => "does not clearly beat",
            (false, false) => "do not clearly beat",
        };
        let mut text = format!(
            "{} {verb} {} by {:.3} [{low:.3}, {high:.3}]",
            word(&c.better),
            word(&c.worse),
            c.difference.value
        );
        // Level with features: what counts is whether propagation knows anything else.
        let beyond = additions.iter().find(|a| {
            let both = [&a.given, &a.component];
            Group::of(&a.given) == Group::Features
                && Group::of(&a.component) == Group::Propagation
                && both.contains(&&c.better)
                && both.contains(&&c.worse)
        });
        if let (false, Some(Addition { given, component, gain, p_value })) = (c.difference.above(0.0), beyond)
        {
            let but = if *p_value <= LEVEL { " but" } else { ", and" };
            let _ = write!(text, "{but} {component} adds {gain:.3} to {given} (p {p_value:.3})");
        }
        text
    };
    let all: Vec<String> = comparisons.iter().map(compared).collect();
    let listed: Vec<String> = (0..2).filter_map(named).collect();
    let known = match kind {
        VerdictKind::Nothing => "No component scores above what shuffled labels score".to_string(),
        VerdictKind::Gnn => "Propagation knows more than its parts".into(),
        VerdictKind::Structure if groups[1].is_some_and(|f| !f.tells) => {
            "Structure knows and features do not, so what propagated features know is structure".into()
        }
        VerdictKind::Structure => "Structure knows most, and propagation adds nothing clear to it".into(),
        VerdictKind::Features => "Features know, and propagation adds nothing clear to them".into(),
        VerdictKind::Any => {
            "Structure and features each know about as much, and propagation adds nothing clear".into()
        }
    };
    let mut text = format!("{known}: {}", listed.join(", "));
    if let Some(p) = groups[2] {
        let _ = write!(text, ", propagated features ({} {:.2})", p.name, p.score);
    }
    if !all.is_empty() && kind != VerdictKind::Nothing {
        let _ = write!(text, "; {}", all.join(", "));
    }
    text + "."
}

fn next(kind: VerdictKind, task: &str, x_best: bool) -> String {
    let text = match kind {
        VerdictKind::Gnn => {
            "Train one; `netinfof act` gives its linear counterpart in seconds, the bar to beat."
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
    if task == "links" && x_best && kind != VerdictKind::Nothing {
        text.push_str(
            " What two nodes share (X) knows more still: prefer a model that looks at pairs, or `netinfof act`.",
        );
    }
    text
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
        judge("links", &report::summaries(&splits), &splits).verdict
    }

    /// The labels, but for a share of them that coins decide.
    fn noisy(labels: &[u32], known: f64, draw: &mut Draw) -> Vec<u32> {
        labels.iter().map(|&label| if draw.unit() < known { label } else { draw.below(2) }).collect()
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
    fn any_number_of_components_can_tell() {
        let mut draw = Seed(5).stream(Stream::Synth, 0);
        let labels: Vec<u32> = (0..SAMPLES).map(|_| draw.below(2)).collect();
        let names = ["U", "R", "F", "P", "S", "P1", "S1", "S3", "S5", "D", "X"];
        let all: Vec<(&str, Vec<u32>)> = names.map(|name| (name, noisy(&labels, 0.5, &mut draw))).to_vec();
        assert_ne!(verdict(&labels, &all).kind, VerdictKind::Nothing);
    }
}
