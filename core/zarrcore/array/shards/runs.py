"""Grouping of a shard's byte ranges into requests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from zarrcore.array.chunks.decode_units import DecodeUnit

# Two ranges with a gap of up to this many bytes are cheaper to read in one request, even if requests run in parallel.
_GAP_NBYTES = 128 << 10


@dataclass(frozen=True, slots=True)
class Member:
    """Bytes ``[start, stop)`` of a key, and the units in them."""

    start: int
    stop: int
    units: list[DecodeUnit]
    is_span: bool = False
    """Whether the bytes are only the wanted part of a single unit."""


def runs(members: list[Member], max_nbytes: int) -> Iterator[list[Member]]:
    """Groups of members that are close enough for one request of about ``max_nbytes`` at most."""
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
