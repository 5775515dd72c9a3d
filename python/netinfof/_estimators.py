"""Base classes of the estimators: the scikit-learn API, without a dependency on scikit-learn.

Parameters are keywords; they are stored unchanged and checked in ``fit``. Fitted attributes end in
``_``. Estimators can be cloned, pickled, used in pipelines and searched over.

Estimators for links take a graph. Estimators for nodes take a graph, or, as in scikit-learn, features
of nodes with classes ``y``, and edges as ``edge_index``. There, arrays, sparse matrices and frames are
always features: adjacency matrices and edge frames go through :class:`Graph`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeVar, Union

from ._graph import Graph
from ._options import Progress, RandomState
from ._result import Result, Verdict
from ._table import Table
from ._tasks import _run

Self = TypeVar("Self", bound="Estimator")

#: Whether scikit-learn passes a keyword on to a method: yes, no, an error if it is given (None), or under another name.
Request = Union[bool, str, None]

#: Leaves a request as it is, as in scikit-learn.
UNCHANGED = "$UNCHANGED$"

#: Parameters that are not options of :func:`probe` and :func:`act`.
_OURS = frozenset(("split", "graph", "random_state", "n_jobs", "progress", "train", "valid"))


class Estimator:
    """Base class of all estimators: the scikit-learn API, by duck typing."""

    random_state: RandomState
    n_jobs: int | None
    progress: Progress

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the estimator.

        Parameters
        ----------
        deep
            Has no effect; part of the scikit-learn API.

        Returns
        -------
        dict
            Values of the parameters by name.
        """
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self: Self, **params: Any) -> Self:
        """Set parameters of the estimator.

        Parameters
        ----------
        params
            New values by name.

        Returns
        -------
        self
            The estimator.

        Raises
        ------
        ValueError
            If the estimator has no parameter of a given name.
        """
        for name, value in params.items():
            if name not in self._names():
                raise ValueError(f"Invalid parameter '{name}' for estimator {self}. Valid parameters are: {self._names()}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        said = (f"{k}={v!r}" for k, v in self.get_params().items() if repr(v) != repr(defaults[k].default))
        return f"{type(self).__name__}({', '.join(said)})"

    def _options(self) -> dict[str, Any]:
        """Return the parameters that are options of :func:`probe` and :func:`act`."""
        options = {name: value for name, value in self.get_params().items() if name not in _OURS}
        if hasattr(self, "train"):
            options["shares"] = (self.train, getattr(self, "valid"))
        return options

    def _given(self) -> list[str]:
        """Return the parameters about splits that are not their defaults, and `graph`, of which samples are a choice of nodes."""
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [name for name in ("train", "valid", "splits") if name in defaults and getattr(self, name) != defaults[name].default]
        return changed if getattr(self, "graph", None) is None else [*changed, "graph"]

    def __sklearn_is_fitted__(self) -> bool:
        return any(name.endswith("_") and not name.startswith("_") for name in vars(self))

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            text = f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator."
            if "sklearn" in sys.modules:
                from sklearn.exceptions import NotFittedError

                raise NotFittedError(text)
            raise ValueError(text)

    def _forget(self) -> None:
        """Delete all fitted attributes."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)

    #: Keywords of methods that scikit-learn may route, by method.
    _ROUTED: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    _metadata_request: Any

    def get_metadata_routing(self) -> Any:
        """Return which keywords each method requests, for the metadata routing of scikit-learn.

        Returns
        -------
        MetadataRequest
            The requests that methods such as ``set_fit_request`` have set.
        """
        import copy

        from sklearn.utils.metadata_routing import MetadataRequest

        if "_metadata_request" in vars(self):
            return copy.deepcopy(self._metadata_request)
        request = MetadataRequest(owner=self)
        for method, names in self._ROUTED.items():
            for name in names:
                getattr(request, method).add_request(param=name, alias=None)
        return request

    def _request(self: Self, method: str, **wanted: Request) -> Self:
        """Set which keywords a method requests."""
        requests = self.get_metadata_routing()
        for name, value in wanted.items():
            if value != UNCHANGED:
                getattr(requests, method).add_request(param=name, alias=value)
        self._metadata_request = requests
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))


class ProbeEstimator(Estimator):
    """Base class of the estimators that probe."""

    _task: Literal["links", "nodes"]
    result_: Result
    scores_: Table
    verdict_: Verdict
    n_features_in_: int

    def _probe(self, graph: Graph, split: Any) -> None:
        result = _run(graph, self._task, False, split, self.random_state, self.n_jobs, self.progress, self._options(), given=self._given())
        self._forget()
        self.result_ = result
        self.scores_ = result.scores
        self.verdict_ = result.verdict
        self.n_features_in_ = graph.num_features
