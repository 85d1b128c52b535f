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
from zarrcore.cli.main import command_parser
from zarrcore.errors import MissingExtraError, ZarrError


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
    namespace = parsed("s3://bucket/x.zarr#/a", "b", "--anonymous")
    assert cli.request_of(namespace).address == "s3://bucket/x.zarr"
    assert cli.request_of(namespace).options.anonymous
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "PySide6" else object())
    with pytest.raises(MissingExtraError, match=r"zarrscope\[gui\]"):
        namespace.run(namespace)


def parsed(*words: str) -> argparse.Namespace:
    return command_parser("browse").parse_args(["browse", *words])


@pytest.mark.parametrize(
    ("words", "address", "path"),
    [
        (["/data/a.zarr"], "/data/a.zarr", "/"),
        (["/data/a.zarr#/raw/0"], "/data/a.zarr", "/raw/0"),
        (["/data/a.zarr", "raw/0/"], "/data/a.zarr", "/raw/0"),
        (["/data/a.zarr#/raw", "/other"], "/data/a.zarr", "/other"),
        (["/data/a.zarr#/raw", "/"], "/data/a.zarr", "/raw"),
        (["/data/a.zarr/zarr.json"], "/data/a.zarr", "/"),
        (["file:///donn%C3%A9es/a.zarr"], "/données/a.zarr", "/"),
    ],
)
def test_a_node_is_part_of_the_source_or_a_second_argument(words: list[str], address: str, path: str) -> None:
    request = cli.request_of(parsed(*words))
    assert (request.address, request.path, request.format) == (address, path, None)


def test_without_a_source_nothing_is_requested() -> None:
    assert cli.request_of(parsed("--fresh", "--dark")) is None


def test_the_format_and_the_options_of_the_store_are_part_of_the_request() -> None:
    words = ["s3://bucket/a", "--format", "n5", "--region", "eu-west-1", "--requester-pays"]
    request = cli.request_of(parsed(*words))
    assert request.format == "n5"
    assert (request.options.region, request.options.requester_pays) == ("eu-west-1", True)


def test_only_one_appearance_can_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert parsed().appearance is None
    assert parsed("--dark").appearance == "dark"
    with pytest.raises(SystemExit):
        parsed("--light", "--dark")
    assert "not allowed with" in capsys.readouterr().err


LINK = "zarrscope://view?version=1&address=/data/a.zarr&path=/raw/zarr.json"


def test_a_link_is_a_source_whose_options_are_its_own() -> None:
    request = cli.request_of(parsed(LINK))
    assert (request.address, request.path, request.format, request.options) == (LINK, "/", None, None)
    request = cli.request_of(parsed(LINK, "--format", "v2", "--region", "eu-west-1"))
    assert (request.format, request.options.region) == ("v2", "eu-west-1")
    with pytest.raises(ZarrError, match="without PATH"):
        cli.request_of(parsed(LINK, "/raw"))
