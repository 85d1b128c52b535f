"""The engine reads chunks that are parts of a local file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import hdf5plugin
import numpy as np
import pytest
import tifffile
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.core.array.native.chains import SHAPE, values_of
from tests.core.array.native.test_reads import SELECTIONS, both
from zarrcore.array.native.place_reads import PlaceReads
from zarrcore.array.reader import ChunkReader
from zarrcore.errors import ZarrError
from zarrcore.native import engine

pytestmark = pytest.mark.skipif(engine() is None, reason="the engine is not built")

FILTERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "gzip": {"compression": "gzip"},
    "shuffled": {"compression": "gzip", "shuffle": True},
    "big": {"dtype": ">f4", "compression": "gzip", "shuffle": True},
    "checked": {"compression": "gzip", "shuffle": True, "fletcher32": True},
    "blocks": hdf5plugin.LZ4(nbytes=1000),
    **{
        f"{kind} {dtype}": {"dtype": dtype, **hdf5plugin.Bitshuffle(cname=kind, nelems=nelems)}
        for kind in ("none", "lz4", "zstd")
        for dtype, nelems in (("<u2", 0), ("u1", 512), ("<f4", 0), (">f8", 136))
    },
    "odd": {"chunks": (9, 17, 15), "dtype": "<u4", **hdf5plugin.Bitshuffle(cname="lz4", nelems=32)},
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An HDF5 file with a dataset for each of the filters; a chunk of each was never written."""
    path = tmp_path_factory.mktemp("places") / "a.h5"
    with h5py.File(path, "w") as written:
        for name, options in FILTERS.items():
            dataset = written.create_dataset(
                name, SHAPE, **{"dtype": "<u2", "chunks": (8, 16, 16), "fillvalue": 5, **options}
            )
            dataset[:8] = values_of("<u2")[:8]
            dataset[8:, :16] = values_of("<u2")[8:, :16]
            dataset[8:, 16:, 16:] = values_of("<u2")[8:, 16:, 16:]
    return path


@settings(max_examples=120)
@given(selection=SELECTIONS, name=st.sampled_from([*FILTERS]))
def test_the_engine_reads_what_python_and_numpy_read(file: Path, selection: Any, name: str) -> None:
    with h5py.File(file) as opened:
        expected = opened[name][...]
    with pytest.MonkeyPatch.context() as patch:
        native, python = both(file, selection, patch, name)
    np.testing.assert_array_equal(native, python, strict=True)
    np.testing.assert_array_equal(native, expected[selection])


