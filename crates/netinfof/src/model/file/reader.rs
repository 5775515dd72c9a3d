//! Reads the arrays of a model file.

use std::path::Path;

use safetensors::{Dtype, SafeTensors};

use crate::error::{Error, Result};
use crate::matrix::Matrix;

/// Reads the arrays of a file; every error names what was expected.
pub(super) struct ArrayReader<'a> {
    pub(super) path: &'a Path,
    pub(super) tensors: SafeTensors<'a>,
}

impl ArrayReader<'_> {
    pub(super) fn fault<T>(&self, what: impl std::fmt::Display) -> Result<T> {
        Err(Error::Format { path: self.path.to_path_buf(), what: format!("invalid model: {what}") })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.tensors.tensor(name).is_ok()
    }

    pub(super) fn view<const N: usize>(
        &self,
        name: &str,
        dtype: Dtype,
        dims: usize,
    ) -> Result<(Vec<usize>, Vec<[u8; N]>)> {
        let Ok(view) = self.tensors.tensor(name) else {
            return self.fault(format!("`{name}` is missing"));
        };
        if view.dtype() != dtype || view.shape().len() != dims {
            return self.fault(format!("`{name}` is {:?} {:?}", view.dtype(), view.shape()));
        }
        let (parts, _) = view.data().as_chunks::<N>();
        Ok((view.shape().to_vec(), parts.to_vec()))
    }

    pub(super) fn floats(&self, name: &str) -> Result<Vec<f32>> {
        Ok(self.view(name, Dtype::F32, 1)?.1.into_iter().map(f32::from_le_bytes).collect())
    }

    pub(super) fn doubles(&self, name: &str) -> Result<Vec<f64>> {
        Ok(self.view(name, Dtype::F64, 1)?.1.into_iter().map(f64::from_le_bytes).collect())
    }

    pub(super) fn counts(&self, name: &str) -> Result<Vec<usize>> {
        Ok(self.view(name, Dtype::U64, 1)?.1.into_iter().map(|v| u64::from_le_bytes(v) as usize).collect())
    }

    pub(super) fn numbers(&self, name: &str) -> Result<Vec<u32>> {
        Ok(self.view(name, Dtype::U32, 1)?.1.into_iter().map(u32::from_le_bytes).collect())
    }

    pub(super) fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        Ok(self.view::<1>(name, Dtype::U8, 1)?.1.concat())
    }

    pub(super) fn matrix(&self, name: &str) -> Result<Matrix> {
        let (shape, values) = self.view(name, Dtype::F32, 2)?;
        Ok(Matrix::from_vec(shape[0], shape[1], values.into_iter().map(f32::from_le_bytes).collect()))
    }

    /// An array that must be of this length.
    pub(super) fn check(&self, name: &str, found: usize, expected: usize) -> Result<()> {
        if found == expected {
            Ok(())
        } else {
            self.fault(format!("`{name}` has {found} entries, not {expected}"))
        }
    }
}
