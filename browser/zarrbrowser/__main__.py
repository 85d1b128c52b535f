"""``zarrbrowser [SOURCE [PATH]]`` and ``python -m zarrbrowser``: the same as ``zarrscope browse``."""

from __future__ import annotations

import sys

from zarrcore.__main__ import main as zarrscope


def main() -> int:
    """Show the window; returns the exit status."""
    return zarrscope(["browse", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
