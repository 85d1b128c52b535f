"""Broken images; valid ones are compared with tensorstore's in the tests of volumes."""

from __future__ import annotations

import sys
from typing import Any

import imagecodecs
import numpy as np
import pytest

from zarrcore.codecs.array_to_bytes.neuroglancer.images import JpegCodec, JxlCodec, PngCodec
from zarrcore.codecs.interface import ArraySpec
from zarrcore.errors import CodecError, MetadataError, UnsupportedError

PIXELS = np.arange(24, dtype="u1").reshape(4, 6)
SPEC = ArraySpec((2, 3, 4), np.dtype("u1"), np.zeros((), "u1"))
CODECS = [
    (PngCodec, imagecodecs.png_encode),
    (JpegCodec, imagecodecs.jpeg8_encode),
    (JxlCodec, imagecodecs.jpegxl_encode),
]


@pytest.mark.parametrize(("kind", "encode"), CODECS)
def test_an_image_of_any_width_decodes_and_broken_ones_do_not(kind: Any, encode: Any) -> None:
    codec = kind.from_configuration({})
    data = encode(PIXELS)
    assert codec.decode(data, SPEC).shape == SPEC.shape
    for length in (0, 5, 28, len(data) // 2):
        with pytest.raises(CodecError):
            codec.decode(data[:length], SPEC)
    for other in (PIXELS[:3], np.dstack([PIXELS] * 3)):
        with pytest.raises(
            CodecError,
            # The header of JPEG XL tells only how many channels there can be at most.
            match=r"expected (an image of 24 pixels with 1 channels of 8 bits|24 samples), found",
        ):
            codec.decode(encode(np.ascontiguousarray(other)), SPEC)
    with pytest.raises(MetadataError):
        codec.max_encoded_nbytes(ArraySpec((2, 3, 4), np.dtype("f4"), np.zeros((), "f4")))


@pytest.mark.parametrize(("kind", "encode"), CODECS)
def test_the_missing_package_is_named(kind: Any, encode: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    with pytest.raises(UnsupportedError, match=r"zarrscope\[precomputed\]"):
        kind.from_configuration({})


@pytest.mark.parametrize("dtype", ["u1", "u2"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_jpeg_xl_keeps_the_elements_of_all_channels(dtype: str, channels: int) -> None:
    shape = (channels, 2, 3, 4) if channels > 1 else (2, 3, 4)
    data = np.random.default_rng(channels).integers(0, 255, shape).astype(dtype)
    image = np.moveaxis(data.reshape(channels, 6, 4), 0, -1)
    encoded = imagecodecs.jpegxl_encode(image if channels > 1 else image[..., 0], lossless=True)
    spec = ArraySpec(shape, np.dtype(dtype), np.zeros((), dtype))
    np.testing.assert_array_equal(JxlCodec().decode(encoded, spec), data)
    with pytest.raises(CodecError, match="found 4 × 6 pixels"):
        JxlCodec().decode(encoded, ArraySpec((7, *shape[-3:]), np.dtype(dtype), np.zeros((), dtype)))


def test_frames_of_an_animation_are_not_decoded() -> None:
    frames = imagecodecs.jpegxl_encode(np.zeros((50, 4, 6, 3), "u1"))
    with pytest.raises(CodecError, match="is not a JPEG XL image"):
        JxlCodec().decode(frames, SPEC)
