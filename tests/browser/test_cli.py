"""The command ``zarrscope browse``: its arguments, and what it says without Qt or a display."""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys

import pytest

from tests.command import run_process
from zarrbrowser import cli
from zarrcore.errors import MissingExtraError


def test_help_works_without_qt() -> None:
    code = (
        "import sys; from zarrcore.cli.main import main\n"
        "try: main(['browse', '--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit(any(name.partition('.')[0] in ('PySide6', 'pyqtgraph', 'cmap') for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "--screenshot" in done.stdout


def test_a_missing_display_is_reported_in_one_sentence() -> None:
    bare = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    done = run_process("browse", env=bare)
    assert done.status == 1
    assert done.stderr.startswith("zarrscope: there is no display")
    assert done.stderr.count("\n") == 1


def test_without_qt_one_sentence_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = argparse.ArgumentParser()
    cli.register(parser.add_subparsers())
    namespace = parser.parse_args(["browse", "s3://bucket/x.zarr#/a", "b", "--anonymous"])
    assert cli.request_of(namespace).address == "s3://bucket/x.zarr"
    assert cli.request_of(namespace).options.anonymous
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "PySide6" else object())
    with pytest.raises(MissingExtraError, match=r"zarrscope\[gui\]"):
        namespace.run(namespace)
