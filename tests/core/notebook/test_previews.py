"""Pictures of arrays: the right elements, at a bounded cost."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.core.array.counting_store import DATA, CountingStore
from zarrcore.display import Preview
from zarrcore.errors import SelectionError, UnsupportedError
from zarrcore.filetypes.png import stretch_to_bytes
from zarrcore.notebook import previews
from zarrcore.stores import MemoryStore


def stored(values: np.ndarray, **layout: Any) -> Any:
    array = zarrcore.create(MemoryStore()).create_array("a", shape=values.shape, dtype=values.dtype, **layout)
    array[...] = values
    return array


def pixels(preview: Preview) -> np.ndarray:
    image = PIL.Image.open(io.BytesIO(preview.png))
    assert image.size == (preview.width, preview.height)
    return np.asarray(image)


def named(preview: Preview, values: np.ndarray) -> np.ndarray:
    """The elements that the preview says it shows."""
    selection = re.search(r"\[(.*)\]$", preview.text)
    assert selection is not None
    items = [
        slice(*(int(part) if part else None for part in item.split(":"))) if ":" in item else int(item)
        for item in selection[1].split(", ")
    ]
    return values[tuple(items)]


@settings(max_examples=40, deadline=None)
@given(
    shape=st.lists(st.integers(1, 70), min_size=2, max_size=4).map(tuple),
    size=st.integers(1, 80),
    dtype=st.sampled_from(["u1", "i2", "f4", "M8[D]"]),
)
def test_a_picture_shows_the_elements_that_its_text_names(
    shape: tuple[int, ...], size: int, dtype: str
) -> None:
    values = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
    preview = stored(values, chunks=(20,) * len(shape)).preview(size=size)
    plane = named(preview, values)
    assert np.array_equal(pixels(preview), stretch_to_bytes(plane))
    assert max(plane.shape[:2]) <= max(size, 31)
    longer = int(np.argmax(shape[len(shape) - plane.ndim :][:2]))
    assert plane.shape[longer] <= size
    assert np.array_equal(
        values[tuple(n // 2 for n in shape[: len(shape) - plane.ndim])][:1, :1], plane[:1, :1]
    )


def test_a_selection_chooses_the_plane() -> None:
    values = np.arange(4 * 30 * 20 * 10, dtype="u2").reshape(4, 30, 20, 10)
    array = stored(values, chunks=(1, 30, 20, 10))
    for selection, expected in [
        ((3,), values[3, 15]),
        ((3, 2), values[3, 2]),
        ((slice(None), 2, ..., 5), values[:, 2, :, 5]),
        ((1, 2, slice(None, None, -1), slice(0, 4)), values[1, 2, ::-1, :4]),
    ]:
        assert np.array_equal(pixels(array.preview(selection)), stretch_to_bytes(expected))


def test_colours_are_shown() -> None:
    values = np.random.default_rng(0).integers(0, 255, (40, 30, 3)).astype("u1")
    assert np.array_equal(pixels(stored(values).preview()), values)


def test_the_coarsest_level_with_enough_pixels_is_shown() -> None:
    hierarchy = zarrcore.create(MemoryStore())
    datasets = []
    for number, size in enumerate((256, 128, 64, 32)):
        array = hierarchy.create_array(str(number), shape=(2, size, size), dtype="uint8")
        array[...] = number
        scale = [1, 256 / size, 256 / size]
        datasets.append(
            {"path": str(number), "coordinateTransformations": [{"type": "scale", "scale": scale}]}
        )
    axes = [{"name": "c", "type": "channel"}, *({"name": name, "type": "space"} for name in "yx")]
    image = hierarchy["/"]
    image.attributes = {"ome": {"version": "0.5", "multiscales": [{"axes": axes, "datasets": datasets}]}}
    for size, level in [(32, 3), (33, 2), (100, 1), (1000, 0)]:
        preview = image.preview(1, size=size)
        assert preview.text.startswith(f"level {level} of 4, [1, ")
        assert (pixels(preview) == level).all()


def image_of_channels(values: np.ndarray, *channels: dict[str, Any]) -> Any:
    """An image of OME-NGFF with the dimensions c, z, y and x."""
    hierarchy = zarrcore.create(MemoryStore())
    hierarchy.create_array("0", shape=values.shape, dtype=values.dtype)[...] = values
    axes = [{"name": "c", "type": "channel"}, *({"name": name, "type": "space"} for name in "zyx")]
    scale = {"type": "scale", "scale": [1, 1, 1, 1]}
    levels = [{"path": "0", "coordinateTransformations": [scale]}]
    told = {"version": "0.5", "multiscales": [{"axes": axes, "datasets": levels}]}
    hierarchy["/"].attributes = {"ome": told | ({"omero": {"channels": [*channels]}} if channels else {})}
    return hierarchy["/"]


def channel(colour: str, low: float, high: float, **more: Any) -> dict[str, Any]:
    return {"color": colour, "window": {"start": low, "end": high, "min": 0, "max": 1000}, **more}


def test_channels_are_blended_in_their_colours_and_limits() -> None:
    values = np.zeros((3, 2, 4, 6), "u2")
    values[0, 1, :, :3], values[1, 1, :, 2:], values[2] = 150, 300, 1000
    image = image_of_channels(
        values, channel("FF8000", 100, 200), channel("0000FF", 0, 300), channel("00FF00", 0, 1, active=False)
    )
    preview = image.preview()
    assert preview.text == "level 0 of 1, [channels 0 + 1, 1, 0:4, 0:6]"
    found = pixels(preview)
    assert (found[:, :2] == [128, 64, 0]).all(), "the first is at half of its range"
    assert (found[:, 2] == [128, 64, 255]).all(), "both"
    assert (found[:, 3:] == [0, 0, 255]).all()


def test_channels_without_settings_are_stretched() -> None:
    values = np.zeros((2, 1, 10, 10), "f4")
    values[0, :, 5:], values[1, :, :, 5:] = 3.0, -7.0
    found = pixels(image_of_channels(values).preview())
    assert (found[5:, 5:] == [0, 255, 0]).all(), "the first is green, and the second is at its least"
    assert (found[:5, :5] == [255, 0, 255]).all()
    assert (found[5:, :5] == [255, 255, 255]).all()
    assert (found[:5, 5:] == 0).all()


def test_a_selection_chooses_one_channel() -> None:
    values = np.arange(2 * 3 * 4 * 5, dtype="u1").reshape(2, 3, 4, 5)
    image = image_of_channels(values)
    assert np.array_equal(pixels(image.preview(1)), values[1, 1])
    assert np.array_equal(pixels(image.preview((0, 2))), values[0, 2])
    assert np.array_equal(pixels(image.preview((..., 0, slice(None), slice(None)))), values[1, 0])
    assert pixels(image_of_channels(np.zeros((1, 1, 4, 5), "u1")).preview()).shape == (4, 5), "one channel"
    assert pixels(image_of_channels(np.zeros((17, 1, 4, 5), "u1")).preview()).shape == (4, 5), "a spectrum"


def test_a_large_plane_costs_no_more_than_it_may(
    store: CountingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "_READ_MAX_NBYTES", 4 * 2000)
    preview = zarrcore.open_hierarchy(store)["plain"].preview()
    assert len(set(store.chunk_requests())) <= 4
    plane = named(preview, DATA)
    assert np.array_equal(pixels(preview), stretch_to_bytes(plane))
    assert plane.size >= 100
    monkeypatch.setattr(previews, "_READ_MAX_NBYTES", 1)
    store.requests.clear()
    zarrcore.open_hierarchy(store)["plain"].preview()
    assert len(set(store.chunk_requests())) <= 4, "the chunks that the middle touches"


def test_a_hierarchy_shows_its_root() -> None:
    image = image_of_channels(np.arange(120, dtype="u1").reshape(1, 1, 12, 10))
    assert image.hierarchy.preview(size=8) == image.preview(size=8)
    with pytest.raises(UnsupportedError, match="is not an image"):
        zarrcore.create(MemoryStore()).preview()


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="is not a picture: select a plane of two dimensions"):
        stored(np.arange(5)).preview()
    with pytest.raises(UnsupportedError, match="cannot be shown as a picture"):
        stored(np.array([["a", "b"]])).preview()
    with pytest.raises(UnsupportedError, match="is not a picture"):
        stored(np.zeros((3, 0, 4))).preview()
    with pytest.raises(SelectionError, match="indices must be in"):
        stored(np.zeros((3, 4, 5))).preview(3)
    with pytest.raises(SelectionError, match="at least one pixel"):
        stored(np.zeros((3, 4))).preview(size=0)
    with pytest.raises(UnsupportedError, match="is not an image"):
        zarrcore.create(MemoryStore()).create_group("g").preview()


def test_a_preview_is_a_png_for_notebooks_and_files(tmp_path: Path) -> None:
    preview = stored(np.arange(12, dtype="u1").reshape(3, 4)).preview()
    assert preview._repr_png_() == preview.png
    assert repr(preview) == "<Preview 4 × 3: [0:3, 0:4]>"
    preview.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == preview.png
