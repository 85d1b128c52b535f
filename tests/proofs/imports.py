"""New processes, each of which opens all kinds of source in eight threads at once."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from tests.core import opened_at_once


def trial(seed: int) -> int:
    """Run one process.

    Raises:
        AssertionError: a source did not open.
    """
    opened_at_once.run(Path(_sources().name), seed)
    return 1


@functools.cache
def _sources() -> tempfile.TemporaryDirectory[str]:
    """The folder, which the end of the process removes."""
    folder = tempfile.TemporaryDirectory(prefix="sources-")
    opened_at_once.make(Path(folder.name))
    return folder
