//! Unit tests, compiled under `#[cfg(test)]` alone.

use super::*;
use crate::evidence::{self, Samples};
use crate::exec::Exec;
use crate::findings::ComponentReport;
use crate::information::{self, Answer, ComponentBlocks, Part, SampleTarget};
use crate::matrix::Matrix;
use crate::probe::InfoScore;
use crate::score::Contingency;
use crate::seed::Draw;

const SAMPLES: usize = 2000;

/// The verdict on components that put samples with binary labels into two bins.
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
        time: None,
        seconds: OrderedMap::default(),
        samples: Samples {
            labels: labels.to_vec(),
            classes: 2,
            units: (0..labels.len() as u64).collect(),
            bins: components.iter().map(|(name, bins)| (name.to_string(), 2, bins.clone())).collect(),
        },
        matched: None,
        predictive_information: Some(information(labels, components)),
        beyond_degree_information: None,
    };
    let splits = [split];
    let info = SplitsInfo::new(TaskKind::Links, false, 0, &splits);
    let (components, parts) = findings::summaries(&splits, &info);
    let known = splits[0].predictive_information.as_ref();
    let known = known.map(|information| RunInformation { information, beyond_degree: None });
    judge(&info, &components, &parts, known, &splits).verdict
}

fn information(labels: &[u32], components: &[(&str, Vec<u32>)]) -> Information {
    let mut blocks = ComponentBlocks::default();
    for (name, bins) in components {
        let part = match Subject::of(name).unwrap().group(false) {
            Group::Structure => Part::Structure,
            Group::Features => Part::Features,
            Group::Propagation => Part::Propagation,
            Group::Other => Part::Other,
        };
        blocks.add(part, *name, Matrix::from_fn(bins.len(), 1, |row, _| bins[row] as f32 - 0.5));
    }
    let units: Vec<u64> = (0..labels.len() as u64).collect();
    let target = SampleTarget::Classes { labels, classes: 2 };
    blocks.measure(&target, &units, Seed(0), &Exec::new(1).unwrap()).unwrap()
}

/// The labels, with a share of them replaced by coin flips.
fn noisy(labels: &[u32], known: f64, draw: &mut Draw) -> Vec<u32> {
    labels.iter().map(|&label| if draw.unit() < known { label } else { draw.below(2) }).collect()
}

/// What the verdict says about a user-supplied component: a gain, no gain, or neither.
#[test]
fn gains_of_user_supplied_components_are_shown_excluded_or_open() {
    let mut draw = Seed(6).stream(Stream::Synth, 0);
    let labels: Vec<u32> = (0..SAMPLES).map(|_| draw.below(2)).collect();
    let known = noisy(&labels, 0.8, &mut draw);
    let said = |count: usize, built_in: &[u32], own: &[u32]| {
        let column = |bins: &[u32]| Matrix::from_fn(count, 1, |row, _| bins[row] as f32 - 0.5);
        let mut blocks = ComponentBlocks::default();
        blocks.add(Part::Structure, "U", column(built_in));
        blocks.add(Part::Custom, "text", column(own));
        let units: Vec<u64> = (0..count as u64).collect();
        let exec = Exec::new(1).unwrap();
        let target = SampleTarget::Classes { labels: &labels[..count], classes: 2 };
        let information = blocks.measure(&target, &units, Seed(0), &exec).unwrap();
        let answer = information.own_components().next().unwrap().2.answer;
        let built_in_signal = rule::is_signal(information.bits("U").unwrap());
        let silent = Verdict {
            kind: VerdictKind::Nothing,
            degree_only: false,
            nonlinear: false,
            reason: String::new(),
            next: String::new(),
        };
        (answer, own::judged(silent, built_in_signal, &information))
    };
    let coins = noisy(&labels, 0.0, &mut draw);
    let (answer, verdict) = said(SAMPLES, &coins, &known);
    assert_eq!((answer, verdict.kind), (Answer::Shown, VerdictKind::Features));
    assert!(verdict.next.contains("`text`"), "{verdict:?}");
    let (answer, verdict) = said(SAMPLES, &known, &known);
    assert_eq!((answer, verdict.kind), (Answer::Excluded, VerdictKind::Nothing));
    assert!(verdict.reason.contains("no gain worth having") && verdict.next.is_empty(), "{verdict:?}");
    let (answer, verdict) = said(40, &coins, &noisy(&labels, 0.3, &mut draw));
    assert_eq!((answer, verdict.kind), (Answer::Open, VerdictKind::Nothing));
    assert!(verdict.reason.contains("neither shown nor excluded"), "{verdict:?}");
}

