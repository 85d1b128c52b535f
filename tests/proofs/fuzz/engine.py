"""The process that fuzzes one target.

    python -m tests.proofs.fuzz.engine TARGET FINDINGS [option of libFuzzer …] [FOLDER or FILE]

With a FILE it repeats that input, and writes its exception to standard error. Else an exception is kept in the folder
FINDINGS, one input for each place, and fuzzing goes on.
A hang, too much memory or a crash of a C library ends the process, which libFuzzer requires.
"""

from __future__ import annotations

import hashlib
import sys
import traceback
from pathlib import Path


class Findings:
    """Inputs that end in an exception, in a folder: the shortest for each place where it was raised."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shortest: dict[str, int] = {}

    def add(self, data: bytes, error: BaseException) -> None:
        """Keep an input and its traceback."""
        frames = traceback.extract_tb(error.__traceback__)
        places = [f"{frame.filename}:{frame.lineno}" for frame in frames[-3:]]
        place = hashlib.sha1("\n".join([type(error).__name__, *places]).encode()).hexdigest()[:12]
        if len(data) >= self._shortest.get(place, sys.maxsize):
            return
        self._shortest[place] = len(data)
        (self._folder / place).write_bytes(data)
        (self._folder / f"{place}.txt").write_text(
            "".join(traceback.format_exception(error)), errors="replace"
        )


def main(arguments: list[str]) -> None:
    """Fuzz until libFuzzer ends this process."""
    import atheris  # late: the tests import this module, and it is only there after packaging/setup --prove

    name = arguments[1]
    findings = Findings(Path(arguments[2]))
    is_repeated = Path(arguments[-1]).is_file()
    with atheris.instrument_imports(include=["zarrcore", "zarrfs", "zarrbrowser"]):
        from tests.proofs.fuzz.one_thread import in_one_thread
        from tests.proofs.fuzz.seen import remembering
        from tests.proofs.fuzz.target import load_target

        target = load_target(name)
        for data in target.examples():
            target.check(data)  # imports what is imported late, with its coverage

    def check(data: bytes) -> None:
        try:
            target.check(data)
        except BaseException as error:  # SystemExit too contradicts what zarrscope promises
            if isinstance(error, KeyboardInterrupt):
                raise
            if is_repeated:
                traceback.print_exception(error)
            else:
                findings.add(data, error)

    atheris.Setup([arguments[0], *arguments[3:]], check)
    with in_one_thread(), remembering():
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)
