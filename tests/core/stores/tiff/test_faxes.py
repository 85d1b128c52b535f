"""Images of one bit in the encodings of faxes, as libtiff writes them for Pillow, against the pixels that were written."""

from __future__ import annotations

import io

import imagecodecs
import numpy as np
import pytest
import tifffile
from PIL import Image

from tests.core.stores.tiff.files import array
from zarrcore.typing import AnyArray

pytestmark = pytest.mark.skipif(
    not hasattr(imagecodecs, "ccittfax3_decode"), reason="imagecodecs before 2026.3"
)
RANDOM = np.random.default_rng(3)
PICTURES = {
    "noise": RANDOM.random((33, 63)) < 0.5,
    "specks": RANDOM.random((21, 1729)) < 0.02,
    "black": np.ones((9, 2631), bool),
    "white": np.zeros((9, 64), bool),
    "slants": np.add.outer(np.arange(25), np.arange(101)) % 17 < 3,
    "one": np.ones((1, 1), bool),
}
ROWS, WHITE_IS_ZERO, FILL_ORDER = 278, 262, 266


def fax(picture: AnyArray, compression: str, rows: int, *, white_is_zero: bool) -> bytes:
    """A file whose bits are those of a picture, whichever of black and white they mean."""
    file = io.BytesIO()
    tags = {ROWS: rows, WHITE_IS_ZERO: 0 if white_is_zero else 1, FILL_ORDER: 1}
    Image.fromarray(picture ^ white_is_zero).save(file, "TIFF", compression=compression, tiffinfo=tags)
    return file.getvalue()


def with_least_bits_first(content: bytes) -> bytes:
    """The same file with the other order of bits in a byte."""
    changed = bytearray(content)
    with tifffile.TiffFile(io.BytesIO(content)) as file:
        page = file.pages.first
        for start, nbytes in zip(page.dataoffsets, page.databytecounts, strict=True):
            bits = np.unpackbits(np.frombuffer(content, "u1", nbytes, start))
            changed[start : start + nbytes] = np.packbits(bits, bitorder="little").tobytes()
        at = page.tags[FILL_ORDER].valueoffset
        changed[at : at + 2] = (2).to_bytes(2, "little")
    return bytes(changed)


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("compression", ["group3", "group4", "tiff_ccitt"])
@pytest.mark.parametrize("white_is_zero", [False, True])
def test_faxes_have_the_pixels_that_were_written(name: str, compression: str, white_is_zero: bool) -> None:
    for rows in (5, 4096):
        content = fax(PICTURES[name], compression, rows, white_is_zero=white_is_zero)
        with tifffile.TiffFile(io.BytesIO(content)) as file:
            assert (file.pages.first.photometric == 0) == white_is_zero
        for one in (content, with_least_bits_first(content)):
            np.testing.assert_array_equal(array(one)[...], PICTURES[name])
