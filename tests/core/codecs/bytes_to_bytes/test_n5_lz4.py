"""The LZ4 stream of Java, and other writers' LZ4."""

from __future__ import annotations

import contextlib
import json

import numcodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.codecs.bytes_to_bytes.n5_lz4 import N5Lz4Codec
from zarrcore.errors import CodecError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.fill_value import zero
from zarrcore.stores import MemoryStore


def test_lz4_is_written_in_the_form_of_java() -> None:
    hierarchy = zarrcore.create(store := MemoryStore(), format="n5")
    array = hierarchy.create_array("a", shape=(900,), dtype="uint8", chunks=(900,), codecs=["numcodecs.lz4"])
    array[...] = 7
    assert b"LZ4Block" in (store.get("a/0") or b"")
    assert json.loads(store.get("a/attributes.json") or b"")["compression"] == {
        "type": "lz4",
        "blockSize": 65536,
    }
    assert (zarrcore.open_hierarchy(store)["a"][...] == 7).all()


class TestLz4:
    @given(st.binary(min_size=1, max_size=300))
    def test_other_forms_of_lz4_decode(self, data: bytes) -> None:
        spec = ArraySpec((len(data),), np.dtype("u1"), zero(np.dtype("u1")))
        pipeline = Pipeline([NamedConfiguration("bytes"), NamedConfiguration("n5_lz4")], spec)
        behind_size = numcodecs.lz4.compress(data)
        for encoded in (behind_size, behind_size[4:]):
            assert bytes(pipeline.decode(encoded)) == data
            with pytest.raises(CodecError):
                pipeline.decode(encoded[:-1])

    def test_every_byte_is_checked(self) -> None:
        spec = ArraySpec((400,), np.dtype("u1"), zero(np.dtype("u1")))
        codecs = [NamedConfiguration("bytes"), NamedConfiguration("n5_lz4", {"blockSize": 64})]
        pipeline = Pipeline(codecs, spec)
        chunk = (np.arange(400) // 9 % 5).astype("u1")
        data = bytes(pipeline.encode(chunk))
        np.testing.assert_array_equal(pipeline.decode(data), chunk)
        for place in range(len(data)):
            changed = data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]
            with contextlib.suppress(CodecError):  # or it was a byte that means nothing
                np.testing.assert_array_equal(pipeline.decode(changed), chunk)
        for stop in range(len(data)):
            with pytest.raises(CodecError):
                pipeline.decode(data[:stop])

    def test_one_block_for_more_than_it_can_hold_is_refused(self) -> None:
        codec = N5Lz4Codec.from_configuration({})
        with pytest.raises(CodecError, match="one block cannot hold 8,589,934,592 bytes"):
            codec.decode(b"\x00\x00", 1 << 33)
