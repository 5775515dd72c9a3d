//! The verdict from predictive information, for both tasks.
//!
//! A gain is *shown* where its paired 95 % interval lies above zero, *excluded* where its 97.5 % interval lies
//! below the smallest gain worth having (a parameter, as a share of the target's entropy), and open otherwise.
//! In this order:
//!
//! 1. No group shows a signal: `nothing` if a signal of [`Information::smallest_signal`] is excluded for all
//!    of them, features by distance and products of components included; otherwise `undecided`. Nodes: also `nothing`
//!    if a signal is shown, and for all groups one of [`Information::slight_signal`] is excluded.
//! 2. `gnn`: propagated features improve on features and on structure, each shown, and also on propagated
//!    shuffled features if features alone show no signal. For links only embeddings are compared: a GNN does
//!    not use statistics of pairs. Not if one part alone is enough (4).
//! 3. `combine`: all components together improve on features and on structure, each shown, but propagated
//!    features alone do not improve on both.
//! 4. `any`: both improvements are excluded, and features and structure show a signal each. `features`: what
//!    the graph adds is excluded. `structure`: what features add is excluded.
//! 5. Otherwise `undecided`, with the number of labels that would settle it.

use std::fmt::Write as _;

use super::{Verdict, VerdictKind};
use crate::evidence::{Estimate, NORMAL};
use crate::graph::TargetKind;
use crate::information::{Answer, Information, InformationGain, group};

/// Standard errors that a signal must lie above zero. Several groups are tested, but near zero 95 % intervals hold the
/// truth in 98 to 100 of 100 samples.
const SIGNAL: f64 = 2.0;

/// Deviations by which features without a signal of their own must beat their control: that such features carry
/// information only once they are propagated is rare, and that they sketch the structure is common.
const BEYOND_SKETCH: f64 = 2.8;

/// Bits that are rounding errors: a model without any weight gains about 1e-16 bits on every sample, and an interval
/// of that width may lie above zero.
const ROUNDING: f64 = 1e-9;

/// Share of the labelled nodes from which larger training sets are no advice: validation and test need the rest.
const MOST_USED: f64 = 0.7;

/// Facts about a run.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a run")]
pub(super) struct RunContext {
    pub(super) links: bool,
    pub(super) featureless: bool,
    /// Whether Act runs as well.
    pub(super) acted: bool,
    /// Whether degree-matched negatives do not contradict that propagation improves on structure.
    pub(super) confirmed: bool,
    /// Whether the paper's score shows a signal, so that `nothing` is not a possible answer.
    pub(super) scores_predict: bool,
    /// Number of nodes with a label.
    pub(super) labelled: usize,
}

/// The groups that may show a signal.
const SIGNALS: [&str; 6] = [
    group::STRUCTURE,
    group::FEATURES,
    group::NONLINEAR,
    group::PROPAGATION,
    group::ALL,
    group::INTERACTIONS,
];

/// Whether this many bits are a signal.
pub(super) fn is_signal(bits: Estimate) -> bool {
    lies_above_zero(bits, SIGNAL)
}

/// Whether an estimate lies this many standard errors above zero.
fn lies_above_zero(bits: Estimate, deviations: f64) -> bool {
    bits.value - (bits.value - bits.interval[0]) * deviations / NORMAL > ROUNDING
}

fn signal(information: &Information, name: &str) -> bool {
    information.bits(name).is_some_and(is_signal)
}

/// Whether any group shows a signal.
pub(crate) fn has_signal(information: &Information) -> bool {
    SIGNALS.iter().any(|name| signal(information, name))
}

/// Whether a signal of [`Information::smallest_signal`] is excluded for all groups.
pub(super) fn excludes_signal(information: &Information) -> bool {
    let smallest = information.smallest_signal();
    let mut known = SIGNALS.iter().filter_map(|name| information.bits(name));
    known.all(|bits| information.excludes(bits, smallest))
}

/// Whether a signal is shown that is too small to be worth a model.
pub(super) fn is_slight(information: &Information) -> bool {
    let slight = information.slight_signal();
    let mut known = SIGNALS.iter().filter_map(|name| information.bits(name));
    has_signal(information) && known.all(|bits| information.excludes(bits, slight))
}

