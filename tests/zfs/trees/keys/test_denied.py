"""Keys for which a store denies access: a chunk must not look like a directory, which readers take for a missing chunk."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest
import tensorstore
import zarr

import zarrcore as zc
from tests.servers import FaultServer, fault_server
from tests.zfs.conftest import Mount, Mounter
from tests.zfs.http.serving import get, serving
from zarrcore.errors import AccessDeniedError

VALUES = np.arange(1, 17, dtype="int32").reshape(4, 4)
EXPIRED = b"<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"
BUCKET = ("--region", "us-east-1", "--anonymous", "--retries", "0", "--metadata-ttl", "0", "--endpoint-url")
ENCODINGS: dict[str, dict[str, Any]] = {
    "c/1/1": {"zarr_format": 3},
    "c.1.1": {"zarr_format": 3, "chunk_key_encoding": {"name": "default", "separator": "."}},
    "1/1": {"zarr_format": 3, "chunk_key_encoding": {"name": "v2", "separator": "/"}},
    "c/0/0": {"zarr_format": 3, "shards": (4, 4)},
    "1.1": {"zarr_format": 2},
    "1/1 of v2": {"zarr_format": 2, "chunk_key_encoding": {"name": "v2", "separator": "/"}},
}


class Everything(dict[str, Any]):
    """One fault of all keys."""

    def __init__(self, fault: int) -> None:
        super().__init__()
        self._fault = fault

    def get(self, key: str, default: Any = None) -> Any:
        return self._fault


def upload(server: FaultServer, folder: Path, name: str = "h") -> None:
    """Serve the files of a folder. As many web servers do, it answers 403 for directories."""
    for path in (folder, *folder.rglob("*")):
        key = f"{name}/{path.relative_to(folder)}".removesuffix("/.")
        if path.is_file():
            server.values[key] = path.read_bytes()
        else:
            server.faults[key] = server.faults[f"{key}/"] = 403


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with fault_server() as running:
        running.bodies[403] = EXPIRED
        yield running


def errno_at(path: Path) -> int:
    with pytest.raises(OSError) as caught:  # noqa: PT011 - the errno is the result
        os.stat(path)
    return caught.value.errno or 0


@pytest.mark.sampled
@pytest.mark.parametrize("chunk", ENCODINGS)
@pytest.mark.parametrize("inside", ["", "g/a"])
def test_a_denied_chunk_is_not_missing(
    tmp_path: Path, server: FaultServer, mount: Mounter, chunk: str, inside: str
) -> None:
    """S15: "only what the store itself says is absent does not exist"."""
    options, key = ENCODINGS[chunk], chunk.partition(" ")[0]
    if inside:
        zarr.open_group(tmp_path / "h", zarr_format=options["zarr_format"]).create_group("g")
    array = zarr.create_array(tmp_path / "h" / inside, shape=(4, 4), chunks=(2, 2), dtype="int32", **options)
    array[...] = VALUES
    upload(server, tmp_path / "h")
    # Zarr v2 documents that may be absent are not directories.
    mounted = mount(f"{server.url}/h", "--retries", "0", "--metadata-ttl", "0")
    folder = mounted.keys / inside
    np.testing.assert_array_equal(zarr.open_array(folder, mode="r")[...], VALUES)
    server.faults[f"h/{inside}/{key}".replace("//", "/")] = 403
    with pytest.raises(PermissionError):
        zarr.open_array(folder, mode="r")[...]
    assert errno_at(folder / key) == errno.EACCES
    hidden = mounted.path / ".zarrscope" / "keys" / inside
    assert errno_at(hidden / key) == errno.EACCES
    for name in ("zarr.json", ".zarray", ".zattrs"):
        if (tmp_path / "h" / inside / name).exists():
            server.faults[f"h/{inside}/{name}".replace("//", "/")] = 403
            assert errno_at(folder / name) == errno.EACCES
            assert errno_at(folder / key) == errno.EACCES


def test_a_denied_block_of_n5_is_not_missing(tmp_path: Path, server: FaultServer, mount: Mounter) -> None:
    zc.create(tmp_path / "h", format="n5").create_array("g/a", shape=(4, 4), dtype="int32", chunks=(2, 2))[
        ...
    ] = VALUES
    upload(server, tmp_path / "h")
    mounted = mount(f"{server.url}/h", "--retries", "0", "--metadata-ttl", "0")
    assert (mounted.keys / "g/a/1").is_dir()
    assert (mounted.keys / "g/a/1/0").is_file()
    for name in ("g/a/1/0", "g/a/attributes.json"):
        server.faults[f"h/{name}"] = 403
        assert errno_at(mounted.keys / name) == errno.EACCES


@pytest.mark.parametrize("above", ["h", ""])
def test_directories_of_a_server_without_listings_are_walked(
    tmp_path: Path, server: FaultServer, mount: Mounter, above: str
) -> None:
    """S10: "only if no document or chunk of a node can have that name"; also where the root is no node."""
    zarr.open_group(tmp_path / "h", zarr_format=3).create_group("g").create_array(
        "a", shape=(4, 4), chunks=(2, 2), dtype="int32"
    )[...] = VALUES
    upload(server, tmp_path / "h")
    mounted = mount(f"{server.url}/{above}", "--retries", "0", "--metadata-ttl", "0")
    folder = mounted.keys / ("" if above else "h") / "g/a"
    for path in (folder.parent, folder, folder / "c", folder / "c/1"):
        assert path.is_dir(), path
    np.testing.assert_array_equal(zarr.open_array(folder, mode="r")[...], VALUES)
    server.faults["h/g/a/c/1/1"] = server.faults["h/g/a/c/0/7"] = 403
    assert errno_at(folder / "c/1/1") == errno.EACCES
    assert errno_at(folder / "c/0/7") == errno.EACCES
    with pytest.raises(PermissionError):
        zarr.open_array(folder, mode="r")[...]


def by_tensorstore(mounted: Mount) -> Any:
    path = {"driver": "file", "path": f"{mounted.keys}/"}
    return tensorstore.open({"driver": "zarr3", "kvstore": path}, recheck_cached_data=True).result()


@pytest.fixture
def bucket(tmp_path: Path, server: FaultServer) -> FaultServer:
    """A bucket that may be read and not listed."""
    zarr.create_array(tmp_path / "h", shape=(4, 4), chunks=(2, 2), dtype="int32")[...] = VALUES
    upload(server, tmp_path / "h", "bucket/h")
    server.faults["bucket"] = 403
    return server


def test_expired_credentials_are_no_fill_values(bucket: FaultServer, mount: Mounter) -> None:
    """S16: "401, 403, no permission"."""
    mounted = mount("s3://bucket/h", *BUCKET, bucket.url)
    array, other = zarr.open_array(mounted.keys, mode="r"), by_tensorstore(mounted)
    np.testing.assert_array_equal(array[...], VALUES)
    bucket.faults = Everything(403)
    for name in ("zarr.json", "c", "c/0/0"):
        assert errno_at(mounted.keys / name) == errno.EACCES
    with pytest.raises(PermissionError):
        array[...]
    with pytest.raises(ValueError, match=r"PERMISSION_DENIED|Permission denied"):
        other.read().result()
    with pytest.raises(PermissionError):
        (mounted.arrays / "data.raw").read_bytes()


def test_a_bucket_that_may_not_be_listed(bucket: FaultServer, mount: Mounter) -> None:
    """It answers 403 for absent keys, too: only with an option are they absent."""
    del bucket.values["bucket/h/c/1/1"]
    bucket.faults["bucket/h/c/1/1"] = 403
    sparse = VALUES.copy()
    sparse[2:, 2:] = 0
    cautious = mount("s3://bucket/h", *BUCKET, bucket.url)
    with pytest.raises(PermissionError):
        zarr.open_array(cautious.keys, mode="r")[...]
    told = mount("s3://bucket/h", *BUCKET, bucket.url, "--treat-403-as-missing")
    with pytest.raises(PermissionError):  # the credentials have expired
        zarr.open_array(told.keys, mode="r")[...]
    bucket.bodies[403] = b"<Error><Code>AccessDenied</Code></Error>"
    np.testing.assert_array_equal(zarr.open_array(told.keys, mode="r")[...], sparse)


def test_other_views_of_a_denied_chunk(tmp_path: Path, server: FaultServer) -> None:
    zarr.create_array(tmp_path / "h", shape=(4,), chunks=(2,), dtype="int32")[...] = VALUES[0]
    upload(server, tmp_path / "h")
    server.faults["h/c/1"] = 403
    url = f"{server.url}/h"
    with serving(url) as served:
        assert get(f"{served.url}/keys/c/1").status_code == 502
        assert get(f"{served.url}/zarr3/c/1").status_code == 502
        assert get(f"{served.url}/keys/c/0").status_code == 200
    files = fsspec.filesystem("zarrscope", source=url)
    with pytest.raises(AccessDeniedError):
        files.cat_file("keys/c/1")
    with pytest.raises(AccessDeniedError):
        zc.open_hierarchy(url)["/"][...]
