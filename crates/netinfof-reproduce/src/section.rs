//! What a reader sees of an experiment: rows of figures, checks, plots. The JSON holds exactly this.

use serde::Serialize;

use super::paper::Figure;
use super::unit::{Outcome, Split};
use crate::plot::Plot;

/// One table or figure of the paper.
#[derive(Debug, Serialize)]
pub(crate) struct Section {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// How its numbers came about.
    pub(crate) protocol: String,
    pub(crate) rows: Vec<Row>,
    pub(crate) checks: Vec<Check>,
    pub(crate) plots: Vec<Shown>,
}

/// A published figure and ours.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// The model or the component.
    pub(crate) what: String,
    pub(crate) graph: String,
    pub(crate) metric: String,
    /// Mean and deviation, in percent.
    pub(crate) published: Figure,
    pub(crate) ours: Figure,
    pub(crate) difference: Option<f64>,
    pub(crate) within: Option<Standing>,
    pub(crate) state: State,
}

/// Published figures have one digit after the point.
const ROUNDING: f64 = 0.05;

/// Where our figure lies, counted in two standard deviations of the splits, those of the paper and ours together: `2 √(published² +
/// ours²)`, and the rounding of the published figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Standing {
    Within,
    Above,
    Below,
}

/// Whether there is a figure of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    Done,
    /// The graph is not on disk.
    Missing,
    /// The run has not come to it.
    Pending,
    /// The run ended in an error.
    Failed,
}

