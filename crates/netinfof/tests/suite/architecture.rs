//! The modules of the library crates depend on each other in one direction alone, and `docs/architecture.svg` shows how.
//!
//! The graph is derived from the sources: `use crate::…` and paths that begin with `crate::`. Test modules do not count.
//! `NETINFOF_DRAW=1 cargo test --release -p netinfof --test suite architecture` draws the picture anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// For every module of a crate, the other modules that it uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// What a module is for, in the picture.
const PURPOSE: &[(&str, &str)] = &[
    ("pipeline", "runs all stages, for any task"),
    ("task", "links, nodes"),
    ("report", "everything a run found"),
    ("model", "save, load, predict, recommend"),
    ("verdict", "would a GNN help?"),
    ("findings", "results by split, and over all"),
    ("params", "parameters of a run"),
    ("act", "fits and tests the linear model"),
    ("information", "bits; the verdict's evidence"),
    ("probe", "the paper's score"),
    ("link", "components on pairs"),
    ("compat", "compatibility: H and H*"),
    ("training", "training pairs, cross-fitting"),
    ("pairwise", "X, statistics of pairs"),
    ("synth", "generated graphs"),
    ("neighbourhoods", "features along edges"),
    ("component", "U R F P S D, own; features"),
    ("split", "splits; draws negatives"),
    ("metric", "Hits@K, AUC, MRR"),
    ("evidence", "intervals, p-values"),
    ("score", "tables and their score"),
    ("graph", "graph, features, facts"),
    ("linalg", "SVD, LSQR, LASSO, k-means"),
    ("kernel", "all hot loops; faer, SIMD"),
    ("spec", "components and tasks as data"),
    ("ordered_map", "maps in order"),
    ("distinct_pairs", "sets of unordered pairs"),
    ("plan", "memory and time of a run"),
    ("memory", "memory the system reports"),
    ("work_folder", "finished stages, to resume"),
    ("csr", "sparse matrices"),
    ("matrix", "dense matrices"),
    ("exec", "threads, progress, stop"),
    ("seed", "random streams"),
    ("atomic_file", "whole files or none"),
    ("error", "the one error type"),
];

/// Uses that the picture shows although they also follow from others: what the verdict rests on.
const ALWAYS_SHOWN: [[&str; 2]; 1] = [["verdict", "information"]];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
            out.push(path);
        }
    }
}

/// The code of a file: no comments, no test module.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    without_comments(text.split("#[cfg(test)]\nmod tests").next().unwrap())
}

fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The first names after every `crate::`, of lists in braces too.
fn names(code: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect()
    };
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 1;
            let mut items = vec![String::new()];
            for c in list.chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 1 => items.push(String::new()),
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
                items.last_mut().unwrap().push(c);
            }
            found.extend(items.iter().map(|item| name(item.trim_start_matches(','))));
        } else {
            found.push(name(rest));
        }
    }
    found
}

/// The modules of a crate and what they use; `lib.rs` and test helpers are none of them.
fn uses(source: &Path) -> Uses {
    let mut files = Vec::new();
    sources(source, &mut files);
    let module = |path: &Path| {
        let first = path.strip_prefix(source).unwrap().components().next().unwrap();
        first.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_string()
    };
    let mut uses: Uses = files.iter().map(|file| (module(file), BTreeSet::new())).collect();
    uses.retain(|name, _| !["lib", "main", "oracle"].contains(&name.as_str()));
    for file in &files {
        let own = module(file);
        for name in names(&code(file)) {
            if uses.contains_key(&own) && uses.contains_key(&name) && name != own {
                uses.get_mut(&own).unwrap().insert(name);
            }
        }
    }
    uses
}

/// Layers of modules, lowest first: each uses lower ones alone. The modules of a cycle are an error.
fn layers(uses: &Uses) -> Result<Vec<Vec<String>>, Vec<String>> {
    let mut placed: BTreeSet<&String> = BTreeSet::new();
    let mut layers = Vec::new();
    while placed.len() < uses.len() {
        let ready = uses
            .iter()
            .filter(|(name, own)| !placed.contains(name) && own.iter().all(|used| placed.contains(used)));
        let layer: Vec<String> = ready.map(|(name, _)| name.clone()).collect();
        if layer.is_empty() {
            return Err(uses.keys().filter(|name| !placed.contains(name)).cloned().collect());
        }
        placed.extend(uses.keys().filter(|name| layer.contains(name)));
        layers.push(layer);
    }
    Ok(layers)
}

/// Modules that are used directly but not through another one: what the picture draws.
fn shown(uses: &Uses, name: &str) -> Vec<String> {
    fn reached(uses: &Uses, from: &str, out: &mut BTreeSet<String>) {
        for used in &uses[from] {
            if out.insert(used.clone()) {
                reached(uses, used, out);
            }
        }
    }
    let own = &uses[name];
    let through = |used: &String| {
        own.iter().any(|other| {
            let mut far = BTreeSet::new();
            reached(uses, other, &mut far);
            other != used && far.contains(used)
        })
    };
    let always = |used: &String| ALWAYS_SHOWN.contains(&[name, used.as_str()]);
    own.iter().filter(|used| always(used) || !through(used)).cloned().collect()
}

