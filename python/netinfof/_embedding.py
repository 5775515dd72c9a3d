"""An embedding of nodes as features for any other model."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from . import _native
from ._estimators import UNCHANGED, Request
from ._graph import Graph, GraphLike
from ._model import Model
from ._node_estimators import NodeEstimator
from ._options import Progress, RandomState, how, own_components, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class NetInfoFEmbedding(NodeEstimator):
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
