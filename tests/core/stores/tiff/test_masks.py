"""Transparency masks of TIFF files, against what GDAL reads."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import tifffile
from rasterio.enums import Resampling
from rasterio.shutil import copy
from rasterio.transform import from_origin

from tests.core.stores.tiff.files import store_of
from zarrcore.hierarchy import ArrayNode, Group
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.typing import AnyArray


def masked(path: Path, count: int, *, reduced: tuple[int, ...] = (), **options: Any) -> None:
    """Write an image with a mask inside the file, and both in lower resolutions."""
    elements = np.random.default_rng(1).integers(1, 200, (count, 70, 101)).astype("u1")
    mask = np.zeros((70, 101), "u1")
    mask[5:50, 40:93] = 255
    mask[20, 3] = 255
    form = {"driver": "GTiff", "width": 101, "height": 70, "count": count, "dtype": "uint8"}
    place = {"crs": "EPSG:32633", "transform": from_origin(500_000, 0, 3, 3)}
    with (
        rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True),
        rasterio.open(path, "w", **form, **place, **options) as file,
    ):
        file.write(elements)
        file.write_mask(mask)
    if reduced:
        with rasterio.open(path, "r+") as file:
            file.build_overviews(list(reduced), Resampling.nearest)


def expected(path: Path, level: int) -> tuple[AnyArray, AnyArray]:
    """The elements and the mask of one resolution, as GDAL reads them."""
    options = {} if level == 0 else {"overview_level": level - 1}
    with rasterio.open(path, **options) as file:
        elements = file.read()
        for band in range(1, file.count + 1):
            np.testing.assert_array_equal(file.read_masks(band), file.dataset_mask())
        return elements if file.count > 1 else elements[0], file.dataset_mask()


TILES = {"tiled": True, "blockxsize": 16, "blockysize": 32, "compress": "deflate"}


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    ("count", "options"),
    [
        (1, TILES),
        (1, {"compress": "lzw"}),
        (1, {}),
        (3, {**TILES, "photometric": "rgb", "interleave": "pixel"}),
        (2, {**TILES, "interleave": "band"}),
        (1, {"nbits": 1}),
    ],
    ids=["tiles", "strips", "plain", "colours", "bands", "one bit"],
)
@pytest.mark.parametrize("reduced", [(), (2, 4)])
def test_a_mask_is_in_the_group_of_its_image(
    tmp_path: Path, count: int, options: dict[str, Any], reduced: tuple[int, ...]
) -> None:
    path = tmp_path / "a.tif"
    masked(path, count, reduced=reduced, **options)
    root = root_of(path.read_bytes())
    names = [str(level) for level in range(1 + len(reduced))]
    assert sorted(root.child_names()) == [*names, "mask"]
    assert root.attributes["tiff"]["mask"] == "mask"
    assert root.attributes["geotiff"]["epsg"] == 32633
    [image], [mask] = (group.attributes["ome"]["multiscales"] for group in (root, root["mask"]))
    assert [each["path"] for each in image["datasets"]] == names
    assert mask == {name: image[name] for name in mask} | {
        "axes": image["axes"][-2:],
        "datasets": [
            {
                "path": each["path"],
                "coordinateTransformations": [
                    {"type": "scale", "scale": each["coordinateTransformations"][0]["scale"][-2:]}
                ],
            }
            for each in image["datasets"]
        ],
    }
    for level, name in enumerate(names):
        elements, valid = expected(path, level)
        np.testing.assert_array_equal(root[name].read(), elements)
        of_level = root[f"mask/{name}"]
        assert isinstance(of_level, ArrayNode)
        np.testing.assert_array_equal(of_level.read(), valid == 255)
        assert of_level.attributes == {"flag_values": [0, 1], "flag_meanings": "missing valid"}


def test_masks_of_a_cloud_optimized_file_are_in_the_group_of_their_image(tmp_path: Path) -> None:
    masked(tmp_path / "a.tif", 3, photometric="rgb")
    path = tmp_path / "b.tif"
    options = {"driver": "COG", "blocksize": 128, "compress": "jpeg", "overview_count": 2}
    copy(tmp_path / "a.tif", path, **options)
    root = root_of(path.read_bytes())
    for level, name in enumerate(sorted(root["mask"].child_names())):
        np.testing.assert_array_equal(root[f"mask/{name}"].read(), expected(path, level)[1] == 255)


def pages(*written: tuple[AnyArray, int]) -> Group:
    """The root of a file with a page for each array, of a kind of page."""
    return root_of(file_of(*written))


def root_of(content: bytes) -> Group:
    root = open_place(store_of(content)).node("/")
    assert isinstance(root, Group)
    return root


def file_of(*written: tuple[AnyArray, int]) -> bytes:
    file = io.BytesIO()
    with tifffile.TiffWriter(file) as writer:
        for elements, kind in written:
            photometric = 4 if kind & 4 else 2 if elements.ndim == 3 else 1
            extra = {"photometric": photometric, "subfiletype": kind}
            writer.write(elements, metadata=None, compression="packbits", **extra)
    return file.getvalue()


def test_resolutions_of_images_and_of_masks_may_alternate() -> None:
    image, mask = np.arange(5120, dtype="u2").reshape(64, 80), np.tri(64, 80, dtype=bool)
    parts = [(image, 0), (mask, 4), (image[::2, ::2], 1), (mask[::2, ::2], 5), (image[::4, ::4], 1)]
    root = pages(*parts, (mask[::4, ::4], 5))
    for level in range(3):
        step = 2**level
        np.testing.assert_array_equal(root[f"{level}"].read(), image[::step, ::step])
        np.testing.assert_array_equal(root[f"mask/{level}"].read(), mask[::step, ::step])


def test_each_of_several_images_has_its_own_mask() -> None:
    one, other = np.full((8, 9), 3, "u1"), np.full((5, 6, 3), 4, "u1")
    masks = np.tri(8, 9, dtype=bool), np.eye(5, 6, dtype=bool)
    root = pages((one, 0), (masks[0], 4), (other, 0), (masks[1], 4))
    assert sorted(root.child_names()) == ["0", "1"]
    for name, mask in zip("01", masks, strict=True):
        np.testing.assert_array_equal(root[f"{name}/mask/0"].read(), mask)


def test_a_mask_of_other_lengths_is_an_image() -> None:
    root = pages((np.ones((8, 9), "u1"), 0), (np.eye(8, 10, dtype=bool), 4))
    assert sorted(root.child_names()) == ["0", "1"]
    assert root["1"].attributes["tiff"]["photometric"] == "mask"
    np.testing.assert_array_equal(root["1/0"].read(), np.eye(8, 10, dtype=bool))


def test_a_mask_of_bytes_says_which_elements_are_missing() -> None:
    mask = np.eye(8, 9, dtype="u1") * 255
    file = io.BytesIO(file_of((np.ones((8, 9), "u2"), 0), (mask, 1)))
    with tifffile.TiffFile(file, mode="r+b") as written:
        written.pages[1].tags[254].overwrite(4)  # tifffile writes masks of bits only
    of_image = root_of(file.getvalue())["mask/0"]
    np.testing.assert_array_equal(of_image.read(), mask)
    assert of_image.attributes == {"flag_values": [0], "flag_meanings": "missing"}
