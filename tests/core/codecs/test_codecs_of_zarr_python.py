"""Each codec that zarr-python registers, in both directions: it reads our chunks, and we read its chunks, bit for bit."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
import zarr.codecs
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.campaigns import one_of_each
from tests.core.codecs.cases import ANY, CASES, LITTLE, Case
from tests.hierarchies import values
from tests.zarr_python import PIPELINE_OF_ZARRS, PIPELINES, configured, has_codec, use_pipeline
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.typing import AnyArray

Array = AnyArray

ARITHMETIC = [
    Case("scale_offset", {"offset": -5, "scale": 3}, ("<i2", "<i8"), finite=True, after=(LITTLE,)),
    Case("scale_offset", {"offset": 1.5, "scale": 4}, ("<f2", "<f8"), finite=True, after=(LITTLE,)),
    Case("cast_value", {"data_type": "int16"}, ("<f8", "<u4"), finite=True, after=(LITTLE,)),
    Case(
        "scale_offset",
        {"offset": -2, "scale": 10},
        ("<f4",),
        finite=True,
        after=(NamedConfiguration("cast_value", {"data_type": "uint16", "rounding": "nearest-away"}), LITTLE),
    ),
]
NOT_OF_ZARR_PYTHON = {"zfp", "packbits", "n5_default", "conditional", "numcodecs.zfpy"} | {
    case.name for case in CASES if case.name.startswith("imagecodecs_")
}
"""Codecs that it does not have itself; numcodecs.zfpy takes other parameters than these, as test_zfp says."""

IN_VERSION_2 = {case.name for case in CASES if case.name.startswith("numcodecs.")} | {"gzip", "zstd", "blosc"}


def kind_of(case: Case) -> tuple[object, ...]:
    """What cases share that differ in the values of their parameters only; tests of our codecs alone have them all."""
    return case.name, repr(case.dtypes), case.shapes, frozenset(case.configuration)


def taken(case: Case) -> list[np.dtype[Any]]:
    """Some of the types that a case names; other tests have all types without codecs."""
    codes = ("<f4", "|b1", "<M8[ns]") if case.dtypes is ANY else case.dtypes
    if case.name == "numcodecs.pcodec":
        codes = tuple(code for code in codes if np.dtype(code).kind in "iuf")  # numcodecs refuses the others
    return [np.dtype(code) for code in codes]


def is_lost(case: Case) -> bool:
    """Whether zarr-python takes numbers that numcodecs has cast for those of the array, and cannot read its own chunks."""
    casts = case.configuration.get("astype") is not None
    return casts and (case.name == "numcodecs.quantize" or case.configuration["dtype"] == ">u4")


BOTH = [
    case
    for case in [*CASES, *ARITHMETIC]
    if not (case.unwritten or case.name in NOT_OF_ZARR_PYTHON or is_lost(case))
]
BOTH_IN_VERSION_2 = [
    case
    for case in BOTH
    if case.name in IN_VERSION_2 and case.name != "numcodecs.astype" and "typesize" not in case.configuration
]


def lacking(codecs: Any) -> set[str]:
    """Of these codecs, and those inside them, the ones that zarr-python does not have."""
    found: set[str] = set()
    for codec in codecs:
        document = codec.document() if isinstance(codec, NamedConfiguration) else codec
        name, configuration = (
            (document, {})
            if isinstance(document, str)
            else (document["name"], document.get("configuration", {}))
        )
        if not has_codec(name) or (
            name == "cast_value" and importlib.util.find_spec("cast_value_rs") is None
        ):
            found.add(name)
        found |= lacking(configuration.get("codecs", ()))
    return found


def sample(case: Case, dtype: np.dtype[Any], shape: tuple[int, ...], seed: int) -> Array:
    if case.finite:
        return np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)
    return values(dtype, shape, seed)


def reads_its_own(path: Path, zarr_format: int, first: Array, is_exact: bool) -> bool:
    """Whether the peer can read its own chunks of this array. Where it cannot, it says nothing about ours."""
    copy = path.with_name("probe")
    shutil.copytree(path, copy)
    with suppress(Exception):
        theirs = zarr.open_array(copy, zarr_format=zarr_format)
        theirs[...] = first
        found = np.asarray(theirs[...], first.dtype)
        return not is_exact or found.tobytes() == first.tobytes()
    return False


def exchange(path: Path, zarr_format: int, case: Case, dtype: np.dtype[Any]) -> None:
    """Write with ours and read with zarr-python, then the other way round, the same array."""
    chunk = case.shapes[-1]
    shape = (*chunk[:-1], *(2 * length - 1 for length in chunk[-1:]))  # a whole chunk and one beyond the end
    first, second = (sample(case, dtype, shape, seed) for seed in (1, 2))
    ours = zarrcore.create(path, format=f"v{zarr_format}").create_array(
        "a", shape=shape, dtype=dtype, chunks=chunk, codecs=case.codecs
    )
    is_oracle = reads_its_own(path / "a", zarr_format, first, case.exact)
    ours[...] = first
    if not is_oracle:
        found = zarrcore.open_hierarchy(path)["a"][...]
        assert not case.exact or found.tobytes() == first.tobytes()
        return
    theirs = zarr.open_array(path / "a", zarr_format=zarr_format)
    read = zarrcore.open_hierarchy(path)["a"][...]
    assert np.asarray(theirs[...], dtype).tobytes() == read.tobytes(), dtype
    if case.exact:
        assert read.tobytes() == first.tobytes()
    theirs[...] = second
    assert zarrcore.open_hierarchy(path)["a"][...].tobytes() == np.asarray(theirs[...], dtype).tobytes(), (
        dtype
    )


@pytest.mark.sampled
@pytest.mark.parametrize("case", one_of_each(BOTH, kind_of), ids=str)
@pytest.mark.parametrize("pipeline", [*PIPELINES, PIPELINE_OF_ZARRS])
def test_both_read_what_the_other_wrote(pipeline: str, case: Case, tmp_path: Path) -> None:
    if missing := lacking(case.codecs):
        pytest.skip(f"zarr-python without the codec {', '.join(sorted(missing))}")
    with use_pipeline(pipeline):
        for number, dtype in enumerate(taken(case)):
            exchange(tmp_path / str(number), 3, case, dtype)


@pytest.mark.parametrize("case", one_of_each(BOTH_IN_VERSION_2, kind_of), ids=str)
def test_both_read_what_the_other_wrote_in_version_2(case: Case, tmp_path: Path) -> None:
    with configured():
        for number, dtype in enumerate(taken(case)):
            exchange(tmp_path / str(number), 2, case, dtype)


def its_codec(name: str, **configuration: Any) -> Any:
    """A codec of zarr-python."""
    return zarr.registry.get_codec_class(name)(**configuration)


OF_ITS_OWN: dict[str, Callable[[], dict[str, Any]]] = {
    "defaults": dict,
    "blosc": lambda: {"compressors": zarr.codecs.BloscCodec()},
    "blosc, lz4": lambda: {"compressors": zarr.codecs.BloscCodec(cname="lz4", clevel=1, blocksize=256)},
    "blosc, bits": lambda: {"compressors": zarr.codecs.BloscCodec(shuffle="bitshuffle")},
    "blosc, types": lambda: {
        "compressors": zarr.codecs.BloscCodec(cname="zlib", typesize=3, shuffle="shuffle")
    },
    "gzip": lambda: {"compressors": zarr.codecs.GzipCodec()},
    "zstd": lambda: {"compressors": zarr.codecs.ZstdCodec()},
    "zstd, checksum": lambda: {"compressors": zarr.codecs.ZstdCodec(level=-7, checksum=True)},
    "crc32c": lambda: {"compressors": zarr.codecs.Crc32cCodec()},
    "big": lambda: {"serializer": zarr.codecs.BytesCodec(endian="big")},
    "transpose": lambda: {"filters": zarr.codecs.TransposeCodec(order=(1, 0))},
    "shards": lambda: {"chunks": (3, 2), "shards": (6, 4)},
    "shards, index first": lambda: {
        "chunks": (6, 4),
        "serializer": zarr.codecs.ShardingCodec(chunk_shape=(3, 4), index_location="start"),
    },
    "shards, transposed": lambda: {
        "chunks": (3, 2),
        "shards": (6, 4),
        "filters": zarr.codecs.TransposeCodec(order=(1, 0)),
    },
    **{
        f"numcodecs.{name}": (lambda name=name: {"compressors": its_codec(f"numcodecs.{name}")})
        for name in (
            *("blosc", "lz4", "zstd", "zlib", "gzip", "bz2", "lzma", "shuffle"),
            *("crc32", "crc32c", "adler32", "fletcher32", "jenkins_lookup3"),
        )
    },
}
"""Codecs with the parameters that zarr-python gives them itself."""


@pytest.mark.sampled(40)
@pytest.mark.parametrize("dtype", ["|u1", ">f8", "<c8", "|S5", "<M8[ns]"])
@pytest.mark.parametrize("name", OF_ITS_OWN)
@pytest.mark.parametrize("pipeline", [*PIPELINES, PIPELINE_OF_ZARRS])
def test_arrays_that_zarr_python_configures_are_read_and_changed(
    pipeline: str, name: str, dtype: str, tmp_path: Path
) -> None:
    with use_pipeline(pipeline):
        options = {"shape": (11, 7), "chunks": (6, 4), "dtype": np.dtype(dtype), **OF_ITS_OWN[name]()}
        first, second = (values(dtype, (11, 7), seed) for seed in (1, 2))
        theirs = zarr.create_array(tmp_path / "a", zarr_format=3, **options)
        theirs[...] = first
        read_back = np.asarray(zarr.open_array(tmp_path / "a", mode="r")[...], dtype)
        is_oracle = read_back.tobytes() == first.tobytes()  # zarrs 0.2 swaps parts of complex numbers
        ours = zarrcore.open_hierarchy(tmp_path / "a", mode="r+")["/"]
        assert ours[...].tobytes() == np.ascontiguousarray(first).astype(ours.dtype).tobytes()
        ours[2:9, 1:] = second[2:9, 1:]
        first[2:9, 1:] = second[2:9, 1:]
        assert (
            zarrcore.open_hierarchy(tmp_path / "a")["/"][...].tobytes() == first.astype(ours.dtype).tobytes()
        )
        if is_oracle:
            changed = zarr.open_array(tmp_path / "a", mode="r")[...]
            assert np.asarray(changed, dtype).tobytes() == first.tobytes()


FILTERS: dict[str, tuple[str, dict[str, Any]]] = {
    "numcodecs.delta": ("<i4", {"dtype": "<i4"}),
    "numcodecs.fixedscaleoffset": ("<f8", {"offset": 3, "scale": 2, "dtype": "<f8", "astype": "<i4"}),
    "numcodecs.quantize": ("<f4", {"digits": 1, "dtype": "<f4"}),
    "numcodecs.bitround": ("<f4", {"keepbits": 4}),
    "numcodecs.astype": ("<f8", {"encode_dtype": "<f4", "decode_dtype": "<f8"}),
    "numcodecs.packbits": ("|b1", {}),
}


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_filters_that_zarr_python_configures_are_read_and_changed(
    pipeline: str, name: str, tmp_path: Path
) -> None:
    dtype, configuration = FILTERS[name]
    numbers = np.random.default_rng(1).integers(0, 90, (2, 11, 7)) / (3 if dtype[1] == "f" else 1)
    with use_pipeline(pipeline):
        options = {"shape": (11, 7), "chunks": (6, 4), "dtype": dtype, "zarr_format": 3}
        theirs = zarr.create_array(tmp_path / "a", filters=its_codec(name, **configuration), **options)
        theirs[...] = numbers[0].astype(dtype)
        ours = zarrcore.open_hierarchy(tmp_path / "a", mode="r+")["/"]
        assert ours[...].tobytes() == np.asarray(theirs[...]).tobytes()
        assert np.allclose(ours[...], numbers[0].astype(dtype), atol=2)
        ours[2:9, 1:] = numbers[1, 2:9, 1:].astype(dtype)
        found = np.asarray(zarr.open_array(tmp_path / "a", mode="r")[...])
        assert found.tobytes() == ours[...].tobytes()
        assert np.allclose(found[2:9, 1:], numbers[1, 2:9, 1:].astype(dtype), atol=2)


INTEGERS = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
REAL = (*INTEGERS, "float16", "float32", "float64")
ROUNDINGS = ("nearest-even", "nearest-away", "towards-zero", "towards-positive", "towards-negative")


def numbers(name: str) -> st.SearchStrategy[Array]:
    """Six numbers of a type, small and large, halves and the ends of the ranges of other types."""
    dtype = np.dtype(name)
    if dtype.kind == "f":
        halves = st.integers(-600, 600).map(lambda number: number / 2)
        ends = st.sampled_from(
            [float(2**bits + delta) for bits in (7, 8, 15, 16, 31, 32, 52, 63, 64) for delta in (-1, 0, 1)]
        )
        number: st.SearchStrategy[Any] = (
            halves | ends | ends.map(float.__neg__) | st.floats(width=8 * dtype.itemsize)
        )
    else:
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        number = st.integers(low, high) | st.integers(max(low, -300), min(high, 300))

    def array(found: list[Any]) -> Array:
        with np.errstate(all="ignore"):
            return np.array(found, object).astype(dtype)

    return st.lists(number, min_size=6, max_size=6).map(array)


def outcome(act: Callable[[], Any]) -> bytes | None:
    """The bytes of the result, or None for an error."""
    try:
        found = act()
    except (ArithmeticError, CodecError, MetadataError, TypeError, ValueError):
        return None
    return found if isinstance(found, bytes) else np.ascontiguousarray(found).tobytes()


def compare(
    name: str, configuration: dict[str, Any], source: str, target: str, array: Array, stored: Array
) -> None:
    """Encode ``array`` and decode ``stored`` with both: the same bytes, or an error with both."""
    if missing := lacking([{"name": name, "configuration": configuration}]):
        pytest.skip(f"zarr-python without the codec {', '.join(sorted(missing))}")
    codec = zarr.registry.get_codec_class(name).from_dict({"name": name, "configuration": configuration})
    spec = ArraySpec(array.shape, parse_data_type(source).dtype, np.zeros((), source))
    ours = Pipeline([NamedConfiguration(name, configuration), LITTLE], spec)
    store = zarr.storage.MemoryStore()
    theirs = zarr.create_array(
        store, shape=array.shape, chunks=array.shape, dtype=source, filters=codec, compressors=None, fill_value=0,
        serializer=zarr.codecs.BytesCodec(endian=None if target.endswith("int8") else "little"),
        config={"write_empty_chunks": True},
    )  # fmt: skip

    def written() -> bytes:
        theirs[...] = array
        return bytes(store._store_dict["c/0"].to_bytes())

    def read() -> Any:
        store._store_dict["c/0"] = zarr.core.buffer.default_buffer_prototype().buffer.from_bytes(
            stored.tobytes()
        )
        return theirs[...]

    assert outcome(lambda: bytes(ours.encode(array))) == outcome(written)
    assert outcome(lambda: ours.decode(stored.tobytes())) == outcome(read)


@settings(max_examples=200)
@given(data=st.data())
def test_numbers_are_cast_as_zarr_python_casts_them(data: st.DataObject) -> None:
    source, target = data.draw(st.sampled_from(REAL)), data.draw(st.sampled_from(REAL))
    configuration: dict[str, Any] = {"data_type": target, "rounding": data.draw(st.sampled_from(ROUNDINGS))}
    allowed = ["clamp", "wrap"] if "int" in target else ["clamp"]
    if out_of_range := data.draw(st.sampled_from([None, *allowed])):
        configuration["out_of_range"] = out_of_range
    if data.draw(st.booleans()):
        configuration["scalar_map"] = {
            "encode": [["NaN" if source.startswith("float") else 7, 9]],
            "decode": [[9, 3]],
        }
    with configured():
        compare(
            "cast_value",
            configuration,
            source,
            target,
            data.draw(numbers(source)),
            data.draw(numbers(target)),
        )


@settings(max_examples=200)
@given(data=st.data())
def test_numbers_are_scaled_as_zarr_python_scales_them(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(REAL))
    small = st.integers(-4 if not name.startswith("uint") else 0, 4)
    configuration = {"offset": 0, "scale": data.draw(small.filter(bool))}
    configuration["offset"] = data.draw(
        small.filter(lambda offset: not name.startswith("uint") or offset == 0)
    )
    array, stored = (data.draw(numbers(name).filter(is_safe)) for _ in range(2))
    with configured():
        compare("scale_offset", configuration, name, name, array, stored)


def is_safe(array: Array) -> bool:
    """Whether zarr-python reports values that are lost, as the registry demands of all readers and as ours does.

    It makes an infinity of a product beyond the largest floating-point number, lets integers of 64 bits wrap around, and
    checks only the last of two integer results.
    """
    dtype = array.dtype
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            return not (np.isinf(array * dtype.type(32)) & np.isfinite(array)).any()
    largest = int(np.iinfo(dtype).max) // (8 if dtype.itemsize == 8 else 1)
    return all(abs(int(number)) <= largest - 8 for number in array)
