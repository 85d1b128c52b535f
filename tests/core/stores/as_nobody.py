"""A few lines run as a user who may do little; where the tests run as root, who may do everything, as another one."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

_PROGRAM = """
import os
from zarrcore.errors import ZarrError
from zarrcore.stores import open_store
import {module}, zarrcore.stores.lmdb, zarrcore.stores.sqlite
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
{lines}
except ZarrError as error:
    print(type(error).__name__, error)
"""


def as_nobody(module: str, lines: str, place: Path) -> str:
    """What ``lines``, which use `open_store` and ``module``, print, or the error that ends them; they reach ``place``."""
    for parent in place.parents[:4]:
        parent.chmod(parent.stat().st_mode | 0o555)
    program = _PROGRAM.format(module=module, lines=textwrap.indent(textwrap.dedent(lines), "    "))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout
