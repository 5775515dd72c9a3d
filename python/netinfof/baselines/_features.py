"""Features as input of a neural network: words by row, numbers by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: From this number of columns, columns that are mostly zero are words.
MANY = 64
#: Largest share of non-zero entries in a matrix of words.
SPARSE = 0.5
#: Largest number of levels of a column of category codes.
LEVELS = 20


class Features(NamedTuple):
    """Features as a dense matrix."""

    #: One row per node; None without features.
    values: NDArray[np.float32] | None
    #: Whether rows are words: many columns, mostly zero, never negative.
    words: bool
    #: What was done to them.
    preparation: str

    def scaled(self, rows: str) -> NDArray[np.float32] | None:
        """Return the matrix with rows of words as they are (``raw``), beside their amount (``amount``), or divided by their ``sum`` or their ``length``.

        The amount of words is the logarithm of their sum, as a column that is centred and scaled. Numbers stay as they are.
        """
        import numpy as np

        if rows not in ("raw", "amount", "sum", "length"):
            raise ValueError(f"invalid `rows`: {rows!r} (need 'raw', 'amount', 'sum' or 'length')")
        if self.values is None or not self.words or rows == "raw":
            return self.values
        if rows == "amount":
            amount = np.log1p(self.values.sum(axis=1, keepdims=True, dtype=np.float64))
            amount = (amount - amount.mean()) / max(float(amount.std()), 1e-6)
            return np.concatenate([self.values, amount.astype(np.float32)], axis=1)
        total = np.sqrt((self.values**2).sum(axis=1, keepdims=True)) if rows == "length" else self.values.sum(axis=1, keepdims=True)
        return (self.values / np.where(total > 0.0, total, 1.0)).astype(np.float32)


def prepare(x: Any) -> Features:
    """Return features as a dense matrix.

    Words (many columns, mostly zero, never negative) stay as they are; every model scales their rows in its own way. Otherwise numbers are centred and
    scaled by column and limited to five standard deviations, category codes get one column per level, and missing values become the column's median
    with a column that marks them.
    """
    import numpy as np

    if x is None or x.shape[1] == 0:
        return Features(None, False, "none")
    stored = x.data if hasattr(x, "tocsr") else None
    share = (np.count_nonzero(stored) if stored is not None else np.count_nonzero(x)) / max(1, x.shape[0] * x.shape[1])
    lowest = (stored.min(initial=0.0) if stored is not None else np.min(x, initial=0.0)) if x.shape[0] else 0.0
    dense = np.asarray(x.toarray() if stored is not None else x, dtype=np.float32)
    if x.shape[1] >= MANY and share <= SPARSE and lowest >= 0.0:
        return Features(dense, True, "words: rows scaled as the model needs them")
    columns = [made for column in dense.T for made in _column(column.astype(np.float64))]
    if not columns:
        return Features(None, False, "none: all columns are constant")
    values = np.stack(columns, axis=1).astype(np.float32)
    return Features(values, False, "numbers: columns centred and scaled, category codes as one column per level")


def _column(column: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    import numpy as np

    missing = np.isnan(column)
    made = []
    if missing.any():
        made.append(missing.astype(np.float64))
        if missing.all():
            return []
        column = np.where(missing, np.nanmedian(column), column)
    levels = np.unique(column)
    if 2 < len(levels) <= LEVELS and np.all(levels == np.round(levels)):
        # The code itself stays, because some codes are counts.
        made += [(column == level).astype(np.float64) for level in levels]
    if len(levels) > 1:
        # A long tail (amounts, counts) is shortened first; the standard deviation of such a column describes its few largest values.
        spread = np.quantile(column, 0.75) - np.quantile(column, 0.25)
        if spread > 0.0 and np.abs(column - np.median(column)).max() > 20.0 * spread:
            column = np.arcsinh((column - np.median(column)) / spread)
        made.append(np.clip((column - column.mean()) / column.std(), -5.0, 5.0))
    return made
