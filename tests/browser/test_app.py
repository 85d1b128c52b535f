"""The real program on a real X server with real data; its pictures are kept in ``.artefacts/``."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest
import zarr
from nibabel.testing import data_path
from PySide6.QtGui import QImage

from tests.browser.conftest import environment
from tests.command import run_process
from tests.waiting import PATIENCE_S

ARTEFACTS = Path(__file__).parents[2] / ".artefacts"


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real functional MRI volume, written by zarr-python."""
    path = tmp_path_factory.mktemp("scan") / "scan.zarr"
    image: Any = nibabel.load(Path(data_path) / "example4d.nii.gz")
    volume = np.asarray(image.dataobj)
    group = zarr.open_group(path, mode="w", zarr_format=3)
    group.attrs["title"] = "functional MRI"
    names = ["x", "y", "z", "time"]
    group.create_array("bold", data=volume, chunks=(64, 48, 12, 1), dimension_names=names)
    return path


def picture_of(path: Path) -> np.ndarray:
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB888)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return pixels[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


@pytest.mark.sampled(1, axes=[])
@pytest.mark.parametrize("colours", ["--light", "--dark"])
def test_browse_shows_the_picture(colours: str, display: str, scan: Path, tmp_path: Path) -> None:
    ARTEFACTS.mkdir(exist_ok=True)
    target = ARTEFACTS / f"browser{colours.replace('--', '-')}.png"
    target.unlink(missing_ok=True)
    done = run_process(
        "browse",
        scan,
        "/bold",
        "--fresh",
        colours,
        "--screenshot",
        target,
        env=environment(display, tmp_path),
    )
    assert (done.status, done.stderr) == (0, "")
    pixels = picture_of(target)
    assert pixels.shape == (800, 1280, 3)
    middle = pixels[230:600, 520:1000]
    gray = middle[(middle[..., 0] == middle[..., 1]) & (middle[..., 1] == middle[..., 2])]
    assert gray.size > middle.size / 2, "the picture fills the middle of the window"
    assert len(np.unique(gray)) > 50, "and is not blank"
    assert list(tmp_path.iterdir()) == [], "--fresh saves nothing"


def test_at_twice_the_scale_the_window_is_no_larger_than_the_screen(
    display: str, scan: Path, tmp_path: Path
) -> None:
    target = ARTEFACTS / "browser-twice.png"
    ARTEFACTS.mkdir(exist_ok=True)
    target.unlink(missing_ok=True)
    told = {**environment(display, tmp_path), "QT_SCALE_FACTOR": "2"}
    done = run_process("browse", scan, "/bold", "--fresh", "--light", "--screenshot", target, env=told)
    assert (done.status, done.stderr) == (0, "")
    height, width, _ = picture_of(target).shape
    assert (height <= 800, width <= 2 * 700) == (True, True), "700 pixels are the minimum width"


def test_a_source_that_cannot_be_opened_shows_a_sentence(display: str, tmp_path: Path) -> None:
    target = ARTEFACTS / "browser-error.png"
    ARTEFACTS.mkdir(exist_ok=True)
    done = run_process(
        "browse",
        tmp_path / "nothing.zarr",
        "--light",
        "--screenshot",
        target,
        env=environment(display, tmp_path),
    )
    assert done.status == 1
    assert re.fullmatch(r"zarrscope: .*nothing\.zarr.*\n", done.stderr)
    right = picture_of(target)[200:700, 450:1250]
    assert len(np.unique(right)) > 5, "there is text on the right"


def test_the_program_ends_on_a_signal(display: str, scan: Path, tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("zarrscope")
    running = subprocess.Popen([program, "browse", scan], env=environment(display, tmp_path))
    time.sleep(1.5)
    assert running.poll() is None
    running.send_signal(signal.SIGTERM)
    assert running.wait(PATIENCE_S) in (0, -signal.SIGTERM)


SIGNALLED_EARLY = """
import os, signal, sys
from zarrbrowser import app
app.collect_in_this_thread = lambda _owner: os.kill(os.getpid(), signal.SIGTERM)
sys.exit(app.run(None, fresh=True))
"""


def test_the_program_ends_on_a_signal_before_its_event_loop_runs() -> None:
    done = subprocess.run([sys.executable, "-c", SIGNALLED_EARLY], timeout=PATIENCE_S)
    assert done.returncode == 0


COPYING = """
import sys
from PySide6.QtCore import QMimeData, QTimer
from PySide6.QtWidgets import QApplication
from zarrbrowser import app

def copy(_application):
    data = QMimeData()
    data.setText("a text")
    QApplication.clipboard().setMimeData(data)
    QTimer.singleShot(0, QApplication.closeAllWindows)

app.collect_in_this_thread = copy
status = app.run(None, fresh=True)
print(QApplication.clipboard().text())
sys.exit(status)
"""


def test_what_was_copied_does_not_outlive_python_on_a_platform_without_a_clipboard() -> None:
    done = subprocess.run([sys.executable, "-c", COPYING], timeout=PATIENCE_S, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "\n"), done.stderr


NUMBERS = """
from PySide6.QtCore import QLocale, QTimer
from PySide6.QtWidgets import QApplication
from zarrbrowser import app
from zarrbrowser.widgets.number_box import NumberBox

def read_and_write(_application):
    box = NumberBox("a number", 2)
    box.setGroupSeparatorShown(True)
    box.setRange(0, 9999)
    for text in ("1,234.5", "2.25", "1,5"):
        box.lineEdit().setText(text)
        box.interpretText()
        print(QLocale.system().name(), box.value(), box.text())
    QTimer.singleShot(0, QApplication.closeAllWindows)

app.collect_in_this_thread = read_and_write
app.run(None, fresh=True)
"""


@pytest.mark.parametrize("language", ["de_DE", "fr_FR"])
def test_numbers_are_read_and_written_alike_in_each_language(language: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NUMBERS],
        env={**os.environ, "LC_ALL": f"{language}.UTF-8"},
        timeout=PATIENCE_S,
        capture_output=True,
        text=True,
    )
    lines = [line.split(" ", 2) for line in done.stdout.splitlines()]
    assert lines == [
        [language, "1234.5", "1,234.50"],
        [language, "2.25", "2.25"],
        [language, "2.25", "2.25"],  # "1,5" is not a number in any language, so the value stays
    ], done.stderr
