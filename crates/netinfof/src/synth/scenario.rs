//! The paper's synthetic scenarios (appendix C.1): it is known whether structure and features carry
//! information.

use std::collections::HashSet;

use super::count;
use crate::component::{self, ComponentParams};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Features, Graph, Pair, ordered};
use crate::matrix::Matrix;
use crate::seed::{Draw, Seed, Stream};
use crate::spec::{ComponentKind, TaskKind};

/// How classes are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Cliques inside a class: homophily.
    Diagonal,
    /// Bipartite cliques between classes 0 and 1, 2 and 3, …: heterophily.
    OffDiagonal,
    /// Any two nodes: the structure carries no information.
    Uniform,
}

/// How features are generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Coin flips: the features carry no information.
    Random,
    /// Singular vectors of random-walk counts.
    Global,
    /// The same, with separate columns for each class, so that nodes of different classes share none.
    Local,
    /// A centre for each class with Gaussian noise around it.
    Centres,
}

/// A scenario: a structure, a content, and their sizes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Scenario {
    /// How classes are joined.
    pub structure: Structure,
    /// How features are generated.
    pub content: Content,
    /// Number of nodes (default 4000).
    pub nodes: usize,
    /// Number of features (default 800).
    pub features: usize,
    /// Number of classes, all of equal size (default 4).
    pub classes: usize,
    /// Share of the pairs inside a class (or between two joined classes) that are edges (default 0.01).
    pub density: f64,
    /// Share of the other pairs of nodes that are edges.
    pub edge_noise: f64,
    /// Global and local features: share of the entries that are replaced by noise. Centres: deviation of the
    /// noise, if the coordinates of the centres have deviation 1.
    pub feature_noise: f64,
    for_nodes: bool,
}

/// A scenario of the paper by name.
pub(super) struct NamedScenario {
    pub(super) name: &'static str,
    for_nodes: bool,
    content: Content,
    structure: Structure,
}

const fn named(name: &'static str, for_nodes: bool, content: Content, structure: Structure) -> NamedScenario {
    NamedScenario { name, for_nodes, content, structure }
}

pub(super) const SCENARIOS: [NamedScenario; 11] = [
    named("random-diagonal", false, Content::Random, Structure::Diagonal),
    named("random-offdiagonal", false, Content::Random, Structure::OffDiagonal),
    named("global-diagonal", false, Content::Global, Structure::Diagonal),
    named("global-offdiagonal", false, Content::Global, Structure::OffDiagonal),
    named("local-diagonal", false, Content::Local, Structure::Diagonal),
    named("local-offdiagonal", false, Content::Local, Structure::OffDiagonal),
    named("useful-uniform", true, Content::Centres, Structure::Uniform),
    named("random-homophily", true, Content::Random, Structure::Diagonal),
    named("random-heterophily", true, Content::Random, Structure::OffDiagonal),
    named("useful-homophily", true, Content::Centres, Structure::Diagonal),
    named("useful-heterophily", true, Content::Centres, Structure::OffDiagonal),
];

/// Deviation of the noise around the centres. The paper does not state it; with this value, useful features
/// on a uniform structure reach its accuracy of 86.7.
const CENTRE_NOISE: f64 = 8.5;
/// Share of the entries of walk features that are replaced by noise.
const ENTRY_NOISE: f64 = 0.002;
/// Size of that noise, as a multiple of the range of the entries, of global and of local features. The paper
/// does not state it; with these values, F alone reaches its scores of 67.0, 71.5 (global) and 75.9, 75.5
/// (local).
const NOISE_SIZE: [f32; 2] = [1.55, 0.65];
/// A node that is in no clique yet is this many times as likely to be drawn.
const UNCOVERED: f64 = 10.0;
/// Number of walks per node for the features.
const WALK_TRIALS: usize = 1000;

impl Scenario {
    /// A scenario of the paper.
    pub fn named(name: &str) -> Option<Self> {
        let found = SCENARIOS.iter().find(|scenario| scenario.name == name)?;
        Some(Scenario {
            structure: found.structure,
            content: found.content,
            nodes: 4000,
            features: 800,
            classes: 4,
            density: 0.01,
            edge_noise: match found.structure {
                Structure::Diagonal => 0.0002,
                Structure::OffDiagonal => 0.0001,
                Structure::Uniform => 0.0,
            },
            feature_noise: match found.content {
                Content::Centres => CENTRE_NOISE,
                _ => ENTRY_NOISE,
            },
            for_nodes: found.for_nodes,
        })
    }

