"""Fitted models: what ``act`` leaves behind, and what can be asked of it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from . import _native
from ._graph import Graph, GraphLike
from ._options import Progress, how, integer
from ._table import Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Model:
    """A fitted model, the same that ``netinfof act --save`` writes.

    It knows the graph it was fitted on. Where a newer graph is given, its nodes are known by what they are called.

    >>> import netinfof
    >>> model = netinfof.act("synth:demo").model
    >>> model
    Model('demo', links, components=['R', 'S', 'X'])
    >>> model.recommend([7], k=2)["partner"].shape
    (2,)
    """

    def __init__(self, native: _native.Model, graph: Graph | None = None) -> None:
        self._native = native
        self._graph = graph
        self._scorers: dict[bool, _native.Scorer] = {}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Reads a model that was saved here or by the command."""
        return cls(_native.Model.load(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it for ``netinfof predict``, ``netinfof recommend`` and :meth:`load`."""
        self._native.save(os.fspath(path))

    @property
    def about(self) -> dict[str, Any]:
        """Task, graph, seed, test metrics, parameters."""
        about: dict[str, Any] = json.loads(self._native.about())
        return about

    @property
    def task(self) -> str:
        """``links``, ``nodes`` or ``embedding``."""
        return str(self.about["task"])

    @property
    def components(self) -> list[str]:
        """The components that have weights."""
        return self._native.components

    @property
    def graph(self) -> Graph:
        """The graph it was fitted on."""
        if self._graph is None:
            self._graph = Graph._of_native(self._native.graph)
        return self._graph

    def _scorer(self, graph: GraphLike | None, n_jobs: int | None, all_edges: bool) -> tuple[Graph, _native.Scorer]:
        if graph is not None and graph is not self._graph:
            newer = Graph.of(graph)
            return newer, self._native.scorer(False, newer._native, how(n_jobs, None, notices=True))
        if all_edges not in self._scorers:
            self._scorers[all_edges] = self._native.scorer(all_edges, None, how(n_jobs, None))
        return self.graph, self._scorers[all_edges]

    def link_scores(
        self, pairs: Any, *, graph: GraphLike | None = None, all_edges: bool = False, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Scores of an edge for every pair of different nodes, before calibration: log-odds as Act learned them.

        Without `all_edges` the model sees the training edges alone, as it did when it was tested: the scores are those of Act.
        """
        known, scorer = self._scorer(graph, n_jobs, all_edges)
        return scorer.scores(_pairs(known, pairs), how(n_jobs, None))

    def _log_odds(
        self, pairs: Any, prior: float, graph: GraphLike | None, all_edges: bool, n_jobs: int | None
    ) -> NDArray[np.float64]:
        known, scorer = self._scorer(graph, n_jobs, all_edges)
        return scorer.log_odds(scorer.scores(_pairs(known, pairs), how(n_jobs, None)), _prior(prior))

    def link_probabilities(
        self, pairs: Any, *, prior: float = 0.5, graph: GraphLike | None = None, all_edges: bool = False, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Probabilities of an edge, where the share `prior` of the pairs that one would ask about are edges: half, as among the test pairs, unless
        you know better. Among all pairs of a graph it is one in hundreds or thousands."""
        known, scorer = self._scorer(graph, n_jobs, all_edges)
        return scorer.probabilities(scorer.scores(_pairs(known, pairs), how(n_jobs, None)), _prior(prior))

    def recommend(
        self,
        nodes: Any = None,
        *,
        k: int = 10,
        exclude_known: bool = True,
        overall: bool = False,
        pool: int | None = None,
        prior: float | None = None,
        all_edges: bool = True,
        graph: GraphLike | None = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> Table:
        """The `k` likeliest partners of nodes (of all without any), best first; with `overall` the `k` likeliest pairs of all. The columns
        are those of the command.

        The model sees all edges of its graph, with `all_edges` false the training edges alone, as the command does unless it is told otherwise;
        `exclude_known` leaves known edges out of the answer. `pool` is the number of candidates that X looks at for each node. Probabilities hold
        where the share `prior` of pairs are edges, by default the density of the graph; the column `prior` states it.
        """
        import numpy as np

        k, pool = integer(k, "k"), None if pool is None else integer(pool, "pool")
        for name, value in (("k", k), ("pool", pool)):
            if value is not None and value < 1:
                raise ValueError(f"invalid `{name}`: {value} (need at least 1)")
        if overall and nodes is not None:
            raise ValueError("invalid `overall`: True (need no nodes beside it: it asks for pairs of all)")
        known, scorer = self._scorer(graph, n_jobs, all_edges)
        asked = None if nodes is None else known._asked(nodes)
        wanted = (k, exclude_known, pool, overall)
        node, partner, score = scorer.recommend(asked, wanted, how(n_jobs, progress))
        names = known.nodes
        share = scorer.density if prior is None else _prior(prior)
        figures = {"score": score, "probability": scorer.probabilities(score, share), "prior": np.full(len(score), share)}
        if overall:
            return Table(rank=np.arange(1, len(node) + 1), source=names[node], target=names[partner], **figures)
        # Partners of one node stand together: a rank is the place after the first of them.
        starts = np.flatnonzero(np.r_[True, node[1:] != node[:-1]]) if len(node) else node
        rank = np.arange(len(node)) - np.repeat(starts, np.diff(np.r_[starts, len(node)])) + 1
        return Table(node=names[node], rank=rank, partner=names[partner], **figures)

    def vectors(self, *, graph: GraphLike | None = None, n_jobs: int | None = None) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """A query and a key for every node, for a store of vectors: their inner products are log-odds without X and without the intercept."""
        _, scorer = self._scorer(graph, n_jobs, True)
        queries, keys = scorer.vectors(how(n_jobs, None))
        return queries, keys

    def node_probabilities(self, *, graph: GraphLike | None = None, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Probabilities of every class, a row for each node; columns stand as in :attr:`classes`."""
        return self._nodes(graph, n_jobs)[1]

    def node_scores(self, *, graph: GraphLike | None = None, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Scores of every class, a row for each node, before calibration: log-odds as Act learned them."""
        return self._nodes(graph, n_jobs)[0]

    def _nodes(self, graph: GraphLike | None, n_jobs: int | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        newer = None if graph is None or graph is self._graph else Graph.of(graph)._native
        return self._native.nodes(newer, how(n_jobs, None, notices=True))

    @property
    def classes(self) -> NDArray[Any]:
        """What the classes are called."""
        import numpy as np

        names = self._native.classes
        if names is None:
            raise ValueError(f"model: it was fitted for {self.task}, not for nodes")
        graph = self.graph
        if graph._native.class_names is None:
            return np.asarray([int(name) for name in names])
        place = {str(value): at for at, value in enumerate(graph.classes.tolist())}
        found: NDArray[Any] = graph.classes[[place[name] for name in names]]
        return found

    def __repr__(self) -> str:
        return f"Model('{self.about['graph']}', {self.task}, components={self.components})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self._native, self._graph)


def _prior(prior: float) -> float:
    if not 0 < prior < 1:
        raise ValueError(f"invalid `prior`: {prior} (need a share between 0 and 1)")
    return float(prior)


def _pairs(graph: Graph, pairs: Any) -> NDArray[np.int64]:
    """Pairs of nodes as node numbers: an array of two columns."""
    numbers = graph.numbers_of(pairs)
    if numbers.size == 0:
        numbers = numbers.reshape(0, 2)
    if numbers.ndim != 2 or numbers.shape[1] != 2:
        turned = "; `.T` turns an edge index round" if numbers.ndim == 2 and numbers.shape[0] == 2 else ""
        raise ValueError(f"invalid `pairs`: an array of shape {numbers.shape} (need two columns, a row for each pair{turned})")
    return numbers
