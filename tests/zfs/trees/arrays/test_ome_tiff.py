"""Arrays and multiscale images as OME-TIFF through a real mount: other programs read them bit for bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
import zarr
from PIL import Image

from tests.core.filetypes.images import numbers
from tests.core.filetypes.tiff.ome_schema import validate
from tests.core.filetypes.tiff.pyramids import AXES, halved, ngff, written
from tests.servers import S3Server
from tests.servers.proxy import proxy
from tests.zfs.conftest import Mount, Mounter
from tests.zfs.test_hierarchies import decodable, same_bits

TYPES = [
    np.dtype(code) for code in ("?", "i1", "u1", "<i2", "<u2", "<i4", "<u4", "<f4", "<f8", "<c8", "<c16")
]


def test_every_supported_array_is_readable_as_ome_tiff(mounted_hierarchy: tuple[Any, Mount]) -> None:
    read = 0
    for folder, expected in decodable(*mounted_hierarchy):
        path = folder / "data.ome.tiff"
        fits = expected.size > 0 and expected.ndim <= 5 and expected.dtype in TYPES
        assert path.exists() == fits, folder
        if not fits:
            continue
        with tifffile.TiffFile(path) as tiff:
            validate(tiff.ome_metadata)
            elements = expected.view("u1") if expected.dtype == bool else expected
            assert same_bits(tiff.asarray().reshape(expected.shape), elements), folder
        read += 1
    assert read > 50


@pytest.fixture(scope="module")
def levels() -> list[np.ndarray]:
    return halved((2, 3, 1100, 700), "u2", 3)


@pytest.fixture(scope="module")
def image(mounter: Mounter, tmp_path_factory: pytest.TempPathFactory, levels: list[np.ndarray]) -> Mount:
    path = tmp_path_factory.mktemp("images")
    axes = [AXES[1], *AXES[2:]]
    written(path / "v3.zarr", levels, ngff(axes, 3), 3, chunks=(1, 1, 64, 64), shards=(1, 3, 256, 128))
    written(path / "v2.zarr", levels, ngff(axes, 3), 2, chunks=(1, 2, 100, 300))
    written(path / "fewer.zarr", levels[:1], ngff(axes, 2))
    node = written(path / "node.zarr", levels[:1], ngff(axes, 1))
    zarr.open_group(path / "node.zarr").create_group("image.ome.tiff")
    assert node.path == "/"
    zarr.save_array(path / "pixels.zarr", numbers((2, 40, 60, 3), "u1"))
    return mounter(path)


@pytest.mark.parametrize("name", ["v2.zarr", "v3.zarr"])
def test_levels_of_an_image_are_one_file(
    image: Mount, levels: list[np.ndarray], name: str, tmp_path: Path
) -> None:
    folder = image.arrays / name
    path = folder / "image.ome.tiff"
    assert not {"image.ome.tiff", "data.ome.tiff"}.intersection(os.listdir(folder) + os.listdir(folder / "0"))
    assert path.stat().st_size == len(path.read_bytes())
    with tifffile.TiffFile(path) as tiff:
        validate(tiff.ome_metadata)
        assert tiff.series[0].axes == "CZYX"
        assert len(tiff.series[0].levels) == 3
        for level, data in zip(tiff.series[0].levels, levels, strict=True):
            assert np.array_equal(level.asarray(), data)
        lazy = zarr.open_array(tiff.series[0].aszarr(level=1), mode="r")
        assert np.array_equal(lazy[1, 2, 100:, 5:77], levels[1][1, 2, 100:, 5:77])
    with Image.open(path) as picture:
        picture.seek(4)
        assert np.array_equal(np.asarray(picture), levels[0][1, 1])
    for command in (["tiffinfo"], ["tiffcp", "-8", "-s"]):
        target = [tmp_path / "copied.tiff"] if command[0] == "tiffcp" else []
        assert not subprocess.run([*command, path, *target], capture_output=True, check=True).stderr
    assert np.array_equal(
        tifffile.imread(tmp_path / "copied.tiff", is_ome=False).reshape(levels[0].shape), levels[0]
    )
    assert json.loads((folder / "attributes.json").read_bytes())
    with tifffile.TiffFile(folder / "1/data.ome.tiff") as tiff:
        assert np.array_equal(tiff.asarray(), levels[1])
        assert 'Name="DAPI"' in tiff.ome_metadata  # the group's metadata of its level
        assert 'PhysicalSizeX="130.0"' in tiff.ome_metadata


@pytest.mark.parametrize("name", ["v2.zarr", "v3.zarr"])
def test_parts_of_a_level_are_named_by_the_axes_of_its_image(
    image: Mount, levels: list[np.ndarray], name: str
) -> None:
    folder = image.arrays / name / "1"
    assert np.array_equal(np.load(folder / "[c=1,z=2,y=3:90].npy"), levels[1][1, 2, 3:90])
    assert not (folder / "[t=1].npy").exists()
    assert not (image.arrays / "pixels.zarr/[c=1].npy").exists()


def test_groups_that_are_not_images_lack_the_file(image: Mount) -> None:
    for folder in ("", "v2.zarr/labels", "pixels.zarr"):
        assert not (image.arrays / folder / "image.ome.tiff").exists()
    assert (image.arrays / "node.zarr/image.ome.tiff").is_dir()


def test_the_log_says_once_why_there_is_no_image(mount: Mounter, tmp_path: Path) -> None:
    images = tmp_path / "images"
    levels = halved((40, 50), "u1", 2)
    written(images / "wide.zarr", [np.zeros((5, 5), "i8")], ngff(AXES[3:], 1))
    written(images / "gone.zarr", [], ngff(AXES[3:], 1))
    written(images / "broken.zarr", levels, ngff(AXES[3:], 2))
    (images / "broken.zarr/0/zarr.json").write_text("{")
    mounted = mount(images, "--metadata-ttl", "0")
    reasons = {
        "wide.zarr": "data type 'int64' has no counterpart",
        "gone.zarr": "no node /gone.zarr/0",
        "broken.zarr": "the first level of its pyramid is broken: broken.zarr/0/zarr.json",
    }
    for name in [*reasons] * 2:
        assert not (mounted.arrays / name / "image.ome.tiff").exists()
    lines = mounted.log.read_text().splitlines()
    assert len(lines) == 3
    for line, (name, why) in zip(lines, reasons.items(), strict=True):
        assert f"{name}#/ has no image.ome.tiff: " in line
        assert why in line


def test_a_missing_level_is_omitted_from_the_image(image: Mount, levels: list[np.ndarray]) -> None:
    with tifffile.TiffFile(image.arrays / "fewer.zarr/image.ome.tiff") as tiff:
        assert np.array_equal(tiff.asarray(), levels[0])
        assert "in fewer pixels: 1<" in tiff.ome_metadata


def test_planes_and_selections_open_as_ome_tiff(image: Mount) -> None:
    folder = image.arrays / "pixels.zarr"
    expected = np.load(folder / "data.npy")
    for name, part in (("slices/1.ome.tiff", expected[1]), ("[:,3:9].ome.tiff", expected[:, 3:9])):
        with tifffile.TiffFile(folder / name) as tiff:
            assert tiff.is_ome
            assert tiff.series[0].axes[-1] == "S"
            assert np.array_equal(tiff.asarray(), part)
    assert not (folder / "slices/2.ome.tiff").exists()
    assert not (folder / "[9].ome.tiff").exists()
    assert not (folder / ".ome.tiff").exists()


def test_listings_have_the_chosen_file_types(mounter: Mounter, tmp_path: Path) -> None:
    written(tmp_path / "a.zarr", halved((2, 30, 40), "u1", 2), ngff([AXES[1], *AXES[3:]], 2))
    folder = mounter(tmp_path / "a.zarr", "--show", "ome.tiff").arrays
    assert sorted(os.listdir(folder)) == [
        "0",
        "1",
        "attributes.json",
        "image.ome.tiff",
        "labels",
        "metadata.json",
    ]
    assert sorted(os.listdir(folder / "0")) == ["attributes.json", "data.ome.tiff", "metadata.json", "slices"]
    assert os.listdir(folder / "0/slices") == ["0.ome.tiff", "1.ome.tiff"]


def test_a_rewritten_level_opens_with_its_new_content(mount: Mounter, tmp_path: Path) -> None:
    levels = halved((40, 50), "u1", 2)
    written(tmp_path / "a.zarr", levels, ngff(AXES[3:], 2))
    mounted = mount(tmp_path / "a.zarr", "--metadata-ttl", "0")
    path = mounted.arrays / "image.ome.tiff"
    with tifffile.TiffFile(path) as tiff:
        assert len(tiff.series[0].levels) == 2
    zarr.open_array(tmp_path / "a.zarr/1", mode="r+")[...] = 9
    assert (tifffile.imread(path, series=0, level=1) == 9).all()
    written(tmp_path / "a.zarr", levels[:1], ngff(AXES[3:], 1))
    with tifffile.TiffFile(path) as tiff:
        assert len(tiff.series[0].levels) == 1
        assert np.array_equal(tiff.asarray(), levels[0])


@pytest.mark.parametrize("buffer_nbytes", [8 << 10, 128 << 10])  # of Python before 3.14, and since
def test_reading_a_tile_decodes_its_chunk_only(mount: Mounter, tmp_path: Path, buffer_nbytes: int) -> None:
    levels = halved((2, 3, 1024, 1024), "u2", 3)
    written(tmp_path / "a.zarr", levels, ngff([AXES[1], *AXES[2:]], 3), chunks=(1, 1, 256, 256))
    mounted = mount(tmp_path / "a.zarr")
    path = mounted.arrays / "image.ome.tiff"
    with open(path, "rb", buffering=buffer_nbytes) as file, tifffile.TiffFile(file) as tiff:
        assert [level.shape[-1] for level in tiff.series[0].levels] == [1024, 512, 256]
        offsets = tiff.series[0].levels[1].pages[4].dataoffsets
    assert mounted.stats()["decoded"]["chunks"] == 0
    assert _read_at(path, offsets[3], 256 * 256 * 2) == levels[1][1, 1, 256:, 256:].tobytes()
    assert mounted.stats()["decoded"]["chunks"] == 1


_LOOKING = """
import sys, tifffile
with tifffile.TiffFile(sys.argv[1]) as tiff:
    level = tiff.series[0].levels[1]
    print(level.shape, level.pages[3].dataoffsets[3])
