"""Unnamed files for data being written, compared with NumPy."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.errors import BrokenBodyError, StoreError, StoreFullError
from zarrfs.trees.errors import RefusedError
from zarrfs.trees.writing.spool import Spool, SpoolMemory
from zarrfs.trees.writing.unnamed_file import UnnamedFile


@st.composite
def regions(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[slice, ...]]:
    """A shape, and a region of an array of that shape."""
    shape = tuple(draw(st.lists(st.integers(1, 40), max_size=4)))
    parts = []
    for length in shape:
        start = draw(st.integers(0, length - 1))
        parts.append(slice(start, draw(st.integers(start + 1, length))))
    return shape, tuple(parts)


@given(asked=regions(), dtype=st.sampled_from(["u1", "<f4", "<M8[s]", "<c16"]), offset=st.integers(0, 9))
def test_regions_agree_with_numpy(
    asked: tuple[tuple[int, ...], tuple[slice, ...]], dtype: str, offset: int
) -> None:
    shape, region = asked
    nbytes = math.prod(shape) * np.dtype(dtype).itemsize
    array = (np.arange(nbytes) % 251).astype("u1").view(dtype).reshape(shape)
    for memory in (0, 1 << 30):
        spool = Spool(SpoolMemory(memory))
        spool.write(0, bytes(offset) + array.tobytes())
        found = spool.read_region(shape, array.dtype, region, offset)
        spool.close()
        assert (found.shape, found.dtype) == (array[region].shape, array.dtype)
        assert found.tobytes() == array[region].tobytes()


def test_a_hole_reads_as_zeros_and_takes_no_disk_space() -> None:
    file = UnnamedFile()
    file.resize(1 << 40)
    file.write(1 << 39, b"x")
    assert file.read((1 << 39) - 3, 7) == b"\0\0\0x\0\0\0"
    assert os.fstat(file.descriptor).st_blocks * 512 < 1 << 20
    file.close()


def test_failures_of_the_disk_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = UnnamedFile()
    with pytest.raises(RefusedError, match="cannot be this large"):
        file.resize((1 << 63) - 1)
    with pytest.raises(BrokenBodyError, match="became shorter"):
        file.read(0, 1)

    def full(*_: object) -> int:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(StoreFullError, match="set TMPDIR to another folder"):
        file.write(8, b"9")
    file.close()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    with pytest.raises(StoreError, match="No such file or directory; set TMPDIR to another folder"):
        UnnamedFile()
