"""The configuration that decides how segments are decoded; that they are decoded correctly is tested with levels."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
import tifffile
from PIL import Image

from tests.core.stores.tiff.files import array, written
from zarrcore.codecs.array_to_bytes.tiff_segment import _written
from zarrcore.errors import CodecError
from zarrcore.stores.tiff.page_codec import is_plain, segment_configuration

IMAGE = np.arange(48 * 40, dtype="u2").reshape(48, 40)


def page_of(**options: Any) -> Any:
    """The first page of a file."""
    return tifffile.TiffFile(io.BytesIO(written(IMAGE, metadata=None, **options))).pages[0]


@pytest.mark.parametrize(
    ("options", "wanted"),
    [({}, True), ({"byteorder": ">"}, True), ({"compression": "zlib"}, False), ({"tile": (16, 16)}, True)],
)
def test_samples_as_those_of_an_array_are_plain(options: dict[str, Any], wanted: bool) -> None:
    assert is_plain(page_of(**options)) is wanted


def test_strips_and_tiles_have_the_tags_that_decode_them() -> None:
    strips = segment_configuration(page_of(compression="zlib", predictor=True, rowsperstrip=9))
    assert set(strips) == {"byteorder", "tags"}
    assert (strips["tags"]["256"], strips["tags"]["317"]) == ([40], [2])
    tiles = segment_configuration(page_of(compression="zlib", tile=(32, 16), byteorder=">"))
    assert tiles["byteorder"] == "big"
    assert tiles["rest"] == [16, 8]
    assert "256" not in tiles["tags"]


def old_jpeg(*left_out: int, compression: int = 6) -> bytes:
    """A page in colours without some of its tags, in one JPEG."""
    y, x = np.mgrid[:48, :64]
    buffer = io.BytesIO()
    Image.fromarray(np.stack([x * 4, y * 5, x + y], -1).astype("u1")).save(buffer, "JPEG", subsampling=0)
    jpeg = buffer.getvalue()
    tags: dict[int, tuple[int, ...]] = {
        256: (64,), 257: (48,), 258: (8, 8, 8), 259: (compression,), 262: (6,), 273: (8,), 277: (3,), 278: (48,),
        279: (len(jpeg),), 284: (1,), 513: (8,), 514: (len(jpeg),), 530: (1, 1),
    }  # fmt: skip
    return _written("<", {code: (4, told) for code, told in tags.items() if code not in left_out}, jpeg)


@pytest.mark.parametrize("left_out", [(), (277,), (262, 277)])
def test_old_jpegs_may_lack_the_number_of_samples(left_out: tuple[int, ...]) -> None:
    content = old_jpeg(*left_out)
    with Image.open(io.BytesIO(content)) as opened:  # by libtiff
        np.testing.assert_array_equal(array(content)[...], np.moveaxis(np.asarray(opened), -1, 0))


def test_a_jpeg_of_another_number_of_samples_is_refused() -> None:
    content = old_jpeg(277, compression=7)
    with pytest.raises(OSError, match="decoder error"), Image.open(io.BytesIO(content)) as opened:
        opened.load()  # libtiff refuses it, too
    with pytest.raises(CodecError, match="a JPEG of 3 components cannot be a segment of 1 samples"):
        array(content)[...]
