"""The source that the arguments of a file system name."""

from __future__ import annotations

from pathlib import Path

import fsspec
import pytest

from zarrcore.errors import StoreError
from zarrcore.stores.fsspec import FsspecStore
from zarrfs.fsspec.source import Source, source_of


@pytest.mark.parametrize(
    ("path", "protocol", "place"),
    [
        ("bucket/a.zarr", "s3", "s3://bucket/a.zarr"),
        ("bucket/a.zarr", "s3a", "s3://bucket/a.zarr"),
        ("bucket/a.zarr", "gcs", "gs://bucket/a.zarr"),
        ("https://host/a.zarr", "https", "https://host/a.zarr"),
        ("/data/a.zarr", "file", "/data/a.zarr"),
        ("/data/a.zarr", None, "/data/a.zarr"),
    ],
)
def test_a_chain_of_urls_names_a_store_of_zarrcore(path: str, protocol: str | None, place: str) -> None:
    assert Source(fo=path, target_protocol=protocol).place() == place


def test_fsspec_opens_what_zarrcore_does_not_know_and_what_has_options_of_fsspec(tmp_path: Path) -> None:
    fsspec.filesystem("memory").pipe_file("/chained/a", b"1")
    known = Source(fo="/chained", target_protocol="memory").place()
    assert isinstance(known, FsspecStore)
    assert known.get("a") == b"1"
    (tmp_path / "b").write_bytes(b"2")
    options = {"auto_mkdir": False}
    known = Source(fo=str(tmp_path), target_protocol="file", target_options=options).place()
    assert isinstance(known, FsspecStore)
    assert known.get("b") == b"2"


def test_a_file_system_needs_one_source() -> None:
    for source in (Source(), Source("a.zarr", fo="b.zarr")):
        with pytest.raises(StoreError, match="name one source"):
            source.place()


def test_options_are_those_of_the_trees_and_of_the_store() -> None:
    source = source_of("a.zarr", {"cache_size": "1M", "anonymous": True, "view": "keys"})
    assert (source.cache_size, source.view, source.store_options) == ("1M", "keys", {"anonymous": True})
    with pytest.raises(TypeError, match="zarrscope has no option colour, shape"):
        source_of("a.zarr", {"shape": 1, "colour": 2, "view": "keys"})


def test_equal_sources_share_their_trees(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    shown = Source(tmp_path).shown()
    assert Source(tmp_path).shown() is shown
    assert Source(tmp_path, metadata_ttl=0).shown() is not shown
