"""The first bytes of streams of TIFF, whatever follows them."""

from __future__ import annotations

import random
import zlib

import imagecodecs
import pytest
import zstandard

from zarrcore.codecs.array_to_bytes.tiff_streams import first_bytes

DATA = bytes(range(200)) * 3 + bytes(500)
NOISE = random.Random(1).randbytes(5000)
CODES = {"lzw": 5, "deflate": 8, "packbits": 32773, "lzma": 34925, "zstd": 50000}


@pytest.mark.parametrize("name", CODES)
def test_as_many_bytes_as_are_wanted(name: str) -> None:
    stored = bytes(getattr(imagecodecs, f"{name}_encode")(DATA))
    for most in (1, 199, 601, len(DATA)):
        assert first_bytes(stored + b"\x80???", CODES[name], most) == DATA[:most]


@pytest.mark.parametrize("longer", [0, 5])
@pytest.mark.parametrize("name", ["deflate", "lzma", "zstd"])
def test_a_checksum_that_follows_the_segment_counts(name: str, longer: int) -> None:
    """Damage that leaves enough bytes is seen at the end of the stream, also if its data are longer than the segment."""
    stored = (
        zstandard.ZstdCompressor(write_checksum=True).compress(NOISE)
        if name == "zstd"
        else bytes(getattr(imagecodecs, f"{name}_encode")(NOISE))
    )
    most = len(NOISE) - longer
    assert first_bytes(stored, CODES[name], most) == NOISE[:most]
    damaged = bytearray(stored)
    damaged[len(stored) // 2] ^= 1  # these bytes are stored as they are, so there are as many
    assert first_bytes(bytes(damaged), CODES[name], most) is None


def test_a_stream_that_runs_on_without_an_end_is_broken() -> None:
    stored = zlib.compress(DATA)[:-4]  # only the checksum is missing
    assert first_bytes(stored, 8, len(DATA)) == DATA
    assert first_bytes(stored, 8, len(DATA) - 1) is None


@pytest.mark.parametrize("name", ["deflate", "lzma", "zstd"])
def test_a_rest_without_measure_is_broken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.codecs.array_to_bytes.tiff_streams._MOST_REST_NBYTES", 4 << 20)
    stored = bytes(getattr(imagecodecs, f"{name}_encode")(bytes(5 << 20)))
    assert first_bytes(stored, CODES[name], 100) is None


@pytest.mark.parametrize("name", CODES)
def test_broken_and_unknown_streams(name: str) -> None:
    stored = bytes(getattr(imagecodecs, f"{name}_encode")(DATA))
    found = first_bytes(stored[: len(stored) // 2], CODES[name], len(DATA))
    assert found is None or (len(found) < len(DATA) and DATA.startswith(found))
    assert first_bytes(stored, 7, 9) is None
    assert first_bytes(b"\xff" * 3, 34925, 9) is None
