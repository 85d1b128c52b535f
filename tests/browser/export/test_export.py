"""Exported files read back equal and appear atomically; copied code gives the same elements."""

from __future__ import annotations

import csv
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
import zarr

import zarrcore as zc
from tests.servers.distant import distant_server
from tests.servers.s3 import S3Server
from zarrbrowser.export.export import Export, why_not, write
from zarrbrowser.export.snippets import Place, command, tensorstore_code, zarr_code, zarrcore_code
from zarrbrowser.export.viewed_array import ViewedArray, selection_text
from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import SourceRequest, open_source
from zarrcore.errors import UnsupportedError

VALUES = np.random.default_rng(7).integers(-3000, 3000, (3, 40, 50)).astype(np.int16)
PLANE = (1, slice(5, 30), slice(None))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export")
    for version in (2, 3):
        group = zarr.open_group(path / f"v{version}.zarr", mode="w", zarr_format=version)
        group.create_group("deep").create_array("volume", data=VALUES, chunks=(1, 16, 16))
    hierarchy = zc.create(path / "n5.n5", format="n5")
    hierarchy.create_array("deep/volume", shape=VALUES.shape, data_type="int16", chunk_shape=(1, 16, 16))[
        ...
    ] = VALUES
    return path


def no_encoder(_pixels: Any) -> bytes:
    raise AssertionError("a picture was requested")


@pytest.mark.parametrize("suffix", ["npy", "tiff", "csv"])
@pytest.mark.parametrize(
    "selection", [PLANE, (slice(None), 3, slice(10, 40, 3)), (0, slice(2, 3), slice(4, 5))]
)
def test_exported_files_read_back_equal(suffix: str, selection: Any, folder: Path, tmp_path: Path) -> None:
    viewed = ViewedArray.whole(zc.open(folder / "v3.zarr")["deep/volume"])
    path, told = tmp_path / f"out.{suffix}", []
    assert why_not(viewed, selection, suffix) == ""
    size = write(Export(viewed, selection, suffix, str(path)), no_encoder, lambda: False, told.append)
    readers: dict[str, Callable[[], Any]] = {
        "npy": lambda: np.load(path),
        "tiff": lambda: tifffile.imread(path),
        "csv": lambda: [[int(cell) for cell in row] for row in csv.reader(path.read_text().splitlines())],
    }
    found = np.asarray(readers[suffix]())
    assert np.array_equal(found.reshape(VALUES[selection].shape), VALUES[selection])
    assert size == path.stat().st_size
    assert suffix == "csv" or told[-1] == 1.0


def test_a_cancelled_export_leaves_the_existing_file(folder: Path, tmp_path: Path) -> None:
    viewed = ViewedArray.whole(zc.open(folder / "v3.zarr")["deep/volume"])
    path = tmp_path / "out.npy"
    path.write_bytes(b"before")
    with pytest.raises(Cancelled):
        write(Export(viewed, PLANE, "npy", str(path)), no_encoder, lambda: True, lambda _part: None)
    assert path.read_bytes() == b"before"
    assert [one.name for one in tmp_path.iterdir()] == ["out.npy"]


def test_an_unsuitable_file_type_is_explained(folder: Path) -> None:
    viewed = ViewedArray.whole(zc.open(folder / "v3.zarr")["deep/volume"])
    assert "picture" in why_not(viewed, PLANE, "png")
    assert viewed.file_name((1, slice(None), slice(None)), "npy") == "volume_axis01.npy"


@pytest.mark.parametrize(
    ("selection", "reason"),
    [
        ((slice(0, 2049), slice(0, 2048)), "4,196,352 elements are too many for a text"),
        ((slice(0, 2048), slice(0, 2048)), ""),
        ((0, slice(None)), ""),
    ],
)
def test_too_many_elements_for_text_are_refused_before_writing(
    selection: Any, reason: str, tmp_path: Path
) -> None:
    array = zc.create(tmp_path / "a.zarr").create_array(
        "x", shape=(3000, 3000), data_type="int8", chunk_shape=(3000, 3000)
    )
    viewed = ViewedArray.whole(array)
    assert why_not(viewed, selection, "csv").startswith(reason)
    if reason:
        with pytest.raises(UnsupportedError, match="too large for text"):
            write(Export(viewed, selection, "csv", str(tmp_path / "x.csv")), no_encoder, lambda: False, print)


def test_a_text_file_has_at_most_two_axes(folder: Path) -> None:
    viewed = ViewedArray.whole(zc.open(folder / "v3.zarr")["deep/volume"])
    assert "at most two axes" in why_not(viewed, viewed.selection, "csv")


