"""Images of one bit in the encodings of faxes, as libtiff writes them for Pillow, against the pixels that were written."""

from __future__ import annotations

import io
import struct

import imagecodecs
import numpy as np
import pytest
import tifffile
from PIL import Image

from tests.core.stores.tiff.files import array
from zarrcore.errors import CodecError
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


NO_RUN, WHITE_2_BLACK_1, WHITE_1_BLACK_1 = "001001101010000110111", "0010111010", "001000111010"
SAME, PASS, END = "1", "0001", 2 * "000000000001"
"""Codes of T.6."""


def test_runs_of_no_pixels_at_the_start_of_a_row_count_for_the_next_row() -> None:
    """As in `testfax4.tiff` of libtiff: the second row passes over them."""
    codes = NO_RUN + WHITE_2_BLACK_1 + SAME + PASS + WHITE_1_BLACK_1 + SAME + END
    rows = [[False, False, True, False], [False, True, False, False]]
    content = with_segment(fax(np.zeros((2, 4), bool), "group4", 2, white_is_zero=True), codes)
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(content))), ~np.array(rows))
    np.testing.assert_array_equal(array(content)[...], rows)


def with_segment(content: bytes, codes: str) -> bytes:
    """The same file with another segment, of these bits."""
    with tifffile.TiffFile(io.BytesIO(content)) as file:
        tags = file.pages.first.tags
        places = [tags[name].valueoffset for name in ("StripOffsets", "StripByteCounts")]
        kind = {3: "<H", 4: "<I"}
        kinds = [kind[tags[name].dtype] for name in ("StripOffsets", "StripByteCounts")]
    segment = int(codes.ljust(-(-len(codes) // 8) * 8, "0"), 2).to_bytes(-(-len(codes) // 8), "big")
    changed = bytearray(content + segment)
    for place, one, number in zip(places, kinds, (len(content), len(segment)), strict=True):
        struct.pack_into(one, changed, place, number)
    return bytes(changed)


@pytest.mark.sampled
@pytest.mark.parametrize("compression", ["group3", "group4", "tiff_ccitt"])
@pytest.mark.parametrize("name", ["noise", "specks", "slants"])
def test_a_segment_that_ends_early_is_an_error(name: str, compression: str) -> None:
    content = fax(PICTURES[name], compression, 4096, white_is_zero=False)
    with tifffile.TiffFile(io.BytesIO(content)) as file:
        (start,), (nbytes,) = file.pages.first.dataoffsets, file.pages.first.databytecounts
    bits = "".join(f"{byte:08b}" for byte in content[start : start + nbytes])
    for kept in sorted({*range(1, nbytes, 7), *range(nbytes - 20, nbytes)}):
        try:
            found = array(with_segment(content, bits[: 8 * kept]))[...]
        except CodecError:
            continue
        np.testing.assert_array_equal(found, PICTURES[name])
        assert kept > nbytes - 10, "only codes of the end, and padding, may lack"


@pytest.mark.sampled(18)
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
