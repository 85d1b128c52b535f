"""LocalStore's writes in difficult cases: full disks, refusals, renamed files, deep and large trees."""

from __future__ import annotations

import os
import resource
import subprocess
import tracemalloc
from pathlib import Path

import pytest

from tests.any_store import open_store
from tests.core.stores.as_nobody import as_nobody, place_for_all
from zarrcore.errors import AccessDeniedError, InvalidKeyError, StoreError, StoreFullError
from zarrcore.stores import LocalStore, Renaming


def test_a_file_that_grows_too_large_is_reported_and_removed(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.set("a/x", b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        for key in ("a/x", "b/c/x"):
            for if_absent in (False, key == "b/c/x"):
                with pytest.raises(
                    StoreFullError, match=rf"^{key} in .*: it is larger than this file system allows$"
                ):
                    store.set(key, bytes(200_000), if_absent=if_absent)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert store.get("a/x") == b"old"
    assert [str(place) for place, _, _ in os.walk(tmp_path)] == [str(tmp_path), f"{tmp_path}/a"]
    assert os.listdir(tmp_path / "a") == ["x"]


def test_a_renamed_file_is_the_same_file(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.set("a/x", b"value")
    os.utime(tmp_path / "a" / "x", (1, 1))
    known = (tmp_path / "a" / "x").stat()
    assert store.link("a/x", "b/y")
    assert store.rename("a/x", "c/z")
    assert not (tmp_path / "a").exists()
    for path in ("b/y", "c/z"):
        found = (tmp_path / path).stat()
        assert (found.st_ino, found.st_mtime) == (known.st_ino, 1)
    assert store.rename("b/y", "c/z")  # two names of one file
    assert [entry.key for entry in store.list()] == ["c/z"]


def test_a_file_with_two_paths_is_kept(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.set("e/x", b"value")
    (tmp_path / "d").symlink_to("e")
    assert store.rename("d/x", "e/x") is Renaming.DONE
    assert store.rename("d/x", "e/x", if_absent=True) is Renaming.KEY_TAKEN
    assert store.get("e/x") == b"value"


def test_renaming_a_symbolic_link_copies_its_value(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.set("a/x", b"value")
    (tmp_path / "a" / "link").symlink_to("x")
    assert store.rename("a/link", "b/link") is store.link("a/link", "b/link") is Renaming.NOT_POSSIBLE
    assert [entry.key for entry in store.list_dir("")] == ["a/"]


def test_a_full_disk_is_reported_and_leaves_the_old_value(small_disk: Path, tmp_path: Path) -> None:
    store, large = LocalStore(small_disk), open(tmp_path / "large", "w+b")  # noqa: SIM115 - closed at the end
    large.write(b"1" * 2_000_000)
    large.flush()
    store.set("a/x", b"old" * 1000)
    for write in (
        lambda: store.set("a/x", bytes(2_000_000)),
        lambda: store.set("b/y", bytes(2_000_000), if_absent=True),
        lambda: store.set_partial_values([("a/x", 2_000_000, b"1")]),
        lambda: store.set_file("a/x", large.fileno()),
        lambda: store.set_file("c/y", large.fileno(), if_absent=True),
    ):
        with pytest.raises(StoreFullError, match=r": the disk is full$"):
            write()
    assert store.get("a/x") == b"old" * 1000
    assert os.listdir(small_disk / "a") == ["x"]
    assert os.listdir(small_disk) == ["a"]
    large.close()
    zipped = open_store(small_disk / "z.zip", create=True)
    zipped.set("a", b"1")
    with pytest.raises(StoreFullError, match=r"^b in .*z\.zip: the disk is full$"):
        zipped.set("b", bytes(2_000_000))
    zipped.set("c", b"2")
    zipped.close()
    assert {entry.key: zipped.get(entry.key) for entry in zipped.list()} == {"a": b"1", "c": b"2"}


def test_a_read_only_file_system_is_reported(small_disk: Path) -> None:
    LocalStore(small_disk).set("a", b"1")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    store = LocalStore(small_disk)
    for write in (
        lambda: store.set("a", b"2"),
        lambda: store.set("b/c", b"2"),
        lambda: store.erase("a"),
        lambda: store.erase_prefix(""),
        lambda: open_store(small_disk / "x.zip", create=True),
        lambda: open_store(small_disk / "x", create=True),
    ):
        with pytest.raises(AccessDeniedError, match="the file system is read-only"):
            write()
    assert store.get("a") == b"1"


def test_a_directory_without_write_permission_is_reported() -> None:
    """Run as another user if the tests run as root, who may write everything."""
    with place_for_all() as place:
        LocalStore(place).set("d/x", b"1")
        (place / "d").chmod(0o555)
        if os.getuid():
            place.chmod(0o555)
        lines = f"""
            store = open_store({str(place)!r})
            for write in (lambda: store.set('d/x', b''), lambda: store.set('new/x', b''), lambda: store.erase('d/x'),
                    lambda: store.erase_prefix('d/'), lambda: open_store({str(place)!r} + '/n', create=True),
                    lambda: open_store({str(place)!r} + '/n.zip', create=True)):
                try:
                    write()
                    print('was written')
                except ZarrError as error:
                    print(type(error).__name__, error)
        """
        said = as_nobody("zarrcore.stores.local.store", lines).splitlines()
        place.chmod(0o755)
    assert len(said) == 6
    assert all(line.startswith("AccessDeniedError ") and "Permission denied" in line for line in said)


def test_keys_and_prefixes_do_not_take_each_others_names(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.set("a/b", b"1")
    for if_absent in (False, True):
        with pytest.raises(StoreError, match="which contains other keys"):
            store.set("a", b"2", if_absent=if_absent)
        with pytest.raises(StoreError, match="a part of the path is a file"):
            store.set("a/b/c", b"2", if_absent=if_absent)
    store.erase("a")
    assert [entry.key for entry in store.list()] == ["a/b"]


def test_deep_keys_are_written_listed_and_erased(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    key = "/".join("d" * 150) + "/x"
    store.set(key, b"1")
    assert store.get(key) == b"1"
    assert [entry.key for entry in store.list()] == [key]
    store.erase_prefix("d/")
    assert os.listdir(tmp_path) == []
    with pytest.raises(InvalidKeyError):
        store.set("/".join("d" * 3000), b"1")
    assert os.listdir(tmp_path) == []


def test_large_prefixes_are_listed_and_erased_in_little_memory(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    for directory in range(10):
        (tmp_path / f"a/{directory}").mkdir(parents=True)
        for number in range(1000):
            os.close(os.open(f"{tmp_path}/a/{directory}/{number}", os.O_CREAT | os.O_WRONLY))
    tracemalloc.start()
    try:
        assert sum(1 for _ in store.list()) == 10_000
        store.erase_prefix("a/")
        assert tracemalloc.get_traced_memory()[1] < 300_000
    finally:
        tracemalloc.stop()
    assert os.listdir(tmp_path) == []


def test_a_durable_store_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited = []
    monkeypatch.setattr(os, "fsync", waited.append)
    store = open_store(tmp_path / "new", create=True, durable=True)
    store.set("a/x", b"1")
    assert len(waited) == 3  # the value, its name, the name of its directory
    LocalStore(tmp_path).set("y", b"1")
    assert len(waited) == 3


def test_a_missing_directory_is_created_with_the_option(tmp_path: Path) -> None:
    store = open_store(tmp_path / "a" / "b", create=True)
    store.set("x", b"1")
    assert (tmp_path / "a/b/x").read_bytes() == b"1"
    assert open_store(tmp_path / "a" / "b", create=True).get("x") == b"1"
    with pytest.raises(StoreError, match="is neither a folder nor a file of a known kind"):
        open_store(tmp_path / "a/b/x", create=True)
    with pytest.raises(StoreError, match="a part of the path is a file"):
        open_store(tmp_path / "a/b/x/y", create=True)


def test_a_prefix_is_a_directory_that_is_renamed(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.set("a/b/x", b"1")
    (tmp_path / "file").write_bytes(b"2")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "empty").mkdir()
    assert store.rename_prefix("a/b/", "file/") is Renaming.KEY_TAKEN
    assert store.rename_prefix("link/", "c/") is Renaming.NOT_POSSIBLE
    assert store.rename_prefix("a/b/", "empty/") is Renaming.DONE
    assert not (tmp_path / "a").exists()  # without keys there is no prefix
    assert store.get("empty/x") == b"1"
