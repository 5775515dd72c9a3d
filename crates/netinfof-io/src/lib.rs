//! Reading and writing of files: graphs, tables, splits and user-supplied components in the formats of
//! docs/formats.md.
//!
//! Each format has its own module. [`load`] detects the format from the content, reads it and reports what
//! was read; [`save`] writes graphs and tables.
//!
//! ```no_run
//! use netinfof::{Exec, Goal, LinkParams, Seed};
//! use netinfof_io::load::{self, LoadParams};
//! let exec = Exec::new(0)?;
//! let graph = load::graph("friends.csv", &LoadParams::default(), Seed(0), &exec)?;
//! let report = netinfof::links(&graph, None, Goal::Probe, &LinkParams::default(), &exec)?;
//! println!("{}", report.verdict.reason);
//! # Ok::<(), netinfof::Error>(())
//! ```

pub mod load;

pub mod save;

pub mod parquet;

pub mod frame;

mod table;

mod row;

mod npz;

mod pickle;

mod mat;

mod whole;

mod zipped;
