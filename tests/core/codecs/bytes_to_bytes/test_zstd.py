"""``zstd``: frames without their size."""

from __future__ import annotations

import numpy as np
import zstandard

from tests.core.codecs.pipelines import LITTLE, VALUES, pipeline


def test_a_zstd_frame_without_its_size_decodes() -> None:
    writer = zstandard.ZstdCompressor(write_content_size=False)
    stream = writer.compressobj()
    frame = stream.compress(VALUES.tobytes()) + stream.flush()
    assert zstandard.frame_content_size(frame) == -1
    assert np.array_equal(pipeline(LITTLE, "zstd").decode(frame), VALUES)
