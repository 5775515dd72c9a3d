//! The two sides of a bipartite graph: which node is on which side, and how that is found.
//!
//! Every edge of a bipartite graph joins the two sides, so a pair inside one side is no candidate for an edge.
//! Sides are stated by the caller or by the reader of a file, or derived from the structure. The structure is
//! evidence only where there are cycles: each cycle of a graph that is not bipartite has an even length with a
//! probability of about one half, so a graph of [`FEWEST_CYCLES`] independent even cycles is not one by chance.
//! A tree always has two sides, which shows nothing.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Csr, Graph, NodeId, Pair, ordered};
use crate::error::{Error, Result};
use crate::exec::Exec;

/// Independent even cycles from which the structure alone shows that a graph is bipartite.
const FEWEST_CYCLES: usize = 20;
/// Share of the edges that must lie in one connected part: sides of separate parts do not depend on each other.
const CONNECTED: f64 = 0.9;

/// The source of the sides of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SidesOrigin {
    /// The caller, or the file that the graph comes from.
    Given,
    /// The structure of the graph.
    Structure,
}

/// The two sides of a bipartite graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// Whether a node is on the second side.
    second: Vec<bool>,
    /// The nodes of each side, ascending.
    nodes: [Vec<NodeId>; 2],
    names: [String; 2],
    /// Whether the ids of the graph begin with the name of their side, because ids of the two sides overlap.
    qualified: bool,
    origin: SidesOrigin,
    /// Whether the sides are the two roles of the nodes of a directed graph.
    roles: bool,
}

impl Sides {
    /// The sides, by node: whether it is on the second side. They are called `user` and `item` until they are
    /// named.
    pub fn new(second: Vec<bool>) -> Self {
        let of = |side: bool| (0..).zip(&second).filter(|own| *own.1 == side).map(|own| own.0).collect();
        let nodes = [of(false), of(true)];
        let names = ["user", "item"].map(String::from);
        Sides { second, nodes, names, qualified: false, origin: SidesOrigin::Given, roles: false }
    }

    /// Names the sides.
    #[must_use]
    pub fn named(mut self, names: [String; 2]) -> Self {
        self.names = names;
        self
    }

    /// Declares that the ids of the graph are written as `SIDE:ID`.
    #[must_use]
    pub fn with_qualified_ids(mut self, qualified: bool) -> Self {
        self.qualified = qualified;
        self
    }

    /// Declares that the sides are the two roles of the nodes of a directed graph: all nodes as sources, then the
    /// same nodes as targets.
    #[must_use]
    pub(super) fn into_roles(self) -> Self {
        self.of_roles().expect("every node has both roles")
    }

    /// The same for sides that were saved; `None` if there are not as many targets as sources, or they do not follow
    /// them.
    pub fn of_roles(mut self) -> Option<Self> {
        let count = self.nodes[0].len();
        self.roles = true;
        (count == self.nodes[1].len() && self.second[count..].iter().all(|&second| second)).then_some(self)
    }

    /// Whether the sides are the roles of the nodes of a directed graph.
    pub fn are_roles(&self) -> bool {
        self.roles
    }

    /// The same node in its other role, in a directed graph.
    pub fn twin(&self, node: NodeId) -> Option<NodeId> {
        let count = self.nodes[0].len() as NodeId;
        self.roles.then(|| if node < count { node + count } else { node - count })
    }

    /// The side of a node: 0 or 1.
    pub fn of(&self, node: NodeId) -> usize {
        // Context nodes, which follow the others, are on no side; callers that see them treat them as the first.
        usize::from(self.second.get(node as usize).is_some_and(|&second| second))
    }

    /// Whether a pair joins the two sides, and in a directed graph two different nodes.
    pub fn across(&self, [i, j]: Pair) -> bool {
        self.of(i) != self.of(j) && !(self.roles && self.twin(i) == Some(j))
    }

    /// The same pair, with the node of the first side first.
    pub fn oriented(&self, [i, j]: Pair) -> Pair {
        if self.of(i) == 0 { [i, j] } else { [j, i] }
    }

