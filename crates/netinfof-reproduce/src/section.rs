//! The content of the documents: rows of values, checked claims and plots. The JSON document serialises these types.

use serde::Serialize;

use super::experiment::{RunOutcome, SplitOutcome};
use super::paper::MeanAndDeviation;
use crate::plot::Plot;

/// One table or figure of the paper.
#[derive(Debug, Serialize)]
pub(crate) struct Section {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// How the values were obtained.
    pub(crate) protocol: String,
    pub(crate) rows: Vec<ComparisonRow>,
    pub(crate) checks: Vec<ClaimCheck>,
    pub(crate) plots: Vec<RenderedPlot>,
}

/// A published value and ours.
#[derive(Debug, Serialize)]
pub(crate) struct ComparisonRow {
    /// The model or the component.
    pub(crate) what: String,
    pub(crate) graph: String,
    pub(crate) metric: String,
    /// Mean and deviation, in percent.
    pub(crate) published: MeanAndDeviation,
    pub(crate) ours: MeanAndDeviation,
    pub(crate) difference: Option<f64>,
    pub(crate) within: Option<Agreement>,
    pub(crate) state: RunState,
}

/// Tolerance for published values, which are rounded to one decimal place.
const ROUNDING: f64 = 0.05;

/// Whether our value lies within two standard deviations of the published one, above or below. The deviation combines those of the paper
/// and ours: the margin is `2 √(published² + ours²)` plus the rounding of the published value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Agreement {
    Within,
    Above,
    Below,
}

/// Whether a value of ours exists, and the reason if not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RunState {
    Done,
    /// The graph is not on disk.
    Missing,
    /// The run is not finished yet.
    Pending,
    /// The run ended in an error.
    Failed,
}

impl ComparisonRow {
    pub(crate) fn new(
        what: &str,
        graph: &str,
        metric: &str,
        published: MeanAndDeviation,
        measured: MeasuredValue<'_>,
    ) -> Self {
        let ours = measured.value;
        let (difference, within) = match (published, ours) {
            (Some((theirs, _)), Some((mean, _))) if measured.splits() < 2 => (Some(mean - theirs), None),
            (Some((theirs, their_sd)), Some((mean, sd))) => {
                let difference = mean - theirs;
                let margin = 2.0 * (their_sd * their_sd + sd * sd).sqrt() + ROUNDING;
                let place = match difference {
                    d if d.abs() <= margin => Agreement::Within,
                    d if d > 0.0 => Agreement::Above,
                    _ => Agreement::Below,
                };
                (Some(difference), Some(place))
            }
            _ => (None, None),
        };
        let state = if ours.is_some() { RunState::Done } else { measured.absent_because };
        ComparisonRow {
            what: what.into(),
            graph: graph.into(),
            metric: metric.into(),
            published,
            ours,
            difference,
            within,
            state,
        }
    }
}

/// A value of ours, or the reason why it is absent.
#[derive(Clone, Copy)]
pub(crate) struct MeasuredValue<'a> {
    outcome: Option<&'a RunOutcome>,
    absent_because: RunState,
    value: MeanAndDeviation,
}

impl<'a> MeasuredValue<'a> {
    pub(crate) fn new(outcome: Option<&'a RunOutcome>, absent_because: RunState) -> Self {
        MeasuredValue { outcome, absent_because, value: None }
    }

    fn splits(&self) -> usize {
        self.outcome.map_or(0, |outcome| outcome.splits.len())
    }

    /// Mean and deviation over the splits, in percent.
    pub(crate) fn mean_of(self, of: impl Fn(&SplitOutcome) -> Option<f64>) -> Self {
        let values: Option<Vec<f64>> = self.outcome.and_then(|o| o.splits.iter().map(of).collect());
        MeasuredValue { value: values.and_then(|values| percent(&values)), ..self }
    }

    /// Mean and deviation of a test metric.
    pub(crate) fn test(self, metric: &str) -> Self {
        self.mean_of(|split| split.test.get(metric).copied())
    }

    /// Mean and deviation of a component's score.
    pub(crate) fn score(self, component: &str) -> Self {
        self.mean_of(|split| split.components.get(component).map(|c| c.score))
    }
}

