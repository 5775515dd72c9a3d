//! Collects the arrays of a model file.

use safetensors::Dtype;

use crate::graph::Features;
use crate::matrix::Matrix;
use crate::model::Model;
use crate::pairwise::Pairwise;

/// Collects the arrays of a file to be written.
#[derive(Default)]
pub(super) struct ArrayWriter(pub(super) Vec<(String, Dtype, Vec<usize>, Vec<u8>)>);

impl ArrayWriter {
    pub(super) fn put<T: Copy, const N: usize>(
        &mut self,
        name: impl Into<String>,
        dtype: Dtype,
        shape: &[usize],
        values: &[T],
        bytes: impl Fn(T) -> [u8; N],
    ) {
        let mut data = Vec::with_capacity(values.len() * N);
        for &v in values {
            data.extend(bytes(v));
        }
        self.0.push((name.into(), dtype, shape.to_vec(), data));
    }

    pub(super) fn floats(&mut self, name: impl Into<String>, shape: &[usize], values: &[f32]) {
        self.put(name, Dtype::F32, shape, values, f32::to_le_bytes);
    }

    pub(super) fn matrix(&mut self, name: impl Into<String>, m: &Matrix) {
        self.floats(name, &[m.rows(), m.cols()], m.as_slice());
    }

    pub(super) fn counts(&mut self, name: &str, values: &[u64]) {
        self.put(name, Dtype::U64, &[values.len()], values, u64::to_le_bytes);
    }

    pub(super) fn numbers(&mut self, name: &str, shape: &[usize], values: &[u32]) {
        self.put(name, Dtype::U32, shape, values, u32::to_le_bytes);
    }

    pub(super) fn bytes(&mut self, name: &str, values: &[u8]) {
        self.put(name, Dtype::U8, &[values.len()], values, |v| [v]);
    }

    pub(super) fn doubles(&mut self, name: &str, values: &[f64]) {
        self.put(name, Dtype::F64, &[values.len()], values, f64::to_le_bytes);
    }
}

/// Edges, sides, features and ids.
pub(super) fn put_graph(arrays: &mut ArrayWriter, model: &Model) {
    let edges = model.graph.edges();
    let flat: Vec<u32> = edges.iter().flatten().copied().collect();
    arrays.numbers("edges", &[edges.len(), 2], &flat);
    let trained: Vec<u8> = edges.iter().map(|e| u8::from(model.training.contains(e[0], e[1]))).collect();
    if trained.contains(&0) {
        arrays.bytes("edges.training", &trained);
    }
    if let Some(weights) = model.graph.weights().filter(|_| model.weight_scale().is_some()) {
        arrays.floats("edges.weights", &[edges.len()], weights.given());
    }
    if let Some(sides) = model.graph.sides() {
        let second: Vec<u8> = sides.second().iter().map(|&second| u8::from(second)).collect();
        arrays.bytes("sides", &second);
    }
    put_features(arrays, "features", model.graph.features());
    for own in model.graph.custom_components() {
        if let Features::Dense(rows) = &own.rows {
            arrays.matrix(format!("{}.rows", own.name()), rows);
        }
    }
    if let Some(ids) = model.graph.ids() {
        let ends: Vec<u64> = ids
            .iter()
            .scan(0, |end, id| {
                *end += id.len() as u64;
                Some(*end)
            })
            .collect();
        arrays.counts("ids.ends", &ends);
        arrays.bytes("ids", ids.concat().as_bytes());
    }
}

/// Features, dense or sparse.
pub(super) fn put_features(arrays: &mut ArrayWriter, name: &str, features: &Features) {
    match features {
        Features::None => {}
        Features::Dense(x) => arrays.matrix(name, x),
        Features::Sparse(x) => {
            let starts: Vec<u64> =
                std::iter::once(0).chain((0..x.rows()).map(|row| x.row(row).len() as u64)).collect();
            let starts: Vec<u64> = starts
                .iter()
                .scan(0, |sum, count| {
                    *sum += count;
                    Some(*sum)
                })
                .collect();
            let indices: Vec<u32> = (0..x.rows()).flat_map(|row| x.row(row)).copied().collect();
            arrays.counts(&format!("{name}.indptr"), &starts);
            arrays.numbers(&format!("{name}.indices"), &[indices.len()], &indices);
            arrays.counts(&format!("{name}.columns"), &[x.cols() as u64]);
            if let Some(values) = x.values() {
                arrays.floats(format!("{name}.values"), &[values.len()], values);
            }
        }
    }
}

/// The columns of X.
pub(super) fn put_pairwise(arrays: &mut ArrayWriter, x: &Pairwise) {
    let pairs: Vec<f32> = x.columns.iter().flat_map(|column| [column.mean, column.scale]).collect();
    arrays.floats("X.columns", &[x.columns.len(), 2], &pairs);
    let counts: Vec<u32> = x.columns.iter().map(|column| column.knots.len() as u32).collect();
    arrays.numbers("X.knots.counts", &[counts.len()], &counts);
    let knots: Vec<f32> = x.columns.iter().flat_map(|column| column.knots.iter().copied()).collect();
    arrays.floats("X.knots", &[knots.len()], &knots);
    let standard: Vec<f32> = x.standard.iter().flatten().copied().collect();
    arrays.floats("X.standard", &[x.standard.len(), 2], &standard);
    arrays.floats("X.similarity", &[x.weights.len()], &x.weights);
}
