"""zfp after its own header, as numcodecs writes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import zfpy
from numcodecs.zfpy import ZFPY

from zarrcore.codecs import ArraySpec
from zarrcore.codecs.array_to_bytes.zfpy import ZfpyCodec
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata.fill_value import zero
from zarrcore.typing import AnyArray

SMOOTH = np.add.outer(np.sin(np.arange(9) / 3), np.linspace(-1, 1, 13)).astype("<f8")
MODES: list[dict[str, Any]] = [
    {"mode": 2, "rate": 10.5},
    {"mode": 3, "precision": 19},
    {"mode": 4, "tolerance": 0.05},
    {"mode": 5},
]


def spec_of(array: AnyArray) -> ArraySpec:
    return ArraySpec(array.shape, array.dtype, zero(array.dtype))


@pytest.mark.parametrize("configuration", MODES, ids=str)
def test_the_bytes_are_those_of_numcodecs_within_the_bound(configuration: dict[str, Any]) -> None:
    codec, spec = ZfpyCodec.from_configuration(configuration), spec_of(SMOOTH)
    encoded = bytes(codec.encode(SMOOTH, spec))
    parameters = {name: value for name, value in configuration.items() if name != "mode"}
    assert encoded == zfpy.compress_numpy(SMOOTH, write_header=True, **parameters)
    assert np.array_equal(ZFPY(**configuration).decode(encoded), codec.decode(encoded, spec))
    assert len(encoded) <= codec.max_encoded_nbytes(spec)
    assert codec.configuration(spec) == configuration
    assert np.allclose(codec.decode(encoded, spec), SMOOTH, atol=0.05)


def test_the_header_decides_the_mode() -> None:
    spec = spec_of(SMOOTH)
    reversible = ZfpyCodec.from_configuration({"mode": 5})
    for configuration in MODES:
        written = ZfpyCodec.from_configuration(configuration)
        encoded = bytes(written.encode(SMOOTH, spec))
        assert np.array_equal(reversible.decode(encoded, spec), written.decode(encoded, spec))


def test_a_flattened_chunk_has_the_shape_of_the_array() -> None:
    codec = ZfpyCodec.from_configuration({"mode": 5})
    flat = SMOOTH.reshape(-1)
    decoded = codec.decode(bytes(codec.encode(flat, spec_of(flat))), spec_of(SMOOTH))
    assert np.array_equal(decoded, SMOOTH)


def test_an_array_without_elements_needs_no_bytes() -> None:
    codec, empty = ZfpyCodec.from_configuration({"mode": 5}), np.empty((0, 3), "<f4")
    assert codec.encode(empty, spec_of(empty)) == b""
    assert codec.decode(b"", spec_of(empty)).shape == (0, 3)


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ({}, {"mode": 4, "tolerance": -1}),
        ({"mode": 2, "rate": -1, "precision": -1, "tolerance": -1}, {"mode": 2, "rate": -1}),
        ({"mode": 3, "precision": 19.0}, {"mode": 3, "precision": 19}),
        ({"mode": 5, "tolerance": 0.5, "compression_kwargs": {}}, {"mode": 5}),
    ],
)
def test_parameters_that_do_not_matter_are_left_out(
    configuration: dict[str, Any], expected: dict[str, Any]
) -> None:
    codec = ZfpyCodec.from_configuration(configuration)
    assert codec.configuration(spec_of(SMOOTH)) == expected


@pytest.mark.parametrize(
    "configuration",
    [
        {"mode": 1},
        {"mode": 6},
        {"mode": "5"},
        {"mode": 3, "precision": 1.5},
        {"mode": 2, "rate": 4097},
        {"mode": 4, "tolerance": "0.1"},
        {"mode": 4, "tolerance": 10**400},
        {"mode": 5, "surprise": 1},
    ],
    ids=lambda configuration: str(configuration)[:40],
)
def test_invalid_configurations_are_refused(configuration: dict[str, Any]) -> None:
    with pytest.raises(MetadataError):
        ZfpyCodec.from_configuration(configuration)


def test_a_precision_beyond_the_library_is_an_error_of_the_codec() -> None:
    codec = ZfpyCodec.from_configuration({"mode": 3, "precision": 10**30})
    with pytest.raises(CodecError, match="too large"):
        codec.encode(SMOOTH, spec_of(SMOOTH))


@pytest.mark.parametrize(
    "other", [SMOOTH[:8], SMOOTH.astype("<f4"), np.arange(9 * 13).reshape(9, 13)], ids=["shape", "f4", "i8"]
)
def test_a_chunk_of_another_size_or_type_is_refused(other: AnyArray) -> None:
    codec = ZfpyCodec.from_configuration({"mode": 5})
    with pytest.raises(CodecError, match="expected 117 elements of float64, found"):
        codec.decode(bytes(codec.encode(other, spec_of(other))), spec_of(SMOOTH))


@pytest.mark.parametrize("broken", [b"", b"zfp", b"garbage garbage garbage garbage!"])
def test_bytes_without_a_header_are_refused(broken: bytes) -> None:
    with pytest.raises(CodecError):
        ZfpyCodec.from_configuration({"mode": 5}).decode(broken, spec_of(SMOOTH))
