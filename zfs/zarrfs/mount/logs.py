"""The daemon's log."""

from __future__ import annotations

import errno
import logging
import logging.handlers
import os

from zarrfs.log_format import LogFormatter
from zarrfs.mount.mountpoints import MountError

_SYSTEM_LOG = "/dev/log"


def start(level: str, file: str | None, foreground: bool) -> None:
    """Send the daemon's log to a file, to the terminal, or to the system log if there is one."""
    handler: logging.Handler
    if file is not None:
        handler = _to_file(os.path.abspath(file))
    elif foreground:
        handler = logging.StreamHandler()
    elif os.path.exists(_SYSTEM_LOG):
        handler = logging.handlers.SysLogHandler(_SYSTEM_LOG)
    else:
        handler = logging.NullHandler()
    stamp = "" if isinstance(handler, logging.handlers.SysLogHandler) else "%(asctime)s "
    handler.setFormatter(LogFormatter(f"{stamp}zarrscope[%(process)d] %(levelname)s %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # These libraries log each request, which would bury the mount's own messages.
    for noisy in ("pyfuse3", "httpx", "httpcore"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, logging.getLogger().level))


class _RotatedFileHandler(logging.handlers.WatchedFileHandler):
    """Begins a new file when logrotate, or another program, has moved or removed the current one.

    If the file cannot be opened, the line is lost: a full or vanished log must not end the mount.
    """

    def emit(self, record: logging.LogRecord) -> None:
        try:
            super().emit(record)
        except OSError:
            self.handleError(record)


def _to_file(path: str) -> logging.Handler:
    try:
        return _RotatedFileHandler(path, encoding="utf-8")
    except OSError as error:
        reason = os.strerror(error.errno or errno.EIO).lower()
        raise MountError(f"cannot mount: the log cannot be written to {path}: {reason}") from error
