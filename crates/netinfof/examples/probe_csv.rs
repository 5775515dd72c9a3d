//! Would a GNN help on the graph of an edge list? `cargo run --release --example probe_csv -- friends.csv`
//!
//! Without a file it writes a small one and reads that.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::fmt::Write as _;

use netinfof::{Exec, Goal, LinkParams, Result, Seed, links};
use netinfof_io::load::{self, LoadParams};

fn main() -> Result<()> {
    let file = std::env::args().nth(1).map_or_else(written, Ok)?;
    let exec = Exec::new(0)?;
    let graph = load::graph(&file, &LoadParams::default(), Seed(0), &exec)?;
    let report = links(&graph, None, Goal::Probe, &LinkParams::default(), &exec)?;
    println!("{} nodes, {} edges: {:?}", graph.nodes(), graph.edge_count(), report.verdict.kind);
    println!("{}", report.verdict.reason);
    for (name, component) in report.components.iter() {
        println!("  {name}: score {:.3}, chance {:.3}", component.score, component.no_information);
    }
    Ok(())
}

/// Forty groups of ten friends.
fn written() -> Result<String> {
    let mut text = String::from("source,target\n");
    for group in 0..40 {
        for a in 0..10 {
            for b in a + 1..10 {
                if (a * b + group) % 3 > 0 {
                    let _ = writeln!(text, "person{},person{}", 10 * group + a, 10 * group + b);
                }
            }
        }
    }
    let path = std::env::temp_dir().join(format!("netinfof-friends-{}.csv", std::process::id()));
    std::fs::write(&path, text).map_err(|e| netinfof::Error::io(&path, e))?;
    Ok(path.to_string_lossy().into_owned())
}