    /// The nodes of a side, ascending.
    pub fn nodes(&self, side: usize) -> &[NodeId] {
        &self.nodes[side]
    }

    /// The nodes that a node can have an edge to.
    pub fn partners(&self, node: NodeId) -> &[NodeId] {
        &self.nodes[1 - self.of(node)]
    }

    /// Number of pairs that join the two sides.
    pub fn pairs(&self) -> usize {
        let loops = if self.roles { self.nodes[0].len() } else { 0 };
        self.nodes[0].len() * self.nodes[1].len() - loops
    }

    /// Names of the two sides.
    pub fn names(&self) -> &[String; 2] {
        &self.names
    }

    /// For every node, whether it is on the second side.
    pub fn second(&self) -> &[bool] {
        &self.second
    }

    /// Whether ids are written as `SIDE:ID`.
    pub fn has_qualified_ids(&self) -> bool {
        self.qualified
    }

    /// How the sides were found.
    pub fn origin(&self) -> SidesOrigin {
        self.origin
    }

    /// The id of a node on this side as the graph writes it.
    pub fn qualified(&self, side: usize, id: &str) -> String {
        if self.qualified { format!("{}:{id}", self.names[side]) } else { id.into() }
    }

    /// The id of a node without the name of its side.
    pub fn plain<'a>(&self, node: NodeId, id: &'a str) -> &'a str {
        let side = &self.names[self.of(node)];
        let rest = id.strip_prefix(side.as_str()).and_then(|rest| rest.strip_prefix(':'));
        rest.filter(|_| self.qualified).unwrap_or(id)
    }

    /// The first of these pairs that lies inside one side.
    pub(crate) fn inside<'a>(&self, pairs: impl IntoIterator<Item = &'a Pair>) -> Option<Pair> {
        pairs.into_iter().copied().find(|&pair| !self.across(pair))
    }
}

/// Whether a graph has sides, as far as it is known.
#[derive(Clone, Debug, Default)]
pub(super) enum KnownSides {
    /// Nothing was stated: the structure decides.
    #[default]
    Unstated,
    /// It was stated that there are none.
    Absent,
    Present(Arc<Sides>),
}

impl Graph {
    /// Declares a bipartite graph. Every edge must join the two sides.
    ///
    /// ```
    /// use netinfof::Graph;
    /// use netinfof::graph::Sides;
    /// // Users 0 and 1, items 2, 3 and 4.
    /// let graph = Graph::from_edges("ratings", 5, &[[0, 2], [0, 3], [1, 4]])?;
    /// let graph = graph.with_sides(Sides::new(vec![false, false, true, true, true]))?;
    /// assert_eq!(graph.sides().unwrap().nodes(1), [2, 3, 4]);
    /// # Ok::<(), netinfof::Error>(())
    /// ```
    pub fn with_sides(mut self, sides: Sides) -> Result<Self> {
        if sides.second.len() != self.nodes() {
            let what = format!("sides of {} nodes, but there are {}", sides.second.len(), self.nodes());
            return Err(Error::InvalidGraph { what });
        }
        let inside = (0..self.nodes() as NodeId).find_map(|node| {
            let row = self.adjacency.row(node as usize);
            row.iter().find(|&&other| !sides.across([node, other])).map(|&other| [node, other])
        });
        if let Some(pair) = inside {
            let [i, j] = pair.map(|node| self.node_name(node as usize));
            let side = &sides.names[sides.of(pair[0])];
            let what = format!(
                "edge ({i}, {j}) lies inside the side `{side}`; edges of a bipartite graph join its two sides"
            );
            return Err(Error::InvalidGraph { what });
        }
        self.sides = KnownSides::Present(Arc::new(sides));
        Ok(self)
    }

    /// Declares that the graph is not bipartite, whatever its structure: all pairs of nodes may be edges.
    #[must_use]
    pub fn without_sides(mut self) -> Self {
        self.sides = KnownSides::Absent;
        self
    }

