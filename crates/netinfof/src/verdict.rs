//! The verdict: whether a GNN would help, whether structure or features are enough, and whether there is a
//! signal.
//!
//! Both tasks are judged by predictive information ([`crate::information`]); the rule is at the head of
//! `verdict/rule.rs`. For links, some questions come first:
//!
//! 1. A component is a *signal* if its p-value is at most 5 %, divided by the number of components (the
//!    median of the splits' p-values), if its bins, learned on training pairs, get more than half of the
//!    held-out pairs right, and if all of this holds against degree-matched negatives too: degrees alone
//!    separate edges from uniform pairs on many graphs, and if all degrees are similar, the split itself
//!    leaves a trace in them.
//! 2. No component is a signal. If one is against uniform negatives only, only degrees predict: `structure`,
//!    with `degree_only`, if higher degrees mean more edges; otherwise it is the trace of the split, not a
//!    signal. Without a signal: `nothing` if every interval excludes a gain of [`MARGIN`], otherwise
//!    `undecided`.
//! 3. Some component is a signal: the rule decides which part of the data is enough. `gnn` also requires that
//!    structure is not ahead against degree-matched negatives.
//!
//! If Act's test data contradict the verdict, it is withdrawn and becomes `undecided`. Groups that were left
//! out of the components are never judged.

mod own;
mod rule;
mod words;

use serde::{Deserialize, Serialize};

use crate::evidence::{Estimate, Samples};
use crate::findings::{self, ComponentSummary, SplitReport, SplitsInfo};
use crate::graph::TargetKind;
use crate::information::Information;
use crate::ordered_map::OrderedMap;
use crate::seed::{Seed, Stream};
use crate::spec::{ComponentKind, Group, Subject, TaskKind};
use words::{Case, Words};

pub(crate) use rule::{depends_on_control, has_signal, needs_control};

/// The kind of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum VerdictKind {
    /// Propagated features predict better than structure and features each alone.
    Gnn,
    /// Structure and features add to each other, and propagated features alone do not improve on both.
    Combine,
    /// Structure is enough.
    Structure,
    /// Features are enough.
    Features,
    /// Structure alone and features alone predict equally well.
    Any,
    /// There is no usable signal: one above a stated size is excluded.
    Nothing,
    /// The data neither show nor exclude a gain.
    Undecided,
}

/// The answer, its reason and the next step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Verdict {
    /// The kind of the verdict.
    pub kind: VerdictKind,
    /// Links: whether only degrees predict edges.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub degree_only: bool,
    /// Nodes: whether features predict by a nonlinear relation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nonlinear: bool,
    /// The reason.
    pub reason: String,
    /// The next step.
    pub next: String,
}

/// The difference of the scores of two components on the same samples, averaged over the splits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The component that scores higher.
    pub better: String,
    /// The other.
    pub worse: String,
    /// The difference.
    #[serde(flatten)]
    pub difference: Estimate,
}

/// The gain of a second component over a first one, averaged over the splits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Addition {
    /// The first component.
    pub given: String,
    /// The second.
    pub component: String,
    /// The gain in score.
    pub gain: f64,
    /// How often a component that adds nothing gains as much (the median of the splits).
    pub p_value: f64,
}

/// The results across components.
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    pub(crate) comparisons: Vec<Comparison>,
    pub(crate) additions: Vec<Addition>,
}

/// The gain in score that `nothing` must exclude, as a share of the range from no information to certainty:
/// this share, or the smallest gain worth having if that is smaller.
const MARGIN: f64 = 0.05;
/// Number of shuffles for the p-value of a gain.
const PERMUTATIONS: usize = 199;

/// A component with the inputs of the rule.
#[derive(Clone, Copy)]
struct Candidate {
    subject: Subject,
    group: Group,
    score: f64,
    predicts: bool,
    /// Whether it predicts only by degrees.
    by_degree: bool,
}

impl Candidate {
    fn all(components: &OrderedMap<ComponentSummary>, info: &SplitsInfo) -> Vec<Self> {
        let of = |(name, c): (&str, &ComponentSummary)| {
            Some(Candidate {
                subject: Subject::of(name)?,
                group: c.group,
                score: c.corrected,
                predicts: c.tells,
                by_degree: c.tells_by_degree(info.components),
            })
        };
        components.iter().filter_map(of).collect()
    }

