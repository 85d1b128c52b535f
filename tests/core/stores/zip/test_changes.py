"""Changes to a zip file: when other programs see them, and when the file is complete."""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from tests.any_store import open_store
from tests.core.stores.contract import VALUES, StoreTests
from tests.core.stores.zip.zip_files import make_zip, members, rest
from tests.waiting import PATIENCE_S
from zarrcore.errors import (
    AccessDeniedError,
    StoreError,
)
from zarrcore.stores import ByteRange, MemoryStore, ReadableStore, ZipStore
from zarrcore.stores.zip.writing import ZipWriter


class TestBeingWritten(StoreTests):
    """Reading values that the directory in the file does not contain yet, and others."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[ReadableStore]:
        first = dict(list(VALUES.items())[:2])
        (tmp_path / "x.zip").write_bytes(make_zip(zipfile.ZIP_DEFLATED, first))
        with open_store(tmp_path / "x.zip") as store:
            for key, value in list(VALUES.items())[2:]:
                store.set(key, value)
            yield store

    def test_it_pickles(self, store: ReadableStore) -> None:
        assert pickle.loads(pickle.dumps(store)).get("ab/x") == b"1"
        store.close()
        assert pickle.loads(pickle.dumps(store)).get("ab/x") == b"1"


class TestNotComplete(TestBeingWritten):
    """The same, with a directory that is only written when the store is closed."""

    @pytest.fixture(autouse=True)
    def rest(self, never_at_rest: None) -> None:
        """Write the directory only when the store is closed."""


def test_other_stores_see_the_changes_at_once(tmp_path: Path) -> None:
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


def test_a_name_without_a_mark_is_written_with_one(tmp_path: Path) -> None:
    """Info-ZIP writes UTF-8 without the mark. The name must not become code page 437 on any Python."""
    place = tmp_path / "x.zip"
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("zz", b"1")
    place.write_bytes(place.read_bytes().replace(b"zz", "ä".encode()))
    with open_store(place) as store:
        store.set("b", b"2")
    with zipfile.ZipFile(place) as archive:
        assert {info.filename: info.flag_bits & 0x800 for info in archive.infolist()} == {"ä": 0x800, "b": 0}


def test_other_processes_see_values_of_an_incomplete_file(tmp_path: Path, never_at_rest: None) -> None:
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


def test_the_directory_is_written_from_time_to_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a fiftieth of the time, by a clock that advances by a millisecond with each call."""
    ticks = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks) / 1000)
    monkeypatch.setattr(threading, "Timer", mock.Mock())
    written: list[int] = []
    settle = ZipWriter.settle

    def noted(writer: ZipWriter) -> None:
        written.append(len(writer.members))
        settle(writer)

    monkeypatch.setattr(ZipWriter, "settle", noted)
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
    deadline = time.monotonic() + PATIENCE_S
    while not zipfile.is_zipfile(tmp_path / "x.zip"):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert len(members(tmp_path / "x.zip")) == 6


@pytest.mark.parametrize("ending", ["del store", "pass", "sys.exit(3)"])
def test_a_garbage_collected_store_keeps_its_values(tmp_path: Path, ending: str) -> None:
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


def test_closing_can_be_repeated_after_a_failure(
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


def test_the_first_change_removes_what_a_killed_writer_left_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(make_zip())
    old = tmp_path / ".zarrscope-0123.partial"
    old.write_bytes(b"half")
    os.utime(old, (1, 1))
    with open_store(tmp_path / "x.zip") as store:
        assert old.exists(), "reading removes nothing"
        store.set("b", b"2")
        assert not old.exists()


def test_the_directory_is_written_at_once_if_no_thread_can_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, never_at_rest: None
) -> None:
    def fail(_: threading.Timer) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Timer, "start", fail)
    store = open_store(tmp_path / "x.zip", create=True)
    for key in ("a", "b"):
        store.set(key, b"1")
    assert zipfile.ZipFile(tmp_path / "x.zip").namelist() == ["a", "b"]


def test_a_writer_that_failed_to_begin_locks_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: ZipWriter) -> None:
        raise StoreError("there is not enough memory")

    with open_store(tmp_path / "x.zip", create=True) as store:
        with monkeypatch.context() as failing:
            failing.setattr(ZipWriter, "_note", fail)
            with pytest.raises(StoreError, match="memory") as caught:
                store.set("a", b"1")
        assert caught.value.__traceback__ is not None, "it keeps the failed writer alive"
        store.set("a", b"1")
