"""Zarr v2 with codecs of imagecodecs, written by zarr-python, and copied to formats that zarr-python reads."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import imagecodecs.numcodecs
import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.core.codecs.registered_imagecodecs import HAS_B2ND, HAS_VERSION_3, register
from zarrcore.formats import format_named
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores import LocalStore
from zarrcore.typing import AnyArray

SHAPE, CHUNKS = (10, 12), (5, 6)


@pytest.fixture(autouse=True)
def registered() -> None:
    """Let zarr-python decode these codecs."""
    register()


def _source(path: Path, dtype: str, compressor: Any, filters: Any) -> AnyArray:
    values = (np.arange(120) % 100).astype(dtype).reshape(SHAPE)
    options: dict[str, Any] = {"zarr_format": 2, "compressors": compressor, "filters": filters}
    array = zarr.create_array(path, shape=SHAPE, chunks=CHUNKS, dtype=dtype, **options)
    array[...] = values
    return values


def _told(dtype: str, axis: int = -1) -> dict[str, Any]:
    return {"shape": CHUNKS, "dtype": dtype, "axis": axis}


CASES: dict[str, tuple[str, Any, list[Any]]] = {
    "lzw": ("<u2", imagecodecs.numcodecs.Lzw(), []),
    "delta": ("<i4", imagecodecs.numcodecs.Packbits(), [imagecodecs.numcodecs.Delta(**_told("<i4"))]),
    "delta, big-endian": (
        ">u2",
        imagecodecs.numcodecs.Zstd(),
        [imagecodecs.numcodecs.Delta(**_told(">u2", 0))],
    ),
    "floatpred": ("<f4", imagecodecs.numcodecs.Zlib(), [imagecodecs.numcodecs.Floatpred(**_told("<f4"))]),
    "floatpred, big-endian": (">f8", None, [imagecodecs.numcodecs.Floatpred(**_told(">f8"))]),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("to", ["v2", "v3", "n5"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning")
def test_arrays_are_read_and_copied(tmp_path: Path, name: str, to: str) -> None:
    dtype, compressor, filters = CASES[name]
    values = _source(tmp_path / "x", dtype, compressor, filters)
    source = zc.open_hierarchy(tmp_path / "x")
    assert np.array_equal(source["/"][...], values)
    assert source["/"].dtype == np.dtype(dtype).newbyteorder("<")
    execute(plan_copy(source, to=format_named(to)), source, LocalStore(tmp_path / "y", create=True))
    assert np.array_equal(zc.open_hierarchy(tmp_path / "y")["/"][...], values)
    if to == "n5" or (to == "v3" and not HAS_VERSION_3):
        return  # zarr-python does not read it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.array_equal(zarr.open_array(tmp_path / "y", mode="r")[...], values)
    if to == "v2":
        one, other = (json.loads((tmp_path / file / ".zarray").read_text()) for file in ("x", "y"))
        ids = [
            [codec["id"] for codec in [*(each["filters"] or []), each["compressor"]] if codec]
            for each in (one, other)
        ]
        assert ids[0] == ids[1]
        assert (tmp_path / "x/0.1").read_bytes() == (tmp_path / "y/0.1").read_bytes()


def test_images_are_copied_with_another_codec(tmp_path: Path) -> None:
    values = _source(tmp_path / "x", "|u1", imagecodecs.numcodecs.Png(), [])
    source = zc.open_hierarchy(tmp_path / "x")
    assert np.array_equal(source["/"][...], values)
    execute(plan_copy(source, to=format_named("v2")), source, LocalStore(tmp_path / "y", create=True))
    copied = zarr.open_array(tmp_path / "y", mode="r")
    assert np.array_equal(copied[...], values)
    assert json.loads((tmp_path / "y/.zarray").read_text())["compressor"]["id"] == "zstd"


def test_differences_in_reversed_order_are_read_as_numcodecs_reads_them(tmp_path: Path) -> None:
    _source(tmp_path / "x", "<u2", None, [])
    document = json.loads((tmp_path / "x/.zarray").read_text())
    delta = {"id": "imagecodecs_delta", "shape": [6, 5], "dtype": "<u2", "axis": -1, "dist": 1}
    (tmp_path / "x/.zarray").write_text(json.dumps({**document, "order": "F", "filters": [delta]}))
    expected = zarr.open_array(tmp_path / "x", mode="r")[...]
    assert np.array_equal(zc.open_hierarchy(tmp_path / "x")["/"][...], expected)


@pytest.mark.parametrize("told", [{"shape": [60], "dtype": "|u1"}, {"shape": [5, 6], "dtype": "<u2"}])
def test_differences_after_another_filter(tmp_path: Path, told: dict[str, Any]) -> None:
    _source(tmp_path / "x", "<u2", None, [])
    document = json.loads((tmp_path / "x/.zarray").read_text())
    filters = [{"id": "delta", "dtype": "<u2"}, {"id": "imagecodecs_delta", "axis": -1, "dist": 1, **told}]
    (tmp_path / "x/.zarray").write_text(json.dumps({**document, "filters": filters}))
    expected = zarr.open_array(tmp_path / "x", mode="r")[...]
    source = zc.open_hierarchy(tmp_path / "x")
    assert np.array_equal(source["/"][...], expected)
    execute(plan_copy(source, to=format_named("v2")), source, LocalStore(tmp_path / "y", create=True))
    assert np.array_equal(zarr.open_array(tmp_path / "y", mode="r")[...], expected)


@pytest.mark.parametrize("to", ["v2", "v3"])
@pytest.mark.parametrize(
    "codec",
    [
        imagecodecs.numcodecs.Bitshuffle(itemsize=4),
        *([imagecodecs.numcodecs.B2nd()] if HAS_B2ND else []),
    ],
    ids=str,
)
def test_codecs_of_bytes_that_are_codecs_of_arrays_in_version_3(tmp_path: Path, codec: Any, to: str) -> None:
    values = (np.arange(120) % 100).astype("<i4").reshape(SHAPE)
    array = zarr.create_array(
        tmp_path / "x", shape=SHAPE, chunks=CHUNKS, dtype="<i4", zarr_format=2, compressors=codec, filters=[]
    )
    array[...] = (
        values  # zarr-python itself does not read back what bitshuffle makes of more than single bytes
    )
    source = zc.open_hierarchy(tmp_path / "x")
    assert np.array_equal(source["/"][...], values)
    execute(plan_copy(source, to=format_named(to)), source, LocalStore(tmp_path / "y", create=True))
    assert np.array_equal(zc.open_hierarchy(tmp_path / "y")["/"][...], values)
    kept = to == "v2" and codec.codec_id == "imagecodecs_bitshuffle"
    told = (tmp_path / "y" / (".zarray" if to == "v2" else "zarr.json")).read_text()
    assert (codec.codec_id in told, "zstd" in told) == (kept, not kept)


def test_a_bitshuffle_without_an_item_size_is_one_of_bytes(tmp_path: Path) -> None:
    _source(tmp_path / "x", "<u2", imagecodecs.numcodecs.Bitshuffle(), [])
    document = json.loads((tmp_path / "x/.zarray").read_text())
    del document["compressor"]["itemsize"]
    (tmp_path / "x/.zarray").write_text(json.dumps(document))
    expected = zarr.open_array(tmp_path / "x", mode="r")[...]
    assert np.array_equal(zc.open_hierarchy(tmp_path / "x")["/"][...], expected)


def test_a_bitshuffle_of_arrays_becomes_one_of_bytes(tmp_path: Path) -> None:
    values = (np.arange(120) % 100).astype("u1").reshape(SHAPE)
    zc.create(tmp_path / "x").create_array(
        "/", shape=SHAPE, chunks=CHUNKS, dtype="u1", codecs=[{"name": "imagecodecs_bitshuffle"}]
    )[...] = values
    source = zc.open_hierarchy(tmp_path / "x")
    for name in ("x", "v2", "v3"):
        if name != "x":
            execute(
                plan_copy(source, to=format_named(name)), source, LocalStore(tmp_path / name, create=True)
            )
        told = (tmp_path / name / (".zarray" if name == "v2" else "zarr.json")).read_text()
        assert "imagecodecs_bitshuffle" in told
        if name == "v2" or HAS_VERSION_3:
            assert np.array_equal(zarr.open_array(tmp_path / name, mode="r")[...], values)