/// A few samples exclude nothing.
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
    let mut of = |from: &[u32], known: f64| noisy(from, known, &mut draw);
    let (weak, other, strong) = (of(&labels, 0.5), of(&labels, 0.5), of(&labels, 0.8));
    let (coins, more) = (of(&labels, 0.0), of(&labels, 0.0));
    // A component without information beyond the strong one.
    let faint = of(&strong, 0.6);
    let kind = |u: &[u32], f: &[u32], p: &[u32]| {
        let found = verdict(&labels, &[("U", u.to_vec()), ("F", f.to_vec()), ("P", p.to_vec())]);
        assert!(!found.reason.contains("NaN") && found.reason.ends_with('.') && !found.next.is_empty());
        found.kind
    };
    assert_eq!(kind(&coins, &more, &coins), VerdictKind::Nothing);
    // Features alone predict nothing, and there is no control: it may be a sketch of the structure.
    assert_eq!(kind(&coins, &more, &strong), VerdictKind::Undecided);
    assert_eq!(kind(&weak, &coins, &strong), VerdictKind::Undecided);
    assert_eq!(kind(&weak, &coins, &other), VerdictKind::Undecided);
    assert_eq!(kind(&strong, &coins, &faint), VerdictKind::Structure);
    assert_eq!(kind(&weak, &other, &strong), VerdictKind::Gnn);
    assert_eq!(kind(&coins, &strong, &faint), VerdictKind::Features);
    assert_eq!(kind(&faint, &strong, &faint), VerdictKind::Features);
    assert_eq!(kind(&strong, &faint, &faint), VerdictKind::Structure);
    // Each adds to the other, and propagation carries no more than one of them.
    assert_eq!(kind(&weak, &other, &weak), VerdictKind::Combine);
    assert_eq!(kind(&weak, &weak, &weak), VerdictKind::Any);
}

#[test]
fn what_was_not_measured_is_not_judged() {
    let mut draw = Seed(6).stream(Stream::Synth, 0);
    let labels: Vec<u32> = (0..SAMPLES).map(|_| draw.below(2)).collect();
    let strong = noisy(&labels, 0.8, &mut draw);
    let (weak, coins) = (noisy(&strong, 0.6, &mut draw), noisy(&labels, 0.0, &mut draw));
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
        let named: Vec<&str> = components.iter().map(|(name, _)| *name).collect();
        let components: Vec<(&str, Vec<u32>)> = components.iter().map(|(n, b)| (*n, (*b).clone())).collect();
        let found = verdict(&labels, &components);
        assert_eq!(found.kind, kind, "{named:?}: {}", found.reason);
        assert!(found.reason.ends_with(&format!("Not measured: {not}")), "{named:?}: {}", found.reason);
    }
}

/// More labels are advised only where there are some.
#[test]
fn the_advice_of_an_open_verdict_fits_the_number_of_labels() {
    let mut draw = Seed(4).stream(Stream::Synth, 0);
    let labels: Vec<u32> = (0..SAMPLES).map(|_| draw.below(2)).collect();
    let noise = noisy(&labels, 0.0, &mut draw);
    let noise = information(&labels, &[("U", noise)]).with_smallest_gain(0.001);
    let next = |labelled: usize| {
        let context = rule::RunContext {
            links: false,
            featureless: false,
            acted: false,
            confirmed: true,
            scores_predict: false,
            labelled,
        };
        let verdict = rule::judge(&noise, context);
        assert_eq!(verdict.kind, VerdictKind::Undecided);
        verdict.next
    };
    let used = noise.samples;
    assert!(next(used).ends_with(&format!("{used} nodes have labels: label more.")), "{}", next(used));
    assert!(next(2 * used).contains("and label more"), "{}", next(2 * used));
    let many = next(1_000_000 * used);
    assert!(many.contains("use more of them") && !many.contains("label more"), "{many}");
}

