"""Conversion and checks of features, labels and names between Python and the native graph."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _convert

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def kept(values: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only copy: the native graph would not notice later changes."""
    values = values.copy()
    values.flags.writeable = False
    # The flag of a view cannot be set back, because its base is not writeable.
    return values.view()


def read_only(values: Any) -> NDArray[Any]:
    """Return a read-only array over the same memory.

    A plain view is not enough: its flag can be set back if its base is writeable.
    """
    import numpy as np

    return np.asarray(memoryview(values).toreadonly())


def matrix(rows: tuple[Any, Any, Any], shape: tuple[int, int]) -> Any:
    """Return a read-only sparse matrix if SciPy is installed, otherwise a dense array."""
    import numpy as np

    starts, columns, values = rows
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        dense = np.zeros(shape, np.float32)
        dense[np.repeat(np.arange(shape[0]), np.diff(starts)), columns] = values
        return read_only(dense)
    found = csr_matrix((values, columns, starts), shape=shape)
    # The constructor may have copied them as shorter integers.
    found.data, found.indices, found.indptr = (read_only(part) for part in (found.data, found.indices, found.indptr))
    return found


def nested(values: Any, known: Mapping[Any, int]) -> NDArray[Any]:
    """Return an array of node names from a sequence of names or of pairs. Tuples may be names themselves."""
    import numpy as np

    if hasattr(values, "to_numpy") or hasattr(values, "detach"):
        found: NDArray[Any] = _convert.array(values)
        return found
    values = list(values)
    pairs = bool(values) and all(isinstance(value, (list, tuple, np.ndarray)) and len(value) == 2 for value in values)
    if pairs and not all(isinstance(value, tuple) and value in known for value in values):
        return object_array([end for pair in values for end in pair]).reshape(-1, 2)
    return object_array(values)


def object_array(values: Any) -> NDArray[Any]:
    """Return an array of these values, unchanged: with the dtype of their type if all are integers or all are strings, else of objects."""
    import numpy as np

    if isinstance(values, np.ndarray):
        return values.astype(object) if values.dtype.kind in "Mm" else values
    values = list(values)
    kinds = {type(value) for value in values}
    if kinds in ({int}, {str}):
        return np.asarray(values)
    found = np.empty(len(values), object)
    found[:] = values
    return found


def ids(values: list[str]) -> NDArray[Any]:
    """Return the ids of a file as an array: integers if all of them are integers."""
    import numpy as np

    if all(value.isascii() and value.isdigit() and (value == "0" or value[0] != "0") and len(value) < 19 for value in values):
        return np.asarray([int(value) for value in values])
    return np.asarray(values)


def names(nodes: Sequence[Hashable]) -> list[str]:
    """Return the names of nodes as strings, the form that the native library uses."""
    values = nodes.tolist() if hasattr(nodes, "tolist") else nodes
    names = [str(node) for node in values]
    if len(set(names)) == len(names):
        return names
    seen: dict[str, int] = {}
    for at, name in enumerate(names):
        if seen.setdefault(name, at) != at:
            raise ValueError(f"invalid graph: nodes {seen[name]} and {at} have the same name `{name}` (need unique names)")
    return names


def features(x: Any) -> tuple[Any, Any]:
    """Return dense features or sparse features; the other is None."""
    import numpy as np

    if x is None:
        return None, None
    if isinstance(x, tuple):
        return None, x
    if _convert.is_sparse(x):
        csr = x.tocsr()
        if not csr.has_canonical_format:
            csr = csr.copy()
            csr.sum_duplicates()
        values = csr.data.astype(np.float32, copy=False)
        return None, (csr.indptr.astype(np.int64), csr.indices.astype(np.int64), values, int(csr.shape[1]))
    x = _convert.array(x)
    if x.ndim == 1:
        x = x[:, None]
    if x.ndim != 2:
        raise ValueError(f"invalid graph: features of shape {x.shape} (need one row per node)")
    if x.dtype.kind not in "fiub":
        raise ValueError(f"invalid graph: features must be numbers, not {x.dtype}")
    return np.ascontiguousarray(x, np.float32), None


def factorized(values: NDArray[Any]) -> tuple[NDArray[np.int64], Any]:
    """Return a number for each value, in the order in which values first occur, and the values in this order.

    pandas does it fastest, if the caller uses it anyway. Values are equal if they are equal keys of a mapping.
    """
    import sys

    import numpy as np

    if values.dtype.kind in "iu":
        found, first, codes = np.unique(values, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        return rank[codes.reshape(-1)], found[order]
    pandas = sys.modules.get("pandas")
    if pandas is not None and hasattr(pandas, "factorize"):
        # Numbers for missing values take as long again, and there are hardly ever any.
        numbers, seen = pandas.factorize(values)
        if len(numbers) and numbers.min() < 0:
            numbers, seen = pandas.factorize(values, use_na_sentinel=False)
        return np.asarray(numbers, np.int64), np.asarray(seen, values.dtype)
    number: dict[Any, int] = {}
    codes = np.fromiter((number.setdefault(value, len(number)) for value in values.tolist()), np.int64, len(values))
    # Assigned one by one, because tuples are values, not rows.
    seen = np.empty(len(number), values.dtype)
    for at, value in enumerate(number):
        seen[at] = value
    return codes, seen


#: Labels from this number on are names, not numbers of classes.
_MOST = 1_000_000


def target(y: Any, kind: str | None = None) -> tuple[Any, Any, Any, Any, Any]:
    """Return class numbers, class names, a numeric target, rows of labels and their names; all but one kind are None.

    Without a kind, fractions are a numeric target, and columns of 0 and 1 are labels.
    """
    import numpy as np

    if kind not in (None, "classes", "numbers", "labels"):
        raise ValueError(f"invalid `target`: {kind!r} (need 'classes', 'numbers' or 'labels')")
    if y is None:
        return None, None, None, None, None
    names = [str(name) for name in y.columns] if hasattr(y, "iloc") and hasattr(y, "columns") else None
    values = object_array(y) if isinstance(y, (list, tuple)) and not (y and isinstance(y[0], (list, tuple))) else _convert.array(y)
    if values.ndim == 2 and values.shape[1] > 1 and kind in (None, "labels") or kind == "labels":
        if values.ndim != 2:
            raise ValueError(f"invalid graph: labels of shape {values.shape} (need one row of 0 and 1 per node)")
        rows = np.asarray(values, np.float64)
        rows = np.where(np.isnan(rows), -1, rows)
        if not np.isin(rows, (-1, 0, 1)).all():
            raise ValueError("invalid labels: several columns with other values than 0, 1 and -1 (need 1 for nodes that have the label, else 0)")
        return None, None, None, np.ascontiguousarray(rows.astype(np.int8)), names
    if kind != "numbers":
        if kind is None and _is_continuous(values):
            kind = "numbers"
        else:
            return (*labels(y), None, None, None)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"invalid graph: a numeric target of shape {values.shape} (need one number per node)")
    if values.dtype.kind == "O":
        values = np.asarray([np.nan if _convert.missing(value) else value for value in values.tolist()])
    if values.dtype.kind not in "fiub":
        raise ValueError(f"invalid target: values of type {values.dtype} (need one number per node)")
    return None, None, np.ascontiguousarray(values.astype(np.float64)), None, None


def _is_continuous(values: Any) -> bool:
    """Return whether these are numbers, some of them with fractions."""
    import numpy as np

    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.dtype.kind == "O" and values.ndim == 1:
        known = [value for value in values.tolist() if not _convert.missing(value)]
        if not known or not all(isinstance(value, (float, int, np.floating, np.integer)) and not isinstance(value, bool) for value in known):
            return False
        values = np.asarray(known, np.float64)
    if values.dtype.kind != "f" or values.ndim != 1:
        return False
    known = values[np.isfinite(values)]
    return bool((known != np.round(known)).any())


def labels(y: Any) -> tuple[NDArray[np.int64] | None, NDArray[Any] | None]:
    """Return class numbers, and the names of the classes unless they are numbers from 0."""
    import numpy as np

    if y is None:
        return None, None
    values = object_array(y) if isinstance(y, (list, tuple)) else _convert.array(y)
    if values.dtype.kind == "O" and values.ndim == 1:
        # Numbers stay numbers if some values are missing.
        known = [value for value in values.tolist() if not _convert.missing(value)]
        if known and all(isinstance(value, (bool, int, float, np.number, np.bool_)) for value in known):
            kind = bool if len(known) == len(values) and all(isinstance(value, (bool, np.bool_)) for value in known) else float
            values = np.asarray([np.nan if _convert.missing(value) else value for value in values.tolist()], kind)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"invalid graph: labels of shape {values.shape} (need one class per node)")
    if values.dtype.kind == "b":
        return values.astype(np.int64), np.array([False, True])
    if values.dtype.kind in "fi" and set(np.unique(values[~np.isnan(values)]).tolist()) == {-1, 1}:
        raise ValueError(
            "invalid labels: only -1 and 1, but -1 stands for an unknown class, so only one class is left"
            " (need other codes, such as 0 and 1: `(y > 0).astype(int)`)"
        )
    if values.dtype.kind == "f":
        known = ~np.isnan(values)
        if not (values[known] == np.round(values[known])).all():
            raise ValueError("Unknown label type: continuous numbers (need classes: integers or names)")
        values = np.where(known, values, -1)
        if known.any() and (abs(values) > 2**53).any():
            raise ValueError("Unknown label type: numbers beyond 2**53 (need smaller integers, or names)")
        values = values.astype(np.int64)
    if values.dtype.kind in "iu":
        if values.size == 0 or (int(values.min()) >= -1 and int(values.max()) < _MOST):
            return values.astype(np.int64), None
        classes = np.unique(values[values != -1])
        return np.where(values == -1, -1, np.searchsorted(classes, values)).astype(np.int64), classes
    items = values.tolist()
    # An empty cell of a table is an unknown class.
    unknown = [_convert.missing(item) or item == "" for item in items]
    try:
        found = sorted({item for item, skip in zip(items, unknown) if not skip})
    except TypeError:
        raise ValueError("Unknown label type: a mix of types that cannot be sorted, such as names and numbers (need one type)") from None
    number = {value: at for at, value in enumerate(found)}
    codes = np.asarray([-1 if skip else number[item] for item, skip in zip(items, unknown)], np.int64)
    return codes, object_array(found) if found else None