    /// The sides of a bipartite graph.
    pub fn sides(&self) -> Option<&Sides> {
        self.shared_sides().map(|sides| &**sides)
    }

    pub(crate) fn shared_sides(&self) -> Option<&Arc<Sides>> {
        match &self.sides {
            KnownSides::Present(sides) => Some(sides),
            KnownSides::Unstated | KnownSides::Absent => None,
        }
    }

    /// Declares a bipartite graph whose sides follow from its structure; an error if there is an odd cycle.
    ///
    /// Separate parts of the graph do not determine the sides of each other: the node with the smallest number
    /// of each part that has edges is placed on the first side, and nodes without edges on the larger one.
    pub fn with_structural_sides(self) -> Result<Self> {
        match Colouring::of(&self.adjacency) {
            Ok(colouring) => {
                let sides = colouring.sides(&self.adjacency);
                self.with_sides(sides)
            }
            Err(pair) => {
                let [i, j] = pair.map(|node| self.node_name(node as usize));
                let what = format!("it is not bipartite: edge ({i}, {j}) closes a cycle of odd length");
                Err(Error::InvalidGraph { what })
            }
        }
    }

    /// The sides of a graph for which nothing was stated, if the structure shows them. `O(n + m)`.
    fn detected_sides<'a>(&self, more: impl Iterator<Item = &'a Pair>, exec: &Exec) -> Option<Sides> {
        if !matches!(self.sides, KnownSides::Unstated) {
            return None;
        }
        // The search ends at the first odd cycle, which most graphs have near every node.
        let adjacency = self.adjacency_with(more);
        let colouring = Colouring::of(&adjacency).ok()?;
        let edges = adjacency.nnz() / 2;
        let (part, cycles) = (colouring.largest_edges, colouring.cycles());
        if cycles < FEWEST_CYCLES || (part as f64) < CONNECTED * edges as f64 {
            if edges >= FEWEST_CYCLES {
                exec.notice(
                    "the graph may be bipartite, but it has too few cycles or too many separate parts to show it: all pairs of nodes are candidates; \
                     declare it as bipartite if it has two kinds of nodes",
                );
            }
            return None;
        }
        let sides = colouring.sides(&adjacency);
        if 2 * sides.pairs() < 3 * edges {
            // A few hubs with edges to all others, for example: there would be too few negatives.
            exec.notice(
                "all cycles of the graph have even lengths, but hardly any pair across its two sides is not an edge: it is not treated as bipartite",
            );
            return None;
        }
        exec.notice(format!(
            "the graph is treated as bipartite ({} and {} nodes): all of its {cycles} independent cycles have even lengths; pairs inside one side are \
             no candidates; declare it as not bipartite if they may be edges",
            sides.nodes(0).len(),
            sides.nodes(1).len()
        ));
        Some(sides)
    }

    /// The same graph with the sides that its structure shows, if nothing was stated; with a notice. `more` are
    /// edges of a split that the graph may not contain.
    pub(crate) fn with_sides_of<'a>(
        &self,
        more: impl Iterator<Item = &'a Pair>,
        exec: &Exec,
    ) -> Cow<'_, Graph> {
        // A split with wrong node numbers is reported where it is used.
        let in_range = |pair: &&Pair| pair.iter().all(|&node| (node as usize) < self.nodes());
        let Some(sides) = self.detected_sides(more.filter(in_range), exec) else {
            return Cow::Borrowed(self);
        };
        Cow::Owned(self.clone().with_sides(sides).expect("the colouring has no edge inside a side"))
    }

    /// The same graph with the sides that its structure shows, if nothing was stated; see
    /// [`Graph::with_sides`].
    #[must_use]
    pub fn with_detected_sides(self, exec: &Exec) -> Self {
        let Some(sides) = self.detected_sides(std::iter::empty(), exec) else { return self };
        self.with_sides(sides).expect("the colouring has no edge inside a side")
    }
}

/// A colouring with two colours, part by part.
struct Colouring {
    second: Vec<bool>,
    /// Nodes and edges of the part with most edges.
    largest_nodes: usize,
    largest_edges: usize,
    /// Where that part begins.
    largest_start: NodeId,
    /// For every node, the first node of its part.
    part: Vec<NodeId>,
}

