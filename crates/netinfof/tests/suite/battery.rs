//! A battery of generated graphs with known truth, none of which the verdict's rule was made on: at least 95 % of the verdicts are right and
//! at most 1 % are confident and wrong; sweeps over the share of labels; random labels and random graphs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use netinfof::graph::Features;
use netinfof::report::VerdictKind::{
    self, Any, Combine, Features as FeaturesKind, Gnn, Nothing, Structure, Undecided,
};
use netinfof::{Exec, Goal, Graph, LinkParams, Matrix, NodeParams, Report, Seed};

use crate::ordinary::{Random, random_edges};

/// A family: its name, the verdicts that are true of it, and its generator.
struct Family {
    name: &'static str,
    truth: &'static [VerdictKind],
    make: fn(&mut Random) -> Graph,
}

fn graph(nodes: usize, edges: &[[u32; 2]], x: Matrix, labels: Vec<i32>) -> Graph {
    let graph = Graph::from_edges("battery", nodes, edges).unwrap();
    graph.with_features(Features::Dense(x)).unwrap().with_labels(labels).unwrap()
}

fn noise(nodes: usize, columns: usize, random: &mut Random) -> Matrix {
    Matrix::from_fn(nodes, columns, |_, _| random.normal() as f32)
}

fn classes(nodes: usize, count: usize, random: &mut Random) -> Vec<i32> {
    (0..nodes).map(|_| random.below(count) as i32).collect()
}

/// Gaussian clouds about random centres.
fn clouds(labels: &[i32], columns: usize, spread: f64, random: &mut Random) -> Matrix {
    let count = 1 + *labels.iter().max().unwrap() as usize;
    let centres: Vec<f64> = (0..count * columns).map(|_| random.normal()).collect();
    Matrix::from_fn(labels.len(), columns, |row, col| {
        (centres[labels[row] as usize * columns + col] + spread * random.normal()) as f32
    })
}

/// Draws pairs by weight of their nodes and keeps each with the chance that `keep` gives.
fn weighted_edges(
    weights: &[f64],
    count: usize,
    random: &mut Random,
    keep: impl Fn(usize, usize) -> f64,
) -> Vec<[u32; 2]> {
    let mut sums = Vec::with_capacity(weights.len());
    let mut total = 0.0;
    for weight in weights {
        total += weight;
        sums.push(total);
    }
    let mut edges = Vec::new();
    while edges.len() < count {
        let [i, j] = [0; 2].map(|_| {
            let at = random.unit() * total;
            sums.partition_point(|&sum| sum < at).min(weights.len() - 1)
        });
        if i != j && random.unit() < keep(i, j) {
            edges.push([i as u32, j as u32]);
        }
    }
    edges
}

/// Edges inside classes with this chance, else anywhere.
fn homophilous(labels: &[i32], inside: f64, count: usize, random: &mut Random) -> Vec<[u32; 2]> {
    let weights = vec![1.0; labels.len()];
    let classes = 1.0 + f64::from(*labels.iter().max().unwrap());
    // Chance of a pair between classes, so that a share `inside` of the edges does not choose freely.
    let between = (1.0 - inside) / (1.0 - inside + inside * classes);
    weighted_edges(&weights, count, random, |i, j| if labels[i] == labels[j] { 1.0 } else { between })
}

/// Points, joined to their nearest neighbours.
fn nearest(points: &[Vec<f64>], k: usize) -> Vec<[u32; 2]> {
    let distance =
        |i: usize, j: usize| -> f64 { points[i].iter().zip(&points[j]).map(|(a, b)| (a - b).powi(2)).sum() };
    let mut edges = Vec::new();
    for i in 0..points.len() {
        let mut others: Vec<usize> = (0..points.len()).filter(|&j| j != i).collect();
        others.select_nth_unstable_by(k, |&a, &b| distance(i, a).total_cmp(&distance(i, b)));
        edges.extend(others[..k].iter().map(|&j| [i as u32, j as u32]));
    }
    edges
}

const NODES: usize = 1000;

