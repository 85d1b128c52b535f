"""Documents of scales."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.stores.precomputed.test_info import SCALE, SHARDING, document
from zarrcore.stores.precomputed.documents import group_document, scale_document
from zarrcore.stores.precomputed.info import parse_info
from zarrcore.stores.virtual.unreadable_node import reason_of


@pytest.mark.parametrize(
    ("size", "grid"),
    [
        ((8, 8, 8), {"name": "regular", "configuration": {"chunk_shape": [2, 4, 4, 4]}}),
        ((3, 4, 0), {"name": "regular", "configuration": {"chunk_shape": [2, 1, 4, 3]}}),
        (
            (8, 4, 9),
            {
                "name": "rectilinear",
                "configuration": {"kind": "inline", "chunk_shapes": [2, [[4, 2], 1], 4, 4]},
            },
        ),
    ],
)
def test_only_chunks_that_are_cut_make_a_rectilinear_grid(size: Any, grid: Any) -> None:
    volume = parse_info(document({**SCALE, "size": size}, num_channels=2))
    shown = scale_document(volume, volume.scales[0], is_remote=False)
    assert shown["chunk_grid"] == grid
    assert shown["dimension_names"] == ["c", "z", "y", "x"]


def test_codecs_follow_from_the_place_of_chunks() -> None:
    def codecs(*, is_remote: bool, **members: Any) -> list[str]:
        volume = parse_info(document({**SCALE, **members}))
        shown = scale_document(volume, volume.scales[0], is_remote=is_remote)
        return [codec["name"].removeprefix("neuroglancer.") for codec in shown["codecs"]]

    assert codecs(is_remote=False) == ["raw"]
    assert codecs(is_remote=True) == ["raw", "gzip"]
    assert codecs(is_remote=False, encoding="png") == ["png", "gzip"]
    assert codecs(is_remote=True, sharding=SHARDING) == ["raw"]


def test_a_volume_without_readable_scales_is_no_image() -> None:
    volume = parse_info(document({**SCALE, "encoding": "zfpc"}))
    assert "multiscales" not in group_document(volume)["attributes"]["ome"]
    assert "zfpc" in str(reason_of(scale_document(volume, volume.scales[0], is_remote=False)))
