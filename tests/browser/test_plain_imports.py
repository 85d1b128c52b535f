"""Imports beside PySide read no sources."""

from __future__ import annotations

import subprocess
import sys

IMPORT = """
import inspect, sys
read = []
getsource = inspect.getsource
inspect.getsource = lambda module: read.append(module) or getsource(module)
from zarrbrowser.plain_imports import restore_imports
restore_imports()
read.clear()
import zarrcore.conventions, zarrbrowser.panes.image.image_pane
from zarrbrowser.window.main_window import MainWindow
from PySide6.QtWidgets import QLabel
print(len(read), QLabel.__name__)
"""


def test_no_source_is_read_to_import_the_window() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("0 QLabel\n", "")
