//! Large graphs for scale work: planted communities, power-law degrees, words with a chosen signal.
//!
//! Edges are never listed. Every node draws its edges from its own random stream, twice: once to count
//! degrees, once to fill the adjacency. So the peak memory is that of the finished graph, and the graph does
//! not depend on threads.

use std::sync::atomic::{AtomicU32, Ordering};

use super::count;
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, Features, Graph};
use crate::seed::{Draw, Seed, Stream};
use crate::spec::ComponentKind;

/// Shape of a large graph.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Large {
    /// Number of nodes (default 100 000).
    pub nodes: usize,
    /// Target mean degree; duplicate edges are dropped, so the result is slightly lower (default 20).
    pub degree: f64,
    /// Number of communities; 0 means one per 100 nodes (default 0). The label is the community's number
    /// modulo 16.
    pub communities: usize,
    /// Share of the edges that leave the community (default 0.2).
    pub mixing: f64,
    /// Number of feature columns (default 256); 0 means no features.
    pub features: usize,
    /// Number of words per node (default 8).
    pub words: usize,
    /// Share of the words that depend on the community (default 0.5).
    pub signal: f64,
}

impl Default for Large {
    fn default() -> Self {
        Large {
            nodes: 100_000,
            degree: 20.0,
            communities: 0,
            mixing: 0.2,
            features: 256,
            words: 8,
            signal: 0.5,
        }
    }
}

/// Number of labels of a large graph.
const CLASSES: usize = 16;
/// Number of words per community.
const TOPIC: u32 = 16;
/// Nodes per task.
const BLOCK: usize = 4096;

impl Large {
    pub(super) fn informative(&self) -> Vec<ComponentKind> {
        // Without communities only degrees carry information, and words depend on communities.
        let features = self.features > 0 && self.signal > 0.0 && self.mixing < 1.0;
        let told = |kind: &ComponentKind| features || *kind != ComponentKind::F;
        ComponentKind::PAPER.into_iter().filter(told).collect()
    }

    fn communities(&self) -> usize {
        if self.communities == 0 { (self.nodes / 100).max(2) } else { self.communities }
    }

    fn validate(&self) -> Result<()> {
        if !(100..=200_000_000).contains(&self.nodes) {
            return Err(Error::param("nodes", self.nodes, "100 to 200000000"));
        }
        let edges = self.degree / 2.0 * self.nodes as f64;
        if !(1.0..=1000.0).contains(&self.degree) || edges > 1e9 {
            return Err(Error::param("degree", self.degree, "1 to 1000, with at most 10^9 edges in total"));
        }
        if self.communities() < 2 || self.communities() * 10 > self.nodes {
            return Err(Error::param(
                "communities",
                self.communities(),
                "at least 2, with at least 10 nodes each",
            ));
        }
        for (name, share) in [("mixing", self.mixing), ("signal", self.signal)] {
            if !(0.0..=1.0).contains(&share) {
                return Err(Error::param(name, share, "0 to 1"));
            }
        }
        if self.features > 65_536 {
            return Err(Error::param("features", self.features, "at most 65536"));
        }
        if self.features > 0 && !(1..=self.features).contains(&self.words) {
            return Err(Error::param("words", self.words, "at least 1, at most as many as features"));
        }
        Ok(())
    }
}

/// Generates a large graph with little memory beyond the graph itself.
pub fn large(shape: &Large, seed: Seed, exec: &Exec) -> Result<Graph> {
    shape.validate()?;
    let nodes = count(shape.nodes);
    let plan = Plan::new(shape, seed);
    let blocks = shape.nodes.div_ceil(BLOCK);
    exec.stage("generate", 2 * blocks, || {
        let degrees: Vec<AtomicU32> = (0..nodes).map(|_| AtomicU32::new(0)).collect();
        plan.edges(exec, |i, j| {
            degrees[i as usize].fetch_add(1, Ordering::Relaxed);
            degrees[j as usize].fetch_add(1, Ordering::Relaxed);
        })?;
        let mut indptr = Vec::with_capacity(shape.nodes + 1);
        indptr.push(0usize);
        for degree in &degrees {
            indptr.push(indptr.last().expect("not empty") + degree.load(Ordering::Relaxed) as usize);
        }
        // Filled from the back: the remaining degree is the next free position. The position of an edge
        // depends on threads; sorting removes that dependence.
        let entries: Vec<AtomicU32> =
            (0..*indptr.last().expect("not empty")).map(|_| AtomicU32::new(0)).collect();
        let place = |row: u32, column: u32| {
            let left = degrees[row as usize].fetch_sub(1, Ordering::Relaxed) as usize;
            entries[indptr[row as usize] + left - 1].store(column, Ordering::Relaxed);
        };
        plan.edges(exec, |i, j| {
            place(i, j);
            place(j, i);
        })?;
        drop(degrees);
        let mut indices: Vec<u32> = entries.into_iter().map(AtomicU32::into_inner).collect();
        // Sorted rows without duplicates, compacted in place.
        let mut kept = 0;
        for row in 0..shape.nodes {
            let own = indptr[row]..indptr[row + 1];
            indices[own.clone()].sort_unstable();
            indptr[row] = kept;
            for at in own {
                if kept == indptr[row] || indices[kept - 1] != indices[at] {
                    indices[kept] = indices[at];
                    kept += 1;
                }
            }
        }
        let drawn = indices.len() / 2;
        indptr[shape.nodes] = kept;
        indices.truncate(kept);
        indices.shrink_to_fit();
        let graph =
            Graph::from_pattern("large", Csr::pattern(shape.nodes, indptr, indices), drawn - kept / 2);
        let labels = (0..nodes)
            .map(|node| i32::try_from(plan.community(node) as usize % CLASSES).expect("few classes"));
        let graph = graph.with_labels(labels.collect())?;
        if shape.features == 0 {
            return Ok(graph);
        }
        graph.with_features(Features::Sparse(plan.words(exec)))
    })
}