const NODE_FAMILIES: [Family; 16] = [
    Family {
        name: "degree-corrected blocks, noise features",
        truth: &[Structure],
        make: |random| {
            let labels = classes(NODES, 4, random);
            let weights: Vec<f64> = (0..NODES).map(|_| random.unit().max(0.01).powf(-0.4)).collect();
            let edges =
                weighted_edges(
                    &weights,
                    6 * NODES,
                    random,
                    |i, j| {
                        if labels[i] == labels[j] { 1.0 } else { 0.1 }
                    },
                );
            graph(NODES, &edges, noise(NODES, 16, random), labels)
        },
    },
    Family {
        name: "geometric, noise features",
        truth: &[Structure],
        make: |random| {
            let points: Vec<Vec<f64>> = (0..NODES).map(|_| vec![random.unit(), random.unit()]).collect();
            let labels = points.iter().map(|p| 2 * i32::from(p[0] > 0.5) + i32::from(p[1] > 0.5)).collect();
            graph(NODES, &nearest(&points, 6), noise(NODES, 16, random), labels)
        },
    },
    Family {
        name: "nearest neighbours of Gaussian clouds",
        truth: &[FeaturesKind, Any],
        make: |random| {
            let labels = classes(NODES, 4, random);
            let x = clouds(&labels, 8, 0.5, random);
            let points: Vec<Vec<f64>> =
                (0..NODES).map(|row| x.row(row).iter().map(|&v| f64::from(v)).collect()).collect();
            graph(NODES, &nearest(&points, 5), x, labels)
        },
    },
    Family {
        name: "small world, arcs of the ring",
        truth: &[Structure],
        make: |random| {
            let edges: Vec<[u32; 2]> = (0..NODES)
                .flat_map(|i| (1..=4).map(move |step| (i, (i + step) % NODES)))
                .map(|(i, j)| if random.unit() < 0.05 { [i, random.below(NODES)] } else { [i, j] })
                .filter(|[i, j]| i != j)
                .map(|e| e.map(|v| v as u32))
                .collect();
            let labels = (0..NODES).map(|i| (4 * i / NODES) as i32).collect();
            graph(NODES, &edges, noise(NODES, 16, random), labels)
        },
    },
    Family {
        name: "preferential attachment with homophily, weak features",
        truth: &[Gnn, Combine],
        make: |random| {
            let labels = classes(NODES, 2, random);
            let (mut edges, mut ends): (Vec<[u32; 2]>, Vec<usize>) = (vec![[0, 1]], vec![0, 1]);
            for node in 2..NODES {
                let mut found = 0;
                for _ in 0..200 {
                    let other = ends[random.below(ends.len())];
                    if other < node && (labels[other] == labels[node] || random.unit() < 0.35) {
                        edges.push([node as u32, other as u32]);
                        ends.extend([node, other]);
                        found += 1;
                    }
                    if found == 5 {
                        break;
                    }
                }
                if found == 0 {
                    ends.push(node);
                }
            }
            let x = clouds(&labels, 12, 2.0, random);
            graph(NODES, &edges, x, labels)
        },
    },
    Family {
        name: "users and items of four tastes, noise features",
        truth: &[Structure],
        make: |random| {
            let labels = classes(NODES, 4, random);
            let half = NODES / 2;
            let edges = weighted_edges(&vec![1.0; NODES], 6 * NODES, random, |i, j| {
                match ((i < half) == (j < half), labels[i] == labels[j]) {
                    (true, _) => 0.0,
                    (false, same) => {
                        if same {
                            1.0
                        } else {
                            0.08
                        }
                    }
                }
            });
            graph(NODES, &edges, noise(NODES, 16, random), labels)
        },
    },
    Family {
        name: "hierarchical blocks, noise features",
        truth: &[Structure],
        make: |random| {
            let leaf = classes(NODES, 8, random);
            let edges = weighted_edges(&vec![1.0; NODES], 8 * NODES, random, |i, j| {
                match (leaf[i] ^ leaf[j]).leading_zeros() {
                    32 => 1.0,
                    31 => 0.3,
                    30 => 0.08,
                    _ => 0.01,
                }
            });
            let labels = leaf.iter().map(|leaf| leaf / 2).collect();
            graph(NODES, &edges, noise(NODES, 16, random), labels)
        },
    },
    Family {
        name: "features are noisy copies of the structure",
        truth: &[Structure, Any],
        make: |random| {
            let labels = classes(NODES, 4, random);
            let edges = homophilous(&labels, 0.85, 8 * NODES, random);
            // Counts of neighbours in random sets of nodes, with noise.
            let sets: Vec<usize> = (0..NODES).map(|_| random.below(30)).collect();
            let mut x = noise(NODES, 30, random);
            for &[i, j] in &edges {
                x.row_mut(i as usize)[sets[j as usize]] += 0.5;
                x.row_mut(j as usize)[sets[i as usize]] += 0.5;
            }
            graph(NODES, &edges, x, labels)
        },
    },
    Family {
        name: "features hold the label",
        truth: &[FeaturesKind],
        make: |random| {
            let labels = classes(NODES, 5, random);
            let x = clouds(&labels, 10, 1.0, random);
            graph(NODES, &random_edges(NODES, 5 * NODES, random), x, labels)
        },
    },
    Family {
        name: "one-hot ids as features",
        truth: &[Structure],
        make: |random| {
            let labels = classes(NODES, 4, random);
            let edges = homophilous(&labels, 0.8, 5 * NODES, random);
            graph(NODES, &edges, Matrix::from_fn(NODES, NODES, |i, j| f32::from(u8::from(i == j))), labels)
        },
    },
    Family {
        name: "adversarially rewired: as many neighbours in every class",
        truth: &[FeaturesKind],
        make: |random| {
            let labels = classes(NODES, 4, random);
            let x = clouds(&labels, 10, 1.2, random);
            let mut by_class = vec![Vec::new(); 4];
            labels.iter().enumerate().for_each(|(node, &class)| by_class[class as usize].push(node));
            let mut edges = Vec::new();
            for node in 0..NODES {
                for own in &by_class {
                    edges.push([node as u32, own[random.below(own.len())] as u32]);
                }
            }
            edges.retain(|[i, j]| i != j);
            graph(NODES, &edges, x, labels)
        },
    },
    Family {
        name: "one class in twenty, found by its links",
        truth: &[Structure],
        make: |random| {
            let labels: Vec<i32> = (0..2 * NODES).map(|_| i32::from(random.unit() < 0.05)).collect();
            let edges = weighted_edges(&vec![1.0; 2 * NODES], 10 * NODES, random, |i, j| {
                match (labels[i], labels[j]) {
                    (1, 1) => 1.0,
                    (0, 0) => 0.05,
                    _ => 0.01,
                }
            });
            graph(2 * NODES, &edges, noise(2 * NODES, 12, random), labels)
        },
    },
    Family {
        name: "words of a topic, citations inside topics",
        truth: &[Gnn, Combine],
        make: |random| {
            let labels = classes(NODES, 5, random);
            let mut x = Matrix::zeros(NODES, 200);
            for row in 0..NODES {
                for _ in 0..8 {
                    let own = random.unit() < 0.35;
                    let word =
                        if own { labels[row] as usize * 40 + random.below(40) } else { random.below(200) };
                    x.row_mut(row)[word] = 1.0;
                }
            }
            let edges = homophilous(&labels, 0.5, 3 * NODES, random);
            graph(NODES, &edges, x, labels)
        },
    },
    Family {
        name: "hubs, members and bridges of stars",
        truth: &[Structure],
        make: |random| {
            let (mut edges, mut labels) = (Vec::new(), Vec::new());
            let (mut hubs, mut node) = (Vec::new(), 0u32);
            while (node as usize) < NODES {
                let hub = node;
                labels.push(0);
                hubs.push(hub);
                for _ in 0..6 + random.below(6) {
                    node += 1;
                    labels.push(1);
                    edges.push([hub, node]);
                }
                for _ in 0..=random.below(3) {
                    node += 1;
                    labels.push(2);
                    edges.push([hub, node]);
                    edges.push([node, hubs[random.below(hubs.len())]]);
                }
                node += 1;
            }
            edges.retain(|[i, j]| i != j);
            let nodes = labels.len();
            graph(nodes, &edges, noise(nodes, 10, random), labels)
        },
    },
    Family {
        name: "signal spread over many weak features",
        truth: &[FeaturesKind],
        make: |random| {
            let labels = classes(NODES, 2, random);
            let x = Matrix::from_fn(NODES, 100, |row, col| {
                let sign = if col % 2 == 0 { 1.0 } else { -1.0 };
                (random.normal() + 0.25 * sign * f64::from(2 * labels[row] - 1)) as f32
            });
            graph(NODES, &random_edges(NODES, 5 * NODES, random), x, labels)
        },
    },
    Family {
        name: "random labels",
        truth: &[Nothing],
        make: |random| {
            let (labels, other) = (classes(NODES, 3, random), classes(NODES, 4, random));
            let x = clouds(&other, 10, 1.0, random);
            graph(NODES, &homophilous(&other, 0.8, 5 * NODES, random), x, labels)
        },
    },
];

