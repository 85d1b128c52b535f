"""Which byte ranges of a shard one request fetches together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from zarrcore.array.chunks.decode_units import DecodeUnit

# Bytes between two ranges that are cheaper to read than to ask for separately, of a remote store's several requests at once too.
_GAP_NBYTES = 128 << 10


@dataclass(frozen=True, slots=True)
class Member:
    """Bytes ``[start, stop)`` of a key, and the units that lie in them."""

    start: int
    stop: int
    units: list[DecodeUnit]
    is_span: bool = False
    """Whether the bytes are only those that are wanted of a single unit."""


def runs(members: list[Member], max_nbytes: int) -> Iterator[list[Member]]:
    """Members that one request of about ``max_nbytes`` at most fetches together."""
    run: list[Member] = []
    stop = 0
    for member in sorted(members, key=attrgetter("start")):
        if run and (member.start - stop > _GAP_NBYTES or member.stop - run[0].start > max_nbytes):
            yield run
            run = []
        stop = max(stop, member.stop) if run else member.stop
        run.append(member)
    if run:
        yield run
