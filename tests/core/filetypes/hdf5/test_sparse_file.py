"""The sparse file: whatever is done to it, it is what a real one is."""

from __future__ import annotations

import io
import tempfile

from hypothesis import given
from hypothesis import strategies as st

from zarrcore.filetypes.hdf5.sparse_file import SparseFile

PLACES = st.one_of(st.integers(0, 20), st.integers(4080, 4110), st.integers(0, 30_000))
ACTIONS = st.one_of(
    st.tuples(st.just("write"), PLACES, st.one_of(st.binary(max_size=30), st.just(b"x" * 9000))),
    st.tuples(st.just("truncate"), PLACES, st.just(b"")),
)


@given(actions=st.lists(ACTIONS, max_size=12), offset=PLACES, length=st.integers(0, 20_000))
def test_it_is_what_a_real_file_is(actions: list[tuple[str, int, bytes]], offset: int, length: int) -> None:
    sparse = SparseFile()
    with tempfile.TemporaryFile() as real:
        for action, place, data in actions:
            for file in (sparse, real):
                file.seek(place)
                if action == "write":
                    file.write(data)
                else:
                    file.truncate()
        real.seek(0)
        whole = real.read()
    assert sparse.size == len(whole)
    sparse.seek(offset)
    assert sparse.read(length) == whole[offset : offset + length]
    assert sparse.tell() == offset + len(whole[offset : offset + length])
    assert sparse.seek(0, io.SEEK_END) == len(whole)
    buffer = memoryview(bytearray(length))
    sparse.read_at(offset, buffer)
    assert buffer == whole[offset : offset + length].ljust(length, b"\0")
    again = SparseFile()
    again.write(whole)
    assert again.digest() == sparse.digest()
    again.write(b"\1")
    assert again.digest() != sparse.digest()


def test_what_was_skipped_takes_no_room() -> None:
    file = SparseFile()
    file.seek(1 << 61)
    file.write(b"x")
    file.truncate(1 << 62)
    assert file.size == 1 << 62
    assert file.nbytes < 10_000
