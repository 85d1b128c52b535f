"""The names of the dimensions of an array that has none of its own, as groups above it say them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from zarrbrowser.nodes.protocols import ArrayLike

_log = logging.getLogger(__name__)


def names_of(array: ArrayLike, find: Callable[[str], Any]) -> Sequence[str | None] | None:
    """The names of an array's dimensions; None if there are none, or if the groups above cannot be read. Blocks."""
    from zarrcore.conventions import names_along  # late: for a fast start
    from zarrcore.errors import ZarrError

    try:
        return names_along(array, find)
    except ZarrError as error:
        _log.debug("cannot read the names of the dimensions of %s: %s", array.path, error)
        return None
