"""The first bytes of streams of TIFF, whatever follows them."""

from __future__ import annotations

import imagecodecs
import pytest

from zarrcore.codecs.array_to_bytes.tiff_streams import first_bytes

DATA = bytes(range(200)) * 3 + bytes(500)
CODES = {"lzw": 5, "deflate": 8, "packbits": 32773, "lzma": 34925, "zstd": 50000}


@pytest.mark.parametrize("name", CODES)
def test_as_many_bytes_as_are_wanted(name: str) -> None:
    stored = bytes(getattr(imagecodecs, f"{name}_encode")(DATA))
    for most in (1, 199, 601, len(DATA)):
        assert first_bytes(stored + b"\x80???", CODES[name], most) == DATA[:most]


@pytest.mark.parametrize("name", CODES)
def test_broken_and_unknown_streams(name: str) -> None:
    stored = bytes(getattr(imagecodecs, f"{name}_encode")(DATA))
    found = first_bytes(stored[: len(stored) // 2], CODES[name], len(DATA))
    assert found is None or (len(found) < len(DATA) and DATA.startswith(found))
    assert first_bytes(stored, 7, 9) is None
    assert first_bytes(b"\xff" * 3, 34925, 9) is None