impl Colouring {
    /// Breadth-first search; an edge of an odd cycle if there is one.
    fn of(graph: &Csr) -> std::result::Result<Self, Pair> {
        let n = graph.rows();
        let (mut second, mut part) = (vec![false; n], vec![NodeId::MAX; n]);
        let (mut largest_nodes, mut largest_edges, mut largest_start) = (0, 0, 0);
        let mut queue = std::collections::VecDeque::new();
        for start in 0..n as NodeId {
            if part[start as usize] != NodeId::MAX {
                continue;
            }
            part[start as usize] = start;
            queue.push_back(start);
            let (mut nodes, mut ends) = (0, 0);
            while let Some(node) = queue.pop_front() {
                nodes += 1;
                let row = graph.row(node as usize);
                ends += row.len();
                for &other in row {
                    if part[other as usize] == NodeId::MAX {
                        part[other as usize] = start;
                        second[other as usize] = !second[node as usize];
                        queue.push_back(other);
                    } else if second[other as usize] == second[node as usize] {
                        return Err(ordered([node, other]));
                    }
                }
            }
            if ends / 2 > largest_edges {
                (largest_nodes, largest_edges, largest_start) = (nodes, ends / 2, start);
            }
        }
        Ok(Colouring { second, largest_nodes, largest_edges, largest_start, part })
    }

    /// Independent cycles of the largest part.
    fn cycles(&self) -> usize {
        (self.largest_edges + 1).saturating_sub(self.largest_nodes)
    }

