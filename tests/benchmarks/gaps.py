"""The longest gap of the window's event loop while the user works with a loaded picture.

Run with ``python -m tests.benchmarks.gaps``; each kind of picture is measured in a process of its own, without a screen.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

SIDE = 4096
PLANES = 3
SIZE = (1400, 900)
PICTURES = ("float32", "float64 with missing values", "three channels of uint16", "labels")
ACTIONS = ("slider", "resize", "zoom and pan", "contrast", "colour map")
_TURNS = 6
_PAUSE_S = 0.05
"""The user's pause between two steps: shorter than most drawings, so that some steps are overtaken."""


def write_pictures(place: Path) -> None:
    """Write one hierarchy per kind of picture."""
    import zarrcore

    rows, columns = np.arange(SIDE), np.arange(SIDE)
    smooth = np.add.outer(np.sin(rows / 90), np.cos(columns / 70)).astype("f4")
    chunks, shape = (1, 512, 512), (PLANES, SIDE, SIDE)
    first = zarrcore.create(place / "0").create_array("a", shape=shape, dtype="f4", chunks=chunks)
    second = zarrcore.create(place / "1").create_array(
        "a",
        shape=shape,
        dtype="f8",
        chunks=chunks,
        attributes={"_FillValue": -9999.0, "valid_range": [-50.0, 50.0]},
    )
    axes = [{"name": name, "type": "channel" if name == "c" else "space"} for name in "zcyx"]
    transformations = [{"type": "scale", "scale": [1.0, 1.0, 1.0, 1.0]}]
    datasets = [{"path": "0", "coordinateTransformations": transformations}]
    window = {"start": 0, "end": 65535}
    channels = [{"color": one, "active": True, "window": window} for one in ("FF0000", "00FF00", "0000FF")]
    root = zarrcore.create(place / "2")
    root.create_group(
        "a",
        attributes={
            "multiscales": [{"version": "0.4", "axes": axes, "datasets": datasets}],
            "omero": {"channels": channels},
        },
    )
    third = root.create_array("a/0", shape=(PLANES, 3, SIDE, SIDE), dtype="u2", chunks=(1, *chunks))
    fourth = zarrcore.create(place / "3").create_array("a", shape=shape, dtype="u4", chunks=chunks)
    missing = smooth > 1.5
    for plane in range(PLANES):
        first[plane] = smooth + plane
        second[plane] = np.where(missing, -9999.0, smooth + plane)
        for channel in range(3):
            third[plane, channel] = ((smooth + 2) * 9000 + 5000 * channel + 900 * plane).astype("u2")
        fourth[plane] = ((rows[:, None] // 37) * 113 + columns // 41 + plane).astype("u4")


def _pause(browser: Any) -> None:
    until_s = time.perf_counter() + _PAUSE_S
    browser.until(lambda: time.perf_counter() > until_s)


def measure(source: str, number: int) -> dict[str, float]:
    """The longest gap in seconds of each action with one picture."""
    from tests.benchmarks.browser import Browser
    from zarrbrowser.image.colours.contrast import Contrast, ContrastMode

    browser = Browser()
    browser.window.resize(*SIZE)
    pane = browser.ready()
    browser.window.open_text(f"{source}#/a")
    browser.until(lambda: pane.view.is_complete)
    if number == 3:
        pane.model.set(colour_map="labels")
    if number == 1:
        pane.model.set(elements=replace(pane.model.state.settings.elements, fill=(-9999.0,), valid=(-50, 50)))
    spin = pane.body.sliders.spins[0]

    def settle() -> None:
        quiet_s = time.perf_counter() + 0.5
        while time.perf_counter() < quiet_s or not pane.view.is_complete or browser.window.workers.active:
            browser.application.processEvents()
            time.sleep(0.0005)

    def steps(act: Callable[[int], Any], times: int = _TURNS) -> float:
        settle()
        browser.listen()
        for turn in range(times):
            act(turn)
            _pause(browser)
        settle()
        browser._heart.stop()
        return browser.gap_s

    def zoom(turn: int) -> None:
        if turn % 2:
            pane.canvas.view.translateBy(x=SIDE / 9, y=SIDE / 11)
        else:
            pane.canvas.view.scaleBy((0.7, 0.7))

    def drag(turn: int) -> None:
        low, high = turn / 10 - 1.0, turn / 9 + 2.0
        if number == 2:
            one, *others = pane.model.state.settings.channels
            fixed = Contrast(ContrastMode.FIXED, low * 3000 + 5000, high * 20000)
            pane.model.set(channels=(replace(one, contrast=fixed), *others))
        else:
            pane.model.set(contrast=Contrast(ContrastMode.FIXED, low, high))

    def recolour(turn: int) -> None:
        if number == 2:
            one, *others = pane.model.state.settings.channels
            pane.model.set(channels=(replace(one, colour=(255, 40 * turn, 0)), *others))
        else:
            maps = ("viridis", "magma", "labels" if number == 3 else "gray")
            pane.model.set(colour_map=maps[turn % 3])

    for plane in range(PLANES):  # load all planes
        spin.setValue(plane)
        settle()
    found = {}
    found["slider"] = steps(lambda turn: spin.setValue(turn % PLANES))
    found["resize"] = steps(
        lambda turn: browser.window.resize(SIZE[0] - 60 * (turn % 3 + 1), SIZE[1] - 40 * (turn % 2))
    )
    found["zoom and pan"] = steps(zoom)
    pane.fit()
    found["contrast"] = steps(drag)
    found["colour map"] = steps(recolour)
    return found


def main() -> None:
    """Measure, and print a table in milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where the pictures are kept for the next time")
    parser.add_argument("--scale", default="2", help="device pixels per pixel of the window")
    parser.add_argument("--picture", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.picture is not None:
        found = measure(str(chosen.folder / str(chosen.picture)), chosen.picture)
        print(" ".join(f"{found[action] * 1e3:.0f}" for action in ACTIONS), flush=True)
        os._exit(0)
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.folder or Path(temporary)
        if not (folder / "3").exists():
            write_pictures(folder)
        print(f"{'longest gap in ms':30}" + "".join(f"{action:>14}" for action in ACTIONS))
        for number, name in enumerate(PICTURES):
            command = [
                sys.executable,
                "-m",
                "tests.benchmarks.gaps",
                "--folder",
                str(folder),
                "--picture",
                str(number),
            ]
            environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": chosen.scale}
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
            print(
                f"{name:30}" + "".join(f"{value:>14}" for value in done.stdout.split()[-len(ACTIONS) :]),
                flush=True,
            )


if __name__ == "__main__":
    main()
