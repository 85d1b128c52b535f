"""``mount.zarrscope`` and ``mount.fuse.zarrscope``: the helpers that mount(8) runs for its ``-t`` and for a line of fstab(5).

``packaging/install-mount-helper`` installs them where mount(8) looks. They take the arguments that mount(8) gives to any helper,
and return its exit statuses.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Final

_WRONG_CALL: Final = 1
_FAILED: Final = 32
"""Exit statuses of mount(8)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Mount as mount(8) asks; returns one of its exit statuses."""
    # late: it makes this process end quietly on Ctrl-C
    from zarrcore.__main__ import main as zarrscope

    parser = argparse.ArgumentParser(prog=os.path.basename(sys.argv[0]), allow_abbrev=False)
    parser.add_argument("source", metavar="SOURCE")
    parser.add_argument("directory", metavar="DIRECTORY")
    parser.add_argument("-o", dest="words", action="append", default=[], metavar="WORD,...")
    parser.add_argument("-f", dest="fake", action="store_true", help="do nothing and succeed")
    parser.add_argument("-s", dest="sloppy", action="store_true", help="ignore unknown options")
    parser.add_argument("-v", dest="verbose", action="store_true", help="say what was mounted")
    parser.add_argument("-n", action="store_true", help="ignored: mounts are not listed in a file")
    parser.add_argument("-t", metavar="TYPE", help="ignored: zarrscope is the only subtype")
    try:
        asked = parser.parse_intermixed_args(arguments)
        if asked.fake:
            return 0
        words = ",".join(["sloppy"] * asked.sloppy + asked.words)
        status = zarrscope(["mount", "-o", words, "--", asked.source, asked.directory])
    except SystemExit as stop:  # argparse has printed the reason
        return _WRONG_CALL if stop.code else 0
    if status == 0 and asked.verbose:
        print(f"zarrscope: {asked.source} mounted on {asked.directory}", flush=True)  # noqa: T201 - the command's answer
    return {0: 0, 2: _WRONG_CALL}.get(status, _FAILED)


if __name__ == "__main__":
    sys.exit(main())
