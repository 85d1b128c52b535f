"""LZF and szip, decoded by imagecodecs."""

from __future__ import annotations

import sys

import pytest

from zarrcore.codecs.bytes_to_bytes.hdf5_imagecodecs import Hdf5LzfCodec, Hdf5SzipCodec
from zarrcore.errors import CodecError, UnsupportedError

SZIP = {"mask": 141, "pixels_per_block": 8, "bits_per_pixel": 8, "pixels_per_scanline": 64}


def test_literal_runs_of_lzf_decode() -> None:
    assert bytes(Hdf5LzfCodec.from_configuration({}).decode(b"\x02abc\x00d", 4)) == b"abcd"


def test_a_chunk_that_skipped_szip_is_taken_as_it_is() -> None:
    assert Hdf5SzipCodec.from_configuration(SZIP).decode(b"\xff" * 8 + b"abc", 3) == b"abc"


@pytest.mark.parametrize(
    "codec", [Hdf5LzfCodec.from_configuration({}), Hdf5SzipCodec.from_configuration(SZIP)]
)
def test_broken_bytes_and_bombs_are_refused(codec: Hdf5LzfCodec | Hdf5SzipCodec) -> None:
    with pytest.raises(CodecError):
        codec.decode(b"\xf0\xf0\xf0\x70\xf0", 10)


def test_a_missing_package_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'zarrscope\[hdf5\]'"):
        Hdf5LzfCodec.from_configuration({})
