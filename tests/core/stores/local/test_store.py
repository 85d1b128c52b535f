"""LocalStore."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.stores.contract import VALUES, StoreTests, WritableStoreTests
from tests.core.stores.local.test_links import check_links, make_links
from zarrcore.errors import (
    InvalidKeyError,
    StoreError,
    StoreNotFoundError,
)
from zarrcore.stores import ByteRange, LocalStore, descriptors, open_store
from zarrcore.stores.local import confined_paths as beneath
from zarrcore.stores.local import store as local_module


@pytest.fixture
def store(values_directory: Path) -> LocalStore:
    return LocalStore(values_directory)


@pytest.fixture
def empty(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "new", create=True)


class TestLocalStore(StoreTests, WritableStoreTests):
    pass


class TestWithoutOpenat2(StoreTests, WritableStoreTests):
    """If a sandbox forbids the system call, the path of the open file is checked instead."""

    @pytest.fixture(autouse=True)
    def _without(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(local_module, "open_beneath", beneath._open_checked)

    @pytest.fixture(name="root")
    def _root(self, tmp_path: Path) -> Path:
        return make_links(tmp_path)

    def test_links_out_are_refused(self, root: Path) -> None:
        check_links(root)


class TestFollowingLinks(StoreTests, WritableStoreTests):
    @pytest.fixture
    def store(self, values_directory: Path) -> LocalStore:
        return LocalStore(values_directory, follow_links=True)


def test_a_key_that_is_not_a_file_is_absent(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    store = LocalStore(tmp_path)
    for key in ("pipe", "socket"):
        assert store.get(key) is None
        assert store.stat(key) is None
    assert list(store.list_dir("")) == []


def test_a_missing_root_is_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(StoreNotFoundError, match="there is no file or directory"):
        open_store(tmp_path / "absent")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreNotFoundError, match="is neither a folder nor a file of a known kind"):
        open_store(tmp_path / "file")


def test_a_root_that_vanishes_is_an_error_and_not_a_store_without_keys(tmp_path: Path) -> None:
    root = tmp_path / "root"
    store = LocalStore(root, create=True)
    store.set("a", b"1")
    shutil.rmtree(root)
    with pytest.raises(StoreNotFoundError):
        store.get("a")
    with pytest.raises(StoreNotFoundError):
        store.stat("a")
    for prefix in ("", "b/"):
        with pytest.raises(StoreNotFoundError):
            list(store.list_dir(prefix))
        with pytest.raises(StoreNotFoundError):
            list(store.list_prefix(prefix))
    with pytest.raises(StoreNotFoundError):
        store.set("a", b"1")


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (lambda store: store.get("d/a"), b"new"),
        (lambda store: store.get_into("d/a", memoryview(bytearray(3))), 3),
        (lambda store: store.get_with_stat("d/a")[0], b"new"),
        (lambda store: store.stat("d/a").size, 3),
        (lambda store: store.has_prefix("d/"), True),
        (lambda store: [entry.key for entry in store.list_dir("")], ["d/"]),
        (lambda store: [entry.key for entry in store.list_dir("d/")], ["d/a"]),
        (lambda store: os.close(store.open_key("d/a")), None),
        (lambda store: store.erase("d/a") or LocalStore(store.root).get("d/a"), None),
        (lambda store: store.erase_prefix("d/") or LocalStore(store.root).get("d/a"), None),
    ],
)
def test_nothing_is_absent_because_the_root_was_replaced(
    tmp_path: Path, ask: Callable[[LocalStore], Any], answer: Any
) -> None:
    root = tmp_path / "root"
    store = LocalStore(root, create=True)
    root.rename(tmp_path / "old")  # where it stays, so that its inode number is not given to another
    LocalStore(root, create=True).set("d/a", b"new")
    assert ask(store) == answer


def test_a_listing_of_a_folder_that_is_emptied_because_the_root_is_replaced(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "d").mkdir(parents=True)
    store = LocalStore(root)
    root.rename(tmp_path / "old")
    LocalStore(root, create=True).set("d/a", b"new")
    assert [entry.key for entry in store.list_dir("d/")] == ["d/a"]


def test_a_name_that_is_too_long_is_refused(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    with pytest.raises(InvalidKeyError):
        store.get("x" * 300)
    with pytest.raises(InvalidKeyError):
        store.set("x" * 300, b"")


def test_names_that_are_not_utf8_are_kept(tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/\xff\xfe", "wb") as file:
        file.write(b"1")
    store = LocalStore(tmp_path)
    (entry,) = store.list()
    assert store.get(entry.key) == b"1"


def test_large_values_take_several_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "LARGEST_CALL", 1000)
    store = LocalStore(tmp_path)
    value = os.urandom(12_345)
    store.set("a", value)
    assert store.get("a") == value
    assert store.get("a", ByteRange(5, 9_000)) == value[5:9_000]


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.set("a/b", b"1")
    with pytest.raises(StoreError):
        store.set("a", b"there is a directory")
    with pytest.raises(StoreError):
        store.set("a/b/c", b"there is a file")
    assert os.listdir(tmp_path) == ["a"]
    assert os.listdir(tmp_path / "a") == ["b"]


def test_unreadable_files_are_denied(tmp_path: Path) -> None:
    """Run as another user if the tests run as root, who may read everything."""
    store = LocalStore(tmp_path)
    store.set("closed", b"1")
    store.set("d/x", b"1")
    os.chmod(tmp_path / "closed", 0)
    os.chmod(tmp_path / "d", 0)
    program = (
        "import os, sys\n"
        "from zarrcore.stores import LocalStore\n"
        "from zarrcore.errors import AccessDeniedError\n"
        "store = LocalStore(sys.argv[1])\n"
        "if os.getuid() == 0:\n"
        "    os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "for read in (lambda: store.get('closed'), lambda: store.get('d/x'), lambda: list(store.list_dir('d/'))):\n"
        "    try:\n"
        "        read()\n"
        "        sys.exit('was read')\n"
        "    except AccessDeniedError as error:\n"
        "        print(error)\n"
    )
    try:
        for parent in (tmp_path, *tmp_path.parents[:2]):
            os.chmod(parent, 0o755)
        outcome = subprocess.run(
            [sys.executable, "-c", program, tmp_path], capture_output=True, text=True, timeout=60
        )
    finally:
        os.chmod(tmp_path / "d", 0o755)
    assert outcome.stderr == ""
    assert outcome.returncode == 0
    assert outcome.stdout.count("Permission denied") == 3


def test_descriptors_are_closed(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        store = LocalStore(tmp_path)
        store.set("a/b", b"1")
        store.get("a/b")
        store.get("absent")
        list(store.list())
        next(store.list_dir(""))
        store.close()
    del store
    assert len(os.listdir("/proc/self/fd")) <= before + 1


def test_values_are_those_of_the_files(values_directory: Path) -> None:
    store = open_store(f"file://{values_directory}")
    assert store.url == str(values_directory)
    assert store.get("zarr.json") == VALUES["zarr.json"]


def test_half_a_surrogate_pair_is_not_a_key(tmp_path: Path) -> None:
    store = LocalStore(tmp_path, create=True)
    for use in (store.get, store.stat, store.erase, lambda key: store.set(key, b"")):
        with pytest.raises(InvalidKeyError):
            use("a/\ud800")
    with pytest.raises(InvalidKeyError):
        list(store.list_dir("\ud800/"))
    with pytest.raises(StoreError):
        LocalStore(tmp_path / "\ud800")


def test_an_empty_directory_is_found_as_it_is_listed(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    with LocalStore(tmp_path) as store:
        assert "empty/" in [entry.key for entry in store.list_dir("")]
        assert store.has_prefix("empty/")
        assert store.has_prefix("")
        assert not store.has_prefix("file/")
        assert not store.has_prefix("absent/")


def test_a_scan_tells_what_a_listing_tells(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.set("a/b", b"12")
    store.set("a/c/d", b"3")
    os.symlink("b", tmp_path / "a" / "link")
    os.mkfifo(tmp_path / "a" / "pipe")
    found = dict(store.scan_dir("a/"))
    assert found.pop("c") is None
    assert {name: facts and facts.st_size for name, facts in found.items()} == {"b": 2, "link": 2}
    assert {entry.key for entry in store.list_dir("a/")} == {"a/b", "a/c/", "a/link"}
