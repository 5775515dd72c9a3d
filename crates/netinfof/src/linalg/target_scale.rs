//! The scale on which a numeric target is modelled: a monotone transformation, learned from training targets.
//!
//! A Gaussian is a poor model of a target with a heavy tail. Of the target itself and several signed logarithms,
//! the scale is chosen on which a Gaussian gives the training targets the highest likelihood. Where heavy tails
//! remain, targets are replaced by normal scores: the quantiles of a normal distribution at their ranks.

use serde::{Deserialize, Serialize};

/// A monotone transformation of a numeric target, and the mean and the deviation of the transformed training
/// targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetScale {
    transform: Transform,
    mean: f64,
    deviation: f64,
    /// Smallest and largest training target. Values of a transformed target are never predicted beyond them.
    range: [f64; 2],
}

/// A monotone function of a numeric target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Transform {
    /// The target itself.
    None,
    /// `asinh((y − centre) / unit)`.
    SignedLogarithm { centre: f64, unit: f64 },
    /// Piecewise linear through these points.
    NormalScores { values: Vec<f64>, scores: Vec<f64> },
}

/// Gain in mean log-likelihood, in nats, below which the target is not transformed.
const SMALLEST_GAIN: f64 = 0.1;
/// Excess kurtosis from which a tail is heavy: 3 is that of a Laplace distribution.
const HEAVY: f64 = 4.0;
/// Maximum number of points of normal scores.
const MOST_POINTS: usize = 512;

impl TargetScale {
    /// Learns the scale from training targets.
    pub(crate) fn learn(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let range = [sorted.first(), sorted.last()].map(|value| value.copied().unwrap_or(0.0));
        let mut best = (likelihood(values, &Transform::None), Transform::None);
        let needed = best.0 + SMALLEST_GAIN;
        for transform in logarithms(&sorted) {
            let found = likelihood(values, &transform);
            if found > best.0.max(needed) {
                best = (found, transform);
            }
        }
        let mut transform = best.1;
        let (_, _, kurtosis) = moments(values.iter().map(|&value| transform.apply(value)));
        if kurtosis > HEAVY {
            transform = normal_scores(&sorted);
        }
        let (mean, variance, _) = moments(values.iter().map(|&value| transform.apply(value)));
        let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        TargetScale { transform, mean, deviation, range }
    }

    /// Whether its numbers are finite and its lists agree, for files.
    pub(crate) fn is_sound(&self) -> bool {
        let own = match &self.transform {
            Transform::None => true,
            Transform::SignedLogarithm { centre, unit } => centre.is_finite() && *unit > 0.0,
            Transform::NormalScores { values, scores } => {
                !values.is_empty()
                    && values.len() == scores.len()
                    && [values, scores].iter().all(|list| list.is_sorted())
            }
        };
        own && self.deviation > 0.0 && self.mean.is_finite() && self.range[0] <= self.range[1]
    }

    /// What was done to the target, for people; `None` if it was not transformed.
    pub fn transformation(&self) -> Option<&'static str> {
        match self.transform {
            Transform::None => None,
            Transform::SignedLogarithm { .. } => Some("signed logarithm"),
            Transform::NormalScores { .. } => Some("normal scores"),
        }
    }

    /// The target on the scale of the model: mean 0 and deviation 1 on the training targets.
    pub fn standardised(&self, value: f64) -> f64 {
        (self.transform.apply(value) - self.mean) / self.deviation
    }

    /// The target at a point of the scale.
    pub fn original(&self, standardised: f64) -> f64 {
        let value = self.transform.invert(self.mean + self.deviation * standardised);
        match self.transform {
            Transform::None => value,
            Transform::SignedLogarithm { .. } | Transform::NormalScores { .. } => {
                value.clamp(self.range[0], self.range[1])
            }
        }
    }
}

impl Transform {
    fn apply(&self, value: f64) -> f64 {
        match self {
            Transform::None => value,
            Transform::SignedLogarithm { centre, unit } => ((value - centre) / unit).asinh(),
            Transform::NormalScores { values, scores } => interpolated(values, scores, value),
        }
    }

    fn invert(&self, transformed: f64) -> f64 {
        match self {
            Transform::None => transformed,
            // Larger arguments would overflow.
            Transform::SignedLogarithm { centre, unit } => {
                centre + unit * transformed.clamp(-600.0, 600.0).sinh()
            }
            Transform::NormalScores { values, scores } => interpolated(scores, values, transformed),
        }
    }

    /// ln of the derivative.
    fn log_slope(&self, value: f64) -> f64 {
        match self {
            Transform::SignedLogarithm { centre, unit } => {
                -unit.ln() - 0.5 * ((value - centre) / unit).powi(2).ln_1p()
            }
            Transform::None | Transform::NormalScores { .. } => 0.0,
        }
    }
}

/// Signed logarithms around the median and, if no value is negative, around 0, with several units.
fn logarithms(sorted: &[f64]) -> Vec<Transform> {
    let Some(&least) = sorted.first() else { return Vec::new() };
    let median = sorted[sorted.len() / 2];
    let centres = if least >= 0.0 { vec![median, 0.0] } else { vec![median] };
    let mut found = Vec::new();
    for centre in centres {
        let mut distances: Vec<f64> = sorted.iter().map(|value| (value - centre).abs()).collect();
        distances.sort_unstable_by(f64::total_cmp);
        let middle = distances[distances.len() / 2];
        let mean = distances.iter().sum::<f64>() / distances.len() as f64;
        let spread = if middle > 0.0 { middle } else { mean };
        let units = [1.0, 0.1, 0.01].map(|part| part * spread);
        let usable = units.into_iter().filter(|unit| *unit > 0.0 && unit.is_finite());
        found.extend(usable.map(|unit| Transform::SignedLogarithm { centre, unit }));
    }
    found
}

