"""What reading costs, and how it ends early."""

from __future__ import annotations

from dataclasses import dataclass

ASK_ABOVE_BYTES = 256 * 2**20
"""What decodes to more than this is read only when the person says so."""


class Cancelled(Exception):  # noqa: N818 - no error: what was asked for is no longer wanted
    """The work was given up between two blocks."""


@dataclass(frozen=True, slots=True)
class ReadCost:
    """What reading takes: only whole chunks can be decoded."""

    chunks: int
    nbytes: int
