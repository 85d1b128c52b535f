"""The script at the beginning of the single file: it unpacks the program once, and runs what the file's name says."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.waiting import wait_until

HEADER = (Path(__file__).parents[2] / "packaging" / "frozen" / "header.sh").read_text()
PROGRAM = b"""#!/bin/sh
printf '%s\\n' "${0##*/}" "$@"
if [ "${1:-}" = sleep ]; then exec "${0%/*}/sleep" 60; fi
"""


def program_file(path: Path, build: str, *, cut: int = 0) -> Path:
    """A single file whose program prints its name and its arguments."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, data in {"zarrscope": PROGRAM, "sleep": Path("/bin/sleep").read_bytes()}.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), 0o755
            archive.addfile(member, io.BytesIO(data))
        for name in ("zarrbrowser", "mount.zarrscope"):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, "zarrscope"
            archive.addfile(member)
    header = HEADER.replace("@BUILD@", build).replace("@LINES@", str(HEADER.count("\n") + 1))
    data = gzip.compress(packed.getvalue())
    path.write_bytes(header.encode() + data[: len(data) - cut])
    path.chmod(0o755)
    return path


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return program_file(tmp_path / "zarrscope-0.1.0-linux-x86_64", "build-1")


def environment(program: Path, **more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(program.parent / "home"), **more}


def start(program: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = [program, *words]
    return subprocess.run(
        command, env=environment(program, **more), capture_output=True, text=True, timeout=60
    )


def kept(program: Path) -> set[str]:
    return {path.name for path in (program.parent / "home/.cache/zarrscope/programs").iterdir()}


@pytest.mark.parametrize(
    ("name", "run"),
    [("zarrscope", "zarrscope"), ("zarrbrowser", "zarrbrowser"), ("mount.zarrscope", "mount.zarrscope")],
)
def test_the_name_of_a_link_chooses_the_program(program: Path, name: str, run: str) -> None:
    link = program.with_name(name)
    link.symlink_to(program)
    done = start(link, "a b", "*")
    assert (done.stdout, done.stderr) == (f"{run}\na b\n*\n", "")


def test_later_starts_run_what_the_first_unpacked(program: Path) -> None:
    start(program)
    folder = program.parent / "home/.cache/zarrscope/programs/build-1"
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    (folder / "zarrscope").write_text("#!/bin/sh\necho this one\n")
    assert start(program).stdout == "this one\n"


def test_first_starts_at_once_all_succeed(program: Path) -> None:
    starts = [
        subprocess.Popen([program, "x"], env=environment(program), stdout=subprocess.PIPE) for _ in range(6)
    ]
    assert {start.communicate(timeout=60)[0] for start in starts} == {b"zarrscope\nx\n"}
    assert kept(program) == {"build-1"}


def test_a_newer_file_removes_an_earlier_program_that_does_not_run(program: Path) -> None:
    start(program)
    newer = program_file(program.with_name("newer"), "build-2")
    with subprocess.Popen([program, "sleep"], env=environment(program), stdout=subprocess.DEVNULL) as running:
        try:
            of_sleep = Path(f"/proc/{running.pid}/exe")
            wait_until(lambda: of_sleep.resolve().parent.name == "build-1", "the program runs")
            start(newer)
            assert kept(program) == {"build-1", "build-2"}
        finally:
            running.kill()
    start(program_file(program.with_name("newest"), "build-3"))
    assert kept(program) == {"build-3"}


@pytest.mark.parametrize("home", ["file", "link", "missing"])
def test_without_a_usable_home_it_unpacks_below_tmpdir(program: Path, home: str, tmp_path: Path) -> None:
    folder = tmp_path / "home" / ".cache" / "zarrscope"
    more = {}
    if home == "file":
        folder.parent.write_text("")
    elif home == "link":  # to a folder that others may write to
        folder.mkdir(parents=True)
        (folder / "programs").symlink_to(tmp_path)
    else:
        more = {"HOME": ""}
    (tmp_path / "tmp").mkdir()
    assert start(program, TMPDIR=str(tmp_path / "tmp"), **more).stdout == "zarrscope\n"
    assert (tmp_path / "tmp" / f"zarrscope-{os.geteuid()}" / "build-1").is_dir()


def test_a_folder_of_another_user_is_not_used(program: Path, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    place = tmp_path / "tmp" / "zarrscope-0" / "build-1"
    place.mkdir(parents=True)
    (place / "zarrscope").write_text("#!/bin/sh\necho of another user\n")
    (place / "zarrscope").chmod(0o755)
    os.chown(place.parent, 65534, 65534)
    done = start(program, HOME="", TMPDIR=str(tmp_path / "tmp"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("zarrscope: cannot unpack the program: XDG_CACHE_HOME or TMPDIR must name ")


def test_a_file_that_was_cut_short_leaves_nothing(program: Path, tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    cut = program_file(program.with_name("cut"), "build-1", cut=100)
    done = start(cut, TMPDIR=str(tmp_path / "tmp"))
    assert (done.returncode, done.stdout) == (1, "")
    assert kept(program) == set()
