"""The function for asyncio in the library's page: it reads, and stops when its task is cancelled."""

from __future__ import annotations

import asyncio
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore as zc
from tests.waiting import PATIENCE_S
from zarrcore.stores import MemoryStore

PAGE = (Path(__file__).parents[2] / "core/docs/library.md").read_text("utf-8")
DATA = np.arange(200, dtype="int16")


class GatedStore(MemoryStore):
    """Chunks are handed out only when the gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.asked = threading.Semaphore(0)
        self.count = 0

    def get(self, key: str, *arguments: Any, **options: Any) -> Any:
        if "/c/" in key:
            self.count += 1
            self.asked.release()
            assert self.gate.wait(PATIENCE_S)
        return super().get(key, *arguments, **options)


@pytest.fixture
def store() -> GatedStore:
    store = GatedStore()
    zc.create(store).create_array("a", data=DATA, chunks=1)
    store.count = 0
    return store


def function() -> Any:
    (block,) = re.findall(r"^```python\n(import asyncio\n.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    exec(block, names)
    return names["read"]


def test_reads_at_the_same_time(store: GatedStore) -> None:
    read, array = function(), zc.open_array(store, "a")

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(read(array, slice(i, None, 50)) for i in range(50)))

    assert np.array_equal(np.transpose(asyncio.run(all_of_them())).ravel(), DATA)


def test_a_cancelled_task_stops_its_read(store: GatedStore) -> None:
    read, array = function(), zc.open_array(store, "a")
    ends: list[BaseException] = []
    reading = array.read

    class Observed:
        """The array; its read says how it ended."""

        def read(self, *arguments: Any, **options: Any) -> Any:
            try:
                return reading(*arguments, **options)
            except zc.ReadCancelledError as error:
                ends.append(error)
                raise

    async def cancelled() -> None:
        task = asyncio.create_task(read(Observed()))
        assert await asyncio.to_thread(store.asked.acquire, timeout=PATIENCE_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        store.gate.set()

    store.gate.clear()
    asyncio.run(cancelled())  # waits for its threads
    assert len(ends) == 1
    assert 0 < store.count < len(DATA)
