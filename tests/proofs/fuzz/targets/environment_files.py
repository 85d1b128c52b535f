"""``--env-file``: MountError, or the variables that a second reader, written from the manual, finds."""

from __future__ import annotations

import os
from collections.abc import Iterable
from unittest import mock

from tests.proofs.fuzz.folders import work_folder
from zarrfs.cli import _take_environment
from zarrfs.mount.mountpoints import MountError

WORDS = (
    "AWS_ACCESS_KEY_ID=",
    "SECRET",
    "=",
    "#",
    "'",
    '"',
    "export ",
    "\n",
    "\r\n",
    "\x00",
    "\ufeff",
    "\u2028",
    " ",
    "\\",
    "$A",
)


def check(data: bytes) -> None:
    """The variables are those of the lines, or a line is at fault."""
    path = work_folder("environment") / "env"
    path.write_bytes(data)
    expected, is_fine = _expected(data)
    with mock.patch.dict(os.environ, {}, clear=True):
        try:
            _take_environment(str(path))
        except MountError:
            assert not is_fine, "refused without reason"
            return
        assert is_fine
        assert dict(os.environ) == expected


def _expected(data: bytes) -> tuple[dict[str, str], bool]:
    try:
        lines = data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    except UnicodeDecodeError:
        return {}, False
    found: dict[str, str] = {}
    for line in map(str.strip, lines):
        if not line or line[0] == "#":
            continue
        name, equals, value = line.partition("=")
        if not equals or not name.isidentifier() or "\0" in value:
            return {}, False
        if len(value) > 1 and value[0] in "'\"" and value[0] == value[-1]:
            value = value[1:-1]
        found[name] = value
    return found, True


def examples() -> Iterable[bytes]:
    """Plain and quoted values, comments, and lines that are refused."""
    yield b"# credentials\nAWS_ACCESS_KEY_ID=abc\nAWS_SECRET_ACCESS_KEY='a=b c'\n\nX=\"\"\n"
    yield b"A=1\r\nB=2"
    yield b"export A=1"
    yield b"A"
    yield "É=ü".encode()