impl Row {
    pub(crate) fn new(what: &str, graph: &str, metric: &str, published: Figure, found: Found<'_>) -> Self {
        let ours = found.figure;
        let (difference, within) = match (published, ours) {
            (Some((theirs, _)), Some((mean, _))) if found.splits() < 2 => (Some(mean - theirs), None),
            (Some((theirs, their_sd)), Some((mean, sd))) => {
                let difference = mean - theirs;
                let margin = 2.0 * (their_sd * their_sd + sd * sd).sqrt() + ROUNDING;
                let place = match difference {
                    d if d.abs() <= margin => Standing::Within,
                    d if d > 0.0 => Standing::Above,
                    _ => Standing::Below,
                };
                (Some(difference), Some(place))
            }
            _ => (None, None),
        };
        let state = if ours.is_some() { State::Done } else { found.otherwise };
        Row {
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

/// A figure of ours, or why there is none.
#[derive(Clone, Copy)]
pub(crate) struct Found<'a> {
    outcome: Option<&'a Outcome>,
    otherwise: State,
    figure: Figure,
}

impl<'a> Found<'a> {
    pub(crate) fn new(outcome: Option<&'a Outcome>, otherwise: State) -> Self {
        Found { outcome, otherwise, figure: None }
    }

    fn splits(&self) -> usize {
        self.outcome.map_or(0, |outcome| outcome.splits.len())
    }

    /// Mean and deviation over the splits, in percent.
    pub(crate) fn figure(self, of: impl Fn(&Split) -> Option<f64>) -> Self {
        let values: Option<Vec<f64>> = self.outcome.and_then(|o| o.splits.iter().map(of).collect());
        Found { figure: values.and_then(|values| percent(&values)), ..self }
    }

    /// A test metric.
    pub(crate) fn test(self, metric: &str) -> Self {
        self.figure(|split| split.test.get(metric).copied())
    }

    /// The score of a component.
    pub(crate) fn score(self, component: &str) -> Self {
        self.figure(|split| split.components.get(component).map(|c| c.score))
    }
}

/// Mean and deviation (of the population, as in the paper) in percent.
fn percent(values: &[f64]) -> Figure {
    let n = values.len() as f64;
    if values.is_empty() {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    Some((100.0 * mean, 100.0 * deviation))
}

/// A claim, and whether it holds here.
#[derive(Debug, Serialize)]
pub(crate) struct Check {
    pub(crate) claim: String,
    pub(crate) holds: bool,
    pub(crate) found: String,
}

/// A plot and the name of its file.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    pub(crate) file: String,
    pub(crate) title: String,
    pub(crate) description: String,
    #[serde(skip)]
    pub(crate) svg: String,
}

impl Shown {
    pub(crate) fn new(file: &str, plot: &Plot) -> Self {
        Shown {
            file: format!("{file}.svg"),
            title: plot.title.clone(),
            description: plot.description.clone(),
            svg: plot.svg(),
        }
    }
}

/// Squared correlation.
pub(crate) fn r_squared(points: &[[f64; 2]]) -> f64 {
    let n = points.len() as f64;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / n;
    let (mx, my) = (mean(0), mean(1));
    let sum = |f: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(f).sum::<f64>();
    let (sxy, sxx, syy) =
        (sum(&|p| (p[0] - mx) * (p[1] - my)), sum(&|p| (p[0] - mx).powi(2)), sum(&|p| (p[1] - my).powi(2)));
    sxy * sxy / (sxx * syy)
}

/// Spearman's correlation of ranks; ties share theirs.
pub(crate) fn spearman(points: &[[f64; 2]]) -> f64 {
    let rank = |k: usize, own: f64| {
        let below = points.iter().filter(|p| p[k] < own).count() as f64;
        let equal = points.iter().filter(|p| p[k] == own).count() as f64;
        below + (equal - 1.0) / 2.0
    };
    let ranks: Vec<[f64; 2]> = points.iter().map(|p| [rank(0, p[0]), rank(1, p[1])]).collect();
    let [_, slope] = fitted(&ranks);
    slope.signum() * r_squared(&ranks).sqrt()
}

/// Intercept and slope of the line with the least squares.
pub(crate) fn fitted(points: &[[f64; 2]]) -> [f64; 2] {
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

    fn row(published: (f64, f64), values: &[f64]) -> Row {
        let split = |&v: &f64| Split {
            seed: 0,
            test: [("hits@100".to_string(), v)].into(),
            components: BTreeMap::new(),
            seconds: BTreeMap::new(),
        };
        let outcome = Outcome {
            fingerprint: String::new(),
            threads: 1,
            notices: Vec::new(),
            edges: 1,
            splits: values.iter().map(split).collect(),
        };
        let found = Found::new(Some(&outcome), State::Pending).test("hits@100");
        Row::new("NetInfoF", "Cora", "Hits@100", Some(published), found)
    }

    #[test]
    fn differences_are_judged_by_both_deviations() {
        let same = row((80.0, 0.3), &[0.80, 0.82]);
        assert!((same.difference.unwrap() - 1.0).abs() < 1e-9);
        assert_eq!((same.within, same.state), (Some(Standing::Within), State::Done));
        assert_eq!(row((80.0, 0.3), &[0.82, 0.82]).within, Some(Standing::Above));
        assert_eq!(row((80.0, 0.3), &[0.78, 0.78]).within, Some(Standing::Below));
        let absent =
            Row::new("U", "Pokec", "Hits@1000", None, Found::new(None, State::Missing).test("hits@1000"));
        assert_eq!((absent.state, absent.difference), (State::Missing, None));
    }

    #[test]
    fn lines_are_fitted() {
        let points = [[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]];
        let [intercept, slope] = fitted(&points);
        assert!((intercept - 1.0).abs() < 1e-12 && (slope - 2.0).abs() < 1e-12);
        assert!((r_squared(&points) - 1.0).abs() < 1e-12);
        assert!((spearman(&[[0.0, 1.0], [1.0, 9.0], [5.0, 90.0]]) - 1.0).abs() < 1e-12);
        assert!((spearman(&[[0.0, 5.0], [1.0, 4.0], [2.0, 4.5]]) + 0.5).abs() < 1e-12);
        // By hand: means 1 and 2, sxy = 1, sxx = 2, syy = 2.
        assert!((r_squared(&[[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]]) - 0.25).abs() < 1e-12);
    }
}
