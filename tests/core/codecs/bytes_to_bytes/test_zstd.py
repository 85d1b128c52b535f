"""``zstd``: frames without their size."""

from __future__ import annotations

import numpy as np
import pytest
import zstandard

from tests.core.codecs.pipelines import LITTLE, VALUES, pipeline
from zarrcore.codecs.bytes_to_bytes.zstd import ZstdCodec


def test_a_zstd_frame_without_its_size_decodes() -> None:
    writer = zstandard.ZstdCompressor(write_content_size=False)
    stream = writer.compressobj()
    frame = stream.compress(VALUES.tobytes()) + stream.flush()
    assert zstandard.frame_content_size(frame) == -1
    assert np.array_equal(pipeline(LITTLE, "zstd").decode(frame), VALUES)


@pytest.mark.parametrize("nbytes", [4096, (512 << 10) - 1, 512 << 10, 3 << 20])
@pytest.mark.parametrize("level", [-(10**6), -5, 0, 3, 100])
@pytest.mark.parametrize("checksum", [False, True])
def test_chunks_of_each_size_become_one_frame_with_its_size_and_its_checksum(
    nbytes: int, level: int, checksum: bool
) -> None:
    decoded = np.arange(nbytes, dtype=np.uint32).view("u1")[:nbytes]
    frame = ZstdCodec(level, checksum).encode(memoryview(decoded))
    told = zstandard.get_frame_parameters(frame)
    assert (told.content_size, told.has_checksum) == (nbytes, checksum)
    assert zstandard.ZstdDecompressor().decompress(frame, allow_extra_data=False) == decoded.tobytes()
