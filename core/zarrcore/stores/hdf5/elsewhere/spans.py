"""Many boxes of indices: which of them cross another box."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zarrcore.typing import AnyArray

Indices = NDArray[np.int64]


class Spans:
    """Boxes, sorted along the dimension in which they differ most.

    Args:
        ends: for each box and dimension, the first and the last index; a last one before the first means that it is empty.

    Attributes:
        first: the first indices.
        last: the last indices.

    >>> Spans(np.array([[[0, 4]], [[5, 9]], [[3, 6]]])).crossing(np.array([6]), np.array([8]))
    [1, 2]
    """

    def __init__(self, ends: AnyArray) -> None:
        self.first: Indices = np.ascontiguousarray(ends[:, :, 0])
        self.last: Indices = np.ascontiguousarray(ends[:, :, 1])
        count, ndim = self.first.shape
        distinct = [len(np.unique(self.first[:, d])) for d in range(ndim)]
        self._dimension = int(np.argmax(distinct)) if ndim and count else 0
        if not ndim or not count:
            return
        starts = self.first[:, self._dimension]
        self._order = np.argsort(starts, kind="stable")
        self._starts = starts[self._order]
        # Of a box and all that are sorted before it: none of them reaches further.
        self._reach = np.maximum.accumulate(self.last[self._order, self._dimension])

    def crossing(self, low: Indices, high: Indices) -> list[int]:
        """The numbers of the boxes with an index from ``low`` to before ``high``, in ascending order."""
        count, ndim = self.first.shape
        if not ndim or not count:
            return list(range(count))
        begin = np.searchsorted(self._reach, low[self._dimension], "left")
        end = np.searchsorted(self._starts, high[self._dimension], "left")
        near = np.sort(self._order[begin:end])
        found = ((self.first[near] < high) & (self.last[near] >= low)).all(axis=1)
        numbers: list[int] = near[found].tolist()
        return numbers
