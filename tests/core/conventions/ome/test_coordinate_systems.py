"""Images of OME-NGFF 0.6: the levels lie where the transformations to the image's own coordinate system say."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.conventions.ome.test_image import read
from zarrcore.conventions import Axis

AXES = [
    {"name": "y", "type": "space", "unit": "micrometer", "longName": "down"},
    {"name": "x", "type": "space"},
]


def system(name: str, axes: list[Any] = AXES) -> dict[str, Any]:
    return {"name": name, "axes": axes}


def dataset(path: str, transformation: dict[str, Any], output: Any) -> dict[str, Any]:
    step = {**transformation, "input": {"path": path}, "output": output}
    return {"path": path, "coordinateTransformations": [step]}


def image(*datasets: dict[str, Any], systems: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    entry = {"coordinateSystems": systems or [system("physical")], "datasets": [*datasets], **more}
    return {"ome": {"version": "0.6", "multiscales": [entry]}}


SCALED = {"type": "scale", "scale": [0.5, 0.25]}
MOVED = {
    "type": "sequence",
    "transformations": [
        {"type": "scale", "scale": [1, 0.5]},
        {"type": "translation", "translation": [0.25, 0.125]},
    ],
}


@pytest.mark.parametrize("output", [{"name": "physical"}, "physical"])
def test_levels(output: Any) -> None:
    found = read(image(dataset("a", SCALED, output), dataset("b", MOVED, output)), a=(8, 8), b=(4, 4))
    assert found.convention == "OME-NGFF 0.6"
    assert found.axes == (Axis("y", "space", "micrometer", "down"), Axis("x", "space"))
    assert (found.spacing, found.origin) == ((0.5, 0.25), (0, 0))
    assert [(level.factors, level.offsets) for level in found.levels] == [
        ((1, 1), (0, 0)),
        ((2, 2), (0.5, 0.5)),
    ]
    assert found.unapplied == ()


def test_identity_has_elements_of_length_1() -> None:
    found = read(
        image(
            dataset("a", {"type": "identity"}, {"name": "physical"}),
            dataset("b", {"type": "scale", "scale": [2, 2]}, {"name": "physical"}),
        ),
        a=(8, 8),
        b=(4, 4),
    )
    assert found.spacing == (1, 1)
    assert found.levels[1].factors == (2, 2)


def test_axes_of_the_system_that_the_levels_lead_to() -> None:
    systems = [system("other", [{"name": "v"}, {"name": "u"}]), system("physical")]
    found = read(image(dataset("a", SCALED, {"name": "physical"}), systems=systems), a=(4, 4))
    assert [axis.name for axis in found.axes] == ["y", "x"]


def test_transformations_to_other_systems_are_named_and_not_applied() -> None:
    rotation = {
        "type": "rotation",
        "rotation": [[0, -1], [1, 0]],
        "input": {"name": "physical"},
        "output": {"name": "registered"},
    }
    doubled = {"type": "scale", "scale": [2, 2], "input": {"name": "physical"}, "output": {"name": "array"}}
    found = read(
        image(dataset("a", SCALED, {"name": "physical"}), coordinateTransformations=[rotation, doubled]),
        a=(4, 4),
    )
    assert found.spacing == (0.5, 0.25)
    assert found.unapplied == ('rotation to "registered"', 'scale to "array"')
    assert ("not applied", 'rotation to "registered"\nscale to "array"') in found.facts()


def test_levels_whose_axes_are_mixed_have_no_scale() -> None:
    mixed = {"type": "affine", "affine": [[1, 1, 0], [0, 1, 0]]}
    found = read(image(dataset("a", mixed, {"name": "physical"})), a=(4, 4))
    assert found.spacing == ()
    assert found.unapplied_to_levels == ('affine to "physical"',)