    pub(super) fn keys(&self) -> &'static [&'static str] {
        match (self.structure, self.content) {
            (Structure::Uniform, _) => &["nodes", "features", "classes", "density", "feature_noise"],
            (_, Content::Random) => &["nodes", "features", "classes", "density", "edge_noise"],
            _ => &["nodes", "features", "classes", "density", "edge_noise", "feature_noise"],
        }
    }

    pub(super) fn task(&self) -> TaskKind {
        if self.for_nodes { TaskKind::Nodes } else { TaskKind::Links }
    }

    /// The components that carry information about the task. Propagated features carry information if
    /// features or structure do: propagated random features are a sketch of the structure, and two steps also
    /// lead back to the start.
    pub(super) fn informative(&self) -> Vec<ComponentKind> {
        let structure = self.structure != Structure::Uniform;
        let features = self.content != Content::Random;
        let told = |kind: &ComponentKind| match kind {
            ComponentKind::U | ComponentKind::R => structure,
            ComponentKind::F => features,
            _ => structure || features,
        };
        ComponentKind::PAPER.into_iter().filter(told).collect()
    }

    fn validate(&self) -> Result<()> {
        if self.classes < 2 || (self.structure == Structure::OffDiagonal && !self.classes.is_multiple_of(2)) {
            let need =
                "at least 2; an even number if classes are joined in pairs (off-diagonal, heterophily)";
            return Err(Error::param("classes", self.classes, need));
        }
        if self.nodes / self.classes < 2 * LARGEST || self.nodes > 1_000_000 {
            let need = format!("at least {} per class, at most 1000000", 2 * LARGEST);
            return Err(Error::param("nodes", self.nodes, need));
        }
        if self.features < self.classes || self.features > 100_000 {
            return Err(Error::param("features", self.features, "at least 1 per class, at most 100000"));
        }
        // Cliques overlap more and more when many pairs are already edges; above one half generation would
        // not end.
        if !(self.density > 0.0 && self.density <= 0.5) {
            return Err(Error::param("density", self.density, "above 0, at most 0.5"));
        }
        let edges =
            (self.density / self.classes as f64 + self.edge_noise) * (self.nodes as f64).powi(2) / 2.0;
        if edges > MOST_EDGES || (self.nodes * self.features) as f64 > MOST_ENTRIES {
            let need = "at most 2e7 edges and 5e8 feature entries in total; `large` supports more";
            return Err(Error::param("nodes", self.nodes, need));
        }
        if self.edge_noise > 0.5 {
            return Err(Error::param("edge_noise", self.edge_noise, "0 to 0.5"));
        }
        if self.content != Content::Centres && self.feature_noise > 1.0 {
            return Err(Error::param("feature_noise", self.feature_noise, "a share of the entries, 0 to 1"));
        }
        if self.feature_noise > 1e6 {
            return Err(Error::param("feature_noise", self.feature_noise, "a deviation of at most 1e6"));
        }
        Ok(())
    }
}

/// Maximum numbers of edges and feature entries: both are in memory during generation.
const MOST_EDGES: f64 = 2e7;
const MOST_ENTRIES: f64 = 5e8;

/// Minimum and maximum number of nodes on one side of a clique.
const SMALLEST: usize = 4;
const LARGEST: usize = 8;

/// Generates a scenario. Node ids carry no meaning: they are shuffled.
pub fn scenario(shape: &Scenario, seed: Seed, exec: &Exec) -> Result<Graph> {
    shape.validate()?;
    let mut draw = seed.stream(Stream::Synth, 0);
    let mut order: Vec<u32> = (0..count(shape.nodes)).collect();
    draw.shuffle(&mut order);
    // The nodes of every class, by their final ids.
    let members: Vec<&[u32]> = (0..shape.classes)
        .map(|c| &order[c * shape.nodes / shape.classes..(c + 1) * shape.nodes / shape.classes])
        .collect();
    let edges = edges(shape, &members, &mut draw, exec)?;
    let graph = Graph::from_edges("scenario", shape.nodes, &edges)?;
    let mut labels = vec![0; shape.nodes];
    for (class, nodes) in (0..).zip(&members) {
        nodes.iter().for_each(|&node| labels[node as usize] = class);
    }
    let features = features(shape, &graph, &labels, &mut draw, exec)?;
    graph.with_features(Features::Dense(features))?.with_labels(labels)
}

