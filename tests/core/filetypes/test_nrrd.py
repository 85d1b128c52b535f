"""NRRD: other programs read each array unchanged."""

from __future__ import annotations

import numpy as np
import pytest

import zarrcore
from tests.core.filetypes.images import made, numbers, whole
from tests.core.filetypes.readers import read_nrrd
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.interface import HeaderAndBody

NRRD_TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


@pytest.mark.sampled(15)
@pytest.mark.parametrize("dtype", NRRD_TYPES)
@pytest.mark.parametrize("shape", [(2, 3, 5, 7), (5, 7), (7,)])
def test_pynrrd_reads_every_type(shape: tuple[int, ...], dtype: str) -> None:
    data = numbers(shape, dtype)
    read, header = read_nrrd(whole(made(data), "nrrd"))
    assert header["labels"] == [""] * len(shape)
    assert read.dtype == (np.uint8 if dtype == "?" else data.dtype)
    assert read.tobytes() == data.tobytes()
    assert read.shape == shape


def header_of(array: zarrcore.Array) -> list[str]:
    file = zarrcore.virtual_file(array, suffix="nrrd")
    assert isinstance(file, HeaderAndBody)
    return bytes(file.header).decode("ascii").split("\n")


def test_the_header_names_the_fastest_axis_first() -> None:
    assert header_of(made(numbers((2, 5, 7), "i2"), ["t", "größe", "x"])) == [
        "NRRD0004",
        "type: int16",
        "dimension: 3",
        "sizes: 7 5 2",
        'labels: "x" "" "t"',
        "endian: little",
        "encoding: raw",
        "",
        "",
    ]
    assert "kinds: RGBA-color ??? ???" in header_of(made(numbers((5, 7, 4), "u1")))


@pytest.mark.parametrize("shape", [(), (0, 3), (1,) * 17])
def test_an_array_without_elements_or_with_too_many_dimensions_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(UnsupportedError, match="does not have 1 to 16 dimensions and at least one element"):
        zarrcore.virtual_file(made(np.zeros(shape, "u1")), suffix="nrrd")


def test_types_without_a_name_are_refused() -> None:
    for dtype in ("f2", "c8", "M8[s]"):
        with pytest.raises(UnsupportedError, match="has no name in NRRD"):
            zarrcore.virtual_file(made(np.zeros(3, dtype)), suffix="nrrd")