/// Mean log-likelihood of the values if their transformation is Gaussian, up to a constant.
fn likelihood(values: &[f64], transform: &Transform) -> f64 {
    let (_, variance, _) = moments(values.iter().map(|&value| transform.apply(value)));
    let slopes = values.iter().map(|&value| transform.log_slope(value)).sum::<f64>();
    slopes / values.len().max(1) as f64 - 0.5 * variance.max(f64::MIN_POSITIVE).ln()
}

/// Mean, variance and excess kurtosis.
fn moments(values: impl Iterator<Item = f64> + Clone) -> (f64, f64, f64) {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    let power =
        |exponent: i32| values.clone().map(|value| (value - mean).powi(exponent)).sum::<f64>() / count;
    let variance = power(2);
    let kurtosis = if variance > 0.0 { power(4) / (variance * variance) - 3.0 } else { 0.0 };
    (mean, variance, kurtosis)
}

/// Normal scores of distinct values, at the middle of the ranks of equal values.
fn normal_scores(sorted: &[f64]) -> Transform {
    let count = sorted.len() as f64;
    let (mut values, mut scores, mut before) = (Vec::new(), Vec::new(), 0.0);
    for equal in sorted.chunk_by(|a, b| a == b) {
        let own = equal.len() as f64;
        values.push(equal[0]);
        scores.push(normal_quantile((before + 0.5 * own) / count));
        before += own;
    }
    if values.len() > MOST_POINTS {
        let thinned = |all: &[f64]| -> Vec<f64> {
            (0..MOST_POINTS).map(|at| all[at * (all.len() - 1) / (MOST_POINTS - 1)]).collect()
        };
        (values, scores) = (thinned(&values), thinned(&scores));
    }
    Transform::NormalScores { values, scores }
}

/// The piecewise linear function through points with ascending `x`; constant beyond the first and the last.
fn interpolated(x: &[f64], y: &[f64], at: f64) -> f64 {
    let next = x.partition_point(|&own| own < at);
    match (next.checked_sub(1), x.get(next)) {
        (None, _) => y[0],
        (Some(before), None) => y[before],
        (Some(before), Some(&after)) => {
            let share = (at - x[before]) / (after - x[before]);
            y[before] + share * (y[next] - y[before])
        }
    }
}

/// The quantile of the standard normal distribution: the approximation of Acklam, with a relative error of at
/// most 1.2e-9.
fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        7.784_695_709_041_462e-3,
        3.224_671_290_700_398e-1,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    let horner = |terms: &[f64], x: f64| terms.iter().fold(0.0, |sum, term| sum * x + term);
    let tail = |p: f64| {
        let q = (-2.0 * p.ln()).sqrt();
        horner(&C, q) / horner(&D, q)
    };
    if p < 0.024_25 {
        tail(p)
    } else if p > 1.0 - 0.024_25 {
        -tail(1.0 - p)
    } else {
        let q = p - 0.5;
        q * horner(&A, q * q) / horner(&B, q * q)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Seed, Stream};

    fn drawn(of: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut draw = Seed(1).stream(Stream::Synth, 0);
        (0..400).map(|_| of(draw.normal())).collect()
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        for (p, expected) in [(0.5, 0.0), (0.975, 1.959_964), (0.001, -3.090_232), (0.9, 1.281_552)] {
            assert!((normal_quantile(p) - expected).abs() < 1e-6, "{p}");
        }
    }

    #[test]
    fn only_heavy_tails_are_transformed() {
        let of = |values: &[f64]| TargetScale::learn(values).transformation();
        assert_eq!(of(&drawn(|z| 5.0 + 2.0 * z)), None);
        assert_eq!(of(&drawn(|z| (2.0 * z).exp())), Some("signed logarithm"));
        assert_eq!(of(&drawn(|z| -(2.0 * z).exp())), Some("signed logarithm"));
        // A third power of a third power: heavier than a logarithm undoes.
        assert_eq!(
            of(&drawn(|z| if z.abs() < 2.2 { z } else { z.signum() * (z * z).powi(9) })),
            Some("normal scores")
        );
        assert_eq!(of(&[1.0, 1.0, 1.0]), None);
        assert_eq!(of(&[]), None);
    }

    /// Transformed targets come back, in order, and nothing is predicted beyond the training targets.
    #[test]
    fn scales_are_monotone_and_inverted() {
        for values in [
            drawn(|z| z),
            drawn(|z| (2.0 * z).exp()),
            drawn(|z| if z.abs() < 2.2 { z } else { z.signum() * (z * z).powi(9) }),
        ] {
            let scale = TargetScale::learn(&values);
            for &value in &values {
                let again = scale.original(scale.standardised(value));
                assert!((again - value).abs() <= 1e-6 * value.abs().max(1e-3), "{value} {again}");
            }
            let points: Vec<f64> = (-40..=40).map(|at| scale.original(f64::from(at) / 4.0)).collect();
            assert!(points.is_sorted(), "{points:?}");
            let standard: Vec<f64> = values.iter().map(|&value| scale.standardised(value)).collect();
            let (mean, variance, _) = moments(standard.iter().copied());
            assert!(mean.abs() < 1e-9 && (variance - 1.0).abs() < 1e-9);
            if scale.transformation().is_some() {
                let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                assert!(scale.original(50.0) <= top);
            }
        }
    }
}
