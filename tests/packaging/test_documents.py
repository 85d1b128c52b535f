"""The documents' examples, and those of ``--help``, run, their links lead somewhere, and the README stays short.

Each document runs from top to bottom in a folder of its own that holds the demonstration's ``brain.zarr``. The ``python``
blocks of a document share one namespace. Of a ``console`` block, each line that begins with ``$`` runs, in a shell if it
needs one, and must exit with 0. A ``text`` block right below a ``console`` block is what the first of its commands prints.

These are not run: commands with an address (``://``), other than that of a bucket that the test serves; installations
(``git``, ``cd``, ``packaging/…``, ``pip``); the window (``zarrscope browse`` is only asked for its help); and, where this
user cannot mount, everything from ``zarrscope mount`` to ``zarrscope umount``.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import zarrcore
from tests.command import Outcome, run_inside
from tests.servers import S3Server
from tests.zfs.forking import run_forked
from zarrcore.cli.main import command_parser
from zarrcore.extensions import entry_points

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"\n*```text\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
INSIDE = re.compile(r"((?:zarrscope (?!browse)|rio )(?:[^|<>*?$`;&~#]|(?<=\S)#)*)([|>].*)?")
"""Commands that need neither a shell nor a new interpreter, and what a shell does with what they print."""
FORKED = ("mount", "umount", "doctor")
"""Commands that fork, or look at the packages of their process."""
OF_A_MOUNT = re.compile("^✗ mount .*( is dead: |does not answer)")
SERVED = "s3://bucket/brain.zarr"
NOT_RUN = ("git ", "cd ", "packaging/", "pip ", "sudo ")
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (
        ROOT / "README.md",
        *(ROOT / "core").rglob("*.md"),
        *(ROOT / "zfs").rglob("*.md"),
        *(ROOT / "browser").rglob("*.md"),
    )
)
NOTEBOOKS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "core").rglob("*.ipynb"))
RUN_ELSEWHERE = {"core/docs/extending.md": "tests/core/test_extending.py"}
"""Documents whose Python blocks are files of a package, which another test installs."""
COMMANDS = sorted(point.name for point in entry_points("zarrscope.commands"))
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
MOST_WORDS = 900


class Example(NamedTuple):
    document: str
    language: str
    text: str
    line: int
    output: str | None = None
    """The expected output, if the document shows it."""


def examples(document: str) -> Iterator[Example]:
    """Python blocks and single command lines, in the document's order; of a notebook, its cells by number."""
    source = (ROOT / document).read_text()
    if document in NOTEBOOKS:
        for number, cell in enumerate(json.loads(source)["cells"], 1):
            if cell["cell_type"] == "code":
                yield Example(document, "python", "".join(cell["source"]), number)
        return
    for block in BLOCK.finditer(source):
        line = source.count("\n", 0, block.start()) + 2
        if block[1] == "python":
            yield Example(document, "python", block[2], line)
            continue
        output = OUTPUT.match(source, block.end())
        for number, text in enumerate(block[2].splitlines()):
            if text.startswith("$ "):
                printed = output[1] if output and number == 0 else None
                yield Example(document, "console", text[2:], line + number, printed)


def can_mount() -> bool:
    return os.access("/dev/fuse", os.R_OK | os.W_OK)


WARNING = {"core/docs/napari.md": pytest.mark.filterwarnings("ignore::DeprecationWarning")}
"""Documents of programs that warn when they are imported."""
WITH_EXAMPLES = [
    pytest.param(name, marks=WARNING.get(name, ()))
    for name in (*DOCUMENTS, *NOTEBOOKS)
    if name not in RUN_ELSEWHERE and any(examples(name))
]


@pytest.fixture(scope="module")
def brain(tmp_path_factory: pytest.TempPathFactory, s3: S3Server) -> Path:
    """The demonstration's ``brain.zarr``, which the bucket holds, too."""
    path = tmp_path_factory.mktemp("demonstration") / "brain.zarr"
    write_brain(path)
    s3.upload(path, SERVED.removeprefix("s3://"))
    return path


@pytest.mark.parametrize("document", WITH_EXAMPLES)
def test_examples_run(
    document: str, brain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, s3: S3Server
) -> None:
    shutil.copytree(brain, tmp_path / "brain.zarr")
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint_url)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    namespace: dict[str, Any] = {"__name__": "document"}
    skipping = False
    try:
        for example in examples(document):
            skipping |= example.text.startswith("zarrscope mount") and not can_mount()
            is_possible = "://" not in example.text.replace(SERVED, "") and not lacks_package(example)
            if not skipping and is_possible:
                run(example, namespace)
            skipping &= not example.text.startswith("zarrscope umount")
    finally:
        unmount_below(tmp_path)