/// Assignment of nodes to communities. Positions number the nodes community by community, most popular first;
/// ids are shuffled positions.
struct Plan<'a> {
    shape: &'a Large,
    seed: Seed,
    communities: u32,
    id_of: Vec<u32>,
    place_of: Vec<u32>,
}

impl<'a> Plan<'a> {
    fn new(shape: &'a Large, seed: Seed) -> Self {
        let mut id_of: Vec<u32> = (0..count(shape.nodes)).collect();
        seed.stream(Stream::Synth, 0).shuffle(&mut id_of);
        let mut place_of = vec![0; shape.nodes];
        for (place, &id) in (0..).zip(&id_of) {
            place_of[id as usize] = place;
        }
        Plan { shape, seed, communities: count(shape.communities()), id_of, place_of }
    }

    /// First position of a community; community sizes differ by at most one node.
    fn start(&self, community: u32) -> u32 {
        (u64::from(community) * self.shape.nodes as u64 / u64::from(self.communities)) as u32
    }

    fn community_of_place(&self, place: u32) -> u32 {
        let guess = u64::from(place) * u64::from(self.communities) / self.shape.nodes as u64;
        // Rounding may put the guess one too low.
        let guess = guess as u32;
        if guess + 1 < self.communities && self.start(guess + 1) <= place { guess + 1 } else { guess }
    }

    fn community(&self, id: u32) -> u32 {
        self.community_of_place(self.place_of[id as usize])
    }

    /// A node of a community, by its rank there; beyond the last, the last.
    fn member(&self, community: u32, rank: u32) -> u32 {
        let (start, end) = (self.start(community), self.start(community + 1));
        self.id_of[(start + rank.min(end - start - 1)) as usize]
    }

    /// A popular node of a community.
    fn near(&self, community: u32, draw: &mut Draw) -> u32 {
        let size = self.start(community + 1) - self.start(community);
        self.member(community, popular(size, draw))
    }

    /// A popular node of the whole graph: the first of every community, then the second of every one, ….
    fn far(&self, draw: &mut Draw) -> u32 {
        let rank = popular(count(self.shape.nodes), draw);
        self.member(rank % self.communities, rank / self.communities)
    }

    /// Draws all edges, block by block, the same every time.
    fn edges(&self, exec: &Exec, each: impl Fn(u32, u32) + Sync) -> Result<()> {
        let done = exec.map_blocks(self.shape.nodes, BLOCK, |range| {
            let mut draw = self.seed.stream(Stream::Synth, 1 + (range.start / BLOCK) as u64);
            for place in range {
                let community = self.community_of_place(count(place));
                // Half of the ends are distributed evenly, so that no node is isolated. Popular nodes get the
                // other half.
                let own = self.shape.degree / 2.0;
                let edges = own.floor() as usize + usize::from(draw.unit() < own.fract());
                for _ in 0..edges {
                    let leaves = draw.unit() < self.shape.mixing;
                    let j = if leaves { self.far(&mut draw) } else { self.near(community, &mut draw) };
                    let i = self.id_of[place];
                    if i != j {
                        each(i, j);
                    }
                }
            }
            exec.step()
        });
        done.into_iter().collect()
    }

    /// Words of every node: those of its community with the given share, random words otherwise.
    fn words(&self, exec: &Exec) -> Csr {
        let columns = count(self.shape.features);
        let topic = |community: u32, draw: &mut Draw| {
            // Neighbouring communities have different topics; the odd factor spreads them over the columns.
            let first = (u64::from(community) * 0x9E37_79B1) % u64::from(columns);
            ((first + u64::from(draw.below(TOPIC.min(columns)))) % u64::from(columns)) as u32
        };
        let blocks = exec.map_blocks(self.shape.nodes, BLOCK, |range| {
            let mut draw = self.seed.stream(Stream::Synth, (1 << 40) + (range.start / BLOCK) as u64);
            let (mut ends, mut all) = (Vec::with_capacity(range.len()), Vec::new());
            let mut words = Vec::with_capacity(self.shape.words);
            for node in range {
                let community = self.community(count(node));
                words.clear();
                words.extend((0..self.shape.words).map(|_| {
                    if draw.unit() < self.shape.signal {
                        topic(community, &mut draw)
                    } else {
                        draw.below(columns)
                    }
                }));
                words.sort_unstable();
                words.dedup();
                all.extend_from_slice(&words);
                ends.push(all.len());
            }
            (ends, all)
        });
        let (mut indptr, mut indices) = (vec![0], Vec::new());
        for (ends, words) in blocks {
            let before = indices.len();
            indptr.extend(ends.iter().map(|end| before + end));
            indices.extend(words);
        }
        Csr::pattern(self.shape.features, indptr, indices)
    }
}

