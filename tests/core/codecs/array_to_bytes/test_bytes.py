"""The ``bytes`` codec: every data type in both byte orders."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.core.codecs.cases import spec_of
from tests.core.metadata.data_types import FIXED
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import CodecError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import (
    has_byte_order,
    parse_data_type,
    with_byte_order,
)
from zarrcore.metadata.fill_value import zero


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("document", FIXED, ids=str)
def test_chunks_of_every_type_in_both_byte_orders(document: Any, endian: str) -> None:
    dtype = parse_data_type(document).dtype
    raw = np.random.default_rng(5).integers(0, 2, 6 * dtype.itemsize, np.uint8).tobytes()
    values = np.frombuffer(raw, dtype).reshape(2, 3)
    made = Pipeline([NamedConfiguration("bytes", {"endian": endian})], ArraySpec((2, 3), dtype, zero(dtype)))
    encoded = bytes(made.encode(values))
    if dtype.kind != "m":  # NumPy itself gives spans without a unit no other byte order
        assert encoded == values.astype(with_byte_order(dtype, ">" if endian == "big" else "<")).tobytes()
    assert encoded != raw or endian == "little" or not has_byte_order(dtype)
    assert made.decode(encoded).tobytes() == raw


def test_a_record_of_small_numbers_is_big_endian_in_every_field() -> None:
    dtype = np.dtype([("a", ml_dtypes.bfloat16), ("b", "<i4")])
    made = Pipeline([NamedConfiguration("bytes", {"endian": "big"})], ArraySpec((1,), dtype, zero(dtype)))
    assert bytes(made.encode(np.array([(1.0, 7)], dtype))) == bytes.fromhex("3f8000000007")


@pytest.mark.parametrize("dtype", ["<U1", [("a", "<i2"), ("b", "<U1", (2,))]], ids=str)
def test_numbers_that_are_not_characters_are_neither_written_nor_read(dtype: Any) -> None:
    array = np.zeros(3, dtype)
    raw = b"\xff" * array.nbytes
    broken = np.frombuffer(raw, dtype)
    pipeline = Pipeline([NamedConfiguration("bytes")], spec_of(array))
    assert pipeline.encode(array) == bytes(array.nbytes)
    with pytest.raises(CodecError, match="0xffffffff is not a character"):
        pipeline.encode(broken)
    with pytest.raises(CodecError, match="0xffffffff is not a character"):
        pipeline.decode(raw)
