"""ZipStore's writes: what others see and when, who is killed, who comes second."""

from __future__ import annotations

import fcntl
import gc
import io
import itertools
import os
import pickle
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import zarr

from tests.core.stores.contract import VALUES, StoreTests, WritableStoreTests
from tests.core.stores.zip.test_store import make_zip, zip_of
from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    ChangedError,
    InvalidKeyError,
    KeyTooLongError,
    StoreError,
    StoreFullError,
    StoreNotFoundError,
)
from zarrcore.stores import ByteRange, LocalStore, MemoryStore, ReadableStore, StoreStat, ZipStore, open_store
from zarrcore.stores.zip import changes as zip_changes
from zarrcore.stores.zip import writing as zip_writing
from zarrcore.stores.zip.writing import ZipWriter


class TestWritten(StoreTests, WritableStoreTests):
    """A file that was written and closed, and new ones that are being written."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> ReadableStore:
        with open_store(tmp_path / "x.zip", create=True) as store:
            for key, value in VALUES.items():
                store.set(key, value)
        return open_store(tmp_path / "x.zip")

    @pytest.fixture
    def empty(self, tmp_path: Path) -> ReadableStore:
        return open_store(tmp_path / "new.zip", create=True)


class TestBeingWritten(StoreTests):
    """Reading back what is not in the file yet, beside what is."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> ReadableStore:
        first = dict(list(VALUES.items())[:2])
        (tmp_path / "x.zip").write_bytes(make_zip(zipfile.ZIP_DEFLATED, first))
        store = open_store(tmp_path / "x.zip")
        for key, value in list(VALUES.items())[2:]:
            store.set(key, value)
        return store

    def test_it_pickles(self, store: ReadableStore) -> None:
        assert pickle.loads(pickle.dumps(store)).get("ab/x") == b"1"
        store.close()
        assert pickle.loads(pickle.dumps(store)).get("ab/x") == b"1"


class TestNotComplete(TestBeingWritten):
    """The same, where the directory is not written before the store is closed."""

    @pytest.fixture(autouse=True)
    def rest(self, never_at_rest: None) -> None:
        """As said."""


@pytest.fixture
def never_at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the directory written after the first change and then only when a store is closed."""
    monkeypatch.setattr(zip_changes, "_REST", 1e9)


def members(place: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(place) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_others_see_the_changes_at_once(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    store = open_store(place, create=True)
    assert members(place) == {}
    store.set("a", b"1")
    reader = open_store(place)
    assert members(place) == {"a": b"1"} == {entry.key: reader.get(entry.key) for entry in reader.list()}
    store.set("ä/b", b"22")
    assert reader.get("ä/b") == b"22"
    store.close()
    assert members(place) == {"a": b"1", "ä/b": b"22"}
    store.set("a", b"changed")
    store.erase("ä/b")
    assert store.get("a", ByteRange(0, 2)) == reader.get("a", ByteRange(0, 2)) == b"ch"
    assert reader.get("ä/b") is None
    store.close()
    assert members(place) == {"a": b"changed"}
    assert os.listdir(tmp_path) == ["x.zip"]


def test_other_processes_see_what_is_not_complete(tmp_path: Path, never_at_rest: None) -> None:
    place = tmp_path / "x.zip"
    store, reader = open_store(place, create=True), open_store(place)
    for number in range(40):
        store.set(f"a/{number % 7}", bytes([number]) * number * 1000)
        store.set(f"b/{number}", b"")
        store.erase(f"b/{number - 1}")
        assert reader.get(f"a/{number % 7}") == bytes([number]) * number * 1000
        assert reader.get(f"a/{number % 7}", ByteRange(3, 5)) == (bytes([number]) * number * 1000)[3:5]
        assert [entry.key for entry in reader.list_prefix("b/")] == [f"b/{number}"]
    with pytest.raises(zipfile.BadZipFile):
        members(place)
    remote = ZipStore(MemoryStore(values={"x.zip": place.read_bytes()}), "x.zip")
    assert [*remote.list()] == [*reader.list()]
    store.close()
    assert members(place).keys() == {"b/39", *(f"a/{number}" for number in range(7))}


def test_a_complete_file_is_written_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a fiftieth of the time, by a clock that goes on by one each time that somebody looks at it."""
    ticks = itertools.count()
    monkeypatch.setattr(zip_changes.time, "monotonic", lambda: next(ticks))
    monkeypatch.setattr(zip_changes.threading, "Timer", mock.Mock())
    written: list[int] = []
    settle = ZipWriter.settle
    monkeypatch.setattr(
        ZipWriter, "settle", lambda writer: (written.append(len(writer.members)), settle(writer))
    )
    with open_store(tmp_path / "x.zip", create=True) as store:
        for number in range(2000):
            store.set(f"c/{number}", b"1")
        assert 10 < len(written) < 120
    assert len(members(tmp_path / "x.zip")) == 2000
    size = (tmp_path / "x.zip").stat().st_size
    assert size < 2000 * 140


