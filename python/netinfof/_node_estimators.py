"""The base class of the estimators for nodes, and the checks of features, classes and edges."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _convert, _selection
from ._arrays import _is_continuous, object_array
from ._estimators import Estimator
from ._graph import Graph
from ._model import Model
from ._options import warn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def check_undirected(graph: Graph) -> None:
    """Refuse graphs whose nodes are counted in two roles: predictions have one row per node."""
    if graph.directed:
        raise ValueError('invalid `X`: a directed graph (need an undirected one; `act(graph, task="nodes")` measures directed graphs, and its model predicts)')


class NodeEstimator(Estimator):
    """Base class of the estimators that take a graph, or features of nodes."""

    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def _graph(self, X: Any, y: Any, edge_index: Any, *, fit: bool, labels: bool) -> tuple[Graph, Any]:
        """Return the graph to use, and the names of its features, if any."""
        if not is_rows(X):
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
        return classes_of(y, rows, type(self).__name__)

    def _fitted_graph(self) -> Graph:
        model: Model = getattr(self, "model_")
        return model.graph

    def _chosen_rows(self, X: Any, edge_index: Any) -> NDArray[np.int64] | None:
        """Return the node numbers of samples if the graph is a parameter; None if `X` is a graph or holds features."""
        if getattr(self, "graph", None) is None or X is None or not is_rows(X):
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


def is_rows(X: Any) -> bool:
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


def one_column(y: Any) -> Any:
    """Return a table of one column as its column, with the warning of scikit-learn; other arrays as they are."""
    if y.ndim != 2 or y.shape[1] != 1:
        return y
    if "sklearn" in sys.modules:
        from sklearn.exceptions import DataConversionWarning

        warn("A column-vector y was passed when a 1d array was expected.", DataConversionWarning)
    return y[:, 0]


def classes_of(y: Any, rows: int, whose: str) -> Any:
    """Return the classes for rows of features, with the checks of scikit-learn."""
    import numpy as np

    if y is None:
        raise ValueError(f"{whose} requires y to be passed, but the target y is None")
    if isinstance(y, Mapping):
        y = object_array(_convert.in_node_order(y, None, rows, "y"))
    found = one_column(_convert.array(y))
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
