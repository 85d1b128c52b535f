"""A trial of fuzzing: some thousand inputs with one seed. The corpus is kept between trials."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tests.proofs.fuzz.corpus import kept_inputs
from tests.proofs.fuzz.target import load_target
from tests.proofs.trials import ROOT

INPUTS: Final = 20_000
INPUT_LIMIT_S: Final = 5
INPUT_LIMIT_MIB: Final = 2048
PLACE: Final = ROOT / ".artefacts" / "proofs" / "fuzz"


class FuzzError(AssertionError):
    """An input that ends in another exception than ours, another value, a hang, a crash, or takes too much memory."""


def trial(seed: int, name: str) -> int:
    """Fuzz a target; returns the number of inputs.

    Raises:
        FuzzError: a finding; its input is in a file that the text names.
    """
    folder = PLACE / name
    _fill(folder, [*load_target(name).examples(), *kept_inputs(name)])
    with tempfile.TemporaryDirectory() as temporary:
        done = subprocess.run(
            [
                *(sys.executable, "-P", "-m", "tests.proofs.fuzz.engine", name),
                *(f"-runs={INPUTS}", f"-seed={seed + 1}", f"-timeout={INPUT_LIMIT_S}"),
                *(f"-rss_limit_mb={INPUT_LIMIT_MIB}", "-print_final_stats=1", "-reload=0"),
                *(f"-artifact_prefix={temporary}/", str(folder)),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        output = done.stdout.decode(errors="replace")
        if done.returncode:
            raise FuzzError(_report(name, output, Path(temporary)))
    found = re.search(r"stat::number_of_executed_units:\s*(\d+)", output)
    if found is None:
        raise FuzzError(f"no statistics in the output of libFuzzer:\n{output[-3000:]}")
    return int(found[1])


def _fill(folder: Path, inputs: Iterable[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for data in inputs:
        path = folder / hashlib.sha1(data).hexdigest()  # as libFuzzer names them
        if not path.exists():
            path.write_bytes(data)


def _report(name: str, output: str, artifacts: Path) -> str:
    inputs = sorted(artifacts.iterdir())
    if not inputs:
        return output[-5000:]
    data = inputs[0].read_bytes()
    kept = PLACE.parent / "findings" / f"{name}-{hashlib.sha1(data).hexdigest()[:12]}"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(data)
    lines = [line for line in output.splitlines() if not re.match(r"#\d+\s|INFO:|WARNING:|stat::", line)]
    raised = re.search(r"=== Uncaught Python exception: ===\n(.*)", output)
    summary = raised[1] if raised else inputs[0].name  # such as timeout-…
    return "\n".join(
        [
            *lines[-60:],
            f"repeat: python -m tests.proofs.fuzz.engine {name} {kept.relative_to(ROOT)}",
            f"{summary} for {data[:60]!r}",
        ]
    )
