"""What makes the rounds of a comparison alike for all who take part."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

_BACKED_NBYTES = 1200 << 20


def turns(rounds: int, names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Who acts when: in every round each once, another one first; one round more, the first, is not counted."""
    order = deque(names)
    for turn in range(rounds + 1):
        yield from ((turn, name) for name in order)
        order.rotate(-1)


def back_memory() -> None:
    """Have the machine find memory now that who is measured next will take.

    A virtual machine gives memory that lies idle back to its host, and whoever asks for it first waits for it again.
    """
    np.ones(_BACKED_NBYTES, np.uint8)


def keep_bytecode(folder: Path) -> None:
    """Let programs that are started find their modules compiled, as those are that pip installed."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
