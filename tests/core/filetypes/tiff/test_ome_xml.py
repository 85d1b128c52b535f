"""OME-XML: valid by the schema for any metadata of an image, and complete."""

from __future__ import annotations

from typing import Any

import ome_types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.filetypes.tiff.ome_schema import validate
from zarrcore.conventions import Channel
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.tiff.ome_xml import ImageMetadata, ome_xml

COLOURS = st.none() | st.tuples(*[st.integers(0, 255)] * 3)
UNITS = st.sampled_from(
    ["", "micrometer", "µm", "angstrom", "second", "millisecond", "min", "furlong", "meter"]
)


@given(
    facts=st.builds(
        ImageMetadata,
        st.text(),
        st.text(),
        st.dictionaries(st.sampled_from("XYZTC"), st.tuples(st.floats(), UNITS)),
        st.lists(st.builds(Channel, st.text(), COLOURS), max_size=4),
    ),
    order=st.permutations("TCZ"),
    samples=st.sampled_from([1, 3, 4]),
)
def test_the_description_is_valid_for_any_metadata(
    facts: ImageMetadata, order: list[str], samples: int
) -> None:
    shape = {**dict.fromkeys(order, 2), "Y": 5, "X": 6, "S": samples}
    text = ome_xml(facts, shape, "uint8")
    assert text.isascii()
    validate(text)
    pixels = ome_types.from_xml(text).images[0].pixels
    assert pixels.dimension_order.value == "XY" + "".join(reversed(order))
    assert pixels.size_c == 2 * samples
    assert pixels.tiff_data_blocks[0].plane_count == 8
    for channel, told in zip(pixels.channels, facts.channels, strict=False):
        assert channel.samples_per_pixel == samples
        if told.colour is not None:
            assert channel.color.as_rgb_tuple(alpha=False) == told.colour


def pixels_of(**facts: Any) -> Any:
    return ome_types.from_xml(ome_xml(ImageMetadata(**facts), {"Y": 5, "X": 6}, "uint8")).images[0].pixels


@pytest.mark.parametrize(
    ("letter", "unit", "sign"),
    [
        ("X", "micrometer", "µm"),
        ("Y", "um", "µm"),
        ("Z", "angstrom", "Å"),
        ("X", "pm", "pm"),
        ("X", "megameter", "Mm"),
        ("X", "", None),
        ("X", "second", None),
        ("T", "second", "s"),
        ("T", "millisecond", "ms"),
        ("T", "hour", "h"),
        ("T", "meter", None),
    ],
)
def test_units_have_symbols_of_ome(letter: str, unit: str, sign: str | None) -> None:
    pixels = pixels_of(spacing={letter: (0.25, unit)})
    name = "time_increment" if letter == "T" else f"physical_size_{letter.lower()}"
    assert getattr(pixels, name) == (None if sign is None else 0.25)
    if sign is not None:
        assert getattr(pixels, f"{name}_unit").value == sign


@pytest.mark.parametrize("step", [0.0, -1.0, float("inf"), float("nan")])
def test_invalid_steps_are_omitted(step: float) -> None:
    assert pixels_of(spacing={"X": (step, "micrometer")}).physical_size_x is None


def test_characters_that_xml_cannot_hold_are_replaced() -> None:
    text = ome_xml(ImageMetadata("a\0b<&>\ud800", "\x1f ä\n"), {"Y": 5, "X": 6}, "uint8")
    image = ome_types.from_xml(text).images[0]
    assert (image.name, image.description) == ("a\ufffdb<&>\ufffd", "\ufffd ä\n")


def test_images_that_are_too_long_are_refused() -> None:
    for shape in (
        {"Y": 1 << 31, "X": 1},
        {"Z": 1 << 16, "T": 1 << 16, "Y": 1, "X": 1},
        {"C": 1 << 30, "S": 4},
    ):
        with pytest.raises(UnsupportedError, match="too long for OME-TIFF"):
            ome_xml(ImageMetadata(), shape, "uint8")
    assert b"<Channel" not in ome_xml(ImageMetadata(), {"C": 1 << 20, "Y": 1, "X": 1}, "uint8")
