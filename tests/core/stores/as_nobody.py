"""Runs a few lines as a user without privileges: as another user if the tests run as root."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

_PROGRAM = """
import os
from zarrcore.errors import ZarrError
from zarrcore.stores import open_store
import {module}, zarrcore.stores.database.lmdb, zarrcore.stores.database.sqlite, zarrcore.stores.zip.store
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
{lines}
except ZarrError as error:
    print(type(error).__name__, error)
"""


@contextlib.contextmanager
def place_for_all() -> Iterator[Path]:
    """A directory that every user can access, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        place.chmod(0o755)
        yield place


def as_nobody(module: str, lines: str) -> str:
    """The output of ``lines``, which use `open_store` and ``module``, or the error that ends them."""
    program = _PROGRAM.format(module=module, lines=textwrap.indent(textwrap.dedent(lines), "    "))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout
