"""pjdfstest: thousands of assertions about system calls on files, of which many fail by design in a mount.

A mount has no owners, permissions, symbolic links, pipes and devices, and its hard links are copies. ``pjdfstest.txt`` lists what
therefore fails, each with its errno and the reason; any other failure is a finding. The tests are the directory ``tests``
beside the program, as pjdfstest itself has it. To write the list anew, after looking at each difference::

    python -m tests.proofs.harnesses.pjdfstest [STORE …]
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.proofs.harnesses.fsx import KEYS_KINDS, HarnessError
from tests.proofs.models.places import mounted_place

LIST: Final = Path(__file__).with_suffix(".txt")
FILES_PER_TRIAL: Final = 30
LARGE: Final = "open/25.t"
"""A value of 2 GiB."""
REASONS: Final = {
    "access": 'S21: "Only that user has access": only root, who mounted it, may write',
    "directories": 'S32: "A directory with keys cannot be renamed (EXDEV: `mv` then copies)"',
    "kinds": 'S32: "Symbolic links, pipes and devices give EPERM"',
    "links": 'S32: "A hard link, which needs a free name, is a copy; the number of links is always 1"',
    "names": 'S16: "a key longer than the store takes"',
    "owners": 'S32: "Owners, permissions and times may be set and are not kept"',
    "large": 'S30: "Other stores hold it in memory while they store it, and take at most 1 GiB"',
    "follows": "a consequence of an earlier failure in the same file",
}
"""Why an assertion fails by design."""
BY_THE_CLOCK: Final = {
    "inodes": 'S31: "only the size and the inode number of the name may be those of the value being written"',
    "times": 'S32: "the time is that of storing"',
}
"""Reasons of failures that come and go with the time that passes, so that the list cannot tell their numbers."""
_KIND_MAKERS: Final = {"symlink", "mkfifo", "mknod", "bind", "symlinkat", "mknodat", "mkfifoat"}
_ATTRIBUTES: Final = re.compile("mode|uid|gid|time|flags")
_LINE: Final = re.compile(r"(not )?ok (\d+)(?: - tried '(.*)', expected (.*), got (.*))?")


@dataclass(frozen=True, order=True)
class Failure:
    """An assertion that failed. Its result is an errno, or "-" for any other."""

    file: str
    number: int
    result: str
    reason: str


def place_of_tests() -> Path:
    """The directory of the tests.

    Raises:
        HarnessError: it is not beside the program.
    """
    program = shutil.which("pjdfstest")
    assert program is not None
    place = Path(program).resolve().parent / "tests"
    if not place.is_dir():
        raise HarnessError(f"{place} with the tests of pjdfstest does not exist")
    return place


def failures_in(name: str, text: str) -> tuple[int, list[Failure]]:
    """The number of assertions in the output of a test, and those that failed, each with a reason.

    Raises:
        HarnessError: the test ended early.
    """
    plan = re.search(r"^1\.\.(\d+)", text, re.MULTILINE)
    found: list[Failure] = []
    count = 0
    for line in text.splitlines():
        matched = _LINE.match(line)
        if matched is None:
            continue
        count += 1
        if matched[1]:
            result = re.match(r"E[A-Z0-9]+", matched[5] or "")
            reason = _reason(matched[3], matched[4] or "", matched[5] or "")
            if reason is None:
                reason = "large" if name == LARGE else "follows"
            found.append(Failure(name, int(matched[2]), result[0] if result else "-", reason))
    if "Bail out!" in text or (plan and count < int(plan[1])):
        found.append(Failure(name, count + 1, "-", "times" if name.startswith("utimensat") else "ended"))
    return count, found


def _reason(command: str | None, expected: str, got: str) -> str | None:
    if command is None:  # a comparison of times
        return "times"
    words = command.split()
    user = None
    while words and words[0].startswith("-"):
        user = words[1] if words[0] == "-u" else user
        del words[:2]
    call = words[0] if words else ""
    if call in _KIND_MAKERS and got == "EPERM":
        return "kinds"
    if got == "ENAMETOOLONG":
        return "names"
    if got == "EXDEV":
        return "directories"
    if got == "EACCES" and user not in {None, "0"}:
        return "access"
    if call.endswith("stat") and "inode" in words[-1] and not got.startswith("E"):
        return "inodes"
    if call.endswith("stat") and not got.startswith("E") and not expected.startswith("ENOENT"):
        if _ATTRIBUTES.search(words[-1]):
            return "owners"
        if "nlink" in words[-1]:
            return "links"
    if "nlink" in words:
        return "links"
    return None


def expected_failures(kind: str) -> set[Failure]:
    """The failures by design on a store of a kind."""
    found: set[Failure] = set()
    for line in LIST.read_text().splitlines():
        if line.startswith("#"):
            continue
        file, kinds, result, reason, numbers = line.split()
        if kinds != "all" and kind not in kinds.split(","):
            continue
        for part in numbers.split(","):
            first, _, last = part.partition("-")
            found |= {Failure(file, n, result, reason) for n in range(int(first), int(last or first) + 1)}
    return found


def run(kind: str, names: list[str]) -> Iterator[tuple[str, int, list[Failure]]]:
    """Run tests on a new mount; yields for each the number of assertions and the failures."""
    tests = place_of_tests()
    with mounted_place(kind, "-o", "allow_other") as place:
        place.mounted.path.parent.chmod(0o755)  # other users go through it
        for name in names:
            folder = place.mounted.keys / name.replace("/", "-")
            folder.mkdir()
            done = subprocess.run(
                ["sh", tests / name],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=600,
                check=False,
            )
            yield name, *failures_in(name, done.stdout.decode(errors="replace"))
            subprocess.run(["rm", "-rf", folder], check=False, capture_output=True)
        log = place.mounted.log.read_text()
        if "Traceback" in log:
            raise HarnessError(f"an unforeseen error: {log[-3000:]}")


def all_names() -> list[str]:
    """The tests, as paths below their directory."""
    tests = place_of_tests()
    return sorted(path.relative_to(tests).as_posix() for path in tests.glob("*/*.t"))


def trial(seed: int) -> int:
    """Run some of the tests on one kind of store; returns the number of assertions."""
    if os.geteuid():
        raise HarnessError("pjdfstest runs as root only")
    number, kind = divmod(seed, len(KEYS_KINDS))
    batches = _batches()
    expected = expected_failures(KEYS_KINDS[kind])
    assertions, new = 0, list[Failure]()
    for _, count, failures in run(KEYS_KINDS[kind], list(batches[number % len(batches)])):
        assertions += count
        new += [item for item in failures if item not in expected and item.reason not in BY_THE_CLOCK]
    if new:
        lines = "\n".join(f"{item.file} {item.number}: {item.result}, {item.reason}" for item in new[:50])
        raise HarnessError(f"{len(new)} failures on {KEYS_KINDS[kind]} that are not by design:\n{lines}")
    return assertions


def _batches() -> list[tuple[str, ...]]:
    names = all_names()
    return [tuple(names[start : start + FILES_PER_TRIAL]) for start in range(0, len(names), FILES_PER_TRIAL)]


def listed(found: dict[str, set[Failure]]) -> str:
    """The text of the list, from the failures of each kind of store."""
    kinds_of: dict[tuple[str, str, str, str], list[int]] = {}
    for failure in sorted(set().union(*found.values())):
        kinds = [kind for kind in KEYS_KINDS if failure in found[kind]]
        where = "all" if len(kinds) == len(found) else ",".join(kinds)
        kinds_of.setdefault((failure.file, where, failure.result, failure.reason), []).append(failure.number)
    lines = [f"{' '.join(key)} {_ranges(numbers)}" for key, numbers in kinds_of.items()]
    return "\n".join(
        ["# test, stores, errno, reason (see pjdfstest.py), numbers of the assertions", *lines, ""]
    )


def _ranges(numbers: list[int]) -> str:
    parts: list[str] = []
    for _, group in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run_of = [number for _, number in group]
        parts.append(str(run_of[0]) if len(run_of) == 1 else f"{run_of[0]}-{run_of[-1]}")
    return ",".join(parts)


def main() -> None:
    """Run everything on some kinds of stores, or on all, and write the list."""
    kinds = sys.argv[1:] or KEYS_KINDS
    found = {kind: expected_failures(kind) for kind in KEYS_KINDS if kind not in kinds}
    for kind in kinds:
        results = list(run(kind, all_names()))
        failed = [failure for _, _, failures in results for failure in failures]
        found[kind] = {failure for failure in failed if failure.reason not in BY_THE_CLOCK}
        total = sum(count for _, count, _ in results)
        print(f"{kind}: {total - len(failed)} passed, {len(failed)} failed", flush=True)
        for reason in (*REASONS, *BY_THE_CLOCK):
            print(f"  {reason}: {sum(failure.reason == reason for failure in failed)}", flush=True)
    LIST.write_text(listed(found))


if __name__ == "__main__":
    main()
