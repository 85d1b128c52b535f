"""LZF and szip, decoded by imagecodecs."""

from __future__ import annotations

import sys

import h5py
import numpy as np
import pytest

from zarrcore.codecs.bytes_to_bytes.hdf5_imagecodecs import Hdf5LzfCodec, Hdf5SzipCodec
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.typing import AnyArray

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


@pytest.mark.sampled(28)
@pytest.mark.parametrize("dtype", ["|u1", "<i2", ">i2", "<i4", ">f4", "<f8"])
@pytest.mark.parametrize("pixels", [2, 4, 6, 8, 10, 16, 32])
@pytest.mark.parametrize("coding", ["ec", "nn"])
def test_chunks_decode_to_what_the_library_wrote(dtype: str, pixels: int, coding: str) -> None:
    for shape in ((33,), (1, 36), (17, 21), (3, 4, 19), (4713,)):
        elements = (np.arange(np.prod(shape)) * 7 % 53).astype(dtype).reshape(shape)
        chunk, codec = szip_written(elements, (coding, pixels))
        assert bytes(codec.decode(chunk, elements.nbytes)) == elements.tobytes()
        is_coded = not chunk.startswith(b"\xff" * 8)
        if is_coded and pixels >= 8:  # with smaller blocks, some of these give zeros
            for end in (4, 5, len(chunk) // 2):
                with pytest.raises(CodecError):
                    codec.decode(chunk[:end], elements.nbytes)


@pytest.mark.parametrize("dtype", ["<i2", "<i4", ">f8"])
def test_a_decoded_size_that_is_no_whole_number_of_elements_is_refused(dtype: str) -> None:
    elements = np.zeros(64, dtype)
    chunk, codec = szip_written(elements, ("nn", 8))
    assert bytes(codec.decode(chunk, elements.nbytes)) == elements.tobytes()
    broken = (elements.nbytes - 1).to_bytes(4, "little") + chunk[4:]
    with pytest.raises(CodecError, match="not a whole number"):
        codec.decode(broken, elements.nbytes)


def test_a_truncated_chunk_of_small_blocks_is_never_what_was_in_memory() -> None:
    elements = np.random.default_rng(0).integers(1, 200, 4000).astype("<i4")
    chunk, codec = szip_written(elements, ("nn", 4))
    codec.decode(chunk, elements.nbytes)
    with pytest.raises(CodecError):
        codec.decode(chunk[: len(chunk) // 2], elements.nbytes)


def szip_written(elements: AnyArray, options: tuple[str, int]) -> tuple[bytes, Hdf5SzipCodec]:
    """The chunk that the HDF5 library writes, and the codec for it."""
    with h5py.File("a.h5", "w", driver="core", backing_store=False) as file:
        dataset = file.create_dataset(
            "a", data=elements, chunks=elements.shape, compression="szip", compression_opts=options
        )
        file.flush()
        values = dataset.id.get_create_plist().get_filter(0)[2]
        skipped, chunk = dataset.id.read_direct_chunk((0,) * elements.ndim)
    if skipped:
        chunk = b"\xff" * 8 + chunk
    return bytes(chunk), Hdf5SzipCodec.from_configuration(dict(zip(SZIP, values, strict=True)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pixels_per_block", 0),
        ("pixels_per_block", 7),
        ("pixels_per_block", 34),
        ("pixels_per_scanline", 0),
        ("pixels_per_scanline", 4097),
        ("bits_per_pixel", 0),
        ("bits_per_pixel", 33),
    ],
)
def test_parameters_that_szip_does_not_have_are_refused(name: str, value: int) -> None:
    with pytest.raises(MetadataError, match=name):
        Hdf5SzipCodec.from_configuration({**SZIP, name: value})


def test_a_missing_package_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'zarrscope\[hdf5\]'"):
        Hdf5LzfCodec.from_configuration({})
