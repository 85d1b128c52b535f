"""The browser: time to start and to show a plane, planes per second, and the longest freeze.

Each figure is measured in a separate process, without a screen, with the real window.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.results import OURS, Result

NAME = "browser"
KINDS = ("window", "picture", "slider", "gap")
DELAY_S = 0.5
SIDE = 4096
PLANES = 8
CHILDREN = 100_000
_ENOUGH_S = 300


def measure(folder: Path, rounds: int, kinds: Sequence[str]) -> Iterator[Result]:
    """The figures of some kinds."""
    from tests.servers.distant import (
        Distance,
        distant_process,
    )  # late: the time of the window includes its imports

    place = _place(folder)
    planes, children = str(place / "bucket" / "planes"), str(place / "bucket" / "children")
    if "window" in kinds:
        yield _result("from the command to the window", "window", "≤ 0.8 s", rounds, [])
    if "picture" in kinds:
        what = f"a plane of {SIDE} × {SIDE} float32, from the request to the screen"
        yield _result(what, "picture", "≤ 0.3 s", rounds, [planes])
    if "slider" in kinds:
        what = f"planes of {SIDE} × {SIDE} that are already loaded"
        yield _result(what, "slider", "≥ 20 /s", rounds, [planes], count=PLANES)
    if "gap" in kinds:
        what = f"the longest freeze of the window while a group of {CHILDREN:,} children expands"
        yield _result(what, "expand", "≤ 50 ms", rounds, [children], shown_as="gap")
        # Each folder in "bucket" is a bucket: the server walks one at its first listing, and "children" has many folders.
        with distant_process(place / "bucket", Distance(DELAY_S)) as url:
            what = (
                f"the same while a plane is read from a store that takes {DELAY_S * 1e3:.0f} ms per request"
            )
            yield _result(what, "distant", "≤ 50 ms", rounds, [url], shown_as="gap")


def _result(
    describes: str,
    task: str,
    target: str,
    rounds: int,
    arguments: list[str],
    *,
    count: int = 0,
    shown_as: str = "",
) -> Result:
    seconds = [_in_new_process(task, arguments) for _ in range(rounds + 1)][1:]
    return Result(NAME, describes, shown_as or task, 0, {OURS: seconds}, target=target, count=count)


def _in_new_process(task: str, arguments: list[str]) -> float:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    begun_s = time.time()
    command = [sys.executable, "-m", "tests.benchmarks.browser", task, *arguments]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, timeout=_ENOUGH_S)
    told = json.loads(done.stdout)
    return float(told["at"] - begun_s if "at" in told else told["seconds"])


def _place(folder: Path) -> Path:
    """The directory ``bucket`` with its content, written once."""
    import zarrcore

    place = folder / NAME
    if (place / "done").exists():
        return place
    hierarchy = zarrcore.create(place / "bucket" / "planes")
    array = hierarchy.create_array("planes", shape=(PLANES, SIDE, SIDE), dtype="f4", chunks=(1, 512, 512))
    smooth = np.add.outer(np.sin(np.arange(SIDE) / 90), np.cos(np.arange(SIDE) / 70)).astype("f4")
    for plane in range(PLANES):
        array[plane] = smooth + plane
    zarrcore.create(place / "bucket" / "children").create_group("many")
    document = (place / "bucket" / "children" / "many" / "zarr.json").read_bytes()
    for number in range(CHILDREN):
        (place / "bucket" / "children" / "many" / f"{number:06}").mkdir()
        (place / "bucket" / "children" / "many" / f"{number:06}" / "zarr.json").write_bytes(document)
    (place / "done").touch()
    return place


class Browser:
    """The window, and the longest time in which its event loop did not run."""

    def __init__(self) -> None:
        from PySide6.QtCore import QTimer
        from PySide6.QtWidgets import QApplication

        from zarrbrowser.settings import Settings
        from zarrbrowser.theme import Appearance, apply_theme
        from zarrbrowser.window.main_window import MainWindow
        from zarrbrowser.workers.garbage import collect_in_this_thread

        self.application = QApplication([])
        apply_theme(self.application, Appearance.LIGHT)
        self.window = MainWindow(Settings(fresh=True))
        self.window.show()
        self.application.processEvents()
        gc.freeze()  # as the program does: see `zarrbrowser.app`
        collect_in_this_thread(self.application)
        self.gap_s = 0.0
        self._beat_s = time.perf_counter()
        self._heart = QTimer(interval=1)
        self._heart.timeout.connect(self._beat)

    def _beat(self) -> None:
        now_s = time.perf_counter()
        self.gap_s, self._beat_s = max(self.gap_s, now_s - self._beat_s), now_s

    def listen(self) -> None:
        """Measure gaps from now on."""
        self.gap_s, self._beat_s = 0.0, time.perf_counter()
        self._heart.start()

    def until(self, is_done: Callable[[], bool]) -> None:
        """Run the event loop until a condition holds."""
        end_s = time.perf_counter() + _ENOUGH_S
        while not is_done():
            if time.perf_counter() > end_s:
                raise SystemExit("the browser does not reach the state")
            self.application.processEvents()
            time.sleep(0.0005)

    def ready(self) -> Any:
        """The image pane, once the window has started: what was left out for a fast start is imported."""
        loaded: list[bool] = []
        self.window.node_pane.pictures.finished.connect(lambda: loaded.append(True))
        self.window.node_pane.pictures.load()
        self.until(lambda: bool(loaded))
        gc.freeze()
        return self.window.node_pane.pane("Image")

    def leave(self, **told: float) -> None:
        """Print the result, and end."""
        self.window.grab()
        print(json.dumps(told), flush=True)
        self.window.close()
        os._exit(0)


def _window() -> None:
    browser = Browser()
    browser.leave(at=time.time())


def _picture(source: str) -> None:
    browser = Browser()
    pane = browser.ready()
    begun_s = time.perf_counter()
    browser.window.open_text(f"{source}#/planes")
    browser.until(lambda: pane.view.is_complete)
    browser.leave(seconds=time.perf_counter() - begun_s)


def _slider(source: str) -> None:
    browser = Browser()
    pane = browser.ready()
    browser.window.open_text(f"{source}#/planes")
    browser.until(lambda: pane.view.is_complete)
    spin = pane.body.sliders.spins[0]
    for turn in range(2):
        begun_s = time.perf_counter()
        for plane in range(PLANES):
            spin.setValue((plane + 5) % PLANES)
            browser.until(lambda: pane.view.is_complete)
            if turn:
                pane.canvas.repaint()
                pane.canvas.viewport().repaint()
    browser.leave(seconds=time.perf_counter() - begun_s)


def _expand(source: str) -> None:
    browser = Browser()
    browser.window.open_text(source)
    model = browser.window.model
    browser.until(lambda: model.rowCount(model.index(0, 0)) == 1 and not browser.window.workers.active)
    group = model.index(0, 0, model.index(0, 0))

    def further(rows: int) -> bool:
        # A page that was asked for before moves the end out of view.
        browser.window.tree.scrollToBottom()
        return model.rowCount(group) > rows and not browser.window.workers.active

    browser.listen()
    browser.window.tree.expand(group)
    for _page in range(5):
        rows = model.rowCount(group)
        browser.until(partial(further, rows))
    browser.leave(seconds=browser.gap_s)


def _distant(url: str) -> None:
    from zarrbrowser.session.sources import SourceRequest
    from zarrcore.stores import StoreOptions

    browser = Browser()
    pane = browser.ready()
    options = StoreOptions(anonymous=True, endpoint_url=url, region="us-east-1")
    browser.listen()
    browser.window.open(SourceRequest("s3://planes", "/planes", None, options))
    browser.until(lambda: pane.view.is_complete)
    spin = pane.body.sliders.spins[0]
    for _ in range(3):
        spin.setValue((spin.value() + 1) % PLANES)
        browser.until(lambda: pane.view.is_complete)
    browser.leave(seconds=browser.gap_s)


if __name__ == "__main__":
    tasks: dict[str, Callable[..., None]] = {
        "window": _window,
        "picture": _picture,
        "slider": _slider,
        "expand": _expand,
        "distant": _distant,
    }
    tasks[sys.argv[1]](*sys.argv[2:])
