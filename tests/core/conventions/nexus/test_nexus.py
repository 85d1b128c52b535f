"""What groups and arrays of NeXus are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import zarrcore as zc
from tests.core.conventions.described import described
from tests.core.conventions.nexus.files import DATA, opened
from zarrcore.__main__ import main
from zarrcore.conventions import meaning, recognise, uncertainties
from zarrcore.describe import meaning_facts
from zarrcore.errors import UnsupportedError

ARRAYS = {"counts": (3, 4), "counts_errors": (3, 4), "angle": (3,), "energy": (4,), "second": (3, 4)}
ATTRIBUTES = {"signal": "counts", "axes": ["angle", "energy"], "auxiliary_signals": "second"}
OF_ARRAYS = {
    "counts": {"units": "1/s", "long_name": "Count rate", "interpretation": "image"},
    "angle": {"units": "degrees"},
    "energy": {"units": "keV", "long_name": "Photon energy"},
}
SUMMARY = "NeXus data counts in 1/s on angle 3 × energy 4"
FACTS = [
    ("convention", SUMMARY),
    ("title", "A scan"),
    ("signal", "counts"),
    ("errors", "counts_errors"),
    ("auxiliary signals", "second"),
    ("interpretation", "image"),
    ("long name", "Count rate"),
    ("axes", "angle  °\nenergy  keV"),
]


@pytest.fixture
def hierarchy(tmp_path: Path) -> Any:
    with opened(tmp_path / "a.nxs", ATTRIBUTES, OF_ARRAYS, title="A scan", **ARRAYS) as found:
        yield found


def test_data_and_their_signal(hierarchy: zc.Hierarchy) -> None:
    assert meaning_facts(hierarchy[DATA]) == FACTS
    assert meaning_facts(hierarchy[f"{DATA}/counts"]) == FACTS
    document = json.loads(json.dumps(meaning(hierarchy[DATA]).document()))
    assert document["summary"] == SUMMARY
    assert document["axes"][1] == {"name": "energy", "kind": "", "unit": "keV", "long_name": "Photon energy"}
    assert (document["name"], document["errors"], document["title"]) == ("counts", "counts_errors", "A scan")


def test_other_arrays_of_the_group(hierarchy: zc.Hierarchy) -> None:
    assert meaning(hierarchy[f"{DATA}/second"]).summary == "NeXus data second on angle 3 × energy 4"
    assert meaning(hierarchy[f"{DATA}/energy"]) is None
    assert meaning(hierarchy[f"{DATA}/title"]) is None


def test_an_auxiliary_signal_of_another_shape_has_no_axes(tmp_path: Path) -> None:
    with opened(tmp_path / "a.nxs", ATTRIBUTES, **{**ARRAYS, "second": (2, 3, 4)}) as hierarchy:
        assert meaning(hierarchy[f"{DATA}/second"]).summary == "NeXus data second on 2 × 3 × 4"


def test_where_only_metadata_are_read_there_is_no_title(hierarchy: zc.Hierarchy) -> None:
    assert "title" not in dict(meaning_facts(hierarchy[DATA], reads_elements=False))


def test_a_copy_as_zarr_means_the_same(hierarchy: zc.Hierarchy, tmp_path: Path) -> None:
    zc.copy(hierarchy, tmp_path / "a.zarr")
    with zc.open_hierarchy(tmp_path / "a.zarr") as copied:
        assert meaning_facts(copied[DATA]) == FACTS


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"NX_class": "NXdata"}, "data"),
        ({"NX_class": "NXentry"}, "entry"),
        ({"NX_class": "NXsubentry"}, "entry"),
        ({"NX_class": "NXdetector"}, "object"),
        ({"NX_class": "data"}, None),
        ({"NX_class": ["NXdata"]}, None),
        ({"NX_class": 7}, None),
        ({"default": "entry"}, None),
    ],
)
def test_classes(told: dict[str, Any], expected: str | None) -> None:
    found = recognise(described("/a", told))
    assert (found and (found[0].name, found[1])) == (expected and ("nexus", expected))
    assert recognise(described("/a", told, kind="array")) is None


def test_a_broken_signal_is_not_a_missing_one(tmp_path: Path) -> None:
    for number, attributes in enumerate(({"signal": "broken"}, {})):
        path = tmp_path / f"{number}.nxs"
        opened(path, attributes, **ARRAYS).close()
        with h5py.File(path, "a") as file:
            file[DATA]["broken"] = h5py.SoftLink("/nowhere")
        with zc.open_hierarchy(path) as hierarchy, pytest.raises(UnsupportedError, match="/nowhere"):
            meaning(hierarchy[DATA])
        with zc.open_hierarchy(path) as hierarchy:
            assert meaning(hierarchy[f"{DATA}/energy"]) is None


def test_long_and_odd_titles(tmp_path: Path) -> None:
    for number, (title, expected) in enumerate(
        (("x" * 2000, "x" * 1000), (np.bytes_("plain"), "plain"), (np.arange(3), ""), (7.0, ""))
    ):
        with opened(tmp_path / f"{number}.nxs", ATTRIBUTES, title=title, **ARRAYS) as hierarchy:
            assert dict(meaning_facts(hierarchy[DATA])).get("title", "") == expected


def test_tree_and_find(hierarchy: zc.Hierarchy, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tree", str(tmp_path / "a.nxs")]) == 0
    assert "data  NeXus data" in capsys.readouterr().out
    assert main(["find", str(tmp_path / "a.nxs"), "--convention", "nexus data"]) == 0
    assert capsys.readouterr().out.split() == [DATA]
    assert main(["info", "--json", str(tmp_path / "a.nxs"), f"{DATA}/counts"]) == 0
    assert SUMMARY in json.loads(capsys.readouterr().out)["meaning"]["summary"]


@pytest.mark.parametrize(
    ("of_signal", "arrays", "expected"),
    [
        ({}, {"counts_errors": (3,), "errors": (3,)}, "counts_errors"),
        ({}, {"errors": (3,)}, "errors"),
        ({"uncertainties": "sigma"}, {"sigma": (3,), "errors": (3,)}, "sigma"),
        ({"uncertainties": "sigma"}, {"errors": (3,)}, "errors"),
        ({}, {"counts_errors": (4,)}, None),
        ({}, {"counts_errors": np.array([b"a", b"b", b"c"])}, None),
        ({}, {}, None),
    ],
)
def test_the_uncertainties_of_a_signal(
    of_signal: dict[str, str], arrays: dict[str, Any], expected: str | None, tmp_path: Path
) -> None:
    told = {"signal": "counts", "axes": "angle"}
    more = {"counts": (3,), "angle": (3,), "angle_errors": (3,), **arrays}
    with opened(tmp_path / "a.nxs", told, {"counts": of_signal}, **more) as hierarchy:
        found = uncertainties(hierarchy[f"{DATA}/counts"], hierarchy.node)
        assert (None if found is None else found.name) == expected
        assert uncertainties(hierarchy[f"{DATA}/angle"], hierarchy.node).name == "angle_errors"
        assert uncertainties(hierarchy[f"{DATA}/angle_errors"], hierarchy.node) is None
        if expected is not None:
            assert meaning(hierarchy[DATA]).errors == expected
