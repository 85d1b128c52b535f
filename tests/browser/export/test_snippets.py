"""Copied code and commands give the same elements as the window."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import xarray
import zarr

from tests.browser.export.volume import PLANE, VALUES
from tests.browser.fakes import FakeArray
from tests.servers.distant import distant_server
from tests.servers.s3 import S3Server
from zarrbrowser.export.snippets import (
    Place,
    command,
    dask_code,
    tensorstore_code,
    xarray_code,
    zarr_code,
    zarrcore_code,
)
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import SourceRequest, open_source


def run_code(codes: list[str | None]) -> list[np.ndarray]:
    """The ``values`` of each snippet, each in a namespace of its own."""
    found = []
    for code in codes:
        names: dict[str, Any] = {}
        assert code is not None
        exec(code, names)
        found.append(np.asarray(names["values"]))
    return found


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
    found = run_code([code for code in codes if code is not None])
    assert all(np.array_equal(values, VALUES[PLANE]) for values in found)


def test_copied_code_for_xarray_and_dask_reads_the_same_elements(folder: Path, tmp_path: Path) -> None:
    codes = []
    for name in ("v2.zarr", "n5.n5"):
        place, node = place_of(str(folder / name), "/deep/volume")
        codes += [xarray_code(place, node.name, PLANE), dask_code(place, PLANE)]
    found = run_code(codes)
    assert all(np.array_equal(values, VALUES[PLANE]) for values in found[1::2])
    # xarray takes the fill value of Zarr v2, which is 0, as a mark of missing values.
    for values in found[::2]:
        assert np.array_equal(np.nan_to_num(values), VALUES[PLANE])


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_copied_code_reads_a_variable_that_xarray_wrote_with_its_coordinates(
    zarr_format: int, tmp_path: Path
) -> None:
    tas = xarray.DataArray(
        np.arange(24.0).reshape(2, 3, 4), {"time": [1, 2], "lat": [10.0, 20.0, 30.0]}, ("time", "lat", "lon")
    )
    for group in ("", "model/run"):
        written = xarray.Dataset({"tas": tas})
        written.to_zarr(
            tmp_path / "a.zarr", group=group or None, mode="a", zarr_format=zarr_format, consolidated=False
        )
    selection = (1, slice(1, None), slice(None))
    for path in ("/tas", "/model/run/tas"):
        place, node = place_of(str(tmp_path / "a.zarr"), path)
        code = xarray_code(place, node.name, selection)
        names: dict[str, Any] = {}
        exec(code.replace(".values", ""), names)
        assert names["values"].identical(tas.rename("tas")[selection])
        codes = [code, dask_code(place, selection), *(maker(place, selection) for maker in MAKERS)]
        assert all(np.array_equal(values, tas[selection]) for values in run_code(codes))
    place, _ = place_of(str(tmp_path / "a.zarr"), "/model/run")
    names = {}
    exec(xarray_code(place, "run", None), names)
    assert names["dataset"].identical(written)


def test_code_for_xarray_has_the_options_and_that_for_dask_needs_an_array() -> None:
    place = Place("s3://bucket/a.zarr", "/raw", "v3", Connection(anonymous=True))
    assert dask_code(place, None) is None
    group = xarray_code(place, "", None)
    assert "storage_options={'anonymous': True}" in group
    assert "values" not in group
    assert "dataset['array'][1, 5:30, :]" in xarray_code(place, "", PLANE)
    assert "{'format': 'v2'}" in xarray_code(Place("/a.zarr", "/raw", "v2", Connection(), "v2"), "raw", PLANE)


def test_copied_code_reads_from_a_bucket_and_from_the_web(folder: Path, s3: S3Server, tmp_path: Path) -> None:
    s3.upload(folder / "v3.zarr", "bucket/snippets/v3.zarr")
    reaches = [Connection(s3.endpoint_url, "us-east-1", anonymous=anonymous) for anonymous in (True, False)]
    url = "s3://bucket/snippets/v3.zarr"
    places = [place_of(url, "/deep/volume", connection)[0] for connection in reaches]
    with distant_server(folder) as server:
        place, node = place_of(f"{server.url}/v2.zarr", "/deep/volume")
        codes = all_codes(*places, place)
        assert not any("testing" in str(code) for code in codes), "credentials are not copied"
        assert all(np.array_equal(values, VALUES[PLANE]) for values in run_code(codes))
        assert np.array_equal(run_command(command(place, node, PLANE), tmp_path), VALUES[PLANE])
    bucket, node = place_of(url, "/deep/volume", reaches[0])
    assert np.array_equal(run_command(command(bucket, node, PLANE), tmp_path), VALUES[PLANE])


def test_code_for_a_remote_zip_file_is_that_of_the_libraries_that_open_one(
    folder: Path, s3: S3Server, tmp_path: Path
) -> None:
    with zarr.storage.ZipStore(tmp_path / "a.zarr.zip", mode="w") as store:
        zarr.create_array(store, data=VALUES, chunks=(1, 16, 16))
    s3.put("bucket/snippets/a.zarr.zip", (tmp_path / "a.zarr.zip").read_bytes())
    bucket, _ = place_of(
        "s3://bucket/snippets/a.zarr.zip", "/", Connection(s3.endpoint_url, "us-east-1", anonymous=True)
    )
    with distant_server(tmp_path) as server:
        web, _ = place_of(f"{server.url}/a.zarr.zip", "/")
        assert [zarr_code(place, PLANE) for place in (bucket, web)] == [None, None]
        found = run_code([tensorstore_code(place, PLANE) for place in (bucket, web)])
    assert all(np.array_equal(values, VALUES[PLANE]) for values in found)


def test_files_that_only_zarrcore_shows_as_zarr_have_no_code_for_other_zarr_libraries(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["volume"] = VALUES
    place, node = place_of(str(tmp_path / "a.h5"), "/volume")
    assert (zarr_code(place, PLANE), tensorstore_code(place, PLANE)) == (None, None)
    codes = [zarrcore_code(place, PLANE), xarray_code(place, node.name, PLANE), dask_code(place, PLANE)]
    assert all(np.array_equal(values, VALUES[PLANE]) for values in run_code([*codes]))


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
    assert np.array_equal(run_code([zarrcore_code(place, PLANE)])[0], VALUES[PLANE] * 2)


def test_the_command_of_a_group_lists_its_children(folder: Path) -> None:
    place, node = place_of(str(folder / "v3.zarr"), "/deep")
    assert command(place, node, None) == f"zarrscope tree {folder}/v3.zarr /deep\n"
    assert tensorstore_code(place, None) is None
    assert "values" not in zarrcore_code(place, None)


@pytest.mark.parametrize(
    ("url", "path", "kvstore"),
    [
        ("/data/a.zarr", "/raw", {"driver": "file", "path": "/data/a.zarr/raw/"}),
        (
            "/data/a.zip",
            "/",
            {"driver": "zip", "base": {"driver": "file", "path": "/data/a.zip"}, "path": ""},
        ),
        ("gs://bucket/a.zarr", "/raw/0", {"driver": "gcs", "bucket": "bucket", "path": "a.zarr/raw/0/"}),
        (
            "https://example.org/a.zarr/",
            "/",
            {"driver": "http", "base_url": "https://example.org", "path": "/a.zarr/"},
        ),
    ],
)
def test_tensorstore_is_told_where_the_chunks_are(url: str, path: str, kvstore: dict[str, Any]) -> None:
    code = tensorstore_code(Place(url, path, "v3", Connection()), PLANE)
    assert code is not None
    spec = re.search(r"spec = (\{.*\})\narray", code, re.DOTALL)
    assert spec is not None
    assert ast.literal_eval(spec[1]) == {"driver": "zarr3", "kvstore": kvstore}


def test_options_of_a_bucket_are_in_each_snippet_and_the_command() -> None:
    connection = Connection("http://localhost:9000", "eu-west-1", profile="work", requester_pays=True)
    place = Place("s3://bucket/a.zarr", "/raw", "v2", connection, "v2")
    code = tensorstore_code(place, PLANE)
    assert code is not None
    for text in ("'http://localhost:9000'", "'eu-west-1'", "'profile': 'work'", "'requester_pays': True"):
        assert text in code
    code = zarr_code(place, None)
    assert code is not None
    assert "client_options={'allow_http': True}" in code
    assert "request_payer=True" in code
    assert "format='v2'" in zarrcore_code(place, None)
    words = shlex.split(command(place, FakeArray(np.zeros((3, 4, 5))), PLANE))
    assert words[1:4] == ["cat", "s3://bucket/a.zarr", "/raw"]
    assert words[words.index("--select") + 1] == "1,5:30,:"
    assert {"--format", "--endpoint-url", "--profile", "--requester-pays"} <= set(words)


def test_stores_that_another_library_cannot_read_have_no_code() -> None:
    for url, version, makers in (
        ("sqlite:///data/a.db", "v3", (zarr_code, tensorstore_code)),
        ("/data/a.n5", "n5", (zarr_code,)),
        ("/data/a.zarr", "draft-2020-10", (zarr_code, tensorstore_code)),
    ):
        place = Place(url, "/", version, Connection())
        assert [make(place, PLANE) for make in makers] == [None] * len(makers)
        assert "values = node[1, 5:30, :]" in zarrcore_code(place, PLANE)


def test_a_name_with_spaces_and_quotes_stays_one_word() -> None:
    array = FakeArray(np.zeros(3))
    array.name = "l'été 2"
    place = Place("/data/my scan.zarr", "/l'été 2", "v3", Connection())
    words = shlex.split(command(place, array, (slice(None),)))
    assert words == ["zarrscope", "cat", "/data/my scan.zarr", "/l'été 2", "--output", "l'été 2.npy"]
    assert 'hierarchy["/l\'été 2"]' in zarrcore_code(place, None)
