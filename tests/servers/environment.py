"""Environment variables for the duration of a block."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def environment(values: dict[str, str], unwanted: tuple[str, ...] = ()) -> Iterator[None]:
    """Set environment variables, and remove others, for the duration of the block."""
    before = {name: os.environ.get(name) for name in (*values, *unwanted)}
    for name in unwanted:
        os.environ.pop(name, None)
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
