"""Equal conditions for all libraries in the rounds of a comparison."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np

from tests.benchmarks.results import OURS

T = TypeVar("T")

_BACKED_NBYTES = 1200 << 20


def chosen(libraries: Mapping[str, T], peers: bool) -> dict[str, T]:
    """The libraries to measure: zarrscope, and the peers unless they are left out."""
    return {name: entry for name, entry in libraries.items() if peers or name == OURS}


def turns(rounds: int, names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The order of libraries: each once per round, with another one first; the extra first round is not counted."""
    order = deque(names)
    for turn in range(rounds + 1):
        yield from ((turn, name) for name in order)
        order.rotate(-1)


def back_memory() -> None:
    """Let the machine find memory now for the next measurement.

    A virtual machine returns idle memory to its host, and the first process to request it again has to wait.
    """
    np.ones(_BACKED_NBYTES, np.uint8)


def keep_bytecode(folder: Path) -> None:
    """Compile the modules for programs that are started, as pip does for installed packages."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
