"""The configuration that decides how segments are decoded; that they are decoded correctly is tested with levels."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
import tifffile

from tests.core.stores.tiff.files import written
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
