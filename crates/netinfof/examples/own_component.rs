//! What does an embedding from elsewhere add to the graph? `cargo run --release --example own_component`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use netinfof::{Exec, Goal, Matrix, NodeParams, Result, Seed, Stream, nodes, synth};

fn main() -> Result<()> {
    let exec = Exec::new(0)?;
    let graph = synth::named("demo", Seed(0), &exec)?;

    // A stand-in for a text embedding: the class of each node with noise, and noise alone.
    let labels = graph.labels().expect("the demo graph has classes").to_vec();
    let mut draw = Seed(1).stream(Stream::Synth, 0);
    let mut rows = |signal: f64| {
        Matrix::from_fn(graph.nodes(), 8, |node, col| {
            let own = if labels[node] as usize == col { signal } else { 0.0 };
            (own + draw.normal()) as f32
        })
    };
    let (text, noise) = (rows(1.5), rows(0.0));
    let graph = graph.clone().with_component("text", text)?.with_component("noise", noise)?;

    let mut params = NodeParams::default();
    (params.split.train, params.split.valid) = (0.3, 0.1);
    let report = nodes(&graph, None, Goal::Act, &params, &exec)?;
    println!("{:?}: {}", report.verdict.kind, report.verdict.reason);
    let information = report.predictive_information.as_ref().expect("every run measures it");
    for (name, bits, gain) in information.own_components() {
        println!(
            "{name}: {:.2} bits alone, {:+.2} bits in addition to all others",
            bits.value, gain.bits.value
        );
    }
    println!("test accuracy {:.3}", report.mean.test.get("accuracy").expect("Act measures it"));
    Ok(())
}
