"""Parts of chunks: decoding less than all of a chunk gives the same elements, and sees damage in what it decodes."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.codecs.cases import LITTLE
from zarrcore.codecs import ArraySpec, BytesToBytesCodec, Pipeline
from zarrcore.codecs.bytes_to_bytes.blosc import BloscCodec
from zarrcore.codecs.bytes_to_bytes.zstd import ZstdCodec
from zarrcore.codecs.region import outer_region
from zarrcore.errors import CodecError
from zarrcore.metadata import NamedConfiguration

SHAPE = (64, 31, 17)
ELEMENTS = np.cumsum(np.random.default_rng(3).integers(-9, 9, SHAPE), axis=2)


def blosc(**parameters: Any) -> tuple[NamedConfiguration, ...]:
    return (
        LITTLE,
        NamedConfiguration("blosc", {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", **parameters}),
    )


CHAINS = {
    "zstd": (LITTLE, NamedConfiguration("zstd", {"level": 3, "checksum": True})),
    "zstd, crc32c": (LITTLE, NamedConfiguration("zstd", {"level": -5}), NamedConfiguration("crc32c")),
    "shuffle, zstd": (
        LITTLE,
        NamedConfiguration("numcodecs.shuffle", {"elementsize": 8}),
        NamedConfiguration("zstd"),
    ),
    "blosc": blosc(blocksize=4096),
    "blosc, one block": blosc(blocksize=1 << 20),
    "blosc, bits": blosc(shuffle="bitshuffle", blocksize=4096, cname="zstd"),
    "blosc, bytes": blosc(shuffle="noshuffle", blocksize=5000, typesize=3, cname="blosclz"),
    "blosc, stored": blosc(clevel=0, blocksize=4096),
    "gzip": (LITTLE, NamedConfiguration("gzip", {"level": 1})),
}


@functools.cache
def encoded(chain: str, dtype: str) -> tuple[Pipeline, np.ndarray, bytes]:
    spec = ArraySpec(SHAPE, np.dtype(dtype), np.zeros((), dtype))
    pipeline, elements = Pipeline(CHAINS[chain], spec), ELEMENTS.astype(dtype)
    return pipeline, elements, bytes(pipeline.encode(elements))


@st.composite
def regions(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from(["box", "outer", "points"]))
    if kind == "points":
        count = draw(st.integers(1, 20))
        return tuple(
            np.array(draw(st.lists(st.integers(0, length - 1), min_size=count, max_size=count)), np.intp)
            for length in SHAPE
        )
    parts: list[Any] = []
    for length in SHAPE:
        start = draw(st.integers(0, length - 1))
        stop = draw(st.integers(start + 1, length))
        parts.append(slice(start, stop, draw(st.integers(1, 5))))
        if kind == "outer" and draw(st.booleans()):
            parts[-1] = np.unique(draw(st.lists(st.integers(0, length - 1), min_size=1, max_size=5))).astype(
                np.intp
            )
    return outer_region(parts)


@given(st.sampled_from(sorted(CHAINS)), st.sampled_from(["<i8", ">f4", "u1"]), regions())
def test_a_part_has_the_elements_of_the_whole(chain: str, dtype: str, region: Any) -> None:
    pipeline, elements, stored = encoded(chain, dtype)
    expected = elements[region]
    found = np.empty(expected.shape, pipeline.spec.dtype)
    pipeline.decode_into(stored, found, region)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("codec", [ZstdCodec, BloscCodec])
def test_less_than_all_is_decoded(codec: type[BytesToBytesCodec]) -> None:
    chain = "zstd" if codec is ZstdCodec else "blosc"
    pipeline, elements, stored = encoded(chain, "<i8")
    (named,) = CHAINS[chain][1:]
    decode = codec.from_configuration(named.configuration).for_array(pipeline.spec)
    plane, nbytes = elements[0].nbytes, elements.nbytes
    for first, last, is_part in ((3, 5, True), (0, 1, codec is BloscCodec), (0, 64, False)):
        out = memoryview(bytearray(b"\xaa" * nbytes))
        assert decode.decode_part(stored, first * plane, last * plane, out) is is_part
        if is_part:
            assert out[first * plane : last * plane] == elements[first:last].tobytes()
            assert out[-plane:] == b"\xaa" * plane


@pytest.mark.parametrize("chain", ["zstd", "blosc", "zstd, crc32c"])
def test_damage_is_seen_where_it_is_decoded(chain: str) -> None:
    pipeline, elements, stored = encoded(chain, "<i8")
    cut = stored[: len(stored) // 2]
    broken = bytearray(stored)
    broken[-(len(stored) // 3) :] = bytes(len(stored) // 3)
    with pytest.raises(CodecError):
        pipeline.decode_into(cut, np.empty(SHAPE, "<i8")[-1:], (slice(63, 64), slice(None), slice(None)))
    first = np.empty((2, *SHAPE[1:]), "<i8")
    region = (slice(3, 5), slice(None), slice(None))
    if "crc32c" in chain:
        with pytest.raises(CodecError, match="crc32c"):
            pipeline.decode_into(broken, first, region)
        return
    pipeline.decode_into(broken, first, region)  # whole reads and `check` see it
    assert np.array_equal(first, elements[3:5])
    with pytest.raises(CodecError):
        pipeline.decode(broken)


@given(st.sampled_from(["zstd", "blosc", "blosc, bits", "blosc, bytes", "blosc, stored"]), st.data())
def test_damaged_bytes_give_elements_or_an_error(chain: str, data: st.DataObject) -> None:
    pipeline, _, stored = encoded(chain, "<i8")
    broken = bytearray(stored)
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.one_of(st.integers(0, 200), st.integers(0, len(broken) - 1)))
        broken[min(position, len(broken) - 1)] = data.draw(st.integers(0, 255))
    region = data.draw(regions())
    found = np.empty(ELEMENTS[region].shape, pipeline.spec.dtype)
    with contextlib.suppress(CodecError):
        pipeline.decode_into(broken, found, region)