/// The picture: layers from top to bottom, data and users of it above what they are built on.
fn picture(uses: &Uses, layers: &[Vec<String>]) -> String {
    const WIDTH: usize = 196;
    const HEIGHT: usize = 44;
    const GAP: [usize; 2] = [16, 40];
    let widest = layers.iter().map(Vec::len).max().unwrap_or(1);
    let (width, height) = (widest * (WIDTH + GAP[0]) + GAP[0], layers.len() * (HEIGHT + GAP[1]) + GAP[1]);
    let mut place = BTreeMap::new();
    // Below the modules that use them, as far as that is possible: shorter and fewer crossing lines.
    for (depth, layer) in layers.iter().rev().enumerate() {
        let centre = |name: &String| {
            let above: Vec<usize> = place
                .iter()
                .filter(|(user, _): &(&String, &[usize; 2])| shown(uses, user).contains(name))
                .map(|(_, at): (&String, &[usize; 2])| at[0])
                .collect();
            if above.is_empty() { width / 2 } else { above.iter().sum::<usize>() / above.len() }
        };
        let mut row: Vec<&String> = layer.iter().collect();
        row.sort_by_key(|name| (centre(name), (*name).clone()));
        let margin = usize::midpoint(width - row.len() * (WIDTH + GAP[0]), GAP[0]);
        for (at, name) in row.into_iter().enumerate() {
            let corner = [margin + at * (WIDTH + GAP[0]), GAP[1] + depth * (HEIGHT + GAP[1])];
            place.insert(name.clone(), corner);
        }
    }
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\">\n<title>Modules of the crate netinfof: each uses those below it</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{}\" y=\"24\" font-size=\"13\" fill=\"#3c5268\">Modules of the crate netinfof. Each uses those below it that \
         a line leads to, and what these use.</text>\n",
        GAP[0]
    );
    for (name, corner) in &place {
        for used in shown(uses, name) {
            let [x, y] = [corner[0] + WIDTH / 2, corner[1] + HEIGHT];
            let [u, v] = [place[&used][0] + WIDTH / 2, place[&used][1]];
            let bend = usize::midpoint(y, v);
            let _ = writeln!(
                svg,
                "<path d=\"M{x} {y} C{x} {bend} {u} {bend} {u} {v}\" fill=\"none\" stroke=\"#8aa0b8\" stroke-width=\"1.2\"/>"
            );
        }
    }
    for (name, [x, y]) in &place {
        let purpose = PURPOSE.iter().find(|own| own.0 == name).map_or("", |own| own.1);
        let middle = x + WIDTH / 2;
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\" fill=\"#eef3f8\" stroke=\"#4a6785\"/>\n\
             <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" font-size=\"15\" font-weight=\"600\" fill=\"#14283c\">{name}</text>\n\
             <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" font-size=\"11.5\" fill=\"#3c5268\">{purpose}</text>",
            y + 18,
            y + 35
        );
    }
    svg + "</svg>\n"
}

#[test]
fn modules_depend_on_each_other_in_one_direction() {
    for name in ["netinfof", "netinfof-io", "netinfof-reproduce"] {
        let source = crates().join(name).join("src");
        if source.is_dir() {
            let found = layers(&uses(&source));
            assert!(
                found.is_ok(),
                "{name}: these modules use each other in a circle: {:?}",
                found.unwrap_err()
            );
        }
    }
}

#[test]
fn the_picture_of_the_modules_is_current() {
    let uses = uses(&crates().join("netinfof/src"));
    for name in uses.keys() {
        assert!(PURPOSE.iter().any(|own| own.0 == name), "say in one line what `{name}` is for");
    }
    let drawn = picture(&uses, &layers(&uses).unwrap());
    let path = crates().join("../docs/architecture.svg");
    if std::env::var_os("NETINFOF_DRAW").is_some() {
        std::fs::write(&path, &drawn).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == drawn, "docs/architecture.svg is out of date; run this test with NETINFOF_DRAW=1");
}

/// Only the module `kernel` names faer, SIMD and devices; tests use its types too.
#[test]
fn hardware_has_one_door() {
    const NAMES: [&str; 7] = ["faer", "pulp", "simd(", "MatRef", "MatMut", "Mat<", "Mat::"];
    let source = crates().join("netinfof/src");
    let mut files = Vec::new();
    sources(&source, &mut files);
    files.retain(|file| !file.starts_with(source.join("kernel")) && *file != source.join("kernel.rs"));
    for file in files {
        let text = without_comments(&std::fs::read_to_string(&file).unwrap());
        for name in NAMES {
            assert!(!text.contains(name), "{}: only `kernel` may name `{name}`", file.display());
        }
    }
}

/// A file that has grown beyond what is read in one go says at its top why it is one file.
#[test]
fn long_files_say_why() {
    let mut files = Vec::new();
    for name in ["netinfof", "netinfof-io", "netinfof-reproduce", "netinfof-cli", "netinfof-python"] {
        let source = crates().join(name).join("src");
        if source.is_dir() {
            sources(&source, &mut files);
        }
    }
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let lines = text.lines().count();
        let head: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(lines <= 600 || head.contains("One file:"), "{}: {lines} lines", file.display());
    }
}
