"""Estimators for nodes. They take a graph, or features of nodes with classes and edges."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from . import _convert, _native, _selection
from ._arrays import _is_continuous, object_array
from ._estimators import UNCHANGED, Estimator, ProbeEstimator, Request
from ._graph import Graph, GraphLike
from ._model import Model
from ._options import Progress, RandomState, how, own_components, warn, words
from ._result import Result
from ._table import Table
from ._tasks import _run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._splits import SplitLike


class _OfNodes(Estimator):
    """Base class of the estimators that take a graph, or features of nodes."""

    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def _graph(self, X: Any, y: Any, edge_index: Any, *, fit: bool, labels: bool) -> tuple[Graph, Any]:
        """Return the graph to use, and the names of its features, if any."""
        if not _is_rows(X):
            if edge_index is not None:
                raise ValueError("invalid `edge_index`: given together with a graph (need it only with features)")
            graph = Graph.of(X)
            if y is not None and labels:
                graph = graph._with_target(y, self._target)
            if not fit and graph.num_features != self.n_features_in_ and graph.num_features:
                raise ValueError(self._width(graph.num_features))
            return graph, None
        rows, names = self._rows(X)
        if fit and labels:
            y = self._target_of(y, rows.shape[0])
        if not fit:
            self._check_columns(rows.shape[1], names)
        self._check_edges(edge_index, fit)
        source, target = _convert.ends([[], []] if edge_index is None else edge_index)
        parts = _convert.Parts(source, target, rows.shape[0], rows, y if labels else None, target_kind=self._target)
        # The rows are the fitted nodes only if all values are equal; the same number of rows is not enough.
        known = fit or _same_rows(rows, self._fitted_graph().x)
        return Graph._of_parts(parts._replace(unknown_nodes=not known), "features"), names

    #: Kind of the target; None: it follows from the values.
    _target: str | None = None

    def _target_of(self, y: Any, rows: int) -> Any:
        """Return the target for rows of features, with the checks of scikit-learn."""
        return _classes_of(y, rows, type(self).__name__)

    def _fitted_graph(self) -> Graph:
        model: Model = getattr(self, "model_")
        return model.graph

    def _chosen_rows(self, X: Any, edge_index: Any) -> NDArray[np.int64] | None:
        """Return the node numbers of samples if the graph is a parameter; None if `X` is a graph or holds features."""
        if getattr(self, "graph", None) is None or X is None or not _is_rows(X):
            return None
        self._no_edges(edge_index)
        return _selection.rows_of(self._fitted_graph(), X)

    def _no_edges(self, edge_index: Any) -> None:
        if edge_index is not None:
            raise ValueError("invalid `edge_index`: given together with the parameter `graph`, which has the edges")

    def _check_edges(self, edge_index: Any, fit: bool) -> None:
        if edge_index is not None:
            return
        if fit:
            warn(f"{type(self).__name__} was given features without an edge_index: the graph has no edges")
        elif self._fitted_graph().num_edges:
            raise ValueError("invalid `edge_index`: None (need edges, because it was fitted with edges; pass [[], []] for no edges)")

    def _width(self, found: int) -> str:
        return f"X has {found} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input"

    def _check_columns(self, width: int, names: Any) -> None:
        known = getattr(self, "feature_names_in_", None)
        if names is not None and known is not None and list(names) != list(known):
            raise ValueError(_names_differ(list(known), list(names)))
        if (names is None) != (known is None) and "sklearn" in sys.modules:
            text = (
                f"X does not have valid feature names, but {type(self).__name__} was fitted with feature names"
                if names is None
                else f"X has feature names, but {type(self).__name__} was fitted without feature names"
            )
            warn(text)
        if width != self.n_features_in_:
            raise ValueError(self._width(width))

    def _rows(self, X: Any) -> tuple[Any, Any]:
        """Return features of nodes, with the checks of scikit-learn."""
        import numpy as np

        names = None
        if _convert.is_frame(X):
            columns = list(X.columns)
            if columns and all(isinstance(column, str) for column in columns):
                names = np.asarray(columns, object)
            elif any(isinstance(column, str) for column in columns):
                raise TypeError("Feature names are only supported if all input features have string names")
        if _convert.is_sparse(X):
            rows, values = X, X.tocsr().data
        else:
            rows = values = _convert.array(X)
            if rows.dtype.kind in "OUS":
                try:
                    rows = values = rows.astype(np.float64)
                except TypeError as fault:
                    raise TypeError(f"argument must be a string or a number: {fault}") from None
        if rows.dtype.kind == "c":
            raise ValueError("Complex data not supported")
        if len(rows.shape) != 2:
            raise ValueError(
                f"Expected 2D array, got {len(rows.shape)}D array instead. Reshape your data either using array.reshape(-1, 1) if your data has a"
                " single feature or array.reshape(1, -1) if it contains a single sample."
            )
        for count, what in zip(rows.shape, ("sample", "feature")):
            if count == 0:
                raise ValueError(f"Found array with 0 {what}(s) (shape={tuple(rows.shape)}) while a minimum of 1 is required.")
        # Only dense features may have missing values.
        if values.dtype.kind == "f" and np.isnan(values).any() and rows is not values:
            raise ValueError("Input X contains NaN.")
        if values.dtype.kind == "f" and np.isinf(values).any():
            raise ValueError("Input X contains infinity or a value too large for dtype('float64').")
        return rows, names

    def _set_columns(self, graph: Graph, names: Any) -> None:
        self.n_features_in_ = graph.num_features
        if names is not None:
            self.feature_names_in_ = names

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags

        tags = super().__sklearn_tags__()
        tags.input_tags = InputTags(sparse=True, allow_nan=True)
        return tags


class NodeProbe(ProbeEstimator, _OfNodes):
    """Measure how much information a graph carries about the classes of its nodes.

    Parameters
    ----------
    components
        Built-in components, as a string (``"U,F,S"``) or as names (``["U", "F", "S"]``). A mapping
        ``{"name": array}`` adds components of your own to the default ones; see
        :meth:`Graph.with_components`. None: U, R, F, P, S, S5, C, and L if features are words.
    dim
        Dimension of the embedding of each component.
    train
        Share of the labelled nodes of each class in the training set.
    valid
        Share of the labelled nodes of each class in the validation set. The remaining labelled nodes
        are the test set.
    splits
        Number of splits, with consecutive seeds. None: 3 on graphs of at most 25 000 edges, otherwise 1;
        1 with `split`.
    walk_trials
        Number of random walks from every node, for component R.
    steps
        Number of propagation steps of P and S.
    clusters_per_class
        Number of clusters per class. None: 2.
    min_class
        Classes with fewer labelled nodes are left out.
    smallest_gain
        Smallest gain worth having, as a share of the target's entropy: the verdict ignores smaller gains.
    split
        A split of your own: a :class:`NodeSplit`, ``"masks"`` for the masks of the graph, or the path of
        a file (docs/formats.md). None: nodes are split at random.
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
        Number of feature columns.
    feature_names_in_
        Names of the feature columns. Only set if `fit` was given a frame with string column names.

    Examples
    --------
    >>> import netinfof
    >>> netinfof.NodeProbe().fit("synth:demo").verdict_.kind
    'gnn'
    """

    _task = "nodes"

    def __init__(
        self,
        *,
        components: str | Iterable[str] | Mapping[str, Any] | None = None,
        dim: int = 128,
        train: float = 0.025,
        valid: float = 0.025,
        splits: int | None = None,
        walk_trials: int = 200,
        steps: int = 2,
        clusters_per_class: int | None = None,
        min_class: int = 0,
        smallest_gain: float = 0.05,
        split: SplitLike | None = None,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.components = components
        self.dim = dim
        self.train = train
        self.valid = valid
        self.splits = splits
        self.walk_trials = walk_trials
        self.steps = steps
        self.clusters_per_class = clusters_per_class
        self.min_class = min_class
        self.smallest_gain = smallest_gain
        self.split = split
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: GraphLike, y: Any = None, *, edge_index: Any = None) -> NodeProbe:
        """Measure a graph, or features with classes and edges.

        Parameters
        ----------
        X
            A graph in any form that :meth:`Graph.of` accepts, or the features of the nodes: an array, a
            sparse matrix or a frame with one row per node.
        y
            Classes of the nodes, one per row; -1, NaN and None are unknown classes. A mapping from nodes to
            classes aligns by node. None: the classes of the graph.
        edge_index
            Edges between the rows of `X`, if `X` holds features: two rows of node numbers, or a list of
            edges. Without them the graph has no edges, and a warning says so.

        Returns
        -------
        self
            The fitted estimator.
        """
        graph, names = self._graph(X, y, edge_index, fit=True, labels=True)
        self._probe(graph, self.split)
        self._set_columns(graph, names)
        return self


class NodeClassifier(_OfNodes):
    """Classify nodes: one class per node, or any number of labels.

    With several columns of 0 and 1 as `y`, or a graph whose target is labels, :meth:`predict` returns such
    columns, as classifiers of scikit-learn do. Nodes of unknown class (-1, NaN or None) are classified, too. :func:`act` and the command train on fewer
    labels by default: the shares of the paper.

    Parameters
    ----------
    components
        Built-in components, as a string (``"U,F,S"``) or as names (``["U", "F", "S"]``). A mapping
        ``{"name": array}`` adds components of your own to the default ones; see
        :meth:`Graph.with_components`. None: U, R, F, P, S, S5, C, and L if features are words.
    dim
        Dimension of the embedding of each component.
    train
        Share of the labelled nodes of each class in the training set.
    valid
        Share of the labelled nodes of each class in the validation set. The remaining labelled nodes
        are the test set.
    walk_trials
        Number of random walks from every node, for component R.
    steps
        Number of propagation steps of P and S.
    normalization
        Normalisation of the embeddings: ``"rows"`` to length 1, ``"columns"`` to standard deviation 1,
        ``"both"``, ``"none"``, or ``"by-kind"``: rows, except for tables of few columns. None:
        ``"by-kind"``.
    min_class
        Classes with fewer labelled nodes are left out.
    max_p
        Largest p-value of a component that the softmax regression uses. None: 0.05.
    node_model
        The model: a softmax regression and ridge regressions, weighted by likelihood (``"mixture"``), or
        the paper's softmax regression alone (``"softmax"``). None: ``"mixture"``.
    split
        A split of your own: a :class:`NodeSplit`, ``"masks"`` for the masks of the graph, or the path of
        a file (docs/formats.md). None: nodes are split at random.
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
        Metrics on the test nodes: ``accuracy``, ``macro_f1`` and ``balanced_accuracy``; with two classes
        also ``auc`` and ``ap`` (average precision) of the rarer one.
    classes_
        Names of the classes.
    n_features_in_
        Number of feature columns.
    feature_names_in_
        Names of the feature columns. Only set if `fit` was given a frame with string column names.

    Examples
    --------
    >>> import netinfof
    >>> model = netinfof.NodeClassifier().fit("synth:demo")
    >>> model.predict().shape, model.predict_proba().shape
    ((1200,), (1200, 4))
    >>> model.test_["accuracy"] > 0.7
    True
    """

    result_: Result
    model_: Model
    weights_: Table
    information_: Table
    test_: dict[str, float]
    classes_: NDArray[Any]

    _ROUTED = {"fit": ("edge_index",), "predict": ("edge_index",), "predict_proba": ("edge_index",), "score": ("edge_index", "sample_weight")}

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
        min_class: int = 0,
        max_p: float | None = None,
        node_model: Literal["mixture", "softmax"] | None = None,
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
        self.min_class = min_class
        self.max_p = max_p
        self.node_model = node_model
        self.split = split
        self.graph = graph
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: GraphLike, y: Any = None, *, edge_index: Any = None) -> NodeClassifier:
        """Fit the model to the classes of nodes.

        Parameters
        ----------
        X
            A graph in any form that :meth:`Graph.of` accepts, or the features of the nodes: an array, a
            sparse matrix or a frame with one row per node. With the parameter `graph`: nodes of it.
        y
            Classes of the nodes, one per row; -1, NaN and None are unknown classes. A mapping from nodes to
            classes aligns by node. None: the classes of the graph. With the parameter `graph`: one class per
            sample; no other classes are used.
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
        result = _run(graph, "nodes", True, self.split, self.random_state, self.n_jobs, self.progress, self._options())
        assert result.model is not None
        self._forget()
        self.result_ = result
        self.model_ = result.model
        self.weights_ = result.weights
        self.information_ = result.information
        self.test_ = result.test
        self.classes_ = self._classes(result.model)
        self._set_columns(graph, names)
        return self

    @staticmethod
    def _classes(model: Model) -> NDArray[Any]:
        import numpy as np

        if model.target == "numbers":
            raise ValueError("Unknown label type: continuous numbers (need classes, or NodeRegressor for a numeric target)")
        return np.asarray(model.label_names) if model.target == "labels" else model.classes

    def predict_proba(self, X: GraphLike | None = None, *, edge_index: Any = None) -> NDArray[np.float64]:
        """Return the probabilities of the classes for every node.

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
            One row per node, with columns as in ``classes_``.
        """
        self._check_fitted()
        rows = self._chosen_rows(X, edge_index)
        if rows is not None:
            return self.model_.node_probabilities(n_jobs=self.n_jobs)[rows]
        newer = None if X is None else self._graph(X, None, edge_index, fit=False, labels=False)[0]
        return self.model_.node_probabilities(graph=newer, n_jobs=self.n_jobs)

    def predict(self, X: GraphLike | None = None, *, edge_index: Any = None) -> NDArray[Any]:
        """Return the most likely class of every node.

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
            One class per node; for labels, one row per node with 1 for every predicted label, else 0.
        """
        self._check_fitted()
        if self.model_.target == "labels":
            threshold: Any = self.model_.threshold
            predicted: NDArray[Any] = (self.predict_proba(X, edge_index=edge_index) >= threshold).astype(int)
            return predicted
        likeliest = self.predict_proba(X, edge_index=edge_index).argmax(axis=1)
        found: NDArray[Any] = self.classes_[likeliest]
        return found

    def score(self, X: GraphLike | None = None, y: Any = None, *, edge_index: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy on the nodes of known class.

        Without `X` and `y` it is the accuracy on the test nodes of `fit`.

        Parameters
        ----------
        X
            A newer graph, or the features of its nodes. None: the graph that was fitted. With the parameter
            `graph`: nodes of it, or a newer graph.
        y
            True classes of the nodes; -1, NaN and None are unknown classes. None: the classes of the graph.
        edge_index
            Edges between the rows of `X`, if `X` holds features; see :meth:`predict`.
        sample_weight
            Weights of the nodes, one per value of `y`. None: equal.

        Returns
        -------
        float
            Share of the nodes of known class whose class is predicted. Labels: micro F1.
        """
        import numpy as np

        self._check_fitted()
        if self.model_.target == "labels":
            if sample_weight is not None:
                raise ValueError("invalid `sample_weight`: the score of labels has no weights")
            return self._label_score(X, y, edge_index)
        if X is None and y is None:
            if sample_weight is not None:
                raise ValueError("invalid `sample_weight`: given without `y` (need the nodes and classes that it weights)")
            return self.test_["accuracy"]
        found = self.predict(X, edge_index=edge_index)
        if y is None:
            if _is_rows(X):
                raise ValueError("invalid `y`: None (need classes if `X` holds features)")
            own = Graph.of(X)
            if own.y is None:
                raise ValueError("invalid `y`: None (need classes; the graph has none)")
            y = [None if label < 0 else own.classes[label] for label in own.y.tolist()]
        graph = None if X is not None and _is_rows(X) else self._fitted_graph() if X is None else Graph.of(X)
        nodes = graph.nodes.tolist() if graph is not None and graph._native.named else None
        ordered = _convert.in_node_order(y, nodes, len(found), "y")
        truth = _convert.array(object_array(ordered) if isinstance(y, Mapping) else ordered).reshape(-1)
        if len(truth) != len(found):
            raise ValueError(f"invalid `y`: a sequence of length {len(truth)} (need one class per node, {len(found)} in all)")
        known = np.asarray([value is not None and value == value and not (type(value) in (int, float) and value == -1) for value in truth.tolist()])
        weight = None if sample_weight is None else _convert.array(sample_weight).reshape(-1)
        if weight is not None and len(weight) != len(found):
            raise ValueError(f"invalid `sample_weight`: a sequence of length {len(weight)} (need one weight per node, {len(found)} in all)")
        return float(np.average(found[known] == truth[known], weights=None if weight is None else weight[known]))

    def set_fit_request(self, *, edge_index: Request = UNCHANGED) -> NodeClassifier:
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

    def set_predict_request(self, *, edge_index: Request = UNCHANGED) -> NodeClassifier:
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

    def set_predict_proba_request(self, *, edge_index: Request = UNCHANGED) -> NodeClassifier:
        """Set which keywords the metadata routing of scikit-learn passes on to :meth:`predict_proba`.

        Parameters
        ----------
        edge_index
            True: it is passed on. False: it is not. None: an error if it is given. A string: its name.

        Returns
        -------
        self
            The estimator.
        """
        return self._request("predict_proba", edge_index=edge_index)

    def set_score_request(self, *, edge_index: Request = UNCHANGED, sample_weight: Request = UNCHANGED) -> NodeClassifier:
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

    def _label_score(self, X: Any, y: Any, edge_index: Any) -> float:
        import numpy as np

        if X is None and y is None:
            return self.test_["micro_f1"]
        found = self.predict(X, edge_index=edge_index)
        truth = np.asarray((self._fitted_graph() if X is None else Graph.of(X)).y if y is None else y)
        if truth.shape != found.shape:
            raise ValueError(f"invalid `y`: an array of shape {truth.shape} (need {found.shape}: one row per node, one column per label)")
        known = (truth >= 0).all(axis=1)
        both = float((found[known] * (truth[known] == 1)).sum())
        return 2 * both / max(float(found[known].sum() + (truth[known] == 1).sum()), 1.0)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.target_tags.required = True
        return tags


class NetInfoFEmbedding(_OfNodes):
    """Embed nodes by the components, as features for any other model.

    The components describe structure (U, R), features (F), and features propagated along edges (P, S).

    Parameters
    ----------
    components
        Built-in components, as a string (``"U,F,S"``) or as names (``["U", "F", "S"]``). A mapping
        ``{"name": array}`` adds components of your own to the default ones; see
        :meth:`Graph.with_components`. None: U, R, F, P, S, S5, C, and L if features are words.
    dim
        Dimension of the embedding of each component.
    walk_trials
        Number of random walks from every node, for component R.
    steps
        Number of propagation steps of P and S.
    s_averaging
        Averaging of neighbours in S: ``"row"`` or ``"symmetric"``.
    normalization
        Normalisation of the embeddings: ``"rows"`` to length 1, ``"columns"`` to standard deviation 1,
        ``"both"``, ``"none"``, or ``"by-kind"``: rows, except for tables of few columns. None:
        ``"by-kind"``.
    graph
        A graph of which samples are nodes, as in a pipeline: then `fit` and `transform` take nodes of this
        graph. None: they take a graph, or the features of its nodes.
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
    model_
        The fitted :class:`Model`, which also embeds the nodes of newer graphs.
    components_
        Columns of each component, as a slice by name.
    n_features_in_
        Number of feature columns.
    feature_names_in_
        Names of the feature columns. Only set if `fit` was given a frame with string column names.

    Examples
    --------
    >>> import netinfof
    >>> embedding = netinfof.NetInfoFEmbedding(dim=16)
    >>> embedding.fit_transform("synth:demo").shape
    (1200, 115)
    >>> embedding.components_["F"]
    slice(32, 48, None)
    """

    model_: Model
    components_: dict[str, slice]

    _ROUTED = {"fit": ("edge_index",), "transform": ("edge_index",)}
    _sklearn_output_config: dict[str, str]

    def __init__(
        self,
        *,
        components: str | Iterable[str] | Mapping[str, Any] | None = None,
        dim: int = 128,
        walk_trials: int = 200,
        steps: int = 2,
        s_averaging: Literal["row", "symmetric"] = "symmetric",
        normalization: Literal["none", "rows", "columns", "both", "by-kind"] | None = None,
        graph: GraphLike | None = None,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.components = components
        self.dim = dim
        self.walk_trials = walk_trials
        self.steps = steps
        self.s_averaging = s_averaging
        self.normalization = normalization
        self.graph = graph
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: GraphLike, y: object = None, *, edge_index: Any = None) -> NetInfoFEmbedding:
        """Compute the axes of the components.

        Parameters
        ----------
        X
            A graph in any form that :meth:`Graph.of` accepts, or the features of the nodes: an array, a
            sparse matrix or a frame with one row per node. With the parameter `graph`: nodes of it.
        y
            Ignored; part of the scikit-learn API.
        edge_index
            Edges between the rows of `X`, if `X` holds features: two rows of node numbers, or a list of
            edges. Without them the graph has no edges, and a warning says so.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._fit(X, edge_index)
        return self

    def _fit(self, X: Any, edge_index: Any) -> NDArray[np.float32]:
        import numpy as np

        if self.graph is None:
            graph, names = self._graph(X, None, edge_index, fit=True, labels=False)
        else:
            self._no_edges(edge_index)
            graph, names = Graph.of(self.graph), None
        options, components = own_components(self._options())
        graph = graph.with_components(components) if components else graph
        said = words(options, of="NetInfoFEmbedding", random_state=self.random_state, task="nodes")
        native = _native.embedding(graph._native, said, how(self.n_jobs, self.progress))
        parts = native.embeddings(None, how(self.n_jobs, None))
        self._forget()
        self.model_ = Model(native, graph)
        self.components_, at = {}, 0
        for name, rows in parts:
            self.components_[name] = slice(at, at + rows.shape[1])
            at += rows.shape[1]
        self._set_columns(graph, names)
        whole, chosen = _beside(parts), self._chosen_rows(X, None)
        return whole if chosen is None else np.take(whole, chosen, axis=0)

    def fit_transform(self, X: GraphLike, y: object = None, *, edge_index: Any = None) -> Any:
        """Fit to a graph and return the embedding of its nodes.

        Parameters
        ----------
        X
            A graph in any form that :meth:`Graph.of` accepts, or the features of the nodes: an array, a
            sparse matrix or a frame with one row per node. With the parameter `graph`: nodes of it.
        y
            Ignored; part of the scikit-learn API.
        edge_index
            Edges between the rows of `X`, if `X` holds features: two rows of node numbers, or a list of
            edges. Without them the graph has no edges, and a warning says so.

        Returns
        -------
        ndarray
            One row per node, with the components side by side; a frame after :meth:`set_output`.
        """
        return self._in_container(self._fit(X, edge_index), X)

    def transform(self, X: GraphLike | None = None, *, edge_index: Any = None) -> Any:
        """Return the embedding of nodes.

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
            One row per node, with the components side by side; a frame after :meth:`set_output`.
        """
        self._check_fitted()
        rows = self._chosen_rows(X, edge_index)
        if rows is not None:
            found = _beside(self.model_._native.embeddings(None, how(self.n_jobs, None)))[rows]
            return self._in_container(found, X)
        graph = None if X is None else self._graph(X, None, edge_index, fit=False, labels=False)[0]
        newer = None if graph is None or graph is self.model_.graph else graph._native
        found = _beside(self.model_._native.embeddings(newer, how(self.n_jobs, None, notices=True)))
        return self._in_container(found, X)

    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> NetInfoFEmbedding:
        """Set the container that :meth:`transform` and :meth:`fit_transform` return.

        Parameters
        ----------
        transform
            ``"pandas"`` or ``"polars"`` for a frame with the names of :meth:`get_feature_names_out`,
            ``"default"`` for an array. None: as before; at first, as in scikit-learn's configuration.

        Returns
        -------
        self
            The estimator.
        """
        if transform is not None:
            if transform not in ("default", "pandas", "polars"):
                raise ValueError(f"invalid `transform`: {transform!r} (need 'default', 'pandas' or 'polars')")
            self._sklearn_output_config = {"transform": transform}
        return self

    def _in_container(self, rows: NDArray[np.float32], X: Any) -> Any:
        """Return the embedding in the container that was asked for."""
        kind = vars(self).get("_sklearn_output_config", {}).get("transform")
        if kind is None and "sklearn" in sys.modules:
            import sklearn

            kind = sklearn.get_config().get("transform_output")
        names = self.get_feature_names_out().tolist() if kind in ("pandas", "polars") else []
        if kind == "pandas":
            import pandas

            return pandas.DataFrame(rows, columns=names, index=getattr(X, "index", None) if hasattr(X, "iloc") else None)
        if kind == "polars":
            import polars

            return polars.DataFrame(rows, schema=names, orient="row")
        return rows

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Return the names of the columns: U0, U1, …

        Parameters
        ----------
        input_features
            Ignored; part of the scikit-learn API.

        Returns
        -------
        ndarray
            One name per column: the component and the number of the column within it.
        """
        import numpy as np

        self._check_fitted()
        names = [f"{name}{at}" for name, part in self.components_.items() for at in range(part.stop - part.start)]
        return np.asarray(names, object)

    def set_fit_request(self, *, edge_index: Request = UNCHANGED) -> NetInfoFEmbedding:
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

    def set_transform_request(self, *, edge_index: Request = UNCHANGED) -> NetInfoFEmbedding:
        """Set which keywords the metadata routing of scikit-learn passes on to :meth:`transform`.

        Parameters
        ----------
        edge_index
            True: it is passed on. False: it is not. None: an error if it is given. A string: its name.

        Returns
        -------
        self
            The estimator.
        """
        return self._request("transform", edge_index=edge_index)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags


def _beside(parts: list[tuple[str, NDArray[np.float32]]]) -> NDArray[np.float32]:
    import numpy as np

    return np.concatenate([rows for _, rows in parts], axis=1)


def _is_rows(X: Any) -> bool:
    """Return whether these are features of nodes, not a graph."""
    if isinstance(X, (Graph, str, os.PathLike, Mapping)):
        return False
    graphs = (_convert.is_hetero, _convert.is_dgl, _convert.is_networkx, _convert.is_igraph, _convert.is_pyg)
    if any(known(X) for known in graphs):
        return False
    if isinstance(X, (list, tuple)) or hasattr(X, "__array__") or _convert.is_sparse(X) or _convert.is_frame(X):
        return True
    # Datasets of PyG can be indexed. Anything else is treated as features, whose checks explain what is wrong.
    return not hasattr(X, "__getitem__")


def _same_rows(rows: Any, known: Any) -> bool:
    """Return whether these features are equal to those that were fitted."""
    import numpy as np

    if known is None or tuple(rows.shape) != tuple(known.shape):
        return False
    one: Any
    two: Any
    one, two = (x.tocsr().astype(np.float32) if _convert.is_sparse(x) else np.asarray(x, np.float32) for x in (rows, known))
    if _convert.is_sparse(one) and _convert.is_sparse(two):
        return bool((one != two).nnz == 0)
    dense: list[Any] = [x.toarray() if _convert.is_sparse(x) else x for x in (one, two)]
    return bool(np.array_equal(*dense))


def _classes_of(y: Any, rows: int, whose: str) -> Any:
    """Return the classes for rows of features, with the checks of scikit-learn."""
    import numpy as np

    if y is None:
        raise ValueError(f"{whose} requires y to be passed, but the target y is None")
    if isinstance(y, Mapping):
        y = object_array(_convert.in_node_order(y, None, rows, "y"))
    found = _convert.array(y)
    if found.ndim == 2 and found.shape[1] == 1:
        if "sklearn" in sys.modules:
            from sklearn.exceptions import DataConversionWarning

            warn("A column-vector y was passed when a 1d array was expected.", DataConversionWarning)
        found = found[:, 0]
    labels = found.ndim == 2 and found.dtype.kind in "biuf" and bool(np.isin(found[~np.isnan(found.astype(float))], (-1, 0, 1)).all())
    if found.ndim != 1 and not labels:
        raise ValueError(f"y should be a 1d array, got an array of shape {found.shape} instead.")
    if len(found) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, len(found)]}")
    if found.dtype.kind == "f" and np.isinf(found).any():
        raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    if found.ndim == 1 and _is_continuous(found):
        raise ValueError("Unknown label type: continuous numbers (need classes: integers or names, or NodeRegressor)")
    return found


def _names_differ(known: list[str], found: list[str]) -> str:
    told = "The feature names should match those that were passed during fit.\n"
    new, missing = sorted(set(found) - set(known)), sorted(set(known) - set(found))
    if new:
        told += "Feature names unseen at fit time:\n" + "".join(f"- {name}\n" for name in new[:5])
    if missing:
        told += "Feature names seen at fit time, yet now missing:\n" + "".join(f"- {name}\n" for name in missing[:5])
    if not new and not missing:
        told += "Feature names must be in the same order as they were in fit.\n"
    return told