/// Mean and population standard deviation, as in the paper, in percent.
fn percent(values: &[f64]) -> MeanAndDeviation {
    let n = values.len() as f64;
    if values.is_empty() {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    Some((100.0 * mean, 100.0 * deviation))
}

/// A claim, whether it holds in our runs, and the evidence.
#[derive(Debug, Serialize)]
pub(crate) struct ClaimCheck {
    pub(crate) claim: String,
    pub(crate) holds: bool,
    pub(crate) found: String,
}

/// A plot as SVG, with the name of its file.
#[derive(Debug, Serialize)]
pub(crate) struct RenderedPlot {
    pub(crate) file: String,
    pub(crate) title: String,
    pub(crate) description: String,
    #[serde(skip)]
    pub(crate) svg: String,
}

impl RenderedPlot {
    pub(crate) fn new(file: &str, plot: &Plot) -> Self {
        RenderedPlot {
            file: format!("{file}.svg"),
            title: plot.title.clone(),
            description: plot.description.clone(),
            svg: plot.svg(),
        }
    }
}

/// Squared Pearson correlation.
pub(crate) fn r_squared(points: &[[f64; 2]]) -> f64 {
    let n = points.len() as f64;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / n;
    let (mx, my) = (mean(0), mean(1));
    let sum = |f: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(f).sum::<f64>();
    let (sxy, sxx, syy) =
        (sum(&|p| (p[0] - mx) * (p[1] - my)), sum(&|p| (p[0] - mx).powi(2)), sum(&|p| (p[1] - my).powi(2)));
    sxy * sxy / (sxx * syy)
}

/// Spearman's rank correlation; ties get the mean of their ranks.
pub(crate) fn spearman(points: &[[f64; 2]]) -> f64 {
    let rank = |k: usize, own: f64| {
        let below = points.iter().filter(|p| p[k] < own).count() as f64;
        let equal = points.iter().filter(|p| p[k] == own).count() as f64;
        below + (equal - 1.0) / 2.0
    };
    let ranks: Vec<[f64; 2]> = points.iter().map(|p| [rank(0, p[0]), rank(1, p[1])]).collect();
    let [_, slope] = least_squares(&ranks);
    slope.signum() * r_squared(&ranks).sqrt()
}

/// Intercept and slope of the least-squares line.
pub(crate) fn least_squares(points: &[[f64; 2]]) -> [f64; 2] {
    let n = points.len() as f64;
    let (mx, my) =
        (points.iter().map(|p| p[0]).sum::<f64>() / n, points.iter().map(|p| p[1]).sum::<f64>() / n);
    let sxy: f64 = points.iter().map(|p| (p[0] - mx) * (p[1] - my)).sum();
    let sxx: f64 = points.iter().map(|p| (p[0] - mx).powi(2)).sum();
    let slope = sxy / sxx;
    [my - slope * mx, slope]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn row(published: (f64, f64), values: &[f64]) -> ComparisonRow {
        let split = |&v: &f64| SplitOutcome {
            seed: 0,
            test: [("hits@100".to_string(), v)].into(),
            components: BTreeMap::new(),
            seconds: BTreeMap::new(),
        };
        let outcome = RunOutcome {
            fingerprint: String::new(),
            threads: 1,
            notices: Vec::new(),
            edges: 1,
            splits: values.iter().map(split).collect(),
        };
        let found = MeasuredValue::new(Some(&outcome), RunState::Pending).test("hits@100");
        ComparisonRow::new("NetInfoF", "Cora", "Hits@100", Some(published), found)
    }

    #[test]
    fn differences_are_judged_by_both_deviations() {
        let same = row((80.0, 0.3), &[0.80, 0.82]);
        assert!((same.difference.unwrap() - 1.0).abs() < 1e-9);
        assert_eq!((same.within, same.state), (Some(Agreement::Within), RunState::Done));
        assert_eq!(row((80.0, 0.3), &[0.82, 0.82]).within, Some(Agreement::Above));
        assert_eq!(row((80.0, 0.3), &[0.78, 0.78]).within, Some(Agreement::Below));
        let absent = ComparisonRow::new(
            "U",
            "Pokec",
            "Hits@1000",
            None,
            MeasuredValue::new(None, RunState::Missing).test("hits@1000"),
        );
        assert_eq!((absent.state, absent.difference), (RunState::Missing, None));
    }

    #[test]
    fn lines_are_fitted() {
        let points = [[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]];
        let [intercept, slope] = least_squares(&points);
        assert!((intercept - 1.0).abs() < 1e-12 && (slope - 2.0).abs() < 1e-12);
        assert!((r_squared(&points) - 1.0).abs() < 1e-12);
        assert!((spearman(&[[0.0, 1.0], [1.0, 9.0], [5.0, 90.0]]) - 1.0).abs() < 1e-12);
        assert!((spearman(&[[0.0, 5.0], [1.0, 4.0], [2.0, 4.5]]) + 0.5).abs() < 1e-12);
        // By hand: means 1 and 2, sxy = 1, sxx = 2, syy = 2.
        assert!((r_squared(&[[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]]) - 0.25).abs() < 1e-12);
    }
}
