//! Evaluates on a split of one's own: `cargo run --release --example own_split`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use netinfof::split::check;
use netinfof::{Exec, Goal, LinkPairs, LinkParams, Pairs, Result, Seed, links, synth};

fn main() -> Result<()> {
    let exec = Exec::new(0)?;
    let graph = synth::named("demo", Seed(0), &exec)?;

    // Here every tenth edge validates and two of ten test. Without negatives, they are drawn.
    let part = |wanted: &[usize]| -> Vec<_> {
        graph
            .edges()
            .into_iter()
            .enumerate()
            .filter(|(at, _)| wanted.contains(&(at % 10)))
            .map(|(_, e)| e)
            .collect()
    };
    let held_out = |wanted: &[usize]| Pairs { positives: part(wanted), ..Pairs::default() };
    let split =
        LinkPairs { train: part(&[0, 1, 2, 3, 4, 5, 6]), valid: held_out(&[7]), test: held_out(&[8, 9]) };

    for finding in check::links(&graph, &split, &exec)?.findings {
        println!("check: {}: {}", finding.kind, finding.what);
    }
    let report = links(&graph, Some(&split), Goal::Act, &LinkParams::default(), &exec)?;
    println!("{:?}: {}", report.verdict.kind, report.verdict.reason);
    for (metric, value) in report.mean.test.iter() {
        println!("  {metric} {value:.3}");
    }
    Ok(())
}
