"""What the engine is told of a chain of codecs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.codecs.bytes_to_bytes.zstd import ZstdCodec
from zarrcore.codecs.native_form import NativeForm
from zarrcore.metadata import NamedConfiguration


def form(
    dtype: Any, *codecs: str | NamedConfiguration, shape: tuple[int, ...] = (2, 3, 5)
) -> NativeForm | None:
    """The form of a chunk."""
    kind = np.dtype(dtype)
    named = [NamedConfiguration(codec) if isinstance(codec, str) else codec for codec in codecs]
    return Pipeline(named, ArraySpec(shape, kind, np.zeros((), kind))).native_form()


BIG = NamedConfiguration("bytes", {"endian": "big"})
TURNED = NamedConfiguration("transpose", {"order": [2, 0, 1]})
TURNED_AGAIN = NamedConfiguration("transpose", {"order": [1, 0, 2]})


def strides(*orders: tuple[int, ...]) -> tuple[int, ...]:
    """NumPy's strides of a chunk of int32 that was encoded with these orders."""
    array = np.zeros((2, 3, 5), "i4")
    for order in orders:
        array = array.transpose(order)
    stored = np.ascontiguousarray(array)
    for order in reversed(orders):
        stored = stored.transpose(np.argsort(order))
    return stored.strides


def test_strides_are_those_of_the_bytes() -> None:
    plain, turned, twice = (
        form("<i4", *codecs, "bytes") for codecs in ([], [TURNED], [TURNED, TURNED_AGAIN])
    )
    assert plain is not None
    assert turned is not None
    assert twice is not None
    assert plain.strides == strides() == (60, 20, 4)
    assert turned.strides == strides((2, 0, 1))
    assert twice.strides == strides((2, 0, 1), (1, 0, 2))


@pytest.mark.parametrize(
    ("dtype", "nbytes"), [("u1", 0), ("<u2", 2), ("<f8", 8), ("<c16", 8), ("<c8", 4), ("<M8[s]", 8), ("?", 0)]
)
def test_numbers_of_the_other_byte_order_are_swapped(dtype: str, nbytes: int) -> None:
    found, plain = form(dtype, BIG), form(dtype, "bytes")
    assert found is not None
    assert found.swap_nbytes == nbytes
    assert plain is not None
    assert plain.swap_nbytes == 0


def test_sizes_are_exact_or_left_open() -> None:
    found = form("<i4", "bytes", "crc32c", "zstd", "crc32c")
    assert found is not None
    assert [codec.decoded_nbytes for codec in found.codecs] == [120, 124, -1]
    assert found.names == {"crc32c", "zstd"}


@pytest.mark.parametrize(
    ("dtype", "codecs"),
    [
        ("<U3", ["bytes"]),
        (np.dtype([("a", "<U3")]), ["bytes"]),
        (np.dtype([("a", "<i2"), ("b", "<f4")]), [BIG]),
        ("<i4", ["packbits"]),
        ("<i4", ["bytes", "numcodecs.lzma"]),
        ("<i4", ["bytes", "zstd", "gzip"]),
        ("<i4", [NamedConfiguration("numcodecs.delta", {"dtype": "<i4"}), "bytes"]),
        ("<i4", ["bytes", NamedConfiguration("numcodecs.shuffle", {"elementsize": 7})]),
    ],
    ids=str,
)
def test_everything_else_is_left_to_python(dtype: Any, codecs: list[Any]) -> None:
    try:
        found = form(dtype, *codecs)
    except Exception as error:  # noqa: BLE001 - a chain that is not valid for this type shows nothing
        pytest.fail(f"{error}")
    assert found is None


def test_chunks_without_dimensions_or_elements_are_left_to_python() -> None:
    assert form("<i4", "bytes", shape=()) is None
    assert form("<i4", "bytes", shape=(0, 3)) is None


def test_what_a_subclass_does_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(ZstdCodec):
        """May decode in another way."""

    monkeypatch.setattr("zarrcore.codecs.pipeline.make_codec", lambda named, _: _made(named, Other))
    assert form("<i4", "bytes", "zstd") is None


def _made(named: NamedConfiguration, kind: type[ZstdCodec]) -> Any:
    from zarrcore.codecs.registry import make_codec

    return kind(0, False) if named.name == "zstd" else make_codec(named, "codecs")
