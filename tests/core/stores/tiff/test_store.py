"""TIFF files as stores: keys, listings, remote reads, broken files."""

from __future__ import annotations

import io
import pickle
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import rasterio
import tifffile
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.command import run_inside
from tests.core.stores.tiff.files import array, expected, opened, pyramid, store_of, written
from tests.proofs.fuzz.sources import check_sentence
from tests.servers.distant import DistantServer, distant_server
from zarrcore.errors import InternalError, MissingExtraError, StoreError, ZarrError
from zarrcore.hierarchy import ArrayNode
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.stores import LocalStore
from zarrcore.stores.interface import ListableStore

IMAGE = np.random.default_rng(0).integers(0, 255, (3, 200, 300)).astype("u1")
LEVELS = [IMAGE, IMAGE[:, ::2, ::2], IMAGE[:, ::4, ::4]]
TILED = {"tile": (64, 64), "compression": "zlib", "photometric": "minisblack"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[DistantServer]:
    with distant_server(tmp_path) as running:
        yield running


def test_listings_tell_all_keys_and_their_sizes() -> None:
    store = store_of(pyramid(LEVELS, **TILED, metadata={"axes": "CYX"}))
    assert isinstance(store, ListableStore)
    assert [entry.key for entry in store.list_dir("")] == ["zarr.json", "0/", "1/", "2/"]
    entries = [*store.list_prefix("")]
    assert len(entries) == 1 + 3 + 3 * (4 * 5 + 2 * 3 + 1 * 2)
    for entry in entries:
        facts = store.stat(entry.key)
        assert facts is not None
        assert entry.size in (None, facts.size)
        assert len(bytes(store.get(entry.key) or b"")) == facts.size
    assert [*store.list_dir("0/c/7/")] == [*store.list_dir("0/c/x/")] == [*store.list_dir("nothing/")] == []
    assert [entry.key for entry in store.list_dir("2/c/1/0/")] == ["2/c/1/0/0", "2/c/1/0/1"]


@pytest.mark.parametrize(
    "key", ["0/c/0/0", "0/c/0/0/00", "0/c/0/0/9", "0/c/0/0/-1", "c/0", "3/zarr.json", "0/c/0/0/²"]
)
def test_other_keys_are_absent(key: str) -> None:
    assert store_of(pyramid(LEVELS, **TILED, metadata=None)).get(key) is None


def test_a_store_is_pickled() -> None:
    store = store_of(written(IMAGE[0]))
    store.get("zarr.json")
    again = pickle.loads(pickle.dumps(store))
    assert bytes(again.get("0/zarr.json")) == bytes(store.get("0/zarr.json") or b"")


def test_a_replaced_file_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.stores.virtual.parsed_file._CHECKED_EACH_S", -1)
    tifffile.imwrite(tmp_path / "a.tif", IMAGE[0])
    with opened(LocalStore(tmp_path), "a.tif") as store:
        before = bytes(store.get("0/zarr.json") or b"")
        tifffile.imwrite(tmp_path / "new.tif", IMAGE[0, :50])
        (tmp_path / "new.tif").rename(tmp_path / "a.tif")
        assert bytes(store.get("0/zarr.json") or b"") != before


def test_a_copy_has_the_same_elements(tmp_path: Path) -> None:
    (tmp_path / "a.tif").write_bytes(pyramid(LEVELS, **TILED, metadata={"axes": "CYX"}))
    assert run_inside("copy", tmp_path / "a.tif", tmp_path / "a.zarr").status == 0
    copy = zarrcore.open_hierarchy(tmp_path / "a.zarr")
    for place, level in enumerate(LEVELS):
        np.testing.assert_array_equal(copy.node(str(place))[...], level)


def test_a_remote_pyramid_is_opened_with_few_requests(tmp_path: Path, server: DistantServer) -> None:
    (tmp_path / "a.tif").write_bytes(pyramid(LEVELS, as_pages=True, **TILED, metadata=None))
    node = zarrcore.open_hierarchy(f"{server.url}/a.tif").node("0")
    assert isinstance(node, ArrayNode)
    assert len(server.requests) <= 2
    server.forget()
    np.testing.assert_array_equal(node[0, :64, :64], IMAGE[0, :64, :64])
    assert len(server.requests) == 1
    assert server.sent < 64 * 64 + 1024


def test_a_remote_file_without_a_suffix_is_recognized(tmp_path: Path, server: DistantServer) -> None:
    (tmp_path / "scan").write_bytes(written(IMAGE[0]))
    for address in (f"{server.url}/scan", f"{server.url}/scan|tiff:"):
        np.testing.assert_array_equal(zarrcore.open_hierarchy(address).node("0")[...], IMAGE[0])


def test_without_tifffile_the_error_tells_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tifffile", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'zarrscope\[tiff\]'"):
        store_of(b"II*\0").get("zarr.json")


@pytest.mark.parametrize(
    "content",
    [
        b"II*\0",
        b"II*\0\x08\0\0\0",
        b"MM\0*\xff\xff\xff\xff",
        b"II+\0\x08\0\0\0" + b"\xff" * 8,
        b"II*\0\x08\0\0\0" + b"\xff" * 64,
    ],
)
def test_broken_files_get_one_sentence(content: bytes) -> None:
    with pytest.raises(StoreError, match="is a broken TIFF file, it cannot be read") as caught:
        store_of(content).get("zarr.json")
    assert "\n" not in str(caught.value)


def test_a_loop_of_pages_ends() -> None:
    content = bytearray(written(IMAGE, metadata=None, photometric="minisblack"))
    with tifffile.TiffFile(io.BytesIO(content)) as file:
        first, last = file.pages[0].offset, file.pages[2].offset
        count = int.from_bytes(content[last : last + 2], "little")
    at = last + 2 + 12 * count
    content[at : at + 4] = first.to_bytes(4, "little")
    try:
        assert len([*open_place(store_of(bytes(content))).walk()]) >= 2
    except StoreError as error:
        check_sentence(error)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_changed_bytes_give_nodes_or_one_sentence(data: st.DataObject) -> None:
    content = bytearray(
        pyramid([level[0] for level in LEVELS], tile=(64, 64), compression="lzw", metadata=None)
    )
    with tifffile.TiffFile(io.BytesIO(content)) as file:
        start = file.pages[0].offset
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, 16) | st.integers(start, min(len(content), start + 300) - 1))
        content[at] = data.draw(st.integers(0, 255))
    try:
        for node in open_place(store_of(bytes(content))).walk():
            if isinstance(node, ArrayNode) and node.size < 1 << 17:
                node[...]
    except ZarrError as error:
        check_sentence(error)


def test_all_resolutions_have_the_elements_that_tifffile_reads() -> None:
    content = pyramid(LEVELS, **TILED, metadata={"axes": "CYX"})
    for place in range(3):
        np.testing.assert_array_equal(array(content, str(place))[...], expected(content, level=place))


def test_a_part_of_tifffile_that_cannot_be_imported_is_no_damage_of_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lacking(*_: object) -> None:
        raise ImportError("cannot import name 'x' from partially initialized module")

    monkeypatch.setattr("zarrcore.stores.tiff.store._Content", lacking)
    with pytest.raises(InternalError, match="the data may be in order") as caught:
        open_place(store_of(pyramid(LEVELS, **TILED, metadata={"axes": "CYX"})))
    assert "broken" not in str(caught.value)


@pytest.mark.parametrize("predictor", [1, 2])
@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
def test_bytes_after_the_stream_of_a_deflated_strip_are_ignored_as_by_libtiff(
    tmp_path: Path, predictor: int
) -> None:
    plane = IMAGE[0]
    stored = np.diff(plane, axis=1, prepend=np.zeros((len(plane), 1), "u1")) if predictor == 2 else plane
    strips = (zlib.compress(stored[at : at + 64].tobytes()) + b"more" * 9 for at in range(0, 200, 64))
    options = {"shape": plane.shape, "dtype": "u1", "rowsperstrip": 64, "predictor": predictor > 1}
    tifffile.imwrite(tmp_path / "a.tif", strips, compression="zlib", photometric="minisblack", **options)
    with rasterio.open(tmp_path / "a.tif") as file:
        np.testing.assert_array_equal(file.read(1), plane)
    found = zarrcore.open_hierarchy(tmp_path / "a.tif")["0"]
    assert isinstance(found, zarrcore.Array)
    np.testing.assert_array_equal(found.read(), plane)


@pytest.mark.parametrize(("options", "title"), [({"ome": True}, "OME-TIFF"), ({}, "TIFF")])
def test_a_file_says_what_it_is_once_it_was_read(
    options: dict[str, bool], title: str, tmp_path: Path
) -> None:
    tifffile.imwrite(tmp_path / "a.tif", np.zeros((8, 8), np.uint8), **options)
    assert zarrcore.open_hierarchy(tmp_path / "a.tif").store.presents == title
