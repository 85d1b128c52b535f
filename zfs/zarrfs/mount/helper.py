"""``mount.zarrscope`` and ``mount.fuse.zarrscope``: what mount(8) runs for its ``-t`` and for a line of fstab(5).

``packaging/install-mount-helper`` puts them where mount(8) looks. They take what mount(8) hands to any helper, and
answer with its exit statuses.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Final

from zarrcore.cli.main import main as zarrscope

_WRONG_CALL: Final = 1
_FAILED: Final = 32
"""Exit statuses of mount(8)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Mount as mount(8) asks; the exit status as it expects it."""
    parser = argparse.ArgumentParser(prog=os.path.basename(sys.argv[0]), allow_abbrev=False)
    parser.add_argument("source", metavar="SOURCE")
    parser.add_argument("directory", metavar="DIRECTORY")
    parser.add_argument("-o", dest="words", action="append", default=[], metavar="WORD,...")
    parser.add_argument("-f", dest="fake", action="store_true", help="do nothing, successfully")
    parser.add_argument("-s", dest="sloppy", action="store_true", help="pass over options that nobody knows")
    parser.add_argument("-v", dest="verbose", action="store_true", help="tell what was mounted")
    parser.add_argument("-n", action="store_true", help="passed over: no file lists what is mounted")
    parser.add_argument("-t", metavar="TYPE", help="passed over: there is one")
    try:
        asked = parser.parse_intermixed_args(arguments)
        if asked.fake:
            return 0
        words = ",".join(["sloppy"] * asked.sloppy + asked.words)
        status = zarrscope(["mount", "-o", words, "--", asked.source, asked.directory])
    except SystemExit as stop:  # argparse has told why
        return _WRONG_CALL if stop.code else 0
    if status == 0 and asked.verbose:
        print(f"zarrscope: {asked.source} mounted on {asked.directory}", flush=True)  # noqa: T201 - the command's answer
    return {0: 0, 2: _WRONG_CALL}.get(status, _FAILED)


if __name__ == "__main__":
    sys.exit(main())