fn edges(shape: &Scenario, members: &[&[u32]], draw: &mut Draw, exec: &Exec) -> Result<Vec<Pair>> {
    let mut edges = HashSet::new();
    let all = |a: &[u32], b: &[u32]| (a.len() * b.len()) as f64;
    match shape.structure {
        Structure::Uniform => {
            // As many edges as in the other structures.
            let wanted = members.iter().map(|m| shape.density * all(m, m) / 2.0).sum::<f64>() as usize;
            while edges.len() < wanted {
                let [i, j] = [draw.below(count(shape.nodes)), draw.below(count(shape.nodes))];
                if i != j {
                    edges.insert(ordered([i, j]));
                }
                exec.check()?;
            }
        }
        Structure::Diagonal => {
            for nodes in members {
                let mut pool = Pool::new(nodes);
                let wanted = edges.len() + (shape.density * all(nodes, nodes) / 2.0) as usize;
                while edges.len() < wanted || pool.uncovered > 0 {
                    let clique = pool.draw(draw);
                    for (at, &i) in clique.iter().enumerate() {
                        edges.extend(clique[..at].iter().map(|&j| ordered([i, j])));
                    }
                    exec.check()?;
                }
            }
        }
        Structure::OffDiagonal => {
            for two in members.chunks_exact(2) {
                let (mut left, mut right) = (Pool::new(two[0]), Pool::new(two[1]));
                let wanted = edges.len() + (shape.density * all(two[0], two[1])) as usize;
                while edges.len() < wanted || left.uncovered + right.uncovered > 0 {
                    let (a, b) = (left.draw(draw), right.draw(draw));
                    edges.extend(a.iter().flat_map(|&i| b.iter().map(move |&j| ordered([i, j]))));
                    exec.check()?;
                }
            }
        }
    }
    // Noise where the scenario has no planted edges.
    for (a, left) in members.iter().enumerate() {
        for (b, right) in members.iter().enumerate().skip(a) {
            let own = match shape.structure {
                Structure::Uniform => true,
                Structure::Diagonal => a == b,
                Structure::OffDiagonal => a / 2 == b / 2 && a != b,
            };
            if own {
                continue;
            }
            let pairs = all(left, right) / if a == b { 2.0 } else { 1.0 };
            for _ in 0..(shape.edge_noise * pairs).round() as usize {
                let i = left[draw.below(count(left.len())) as usize];
                let j = right[draw.below(count(right.len())) as usize];
                if i != j {
                    edges.insert(ordered([i, j]));
                }
            }
        }
    }
    // The iteration order of a set is not deterministic.
    let mut edges: Vec<Pair> = edges.into_iter().collect();
    edges.sort_unstable();
    Ok(edges)
}

/// Nodes of a class, and which of them are in a clique already.
struct Pool<'a> {
    nodes: &'a [u32],
    covered: Vec<bool>,
    uncovered: usize,
}

impl<'a> Pool<'a> {
    fn new(nodes: &'a [u32]) -> Self {
        Pool { nodes, covered: vec![false; nodes.len()], uncovered: nodes.len() }
    }

    /// The members of one side of a clique, all different.
    fn draw(&mut self, draw: &mut Draw) -> Vec<u32> {
        let size = SMALLEST + draw.below(count(LARGEST - SMALLEST + 1)) as usize;
        let mut places: Vec<usize> = Vec::with_capacity(size);
        while places.len() < size {
            let place = draw.below(count(self.nodes.len())) as usize;
            let kept = !self.covered[place] || self.uncovered == 0 || draw.unit() < 1.0 / UNCOVERED;
            if kept && !places.contains(&place) {
                places.push(place);
            }
        }
        for &place in &places {
            self.uncovered -= usize::from(!self.covered[place]);
            self.covered[place] = true;
        }
        places.iter().map(|&place| self.nodes[place]).collect()
    }
}

