"""Structures and texts as HDF5 stores them."""

from __future__ import annotations

import numpy as np
import pytest

from zarrcore.codecs import ArraySpec
from zarrcore.codecs.array_to_bytes.hdf5.elements import Hdf5ElementsCodec
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata.fill_value import zero


def decoded(stored: object, encoded: bytes, dtype: object, count: int) -> np.ndarray:
    codec = Hdf5ElementsCodec.from_configuration({"stored": stored})
    return codec.decode(encoded, ArraySpec((count,), np.dtype(dtype), zero(np.dtype(dtype))))


@pytest.mark.parametrize(
    ("padding", "encoded", "texts"),
    [
        (0, b"ab\0xa\0\0\0abcd", [b"ab", b"a", b"abcd"]),
        (1, b"a\0b\0ab\0\0abcd", [b"a\0b", b"ab", b"abcd"]),
        (2, b"ab   a  abcd", [b"ab", b" a", b"abcd"]),
    ],
)
def test_padding_is_removed(padding: int, encoded: bytes, texts: list[bytes]) -> None:
    assert decoded({"text": 4, "padding": padding}, encoded, "S4", 3).tolist() == texts


def test_fields_have_gaps_and_byte_orders_of_their_own() -> None:
    stored = {"nbytes": 8, "fields": [["a", 1, ">i2"], ["b", 4, {"array": "<u1", "shape": [2]}]]}
    found = decoded(stored, bytes((9, 1, 2, 9, 5, 6, 9, 9)), [("a", "<i2"), ("b", "u1", (2,))], 1)
    assert found["a"].tolist() == [258]
    assert found["b"].tolist() == [[5, 6]]


def test_a_wrong_size_and_a_wrong_description_are_refused() -> None:
    with pytest.raises(CodecError, match="expected 8 bytes, found 7"):
        decoded({"text": 4, "padding": 0}, bytes(7), "S4", 2)
    with pytest.raises(MetadataError, match="not a stored type"):
        decoded({"nbytes": 2, "fields": [["a", 1, "<i4"]]}, b"", "i4", 0)


_REFERRING = {"nbytes": 12, "fields": [["n", 0, "<i4"], ["s", 4, {"elsewhere": 8}]]}
_RECORDS = [("n", "<i4"), ("s", object)]


def test_values_elsewhere_follow_the_elements() -> None:
    elements = np.array([1, 2, 0, 2, 2, 2], "<u4").tobytes()
    assert decoded(_REFERRING, elements + "abñ".encode(), _RECORDS, 2).tolist() == [(1, "ab"), (2, "ñ")]


@pytest.mark.parametrize(
    ("numbers", "values", "match"),
    [
        ([1, 3, 0, 2, 3, 1], b"abcd", "more values than there are"),
        ([1, 2, 3, 2, 0, 0], b"abcd", "outside"),
        ([1, 1, 0, 2, 0, 0], b"\xff", "utf-8"),
    ],
)
def test_values_elsewhere_that_are_wrong(numbers: list[int], values: bytes, match: str) -> None:
    with pytest.raises(CodecError, match=match):
        decoded(_REFERRING, np.array(numbers, "<u4").tobytes() + values, _RECORDS, 2)
    with pytest.raises(MetadataError, match="not a stored type"):
        decoded({"nbytes": 12, "fields": [["s", 0, {"elsewhere": 4}]]}, b"", _RECORDS, 0)
