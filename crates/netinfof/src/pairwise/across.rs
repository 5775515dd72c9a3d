//! What differs for pairs across the two sides of a bipartite graph: their ends have no common neighbours, so
//! paths of three edges, weighted in several ways, take their place.

use super::COLUMNS;
use crate::graph::{Csr, Sides};

/// The columns of X for such pairs, in the same places. The two that remain empty without context
/// have no effect.
#[cfg(test)]
pub(super) const NAMES: [&str; COLUMNS.len()] = [
    "paths of 3, normalised",
    "paths of 3, normalised by both ends",
    "",
    "",
    "log degrees, sum",
    "log degrees, first side minus second",
    "log smaller degree",
    "a path of 3",
    "two paths of 3",
    "log paths of 3",
    "log paths of 3 over degrees",
    "log paths of 3, normalised by both ends",
    "log paths of 3, by degree",
    "log paths of 3, normalised",
    "connected at any distance",
    "features, cosine",
    "features, cosine by rarity",
    "features of one and neighbours of the other",
    "features of one and nearest neighbour of the other",
    "features of the neighbours",
];

/// The columns that only context fills: common neighbours, and by degree (Adamic-Adar).
pub(super) const COMMON: std::ops::Range<usize> = 2..4;

/// For every node, its two weights as a middle node of a path of three edges, and their sums over its
/// neighbours.
///
/// The first weight is one over the degree. The second one is `degree^-1.5`; in a bipartite graph it is
/// `1/degree` on the first side and `degree^-½` on the second, so that a path weighs what the normalised
/// linear filter of GF-CF (Shen et al., CIKM 2021) gives to it, except for the degrees of its ends.
pub(super) fn middle_weights(graph: &Csr, sides: Option<&Sides>) -> (Vec<[f32; 2]>, Vec<[f64; 2]>) {
    let n = graph.rows();
    let weights: Vec<[f32; 2]> = (0..n)
        .map(|node| {
            let degree = graph.row(node).len().max(1) as f64;
            let power = match sides.map(|sides| sides.of(node as u32)) {
                None => degree.powf(-1.5),
                Some(0) => 1.0 / degree,
                Some(_) => degree.powf(-0.5),
            };
            [1.0 / degree, power].map(|v| v as f32)
        })
        .collect();
    let around = (0..n)
        .map(|node| {
            let mut sums = [0.0f64; 2];
            for &k in graph.row(node) {
                sums.iter_mut().zip(weights[k as usize]).for_each(|(sum, v)| *sum += f64::from(v));
            }
            sums
        })
        .collect();
    (weights, around)
}

/// The columns of a pair: paths of three edges without the pair itself, unweighted and by the two weights; the
/// degrees of the end on the first side and of the other without the pair itself; how closely the two are
/// connected; and cosines of features.
pub(super) fn columns(
    paths: [f64; 3],
    degrees: [f64; 2],
    closeness: f64,
    cosines: [f64; 5],
) -> [f32; COLUMNS.len()] {
    let [d, e] = degrees;
    let (log_d, log_e) = (d.ln_1p(), e.ln_1p());
    let filtered = paths[2] / e.max(1.0).sqrt();
    let by_both = filtered / d.max(1.0).sqrt();
    [
        filtered,
        by_both,
        0.0,
        0.0,
        log_d + log_e,
        log_d - log_e,
        log_d.min(log_e),
        f64::from(u8::from(paths[0] >= 1.0)),
        f64::from(u8::from(paths[0] >= 2.0)),
        paths[0].ln_1p(),
        (paths[0] / (d * e).max(1.0)).ln_1p(),
        (by_both + 1e-5).ln(),
        (paths[1] + 1e-4).ln(),
        (filtered + 1e-5).ln(),
        closeness,
        cosines[0],
        cosines[1],
        cosines[2],
        cosines[3],
        cosines[4],
    ]
    .map(|v| v as f32)
}
