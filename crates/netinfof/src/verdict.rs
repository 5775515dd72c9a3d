//! The answer in words: would a GNN help here, is structure enough, are features, is there a signal at all?
//!
//! The rule, with its constants ([`LEVEL`], [`MARGIN`]):
//!
//! 1. A component *predicts* something if shuffled labels score as high no more often than 5 %, divided by the number of components (the
//!    median of the splits' p-values). For links, its bins, learned on training pairs, must also get more than half of the held-out pairs
//!    right, and all of this must hold against degree-matched negatives too: degrees alone separate edges from uniform pairs on many graphs,
//!    and where all degrees are alike the split itself leaves a mark on them.
//! 2. The best of U and R stands for structure, F for features, the best of P, S and their other depths for propagation; best by the
//!    corrected score, mean of the splits. On a graph without features F holds degrees and counts as structure. The columns of X stand for
//!    the group they belong to where no embedding of that group was measured, or where X alone predicts something. D is propagation where it
//!    alone predicts something.
//! 3. Nothing predicts anything. Where it does under uniform negatives alone, degrees are all there is: `structure`, and said so, if higher
//!    degrees mean more edges; else it is the mark of the split, and no signal. Without a signal: `nothing` if every interval excludes a gain
//!    of [`MARGIN`], else `undecided`. On nodes the intervals of clusters exclude nothing, so `nothing` needs the fitted model of Act and
//!    100 labels for each class.
//! 4. `gnn` if propagation predicts and beats structure and features, each by an interval above 0. Where features alone predict nothing, propagated
//!    ones must beat those of shuffled features too, which are a sketch of the structure; this is measured for nodes alone.
//! 5. Else `structure` or `features` if only one of them predicts or one beats the other, unless propagation beats it, or is level with features and
//!    adds to them: then `undecided`.
//!    `any` if both predict and the interval of their difference lies within [`MARGIN`]; else `undecided`.
//! 6. Act has the last word: a verdict that its test data contradict is withdrawn, and becomes `undecided`.
//!
//! Groups that were left out of the components are never judged.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::evidence::{Estimate, Samples};
use crate::report::{self, ComponentSummary, OrderedMap, SplitReport, SplitsInfo};
use crate::seed::{Seed, Stream};

/// What to make of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum VerdictKind {
    /// Propagated features predict better than structure and features each alone.
    Gnn,
    /// Structure is enough.
    Structure,
    /// Features are enough.
    Features,
    /// Structure alone and features alone predict equally well.
    Any,
    /// There is no signal beyond a stated small one.
    Nothing,
    /// The data neither show nor exclude it.
    Undecided,
}

/// The answer, why, and what to do next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Verdict {
    /// What to make of the graph.
    pub kind: VerdictKind,
    /// Links: whether degrees are all that predicts edges.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub degree_only: bool,
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
pub const LEVEL: f64 = 0.05;
/// The smallest gain worth having, as a share of the way from no information to certainty.
pub const MARGIN: f64 = 0.05;
/// Labelled nodes of each class, on average, without which a model's silence excludes nothing.
const FEWEST_LABELS: usize = 100;
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
    /// Features propagated over the structure.
    Propagation,
    /// None of them.
    Other,
}

impl Group {
    /// The group of a component or of a part of X, by its name. Without features F holds degrees.
    pub(crate) fn of(component: &str, featureless: bool) -> Self {
        match component {
            "U" | "R" | "X-structure" => Group::Structure,
            "F" if featureless => Group::Structure,
            "F" | "X-features" => Group::Features,
            "P" | "S" | "P1" | "S1" | "S3" | "S5" | "X-propagation" => Group::Propagation,
            _ => Group::Other,
        }
    }
}

/// What was observed of a component on one kind of samples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observed {
    pub(crate) p_value: f64,
    pub(crate) held_out: Estimate,
    pub(crate) components: usize,
    pub(crate) links: bool,
}

impl Observed {
    /// Whether it predicts something: more than shuffled labels would and, for links, in the direction that training pairs taught.
    pub(crate) fn predicts(&self) -> bool {
        self.p_value <= LEVEL / self.components as f64 && (!self.links || self.held_out.value > 0.5)
    }
}

/// A component with what the rule looks at.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    name: &'a str,
    group: Group,
    score: f64,
    predicts: bool,
    /// Whether it predicts by degrees alone.
    by_degree: bool,
}

