"""A process for each library, so that threads and memory that one leaves do not slow down another."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self, TypeVar

Found = TypeVar("Found")


class OwnProcess:
    """A new Python process that runs functions, one after another.

    A function and its arguments are pickled, so it is one of a module.

    Args:
        how: "spawn"; or "forkserver", then it begins with what `multiprocessing.set_forkserver_preload` names, imported once.
    """

    def __init__(self, how: str = "spawn") -> None:
        context: Any = multiprocessing.get_context(how)
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.close()
        self._process.join()

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.is_alive()

    def run(self, function: Callable[..., Found], *arguments: Any) -> Found:
        """The result of a function.

        Raises:
            SystemExit: the process ended; it has printed the error.
        """
        self.begin(function, *arguments)
        found: Found = self.result()
        return found

    def begin(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Have it run a function; `result` waits for the end."""
        with suppress(ConnectionError):  # then `result` says how it ended
            self._pipe.send((function, arguments))

    def result(self) -> Any:
        """The result of the function that was begun.

        Raises:
            SystemExit: as `run`.
        """
        try:
            return self._pipe.recv()
        except (EOFError, ConnectionError):
            self._process.join()
            raise SystemExit(f"a process ended with status {self._process.exitcode}") from None


def in_new_process(function: Callable[..., Found], *arguments: Any, how: str = "spawn") -> Found:
    """The result of a function that runs in a process of its own, which starts in this way.

    Raises:
        SystemExit: as `OwnProcess.run`.
    """
    with OwnProcess(how) as process:
        return process.run(function, *arguments)


def _serve(pipe: Any) -> None:
    while True:
        try:
            function, arguments = pipe.recv()
        except EOFError:
            return
        pipe.send(function(*arguments))
