"""The summary and the facts of an image."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from zarrcore.conventions import Axis, Channel, Level, MultiscaleImage

Y, X = Axis("y", "space", "micrometer"), Axis("x", "space", "micrometer")
Z = Axis("z", "space", "millimeter")
C = Axis("c", "channel")


def array(name: str, *shape: int) -> Any:
    return SimpleNamespace(name=name, path=f"/{name}", kind="array", shape=shape, ndim=len(shape))


def image(axes: tuple[Axis, ...], spacing: tuple[float, ...], **more: Any) -> MultiscaleImage:
    level = Level(array("0", *(2,) * len(axes)), None, None)
    return MultiscaleImage("OME-NGFF 0.5", "", (level,), axes, spacing, (0.0,) * len(spacing), **more)


@pytest.mark.parametrize(
    ("axes", "spacing", "expected"),
    [
        ((Y, X), (0.325, 0.325), "1 level, 0.325 µm"),
        ((C, Y, X), (1, 0.5, 0.25), "2 channels, 1 level, 0.5 × 0.25 µm"),
        ((Z, Y, X), (1, -0.5, 0.5), "1 level, 1 mm × 0.5 µm × 0.5 µm"),
        ((Axis("y", "space"), Axis("x", "space")), (2, 2), "1 level"),
        ((Y, X), (), "1 level"),
        ((Axis("t", "time", "second"), Y, X), (3, 1, 1), "1 level, 1 µm"),
        ((Axis("channel"), Axis("y", "", "nm"), Axis("x", "", "nm")), (1, 4, 4), "2 channels, 1 level, 4 nm"),
    ],
)
def test_summary(axes: tuple[Axis, ...], spacing: tuple[float, ...], expected: str) -> None:
    assert image(axes, spacing).summary == f"OME-NGFF 0.5 image, {expected}"


def test_summary_of_labels() -> None:
    assert image((Y, X), (), is_labels=True).summary == "OME-NGFF 0.5 label image, 1 level"


def test_facts() -> None:
    first, second = (
        Level(array("0", 4, 4), None, None),
        Level(SimpleNamespace(name="1", kind="broken"), None, None),
    )
    found = MultiscaleImage(
        "N5 pyramid",
        "cells",
        (first, second),
        (C, Y),
        (1, 0.5),
        (0, -2),
        (Channel("DAPI"), Channel()),
        missing=("2",),
        unapplied=("rotation",),
    )
    assert found.facts() == [
        ("name", "cells"),
        ("axes", "c  channel\ny  space  0.5 µm  from -2 µm"),
        ("levels", "0  4 × 4\n1\n2  missing"),
        ("channels", "DAPI, –"),
        ("not applied", "rotation"),
    ]


def test_the_document_is_json() -> None:
    document = json.loads(json.dumps(image((C, Y, X), (1, 0.5, 0.25)).document()))
    assert document["kind"] == "image"
    assert document["levels"] == [
        {"path": "/0", "kind": "array", "shape": [2, 2, 2], "factors": None, "offsets": None}
    ]
