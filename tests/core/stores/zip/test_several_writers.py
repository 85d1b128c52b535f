"""Several programs that change one zip file."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.any_store import open_store
from tests.core.stores.zip.zip_files import members, replace
from zarrcore.errors import (
    ChangedError,
    StoreNotFoundError,
)
from zarrcore.stores.zip import changes as zip_changes


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


def test_a_value_that_another_writer_replaces_is_not_lost_by_its_compaction(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    first = open_store(place, create=True)
    first.set("a", b"1" * 500_000)
    try:
        os.setxattr(place, "user.test", b"")
    except OSError as error:
        pytest.skip(f"the file system of the temporary folder has no extended attributes: {error}")
    for size in (200_000, 3):
        with open_store(place) as second:
            second.set("a", b"2" * size)
        assert place.stat().st_size < 300_000 + size  # compacted
    first.set("b", b"4")
    first.close()
    assert members(place) == {"a": b"222", "b": b"4"}


def test_a_file_that_is_put_back_is_noticed_after_compaction(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    first = open_store(place, create=True)
    first.set("a", b"1")
    with open_store(place) as second:
        second.set("b", bytes(500_000))
        second.erase("b")
    assert place.stat().st_size < 100_000  # compacted
    replace(place, {"a": b"0"})
    with pytest.raises(ChangedError, match="the value stored here under a"):
        first.set("c", b"4")
    first.close()


def test_waiting_for_another_writer_has_a_limit(tmp_path: Path) -> None:
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
            store.set("both", b"%d" % number)  # otherwise "is being written by another process"
            store.set("theirs/0", b"mine")
        store.set("stop", b"")
        store.close()
        assert other.communicate(timeout=60)[1] == b""
    assert {"both", "stop", "theirs/0"} <= members(place).keys()
    assert members(place)["both"] == b"4"


def test_the_last_writer_of_a_key_wins(tmp_path: Path) -> None:
    first, second = open_store(tmp_path / "x.zip", create=True), open_store(tmp_path / "x.zip")
    first.set("a", b"1")
    first.erase("a")
    second.set("a", b"2")
    first.set("b", b"1")
    second.set("b", b"2")
    first.close()
    second.close()
    assert members(tmp_path / "x.zip") == {"a": b"2", "b": b"2"}


@pytest.mark.parametrize("is_complete", [True, False])
def test_values_removed_by_another_program_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_complete: bool
) -> None:
    monkeypatch.setattr(zip_changes, "_REST", 0 if is_complete else 1e9)
    monkeypatch.setattr(zip_changes, "_REST_MAX_S", 1e9)
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


def test_another_program_may_add_members_to_a_complete_file(
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


def test_another_program_that_writes_into_an_incomplete_file_is_reported(
    tmp_path: Path, never_at_rest: None
) -> None:
    place = tmp_path / "x.zip"
    store = open_store(place, create=True)
    store.set("first", b"1")
    store.set("mine", b"1")
    with zipfile.ZipFile(place, "a") as archive:  # does not find a zip file, and starts a new one
        archive.writestr("theirs", b"2")
    with pytest.raises(ChangedError, match="under first and 1 more is not in it"):
        store.close()
    assert members(place) == {"theirs": b"2"}


def test_another_writer_does_not_wait_longer_than_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine, writing the directory may take long; the file is released soon all the same."""
    monkeypatch.setattr(zip_changes, "_REST", 1e9)
    monkeypatch.setattr(zip_changes, "_REST_MAX_S", 0.2)
    first, second = (open_store(tmp_path / "a.zip", create=True) for _ in range(2))
    first.set("a", b"1")
    first.set("b", b"2")
    assert second.set("c", b"3")
    assert [entry.key for entry in first.list()] == ["a", "b", "c"]
    first.close()
    second.close()
