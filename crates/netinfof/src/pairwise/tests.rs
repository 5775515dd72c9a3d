//! Unit tests, compiled under `#[cfg(test)]` alone.

use super::*;
use crate::kernel::SmallMatrix;
use crate::seed::{Seed, Stream};

/// A random graph with some isolated nodes, and sparse features with some empty rows.
fn random(nodes: u32, edges: usize) -> (Vec<Pair>, Features) {
    let mut draw = Seed(3).stream(Stream::Synth, 0);
    let mut pairs: Vec<Pair> = (0..edges)
        .map(|_| [draw.below(nodes - 3), draw.below(nodes - 3)])
        .filter(|p| p[0] != p[1])
        .map(crate::graph::ordered)
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let x = Matrix::from_fn(nodes as usize, 12, |row, _| {
        if row % 9 != 4 && draw.unit() < 0.4 { draw.unit() as f32 } else { 0.0 }
    });
    (pairs, Features::Sparse(Csr::from_dense(&x)))
}

/// Features are treated as words, although there are few.
fn words() -> ComponentParams {
    ComponentParams { scaling: crate::component::FeatureScaling::Paper, ..ComponentParams::default() }
}

fn close(a: &[f32], b: &[f32], what: &str) {
    for (at, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() < 2e-4 * (1.0 + b.abs()), "{what}, {}: {a} {b}", COLUMNS[at]);
    }
}

#[test]
fn an_edge_is_counted_as_if_it_were_not_there() {
    let exec = Exec::new(2).unwrap();
    let (edges, features) = random(30, 90);
    let params = words();
    let dense = match &features {
        Features::Sparse(x) => Features::Dense(x.to_dense()),
        _ => unreachable!(),
    };
    for features in [&features, &dense, &Features::None] {
        let graph = Csr::symmetric(30, &edges);
        let with = PairwiseSource::new(&graph, features, &params, &exec).columns(&edges, &exec);
        for (at, &edge) in edges.iter().enumerate() {
            let others: Vec<Pair> = edges.iter().copied().filter(|&e| e != edge).collect();
            let graph = Csr::symmetric(30, &others);
            let source = PairwiseSource::new(&graph, features, &params, &exec);
            close(with.row(at), source.columns(&[edge], &exec).row(0), &format!("{edge:?}"));
        }
    }
}