/// A rank below `size`. The square of a uniform number gives the r-th a probability proportional to 1/√r, so
/// that the distribution of degrees falls with exponent 3.
fn popular(size: u32, draw: &mut Draw) -> u32 {
    ((f64::from(size) * draw.unit().powi(2)) as u32).min(size - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(shape: &Large, threads: usize) -> Graph {
        large(shape, Seed(5), &Exec::new(threads).unwrap()).unwrap()
    }

    #[test]
    fn same_graph_for_any_number_of_threads() {
        let shape = Large { nodes: 20_000, ..Large::default() };
        let (one, four) = (made(&shape, 1), made(&shape, 4));
        assert_eq!(one.adjacency(), four.adjacency());
        assert_eq!((one.features(), one.labels()), (four.features(), four.labels()));
    }

    #[test]
    fn shape_is_as_asked() {
        let graph = made(&Large { nodes: 20_000, degree: 10.0, ..Large::default() }, 2);
        let facts = graph.facts();
        assert!((9.0..=10.0).contains(&facts.mean_degree), "{}", facts.mean_degree);
        assert_eq!((facts.isolated, facts.features, facts.classes), (0, 256, 16));
        // Symmetric and simple.
        let a = graph.adjacency();
        for node in 0..graph.nodes() {
            let row = a.row(node);
            assert!(row.windows(2).all(|two| two[0] < two[1]));
            assert!(row.iter().all(|&other| other as usize != node && a.contains(other, node as u32)));
        }
        assert!(facts.max_degree > 8 * facts.median_degree, "{facts:?}");
    }

    #[test]
    fn degrees_fall_with_exponent_three() {
        // With one community: every node draws 5 edges, the r-th gets about 790 / √r more.
        let graph = made(&Large { nodes: 100_000, degree: 10.0, mixing: 1.0, ..Large::default() }, 2);
        let above =
            |bound: usize| (0..graph.nodes()).filter(|&n| graph.degree(n) >= 5 + bound).count() as f64;
        for bound in [40, 80] {
            let expected = (790.0 / bound as f64).powi(2);
            assert!((above(bound) / expected - 1.0).abs() < 0.15, "{bound}: {} {expected}", above(bound));
        }
    }

    #[test]
    fn communities_hold_their_edges_and_their_words() {
        let shape = Large { nodes: 10_000, communities: 10, ..Large::default() };
        let graph = made(&shape, 2);
        // Ten communities have ten labels; a tenth of the edges that leave a community end in the same one.
        let homophily = graph.facts().edge_homophily.unwrap();
        assert!((homophily - 0.82).abs() < 0.02, "{homophily}");
        let Features::Sparse(x) = graph.features() else { panic!("sparse") };
        let labels = graph.labels().unwrap();
        let mut used = vec![[0u32; 256]; 10];
        for node in 0..10_000 {
            x.row(node).iter().for_each(|&word| used[labels[node] as usize][word as usize] += 1);
        }
        for words in used {
            let all: u32 = words.iter().sum();
            let mut sorted = words.to_vec();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let top: u32 = sorted[..16].iter().sum();
            assert!(f64::from(top) / f64::from(all) > 0.4, "{top} of {all}");
        }
        let plain = made(&Large { features: 0, words: 0, ..shape }, 1);
        assert_eq!(plain.features(), &Features::None);
    }

    #[test]
    fn places_and_communities_agree() {
        let shape = Large { nodes: 1003, communities: 7, ..Large::default() };
        let plan = Plan::new(&shape, Seed(0));
        for community in 0..7 {
            for place in plan.start(community)..plan.start(community + 1) {
                assert_eq!(plan.community_of_place(place), community, "{place}");
            }
        }
    }

    #[test]
    fn impossible_shapes_are_refused() {
        let exec = Exec::new(1).unwrap();
        let fault = |shape: Large| large(&shape, Seed(0), &exec).unwrap_err().to_string();
        assert!(fault(Large { nodes: 5, ..Large::default() }).contains("100 to"));
        assert!(fault(Large { degree: 0.0, ..Large::default() }).contains("1 to 1000"));
        assert!(fault(Large { communities: 90_000, ..Large::default() }).contains("10 nodes"));
        assert!(fault(Large { mixing: 2.0, ..Large::default() }).contains("0 to 1"));
        assert!(fault(Large { features: 3, ..Large::default() }).contains("as many as features"));
    }
}
