"""Statistics of pairs of nodes: common neighbours, paths, counts by distance."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from .encoders import Adjacency

#: Largest number of entries of a dense block: rows of the graph times pairs.
BLOCK = 1 << 25


def keys(pairs: Tensor, nodes: int) -> Tensor:
    """One number per pair, the same for both directions."""
    return pairs.min(dim=1).values * nodes + pairs.max(dim=1).values


def random_pairs(count: int, nodes: int, known: Tensor) -> tuple[Tensor, Tensor]:
    """Draw pairs, and a mask of those that are two nodes and not among the sorted keys `known`."""
    pairs = torch.randint(nodes, (count, 2), device=known.device)
    key = keys(pairs, nodes)
    fresh = pairs[:, 0] != pairs[:, 1]
    if len(known):
        fresh &= known[torch.searchsorted(known, key).clamp(max=len(known) - 1)] != key
    return pairs, fresh


class Columns:
    """Columns of the adjacency matrix and of its square, for the two ends of pairs, in dense blocks.

    Parameters
    ----------
    graph
        The training edges.
    """

    def __init__(self, graph: Adjacency) -> None:
        self.graph = graph

    def blocks(self, pairs: Tensor) -> Iterator[tuple[slice, Tensor, Tensor]]:
        """Yield, for blocks of pairs, which they are, and the columns of A of their first and of their second ends."""
        size = max(1, BLOCK // max(1, self.graph.nodes))
        for begin in range(0, len(pairs), size):
            part = pairs[begin : begin + size]
            yield slice(begin, begin + len(part)), self._ends(part[:, 0]), self._ends(part[:, 1])

    def _ends(self, nodes: Tensor) -> Tensor:
        start = torch.zeros(self.graph.nodes, len(nodes), device=nodes.device)
        start[nodes, torch.arange(len(nodes), device=nodes.device)] = 1.0
        return self.graph.plain() @ start

    def common(self, pairs: Tensor, weight: Tensor) -> Tensor:
        """The sum over common neighbours of their weights."""
        found = torch.empty(len(pairs), device=pairs.device)
        for at, first, second in self.blocks(pairs):
            found[at] = torch.einsum("np,np,n->p", first, second, weight)
        return found

    def katz(self, pairs: Tensor, beta: float) -> Tensor:
        """The sum over lengths l from 2 to 4 of beta^l times the number of walks of that length; no pair to judge has a walk of length 1."""
        plain = self.graph.plain()
        found = torch.empty(len(pairs), device=pairs.device)
        for at, first, second in self.blocks(pairs):
            two = plain @ first
            three = plain @ two
            ends = pairs[at]
            here = torch.arange(len(ends), device=pairs.device)
            # A^3 e_u at v, by the column of v.
            walks = [two[ends[:, 1], here], three[ends[:, 1], here], (three * second).sum(dim=0)]
            found[at] = sum(beta**length * count for length, count in zip((2, 3, 4), walks))
        return found

    def pagerank(self, pairs: Tensor, alpha: float) -> Tensor:
        """Personalised PageRank of each end for the other, added."""
        starts, place = torch.unique(pairs, return_inverse=True)
        scale = (1.0 / self.graph.degree.clamp(min=1.0))[:, None]
        plain = self.graph.plain()
        found = torch.zeros(len(pairs), device=pairs.device)
        size = max(1, BLOCK // max(1, self.graph.nodes))
        for begin in range(0, len(starts), size):
            some = starts[begin : begin + size]
            restart = torch.zeros(self.graph.nodes, len(some), device=pairs.device)
            restart[some, torch.arange(len(some), device=pairs.device)] = 1.0
            rank = restart
            for _ in range(30):
                rank = alpha * restart + (1.0 - alpha) * (plain @ (scale * rank))
            for end in (0, 1):
                mine = (place[:, end] >= begin) & (place[:, end] < begin + size)
                found[mine] += rank[pairs[mine, 1 - end], place[mine, end] - begin]
        return found

    def counts(self, pairs: Tensor) -> Tensor:
        """Numbers of nodes by their distances to the two ends, as if the pair itself were not connected.

        BUDDY's structural features, counted exactly instead of estimated by sketches: nodes at distances (1, 1), (1, 2), (2, 1) and (2, 2), then nodes
        at distance 1 or 2 of one end and farther than 2 from the other. A training edge is removed before its own counts, because the pairs to judge
        have no edge.
        """
        plain = self.graph.plain()
        found = torch.empty(len(pairs), 8, device=pairs.device)
        for at, first, second in self.blocks(pairs):
            ends = pairs[at]
            here = torch.arange(len(ends), device=pairs.device)
            near, far = [], []
            linked = first[ends[:, 1], here]
            for one, other, own, opposite in ((first, second, ends[:, 0], ends[:, 1]), (second, first, ends[:, 1], ends[:, 0])):
                # Walks of two steps; those that begin with the edge of the pair do not count.
                two = plain @ one - linked * other
                direct = one.clone()
                direct[opposite, here] = 0.0
                beyond = (two > 0.5) & (direct < 0.5)
                beyond[own, here] = False
                direct_mask = direct > 0.5
                # The ends themselves are not counted.
                beyond[opposite, here] = False
                near.append(direct_mask)
                far.append(beyond)
            within = [near[0] | far[0], near[1] | far[1]]
            found[at] = torch.stack(
                [
                    (near[0] & near[1]).sum(0),
                    (near[0] & far[1]).sum(0),
                    (far[0] & near[1]).sum(0),
                    (far[0] & far[1]).sum(0),
                    (near[0] & ~within[1]).sum(0),
                    (near[1] & ~within[0]).sum(0),
                    (far[0] & ~within[1]).sum(0),
                    (far[1] & ~within[0]).sum(0),
                ],
                dim=1,
            ).float()
        return found


def common_neighbours(graph: Adjacency, pairs: Tensor, kept: Tensor) -> tuple[Tensor, Tensor]:
    """Return all common neighbours: the position of the pair, and the neighbour. `kept` is a mask of the entries of the graph that count."""
    degree, starts = graph.neighbours()
    swap = degree[pairs[:, 0]] > degree[pairs[:, 1]]
    few, many = torch.where(swap, pairs[:, 1], pairs[:, 0]), torch.where(swap, pairs[:, 0], pairs[:, 1])
    pair, entry = ranges(starts[few], degree[few])
    pair, entry = pair[kept[entry]], entry[kept[entry]]
    neighbour = graph.index[1][entry]
    entries = graph.index[0] * graph.nodes + graph.index[1]
    if not len(entries):
        return pair, neighbour
    wanted = many[pair] * graph.nodes + neighbour
    at = torch.searchsorted(entries, wanted).clamp(max=len(entries) - 1)
    both = (entries[at] == wanted) & kept[at]
    return pair[both], neighbour[both]


def ranges(starts: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
    """Return all numbers of several ranges: the range that each belongs to, and the number."""
    owner = torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts)
    return owner, starts[owner] + torch.arange(len(owner), device=counts.device) - (counts.cumsum(0) - counts)[owner]


def expand(nodes: Tensor, degree: Tensor, starts: Tensor, neighbours: Tensor) -> tuple[Tensor, Tensor]:
    """Return the neighbours of all nodes in a list: the position in the list, and the neighbour."""
    position, entry = ranges(starts[nodes], degree[nodes])
    return position, neighbours[entry]


class Batches:
    """Random batches of equal size; each sample occurs at most once before all are shuffled again."""

    def __init__(self, samples: int, size: int, device: torch.device) -> None:
        self.samples, self.size, self.device = samples, min(samples, size), device
        self.count = samples // self.size
        self._order = torch.zeros(0, dtype=torch.long)
        self._at = self.count

    def next(self) -> Tensor:
        """Positions of the next batch."""
        if self._at == self.count:
            self._order, self._at = torch.rand(self.samples, device=self.device).argsort(), 0
        self._at += 1
        return self._order[(self._at - 1) * self.size : self._at * self.size]
