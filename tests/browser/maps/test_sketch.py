"""A sketch has what was asked for, in the part in view, at the scale of the zoom."""

from __future__ import annotations

import numpy as np

from zarrbrowser.image.tiles.frames import View
from zarrbrowser.maps.geography import PlaneMap, SeparateGrid
from zarrbrowser.maps.sketch import NOTHING, Sketcher, Wish, seen

WORLD = PlaneMap(181, 360, SeparateGrid(np.arange(90.0, -91, -1), np.arange(0.0, 360)), far=(-0.5, 359.5))


def wish(rows: tuple[float, float], columns: tuple[float, float], *, lines: bool = False) -> Wish:
    return Wish(View(rows, columns, 500, 1000), (False, False), True, lines)


def test_only_lines_near_the_view_are_drawn_and_finer_ones_when_it_is_small() -> None:
    sketcher = Sketcher(WORLD)
    world = sketcher.sketch(wish((-0.5, 180.5), (-0.5, 359.5))).coastlines
    adriatic = sketcher.sketch(wish((44, 48), (12, 20))).coastlines
    assert 3000 < world.rows.size < 15_000
    assert 100 < adriatic.rows.size < 3000
    assert 30 < adriatic.rows.min() < 48
    coarse = world.within(42, 8, 50, 24)
    assert adriatic.rows.size > 3 * coarse.rows.size


def test_the_graticule_is_drawn_on_request() -> None:
    sketcher = Sketcher(WORLD)
    assert sketcher.sketch(wish((0, 90), (0, 180))).graticule is NOTHING.graticule
    assert sketcher.sketch(wish((0, 90), (0, 180), lines=True)).graticule.labels


def test_nothing_is_drawn_beside_the_plane() -> None:
    assert seen(WORLD, View((200, 300), (0, 10), 10, 10)) is None
    assert Sketcher(WORLD).sketch(wish((200, 300), (0, 10))) is NOTHING
