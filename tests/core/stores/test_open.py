"""open_store: the store of a path or URL."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore
from tests.any_store import open_store
from tests.servers.distant import distant_server
from zarrcore.errors import StoreError, WrongFormatError
from zarrcore.stores import LocalStore, StoreOptions
from zarrcore.stores.schemes import ALIASES, canonical_scheme
from zarrcore.stores.targets.places import Place


def test_paths_and_file_urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a b%20#c").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    expected = str(tmp_path / "a b%20#c")
    for url in (expected, tmp_path / "a b%20#c", "a b%20#c", "./a b%20#c/", "~/a b%20#c"):
        assert open_store(url).url == expected
    assert open_store(f"file://{tmp_path}/a%20b%2520%23c").url == expected
    assert open_store(f"FILE://localhost{tmp_path}").url == str(tmp_path)


@pytest.mark.parametrize("version", [2, 3])
def test_a_document_opens_its_folder_as_zarr_python_opens_that(tmp_path: Path, version: Any) -> None:
    array = zarr.create_array(tmp_path / "a.zarr/b", data=np.arange(3), zarr_format=version)
    name = ".zarray" if version == 2 else "zarr.json"
    with distant_server(tmp_path) as server:
        for place in (f"{tmp_path}/a.zarr/b", f"file://{tmp_path}/a.zarr/b", f"{server.url}/a.zarr/b"):
            for url in (f"{place}/{name}", f"zarr://{place}", f"zarr{version}://{place}/{name}"):
                found = zarrcore.open_hierarchy(url)["/"]
                assert isinstance(found, zarrcore.Array)
                assert found.read().tolist() == array[...].tolist()


def test_a_format_before_a_url_is_that_format(tmp_path: Path) -> None:
    zarrcore.create(tmp_path / "a.n5", "n5").create_group("b")
    assert zarrcore.open_hierarchy(f"n5://{tmp_path}/a.n5").format.name == "n5"
    with pytest.raises(WrongFormatError):
        zarrcore.open_hierarchy(f"ZARR3://{tmp_path}/a.n5")["/"]
    (tmp_path / "zarr.json").mkdir()
    assert open_store(tmp_path / "zarr.json").url == f"{tmp_path}/zarr.json", "a folder of this name"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("foo://x/y", "unknown store type foo://: use a path, or one of file://"),
        ("ftp://me:geheim@host/?sig=geheim", "ftp://"),
        ("file://elsewhere/x", "write file:///elsewhere/x"),
        ("s3://", "needs the name of a bucket"),
        ("gs:///x", "needs the name of a bucket"),
        ("s3://my bucket/x", "'my bucket' is not the name of a bucket"),
        ("gs://../x", "'..' is not the name of a bucket"),
        ("az://contain\ner/x.zip", "'contain\\ner' is not the name of a bucket"),
        ("s3://me:geheim@bucket", "a URL must not contain credentials"),
        ("zip://foo://x", "foo://"),
        ("", "an empty path is not a store"),
        ("file://", "an empty path is not a store"),
        ("zip://", "an empty path is not a store"),
        ("/tmp/a\0b", "NUL"),
        ("~\0/x", "NUL"),
        ("file:///tmp/%00", "NUL"),
        ("file:///tmp/%00.zip", "NUL"),
        ("zip:///tmp/\0", "NUL"),
        ("/tmp/\ud800", "surrogate"),
        ("/tmp/\ud800.zip", "surrogate"),
        ("memory://\ud800", "surrogate"),
        ("s3://bucket\ud800", "surrogate"),
        ("http://host/x\ud800", "surrogate"),
        ("http://host/x\udc80", "name of a server"),
        ("http://[::1", "name of a server"),
        ("http://me:gehe/im@host:x/?sig=geheim", "name of a server"),
        ("http://host:99999/x", "a port of 1 to 65535"),
        ("http://host:0/x", "a port of 1 to 65535"),
        ("http://ho st/x", "name of a server"),
        ("https://:443/x.zip", "name of a server"),
        ("file://me:geheim@[elsewhere/x", "write file:///[elsewhere/x"),
        ("abfs://me:geheim@host", "a URL must not contain credentials"),
        ("az://me:geheim@host/x.zip", "a URL must not contain credentials"),
        ("gs://me:geheim/x", "a URL must not contain credentials"),
        ("s3://me:geh/eim@bucket", "a URL must not contain credentials"),
        ("s3://bucket/x/?versionId=geheim", "s3://bucket/x/ is followed by a query"),
        ("gs://bucket/x.zip?generation=geheim", "gs://bucket/x.zip is followed by a query"),
        ("az://container/x?sig=geheim", "az://container/x is followed by a query"),
    ],
)
def test_a_url_that_cannot_be_opened_is_refused_in_one_sentence(url: str, said: str) -> None:
    with pytest.raises(StoreError) as caught:
        open_store(url)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not any(secret in str(caught.value) for secret in ("geheim", "gehe", "eim@"))


def test_a_percent_code_in_a_file_url_is_a_byte(tmp_path: Path) -> None:
    os.mkdir(os.fsencode(tmp_path) + b"/\xff")
    assert os.fsencode(open_store(f"file://{tmp_path}/%FF").url) == os.fsencode(tmp_path) + b"/\xff"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("s3://bucket/x/?tag=v1", "s3://bucket/x"),
        ("S3://bucket", "s3://bucket"),
        ("gs://bucket/x.zip", "gs://bucket/x.zip"),
        ("az://container/a/b", "az://container/a/b"),
        (
            "abfs://container@account.dfs.core.windows.net/a",
            "abfs://container@account.dfs.core.windows.net/a",
        ),
        ("https://me:geheim@host/x?sig=geheim", "https://host/x"),
        ("https://me:geheim@host/a/x.zip?sig=geheim", "https://host/a/x.zip"),
        ("zip://s3://bucket/x.data", "s3://bucket/x.data"),
        ("memory://name", "memory://name"),
    ],
)
def test_a_url_is_shown_without_secrets(url: str, shown: str) -> None:
    store = open_store(url)
    assert store.url == shown
    assert "geheim" not in repr(store)


BOX = "box@account.dfs.core.windows.net"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("gcs://bucket/x", "gs://bucket/x"),
        ("S3A://bucket/x", "s3://bucket/x"),
        ("s3n://bucket/x.zip", "s3://bucket/x.zip"),
        ("azure://box/x", "az://box/x"),
        (f"abfss://{BOX}/x", f"abfs://{BOX}/x"),
        ("wasbs://box@account.blob.core.windows.net/x", f"abfs://{BOX}/x"),
        ("zip://gcs://bucket/x.data", "gs://bucket/x.data"),
        ("s3a://bucket/x.data|zip:", "s3://bucket/x.data"),
        ("gcs://bucket/x?tag=v1", "gs://bucket/x"),
        ("local://{tmp}", "{tmp}"),
    ],
)
def test_other_names_of_schemes_open_the_same_store(url: str, shown: str, tmp_path: Path) -> None:
    """Not the store of fsspec, which needs gcsfs, s3fs or adlfs."""
    assert open_store(url.format(tmp=tmp_path)).url == shown.format(tmp=tmp_path)


@pytest.mark.parametrize("scheme", sorted(ALIASES))
def test_other_names_of_schemes_mean_the_same_place(scheme: str) -> None:
    rest = "bucket/x" if canonical_scheme(scheme) != "file" else "/bucket/x"
    assert Place.of(f"{scheme}://{rest}") == Place.of(f"{canonical_scheme(scheme)}://{rest}")


def test_keywords_change_options(tmp_path: Path) -> None:
    store = open_store(tmp_path, options=StoreOptions(follow_links=True))
    assert isinstance(store, LocalStore)
    assert store.follow_links
    store = open_store(tmp_path, options=StoreOptions(follow_links=True), follow_links=False)
    assert isinstance(store, LocalStore)
    assert not store.follow_links
    with pytest.raises(TypeError):
        open_store(tmp_path, no_such_option=True)