/// The smallest gain worth having decides between a GNN and simpler models.
#[test]
fn smaller_gains_than_the_smallest_are_ignored() {
    let mut draw = Seed(3).stream(Stream::Synth, 0);
    let labels: Vec<u32> = (0..SAMPLES).map(|_| draw.below(2)).collect();
    let mut of = |known: f64| noisy(&labels, known, &mut draw);
    let (weak, other, strong, coins) = (of(0.5), of(0.5), of(0.8), of(0.0));
    let context = rule::RunContext {
        links: true,
        featureless: false,
        acted: false,
        confirmed: true,
        scores_predict: false,
        labelled: 0,
    };
    let judged = |measured: &Information, smallest: f64| {
        rule::judge(&measured.clone().with_smallest_gain(smallest), context)
    };
    let gain = information(&labels, &[("U", weak), ("F", other), ("P", strong)]);
    assert_eq!(judged(&gain, information::SMALLEST_GAIN), rule::judge(&gain, context));
    assert_eq!(judged(&gain, 0.05).kind, VerdictKind::Gnn);
    let verdict = judged(&gain, 0.5);
    assert!(matches!(verdict.kind, VerdictKind::Structure | VerdictKind::Any), "{verdict:?}");
    assert!(verdict.reason.contains("a gain of 0.50"), "{}", verdict.reason);
    // `nothing` excludes the smallest gain too, which these samples cannot if it is small.
    let noise = information(&labels, &[("U", coins)]);
    assert_eq!([0.05, 0.5].map(|smallest| judged(&noise, smallest).kind), [VerdictKind::Nothing; 2]);
    assert!(judged(&noise, 0.5).reason.contains("a signal of 3 % of the entropy is excluded"));
    assert_eq!(judged(&noise, 0.005).kind, VerdictKind::Undecided);
    // The mean over splits keeps it.
    let measured = noise.with_smallest_gain(0.2);
    let mean = Information::mean(&[&measured, &measured], 2.0).unwrap();
    assert!((mean.smallest_gain - 0.2 * mean.entropy).abs() < 1e-12);
}

#[test]
fn any_number_of_components_can_predict() {
    let mut draw = Seed(5).stream(Stream::Synth, 0);
    let labels: Vec<u32> = (0..SAMPLES).map(|_| draw.below(2)).collect();
    let names = ["U", "R", "F", "P", "S", "P1", "S1", "S3", "S5", "D", "X"];
    let all: Vec<(&str, Vec<u32>)> = names.map(|name| (name, noisy(&labels, 0.5, &mut draw))).to_vec();
    assert_ne!(verdict(&labels, &all).kind, VerdictKind::Nothing);
}

/// A model without weights gains a rounding error on every sample, with an interval of no width: it is no signal, and
/// random edges between nodes with ids as features are not `features`.
#[test]
fn rounding_errors_are_no_signal() {
    let of = |value: f64, half: f64| Estimate { value, interval: [value - half, value + half] };
    assert!(!rule::is_signal(of(1.28e-16, 4e-18)));
    assert!(!rule::is_signal(of(0.0, 0.0)) && !rule::is_signal(of(0.01, 0.0099)));
    assert!(rule::is_signal(of(0.01, 0.005)));
}

