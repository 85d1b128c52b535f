"""The cost of a read, and the error of a cancelled one."""

from __future__ import annotations

from dataclasses import dataclass

ASK_ABOVE_BYTES = 256 * 2**20
"""A read that decodes to more than this needs the user's consent."""


class Cancelled(Exception):  # noqa: N818 - not an error: the result is not needed any more
    """The read was cancelled between two blocks."""


@dataclass(frozen=True, slots=True)
class ReadCost:
    """The cost of a read: only whole chunks can be decoded."""

    chunks: int
    nbytes: int
