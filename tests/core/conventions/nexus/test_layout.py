"""Signals and axes as NeXus' manual lays them out, old and new; attributes that say something else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.core.conventions.nexus.files import DATA, opened
from zarrcore.conventions import NexusData, meaning
from zarrcore.errors import MetadataError

IMAGE = {"counts": (3, 4), "y": (3,), "x": (4,)}
SPECTRA = {"counts": (2, 3, 4), "z": (2,), "y": (3,), "x": (4,)}
COLOURS = {"picture": (3, 4, 3), "y": (3,), "x": (4,)}
SQUARE = {"counts": (3, 3), "y": (3,), "x": (3,)}
SCATTER = {"v": (5,), "x": (5,), "y": (5,)}


@pytest.mark.parametrize(
    ("attributes", "of_arrays", "arrays", "expected", "others"),
    [
        ({"signal": "counts", "axes": ["y", "x"]}, {}, IMAGE, ["y", "x"], ()),
        ({"signal": "counts", "axes": [".", "x"]}, {}, IMAGE, [None, "x"], ()),
        ({"signal": "counts", "axes": ["y", "x"], "x_indices": [1], "y_indices": 0}, {}, IMAGE, ["y", "x"], ()),
        ({"signal": "counts", "axes": "x", "x_indices": 1}, {}, IMAGE, [None, "x"], ()),
        ({"signal": "counts", "axes": "x"}, {}, {"counts": (4,), "x": (4,)}, ["x"], ()),
        ({"signal": "counts"}, {}, IMAGE, [None, None], ()),
        ({"signal": "counts", "axes": "x"}, {}, IMAGE, [None, None], ()),
        ({"signal": "counts", "axes": ["x"]}, {"counts": {"interpretation": "spectrum"}}, SPECTRA, [None, None, "x"], ()),
        ({"signal": "counts", "axes": ["y", "x"], "interpretation": "image"}, {}, SPECTRA, [None, "y", "x"], ()),
        ({"signal": "picture", "axes": ["y", "x"]}, {"picture": {"interpretation": "rgb-image"}}, COLOURS, ["y", "x", None], ()),
        (
            {"signal": "counts", "axes": ["y", "x"], "pressure_indices": 1, "place_indices": [0, 1]},
            {},
            {**IMAGE, "pressure": (4,), "place": (3, 4)},
            ["y", "x"],
            ("pressure", "place"),
        ),
        ({"signal": "counts", "axes": [".", "x"], "y_indices": 0}, {}, IMAGE, [None, "x"], ("y",)),
        ({"signal": "v", "axes": ["x", "y"]}, {}, SCATTER, ["x"], ("y",)),
        ({"signal": "v", "axes": ["x", "y"], "x_indices": 0, "y_indices": 0}, {}, SCATTER, ["x"], ("y",)),
        ({"signal": "counts", "axes": ["y", "x"], "x_indices": 7, "y_indices": -1}, {}, IMAGE, ["y", None], ()),
        ({"signal": "counts", "axes": ["y", "x"], "x_indices": "one"}, {}, IMAGE, ["y", "x"], ()),
        ({"signal": "counts", "axes": ["y", "x"], "_indices": 0}, {}, IMAGE, ["y", "x"], ()),
        ({}, {"counts": {"signal": 1, "axes": "y:x"}}, IMAGE, ["y", "x"], ()),
        ({}, {"counts": {"signal": "1", "axes": "[y, x]"}}, IMAGE, ["y", "x"], ()),
        ({}, {"counts": {"signal": 1, "axes": ["y", "x"]}}, IMAGE, ["y", "x"], ()),
        ({}, {"counts": {"signal": 1}, "x": {"axis": 1}, "y": {"axis": "2"}}, IMAGE, ["y", "x"], ()),
        ({}, {"counts": {"signal": 1}, "x": {"axis": 2}, "y": {"axis": "1"}}, IMAGE, ["y", "x"], ()),
        ({}, {"counts": {"signal": 1}, "x": {"axis": 1}, "y": {"axis": 2}}, SQUARE, ["y", "x"], ()),
        ({}, {"counts": {"signal": 1}, "x": {"axis": 1}}, {**IMAGE, "x": (9,)}, [None, "x"], ()),
        (
            {},
            {"counts": {"signal": 1}, "other": {"axis": 2}, "x": {"axis": 2, "primary": 1}},
            {**IMAGE, "other": (4,)},
            [None, "x"],
            (),
        ),
        ({}, {"counts": {"signal": 1}, "x": {"axis": 9}, "y": {"axis": 0}}, IMAGE, [None, None], ()),
        ({"signal": "counts", "axes": 7}, {}, IMAGE, [None, None], ()),
        ({"signal": "counts", "axes": ["y", "x", "z"]}, {}, IMAGE, ["y", "x"], ()),
        ({"signal": "n", "axes": "x"}, {}, {"n": 5.0, "x": (4,)}, [], ()),
    ],
)  # fmt: skip
def test_axes(
    tmp_path: Path,
    attributes: dict[str, Any],
    of_arrays: dict[str, Any],
    arrays: dict[str, Any],
    expected: list[str | None],
    others: tuple[str, ...],
) -> None:
    with opened(tmp_path / "a.nxs", attributes, of_arrays, **arrays) as hierarchy:
        found = meaning(hierarchy[DATA])
        assert isinstance(found, NexusData)
        assert [axis.name for axis in found.axes] == expected
        assert found.coordinates == others


def test_auxiliary_signals_of_older_files_are_numbered(tmp_path: Path) -> None:
    numbers = {
        "a": {"signal": "3"},
        "b": {"signal": 1, "axes": "x"},
        "c": {"signal": 2},
        "d": {"signal": "no"},
    }
    with opened(tmp_path / "a.nxs", {}, numbers, **dict.fromkeys([*numbers, "x"], (4,))) as hierarchy:
        found = meaning(hierarchy[DATA])
        assert isinstance(found, NexusData)
        assert (found.name, found.auxiliary_signals) == ("b", ("c", "a"))
        [axis] = meaning(hierarchy[DATA]["c"]).axes
        assert axis.name == "x"


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({}, "does not name an array"),
        ({"signal": 7}, "does not name an array"),
        ({"signal": ""}, "does not name an array"),
        ({"signal": ["counts", "y"]}, "does not name an array"),
        ({"signal": "missing"}, "names 'missing', which is not an array of the group"),
        ({"signal": "part"}, "names 'part', which is not an array of the group"),
        ({"signal": "../data/counts"}, "names '../data/counts', which is not an array of the group"),
        ({"signal": "."}, "names '.', which is not an array of the group"),
        ({"signal": "a\tb\x1b"}, "which is not an array of the group"),
    ],
)
def test_a_group_without_a_signal(tmp_path: Path, attributes: dict[str, Any], message: str) -> None:
    import h5py

    opened(tmp_path / "a.nxs", attributes, **IMAGE).close()
    with h5py.File(tmp_path / "a.nxs", "a") as file:
        file[DATA].create_group("part")
    with opened_again(tmp_path) as hierarchy, pytest.raises(MetadataError, match="it has no signal") as error:
        meaning(hierarchy[DATA])
    assert message in str(error.value)


def opened_again(folder: Path) -> Any:
    import zarrcore

    return zarrcore.open_hierarchy(folder / "a.nxs")
