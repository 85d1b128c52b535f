"""Sets of files read as a whole, whichever file is opened, compared with what tifffile reads."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile

import zarrcore
from tests.core.stores.tiff.files import array, written
from tests.core.stores.tiff.ome_sets import TIMES, Metadata, name_of, write_set
from zarrcore.errors import StoreError, ZarrError
from zarrcore.hierarchy import ArrayNode
from zarrcore.stores.tiff.ome_set import Run, binary_only, planes_of
from zarrcore.stores.virtual.file_reader import BrokenFileError

KINDS: tuple[Metadata, ...] = ("in each", "in the first", "in a companion")
TILES = {"tile": (16, 16), "compression": "zlib"}


def opened(path: Path, level: int = 0) -> ArrayNode:
    """An array of a set."""
    node = zarrcore.open_hierarchy(path)[f"/{level}"]
    assert isinstance(node, ArrayNode)
    return node


@pytest.mark.parametrize("metadata", KINDS)
@pytest.mark.parametrize("options", [{}, TILES])
def test_each_file_shows_the_whole_image(tmp_path: Path, metadata: Metadata, options: dict[str, Any]) -> None:
    data = write_set(tmp_path, metadata, is_pyramid=True, **options)
    if metadata != "in a companion":
        np.testing.assert_array_equal(tifffile.imread(tmp_path / name_of(0)), data)
    for time in (0, TIMES - 1):
        node = opened(tmp_path / name_of(time))
        assert node.dimension_names == ("t", "c", "z", "y", "x")
        np.testing.assert_array_equal(node[...], data)
        np.testing.assert_array_equal(opened(tmp_path / name_of(time), 1)[...], data[..., ::2, ::2])


def test_a_set_may_be_much_larger_than_each_of_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zarrcore.stores.tiff.level._MOST_MISSING", 1)
    monkeypatch.setattr("zarrcore.stores.tiff.level._SMALL_FILE", 1)
    data = write_set(tmp_path, "in each")
    np.testing.assert_array_equal(opened(tmp_path / name_of(0))[...], data)


def test_names_scales_and_channels_are_those_of_the_metadata_in_another_file(tmp_path: Path) -> None:
    write_set(tmp_path, "in the first")
    ome = zarrcore.open_hierarchy(tmp_path / name_of(2))["/"].attributes["ome"]
    assert ome["multiscales"][0]["name"] == "cells"
    assert ome["multiscales"][0]["datasets"][0]["coordinateTransformations"][0]["scale"][-1] == 0.5
    assert [channel["label"] for channel in ome["omero"]["channels"]] == ["dye 0", "dye 1"]


def test_a_missing_file_is_an_error_for_its_chunks_only(tmp_path: Path) -> None:
    data = write_set(tmp_path, "in each")
    (tmp_path / name_of(1)).unlink()
    node = opened(tmp_path / name_of(2))
    np.testing.assert_array_equal(node[::2], data[::2])
    with pytest.raises(
        StoreError, match=r"the file 'set_t1\.ome\.tif', which .* names as a part of its OME-TIFF set, does"
    ):
        node[1]
    write_set(tmp_path, "in each")
    np.testing.assert_array_equal(opened(tmp_path / name_of(2))[1], data[1])


def test_a_file_of_another_form_is_an_error_for_its_chunks(tmp_path: Path) -> None:
    write_set(tmp_path, "in each")
    (tmp_path / name_of(1)).write_bytes(
        written(np.zeros((4, 9, 9), "u1"), metadata=None, photometric="minisblack")
    )
    (tmp_path / name_of(2)).write_bytes(b"this is not a TIFF file")
    node = opened(tmp_path / name_of(0))
    assert node[0].shape == node.shape[1:]
    with pytest.raises(StoreError, match=r"page 0 in set_t1\.ome\.tif differs from others of its image"):
        node[1]
    with pytest.raises(StoreError, match=r"'set_t2\.ome\.tif', which .* is a broken TIFF file"):
        node[2]


def test_without_its_metadata_a_file_shows_its_own_pages(tmp_path: Path) -> None:
    data = write_set(tmp_path, "in a companion")
    (tmp_path / "set.companion.ome").unlink()
    np.testing.assert_array_equal(opened(tmp_path / name_of(1))[...], data[1].reshape(-1, 32, 40))


def test_planes_that_the_metadata_do_not_tell_of_have_the_fill_value() -> None:
    data = np.arange(1, 129, dtype="u1").reshape(2, 8, 8)
    xml = (
        '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels ID="Pixels:0" '
        'DimensionOrder="XYZCT" Type="uint8" SizeX="8" SizeY="8" SizeZ="1" SizeC="1" SizeT="5">'
        '<TiffData FirstT="0" IFD="0"/><TiffData FirstT="3" IFD="1"/>{}</Pixels></Image></OME>'
    )
    content = written(data, description=xml.format(""), metadata=None, photometric="minisblack")
    wanted = np.zeros((5, 8, 8), "u1")
    wanted[[0, 3]] = data
    np.testing.assert_array_equal(array(content)[...], wanted)
    with tifffile.TiffFile(io.BytesIO(content)) as file:
        np.testing.assert_array_equal(file.asarray(), wanted)
    beyond = array(
        written(
            data,
            description=xml.format('<TiffData FirstT="4" IFD="7"/>'),
            metadata=None,
            photometric="minisblack",
        )
    )
    with pytest.raises(ZarrError, match="mentions page 7, which does not exist"):
        beyond[4]


@pytest.mark.parametrize("name", ["/etc/passwd", "../../a.tif", "..\\a.tif", "https://example.org/a.tif"])
def test_other_files_are_read_only_from_the_same_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "b" / "c"
    folder.mkdir(parents=True)
    data = write_set(folder, "in each")
    secret = folder / name_of(1)
    secret.rename(tmp_path / "a.tif")
    for time in (0, 2):
        path = folder / name_of(time)
        with tifffile.TiffFile(path) as file:
            xml = file.pages[0].description.replace(name_of(1), name)
        path.write_bytes(
            written(data[time].reshape(-1, 32, 40), description=xml, metadata=None, photometric="minisblack")
        )
    node = opened(folder / name_of(0))
    np.testing.assert_array_equal(node[2], data[2])
    with pytest.raises(StoreError, match=r"does not exist|is not a path"):
        node[1]


XML = (
    '<OME UUID="urn:uuid:own"><Image Name="i"><Pixels DimensionOrder="XYCZT" SizeX="4" SizeY="4" SizeZ="2" SizeC="6" SizeT="1">'
    '<Channel SamplesPerPixel="3"/><Channel SamplesPerPixel="3"/>{}</Pixels></Image></OME>'
)


def test_runs_of_planes_are_in_the_order_of_the_dimensions() -> None:
    told = (
        '<TiffData FirstZ="1" IFD="5" PlaneCount="2"><UUID FileName="b.tif">urn:uuid:b</UUID></TiffData>'
        '<TiffData><UUID FileName="other name">urn:uuid:own</UUID></TiffData>'
        '<TiffData FirstC="9" IFD="1"/>'
    )
    [planes] = planes_of(XML.format(told), None, "a.tif")
    assert (planes.axes, planes.shape, planes.samples) == ("TZCYX", (1, 2, 2, 4, 4), 3)
    assert planes.runs == [Run(0, 0, "", 0), Run(2, 2, "b.tif", 5)]


@pytest.mark.parametrize(
    "xml",
    [
        "<OME",
        XML.replace('SizeZ="2"', 'SizeZ="0"').format(""),
        XML.replace('SizeZ="2"', 'SizeZ="99999999"').format(""),
        XML.replace("XYCZT", "XYC").format(""),
        XML.replace('SizeX="4" ', "").format(""),
        XML.format('<TiffData IFD="x"/>'),
    ],
)
def test_broken_metadata_are_refused(xml: str) -> None:
    with pytest.raises(BrokenFileError, match="its OME-XML is broken"):
        planes_of(xml, None, "a.tif")


def test_only_a_file_without_metadata_names_another_one() -> None:
    assert binary_only('<OME UUID="u"><BinaryOnly MetadataFile="a.ome"/></OME>') == ("a.ome", "u")
    assert binary_only("<OME><Image/></OME>") is None
    assert binary_only("<OME") is None
