"""ZipStore's writes: what others see and when, who is killed, who comes second."""

from __future__ import annotations

import gc
import io
import os
import pickle
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.core.stores.contract import VALUES, StoreTests, WritableStoreTests
from tests.core.stores.test_zip import make_zip
from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    InvalidKeyError,
    StoreError,
    StoreNotFoundError,
)
from zarrcore.stores import ByteRange, ReadableStore, ZipStore, open_store


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
        with pytest.raises(StoreError, match="close it first"):
            pickle.dumps(store)
        store.close()
        assert pickle.loads(pickle.dumps(store)).get("ab/x") == b"1"


def members(place: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(place) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_others_see_the_changes_when_it_is_closed(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    store = open_store(place, create=True)
    assert members(place) == {}
    store.set("a", b"1")
    store.set("ä/b", b"22")
    reader = open_store(place)
    assert list(reader.list()) == []
    store.close()
    assert members(place) == {"a": b"1", "ä/b": b"22"}
    assert {entry.key for entry in reader.list()} == {"a", "ä/b"}
    store.set("a", b"changed")
    store.erase("ä/b")
    assert store.get("a", ByteRange(0, 2)) == b"ch"
    assert reader.get("a") == b"1"
    store.close()
    assert members(place) == {"a": b"changed"}
    assert os.listdir(tmp_path) == ["x.zip"]


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


def test_a_killed_writer_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    place.write_bytes(make_zip())
    program = (
        "import os, signal, sys\n"
        "from zarrcore.stores import open_store\n"
        "store = open_store(sys.argv[1])\n"
        "store.set('new', bytes(100_000))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    outcome = subprocess.run(
        [sys.executable, "-c", program, place], capture_output=True, text=True, timeout=60
    )
    assert (outcome.returncode, outcome.stderr) == (-signal.SIGKILL, "")
    assert place.read_bytes() == make_zip() or members(place).keys() == VALUES.keys() | {"empty directory/"}
    (left,) = set(os.listdir(tmp_path)) - {"x.zip"}
    assert [entry.key for entry in open_store(tmp_path).list()] == ["x.zip"]
    os.utime(tmp_path / left, (0, 0))
    with open_store(place) as store:
        store.set("new", b"1")
    assert os.listdir(tmp_path) == ["x.zip"]


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
        "    os._exit(len(open_store(sys.argv[1]).names if False else list(open_store(sys.argv[1]).list())))\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "store.close()\n"
    )
    program = program.replace("open_store(sys.argv[1]).names if False else ", "")
    command = [sys.executable, "-c", program, place]
    assert subprocess.run(command, capture_output=True, text=True, timeout=60).stderr == ""
    assert members(place) == {"a": b"1"}


def test_the_second_of_two_writers_is_told(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    first, second = open_store(place, create=True), open_store(place)
    first.set("a", b"1")
    second.set("b", b"2")
    first.close()
    with pytest.raises(StoreError, match="was changed by somebody else meanwhile"):
        second.close()
    assert members(place) == {"a": b"1"}
    second.set("b", b"2")
    second.close()
    assert members(place) == {"a": b"1", "b": b"2"}
    first.set("c", b"3")
    place.unlink()
    with pytest.raises(StoreError, match="by somebody else"):
        first.close()
    assert os.listdir(tmp_path) == []
    with pytest.raises(StoreNotFoundError):
        first.set("c", b"3")


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


def test_closing_again_after_the_disk_was_full_stores_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(tmp_path / "x.zip", create=True)
    store.set("a", b"1")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        with pytest.raises(AccessDeniedError):
            store.close()
    assert store.get("a") == b"1"
    store.set("b", b"2")
    store.close()
    assert members(tmp_path / "x.zip") == {"a": b"1", "b": b"2"}


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
