"""``--scheduler``: the Dask cluster that does the work of a command."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.operations.cluster import RunWork


def add_scheduler_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option to ``parser``."""
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="let the Dask cluster of this scheduler do the work (tcp://host:8786)",
    )


def scheduler(namespace: argparse.Namespace) -> AbstractContextManager[RunWork | None]:
    """What calls work on the cluster of a command line; None for the threads of this process."""
    if namespace.scheduler is None:
        return nullcontext(None)
    from zarrcore.operations.cluster import on_cluster

    return on_cluster(namespace.scheduler)