    fn name(&self) -> &'static str {
        self.subject.name()
    }

    fn is(&self, kind: ComponentKind) -> bool {
        self.subject == Subject::Component(kind)
    }
}

/// Removes the signal of components that predict edges against degree-matched negatives no better than
/// degrees do: if hubs are linked to each other or to most nodes, pairs of hubs that are not edges are rare, and
/// matched negatives cannot have the degrees of edges. Where degrees may be a signal against matched negatives, but
/// are none once the number of tests is counted, any improvement on them is enough.
pub(crate) fn confirm(
    components: &mut OrderedMap<ComponentSummary>,
    parts: &mut OrderedMap<ComponentSummary>,
    splits: &[SplitReport],
    info: &SplitsInfo,
) {
    let Some(degrees) = parts.get(Subject::Degrees.name()) else { return };
    let suspected =
        degrees.beyond_degree.is_some_and(|own| own.p_value <= findings::LEVEL && own.held_out.value > 0.5);
    let needed = match () {
        () if degrees.tells => BEYOND_DEGREE,
        () if suspected => 0.0,
        () => return,
    };
    let degrees = Candidate {
        subject: Subject::Degrees,
        group: Group::Other,
        score: degrees.corrected,
        predicts: true,
        by_degree: false,
    };
    for (name, own) in components.values_mut().chain(parts.values_mut()).filter(|(_, own)| own.tells) {
        let candidate = Candidate {
            subject: Subject::of(name).unwrap_or(Subject::Degrees),
            group: own.group,
            score: own.corrected,
            predicts: true,
            by_degree: false,
        };
        let matched = compared(&candidate, &degrees, splits, info, |split| split.matched.as_ref());
        own.tells = matched
            .is_some_and(|c| c.better == name && c.difference.above(0.0) && c.difference.value > needed);
    }
}

/// Predictive information over all splits.
#[derive(Clone, Copy)]
pub(crate) struct RunInformation<'a> {
    pub(crate) information: &'a Information,
    /// Links with uniform negatives: the same against degree-matched negatives.
    pub(crate) beyond_degree: Option<&'a Information>,
}

const GROUPS: [Group; 3] = [Group::Structure, Group::Features, Group::Propagation];