impl<'a> Candidate<'a> {
    fn all(components: &'a OrderedMap<ComponentSummary>, info: &SplitsInfo) -> Vec<Self> {
        let of = |(name, c): (&'a str, &ComponentSummary)| Candidate {
            name,
            group: c.group,
            score: c.corrected,
            predicts: c.tells,
            by_degree: c.tells_by_degree(info.components),
        };
        components.iter().map(of).collect()
    }
}

/// Takes back what predicts edges against degree-matched negatives no better than degrees do: where hubs are joined to each other, pairs of them
/// that are no edges are few, and matched negatives cannot have the degrees of edges.
pub(crate) fn confirm(
    components: &mut OrderedMap<ComponentSummary>,
    parts: &mut OrderedMap<ComponentSummary>,
    splits: &[SplitReport],
    info: &SplitsInfo,
) {
    let Some(degrees) = parts.get(DEGREES).filter(|degrees| degrees.tells) else { return };
    let degrees = Candidate {
        name: DEGREES,
        group: Group::Other,
        score: degrees.corrected,
        predicts: true,
        by_degree: false,
    };
    for (name, own) in components.values_mut().chain(parts.values_mut()).filter(|(_, own)| own.tells) {
        let candidate =
            Candidate { name, group: own.group, score: own.corrected, predicts: true, by_degree: false };
        let matched = compared(&candidate, &degrees, splits, info, |split| split.matched.as_ref());
        own.tells = matched.is_some_and(|c| {
            c.better == name && c.difference.above(0.0) && c.difference.value > BEYOND_DEGREE
        });
    }
}

/// What the control of a component is called among the samples: the same of shuffled features.
pub(crate) fn control(component: &str) -> String {
    format!("{component} shuffled")
}

/// The score of degrees alone among the parts.
const DEGREES: &str = "degrees";

const GROUPS: [Group; 3] = [Group::Structure, Group::Features, Group::Propagation];