/// Whether propagation must be compared with a control: features alone show no signal, but something does.
pub(crate) fn needs_control(information: &Information) -> bool {
    information.bits(group::FEATURES).is_some()
        && information.bits(group::PROPAGATION).is_some()
        && !signal(information, group::FEATURES)
        && has_signal(information)
}

/// Whether the verdict depends on the control of shuffled features: features alone show no signal, and together
/// with the graph they seem to carry more than the control.
pub(crate) fn depends_on_control(information: &Information) -> bool {
    let silent = ![group::FEATURES, group::NONLINEAR].iter().any(|name| signal(information, name));
    silent && information.gain(group::ALL, group::CONTROL).is_some_and(|gain| gain.answer == Answer::Shown)
}

/// The inputs of the rule.
struct Evidence<'a> {
    information: &'a Information,
    context: RunContext,
    /// Whether features predict better by distance than linearly.
    nonlinear: bool,
}

/// The finding behind a verdict.
#[derive(Clone, Copy, PartialEq)]
enum RuleFinding {
    Plain,
    /// No group shows a signal.
    Silent,
    /// No group shows a signal, but products of components do.
    Interaction,
    /// A signal is shown, and it is too small to be worth a model.
    Slight,
    /// Propagated features are no better than those of shuffled features.
    Sketch,
}

/// Judges predictive information.
pub(super) fn judge(information: &Information, context: RunContext) -> Verdict {
    let nonlinear =
        information.gain(group::NONLINEAR, group::FEATURES).is_some_and(|gain| gain.answer == Answer::Shown);
    let evidence = Evidence { information, context, nonlinear };
    let (kind, finding) = evidence.kind();
    let reason = evidence.reason(kind, finding);
    let next = evidence.next(kind, finding);
    Verdict { kind, degree_only: false, nonlinear: nonlinear && kind == VerdictKind::Features, reason, next }
}