@pytest.mark.parametrize("name", FILTERS)
def test_all_but_missing_chunks_go_through_the_engine(
    file: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    decode = ChunkReader._decode

    def refuse(self: ChunkReader, unit: Any, encoded: Any, is_span: bool) -> None:
        assert encoded is None, "Python read a chunk"
        decode(self, unit, encoded, is_span)

    monkeypatch.setattr(ChunkReader, "_decode", refuse)
    with h5py.File(file) as opened:
        expected = opened[name][...]
    array = zarrcore.open(file)[name]
    np.testing.assert_array_equal(array[...], expected)
    assert array.chunks_surely_decode([(0, 0, 0), (0, 0, 1), (1, 0, 0)])
    assert not array.chunks_surely_decode([(1, 1, 0)]), "it was never written"


def test_many_chunks_are_read_in_boxes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(200 * 30, dtype="i4").reshape(200, 30)
    with h5py.File(tmp_path / "a.h5", "w") as written:
        written.create_dataset("x", data=values, chunks=(1, 7))
    sizes: list[int] = []
    job = PlaceReads.job

    def counted(self: PlaceReads, rows: list[Any], out: np.ndarray) -> Any:
        sizes.append(int(np.prod([*map(len, rows)])))
        return job(self, rows, out)

    monkeypatch.setattr(PlaceReads, "job", counted)
    assert np.array_equal(zarrcore.open(tmp_path / "a.h5")["x"][3:190, ::-2], values[3:190, ::-2])
    assert sum(sizes) == 187 * 5
    assert max(sizes) <= 128


@pytest.mark.parametrize("how", ["cut", "flip"])
def test_damage_is_found_as_by_python(
    file: Path, tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytearray(file.read_bytes())
    with h5py.File(file) as opened:
        place = opened["gzip"].id.get_chunk_info(0)
    if how == "flip":
        content[place.byte_offset + place.size // 2] ^= 0xFF
    else:
        del content[place.byte_offset + place.size // 2 :]
    (tmp_path / "a.h5").write_bytes(content)
    native, python = both(tmp_path / "a.h5", np.s_[:8, :16, :16], monkeypatch, "gzip")
    assert isinstance(python, str)
    assert native == python


def test_a_file_that_is_replaced_is_read_as_it_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("a.h5", 1), ("b.h5", 2)):
        with h5py.File(tmp_path / name, "w") as written:
            written.create_dataset("x", data=np.full((40, 40), value), chunks=(4, 4), compression="gzip")
    array = zarrcore.open(tmp_path / "a.h5")["x"]
    assert (array[...] == 1).all()
    (tmp_path / "b.h5").replace(tmp_path / "a.h5")
    monkeypatch.setattr("zarrcore.stores.virtual.parsed_file._CHECKED_EACH_S", 0)
    assert (array[...] == 2).all()


NUMBERS = [
    (dtype, predictor)
    for predictor in (False, True)
    for dtype in ("u1", "<u2", "<i4", "<u8", "<f4", ">u2", ">f8")
    if not (predictor and dtype[1:] in ("f4", "f8", "u8"))  # tifffile does not write them
]


@pytest.mark.sampled(24)
@pytest.mark.parametrize("samples", [1, 3, -3])
@pytest.mark.parametrize("layout", [{"tile": (16, 32)}, {"rowsperstrip": 8}], ids=["tiles", "strips"])
@pytest.mark.parametrize("numbers", NUMBERS, ids=str)
@pytest.mark.parametrize("compression", ["adobe_deflate", "zstd", "lzw"])
def test_segments_of_tiff_files_are_what_tifffile_reads(
    compression: str,
    numbers: tuple[str, bool],
    layout: dict[str, Any],
    samples: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dtype, predictor = numbers
    options: dict[str, Any] = {"compression": compression, "predictor": predictor, **layout}
    options["photometric"] = "minisblack" if samples == 1 else "rgb"
    values = np.random.default_rng(0).integers(0, 200, (3, 40, 70, 3)).cumsum(2).astype(dtype)
    if samples == 1:
        values = values[..., 0]
    elif samples < 0:
        values, options["planarconfig"] = np.moveaxis(values, 3, 1), "separate"
    order = ">" if dtype[0] == ">" else "<"
    with tifffile.TiffWriter(tmp_path / "a.tif", byteorder=order) as written:
        for page in values:
            written.write(page, metadata=None, **options)
    with tifffile.TiffFile(tmp_path / "a.tif") as file:
        np.testing.assert_array_equal(np.stack([page.asarray() for page in file.pages]), values)
    for selection in (np.s_[:, ...], np.s_[1, ..., 3:60:7], np.s_[::-1, ...]):
        native, python = both(tmp_path / "a.tif", selection, monkeypatch, "/0")
        np.testing.assert_array_equal(native, python, strict=True)
    array = zarrcore.open(tmp_path / "a.tif")["0"]
    np.testing.assert_array_equal(array[...], np.moveaxis(values, 3, 1) if samples == 3 else values)
    if compression != "lzw" and not (predictor and order == ">"):
        with monkeypatch.context() as patch:
            patch.setattr(ChunkReader, "_decode", lambda *_: pytest.fail("Python read a chunk"))
            array[..., :16, :32]


def test_broken_segments_fail_as_by_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(64 * 64, dtype="<u2").reshape(64, 64)
    tifffile.imwrite(tmp_path / "a.tif", values, tile=(32, 32), compression="adobe_deflate", predictor=True)
    with tifffile.TiffFile(tmp_path / "a.tif") as file:
        start, nbytes = file.pages[0].dataoffsets[1], file.pages[0].databytecounts[1]
    content = bytearray((tmp_path / "a.tif").read_bytes())
    content[start + nbytes // 2] ^= 0xFF
    (tmp_path / "a.tif").write_bytes(content)
    native, python = both(tmp_path / "a.tif", np.s_[:, :], monkeypatch, "/0")
    assert isinstance(python, str)
    assert native == python


def test_references_to_one_file_and_to_several(tmp_path: Path) -> None:
    values = np.arange(64, dtype="<i4").reshape(8, 8)
    zarr.create_array(tmp_path / "v2.zarr", data=values, chunks=(4, 4), zarr_format=2, compressors=None)
    (tmp_path / "one").write_bytes(
        b"".join((tmp_path / f"v2.zarr/{y}.{x}").read_bytes() for y in (0, 1) for x in (0, 1))
    )
    documents = {name: (tmp_path / f"v2.zarr/{name}").read_text() for name in (".zarray",)}
    one: dict[str, Any] = {f"x/{name}": text for name, text in documents.items()}
    several = dict(one)
    for number, key in enumerate(("0.0", "0.1", "1.0", "1.1")):
        one[f"x/{key}"] = [str(tmp_path / "one"), 64 * number, 64]
        several[f"x/{key}"] = [str(tmp_path / f"v2.zarr/{key}"), 0, 64]
    for name, references in (("one", one), ("several", several)):
        (tmp_path / f"{name}.json").write_text(json.dumps({".zgroup": '{"zarr_format": 2}', **references}))
        array = zarrcore.open(tmp_path / f"{name}.json", allow_targets=(str(tmp_path),))["x"]
        assert np.array_equal(array[...], values)
        assert np.array_equal(array[::-3, 1:], values[::-3, 1:])
    (tmp_path / "one").write_bytes(bytes(200))
    with pytest.raises(ZarrError, match="one"):
        zarrcore.open(tmp_path / "one.json", allow_targets=(str(tmp_path),))["x"][...]
