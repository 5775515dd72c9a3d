"""Estimators for links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from . import _convert, _selection
from ._estimators import Estimator, ProbeEstimator
from ._graph import Graph, GraphLike
from ._model import Model
from ._options import Progress, RandomState, how
from ._result import Result
from ._table import Table
from ._tasks import _run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._splits import SplitLike


class LinkProbe(ProbeEstimator):
    """Measure how much information a graph carries about its links.

    Parameters
    ----------
    components
        Built-in components, as a string (``"U,F,S"``) or as names (``["U", "F", "S"]``). A mapping
        ``{"name": array}`` adds components of your own to the default ones; see
        :meth:`Graph.with_components`. None: U, R, F, P, S, D, X, or U, R, F, P, S in the paper protocol.
    dim
        Dimension of the embedding of each component.
    protocol
        How negatives are drawn: verified non-edges (``"clean"``), or unverified random pairs as in the
        paper's published code (``"paper"``). Results of the two are not comparable.
    negatives
        Non-edges that edges are compared with: uniform, degree-matched (``"degree"``), or hard, 500 per
        edge (``"heart"``).
    train
        Share of the edges in the training set.
    valid
        Share of the edges in the validation set. The remaining edges are the test set.
    splits
        Number of splits, with consecutive seeds. None: 5 up to 25 000 edges, fewer up to 62 500, else 1;
        1 with `split`.
    compat
        Compatibility matrix: ``"none"``, ``"h"`` (H, by ridge regression) or ``"hstar"`` (H*, refitted
        on edges and non-edges). None: ``"hstar"``.
    walk_trials
        Number of random walks from every node, for component R.
    steps
        Number of propagation steps of P and S.
    bins
        Number of similarity bins.
    crossfit
        Number of folds of cross-fitting; 0 turns it off. None: 5, or 0 in the paper protocol.
    smallest_gain
        Smallest gain worth having, as a share of the target's entropy: the verdict ignores smaller gains.
    split
        A split of your own: a :class:`LinkSplit`, or the path of a file (docs/formats.md). None: edges
        are split at random.
    random_state
        Seed, or a generator of NumPy that draws one. None is seed 0. The same seed gives the same
        result.
    n_jobs
        Number of threads; results do not depend on it. None and -1: one per core.
    progress
        True for a progress bar (of tqdm, if it is installed), or a callable that receives the stage, the
        steps done and the total number of steps. An exception that it raises stops the run.

    Attributes
    ----------
    result_
        The whole result of the run, a :class:`Result`.
    scores_
        NetInfoF scores, one row per component; see :attr:`Result.scores`.
    verdict_
        The verdict: whether a GNN should help, and why.
    n_features_in_
        Number of feature columns of the graph.

    Examples
    --------
    >>> import netinfof
    >>> probe = netinfof.LinkProbe(components="R,F,S").fit("synth:demo")
    >>> probe.scores_["component"], probe.verdict_.kind
    (['R', 'F', 'S'], 'structure')
    """

    _task = "links"

    def __init__(
        self,
        *,
        components: str | Iterable[str] | Mapping[str, Any] | None = None,
        dim: int = 128,
        protocol: Literal["clean", "paper"] = "clean",
        negatives: Literal["uniform", "degree", "heart"] = "uniform",
        train: float = 0.7,
        valid: float = 0.1,
        splits: int | None = None,
        compat: Literal["none", "h", "hstar"] | None = None,
        walk_trials: int = 200,
        steps: int = 2,
        bins: int = 8,
        crossfit: int | None = None,
        smallest_gain: float = 0.05,
        split: SplitLike | None = None,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.components = components
        self.dim = dim
        self.protocol = protocol
        self.negatives = negatives
        self.train = train
        self.valid = valid
        self.splits = splits
        self.compat = compat
        self.walk_trials = walk_trials
        self.steps = steps
        self.bins = bins
        self.crossfit = crossfit
        self.smallest_gain = smallest_gain
        self.split = split
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: GraphLike, y: object = None) -> LinkProbe:
        """Measure a graph.

        Parameters
        ----------
        X
            A graph in any form that :meth:`Graph.of` accepts.
        y
            Ignored; part of the scikit-learn API.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._probe(Graph.of(X), self.split)
        return self


