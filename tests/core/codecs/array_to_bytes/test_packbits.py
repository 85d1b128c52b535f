"""``packbits`` against the registry's words, bit by bit; and against zarrs, which packs too."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrcore.codecs import ArraySpec, Pipeline, completed
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.data_type.small_numbers import significant_bits
from zarrcore.metadata.fill_value import zero

PARTS = {
    **dict.fromkeys(("bool", "int2", "uint2", "int4", "uint4", "float4_e2m1fn", "float6_e2m3fn"), 1),
    **dict.fromkeys(("int8", "uint16", "int32", "float32", "float64", "bfloat16", "float8_e5m2"), 1),
    **dict.fromkeys(("complex64", "complex_float16", "complex_bfloat16", "complex_float6_e3m2fn"), 2),
}


def pipeline(name: str, shape: tuple[int, ...], **configuration: Any) -> Pipeline:
    dtype = parse_data_type(name).dtype
    return Pipeline([NamedConfiguration("packbits", configuration)], ArraySpec(shape, dtype, zero(dtype)))


def bits_of(name: str) -> int:
    part = name.removeprefix("complex_") if name.startswith("complex_") else name
    return 32 if name == "complex64" else significant_bits(parse_data_type(part).dtype)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_examples_of_the_registry(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(PARTS)))
    bits, parts = bits_of(name), PARTS[name]
    first = data.draw(st.integers(0, bits - 1))
    last = data.draw(st.integers(first, bits - 1))
    padding = data.draw(st.sampled_from(["none", "first_byte", "last_byte"]))
    shape = tuple(data.draw(st.lists(st.integers(1, 4), max_size=3)))
    numbers = data.draw(
        st.lists(
            st.integers(0, 2**bits - 1), min_size=parts * math.prod(shape), max_size=parts * math.prod(shape)
        )
    )
    made = pipeline(name, shape, first_bit=first, last_bit=last, padding_encoding=padding)
    dtype, width = made.spec.dtype, last - first + 1
    array = np.frombuffer(b"".join(n.to_bytes(dtype.itemsize // parts, "little") for n in numbers), dtype)
    sequence = sum(((n >> first) & (2**width - 1)) << (i * width) for i, n in enumerate(numbers))
    nbytes = -(-len(numbers) * width // 8)
    packed, missing = sequence.to_bytes(nbytes, "little"), bytes([8 * nbytes - len(numbers) * width])
    expected = {"none": packed, "first_byte": missing + packed, "last_byte": packed + missing}[padding]
    assert bytes(made.encode(array.reshape(shape))) == expected
    assert made.encoded_nbytes == len(expected)
    kept = [n & ((2**width - 1) << first) for n in numbers]
    if name.startswith("int"):
        above = 2**bits - 2 ** (last + 1)
        kept = [n | above if n >> last & 1 else n for n in kept]
    decoded = b"".join(n.to_bytes(dtype.itemsize // parts, "little") for n in kept)
    assert made.decode(expected).tobytes() == decoded


@pytest.mark.parametrize("name", ["numpy.datetime64", "numpy.timedelta64"])
def test_times_are_integers_of_64_bits(name: str) -> None:
    dtype = parse_data_type({"name": name, "configuration": {"unit": "ms", "scale_factor": 1}}).dtype
    numbers = np.array([0, 1, -1, 500, -512, 511], "<i8")
    codecs = [NamedConfiguration("packbits", {"last_bit": 9})]
    of_times, of_integers = (
        Pipeline(codecs, ArraySpec(numbers.shape, kind, zero(kind))) for kind in (dtype, numbers.dtype)
    )
    encoded = bytes(of_times.encode(numbers.view(dtype)))
    assert encoded == bytes(of_integers.encode(numbers))
    assert np.array_equal(of_times.decode(encoded).view("<i8"), numbers)


def test_many_blocks() -> None:
    values = np.random.default_rng(0).random(200_001) < 0.5
    made = pipeline("bool", values.shape)
    encoded = made.encode(values)
    assert bytes(encoded) == np.packbits(values, bitorder="little").tobytes()
    assert np.array_equal(made.decode(encoded), values)


def test_broken_chunks() -> None:
    made = pipeline("bool", (9,), padding_encoding="last_byte")
    assert made.decode(b"\xff\x01\x07").all()
    for broken in (b"", b"\xff\x01", b"\xff\x01\x06", b"\xff\x01\x07\x00"):
        with pytest.raises(CodecError, match="packbits"):
            made.decode(broken)


@pytest.mark.parametrize(
    ("name", "configuration"),
    [
        ("string", {}),
        ("r16", {}),
        ("bool", {"last_bit": 1}),
        ("int8", {"first_bit": 5, "last_bit": 4}),
        ("int8", {"first_bit": -1}),
        ("int8", {"padding_encoding": "both"}),
        ("int8", {"order": "big"}),
    ],
)
def test_invalid_configurations_are_refused(name: str, configuration: dict[str, Any]) -> None:
    with pytest.raises(MetadataError):
        pipeline(name, (3,), **configuration)


def test_the_names_of_the_schema_are_read_and_those_of_the_text_written() -> None:
    spec = ArraySpec((3,), np.dtype("i1"), np.zeros((), "i1"))
    named = NamedConfiguration("packbits", {"padding_encoding": "start_byte", "start_bit": 1, "end_bit": 2})
    assert completed([named], spec)[0].configuration == {
        "padding_encoding": "first_byte",
        "first_bit": 1,
        "last_bit": 2,
    }