#[test]
fn columns_equal_their_definitions_in_both_directions() {
    let exec = Exec::new(1).unwrap();
    let (edges, features) = random(25, 60);
    let n = 25;
    let graph = Csr::symmetric(n, &edges);
    let a = graph.to_dense();
    let a = SmallMatrix::from_fn(n, n, |i, j| f64::from(a.row(i)[j]));
    let degree = |i: usize| graph.row(i).len() as f64;
    let paths = |power: f64| {
        let weight = |i: usize| if degree(i) > 0.0 { degree(i).powf(-power) } else { 0.0 };
        let step = SmallMatrix::from_fn(n, n, |i, j| a[(i, j)] * weight(j));
        step.times(&step).times(&a)
    };
    let (p0, p1, p15) = (paths(0.0), paths(1.0), paths(1.5));
    let x = match &features {
        Features::Sparse(x) => x.to_dense(),
        _ => unreachable!(),
    };
    let cosine = |a: &[f64], b: &[f64]| {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let norms = (dot(a, a) * dot(b, b)).sqrt();
        if norms > 0.0 { dot(a, b) / norms } else { 0.0 }
    };
    let plain: Vec<Vec<f64>> = (0..n).map(|i| x.row(i).iter().map(|&v| f64::from(v)).collect()).collect();
    let rare: Vec<Vec<f64>> = plain
        .iter()
        .map(|row| {
            let weight = |col: usize| {
                let used = plain.iter().filter(|row| row[col] != 0.0).count();
                ((1.0 + n as f64) / used as f64).ln() + 0.1
            };
            let row: Vec<f64> = row.iter().enumerate().map(|(col, v)| v * weight(col)).collect();
            let norm = row.iter().map(|v| v * v).sum::<f64>().sqrt();
            row.iter().map(|v| if norm > 0.0 { v / norm } else { 0.0 }).collect()
        })
        .collect();
    let around = |i: usize| -> Vec<f64> {
        (0..12).map(|col| graph.row(i).iter().map(|&k| rare[k as usize][col]).sum()).collect()
    };
    let params = words();
    let source = PairwiseSource::new(&graph, &features, &params, &exec);
    let pairs: Vec<Pair> = (0..24).map(|i| [i, (i * 7 + 5) % 25]).collect();
    let pairs: Vec<Pair> =
        pairs.into_iter().filter(|p| p[0] != p[1] && !graph.contains(p[0], p[1])).collect();
    assert!(pairs.len() > 10);
    let found = source.columns(&pairs, &exec);
    let reversed: Vec<Pair> = pairs.iter().map(|&[i, j]| [j, i]).collect();
    assert_eq!(found, source.columns(&reversed, &exec));
    // Dense features with and without a copy.
    let dense = Features::Dense(x.clone());
    let mut source = PairwiseSource::new(&graph, &dense, &params, &exec);
    let copied = source.columns(&pairs, &exec);
    let how = Preparation::learn(&dense, Weighting::Rare, &graph, &params, &exec);
    source.features = FeatureSource::new(0, &graph, Cow::Borrowed(&dense), &how, &exec);
    assert!(matches!(source.features.as_ref().unwrap().rare, feature_rows::FeatureRows::Large { .. }));
    let large = source.columns(&pairs, &exec);
    (0..pairs.len()).for_each(|at| close(large.row(at), copied.row(at), "large"));
    let reached = |i: usize, j: usize| {
        let mut seen = vec![i];
        let mut at = 0;
        while at < seen.len() {
            for k in 0..n {
                if a[(seen[at], k)] > 0.0 && !seen.contains(&k) {
                    seen.push(k);
                }
            }
            at += 1;
        }
        if seen.contains(&j) { (n as f64 / seen.len() as f64).ln_1p() } else { 0.0 }
    };
    for (at, &[i, j]) in pairs.iter().enumerate() {
        let (i, j) = (i as usize, j as usize);
        let common: Vec<usize> = (0..n).filter(|&k| a[(i, k)] * a[(k, j)] > 0.0).collect();
        let (c, d, e) = (common.len() as f64, degree(i), degree(j));
        let ra: f64 = common.iter().map(|&k| 1.0 / degree(k)).sum();
        let aa: f64 = common.iter().map(|&k| 1.0 / degree(k).ln()).sum();
        let cos = |i: usize, j: usize| cosine(&rare[i], &rare[j]);
        let mean = |i: usize, j: usize| {
            let sum: f64 = graph.row(j).iter().map(|&k| cos(i, k as usize)).sum();
            sum / degree(j).max(1.0)
        };
        // The nearest neighbour of the end with fewer neighbours.
        let (busy, calm) = if (d, i) >= (e, j) { (i, j) } else { (j, i) };
        let nearest = graph.row(calm).iter().map(|&k| cos(busy, k as usize)).fold(0.0, f64::max);
        let (ld, le) = (d.ln_1p(), e.ln_1p());
        let expected = [
            c.ln_1p(),
            ra,
            aa.ln_1p(),
            c / (d + e - c).max(1.0),
            ld + le,
            (ld - le).abs(),
            ld.min(le),
            f64::from(u8::from(c >= 1.0)),
            f64::from(u8::from(c >= 2.0)),
            p0[(i, j)].ln_1p(),
            (p0[(i, j)] / (d * e).max(1.0)).ln_1p(),
            (ra + 1e-3).ln(),
            (p1[(i, j)] + 1e-4).ln(),
            (p15[(i, j)] + 1e-5).ln(),
            reached(i, j),
            cosine(&plain[i], &plain[j]),
            cos(i, j),
            mean(i, j) + mean(j, i),
            nearest,
            cosine(&around(i), &around(j)),
        ]
        .map(|v| v as f32);
        close(found.row(at), &expected, &format!("({i}, {j})"));
    }
}

#[test]
fn sampled_hubs_give_the_right_counts_on_average() {
    let exec = Exec::new(2).unwrap();
    let (edges, _) = random(300, 9000);
    let graph = Csr::symmetric(300, &edges);
    let pairs: Vec<Pair> = (0..2000).map(|at| [at % 297, (at * 13 + at / 297 + 1) % 297]).collect();
    let pairs: Vec<Pair> =
        pairs.into_iter().filter(|p| p[0] != p[1] && !graph.contains(p[0], p[1])).collect();
    let mut source = PairwiseSource::new(&graph, &Features::None, &ComponentParams::default(), &exec);
    let exact = source.columns(&pairs, &exec);
    // Nodes have about 55 neighbours: every node is a hub now.
    source.max_degree = 16;
    let sampled = source.columns(&pairs, &exec);
    let paths = |m: &Matrix, row: usize| f64::from(m.row(row)[9]).exp_m1();
    let ratios: Vec<f64> = (0..pairs.len()).map(|row| paths(&sampled, row) / paths(&exact, row)).collect();
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let spread = (ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / ratios.len() as f64).sqrt();
    assert!((mean - 1.0).abs() < 0.02, "{mean}");
    // Every fourth neighbour: the error of one count.
    assert!(spread < 0.15, "{spread}");
}

#[test]
fn constant_columns_and_labels_without_a_pattern_are_met() {
    let exec = Exec::new(1).unwrap();
    let columns = Matrix::from_fn(50, COLUMNS.len(), |row, col| if col == 0 { row as f32 } else { 7.0 });
    let labels: Vec<bool> = (0..50).map(|row| row >= 25).collect();
    let x = Pairwise::fit(&columns, &labels, &(0..COLUMNS.len()).collect::<Vec<_>>(), &exec).unwrap();
    let scores = x.similarities(&columns, &exec);
    assert!(scores.iter().all(|score| score.is_finite()));
    assert!(scores[49] > scores[0]);
    // Values far outside the training data are clipped, not extrapolated.
    let mut row = vec![7.0; COLUMNS.len()];
    row[0] = 1e9;
    let mut far = vec![0.0; x.width()];
    x.expand(&row, &mut far);
    assert!(far.iter().all(|v| v.abs() <= CLIP), "{far:?}");
}

