"""``zarrs.vlen``, by its specification."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tests.core.codecs.zarrs_pipelines import LITTLE, URL, pipeline
from zarrcore.errors import CodecError
from zarrcore.metadata.data_type import parse_data_type

WORDS = [["a", "", "naïve"], ["漢字", "x" * 50, ""]]


ENDS = {"uint32": "<u4", "uint64": "<u8"}


@pytest.mark.parametrize("location", ["start", "end", None])
@pytest.mark.parametrize("index", ENDS)
@pytest.mark.parametrize("kind", ["string", "bytes"])
def test_vlen(location: str | None, index: str, kind: str) -> None:
    dtype = parse_data_type(kind).dtype
    raw = [word.encode() for row in WORDS for word in row]
    elements = np.array(WORDS if kind == "string" else raw, object).reshape(2, 3).astype(dtype)
    positions = np.cumsum([0, *map(len, raw)]).astype(ENDS[index]).tobytes()
    data, length = b"".join(raw), struct.pack("<Q", len(positions))
    stored = data + positions + length if location == "end" else length + positions + data
    configuration = {"data_codecs": [{"name": "bytes"}], "index_codecs": [LITTLE], "index_data_type": index}
    if location:
        configuration["index_location"] = location
    for name in ("zarrs.vlen", "vlen", f"{URL}/array_to_bytes/vlen"):
        made = pipeline([(name, configuration)], dtype, (2, 3))
        assert made.decode(stored).tolist() == elements.tolist()
        assert bytes(made.encode(elements)) == stored
    (told,) = made.completed()
    assert (told.name, told.configuration["index_location"]) == ("zarrs.vlen", location or "start")


def test_vlen_with_codecs_of_its_own_and_nothing_but_empty_values() -> None:
    dtype = parse_data_type("string").dtype
    configuration = {
        "data_codecs": ["bytes", "zstd"],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "big"}}, "crc32c"],
        "index_data_type": "uint32",
        "index_location": "end",
    }
    made = pipeline([("zarrs.vlen", configuration), "gzip"], dtype, (2, 3))
    for words in (WORDS, [[""] * 3] * 2):
        elements = np.array(words, object).astype(dtype)
        assert made.decode(made.encode(elements)).tolist() == words
    none = np.zeros((2, 3), dtype)
    made = pipeline([("zarrs.vlen", configuration)], dtype, (2, 3))
    assert len(bytes(made.encode(none))) == 7 * 4 + 4 + 8


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        struct.pack("<Q", 8),
        struct.pack("<Q", 2**63) + bytes(16),
        struct.pack("<QIII", 12, 0, 2, 1) + b"ab",
        struct.pack("<QIII", 12, 0, 1, 2) + b"a",
        struct.pack("<QIII", 12, 0, 1, 2) + b"abc",
        struct.pack("<QIII", 12, 0, 0, 0) + b"abc",
        struct.pack("<QIII", 12, 0, 1, 2) + b"\xff\xff",
        struct.pack("<QIII", 12, 0, 1, 2**32 - 1) + b"ab",
        struct.pack("<QII", 8, 0, 2) + b"ab",
    ],
)
def test_broken_vlen(stored: bytes) -> None:
    configuration = {"data_codecs": ["bytes"], "index_codecs": [LITTLE], "index_data_type": "uint32"}
    made = pipeline([("zarrs.vlen", configuration)], parse_data_type("string").dtype, (2,))
    assert made.decode(struct.pack("<QIII", 12, 0, 1, 2) + b"ab").tolist() == ["a", "b"]
    with pytest.raises(CodecError):
        made.decode(stored)
