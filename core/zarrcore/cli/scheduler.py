"""``--memory`` and ``--scheduler``: what the work of a command may use."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from zarrcore.cli.store_arguments import size
from zarrcore.sizes import SIZE_UNITS

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.operations.cluster import RunWork


def add_memory_argument(parser: argparse.ArgumentParser, use: str) -> None:
    """Add ``--memory`` to ``parser``; ``use`` says what the memory is for."""
    parser.add_argument(
        "--memory",
        type=_nbytes,
        default="512M",
        metavar="SIZE",
        help=f"memory for {use} (default: %(default)s); {SIZE_UNITS}",
    )


def _nbytes(text: str) -> int:
    nbytes = size(text)
    if not nbytes:
        raise argparse.ArgumentTypeError("expected more than 0 bytes")
    return nbytes


def add_scheduler_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--scheduler`` to ``parser``."""
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="let the Dask cluster of this scheduler do the work, such as tcp://host:8786 (default: this process)",
    )


def scheduler(namespace: argparse.Namespace) -> AbstractContextManager[RunWork | None]:
    """What calls work on the cluster of a command line; None for the threads of this process."""
    if namespace.scheduler is None:
        return nullcontext(None)
    from zarrcore.operations.cluster import on_cluster

    return on_cluster(namespace.scheduler)
