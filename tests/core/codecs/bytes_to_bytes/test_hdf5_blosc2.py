"""Frames of Blosc2."""

from __future__ import annotations

import sys

import blosc2
import imagecodecs.numcodecs
import numpy as np
import pytest

from tests.core.codecs.registered_imagecodecs import needs_b2nd
from zarrcore.codecs.bytes_to_bytes.hdf5_blosc2 import Hdf5Blosc2Codec, ImagecodecsB2ndCodec
from zarrcore.errors import CodecError, MetadataError, UnsupportedError

NUMBERS = np.arange(600, dtype="i4").reshape(20, 30)


def test_sequences_and_arrays_decode() -> None:
    codec = Hdf5Blosc2Codec.from_configuration({})
    for frame in (
        blosc2.SChunk(data=NUMBERS).to_cframe(),
        blosc2.asarray(NUMBERS, chunks=(7, 8)).to_cframe(),
    ):
        assert codec.decode(frame, NUMBERS.nbytes) == NUMBERS.tobytes()
        with pytest.raises(CodecError, match="more than the 100 bytes expected"):
            codec.decode(frame, 100)


def test_broken_frames_are_refused() -> None:
    with pytest.raises(CodecError):
        Hdf5Blosc2Codec.from_configuration({}).decode(
            b"not a frame at all, but longer than a header" * 4, 100
        )


def test_chunks_that_never_got_elements_are_refused() -> None:
    """Decoding them gives what the memory held before."""
    codec, sequence = Hdf5Blosc2Codec.from_configuration({}), blosc2.SChunk(chunksize=400)
    sequence.fill_special(300, blosc2.SpecialValue.UNINIT)
    for frame in (sequence.to_cframe(), blosc2.uninit((20, 30), dtype="i4").to_cframe()):
        with pytest.raises(CodecError, match="never got elements"):
            codec.decode(frame, NUMBERS.nbytes)


def test_chunks_of_one_value_decode() -> None:
    codec = Hdf5Blosc2Codec.from_configuration({})
    for array in (blosc2.zeros((20, 30), dtype="f4"), blosc2.full((20, 30), 7, dtype="i4")):
        assert codec.decode(array.to_cframe(), NUMBERS.nbytes) == array[...].tobytes()
    sequence = blosc2.SChunk(chunksize=400)
    sequence.fill_special(300, blosc2.SpecialValue.ZERO)
    assert codec.decode(sequence.to_cframe(), NUMBERS.nbytes) == bytes(300)


def test_a_missing_package_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "blosc2", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'zarrscope\[hdf5\]'"):
        Hdf5Blosc2Codec.from_configuration({})


def test_chunks_of_arrays_do_not_take_much_more_than_the_array() -> None:
    codec = Hdf5Blosc2Codec.from_configuration({})
    small = blosc2.asarray(NUMBERS, chunks=(40, 60), blocks=(40, 60))
    assert codec.decode(small.to_cframe(), NUMBERS.nbytes) == NUMBERS.tobytes()
    large = blosc2.zeros((10,), dtype="u1", chunks=(1 << 30,), blocks=(1 << 20,))
    with pytest.raises(CodecError, match="more than the 10 bytes expected"):
        codec.decode(large.to_cframe(), 10)


@needs_b2nd
def test_the_arrays_of_imagecodecs_decode() -> None:
    theirs = imagecodecs.numcodecs.B2nd(level=2)
    told = theirs.get_config()
    ours = ImagecodecsB2ndCodec.from_configuration({name: told[name] for name in told if name != "id"})
    assert ours.decode(theirs.encode(NUMBERS), NUMBERS.nbytes) == NUMBERS.tobytes()


def test_it_only_decodes() -> None:
    assert not Hdf5Blosc2Codec.from_configuration({}).can_encode


def test_another_configuration_is_refused() -> None:
    with pytest.raises(MetadataError):
        ImagecodecsB2ndCodec.from_configuration({"other": 1})
