"""The journal of a zip file that is being written: no stored value is lost."""

from __future__ import annotations

import fcntl
import io
import os
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import zarr

from tests.any_store import open_store
from tests.campaigns import ALL
from tests.core.stores.as_nobody import as_nobody, place_for_all
from tests.core.stores.contract import VALUES
from tests.core.stores.zip.zip_files import make_zip, members, rest, zip_of
from zarrcore.errors import (
    StoreError,
)
from zarrcore.stores import MemoryStore, ZipStore
from zarrcore.stores.zip import changes as zip_changes
from zarrcore.stores.zip import writing as zip_writing

KILLED = """
import os, signal, sys
from zarrcore.stores import open_store
from zarrcore.stores.zip import changes
changes._REST, changes._REST_MAX_S = float(sys.argv[2]), 1e9
store = open_store(sys.argv[1])
for number in range(50):
    store.set(f"new/{number}", bytes([number]) * 10_000)
store.set("new/3", b"replaced")
store.erase("new/4")
store.erase("ab/x")
os.kill(os.getpid(), signal.SIGKILL)
"""


@cache
def left(rest: str) -> bytes:
    """The file that a writer leaves who is killed."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "x.zip")
        place.write_bytes(make_zip())
        command = [sys.executable, "-c", KILLED, place, rest]
        outcome = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert (outcome.returncode, outcome.stderr) == (-signal.SIGKILL, "")
        assert os.listdir(folder) == ["x.zip"]
        return place.read_bytes()


def killed(place: Path, rest: str) -> dict[str, bytes]:
    """The values that a writer stored before it was killed."""
    place.write_bytes(left(rest))
    expected = {**VALUES, **{f"new/{number}": bytes([number]) * 10_000 for number in range(50)}}
    expected |= {"new/3": b"replaced"}
    return {key: value for key, value in expected.items() if key not in {"new/4", "ab/x"}}


@pytest.mark.parametrize("rest", ["0", "1e9"])
def test_stored_values_survive_the_writer(tmp_path: Path, rest: str) -> None:
    place = tmp_path / "x.zip"
    expected = killed(place, rest)
    assert zipfile.is_zipfile(place) == (rest == "0")
    store = open_store(place)
    assert {entry.key: store.get(entry.key) for entry in store.list()} == expected
    # Opening a store has completed the file for other programs.
    assert {key: value for key, value in members(place).items() if key[-1] != "/"} == expected
    with zarr.storage.ZipStore(place, mode="r") as other:
        assert set(zarr.core.sync.sync(_all(other))) == expected.keys()
    store.set("more", b"1")
    store.close()
    assert members(place)["more"] == b"1"


def test_opening_a_store_completes_the_file_without_any_request(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    expected = killed(place, "1e9")
    assert not zipfile.is_zipfile(place)
    store = open_store(place)
    assert {key: value for key, value in members(place).items() if key[-1] != "/"} == expected
    store.close()


def test_opening_a_store_leaves_a_file_that_is_being_written(tmp_path: Path, never_at_rest: None) -> None:
    place = tmp_path / "x.zip"
    with open_store(place, create=True) as writer:
        writer.set("a", b"1")
        writer.set("b", b"2")
        before = place.read_bytes()
        open_store(place)
        assert place.read_bytes() == before
    assert members(place) == {"a": b"1", "b": b"2"}


def test_opening_a_store_writes_nothing_without_permission() -> None:
    with place_for_all() as folder:
        place = folder / "x.zip"
        expected = killed(place, "1e9")
        place.chmod(0o444)
        before = place.read_bytes()
        lines = f"store = open_store({str(place)!r})\nprint(sum(1 for _ in store.list()), bytes(store.get('new/3')))"
        assert (
            as_nobody("encodings.cp437, zstandard, zarrcore.stores.zip.store", lines)
            == f"{len(expected)} b'replaced'\n"
        )
        assert place.read_bytes() == before


async def _all(store: zarr.storage.ZipStore) -> list[str]:
    await store._open()
    return [key async for key in store.list() if key[-1] != "/"]


def test_a_read_only_file_shows_the_values_of_its_journal(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    expected = killed(place, "1e9")
    before = place.read_bytes()
    with open(place, "rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)  # as a writer does
        store = open_store(place)
        assert {entry.key: store.get(entry.key) for entry in store.list()} == expected
    assert place.read_bytes() == before


@pytest.mark.parametrize("rest", [0, 5, 1e9])
def test_stored_values_are_found_after_every_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rest: float
) -> None:
    """The writer is killed after any system call, even an incomplete one."""
    monkeypatch.setattr(zip_changes, "_REST", rest)
    monkeypatch.setattr(zip_changes, "_REST_MAX_S", 1e9)
    monkeypatch.setattr(zip_writing, "_RUNNING_LEAST", 400_000)
    monkeypatch.setattr(zip_writing, "_ROOM_LEAST", 10_000)
    place = tmp_path / "x.zip"
    place.write_bytes(make_zip())
    stored: dict[str, bytes | None] = dict(VALUES)
    pending: dict[str, bytes | None] = {}
    steps: list[str] = []

    def look(step: str) -> None:
        steps.append(step)
        found = ZipStore(MemoryStore(values={"x.zip": place.read_bytes()}), "x.zip")
        values = {entry.key: found.get(entry.key) for entry in found.list()}
        expected = {key: value for key, value in stored.items() if value is not None}
        after = {key: value for key, value in {**stored, **pending}.items() if value is not None}
        assert values in (expected, after), step

    def looked_at(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **keywords: Any) -> Any:
            look(f"before {name}")
            done = call(*arguments, **keywords)
            look(f"after {name}")
            return done

        return step

    pwrite = os.pwrite

    def write(descriptor: int, data: Any, position: int) -> int:
        look("before pwrite")
        done = 0
        if len(data) > 100:  # a page is written completely
            done = pwrite(descriptor, memoryview(data)[: len(data) // 2], position)
            look("half of pwrite")
        done += pwrite(descriptor, memoryview(data)[done:], position + done)
        look("after pwrite")
        return done

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", write)
        for name in ("ftruncate", "posix_fallocate", "replace"):
            patch.setattr(os, name, looked_at(name, getattr(os, name)))
        store = open_store(place)
        for number in range(60 if ALL else 40):
            key, value = f"k/{number % 5}", bytes([number]) * (1 + number * 997 % 30_000)
            pending = {key: value}
            store.set(key, value)
            stored |= pending
            if number % 9 == 8:
                pending = {key: None}
                store.erase(key)
                stored |= pending
            if number % 20 == 19:
                store.close()
        store.close()
    assert {"after replace", "after ftruncate", "after posix_fallocate", "half of pwrite"} <= {*steps}


def test_an_incomplete_value_is_ignored(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    expected = killed(place, "1e9")
    data = bytearray(place.read_bytes())
    last = data.rindex(b"\x31" * 100)
    data[last] ^= 1  # of new/49, followed by new/3, new/4 and ab/x
    at = data.index(b"PK\x03\x04", last)
    data[at : at + 4] = bytes(4)
    store = ZipStore(MemoryStore(values={"x.zip": bytes(data)}), "x.zip")
    expected |= {"new/3": b"\3" * 10_000, "new/4": b"\4" * 10_000, "ab/x": b"1"}
    del expected["new/49"]
    assert {entry.key: store.get(entry.key) for entry in store.list()} == expected


def test_a_truncated_file_with_a_journal_is_reported(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    place.write_bytes(make_zip(zipfile.ZIP_DEFLATED, {"a": b"1"}))
    with open_store(place, durable=True) as store:
        store.set("b", b"22")
        rest(store, 1e6)
        store.set("c", b"333")
        data = place.read_bytes()
    values = {"a": b"1", "b": b"22", "c": b"333"}
    assert zip_of(data).get("c") == b"333"
    for size in [*range(600), *range(600, len(data), 97), *range(len(data) - 70, len(data))]:
        cut = zip_of(data[:size])
        try:
            found = {entry.key: cut.get(entry.key) for entry in cut.list()}
        except StoreError:
            continue
        assert found == {key: values[key] for key in found if key}
        assert found.keys() in ({"a"}, {"a", "b"}), size
        assert zipfile.is_zipfile(io.BytesIO(data[:size]))


def test_values_that_look_like_members_are_not_members(tmp_path: Path, never_at_rest: None) -> None:
    place, inner = tmp_path / "x.zip", tmp_path / "y.zip"
    store = open_store(inner, create=True)
    for key in ("first", "hidden", "other"):
        store.set(key, b"inner")
    store = open_store(place, create=True)
    for key in ("a", "b", "c"):
        store.set(key, inner.read_bytes())
        store.set("end", make_zip())
    assert {entry.key for entry in open_store(place).list()} == {"a", "b", "c", "end"}
