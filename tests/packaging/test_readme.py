"""The README is true word for word: a fresh clone, its first command, then each example in order, in one shell.

The set-up takes minutes and a network. Here its result is a copy of the environment that the tests run in;
``packaging/test --all`` sets the clone up itself.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.campaigns import ALL
from tests.command import installing_environment, run_at_root
from tests.packaging.test_documents import NOT_RUN, Example, examples, unmount_below

STAMP = "-I -c 'import sys; print(\"%d.%d.%d\" % sys.version_info[:3], sys.base_prefix)'"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of the last commit that is set up."""
    clone = tmp_path / "clone"
    cloned = run_at_root("git", "clone", "--quiet", ".", clone)
    if cloned.returncode:
        pytest.skip(f"this is not a repository to clone: {cloned.stderr}")
    if not ALL:
        set_up(clone)
    return clone


def set_up(clone: Path) -> None:
    """Make an environment as ``packaging/setup --demo`` does, with the clone's code and the packages of this one."""
    venv = clone / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True, timeout=60)
    places = sysconfig.get_path("purelib", vars={"base": str(venv)})
    code = "\n".join(str(clone / folder) for folder in ("core", "zfs", "browser"))
    Path(places, "clone.pth").write_text(
        f"{code}\nimport site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    )
    python = venv / "bin" / "python"
    for program in ("pip", "zarrscope"):
        text = Path(sys.executable).with_name(program).read_text().split("\n", 1)[1]
        (venv / "bin" / program).write_text(f"#!{python}\n{text}")
        (venv / "bin" / program).chmod(0o755)
    version = subprocess.run(
        [python, *shlex.split(STAMP)], check=True, capture_output=True, text=True, timeout=60
    )
    parts = [(clone / name).read_bytes() for name in ("pyproject.toml", "packaging/setup")]
    stamp = hashlib.sha256(b"".join([*parts, f"{clone} {version.stdout}".encode()])).hexdigest()
    (venv / "setup-done-for-demo").write_text(f"{stamp}  -\n")


def in_shell(example: Example) -> str:
    """The example as a line of bash."""
    if example.language == "python":
        return f"python -c {shlex.quote(example.text)}"
    if example.text.startswith("zarrscope browse"):
        return f"{example.text} --screenshot window.png"
    return example.text


@pytest.mark.skipif(not os.access("/dev/fuse", os.R_OK | os.W_OK), reason="/dev/fuse cannot be opened")
@pytest.mark.timeout(1200)
def test_a_fresh_clone_does_what_the_readme_says(clone: Path, tmp_path: Path) -> None:
    steps = ["PATH=$PWD/.venv/bin:$PATH"]
    wanted = {}
    for number, example in enumerate(examples("README.md")):
        if example.text != "packaging/test" and (
            example.text == "packaging/demo" or not example.text.startswith(NOT_RUN)
        ):
            steps.append(f"{{ {in_shell(example)}\n}} >{tmp_path}/{number}")
            wanted[number] = example.output
    found = installing_environment().items()
    environment = {
        **{name: text for name, text in found if not name.startswith(("ZARRSCOPE_", "PYTHON"))},
        "HOME": str(tmp_path),
        "QT_QPA_PLATFORM": "offscreen",
        "TMPDIR": str(tmp_path),
    }
    try:
        done = subprocess.run(
            ["bash", "-exc", "\n".join(steps)],
            cwd=clone,
            env=environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=1200,
            check=False,
        )
    finally:
        unmount_below(tmp_path)
    assert done.returncode == 0, done.stderr
    outputs = {number: (tmp_path / str(number)).read_text() for number in wanted}
    assert "equal to nibabel's" in outputs[0]
    assert {number: text for number, text in wanted.items() if text not in (None, outputs[number])} == {}
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, timeout=60, check=True
    )
    assert "brain.zarr" not in status.stdout
