"""The README's examples run, in the order in which they stand, in a folder that holds the demonstration's ``brain.zarr``.

A ``python`` block runs in one namespace with those before it. Of a ``console`` block every line that begins with ``$``
runs in a shell, and must exit with 0. Not run are: what names an address (``://``), for the tests need no network, other
than that of a bucket that they serve themselves; what installs (``git``, ``cd``, ``packaging/…``, ``pip``, ``sudo``); a
window (``zarrscope browse`` is only asked for its help); and, where this user cannot mount, all from ``zarrscope mount`` to
``zarrscope umount``. A ``text`` block right below a ``console`` block is what the first of its commands prints.
"""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.servers import S3Server

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"\n*```text\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
SERVED = "s3://bucket/brain.zarr"
NOT_RUN = ("git ", "cd ", "packaging/", "pip ", "sudo ")


class Example(NamedTuple):
    language: str
    text: str
    line: int
    output: str | None = None
    """What is said to be printed, if anything is."""


def examples() -> Iterator[Example]:
    """Python blocks, and single command lines, in the README's order."""
    readme = (ROOT / "README.md").read_text()
    for block in BLOCK.finditer(readme):
        line = readme.count("\n", 0, block.start()) + 2
        if block[1] == "python":
            yield Example("python", block[2], line)
            continue
        output = OUTPUT.match(readme, block.end())
        for number, text in enumerate(block[2].splitlines()):
            if text.startswith("$ "):
                yield Example(
                    "console", text[2:], line + number, output[1] if output and number == 0 else None
                )


def can_mount() -> bool:
    return os.access("/dev/fuse", os.R_OK | os.W_OK)


def test_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, s3: S3Server) -> None:
    write_brain(tmp_path / "brain.zarr")
    s3.upload(tmp_path / "brain.zarr", SERVED.removeprefix("s3://"))
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint_url)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    namespace: dict[str, Any] = {"__name__": "readme"}
    skipping = False
    try:
        for example in examples():
            skipping |= example.text.startswith("zarrscope mount") and not can_mount()
            if not skipping and "://" not in example.text.replace(SERVED, ""):
                run(example, namespace)
            skipping &= not example.text.startswith("zarrscope umount")
    finally:
        unmount_below(tmp_path)


def run(example: Example, namespace: dict[str, Any]) -> None:
    if example.language == "python":
        code = compile("\n" * (example.line - 1) + example.text, str(ROOT / "README.md"), "exec")
        exec(code, namespace)
    elif not example.text.startswith(NOT_RUN):
        command = re.sub(r"^(zarrscope browse|zarrbrowser)\b.*", r"\1 --help", example.text)
        done = subprocess.run(
            ["bash", "-c", command], env=environment(), capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, f"README.md:{example.line}: {example.text}\n{done.stdout}{done.stderr}"
        assert example.output in (None, done.stdout), (
            f"README.md:{example.line}: {example.text} prints\n{done.stdout}"
        )


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "QT_QPA_PLATFORM": "offscreen",
    }


def write_brain(path: Path) -> None:
    runpy.run_path(str(ROOT / "packaging" / "demo_hierarchy.py"))["write"](str(path))


def unmount_below(folder: Path) -> None:
    """Unmount what an example that failed has left."""
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for mountpoint in mounts:
        if mountpoint.startswith(f"{folder}/"):
            subprocess.run(["zarrscope", "umount", mountpoint], env=environment(), check=False, timeout=60)
            time.sleep(0.1)


def test_the_python_blocks_compile_even_those_not_run() -> None:
    for example in examples():
        if example.language == "python":
            compile(example.text, f"README.md:{example.line}", "exec")