def test_the_text_of_a_selection_parses_back() -> None:
    for selection in (PLANE, (0, 0, 0), (slice(None, None, 2), slice(3, None), -1)):
        assert zc.parse_selection(selection_text(selection)) == selection


def run_code(codes: list[str | None], tmp_path: Path) -> list[np.ndarray]:
    """The ``values`` of each snippet; all run in one separate process."""
    lines = ["import numpy"]
    targets = [tmp_path / f"{number}.npy" for number in range(len(codes))]
    for code, target in zip(codes, targets, strict=True):
        lines += [f"names = {{}}; exec({code!r}, names); numpy.save({str(target)!r}, names['values'])"]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [np.load(target) for target in targets]


def place_of(address: str, path: str, connection: Connection | None = None) -> tuple[Place, Any]:
    source = open_source(SourceRequest(address, options=connection))
    node = source.hierarchy.node(path)
    return Place.of(source, node), node


MAKERS = (zarrcore_code, zarr_code, tensorstore_code)


def all_codes(*places: Place) -> list[str | None]:
    return [maker(place, PLANE) for place in places for maker in MAKERS]


def test_copied_code_reads_the_same_elements(folder: Path, tmp_path: Path) -> None:
    places = [place_of(str(folder / name), "/deep/volume")[0] for name in ("v2.zarr", "v3.zarr", "n5.n5")]
    places.append(place_of(str(folder), "/v2.zarr/deep/volume")[0])  # in a collection
    assert places[-1].path == "/deep/volume"
    with zarr.storage.ZipStore(tmp_path / "a.zip", mode="w") as store:
        zarr.create_array(store, data=VALUES, chunks=(1, 16, 16))
    places.append(place_of(str(tmp_path / "a.zip"), "/")[0])
    codes = all_codes(*places)
    assert [number for number, code in enumerate(codes) if code is None] == [7], "only zarr does not read N5"
    found = run_code([code for code in codes if code is not None], tmp_path)
    assert all(np.array_equal(values, VALUES[PLANE]) for values in found)


def test_copied_code_reads_from_a_bucket_and_from_the_web(folder: Path, s3: S3Server, tmp_path: Path) -> None:
    s3.upload(folder / "v3.zarr", "bucket/snippets/v3.zarr")
    reaches = [Connection(s3.endpoint_url, "us-east-1", anonymous=anonymous) for anonymous in (True, False)]
    url = "s3://bucket/snippets/v3.zarr"
    places = [place_of(url, "/deep/volume", connection)[0] for connection in reaches]
    with distant_server(folder) as server:
        place, node = place_of(f"{server.url}/v2.zarr", "/deep/volume")
        codes = all_codes(*places, place)
        assert not any("testing" in str(code) for code in codes), "credentials are not copied"
        assert all(np.array_equal(values, VALUES[PLANE]) for values in run_code(codes, tmp_path))
        assert np.array_equal(run_command(command(place, node, PLANE), tmp_path), VALUES[PLANE])
    bucket, node = place_of(url, "/deep/volume", reaches[0])
    assert np.array_equal(run_command(command(bucket, node, PLANE), tmp_path), VALUES[PLANE])


def run_command(text: str, tmp_path: Path) -> np.ndarray:
    words = shlex.split(text)
    words[0] = os.path.join(os.path.dirname(sys.executable), words[0])
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return np.load(tmp_path / "volume.npy")


def test_a_chosen_format_is_part_of_the_copied_code(tmp_path: Path) -> None:
    for version in (2, 3):  # two hierarchies in one folder
        zarr.create_array(
            tmp_path / "a.zarr", name="volume", data=VALUES * version, chunks=(1, 16, 16), zarr_format=version
        )
    source = open_source(SourceRequest(str(tmp_path / "a.zarr"), format="v2"))
    node = source.hierarchy.node("/volume")
    place = Place.of(source, node)
    assert np.array_equal(run_command(command(place, node, PLANE), tmp_path), VALUES[PLANE] * 2)
    assert np.array_equal(run_code([zarrcore_code(place, PLANE)], tmp_path)[0], VALUES[PLANE] * 2)


def test_the_command_of_a_group_lists_its_children(folder: Path) -> None:
    place, node = place_of(str(folder / "v3.zarr"), "/deep")
    assert command(place, node, None) == f"zarrscope tree {folder}/v3.zarr /deep\n"
    assert tensorstore_code(place, None) is None
    assert "values" not in zarrcore_code(place, None)
