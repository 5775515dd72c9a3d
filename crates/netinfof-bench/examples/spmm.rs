//! Speed of the sparse-dense product beside the memory bandwidth of the machine.
//!
//! Run with `cargo run --release -p netinfof-bench --example spmm -- [NODES] [DEGREE] [COLUMNS]`. The product reads one
//! row of the dense matrix per entry of the sparse one; the bound is the bandwidth at which this machine reads and
//! writes arrays from beginning to end.

#![expect(clippy::print_stdout, reason = "the figures are the output")]

use std::time::Instant;

use netinfof::internals::spmm;
use netinfof::synth::{self, Large};
use netinfof::{Exec, Matrix, Seed};

/// The best of a few runs, in seconds.
fn best(mut work: impl FnMut()) -> f64 {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..5).map(|_| time(&mut work)).fold(f64::INFINITY, f64::min)
}

/// Gigabytes per second of `a = b + 3 c` on arrays that do not fit in caches.
fn stream(exec: &Exec) -> f64 {
    let size = 1 << 26;
    let (b, c) = (vec![1.0f32; size], vec![2.0f32; size]);
    let mut a = vec![0.0f32; size];
    let seconds = best(|| {
        exec.fill_rows(&mut a, 1, 1 << 16, |first, a| {
            let (b, c) = (&b[first..first + a.len()], &c[first..first + a.len()]);
            a.iter_mut().zip(b).zip(c).for_each(|((a, b), c)| *a = b + 3.0 * c);
        });
    });
    12.0 * size as f64 / seconds / 1e9
}

fn main() -> netinfof::Result<()> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>().expect("a number"));
    let mut next = |default| numbers.next().unwrap_or(default);
    let (nodes, degree, columns) = (next(1_000_000), next(40), next(128));
    let exec = Exec::new(0)?;
    let mut shape = Large::default();
    (shape.nodes, shape.degree, shape.features) = (nodes, degree as f64, 0);
    let graph = synth::large(&shape, Seed(0), &exec)?;
    let mut x = Matrix::zeros(nodes, columns);
    exec.fill_matrix(&mut x, |row, values| values.iter_mut().for_each(|v| *v = row as f32));
    let adjacency = graph.adjacency();
    let entries = adjacency.nnz() as f64;
    let seconds = best(|| drop(spmm(adjacency, &x, &exec)));
    // Indices, gathered rows, and the result.
    let bytes = entries * 4.0 + entries * columns as f64 * 4.0 + (nodes * columns) as f64 * 4.0;
    let (reached, bound) = (bytes / seconds / 1e9, stream(&exec));
    println!("{nodes} nodes, {entries} entries, {columns} columns, {} threads", exec.threads());
    println!(
        "product {seconds:.3} s, {reached:.1} GB/s; stream {bound:.1} GB/s; {:.0} %",
        100.0 * reached / bound
    );
    Ok(())
}
