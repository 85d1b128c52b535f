"""Filters of HDF5 that imagecodecs registers as codecs of arrays, with what its functions encode."""

from __future__ import annotations

import sys
from typing import Any

import blosc2
import imagecodecs
import numpy as np
import pytest

from tests.core.codecs.registered_imagecodecs import needs_b2nd
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.typing import AnyArray

TYPES = ("|u1", "<i2", "<f4", "<c16")


def _elements(dtype: str, shape: tuple[int, ...] = (7, 30)) -> AnyArray:
    return (np.arange(np.prod(shape)) // 3 % 120).astype(dtype).reshape(shape)


def _pipeline(name: str, elements: AnyArray, **parameters: Any) -> Pipeline:
    spec = ArraySpec(elements.shape, elements.dtype, np.zeros((), elements.dtype))
    return Pipeline([NamedConfiguration(name, parameters)], spec)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("block", [0, 64])
def test_bitshuffle_is_that_of_imagecodecs(dtype: str, block: int) -> None:
    elements = _elements(dtype)
    pipeline = _pipeline("imagecodecs_bitshuffle", elements, blocksize=block)
    encoded = imagecodecs.bitshuffle_encode(
        elements.tobytes(), itemsize=elements.dtype.itemsize, blocksize=block
    )
    assert bytes(pipeline.encode(elements)) == bytes(encoded)
    assert np.array_equal(pipeline.decode(bytes(encoded)), elements)
    assert pipeline.completed()[0].configuration == {"blocksize": block}
    with pytest.raises(CodecError):
        pipeline.decode(bytes(encoded)[:-1])


@needs_b2nd
@pytest.mark.parametrize("dtype", TYPES)
def test_arrays_of_blosc2_are_read(dtype: str) -> None:
    elements = _elements(dtype)
    pipeline = _pipeline("imagecodecs_b2nd", elements, level=3, compressor="zstd")
    encoded = bytes(imagecodecs.b2nd_encode(elements, level=3))
    assert np.array_equal(pipeline.decode(encoded), elements)
    with pytest.raises(UnsupportedError):
        pipeline.completed()
    other = _elements(dtype, (7, 31))
    for broken in (
        bytes(imagecodecs.b2nd_encode(other)),
        bytes(imagecodecs.b2nd_encode(elements[:, :29].copy())),
        blosc2.SChunk(data=elements).to_cframe(),
        encoded[: len(encoded) // 2],
        b"",
    ):
        with pytest.raises(CodecError):
            pipeline.decode(broken)


@needs_b2nd
def test_big_endian_arrays_of_blosc2_are_read() -> None:
    elements = _elements(">i4")
    pipeline = _pipeline("imagecodecs_b2nd", elements.astype("<i4"))
    assert np.array_equal(pipeline.decode(bytes(imagecodecs.b2nd_encode(elements))), elements)


@needs_b2nd
def test_an_array_of_another_type_is_refused() -> None:
    pipeline = _pipeline("imagecodecs_b2nd", _elements("<i4"))
    with pytest.raises(CodecError, match=r"of int32, found shape .* of float32"):
        pipeline.decode(bytes(imagecodecs.b2nd_encode(_elements("<f4"))))


@pytest.mark.parametrize("name", ["imagecodecs_b2nd", "imagecodecs_bitshuffle"])
def test_elements_of_variable_length_need_another_codec(name: str) -> None:
    spec = ArraySpec((2,), np.dtype(object), np.array(b"", object))
    with pytest.raises(MetadataError):
        Pipeline([NamedConfiguration(name)], spec)


def test_a_missing_package_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "blosc2", None)
    with pytest.raises(UnsupportedError, match=r"imagecodecs_b2nd.*pip install 'zarrscope\[hdf5\]'"):
        _pipeline("imagecodecs_b2nd", _elements("<i4"))
