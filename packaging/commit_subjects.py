"""Checks messages of commits: a subject of at most 72 characters, then an empty line; no path of a machine.

python packaging/commit_subjects.py FILE     the message in a file, as Git's hook commit-msg gives it
python packaging/commit_subjects.py          all commits since the one that added this check
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

LONGEST: Final = 72
_FOLDER: Final = re.compile(r"(?<![\w./<-])/(?:home|root|tmp|work|Users)/\w")
_DEFAULT_MERGE: Final = re.compile(r"Merge (?:branch|remote-tracking branch|commit) '")


def faults(message: str) -> list[str]:
    """What is wrong with a message.

    >>> faults("Read the index once")
    []
    """
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0] if lines else ""
    found = []
    if not subject.strip():
        found.append("it has no subject")
    if len(subject) > LONGEST:
        found.append(
            f"its subject has {len(subject)} characters, of at most {LONGEST}: put the rest below an empty line"
        )
    if len(lines) > 1 and lines[1].strip():
        found.append("its second line is not empty")
    if _DEFAULT_MERGE.match(subject):
        found.append("it is Git's own message of a merge: say what is merged (git merge -m)")
    if match := _FOLDER.search("\n".join(lines)):
        found.append(f"it names a folder of a machine: {match[0]}")
    return found


def _messages() -> list[tuple[str, str]]:
    """The commits since the one that added this file, each with its message; none in a clone without them."""
    added = _git("log", "--diff-filter=A", "--format=%H", "--", str(Path(__file__).resolve())).split()
    if not added:
        return []
    found = _git("log", "--format=%h%x00%B%x01", f"{added[-1]}..HEAD").split("\x01")
    return [(name, text) for name, _, text in (part.strip().partition("\0") for part in found) if name]


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def main() -> int:
    """Print what is wrong, and return 1 if anything is."""
    messages = [("", Path(name).read_text("utf-8")) for name in sys.argv[1:]] or _messages()
    found = [f"{name or 'the message'}: {fault}" for name, text in messages for fault in faults(text)]
    for line in found:
        print(line, file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
