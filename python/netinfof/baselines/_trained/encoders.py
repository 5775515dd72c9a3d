"""Graph neural networks: layers of PyTorch Geometric where it has them, the others from their papers."""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.nn import APPNP as APPNPConv
from torch_geometric.nn import LINKX, GATConv, GCNConv, SAGEConv

from .._features import Features

#: Largest number of entries of a dense matrix of nodes by nodes on a GPU, which multiplies it faster than a sparse one.
DENSE = 1 << 29


class Adjacency:
    """The edges that messages pass along, in the forms that models need; each is computed once.

    Parameters
    ----------
    edges
        Edges as a tensor of two columns, each edge once.
    nodes
        Number of nodes.
    """

    def __init__(self, edges: Tensor, nodes: int) -> None:
        self.nodes = nodes
        both = torch.cat([edges, edges.flip(1)]).t()
        order = torch.argsort(both[0] * nodes + both[1])
        #: Both directions of every edge, sorted, and with self-loops.
        self.index = both[:, order].contiguous()
        own = torch.arange(nodes, device=edges.device)
        loops = torch.cat([both, torch.stack([own, own])], dim=1)
        loop_order = torch.argsort(loops[0] * nodes + loops[1])
        self.loop_index = loops[:, loop_order].contiguous()
        #: Edge that an entry comes from; self-loops follow the edges.
        self._edge = order % max(1, len(edges))
        self._loop_edge = torch.where(loop_order < 2 * len(edges), loop_order % max(1, len(edges)), loop_order - len(edges))
        self._starts, self._loop_starts = (_starts(index, nodes) for index in (self.index, self.loop_index))
        self.kept: Tensor | None = None
        self.degree = self._starts.diff().float()
        self._forms: dict[str, Tensor] = {}

    def without(self, hidden: Tensor) -> Adjacency:
        """The same graph without some edges, given as a mask; nothing of its shape changes."""
        found = copy.copy(self)
        found.kept = torch.cat([(~hidden).float(), torch.ones(self.nodes, device=hidden.device)])
        found.degree = torch.zeros_like(self.degree).index_add(0, self.index[0], found.kept[self._edge])
        found._forms = {}
        return found

    def entries_kept(self) -> Tensor:
        """A mask of the entries of `index` whose edge is not hidden."""
        return torch.ones(len(self._edge), dtype=torch.bool, device=self.index.device) if self.kept is None else self.kept[self._edge] > 0.0

    def neighbours(self) -> tuple[Tensor, Tensor]:
        """Number of neighbours of every node and where they begin in `index`, hidden ones included."""
        return self._starts.diff(), self._starts

    @property
    def fits_dense(self) -> bool:
        """Whether a dense matrix of nodes by nodes is the better form here."""
        return bool(self.index.is_cuda) and self.nodes**2 <= DENSE

    def _form(self, name: str, make: Callable[[], Tensor]) -> Tensor:
        if name not in self._forms:
            self._forms[name] = make()
        return self._forms[name]

    def plain(self) -> Tensor:
        """The adjacency matrix A."""
        return self._form("plain", lambda: self._weighted(torch.ones_like(self.degree), looped=False))

    def symmetric(self) -> Tensor:
        """Without self-loops: D^-1/2 A D^-1/2."""
        return self._form("symmetric", lambda: self._weighted(self.degree.clamp(min=1.0).rsqrt(), looped=False))

    def looped(self) -> Tensor:
        """With self-loops, as in GCN: (D + I)^-1/2 (A + I) (D + I)^-1/2."""
        return self._form("looped", lambda: self._weighted((self.degree + 1.0).rsqrt(), looped=True))

    def _weighted(self, scale: Tensor, looped: bool) -> Tensor:
        index, starts, edge = (self.loop_index, self._loop_starts, self._loop_edge) if looped else (self.index, self._starts, self._edge)
        values = scale[index[0]] * scale[index[1]]
        return _matrix(starts, index[1], values if self.kept is None else values * self.kept[edge], self.nodes)

    def two_hops(self) -> Tensor:
        """Nodes at distance two, normalised symmetrically, for H2GCN."""
        assert self.kept is None, "distances are those of the whole graph"
        # Most pairs of nodes of a dense graph are at distance two.
        return self._form("two_hops", self._dense_two_hops if self.fits_dense else self._sparse_two_hops)

    def _dense_two_hops(self) -> Tensor:
        one = self.plain().to_dense()
        two = ((one @ one > 0.5) & (one < 0.5)).float().fill_diagonal_(0.0)
        scale = two.sum(dim=0).clamp(min=1.0).rsqrt()
        return two.mul_(scale[:, None]).mul_(scale)

    def _sparse_two_hops(self) -> Tensor:
        import numpy as np
        import scipy.sparse as sp

        row, col = self.index.cpu().numpy()
        one = sp.csr_matrix((np.ones(len(row), np.float32), (row, col)), shape=(self.nodes, self.nodes))
        two = (one @ one).tocoo()
        keys = np.setdiff1d(two.row.astype(np.int64) * self.nodes + two.col, row * self.nodes + col)
        keys = keys[keys // self.nodes != keys % self.nodes]
        index = torch.from_numpy(np.stack([keys // self.nodes, keys % self.nodes])).to(self.index.device)
        starts = _starts(index, self.nodes)
        scale = starts.diff().float().clamp(min=1.0).rsqrt()
        return _matrix(starts, index[1], scale[index[0]] * scale[index[1]], self.nodes)


class Inputs:
    """The features on the device, with rows of words scaled in the way that a model needs; without any, the logarithm of the degree and a constant."""

    def __init__(self, features: Features | None, graph: Adjacency) -> None:
        self.features, self.graph = features, graph
        self.given = features is not None and features.values is not None
        self._forms: dict[str, Tensor] = {}

    def __call__(self, rows: str) -> Tensor:
        if not self.given:
            rows = "degree"
        if rows not in self._forms:
            self._forms[rows] = self._make(rows)
        return self._forms[rows]

    def _make(self, rows: str) -> Tensor:
        values = self.features.scaled(rows) if rows != "degree" and self.features is not None else None
        if values is not None:
            return torch.from_numpy(values).to(self.graph.index.device)
        degree = torch.log1p(self.graph.degree)
        return torch.stack([(degree - degree.mean()) / degree.std().clamp(min=1e-6), torch.ones_like(degree)], dim=1)


def _starts(index: Tensor, nodes: int) -> Tensor:
    """Where the entries of each row begin."""
    counts = torch.bincount(index[0], minlength=nodes)
    return torch.cat([counts.new_zeros(1), counts.cumsum(0)])


def _matrix(starts: Tensor, columns: Tensor, values: Tensor, nodes: int) -> Tensor:
    """A sparse matrix by row, for fast products."""
    with warnings.catch_warnings():
        # PyTorch calls these matrices beta.
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support")
        return torch.sparse_csr_tensor(starts, columns, values, (nodes, nodes), check_invariants=False)


class _Product(torch.autograd.Function):
    """A symmetric matrix times a dense one; the gradient needs no transpose."""

    @staticmethod
    def forward(context: Any, matrix: Tensor, x: Tensor) -> Tensor:
        context.matrix = matrix
        return matrix @ x

    @staticmethod
    def backward(context: Any, grad: Tensor) -> tuple[None, Tensor]:  # type: ignore[override]
        return None, context.matrix @ grad


def product(matrix: Tensor, x: Tensor) -> Tensor:
    """Return a symmetric matrix, sparse or dense, times a dense one."""
    found: Tensor = _Product.apply(matrix, x)
    return found


class MLP(nn.Module):
    """Two layers; no graph."""

    def __init__(self, inputs: int, hidden: int, outputs: int, dropout: float) -> None:
        super().__init__()
        self.first = nn.Linear(inputs, hidden)
        self.second = nn.Linear(hidden, outputs)
        self.dropout = dropout

    def forward(self, x: Tensor, graph: Adjacency) -> Tensor:
        x = F.dropout(x, self.dropout, self.training)
        x = F.dropout(F.relu(self.first(x)), self.dropout, self.training)
        return self.second(x)


class _GCNLayer(GCNConv):
    """The layer of PyTorch Geometric on a matrix that is normalised already, with a faster gradient."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(inputs, outputs, normalize=False)

    def message_and_aggregate(self, adj_t: Tensor, x: Tensor) -> Tensor:
        return product(adj_t, x)


class GCN(nn.Module):
    """Kipf and Welling (2017): two layers, each a product with the normalised adjacency; layers of PyTorch Geometric."""

    def __init__(self, inputs: int, hidden: int, outputs: int, dropout: float, skip: bool = False) -> None:
        super().__init__()
        self.first = _GCNLayer(inputs, hidden)
        self.second = _GCNLayer(hidden, outputs)
        #: Skip connections: each layer adds its own input, and so keeps a node's features apart from its neighbours'.
        self.skip_first = nn.Linear(inputs, hidden) if skip else None
        self.skip_second = nn.Linear(hidden, outputs) if skip else None
        self.dropout = dropout

    def forward(self, x: Tensor, graph: Adjacency) -> Tensor:
        x = F.dropout(x, self.dropout, self.training)
        hidden: Tensor = self.first(x, graph.looped())
        if self.skip_first is not None:
            hidden = hidden + self.skip_first(x)
        hidden = F.dropout(F.relu(hidden), self.dropout, self.training)
        found: Tensor = self.second(hidden, graph.looped())
        if self.skip_second is not None:
            found = found + self.skip_second(hidden)
        return found


class _SAGELayer(SAGEConv):
    """The layer of PyTorch Geometric on a symmetric matrix, with a faster gradient."""

    degree: Tensor

    def message_and_aggregate(self, adj_t: Tensor, x: tuple[Tensor, Tensor]) -> Tensor:
        return product(adj_t, x[0]) / self.degree.clamp(min=1.0)[:, None]


class GraphSAGE(nn.Module):
    """Hamilton et al. (2017): a node's own features beside the mean of its neighbours'; layers of PyTorch Geometric."""

    def __init__(self, inputs: int, hidden: int, outputs: int, dropout: float) -> None:
        super().__init__()
        self.first = _SAGELayer(inputs, hidden)
        self.second = _SAGELayer(hidden, outputs)
        self.dropout = dropout

    def forward(self, x: Tensor, graph: Adjacency) -> Tensor:
        self.first.degree = self.second.degree = graph.degree
        x = F.dropout(x, self.dropout, self.training)
        x = F.dropout(F.relu(self.first(x, graph.plain())), self.dropout, self.training)
        found: Tensor = self.second(x, graph.plain())
        return found


class GAT(nn.Module):
    """Velickovic et al. (2018): neighbours weighted by attention; layers of PyTorch Geometric."""

    def __init__(self, inputs: int, hidden: int, outputs: int, dropout: float, heads: int = 8) -> None:
        super().__init__()
        self.first = GATConv(inputs, max(1, hidden // heads), heads=heads, dropout=dropout, add_self_loops=False)
        self.second = GATConv(max(1, hidden // heads) * heads, outputs, heads=1, concat=False, dropout=dropout, add_self_loops=False)
        self.dropout = dropout

    def forward(self, x: Tensor, graph: Adjacency) -> Tensor:
        x = F.dropout(x, self.dropout, self.training)
        x = F.dropout(F.elu(self.first(x, graph.loop_index)), self.dropout, self.training)
        found: Tensor = self.second(x, graph.loop_index)
        return found


class _APPNPLayer(APPNPConv):
    """The layer of PyTorch Geometric on a matrix that is normalised already, with a faster gradient."""

    def message_and_aggregate(self, adj_t: Tensor, x: Tensor) -> Tensor:
        return product(adj_t, x)


class APPNP(nn.Module):
    """Gasteiger et al. (2019): an MLP, then ten steps Z = (1 - a) A Z + a H of personalised PageRank; layer of PyTorch Geometric."""

    def __init__(self, inputs: int, hidden: int, outputs: int, dropout: float, alpha: float = 0.1) -> None:
        super().__init__()
        self.mlp = MLP(inputs, hidden, outputs, dropout)
        self.walk = _APPNPLayer(K=10, alpha=alpha, normalize=False)

    def forward(self, x: Tensor, graph: Adjacency) -> Tensor:
        found: Tensor = self.walk(self.mlp(x, graph), graph.looped())
        return found


class GPRGNN(nn.Module):
    """Chien et al. (2021): an MLP, then the sum over k of g_k A^k H with learned g_k, which start as personalised PageRank."""

    def __init__(self, inputs: int, hidden: int, outputs: int, dropout: float, alpha: float = 0.1, steps: int = 10) -> None:
        super().__init__()
        self.mlp = MLP(inputs, hidden, outputs, dropout)
        start = alpha * (1.0 - alpha) ** torch.arange(steps + 1, dtype=torch.float)
        start[-1] = (1.0 - alpha) ** steps
        self.gamma = nn.Parameter(start)
        self.dropout = dropout

    def forward(self, x: Tensor, graph: Adjacency) -> Tensor:
        power = self.mlp(x, graph)
        found = self.gamma[0] * power
        for weight in self.gamma[1:]:
            power = product(graph.looped(), power)
            found = found + weight * power
        return found


class H2GCN(nn.Module):
    """Zhu et al. (2020): neighbours at distances one and two kept apart, no self-loops, and the output of all rounds side by side."""

    def __init__(self, inputs: int, hidden: int, outputs: int, dropout: float, layers: int = 2) -> None:
        super().__init__()
        self.embed = nn.Linear(inputs, hidden)
        self.last = nn.Linear(hidden * (2 ** (layers + 1) - 1), outputs)
        self.layers, self.dropout = layers, dropout

    def forward(self, x: Tensor, graph: Adjacency) -> Tensor:
        found: Tensor = self.last(F.dropout(self.rounds(x, graph), self.dropout, self.training))
        return found

    def rounds(self, x: Tensor, graph: Adjacency) -> Tensor:
        """The embedding and the output of every round."""
        rounds = [F.relu(self.embed(F.dropout(x, self.dropout, self.training)))]
        for _ in range(self.layers):
            near, far = product(graph.symmetric(), rounds[-1]), product(graph.two_hops(), rounds[-1])
            rounds.append(torch.cat([near, far], dim=1))
        return torch.cat(rounds, dim=1)


class LinkX(nn.Module):
    """Lim et al. (2021): an MLP of the rows of the adjacency matrix and one of the features; of PyTorch Geometric."""

    def __init__(self, inputs: int, hidden: int, outputs: int, dropout: float, nodes: int = 0) -> None:
        super().__init__()
        self.model = LINKX(nodes, inputs, hidden, outputs, num_layers=2, dropout=dropout)

    def forward(self, x: Tensor, graph: Adjacency) -> Tensor:
        found: Tensor = self.model(x, graph.index)
        return found


ENCODERS: dict[str, Callable[..., nn.Module]] = {
    "mlp": MLP,
    "gcn": GCN,
    "gcn-skip": functools.partial(GCN, skip=True),
    "sage": GraphSAGE,
    "gat": GAT,
    "appnp": APPNP,
    "gpr": GPRGNN,
    "h2gcn": H2GCN,
    "linkx": LinkX,
}
