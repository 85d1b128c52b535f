"""Documents and targets on servers: requests, caches, and what a remote document may name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore as zc
from tests.core.stores.reference.test_store import array_documents
from tests.servers.distant import DistantServer, distant_server
from zarrcore.errors import BrokenReferenceError

CHUNKS, LENGTH = 256, 100
VALUES = np.arange(CHUNKS * LENGTH, dtype="<i4")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[DistantServer]:
    """A server with ``bucket/x.bin``, all chunks of an array one after another, and references to them."""
    folder = tmp_path / "served" / "bucket"
    folder.mkdir(parents=True)
    (folder / "x.bin").write_bytes(b"head" + VALUES.tobytes())
    with distant_server(tmp_path / "served", 0.01) as running:
        targets = {"relative": "x.bin", "web": f"{running.url}/bucket/x.bin", "bucket": "s3://bucket/x.bin"}
        targets |= {"local": str(folder / "x.bin"), "file": f"file://{folder}/x.bin"}
        for name, target in targets.items():
            (folder / f"{name}.refs.json").write_text(json.dumps(document(target)))
        yield running


def document(target: str) -> dict[str, Any]:
    array = {"shape": [len(VALUES)], "chunks": [LENGTH], "dtype": "<i4", "compressor": None, "filters": None}
    array |= {"zarr_format": 2, "fill_value": 0, "order": "C"}
    refs: dict[str, Any] = {**array_documents(), "x/.zarray": json.dumps(array)}
    for number in range(CHUNKS):
        refs[f"x/{number}"] = [target, 4 + 4 * LENGTH * number, 4 * LENGTH]
    return {"version": 1, "refs": refs}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", ["relative", "web", "bucket"])
@pytest.mark.parametrize("place", ["web", "bucket", "folder"])
def test_chunks_near_each_other_are_few_requests(server: DistantServer, name: str, place: str) -> None:
    folder = {"web": f"{server.url}/bucket", "bucket": "s3://bucket", "folder": server.root / "bucket"}[place]
    # A remote document must not name another place, nor a local one this machine's servers.
    allowed = [] if name == "relative" else [{"web": f"{server.url}/bucket/", "bucket": "s3://bucket/"}[name]]
    with zc.open_hierarchy(
        f"{folder}/{name}.refs.json", allow_targets=() if name == place else allowed, **server.s3_options
    ) as hierarchy:
        array = hierarchy["x"]
        server.forget()
        assert np.array_equal(array[...], VALUES)
        if (place, name) != ("folder", "relative"):
            assert hierarchy.store.is_remote
            assert 0 < len(server.requests) < CHUNKS // 2


def test_chunks_are_cached_one_by_one(server: DistantServer, tmp_path: Path) -> None:
    address = f"{server.url}/bucket/web.refs.json"
    for attempt in range(2):
        with zc.open_hierarchy(address, cache_dir=tmp_path / "cache") as hierarchy:
            server.forget()
            assert np.array_equal(hierarchy["x"][...], VALUES)
            assert (len(server.requests) == 0) is (attempt == 1)


@pytest.mark.parametrize("name", ["local", "file"])
def test_a_remote_document_reads_local_files_only_if_allowed(server: DistantServer, name: str) -> None:
    address = f"{server.url}/bucket/{name}.refs.json"
    with (
        zc.open_hierarchy(address) as hierarchy,
        pytest.raises(BrokenReferenceError, match=f"--allow-targets {server.root}/bucket allows"),
    ):
        hierarchy["x"][...]
    with zc.open_hierarchy(address, allow_targets=(f"file://{server.root}",)) as hierarchy:
        assert np.array_equal(hierarchy["x"][...], VALUES)


def test_a_target_that_became_shorter_is_an_error(server: DistantServer) -> None:
    (server.root / "bucket" / "x.bin").write_bytes(bytes(1000))
    with zc.open_hierarchy(f"{server.url}/bucket/web.refs.json") as hierarchy:
        assert hierarchy["x"][:200].tolist() == [0] * 200
        with pytest.raises(BrokenReferenceError):
            hierarchy["x"][...]
    (server.root / "bucket" / "x.bin").unlink()
    with (
        zc.open_hierarchy(f"{server.url}/bucket/web.refs.json") as hierarchy,
        pytest.raises(BrokenReferenceError),
    ):
        hierarchy["x"][...]