/// Judges the splits of a run.
pub(crate) fn judge(
    info: &SplitsInfo,
    components: &OrderedMap<ComponentSummary>,
    parts: &OrderedMap<ComponentSummary>,
    splits: &[SplitReport],
) -> Judgement {
    let (all, parts_of_x) = (Candidate::all(components, info), Candidate::all(parts, info));
    let best_of = |from: &[Candidate<'_>], group: Group| -> Option<usize> {
        let members = (0..from.len()).filter(|&at| from[at].group == group);
        members.max_by(|&a, &b| from[a].score.total_cmp(&from[b].score))
    };
    // Parts of X stand for a group without an embedding, and for all where X alone predicts something.
    let embeddings_predict = all.iter().any(|c| c.group != Group::Other && c.predicts);
    let x_predicts = all.iter().any(|c| c.name == "X" && c.predicts);
    let x_alone = x_predicts && !embeddings_predict;
    let groups = GROUPS.map(|group| {
        let own = best_of(&all, group).map(|at| &all[at]);
        let part = best_of(&parts_of_x, group).map(|at| &parts_of_x[at]);
        if x_alone { part.or(own) } else { own.or(part) }
    });
    let [structure, features, propagation] = groups;
    let pairs = [(propagation, structure), (propagation, features), (structure, features)];
    let comparisons: Vec<Comparison> = pairs
        .iter()
        .filter_map(|&(a, b)| compared(a?, b?, splits, info, |split| Some(&split.samples)))
        .collect();
    let best = all.iter().max_by(|a, b| a.score.total_cmp(&b.score)).expect("a component");
    let mut asked: Vec<[&str; 2]> =
        all.iter().filter(|other| other.name != best.name).map(|other| [best.name, other.name]).collect();
    let beyond = features.zip(propagation).map(|(f, p)| [f.name, p.name]);
    asked.extend(beyond.filter(|pair| !asked.contains(pair)));
    let additions: Vec<Addition> =
        asked.iter().filter_map(|[given, name]| added(given, name, splits)).collect();

    let no_information = components.iter().map(|(_, c)| c.no_information).next().unwrap_or(0.0);
    let margin = MARGIN * (1.0 - no_information);
    let difference = |a: &Candidate<'_>, b: &Candidate<'_>| {
        comparisons.iter().find_map(|c| {
            let sign = if c.better == a.name && c.worse == b.name {
                1.0
            } else if c.better == b.name && c.worse == a.name {
                -1.0
            } else {
                return None;
            };
            let mut ends = c.difference.interval.map(|v| sign * v);
            ends.sort_unstable_by(f64::total_cmp);
            Some(Estimate { value: sign * c.difference.value, interval: ends })
        })
    };
    let beats = |a: &Candidate<'_>, b: &Candidate<'_>| difference(a, b).is_some_and(|d| d.above(0.0));
    let adds = |a: &Candidate<'_>, b: &Candidate<'_>| {
        let own = additions.iter().find(|found| found.given == b.name && found.component == a.name);
        own.is_some_and(|found| found.gain > 0.0 && found.p_value <= LEVEL)
    };
    // Against degree-matched negatives it must at least not be behind.
    let confirmed = |a: &Candidate<'_>, b: &Candidate<'_>| {
        let matched = compared(a, b, splits, info, |split| split.matched.as_ref());
        matched.is_none_or(|c| c.better == a.name)
    };
    let ahead = |p: &Candidate<'_>| {
        structure.is_none_or(|s| beats(p, s) && confirmed(p, s)) && features.is_none_or(|f| beats(p, f))
    };
    // Level with features, but adding to them: propagated features hold the node's own again, so this alone shows nothing.
    let adding = features.zip(propagation).is_some_and(|(f, p)| !beats(p, f) && !beats(f, p) && adds(p, f));
    // Where features alone predict nothing, propagated ones may be a sketch of the structure: they must beat those of shuffled features.
    let controlled = |p: &Candidate<'_>| {
        let name = control(p.name);
        let other = Candidate { name: &name, score: f64::NEG_INFINITY, ..*p };
        let found = compared(p, &other, splits, info, |split| Some(&split.samples));
        found.is_some_and(|c| c.better == p.name && c.difference.above(0.0))
    };
    let predicts = |c: Option<&Candidate<'_>>| c.is_some_and(|c| c.predicts);
    let [s, f, p] = groups.map(predicts);
    let d_alone = !(s || f || p) && all.iter().any(|c| c.name == "D" && c.predicts);
    let silent = !(s || f || p || d_alone);
    let by_degree = silent && components.iter().any(|(_, c)| c.tells_by_degree(info.components));
    let higher = splits.iter().filter_map(|split| split.degree_auc).sum::<f64>() > 0.5 * splits.len() as f64;
    // Whether a gain is excluded: against degree-matched negatives where there are any, since the mark of the split is no gain.
    let degrees_tell = parts.get(DEGREES).is_some_and(|d| d.tells);
    let excluded = components.iter().all(|(name, c)| {
        let (interval, held_out) =
            c.beyond_degree.map_or((c.interval, c.held_out), |b| (b.interval, b.held_out));
        if degrees_tell {
            // Degrees predict even matched pairs: what counts is how much better a component does.
            let own =
                Candidate { name, group: c.group, score: c.corrected, predicts: true, by_degree: false };
            let degrees = Candidate {
                name: DEGREES,
                group: Group::Other,
                score: 0.0,
                predicts: true,
                by_degree: false,
            };
            let matched = compared(&own, &degrees, splits, info, |split| split.matched.as_ref());
            return matched.is_some_and(|c| {
                let top = if c.better == name { c.difference.interval[1] } else { -c.difference.interval[0] };
                top < margin
            });
        }
        interval[1] < no_information + margin && !(info.links && held_out.above(0.5))
    });
    let degree_only = by_degree && higher && excluded;
    let x_unsure = silent && x_predicts;
    let kind = match (s, f) {
        _ if d_alone => VerdictKind::Gnn,
        (false, false) if p => {
            let shown = features.is_none() || propagation.is_some_and(controlled);
            if shown { VerdictKind::Gnn } else { VerdictKind::Undecided }
        }
        (false, false) if degree_only => VerdictKind::Structure,
        // Clusters are blunt: on nodes only a fitted model excludes a signal.
        (false, false) if info.links && excluded && !x_unsure && !(by_degree && higher) => {
            VerdictKind::Nothing
        }
        (false, false) if !info.links && model_excludes(splits) => VerdictKind::Nothing,
        (false, false) => VerdictKind::Undecided,
        (true, false) if p && features.is_some() && propagation.is_some_and(ahead) => {
            if propagation.is_some_and(controlled) { VerdictKind::Gnn } else { VerdictKind::Undecided }
        }
        _ if p && propagation.is_some_and(ahead) => VerdictKind::Gnn,
        (true, false) => VerdictKind::Structure,
        (false, true) => VerdictKind::Features,
        (true, true) => match (structure, features) {
            (Some(s), Some(f)) if beats(s, f) => VerdictKind::Structure,
            (Some(s), Some(f)) if beats(f, s) => VerdictKind::Features,
            // A signal that is smaller than the margin shows no equivalence.
            (Some(s), Some(f))
                if s.score.min(f.score) > no_information + margin
                    && difference(s, f).is_some_and(|d| d.above(-margin) && d.below(margin)) =>
            {
                VerdictKind::Any
            }
            _ => VerdictKind::Undecided,
        },
    };
    // What propagation beats is not enough.
    let beaten =
        |own: Option<&Candidate<'_>>| p && own.zip(propagation).is_some_and(|(own, p)| beats(p, own));
    let kind = match kind {
        VerdictKind::Structure if beaten(structure) => VerdictKind::Undecided,
        VerdictKind::Features if beaten(features) || p && adding => VerdictKind::Undecided,
        kind => kind,
    };
    let unconfirmed = p && structure.zip(propagation).is_some_and(|(s, p)| beats(p, s) && !confirmed(p, s));
    let case = match () {
        () if d_alone => Case::DAlone,
        () if degree_only => Case::DegreeOnly,
        () if by_degree && higher => Case::DegreesPredict,
        () if by_degree => Case::Mark,
        () if unconfirmed => Case::Unconfirmed,
        () if x_alone => Case::XAlone,
        () => Case::Usual,
    };
    let words = Words {
        groups,
        case,
        reversed: components
            .iter()
            .filter(|(_, c)| info.links && !c.tells && c.held_out.below(0.5))
            .map(|(name, _)| name)
            .collect(),
        comparisons: &comparisons,
        additions: &additions,
        info,
        samples: splits.iter().map(|split| split.samples.labels.len()).min().unwrap_or(0),
        margin,
    };
    let mut verdict = Verdict {
        kind,
        degree_only,
        reason: words.reason(kind),
        next: words.next(kind, best.name == "X" && best.predicts),
    };
    let open = kind == VerdictKind::Undecided && !words.silent();
    if let Some(contradiction) = contradicted(&verdict, info, splits).filter(|_| !open) {
        verdict = contradiction;
    }
    Judgement { verdict, comparisons, additions }
}

