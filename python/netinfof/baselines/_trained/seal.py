"""SEAL (Zhang and Chen, 2018): a GNN on the enclosing subgraph of each pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.nn import SortAggregation

from .encoders import Adjacency
from .pairs import Batches, expand, random_pairs, ranges
from .training import Clock, Fit, Judged, train

if TYPE_CHECKING:
    from .links import LinkTask

#: Largest label of a node; farther nodes share it.
LABELS = 64
#: Negatives for each training edge, of which every step draws some.
NEGATIVES = 3
#: Number of edges in a step.
BATCH = 32


class Subgraphs(NamedTuple):
    """Enclosing subgraphs of a batch of pairs, as one graph of separate parts."""

    #: Number of the node in the whole graph, sorted by pair.
    nodes: Tensor
    #: Position of the pair that a node belongs to.
    pair: Tensor
    #: Label of every node by its distances to the two ends.
    labels: Tensor
    #: Edges between positions in `nodes`, both directions, sorted.
    edges: Tensor
    #: Positions of the two ends of every pair.
    ends: Tensor


def enclosing(graph: Adjacency, pairs: Tensor, hops: int) -> Subgraphs:
    """Return the nodes within some hops of either end, all edges among them but the one between the ends, and labels."""
    size = graph.nodes
    degree, starts = graph.neighbours()
    neighbours = graph.index[1]
    here = torch.arange(len(pairs), device=pairs.device)
    # A node of a subgraph is one number: its pair times the number of nodes, plus the node.
    key = torch.unique(torch.cat([here * size + pairs[:, 0], here * size + pairs[:, 1]]))
    for _ in range(hops):
        position, neighbour = expand(key % size, degree, starts, neighbours)
        key = torch.unique(torch.cat([key, (key // size)[position] * size + neighbour]))
    pair, nodes = key // size, key % size
    position, neighbour = expand(nodes, degree, starts, neighbours)
    wanted = pair[position] * size + neighbour
    at = torch.searchsorted(key, wanted).clamp(max=len(key) - 1)
    ends = torch.stack([torch.searchsorted(key, here * size + pairs[:, end]) for end in (0, 1)])
    inside = key[at] == wanted
    row, col = position[inside], at[inside]
    first, second = ends[0][pair[row]], ends[1][pair[row]]
    target = ((row == first) & (col == second)) | ((row == second) & (col == first))
    edges = torch.stack([row[~target], col[~target]])
    # The distance to one end is measured without the other.
    distances = [_distances(edges, ends[end], ends[1 - end], len(key)) for end in (0, 1)]
    return Subgraphs(nodes, pair, label(distances[0], distances[1], ends), edges, ends)


def _distances(edges: Tensor, sources: Tensor, removed: Tensor, count: int) -> Tensor:
    """Number of steps from the sources, -1 if there is no way; ways through removed nodes do not count."""
    found = torch.full((count,), -1, device=edges.device)
    blocked = torch.zeros(count, dtype=torch.bool, device=edges.device)
    blocked[removed] = True
    open_edges = edges[:, ~(blocked[edges[0]] | blocked[edges[1]])]
    found[sources] = 0
    for distance in range(1, LABELS):
        reached = open_edges[1][found[open_edges[0]] == distance - 1]
        reached = reached[found[reached] < 0]
        if not len(reached):
            break
        found[reached] = distance
    return found


def label(first: Tensor, second: Tensor, ends: Tensor) -> Tensor:
    """Double-radius node labels: 1 + min(x, y) + (d / 2) ((d / 2) + (d % 2) - 1) with d = x + y; 1 for the ends, 0 for nodes that one end does not reach."""
    total = first + second
    half = total // 2
    found = 1 + torch.minimum(first, second) + half * (half + total % 2 - 1)
    found = torch.where((first < 0) | (second < 0), torch.zeros_like(found), found)
    found[ends.reshape(-1)] = 1
    return found.clamp(max=LABELS - 1)


class Cache:
    """Subgraphs of fixed pairs, computed once. Batches of any order are put together from them."""

    def __init__(self, graph: Adjacency, pairs: Tensor, hops: int, clock: Clock) -> None:
        parts, edges, ends = [], [], []
        for some in pairs.split(1024):
            clock.check()
            part = enclosing(graph, some, hops)
            parts.append((part.nodes, part.labels, torch.bincount(part.pair, minlength=len(some))))
            starts = _starts(parts[-1][2])
            ends.append(part.ends - starts)
            edges.append((part.edges - starts[part.pair[part.edges[0]]], torch.bincount(part.pair[part.edges[0]], minlength=len(some))))
        self.nodes, self.labels, self.node_counts = (torch.cat(list(list_)) for list_ in zip(*parts))
        # Positions within the pair, in the smallest type that holds them.
        self.edges = torch.cat([index.int() for index, _ in edges], dim=1)
        self.edge_counts = torch.cat([counts for _, counts in edges])
        self.ends = torch.cat(ends, dim=1)
        self._node_starts, self._edge_starts = _starts(self.node_counts), _starts(self.edge_counts)

    def batch(self, chosen: Tensor) -> Subgraphs:
        """The subgraphs of some pairs."""
        pair, node_at = ranges(self._node_starts[chosen], self.node_counts[chosen])
        owner, edge_at = ranges(self._edge_starts[chosen], self.edge_counts[chosen])
        starts = _starts(self.node_counts[chosen])
        edges = self.edges[:, edge_at].long() + starts[owner]
        return Subgraphs(self.nodes[node_at], pair, self.labels[node_at], edges, self.ends[:, chosen] + starts)


def _starts(counts: Tensor) -> Tensor:
    return counts.cumsum(0) - counts


class DGCNN(nn.Module):
    """Zhang et al. (2018): graph convolutions, the k nodes that are largest in the last, and a convolution over them.

    Beside it stands the Hadamard product of the two ends, the readout of SEAL's later code: sorting loses which nodes they are, and with it
    how alike their features are.
    """

    def __init__(self, inputs: int, hidden: int, k: int, dropout: float, feature_dropout: float) -> None:
        super().__init__()
        # Features and labels side by side are the input of the first layer; it is split, because features are the same in all subgraphs.
        self.labels = nn.Embedding(LABELS, hidden)
        self.first = nn.Linear(hidden, hidden)
        self.features = nn.Linear(inputs, hidden, bias=False) if inputs else None
        self.layers = nn.ModuleList([nn.Linear(hidden, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, 1)])
        self.sort = SortAggregation(k)
        width = 3 * hidden + 1
        self.conv1 = nn.Conv1d(1, 16, width, width)
        self.pool = nn.MaxPool1d(2, 2)
        self.conv2 = nn.Conv1d(16, 32, min(5, k // 2), 1)
        self.hidden = nn.Linear(32 * (k // 2 - min(5, k // 2) + 1) + 3 * hidden, 128)
        self.last = nn.Linear(128, 1)
        self.dropout, self.feature_dropout = dropout, feature_dropout

    def forward(self, x: Tensor | None, part: Subgraphs, pairs: int) -> Tensor:
        count = len(part.nodes)
        degree = torch.bincount(part.edges[0], minlength=count).float() + 1.0
        weight = (degree[part.edges[0]] * degree[part.edges[1]]).rsqrt()[:, None]
        start = self.first(self.labels(part.labels))
        if self.features is not None and x is not None:
            start = start + self.features(F.dropout(x, self.feature_dropout, self.training))[part.nodes]

        def spread(rows: Tensor) -> Tensor:
            return (rows / degree[:, None]).index_add(0, part.edges[0], rows[part.edges[1]] * weight)

        found = [torch.tanh(spread(start))]
        for layer in self.layers:
            found.append(torch.tanh(spread(layer(F.dropout(found[-1], self.dropout, self.training)))))
        ends = torch.cat([layer[part.ends[0]] * layer[part.ends[1]] for layer in found[:3]], dim=1)
        rows = self.sort(torch.cat(found, dim=1), part.pair, dim_size=pairs)
        rows = self.pool(F.relu(self.conv1(rows[:, None, :])))
        rows = F.relu(self.conv2(rows)).flatten(1)
        rows = F.dropout(F.relu(self.hidden(torch.cat([rows, ends], dim=1))), self.dropout, self.training)
        result: Tensor = self.last(rows).squeeze(1)
        return result


def fit_seal(task: LinkTask, params: dict[str, Any], clock: Clock) -> Fit:
    """Train SEAL with one setting."""
    # Labels tell degrees apart already, so a graph without features needs no others.
    x = task.inputs("raw") if task.inputs.given else None
    hops = params["hops"]
    # A fixed set of negatives, because subgraphs are computed once.
    none, fresh = random_pairs(NEGATIVES * len(task.train), task.nodes, task.known)
    none = none[fresh]
    known = Cache(task.graph, torch.cat([task.train, none]), hops, clock)
    caches = {id(pairs): Cache(task.graph, pairs, hops, clock) for pairs in (task.valid, task.valid_none, task.test, task.test_none)}
    # As many nodes as 60 % of the subgraphs have, at least 10.
    sizes = known.node_counts[: len(task.train)].sort().values
    k = min(100, max(10, int(sizes[int(0.6 * (len(sizes) - 1))])))
    net = DGCNN(0 if x is None else x.shape[1], params["hidden"], k, params["dropout"], params["feature_dropout"]).to(task.device)
    # At most some 240 steps in a round, on large graphs too.
    batches = Batches(len(task.train), max(BATCH, len(task.train) // 240), task.device)

    def step() -> Tensor:
        clock.check()
        chosen = batches.next()
        other = torch.randint(len(none), (len(chosen),), device=task.device) + len(task.train)
        found = net(x, known.batch(torch.cat([chosen, other])), 2 * len(chosen))
        return F.softplus(-found[: len(chosen)]).mean() + F.softplus(found[len(chosen) :]).mean()

    def judge() -> Judged:
        def score(pairs: Tensor) -> Tensor:
            cache = caches[id(pairs)]
            return torch.cat([net(x, cache.batch(some), len(some)) for some in torch.arange(len(pairs), device=task.device).split(1024)])

        return task.judged(score)

    return train(
        net,
        step,
        judge,
        lr=params["lr"],
        weight_decay=0.0,
        clock=clock,
        rounds=50,
        patience=10,
        steps=batches.count,
        capture=False,
    )
