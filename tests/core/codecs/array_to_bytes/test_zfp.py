"""``zfp`` and ``numcodecs.zfpy`` between us, zarr-python and the library itself."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
import zarr.codecs.numcodecs
import zfpy
from numcodecs.zfpy import ZFPY

import zarrcore as zc
from zarrcore.codecs import ArraySpec, Pipeline, completed
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.formats import format_named
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.fill_value import zero
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores import MemoryStore
from zarrcore.stores.local.store import LocalStore
from zarrcore.typing import AnyArray

SMOOTH = np.add.outer(np.sin(np.arange(9) / 3), np.linspace(-1, 1, 13)).astype("f8")
MODES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"mode": "reversible"}, {}),
    ({"mode": "fixed_accuracy", "tolerance": 0.05}, {"tolerance": 0.05}),
    ({"mode": "fixed_rate", "rate": 10.5}, {"rate": 10.5}),
    ({"mode": "fixed_precision", "precision": 19}, {"precision": 19}),
]
LIMITS = {"minbits": 1, "maxbits": 16658, "maxprec": 64, "minexp": -1074}
EXPERT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({**LIMITS, "minexp": -1075}, {}),
    ({**LIMITS, "minexp": -5}, {"tolerance": 2.0**-5}),
    ({**LIMITS, "minbits": 168, "maxbits": 168}, {"rate": 10.5}),
    ({**LIMITS, "maxprec": 19}, {"precision": 19}),
]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings(action="ignore"):  # zarr-python's, about names that are in no specification
        yield


def pipeline(name: str, configuration: dict[str, Any], dtype: Any, shape: tuple[int, ...]) -> Pipeline:
    kind = np.dtype(dtype)
    return Pipeline([NamedConfiguration(name, configuration)], ArraySpec(shape, kind, zero(kind)))


@pytest.mark.parametrize("dtype", ["<f4", "<f8"])
@pytest.mark.parametrize(
    ("configuration", "parameters"), [*MODES, *(({"mode": "expert", **told}, like) for told, like in EXPERT)]
)
def test_the_bits_are_the_librarys(
    configuration: dict[str, Any], parameters: dict[str, Any], dtype: str
) -> None:
    values = SMOOTH.astype(dtype)
    made = pipeline("zfp", configuration, dtype, values.shape)
    encoded = zfpy.compress_numpy(values, write_header=False, **parameters)
    assert bytes(made.encode(values)) == encoded
    kind = zfpy.dtype_to_ztype(values.dtype)
    assert np.array_equal(made.decode(encoded), zfpy._decompress(encoded, kind, values.shape, **parameters))
    (again,) = completed([NamedConfiguration("zfp", configuration)], made.spec)
    assert (again.name, again.configuration) == ("zfp", configuration)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (4, 5), (3, 4, 5), (2, 3, 4, 5)])
def test_shapes(shape: tuple[int, ...]) -> None:
    values = np.arange(np.prod(shape, dtype=int), dtype="<i4").reshape(shape) * 1000 - 7
    for name, configuration in (("zfp", {"mode": "reversible"}), ("numcodecs.zfpy", {"mode": 5})):
        made = pipeline(name, configuration, "<i4", shape)
        assert np.array_equal(made.decode(made.encode(values)), values)
    encoded = zfpy.compress_numpy(values.reshape(shape or (1,)), write_header=False)
    assert np.array_equal(pipeline("zfp", {"mode": "reversible"}, "<i4", shape).decode(encoded), values)


@pytest.mark.parametrize(
    ("dtype", "promote"),
    [
        ("i1", lambda v: v.astype("i4") << 23),
        ("u1", lambda v: (v.astype("i4") - 128) << 23),
        ("<i2", lambda v: v.astype("i4") << 15),
        ("<u2", lambda v: (v.astype("i4") - 32768) << 15),
        ("<u4", lambda v: v.astype("i4")),
        ("<u8", lambda v: v.astype("i8")),
        ("<f2", lambda v: v.astype("f4")),
        ("<M8[ns]", lambda v: v.view("i8")),
        ("<m8[s]", lambda v: v.view("i8")),
    ],
)
def test_types_that_are_promoted(dtype: str, promote: Any) -> None:
    kind = np.dtype(dtype)
    values = np.arange(-60, 60, dtype="i8").reshape(8, 15)
    values = (values + 60 if kind.kind == "u" else values).astype("i8").astype(kind)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        values[0, :2] = limits.min, min(limits.max, np.iinfo("i4" if kind.itemsize < 8 else "i8").max)
    encoded = zfpy.compress_numpy(promote(values), write_header=False)
    made = pipeline("zfp", {"mode": "reversible"}, kind, values.shape)
    assert bytes(made.encode(values)) == encoded
    assert np.array_equal(made.decode(encoded), values)


def test_integers_beyond_the_signed_range_are_not_written() -> None:
    made = pipeline("zfp", {"mode": "reversible"}, "<u4", (4,))
    with pytest.raises(CodecError, match="4,294,967,295 is beyond the range that zfp stores of uint32"):
        made.encode(np.array([0, 1, 2, 2**32 - 1], "<u4"))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize(
    "parameters",
    [{"mode": 4, "tolerance": 0.01}, {"mode": 2, "rate": 12.25}, {"mode": 3, "precision": 20}, {"mode": 4}],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["<f4", "<f8", "<i4", "<i8"])
def test_zarr_python(tmp_path: Path, zarr_format: Any, parameters: dict[str, Any], dtype: str) -> None:
    if dtype[1] == "i" and "tolerance" in parameters:
        parameters = {"mode": 2, "rate": 31}  # accuracy is told of floating point numbers only
    values = (SMOOTH * {"i4": 2**28, "i8": 2**60}.get(dtype[1:], 1000)).astype(dtype)
    close = values.max() / 100  # what is lost is the same for all integers, however small
    options: dict[str, Any] = {"shape": values.shape, "chunks": (5, 6), "dtype": dtype}
    if zarr_format == 2:
        options |= {"compressors": ZFPY(**parameters), "filters": []}
    else:
        options |= {"serializer": zarr.codecs.numcodecs.ZFPY(**parameters), "compressors": None}
    theirs = zarr.create_array(tmp_path / "x", zarr_format=zarr_format, **options)
    theirs[...] = values
    ours = zc.open_hierarchy(tmp_path / "x", "r+")["/"]
    assert np.array_equal(ours[...], theirs[...])
    ours[...] = values[::-1]
    again = theirs[...]
    assert np.array_equal(ours[...], again)
    assert np.allclose(again, values[::-1], rtol=0, atol=close)
    for to in ("v2", "v3"):
        source = zc.open_hierarchy(tmp_path / "x")
        execute(plan_copy(source, to=format_named(to)), source, LocalStore(tmp_path / to, create=True))
        copied = zarr.open_array(tmp_path / to, mode="r")
        assert np.allclose(copied[...], again, rtol=0, atol=close)
        assert "zfpy" in str(copied.metadata.to_dict())


def test_further_compression_and_filters_in_version_2() -> None:
    values = (SMOOTH * 100).astype("<i4")
    import numcodecs

    encoded = ZFPY(mode=4).encode(numcodecs.Delta("<i4").encode(values))
    document = {
        "zarr_format": 2,
        "shape": values.shape,
        "chunks": values.shape,
        "dtype": "<i4",
        "fill_value": 0,
        "order": "C",
        "filters": [{"id": "delta", "dtype": "<i4"}, ZFPY(mode=4).get_config()],
        "compressor": {"id": "zlib", "level": 3},
    }
    stored = bytes(numcodecs.Zlib(3).encode(encoded))
    store = MemoryStore(values={".zarray": json.dumps(document).encode(), "0.0": stored})
    assert np.array_equal(zc.open_hierarchy(store)["/"][...], values)


@pytest.mark.parametrize("name", ["zfp", "numcodecs.zfpy"])
def test_broken_bytes_give_an_error_or_other_numbers(name: str) -> None:
    configurations = (
        [mode for mode, _ in MODES]
        if name == "zfp"
        else [{"mode": 4, "tolerance": 0.1}, {"mode": 2, "rate": 8}, {"mode": 5}]
    )
    rng = np.random.default_rng(5)
    for configuration in configurations:
        made = pipeline(name, configuration, "<f8", SMOOTH.shape)
        encoded = np.frombuffer(bytes(made.encode(SMOOTH)), np.uint8)
        for _ in range(300):
            broken = encoded[: rng.integers(0, len(encoded) + 1)].copy()
            for place in rng.integers(0, max(1, len(broken)), 4):
                broken[place : place + 1] = rng.integers(0, 256)
            with suppress(CodecError):
                assert made.decode(broken.tobytes()).shape == SMOOTH.shape
        with pytest.raises(CodecError):
            made.decode(b"")
    other = bytes(pipeline("numcodecs.zfpy", {"mode": 5}, "<f4", (3,)).encode(np.ones(3, "<f4")))
    for dtype, shape in (("<f4", (4,)), ("<i4", (3,))):
        with pytest.raises(CodecError, match="expected"):
            pipeline("numcodecs.zfpy", {"mode": 5}, dtype, shape).decode(other)


@pytest.mark.parametrize(
    ("name", "configuration", "dtype", "shape"),
    [
        ("zfp", {}, "<f4", (4,)),
        ("zfp", {"mode": "lossless"}, "<f4", (4,)),
        ("zfp", {"mode": "reversible", "rate": 4}, "<f4", (4,)),
        ("zfp", {"mode": "fixed_rate"}, "<f4", (4,)),
        ("zfp", {"mode": "fixed_rate", "rate": 0}, "<f4", (4,)),
        ("zfp", {"mode": "fixed_rate", "rate": 1e9}, "<f4", (4,)),
        ("zfp", {"mode": "fixed_precision", "precision": 1.5}, "<f4", (4,)),
        ("zfp", {"mode": "fixed_accuracy", "tolerance": -1}, "<f4", (4,)),
        ("zfp", {"mode": "expert", "minbits": 1}, "<f4", (4,)),
        ("zfp", {"mode": "expert", **LIMITS, "minbits": 9, "maxbits": 8}, "<f4", (4,)),
        ("zfp", {"mode": "expert", **LIMITS, "maxprec": 0}, "<f4", (4,)),
        ("zfp", {"mode": "reversible"}, "<c8", (4,)),
        ("zfp", {"mode": "reversible"}, "|b1", (4,)),
        ("zfp", {"mode": "reversible"}, "<f4", (1, 1, 1, 1, 4)),
        ("numcodecs.zfpy", {"mode": 1}, "<f4", (4,)),
        ("numcodecs.zfpy", {"mode": 3, "precision": 1.5}, "<f4", (4,)),
        ("numcodecs.zfpy", {"mode": 2, "rate": 1e9}, "<f4", (4,)),
        ("numcodecs.zfpy", {"mode": 4, "accuracy": 1}, "<f4", (4,)),
    ],
)
def test_invalid_configurations_are_refused(
    name: str, configuration: dict[str, Any], dtype: str, shape: tuple[int, ...]
) -> None:
    with pytest.raises(MetadataError):
        pipeline(name, configuration, dtype, shape)


class _Expert:
    """The library itself, which takes any parameters: its Python side does not."""

    def __init__(self) -> None:
        (place,) = Path(zfpy.__file__).parent.glob("zfpy.libs/libzfp*")
        self._zfp = ctypes.CDLL(str(place))
        for name in ("zfp_stream_open", "stream_open", "zfp_field_alloc"):
            getattr(self._zfp, name).restype = ctypes.c_void_p
        self._zfp.zfp_compress.restype = ctypes.c_size_t

    def __call__(self, values: AnyArray, parameters: dict[str, int]) -> tuple[bytes, AnyArray]:
        """The bits, and what they decode to."""
        void, zfp = ctypes.c_void_p, self._zfp
        buffer = ctypes.create_string_buffer(1 << 16)
        field, bits = void(zfp.zfp_field_alloc()), void(zfp.stream_open(buffer, ctypes.c_size_t(len(buffer))))
        stream = void(zfp.zfp_stream_open(bits))
        zfp.zfp_field_set_pointer(field, values.ctypes.data_as(void))
        zfp.zfp_field_set_type(field, zfpy.dtype_to_ztype(values.dtype))
        getattr(zfp, f"zfp_field_set_size_{values.ndim}d")(field, *map(ctypes.c_size_t, values.shape[::-1]))
        least, most = parameters["minbits"], parameters["maxbits"]
        assert zfp.zfp_stream_set_params(stream, least, most, parameters["maxprec"], parameters["minexp"])
        nbytes = zfp.zfp_compress(stream, field)
        zfp.zfp_stream_rewind(stream)
        decoded = np.empty_like(values)
        zfp.zfp_field_set_pointer(field, decoded.ctypes.data_as(void))
        assert zfp.zfp_decompress(stream, field)
        zfp.zfp_field_free(field)
        zfp.zfp_stream_close(stream)
        zfp.stream_close(bits)
        assert nbytes
        return buffer.raw[:nbytes], decoded


@pytest.mark.sampled(16)
@pytest.mark.parametrize("shape", [(13,), (9, 13), (3, 5, 6), (2, 3, 4, 5)])
@pytest.mark.parametrize("dtype", ["<f4", "<f8", "<i4", "<i8"])
@pytest.mark.parametrize(
    "parameters",
    [
        {"minbits": 1, "maxbits": 300, "maxprec": 19, "minexp": -12},
        {"minbits": 40, "maxbits": 16658, "maxprec": 30, "minexp": -1074},
        {"minbits": 0, "maxbits": 2000, "maxprec": 64, "minexp": -5},
    ],
    ids=str,
)
def test_expert_parameters_are_read(shape: tuple[int, ...], dtype: str, parameters: dict[str, int]) -> None:
    scale = {"i4": 2**28, "i8": 2**60}.get(dtype[1:], 1)
    values = (np.sin(np.arange(np.prod(shape)) / 9).reshape(shape) * scale).astype(dtype)
    encoded, decoded = _Expert()(values, parameters)
    made = pipeline("zfp", {"mode": "expert", **parameters}, dtype, shape)
    assert np.array_equal(made.decode(encoded), decoded)
    with pytest.raises(CodecError):
        made.decode(encoded[:8])
    with pytest.raises(UnsupportedError, match="mode 'expert' is written only if"):
        made.completed()
    with pytest.raises(UnsupportedError, match="mode 'expert' is written only if"):
        made.encode(values)


@pytest.mark.parametrize(("name", "mode"), [("zfp", "reversible"), ("numcodecs.zfpy", 5)])
def test_without_the_package(monkeypatch: pytest.MonkeyPatch, name: str, mode: Any) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda wanted: None)
    with pytest.raises(
        UnsupportedError, match=r"needs an optional dependency: pip install 'zarrscope\[zfp\]'"
    ):
        pipeline(name, {"mode": mode}, "<f4", (4,))


@pytest.mark.parametrize(
    ("codec", "dtype", "least"),
    [
        (NamedConfiguration("zfp", {"mode": "fixed_rate", "rate": 0.5}), "<f4", 0.5625),
        (NamedConfiguration("zfp", {"mode": "fixed_rate", "rate": 0.6}), "<f8", 0.75),
        (NamedConfiguration("zfp", {"mode": "fixed_rate", "rate": 0.001}), "<i4", 0.0625),
        (NamedConfiguration("zfp", {"mode": "expert", **LIMITS, "minbits": 3, "maxbits": 3}), "<f4", 0.5625),
        (NamedConfiguration("numcodecs.zfpy", {"mode": 2, "rate": 0.5}), "<f4", 0.5625),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_rate_with_which_the_library_would_write_past_its_memory(
    codec: NamedConfiguration, dtype: str, least: float
) -> None:
    array = np.arange(24, dtype=dtype).reshape(4, 6)
    pipeline = Pipeline([codec], ArraySpec(array.shape, array.dtype, zero(array.dtype)))
    with pytest.raises(CodecError, match=f"expected a rate of at least {least}"):
        pipeline.encode(array)


def test_an_exponent_past_every_float_is_read_and_not_written() -> None:
    spec = ArraySpec((4, 6), np.dtype("<f4"), zero(np.dtype("<f4")))
    pipeline = Pipeline([NamedConfiguration("zfp", {"mode": "expert", **LIMITS, "minexp": 10**6})], spec)
    assert not pipeline.decode(bytes(8)).any()
    with pytest.raises(
        UnsupportedError, match="is written only if its parameters equal those of another mode"
    ):
        pipeline.encode(np.zeros((4, 6), "<f4"))