/// Whether the fitted models exclude that a node's label can be predicted from the components: the interval of the gained bits ends below
/// [`MARGIN`] of the labels' entropy.
fn model_excludes(splits: &[SplitReport]) -> bool {
    let entropy = |split: &SplitReport| {
        let (mut counts, all) = (std::collections::BTreeMap::new(), split.samples.labels.len() as f64);
        split.samples.labels.iter().for_each(|label| *counts.entry(label).or_insert(0.0) += 1.0);
        counts.values().map(|count: &f64| -count / all * (count / all).log2()).sum::<f64>()
    };
    // With few labels a model finds nothing of what more would show.
    let classes = |split: &SplitReport| split.samples.classes.max(1);
    if splits.iter().any(|split| split.samples.labels.len() < FEWEST_LABELS * classes(split)) {
        return false;
    }
    let gains: Option<Vec<Estimate>> =
        splits.iter().map(|split| split.act.as_ref().map(|a| a.information)).collect();
    let entropy = splits.iter().map(entropy).sum::<f64>() / splits.len() as f64;
    gains.is_some_and(|gains| Estimate::mean(&gains, splits.len() as f64).below(MARGIN * entropy))
}

/// The verdict once its claim is withdrawn, where what Act found on test data contradicts it.
fn contradicted(verdict: &Verdict, info: &SplitsInfo, splits: &[SplitReport]) -> Option<Verdict> {
    let acts: Option<Vec<_>> = splits.iter().map(|split| split.act.as_ref()).collect();
    let acts = acts.filter(|acts| !acts.is_empty())?;
    // Test sets of one graph overlap: their mean is hardly more certain than one of them.
    let mean = |values: Vec<Estimate>| Estimate::mean(&values, splits.len() as f64);
    let gain = mean(acts.iter().map(|act| act.information).collect());
    let matched: Option<Vec<Estimate>> = acts.iter().map(|act| act.beyond_degree_auc).collect();
    let matched = matched.map(mean);
    let named = if info.links { "auc" } else { "accuracy" };
    let metric = acts.iter().filter_map(|act| act.test.get(named)).sum::<f64>() / acts.len() as f64;
    let baseline = acts.iter().filter_map(|act| act.baseline).sum::<f64>() / acts.len() as f64;
    let found = match matched {
        // What the split does to degrees is no signal, and matched negatives show none of it.
        Some(auc) => format!(
            "against degree-matched negatives the fitted model has a test AUC of {:.2} [{:.2}, {:.2}], where chance is 0.50",
            auc.value, auc.interval[0], auc.interval[1]
        ),
        None => format!(
            "on the test data the fitted model has {named} {metric:.2}, where a model without information has {baseline:.2}, and gains \
             {:.3} bits for each sample [{:.3}, {:.3}]",
            gain.value, gain.interval[0], gain.interval[1]
        ),
    };
    let signal = match matched {
        Some(auc) => auc.above(0.5),
        None => gain.above(0.0) && metric > baseline,
    };
    // Degrees alone are a claim about uniform negatives.
    let confirmed = if verdict.degree_only { gain.above(0.0) } else { signal };
    let withdrawn = |why: &str, next: &str| {
        let reason = format!("{why}: {found}. {}", verdict.reason);
        Some(Verdict { kind: VerdictKind::Undecided, degree_only: false, reason, next: next.into() })
    };
    let propagated = |name: &str| Group::of(name, info.featureless) == Group::Propagation || name == "D";
    let unused =
        acts.iter().all(|act| act.weights.iter().all(|(name, &norm)| !propagated(name) || norm == 0.0));
    match verdict.kind {
        VerdictKind::Nothing | VerdictKind::Undecided if signal => withdrawn(
            "There is a signal, but Probe does not show which part of the data carries it",
            "Use the fitted model; `--shares` with more labels or edges for Probe may show where the signal comes from.",
        ),
        VerdictKind::Nothing | VerdictKind::Undecided => None,
        _ if !confirmed => withdrawn(
            "The fitted model does not confirm what Probe found",
            "Collect more labels or edges before you rely on a model, or try other features.",
        ),
        VerdictKind::Gnn if unused => withdrawn(
            "The fitted model gives propagated features no weight",
            "Compare models on structure, on features and on both with `netinfof act --components`.",
        ),
        _ if verdict.degree_only && matched.is_some_and(|auc| auc.interval[1] > 0.5 + BEYOND_DEGREE) => {
            withdrawn(
                "Degrees predict edges, and more is not excluded",
                "Evaluate models with `--negatives degree`, and compare them with a score from degrees.",
            )
        }
        _ => None,
    }
}

