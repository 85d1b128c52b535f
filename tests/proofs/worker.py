"""The process that runs trials: it reads seeds, one in a line, and answers with JSON.

python -m tests.proofs.worker MODULE LIMIT_NBYTES [WORD …]
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import json
import os
import sys
import traceback
from typing import TextIO

from tests.memory import peak_nbytes
from tests.proofs.suite import Trial


def main(module: str, limit_nbytes: int, words: list[str]) -> None:
    """Run the trial of each seed on standard input, until it ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a trial prints is not an answer
    faulthandler.enable()  # SIGABRT, by which a hanging trial is ended, writes all stacks
    trial: Trial = importlib.import_module(f"tests.proofs.{module}").trial
    _answer(answers, ready=True)  # importing the packages takes longer than some trials may
    for line in sys.stdin:
        seed = int(line)
        try:
            units = trial(seed, *words)
        except BaseException as error:  # SystemExit too contradicts what zarrscope promises
            if isinstance(error, KeyboardInterrupt):
                raise
            _answer(answers, kind=type(error).__name__, text=traceback.format_exc())
            continue
        if peak_nbytes() > limit_nbytes:
            _answer(answers, kind="memory", text=f"the process took {peak_nbytes() >> 20} MiB")
            return
        _answer(answers, units=units)


def _answer(answers: TextIO, **members: object) -> None:
    answers.write(json.dumps(members) + "\n")
    answers.flush()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
