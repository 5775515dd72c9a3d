//! k-means of a raw file of little-endian `f32` rows; prints seconds and inertia. `benchmarks/kmeans.py` runs it beside
//! scikit-learn.
//!
//! `cargo run --release -p netinfof-bench --example kmeans -- FILE COLUMNS CLUSTERS RESTARTS`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::time::Instant;

use netinfof::internals::kmeans;
use netinfof::params::KMeansParams;
use netinfof::{Exec, Matrix, Seed};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, cols, clusters, restarts] = &args[..] else {
        return Err("usage: kmeans FILE COLUMNS CLUSTERS RESTARTS".into());
    };
    let bytes = std::fs::read(file)?;
    let data: Vec<f32> =
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let cols: usize = cols.parse()?;
    let x = Matrix::from_vec(data.len() / cols, cols, data);
    let mut params = KMeansParams::default();
    params.restarts = restarts.parse()?;
    let exec = Exec::new(0)?;
    let start = Instant::now();
    let (_, info) = kmeans(&x, clusters.parse()?, &params, Seed(0), 0, &exec)?;
    println!("{:.3} {:.6}", start.elapsed().as_secs_f64(), info.inertia);
    Ok(())
}
