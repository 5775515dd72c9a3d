"""Estimators of links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from . import _convert
from ._estimators import Estimator, ProbeEstimator
from ._graph import Graph, GraphLike
from ._model import Model
from ._options import Progress, RandomState
from ._result import Result
from ._table import Table
from ._tasks import _run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._splits import SplitLike


class LinkProbe(ProbeEstimator):
    """Measures what a graph knows about its links.

    >>> import netinfof
    >>> probe = netinfof.LinkProbe(components="R,F,S").fit("synth:demo")
    >>> probe.scores_["component"], probe.verdict_.kind
    (['R', 'F', 'S'], 'structure')

    Parameters are those of :func:`probe`; None stands for the default.
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
        self.split = split
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: GraphLike, y: object = None) -> LinkProbe:
        """Measures a graph; `y` is not looked at."""
        self._probe(Graph.of(X), self.split)
        return self


class LinkPredictor(Estimator):
    """Predicts links and recommends partners.

    >>> import netinfof
    >>> model = netinfof.LinkPredictor().fit("synth:demo")
    >>> model.predict_proba([(0, 1), (0, 2)]).shape
    (2, 2)
    >>> list(model.recommend([5], k=3))
    ['node', 'rank', 'partner', 'score', 'probability', 'prior']

    `fit` holds edges out, chooses on some and tests on others (`train` and `valid` are shares of the edges); the test metrics are in ``test_``.
    Pairs are rows of two different nodes, by their names in the graph. Other parameters are those of :func:`act`; `prior` is the share of edges
    among the pairs that one asks about, which probabilities depend on: by default half for `predict_proba`, as among test pairs, and the
    density of the graph for `recommend`.
    """

    #: Everything that was found.
    result_: Result
    #: The model, for files and for the command.
    model_: Model
    #: Metrics on held-out pairs.
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
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def _options(self) -> dict[str, Any]:
        options = super()._options()
        del options["prior"]
        return options

    def fit(self, X: GraphLike, y: object = None) -> LinkPredictor:
        """Learns the links of a graph; `y` is not looked at."""
        import numpy as np

        graph = Graph.of(X)
        result = _run(graph, "links", True, self.split, self.random_state, self.n_jobs, self.progress, self._options())
        assert result.model is not None
        self._forget()
        self.result_ = result
        self.model_ = result.model
        self.test_ = result.test
        self.classes_ = np.array([0, 1])
        self.n_features_in_ = graph.num_features
        return self

    def decision_function(self, X: Any, *, all_edges: bool = False, graph: GraphLike | None = None) -> NDArray[np.float64]:
        """Calibrated log-odds of an edge for every pair: above 0 where an edge is more likely than none.

        Without `all_edges` the model sees its training edges alone, as it did when it was tested; with it, all that are known, as
        :meth:`recommend` does.
        """
        self._check_fitted()
        return self.model_._log_odds(X, self._test_prior(), graph, all_edges, self.n_jobs)

    def predict_proba(self, X: Any, *, all_edges: bool = False, graph: GraphLike | None = None) -> NDArray[np.float64]:
        """Probabilities of no edge and of an edge for every pair, where the share `prior` of such pairs are edges."""
        import numpy as np

        self._check_fitted()
        edge = self.model_.link_probabilities(X, prior=self._test_prior(), graph=graph, all_edges=all_edges, n_jobs=self.n_jobs)
        return np.stack([1 - edge, edge], axis=1)

    def predict(self, X: Any, *, all_edges: bool = False, graph: GraphLike | None = None) -> NDArray[np.int64]:
        """1 where an edge is more likely than none."""
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
        """The `k` likeliest partners of nodes (of all without any), best first; with `overall` the `k` likeliest pairs of all.

        All known edges are seen, those that were held out too: `predict_proba` says the same with ``all_edges=True``. See :meth:`Model.recommend`.
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

    def _test_prior(self) -> float:
        """The share of edges that predictions hold for: half, as among test pairs, unless another was given."""
        return 0.5 if self.prior is None else self.prior

    def score(self, X: Any = None, y: Any = None) -> float:
        """Area under the ROC curve for pairs `X` with `y` 1 for edges and 0 for others; for the held-out test pairs without them."""
        from ._metrics import auc

        self._check_fitted()
        if X is None:
            return self.test_["auc"]
        scores, truth = self.decision_function(X), _convert.array(y).reshape(-1) > 0
        if len(truth) != len(scores):
            raise ValueError(f"invalid `y`: {len(truth)} labels (need one for each of the {len(scores)} pairs)")
        return auc(scores[truth], scores[~truth])

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags
