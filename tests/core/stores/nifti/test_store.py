"""Files written by nibabel, read as hierarchies and compared with what nibabel reads."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest
import xarray as xr
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.command import run_inside
from tests.servers.distant import distant_server
from zarrcore.conventions import image_of
from zarrcore.errors import HierarchyNotFoundError, StoreError, ZarrError
from zarrcore.stores import LocalStore
from zarrcore.stores.nifti.store import NiftiFile
from zarrcore.stores.wrapper.interface import listable
from zarrcore.typing import AnyArray

TYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8", "c8", "c16")
IMAGES = {1: nibabel.Nifti1Image, 2: nibabel.Nifti2Image}


def values_of(shape: tuple[int, ...], dtype: str, seed: int = 0) -> AnyArray:
    nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    found = np.random.default_rng(seed).integers(0, 120, nbytes, "u1").view(dtype)
    return found.reshape(shape)


def write(
    path: Path,
    values: AnyArray,
    *,
    version: int = 1,
    order: str = "<",
    affine: Any = None,
    scaling: tuple[float, float] | None = None,
    **fields: Any,
) -> None:
    """An image, and then fields of its header, to which nibabel would adapt the stored values."""
    header = IMAGES[version].header_class(endianness=order)
    header.set_data_dtype(values.dtype)
    written = IMAGES[version](values, affine, header).to_bytes()
    header = IMAGES[version].header_class.from_fileobj(io.BytesIO(written), check=False)
    for name, value in fields.items():
        header[name] = value
    if scaling is not None:
        header.set_slope_inter(*scaling)
    content = header.binaryblock + written[len(header.binaryblock) :]
    path.write_bytes(gzip.compress(content, 1) if path.suffix == ".gz" else content)


@settings(max_examples=80, deadline=None)
@given(
    shape=st.lists(st.integers(1, 6), min_size=1, max_size=7).map(tuple),
    dtype=st.sampled_from(TYPES),
    order=st.sampled_from("<>"),
    version=st.sampled_from([1, 2]),
    suffix=st.sampled_from([".nii", ".nii.gz"]),
    scaling=st.sampled_from([None, (2.5, -3.0), (0.1, 0.0)]),
    seed=st.integers(0, 9),
)
def test_any_file_reads_as_with_nibabel(
    tmp_path_factory: pytest.TempPathFactory,
    shape: tuple[int, ...],
    dtype: str,
    order: str,
    version: int,
    suffix: str,
    scaling: Any,
    seed: int,
) -> None:
    path = tmp_path_factory.mktemp("a") / f"a{suffix}"
    values = values_of(shape, dtype, seed)
    write(path, values, version=version, order=order, scaling=scaling)
    expected: Any = nibabel.load(path)
    with zarrcore.open_hierarchy(path) as hierarchy:
        array, image = hierarchy["0"], hierarchy["/"]
        stored = np.asarray(expected.dataobj.get_unscaled()).T
        if len(shape) == 5:  # OME-Zarr wants time before the channel
            stored = stored.swapaxes(0, 1)
        found = array[...]
        assert found.dtype == values.dtype
        assert found.tobytes() == stored.astype(values.dtype).tobytes()
        scaled = found * array.attributes.get("scale_factor", 1) + array.attributes.get("add_offset", 0)
        scaled_by_nibabel = np.asarray(expected.dataobj).T
        assert np.allclose(scaled, scaled_by_nibabel.swapaxes(0, 1) if len(shape) == 5 else scaled_by_nibabel)
        assert ("ome" in image.attributes) == (2 <= len(shape) <= 5)
        keys = [entry.key for entry in listable(hierarchy.store).list_prefix("0/c/")]
        assert (
            len(set(keys))
            == len(keys)
            == np.prod(array.shape) // np.prod(array.metadata.chunk_grid.chunk_shape)
        )
        assert all(hierarchy.store.stat(key).size == len(hierarchy.store.get(key)) for key in keys)


@pytest.mark.parametrize("suffix", [".nii", ".nii.gz"])
@pytest.mark.parametrize("channels", [3, 4])
def test_colours_are_channels(tmp_path: Path, suffix: str, channels: int) -> None:
    voxels = values_of((5, 6, 7), "u1")
    names = "RGBA"[:channels]
    colours = np.zeros((5, 6, 7), [(name, "u1") for name in names])
    for number, name in enumerate(names):
        colours[name] = voxels + number
    path = tmp_path / f"a{suffix}"
    write(path, colours)
    with zarrcore.open_hierarchy(path) as hierarchy:
        array = hierarchy["0"]
        assert array.shape == (channels, 7, 6, 5)
        for number in range(channels):
            assert np.array_equal(array[number], voxels.T + number)
        assert np.array_equal(array[1, 3, 2:4], voxels.T[3, 2:4] + 1)
        image = image_of(hierarchy["/"])
        assert [axis.name for axis in image.axes] == ["c", "z", "y", "x"]
        assert [channel.colour for channel in image.channels][:3] == [(255, 0, 0), (0, 255, 0), (0, 0, 255)]


def test_an_image_has_axes_scales_and_the_rest_of_the_header(tmp_path: Path) -> None:
    affine = np.diag([2.0, 2, 3, 1])
    affine[:3, 3] = [-90, -126, -72]
    image = nibabel.Nifti1Image(values_of((4, 5, 6, 3), "i2"), affine)
    image.header.set_xyzt_units("mm", "sec")
    image.header["pixdim"][4] = 2.5
    image.header["descrip"] = b"a scan"
    image.header["cal_max"] = 0.7
    image.header.extensions.append(nibabel.nifti1.Nifti1Extension("comment", b"from the scanner"))
    nibabel.save(image, tmp_path / "a.nii")
    with zarrcore.open_hierarchy(tmp_path / "a.nii") as hierarchy:
        attributes = hierarchy["/"].attributes
        shown = image_of(hierarchy["/"])
        assert [(axis.name, axis.kind, axis.unit) for axis in shown.axes] == [
            ("t", "time", "second"),
            *((name, "space", "millimeter") for name in "zyx"),
        ]
        assert (shown.spacing, shown.origin) == ((2.5, 3, 2, 2), (0, -72, -126, -90))
        told = attributes["nifti"]
        assert (told["version"], told["descrip"], told["cal_max"]) == (1, "a scan", 0.7)
        assert told["affine"] == affine.tolist()
        assert told["extensions"] == [{"code": 6, "text": "from the scanner"}]
        json.dumps(told, allow_nan=False)


@pytest.mark.parametrize("names", [("a.hdr", "a.img"), ("a.hdr.gz", "a.img.gz"), ("A.HDR", "A.IMG")])
def test_pairs_of_files(tmp_path: Path, names: tuple[str, str]) -> None:
    values = values_of((4, 5, 6), "i2")
    image = nibabel.Nifti1Pair(values, np.eye(4))
    image.header.extensions.append(nibabel.nifti1.Nifti1Extension("comment", b"text"))
    nibabel.save(image, tmp_path / "x.hdr")
    for source, name in zip(("x.hdr", "x.img"), names, strict=True):
        content = (tmp_path / source).read_bytes()
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        (tmp_path / source).unlink()
    with zarrcore.open_hierarchy(tmp_path / names[0]) as hierarchy:
        assert np.array_equal(hierarchy["0"][...], values.T)
        assert hierarchy["/"].attributes["nifti"]["extensions"] == [{"code": 6, "text": "text"}]
    (tmp_path / names[1]).unlink()
    with pytest.raises(StoreError, match=r"cannot be read as NIfTI: .*with its elements does not exist"):
        zarrcore.open_hierarchy(tmp_path / names[0])


def test_a_copy_is_ome_zarr_that_zarr_python_and_xarray_read(tmp_path: Path) -> None:
    for number, (shape, suffix) in enumerate((((7, 8, 9), ".nii"), ((7, 8, 9, 2, 3), ".nii.gz"))):
        values = values_of(shape, "i2")
        path, target = tmp_path / f"{number}{suffix}", tmp_path / f"{number}.zarr"
        write(path, values, order=">", scaling=(0.5, 10))
        assert run_inside("check", path).status == 0
        outcome = run_inside("copy", path, target)
        assert outcome.status == 0, outcome.stderr
        expected = values.T if len(shape) == 3 else values.T.swapaxes(0, 1)
        group = zarr.open_group(target, mode="r")
        assert np.array_equal(group["0"][...], expected)
        axes = group.attrs["ome"]["multiscales"][0]["axes"]
        assert [axis["name"] for axis in axes] == [*"tczyx"[-len(shape) :]]
        with xr.open_dataset(target, engine="zarr", consolidated=False) as data:
            assert np.allclose(data["0"], expected * 0.5 + 10)
        assert run_inside("cat", path, "0").stdout == np.ascontiguousarray(expected).tobytes()


def test_requests_for_opening_and_for_a_plane(tmp_path: Path) -> None:
    values = values_of((100, 90, 41), "i2")
    write(tmp_path / "a.nii", values)
    write(tmp_path / "a.nii.gz", values)
    with distant_server(tmp_path) as server:
        for name in ("a.nii", "a.nii.gz"):
            server.forget()
            with zarrcore.open_hierarchy(f"{server.url}/{name}") as hierarchy:
                array = hierarchy["0"]
                assert len(server.requests) <= 2
                server.forget()
                assert np.array_equal(array[7], values.T[7])
                if name == "a.nii":
                    assert (len(server.requests), server.sent) == (1, 100 * 90 * 2)
                assert np.array_equal(array[...], values.T)
                if name == "a.nii.gz":
                    assert len(server.requests) <= 3


def test_large_images_have_several_chunks_of_which_the_last_is_padded(tmp_path: Path) -> None:
    values = values_of((181, 217, 61), "f4")
    for suffix in (".nii", ".nii.gz"):
        write(tmp_path / f"a{suffix}", values)
        with zarrcore.open_hierarchy(tmp_path / f"a{suffix}") as hierarchy:
            array = hierarchy["0"]
            assert array.metadata.chunk_grid.chunk_shape[0] == 26
            assert array[60:].tobytes() == values.T[60:].tobytes()
            assert array[3:60:7, 5].tobytes() == values.T[3:60:7, 5].tobytes()
            assert array[...].tobytes() == values.T.tobytes()
            keys = [entry.key for entry in listable(hierarchy.store).list_dir("0/c/")]
            assert keys == ["0/c/0/", "0/c/1/", "0/c/2/"]


def test_files_in_folders_archives_and_pipelines(tmp_path: Path) -> None:
    values = values_of((4, 5, 6), "u1")
    (tmp_path / "sub-01" / "anat").mkdir(parents=True)
    write(tmp_path / "sub-01" / "anat" / "sub-01_T1w.nii.gz", values)
    shutil.copy(tmp_path / "sub-01" / "anat" / "sub-01_T1w.nii.gz", tmp_path / "a.data")
    archive = shutil.make_archive(str(tmp_path / "b"), "zip", tmp_path / "sub-01")
    for url, name in (
        (tmp_path, "sub-01/anat/sub-01_T1w.nii.gz/0"),
        (tmp_path / "a.data", "0"),
        (f"{tmp_path}/a.data|nifti:", "0"),
        (f"{archive}|zip:anat/sub-01_T1w.nii.gz|nifti:", "0"),
    ):
        with zarrcore.open_hierarchy(url) as hierarchy:
            assert np.array_equal(hierarchy[name][...], values.T)


def test_a_file_that_is_replaced_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.stores.virtual.parsed_file._CHECKED_EACH_S", -1.0)
    path = tmp_path / "a.nii"
    write(path, values_of((4, 5, 6), "u1"))
    store = NiftiFile(LocalStore(tmp_path), "a.nii", str(path))
    assert b"[6, 5, 4]" in store.get("0/zarr.json")
    write(path, values_of((4, 5, 600), "u1"))
    assert b"[600, 5, 4]" in store.get("0/zarr.json")
    again = pickle.loads(pickle.dumps(store))
    assert again.get("0/c/0/0/0") == store.get("0/c/0/0/0")
    assert store.get("0/c/0/0/1") is store.get("0/c/00/0/0") is store.get("0/c/0/0") is store.get("x") is None
    store.close()


def test_broken_files_say_what_is_wrong(tmp_path: Path) -> None:
    values = values_of((64, 64, 64), "u1")
    write(tmp_path / "a.nii", values)
    content = (tmp_path / "a.nii").read_bytes()
    (tmp_path / "a.nii").write_bytes(content[:100_000])
    with zarrcore.open_hierarchy(tmp_path / "a.nii") as hierarchy:
        assert np.array_equal(hierarchy["0"][3], values.T[3])
        with pytest.raises(ZarrError, match="ends at byte 100,000"):
            hierarchy["0"][...]
    (tmp_path / "a.nii.gz").write_bytes(gzip.compress(content)[:-5])
    with zarrcore.open_hierarchy(tmp_path / "a.nii.gz") as hierarchy:
        assert np.array_equal(hierarchy["0"][3], values.T[3])
        with pytest.raises(ZarrError, match="breaks off"):
            hierarchy["0"][...]
    write(tmp_path / "b.nii", values, datatype=1536)
    with pytest.raises(StoreError, match=r"b\.nii cannot be read as NIfTI: its elements are 128-bit floats"):
        zarrcore.open_hierarchy(tmp_path / "b.nii")
    assert "cannot be read as NIfTI" in run_inside("tree", tmp_path).text


def test_a_header_that_claims_more_than_the_file_holds(tmp_path: Path) -> None:
    write(tmp_path / "a.nii", values_of((4, 5, 6), "u1"), dim=[7, *[30_000] * 3, *[1] * 4])
    with zarrcore.open_hierarchy(tmp_path / "a.nii") as hierarchy:
        assert hierarchy["0"].size == 30_000**3
        assert len([*listable(hierarchy.store).list_prefix("0/c/")]) == 1
        with pytest.raises(ZarrError, match="ends at byte"):
            hierarchy["0"][..., -1, -1, -1]
    write(tmp_path / "b.nii", values_of((4, 5, 6), "u1"), dim=[7, *[30_000] * 7])
    with pytest.raises(StoreError, match="beyond all limits"):
        zarrcore.open_hierarchy(tmp_path / "b.nii")
    (tmp_path / "c.nii").write_bytes(b"no header")
    with pytest.raises((StoreError, HierarchyNotFoundError)):
        zarrcore.open_hierarchy(tmp_path / "c.nii")
