"""napari's plug-in: its manifest, what it accepts and declines, and every format."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import nibabel
import nrrd
import numpy as np
import pytest
import tifffile
import zarr

import zarrcore
from tests.command import run_inside
from tests.core.interop.napari.viewers import napari, opened, picture
from tests.core.interop.napari.written import new_group, values, write_image
from tests.servers import S3Server
from zarrcore.errors import StoreError, UnsupportedError
from zarrcore.interop.napari import get_reader, read_layers
from zarrcore.interop.napari.reader import OPTIONS

DATA = values((3, 40, 48))


def test_npe2_finds_the_manifest_valid() -> None:  # in a process that imports all plug-ins
    command = [sys.executable, "-m", "npe2", "validate", "zarrscope", "--imports"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert (done.returncode, "Manifest for 'zarrscope' valid" in done.stdout) == (0, True), done.stderr


def ome_zarr(path: Path, zarr_format: int = 3) -> Path:
    write_image(new_group(path, zarr_format), DATA, "zyx")
    return path


def copied(path: Path, *words: str) -> Path:
    assert run_inside("copy", ome_zarr(path.with_name("source.zarr")), path, "--quiet", *words).status == 0
    return path


def n5(path: Path) -> Path:
    with zarrcore.create(path, "n5") as made:
        for level, step in enumerate((1, 2)):
            part = DATA[:, ::step, ::step]
            array = made.create_array(f"/s{level}", shape=part.shape, dtype="uint16", chunks=(1, 16, 16))
            array[...] = part
        made["/"].attributes = {"scales": [[1, 1, 1], [2, 2, 1]], "resolution": [0.5, 0.5, 1.5]}
    return path


def hdf5(path: Path) -> Path:
    with h5py.File(path, "w") as file:
        file.create_dataset("group/volume", data=DATA, chunks=(1, 16, 16), compression="gzip")
    return path


def nifti(path: Path) -> Path:
    nibabel.save(nibabel.Nifti1Image(DATA.T.astype("i2"), np.diag([0.5, 0.5, 1.5, 1])), path)
    return path


def nrrd_file(path: Path) -> Path:
    with warnings.catch_warnings(action="ignore"):
        nrrd.write(str(path), DATA.T)
    return path


def ome_tiff(path: Path) -> Path:
    tifffile.imwrite(path, DATA, metadata={"axes": "ZYX", "PhysicalSizeX": 0.5, "PhysicalSizeXUnit": "µm"})
    return path


FORMATS: dict[str, Callable[[Path], Path]] = {
    "a.zarr": ome_zarr,
    "version-2.zarr": lambda path: ome_zarr(path, 2),
    "a.zarr.zip": copied,
    "a.ozx": copied,
    "converted.n5": lambda path: copied(path, "--to", "n5"),
    "a.n5": n5,
    "a.h5": hdf5,
    "a.nii.gz": nifti,
    "a.nrrd": nrrd_file,
    "a.ome.tif": ome_tiff,
    "folder": lambda path: ome_zarr(path),
}


@pytest.mark.parametrize("name", FORMATS)
def test_napari_opens_every_format_with_the_plug_in(tmp_path: Path, name: str) -> None:
    path = FORMATS[name](tmp_path / name)
    assert "zarrscope" in napari().plugins._npe2.get_readers(str(path))
    (layer,) = opened(path).layers
    base = layer.data[0] if layer.multiscale else layer.data
    assert np.array_equal(np.asarray(base).reshape(DATA.shape), DATA)
    assert picture(layer).ndim == 2
    assert layer.source.reader_plugin == "zarrscope"


def test_napari_opens_a_bucket(tmp_path: Path, s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint_url)
    s3.upload(ome_zarr(tmp_path / "a.zarr"), "bucket/napari/a.zarr")
    for place in ("napari/a.zarr", "napari#/a.zarr"):
        (layer,) = opened(f"s3://bucket/{place}").layers
        assert (layer.name, layer.data[0].shape) == ("a", DATA.shape)
    with s3.denying(), pytest.raises(zarrcore.ZarrError) as denied:
        opened("s3://bucket/napari/a.zarr")
    assert "\n" not in str(denied.value)
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    monkeypatch.setenv(OPTIONS, json.dumps({"endpoint_url": s3.endpoint_url, "anonymous": True}))
    assert opened("s3://bucket/napari/a.zarr").layers[0].data[0].shape == DATA.shape
    assert read_layers("s3://bucket/napari/a.zarr", anonymous=True)[0][1]["name"] == "a"


@pytest.mark.parametrize("text", ["{", "[1]", "anonymous"])
def test_options_that_are_no_object_are_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(OPTIONS, text)
    with pytest.raises(UnsupportedError, match="must be a JSON object"):
        read_layers("a.zarr")


def test_what_zarrscope_cannot_open_is_declined(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    for number in range(100):
        (tmp_path / "pictures" / f"{number}").mkdir()
        (tmp_path / "pictures" / f"{number}/1.png").touch()
    (tmp_path / "a.h5").write_bytes(b"no HDF5 file")
    (tmp_path / "a.zip").write_bytes(b"PK\5\6" + bytes(18))
    for path in ("pictures", "a.h5", "a.zip"):
        assert get_reader(str(tmp_path / path)) is None, path
    assert get_reader([str(tmp_path / "pictures"), str(tmp_path / "a.h5")]) is None


def test_ordinary_pictures_stay_with_napari(tmp_path: Path) -> None:
    for name in ("a.tif", "a.tiff", "a.png", "a.jpg", "a.npy", "a.csv", "https://example.org/a.png"):
        assert "zarrscope" not in napari().plugins._npe2.get_readers(name)
    tifffile.imwrite(tmp_path / "a.tif", DATA, photometric="minisblack")
    viewer = napari().components.ViewerModel()
    viewer.open(tmp_path / "a.tif", plugin=None)
    assert viewer.layers[0].source.reader_plugin == "napari"
    ((data, _, _),) = read_layers(tmp_path / "a.tif")  # but programs may have them
    assert np.array_equal(np.asarray(data), DATA)


def test_several_paths_are_opened_one_by_one(tmp_path: Path) -> None:
    paths = [ome_zarr(tmp_path / f"{name}.zarr") for name in "ab"]
    assert [layer.name for layer in opened(paths).layers] == ["a", "b"]
    reader = get_reader([str(paths[0])])
    assert reader is not None
    assert len(reader([str(paths[0])])) == 1


def test_an_error_is_one_line_in_a_notification(tmp_path: Path) -> None:
    with zarrcore.create(tmp_path / "a.zarr") as made:
        made.create_array("/line", shape=(3,), dtype="int8")
    with pytest.raises(zarrcore.ZarrError) as caught:
        opened(tmp_path / "a.zarr")
    told = napari().utils.notifications.Notification.from_exception(caught.value)
    assert told.message.startswith(str(tmp_path / "a.zarr"))
    assert "has no image of numbers" in told.message
    assert "\n" not in told.message


def test_a_node_in_a_source_has_its_own_name(tmp_path: Path) -> None:
    path = hdf5(tmp_path / "a.h5")
    for source in (f"{path}#/group/volume", path / "group/volume"):
        ((data, told, _),) = read_layers(source)
        assert (told["name"], data.shape) == ("volume", DATA.shape)
    with zarrcore.open_hierarchy(path) as hierarchy:
        assert read_layers(hierarchy)[0][1]["name"] == "group/volume"
    with pytest.raises(zarrcore.NodeNotFoundError):
        read_layers(f"{path}#/absent")
    with pytest.raises(StoreError):
        read_layers("s3://bucket/a.zarr", endpoint_url="http://127.0.0.1:9", retries=0, timeout_s=1.0)


def test_a_chunk_that_does_not_decode_is_an_error_when_it_is_shown(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", data=DATA, chunks=(1, 40, 48))
    (tmp_path / "a.zarr/c/1/0/0").write_bytes(b"broken")
    viewer: Any = napari().components.ViewerModel()
    with pytest.raises(zarrcore.CodecError, match="c/1/0/0") as caught:
        viewer.open(tmp_path / "a.zarr", plugin="zarrscope")
    assert "\n" not in str(caught.value)
