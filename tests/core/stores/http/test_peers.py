"""zarr-python reads the same values from web servers as zarrcore."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr
from obstore.store import HTTPStore as Client
from zarr.storage import ObjectStore

import zarrcore as zc
from tests.any_store import open_store
from tests.servers import WebServer


@pytest.fixture(scope="module")
def values(web_root: Path) -> dict[str, np.ndarray]:
    """The nodes of ``written.zarr`` that all web servers serve; ``sharded`` needs range requests."""
    group = zarr.create_group(web_root / "written.zarr", attributes={"name": "größe"})
    made = {
        "packed": np.arange(20_000, dtype="int32").reshape(100, 200) // 7,
        "deep/er": np.linspace(0, 1, 1000),
        "sharded": np.arange(20_000, dtype="uint16").reshape(100, 200),
    }
    for path, value in made.items():
        shards = (80, 100) if path == "sharded" else None
        chunks = (40, 50) if value.ndim == 2 else (300,)
        group.create_array(path, data=value, chunks=chunks, shards=shards)
    return made


def kinds_of(nginx: WebServer, apache: WebServer, rclone: WebServer, python_web: WebServer) -> dict[str, str]:
    return {
        "nginx, HTML": nginx.url,
        "nginx, JSON": nginx.json_url,
        "Apache": apache.url,
        "Apache, fancy": apache.fancy_url,
        "Apache, table": apache.table_url,
        "Apache, WebDAV": apache.webdav_url,
        "rclone": rclone.webdav_url,
        "Python": python_web.url,
    }


def test_zarr_python_reads_the_same_values(
    values: dict[str, np.ndarray],
    nginx: WebServer,
    apache: WebServer,
    rclone: WebServer,
    python_web: WebServer,
) -> None:
    for kind, url in kinds_of(nginx, apache, rclone, python_web).items():
        client = Client.from_url(f"{url}/written.zarr", client_options={"allow_http": True})
        theirs = zarr.open_group(ObjectStore(client, read_only=True), mode="r", zarr_format=3)
        ours = zc.open_hierarchy(open_store(f"{url}/written.zarr", timeout_s=10))
        assert ours["/"].attributes == dict(theirs.attrs) == {"name": "größe"}
        for path, value in values.items():
            assert np.array_equal(ours[path][:], value), (kind, path)
            assert np.array_equal(ours[path][10:30], value[10:30]), (kind, path)
            if path != "sharded" or kind != "Python":  # which zarr-python cannot read without ranges
                assert np.array_equal(theirs[path][10:30], value[10:30]), (kind, path)
        found = {node.path for node in ours.walk()}
        assert {"/", "/deep", *(f"/{path}" for path in values)} <= found | {"/"}, kind


def test_listings_of_all_kinds_are_equal(
    values: dict[str, np.ndarray],
    nginx: WebServer,
    apache: WebServer,
    rclone: WebServer,
    python_web: WebServer,
) -> None:
    root = nginx.root / "written.zarr"
    files = {str(file.relative_to(root)): file.stat() for file in root.rglob("*") if file.is_file()}
    for kind, url in kinds_of(nginx, apache, rclone, python_web).items():
        entries = list(open_store(f"{url}/written.zarr", timeout_s=10).list())
        assert sorted(entry.key for entry in entries) == sorted(files), kind
        exact = {entry.key: entry.size for entry in entries if entry.size is not None}
        assert exact in ({}, {key: stat.st_size for key, stat in files.items()}), kind
        assert bool(exact) == any(word in kind for word in ("JSON", "WebDAV", "rclone"))
        for entry in entries:
            if entry.mtime_s is not None:
                assert abs(entry.mtime_s - files[entry.key].st_mtime) < 1.01
