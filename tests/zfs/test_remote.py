"""Mounts of stores over a network: S3 by moto, HTTP with and without listings, and a faulty server."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.servers import NGINX, FaultServer, S3Server, WebServer, fault_server, nginx_server
from tests.servers.distant import distant_server
from tests.waiting import PATIENCE_S, wait_until
from tests.zfs.conftest import NO_FUSE, Mounter
from tests.zfs.forking import run_forked

VALUES = np.random.default_rng(1).integers(0, 1000, (6, 300, 400)).astype("<i4")


@pytest.fixture(scope="module")
def web_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("web")
    group = zarr.open_group(root / "h.zarr", mode="w", attributes={"n": 1})
    group.create_array("a/x", shape=VALUES.shape, chunks=(2, 100, 100), dtype="i4")[...] = VALUES
    (root / "h.zarr" / "blob").write_bytes(VALUES.tobytes())
    return root


@pytest.fixture(scope="module")
def s3(s3: S3Server, web_root: Path) -> S3Server:
    s3.upload(web_root / "h.zarr", "bucket/h.zarr")
    return s3


@pytest.fixture(scope="module")
def nginx(web_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    if not os.path.exists(NGINX):
        pytest.skip("nginx is not installed")
    with nginx_server(web_root, tmp_path_factory.mktemp("nginx")) as server:
        yield server


@pytest.fixture
def faulty(web_root: Path) -> Iterator[FaultServer]:
    with fault_server() as server:
        for file in (web_root / "h.zarr").rglob("*"):
            if file.is_file():
                server.values[f"h.zarr/{file.relative_to(web_root / 'h.zarr').as_posix()}"] = (
                    file.read_bytes()
                )
        yield server


def check(mounted_path: Path) -> None:
    """Check all data in both trees."""
    x = mounted_path / "arrays" / "a" / "x"
    assert (x / "data.raw").read_bytes() == VALUES.tobytes()
    np.testing.assert_array_equal(np.load(x / "data.npy", mmap_mode="r")[3:5, ::7], VALUES[3:5, ::7])
    np.testing.assert_array_equal(np.load(x / "[2,:,0:100].npy"), VALUES[2, :, 0:100])
    np.testing.assert_array_equal(np.load(x / "slices" / "4.npy"), VALUES[4])
    blob = mounted_path / "keys" / "blob"
    assert blob.stat().st_size == VALUES.nbytes
    assert blob.read_bytes() == VALUES.tobytes()
    read = zarr.open_group(mounted_path / "keys", mode="r")
    np.testing.assert_array_equal(read["a/x"][...], VALUES)


def test_a_mount_of_s3_shows_all_data(s3: S3Server, mount: Mounter) -> None:
    mounted = mount("s3://bucket/h.zarr", *s3.arguments)
    assert sorted(os.listdir(mounted.keys)) == ["a", "blob", "zarr.json"]
    assert sorted(os.listdir(mounted.arrays)) == ["a", "attributes.json", "metadata.json"]
    check(mounted.path)
    assert not (mounted.keys / "nothing").exists()
    assert mounted.log.read_text() == ""


def test_a_key_that_is_also_a_prefix_is_readable(s3: S3Server, mount: Mounter) -> None:
    s3.put("bucket/odd/a", b"the key")
    s3.put("bucket/odd/a/b", b"below")
    mounted = mount("s3://bucket/odd", *s3.arguments)
    assert os.listdir(mounted.keys) == ["a"]
    assert (mounted.keys / "a" / "b").read_bytes() == b"below"
    assert (mounted.path / ".zarrscope" / "keys" / "a").read_bytes() == b"the key"


def test_a_remote_key_that_changes_is_stale(s3: S3Server, mount: Mounter) -> None:
    s3.put("bucket/changing/k", bytes(5 << 20))
    mounted = mount("s3://bucket/changing", *s3.arguments)
    with open(mounted.keys / "k", "rb", buffering=0) as file:
        assert file.read(10) == bytes(10)
        s3.put("bucket/changing/k", b"\1" * (5 << 20))
        file.seek(4 << 20)
        with pytest.raises(OSError) as caught:  # noqa: PT011
            file.read(10)
        assert caught.value.errno == errno.ESTALE
    mounted.refresh()
    assert (mounted.keys / "k").read_bytes() == b"\1" * (5 << 20)


@pytest.mark.skipif(bool(NO_FUSE), reason=NO_FUSE or "-")
def test_wrong_credentials_and_buckets_are_reported_at_once(s3: S3Server, tmp_path: Path) -> None:
    with s3.denying():
        denied = run_forked("mount", "s3://bucket/h.zarr", tmp_path, *s3.arguments)
    assert denied.status == 1
    assert denied.stderr.startswith("zarrscope: ")
    assert denied.stderr.count("\n") == 1
    unknown = run_forked("mount", "s3://no-such-bucket/h.zarr", tmp_path, *s3.arguments)
    assert (unknown.status, unknown.stderr.count("\n")) == (1, 1)
    assert "no-such-bucket" in unknown.stderr


@pytest.mark.parametrize("format_", ["v3", "v2"])
def test_consolidated_metadata_give_all_nodes(tmp_path: Path, mount: Mounter, format_: str) -> None:
    """S11: "all of them cost one round trip"; S11: "With 0 or `--read-write`, they are what their own documents say"."""
    hierarchy = zc.create(tmp_path / "bucket" / "h", format=format_)
    for group, array in product(range(4), range(50)):
        hierarchy.create_array(f"g{group}/a{array}", shape=(4,), dtype="u1", chunks=(2,))
    hierarchy.consolidate()
    with distant_server(tmp_path) as server:
        mounted = mount(f"{server.url}/bucket/h")
        server.forget()
        for tree, file in (("arrays", "data.raw"), ("zarr3", "zarr.json")):
            done = subprocess.run(["ls", "-lR", mounted.path / tree], capture_output=True, text=True)
            assert (done.returncode, done.stderr) == (0, "")
            assert len(re.findall(rf" {file}$", done.stdout, re.MULTILINE)) >= 4 * 50
        assert len(server.requests) == len(set(server.requests)) < 10
        mounted.refresh()
        wait_until(
            lambda: len(os.listdir(mounted.arrays / "g3")) == 52 and server.requests, "the mount asks again"
        )
        assert len(server.requests) < 20
        always = mount(f"{server.url}/bucket/h", "--metadata-ttl", "0")
        server.forget()
        assert len(os.listdir(always.arrays / "g3")) == 52
        assert len(server.requests) > 50


@pytest.mark.parametrize("format_", ["v3", "v2"])
@pytest.mark.parametrize("consolidated", [False, True])
def test_the_first_byte_takes_few_round_trips(
    tmp_path: Path, mount: Mounter, format_: str, consolidated: bool
) -> None:
    """One for each group on the path, one for the array, one for the chunk; fewer with consolidated metadata."""
    hierarchy = zc.create(tmp_path / "bucket" / "h", format=format_)
    hierarchy.create_array("a/b/c/x", shape=(4,), dtype="u1", chunks=(2,))[...] = [5, 6, 7, 8]
    if consolidated:
        hierarchy.consolidate()
    with distant_server(tmp_path, 0.1) as server:
        mounted = mount("s3://bucket/h", "--endpoint-url", server.url, "--region", "us-east-1", "--anonymous")
        server.forget()
        with open(mounted.arrays / "a/b/c/x/data.raw", "rb", buffering=0) as file:
            assert file.read(1) == b"\x05"
        assert server.round_trips <= (3 if consolidated else 4 + 2), server.requests


_PARTS = "import os, sys; f = os.open(sys.argv[1], os.O_RDONLY); [os.pread(f, 4096, 3 * i << 17) for i in range(5)]"
_PLANE = "import sys, numpy as np; print(np.load(sys.argv[1], mmap_mode='r')[33].sum())"


@pytest.mark.parametrize(
    ("program", "name", "chunks"), [(_PARTS, "data.raw", 5), (_PLANE, "data.npy", 6)], ids=["parts", "plane"]
)
def test_a_part_of_a_distant_file_fetches_only_the_chunks_around_it(
    tmp_path: Path, mount: Mounter, program: str, name: str, chunks: int
) -> None:
    """160 planes of 128 KiB, each a chunk. The kernel reads 128 KiB around a page of a mapped file."""
    hierarchy = zc.create(tmp_path / "bucket" / "h")
    hierarchy.create_array("x", shape=(160, 256, 256), dtype="u2", chunks=(1, 256, 256))[...] = 1
    with distant_server(tmp_path) as server:
        mounted = mount(f"{server.url}/bucket/h")
        path = mounted.arrays / "x" / name
        path.stat()
        server.forget()
        subprocess.run([sys.executable, "-c", program, path], check=True, stdout=subprocess.DEVNULL)
        fetched = [target for _, target in server.requests if "/c/" in target]
        assert len(fetched) == len(set(fetched)) <= chunks


@pytest.mark.parametrize("listing", ["html", "json"])
def test_a_mount_of_http_with_listings_shows_all_data(nginx: WebServer, mount: Mounter, listing: str) -> None:
    url = nginx.url if listing == "html" else nginx.json_url
    mounted = mount(f"{url}/h.zarr")
    assert sorted(os.listdir(mounted.keys)) == ["a", "blob", "zarr.json"]
    assert (mounted.keys / "blob").stat().st_size == VALUES.nbytes
    check(mounted.path)


def test_a_mount_of_http_without_listings_is_walked_by_name(nginx: WebServer, mount: Mounter) -> None:
    mounted = mount(f"{nginx.plain_url}/h.zarr")
    check(mounted.path)
    with pytest.raises(OSError) as caught:  # noqa: PT011
        os.listdir(mounted.keys)
    assert caught.value.errno == errno.EOPNOTSUPP
    assert not (mounted.keys / "no.json").exists()


def test_each_failure_has_its_errno_and_recovers(faulty: FaultServer, mount: Mounter) -> None:
    options = ("--retries", "0", "--metadata-ttl", "0", "--timeout")
    mounted = mount(f"{faulty.url}/h.zarr", *options, f"{PATIENCE_S}")
    raw = mounted.arrays / "a" / "x" / "[0].raw"
    chunk = "h.zarr/a/x/c/0/0/0"
    expected = {403: errno.EACCES, 503: errno.EIO, "truncate": errno.EIO, "reset": errno.EIO}
    for fault, number in expected.items():
        faulty.faults[chunk] = fault
        with pytest.raises(OSError) as caught:  # noqa: PT011
            raw.read_bytes()
        assert caught.value.errno == number, fault
        del faulty.faults[chunk]
        assert raw.read_bytes() == VALUES[0].tobytes()
    faulty.faults[chunk] = 404
    content = np.frombuffer(raw.read_bytes(), "<i4").reshape(VALUES[0].shape)
    assert (content[:100, :100] == 0).all()
    assert (content[100:] == VALUES[0][100:]).all()
    hasty = mount(f"{faulty.url}/h.zarr", *options, "1").arrays / "a" / "x" / "[0].raw"
    faulty.faults[chunk] = "hang"
    wait_until(lambda: read(hasty) == errno.ETIMEDOUT, "the timeout")
    del faulty.faults[chunk]
    wait_until(lambda: read(hasty) == VALUES[0].tobytes(), "an answer in time")


def read(file: Path) -> bytes | int | None:
    """The content of a file, or the number of the error."""
    try:
        return file.read_bytes()
    except OSError as error:
        return error.errno


def test_a_hanging_request_does_not_delay_others(faulty: FaultServer, mount: Mounter) -> None:
    import threading

    mounted = mount(f"{faulty.url}/h.zarr", "--retries", "0", "--timeout", f"{PATIENCE_S}")
    faulty.faults["h.zarr/a/x/c/0/0/0"] = "hang"
    ended: list[bytes | int | None] = []
    thread = threading.Thread(target=lambda: ended.append(read(mounted.arrays / "a" / "x" / "[0].raw")))
    thread.start()
    wait_until(lambda: any("/a/x/c/0/0/0" in path for _, path, _ in faulty.requests), "the request")
    for plane in (2, 3, 4, 5):
        assert (mounted.arrays / "a" / "x" / f"[{plane}].raw").read_bytes() == VALUES[plane].tobytes()
    assert ended == []
    faulty.released.set()
    thread.join(PATIENCE_S)
    assert ended == [errno.EIO]


def test_a_sequential_reader_of_a_slow_store_waits_for_few_requests(
    faulty: FaultServer, mount: Mounter
) -> None:
    blob = os.urandom(24 << 20)
    faulty.values["h.zarr/large"] = blob
    mounted = mount(f"{faulty.url}/h.zarr")
    faulty.requests.clear()
    assert (mounted.keys / "large").read_bytes() == blob
    fetched = [
        headers["range"]
        for method, path, headers in faulty.requests
        if "range" in headers and method == "GET"
    ]
    assert len(fetched) < 24


def test_a_sequential_reader_fetches_each_chunk_once(faulty: FaultServer, mount: Mounter) -> None:
    values = np.arange(4 * 1000 * 1000, dtype="<u4").reshape(4, 1000, 1000)
    target: dict[str, Any] = {}
    zarr.create_array(zarr.storage.MemoryStore(target), shape=values.shape, chunks=(2, 250, 250), dtype="u4")[
        ...
    ] = values
    for key, value in target.items():
        faulty.values[f"large.zarr/{key}"] = value.to_bytes()
    mounted = mount(f"{faulty.url}/large.zarr")
    faulty.requests.clear()
    assert (mounted.arrays / "data.raw").read_bytes() == values.tobytes()
    fetched = Counter(path for method, path, _ in faulty.requests if method == "GET" and "/c/" in path)
    assert len(fetched) == 2 * 4 * 4
    assert set(fetched.values()) == {1}
    assert mounted.stats()["read_ahead_hits"] > 0
