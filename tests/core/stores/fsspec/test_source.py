"""File systems of fsspec: made from URLs, and remade after a fork or a broken connection."""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path

import pytest

from tests.core.stores.contract import VALUES
from zarrcore.errors import MissingExtraError, StoreError
from zarrcore.stores import open_store


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
