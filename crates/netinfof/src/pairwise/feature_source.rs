//! The features of nodes as X compares them.

use std::borrow::Cow;

use super::feature_rows::FeatureRows;
use crate::component::{Preparation, PreparedRows};
use crate::exec::Exec;
use crate::graph::{Csr, Features};
use crate::kernel::Blocks;
use crate::matrix::Matrix;

/// Products of larger features may overflow single precision.
const LARGEST_SQUARED: f32 = 1e15;

/// Rows of features of length 1, unweighted and with rare columns given more weight.
#[derive(Debug)]
pub(super) struct FeatureSource<'a> {
    pub(super) plain: FeatureRows<'a>,
    pub(super) norms: Vec<f32>,
    pub(super) rare: FeatureRows<'a>,
    /// Whether a node has any features: the square of its row.
    pub(super) own: Vec<f32>,
    /// With M the sum of a node's neighbours' rows: |M|² and M · its own row.
    pub(super) square: Vec<f32>,
    pub(super) with_own: Vec<f32>,
}

impl<'a> FeatureSource<'a> {
    /// Words are compared unweighted, and with rare words given more weight. Other features are compared as
    /// prepared for the components: without scaling the largest column would dominate.
    pub(super) fn new(
        large: usize,
        graph: &Csr,
        features: Cow<'a, Features>,
        preparation: &Preparation,
        exec: &Exec,
    ) -> Option<Self> {
        let n = graph.rows();
        let unit = |square: f64| if square > 0.0 { (1.0 / square.sqrt()) as f32 } else { 0.0 };
        let squares = |row: &[f32]| row.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>();
        let scale = |features: &Features| -> Vec<f32> {
            match features {
                Features::None => Vec::new(),
                Features::Dense(x) => (0..n).map(|row| unit(squares(x.row(row)))).collect(),
                Features::Sparse(x) => (0..n)
                    .map(|row| unit(x.row_values(row).map_or(x.row(row).len() as f64, squares)))
                    .collect(),
            }
        };
        let large = matches!(&*features, Features::Dense(x) if x.rows() * preparation.width() >= large);
        let made = |x: Cow<'a, Matrix>| {
            let prepared = PreparedRows::new(x, Cow::Owned(preparation.clone()), exec);
            let factors = exec.map_blocks(n, 4096, |rows| {
                let mut room = vec![0.0; Blocks::cols(&prepared)];
                let of = |row| {
                    prepared.row(row, &mut room);
                    unit(squares(&room))
                };
                rows.map(of).collect::<Vec<_>>()
            });
            FeatureRows::Large { prepared, factors: factors.concat() }
        };
        let dense = |features: &Cow<'a, Features>| match features {
            Cow::Borrowed(Features::Dense(x)) => Cow::Borrowed(x),
            Cow::Owned(Features::Dense(x)) => Cow::Owned(x.clone()),
            _ => unreachable!("they are dense"),
        };
        let (plain, norms, rare) = if preparation.keeps_words() {
            let features = Features::without_missing(features);
            let norms = scale(&features);
            let rare = if large {
                made(dense(&features))
            } else {
                let mut weighed = Features::clone(&features);
                if let Some(rarity) = &preparation.rarity {
                    weighed.weigh_cols(rarity);
                }
                let scales = scale(&weighed);
                unit_rows(&mut weighed, &scales, exec);
                FeatureRows::of(Cow::Owned(weighed))
            };
            if features.largest() > LARGEST_SQUARED {
                let mut plain = Features::clone(&features);
                unit_rows(&mut plain, &norms, exec);
                (FeatureRows::of(Cow::Owned(plain)), vec![1.0; n], rare)
            } else {
                (FeatureRows::of(features), norms, rare)
            }
        } else if large {
            (made(dense(&features)), vec![1.0; n], made(dense(&features)))
        } else {
            let mut whole = match &*features {
                Features::None => return None,
                Features::Dense(x) => {
                    let rows = PreparedRows::new(Cow::Borrowed(x), Cow::Borrowed(preparation), exec);
                    Features::Dense(rows.whole(exec))
                }
                Features::Sparse(x) => preparation.sparse(x, exec),
            };
            let norms = scale(&whole);
            let plain = whole.clone();
            unit_rows(&mut whole, &norms, exec);
            (FeatureRows::of(Cow::Owned(plain)), norms, FeatureRows::of(Cow::Owned(whole)))
        };
        let sums = exec.map_blocks(n, 64.max(n.div_ceil(64)), |range| {
            let mut scratch = vec![0.0f32; rare.cols()];
            let mut out = Vec::with_capacity(range.len());
            for node in range {
                let neighbours = || graph.row(node).iter().map(|&k| k as usize);
                rare.add(node, &mut scratch);
                let own = rare.dot(node, &scratch);
                rare.clear(std::iter::once(node), &mut scratch);
                neighbours().for_each(|k| rare.add(k, &mut scratch));
                let square = neighbours().map(|k| rare.dot(k, &scratch)).sum();
                out.push([own, square, rare.dot(node, &scratch)]);
                rare.clear(neighbours(), &mut scratch);
            }
            out
        });
        let sums: Vec<[f32; 3]> = sums.into_iter().flatten().collect();
        let part = |at: usize| sums.iter().map(|sum| sum[at]).collect();
        Some(FeatureSource { plain, norms, rare, own: part(0), square: part(1), with_own: part(2) })
    }
}

/// Multiplies every row by its factor.
fn unit_rows(features: &mut Features, factors: &[f32], exec: &Exec) {
    match features {
        Features::None => {}
        Features::Dense(x) => {
            exec.fill_matrix(x, |row, values| values.iter_mut().for_each(|v| *v *= factors[row]));
        }
        Features::Sparse(x) => x.map_values(|row, v| v * factors[row]),
    }
}
