"""The filters of numcodecs: values that they would lose, byte order, and bits of another type."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numcodecs
import numpy as np
import pytest

from tests.core.codecs.cases import spec_of
from zarrcore.codecs import Pipeline
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata import NamedConfiguration
from zarrcore.typing import AnyArray


@pytest.mark.parametrize(
    ("name", "configuration", "values"),
    [
        ("numcodecs.delta", {"dtype": "<i4", "astype": "|i1"}, [0, 1000]),
        ("numcodecs.astype", {"encode_dtype": "|u1", "decode_dtype": "<i4"}, [0, 256]),
        ("numcodecs.astype", {"encode_dtype": "|u1", "decode_dtype": "<f4"}, [0, np.nan]),
        ("numcodecs.fixedscaleoffset", {"offset": 0, "scale": 10, "dtype": "<f4", "astype": "|i1"}, [0, 20]),
        (
            "numcodecs.fixedscaleoffset",
            {"offset": 0, "scale": 10, "dtype": "<f4", "astype": "<i4"},
            [0, np.inf],
        ),
        ("numcodecs.fixedscaleoffset", {"offset": 9, "scale": 10, "dtype": "<u2", "astype": "<u2"}, [0, 9]),
        ("numcodecs.fixedscaleoffset", {"offset": 1, "scale": 10, "dtype": "|u1", "astype": "<f4"}, [0, 9]),
        ("numcodecs.fixedscaleoffset", {"offset": 0, "scale": 1, "dtype": "<i4", "astype": "|b1"}, [0, 9]),
        ("numcodecs.fixedscaleoffset", {"offset": 0, "scale": 1, "dtype": "<i4", "astype": "<M8[s]"}, [0, 9]),
        ("numcodecs.delta", {"dtype": "<M8[s]", "astype": "<M8[s]"}, [0, 9]),
        ("numcodecs.delta", {"dtype": "<i4", "astype": "|S4"}, [0, 9]),
        ("numcodecs.astype", {"encode_dtype": "|b1", "decode_dtype": "<i4"}, [0, 9]),
        ("numcodecs.astype", {"encode_dtype": "|V4", "decode_dtype": "<i4"}, [0, 9]),
    ],
)
def test_values_that_a_filter_would_lose_are_refused(
    name: str, configuration: dict[str, Any], values: list[float]
) -> None:
    array = np.array(values, configuration.get("dtype") or configuration["decode_dtype"])
    pipeline = Pipeline(
        [NamedConfiguration(name, configuration), NamedConfiguration("bytes")], spec_of(array)
    )
    with pytest.raises(CodecError, match=name):
        pipeline.encode(array)


@pytest.mark.parametrize(
    ("name", "configuration", "values"),
    [
        (
            "numcodecs.fixedscaleoffset",
            {"offset": 1, "scale": 10, "dtype": "<u2", "astype": "<f2"},
            [1, 6000],
        ),
        ("numcodecs.delta", {"dtype": "<m8[s]", "astype": "<m8[s]"}, [0, 9]),
        ("numcodecs.astype", {"encode_dtype": "|S4", "decode_dtype": "<i4"}, [0, 9]),
        ("numcodecs.astype", {"encode_dtype": "<i8", "decode_dtype": "<M8[s]"}, [0, -(2**63)]),
    ],
)
def test_values_that_come_back_are_written(
    name: str, configuration: dict[str, Any], values: list[float]
) -> None:
    array = np.array(values, configuration.get("dtype") or configuration["decode_dtype"])
    pipeline = chain(name, configuration, array)
    assert np.allclose(pipeline.decode(pipeline.encode(array)).astype("f8"), array.astype("f8"), rtol=1e-3)


def chain(name: str, configuration: dict[str, Any], array: AnyArray) -> Pipeline:
    return Pipeline([NamedConfiguration(name, configuration), NamedConfiguration("bytes")], spec_of(array))


FILTERS: list[tuple[str, dict[str, Any], AnyArray]] = [
    ("numcodecs.delta", {"dtype": ">i2"}, np.array([5, 7, -300, 12], "<i2")),
    (
        "numcodecs.fixedscaleoffset",
        {"offset": 1, "scale": 10, "dtype": "<f4", "astype": ">i2"},
        np.array([1.5, -2], "<f4"),
    ),
    ("numcodecs.quantize", {"digits": 1, "dtype": "<f8"}, np.array([1.25, -7.125], "<f8")),
    ("numcodecs.astype", {"encode_dtype": ">f4", "decode_dtype": "<f8"}, np.array([1.5, np.inf], "<f8")),
    ("numcodecs.bitround", {"keepbits": 2}, np.array([1.3, 1e30], "<f4")),
    ("numcodecs.packbits", {}, np.array([True, False, True] * 5)),
]


@pytest.mark.parametrize(("name", "configuration", "array"), FILTERS, ids=[name for name, _, _ in FILTERS])
def test_chunks_are_those_of_numcodecs(name: str, configuration: dict[str, Any], array: AnyArray) -> None:
    theirs = numcodecs.get_codec({"id": name.removeprefix("numcodecs."), **configuration})
    expected = np.asarray(theirs.encode(array.astype(configuration.get("dtype", array.dtype))))
    made = chain(name, configuration, array)
    # The ``bytes`` codec then writes little-endian elements.
    encoded = bytes(made.encode(array))
    assert encoded == expected.astype(expected.dtype.newbyteorder("<")).tobytes()
    decoded = made.decode(encoded)
    assert decoded.dtype == array.dtype
    assert decoded.tolist() == np.asarray(theirs.decode(expected)).astype(array.dtype).tolist()


@pytest.mark.parametrize("name", ["numcodecs.delta", "numcodecs.quantize"])
def test_an_array_without_elements_stays_empty(name: str) -> None:
    array = np.empty((0, 3), "<f8")
    configuration: dict[str, Any] = {"dtype": "<f8", **({"digits": 1} if name.endswith("quantize") else {})}
    made = chain(name, configuration, array)
    assert bytes(made.encode(array)) == b""
    assert made.decode(b"").shape == (0, 3)


def test_a_filter_of_another_type_of_the_same_size_is_given_the_bits() -> None:
    array = np.array([1.5, -2.25, np.nan], "<f4")
    made = chain("numcodecs.delta", {"dtype": "<i4"}, array)
    bits = array.view("<i4")
    assert bytes(made.encode(array)) == np.diff(bits, prepend=np.int32(0)).tobytes()
    assert made.decode(made.encode(array)).tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("name", "configuration", "dtype"),
    [
        ("numcodecs.delta", {"dtype": "<i2"}, "<i4"),
        ("numcodecs.astype", {"encode_dtype": "<f4", "decode_dtype": "<f8"}, "<f4"),
        ("numcodecs.packbits", {}, "<u1"),
    ],
)
def test_elements_of_another_size_are_refused(name: str, configuration: dict[str, Any], dtype: str) -> None:
    with pytest.raises(MetadataError, match=r"expected elements of (int16|float64|bool), found"):
        chain(name, configuration, np.zeros(4, dtype))


@pytest.mark.parametrize(
    ("name", "configuration"),
    [
        ("numcodecs.astype", {"encode_dtype": None, "decode_dtype": "<f4"}),
        ("numcodecs.astype", {"encode_dtype": "<f4", "decode_dtype": None}),
        ("numcodecs.delta", {"dtype": None}),
        ("numcodecs.quantize", {"dtype": None, "digits": 1}),
    ],
)
def test_a_type_of_null_is_not_taken_for_float64(name: str, configuration: dict[str, Any]) -> None:
    with pytest.raises(MetadataError, match="expected a NumPy dtype, found null"):
        chain(name, configuration, np.zeros(3, "<f4"))


def test_a_type_that_numpy_does_not_convert_is_an_error() -> None:
    array = np.zeros(4, ml_dtypes.int4)
    configuration = {"scale": 10, "offset": 1, "dtype": "|V1", "astype": "<u1"}
    with pytest.raises(CodecError, match=r"numcodecs\.fixedscaleoffset: int4 is not converted to \|V1"):
        chain("numcodecs.fixedscaleoffset", configuration, array).encode(array)


def test_a_type_without_arithmetic_is_an_error() -> None:
    array = np.zeros(4, "|V2")
    configuration = {"scale": 10, "offset": 1, "dtype": "|V2", "astype": "<u1"}
    with pytest.raises(CodecError, match=r"numcodecs\.fixedscaleoffset: ufunc 'subtract'"):
        chain("numcodecs.fixedscaleoffset", configuration, array).encode(array)
