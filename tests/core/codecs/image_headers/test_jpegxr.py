"""Headers of JPEG XR."""

from __future__ import annotations

import imagecodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs.image_headers.jpegxr import jpegxr_header


@pytest.mark.parametrize("shape", [(20, 30), (20, 30, 3), (70000, 20)])
def test_the_header_tells_the_size(shape: tuple[int, ...]) -> None:
    data = bytes(imagecodecs.jpegxr_encode(np.zeros(shape, "u1")))
    header = jpegxr_header(data)
    assert header is not None
    assert header[:3] == (shape[1], shape[0], *(shape[2:] or (1,)))
    assert jpegxr_header(data[:100]) is None


KINDS = [(), (3,), (4,), (5,), (8,)]


@pytest.mark.sampled(20)
@pytest.mark.parametrize("channels", KINDS)
@pytest.mark.parametrize("dtype", ["?", "u1", "u2", "f2", "f4"])
@pytest.mark.parametrize("photometric", [None, "rgb", "cmyk"])
def test_all_that_imagecodecs_encodes_has_a_header(
    channels: tuple[int, ...], dtype: str, photometric: str | None
) -> None:
    try:
        data = bytes(imagecodecs.jpegxr_encode(np.ones((20, 30, *channels), dtype), photometric=photometric))
    except ValueError:  # it encodes such pixels as those of no format
        return
    assert jpegxr_header(data) == (30, 20, *(channels or (1,)), 0)


@pytest.mark.parametrize("channels", KINDS)
def test_codestreams_that_are_not_what_the_tags_tell_have_no_header(channels: tuple[int, ...]) -> None:
    """jxrlib crashes when it decodes most of these."""
    data = bytes(imagecodecs.jpegxr_encode(np.ones((20, 30, *channels), "u1")))
    starts = [at for at in range(len(data)) if data[at:].startswith(b"WMPHOTO\0")]
    assert len(starts) == 1 + (channels == (4,))
    for start in starts:
        for at, flip in {11: 0x01, 13: 0x40, 15: 0x40, 16: 0xA0 ^ data[start + 16]}.items():
            changed = bytearray(data)
            changed[start + at] ^= flip
            assert jpegxr_header(bytes(changed)) is None
        formats = bytearray(data)
        formats[start + 11] ^= 0x20
        assert jpegxr_header(bytes(formats)) is None
        assert jpegxr_header(data[: start + 17]) is None


@pytest.mark.parametrize("flags", [(0x80, 0), (0, 0x20), (0x80, 0x20)])
def test_the_image_plane_is_found_after_tiles_and_margins(flags: tuple[int, int]) -> None:
    data = bytes(imagecodecs.jpegxr_encode(np.ones((20, 30, 3), "u1")))
    start = data.index(b"WMPHOTO\0")
    sizes = b"\0\x20\x01" + bytes(3) if flags[0] else b""  # three columns and two rows of tiles
    more = sizes + (bytes(3) if flags[1] else b"")
    for plane, is_known in ((data[start + 16 : start + 17], True), (b"\xe0", False)):
        header = bytearray(data[: start + 16])
        header[start + 9] |= flags[0]
        header[start + 10] |= flags[1]
        found = jpegxr_header(bytes(header) + more + plane + data[start + 17 :])
        assert found == ((30, 20, 3, 0) if is_known else None)


@given(st.binary())
def test_anything_else_has_no_header_or_numbers(rest: bytes) -> None:
    found = jpegxr_header(b"II\xbc\1" + rest)
    assert found is None or min(found) >= 0