/// The verdict on nodes from the information of groups, each with half of its interval.
fn of_groups(groups: &[(&'static str, f64, f64)], gains: &[(&'static str, &'static str, f64)]) -> Verdict {
    let bits = |value: f64, half: f64| Estimate { value, interval: [value - half, value + half] };
    let information = Information {
        entropy: 1.0,
        samples: 9000,
        training: 1600,
        smallest_gain: 0.05,
        groups: groups
            .iter()
            .map(|&(name, value, half)| information::GroupInformation {
                name: name.into(),
                components: Vec::new(),
                bits: bits(value, half),
                score: 0.5,
            })
            .collect(),
        gains: gains
            .iter()
            .map(|&(of, over, value)| information::InformationGain {
                of: of.into(),
                over: over.into(),
                bits: bits(value, 0.02),
                answer: if value > 0.05 { Answer::Shown } else { Answer::Excluded },
            })
            .collect(),
        ..Information::default()
    };
    let context = rule::RunContext {
        links: false,
        featureless: false,
        acted: false,
        confirmed: true,
        scores_predict: false,
        labelled: 9000,
    };
    rule::judge(&information, context)
}

/// A significant signal far below one that is worth a model is `nothing`, and the reason says that there is one; one
/// that may be worth a model is a signal.
#[test]
fn a_slight_signal_is_nothing_to_rely_on() {
    let of = |bits: f64| {
        of_groups(
            &[
                ("structure", 0.0, 0.002),
                ("features", bits, 0.003),
                ("propagation", 0.0, 0.002),
                ("all", bits, 0.003),
            ],
            &[("all", "features", 0.0), ("all", "structure", bits)],
        )
    };
    let slight = of(0.005);
    assert_eq!(slight.kind, VerdictKind::Nothing);
    assert!(
        slight.reason.contains("there is a signal, but one of 1 % of the entropy is excluded"),
        "{slight:?}"
    );
    assert!(slight.next.contains("--smallest-gain 0.001"), "{slight:?}");
    assert_eq!(of(0.015).kind, VerdictKind::Features);
    assert!(of(0.001).reason.starts_with("No component carries"), "no signal at all");
}

/// Propagated features improve on each part, but much more is in all together: the advice says so.
#[test]
fn a_gnn_that_would_miss_a_part_gets_it_beside() {
    let of = |rest: f64| {
        let groups = [
            ("structure", 0.4, 0.05),
            ("features", 0.4, 0.05),
            ("propagation", 0.6, 0.05),
            ("all", 0.6 + rest, 0.05),
        ];
        let all = 0.2 + rest;
        of_groups(
            &groups,
            &[
                ("propagation", "features", 0.2),
                ("propagation", "structure", 0.2),
                ("all", "features", all),
                ("all", "structure", all),
                ("all", "propagation", rest),
            ],
        )
    };
    let [plain, partial] = [0.0, 0.3].map(of);
    assert_eq!((plain.kind, partial.kind), (VerdictKind::Gnn, VerdictKind::Gnn));
    assert!(plain.next.starts_with("Train a GNN, such as GCN"), "{plain:?}");
    assert!(
        partial.next.contains("skip connections") && partial.next.contains("0.30 [0.28, 0.32] bits"),
        "{partial:?}"
    );
}

/// Propagated random features carry more than structural embeddings: the advice does not say that embeddings do as well.
#[test]
fn a_better_sketch_than_the_embeddings_is_named() {
    let of = |structure: f64| {
        let rest = 0.5 - structure;
        of_groups(
            &[
                ("structure", structure, 0.02),
                ("features", 0.0, 0.02),
                ("propagation", 0.5, 0.02),
                ("all", 0.5, 0.02),
                ("control", 0.5, 0.02),
            ],
            &[
                ("propagation", "features", 0.5),
                ("propagation", "structure", rest),
                ("all", "features", 0.5),
                ("all", "structure", rest),
                ("all", "control", 0.0),
                ("structure and features", "structure", 0.0),
            ],
        )
    };
    let [embeddings, sketch] = [0.48, 0.2].map(of);
    assert_eq!((embeddings.kind, sketch.kind), (VerdictKind::Structure, VerdictKind::Structure));
    assert!(embeddings.next.contains("structural embeddings and a classifier"), "{embeddings:?}");
    assert!(sketch.next.contains("0.30 [0.28, 0.32] bits, whatever the features"), "{sketch:?}");
}