fn features(shape: &Scenario, graph: &Graph, labels: &[i32], draw: &mut Draw, exec: &Exec) -> Result<Matrix> {
    let (nodes, columns) = (shape.nodes, shape.features);
    match shape.content {
        Content::Random => {
            let mut coins = Matrix::zeros(nodes, columns);
            for chunk in coins.as_mut_slice().chunks_mut(64) {
                let bits = draw.bits();
                chunk.iter_mut().enumerate().for_each(|(at, v)| *v = ((bits >> at) & 1) as f32);
            }
            Ok(coins)
        }
        Content::Centres => {
            let centres = Matrix::from_fn(shape.classes, columns, |_, _| draw.normal() as f32);
            Ok(Matrix::from_fn(nodes, columns, |node, column| {
                centres.row(labels[node] as usize)[column] + (shape.feature_noise * draw.normal()) as f32
            }))
        }
        Content::Global | Content::Local => {
            let slices = if shape.content == Content::Local { shape.classes } else { 1 };
            let width = columns / slices;
            // Separate random streams: with the run's seed the walks would equal those of component R.
            let params = ComponentParams {
                kinds: vec![ComponentKind::R],
                dim: width.min(nodes),
                walk_trials: WALK_TRIALS,
                ..ComponentParams::default()
            };
            let seed = Seed(draw.bits());
            let walks = component::build(graph.adjacency(), &Features::None, &params, seed, exec)?;
            let walks = &walks[0].embedding;
            let most =
                |fold: fn(f32, f32) -> f32| walks.as_slice().iter().copied().reduce(fold).unwrap_or(0.0);
            let low = most(f32::min);
            let noise = NOISE_SIZE[usize::from(slices > 1)] * (most(f32::max) - low);
            let mut x = Matrix::zeros(nodes, columns);
            for (node, &class) in labels.iter().enumerate() {
                let start = (class as usize % slices) * width;
                let own = &mut x.row_mut(node)[start..start + walks.cols()];
                own.iter_mut().zip(walks.row(node)).for_each(|(x, walk)| *x = walk - low);
            }
            for _ in 0..(shape.feature_noise * (nodes * columns) as f64).round() as usize {
                let [node, column] = [nodes, columns].map(|bound| draw.below(count(bound)) as usize);
                x.row_mut(node)[column] = draw.unit() as f32 * noise;
            }
            Ok(x)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(name: &str) -> Scenario {
        Scenario { nodes: 800, features: 160, density: 0.05, ..Scenario::named(name).unwrap() }
    }

    fn blocks(graph: &Graph) -> [[usize; 4]; 4] {
        let mut found = [[0; 4]; 4];
        let labels = graph.labels().unwrap();
        for edge in graph.edges() {
            let [a, b] = edge.map(|end| labels[end as usize] as usize);
            found[a.min(b)][a.max(b)] += 1;
        }
        found
    }

    #[test]
    fn edges_lie_where_the_scenario_says() {
        let exec = Exec::new(1).unwrap();
        let full = |name| scenario(&Scenario::named(name).unwrap(), Seed(3), &exec).unwrap();
        let diagonal = blocks(&full("random-diagonal"));
        let off = blocks(&full("random-offdiagonal"));
        // Outside the planted blocks there is only noise, with a few pairs drawn twice.
        let noise = |found: usize, wanted: usize| found <= wanted && found + 5 >= wanted;
        for a in 0..4 {
            for b in a..4 {
                let found = diagonal[a][b];
                // Cliques are added to a class until its density is reached and all its nodes are covered.
                let good = if a == b { (5000..6500).contains(&found) } else { noise(found, 200) };
                assert!(good, "{a} {b}: {found}");
                let (found, joined) = (off[a][b], (a, b) == (0, 1) || (a, b) == (2, 3));
                let wanted = if a == b { 50 } else { 100 };
                assert!(
                    if joined { (10_000..13_000).contains(&found) } else { noise(found, wanted) },
                    "{a} {b}: {found}"
                );
            }
        }
        let uniform = full("useful-uniform");
        assert_eq!(uniform.edge_count(), 20_000);
        assert!((uniform.facts().edge_homophily.unwrap() - 0.25).abs() < 0.02);
        // Every node is in a clique, so it has at least three neighbours.
        let least = |graph: &Graph| (0..graph.nodes()).map(|node| graph.degree(node)).min().unwrap();
        assert!(least(&full("random-diagonal")) >= SMALLEST - 1);
        assert!(least(&full("random-offdiagonal")) >= SMALLEST);
    }

    #[test]
    fn nodes_are_in_triangles_or_in_squares() {
        let exec = Exec::new(1).unwrap();
        let triangles = |name| {
            let graph = scenario(&small(name), Seed(1), &exec).unwrap();
            let a = graph.adjacency();
            let common =
                |[i, j]: Pair| a.row(i as usize).iter().filter(|&&k| a.contains(j, k)).count() as f64;
            graph.edges().into_iter().map(common).sum::<f64>() / graph.edge_count() as f64
        };
        assert!(triangles("random-diagonal") > 3.0);
        assert!(triangles("random-offdiagonal") < 0.2);
    }

    #[test]
    fn ids_carry_no_meaning() {
        let exec = Exec::new(1).unwrap();
        let graph = scenario(&small("random-diagonal"), Seed(0), &exec).unwrap();
        let labels = graph.labels().unwrap();
        let same = labels.windows(2).filter(|two| two[0] == two[1]).count();
        assert!((same as f64 / 799.0 - 0.25).abs() < 0.06, "{same}");
    }

    #[test]
    fn local_features_share_no_columns_across_classes() {
        let exec = Exec::new(1).unwrap();
        let shape = Scenario { feature_noise: 0.0, ..small("local-diagonal") };
        let graph = scenario(&shape, Seed(0), &exec).unwrap();
        let Features::Dense(x) = graph.features() else { panic!("dense") };
        for (node, &class) in graph.labels().unwrap().iter().enumerate() {
            let used = |slice: usize| x.row(node)[slice * 40..(slice + 1) * 40].iter().any(|&v| v != 0.0);
            assert!((0..4).all(|slice| used(slice) == (slice == class as usize)));
        }
        let global = scenario(&small("global-diagonal"), Seed(0), &exec).unwrap();
        let Features::Dense(x) = global.features() else { panic!("dense") };
        assert!(x.as_slice().iter().all(|&v| v >= 0.0) && global.features().density() > 0.99);
    }

    #[test]
    fn centres_are_told_apart_by_their_means() {
        let exec = Exec::new(1).unwrap();
        let graph = scenario(&small("useful-homophily"), Seed(0), &exec).unwrap();
        let Features::Dense(x) = graph.features() else { panic!("dense") };
        let labels = graph.labels().unwrap();
        let mean = |class: i32, column: usize| {
            let own: Vec<f64> =
                (0..800).filter(|&n| labels[n] == class).map(|n| f64::from(x.row(n)[column])).collect();
            own.iter().sum::<f64>() / own.len() as f64
        };
        // Means of 200 draws: the centres' variance 1 plus that of the noise over 200.
        let spread = (0..160).map(|c| mean(0, c).powi(2)).sum::<f64>() / 160.0;
        let expected = 1.0 + CENTRE_NOISE.powi(2) / 200.0;
        assert!((spread / expected - 1.0).abs() < 0.3, "{spread} {expected}");
    }

    #[test]
    fn impossible_shapes_are_refused() {
        let exec = Exec::new(1).unwrap();
        let fault = |shape: Scenario| scenario(&shape, Seed(0), &exec).unwrap_err().to_string();
        assert!(fault(Scenario { classes: 3, ..small("random-offdiagonal") }).contains("even number"));
        assert!(fault(Scenario { nodes: 40, ..small("random-diagonal") }).contains("at least 16 per class"));
        assert!(fault(Scenario { density: 0.9, ..small("random-diagonal") }).contains("at most 0.5"));
        assert!(fault(Scenario { features: 2, ..small("random-diagonal") }).contains("at least 1 per class"));
        assert!(fault(Scenario { feature_noise: 2.0, ..small("local-diagonal") }).contains("share"));
    }
}