/// How much better than degrees a component must score where degrees predict even matched pairs, and the largest AUC above chance against
/// matched pairs at which degrees are still called all there is.
const BEYOND_DEGREE: f64 = 0.05;

fn compared<'s>(
    a: &Candidate<'_>,
    b: &Candidate<'_>,
    splits: &'s [SplitReport],
    info: &SplitsInfo,
    samples: fn(&'s SplitReport) -> Option<&'s Samples>,
) -> Option<Comparison> {
    let (better, worse) = if a.score >= b.score { (a, b) } else { (b, a) };
    let differences: Option<Vec<Estimate>> = splits
        .iter()
        .map(|split| {
            let mut draw = stream(split, better.name, worse.name, 0);
            samples(split)?.difference(better.name, worse.name, &mut draw)
        })
        .collect();
    let difference = Estimate::mean(&differences.filter(|d| !d.is_empty())?, info.repetition);
    if difference.value >= 0.0 {
        return Some(Comparison { better: better.name.into(), worse: worse.name.into(), difference });
    }
    // On these samples it is the other way round.
    let [low, high] = difference.interval;
    let turned = Estimate { value: -difference.value, interval: [-high, -low] };
    Some(Comparison { better: worse.name.into(), worse: better.name.into(), difference: turned })
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

/// What is special about the evidence of a run, if anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Usual,
    /// X predicts something and no embedding does.
    XAlone,
    /// Only D does.
    DAlone,
    /// Degrees are all that predicts edges.
    DegreeOnly,
    /// Degrees predict edges, and more is neither shown nor excluded.
    DegreesPredict,
    /// The split's mark on degrees is all that there is.
    Mark,
    /// Propagation beats structure against uniform negatives alone.
    Unconfirmed,
}

