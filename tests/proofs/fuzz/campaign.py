"""A trial of fuzzing: some thousand inputs with one seed. The corpus is kept between trials."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tests.proofs.fuzz.corpus import kept_inputs
from tests.proofs.fuzz.folders import MEMORY
from tests.proofs.fuzz.target import Target, load_target, max_length_of, words_of
from tests.proofs.trials import ROOT

INPUTS: Final = 100_000
"""So many that starting the process takes little of the time, also for fast targets."""
TRIAL_LIMIT_S: Final = 300
"""A trial ends after this time even if it has tried fewer inputs."""
INPUT_LIMIT_S: Final = 5
INPUT_LIMIT_MIB: Final = 2048
PLACE: Final = ROOT / ".artefacts" / "proofs" / "fuzz"
_FINDINGS_MAX: Final = 20
_GRACE_S: Final = 60


class FuzzError(AssertionError):
    """Inputs that end in another exception than ours, another value, a hang, a crash, or take too much memory."""


def trial(seed: int, name: str) -> int:
    """Fuzz a target; returns the number of inputs.

    Raises:
        FuzzError: findings; their inputs are in files that the text names.
    """
    folder = PLACE / name
    target = load_target(name)
    _fill(folder, [*target.examples(), *kept_inputs(name)])
    found: list[str] = []
    done = 0
    with tempfile.TemporaryDirectory(dir=MEMORY) as temporary:
        language = _language(target, Path(temporary) / "words")
        until_s = time.monotonic() + TRIAL_LIMIT_S
        while (
            done < INPUTS and len(found) < _FINDINGS_MAX and (left_s := int(until_s - time.monotonic())) > 0
        ):
            ended = Path(temporary) / str(len(found))
            ended.mkdir()
            arguments = [
                *(f"-runs={INPUTS - done}", f"-seed={seed * 1000 + len(found) + 1}"),
                *(f"-timeout={INPUT_LIMIT_S}", f"-rss_limit_mb={INPUT_LIMIT_MIB}"),
                *(f"-max_total_time={left_s}", "-print_final_stats=1", "-reload=0", *language),
                *(f"-artifact_prefix={ended}/", str(folder)),
            ]
            run, output = _fuzz(name, ended, arguments)
            findings = _findings(name, ended, output)
            found += findings
            done += run
            if not findings:
                break
    if found:
        raise FuzzError("\n\n".join([*found, " · ".join(text.splitlines()[-1][:200] for text in found)]))
    return done


def _language(target: Target, dictionary: Path) -> list[str]:
    """The options for inputs that are texts of some language, with its words, or for those that only choose changes."""
    if (longest := max_length_of(target)) is not None:
        return [f"-max_len={longest}", "-len_control=0"]
    words = words_of(target)
    dictionary.write_bytes(b"".join(map(_entry, words)))
    return [f"-dict={dictionary}"] if words else []


def _fuzz(name: str, findings: Path, arguments: list[str]) -> tuple[int, str]:
    """The number of inputs that were run, and the output."""
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.proofs.fuzz.engine", name, str(findings), *arguments],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(findings.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        try:
            output = process.communicate(timeout=TRIAL_LIMIT_S + _GRACE_S)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:  # a process whose heap is broken may hang while it reports that
            process.kill()
            output = process.communicate()[0].decode(errors="replace")
    executed = re.findall(r"stat::number_of_executed_units:\s*(\d+)|^#(\d+)\s", output, re.MULTILINE)
    if not executed or (process.returncode and not any(findings.iterdir())):
        raise FuzzError(f"{_without_noise(output)}\nlibFuzzer ended with status {process.returncode}")
    return max(int(final or line) for final, line in executed), output


def _findings(name: str, ended: Path, output: str) -> list[str]:
    """What was found, as text for people; the inputs are kept."""
    texts = []
    for path in sorted(ended.iterdir()):
        if path.suffix == ".txt":
            continue
        data = path.read_bytes()
        kept = PLACE.parent / "findings" / f"{name}-{hashlib.sha1(data).hexdigest()[:12]}"
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(data)
        told = path.with_suffix(".txt")
        lines = told.read_text() if told.exists() else f"{_without_noise(output)}\n{path.name}"
        texts.append(
            f"{kept.relative_to(ROOT)} holds {data[:60]!r}\n"
            # Without a limit, libFuzzer waits 20 minutes for an input that hangs.
            f"repeat: python -m tests.proofs.fuzz.engine {name} {PLACE} -timeout={INPUT_LIMIT_S} {kept.relative_to(ROOT)}\n"
            f"{lines.strip()}"
        )
    return texts


def _without_noise(output: str) -> str:
    lines = [line for line in output.splitlines() if not re.match(r"#\d+\s|INFO:|WARNING:|stat::|\t", line)]
    return "\n".join(lines[-60:])


def _fill(folder: Path, inputs: Iterable[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for data in inputs:
        path = folder / hashlib.sha1(data).hexdigest()  # as libFuzzer names them
        if not path.exists():
            path.write_bytes(data)


def _entry(word: bytes) -> bytes:
    """A line of libFuzzer's dictionary."""
    return b'"%s"\n' % b"".join(b"\\x%02x" % byte for byte in word)
