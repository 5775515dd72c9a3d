//! The effect of user-supplied components on the verdict.
//!
//! Whether a GNN helps is answered by structure, features and propagation only. The verdict also states the
//! gain of each user-supplied component over all others. If the built-in components show no signal but a
//! user-supplied one does, the answer is `features`: it is a table of numbers for the nodes, and a model on
//! it needs no graph.

use std::fmt::Write as _;

use super::rule::{is_signal, with_interval};
use super::{RunInformation, Verdict, VerdictKind};
use crate::information::{Answer, Information};

/// The verdict with the information of user-supplied components.
pub(super) fn judged(mut verdict: Verdict, built_in_signal: bool, information: &Information) -> Verdict {
    let mut useful = Vec::new();
    let mut sentences = String::new();
    let mut signal = false;
    for (name, bits, gain) in information.own_components() {
        let adds = match gain.answer {
            Answer::Shown => {
                useful.push(name);
                format!("adds {} bits to all other components", with_interval(gain.bits))
            }
            Answer::Excluded => {
                format!(
                    "adds {} bits to all other components: no gain worth having",
                    with_interval(gain.bits)
                )
            }
            Answer::Open => format!(
                "adds {} bits to all other components, so a gain worth having is neither shown nor excluded",
                with_interval(gain.bits)
            ),
        };
        signal |= is_signal(bits) && gain.answer == Answer::Shown;
        let _ = write!(
            sentences,
            " The user-supplied component `{name}` carries {} bits and {adds}.",
            with_interval(bits)
        );
    }
    if sentences.is_empty() {
        return verdict;
    }
    let listed = useful.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let silent =
        matches!(verdict.kind, VerdictKind::Nothing | VerdictKind::Undecided) && !verdict.degree_only;
    if signal && silent && !built_in_signal {
        verdict.kind = VerdictKind::Features;
        verdict.next = format!("Train a model on {listed}; the graph is not needed.");
    } else if !useful.is_empty() {
        let _ = write!(verdict.next, " Give {listed} to the model as features.");
    }
    verdict.reason.push_str(&sentences);
    verdict
}

/// The verdict if only user-supplied components were measured.
pub(super) fn alone(known: Option<RunInformation<'_>>) -> Verdict {
    let groups = known.map_or(&[][..], |known| &known.information.groups);
    let carried: Vec<String> = groups
        .iter()
        .filter(|group| group.components.len() == 1 && group.name == group.components[0])
        .map(|group| format!("`{}` carries {} bits", group.name, with_interval(group.bits)))
        .collect();
    let signal = groups.iter().any(|group| is_signal(group.bits));
    Verdict {
        kind: if signal { VerdictKind::Features } else { VerdictKind::Undecided },
        degree_only: false,
        nonlinear: false,
        reason: format!(
            "Only user-supplied components were measured: {}. Not measured: structure, features, propagated features.",
            carried.join(", ")
        ),
        next: "Measure the built-in components too, to see what the graph adds.".into(),
    }
}
