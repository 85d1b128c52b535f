"""Where the daemon writes what went wrong."""

from __future__ import annotations

import logging
import logging.handlers
import os

_SYSTEM_LOG = "/dev/log"


def start(level: str, file: str | None, foreground: bool) -> None:
    """Send the daemon's log to a file, to the terminal, or to the system's log where there is one."""
    handler: logging.Handler
    if file is not None:
        handler = logging.FileHandler(os.path.abspath(file), encoding="utf-8")
    elif foreground:
        handler = logging.StreamHandler()
    elif os.path.exists(_SYSTEM_LOG):
        handler = logging.handlers.SysLogHandler(_SYSTEM_LOG)
    else:
        handler = logging.NullHandler()
    stamp = "" if isinstance(handler, logging.handlers.SysLogHandler) else "%(asctime)s "
    handler.setFormatter(logging.Formatter(f"{stamp}zarrscope[%(process)d] %(levelname)s %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # These tell of each request; whoever wants the mount's own messages does not want theirs.
    for noisy in ("pyfuse3", "httpx", "httpcore"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, logging.getLogger().level))
