"""Fitted models of ``act``, and predictions with them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from . import _native
from ._graph import Graph, GraphLike
from ._options import Progress, how, integer, warn
from ._table import Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Model:
    """A fitted model, from :func:`act` or :meth:`load`.

    It includes the graph that it was fitted on. The nodes of a newer graph are identified by their names.
    The file format is that of the command.

    Examples
    --------
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
        """Read a model from a file.

        Parameters
        ----------
        path
            File that :meth:`save` or ``netinfof act`` wrote.

        Returns
        -------
        Model
            The model.
        """
        return cls(_native.Model.load(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file for :meth:`load`, ``netinfof predict`` and ``netinfof recommend``.

        Parameters
        ----------
        path
            File to write.
        """
        self._native.save(os.fspath(path))

    @property
    def about(self) -> dict[str, Any]:
        """Description of the model: task, graph, seed, test metrics, parameters."""
        about: dict[str, Any] = json.loads(self._native.about())
        return about

    @property
    def task(self) -> str:
        """Task of the model: ``links``, ``nodes`` or ``embedding``."""
        return str(self.about["task"])

    @property
    def components(self) -> list[str]:
        """Names of the components with weights."""
        return self._native.components

    @property
    def graph(self) -> Graph:
        """The graph that the model was fitted on."""
        if self._graph is None:
            self._graph = Graph._of_native(self._native.graph)
        return self._graph

    def _scorer(self, graph: GraphLike | None, n_jobs: int | None, all_edges: bool, usual: bool = False) -> tuple[Graph, _native.Scorer]:
        if graph is not None and all_edges != usual:
            raise ValueError(f"invalid `all_edges`: {all_edges} together with `graph` (need one of them: with a newer graph the model uses all of its edges)")
        if graph is not None and graph is not self._graph:
            newer = Graph.of(graph)
            return newer, self._native.scorer(False, newer._native, how(n_jobs, None, notices=True))
        if all_edges not in self._scorers:
            self._scorers[all_edges] = self._native.scorer(all_edges, None, how(n_jobs, None))
        return self.graph, self._scorers[all_edges]

    def link_scores(
        self, pairs: Any, *, graph: GraphLike | None = None, all_edges: bool = False, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return scores of an edge for pairs of nodes: log-odds before calibration.

        Parameters
        ----------
        pairs
            Pairs of different nodes: an array of two columns or a sequence of pairs, with the names of the
            nodes, or node numbers if the nodes have no names.
        graph
            A newer graph, in any form that :meth:`Graph.of` accepts. Nodes are identified by their names. None:
            the graph that the model was fitted on.
        all_edges
            Whether the model uses all edges of its graph. By default it uses only the training edges, as in its
            test, so the scores are those of :func:`act`. Not together with `graph`.
        n_jobs
            Number of threads; results do not depend on it. None and -1: one per core.

        Returns
        -------
        ndarray
            One score per pair.
        """
        known, scorer = self._scorer(graph, n_jobs, all_edges)
        return scorer.scores(_pairs(known, pairs), how(n_jobs, None))

    def _log_odds(
        self, pairs: Any, prior: float, graph: GraphLike | None, all_edges: bool, n_jobs: int | None
    ) -> NDArray[np.float64]:
        known, scorer = self._scorer(graph, n_jobs, all_edges)
        return scorer.log_odds(scorer.scores(_pairs(known, pairs), how(n_jobs, None)), _reached(scorer, prior))

    def link_probabilities(
        self, pairs: Any, *, prior: float = 0.5, graph: GraphLike | None = None, all_edges: bool = False, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return probabilities of an edge for pairs of nodes, at a prior.

        A warning says if the prior is so low that the calibration does not reach it.

        Parameters
        ----------
        pairs
            Pairs of different nodes: an array of two columns or a sequence of pairs, with the names of the
            nodes, or node numbers if the nodes have no names.
        prior
            Share of edges among the pairs to be scored; probabilities refer to it. 0.5 is the share among the
            test pairs; among all pairs of a graph it is much lower.
        graph
            A newer graph, in any form that :meth:`Graph.of` accepts. Nodes are identified by their names. None:
            the graph that the model was fitted on.
        all_edges
            Whether the model uses all edges of its graph. By default it uses only the training edges, as in its
            test, so the scores are those of :func:`act`. Not together with `graph`.
        n_jobs
            Number of threads; results do not depend on it. None and -1: one per core.

        Returns
        -------
        ndarray
            One probability per pair.
        """
        known, scorer = self._scorer(graph, n_jobs, all_edges)
        return scorer.probabilities(scorer.scores(_pairs(known, pairs), how(n_jobs, None)), _reached(scorer, prior))

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
        """Return the likeliest partners of nodes, or the likeliest pairs of the graph.

        Parameters
        ----------
        nodes
            Names of the nodes, or one of them. None: all nodes.
        k
            Number of partners per node, or of pairs with `overall`.
        exclude_known
            Whether known edges are left out of the result. Required in a bipartite or directed graph.
        overall
            Whether to return the `k` likeliest pairs of the whole graph. `nodes` must be None.
        pool
            Number of candidates per node that component X ranks. None: as many as make ten million pairs.
        prior
            Share of edges among the pairs; probabilities refer to it. None: the density of the graph.
        all_edges
            Whether the model uses all edges of its graph. If False, it uses only the training edges, which is
            the default of the command. False is not allowed together with `graph`.
        graph
            A newer graph, in any form that :meth:`Graph.of` accepts. Nodes are identified by their names. None:
            the graph that the model was fitted on.
        n_jobs
            Number of threads; results do not depend on it. None and -1: one per core.
        progress
            True for a progress bar (of tqdm, if it is installed), or a callable that receives the stage, the
            steps done and the total number of steps. An exception that it raises stops the work.

        Returns
        -------
        Table
            The likeliest first, with the columns ``node``, ``rank``, ``partner``, ``score``, ``probability``
            and ``prior``; with `overall`, ``rank``, ``source`` and ``target`` instead of the first three.
        """
        import numpy as np

        k, pool = integer(k, "k"), None if pool is None else integer(pool, "pool")
        for name, value in (("k", k), ("pool", pool)):
            if value is not None and value < 1:
                raise ValueError(f"invalid `{name}`: {value} (need at least 1)")
        if overall and nodes is not None:
            raise ValueError("invalid `overall`: True (need `nodes` to be None: `overall` ranks the pairs of all nodes)")
        known, scorer = self._scorer(graph, n_jobs, all_edges, True)
        if not exclude_known and self._native.graph.sides is not None:
            raise ValueError("invalid `exclude_known`: False (need True: rankings of a bipartite or directed graph never hold known edges)")
        asked = None if nodes is None else known._asked(nodes)
        wanted = (k, exclude_known, pool, overall)
        node, partner, score = scorer.recommend(asked, wanted, how(n_jobs, progress))
        names = known.nodes
        share = _reached(scorer, scorer.density if prior is None else prior)
        figures = {"score": score, "probability": scorer.probabilities(score, share), "prior": np.full(len(score), share)}
        if overall:
            return Table(rank=np.arange(1, len(node) + 1), source=names[node], target=names[partner], **figures)
        # Partners of a node are consecutive: a rank is the position among them.
        starts = np.flatnonzero(np.r_[True, node[1:] != node[:-1]]) if len(node) else node
        rank = np.arange(len(node)) - np.repeat(starts, np.diff(np.r_[starts, len(node)])) + 1
        return Table(node=names[node], rank=rank, partner=names[partner], **figures)

    def evaluate(
        self,
        pairs: Any,
        *,
        k: int = 20,
        graph: GraphLike | None = None,
        all_edges: bool = True,
        n_jobs: int | None = None,
    ) -> dict[str, float]:
        """Measure the ranking of items for users on held-out edges of a bipartite graph.

        Parameters
        ----------
        pairs
            Held-out edges: an array of two columns or a sequence of pairs, as in :meth:`link_scores`. Edges
            that the model uses must not be among them.
        k
            Length of the lists. Known edges are left out of them.
        graph
            A newer graph, in any form that :meth:`Graph.of` accepts. Nodes are identified by their names. None:
            the graph that the model was fitted on.
        all_edges
            Whether the model uses all edges of its graph. If False, it uses only the training edges. False is
            not allowed together with `graph`.
        n_jobs
            Number of threads; results do not depend on it. None and -1: one per core.

        Returns
        -------
        dict
            ``recall``, ``ndcg`` and ``hit_rate``, means over the ``nodes`` of the first side that have held-out
            edges, the number of these ``edges``, and ``k``.
        """
        k = integer(k, "k")
        if k < 1:
            raise ValueError(f"invalid `k`: {k} (need at least 1)")
        known, scorer = self._scorer(graph, n_jobs, all_edges, True)
        found: dict[str, float] = json.loads(scorer.evaluate(_pairs(known, pairs), k, how(n_jobs, None)))
        return found

    def vectors(self, *, graph: GraphLike | None = None, n_jobs: int | None = None) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return vectors of the nodes for a vector store.

        Parameters
        ----------
        graph
            A newer graph, in any form that :meth:`Graph.of` accepts. Nodes are identified by their names. None:
            the graph that the model was fitted on.
        n_jobs
            Number of threads; results do not depend on it. None and -1: one per core.

        Returns
        -------
        tuple
            Queries and keys, one row per node each. The inner product of a query and a key is the score of the
            pair without component X and without the intercept.
        """
        _, scorer = self._scorer(graph, n_jobs, True)
        queries, keys = scorer.vectors(how(n_jobs, None))
        return queries, keys

    @property
    def target(self) -> str | None:
        """Kind of the target of a model for nodes: ``classes``, ``numbers`` or ``labels``; None for other models."""
        return self._native.target_kind

    @property
    def label_names(self) -> list[str] | None:
        """Names of the labels, if the target is labels."""
        known = self._native.labels
        return None if known is None else known[0]

    @property
    def threshold(self) -> float | None:
        """Probability from which a label is predicted, if the target is labels; chosen on validation nodes."""
        known = self._native.labels
        return None if known is None else known[1]

    def node_values(self, *, graph: GraphLike | None = None, n_jobs: int | None = None) -> Table:
        """Return the predicted numbers of every node, with 95 % intervals.

        Parameters
        ----------
        graph
            A newer graph, in any form that :meth:`Graph.of` accepts. Nodes are identified by their names. None:
            the graph that the model was fitted on.
        n_jobs
            Number of threads; results do not depend on it. None and -1: one per core.

        Returns
        -------
        Table
            One row per node, with the columns ``value`` (expected), ``median``, ``low`` and ``high``, on the scale of
            the target.
        """
        newer = None if graph is None or graph is self._graph else Graph.of(graph)._native
        found = self._native.numbers(newer, how(n_jobs, None, notices=True))
        return Table(value=found[:, 0], median=found[:, 1], low=found[:, 2], high=found[:, 3])

    def node_probabilities(self, *, graph: GraphLike | None = None, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the probabilities of the classes, or of the labels, for every node.

        Parameters
        ----------
        graph
            A newer graph, in any form that :meth:`Graph.of` accepts. Nodes are identified by their names. None:
            the graph that the model was fitted on.
        n_jobs
            Number of threads; results do not depend on it. None and -1: one per core.

        Returns
        -------
        ndarray
            One row per node, with columns as in :attr:`classes` or :attr:`label_names`.
        """
        return self._nodes(graph, n_jobs)[1]

    def node_scores(self, *, graph: GraphLike | None = None, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the scores of the classes for every node: log-odds before calibration.

        Parameters
        ----------
        graph
            A newer graph, in any form that :meth:`Graph.of` accepts. Nodes are identified by their names. None:
            the graph that the model was fitted on.
        n_jobs
            Number of threads; results do not depend on it. None and -1: one per core.

        Returns
        -------
        ndarray
            One row per node, with columns as in :attr:`classes`.
        """
        return self._nodes(graph, n_jobs)[0]

    def _nodes(self, graph: GraphLike | None, n_jobs: int | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        newer = None if graph is None or graph is self._graph else Graph.of(graph)._native
        if self.target == "labels":
            return self._native.label_sets(newer, how(n_jobs, None, notices=True))
        return self._native.nodes(newer, how(n_jobs, None, notices=True))

    @property
    def classes(self) -> NDArray[Any]:
        """Names of the classes of a model for nodes."""
        import numpy as np

        names = self._native.classes
        if names is None and self.target is not None:
            raise ValueError(f"model: its target is {self.target}, not classes")
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


def _reached(scorer: _native.Scorer, prior: float) -> float:
    """Return a prior, with a warning if the calibration does not reach it."""
    share = _prior(prior)
    negatives = scorer.extrapolates(share)
    if negatives is not None:
        warn(f"probabilities at a prior of {share:.1e} are extrapolated: they were calibrated on {negatives} non-edges")
    return share


def _pairs(graph: Graph, pairs: Any) -> NDArray[np.int64]:
    """Return pairs of nodes as an array of two columns of node numbers."""
    numbers = graph.numbers_of(pairs)
    if numbers.size == 0:
        numbers = numbers.reshape(0, 2)
    if numbers.ndim != 2 or numbers.shape[1] != 2:
        turned = "; use `.T` for an edge index" if numbers.ndim == 2 and numbers.shape[0] == 2 else ""
        raise ValueError(f"invalid `pairs`: an array of shape {numbers.shape} (need two columns, one row per pair{turned})")
    return numbers
