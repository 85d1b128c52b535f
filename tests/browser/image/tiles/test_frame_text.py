"""Sentences on what was read for a picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.browser.fakes import FakeArray
from tests.browser.image.loading import frame_of, view_of
from zarrbrowser.image.levels import Image, image_of_array, level_of, whole
from zarrbrowser.image.tiles.frame_text import reading, report, withheld
from zarrbrowser.image.tiles.frames import plan
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.nodes.read_cost import ReadCost


def test_a_read_is_reported_with_its_plane_and_its_cost() -> None:
    image = image_of_array(
        FakeArray(np.zeros((9, 300, 400), np.uint8), ("t", "y", "x"), chunks=(1, 100, 400))
    )
    settings = initial_settings(image)
    settings = replace(settings, axes=settings.axes.at(0, 3))
    assert reading(image, settings) == "Reading /array, t = 3"
    frame = frame_of(image, settings)
    assert report(image, settings, frame, 0.012) == "/array, t = 3: 117 KiB in 3 chunks, 12 ms"
    known = plan(image, settings.planes(image), view_of(image), lambda _tile: True)
    assert report(image, settings, known, 0.012) == "/array, t = 3", "nothing had to be read"


def test_a_plane_without_further_axes_has_no_position() -> None:
    image = image_of_array(FakeArray(np.zeros((30, 40), np.uint8)))
    settings = initial_settings(image)
    assert reading(image, settings) == "Reading /array"
    frame = frame_of(image, settings, view_of(image, 1 / 4))
    text = "/array: every 4 × 4 elements · 1.17 KiB in 1 chunk, under 1 ms"
    assert report(image, settings, frame, 0.0001) == text


def test_the_level_is_counted_from_the_finest() -> None:
    base, coarse = FakeArray(np.zeros((64, 64), np.uint8)), FakeArray(np.zeros((16, 16), np.uint8))
    coarse.path = "/image/1"
    image = Image("/image", (whole(base), level_of(base.shape, coarse)), ("y", "x"))
    settings = initial_settings(image)
    frame = frame_of(image, settings, view_of(image, 1 / 4))
    assert report(image, settings, frame, 1).startswith("/image/1: level 1 of 0–1 · 256 bytes in 1 chunk")
    withheld_frame = replace(frame, is_held_back=True)
    assert report(image, settings, withheld_frame, 1) == "/image/1: level 1 of 0–1 · nothing was read"


def test_the_question_before_a_large_read_says_what_is_crossed() -> None:
    cost = ReadCost(1200, 3 * 2**30)
    assert withheld(cost, is_in_view=True) == (
        "The part in view crosses 1,200 chunks, 3.00 GiB when decoded."
    )
    assert withheld(ReadCost(1, 2**20), is_in_view=False) == (
        "The middle is shown. The whole plane crosses 1 chunk, 1.00 MiB when decoded."
    )
