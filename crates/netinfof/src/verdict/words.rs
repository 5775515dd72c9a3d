//! Texts of verdicts on links that the rule of predictive information does not decide.

use std::fmt::Write as _;

use super::{Candidate, VerdictKind};
use crate::findings::SplitsInfo;

/// Special cases of the evidence of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Ordinary,
    /// Only D is a signal.
    DAlone,
    /// Only degrees predict edges.
    DegreeOnly,
    /// Degrees predict edges, and more is neither shown nor excluded.
    DegreesPredict,
    /// There is only the trace of the split in the degrees.
    Mark,
    /// Propagation improves on structure only against uniform negatives.
    Unconfirmed,
}

/// The data for the explanation of a verdict.
pub(super) struct Words<'a> {
    /// The best of structure, features and propagation.
    pub(super) groups: [Option<&'a Candidate>; 3],
    pub(super) case: Case,
    /// Components that rank held-out edges below other pairs.
    pub(super) reversed: Vec<&'a str>,
    pub(super) info: &'a SplitsInfo,
    pub(super) acted: bool,
    /// Samples of the smallest split.
    pub(super) samples: usize,
    pub(super) margin: f64,
}

impl Words<'_> {
    pub(super) fn group(&self, group: usize) -> &'static str {
        match (group, self.info.featureless) {
            (0, _) => "structure",
            (1, _) => "features",
            (_, false) => "propagated features",
            (_, true) => "propagated degrees",
        }
    }

    /// The finding behind a kind, in one clause.
    pub(super) fn finding(&self, kind: VerdictKind) -> String {
        let text = match (kind, self.case) {
            (_, Case::DAlone) => {
                "Only the difference between a node and its neighbours (D) predicts anything"
            }
            (VerdictKind::Structure, _) => {
                "Only degrees predict edges: against degree-matched negatives nothing is distinguishable from chance"
            }
            (_, Case::Mark) => {
                "The signal against uniform negatives comes from the trace that the split leaves in the degrees; against degree-matched \
                 negatives nothing is distinguishable from chance"
            }
            (_, Case::DegreesPredict) => {
                "Degrees predict edges, and the data neither show nor exclude a signal beyond them"
            }
            (VerdictKind::Undecided, _) if !self.reversed.is_empty() => {
                return format!(
                    "{} ranks held-out edges below other pairs, so what was learned from training pairs does not generalise",
                    self.reversed.join(", ")
                );
            }
            (VerdictKind::Nothing, _) => {
                return format!(
                    "No component is distinguishable from chance, and a gain of {:.3} over no information is excluded for all of them",
                    self.margin
                );
            }
            _ => {
                return format!(
                    "No component is distinguishable from chance, but {} pairs are too few to exclude a signal",
                    self.samples,
                );
            }
        };
        text.into()
    }

    pub(super) fn reason(&self, kind: VerdictKind) -> String {
        let mut listed = Vec::new();
        let mut missing = Vec::new();
        // Then the finding says so of all of them.
        let no_signal = self.groups.iter().flatten().all(|best| !best.predicts && !best.by_degree);
        for (group, best) in self.groups.iter().enumerate() {
            let alone = if group < 2 { " alone" } else { "" };
            match best {
                Some(best) => {
                    let chance = match (best.predicts, best.by_degree) {
                        (true, _) => "",
                        (false, _) if no_signal => "",
                        (false, true) => ", by degrees alone",
                        (false, false) => ", indistinguishable from chance",
                    };
                    listed.push(format!(
                        "{}{alone} ({} {:.2}{chance})",
                        self.group(group),
                        best.name(),
                        best.score
                    ));
                }
                None if group == 1 && self.info.featureless => {}
                None => missing.push(self.group(group)),
            }
        }
        let mut text = String::new();
        if self.info.featureless {
            text.push_str("The graph has no features; one-hot degrees are used instead. ");
        }
        text.push_str(&self.finding(kind));
        if !listed.is_empty() {
            let _ = write!(text, ": {}", listed.join(", "));
        }
        text.push('.');
        if !missing.is_empty() {
            let _ = write!(text, " Not measured: {}.", missing.join(", "));
        }
        text
    }

    pub(super) fn next(&self, kind: VerdictKind) -> String {
        match (kind, self.case) {
            (VerdictKind::Undecided, Case::DegreesPredict) => {
                "Evaluate models with `--negatives degree`, and compare them with a score based on degrees."
            }
            (VerdictKind::Structure, _) => {
                "A score based on degrees, such as preferential attachment, does as well as a GNN; evaluate any model with `--negatives degree`."
            }
            (VerdictKind::Gnn, _) => "Train a GNN that keeps a node's own features separate from those of its neighbours.",
            (VerdictKind::Nothing, _) => "Look for other features, another target or more edges.",
            _ if self.acted => "Validate on more of the edges, such as with `--shares 0.5,0.3`, or collect more edges.",
            _ => {
                "Fit a model with `netinfof act`, validate on more of the edges, such as with `--shares 0.5,0.3`, or collect more edges."
            }
        }
        .to_string()
    }
}
