"""How lines of a log are written: names in them are data of others."""

from __future__ import annotations

import logging
from types import TracebackType

from zarrcore.printable import printable

_Fault = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class LogFormatter(logging.Formatter):
    """Writes each record with escapes for characters that a terminal would obey, as `printable` does."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - overrides
        """The line of a record."""
        return printable(super().formatMessage(record))

    def formatException(self, ei: _Fault) -> str:  # noqa: N802 - overrides
        """The lines of a traceback."""
        return "\n".join(map(printable, super().formatException(ei).split("\n")))
