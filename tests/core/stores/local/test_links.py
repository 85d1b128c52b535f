"""LocalStore and symbolic links."""

from __future__ import annotations

from pathlib import Path

import pytest

from zarrcore.errors import AccessDeniedError, StoreError
from zarrcore.stores import LocalStore, open_store


def make_links(tmp_path: Path) -> Path:
    """A root with links inside it and out of it, and a secret beside it."""
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (root / "a" / "x").write_bytes(b"inside")
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "rootlike").mkdir()
    (tmp_path / "rootlike" / "x").write_bytes(b"secret")
    (root / "relative").symlink_to("a")
    (root / "absolute").symlink_to(root / "a")
    (root / "file-out").symlink_to(tmp_path / "secret")
    (root / "relative-out").symlink_to("../secret")
    (root / "directory-out").symlink_to(tmp_path)
    (root / "sibling").symlink_to("../rootlike")
    (root / "dangling").symlink_to("nowhere")
    (root / "round").symlink_to("round")
    return root


OUTSIDE = ["file-out", "relative-out", "directory-out/secret", "sibling/x"]


def check_links(root: Path) -> None:
    store = LocalStore(root)
    assert store.get("relative/x") == b"inside"
    assert store.get("absolute/x") == b"inside"
    for key in OUTSIDE:
        with pytest.raises(AccessDeniedError, match="--follow-links"):
            store.get(key)
        with pytest.raises(AccessDeniedError):
            store.stat(key)
    with pytest.raises(AccessDeniedError):
        list(store.list_dir("directory-out/"))
    assert sorted(entry.key for entry in store.list_dir("")) == ["a/", "absolute/", "relative/"]
    assert sorted(entry.key for entry in store.list()) == ["a/x", "absolute/x", "relative/x"]


def test_links_out_are_refused(tmp_path: Path) -> None:
    check_links(make_links(tmp_path))


def test_links_out_are_followed_with_the_option(tmp_path: Path) -> None:
    store = open_store(make_links(tmp_path), follow_links=True)
    assert [store.get(key) for key in OUTSIDE] == [b"secret"] * 4


def test_links_are_never_written_through(tmp_path: Path) -> None:
    store = LocalStore(make_links(tmp_path))
    with pytest.raises(AccessDeniedError):
        store.set("directory-out/new", b"1")
    with pytest.raises(AccessDeniedError):
        store.erase("directory-out/secret")
    store.set("file-out", b"mine")
    assert store.get("file-out") == b"mine"
    assert (tmp_path / "secret").read_bytes() == b"secret"


def test_a_circular_link_is_an_error_and_never_listed(tmp_path: Path) -> None:
    store = LocalStore(make_links(tmp_path))
    with pytest.raises(StoreError):
        store.get("round")


@pytest.mark.parametrize("follow_links", [False, True])
def test_links_to_parents_do_not_make_listings_endless(tmp_path: Path, follow_links: bool) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "x").write_bytes(b"1")
    (tmp_path / "a" / "b" / "up").symlink_to("..")
    (tmp_path / "a" / "root").symlink_to(tmp_path)
    keys = [entry.key for entry in LocalStore(tmp_path, follow_links=follow_links).list()]
    assert "a/x" in keys
    assert len(keys) < 5


@pytest.mark.parametrize("follow_links", [False, True])
def test_a_dangling_link_is_not_an_absent_key(tmp_path: Path, follow_links: bool) -> None:
    root = make_links(tmp_path)
    (root / "a" / "absolute").symlink_to(root / "unmounted")
    store = LocalStore(root, follow_links=follow_links)
    for key, link in (
        ("dangling", "dangling"),
        ("dangling/c/0", "dangling"),
        ("a/absolute", "a/absolute"),
        ("relative/absolute/c/0", "relative/absolute"),
    ):
        for read in (store.get, store.stat, lambda key: list(store.list_dir(key + "/"))):
            with pytest.raises(StoreError, match=rf"the symbolic link {link} leads nowhere$"):
                read(key)
    for key in ("absent", "relative/absent", "relative/absent/c/0", "absolute/absent"):
        assert store.get(key) is None
        assert store.stat(key) is None
        assert list(store.list_dir(key + "/")) == []


def test_a_link_to_its_own_directory_is_not_a_child(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x").write_bytes(b"1")
    (tmp_path / "c").mkdir()
    for place, target in (("l1", "."), ("l2", "."), ("a/b/up", ".."), ("a/b/root", "../.."), ("c/a", "../a")):
        (tmp_path / place).symlink_to(target)
    (tmp_path / "a" / "c").symlink_to("../c")
    store = LocalStore(tmp_path)
    assert sorted(entry.key for entry in store.list_dir("")) == ["a/", "c/"]
    assert [entry.key for entry in store.list_dir("a/b/")] == ["a/b/x"]
    assert [entry.key for entry in store.list_dir("l1/c/")] == ["l1/c/a/"]
    assert sorted(entry.key for entry in store.list()) == ["a/b/x", "c/a/b/x"]
