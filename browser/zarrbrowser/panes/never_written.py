"""Whether an array whose elements look all alike was never written, for the tabs that show one."""

from __future__ import annotations

import logging
from collections.abc import Callable

from zarrbrowser.chunks.storage_facts import NEVER_WRITTEN, is_never_written
from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.workers import Lane

_log = logging.getLogger(__name__)


def report_if_never_written(array: ArrayLike, lane: Lane, tell: Callable[[str], None]) -> None:
    """Look for chunks of an array in a worker, and report if it has none: a listing, which ends at the first chunk."""
    lane.ask(
        lambda _asked: is_never_written(array),
        lambda is_empty: tell(NEVER_WRITTEN) if is_empty else None,
        lambda error: _log.debug("cannot list the chunks of %s: %s", array.path, error),
    )
