"""Atomic writes and their temporary files, copies of files, and the removal of trees."""

from __future__ import annotations

import filecmp
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from zarrcore.errors import (
    StoreError,
)
from zarrcore.stores import LocalStore
from zarrcore.stores.local import atomic_files


def test_unfinished_values_are_not_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LocalStore(tmp_path)
    store.set("a", b"old")

    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        patch.setattr(atomic_files, "unlink", lambda *_: None)  # as if killed
        with pytest.raises(KeyboardInterrupt):
            store.set("a", b"new")
    assert len(os.listdir(tmp_path)) == 2
    assert [entry.key for entry in store.list()] == ["a"]
    assert store.get("a") == b"old"


_KILLED_WRITER = """
import os, signal, sys
from zarrcore.stores import open_store
from zarrcore.stores.local import atomic_files

atomic_files._UNNAMED_FILES = sys.argv[2] == "unnamed"
store = open_store(sys.argv[1])
write = os.write

def write_half(descriptor, value):
    write(descriptor, value[:len(value) // 2])
    os.kill(os.getpid(), signal.SIGKILL)

os.write = write_half
store.set("a/x", bytes(1000))
"""


@pytest.mark.parametrize(("kind", "left"), [("unnamed", 0), ("named", 1)])
def test_a_killed_writer_leaves_the_old_value(tmp_path: Path, kind: str, left: int) -> None:
    store = LocalStore(tmp_path)
    store.set("a/x", b"old")
    writer = subprocess.run([sys.executable, "-c", _KILLED_WRITER, tmp_path, kind], check=False)
    assert writer.returncode == -signal.SIGKILL
    assert store.get("a/x") == b"old"
    assert [entry.key for entry in store.list()] == ["a/x"]
    assert len(os.listdir(tmp_path / "a")) == 1 + left


def test_a_value_has_its_name_when_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    link = os.link

    def look(*names: Any, **options: Any) -> None:
        seen.append(os.listdir(tmp_path))
        link(*names, **options)

    monkeypatch.setattr(os, "link", look)
    store = LocalStore(tmp_path)
    store.set("a", b"1")
    assert seen == [[]]
    store.set("a", b"2")
    assert seen == [[], ["a"], ["a"]]  # a link cannot replace a file: it gets a temporary name first
    assert os.listdir(tmp_path) == ["a"]


def make_left_over(directory: Path, age_s: float) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    place = directory / atomic_files.temporary_name()
    place.write_bytes(b"half")
    os.utime(place, (time.time() - age_s,) * 2)
    return place


def test_old_temporary_files_of_killed_writers_are_removed(tmp_path: Path) -> None:
    old, new = make_left_over(tmp_path / "a", 2 * 3600), make_left_over(tmp_path / "a", 60)
    store = LocalStore(tmp_path)
    assert list(store.list_dir("a/")) == []
    assert store.get("a/x") is None
    store.set("a/x", b"1")
    assert not old.exists()
    assert new.exists()  # its writer may still be active
    old = make_left_over(tmp_path / "a", 2 * 3600)
    store.erase_prefix("a/")
    assert not old.exists()
    assert new.exists()
    assert list(store.list()) == []


def test_holes_stay_holes(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "store", create=True)
    with open(tmp_path / "file", "w+b") as file:
        for offset in (0, 30 << 20, (50 << 20) + 7):
            os.pwrite(file.fileno(), b"content", offset)
        os.truncate(file.fileno(), 80 << 20)
        store.set_file("a", file.fileno())
    copied = tmp_path / "store" / "a"
    assert filecmp.cmp(copied, tmp_path / "file", shallow=False)
    assert copied.stat().st_blocks * 512 < 1 << 20


def test_a_file_of_another_file_system_is_copied(tmp_path: Path, small_disk: Path) -> None:
    store = LocalStore(tmp_path / "store", create=True)
    value = bytes(range(256)) * 2000
    (small_disk / "file").write_bytes(value)
    os.truncate(small_disk / "file", 3_000_000)
    with open(small_disk / "file", "rb") as file:
        store.set_file("a", file.fileno())
    assert store.get("a") == value + bytes(3_000_000 - len(value))


@pytest.fixture
def _without_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(atomic_files, "_without_links", set())


@pytest.mark.usefixtures("_without_links")
def test_file_systems_without_links_are_reported(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    with pytest.raises(StoreError, match="Operation not supported"):
        store.set("a", b"1", if_absent=True)
    assert os.listdir(tmp_path) == []


@pytest.mark.usefixtures("_without_links")
def test_a_file_system_with_unnamed_files_but_without_links(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    for value in (b"1", b"22", b"333"):  # the first write finds that links do not work
        store.set("a", value)
        assert store.get("a") == value
    with open(tmp_path / "b", "w+b") as file:
        file.write(b"4444")
        file.flush()
        store.set_file("c", file.fileno())
    assert store.get("c") == b"4444"
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]
    assert (tmp_path / "c").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_erasing_a_prefix_follows_no_links(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kept").write_bytes(b"1")
    store = LocalStore(tmp_path / "root", create=True, follow_links=True)
    store.set("b/kept", b"2")
    store.set("a/x", b"3")
    (tmp_path / "root/a/out").symlink_to(tmp_path / "outside")
    (tmp_path / "root/a/in").symlink_to("../b")
    (tmp_path / "root/a/nowhere").symlink_to("absent")
    (tmp_path / "root/a/kept").symlink_to("../b/kept")
    store.erase_prefix("a/")
    assert [entry.key for entry in store.list()] == ["b/kept"]
    assert (tmp_path / "outside" / "kept").exists()
    assert os.listdir(tmp_path / "root") == ["b"]
