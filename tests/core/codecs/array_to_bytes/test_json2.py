"""Objects as one JSON array, read as text."""

from __future__ import annotations

import json
from typing import Any

import numcodecs
import numpy as np
import pytest

from zarrcore.codecs import ArraySpec
from zarrcore.codecs.array_to_bytes.json2 import Json2Codec, text_of
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata.fill_value import zero

TEXT = np.dtype(np.dtypes.StringDType())


def spec(*shape: int) -> ArraySpec:
    return ArraySpec(shape, TEXT, zero(TEXT))


def packed(*items: Any) -> bytes:
    return json.dumps([*items]).encode()


CODEC = Json2Codec.from_configuration({})


@pytest.mark.parametrize("shape", [(4,), (2, 2), (1, 4, 1), (0,)])
def test_what_numcodecs_writes_is_read(shape: tuple[int, ...]) -> None:
    objects: Any = np.array(["größe", None, 1.5, [1, "a"]], object)[: np.prod(shape)].reshape(shape)
    decoded = CODEC.decode(numcodecs.JSON().encode(objects), spec(*shape))
    assert decoded.shape == shape
    assert decoded.ravel().tolist() == ["größe", "null", "1.5", '[1, "a"]'][: np.prod(shape)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf8", "ascii", "latin-1"])
def test_texts_are_read_in_their_encoding(encoding: str) -> None:
    codec = Json2Codec.from_configuration({"encoding": encoding, "sort_keys": True, "skipkeys": False})
    text = "plain" if encoding == "ascii" else "größe"
    assert codec.decode(f'["{text}", "|O", [1]]'.encode(encoding), spec(1)).tolist() == [text]


@pytest.mark.parametrize("encoding", ["utf-16", "zip", None, 8])
def test_other_encodings_are_refused(encoding: Any) -> None:
    with pytest.raises(MetadataError, match="expected 'utf-8'"):
        Json2Codec.from_configuration({"encoding": encoding})


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"{}",
        b"7",
        b"\xff",
        b'["a", "b", "|O", [2]',
        packed(),
        packed("a"),
        packed("a", "b", "|O", 2),
        packed("a", "b", "|O", [1, 2]),
        packed(["a"], 5, "|O", [2, 1]),
        packed({"a": 1, "b": 2}, "|O", [1, 2]),
        b"[" * 100_000,
    ],
    ids=lambda broken: str(broken)[:30],
)
def test_broken_chunks_are_errors_of_the_codec(broken: bytes) -> None:
    with pytest.raises(CodecError) as caught:
        CODEC.decode(broken, spec(2))
    assert caught.value.codec == "numcodecs.json2"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("texts", [["a"], ["a", "b", "c"]])
def test_another_number_of_elements_is_refused(texts: list[str]) -> None:
    with pytest.raises(CodecError, match=f"expected 2 elements, found {len(texts)}"):
        CODEC.decode(packed(*texts, "|O", [len(texts)]), spec(2))


def test_other_elements_than_text_are_refused() -> None:
    numbers = np.dtype("<i4")
    with pytest.raises(MetadataError, match="expected elements of string, found int32"):
        CODEC.max_encoded_nbytes(ArraySpec((2,), numbers, zero(numbers)))
    assert CODEC.max_encoded_nbytes(spec(2)) > 0


def test_chunks_are_not_written() -> None:
    assert not CODEC.can_encode
    with pytest.raises(UnsupportedError, match="can be read but not written"):
        CODEC.encode(np.array(["a"], TEXT), spec(1))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("ü", "ü"),
        (b"\xc3\xbc", "ü"),
        (b"\xff", "\\xff"),
        (True, "true"),
        ([b"c", None], '["c", null]'),
        ({}, "{}"),
    ],
)
def test_an_object_becomes_its_text_or_its_json(value: Any, expected: str) -> None:
    assert text_of(value) == expected