/// What a verdict is explained with.
struct Words<'a> {
    /// The best of structure, features and propagation.
    groups: [Option<&'a Candidate<'a>>; 3],
    case: Case,
    /// Components that rank held-out edges below other pairs.
    reversed: Vec<&'a str>,
    comparisons: &'a [Comparison],
    additions: &'a [Addition],
    info: &'a SplitsInfo,
    /// Samples of the smallest split.
    samples: usize,
    margin: f64,
}

impl Words<'_> {
    fn group(&self, group: usize) -> &'static str {
        match (group, self.info.featureless) {
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
        // Level with features: what counts is whether propagation adds to them.
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

    /// Whether no group predicts anything.
    fn silent(&self) -> bool {
        !self.groups.iter().flatten().any(|c| c.predicts)
    }

    /// The finding behind a kind, in one clause.
    fn finding(&self, kind: VerdictKind) -> String {
        let [structure, features, propagation] = self.groups;
        let text = match kind {
            _ if self.case == Case::DAlone => {
                "Only the difference between a node and its neighbours (D) predicts anything"
            }
            VerdictKind::Structure if self.case == Case::DegreeOnly => {
                "Degrees are all that predicts edges: against degree-matched negatives nothing is distinguishable from chance"
            }
            VerdictKind::Nothing | VerdictKind::Undecided if self.case == Case::Mark => {
                "What predicts edges under uniform negatives is the mark that the split leaves on degrees; against degree-matched \
                 negatives nothing is distinguishable from chance"
            }
            VerdictKind::Undecided if self.case == Case::DegreesPredict => {
                "Degrees predict edges, and the data neither show nor exclude a signal beyond them"
            }
            VerdictKind::Undecided if self.silent() && !self.reversed.is_empty() => {
                return format!(
                    "{} ranks held-out edges below other pairs, so what it learned from training pairs does not hold",
                    self.reversed.join(", ")
                );
            }
            VerdictKind::Nothing if !self.info.links => {
                "No component is distinguishable from chance, and the fitted linear model excludes a gain worth having"
            }
            VerdictKind::Nothing => {
                return format!(
                    "No component is distinguishable from chance, and a gain of {:.3} over no information is excluded for all of them",
                    self.margin
                );
            }
            VerdictKind::Undecided if self.silent() && !self.info.links => {
                "No component's clusters are distinguishable from chance, which does not exclude a signal"
            }
            VerdictKind::Undecided if self.silent() => {
                return format!(
                    "No component is distinguishable from chance, but {} {} are too few to exclude a signal",
                    self.samples,
                    if self.info.links { "pairs" } else { "labelled nodes" }
                );
            }
            VerdictKind::Undecided if self.case == Case::Unconfirmed => {
                "Propagated features beat structure against uniform negatives, but not against degree-matched negatives"
            }
            VerdictKind::Undecided
                if features.is_some_and(|f| !f.predicts) && propagation.is_some_and(|p| p.predicts) =>
            {
                "Propagated features predict, but features alone do not, and propagated ones are not shown to be more than a sketch of the \
                 structure"
            }
            VerdictKind::Undecided
                if structure.is_some_and(|s| s.predicts) && features.is_some_and(|f| f.predicts) =>
            {
                "Structure and features both predict, and the data do not show which part is enough"
            }
            VerdictKind::Undecided => "There is a signal, and the data do not show which part is enough",
            VerdictKind::Gnn if structure.is_none() && features.is_none() => "Propagated features predict",
            VerdictKind::Gnn
                if features.is_some_and(|f| !f.predicts) && structure.is_some_and(|s| s.predicts) =>
            {
                "Propagated features predict better than structure, though features alone do not predict"
            }
            VerdictKind::Gnn => "Propagated features predict better than structure and features each alone",
            VerdictKind::Structure if features.is_some_and(|f| !f.predicts) && propagation.is_some() => {
                "Structure predicts and features alone do not, so propagated features most likely carry structure"
            }
            VerdictKind::Structure if features.is_some_and(|f| !f.predicts) => {
                "Structure predicts and features alone do not"
            }
            VerdictKind::Structure if propagation.is_some() => {
                "Structure predicts best, and propagated features do not improve on it measurably"
            }
            VerdictKind::Structure => "Structure predicts",
            VerdictKind::Features if propagation.is_some() => {
                "Features predict, and propagated features do not improve on them measurably"
            }
            VerdictKind::Features => "Features predict",
            VerdictKind::Any if propagation.is_some() => {
                "Structure alone and features alone predict equally well, and propagated features do not improve on them measurably"
            }
            VerdictKind::Any => "Structure alone and features alone predict equally well",
        };
        if self.case == Case::XAlone {
            format!("{text}, by what the pair of nodes shares (X) alone")
        } else {
            text.into()
        }
    }

    fn reason(&self, kind: VerdictKind) -> String {
        let mut listed = Vec::new();
        let mut missing = Vec::new();
        for (group, best) in self.groups.iter().enumerate() {
            let alone = if group < 2 { " alone" } else { "" };
            match best {
                Some(best) => {
                    let chance = match (best.predicts, best.by_degree) {
                        (true, _) => "",
                        (false, true) => ", by degrees alone",
                        (false, false) => ", indistinguishable from chance",
                    };
                    listed.push(format!(
                        "{}{alone} ({} {:.2}{chance})",
                        self.group(group),
                        best.name,
                        best.score
                    ));
                }
                None if group == 1 && self.info.featureless => {}
                None => missing.push(self.group(group)),
            }
        }
        let mut text = String::new();
        if self.info.featureless {
            text.push_str("The graph has no features; one-hot degrees take their place. ");
        }
        text.push_str(&self.finding(kind));
        if !listed.is_empty() {
            let _ = write!(text, ": {}", listed.join(", "));
        }
        let quiet = kind == VerdictKind::Nothing || self.silent();
        if !self.comparisons.is_empty() && !quiet {
            let all: Vec<String> = self.comparisons.iter().map(|c| self.comparison(c)).collect();
            let _ = write!(text, "; {}", all.join(", "));
        }
        text.push('.');
        if !missing.is_empty() {
            let _ = write!(text, " Not measured: {}.", missing.join(", "));
        }
        text
    }

    fn next(&self, kind: VerdictKind, x_best: bool) -> String {
        let links = self.info.links;
        let text = match kind {
            VerdictKind::Undecided if self.case == Case::DegreesPredict => {
                "Evaluate models with `--negatives degree`, and compare them with a score from degrees."
            }
            VerdictKind::Undecided if self.silent() => {
                return format!(
                    "Fit a model with `netinfof act`, look at more of the data, such as with `--shares {}`, or collect more {}.",
                    if links { "0.5,0.3" } else { "0.5,0.25" },
                    if links { "edges" } else { "labels" },
                );
            }
            VerdictKind::Undecided if self.case == Case::Unconfirmed => {
                "Structural embeddings and a GNN are likely to do equally well: compare them with `--negatives degree`."
            }
            VerdictKind::Undecided => {
                "Compare models on structure, on features and on both with `netinfof act --components`, or collect more labels or edges."
            }
            VerdictKind::Structure if self.case == Case::DegreeOnly => {
                "A score from degrees, such as preferential attachment, does as well as a GNN; evaluate any model with `--negatives degree`."
            }
            _ if self.case == Case::XAlone => "Prefer a model that looks at pairs, or `netinfof act`.",
            VerdictKind::Gnn => {
                "Train a GNN; `netinfof act` gives its linear counterpart in seconds, the baseline to beat."
            }
            VerdictKind::Structure if self.info.featureless => {
                "Structural embeddings, label propagation or `netinfof act` should do as well as a GNN."
            }
            VerdictKind::Structure => {
                "Leave the features out: structural embeddings, label propagation or `netinfof act` should do as well as a GNN."
            }
            VerdictKind::Features => {
                "Leave the graph out: an MLP or any classifier on the features should do as well as a GNN."
            }
            VerdictKind::Any => {
                "Use whichever is cheaper, features or structure: a GNN should not do better than either."
            }
            VerdictKind::Nothing => "Look for other features, another target or more edges.",
        };
        let mut text = text.to_string();
        if links
            && x_best
            && !matches!(self.case, Case::XAlone | Case::DegreeOnly)
            && kind != VerdictKind::Nothing
        {
            text.push_str(
                " What the pair of nodes shares (X) predicts better still: prefer a model that looks at pairs, or `netinfof act`.",
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
                held_out: Estimate::share(3, 5),
                table,
                borders: Vec::new(),
                histogram: None,
                beyond_degree: None,
            };
            (name.to_string(), ComponentReport::new(&info, 1, None))
        });
        let split = SplitReport {
            seed: 0,
            components: found.collect(),
            parts: OrderedMap::default(),
            degree_auc: None,
            act: None,
            repeats: 0,
            seconds: OrderedMap::default(),
            samples: Samples {
                labels: labels.to_vec(),
                classes: 2,
                units: (0..labels.len() as u64).collect(),
                bins: components.iter().map(|(name, bins)| (name.to_string(), 2, bins.clone())).collect(),
            },
            matched: None,
        };
        let splits = [split];
        let info = SplitsInfo::new(true, false, &splits);
        let (components, parts) = report::summaries(&splits, &info);
        judge(&info, &components, &parts, &splits).verdict
    }

    /// The labels, but for a share of them that coins decide.
    fn noisy(labels: &[u32], known: f64, draw: &mut Draw) -> Vec<u32> {
        labels.iter().map(|&label| if draw.unit() < known { label } else { draw.below(2) }).collect()
    }

    /// A handful of samples excludes nothing.
    #[test]
    fn few_samples_are_undecided() {
        let mut draw = Seed(5).stream(Stream::Synth, 0);
        let labels: Vec<u32> = (0..SAMPLES).map(|_| draw.below(2)).collect();
        let coins = noisy(&labels, 0.0, &mut draw);
        let of = |count: usize| verdict(&labels[..count], &[("U", coins[..count].to_vec())]);
        assert_eq!((of(12).kind, of(SAMPLES).kind), (VerdictKind::Undecided, VerdictKind::Nothing));
        assert!(
            of(12).reason.contains("12 pairs are too few") && of(12).next.contains("--shares"),
            "{:?}",
            of(12)
        );
        assert!(of(SAMPLES).reason.contains("is excluded"), "{}", of(SAMPLES).reason);
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
        // Features alone predict nothing, and there is no control.
        assert_eq!(kind(&coins, &more, &strong), VerdictKind::Undecided);
        // Propagation beats structure, and there is no control: structure is not enough, and more is not shown.
        assert_eq!(kind(&weak, &coins, &strong), VerdictKind::Undecided);
        assert_eq!(kind(&strong, &coins, &weak), VerdictKind::Structure);
        assert_eq!(kind(&weak, &other, &strong), VerdictKind::Gnn);
        assert_eq!(kind(&coins, &strong, &weak), VerdictKind::Features);
        assert_eq!(kind(&weak, &strong, &other), VerdictKind::Features);
        assert_eq!(kind(&strong, &weak, &other), VerdictKind::Structure);
        // Propagation that repeats what both know adds nothing.
        assert_eq!(kind(&weak, &weak, &weak), VerdictKind::Any);
        assert_eq!(kind(&weak, &other, &coins), VerdictKind::Any);
    }

    #[test]
    fn level_with_a_part_is_not_ahead_of_it() {
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
        // Nor is it beside features: the node's own features are propagated too.
        let found = verdict(&labels, &[("R", weak.clone()), ("F", features.clone()), ("S", propagated)]);
        assert_eq!(found.kind, VerdictKind::Undecided, "{}", found.reason);
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
    }

    #[test]
    fn any_number_of_components_can_predict() {
        let mut draw = Seed(5).stream(Stream::Synth, 0);
        let labels: Vec<u32> = (0..SAMPLES).map(|_| draw.below(2)).collect();
        let names = ["U", "R", "F", "P", "S", "P1", "S1", "S3", "S5", "D", "X"];
        let all: Vec<(&str, Vec<u32>)> = names.map(|name| (name, noisy(&labels, 0.5, &mut draw))).to_vec();
        assert_ne!(verdict(&labels, &all).kind, VerdictKind::Nothing);
    }
}
