//! Fits a link model, saves it, loads it, and recommends partners: `cargo run --release --example act_and_predict`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use netinfof::model::{Model, RecommendParams, Seen};
use netinfof::{Exec, LinkParams, Result, Seed, fit_links, synth};

fn main() -> Result<()> {
    let exec = Exec::new(0)?;
    let graph = synth::named("demo", Seed(0), &exec)?;
    let fitted = fit_links(&graph, None, &LinkParams::default(), &exec)?;
    println!("test AUC {:.3}", fitted.report.mean.test.get("auc").expect("Act measures it"));

    let path = std::env::temp_dir().join(format!("netinfof-demo-{}.model", std::process::id()));
    fitted.model.save(&path)?;
    let model = Model::load(&path)?;
    std::fs::remove_file(&path).map_err(|e| netinfof::Error::io(&path, e))?;

    // All known edges count now: the question is which ones are missing.
    let scorer = model.links(Seen::All, None, &exec)?;
    let scores = scorer.scores(&[[0, 1], [0, 2]], &exec)?;
    println!("log-odds of an edge: 0-1 {:.2}, 0-2 {:.2}", scores[0], scores[1]);
    let mut params = RecommendParams::new(3);
    params.exclude_known = true;
    scorer.recommend(Some(&[0]), &params, &exec, |partners| {
        for pair in partners {
            println!("node {} and node {}: {:.2}", pair.node, pair.other, pair.score);
        }
        Ok(())
    })?;
    Ok(())
}