"""


def test_far_away(s3: S3Server, mount: Mounter, tmp_path: Path) -> None:
    """Opening an image only requests metadata, and reading a tile only its chunk."""
    levels = halved((2, 2, 700, 900), "u2", 3)
    written(tmp_path / "far.zarr", levels, ngff([AXES[1], *AXES[2:]], 3), chunks=(1, 1, 256, 256))
    s3.upload(tmp_path / "far.zarr", "bucket/far.zarr")
    with proxy(s3.endpoint_url, 0.05) as distant:
        mounted = mount("s3://bucket/far.zarr", "--endpoint-url", distant.url, "--region", "us-east-1")
        path = mounted.arrays / "image.ome.tiff"
        told = subprocess.run(
            [sys.executable, "-c", _LOOKING, path], capture_output=True, text=True, check=True
        )
        shape, offset = told.stdout.rsplit(maxsplit=1)
        assert shape == "(2, 2, 350, 450)"
        asked = mounted.stats()
        assert asked["decoded"]["chunks"] == 0
        tile = np.frombuffer(_read_at(path, int(offset), 256 * 256 * 2), "u2").reshape(256, 256)
        assert np.array_equal(tile[:94, :194], levels[1][1, 1, 256:, 256:])
        assert not tile[94:].any()
        reading = mounted.stats()
        assert reading["decoded"]["chunks"] == 1
        assert reading["store"]["get"]["requests"] == asked["store"]["get"]["requests"] + 1


def _read_at(path: Path, offset: int, nbytes: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)  # so that the kernel does not read ahead
        return os.pread(descriptor, nbytes, offset)
    finally:
        os.close(descriptor)