const LINK_FAMILIES: [Family; 8] = [
    Family {
        name: "degree-corrected blocks, noise features",
        truth: &[Structure],
        make: NODE_FAMILIES[0].make,
    },
    Family { name: "geometric, noise features", truth: &[Structure], make: NODE_FAMILIES[1].make },
    Family { name: "small world, noise features", truth: &[Structure], make: NODE_FAMILIES[3].make },
    Family {
        name: "users and items of four tastes, noise features",
        truth: &[Structure],
        make: NODE_FAMILIES[5].make,
    },
    Family { name: "hierarchical blocks, noise features", truth: &[Structure], make: NODE_FAMILIES[6].make },
    Family {
        name: "one-hot ids as features",
        truth: &[Structure],
        make: |random| {
            let labels = classes(NODES, 8, random);
            let edges = homophilous(&labels, 0.9, 8 * NODES, random);
            graph(NODES, &edges, Matrix::from_fn(NODES, NODES, |i, j| f32::from(u8::from(i == j))), labels)
        },
    },
    Family {
        name: "edges inside classes that the features hold",
        truth: &[FeaturesKind, Any, Gnn, Combine],
        make: |random| {
            // Sparse: the structure of four edges a node hardly shows forty classes.
            let labels = classes(NODES, 40, random);
            let x = Matrix::from_fn(NODES, 40, |row, col| {
                (f64::from(u8::from(labels[row] as usize == col)) + 0.05 * random.normal()) as f32
            });
            graph(NODES, &homophilous(&labels, 0.9, 2 * NODES, random), x, labels)
        },
    },
    Family {
        name: "random pairs",
        truth: &[Nothing],
        make: |random| {
            let edges = random_edges(NODES, 5 * NODES, random);
            graph(NODES, &edges, noise(NODES, 10, random), classes(NODES, 2, random))
        },
    },
];

