"""The process that fuzzes one target; it ends at the first finding, which libFuzzer requires.

    python -m tests.proofs.fuzz.engine TARGET [option of libFuzzer …] [FOLDER or FILE]

With a FILE it repeats that input.
"""

from __future__ import annotations

import sys

import atheris


def main(arguments: list[str]) -> None:
    """Fuzz until libFuzzer ends this process."""
    name = arguments[1]
    with atheris.instrument_imports(include=["zarrcore", "zarrfs", "zarrbrowser"]):
        from tests.proofs.fuzz.target import load_target

        target = load_target(name)
    atheris.Setup([arguments[0], *arguments[2:]], target.check)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)
