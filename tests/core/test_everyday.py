"""A typed client does its everyday tasks; mypy checks it with the other modules, and strictly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.core import everyday

DATA = np.arange(24, dtype="int16").reshape(2, 3, 4)


def test_the_everyday_tasks(tmp_path: Path) -> None:
    place = tmp_path / "a.zarr"
    tree, *names = everyday.made(place, DATA)
    assert names == ["copy", "empty", "images", "old"]
    assert "    └── stack  3 × 3 × 4  int16  72 bytes" in tree.replace("│", " ").splitlines()
    kinds = everyday.listed(place)
    assert (kinds["/images/stack"], kinds["copy"], kinds["images"], kinds["images?"]) == (
        "array",
        "int16",
        "stack",
        "nm",
    )
    plane, title, chunks = everyday.read(place)
    theirs = zarr.open_group(place, mode="r")
    assert np.array_equal(plane, theirs["images/stack"][1, :, 0:2])
    assert (title, chunks) == (theirs.attrs["title"], theirs["images/stack"].chunks)
    assert theirs["empty"].shape == (8,)
    assert everyday.copied(place, tmp_path / "b.n5") == "n5"
    assert np.array_equal(zc.open_array(tmp_path / "b.n5", "deep/copy")[:2], DATA)
    with pytest.raises(TypeError, match="did you mean 'chunks'"):
        everyday.refused(zc.create(tmp_path / "c.zarr").group("/"), place)


def _pyright(folder: Path, text: str) -> dict[str, Any]:
    """What pyright, at its strictest, says of a program of others."""
    (folder / "program.py").write_text(text)
    root = Path(__file__).parents[2]
    settings = {"include": ["program.py"], "extraPaths": [str(root / "core")], "typeCheckingMode": "strict"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [
        sys.executable,
        "-m",
        "basedpyright",
        "-p",
        str(folder),
        "--outputjson",
        "--pythonpath",
        sys.executable,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["summary"]["filesAnalyzed"] == 1, done.stderr
    return found


@pytest.mark.campaign
def test_pyright_agrees_with_mypy(tmp_path: Path) -> None:
    text = Path(everyday.__file__).read_text()
    assert _pyright(tmp_path, text)["generalDiagnostics"] == []
    refused = _pyright(tmp_path, text.replace("# type: ignore", "# "))["generalDiagnostics"]
    lines = text.splitlines()
    found = {lines[one["range"]["start"]["line"]] for one in refused if one["severity"] == "error"}
    assert {line for line in lines if "# type: ignore" in line} <= found
