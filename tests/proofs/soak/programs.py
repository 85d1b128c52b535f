"""The programs of a soak, in processes of their own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from tests.proofs.trials import ROOT


class SoakError(AssertionError):
    """A program ended, or a figure grows."""


@contextlib.contextmanager
def program(module: str, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A module of this package as a program, which ends with its standard input.

    Raises:
        SoakError: it ended before, with an exception, or did nothing.
    """
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", f"tests.proofs.soak.{module}", *words],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), *sys.path]))},
        )
        try:
            yield process
            told, _ = process.communicate(timeout=120)
            if process.returncode:
                errors.seek(0)
                raise SoakError(f"{module} ended with {process.returncode}: {errors.read().decode()[-4000:]}")
            if not int((told.split() or [0])[-1]):
                raise SoakError(f"{module} did nothing")
        finally:
            process.kill()
            process.communicate()
