"""Rules of NeXus, each broken once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import pytest

import zarrcore as zc
from tests.core.conventions.nexus.files import DATA, opened
from tests.core.operations.check.conventions.broken_rules import broken

ARRAYS = {"counts": (3, 4), "y": (3,), "x": (4,)}


def of_data(folder: Path, attributes: dict[str, Any], **arrays: Any) -> list[str]:
    told = {"signal": "counts", "axes": ["y", "x"], **attributes}
    kept = {name: value for name, value in told.items() if value is not ...}
    with opened(folder / "a.nxs", kept, **{**ARRAYS, **arrays}) as hierarchy:
        return broken(hierarchy, DATA)


@pytest.mark.parametrize(
    ("attributes", "arrays"),
    [
        ({}, {}),
        ({}, {"x": (5,)}),
        ({"axes": [".", "x"]}, {}),
        ({"axes": ...}, {}),
        ({"axes": "x", "x_indices": 1}, {}),
        ({"axes": ["y", "x"]}, {"counts": (4,), "y": (4,)}),
        ({"auxiliary_signals": "more", "place_indices": [0, 1]}, {"more": (3, 4), "place": (3, 4)}),
        ({"signal": "n", "axes": ...}, {"n": 1.0}),
    ],
)
def test_valid_data(tmp_path: Path, attributes: dict[str, Any], arrays: dict[str, Any]) -> None:
    assert of_data(tmp_path, attributes, **arrays) == []


@pytest.mark.parametrize(
    ("attributes", "arrays", "expected"),
    [
        ({"signal": ...}, {}, "signal: it has no signal: the attribute does not name an array"),
        ({"signal": "z"}, {}, "signal: it has no signal: the attribute names 'z', which is not an array of the group"),
        ({"axes": ["y", "z"]}, {}, "axes: names 'z', which is not an array of the group"),
        ({"axes": ["y", "a/x"]}, {}, "axes: names 'a/x', which is not an array of the group"),
        ({"axes": ["y", "x", "y"]}, {}, "axes: names 3 axes of a signal with 2 dimensions"),
        ({"axes": "x"}, {}, "axes: names 1 axes of a signal with 2 dimensions, and nothing says which these are"),
        ({}, {"x": (3,)}, "x: has 3 for dimensions of 4"),
        ({}, {"x": (6,)}, "x: has 6 for dimensions of 4"),
        ({}, {"x": 1.0}, "x: has no dimensions for dimensions of 4"),
        ({"p_indices": [0, 1]}, {"p": (4, 3)}, "p: has 4 × 3 for dimensions of 3 × 4"),
        ({"p_indices": 0}, {}, "p_indices: names 'p', which is not an array of the group"),
        ({"x_indices": 2}, {}, "x_indices: expected dimensions of the signal, from 0 to 1, found 2"),
        ({"x_indices": -1}, {}, "x_indices: expected dimensions of the signal, from 0 to 1, found -1"),
        ({"x_indices": "1"}, {}, "x_indices: expected dimensions of the signal, from 0 to 1, found '1'"),
        ({"auxiliary_signals": "z"}, {}, "auxiliary_signals: names 'z', which is not an array of the group"),
        ({"auxiliary_signals": "x"}, {}, "x: does not have the shape of the signal counts"),
        ({}, {"counts_errors": (4,)}, "counts_errors: does not have the shape of the signal counts"),
    ],
)  # fmt: skip
def test_broken_data(
    tmp_path: Path, attributes: dict[str, Any], arrays: dict[str, Any], expected: str
) -> None:
    assert of_data(tmp_path, attributes, **arrays) == [f"NeXus: {expected}"]


def test_defaults_must_lead_to_data(tmp_path: Path) -> None:
    opened(tmp_path / "a.nxs", {"signal": "counts"}, **ARRAYS).close()
    for default, expected in (
        ("data", []),
        ("nothing", ["NeXus: default: 'nothing' does not lead to an NXdata group"]),
        ("/entry", ["NeXus: default: '/entry' does not lead to an NXdata group"]),
    ):
        with h5py.File(tmp_path / "a.nxs", "a") as file:
            file["entry"].attrs["default"] = default
        with zc.open_hierarchy(tmp_path / "a.nxs") as hierarchy:
            assert broken(hierarchy, "/entry") == expected


def test_broken_nodes_are_findings_of_their_own(tmp_path: Path) -> None:
    opened(tmp_path / "a.nxs", {"signal": "counts", "axes": ["y", "x"]}, counts=(3, 4), y=(3,)).close()
    with h5py.File(tmp_path / "a.nxs", "a") as file:
        file[DATA]["x"] = h5py.SoftLink("/nowhere")
    with zc.open_hierarchy(tmp_path / "a.nxs") as hierarchy:
        assert broken(hierarchy, DATA) == []
    with h5py.File(tmp_path / "a.nxs", "a") as file:
        del file[DATA]["counts"]
        file[DATA]["counts"] = h5py.SoftLink("/nowhere")
    with zc.open_hierarchy(tmp_path / "a.nxs") as hierarchy:
        assert len(broken(hierarchy, DATA)) == 1, "its meaning cannot be read"
