"""While fuzzing, reads and requests are made by the thread that waits for them, with the same results and errors."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

import zarrcore
from tests.proofs.fuzz.one_thread import in_one_thread
from zarrcore.errors import CodecError
from zarrcore.hierarchy import ArrayNode
from zarrcore.stores import MemoryStore
from zarrcore.threads import ThreadPool, at_once


@pytest.fixture(autouse=True)
def no_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def start(thread: threading.Thread) -> None:
        raise AssertionError(f"{thread.name} starts")

    monkeypatch.setattr(threading.Thread, "start", start)
    with in_one_thread():
        yield


def array_of_chunks() -> tuple[MemoryStore, ArrayNode]:
    store = MemoryStore()
    array = zarrcore.create(store).create_array("a", shape=(60,), dtype="int16", chunks=(5,))
    array[...] = np.arange(60)
    return store, array


def test_arrays_are_read() -> None:
    assert array_of_chunks()[1][...].tolist() == list(range(60))


def test_an_error_of_a_chunk_is_raised() -> None:
    store, array = array_of_chunks()
    store.set("a/c/7", b"\1")
    with pytest.raises(CodecError):
        array[...]


def test_calls_are_made_when_their_results_are_wanted() -> None:
    asked: list[str] = []

    def get(key: str) -> str:
        asked.append(key)
        return key.upper()

    found = at_once(get, ["a", "b", "c"])
    assert [found("b"), found("b"), found("x")] == ["B", "B", "X"]
    assert asked == ["b", "x"]


def test_results_are_in_order_and_errors_are_raised() -> None:
    with ThreadPool(3) as pool:
        assert list(pool.map(int, ["1", "2"])) == [1, 2]
        with pytest.raises(ValueError, match="invalid literal"):
            list(pool.map(int, ["1", "x"]))
