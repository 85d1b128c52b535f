"""``zarrscope`` and ``python -m zarrcore``: the program from its first import on.

Ctrl-C ends it with status 130 and without a traceback, also while modules are imported. Such an interrupt may reach code that
cannot raise it: C code that imports another module prints it and raises ImportError, and a destructor ignores it. Both call one
of Python's hooks, which end the program. Therefore this module sets the hooks before it imports anything else of zarrscope.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

_INTERRUPTED: Final = 130


def _ending(hook: Callable[..., object], kind_of: Callable[..., type[BaseException]]) -> Callable[..., None]:
    """``hook``, except that an interrupt ends the program."""

    def end_or_report(*arguments: Any) -> None:
        if issubclass(kind_of(*arguments), KeyboardInterrupt):
            os._exit(_INTERRUPTED)
        hook(*arguments)

    return end_or_report


sys.excepthook = _ending(sys.excepthook, lambda kind, _error, _trace: kind)
sys.unraisablehook = _ending(sys.unraisablehook, lambda unraisable: unraisable.exc_type)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status.

    An interrupt ends the process here: threads may still wait for a server, and Python would wait for them.
    """
    from zarrcore.cli.main import main as run  # late: after the hooks are set

    status = run(arguments)
    if status == _INTERRUPTED:
        atexit._run_exitfuncs()  # noqa: SLF001 - as Python does, to remove temporary files
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(main())
