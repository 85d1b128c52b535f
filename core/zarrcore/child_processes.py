"""Child processes that run a module of this installation."""

from __future__ import annotations

import sys

from zarrcore.installation import is_single_file


def module_command(module: str, *words: str) -> list[str]:
    """The command line that runs a module as ``python -m`` does, without the working directory on its path.

    The single-file program has no Python interpreter beside it. It takes ``-m`` itself.
    """
    options = [] if is_single_file() else ["-P"]
    return [sys.executable, *options, "-m", module, *words]
