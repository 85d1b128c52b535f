"""Standard error of libraries, captured for error messages."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def captured_stderr() -> Iterator[Callable[[], str]]:
    """Capture the stderr of libfuse and fusermount3, the only place where they give a reason."""
    saved = os.dup(2)
    with tempfile.TemporaryFile() as caught:
        os.dup2(caught.fileno(), 2)

        def read() -> str:
            caught.seek(0)
            lines = caught.read().decode("utf-8", "replace").strip().splitlines()
            return lines[-1].partition(": ")[2] or lines[-1] if lines else "libfuse gives no reason"

        try:
            yield read
        finally:
            os.dup2(saved, 2)
            os.close(saved)
