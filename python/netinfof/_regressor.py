"""An estimator for numeric targets of nodes. It takes a graph, or features of nodes with numbers and edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from . import _convert, _selection
from ._estimators import UNCHANGED, Request
from ._graph import Graph, GraphLike
from ._model import Model
from ._node_estimators import NodeEstimator, check_undirected, is_rows, one_column
from ._options import Progress, RandomState
from ._result import Result
from ._table import Table
from ._tasks import _run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._splits import SplitLike


class NodeRegressor(NodeEstimator):
    """Predict numbers of nodes.

    A target with a heavy tail is transformed before the fit; predictions and metrics are on its own scale.
    Nodes whose number is unknown (NaN) are predicted, too.

    Parameters
    ----------
    components
        Built-in components, as a string (``"U,F,S"``) or as names (``["U", "F", "S"]``). A mapping
        ``{"name": array}`` adds components of your own to the default ones; see
        :meth:`Graph.with_components`. None: U, R, F, P, S, S5, C, and L if features are words.
    dim
        Dimension of the embedding of each component.
    train
        Share of the nodes of known target in the training set.
    valid
        Share of the nodes of known target in the validation set. The remaining ones are the test set.
    walk_trials
        Number of random walks from every node, for component R.
    steps
        Number of propagation steps of P and S.
    normalization
        Normalisation of the embeddings: ``"rows"`` to length 1, ``"columns"`` to standard deviation 1,
        ``"both"``, ``"none"``, or ``"by-kind"``: rows, except for tables of few columns. None:
        ``"by-kind"``.
    split
        A split of your own: a :class:`NodeSplit`, ``"masks"`` for the masks of the graph, or the path of
        a file (docs/formats.md). ``"random"``: nodes are split at random. None: by the masks, if the graph
        has three and `train` and `valid` have their defaults; else at random.
    graph
        A graph of which samples are nodes, for model selection: then `fit`, `predict` and `score` take
        nodes of this graph. None: they take a graph, or the features of its nodes.
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
        Metrics on the test nodes: ``r2``, ``mae``, ``rmse`` and ``spearman``; if the target was transformed,
        also ``r2_transformed``.
    n_features_in_
        Number of feature columns.
    feature_names_in_
        Names of the feature columns. Only set if `fit` was given a frame with string column names.

    Examples
    --------
    >>> import netinfof, numpy as np
    >>> demo = netinfof.Graph.of("synth:demo")
    >>> model = netinfof.NodeRegressor().fit(demo, y=np.sin(demo.y))
    >>> model.predict().shape, model.test_["r2"] > 0.5
    ((1200,), True)
    """

    result_: Result
    model_: Model
    weights_: Table
    information_: Table
    test_: dict[str, float]
    _target = "numbers"

    _ROUTED = {"fit": ("edge_index",), "predict": ("edge_index",), "score": ("edge_index", "sample_weight")}

    def __init__(
        self,
        *,
        components: str | Iterable[str] | Mapping[str, Any] | None = None,
        dim: int = 128,
        train: float = 0.8,
        valid: float = 0.1,
        walk_trials: int = 200,
        steps: int = 2,
        normalization: Literal["none", "rows", "columns", "both", "by-kind"] | None = None,
        split: SplitLike | None = None,
        graph: GraphLike | None = None,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.components = components
        self.dim = dim
        self.train = train
        self.valid = valid
        self.walk_trials = walk_trials
        self.steps = steps
        self.normalization = normalization
        self.split = split
        self.graph = graph
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def _target_of(self, y: Any, rows: int) -> Any:
        """Return the target for rows of features, with the checks of scikit-learn."""
        import numpy as np

        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        found = one_column(_convert.array(y))
        if found.ndim != 1:
            raise ValueError(f"y should be a 1d array, got an array of shape {found.shape} instead.")
        if len(found) != rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, len(found)]}")
        found = found.astype(np.float64)
        if np.isinf(found).any():
            raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
        known = int((~np.isnan(found)).sum())
        if known < 20:
            raise ValueError(f"n_samples = {known} is too small (need at least 20 nodes of known target to train, validate and test)")
        return found

    def fit(self, X: GraphLike, y: Any = None, *, edge_index: Any = None) -> NodeRegressor:
        """Fit the model to the numbers of nodes.

        Parameters
        ----------
        X
            A graph in any form that :meth:`Graph.of` accepts, or the features of the nodes: an array, a
            sparse matrix or a frame with one row per node.
        y
            Numbers of the nodes, one per row; NaN is unknown. None: the numeric target of the graph.
        edge_index
            Edges between the rows of `X`, if `X` holds features: two rows of node numbers, or a list of
            edges. Without them the graph has no edges, and a warning says so.

        Returns
        -------
        self
            The fitted estimator.
        """
        if self.graph is None:
            graph, names = self._graph(X, y, edge_index, fit=True, labels=True)
        else:
            self._no_edges(edge_index)
            graph, names = _selection.labelled(Graph.of(self.graph), X, y, self._target, type(self).__name__), None
        check_undirected(graph)
        if graph.target != "numbers":
            raise ValueError(f"invalid `y`: None (need numbers; the target of the graph is {graph.target or 'unknown'})")
        result = _run(graph, "nodes", True, self.split, self.random_state, self.n_jobs, self.progress, self._options(), given=self._given())
        assert result.model is not None
        self._forget()
        self.result_ = result
        self.model_ = result.model
        self.weights_ = result.weights
        self.information_ = result.information
        self.test_ = result.test
        self._set_columns(graph, names)
        return self

    def predict(self, X: GraphLike | None = None, *, edge_index: Any = None) -> NDArray[np.float64]:
        """Return the predicted number of every node: its expected value.

        Parameters
        ----------
        X
            A newer graph, or the features of its nodes. None: the graph that was fitted. With the parameter
            `graph`: nodes of it, or a newer graph.
        edge_index
            Edges between the rows of `X`, if `X` holds features: two rows of node numbers, or a list of
            edges. Required if the model was fitted with edges; ``[[], []]`` means no edges.

        Returns
        -------
        ndarray
            One number per node. :meth:`Model.node_values` also returns intervals.
        """
        self._check_fitted()
        rows = self._chosen_rows(X, edge_index)
        newer = None if X is None or rows is not None else self._graph(X, None, edge_index, fit=False, labels=False)[0]
        found: NDArray[np.float64] = self.model_.node_values(graph=newer, n_jobs=self.n_jobs)["value"]
        return found if rows is None else found[rows]

    def score(self, X: GraphLike | None = None, y: Any = None, *, edge_index: Any = None, sample_weight: Any = None) -> float:
        """Return R² on the nodes of known target.

        Without `X` and `y` it is R² on the test nodes of `fit`.

        Parameters
        ----------
        X
            A newer graph, or the features of its nodes. None: the graph that was fitted. With the parameter
            `graph`: nodes of it, or a newer graph.
        y
            True numbers of the nodes; NaN is unknown. None: the target of the graph.
        edge_index
            Edges between the rows of `X`, if `X` holds features: two rows of node numbers, or a list of
            edges. Required if the model was fitted with edges; ``[[], []]`` means no edges.
        sample_weight
            Weights of the nodes, one per value of `y`. None: equal.

        Returns
        -------
        float
            Share of the variance that is explained.
        """
        import numpy as np

        self._check_fitted()
        if X is None and y is None:
            if sample_weight is not None:
                raise ValueError("invalid `sample_weight`: given without `y` (need the nodes and numbers that it weights)")
            return self.test_["r2"]
        found = self.predict(X, edge_index=edge_index)
        if y is None:
            if is_rows(X):
                raise ValueError("invalid `y`: None (need numbers if `X` holds features)")
            y = Graph.of(X).y
        truth = np.asarray([np.nan] if y is None else y, np.float64).reshape(-1)
        if len(truth) != len(found):
            raise ValueError(f"invalid `y`: a sequence of length {len(truth)} (need one number per node, {len(found)} in all)")
        weight = np.ones(len(found)) if sample_weight is None else _convert.array(sample_weight).reshape(-1)
        if len(weight) != len(found):
            raise ValueError(f"invalid `sample_weight`: a sequence of length {len(weight)} (need one weight per node, {len(found)} in all)")
        known = ~np.isnan(truth)
        truth, found, weight = truth[known], found[known], weight[known]
        errors = (weight * (truth - found) ** 2).sum()
        variance = (weight * (truth - np.average(truth, weights=weight)) ** 2).sum()
        return float(1 - errors / variance) if variance > 0 else 0.0

    def set_fit_request(self, *, edge_index: Request = UNCHANGED) -> NodeRegressor:
        """Set which keywords the metadata routing of scikit-learn passes on to :meth:`fit`.

        Parameters
        ----------
        edge_index
            True: it is passed on. False: it is not. None: an error if it is given. A string: its name.

        Returns
        -------
        self
            The estimator.
        """
        return self._request("fit", edge_index=edge_index)

    def set_predict_request(self, *, edge_index: Request = UNCHANGED) -> NodeRegressor:
        """Set which keywords the metadata routing of scikit-learn passes on to :meth:`predict`.

        Parameters
        ----------
        edge_index
            True: it is passed on. False: it is not. None: an error if it is given. A string: its name.

        Returns
        -------
        self
            The estimator.
        """
        return self._request("predict", edge_index=edge_index)

    def set_score_request(self, *, edge_index: Request = UNCHANGED, sample_weight: Request = UNCHANGED) -> NodeRegressor:
        """Set which keywords the metadata routing of scikit-learn passes on to :meth:`score`.

        Parameters
        ----------
        edge_index
            True: it is passed on. False: it is not. None: an error if it is given. A string: its name.
        sample_weight
            True: it is passed on. False: it is not. None: an error if it is given. A string: its name.

        Returns
        -------
        self
            The estimator.
        """
        return self._request("score", edge_index=edge_index, sample_weight=sample_weight)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import RegressorTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags()
        tags.target_tags.required = True
        return tags
