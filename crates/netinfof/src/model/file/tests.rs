//! Unit tests, compiled under `#[cfg(test)]` alone.

use super::*;
use crate::exec::Exec;
use crate::model::Seen;
use crate::params::LinkParams;
use crate::pipeline::fit_links;
use crate::synth;

/// Arrays that are missing, of another kind, of another shape or shorter, with a matching digest: refused,
/// never a panic.
#[test]
fn contradictions_under_a_right_digest_are_refused() {
    let exec = Exec::new(1).unwrap();
    let graph = synth::named("demo", Seed(0), &exec).unwrap();
    let names = (0..graph.nodes()).map(|node| format!("n{node}")).collect();
    let mut params = LinkParams::default();
    params.component.dim = 6;
    let path = std::env::temp_dir().join(format!("netinfof-{}-contradictions", std::process::id()));
    fit_links(&graph.with_ids(names), None, &params, &exec).unwrap().model.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let sound = SafeTensors::deserialize(&bytes).unwrap();
    let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
    let entry = &header.metadata().as_ref().unwrap()[ENTRY];
    let names: Vec<String> = sound.names().iter().map(ToString::to_string).collect();
    assert!(names.len() > 20, "{names:?}");
    let head = || serde_json::from_str::<MetadataEntry>(entry).unwrap().head;
    // All views unchanged except for one.
    let load_with = |changed: &str, to: Option<TensorView<'_>>, head: ModelHead| {
        let views: Vec<(&str, TensorView<'_>)> =
            sound.iter().filter(|(name, _)| *name != changed).chain(to.map(|view| (changed, view))).collect();
        let format = VERSION;
        let entry = MetadataEntry { format, digest: digest(&head, &views), head };
        let entry = serde_json::to_string(&entry).unwrap();
        let file =
            safetensors::serialize(views, Some([(ENTRY.to_string(), entry)].into_iter().collect())).unwrap();
        std::fs::write(&path, file).unwrap();
        load(&path)
    };
    assert!(load_with("", None, head()).is_ok());
    for name in &names {
        let view = sound.tensor(name).unwrap();
        let (dtype, shape, data) = (view.dtype(), view.shape().to_vec(), view.data());
        // Without them the file is a different but valid model.
        let optional = ["edges.training", "features.values", "ids.ends"].contains(&name.as_str());
        let missing = load_with(name, None, head());
        assert!(optional || missing.is_err(), "{name} missing");
        let width = data.len() / shape.iter().product::<usize>().max(1);
        let shorter = [vec![shape[0] - 1], shape[1..].to_vec()].concat();
        let count = shorter.iter().product::<usize>() * width;
        let found = load_with(name, Some(TensorView::new(dtype, shorter, &data[..count]).unwrap()), head());
        assert!(found.is_err(), "{name} shorter");
        let flat = TensorView::new(Dtype::U8, vec![1, 1, data.len()], data).unwrap();
        assert!(load_with(name, Some(flat), head()).is_err(), "{name} of bytes");
        // Extreme numbers: read or refused, and used without a panic.
        let wild = vec![0xff; data.len()];
        if let Ok(model) = load_with(name, Some(TensorView::new(dtype, shape, &wild).unwrap()), head()) {
            let _ = model.links(Seen::All, None, &exec).unwrap().scores(&[[0, 1], [5, 9]], &exec);
        }
    }
    for nodes in [0, 1, 1199, 1201, usize::MAX] {
        let mut head = head();
        head.about.nodes = nodes;
        assert!(load_with("", None, head).is_err(), "{nodes} nodes");
    }
    let mut both = head();
    both.links = None;
    assert!(load_with("", None, both).is_err());
    let mut fewer = head();
    fewer.components.pop();
    assert!(load_with("", None, fewer).is_err());
    let mut unprepared = head();
    unprepared.preparations = [None, None];
    assert!(load_with("", None, unprepared).is_err());
    std::fs::remove_file(&path).unwrap();
}
