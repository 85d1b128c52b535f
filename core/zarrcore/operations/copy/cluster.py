"""Copying blocks on a Dask cluster: the same plan, with the cluster's processes instead of threads."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from zarrcore.errors import MissingExtraError, StoreError, UnreachableError
from zarrcore.operations.copy.block_copy import BlockCopy, Piece, RunPieces
from zarrcore.operations.copy.blocks import Box
from zarrcore.operations.copy.transfer import ChunkTransfer
from zarrcore.stores.memory import MemoryStore

_AHEAD = 2
"""Blocks that are queued at the cluster for each of its threads."""


@contextmanager
def on_cluster(address: str) -> Iterator[RunPieces]:
    """A function that runs pieces of a copy on the cluster whose scheduler is at ``address``.

    Every worker must reach both stores; local ones through a shared file system.

    Raises:
        MissingExtraError: Dask's distributed scheduler is not installed.
        UnreachableError: no scheduler answers at ``address``.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtraError("copying on a cluster", "dask") from error
    try:
        client: Any = Client(address, timeout="10s", set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TimeoutError) as error:
        raise UnreachableError(f"no Dask scheduler answers at {address}: {error}", url=address) from error
    with client:

        def run(pieces: Iterable[Piece]) -> Iterator[int]:
            return _run(client, pieces)

        yield run


def _run(client: Any, pieces: Iterable[Piece]) -> Iterator[int]:
    ahead: deque[Any] = deque()
    most = _AHEAD * max(1, sum(client.nthreads().values()))
    packed: tuple[BlockCopy | ChunkTransfer, bytes] | None = None
    try:
        for block_copy, box, _ in pieces:
            if packed is None or packed[0] is not block_copy:
                _refuse_memory(block_copy)
                packed = block_copy, pickle.dumps(block_copy)
            # Copying a block twice is harmless, so another worker takes the blocks of one that dies.
            ahead.append(client.submit(_copy_block, packed[1], box, pure=False, retries=1))
            if len(ahead) >= most:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        if ahead:
            client.cancel(list(ahead))


def _refuse_memory(block_copy: BlockCopy | ChunkTransfer) -> None:
    for array in (block_copy.source, block_copy.destination):
        if isinstance(array.store, MemoryStore):
            raise StoreError(
                f"{array.store.url} is in the memory of this process, which a cluster does not share",
                url=array.store.url,
            )


def _copy_block(packed: bytes, box: Box) -> int:
    return _unpacked(packed)(box)


@lru_cache(maxsize=8)
def _unpacked(packed: bytes) -> BlockCopy | ChunkTransfer:
    """Made once for all blocks of an array that a worker copies: opening the connections of a store is expensive."""
    block_copy: BlockCopy | ChunkTransfer = pickle.loads(packed)  # noqa: S301 - from this program, through Dask, which pickles itself
    return block_copy
