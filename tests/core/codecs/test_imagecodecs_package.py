"""What the codecs of imagecodecs have in common."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from zarrcore.codecs import ArraySpec
from zarrcore.codecs.imagecodecs_package import IMAGECODECS, PredictedArray
from zarrcore.codecs.registry import _BUILT_IN, codec_class
from zarrcore.errors import MetadataError, UnsupportedError

SPEC = ArraySpec((4, 6), np.dtype("<u2"), np.zeros((), "<u2"))
NEED_THE_PACKAGE = {name for name in _BUILT_IN if name.startswith(IMAGECODECS)} - {
    f"{IMAGECODECS}{name}"
    for name in ("b2nd", "bitshuffle", "bz2", "lz4h5", "lzma", "szip", "zlib", "zlibng", "zstd")
}


@pytest.mark.parametrize("name", sorted(NEED_THE_PACKAGE))
def test_a_missing_package_says_what_installs_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    with pytest.raises(UnsupportedError, match=rf"{name}.*pip install 'zarrscope\[tiff\]'"):
        codec_class(name).from_configuration({})


@pytest.mark.parametrize(
    ("configuration", "shape"),
    [({}, (4, 6)), ({"shape": [2, 12], "axis": 1}, (2, 12)), ({"shape": None, "dtype": ">u2"}, (4, 6))],
)
def test_a_predictor_has_the_shape_of_chunks_or_its_own(
    configuration: dict[str, object], shape: object
) -> None:
    assert PredictedArray("x", configuration).shape(SPEC) == shape


@pytest.mark.parametrize(
    "configuration",
    [{"shape": [4, 7]}, {"axis": 2}, {"axis": -3}, {"shape": [], "axis": 0}, {"dtype": "<i2"}],
)
def test_parameters_that_do_not_fit_are_refused(configuration: dict[str, object]) -> None:
    with pytest.raises(MetadataError):
        PredictedArray("x", configuration).shape(SPEC)


def test_shape_and_type_are_not_told_again() -> None:
    told = {"shape": [4, 6], "dtype": "<u2", "axis": -2, "dist": 2}
    assert PredictedArray("x", told).configuration(SPEC) == {"axis": -2, "dist": 2}
    with pytest.raises(UnsupportedError, match="another shape"):
        PredictedArray("x", {"shape": [24]}).configuration(SPEC)