    /// The sides. In lists of users and items, users usually have the smaller numbers: where that holds for
    /// nearly all edges of the largest part, the other parts are placed accordingly.
    fn sides(mut self, graph: &Csr) -> Sides {
        let n = self.second.len();
        // By first node of a part: edges whose smaller end is coloured as the first side, and all edges.
        let mut falling = vec![[0usize; 2]; n];
        for node in 0..n {
            let own = &mut falling[self.part[node] as usize];
            for _ in graph.row(node).iter().filter(|&&other| other as usize > node) {
                own[usize::from(self.second[node])] += 1;
            }
        }
        let [first, second] = falling.get(self.largest_start as usize).copied().unwrap_or_default();
        let flip_largest = second > first;
        let ordered = first.max(second) as f64 >= 0.99 * (first + second) as f64;
        let flips = |part: NodeId| {
            let [first, second] = falling[part as usize];
            if ordered { second > first } else { part == self.largest_start && flip_largest }
        };
        let flipped: Vec<bool> = self.part.iter().map(|&part| flips(part)).collect();
        self.second.iter_mut().zip(flipped).for_each(|(second, flip)| *second ^= flip);
        let isolated = |node: usize| graph.row(node).is_empty();
        let members =
            |side: bool| (0..n).filter(|&node| !isolated(node) && self.second[node] == side).count();
        let larger = members(true) > members(false);
        // Numbers of the first side below all of the second: nodes without edges belong to their range.
        let last_first = (0..n).rfind(|&node| !isolated(node) && !self.second[node]);
        let first_second = (0..n).find(|&node| !isolated(node) && self.second[node]);
        let ranges = last_first.zip(first_second).filter(|(last, first)| last < first);
        for node in (0..n).filter(|&node| isolated(node)) {
            self.second[node] = match ranges {
                Some((last, _)) if node < last => false,
                Some((_, first)) if node > first => true,
                _ => larger,
            };
        }
        // The structure does not show which side is which.
        let names = ["left", "right"].map(String::from);
        Sides { origin: SidesOrigin::Structure, ..Sides::new(self.second).named(names) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Seed, Stream};

    fn random(users: u32, items: u32, count: usize, shuffled: bool) -> Vec<Pair> {
        let mut draw = Seed(1).stream(Stream::Synth, 0);
        let mut numbers: Vec<u32> = (0..users + items).collect();
        if shuffled {
            draw.shuffle(&mut numbers);
        }
        (0..count)
            .map(|_| [numbers[draw.below(users) as usize], numbers[(users + draw.below(items)) as usize]])
            .collect()
    }

    fn detected(nodes: usize, edges: &[Pair]) -> (Option<Sides>, Vec<String>) {
        let exec = Exec::new(1).unwrap();
        let graph = Graph::from_edges("g", nodes, edges).unwrap();
        let found = graph.detected_sides(std::iter::empty(), &exec);
        (found, exec.notices())
    }

    #[test]
    fn cycles_show_sides() {
        for shuffled in [false, true] {
            let edges = random(200, 50, 1500, shuffled);
            let (sides, notices) = detected(250, &edges);
            let sides = sides.unwrap();
            assert!(edges.iter().all(|&edge| sides.across(edge)));
            assert!(notices[0].contains("bipartite"), "{notices:?}");
            let sizes = [0, 1].map(|side| sides.nodes(side).len());
            assert_eq!(sizes.iter().sum::<usize>(), 250);
            if !shuffled {
                assert_eq!(sides.nodes(0), (0..200).collect::<Vec<_>>());
            }
        }
        // One edge inside a side.
        let mut edges = random(200, 50, 1500, false);
        edges.push([0, 1]);
        assert!(detected(250, &edges).0.is_none());
    }

    /// Structures that have two sides by chance.
    #[test]
    fn trees_rings_and_hubs_show_nothing() {
        let path: Vec<Pair> = (0..60).map(|i| [i, i + 1]).collect();
        let ring: Vec<Pair> = (0..60).map(|i| [i, (i + 1) % 60]).collect();
        let star: Vec<Pair> = (1..60).map(|i| [0, i]).collect();
        let tree: Vec<Pair> = (1..60).map(|i| [(i - 1) / 2, i]).collect();
        let pairs: Vec<Pair> = (0..30).map(|i| [2 * i, 2 * i + 1]).collect();
        for edges in [&path, &ring, &star, &tree, &pairs] {
            let (sides, notices) = detected(61, edges);
            assert!(sides.is_none());
            assert!(notices[0].contains("too few cycles"), "{notices:?}");
        }
        // Two hubs that share all others have many even cycles, and hardly any pair that is not an edge.
        let hubs: Vec<Pair> = (2..60).flat_map(|i| [[0, i], [1, i]]).collect();
        assert!(detected(60, &hubs).0.is_none());
        // Two large parts do not say which of their sides belong together.
        let mut two = random(100, 30, 800, false);
        let other: Vec<Pair> = two.iter().map(|&[i, j]| [i + 130, j + 130]).collect();
        two.extend(other);
        assert!(detected(260, &two).0.is_none());
    }

    #[test]
    fn small_parts_and_isolated_nodes_follow_the_order_of_the_numbers() {
        // Users 0 to 99, items 100 to 129; user 95 with item 125 apart, users 96 to 99 and items 126 to 129 alone.
        let mut edges: Vec<Pair> =
            random(95, 25, 800, false).into_iter().map(|[i, j]| [i, j - 95 + 100]).collect();
        edges.push([95, 125]);
        let sides = detected(130, &edges).0.unwrap();
        assert_eq!((sides.nodes(0).len(), sides.nodes(1)[0]), (100, 100));
    }

    #[test]
    fn stated_sides_are_checked() {
        let graph = Graph::from_edges("g", 4, &[[0, 2], [1, 3], [0, 1]]).unwrap();
        let fault =
            graph.clone().with_sides(Sides::new(vec![false, false, true, true])).unwrap_err().to_string();
        assert!(fault.contains("edge (0, 1) lies inside the side `user`"), "{fault}");
        let odd = Graph::from_edges("g", 3, &[[0, 1], [1, 2], [0, 2]]).unwrap();
        assert!(odd.with_structural_sides().unwrap_err().to_string().contains("odd length"));
        let even = graph.with_structural_sides().unwrap();
        assert_eq!(even.sides().unwrap().pairs(), 4);
    }
}
