//! Builds without Parquet: its files are recognised, and refused with a clear error.

use std::convert::Infallible;
use std::io::Write;
use std::marker::PhantomData;
use std::path::Path;

use super::{Column, Kind, Pairs};
use crate::row::Row;
use netinfof::{Error, Result};

const ABSENT: &str =
    "Parquet is not part of this build; build netinfof-io with the feature `parquet`, or use CSV or npz";

/// A reader that can never be opened.
pub(crate) enum Reader {}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Err(Error::Format { path: path.into(), what: ABSENT.into() })
    }
    pub(crate) fn names(&self) -> Vec<String> {
        match *self {}
    }
    pub(crate) fn rows(&self) -> usize {
        match *self {}
    }
    pub(crate) fn is_text(&self, _: usize) -> bool {
        match *self {}
    }
    pub(crate) fn only(&mut self, _: &[usize]) -> Result<()> {
        match *self {}
    }
    pub(crate) fn read(&mut self, _: &mut Row) -> Result<bool> {
        match *self {}
    }
    pub(crate) fn pairs(&mut self, _: [usize; 2]) -> Result<Pairs> {
        match *self {}
    }
}

/// A writer that can never be created.
#[derive(Debug)]
pub struct Writer<W: Write + Send> {
    never: Infallible,
    out: PhantomData<W>,
}

impl<W: Write + Send> Writer<W> {
    /// Always returns an error: this build cannot write Parquet.
    pub fn new(_: W, _: &[(&str, Kind)]) -> std::io::Result<Self> {
        Err(std::io::Error::other(ABSENT))
    }
    /// Never called.
    pub fn write(&mut self, _: &[Column]) -> std::io::Result<()> {
        match self.never {}
    }
    /// Never called.
    pub fn finish(self) -> std::io::Result<W> {
        match self.never {}
    }
}
