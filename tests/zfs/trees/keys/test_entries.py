"""Keys as files, and prefixes of keys as directories, as programs change them."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.zfs.trees.entries import Remote, content, fresh, names, walk
from tests.zfs.trees.keys.writable import writable
from zarrcore.errors import ChangedError, ReadOnlyError
from zarrcore.stores import LocalStore, MemoryStore
from zarrfs.trees.entry import Directory
from zarrfs.trees.errors import RefusedError, WouldBlockError
from zarrfs.trees.keys.tree import KeysTree


def refusal(action: Callable[..., object], *arguments: Any) -> int:
    with pytest.raises(RefusedError) as caught:
        action(*arguments)
    return caught.value.errno


def test_a_key_is_created_under_the_segment_that_its_file_name_stands_for() -> None:
    store = MemoryStore()
    root = writable(store).root()
    made = root.make_directory("%2E%2E", True)
    file = made.create("ä%00", True)
    file.write(0, b"value", True)
    assert store.get("../ä\0") is None
    file.store(closing=True)
    file.close()
    assert store.get("../ä\0") == b"value"
    assert content(walk(root, "%2E%2E", "ä%00")) == b"value"


@pytest.mark.parametrize("name", [".", "..", ""])
def test_a_name_that_no_segment_has_is_refused(name: str) -> None:
    root = writable(MemoryStore(values={"./..//a": b"1"})).root()
    assert root.lookup(name, True) is None
    for action in (root.create, root.make_directory, root.remove, root.remove_directory):
        assert refusal(action, name, True) == errno.EINVAL


def test_a_key_that_the_store_cannot_hold_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    root = writable(LocalStore(tmp_path)).root()
    with pytest.raises(OSError, match="x" * 256):
        root.create("x" * 256, True)
    assert names(root) == []


def test_a_directory_is_only_removed_or_replaced_if_it_is_empty() -> None:
    store = MemoryStore(values={"full/a": b"1"})
    root = writable(store).root()
    root.make_directory("empty", True)
    assert refusal(root.remove_directory, "full", True) == errno.ENOTEMPTY
    assert refusal(root.rename, "empty", root, "full", True, True) == errno.ENOTEMPTY
    assert refusal(root.rename, "full", root, "empty", True, True) == errno.EXDEV
    root.rename("empty", root, "renamed", True, True)
    assert sorted(names(root)) == ["full", "renamed"]
    root.remove_directory("renamed", True)
    walk(root, "full").remove("a", True)
    root.remove_directory("full", True)
    assert (names(root), [*store.list()]) == ([], [])


def test_a_key_is_not_moved_into_another_tree() -> None:
    store = MemoryStore(values={"a": b"1"})
    root, other = writable(store).root(), writable(MemoryStore()).root()
    assert refusal(root.rename, "a", other, "a", True, True) == errno.EXDEV
    assert store.get("a") == b"1"


def test_renaming_a_key_to_itself_keeps_it_and_fails_only_if_the_name_must_be_free() -> None:
    store = MemoryStore(values={"a": b"1"})
    root = writable(store).root()
    root.rename("a", root, "a", True, True)
    assert refusal(root.rename, "a", root, "a", False, True) == errno.EEXIST
    assert store.get("a") == b"1"


def test_changes_that_ask_the_store_wait_in_a_worker() -> None:
    root = writable(MemoryStore(values={"a": b"1"})).root()
    for change in (
        lambda: root.remove("a", False),
        lambda: root.remove_directory("a", False),
        lambda: root.rename("a", root, "b", True, False),
        lambda: root.copy(walk(root, "a"), "b", False),
        lambda: walk(root, "a").resize(0, False),
    ):
        with pytest.raises(WouldBlockError):
            change()
    assert names(root) == ["a"]


def test_a_read_only_tree_refuses_every_change() -> None:
    root = KeysTree(MemoryStore(values={"a": b"1"}), fresh()).root()
    file = walk(root, "a")
    assert (root.mode, file.mode, root.is_writable, file.is_writable) == (0o555, 0o444, False, False)
    for change in (
        lambda: root.create("b", True),
        lambda: root.make_directory("b", True),
        lambda: root.remove("a", True),
        lambda: root.rename("a", root, "b", True, True),
        lambda: file.open_to_write(False, True),
        lambda: file.resize(0, True),
    ):
        with pytest.raises(ReadOnlyError, match="this mount is read-only"):
            change()


def test_a_file_is_truncated_and_extended_by_its_name() -> None:
    store = MemoryStore(values={"a": b"12345"})
    root = writable(store).root()
    walk(root, "a").resize(3, True)
    assert store.get("a") == b"123"
    walk(root, "a").resize(5, True)
    assert store.get("a") == b"123\0\0"
    walk(root, "a").resize(0, True)
    assert content(walk(root, "a")) == store.get("a") == b""


def test_only_a_stored_value_gets_a_second_name_and_that_must_be_free() -> None:
    store = MemoryStore(values={"a": b"1", "taken": b"2"})
    root = writable(store).root()
    root.copy(walk(root, "a"), "b", True)
    assert store.get("b") == b"1"
    assert refusal(root.copy, walk(root, "a"), "taken", True) == errno.EEXIST
    being_written = root.create("new", True)
    assert being_written.shown is not None
    assert refusal(root.copy, being_written.shown, "c", True) == errno.EPERM
    being_written.close()
    assert store.get("taken") == b"2"


def test_a_value_of_another_size_than_at_its_lookup_does_not_open() -> None:
    store = MemoryStore(values={"a": b"12345"})
    root = KeysTree(store, fresh()).root()
    file = walk(root, "a")
    store.set("a", b"123")
    with pytest.raises(ChangedError, match="a changed since it was looked up"):
        file.open(False)


def test_a_remote_value_opens_without_a_request_while_its_lookup_is_valid() -> None:
    store = Remote({"a": b"12345"})
    known, asking = (walk(KeysTree(store, fresh(ttl_s)).root(), "a") for ttl_s in (60.0, 0.0))
    store.asked.clear()
    assert known.open(False).size == 5
    assert store.asked == []
    with pytest.raises(WouldBlockError):
        asking.open(False)
    assert asking.open(True).size == 5
    assert store.asked == [("stat", "a")]


def test_an_unstored_directory_shows_no_keys_until_one_is_stored_in_it() -> None:
    store = MemoryStore()
    root = writable(store).root()
    made = root.make_directory("new", False)
    assert isinstance(root.lookup("new", False), Directory)
    assert (names(made), [*store.list()]) == ([], [])
    file = made.create("a", True)
    file.store(closing=True)
    file.close()
    assert [entry.key for entry in store.list()] == ["new/a"]
