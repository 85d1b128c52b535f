"""Hiding secrets of the command line from the list of processes, in which a mount and a server stay for a long time."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterable
from typing import Final

_ARG_START: Final = 48 - 3
_ARG_END: Final = 49 - 3
"""Fields of proc(5)'s ``stat``, counted from the first one after the name."""


def hide(secrets: Iterable[str]) -> None:
    """Overwrite texts in this process's visible arguments with asterisks, if the system permits it."""
    hidden = {form for secret in secrets if secret for form in (secret, secret.replace(",", "\\,"))}
    if not hidden:
        return
    with contextlib.suppress(OSError, ValueError, IndexError):
        with open("/proc/self/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        start, end = int(fields[_ARG_START]), int(fields[_ARG_END])
        with open("/proc/self/mem", "r+b", buffering=0) as memory:
            memory.seek(start)
            arguments = memory.read(end - start)
            for secret in map(os.fsencode, hidden):
                arguments = arguments.replace(secret, b"*" * len(secret))
            memory.seek(start)
            memory.write(arguments)


def source_secrets(namespace: argparse.Namespace) -> list[str]:
    """The secrets of a command line with a source and the options of its store."""
    address, _, query = namespace.source.partition("://")[2].partition("?")
    user = address.partition("/")[0].rpartition("@")[0]
    return [text for text in (user, query, *(value for _, value in namespace.header)) if text]
