"""Joined files, and the records between them."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from zarrcore.errors import SelectionError
from zarrcore.filetypes.joined import JoinedFile
from zarrcore.filetypes.raw import RawFile
from zarrcore.filetypes.records import Linear, Records


def elements() -> tuple[RawFile, bytes]:
    array = zarrcore.create("memory://").create_array("/a", shape=(6, 5), dtype="uint16", chunks=(2, 3))
    array[...] = np.arange(30).reshape(6, 5)
    cached = array.with_chunk_cache(zarrcore.ChunkCache(1 << 20))
    return RawFile(cached), np.arange(30, dtype="u2").tobytes()


@given(offset=st.integers(0, 120), nbytes=st.integers(0, 120))
def test_any_part_of_joined_files_is_that_of_their_bytes(offset: int, nbytes: int) -> None:
    file, content = elements()
    joined = JoinedFile([Records(b"head"), Records(b""), file, Records(b"tail\0\0")])
    whole = b"head" + content + b"tail\0\0"
    assert joined.size == len(whole)
    assert bytes(joined.read(offset, nbytes)) == whole[offset : offset + nbytes]


def test_joined_files_are_written_in_order_and_ready_if_all_of_them_are() -> None:
    file, content = elements()
    joined = JoinedFile([Records(b"head"), file])
    stream = io.BytesIO()
    joined.write_to(stream)
    assert stream.getvalue() == b"head" + content
    assert joined.cached(0, 4)
    assert not JoinedFile([Records(b"head"), elements()[0]]).cached(0, 5)
    assert joined.slabs == (4, 20)
    with pytest.raises(SelectionError, match="no bytes at offset -1"):
        joined.read(-1, 3)


@given(offset=st.integers(0, 100), nbytes=st.integers(0, 100))
def test_numbers_in_records_grow_by_their_steps(offset: int, nbytes: int) -> None:
    records = Records(b"ab" + bytes(8) + b"c", 7, {2: Linear(5, 3)})
    whole = b"".join(b"ab" + (5 + 3 * i).to_bytes(8, "little") + b"c" for i in range(7))
    assert records.size == len(whole)
    assert bytes(records.read(offset, nbytes)) == whole[offset : offset + nbytes]
    assert records.cached(offset, nbytes)
