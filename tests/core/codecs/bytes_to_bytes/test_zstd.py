"""``zstd``: frames without their size, of each size, and in batches."""

from __future__ import annotations

import numpy as np
import pytest
import zstandard
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.core.codecs.pipelines import LITTLE, VALUES, pipeline
from zarrcore.codecs.bytes_to_bytes.zstd import ZstdCodec
from zarrcore.errors import CodecError


def test_a_zstd_frame_without_its_size_decodes() -> None:
    writer = zstandard.ZstdCompressor(write_content_size=False)
    stream = writer.compressobj()
    frame = stream.compress(VALUES.tobytes()) + stream.flush()
    assert zstandard.frame_content_size(frame) == -1
    assert np.array_equal(pipeline(LITTLE, "zstd").decode(frame), VALUES)


@pytest.mark.sampled(10)
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


@pytest.mark.parametrize("nbytes", [1000, 100_000])
@pytest.mark.parametrize("into", [False, True])
def test_frames_without_content_may_follow_but_none_may_be_cut(nbytes: int, into: bool) -> None:
    codec, decoded = ZstdCodec(3, True), bytes(range(250)) * (nbytes // 250)
    frame = bytes(codec.encode(decoded))
    skippable = bytes.fromhex("502a4d18 03000000 616263")

    def decode(encoded: bytes) -> bytes:
        out = memoryview(bytearray(nbytes)) if into else None
        return bytes(codec.decode(encoded, nbytes, out))

    for tail in (b"", skippable, bytes(codec.encode(b"")), skippable * 2):
        assert decode(frame + tail) == decode(skippable + frame + tail) == decoded
    cut = [frame[:-missing] for missing in range(1, 9)]  # the last four bytes are the checksum
    for wrong in (*cut, frame + frame[:1], frame + frame[:6], frame + skippable[:-1], frame + b"more"):
        with pytest.raises(CodecError):
            decode(wrong)


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    """Bytes that become frames of several blocks, of each type: raw, repeated and compressed."""
    pieces = st.one_of(
        st.binary(max_size=300),
        st.builds(lambda byte, count: bytes([byte]) * count, st.integers(0, 255), st.integers(1, 300_000)),
        st.builds(lambda seed: np.random.default_rng(seed).bytes(150_000), st.integers(0, 9)),
    )
    return b"".join(draw(st.lists(pieces, min_size=1, max_size=4)))


@given(data=st.data(), decoded=contents(), level=st.sampled_from([-3, 1, 3, 19]), checksum=st.booleans())
@settings(max_examples=40, deadline=None)
def test_several_frames_are_whole_and_nothing_follows_them(
    data: st.DataObject, decoded: bytes, level: int, checksum: bool
) -> None:
    assume(decoded)
    codec = ZstdCodec(level, checksum)
    frame = zstandard.ZstdCompressor(level=level, write_checksum=checksum).compress(decoded)
    out = bytearray(2 * len(decoded))
    codec.decode_frames([memoryview(frame), frame], len(decoded), memoryview(out))
    assert out == decoded * 2
    stop = data.draw(st.integers(0, len(frame) - 1))
    for wrong in (frame[:stop], frame + data.draw(st.binary(min_size=1, max_size=9))):
        with pytest.raises(CodecError):
            codec.decode_frames([frame, wrong], len(decoded), memoryview(out))
        with pytest.raises(CodecError):
            codec.decode(wrong, len(decoded))


@pytest.mark.parametrize("wrong", [b"", b"no frame", zstandard.ZstdCompressor().compress(b"1" * 300)[:5]])
def test_bytes_without_the_header_of_a_frame_are_refused_in_these_words(wrong: bytes) -> None:
    codec = ZstdCodec(3, checksum=False)
    with pytest.raises(CodecError, match="do not begin with the header of a frame"):
        codec.decode(wrong, 300)
    with pytest.raises(CodecError, match="do not begin with the header of a frame"):
        codec.decode_frames([wrong], 300, memoryview(bytearray(300)))
