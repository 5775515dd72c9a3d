//! k-means: greedy k-means++ seeding (Arthur and Vassilvitskii 2007), Lloyd's iterations, restarts.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::exec::Exec;
use crate::kernel;
use crate::matrix::Matrix;
use crate::seed::{Draw, Seed, Stream};

/// Parameters of k-means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KMeansParams {
    /// Independent starts; the one with the lowest inertia is used (default 4).
    pub restarts: usize,
    /// Maximum number of Lloyd's iterations (default 100).
    pub max_iterations: usize,
    /// Stops when the squared movement of the centres is below this share of the variance (default 1e-4).
    pub tolerance: f64,
}

impl Default for KMeansParams {
    fn default() -> Self {
        KMeansParams { restarts: 4, max_iterations: 100, tolerance: 1e-4 }
    }
}

/// Convergence of the best start.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KMeansInfo {
    /// Sum of the squared distances to the nearest centres.
    pub inertia: f64,
    /// Iterations taken.
    pub iterations: usize,
    /// Whether the centres converged.
    pub converged: bool,
}

/// Centres of `k` clusters of the rows of `x`; fewer if there are fewer different rows. `unit` names the
/// random stream.
///
/// `O(n · k · d)` per iteration, as dense products over blocks of rows.
pub fn kmeans(
    x: &Matrix,
    k: usize,
    params: &KMeansParams,
    seed: Seed,
    unit: u64,
    exec: &Exec,
) -> Result<(Matrix, KMeansInfo)> {
    let deviations = kernel::column_deviations(x, exec);
    let variance = deviations.iter().map(|s| s * s).sum::<f64>() / deviations.len().max(1) as f64;
    let mut best: Option<(Matrix, KMeansInfo)> = None;
    for restart in 0..params.restarts.max(1) {
        exec.check()?;
        let mut draw = seed.stream(Stream::KMeans, (unit << 16) | restart as u64);
        let mut centres = seed_centres(x, k, &mut draw, exec);
        let mut info = KMeansInfo::default();
        let mut assigned = kernel::nearest_centres(x, &centres, exec);
        while info.iterations < params.max_iterations {
            info.iterations += 1;
            let moved = update(x, &mut centres, &assigned, exec);
            let next = kernel::nearest_centres(x, &centres, exec);
            let rest = next.iter().zip(&assigned).all(|(new, old)| new.0 == old.0);
            assigned = next;
            if rest || moved <= params.tolerance * variance {
                info.converged = true;
                break;
            }
        }
        info.inertia = assigned.iter().map(|&(_, distance)| f64::from(distance)).sum();
        if best.as_ref().is_none_or(|(_, so_far)| info.inertia < so_far.inertia) {
            best = Some((centres, info));
        }
    }
    Ok(best.expect("at least one start"))
}

/// Moves every centre to the mean of its rows and returns the sum of the squared moves. A centre without rows
/// moves to the row that is farthest from its own.
fn update(x: &Matrix, centres: &mut Matrix, assigned: &[(u32, f32)], exec: &Exec) -> f64 {
    let (k, d) = (centres.rows(), x.cols());
    let (sums, counts) = kernel::cluster_sums(x, assigned, k, exec);
    let mut farthest: Vec<usize> = Vec::new();
    if counts.contains(&0) {
        farthest = (0..x.rows()).collect();
        farthest.sort_by(|&a, &b| assigned[b].1.total_cmp(&assigned[a].1).then(a.cmp(&b)));
    }
    let mut farthest = farthest.into_iter();
    let mut moved = 0.0;
    for cluster in 0..k {
        let new: Vec<f32> = if counts[cluster] > 0 {
            let mean = |sum: &f64| (sum / f64::from(counts[cluster])) as f32;
            sums[cluster * d..(cluster + 1) * d].iter().map(mean).collect()
        } else {
            x.row(farthest.next().expect("more rows than centres")).to_vec()
        };
        for (old, new) in centres.row_mut(cluster).iter_mut().zip(new) {
            moved += f64::from(*old - new).powi(2);
            *old = new;
        }
    }
    moved
}

