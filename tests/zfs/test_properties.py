"""Any read at any offset, in any order, gives the same bytes as NumPy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from zarr.codecs import BloscCodec, ZstdCodec

from tests.zfs.conftest import Mounter

CUBE = np.random.default_rng(3).standard_normal((40, 150, 130)).round(2).astype("<f4")
"""About 3 MB: several requests of the kernel, and chunks that do not divide the shape."""


@pytest.fixture(scope="module")
def opened(
    tmp_path_factory: pytest.TempPathFactory, mounter: Mounter
) -> Iterator[dict[str, tuple[int, bytes]]]:
    """Descriptors of files in a mount with a small cache, and the content of each file."""
    big = np.arange(5_000_000, dtype="<u4")
    path = tmp_path_factory.mktemp("properties") / "p.zarr"
    group = zarr.open_group(path, mode="w")
    options = {"chunks": (16, 64, 33), "compressors": [BloscCodec(cname="lz4")]}
    group.create_array("cube", shape=CUBE.shape, dtype="f4", **options)[...] = CUBE
    sharded = {"chunks": (8, 30, 26), "shards": (16, 60, 52), "compressors": [ZstdCodec()]}
    group.create_array("sharded", shape=CUBE.shape, dtype="f4", **sharded)[...] = CUBE
    group.create_array("big", shape=big.shape, chunks=(70_000,), dtype="u4")[...] = big
    (path / "blob").write_bytes(big.tobytes())
    mount = mounter(path, "-o", "cache-size=8MiB")
    npy = (mount.arrays / "cube" / "data.npy").read_bytes()
    assert npy.endswith(CUBE.tobytes())
    expected = {
        "arrays/cube/data.raw": CUBE.tobytes(),
        "arrays/cube/data.npy": npy,
        "arrays/sharded/data.raw": CUBE.tobytes(),
        "arrays/sharded/[::-2,:,5:100].raw": CUBE[::-2, :, 5:100].tobytes(),
        "arrays/big/data.raw": big.tobytes(),
        "keys/blob": big.tobytes(),
    }
    files = {name: (os.open(mount.path / name, os.O_RDONLY), content) for name, content in expected.items()}
    yield files
    for descriptor, _ in files.values():
        os.close(descriptor)


READS = st.lists(st.tuples(st.floats(0, 1.02), st.integers(0, 1 << 20)), min_size=1, max_size=8)
NAMES = (
    "arrays/cube/data.raw",
    "arrays/cube/data.npy",
    "arrays/sharded/data.raw",
    "arrays/sharded/[::-2,:,5:100].raw",
    "arrays/big/data.raw",
    "keys/blob",
)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(reads=READS, uncached=st.booleans())
def test_random_reads_agree_with_numpy(
    opened: dict[str, tuple[int, bytes]], name: str, reads: list[tuple[float, int]], uncached: bool
) -> None:
    descriptor, expected = opened[name]
    for where, nbytes in reads:
        if uncached:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        offset = int(where * len(expected))
        assert os.pread(descriptor, nbytes, offset) == expected[offset : offset + nbytes]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("step", [1_000_003, 1 << 20, 5000])
def test_sequential_reads_agree_with_numpy(
    opened: dict[str, tuple[int, bytes]], name: str, step: int
) -> None:
    descriptor, expected = opened[name]
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    begin = len(expected) // 2 if step == 5000 else 0
    parts = [os.pread(descriptor, step, offset) for offset in range(begin, len(expected), step)]
    assert b"".join(parts) == expected[begin:]


def test_reads_without_the_page_cache_agree_with_numpy(
    opened: dict[str, tuple[int, bytes]], tmp_path: Path
) -> None:
    import mmap

    for descriptor, expected in opened.values():
        direct = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_DIRECT)
        with mmap.mmap(-1, 1 << 20) as buffer:
            found = os.preadv(direct, [buffer], 1 << 20)
            assert buffer[:found] == expected[1 << 20 : (1 << 20) + found]
            assert found == min(1 << 20, len(expected) - (1 << 20))
        os.close(direct)
