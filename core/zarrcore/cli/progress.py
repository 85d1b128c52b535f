"""A progress bar for long work: on standard error, and only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from rich.progress import ProgressColumn

Report = Callable[[str, int, int | None], None]
"""Called with the current item, the amount done, and the total, if that is known."""


@contextmanager
def progress_bar(*, quiet: bool = False, of_bytes: bool = False) -> Iterator[Report | None]:
    """A function that moves the bar; None without a bar.

    Args:
        quiet: show no bar.
        of_bytes: whether bytes are counted, with their rate; otherwise items.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, TextColumn

    from zarrcore.cli.text import printable

    # Lines on standard output would break the bar if both are one terminal; in a pipe they must stay on standard output.
    redirect = sys.stdout.isatty()
    columns = (TextColumn("{task.description}", markup=False), *_columns(of_bytes))
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=redirect) as bar:
        task = bar.add_task("", total=None)

        def report(what: str, done: int, total: int | None) -> None:
            bar.update(task, description=printable(what), completed=done, total=total)

        yield report


def _columns(of_bytes: bool) -> tuple[ProgressColumn, ...]:
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    if of_bytes:
        return BarColumn(), DownloadColumn(binary_units=True), TransferSpeedColumn(), TimeRemainingColumn()
    return BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