def test_the_file_is_complete_soon_after_the_last_change(tmp_path: Path) -> None:
    store = open_store(tmp_path / "x.zip", create=True)
    store.set("first", b"1")
    rest(store, 0.2)
    for number in range(5):
        store.set(str(number), b"1")
    deadline = time.monotonic() + 20
    while not zipfile.is_zipfile(tmp_path / "x.zip"):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert len(members(tmp_path / "x.zip")) == 6


def rest(store: ReadableStore, seconds: float) -> None:
    """Have a store write its directory no sooner than in so many seconds, or when it is closed."""
    assert isinstance(store, ZipStore)
    assert store._changes is not None
    store._changes._due_s = time.monotonic() + seconds


def test_what_was_there_stays(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    place.write_bytes(make_zip(zipfile.ZIP_DEFLATED, before=b"#!/bin/sh\n"))
    with zipfile.ZipFile(place, "a") as archive:
        archive.writestr("../unsafe", b"kept")
        archive.comment = b"a comment"
    place.chmod(0o640)
    with open_store(place) as store:
        store.set("new", b"1")
        store.erase("ab/x")
        assert store.get("zarr.json") == VALUES["zarr.json"]
    expected = {key: value for key, value in VALUES.items() if key != "ab/x"}
    assert members(place) == {**expected, "new": b"1", "../unsafe": b"kept", "empty directory/": b""}
    assert place.stat().st_mode & 0o777 == 0o640
    assert place.read_bytes().startswith(b"#!/bin/sh\n")
    with zipfile.ZipFile(place) as archive:
        assert archive.comment == b"a comment"


def test_erasing_what_is_not_there_changes_nothing(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    place.write_bytes(make_zip())
    before = place.stat().st_ino
    with open_store(place) as store:
        store.erase("absent")
        store.erase_values(["absent"])
        store.erase_prefix("absent/")
    assert place.stat().st_ino == before


KILLED = """
import os, signal, sys
from zarrcore.stores import open_store
from zarrcore.stores.zip import changes as zip_changes
zip_changes._REST = float(sys.argv[2])
store = open_store(sys.argv[1])
for number in range(50):
    store.set(f"new/{number}", bytes([number]) * 10_000)
store.set("new/3", b"replaced")
store.erase("new/4")
store.erase("ab/x")
os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(place: Path, rest: str) -> dict[str, bytes]:
    """What a writer has stored that was killed then."""
    command = [sys.executable, "-c", KILLED, place, rest]
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (outcome.returncode, outcome.stderr) == (-signal.SIGKILL, "")
    expected = {**VALUES, **{f"new/{number}": bytes([number]) * 10_000 for number in range(50)}}
    expected |= {"new/3": b"replaced"}
    return {key: value for key, value in expected.items() if key not in {"new/4", "ab/x"}}


@pytest.mark.parametrize("rest", ["0", "1e9"])
def test_what_was_set_survives_the_writer(tmp_path: Path, rest: str) -> None:
    place = tmp_path / "x.zip"
    place.write_bytes(make_zip())
    expected = killed(place, rest)
    assert zipfile.is_zipfile(place) == (rest == "0")
    assert os.listdir(tmp_path) == ["x.zip"]
    store = open_store(place)
    assert {entry.key: store.get(entry.key) for entry in store.list()} == expected
    # That a store was opened has made it complete for others.
    assert {key: value for key, value in members(place).items() if key[-1] != "/"} == expected
    with zarr.storage.ZipStore(place, mode="r") as other:
        assert set(zarr.core.sync.sync(_all(other))) == expected.keys()
    store.set("more", b"1")
    store.close()
    assert members(place)["more"] == b"1"


async def _all(store: zarr.storage.ZipStore) -> list[str]:
    await store._open()
    return [key async for key in store.list() if key[-1] != "/"]


def test_a_file_that_may_only_be_read_tells_what_was_set(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    place.write_bytes(make_zip())
    expected = killed(place, "1e9")
    before = place.read_bytes()
    with open(place, "rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)  # as one does who writes
        store = open_store(place)
        assert {entry.key: store.get(entry.key) for entry in store.list()} == expected
    assert place.read_bytes() == before


@pytest.mark.parametrize("rest", [0, 5, 1e9])
def test_what_was_set_is_there_after_every_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rest: float
) -> None:
    """Whatever the system was asked for last, and were it half done, when the writer was killed."""
    monkeypatch.setattr(zip_changes, "_REST", rest)
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
        if len(data) > 100:  # a page is written whole
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
        for number in range(60):
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


def test_a_value_that_was_half_written_is_left_out(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    place.write_bytes(make_zip())
    expected = killed(place, "1e9")
    data = bytearray(place.read_bytes())
    last = data.rindex(b"\x31" * 100)
    data[last] ^= 1  # of new/49, behind which new/3, new/4 and ab/x are
    at = data.index(b"PK\x03\x04", last)
    data[at : at + 4] = bytes(4)
    store = ZipStore(MemoryStore(values={"x.zip": bytes(data)}), "x.zip")
    expected |= {"new/3": b"\3" * 10_000, "new/4": b"\4" * 10_000, "ab/x": b"1"}
    del expected["new/49"]
    assert {entry.key: store.get(entry.key) for entry in store.list()} == expected


def test_a_file_that_is_being_written_and_was_cut_off_is_told(tmp_path: Path) -> None:
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


def test_values_that_look_like_members_are_none(tmp_path: Path, never_at_rest: None) -> None:
    place, inner = tmp_path / "x.zip", tmp_path / "y.zip"
    store = open_store(inner, create=True)
    for key in ("first", "hidden", "other"):
        store.set(key, b"inner")
    store = open_store(place, create=True)
    for key in ("a", "b", "c"):
        store.set(key, inner.read_bytes())
        store.set("end", make_zip())
    assert {entry.key for entry in open_store(place).list()} == {"a", "b", "c", "end"}


@pytest.mark.parametrize("ending", ["del store", "pass", "sys.exit(3)"])
def test_a_store_that_is_let_go_keeps_what_was_set(tmp_path: Path, ending: str) -> None:
    program = (
        "import sys\n"
        "from zarrcore.stores import open_store\n"
        "store = open_store(sys.argv[1], create=True)\n"
        "store.set('a', b'1')\n"
    )
    place = tmp_path / "x.zip"
    command = [sys.executable, "-c", program + ending, place]
    assert subprocess.run(command, capture_output=True, text=True, timeout=60).stderr == ""
    assert members(place) == {"a": b"1"}


def test_a_forked_process_neither_writes_nor_stores(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    program = (
        "import os, sys\n"
        "from zarrcore.errors import StoreError\n"
        "from zarrcore.stores import open_store\n"
        "store = open_store(sys.argv[1], create=True)\n"
        "store.set('a', b'1')\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try:\n"
        "        store.set('b', b'2')\n"
        "    except StoreError as error:\n"
        "        assert 'forked' in str(error)\n"
        "    store.close()\n"
        "    os._exit(len([*open_store(sys.argv[1]).list()]))\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1\n"
        "store.close()\n"
    )
    command = [sys.executable, "-c", program, place]
    assert subprocess.run(command, capture_output=True, text=True, timeout=60).stderr == ""
    assert members(place) == {"a": b"1"}


def test_several_writers_take_turns(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    first, second = open_store(place, create=True), open_store(place)
    first.set("a", b"1")
    second.set("b", b"2")
    first.set("a", b"3")
    assert second.get("a") == b"3"
    second.erase("b")
    first.close()
    second.close()
    assert members(place) == {"a": b"3"}
    program = (
        "import sys\n"
        "from zarrcore.stores import open_store\n"
        "with open_store(sys.argv[1]) as store:\n"
        "    for number in range(30):\n"
        "        store.set(f'{sys.argv[2]}/{number}', sys.argv[2].encode() * 1000)\n"
    )
    command = [sys.executable, "-c", program, place]
    running = [subprocess.Popen([*command, name], stderr=subprocess.PIPE) for name in "xyz"]
    assert [process.communicate(timeout=60)[1] for process in running] == [b"", b"", b""]
    assert len(members(place)) == 91


def test_nobody_waits_for_ever_for_a_writer_that_goes_on(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    program = (
        "import sys\n"
        "from zarrcore.stores import open_store\n"
        "with open_store(sys.argv[1]) as store:\n"
        "    number = 0\n"
        "    while store.get('stop') is None:\n"
        "        store.set(f'theirs/{number % 100}', b'1' * 1000)\n"
        "        number += 1\n"
    )
    store = open_store(place, create=True)
    with subprocess.Popen([sys.executable, "-c", program, place], stderr=subprocess.PIPE) as other:
        while not [*store.list()]:
            time.sleep(0.01)
        for number in range(5):
            store.set("both", b"%d" % number)  # else "is being written by another process"
            store.set("theirs/0", b"mine")
        store.set("stop", b"")
        store.close()
        assert other.communicate(timeout=60)[1] == b""
    assert {"both", "stop", "theirs/0"} <= members(place).keys()
    assert members(place)["both"] == b"4"


def test_who_else_writes_a_key_has_the_last_word(tmp_path: Path) -> None:
    first, second = open_store(tmp_path / "x.zip", create=True), open_store(tmp_path / "x.zip")
    first.set("a", b"1")
    first.erase("a")
    second.set("a", b"2")
    first.set("b", b"1")
    second.set("b", b"2")
    first.close()
    second.close()
    assert members(tmp_path / "x.zip") == {"a": b"2", "b": b"2"}


def replace(place: Path, values: dict[str, bytes]) -> None:
    """As a program does that writes a file anew."""
    other = place.with_name("other")
    other.write_bytes(make_zip(values=values))
    other.replace(place)


@pytest.mark.parametrize("is_complete", [True, False])
def test_who_undoes_what_was_set_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_complete: bool
) -> None:
    monkeypatch.setattr(zip_changes, "_REST", 0 if is_complete else 1e9)
    place = tmp_path / "x.zip"
    store = open_store(place, create=True)
    store.set("mine", b"1")
    store.set("mine too", b"1")
    replace(place, {"theirs": b"2"})
    with pytest.raises(ChangedError, match=r"changed by another program.*under mine and 1 more is not in it"):
        store.set("next", b"3")
    store.set("next", b"3")
    store.close()
    assert members(place) == {"empty directory/": b"", "theirs": b"2", "next": b"3"}
    store.set("next", b"4")
    replace(place, {"theirs": b"2"})
    with pytest.raises(ChangedError, match="under next is not in it"):
        store.close()
    store.close()
    store.set("next", b"4")
    place.unlink()
    with pytest.raises(ChangedError, match="under next is not in it"):
        store.close()
    with pytest.raises(StoreNotFoundError):
        store.set("next", b"4")
    assert os.listdir(tmp_path) == []


def test_who_adds_members_to_a_complete_file_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zip_changes, "_REST", 0)
    place = tmp_path / "x.zip"
    store = open_store(place, create=True)
    store.set("mine", b"1")
    with zipfile.ZipFile(place, "a") as archive:
        archive.writestr("theirs", b"2")
    assert store.get("theirs") == b"2"
    store.set("mine too", b"3")
    with zipfile.ZipFile(place, "a") as archive:
        archive.writestr("theirs too", b"4")
    store.close()
    assert members(place) == {"mine": b"1", "theirs": b"2", "mine too": b"3", "theirs too": b"4"}


def test_who_writes_into_a_file_that_is_not_complete_is_told_of(tmp_path: Path, never_at_rest: None) -> None:
    place = tmp_path / "x.zip"
    store = open_store(place, create=True)
    store.set("first", b"1")
    store.set("mine", b"1")
    with zipfile.ZipFile(place, "a") as archive:  # finds no zip file, and begins one
        archive.writestr("theirs", b"2")
    with pytest.raises(ChangedError, match="under first and 1 more is not in it"):
        store.close()
    assert members(place) == {"theirs": b"2"}


@pytest.mark.parametrize("rest", [0, 1e9])
def test_a_full_disk_is_told_at_once(small_disk: Path, monkeypatch: pytest.MonkeyPatch, rest: float) -> None:
    monkeypatch.setattr(zip_changes, "_REST", rest)
    place = small_disk / "x.zip"
    store = open_store(place, create=True)
    stored: dict[str, bytes] = {}
    refused: list[str] = []
    for number in range(1000):
        value = bytes([number % 256]) * (20_000 if number < 100 else 1)
        try:
            store.set(str(number), value)
            stored[str(number)] = value
        except StoreFullError as error:
            refused.append(str(error))
    assert len(stored) > 30
    assert refused[0].endswith(": the disk is full")
    assert {entry.key: store.get(entry.key) for entry in store.list()} == stored
    store.close()
    assert members(place) == stored
    assert os.listdir(small_disk) == ["x.zip"]


def test_dead_bytes_make_room_on_a_full_disk(small_disk: Path) -> None:
    store = open_store(small_disk / "x.zip", create=True)
    for number in range(60):
        store.set("a", bytes([number]) * 100_000)
    assert store.get("a") == bytes([59]) * 100_000
    store.close()
    assert members(small_disk / "x.zip") == {"a": bytes([59]) * 100_000}


def test_replaced_values_do_not_pile_up(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    largest = 0
    with open_store(place, create=True) as store:
        store.set("kept", b"k" * 500_000)
        for number in range(60):
            store.set("replaced", bytes([number]) * 500_000)
            largest = max(largest, place.stat().st_size)
            assert store.get("kept") == b"k" * 500_000
    assert largest < 16 << 20
    assert members(place) == {"kept": b"k" * 500_000, "replaced": bytes([59]) * 500_000}
    assert place.stat().st_size < 1_001_000
    assert os.listdir(tmp_path) == ["x.zip"]


def test_file_systems_without_unnamed_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "O_TMPFILE", os.O_DIRECTORY | os.O_CREAT)  # which Linux refuses by EINVAL
    with open_store(tmp_path / "x.zip", create=True) as store:
        store.set("a", bytes(300_000))
        store.set("a", b"1")
    assert members(tmp_path / "x.zip") == {"a": b"1"}
    assert (tmp_path / "x.zip").stat().st_size < 1000
    assert os.listdir(tmp_path) == ["x.zip"]


class _Stream(io.BytesIO):
    """What cannot go back, so that the sizes of a member stand behind it."""

    def seekable(self) -> bool:
        return False

    def tell(self) -> int:
        raise OSError

    seek = tell  # type: ignore[assignment]


def test_what_is_copied_without_dead_bytes_stays_as_it_is(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    stream = _Stream()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = b"a comment"
        archive.writestr("../unsafe", b"kept")
        for number in range(20):
            archive.writestr(f"packed/{number}", bytes(10_000))
        archive.writestr("large", os.urandom(300_000))
        with archive.open("streamed", "w") as member:
            member.write(b"abc" * 100)
    place.write_bytes(stream.getvalue())
    place.chmod(0o640)
    before = place.stat().st_ino
    with open_store(place) as store:
        store.erase("large")
        store.set("new", b"1")
    assert place.stat().st_ino != before
    assert place.stat().st_mode & 0o777 == 0o640
    assert place.stat().st_size < 10_000
    expected = {"../unsafe": b"kept", "streamed": b"abc" * 100, "new": b"1"}
    assert members(place) == expected | {f"packed/{number}": bytes(10_000) for number in range(20)}
    with zipfile.ZipFile(place) as archive:
        assert archive.comment == b"a comment"
    data = place.read_bytes()
    assert data.count(b"PK\x07\x08") == 22  # the descriptors of what was streamed


def test_dead_bytes_that_cannot_be_given_back_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_store(tmp_path / "x.zip", create=True)
    for _ in range(3):
        store.set("a", bytes(100_000))

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        store.close()
    assert "bytes that belong to nothing: Permission denied" in caplog.text
    assert members(tmp_path / "x.zip") == {"a": bytes(100_000)}
    assert os.listdir(tmp_path) == ["x.zip"]


def test_readers_never_mix_a_file_with_the_one_that_takes_its_place(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    with open_store(place, create=True) as store:
        store.set("gone", bytes(200_000))
        store.set("a", b"abcdef")
    reader = ZipStore(_ReplacedMeanwhile(tmp_path, lambda: _compact(place)), "x.zip")
    assert reader.get("a", ByteRange(1, 3)) == b"bc"
    reader.source.is_awaited = True
    assert reader.get("a", ByteRange(1, 3)) == b"bc"
    reader = ZipStore(_ReplacedMeanwhile(tmp_path, lambda: _replace_often(place)), "x.zip")
    time.sleep(0.03)  # until its directory is not read again, since its date is past
    assert reader.get("a", ByteRange(1, 3)) == b"bc"
    reader.source.is_awaited = True
    assert reader.get("a", ByteRange(1, 3)) in (b"bc", b"BC")
    assert reader.get("a", ByteRange(1, 3)) == b"BC"


class _ReplacedMeanwhile(LocalStore):
    """Something happens between that a file is looked at and that it is read."""

    def __init__(self, root: Path, happens: Callable[[], None]) -> None:
        super().__init__(root)
        self.happens = happens
        self.is_awaited = False

    def stat(self, key: str) -> StoreStat | None:
        found = super().stat(key)
        if self.is_awaited:
            self.is_awaited = False
            self.happens()
        return found


def _replace_often(place: Path) -> None:
    """Until the number of the first file is given to another one, as file systems do."""
    inode = place.stat().st_ino
    for _ in range(50):
        replace(place, {"a different": b"x" * 99, "a": b"ABCDEF"})
        if place.stat().st_ino == inode:
            break


def _compact(place: Path) -> None:
    with open_store(place) as other:
        other.erase("gone")


def test_names_that_no_member_can_have_are_refused(tmp_path: Path) -> None:
    store = open_store(tmp_path / "x.zip", create=True)
    for key in ("../a", "/a", "a/../b", "a\0b", "a\ud800", "ä" * 40_000, "", "a/"):
        with pytest.raises(InvalidKeyError):
            store.set(key, b"1")
    store.set("ä" * 30_000, b"1")
    store.set("a//b", b"2")
    store.close()
    assert len(members(tmp_path / "x.zip")) == 2


def test_what_is_no_zip_file_is_not_written_over(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    place.write_bytes(b"something else")
    store = open_store(place, create=True)
    for write in (lambda: store.set("a", b"1"), lambda: store.erase("a"), lambda: store.erase_prefix("")):
        with pytest.raises(BrokenBodyError, match="is no zip file"):
            write()
    store.close()
    assert place.read_bytes() == b"something else"
    assert os.listdir(tmp_path) == ["x.zip"]
    with pytest.raises(StoreNotFoundError, match="there is no file"):
        open_store(tmp_path / "absent.zip")
    (tmp_path / "d.zip").mkdir()
    assert not isinstance(open_store(tmp_path / "d.zip", create=True), ZipStore)


def test_closing_again_after_it_could_not_be_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, never_at_rest: None
) -> None:
    store = open_store(tmp_path / "x.zip", create=True)
    store.set("first", b"0")
    store.set("a", b"1")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "ftruncate", refuse)
        with pytest.raises(AccessDeniedError):
            store.close()
    assert store.get("a") == b"1"
    store.set("b", b"2")
    store.close()
    assert members(tmp_path / "x.zip") == {"first": b"0", "a": b"1", "b": b"2"}


def test_large_members_and_directories_use_zip64(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)
    with open_store(tmp_path / "x.zip", create=True) as store:
        for key, value in VALUES.items():
            store.set(key, value)
            assert store.get(key) == value
    monkeypatch.undo()
    assert members(tmp_path / "x.zip") == VALUES
    assert b"PK\x06\x06" in (tmp_path / "x.zip").read_bytes()


def test_descriptors_are_given_back(tmp_path: Path) -> None:
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    for number in range(20):
        with open_store(tmp_path / "x.zip", create=True) as store:
            store.set(str(number), io.BytesIO(b"1").getbuffer())
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before + 1
    assert len(members(tmp_path / "x.zip")) == 20


def test_a_name_that_no_member_can_have_is_refused(tmp_path: Path) -> None:
    with open_store(tmp_path / "x.zip", create=True) as store:
        store.set("n" * 65_535, b"1")
        with pytest.raises(KeyTooLongError, match="no name so long"):
            store.set("n" * 65_536, b"1")
        with pytest.raises(InvalidKeyError):
            store.set("half a pair \ud83d", b"1")
        assert store.get("n" * 65_535) == b"1"