def test_the_notebook_of_a_bucket_runs_without_credentials_as_it_says(
    brain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, s3: S3Server
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint_url)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "document"}
    for example in examples("core/docs/notebooks/bucket.ipynb"):
        text = re.sub(
            r"zc\.open\(([^()]*(?:s3:|source)[^()]*)\)", r"zc.open(\1, anonymous=True)", example.text
        )
        run(example._replace(text=text), namespace)


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_of_the_help_run(
    command: str, brain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(brain, tmp_path / "brain.zarr")
    monkeypatch.chdir(tmp_path)
    prepare(command)
    shown = run_inside(command, "--help").text.partition("\nexamples:\n")[2].splitlines()
    assert len(shown) >= 2
    for line in shown:
        words = shlex.split(line)[1:]
        command_parser(command).parse_args(words)
        if "://" not in line and command not in NEED_MORE:
            done = run_inside(*words)
            assert done.status == 0, f"{line}\n{done.text}{done.stderr}"


NEED_MORE = ("mount", "umount", "serve", "browse", "doctor")
"""Commands that need FUSE, a window or more time, which other tests have."""


def prepare(command: str) -> None:
    """Make what the examples of a command name, besides ``brain.zarr``."""
    data = zarrcore.open_array("brain.zarr", "anatomical")
    if command == "convert":
        zarrcore.copy("brain.zarr", "v2.zarr", format="v2")
    elif command == "pyramid":
        image = zarrcore.create("image.zarr")
        image["cells"] = data[:]
        image["labels/cells"] = data[:]
    elif command == "log":
        pytest.importorskip("icechunk")
        assert run_inside("copy", "brain.zarr", "repository.icechunk", "--to", "icechunk").status == 0


def lacks_package(example: Example) -> bool:
    """Whether it needs a package that is not there for this version of Python."""
    return "from virtualizarr" in example.text and importlib.util.find_spec("virtualizarr") is None


def run(example: Example, namespace: dict[str, Any]) -> None:
    if example.language == "python":
        code = compile("\n" * (example.line - 1) + example.text, str(ROOT / example.document), "exec")
        exec(code, namespace)
    elif not example.text.startswith(NOT_RUN):
        command = re.sub(r"^(zarrscope browse|zarrbrowser)\b.*", r"\1 --help", example.text)
        done = in_shell(command)
        where = f"{example.document}:{example.line}: {example.text}"
        succeeded = done.status == 0 or (command == "zarrscope doctor" and not faults_here(done.text))
        assert succeeded, f"{where}\n{done.text}{done.stderr}"
        assert example.output in (None, done.text), f"{where} prints\n{done.text}"


def faults_here(diagnosis: str) -> list[str]:
    """What ``zarrscope doctor`` found wrong, without other programs' mounts: tests beside this one end daemons."""
    faults = [line for line in diagnosis.splitlines() if line.startswith("✗")]
    return [line for line in faults if not OF_A_MOUNT.search(line) or str(Path.cwd()) in line]


def in_shell(command: str) -> Outcome:
    done, printed = Outcome(0, b"", ""), b""
    if inside := INSIDE.fullmatch(command):
        program, *words = shlex.split(inside[1])
        run_words = run_rio if program == "rio" else run_forked if words[0] in FORKED else run_inside
        done = run_words(*words)
        if inside[2] is None:
            return done
        command, printed = f"(cat; exit {done.status}) {inside[2]}", done.stdout
    left = subprocess.run(
        ["bash", "-c", command], input=printed, env=environment(), capture_output=True, timeout=60
    )
    return Outcome(left.returncode, left.stdout, done.stderr + left.stderr.decode())


def run_rio(*words: str) -> Outcome:
    from click.testing import CliRunner
    from rasterio.rio.main import main_group

    done = CliRunner().invoke(main_group, words)
    return Outcome(done.exit_code, done.stdout_bytes, f"{done.stderr}{done.exception or ''}")


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "QT_QPA_PLATFORM": "offscreen",
    }


def write_brain(path: Path) -> None:
    runpy.run_path(str(ROOT / "packaging" / "demo_hierarchy.py"))["write"](str(path))


def unmount_below(folder: Path) -> None:
    """Unmount what a failed example left mounted."""
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for mountpoint in mounts:
        if mountpoint.startswith(f"{folder}/"):
            subprocess.run(["zarrscope", "umount", mountpoint], env=environment(), check=False, timeout=60)
            time.sleep(0.1)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_python_blocks_compile(document: str) -> None:
    for example in examples(document):
        if example.language == "python":
            compile(example.text, f"{document}:{example.line}", "exec")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_to_files_and_headings(document: str) -> None:
    text = re.sub(r"^```.*?^```$", "", (ROOT / document).read_text(), flags=re.MULTILINE | re.DOTALL)
    for link in LINK.findall(text):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (ROOT / document).parent / name if name else ROOT / document
        assert target.exists(), f"{document} links to {link}"
        if anchor:
            headings = {slug(heading) for heading in HEADING.findall(target.read_text())}
            assert anchor in headings, f"{document} links to {link}; {name} has {sorted(headings)}"


def slug(heading: str) -> str:
    """The anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_every_document_is_linked_from_another() -> None:
    linked = set()
    for document in DOCUMENTS:
        folder = (ROOT / document).parent
        for link in LINK.findall((ROOT / document).read_text()):
            linked.add((folder / link.partition("#")[0]).resolve())
    assert [name for name in DOCUMENTS if (ROOT / name).resolve() not in linked and name != "README.md"] == []


def test_every_notebook_is_linked_and_holds_no_output() -> None:
    links = {link for document in DOCUMENTS for link in LINK.findall((ROOT / document).read_text())}
    for notebook in NOTEBOOKS:
        assert f"notebooks/{Path(notebook).name}" in links
        cells = json.loads((ROOT / notebook).read_text())["cells"]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells), notebook


def test_every_document_is_in_the_contents_of_the_site() -> None:
    contents = (ROOT / "packaging/site/conf.py").read_text().splitlines()
    assert [
        name for name in DOCUMENTS if name.removesuffix(".md") not in contents and name != "README.md"
    ] == []


def test_the_site_lists_the_folders_of_every_package() -> None:
    settings = (ROOT / "packaging/site/conf.py").read_text()
    packages = [
        place.parent for top in ("core", "zfs", "browser") for place in (ROOT / top).glob("*/__init__.py")
    ]
    assert [
        name for place in packages if f'"{(name := place.relative_to(ROOT).as_posix())}"' not in settings
    ] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().split()) <= MOST_WORDS
