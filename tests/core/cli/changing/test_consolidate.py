"""``zarrscope consolidate``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import zarr

import zarrcore as zc
from tests.command import Run


@pytest.mark.parametrize("format_", ["v3", "v2"])
def test_zarr_python_reads_what_was_consolidated(zarrscope: Run, tmp_path: Path, format_: str) -> None:
    zc.create(tmp_path / "a.zarr", format=format_).create_array("g/x", data=[1, 2, 3])
    assert zarrscope("consolidate", tmp_path / "a.zarr").text == "the root holds the metadata of 3 nodes\n"
    array = zarr.open_consolidated(tmp_path / "a.zarr")["g/x"]
    assert isinstance(array, zarr.Array)
    assert array[:].tolist() == [1, 2, 3]
    assert json.loads(zarrscope("consolidate", tmp_path / "a.zarr", "--json").text) == {"node_count": 3}
    assert zarrscope("consolidate", tmp_path / "a.zarr", "--quiet").text == ""


def test_what_has_no_consolidated_metadata_is_refused(zarrscope: Run, tmp_path: Path) -> None:
    zc.create(tmp_path / "b.n5", format="n5")
    for place in (tmp_path / "b.n5", tmp_path / "none"):
        refused = zarrscope("consolidate", place)
        assert refused.status in (1, 2)
        assert refused.stderr.count("\n") == 1
