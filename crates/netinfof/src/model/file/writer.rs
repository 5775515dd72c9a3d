//! Collects the arrays of a model file.

use safetensors::Dtype;

use crate::matrix::Matrix;

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
