"""Groups that are multiscale images as OME-TIFF: each level is a SubIFD of each plane, bit for bit, with all known metadata."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import ome_types
import pytest
import tifffile
import zarr
from hypothesis import given, settings

import zarrcore
from tests.core.conventions.described import described
from tests.core.conventions.ome.test_image import ATTRIBUTES
from tests.core.filetypes.images import numbers
from tests.core.filetypes.stream import Stream
from tests.core.filetypes.tiff.ome_schema import validate
from tests.core.filetypes.tiff.pyramids import AXES, CHANNELS, halved, ngff, written
from zarrcore.conventions import is_image
from zarrcore.errors import MetadataError, NodeNotFoundError, UnsupportedError, ZarrError
from zarrcore.filetypes import OmeTiffFile
from zarrcore.filetypes.tiff import array_as_ome_tiff, group_as_ome_tiff


@contextmanager
def opened(file: OmeTiffFile) -> Iterator[tifffile.TiffFile]:
    with tifffile.TiffFile(io.BufferedReader(Stream(file), 4096)) as tiff:
        assert tiff.is_ome
        validate(tiff.ome_metadata)
        yield tiff


def told(tiff: tifffile.TiffFile) -> Any:
    return ome_types.from_xml(tiff.ome_metadata).images[0]


@pytest.mark.sampled
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_levels_are_sub_ifds_of_planes(tmp_path: Path, zarr_format: int, depth: int) -> None:
    levels = halved((2, 2, 3, 600, 300), "u2", depth)
    group = written(tmp_path / "a", levels, ngff(AXES, depth), zarr_format, chunks=(1, 1, 2, 256, 256))
    file = group_as_ome_tiff(group)
    with opened(file) as tiff:
        assert len(tiff.pages) == 12
        assert all(len(page.subifds or ()) == depth - 1 for page in tiff.pages)
        series = tiff.series[0]
        assert (series.axes, series.kind, series.is_pyramidal) == ("TCZYX", "ome", depth > 1)
        assert len(series.levels) == depth
        for level, data in zip(series.levels, levels, strict=True):
            assert level.dtype == data.dtype
            assert np.array_equal(level.asarray(), data)
        image = told(tiff)
    pixels = image.pixels
    assert image.name == "nuclei"
    assert image.description is None
    assert [channel.name for channel in pixels.channels] == ["DAPI", "größe <&>"]
    assert [channel.color.as_hex() for channel in pixels.channels] == ["#00f", "#0f0"]
    assert (pixels.physical_size_x, pixels.physical_size_x_unit.value) == (65, "nm")
    assert (pixels.physical_size_z, pixels.physical_size_z_unit.value) == (0.5, "µm")
    assert (pixels.time_increment, pixels.time_increment_unit.value) == (2, "s")
    content = bytes(file.read(0, file.size))
    stream = io.BytesIO()
    file.write_to(stream)
    assert stream.getvalue() == content
    rng = np.random.default_rng(depth)
    for offset, nbytes in rng.integers(0, (file.size, 300_000), (50, 2)):
        assert bytes(file.read(offset, nbytes)) == content[offset : offset + nbytes]


def test_levels_are_read_lazily(tmp_path: Path) -> None:
    levels = halved((2, 1024, 1024), "u1", 3)
    written(tmp_path / "a", levels, ngff(AXES[1:2] + AXES[3:], 3), chunks=(1, 256, 256))
    cache = zarrcore.ChunkCache(1 << 20)
    hierarchy = zarrcore.open_hierarchy(tmp_path / "a", chunk_cache=cache)
    with opened(group_as_ome_tiff(hierarchy["/"])) as tiff:
        lazy = zarr.open_group(tiff.series[0].aszarr(multiscales=True), mode="r")
        assert [lazy[str(level)].shape for level in range(3)] == [data.shape for data in levels]
        assert cache.decoded == 0
        assert np.array_equal(lazy["1"][1, 300:, 300:400], levels[1][1, 300:, 300:400])
        assert cache.decoded == 1


def test_levels_that_are_not_reduced_planes_are_omitted(tmp_path: Path) -> None:
    base = numbers((4, 600, 700), "u2")
    levels = [
        base,
        base[:, ::2, ::2],
        base[:2, ::4, ::4],  # fewer planes
        base[:, ::4, ::4].astype("u4"),
        base[:, ::2, ::2],  # not smaller
        base[:, ::8],  # wider than the last
        base[:, ::4, ::4],
        base[0, ::8, ::8],
        base[:, ::8, ::8],  # cannot be decoded
        base[:, ::16, ::16],
    ]
    written(tmp_path / "a", levels, ngff(AXES[2:], len(levels) + 1))  # the last is missing
    (tmp_path / "a/8/zarr.json").write_text("{}")
    file = group_as_ome_tiff(zarrcore.open_hierarchy(tmp_path / "a")["/"])
    assert file.left_out()[0] == f"level 2 {levels[2].shape}"
    with opened(file) as tiff:
        found = [level.asarray() for level in tiff.series[0].levels]
        assert told(tiff).description == (
            "Levels omitted, since they are not these planes in fewer pixels:"
            " 2 (2, 150, 175), 3 (4, 150, 175), 4 (4, 300, 350), 5 (4, 75, 700), 7 (75, 88), 8, 10"
        )
    assert len(found) == 4
    for level, data in zip(found, (levels[0], levels[1], levels[6], levels[9]), strict=True):
        assert np.array_equal(level, data)


def test_labels_are_told_as_left_out(tmp_path: Path) -> None:
    group = written(tmp_path / "a", [numbers((6, 7), "u2")], ngff(AXES[3:], 1))
    assert group_as_ome_tiff(group).left_out() == (), "its group of labels lists none"
    zarr.open_group(tmp_path / "a/labels").attrs["ome"] = {"labels": ["nuclei", "cells"]}
    reread = zarrcore.open_hierarchy(tmp_path / "a")["/"]
    assert isinstance(reread, zarrcore.Group)
    assert group_as_ome_tiff(reread).left_out() == ("labels nuclei", "labels cells")


def test_further_images_of_a_group_are_told_as_left_out(tmp_path: Path) -> None:
    attributes = ngff(AXES[3:], 1)
    attributes["multiscales"].append({"name": "fused", "datasets": [{"path": "0"}]})
    group = written(tmp_path / "a", [numbers((6, 7), "u2")], attributes)
    assert group_as_ome_tiff(group).left_out() == ("image fused",)


def test_colours_are_samples_of_pixels(tmp_path: Path) -> None:
    base = numbers((600, 800, 3), "u1")
    levels = [base, base[::2, ::2], base[::4, ::4]]
    group = written(tmp_path / "a", levels, ngff([*AXES[3:], AXES[1]], 3))
    with opened(group_as_ome_tiff(group)) as tiff:
        assert tiff.series[0].axes == "YXS"
        for level, data in zip(tiff.series[0].levels, levels, strict=True):
            assert np.array_equal(level.asarray(), data)
        assert [channel.name for channel in told(tiff).pixels.channels] == [None]


def test_a_pyramid_of_n5_is_an_image() -> None:
    store = zarrcore.stores.MemoryStore()
    hierarchy = zarrcore.create(store, format="n5")
    resolution = {"dimensions": [4.0, 4.0, 40.0], "unit": "nm"}
    hierarchy.create_group("em", attributes={"multiScale": True, "pixelResolution": resolution})
    levels = halved((3, 300, 400), "u1", 2)
    for number, data in enumerate(levels):
        factors = {"downsamplingFactors": [2**number, 2**number, 1]}
        array = hierarchy.create_array(
            f"em/s{number}", shape=data.shape, dtype="uint8", chunks=(2, 64, 64), attributes=factors
        )
        array[...] = data
    with opened(group_as_ome_tiff(hierarchy["em"])) as tiff:
        assert tiff.series[0].axes == "ZYX"
        for level, data in zip(tiff.series[0].levels, levels, strict=True):
            assert np.array_equal(level.asarray(), data)
        image = told(tiff)
    assert image.name == "em"
    assert (image.pixels.physical_size_z, image.pixels.physical_size_z_unit.value) == (40, "nm")
    assert (image.pixels.physical_size_x, image.pixels.physical_size_x_unit.value) == (4, "nm")


def test_a_narrow_level_is_not_taken_for_colours() -> None:
    hierarchy = zarrcore.create(zarrcore.stores.MemoryStore(), format="n5")
    hierarchy.create_group("em", attributes={"multiScale": True})
    levels = halved((2, 6, 8), "u1", 2)  # the second is four pixels wide
    for number, data in enumerate(levels):
        hierarchy.create_array(f"em/s{number}", shape=data.shape, dtype="uint8")[...] = data
    with opened(group_as_ome_tiff(hierarchy["em"])) as tiff:
        assert tiff.series[0].axes == "ZYX"
        assert np.array_equal(tiff.series[0].levels[1].asarray(), levels[1])


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_an_array_of_a_level_has_the_metadata_of_its_image(tmp_path: Path, zarr_format: int) -> None:
    axes = [AXES[0], AXES[1], *AXES[3:]]
    levels = halved((5, 2, 60, 70), "u2", 2)
    group = written(tmp_path / "a", levels, ngff(axes, 2), zarr_format)
    array = group["1"]
    with opened(
        array_as_ome_tiff(array, (slice(None, None, 2), 1, slice(None, None, -3)), group.attributes)
    ) as tiff:
        assert tiff.series[0].axes == "TYX"
        assert np.array_equal(tiff.asarray(), levels[1][::2, 1, ::-3])
        pixels = told(tiff).pixels
    assert [channel.name for channel in pixels.channels] == [CHANNELS[1]["label"]]
    assert (pixels.time_increment, pixels.physical_size_y, pixels.physical_size_x) == (4, 390, 130)
    with opened(array_as_ome_tiff(array, (0, slice(None, None, -1)), group.attributes)) as tiff:
        names = [channel["label"] for channel in CHANNELS[::-1]]
        assert [channel.name for channel in told(tiff).pixels.channels] == names
    with opened(array_as_ome_tiff(group["labels/cells"], ..., group["labels"].attributes)) as tiff:
        assert told(tiff).pixels.physical_size_x is None


@settings(max_examples=60)
@given(ATTRIBUTES)
def test_any_metadata_give_an_image_or_an_error(attributes: dict[str, Any]) -> None:
    if not is_image(described("/image", attributes)):
        return
    hierarchy = zarrcore.create(zarrcore.stores.MemoryStore())
    group = hierarchy.create_group("image", attributes=attributes)
    for name, shape in (("a", (2, 3, 4)), ("s0", (2, 3, 4)), ("s1", (2, 2, 3))):
        array = hierarchy.create_array(f"image/{name}", shape=shape, dtype="uint8")
        array[...] = numbers(shape, "u1")
        with opened(array_as_ome_tiff(array, ..., group.attributes)) as tiff:
            assert tiff.asarray().size == array.size
    try:
        file = group_as_ome_tiff(group)
    except ZarrError:
        return
    with opened(file) as tiff:
        assert tiff.asarray().size in (12, 24)


def test_groups_that_ome_tiff_cannot_hold_are_refused(tmp_path: Path) -> None:
    attributes = ngff(AXES[3:], 1)
    with pytest.raises(UnsupportedError, match="'int64' has no counterpart in OME-TIFF"):
        group_as_ome_tiff(written(tmp_path / "a", [np.zeros((5, 5), "i8")], attributes))
    with pytest.raises(UnsupportedError, match="no planes"):
        group_as_ome_tiff(written(tmp_path / "b", [np.zeros((0, 5), "u1")], attributes))
    with pytest.raises(NodeNotFoundError):
        group_as_ome_tiff(written(tmp_path / "c", [], ngff(AXES[3:], 2)))
    with pytest.raises(MetadataError, match="its levels are missing"):
        group_as_ome_tiff(written(tmp_path / "d", [], {"multiscales": [{"datasets": [{"path": "labels"}]}]}))
