"""Blocks that do not decode or do not read back, in copies that encode chunks anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore as zc
from tests.core.operations.copy.copying import copy
from zarrcore.stores.memory import MemoryStore


def test_a_broken_chunk_ends_the_copy(source: Path, tmp_path: Path) -> None:
    (source / "a/c/0/0").write_bytes(b"broken")
    with pytest.raises(zc.CodecError, match="a/c/0/0"):
        copy(source, tmp_path / "t", chunk_shape=(6, 6))


class Forgetful(MemoryStore):
    """Stores chunks with one bit changed."""

    def set(self, key: str, value: Any, *, if_absent: bool = False) -> bool:
        data = bytearray(value)
        if key == "a/c/2/0":
            data[0] ^= 1
        return super().set(key, bytes(data), if_absent=if_absent)


def test_a_block_that_does_not_read_back_is_an_error(source: Path) -> None:
    with pytest.raises(zc.BrokenBodyError, match="does not read back"):
        copy(source, Forgetful(), codecs=())
    assert copy(source, Forgetful(), codecs=(), verify=False).arrays == 2


@pytest.mark.parametrize("dtype", ["i4, f8", "V9", "U3", "c16", "S3"])
@pytest.mark.parametrize("length", [7, 8])
def test_elements_of_any_size_are_compared(dtype: str, length: int) -> None:
    values = np.frombuffer(b"a\0\0\0" * 28 + b"b\0\0\0" * 4, "u1")
    values = values[: length * np.dtype(dtype).itemsize].view(dtype)
    source = zc.create(MemoryStore(), "v2")
    source.create_array("a", data=values, chunks=(4,))
    result = zc.copy(source, MemoryStore(), chunks=(length,))
    assert result.arrays == 1