impl Evidence<'_> {
    fn features(&self) -> &'static str {
        if self.nonlinear { group::NONLINEAR } else { group::FEATURES }
    }

    fn signal(&self, name: &str) -> bool {
        signal(self.information, name)
    }

    fn answer(&self, of: &str, over: &str) -> Option<Answer> {
        self.information.gain(of, over).map(|gain| gain.answer)
    }

    fn kind(&self) -> (VerdictKind, RuleFinding) {
        let names = [group::STRUCTURE, self.features(), group::PROPAGATION, group::ALL];
        let [structure, features, propagation, all] = names.map(|name| self.signal(name));
        if !(structure || features || propagation || all) {
            if self.signal(group::INTERACTIONS) {
                return (VerdictKind::Undecided, RuleFinding::Interaction);
            }
            let excluded = excludes_signal(self.information) && !self.context.scores_predict;
            return (
                if excluded { VerdictKind::Nothing } else { VerdictKind::Undecided },
                RuleFinding::Silent,
            );
        }
        if !self.context.links && is_slight(self.information) {
            return (VerdictKind::Nothing, RuleFinding::Slight);
        }
        let has = |name: &str| self.information.bits(name).is_some();
        let shown = |of: &str, over: &str| self.answer(of, over) == Some(Answer::Shown);
        let excluded = |of: &str, over: &str| self.answer(of, over) == Some(Answer::Excluded);
        // A single measured group cannot be compared.
        let measured = [group::STRUCTURE, group::FEATURES, group::PROPAGATION].map(has);
        match measured {
            [true, false, false] => return (VerdictKind::Structure, RuleFinding::Plain),
            [false, true, false] => return (VerdictKind::Features, RuleFinding::Plain),
            [false, false, true] => return (VerdictKind::Gnn, RuleFinding::Plain),
            _ => {}
        }
        let beyond_sketch = shown(group::ALL, group::CONTROL)
            && self
                .information
                .gain(group::ALL, group::CONTROL)
                .is_some_and(|gain| lies_above_zero(gain.bits, BEYOND_SKETCH));
        let sketch = !self.signal(self.features()) && has(group::FEATURES) && !beyond_sketch;
        // A GNN uses embeddings of nodes, not statistics of pairs.
        let propagated =
            if has(group::PROPAGATION_EMBEDDED) { group::PROPAGATION_EMBEDDED } else { group::PROPAGATION };
        let ahead = |over: &'static str, embedded: &'static str| {
            if has(embedded) {
                shown(propagated, embedded)
            } else {
                !has(over) || shown(propagated, over) || self.nearly_all(over)
            }
        };
        let enough = excluded(group::ALL, group::STRUCTURE) || excluded(group::ALL, group::FEATURES);
        // Also for links, where embeddings are compared: beside statistics of pairs, features must add something.
        let adds =
            self.information.gain(group::ALL, group::STRUCTURE).is_none_or(|gain| gain.bits.above(ROUNDING));
        let beyond_nonlinear = !self.nonlinear || shown(group::PROPAGATION, group::NONLINEAR);
        if propagation
            && ahead(group::FEATURES, group::FEATURES_EMBEDDED)
            && ahead(group::STRUCTURE, group::STRUCTURE_EMBEDDED)
            && !enough
            && adds
            && beyond_nonlinear
            && self.context.confirmed
        {
            if !sketch {
                return (VerdictKind::Gnn, RuleFinding::Plain);
            }
            let silent = excluded(group::BOTH, group::STRUCTURE) && excluded(group::ALL, group::CONTROL);
            return (
                if structure && silent { VerdictKind::Structure } else { VerdictKind::Undecided },
                RuleFinding::Sketch,
            );
        }
        // The gain comes from the features, not from a second sketch of the structure.
        let real = shown(group::BOTH, group::STRUCTURE) || beyond_sketch;
        // The gain of the graph over features, and of features over structure.
        let graph = self.answer(group::ALL, group::FEATURES);
        let table = self.answer(group::ALL, group::STRUCTURE);
        let kind = match (graph, table) {
            (Some(Answer::Shown), Some(Answer::Shown)) if !self.nonlinear && real => VerdictKind::Combine,
            (Some(Answer::Excluded), Some(Answer::Excluded)) if structure && features => VerdictKind::Any,
            (Some(Answer::Excluded), _) if features => VerdictKind::Features,
            (_, Some(Answer::Excluded)) if structure && !self.nonlinear_signal() => VerdictKind::Structure,
            // If features by distance are better than linear models, comparisons of linear models are not
            // conclusive.
            _ if self.nonlinear && features && self.nonlinear_leads() => VerdictKind::Features,
            _ => VerdictKind::Undecided,
        };
        if kind == VerdictKind::Undecided
            && structure
            && !features
            && excluded(group::BOTH, group::STRUCTURE)
            && excluded(group::ALL, group::CONTROL)
        {
            return (VerdictKind::Structure, RuleFinding::Sketch);
        }
        (kind, if sketch { RuleFinding::Sketch } else { RuleFinding::Plain })
    }

    /// Whether propagated features improve on a part by a small gain, but carry nearly all that there is beyond
    /// that part.
    fn nearly_all(&self, over: &str) -> bool {
        let gain = |of: &str, over: &str| self.information.gain(of, over).map(|gain| gain.bits);
        let above = gain(group::PROPAGATION, over).is_some_and(|bits| bits.above(ROUNDING));
        let rest = gain(group::ALL, group::PROPAGATION);
        above
            && self.answer(group::ALL, over) == Some(Answer::Shown)
            && rest.is_some_and(|rest| rest.value < self.information.smallest_gain)
    }

    /// Whether features predict by distance but not linearly.
    fn nonlinear_signal(&self) -> bool {
        self.nonlinear && self.signal(group::NONLINEAR)
    }

    /// Whether features by distance carry more than all components together in a linear model.
    fn nonlinear_leads(&self) -> bool {
        self.answer(group::NONLINEAR, group::ALL) == Some(Answer::Shown)
    }

    /// Whether propagated features were compared with those of shuffled features.
    fn has_control(&self) -> bool {
        self.information.bits(group::CONTROL).is_some()
    }

    fn gain(&self, of: &str, over: &str) -> String {
        self.information.gain(of, over).map_or_else(String::new, |gain| with_interval(gain.bits))
    }

    /// The smallest gain worth having, for people: a small one with more digits.
    fn smallest_gain(&self) -> String {
        let bits = self.information.smallest_gain;
        if bits < 0.02 { format!("{bits:.4}") } else { format!("{bits:.2}") }
    }

    /// Restricts a statement about all components to those that the rule looks at.
    fn built_in(&self) -> &'static str {
        if self.information.own_components().next().is_some() { "built-in " } else { "" }
    }

    fn finding(&self, kind: VerdictKind, finding: RuleFinding) -> String {
        let gain = |of: &str, over: &str| self.gain(of, over);
        match (kind, finding) {
            (VerdictKind::Nothing, RuleFinding::Slight) => format!(
                "The {}components carry hardly any information about {}: there is a signal, but one of {} % of the {} is excluded",
                self.built_in(),
                self.target(),
                percent(self.information.share(self.information.slight_signal())),
                if self.of_numbers() { "variance" } else { "entropy" }
            ),
            (VerdictKind::Nothing, _) => format!(
                "No {}component carries information about {}: a signal of {} % of the {} is excluded",
                self.built_in(),
                self.target(),
                percent(self.information.share(self.information.smallest_signal())),
                if self.of_numbers() { "variance" } else { "entropy" }
            ),
            (VerdictKind::Undecided, RuleFinding::Silent) => {
                format!("No {}component shows a signal, and these {} do not exclude one", self.built_in(), self.samples())
            }
            (VerdictKind::Undecided, RuleFinding::Interaction) => format!(
                "No {}component alone shows a signal, but products of components, such as the features of a node times those of its \
                 neighbours, carry {} bits: the relation is not linear",
                self.built_in(),
                self.information.bits(group::INTERACTIONS).map_or_else(String::new, with_interval)
            ),
            (VerdictKind::Undecided, RuleFinding::Sketch) if !self.has_control() => {
                "Propagated features predict, but features alone show no signal: without a control they cannot be distinguished from a sketch of the \
                 structure"
                    .into()
            }
            (VerdictKind::Undecided, RuleFinding::Sketch) => {
                "There is a signal, but propagated features are not shown to carry more than propagated random features, which are a sketch of the \
                 structure"
                    .into()
            }
            (VerdictKind::Undecided, RuleFinding::Plain | RuleFinding::Slight) => {
                format!("There is a signal, and these {} do not show which part of the data is enough", self.samples())
            }
            (VerdictKind::Gnn, _) if self.information.bits(group::STRUCTURE).is_none() && self.information.bits(group::FEATURES).is_none() => {
                format!("Propagated features carry information about {}", self.target())
            }
            (VerdictKind::Gnn, _) => {
                let embedded = self.information.bits(group::PROPAGATION_EMBEDDED).is_some();
                let over = if embedded {
                    let of = group::PROPAGATION_EMBEDDED;
                    [("features", gain(of, group::FEATURES_EMBEDDED)), ("structure", gain(of, group::STRUCTURE_EMBEDDED))]
                } else {
                    [group::FEATURES, group::STRUCTURE].map(|over| (over, gain(group::PROPAGATION, over)))
                };
                let listed: Vec<String> =
                    over.iter().filter(|(_, bits)| !bits.is_empty()).map(|(over, bits)| format!("{over} by {bits} bits")).collect();
                format!("Propagated features improve on {}", listed.join(" and on "))
            }
            (VerdictKind::Combine, _) => format!(
                "The graph adds {} bits to the features, and features add {} bits to the structure, but propagated features alone do not improve on both",
                gain(group::ALL, group::FEATURES),
                gain(group::ALL, group::STRUCTURE)
            ),
            (VerdictKind::Any, _) => format!(
                "All components together improve neither on features alone nor on structure alone: a gain of {} bits is excluded for both",
                self.smallest_gain()
            ),
            (VerdictKind::Structure, _)
                if self.context.featureless || self.information.gain(group::ALL, group::STRUCTURE).is_none() => {
                format!("Structure carries information about {}", self.target())
            }
            (VerdictKind::Structure, RuleFinding::Sketch) if self.has_control() => {
                "Structure carries the information: features add nothing to it, and propagated features are no better than propagated random features"
                    .into()
            }
            (VerdictKind::Structure, _) => format!(
                "Features add {} bits to the structure, and a gain of {} is excluded",
                gain(group::ALL, group::STRUCTURE),
                self.smallest_gain()
            ),
            (VerdictKind::Features, _) if self.nonlinear => format!(
                "Features predict {} by a nonlinear relation: {} bits more than a linear model on the features",
                self.target(),
                gain(group::NONLINEAR, group::FEATURES)
            ),
            (VerdictKind::Features, _) if self.information.gain(group::ALL, group::FEATURES).is_none() => {
                format!("Features carry information about {}", self.target())
            }
            (VerdictKind::Features, _) => format!(
                "The graph adds {} bits to the features, and a gain of {} is excluded",
                gain(group::ALL, group::FEATURES),
                self.smallest_gain()
            ),
        }
    }

    fn reason(&self, kind: VerdictKind, finding: RuleFinding) -> String {
        let mut text = String::new();
        if self.context.featureless {
            text.push_str(
                "The graph has no features; one-hot degrees are used instead and count as structure. ",
            );
        }
        text.push_str(&self.finding(kind, finding));
        text.push('.');
        let named = [
            (group::STRUCTURE, "structure"),
            (group::FEATURES, "features"),
            (group::PROPAGATION, "propagated features"),
        ];
        let mut missing = Vec::new();
        if !self.context.featureless {
            for (name, words) in &named {
                if self.information.bits(name).is_none() {
                    missing.push(*words);
                }
            }
        }
        if !missing.is_empty() {
            let _ = write!(text, " Not measured: {}.", missing.join(", "));
        }
        text
    }

    fn samples(&self) -> &'static str {
        if self.context.links { "pairs" } else { "labels" }
    }

    /// What is predicted.
    fn target(&self) -> &'static str {
        match self.information.target {
            _ if self.context.links => "edges",
            TargetKind::Numbers => "the target",
            TargetKind::Labels => "the labels",
            TargetKind::Classes => "the classes",
        }
    }

    fn of_numbers(&self) -> bool {
        self.information.target == TargetKind::Numbers
    }

    fn next(&self, kind: VerdictKind, finding: RuleFinding) -> String {
        let links = self.context.links;
        let baseline = if self.context.acted {
            "the fitted model below is the baseline to beat"
        } else {
            "`netinfof act` fits its linear counterpart in seconds, the baseline to beat"
        };
        match kind {
            VerdictKind::Gnn if !links && self.answer(group::ALL, group::PROPAGATION) == Some(Answer::Shown) => format!(
                "Train a GNN with skip connections that also gets structural features, such as degrees: all components together carry {} \
                 bits more than propagated features alone; {baseline}.",
                self.gain(group::ALL, group::PROPAGATION)
            ),
            VerdictKind::Gnn => format!("Train a GNN, such as GCN or GraphSAGE; {baseline}."),
            VerdictKind::Combine if self.answer(group::ALL, group::BOTH) == Some(Answer::Shown) => format!(
                "Train a GNN with skip connections that also gets structural features, such as degrees, or that adds up its neighbours, such as GIN; \
                 propagation adds {} bits to features and structure side by side, but a plain GCN sees averages alone.",
                self.gain(group::ALL, group::BOTH)
            ),
            VerdictKind::Combine => {
                "Use features and structural embeddings together, or a GNN with skip connections; a plain GCN may lose the information in the features."
                    .into()
            }
            VerdictKind::Structure
                if finding == RuleFinding::Sketch
                    && self.answer(group::PROPAGATION, group::STRUCTURE) == Some(Answer::Shown) =>
            {
                format!(
                    "Leave the features out: a GNN on learned or random node embeddings should do as well. It may do better than structural \
                     embeddings: propagation improves on them by {} bits, whatever the features.",
                    self.gain(group::PROPAGATION, group::STRUCTURE)
                )
            }
            VerdictKind::Structure => {
                let first = if self.context.featureless { "Structural" } else { "Leave the features out: structural" };
                let model = if links { "embeddings and statistics of pairs" } else if self.of_numbers() { "embeddings and a regression on them" } else { "embeddings and a classifier on them" };
                format!("{first} {model} should do as well as a GNN.")
            }
            VerdictKind::Features if self.nonlinear => {
                "Leave the graph out: train gradient boosting or an MLP on the features; a linear model cannot represent the relation.".into()
            }
            VerdictKind::Features if links => {
                "Leave the graph out: a model on the features of both nodes should do as well as a GNN.".into()
            }
            VerdictKind::Features => {
                "Leave the graph out: an MLP or gradient boosting on the features should do as well as a GNN.".into()
            }
            VerdictKind::Any => "Use whichever is cheaper, features or structure: a GNN should not do better than either.".into(),
            VerdictKind::Nothing if finding == RuleFinding::Slight => {
                "Look for other features or another target; if so small a signal is worth having, say so with `--smallest-gain 0.001`.".into()
            }
            VerdictKind::Nothing => "Look for other features or another target.".into(),
            VerdictKind::Undecided if finding == RuleFinding::Interaction => {
                "Compare a GNN with skip connections, such as GraphSAGE, with an MLP on features and structural embeddings; linear models, \
                 also those of `netinfof act`, cannot represent the relation."
                    .into()
            }
            VerdictKind::Undecided => {
                let samples = self.samples();
                let wanted = self.labels_wanted(finding);
                let more = wanted.map_or_else(
                    || format!("More {samples}"),
                    |wanted| format!("About {wanted} {samples} in total"),
                );
                let have = self.information.samples;
                let first = format!("{more} would settle it; {have} were used.");
                let labelled = self.context.labelled;
                if links {
                    return format!("{first} Validate on more of the edges, such as with `--shares 0.5,0.3`, or collect more edges.");
                }
                // Over several splits, nearly all nodes are used.
                let used = have as f64 / labelled.max(1) as f64;
                let enough = wanted.is_none_or(|wanted| wanted <= labelled);
                match (used < MOST_USED, enough) {
                    (true, true) => {
                        format!("{first} {labelled} nodes have labels: use more of them, such as with `--shares 0.5,0.25`.")
                    }
                    (true, false) => format!(
                        "{first} Only {labelled} nodes have labels: use more of them, such as with `--shares 0.5,0.25`, and label more."
                    ),
                    (false, _) => format!("{first} {labelled} nodes have labels: label more."),
                }
            }
        }
    }

    /// The number of labels that would show or exclude open gains, from the widths of the intervals; `None`
    /// if it is too large.
    fn labels_wanted(&self, finding: RuleFinding) -> Option<usize> {
        let have = self.information.samples as f64;
        let settled = |bits: Estimate, smallest: f64| {
            let half = (bits.interval[1] - bits.interval[0]) / 2.0;
            let show = if bits.value > 0.0 { (half / bits.value).powi(2) } else { f64::INFINITY };
            let exclude =
                if bits.value < smallest { (half / (smallest - bits.value)).powi(2) } else { f64::INFINITY };
            // The minimum number of training samples for an exclusion.
            let floor = NORMAL * NORMAL * 2.0 / (std::f64::consts::LN_2 * smallest) * have
                / self.information.training as f64;
            (have * show).min((have * exclude).max(floor))
        };
        let open: Vec<f64> = if finding == RuleFinding::Silent {
            let smallest = self.information.smallest_signal();
            let bits = [group::STRUCTURE, group::FEATURES, group::PROPAGATION]
                .map(|name| self.information.bits(name));
            bits.into_iter().flatten().map(|bits| settled(bits, smallest)).collect()
        } else {
            let asked = |gain: &&InformationGain| {
                gain.answer == Answer::Open
                    && (gain.of == group::PROPAGATION && gain.over != group::NONLINEAR
                        || gain.of == group::ALL && gain.over != group::CONTROL && gain.over != group::BOTH)
            };
            let gains = self.information.gains.iter().filter(asked);
            gains.map(|gain| settled(gain.bits, self.information.smallest_gain)).collect()
        };
        let wanted = open.into_iter().fold(0.0, f64::max);
        if !wanted.is_finite() || wanted <= have || wanted > 1e7 {
            return None;
        }
        let unit = 10f64.powf(wanted.log10().floor() - 1.0);
        Some(((wanted / unit).ceil() * unit) as usize)
    }
}

/// A share in percent, with digits after the point only if it has them.
fn percent(share: f64) -> f64 {
    (1e4 * share).round() / 1e2
}

/// A figure with its interval.
pub(super) fn with_interval(bits: Estimate) -> String {
    let [low, high] = bits.interval.map(rounded);
    format!("{:.2} [{low:.2}, {high:.2}]", rounded(bits.value))
}

/// Rounds to two digits, without a negative zero.
fn rounded(value: f64) -> f64 {
    let value = (100.0 * value).round() / 100.0;
    if value == 0.0 { 0.0 } else { value }
}
