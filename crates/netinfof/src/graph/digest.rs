//! A digest of everything in a graph on which the stages of a run depend.

use super::{Csr, Features, Graph, Target};
use crate::matrix::Matrix;
use crate::work_folder::ArrayDigest;

impl Graph {
    /// The same for graphs with the same nodes, edges, features and targets. Names and ids do not count.
    pub(crate) fn digest(&self) -> String {
        let mut digest = ArrayDigest::default();
        add_csr(&mut digest, "adjacency", &self.adjacency);
        add_features(&mut digest, "features", &self.features);
        for own in &self.custom {
            add_features(&mut digest, own.name(), &own.rows);
        }
        digest.add("labels", self.labels.as_deref().unwrap_or_default());
        match self.target.as_deref() {
            None => {}
            Some(Target::Numbers(values)) => digest.add("numbers", values),
            Some(Target::Labels(sets)) => sets.add_to(&mut digest),
        }
        if let Some(sides) = self.sides() {
            let second: Vec<u8> = sides.second().iter().map(|&second| u8::from(second)).collect();
            digest.add("sides", &second);
            digest.add("roles", &[u8::from(sides.are_roles())]);
        }
        if let Some(context) = &self.context {
            let (edges, features, custom) = context.inputs();
            add_csr(&mut digest, "context", edges);
            add_features(&mut digest, "context features", features);
            for own in custom {
                add_features(&mut digest, own.name(), &own.rows);
            }
        }
        if let Some(times) = &self.times {
            times.add_to(&mut digest);
        }
        digest.finish()
    }
}

fn add_csr(digest: &mut ArrayDigest, name: &str, matrix: &Csr) {
    let (starts, columns, values) = matrix.arrays();
    digest.add(name, starts);
    digest.add("columns", columns);
    digest.add("values", values.unwrap_or_default());
}

fn add_features(digest: &mut ArrayDigest, name: &str, features: &Features) {
    let dense = |digest: &mut ArrayDigest, x: &Matrix| {
        digest.add(name, &[x.rows(), x.cols()]);
        digest.add("entries", x.as_slice());
    };
    match features {
        Features::None => digest.add::<u8>(name, &[]),
        Features::Dense(x) => dense(digest, x),
        Features::Sparse(x) => add_csr(digest, name, x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_changes_a_run_changes_the_digest() {
        let plain = || Graph::from_edges("a", 4, &[[0, 1], [1, 2], [2, 3]]).unwrap();
        let dense = |v: f32| Features::Dense(Matrix::from_vec(4, 1, vec![0.0, 1.0, 2.0, v]));
        let graphs = [
            plain(),
            Graph::from_edges("a", 4, &[[0, 1], [1, 2], [1, 3]]).unwrap(),
            Graph::from_edges("a", 5, &[[0, 1], [1, 2], [2, 3]]).unwrap(),
            plain().with_features(dense(3.0)).unwrap(),
            plain().with_features(dense(4.0)).unwrap(),
            plain().with_labels(vec![0, 1, 0, 1]).unwrap(),
            plain().with_numbers(vec![0.0, 1.0, 0.0, 1.5]).unwrap(),
        ];
        let digests: Vec<String> = graphs.iter().map(Graph::digest).collect();
        for (at, own) in digests.iter().enumerate() {
            assert!(!digests[..at].contains(own), "{at}");
        }
        assert_eq!(digests[0], Graph::from_edges("b", 4, &[[2, 3], [1, 0], [1, 2]]).unwrap().digest());
    }
}
