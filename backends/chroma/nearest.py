"""Exact search for the nearest vectors, with ties in a fixed order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from state.errors import IndexFailed

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

_SLACK = 1e-4
_DECIMALS = 6


@dataclass(frozen=True)
class Vectors:
    """Vectors held in memory, to be searched one by one.

    Attributes:
        ids: One a row.
        rows: Shape (n, d), rows of length 1.
    """

    ids: Sequence[str]
    rows: "NDArray[float32]"

    def nearest(self, query: "NDArray[float32]", k: int) -> list[tuple[str, float]]:
        """Return ids and cosines of the ``k`` nearest rows, nearest first, ties by id.

        A matrix product rounds differently from row to row, so it only picks who may be among
        the nearest; those are scored again, each alone and in double precision. Scores are
        rounded to six decimals, and what is equal then is a tie.

        Args:
            query: Shape (d,), of length 1.
            k: How many, at least 1.
        """
        import numpy as np

        if not len(self.ids):
            return []
        rough = self.rows @ query
        last = max(len(self.ids) - k, 0)
        near = np.flatnonzero(rough >= np.partition(rough, last)[last] - _SLACK)
        products = self.rows[near].astype(np.float64) * query.astype(np.float64)
        scores = np.round(products.sum(axis=1), _DECIMALS) + 0.0
        ranked = sorted(zip(-scores, (self.ids[int(i)] for i in near), strict=True))[:k]
        return [(identifier, float(-score)) for score, identifier in ranked]


def unit(vectors: "NDArray[float32]", who: str) -> "NDArray[float32]":
    """Return vectors scaled to length 1.

    Args:
        vectors: Shape (n, d).
        who: The embedder that made them, for the error.

    Raises:
        IndexFailed: A vector is not finite or has no direction; its scores would be NaN.
    """
    import numpy as np

    rows = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise IndexFailed(f"{who} returned a vector that is NaN, infinite or zero.")
    scaled: NDArray[float32] = rows / lengths
    return scaled