/// The results of independent runs, in order. Each run has one thread, and there are as many at once as cores.
fn in_parallel<T: Send>(count: usize, run: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::new());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores.min(count) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        break;
                    }
                    let result = run(at);
                    found.lock().unwrap().push((at, result));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, result)| result).collect()
}

#[expect(clippy::print_stdout, reason = "a slow test says how far it is")]
fn say(line: &str) {
    println!("{line}");
}

/// The verdict on nodes with these shares of labels for training and validation.
fn nodes(graph: &Graph, train: f64, valid: f64, seed: u64) -> Report {
    let mut params = NodeParams::default();
    (params.seed, params.split.train, params.split.valid) = (Seed(seed), train, valid);
    netinfof::nodes(graph, None, Goal::Probe, &params, &Exec::new(1).unwrap()).unwrap()
}

fn links(graph: &Graph, seed: u64) -> Report {
    let mut params = LinkParams::default();
    params.seed = Seed(seed);
    netinfof::links(graph, None, Goal::Probe, &params, &Exec::new(1).unwrap()).unwrap()
}

/// Two random communities without an edge between them.
fn two_communities(nodes: usize, degree: usize, random: &mut Random) -> Graph {
    let half = nodes / 2;
    let edges: Vec<[u32; 2]> = (0..nodes * degree / 2)
        .map(|at| {
            let first = if at % 2 == 0 { 0 } else { half };
            [0; 2].map(|_| (first + random.below(half)) as u32)
        })
        .filter(|[i, j]| i != j)
        .collect();
    Graph::from_edges("communities", nodes, &edges).unwrap()
}

/// Test AUC of Act on links.
fn link_auc(graph: &Graph, seed: u64) -> f64 {
    let mut params = LinkParams::default();
    params.seed = Seed(seed);
    let report = netinfof::links(graph, None, Goal::Act, &params, &Exec::new(1).unwrap()).unwrap();
    *report.mean.test.get("auc").unwrap()
}

