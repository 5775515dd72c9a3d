"""Models for links: an encoder with a decoder of pairs, NCN, BUDDY, and heuristics without training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..._splits import LinkSplit
from .._features import Features
from .encoders import ENCODERS, Adjacency, Inputs, product
from .pairs import Batches, Columns, common_neighbours, keys, random_pairs
from .training import Clock, Fit, Judged, train

HIDDEN = 128
#: Largest number of edges, and of negatives, that a step of an encoder predicts.
LARGEST = 1 << 15


class LinkTask:
    """Features and one split on the device. Messages pass along training edges only."""

    def __init__(self, split: LinkSplit, nodes: int, features: Features | None, device: Any, hits: int) -> None:
        self.nodes, self.device, self.hits = nodes, device, hits

        def moved(pairs: Any) -> Tensor:
            return torch.from_numpy(np.array(pairs, dtype=np.int64)).to(device)

        self.train, self.valid, self.test = moved(split.train), moved(split.valid), moved(split.test)
        self.valid_none, self.test_none = moved(split.valid_negatives), moved(split.test_negatives)
        self.each = split.negatives_each
        self.graph = Adjacency(self.train, nodes)
        self.known = torch.sort(keys(self.train, nodes)).values
        self.inputs = Inputs(features, self.graph)

    def quality(self, positive: Tensor, negative: Tensor) -> Tensor:
        """Hits@K and the area under the ROC curve (MRR where each edge has its own negatives), as the library computes them."""
        good, bad = positive.double(), negative.double()
        if self.each:
            rows = bad.reshape(len(good), -1)
            above, tied = (rows > good[:, None]).sum(dim=1), (rows == good[:, None]).sum(dim=1)
            rank = 1.0 + above + tied / 2.0
            return torch.stack([(rank <= self.hits).double().mean(), (1.0 / rank).mean()])
        order = bad.sort().values
        hits = (good > order[-self.hits]).double().mean() if len(order) >= self.hits else good.new_ones(())
        below = (torch.searchsorted(order, good) + torch.searchsorted(order, good, right=True)).double() / 2.0
        return torch.stack([hits, below.mean() / max(1, len(order))])

    def judged(self, score: Callable[[Tensor], Tensor]) -> Judged:
        """Validation metrics and test scores of a function of pairs."""
        return self.quality(score(self.valid), score(self.valid_none)), (score(self.test), score(self.test_none))

    def fit(self, model: str, params: dict[str, Any], seed: int, clock: Clock) -> Fit:
        """Train one model with one setting; scores are those of the test edges and of their negatives."""
        torch.manual_seed(seed)
        if model in HEURISTICS:
            valid, scores = self.judged(lambda pairs: HEURISTICS[model](self.graph, pairs, params))
            found = Fit(tuple(valid.tolist()), scores, 0)
        elif model in ("ncn", "ncn-structure"):
            found = _fit_ncn(self, params, clock, free=model == "ncn-structure")
        elif model in ("buddy", "buddy-structure"):
            found = _fit_buddy(self, params, clock, rows="length" if model == "buddy" else "degree")
        elif model == "seal":
            from .seal import fit_seal

            found = fit_seal(self, params, clock)
        else:
            found = _fit_encoder(self, model, params, clock)
        found.scores = tuple(part.double().cpu().numpy() for part in found.scores)
        return found


def _neighbours(graph: Adjacency, pairs: Tensor, params: dict[str, Any]) -> Tensor:
    return Columns(graph).common(pairs, torch.ones_like(graph.degree))


def _adamic_adar(graph: Adjacency, pairs: Tensor, params: dict[str, Any]) -> Tensor:
    return Columns(graph).common(pairs, 1.0 / graph.degree.clamp(min=2.0).log())


def _resource_allocation(graph: Adjacency, pairs: Tensor, params: dict[str, Any]) -> Tensor:
    return Columns(graph).common(pairs, 1.0 / graph.degree.clamp(min=1.0))


def _katz(graph: Adjacency, pairs: Tensor, params: dict[str, Any]) -> Tensor:
    return Columns(graph).katz(pairs, params["beta"])


def _pagerank(graph: Adjacency, pairs: Tensor, params: dict[str, Any]) -> Tensor:
    return Columns(graph).pagerank(pairs, params["alpha"])


HEURISTICS = {"cn": _neighbours, "aa": _adamic_adar, "ra": _resource_allocation, "katz": _katz, "ppr": _pagerank}


class Decoder(nn.Module):
    """An MLP of the Hadamard product of the two ends."""

    def __init__(self, hidden: int, dropout: float) -> None:
        super().__init__()
        self.first, self.second, self.dropout = nn.Linear(hidden, hidden), nn.Linear(hidden, 1), dropout

    def forward(self, nodes: Tensor, pairs: Tensor) -> Tensor:
        both = nodes[pairs[:, 0]] * nodes[pairs[:, 1]]
        both = F.dropout(F.relu(self.first(both)), self.dropout, self.training)
        found: Tensor = self.second(both).squeeze(1)
        return found


class Pair(nn.Module):
    """An encoder of nodes and a decoder of pairs. Without features, every node has a free embedding."""

    def __init__(self, encoder: nn.Module, nodes: int, free: bool, hidden: int, dropout: float) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, Decoder(hidden, dropout)
        self.free = nn.Parameter(torch.nn.init.xavier_uniform_(torch.empty(nodes, hidden))) if free else None


def loss_of(positive: Tensor, negative: Tensor, fresh: Tensor) -> Tensor:
    """Cross entropy of edges, and of negatives that are not known edges."""
    return F.softplus(-positive).mean() + (F.softplus(negative) * fresh).sum() / fresh.sum().clamp(min=1)


def _fit_encoder(task: LinkTask, model: str, params: dict[str, Any], clock: Clock) -> Fit:
    free = model == "gcn-embedding"
    x = task.inputs(params.get("rows", "length"))
    rest = {key: value for key, value in params.items() if key not in ("lr", "weight_decay", "dropout", "hide", "rows")}
    make = ENCODERS["gcn" if free else model]
    dropout, hide = params["dropout"], params.get("hide", 0.0)
    net = Pair(make(HIDDEN if free else x.shape[1], HIDDEN, HIDDEN, dropout=dropout, **rest), task.nodes, free, HIDDEN, dropout).to(task.device)
    count = len(task.train)
    # Edges to predict in a step: all, or those that are hidden from the messages, as test edges are.
    size = min(LARGEST, max(1, int(hide * count)) if hide else count)

    def nodes(graph: Adjacency) -> Tensor:
        found: Tensor = net.encoder(x if net.free is None else net.free, graph)
        return found

    def step() -> Tensor:
        graph, target = task.graph, task.train
        if size < count:
            chosen = torch.rand(count, device=task.device).argsort()[:size]
            target = task.train[chosen]
            if hide:
                graph = graph.without(torch.zeros(count, dtype=torch.bool, device=task.device).index_fill(0, chosen, True))
        none, fresh = random_pairs(min(LARGEST, count), task.nodes, task.known)
        found = nodes(graph)
        return loss_of(net.decoder(found, target), net.decoder(found, none), fresh)

    def judge() -> Judged:
        found = nodes(task.graph)
        return task.judged(lambda pairs: net.decoder(found, pairs))

    return train(net, step, judge, lr=params["lr"], weight_decay=params["weight_decay"], clock=clock, rounds=200, patience=40, steps=5)


#: The settings that NCN was published with, by the graph that they were chosen for. `cut`: edges left out where common neighbours are counted.
NCN_SETTINGS: dict[str, dict[str, Any]] = {
    "Cora": {"features": 0.7, "embedding": 0.05, "tail": 0.3, "head": 0.05, "cut": 0.4, "lr": (0.0043, 0.0024), "batch": 1152, "layers": 1},
    "CiteSeer": {"features": 0.4, "embedding": 0.75, "tail": 0.0, "head": 0.55, "cut": 0.0, "lr": (0.0085, 0.0078), "batch": 384, "layers": 2},
    "PubMed": {"features": 0.3, "embedding": 0.1, "tail": 0.0, "head": 0.05, "cut": 0.0, "lr": (0.0097, 0.002), "batch": 2048, "layers": 1},
}


class NCN(nn.Module):
    """Wang et al. (2024): the Hadamard product of the two ends beside the sum of their common neighbours, on one step of messages.

    Parameters
    ----------
    inputs
        Number of features.
    hidden
        Number of hidden units.
    settings
        Dropout of features, of their embedding, of its propagated form and in the MLPs; edges left out where common neighbours are counted; layers of
        the last MLP.
    free
        Number of nodes, if each has a free embedding in place of features; else 0.
    """

    def __init__(self, inputs: int, hidden: int, settings: dict[str, Any], free: int = 0) -> None:
        super().__init__()
        head, self.cut = settings["head"], settings["cut"]

        def layer(norm: bool = True) -> list[nn.Module]:
            return [nn.Linear(hidden, hidden), *([nn.LayerNorm(hidden)] if norm else []), nn.Dropout(head), nn.ReLU()]

        features = [] if free else [nn.Dropout(settings["features"]), nn.Linear(inputs, hidden)]
        self.embed = nn.Sequential(*features, nn.Dropout(settings["embedding"]))
        self.free = nn.Parameter(torch.nn.init.xavier_uniform_(torch.empty(free, hidden))) if free else None
        self.tail = nn.Dropout(settings["tail"])
        self.scale = nn.Parameter(torch.ones(1))
        self.head = nn.ModuleDict(
            {
                "own": nn.Sequential(*layer(norm=False), *layer()),
                "common": nn.Sequential(*layer(norm=False), *layer()),
                "ends": nn.Sequential(*layer()),
                "last": nn.Sequential(*(module for _ in range(settings["layers"]) for module in layer()), nn.Linear(hidden, 1)),
            }
        )
        self.beta = nn.Parameter(torch.ones(1))

    def nodes(self, x: Tensor | None, graph: Adjacency) -> Tensor:
        """Embeddings of nodes: one step of messages, without weights of its own."""
        found: Tensor = self.scale * self.tail(product(graph.looped(), self.embed(x if self.free is None else self.free)))
        return found

    def forward(self, nodes: Tensor, graph: Adjacency, pairs: Tensor) -> Tensor:
        head = self.head
        ends = head["ends"](nodes[pairs[:, 0]] * nodes[pairs[:, 1]])
        common = head["common"](self.gather(nodes + head["own"](nodes), graph, pairs, self.cut if self.training else 0.0))
        found: Tensor = head["last"](self.beta * common + ends)
        return found.squeeze(1)

    @staticmethod
    def gather(nodes: Tensor, graph: Adjacency, pairs: Tensor, cut: float = 0.0) -> Tensor:
        """The sum of the embeddings of common neighbours; a random share of all edges is left out."""
        kept = graph.entries_kept()
        if cut:
            kept = kept & (torch.rand(len(kept), device=nodes.device) >= cut)
        if graph.fits_dense:
            # One byte per entry, eight of which are read at once.
            more = -graph.nodes % 8
            rows = torch.zeros(graph.nodes, graph.nodes + more, dtype=torch.uint8, device=nodes.device)
            rows[graph.index[0], graph.index[1]] = kept.to(torch.uint8)
            packed = rows.view(torch.int64)
            both = (packed[pairs[:, 0]] & packed[pairs[:, 1]]).view(torch.uint8)
            return both.to(nodes.dtype) @ F.pad(nodes, (0, 0, 0, more))
        pair, neighbour = common_neighbours(graph, pairs, kept)
        return torch.zeros(len(pairs), nodes.shape[1], device=nodes.device).index_add(0, pair, nodes[neighbour])


def _in_blocks(score: Any, pairs: Tensor, size: int = 1 << 13) -> Tensor:
    return torch.cat([score(part) for part in pairs.split(size)])


def _fit_ncn(task: LinkTask, params: dict[str, Any], clock: Clock, free: bool) -> Fit:
    settings = NCN_SETTINGS[params["published"]]
    x = None if free else task.inputs("raw")
    net = NCN(0 if x is None else x.shape[1], 256, settings, task.nodes if free else 0).to(task.device)
    # At most a few dozen steps in a round, on large graphs too.
    batches = Batches(len(task.train), max(settings["batch"], len(task.train) // 32), task.device)

    def step() -> Tensor:
        clock.check()
        target = batches.next()
        # The edges of the batch are hidden, from messages and from common neighbours, as test edges are.
        graph = task.graph.without(torch.zeros(len(task.train), dtype=torch.bool, device=task.device).index_fill(0, target, True))
        none, fresh = random_pairs(len(target), task.nodes, task.known)
        found = net(net.nodes(x, graph), graph, torch.cat([task.train[target], none]))
        return loss_of(found[: len(target)], found[len(target) :], fresh)

    def judge() -> Judged:
        nodes = net.nodes(x, task.graph)
        return task.judged(lambda pairs: _in_blocks(lambda part: net(nodes, task.graph, part), pairs))

    encoder = [parameter for name, parameter in net.named_parameters() if not name.startswith(("head.", "beta"))]
    decoder = [parameter for name, parameter in net.named_parameters() if name.startswith(("head.", "beta"))]
    rates = [{"params": encoder, "lr": settings["lr"][0]}, {"params": decoder, "lr": settings["lr"][1]}]
    # A list of common neighbours has another length in every batch, so nothing can be recorded; dense rows can.
    capture = task.graph.fits_dense
    return train(net, step, judge, lr=0.0, groups=rates, weight_decay=0.0, clock=clock, rounds=200, patience=50, steps=batches.count, capture=capture)


class Buddy(nn.Module):
    """Chamberlain et al. (2023): counts of nodes by distance beside the Hadamard product of propagated features; nothing is passed along edges in training."""

    def __init__(self, inputs: int, hidden: int, dropout: float, feature_dropout: float) -> None:
        super().__init__()
        self.dropout, self.feature_dropout = dropout, feature_dropout
        self.embed = nn.Linear(inputs, hidden)
        self.counts_norm = nn.BatchNorm1d(8)
        self.counts = nn.Linear(8, hidden)
        self.pair_norm = nn.BatchNorm1d(hidden)
        self.pair = nn.Linear(hidden, hidden)
        self.last = nn.Linear(2 * hidden, 1)

    def nodes(self, x: Tensor) -> Tensor:
        found: Tensor = self.embed(F.dropout(x, self.feature_dropout, self.training))
        return found

    def forward(self, nodes: Tensor, pairs: Tensor, counts: Tensor) -> Tensor:
        structure = F.relu(self.counts(self.counts_norm(counts)))
        features = F.relu(self.pair_norm(self.pair(nodes[pairs[:, 0]] * nodes[pairs[:, 1]])))
        both = F.dropout(torch.cat([structure, features], dim=1), self.dropout, self.training)
        found: Tensor = self.last(both).squeeze(1)
        return found


def _fit_buddy(task: LinkTask, params: dict[str, Any], clock: Clock, rows: str) -> Fit:
    powers = [task.inputs(rows)]
    for _ in range(2):
        powers.append(product(task.graph.looped(), powers[-1]))
    x = torch.cat(powers, dim=1)
    columns = Columns(task.graph)
    # A fixed set of negatives, because their counts are computed once.
    none, fresh = random_pairs(3 * len(task.train), task.nodes, task.known)
    none = none[fresh]
    counted = {id(pairs): torch.log1p(columns.counts(pairs)) for pairs in (task.train, none, task.valid, task.valid_none, task.test, task.test_none)}
    net = Buddy(x.shape[1], 256, params["dropout"], params["feature_dropout"]).to(task.device)
    # At most a few dozen steps in a round, on large graphs too.
    batches = Batches(len(task.train), max(params["batch"], len(task.train) // 32), task.device)

    def step() -> Tensor:
        edges = batches.next()
        other = torch.randint(len(none), (len(edges),), device=task.device)
        pairs = torch.cat([task.train[edges], none[other]])
        found = net(net.nodes(x), pairs, torch.cat([counted[id(task.train)][edges], counted[id(none)][other]]))
        return loss_of(found[: len(edges)], found[len(edges) :], torch.ones_like(other))

    def judge() -> Judged:
        nodes = net.nodes(x)
        return task.judged(lambda pairs: net(nodes, pairs, counted[id(pairs)]))

    return train(
        net, step, judge, lr=params["lr"], weight_decay=params["weight_decay"], clock=clock, rounds=300, patience=60, steps=batches.count
    )
