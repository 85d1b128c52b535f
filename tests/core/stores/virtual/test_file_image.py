"""Images whose elements a file stores as one array."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.stores import MemoryStore
from zarrcore.stores.virtual import row_chunks
from zarrcore.stores.virtual.file_image import Axis, FileImage, Place
from zarrcore.stores.virtual.file_reader import BrokenFileError
from zarrcore.stores.virtual.inflated_file import InflatedFile

KINDS = {"t": "time", "c": "channel", "z": "space", "y": "space", "x": "space", "k": ""}


def image(names: str, shape: tuple[int, ...], dtype: str = "<i2", places: int = 1, **more: bool) -> FileImage:
    store = MemoryStore()
    return FileImage(
        np.dtype(dtype),
        shape,
        tuple(Axis(name, KINDS[name]) for name in names),
        tuple(Place(store, str(number), 100) for number in range(places)),
        {},
        **more,
    )


@given(
    names=st.sampled_from(["zyx", "zyxc", "ctzyx", "tzyxc", "czyx", "k", "kyx", "tkzyx", "yxc"]),
    lengths=st.lists(st.integers(1, 6), min_size=5, max_size=5),
    places=st.integers(1, 3),
    aimed=st.integers(1, 300),
)
def test_chunks_are_all_elements_in_the_order_of_the_array(
    names: str, lengths: list[int], places: int, aimed: int
) -> None:
    before, row_chunks._AIMED_NBYTES = row_chunks._AIMED_NBYTES, aimed  # type: ignore[misc]
    try:
        shape = (lengths[0] * places, *lengths[1 : len(names)])
        found = image(names, shape, places=places)
        chunk_shape = found.stored_chunk
    finally:
        row_chunks._AIMED_NBYTES = before  # type: ignore[misc]
    stored = np.arange(int(np.prod(shape)), dtype="<i2")
    files = [part.tobytes() for part in np.split(stored, places)]
    values = np.full([n * c for n, c in zip(found.grid, chunk_shape, strict=True)], -1, "<i2")
    for index in product(*map(range, found.grid)):
        number, part = found.chunk(index)
        assert part.key == str(number)
        data = files[number][part.start - 100 :][: part.nbytes] + bytes(part.zeros)
        place = tuple(slice(i * c, (i + 1) * c) for i, c in zip(index, chunk_shape, strict=True))
        values[place] = np.frombuffer(data, "<i2").reshape(chunk_shape)
    inside = tuple(slice(n) for n in shape)
    assert np.array_equal(values[inside], stored.reshape(shape))
    assert values.size * 2 == found.chunk_nbytes * int(np.prod(found.grid))
    document = found.array_document()
    ordered = stored.reshape(shape).transpose(found.order)
    assert document["shape"] == list(ordered.shape)
    assert document["chunk_grid"]["configuration"]["chunk_shape"] == [chunk_shape[i] for i in found.order]
    codec = document["codecs"][0]
    if codec["name"] == "transpose":
        assert np.array_equal(ordered.transpose(codec["configuration"]["order"]), stored.reshape(shape))
    else:
        assert np.array_equal(ordered.reshape(-1), stored)


@pytest.mark.parametrize(
    ("names", "expected"),
    [("zyx", "zyx"), ("zyxc", "czyx"), ("ctzyx", "tczyx"), ("tzyxc", "tczyx"), ("x", None), ("ckzyx", None)],
)
def test_the_order_is_that_of_ome_zarr(names: str, expected: str | None) -> None:
    found = image(names, (2,) * len(names))
    ome = found.group_document()["attributes"].get("ome")
    assert found.array_document()["dimension_names"] == list(expected or names)
    if expected is None:
        assert ome is None
    else:
        assert "".join(axis["name"] for axis in ome["multiscales"][0]["axes"]) == expected


def test_an_axis_of_length_1_needs_no_transpose() -> None:
    assert not image("ctzyx", (3, 1, 4, 5, 6)).is_transposed
    assert image("ctzyx", (3, 2, 4, 5, 6)).is_transposed


@pytest.mark.parametrize(
    ("dtype", "data_type", "endian"),
    [
        (">f4", "float32", "big"),
        ("<u8", "uint64", "little"),
        ("|i1", "int8", None),
        ("<c8", "complex64", "little"),
    ],
)
def test_data_types_have_a_byte_order(dtype: str, data_type: str, endian: str | None) -> None:
    document = image("yx", (2, 3), dtype).array_document()
    assert document["data_type"] == data_type
    assert document["codecs"][0].get("configuration", {}).get("endian") == endian


def test_colours_have_windows_of_the_type() -> None:
    channels = image("yxc", (5, 6, 4), "|u1", is_colour=True).group_document()["attributes"]["ome"]["omero"][
        "channels"
    ]
    assert [channel["color"] for channel in channels] == ["FF0000", "00FF00", "0000FF", "FFFFFF"]
    assert [channel["active"] for channel in channels] == [True, True, True, False]
    assert {channel["window"]["end"] for channel in channels} == {255}


@pytest.mark.parametrize("shape", [(-1, 2), (2**40, 2**40), (2**62, 0)])
def test_shapes_beyond_all_limits_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(BrokenFileError, match="it has the shape"):
        image("yx", shape)


def test_bounds_of_places() -> None:
    store = MemoryStore(values={"a": bytes(10)})
    assert Place(store, "a", 3).bound() == 10
    assert Place(InflatedFile(store, "a", "a"), "a", 3).bound() == 10_400
    assert Place(store, "absent", 3).bound() == 0
