"""Names of sources."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tests.browser.fakes import FakeArray
from zarrbrowser.nodes.source_name import source_name


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("/data/cells.zarr", "cells"),
        ("/data/cells.ome.zarr/", "cells"),
        ("s3://bucket/night/cells.zarr.zip", "cells"),
        ("https://example.org/cells.zarr?X-Amz-Signature=3", "cells"),
        ("/data/v1.2", "v1.2"),
        ("/data/what?.zarr", "what?"),
        ("/data/.zarr", ".zarr"),
        ("/", ""),
    ],
)
def test_a_source_is_named_by_the_end_of_its_address(url: str, name: str) -> None:
    array = FakeArray(np.zeros(3))
    array.hierarchy = SimpleNamespace(url=url)  # type: ignore[attr-defined]
    assert source_name(array) == name


def test_the_source_of_a_node_without_hierarchy_is_not_known() -> None:
    assert source_name(FakeArray(np.zeros(3))) == ""
