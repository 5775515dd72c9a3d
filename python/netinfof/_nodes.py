"""Estimators for classes of nodes. They take a graph, or features of nodes with classes and edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from . import _convert, _selection
from ._arrays import object_array
from ._estimators import UNCHANGED, ProbeEstimator, Request
from ._graph import Graph, GraphLike
from ._model import Model
from ._node_estimators import NodeEstimator, check_undirected, is_rows
from ._options import Progress, RandomState
from ._result import Result
from ._table import Table
from ._tasks import _run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._splits import SplitLike


class NodeProbe(ProbeEstimator, NodeEstimator):
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
        Number of splits, with consecutive seeds. None: 5 up to 25 000 edges, fewer up to 62 500, else 1;
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
        a file (docs/formats.md). ``"random"``: nodes are split at random. None: by the masks, if the graph
        has three and `train`, `valid` and `splits` have their defaults; else at random.
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


class NodeClassifier(NodeEstimator):
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
        check_undirected(graph)
        result = _run(graph, "nodes", True, self.split, self.random_state, self.n_jobs, self.progress, self._options(), given=self._given())
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
            Edges between the rows of `X`, if `X` holds features: two rows of node numbers, or a list of
            edges. Required if the model was fitted with edges; ``[[], []]`` means no edges.
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
            if is_rows(X):
                raise ValueError("invalid `y`: None (need classes if `X` holds features)")
            own = Graph.of(X)
            if own.y is None:
                raise ValueError("invalid `y`: None (need classes; the graph has none)")
            y = [None if label < 0 else own.classes[label] for label in own.y.tolist()]
        graph = None if X is not None and is_rows(X) else self._fitted_graph() if X is None else Graph.of(X)
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