/// Users and items with interleaved numbers.
fn bipartite() -> (Vec<Pair>, Arc<Sides>) {
    let mut draw = Seed(6).stream(Stream::Synth, 0);
    let mut edges: Vec<Pair> =
        (0..90).map(|_| crate::graph::ordered([2 * draw.below(13), 2 * draw.below(11) + 1])).collect();
    edges.sort_unstable();
    edges.dedup();
    (edges, Arc::new(Sides::new((0..26).map(|node| node % 2 == 1).collect())))
}

#[test]
fn columns_across_sides_equal_their_definitions() {
    let exec = Exec::new(1).unwrap();
    let (edges, sides) = bipartite();
    let graph = Csr::symmetric(26, &edges);
    let params = ComponentParams::default();
    let source = PairwiseSource::new(&graph, &Features::None, &params, &exec).across(Some(&sides));
    let pairs: Vec<Pair> = (0..13).flat_map(|i| (0..13).map(move |j| [2 * i, 2 * j + 1])).collect();
    let found = source.columns(&pairs, &exec);
    let reversed: Vec<Pair> = pairs.iter().map(|&[i, j]| [j, i]).collect();
    assert_eq!(found, source.columns(&reversed, &exec));
    for (at, &[user, item]) in pairs.iter().enumerate() {
        // Every path user - k - l - item without the edge itself, one by one.
        let edge = |a: NodeId, b: NodeId| {
            graph.contains(a, b) && crate::graph::ordered([a, b]) != crate::graph::ordered([user, item])
        };
        let degree = |node: NodeId| graph.row(node as usize).len() as f64;
        let mut paths = [0.0f64; 3];
        for k in (1..26).step_by(2).filter(|&k| edge(user, k)) {
            for l in (0..26).step_by(2).filter(|&l| l != user && edge(k, l) && edge(l, item)) {
                paths[0] += 1.0;
                paths[1] += 1.0 / (degree(k) * degree(l));
                paths[2] += 1.0 / (degree(k).sqrt() * degree(l));
            }
        }
        let less = f64::from(u8::from(graph.contains(user, item)));
        let [d, e] = [user, item].map(|node| degree(node) - less);
        let filtered = paths[2] / e.max(1.0).sqrt();
        let by_both = filtered / d.max(1.0).sqrt();
        let row = found.row(at);
        let expected = [
            (0, filtered),
            (1, by_both),
            (4, d.ln_1p() + e.ln_1p()),
            (5, d.ln_1p() - e.ln_1p()),
            (6, d.ln_1p().min(e.ln_1p())),
            (7, f64::from(u8::from(paths[0] >= 1.0))),
            (8, f64::from(u8::from(paths[0] >= 2.0))),
            (9, paths[0].ln_1p()),
            (10, (paths[0] / (d * e).max(1.0)).ln_1p()),
            (11, (by_both + 1e-5).ln()),
            (12, (paths[1] + 1e-4).ln()),
            (13, (filtered + 1e-5).ln()),
        ];
        for (col, value) in expected {
            let found = f64::from(row[col]);
            let tolerance = 2e-4 * (1.0 + value.abs()) + if col > 10 { 0.1 } else { 0.0 };
            assert!(
                (found - value).abs() < tolerance,
                "{user} {item}, {}: {found} {value}",
                across::NAMES[col]
            );
        }
        assert_eq!(row[2..4], [0.0, 0.0]);
    }
}

#[test]
fn an_edge_across_sides_is_counted_as_if_it_were_not_there() {
    let exec = Exec::new(1).unwrap();
    let (edges, sides) = bipartite();
    let graph = Csr::symmetric(26, &edges);
    let params = ComponentParams::default();
    let with = PairwiseSource::new(&graph, &Features::None, &params, &exec).across(Some(&sides));
    let with = with.columns(&edges, &exec);
    for (at, &edge) in edges.iter().enumerate() {
        let others: Vec<Pair> = edges.iter().copied().filter(|&e| e != edge).collect();
        let graph = Csr::symmetric(26, &others);
        let source = PairwiseSource::new(&graph, &Features::None, &params, &exec).across(Some(&sides));
        let without = source.columns(&[edge], &exec);
        // Rounding errors matter only next to zero, under the logarithms.
        for col in [0, 1, 4, 5, 6, 7, 8, 9, 10, 14] {
            let [a, b] = [with.row(at)[col], without.row(0)[col]];
            assert!((a - b).abs() < 2e-4 * (1.0 + b.abs()), "{edge:?}, {}: {a} {b}", across::NAMES[col]);
        }
    }
}