class LinkPredictor(Estimator):
    """Predict links and recommend partners.

    `fit` splits the edges into training, validation and test edges. It chooses the model on validation edges
    and evaluates it on test edges.

    Parameters
    ----------
    components
        Built-in components, as a string (``"U,F,S"``) or as names (``["U", "F", "S"]``). A mapping
        ``{"name": array}`` adds components of your own to the default ones; see
        :meth:`Graph.with_components`. None: U, R, F, P, S, D, X, or U, R, F, P, S in the paper protocol.
    dim
        Dimension of the embedding of each component.
    protocol
        How negatives are drawn: verified non-edges (``"clean"``), or unverified random pairs as in the
        paper's published code (``"paper"``). Results of the two are not comparable.
    negatives
        Non-edges that edges are compared with: uniform, degree-matched (``"degree"``), or hard, 500 per
        edge (``"heart"``).
    train
        Share of the edges in the training set.
    valid
        Share of the edges in the validation set. The remaining edges are the test set.
    compat
        Compatibility matrix: ``"none"``, ``"h"`` (H, by ridge regression) or ``"hstar"`` (H*, refitted
        on edges and non-edges). None: ``"hstar"``.
    walk_trials
        Number of random walks from every node, for component R.
    steps
        Number of propagation steps of P and S.
    crossfit
        Number of folds of cross-fitting; 0 turns it off. None: 5, or 0 in the paper protocol.
    train_negatives
        Negatives per training edge. None: 3, or 1 in the paper protocol.
    max_pairs
        Largest number of training pairs. None: 300 000, or 600 000 in the paper protocol.
    keep_lengths
        Whether the rows of embeddings keep their lengths, which grow with the degree. By default they are
        scaled to length 1, as in the paper.
    ordered_pairs
        Whether the features of a pair depend on the order of its nodes, as in the paper. By default they
        are symmetric.
    hits
        The K of Hits@K. None: 100, or less on small graphs; 10 with hard negatives.
    prior
        Share of edges among the pairs to be scored; probabilities refer to it. None: 0.5 in
        :meth:`predict_proba`, as among the test pairs, and the density of the graph in :meth:`recommend`.
        With `graph`: the share of edges among the pairs of `fit`.
    split
        A split of your own: a :class:`LinkSplit`, or the path of a file (docs/formats.md). None: edges
        are split at random.
    graph
        The nodes of which samples are pairs, for model selection: then `fit` takes pairs and whether they
        are edges. Of this graph only nodes, features and sides are used, and no edges, because they would
        include those of other folds. None: `fit` takes a graph.
    random_state
        Seed, or a generator of NumPy that draws one. None is seed 0. The same seed gives the same
        result.
    n_jobs
        Number of threads; results do not depend on it. None and -1: one per core.
    progress
        True for a progress bar (of tqdm, if it is installed), or a callable that receives the stage, the
        steps done and the total number of steps. An exception that it raises stops the run.

    Attributes
    ----------
    result_
        The whole result of the run, a :class:`Result`.
    model_
        The fitted :class:`Model`, which can be saved and used by the command.
    weights_
        Weights of the components in the model, see :attr:`Result.weights`.
    information_
        Predictive information of the components, see :attr:`Result.information`.
    test_
        Metrics on the test pairs: ``hits@K``, ``auc``, ``ap`` and ``mrr``.
    prior_
        Share of edges among pairs at which the probabilities of :meth:`predict_proba` hold: `prior`, or 0.5, or
        with `graph` the share among the pairs of `fit`.
    classes_
        0 (no edge) and 1 (edge).
    n_features_in_
        Number of feature columns of the graph.

    Examples
    --------
    >>> import netinfof
    >>> model = netinfof.LinkPredictor().fit("synth:demo")
    >>> model.predict_proba([(0, 1), (0, 2)]).shape
    (2, 2)
    >>> list(model.recommend([5], k=3))
    ['node', 'rank', 'partner', 'score', 'probability', 'prior']
    """

    result_: Result
    model_: Model
    weights_: Table
    information_: Table
    test_: dict[str, float]
    classes_: NDArray[np.int64]
    n_features_in_: int

    def __init__(
        self,
        *,
        components: str | Iterable[str] | Mapping[str, Any] | None = None,
        dim: int = 128,
        protocol: Literal["clean", "paper"] = "clean",
        negatives: Literal["uniform", "degree", "heart"] = "uniform",
        train: float = 0.7,
        valid: float = 0.1,
        compat: Literal["none", "h", "hstar"] | None = None,
        walk_trials: int = 200,
        steps: int = 2,
        crossfit: int | None = None,
        train_negatives: int | None = None,
        max_pairs: int | None = None,
        keep_lengths: bool = False,
        ordered_pairs: bool = False,
        hits: int | None = None,
        prior: float | None = None,
        split: SplitLike | None = None,
        graph: GraphLike | None = None,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.components = components
        self.dim = dim
        self.protocol = protocol
        self.negatives = negatives
        self.train = train
        self.valid = valid
        self.compat = compat
        self.walk_trials = walk_trials
        self.steps = steps
        self.crossfit = crossfit
        self.train_negatives = train_negatives
        self.max_pairs = max_pairs
        self.keep_lengths = keep_lengths
        self.ordered_pairs = ordered_pairs
        self.hits = hits
        self.prior = prior
        self.split = split
        self.graph = graph
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def _options(self) -> dict[str, Any]:
        options = super()._options()
        del options["prior"]
        return options

    def fit(self, X: Any, y: Any = None) -> LinkPredictor:
        """Fit the model to the links of a graph.

        Parameters
        ----------
        X
            A graph in any form that :meth:`Graph.of` accepts. With the parameter `graph`: pairs of its
            nodes.
        y
            With the parameter `graph`: 1 for each pair that is an edge, 0 for others. The edges are split
            into training, validation and test edges; the other pairs are negatives of the last two, and
            negatives are drawn if there are none. Without `graph`: None.

        Returns
        -------
        self
            The fitted estimator.
        """
        import numpy as np

        split, prior = self.split, 0.5
        if self.graph is None:
            if y is not None:
                raise ValueError("invalid `y`: given without the parameter `graph` (need LinkPredictor(graph=...) to fit pairs; a graph has its edges)")
            graph = Graph.of(X)
        else:
            if split is not None:
                raise ValueError("invalid `split`: given together with the parameter `graph` (need the pairs of `fit`, which are split)")
            graph = Graph.of(self.graph)
            split, prior = _selection.split_of(graph, X, y, (self.train, self.valid), self.random_state, type(self).__name__)
            edges = np.concatenate([split.train, split.valid, split.test])
            graph = graph._like(graph._native.with_edges(edges, how(self.n_jobs, None)))
        given = [] if self.graph is not None else self._given()
        result = _run(graph, "links", True, split, self.random_state, self.n_jobs, self.progress, self._options(), given=given)
        assert result.model is not None
        self._forget()
        self.result_ = result
        self.model_ = result.model
        self.weights_ = result.weights
        self.information_ = result.information
        self.test_ = result.test
        self.classes_ = np.array([0, 1])
        self._share = prior
        self.n_features_in_ = graph.num_features
        return self

    def decision_function(self, X: Any, *, all_edges: bool | None = None, graph: GraphLike | None = None) -> NDArray[np.float64]:
        """Return the calibrated log-odds of an edge for every pair.

        Parameters
        ----------
        X
            Pairs of different nodes: an array of two columns or a sequence of pairs, with the names of the
            nodes, or node numbers if the nodes have no names.
        all_edges
            Whether the model uses all known edges, as :meth:`recommend` does. None: only the training edges, as
            in its test; all edges of `fit` if the estimator has a `graph`. Not together with a newer graph.
        graph
            A newer graph, in any form that :meth:`Graph.of` accepts. Nodes are identified by their names. None:
            the graph that the model was fitted on.

        Returns
        -------
        ndarray
            One value per pair, above 0 if an edge is more likely than no edge.
        """
        self._check_fitted()
        return self.model_._log_odds(X, self.prior_, graph, self._all(all_edges, graph), self.n_jobs)

    def predict_proba(self, X: Any, *, all_edges: bool | None = None, graph: GraphLike | None = None) -> NDArray[np.float64]:
        """Return the probabilities of no edge and of an edge for every pair.

        They hold for pairs of which the share ``prior_`` are edges. Among all pairs of a graph edges are much
        rarer, and so are their probabilities.

        Known edges are scored like other pairs, although the model has seen them; :meth:`recommend` leaves them
        out. A node paired with itself is an error; :meth:`recommend` never returns it.

        Parameters
        ----------
        X
            Pairs of different nodes: an array of two columns or a sequence of pairs, with the names of the
            nodes, or node numbers if the nodes have no names.
        all_edges
            Whether the model uses all known edges, as :meth:`recommend` does. None: only the training edges, as
            in its test; all edges of `fit` if the estimator has a `graph`. Not together with a newer graph.
        graph
            A newer graph, in any form that :meth:`Graph.of` accepts. Nodes are identified by their names. None:
            the graph that the model was fitted on.

        Returns
        -------
        ndarray
            One row per pair, with columns as in ``classes_``.
        """
        import numpy as np

        self._check_fitted()
        edge = self.model_.link_probabilities(X, prior=self.prior_, graph=graph, all_edges=self._all(all_edges, graph), n_jobs=self.n_jobs)
        return np.stack([1 - edge, edge], axis=1)

    def predict(self, X: Any, *, all_edges: bool | None = None, graph: GraphLike | None = None) -> NDArray[np.int64]:
        """Predict whether pairs are edges.

        Parameters
        ----------
        X
            Pairs of different nodes: an array of two columns or a sequence of pairs, with the names of the
            nodes, or node numbers if the nodes have no names.
        all_edges
            Whether the model uses all known edges, as :meth:`recommend` does. None: only the training edges, as
            in its test; all edges of `fit` if the estimator has a `graph`. Not together with a newer graph.
        graph
            A newer graph, in any form that :meth:`Graph.of` accepts. Nodes are identified by their names. None:
            the graph that the model was fitted on.

        Returns
        -------
        ndarray
            1 for each pair for which an edge is more likely than no edge, else 0.
        """
        found: NDArray[Any] = self.decision_function(X, all_edges=all_edges, graph=graph) > 0
        return found.astype(int)

    def recommend(
        self,
        nodes: Any = None,
        *,
        k: int = 10,
        exclude_known: bool = True,
        overall: bool = False,
        pool: int | None = None,
        all_edges: bool = True,
        graph: GraphLike | None = None,
    ) -> Table:
        """Return the likeliest partners of nodes, or the likeliest pairs of the graph.

        By default the model uses all known edges, including held-out ones. For the same probabilities from
        :meth:`predict_proba`, set `prior` and pass ``all_edges=True``.

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
        all_edges
            Whether the model uses all known edges. If False, it uses only the training edges. False is not
            allowed together with `graph`.
        graph
            A newer graph, in any form that :meth:`Graph.of` accepts. Nodes are identified by their names. None:
            the graph that the model was fitted on.

        Returns
        -------
        Table
            The likeliest first; columns as in :meth:`Model.recommend`.
        """
        self._check_fitted()
        return self.model_.recommend(
            nodes,
            k=k,
            exclude_known=exclude_known,
            overall=overall,
            pool=pool,
            prior=self.prior,
            all_edges=all_edges,
            graph=graph,
            n_jobs=self.n_jobs,
            progress=self.progress,
        )

    def _all(self, all_edges: bool | None, newer: Any) -> bool:
        """Return whether predictions use all edges of `fit`: pairs of other folds are not among them."""
        return self.graph is not None and newer is None if all_edges is None else all_edges

    @property
    def prior_(self) -> float:
        """Share of edges among pairs at which the probabilities of :meth:`predict_proba` hold."""
        self._check_fitted()
        return self._share if self.prior is None else self.prior

    def score(self, X: Any = None, y: Any = None) -> float:
        """Return the area under the ROC curve.

        Parameters
        ----------
        X
            Pairs of nodes. None: the test pairs of `fit`.
        y
            1 for edges and 0 for other pairs, one value per pair.

        Returns
        -------
        float
            The area under the ROC curve; ties count one half.
        """
        from ._metrics import auc

        self._check_fitted()
        if X is None:
            return self.test_["auc"]
        scores, truth = self.decision_function(X), _convert.array(y).reshape(-1) > 0
        if len(truth) != len(scores):
            raise ValueError(f"invalid `y`: a sequence of length {len(truth)} (need one label per pair, {len(scores)} in all)")
        return auc(scores[truth], scores[~truth])

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags
