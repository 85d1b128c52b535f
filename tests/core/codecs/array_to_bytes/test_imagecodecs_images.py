"""Chunks that are images, compared with what imagecodecs registers with numcodecs."""

from __future__ import annotations

import base64
from typing import Any

import imagecodecs
import imagecodecs.numcodecs
import numpy as np
import pytest
from numcodecs.abc import Codec

from zarrcore.codecs import ArraySpec, Pipeline, completed
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.typing import AnyArray

CODECS: dict[str, tuple[Codec, list[str], list[tuple[int, ...]]]] = {
    "jpeg": (imagecodecs.numcodecs.Jpeg(level=90), ["|u1"], [(8, 24), (8, 24, 3)]),
    "jpeg lossless": (imagecodecs.numcodecs.Jpeg(lossless=True), ["|u1", "<u2"], [(8, 24)]),
    "jpeg2k": (imagecodecs.numcodecs.Jpeg2k(), ["|u1", "<u2", "<i2"], [(8, 24), (8, 24, 3), (8, 24, 4)]),
    "jpegls": (imagecodecs.numcodecs.Jpegls(), ["|u1", "<u2"], [(8, 24), (8, 24, 3)]),
    "jpegxl": (imagecodecs.numcodecs.Jpegxl(), ["|u1", "<u2", "<f4"], [(8, 24), (8, 24, 3), (8, 24, 4)]),
    "jpegxr": (imagecodecs.numcodecs.Jpegxr(level=100), ["|u1", "<u2"], [(16, 24), (16, 24, 3)]),
    "lerc": (imagecodecs.numcodecs.Lerc(), ["|i1", "<u2", "<f4", "<f8"], [(8, 24), (8, 24, 3)]),
    "lerc zstd": (imagecodecs.numcodecs.Lerc(compression="zstd"), ["<i4"], [(8, 24)]),
    "png": (imagecodecs.numcodecs.Png(), ["|u1", "<u2"], [(8, 24), (8, 24, 2), (8, 24, 3), (8, 24, 4)]),
    "webp": (imagecodecs.numcodecs.Webp(lossless=True), ["|u1"], [(8, 24, 3)]),
    "webp alpha": (imagecodecs.numcodecs.Webp(lossless=True, hasalpha=True), ["|u1"], [(8, 24, 4)]),
}
CASES = [
    (name, dtype, shape)
    for name, (_, dtypes, shapes) in CODECS.items()
    for dtype in dtypes
    for shape in shapes
]


def _values(dtype: str, shape: tuple[int, ...]) -> AnyArray:
    return (
        (np.add.outer(np.arange(np.prod(shape[:-1])), 5 * np.arange(shape[-1])) % 120)
        .astype(dtype)
        .reshape(shape)
    )


def _pipeline(theirs: Codec, dtype: str, shape: tuple[int, ...], **changes: object) -> Pipeline:
    told = {**theirs.get_config(), **changes}
    codec = NamedConfiguration(told.pop("id"), told)
    return Pipeline([codec], ArraySpec(shape, np.dtype(dtype), np.zeros((), dtype)))


@pytest.mark.parametrize(("name", "dtype", "shape"), CASES)
def test_chunks_of_numcodecs_are_read(name: str, dtype: str, shape: tuple[int, ...]) -> None:
    theirs, values = CODECS[name][0], _values(dtype, shape)
    encoded = bytes(theirs.encode(values))
    expected = theirs.decode(encoded)
    for chunk_shape in (shape, (1, *shape, 1)):
        pipeline = _pipeline(theirs, dtype, chunk_shape)
        assert len(encoded) <= pipeline.max_encoded_nbytes
        found = pipeline.decode(encoded)
        assert found.shape == chunk_shape
        assert found.dtype == np.dtype(dtype)
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", CODECS)
def test_an_image_of_another_size_is_refused(name: str) -> None:
    theirs, dtypes, (shape, *_) = CODECS[name]
    encoded = bytes(theirs.encode(_values(dtypes[0], shape)))
    for other in ((2, *shape), (1, 1), shape[1:]):
        with pytest.raises(CodecError, match="expected"):
            _pipeline(theirs, dtypes[0], other).decode(encoded)
    with pytest.raises(CodecError, match="expected"):
        _pipeline(theirs, "<f8" if dtypes[0] != "<f8" else "<f4", shape).decode(encoded)


@pytest.mark.parametrize("name", CODECS)
def test_a_large_image_is_refused_before_it_is_decoded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, dtypes, (shape, *_) = CODECS[name]
    large = bytes(theirs.encode(np.zeros((2048, 2048, *shape[2:]), dtypes[0])))
    pipeline = _pipeline(theirs, dtypes[0], shape)
    for function in ("jpeg8", "jpeg2k", "jpegls", "jpegxl", "jpegxr", "lerc", "png", "webp"):
        monkeypatch.setattr(imagecodecs, f"{function}_decode", lambda *_, **__: pytest.fail("it was decoded"))
    with pytest.raises(CodecError, match=r"found 2,048 × 2,048 pixels|more than"):
        pipeline.decode(large)


@pytest.mark.parametrize("name", CODECS)
def test_broken_images_are_codec_errors(name: str) -> None:
    theirs, dtypes, (shape, *_) = CODECS[name]
    encoded = bytes(theirs.encode(_values(dtypes[0], shape)))
    pipeline = _pipeline(theirs, dtypes[0], shape)
    for broken in (b"", encoded[:10], b"x" + encoded[1:]):
        with pytest.raises(CodecError):
            pipeline.decode(broken)


def test_jpeg_has_its_tables_or_its_header_in_the_document() -> None:
    values = _values("|u1", (16, 24))
    whole = bytes(imagecodecs.jpeg8_encode(values))
    expected = imagecodecs.jpeg8_decode(whole)
    start = whole.index(b"\xff\xda")
    header = base64.b64encode(whole[:start]).decode()
    theirs = imagecodecs.numcodecs.Jpeg()
    found = _pipeline(theirs, "|u1", (16, 24), header=header).decode(whole[start:])
    assert np.array_equal(found, expected)
    segments = {at: int.from_bytes(whole[at + 2 : at + 4], "big") + 2 for at in _tables(whole)}
    tables = b"\xff\xd8" + b"".join(whole[at : at + size] for at, size in segments.items()) + b"\xff\xd9"
    bare = whole
    for at, size in reversed(segments.items()):
        bare = bare[:at] + bare[at + size :]
    told = base64.b64encode(tables).decode()
    assert np.array_equal(_pipeline(theirs, "|u1", (16, 24), tables=told).decode(bare), expected)
    with pytest.raises(CodecError):
        _pipeline(theirs, "|u1", (16, 24)).decode(bare)


def _tables(image: bytes) -> list[int]:
    """Where the segments with tables of a JPEG image begin."""
    places, at = [], 2
    while image[at + 1] != 0xDA:
        if image[at + 1] in (0xDB, 0xC4):
            places.append(at)
        at += 2 + int.from_bytes(image[at + 2 : at + 4], "big")
    return places


@pytest.mark.parametrize(("jpeg", "data"), [(2, 2), ("YCBCR", "RGB"), (None, None), ("RGB", "RGB")])
def test_colours_of_jpeg_are_converted_as_the_document_says(jpeg: Any, data: Any) -> None:
    values = _values("|u1", (16, 24, 3))
    encoded = bytes(imagecodecs.jpeg8_encode(values))
    theirs = imagecodecs.numcodecs.Jpeg(colorspace_jpeg=jpeg, colorspace_data=data)
    expected = theirs.decode(encoded)
    assert np.array_equal(_pipeline(theirs, "|u1", (16, 24, 3)).decode(encoded), expected)


def test_elements_that_are_not_numbers_are_refused() -> None:
    with pytest.raises(MetadataError, match="cannot hold chunks"):
        _pipeline(imagecodecs.numcodecs.Png(), "<c8", (4, 4))


def test_images_are_not_written() -> None:
    spec = ArraySpec((4, 4), np.dtype("u1"), np.zeros((), "u1"))
    codecs = [NamedConfiguration("imagecodecs_jpeg")]
    with pytest.raises(UnsupportedError, match="can be read but not written"):
        completed(codecs, spec)
    with pytest.raises(UnsupportedError, match="can be read but not written"):
        Pipeline(codecs, spec).encode(np.zeros((4, 4), "u1"))