/// k-means++: each next centre is a row drawn with a probability proportional to its squared distance from
/// the centres so far; of several draws the one that lowers the inertia most is used.
fn seed_centres(x: &Matrix, k: usize, draw: &mut Draw, exec: &Exec) -> Matrix {
    let n = u32::try_from(x.rows()).expect("rows fit in u32");
    let trials = 2 + (k as f64).ln() as usize;
    let mut chosen = vec![draw.below(n) as usize];
    let pick = |rows: &[usize]| Matrix::from_fn(rows.len(), x.cols(), |row, col| x.row(rows[row])[col]);
    let mut nearest: Vec<f32> =
        kernel::nearest_centres(x, &pick(&chosen), exec).iter().map(|a| a.1).collect();
    while chosen.len() < k {
        let total: f64 = nearest.iter().map(|&d| f64::from(d)).sum();
        if total <= 1e-12 * f64::from(n) {
            // Every row is a centre already.
            break;
        }
        let candidates: Vec<usize> = (0..trials)
            .map(|_| {
                let mut left = draw.unit() * total;
                let hit = nearest.iter().position(|&d| {
                    left -= f64::from(d);
                    left < 0.0
                });
                hit.unwrap_or(nearest.len() - 1)
            })
            .collect();
        let options = pick(&candidates);
        let with: Vec<Vec<f32>> = (0..trials)
            .map(|option| {
                let mut distances = nearest.clone();
                kernel::lower_distances(x, options.row(option), &mut distances, exec);
                distances
            })
            .collect();
        let sums: Vec<f64> = with.iter().map(|d| d.iter().map(|&d| f64::from(d)).sum()).collect();
        let best = (0..trials).min_by(|&a, &b| sums[a].total_cmp(&sums[b])).expect("at least two trials");
        chosen.push(candidates[best]);
        nearest.clone_from(&with[best]);
    }
    pick(&chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blobs(n: usize) -> Matrix {
        let mut draw = Seed(2).stream(Stream::Synth, 0);
        Matrix::from_fn(n, 2, |row, col| {
            let centre = [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]][row % 3][col];
            (centre + draw.normal()) as f32
        })
    }

    #[test]
    fn finds_planted_clusters() {
        let exec = Exec::new(2).unwrap();
        let x = blobs(3000);
        let (centres, info) = kmeans(&x, 3, &KMeansParams::default(), Seed(0), 0, &exec).unwrap();
        assert!(info.converged);
        let assigned = kernel::nearest_centres(&x, &centres, &exec);
        for row in 0..3000 {
            assert_eq!(assigned[row].0, assigned[row % 3].0, "row {row}");
        }
        // Two unit variances a row.
        assert!((info.inertia / 3000.0 - 2.0).abs() < 0.15, "{}", info.inertia);
    }

    #[test]
    fn a_fixed_point_of_lloyds_iteration() {
        let exec = Exec::new(1).unwrap();
        let x = blobs(600);
        let params = KMeansParams { tolerance: 0.0, ..KMeansParams::default() };
        let (mut centres, info) = kmeans(&x, 7, &params, Seed(0), 0, &exec).unwrap();
        assert!(info.converged);
        let assigned = kernel::nearest_centres(&x, &centres, &exec);
        assert!(update(&x, &mut centres, &assigned, &exec) < 1e-9);
    }

    #[test]
    fn more_clusters_than_rows_or_different_rows() {
        let exec = Exec::new(1).unwrap();
        let same = Matrix::from_vec(4, 1, vec![1.0, 1.0, 2.0, 2.0]);
        let (centres, info) = kmeans(&same, 9, &KMeansParams::default(), Seed(0), 0, &exec).unwrap();
        assert_eq!((centres.rows(), info.inertia), (2, 0.0));
        let empty = Matrix::zeros(3, 0);
        assert_eq!(kmeans(&empty, 2, &KMeansParams::default(), Seed(0), 0, &exec).unwrap().0.rows(), 1);
    }

    #[test]
    fn threads_do_not_matter() {
        let x = blobs(5000);
        let run = |threads| {
            kmeans(&x, 5, &KMeansParams::default(), Seed(3), 1, &Exec::new(threads).unwrap()).unwrap()
        };
        assert_eq!(run(1), run(3));
    }
}
