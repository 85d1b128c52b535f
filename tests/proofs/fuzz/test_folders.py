"""A target's folder is the same in one process, another in the next, and goes with the process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.proofs.fuzz.folders import work_folder

_MAKE = """
from tests.proofs.fuzz.folders import work_folder
folder = work_folder("x")
(folder / "file").write_bytes(b"")
print(folder)
"""


def test_a_target_keeps_its_folder() -> None:
    assert work_folder("x") == work_folder("x")
    assert work_folder("x") != work_folder("y")


def test_a_folder_is_below_that_of_the_trial_and_goes_with_the_process(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _MAKE],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    )
    folder = Path(done.stdout.strip())
    assert folder.parent == tmp_path
    assert not folder.exists()
