"""Headers of JPEG 2000."""

from __future__ import annotations

import imagecodecs
import numpy as np
import pytest

from zarrcore.codecs.image_headers.jpeg2000 import jpeg2000_header

IMAGE = np.zeros((20, 30, 3), "u2")


@pytest.mark.parametrize("form", ["jp2", "j2k"])
def test_codestreams_and_files_of_boxes_have_the_same_header(form: str) -> None:
    data = bytes(imagecodecs.jpeg2k_encode(IMAGE, codecformat=form))
    assert jpeg2000_header(data) == (30, 20, 3, 16)
    assert jpeg2000_header(data[:20]) is None


def test_a_codestream_in_another_box_is_not_the_image() -> None:
    data = bytes(imagecodecs.jpeg2k_encode(IMAGE, codecformat="jp2"))
    other = bytes(imagecodecs.jpeg2k_encode(IMAGE[:2, :2], codecformat="j2k"))
    box = (8 + len(other) + 9000).to_bytes(4, "big") + b"free" + other + bytes(9000)
    at = 12 + int.from_bytes(data[12:16], "big")
    assert imagecodecs.jpeg2k_decode(data[:at] + box + data[at:]).shape == IMAGE.shape
    assert jpeg2000_header(data[:at] + box + data[at:]) == (30, 20, 3, 16)
