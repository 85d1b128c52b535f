"""The pieces of a body: all bytes in order, bounded memory, and an end when the client goes away."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrcore.errors import ChangedError
from zarrfs.http.answers.body import Body, Memory
from zarrfs.http.workers import Client, ClientGoneError, Workers
from zarrfs.trees.entry import BytesLike, OpenFile
from zarrfs.trees.errors import WouldBlockError

CONTENT = bytes(range(256)) * (40 << 10)


class Slow(OpenFile):
    """A file that is never in memory, and records what is read."""

    def __init__(self, content: bytes) -> None:
        self.size = len(content)
        self.content = content
        self.read_parts: list[tuple[int, int]] = []

    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        if not wait:
            raise WouldBlockError
        self.read_parts.append((offset, nbytes))
        return self.content[offset : offset + nbytes]


class Connection:
    """What a client sends: nothing, until it leaves."""

    def __init__(self) -> None:
        self.left = asyncio.Event()

    async def receive(self) -> Any:
        await self.left.wait()
        return {"type": "http.disconnect"}


def collected(file: OpenFile, interval: tuple[int, int], memory: Memory) -> bytes:
    async def collect() -> bytes:
        workers = Workers(4)
        client = Client(Connection().receive)
        try:
            body = Body(file, client, workers, memory)
            return b"".join([bytes(piece) async for piece in body.pieces(interval)])
        finally:
            client.release()
            workers.stop(1)

    return asyncio.run(collect())


@settings(max_examples=15)
@given(
    st.tuples(st.integers(0, len(CONTENT)), st.integers(0, len(CONTENT))).map(sorted), st.integers(0, 8 << 20)
)
def test_the_pieces_are_the_part_that_was_asked_for(interval: list[int], limit: int) -> None:
    start, stop = interval
    file, memory = Slow(CONTENT), Memory(limit)
    assert collected(file, (start, stop), memory) == CONTENT[start:stop]
    assert memory.used == 0
    assert sum(nbytes for _, nbytes in file.read_parts) == stop - start


def test_pieces_grow_and_are_small_without_memory() -> None:
    file = Slow(CONTENT)
    collected(file, (0, len(CONTENT)), Memory(1 << 30))
    assert [nbytes for _, nbytes in sorted(file.read_parts)][:4] == [256 << 10, 512 << 10, 1 << 20, 2 << 20]
    file = Slow(CONTENT)
    collected(file, (0, len(CONTENT)), Memory(0))
    assert {nbytes for _, nbytes in file.read_parts} == {64 << 10}


def test_documents_wait_for_room_unless_they_are_small_or_alone() -> None:
    memory = Memory(1 << 20)
    with memory.holding(5 << 20):
        with pytest.raises(MemoryError), memory.holding(1 << 20):
            pass
        with memory.holding(64 << 10):
            assert memory.used == (5 << 20) + (64 << 10)
    assert memory.used == 0
    with memory.holding(512 << 10), memory.holding(512 << 10):
        assert memory.used == 1 << 20


def test_a_file_that_became_shorter_is_an_error_and_leaves_no_memory() -> None:
    memory = Memory(1 << 30)
    with pytest.raises(ChangedError):
        collected(Slow(CONTENT[:1_000_000]), (0, len(CONTENT)), memory)
    assert memory.used == 0


class Gated(Slow):
    """A file whose later parts are read once a gate opens."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.gate = threading.Event()

    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        if wait and offset:
            assert self.gate.wait(60)
        return super().read(offset, nbytes, wait)


def test_reading_ends_when_the_client_goes_away() -> None:
    file, memory = Gated(CONTENT), Memory(1 << 30)

    async def leave_early() -> None:
        workers, connection = Workers(1), Connection()
        client = Client(connection.receive)
        pieces = Body(file, client, workers, memory).pieces((0, len(CONTENT)))
        try:
            assert len(await anext(pieces)) == 256 << 10
            connection.left.set()
            await asyncio.sleep(0.01)  # the client is seen to leave
            file.gate.set()
            with pytest.raises(ClientGoneError):
                await _rest(pieces)
        finally:
            await pieces.aclose()
            client.release()
            workers.stop(1)

    asyncio.run(leave_early())
    assert memory.used == 0
    assert sum(nbytes for _, nbytes in file.read_parts) < len(CONTENT) // 2


async def _rest(pieces: AsyncIterator[BytesLike]) -> None:
    async for _ in pieces:
        pass