/// The features of a graph with further columns of noise.
fn with_noise(graph: &Graph, columns: usize, random: &mut Random) -> Graph {
    let nodes = graph.nodes();
    let own = graph.features().cols();
    let x = match graph.features() {
        Features::Dense(x) => x.clone(),
        Features::Sparse(x) => x.to_dense(),
        Features::None => Matrix::zeros(nodes, 0),
    };
    let wide = Matrix::from_fn(nodes, own + columns, |row, col| {
        if col < own { x.row(row)[col] } else { random.normal() as f32 }
    });
    graph.clone().with_features(Features::Dense(wide)).unwrap()
}

type Maker = Box<dyn Fn(&mut Random) -> Graph>;

/// What 200 columns of noise cost Act on links: at most two points of AUC on every generated kind, on average over seeds.
#[test]
#[ignore = "slow: eleven kinds of graphs with and without noise on four seeds"]
fn noise_costs_links_little() {
    let mut lines = Vec::new();
    let mut bad = Vec::new();
    let mut kinds: Vec<(String, Maker)> = Vec::new();
    for (nodes, degree) in [(200, 4), (400, 4), (400, 8)] {
        let name = format!("two communities, {nodes} nodes, degree {degree}");
        kinds.push((name, Box::new(move |random| two_communities(nodes, degree, random))));
    }
    for at in [0, 1, 3, 5, 6, 7, 12] {
        let family = &NODE_FAMILIES[at];
        kinds.push((family.name.into(), Box::new(family.make)));
    }
    kinds.push((LINK_FAMILIES[6].name.into(), Box::new(LINK_FAMILIES[6].make)));
    for (name, make) in &kinds {
        let seeds = 4;
        let (mut plain, mut noisy, mut bare) = (0.0, 0.0, 0.0);
        for seed in 0..seeds {
            let mut random = Random::new(3000 + seed);
            let graph = make(&mut random);
            let without = graph.clone().with_features(Features::None).unwrap();
            bare += link_auc(&without, seed) / seeds as f64;
            plain += link_auc(&graph, seed) / seeds as f64;
            noisy += link_auc(&with_noise(&graph, 200, &mut random), seed) / seeds as f64;
        }
        let line =
            format!("{name}: without features {bare:.3}, own features {plain:.3}, with noise {noisy:.3}");
        if plain - noisy > 0.02
            || (name.contains("noise") || name.contains("communities")) && bare - noisy > 0.02
        {
            bad.push(line.clone());
        }
        lines.push(line);
    }
    assert!(bad.is_empty(), "{bad:#?} of {lines:#?}");
}

/// Counts of verdicts.
#[derive(Default)]
struct Tally {
    runs: usize,
    right: usize,
    wrong: Vec<String>,
    lines: Vec<String>,
}

impl Tally {
    fn of(families: &[Family], seeds: usize, judged: impl Fn(&Graph, u64) -> Report + Sync) -> Self {
        let reports = in_parallel(families.len() * seeds, |at| {
            let (family, seed) = (&families[at / seeds], (at % seeds) as u64);
            let graph = (family.make)(&mut Random::new(1000 + seed));
            let report = judged(&graph, seed);
            say(&format!("{} {seed}: {:?}: {}", family.name, report.verdict.kind, report.verdict.reason));
            (report.verdict, report.splits[0].degree_auc)
        });
        let mut tally = Tally { runs: reports.len(), ..Tally::default() };
        for (family, found) in families.iter().zip(reports.chunks(seeds)) {
            for (seed, (verdict, degree_auc)) in found.iter().enumerate() {
                let (kind, reason) = (verdict.kind, &verdict.reason);
                if family.truth.contains(&kind) {
                    tally.right += 1;
                } else if kind != Undecided {
                    tally.wrong.push(format!("{} {seed}: {kind:?} {degree_auc:?}: {reason}", family.name));
                }
            }
            let kinds: Vec<VerdictKind> = found.iter().map(|(verdict, _)| verdict.kind).collect();
            tally.lines.push(format!("{}: {kinds:?}", family.name));
        }
        tally
    }

    fn check(&self) {
        let Tally { runs, right, wrong, lines } = self;
        assert!(wrong.len() * 100 <= *runs, "{} of {runs} confident and wrong: {wrong:#?}", wrong.len());
        assert!(right * 100 >= runs * 95, "{right} of {runs} right: {lines:#?}");
    }
}

#[test]
#[ignore = "slow: sixteen families of nodes on ten seeds"]
fn node_verdicts_are_right_on_the_battery() {
    let tally = Tally::of(&NODE_FAMILIES, 10, |graph, seed| nodes(graph, 0.3, 0.2, seed));
    tally.check();
}

