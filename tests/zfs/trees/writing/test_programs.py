"""``--read-write``: other programs write to ``keys/`` and read their data back."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorstore
import xarray
import zarr
import zarr.storage

import zarrcore as zc
from tests.servers import S3Server
from tests.zfs.conftest import Mount, Mounter

VALUES = np.arange(60 * 50, dtype="<i4").reshape(60, 50)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory, mounter: Mounter) -> tuple[Path, Mount]:
    """A directory, and its writable mount."""
    path = tmp_path_factory.mktemp("programs")
    return path, mounter(path, "--read-write")


@pytest.fixture(params=["local", "s3"])
def both(request: pytest.FixtureRequest, places: tuple[Path, Mount]) -> tuple[str, Mount]:
    """A store and its mount: a directory, and a bucket."""
    if request.param == "local":
        return str(places[0]), places[1]
    return "s3://bucket/written", request.getfixturevalue("bucket")


@pytest.fixture(scope="module")
def bucket(s3: S3Server, mounter: Mounter) -> Mount:
    return mounter("s3://bucket/written", "--read-write", *s3.arguments)


def same(path: Path, other: Path) -> bool:
    return subprocess.run(["diff", "-r", path, other], check=False).returncode == 0


@pytest.mark.sampled(axes=["both", "name"])
@pytest.mark.parametrize(
    ("name", "version", "options"),
    [
        ("v2", 2, {"chunks": (20, 30)}),
        ("v3", 3, {"chunks": (20, 30)}),
        ("sharded", 3, {"chunks": (10, 10), "shards": (20, 50)}),
    ],
)
def test_zarr_python(both: tuple[str, Mount], s3: S3Server, name: str, version: int, options: Any) -> None:
    url, mounted = both
    store = zarr.storage.LocalStore(mounted.keys / f"{name}.zarr")
    root = zarr.create_group(store, zarr_format=version, attributes={"by": "zarr-python"})
    array = root.create_array("deep/er/array", shape=VALUES.shape, dtype="i4", **options)
    array[...] = VALUES
    array[3:30, 7] = -1
    array.attrs["units"] = "m"
    expected = VALUES.copy()
    expected[3:30, 7] = -1
    again = zarr.open_group(store, mode="r")
    np.testing.assert_array_equal(again["deep/er/array"][...], expected)
    assert (again.attrs["by"], again["deep/er/array"].attrs["units"]) == ("zarr-python", "m")
    keywords = {} if url.startswith("/") else s3.options
    with zc.open_hierarchy(f"{url}/{name}.zarr", **keywords) as found:
        np.testing.assert_array_equal(found["deep/er/array"][...], expected)
    # The other trees of the same mount show it at once.
    shown = mounted.arrays / f"{name}.zarr" / "deep" / "er" / "array" / "data.npy"
    np.testing.assert_array_equal(np.load(shown), expected)
    array[0, 0] = 1234
    assert np.load(shown)[0, 0] == 1234
    array.resize((10, 50))
    assert np.load(shown).shape == (10, 50)
    del root["deep"]
    assert not shown.exists()
    assert sorted(node for node in zarr.open_group(store, mode="r")) == []


@pytest.mark.parametrize("driver", ["zarr", "zarr3"])
def test_tensorstore(both: tuple[str, Mount], s3: S3Server, driver: str) -> None:
    url, mounted = both
    place = {"driver": "file", "path": str(mounted.keys / f"ts-{driver}.zarr")}
    array = tensorstore.open(
        {"driver": driver, "kvstore": place}, create=True, dtype=tensorstore.int32, shape=VALUES.shape
    ).result()
    array.write(VALUES).result()
    array[5, 5:20].write(7).result()
    expected = VALUES.copy()
    expected[5, 5:20] = 7
    again = tensorstore.open({"driver": driver, "kvstore": place}).result()
    np.testing.assert_array_equal(again.read().result(), expected)
    keywords = {} if url.startswith("/") else s3.options
    with zc.open_hierarchy(f"{url}/ts-{driver}.zarr", **keywords) as found:
        np.testing.assert_array_equal(found["/"][...], expected)


def test_xarray(places: tuple[Path, Mount]) -> None:
    dataset = xarray.Dataset({"t": (("y", "x"), VALUES)}, {"y": np.arange(60.0)}, {"title": "é"})
    place = places[1].keys / "x.zarr"
    dataset.to_zarr(place, consolidated=False)
    dataset.to_zarr(place, append_dim="y", consolidated=False)
    with xarray.open_zarr(places[0] / "x.zarr", consolidated=False) as found:
        np.testing.assert_array_equal(found["t"].values, np.concatenate([VALUES, VALUES]))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some files in folders, one of them too large to be kept in memory."""
    path = tmp_path_factory.mktemp("files")
    for number in range(40):
        folder = path / str(number % 4) / "deeper"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"file {number}").write_bytes(np.random.default_rng(number).bytes(number * 1000))
    (path / "large").write_bytes(np.random.default_rng(0).bytes(6_000_000))
    (path / "empty").mkdir()
    return path


@pytest.mark.parametrize(
    "command",
    [
        "cp -a {files} {place}",
        "rsync -a {files}/ {place}/",
        "rsync -a --inplace {files}/ {place}/",
        "mkdir {place} && tar -C {files} -c . | tar -C {place} -xp",
    ],
)
def test_copies(places: tuple[Path, Mount], files: Path, command: str, request: Any) -> None:
    name = f"copies{request.node.callspec.indices['command']}"
    place = places[1].keys / name
    done = subprocess.run(
        command.format(files=files, place=place), shell=True, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert same(files, place)
    assert same(files / "1", places[0] / name / "1")
    # Again, over the existing files.
    (place / "1" / "deeper" / "file 1").write_bytes(b"other")
    again = command.replace("mkdir {place} && ", "").replace("{files} {place}", "-T {files} {place}")
    done = subprocess.run(
        again.format(files=files, place=place), shell=True, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert same(files, place)
    subprocess.run(["rm", "-r", place], check=True)
    assert not place.exists()
    assert not (places[0] / name).exists()


def test_moves(places: tuple[Path, Mount], files: Path) -> None:
    first, second = places[1].keys / "moved", places[1].keys / "moved again"
    subprocess.run(["cp", "-r", files, first], check=True)
    subprocess.run(["mv", first, second], check=True)
    assert same(files, second)
    assert not first.exists()


def test_dd(places: tuple[Path, Mount], files: Path) -> None:
    place = places[1].keys / "dd"
    subprocess.run(
        ["dd", f"if={files}/large", f"of={place}", "bs=100k", "conv=fsync"],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    subprocess.run(
        ["dd", "if=/dev/zero", f"of={place}", "bs=1000", "seek=3", "count=5", "conv=notrunc"],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    expected = bytearray((files / "large").read_bytes())
    expected[3000:8000] = bytes(5000)
    assert (places[0] / "dd").read_bytes() == expected


def test_vim(places: tuple[Path, Mount]) -> None:
    place = places[1].keys / "edited.txt"
    place.write_text("one\ntwo\n")
    subprocess.run(
        [
            "vim",
            "-u",
            "NONE",
            "-N",
            "-es",
            "-c",
            "set backup backupcopy=no",
            "-c",
            "%s/one/three/",
            "-c",
            "wq",
            place,
        ],
        check=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    assert (places[0] / "edited.txt").read_text() == place.read_text() == "three\ntwo\n"
