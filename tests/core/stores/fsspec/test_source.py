"""File systems of fsspec: made from URLs, and remade after a fork or a broken connection."""

from __future__ import annotations

import os
import pickle
import sys
import tarfile
import threading
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from tests.any_store import open_store
from tests.core.stores.contract import VALUES
from tests.waiting import PATIENCE_S
from zarrcore.errors import MissingExtraError, StoreError
from zarrcore.stores.fsspec.source import GivenFilesystem, UrlFilesystem, is_chain, knows, turn
from zarrcore.stores.options import StoreOptions


def test_urls_are_chained(values_directory: Path, tmp_path: Path) -> None:
    with open_store(f"simplecache::local://{values_directory}") as store:
        assert store.get("a/c/0/0") == VALUES["a/c/0/0"]
        assert sorted(entry.key for entry in store.list_dir("a/")) == ["a/c/", "a/zarr.json"]
    with tarfile.open(tmp_path / "x.tar", "w") as tar:
        tar.add(values_directory, "inside")
    with open_store(f"tar://inside::{tmp_path}/x.tar") as store:
        assert {entry.key: bytes(store.get(entry.key)) for entry in store.list()} == VALUES
        with pytest.raises(StoreError):
            store.set("new", b"1")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://me:geheim@host/x", "a URL must not contain a password; put it into FSSPEC_FTP_PASSWORD"),
        ("simplecache::ftp://me:geheim@host/x", "put it into FSSPEC_FTP_PASSWORD"),
        ("smb://host/x", r"smb:// cannot be opened: .*smbprotocol"),
        ("nosuch::ftp://host/x", "nosuch:// is not a scheme of fsspec"),
    ],
)
def test_a_url_that_cannot_be_opened_is_refused_in_one_sentence(url: str, said: str) -> None:
    with pytest.raises(StoreError, match=said) as caught:
        open_store(url)
    assert "geheim" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    for url in ("ftp://host/x", "simplecache::ftp://host/x"):
        with pytest.raises(MissingExtraError, match=r"pip install 'zarrscope\[fsspec\]'"):
            open_store(url)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("simplecache::ftp://host/x", True),
        ("tar://a/b::/x.tar", True),
        ("zip://::x.zip", True),
        ("http://[::1]:80/x", False),
        ("/data/a::b", False),
        ("x.zarr", False),
        ("", False),
    ],
)
def test_a_chain_is_told_from_a_url(text: str, expected: bool) -> None:
    assert is_chain(text) is expected


def test_an_existing_file_is_never_a_chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_chain("a::b")
    (tmp_path / "a::b").touch()
    assert not is_chain("a::b")


def test_known_protocols_are_those_of_fsspec() -> None:
    assert knows("ftp")
    assert not knows("nosuch")


def test_a_file_system_is_made_once_until_it_is_forgotten(tmp_path: Path) -> None:
    source = UrlFilesystem(f"local://{tmp_path}/größe", StoreOptions())
    filesystem, path = source.get()
    assert path == f"{tmp_path}/größe"
    assert source.get()[0] is filesystem
    assert pickle.loads(pickle.dumps(source)).get()[0] is not filesystem
    source.forget()
    assert source.get()[0] is not filesystem


def test_a_forked_process_makes_a_file_system_of_its_own(tmp_path: Path) -> None:
    source = UrlFilesystem(f"local://{tmp_path}", StoreOptions())
    filesystem, _ = source.get()
    child = os.fork()
    if child == 0:
        os._exit(0 if source.get()[0] is not filesystem else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_identity_of_a_location_reveals_no_query() -> None:
    options = StoreOptions()
    source = UrlFilesystem("ftp://host/x?key=geheim", options)
    assert source.url == "ftp://host/x"
    assert source.identity == UrlFilesystem("ftp://host/x?key=geheim", options).identity
    assert source.identity != UrlFilesystem("ftp://host/x?key=other", options).identity
    assert "geheim" not in repr(source.identity)
    assert UrlFilesystem("ftp://host/\udc80", options).identity != source.identity  # a byte that is not UTF-8


def test_a_given_file_system_is_used_as_it_is() -> None:
    filesystem = MemoryFileSystem()
    source = GivenFilesystem(filesystem, "memory://a/b/")
    source.forget()
    assert source.get() == (filesystem, "/a/b")
    assert source.url == "memory:///a/b"
    assert source.identity == GivenFilesystem(filesystem, "/a/b").identity
    assert source.identity != GivenFilesystem(filesystem, "/a/c").identity


def test_calls_of_a_file_system_take_turns_unless_it_is_asynchronous() -> None:
    class Asynchronous:
        async_impl = True

    filesystem, asynchronous, order = MemoryFileSystem(), Asynchronous(), []

    def use(given: object, name: str) -> None:
        with turn(given):
            order.append(name)

    with turn(filesystem), turn(filesystem), turn(asynchronous):
        for given in (filesystem, asynchronous):
            thread = threading.Thread(target=use, args=(given, type(given).__name__), daemon=True)
            thread.start()
        thread.join(PATIENCE_S)
        assert order == ["Asynchronous"]