#[test]
#[ignore = "slow: eight families of links on ten seeds"]
fn link_verdicts_are_right_on_the_battery() {
    let tally = Tally::of(&LINK_FAMILIES, 10, links);
    tally.check();
}

/// More labels never turn a right verdict into a wrong one.
#[test]
#[ignore = "slow: six families with 1 to 50 % of the labels on three seeds"]
fn more_labels_do_not_turn_right_verdicts_into_wrong_ones() {
    let mut lines = Vec::new();
    let mut wrong = Vec::new();
    let (places, shares) = ([0, 1, 2, 4, 8, 12], [0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5]);
    let sweeps = in_parallel(3 * places.len(), |at| {
        let seed = (at % 3) as u64;
        let graph = (NODE_FAMILIES[places[at / 3]].make)(&mut Random::new(1000 + seed));
        shares.map(|share| nodes(&graph, 0.6 * share, 0.4 * share, seed).verdict.kind)
    });
    for (number, kinds) in sweeps.iter().enumerate() {
        let (at, seed) = (places[number / 3], number % 3);
        let family = &NODE_FAMILIES[at];
        // With few labels, a table that is averaged over its nearest neighbours predicts better than the table (test accuracies with 1 and 5 %
        // of the labels: 0.83 and 0.93, against 0.74 and 0.92).
        let smoothed = |label: usize, kind: VerdictKind| at == 2 && label < 4 && kind == Gnn;
        let bad = kinds.iter().enumerate().any(|(label, kind)| {
            *kind != Undecided && !family.truth.contains(kind) && !smoothed(label, *kind)
        });
        let line = format!("{} {seed}: {kinds:?}", family.name);
        if bad {
            wrong.push(line.clone());
        }
        lines.push(line);
    }
    assert!(wrong.is_empty(), "{wrong:#?} of {lines:#?}");
}

/// Random labels and random graphs: `nothing` or `undecided` in at least 94 of 100 runs, whatever the features, the number of labels and
/// their balance.
#[test]
#[ignore = "slow: two hundred graphs without a signal"]
fn chance_is_not_a_finding() {
    let of_nodes = in_parallel(100, |at| {
        let seed = at as u64;
        let mut random = Random::new(5000 + seed);
        let count = [34, 60, 150, 400, 1000][at % 5];
        let other = classes(count, 3, &mut random);
        let edges = if at % 2 == 0 {
            homophilous(&other, 0.8, 4 * count, &mut random)
        } else {
            random_edges(count, 3 * count, &mut random)
        };
        let x = match at % 3 {
            0 => noise(count, 1, &mut random),
            1 => clouds(&other, 8, 1.0, &mut random),
            _ => noise(count, 40, &mut random),
        };
        let mut labels: Vec<i32> = match at % 4 {
            0 => (0..count).map(|_| i32::from(random.unit() < 0.1)).collect(),
            _ => classes(count, 2 + at % 3, &mut random),
        };
        // Every class has a few nodes.
        (0..12.min(count)).for_each(|at| labels[at] = at as i32 % 2);
        let made = graph(count, &edges, x, labels);
        let share = [0.5, 0.2, 0.3, 0.1, 0.05][at % 5];
        (count, nodes(&made, 0.6 * share, 0.4 * share, seed).verdict)
    });
    let of_links = in_parallel(100, |at| {
        let seed = at as u64;
        let mut random = Random::new(6000 + seed);
        let count = [60, 150, 400, 1000][at % 4];
        let edges = random_edges(count, (2 + at % 5) * count, &mut random);
        let x = noise(count, [1, 8, 60][at % 3], &mut random);
        let made = graph(count, &edges, x, classes(count, 2, &mut random));
        (count, links(&made, seed).verdict)
    });
    let wrong = [of_nodes, of_links].map(|verdicts| {
        let claims =
            verdicts.into_iter().enumerate().filter(|(_, (_, own))| !matches!(own.kind, Nothing | Undecided));
        claims
            .map(|(seed, (count, own))| format!("{seed}, {count} nodes: {:?}: {}", own.kind, own.reason))
            .collect::<Vec<_>>()
    });
    assert!(wrong.iter().all(|own| own.len() <= 5), "nodes, then links: {wrong:#?}");
}
