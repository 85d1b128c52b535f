"""napari's own window, on a virtual display."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.core.interop.napari.written import new_group, set_ome, write_image


@pytest.mark.campaign
@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="xvfb is not installed")
def test_a_path_that_is_dropped_on_the_window_is_shown(
    tmp_path: Path,
) -> None:  # napari takes seconds to start
    data = np.zeros((2, 3, 1024, 1024), "u2")
    data[0, :, :, :512], data[1, :, :, 512:] = 100, 100
    channels = [
        {"label": name, "color": colour, "window": {"start": 0, "end": 100}}
        for name, colour in (("DAPI", "0066FF"), ("actin", "FF8800"))
    ]
    group = new_group(tmp_path / "cells.zarr")
    write_image(group, data, "czyx", levels=4, chunk=256, omero={"channels": channels})
    set_ome(group.create_group("labels"), labels=["none"])
    write_image(
        group.create_group("labels/none"), np.zeros((3, 1024, 1024), "u1"), "zyx", **{"image-label": {}}
    )
    program = Path(__file__).with_name("window.py")
    screen = ["xvfb-run", "--auto-servernum", "--server-args=-screen 0 1280x1024x24"]
    environment = {
        **{name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"},
        "QT_API": "pyside6",
        "NAPARI_CONFIG": str(tmp_path / "settings.yaml"),
    }
    done = subprocess.run(
        [*screen, sys.executable, "-Wignore", program, tmp_path / "cells.zarr", tmp_path / "window.png"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert [layer[:2] for layer in told["layers"]] == [
        ["cells: DAPI", "zarrscope"],
        ["cells: actin", "zarrscope"],
        ["none", "zarrscope"],
    ]
    assert told["left"] == pytest.approx([0x00, 0x66, 0xFF], abs=2)
    assert told["right"] == pytest.approx([0xFF, 0x88, 0x00], abs=2)
    with Image.open(tmp_path / "window.png") as picture:
        assert picture.width > 800
