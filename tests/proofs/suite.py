"""What a suite is."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Suite:
    """Trials of one kind.

    Args:
        name: as in ``packaging/prove NAME``.
        about: what it does, in one line.
        module: the module, below this package, whose function ``trial`` runs the trial of a seed. It returns how many units it
            did, or 0 after the last seed. It raises an exception if zarrscope breaks a promise.
        unit: what is counted, in the plural.
        goal: the number of units of a complete proof; None for suites that end by themselves.
        limit_s: a trial that takes longer hangs.
        limit_nbytes: resident memory that the process of the trials must not exceed.
        words: arguments of the function after the seed.
        lasts: whether one trial takes all the time of the run; the function gets the seconds as its last argument.
        needs: a program of another project that must be on the PATH; without it the suite is not run.
    """

    name: str
    about: str
    module: str
    unit: str
    goal: int | None
    limit_s: float = 60.0
    limit_nbytes: int = 2 << 30
    words: tuple[str, ...] = ()
    lasts: bool = False
    needs: str = ""

    @property
    def missing(self) -> str:
        """Why it cannot run here; empty if it can."""
        return (
            f"not run: {self.needs} is not on the PATH" if self.needs and not shutil.which(self.needs) else ""
        )


@dataclass(frozen=True)
class Finding:
    """A trial that failed: an exception, a hang, too much memory, or the end of its process."""

    seed: int
    kind: str
    text: str

    def line(self) -> str:
        """The last line of its text, which is the exception's."""
        lines = self.text.strip().splitlines()
        return f"seed {self.seed}: {self.kind}: {lines[-1] if lines else 'no output'}"


Trial = Callable[..., int]