/// Judges the splits of a run.
pub(crate) fn judge(
    info: &SplitsInfo,
    components: &OrderedMap<ComponentSummary>,
    parts: &OrderedMap<ComponentSummary>,
    known: Option<RunInformation<'_>>,
    splits: &[SplitReport],
) -> Judgement {
    // User-supplied components are judged last, separately from the question of a GNN.
    let built_in = |name: &str| !Subject::of(name).is_some_and(Subject::is_custom);
    let components: OrderedMap<ComponentSummary> = components
        .iter()
        .filter(|(name, _)| built_in(name))
        .map(|(name, own)| (name.to_string(), own.clone()))
        .collect();
    let components = &components;
    if components.is_empty() {
        return Judgement { verdict: own::alone(known), comparisons: Vec::new(), additions: Vec::new() };
    }
    let (all, parts_of_x) = (Candidate::all(components, info), Candidate::all(parts, info));
    let best_of = |from: &[Candidate], group: Group| -> Option<usize> {
        let members = (0..from.len()).filter(|&at| from[at].group == group);
        members.max_by(|&a, &b| from[a].score.total_cmp(&from[b].score))
    };
    // Parts of X represent a group without an embedding, and all groups if X is the only signal.
    let embeddings_predict = all.iter().any(|c| c.group != Group::Other && c.predicts);
    let x_predicts = all.iter().any(|c| c.is(ComponentKind::X) && c.predicts);
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
    let mut asked: Vec<[&str; 2]> = all
        .iter()
        .filter(|other| other.subject != best.subject)
        .map(|other| [best.name(), other.name()])
        .collect();
    let beyond = features.zip(propagation).map(|(f, p)| [f.name(), p.name()]);
    asked.extend(beyond.filter(|pair| !asked.contains(pair)));
    let additions: Vec<Addition> =
        asked.iter().filter_map(|[given, name]| added(given, name, splits)).collect();

    let acted = splits.iter().any(|split| split.act.is_some());
    if let Some(RunInformation { information, .. }) = known.filter(|_| info.task != TaskKind::Links) {
        let context = rule::RunContext {
            links: false,
            featureless: info.featureless,
            acted,
            confirmed: true,
            scores_predict: false,
            labelled: info.labelled,
        };
        let verdict =
            own::judged(rule::judge(information, context), rule::has_signal(information), information);
        // A linear model is no evidence about a nonlinear relation.
        // A gain on test data below a signal that the verdict says is too small does not contradict it.
        let slight = verdict.kind == VerdictKind::Nothing && rule::is_slight(information);
        let smallest = if slight { information.slight_signal() } else { 0.0 };
        let contradiction =
            (!verdict.nonlinear).then(|| contradicted(&verdict, smallest, info, splits)).flatten();
        let open = verdict.kind == VerdictKind::Undecided;
        let verdict = contradiction.filter(|_| !open).unwrap_or(verdict);
        return Judgement { verdict, comparisons, additions };
    }
    let no_information = components.iter().map(|(_, c)| c.no_information).next().unwrap_or(0.0);
    let smallest = known.map_or(MARGIN, |known| known.information.smallest_gain / known.information.entropy);
    let margin = MARGIN.min(smallest) * (1.0 - no_information);
    let difference = |a: &Candidate, b: &Candidate| {
        comparisons.iter().find_map(|c| {
            let sign = if c.better == a.name() && c.worse == b.name() {
                1.0
            } else if c.better == b.name() && c.worse == a.name() {
                -1.0
            } else {
                return None;
            };
            let mut ends = c.difference.interval.map(|v| sign * v);
            ends.sort_unstable_by(f64::total_cmp);
            Some(Estimate { value: sign * c.difference.value, interval: ends })
        })
    };
    let beats = |a: &Candidate, b: &Candidate| difference(a, b).is_some_and(|d| d.above(0.0));
    // Against degree-matched negatives it must not be worse.
    let confirmed = |a: &Candidate, b: &Candidate| {
        let matched = compared(a, b, splits, info, |split| split.matched.as_ref());
        matched.is_none_or(|c| c.better == a.name())
    };
    let predicts = |c: Option<&Candidate>| c.is_some_and(|c| c.predicts);
    let [s, f, p] = groups.map(predicts);
    let d_alone = !(s || f || p) && all.iter().any(|c| c.is(ComponentKind::D) && c.predicts);
    let silent = !(s || f || p || d_alone);
    let by_degree = silent && components.iter().any(|(_, c)| c.tells_by_degree(info.components));
    // Higher degrees clearly mean more edges: by chance, the AUC of N edges and N other pairs deviates from one
    // half by √(1 / 6N).
    let degree_auc = splits.iter().filter_map(|split| split.degree_auc).sum::<f64>() / splits.len() as f64;
    let pairs = splits.iter().map(|split| split.samples.labels.len()).min().unwrap_or(0);
    let higher = degree_auc - 0.5 > DEGREE_DEVIATIONS * (1.0 / (3 * pairs.max(1)) as f64).sqrt();
    // Whether a gain is excluded: against degree-matched negatives if there are any, because the trace of the
    // split is not a gain.
    let degrees_tell = parts.get(Subject::Degrees.name()).is_some_and(|d| d.tells);
    let excluded = components.iter().all(|(name, c)| {
        let (interval, held_out) =
            c.beyond_degree.map_or((c.interval, c.held_out), |b| (b.interval, b.held_out));
        if degrees_tell {
            // Degrees predict even matched pairs: a component must improve on them.
            let own = Candidate {
                subject: Subject::of(name).unwrap_or(Subject::Degrees),
                group: c.group,
                score: c.corrected,
                predicts: true,
                by_degree: false,
            };
            let degrees = Candidate {
                subject: Subject::Degrees,
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
        interval[1] < no_information + margin && !(info.task == TaskKind::Links && held_out.above(0.5))
    });
    // Predictive information detects communities that no component's bins show, independently of degrees and
    // of the split's trace in them.
    let uniform = splits.iter().any(|split| split.matched.is_some());
    let beyond = known.and_then(|known| if uniform { known.beyond_degree } else { Some(known.information) });
    let unseen = silent && beyond.is_some_and(rule::has_signal);
    let excluded = excluded && beyond.is_some_and(rule::excludes_signal);
    let degree_only = by_degree && higher && excluded && !unseen;
    let x_unsure = silent && x_predicts;
    // Cases without a signal beyond degrees, or with a signal only in D; everything else is decided by
    // predictive information.
    let kind = match () {
        () if d_alone => VerdictKind::Gnn,
        () if degree_only => VerdictKind::Structure,
        () if silent && excluded && !x_unsure && !(by_degree && higher) && !unseen => VerdictKind::Nothing,
        () => VerdictKind::Undecided,
    };
    let unconfirmed = p && structure.zip(propagation).is_some_and(|(s, p)| beats(p, s) && !confirmed(p, s));
    let case = match () {
        () if d_alone => Case::DAlone,
        () if degree_only => Case::DegreeOnly,
        () if by_degree && higher => Case::DegreesPredict,
        () if by_degree => Case::Mark,
        () if unconfirmed => Case::Unconfirmed,
        () => Case::Ordinary,
    };
    let words = Words {
        groups,
        case,
        reversed: components
            .iter()
            .filter(|(_, c)| info.task == TaskKind::Links && !c.tells && c.held_out.below(0.5))
            .map(|(name, _)| name)
            .collect(),
        info,
        acted,
        samples: splits.iter().map(|split| split.samples.labels.len()).min().unwrap_or(0),
        margin,
    };
    let x_best = best.is(ComponentKind::X) && best.predicts;
    let decided = match known {
        _ if unseen => beyond,
        Some(known) if matches!(case, Case::Ordinary | Case::Unconfirmed) && !silent => {
            Some(known.information)
        }
        _ => None,
    };
    let mut verdict = match decided {
        Some(information) => {
            let context = rule::RunContext {
                links: true,
                featureless: info.featureless,
                acted,
                confirmed: !unconfirmed,
                scores_predict: !silent,
                labelled: info.labelled,
            };
            let mut verdict = rule::judge(information, context);
            if x_best && matches!(verdict.kind, VerdictKind::Gnn | VerdictKind::Combine) {
                verdict.next.push_str(PREFER_PAIRS);
            }
            verdict
        }
        None => Verdict {
            kind,
            degree_only,
            nonlinear: false,
            reason: words.reason(kind),
            next: words.next(kind),
        },
    };
    if let Some(information) = if uniform && silent { beyond } else { known.map(|known| known.information) } {
        verdict = own::judged(verdict, !silent || unseen, information);
    }
    let kind = verdict.kind;
    let open = kind == VerdictKind::Undecided && (!silent || unseen);
    if let Some(contradiction) = contradicted(&verdict, 0.0, info, splits).filter(|_| !open) {
        verdict = contradiction;
    }
    Judgement { verdict, comparisons, additions }
}

/// The withdrawn verdict, if Act's results on test data contradict it. A gain below `smallest` bits is none.
fn contradicted(
    verdict: &Verdict,
    smallest: f64,
    info: &SplitsInfo,
    splits: &[SplitReport],
) -> Option<Verdict> {
    let acts: Option<Vec<_>> = splits.iter().map(|split| split.act.as_ref()).collect();
    let acts = acts.filter(|acts| !acts.is_empty())?;
    // Test sets of one graph overlap: their mean is hardly more precise than one of them.
    let mean = |values: Vec<Estimate>| Estimate::mean(&values, splits.len() as f64);
    let gain = mean(acts.iter().map(|act| act.information).collect());
    let matched: Option<Vec<Estimate>> = acts.iter().map(|act| act.beyond_degree_auc).collect();
    let matched = matched.map(mean);
    let target = splits.iter().find_map(|split| Some(split.predictive_information.as_ref()?.target));
    let named = match target {
        _ if info.task == TaskKind::Links => "auc",
        Some(TargetKind::Numbers) => "r2",
        Some(TargetKind::Labels) => "macro_auc",
        _ => "accuracy",
    };
    let metric = acts.iter().filter_map(|act| act.test.get(named)).sum::<f64>() / acts.len() as f64;
    let baseline = acts.iter().filter_map(|act| act.baseline).sum::<f64>() / acts.len() as f64;
    let found = match matched {
        // The effect of the split on degrees is not a signal, and matched negatives do not contain it.
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
        None => gain.above(0.0) && metric > baseline && gain.interval[1] >= smallest,
    };
    // `degree_only` is a claim about uniform negatives.
    let confirmed = if verdict.degree_only { gain.above(0.0) } else { signal };
    let withdrawn = |why: &str, next: &str| {
        let reason = format!("{why}: {found}. {}", verdict.reason);
        Some(Verdict {
            kind: VerdictKind::Undecided,
            degree_only: false,
            nonlinear: false,
            reason,
            next: next.into(),
        })
    };
    let propagated = |name: &str| {
        Subject::of(name).is_some_and(|own| {
            own.group(info.featureless) == Group::Propagation || own == Subject::Component(ComponentKind::D)
        })
    };
    let unused =
        acts.iter().all(|act| act.weights.iter().all(|(name, &norm)| !propagated(name) || norm == 0.0));
    match verdict.kind {
        VerdictKind::Nothing | VerdictKind::Undecided if signal => withdrawn(
            "There is a signal, but Probe does not show which part of the data carries it",
            "Use the fitted model; `--shares` with more labels or edges for Probe may show where the signal comes from.",
        ),
        VerdictKind::Nothing | VerdictKind::Undecided => None,
        _ if !confirmed => withdrawn(
            "The fitted model does not confirm the finding of Probe",
            "Collect more labels or edges before you rely on a model, or try other features.",
        ),
        VerdictKind::Gnn if unused => withdrawn(
            "The fitted model gives propagated features no weight",
            "Compare models on structure, on features and on both with `netinfof act --components`.",
        ),
        _ if verdict.degree_only && matched.is_some_and(|auc| auc.interval[1] > 0.5 + BEYOND_DEGREE) => {
            withdrawn(
                "Degrees predict edges, and a signal beyond them is not excluded",
                "Evaluate models with `--negatives degree`, and compare them with a score based on degrees.",
            )
        }
        _ => None,
    }
}

/// Added if statistics of pairs predict better than any embedding.
const PREFER_PAIRS: &str = " Statistics of pairs, such as common neighbours (X), predict better than any embedding: prefer a model that uses them.";

/// Standard errors by which the AUC of degrees must exceed one half for a claim about degrees.
const DEGREE_DEVIATIONS: f64 = 4.0;

/// The minimum improvement on degrees if degrees predict even matched pairs, and the largest AUC above chance
/// against matched pairs at which `degree_only` still holds.
const BEYOND_DEGREE: f64 = 0.05;

fn compared<'s>(
    a: &Candidate,
    b: &Candidate,
    splits: &'s [SplitReport],
    info: &SplitsInfo,
    samples: fn(&'s SplitReport) -> Option<&'s Samples>,
) -> Option<Comparison> {
    let (better, worse) = if a.score >= b.score { (a, b) } else { (b, a) };
    let differences: Option<Vec<Estimate>> = splits
        .iter()
        .map(|split| {
            let mut draw = stream(split, better.name(), worse.name(), 0);
            samples(split)?.difference(better.name(), worse.name(), &mut draw)
        })
        .collect();
    let difference = Estimate::mean(&differences.filter(|d| !d.is_empty())?, info.repetition);
    if difference.value >= 0.0 {
        return Some(Comparison { better: better.name().into(), worse: worse.name().into(), difference });
    }
    // On these samples the order is reversed.
    let [low, high] = difference.interval;
    let turned = Estimate { value: -difference.value, interval: [-high, -low] };
    Some(Comparison { better: worse.name().into(), worse: better.name().into(), difference: turned })
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
        p_value: findings::median(gains.iter().map(|g| g.p_value).collect()),
    })
}

/// A stream for each split, pair of components and question.
fn stream(split: &SplitReport, a: &str, b: &str, question: u64) -> crate::seed::Draw {
    let unit = a.bytes().chain([b'|']).chain(b.bytes()).fold(question + 1, |unit, byte| {
        unit.wrapping_mul(131).wrapping_add(u64::from(byte)) & ((1 << 40) - 1)
    });
    Seed(split.seed).stream(Stream::Resampling, unit)
}

#[cfg(test)]
mod tests;
