"""Each recipe of "Where to make a change", in ``core/docs/architecture.md``, works as written in a copy of the repository."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from tests.packaging.recipes.uses import USES

ROOT = Path(__file__).parents[2]
SAMPLES = Path(__file__).parent / "recipes"
SOURCES = {"zarrcore": "core", "zarrfs": "zfs", "zarrbrowser": "browser"}


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a recipe of the document adds."""

    files: dict[str, str] = field(default_factory=dict)
    """The sample for each new file; an empty file without one."""
    lines: tuple[tuple[str, str, str], ...] = ()
    """A file, text in it, and what to insert after that."""


_OPENER = """

def _open_empty(url: str, options: StoreOptions) -> ReadableStore:
    from zarrcore.stores.empty.store import EmptyStore

    return EmptyStore(url, options)
"""
_PAD = """\
    FileKind(
        "pad",
        "pad",
        (".pad",),
        lambda head, _: head.startswith(b"NOTE"),
        "zarrcore.stores.pad.store:open_pad",
    ),
"""
_COLUMN = """\
    Column(
        "Axes",
        lambda item: str(item.node.ndim) if item.node is not None and is_array(item.node) else "",
        lambda entry: "" if entry.shape is None else str(len(entry.shape)),
        width=37,
        rank=3,
    ),
"""
RECIPES: Final = {
    "a codec": Recipe(
        {"zarrcore/codecs/bytes_to_bytes/invert.py": "invert.py"},
        (
            (
                "zarrcore/codecs/registry.py",
                "_BUILT_IN = {\n",
                '    "invert": f"{_B2B}.invert:InvertCodec",\n',
            ),
        ),
    ),
    "a store": Recipe(
        {"zarrcore/stores/empty/store.py": "empty.py", "zarrcore/stores/empty/__init__.py": ""},
        (
            (
                "zarrcore/stores/open.py",
                '_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")\n',
                _OPENER,
            ),
            ("zarrcore/stores/open.py", '    "memory": _open_memory,\n', '    "empty": _open_empty,\n'),
        ),
    ),
    "a file type": Recipe(
        {"zarrcore/filetypes/shout.py": "shout.py"},
        (
            (
                "zarrcore/filetypes/registry.py",
                "FILE_TYPES: Final = (\n",
                '    FileType("shout", "Shouted file", "text/x-shout", "any elements", "shout:ShoutFile"),\n',
            ),
        ),
    ),
    "a column to the tree": Recipe(
        lines=(("zarrbrowser/models/tree_columns.py", "entry.type_name, width=84, rank=2),\n", _COLUMN),)
    ),
    "a command": Recipe(
        {"zarrcore/cli/greet.py": "greet.py"},
        (
            ("zarrcore/cli/main.py", "_ORDER = (\n", '    "greet",\n'),
            (
                "pyproject.toml",
                '[project.entry-points."zarrscope.commands"]\n',
                'greet = "zarrcore.cli.greet:register"\n',
            ),
        ),
    ),
    "a convention": Recipe(
        {"zarrcore/conventions/mood.py": "mood.py"},
        (
            (
                "zarrcore/conventions/registry.py",
                '    "matlab:MATLAB": ("MATLAB_class",),\n',
                '    "mood:MOODS": ("mood",),\n',
            ),
        ),
    ),
    "a data type": Recipe(
        {"zarrcore/metadata/data_type/date.py": "date.py"},
        (("zarrcore/metadata/data_type/registry.py", "_OTHERS = {\n", '    "date": "date:DateFamily",\n'),),
    ),
    "a format": Recipe(
        {"zarrcore/formats/plain.py": "plain.py"},
        (
            (
                "zarrcore/formats/__init__.py",
                "from zarrcore.formats.n5.format import N5Format\n",
                "from zarrcore.formats.plain import PlainFormat\n",
            ),
            ("zarrcore/formats/__init__.py", "    Format.V2,\n", "    PlainFormat(),\n"),
        ),
    ),
    "a kind of file or folder": Recipe(
        {"zarrcore/stores/pad/store.py": "pad.py", "zarrcore/stores/pad/__init__.py": ""},
        (
            (
                "zarrcore/stores/kinds.py",
                "FILE_KINDS: Final[tuple[FileKind, ...]] = (\n",
                _PAD,
            ),
        ),
    ),
    "a tab": Recipe(
        {"zarrbrowser/panes/mood_pane.py": "mood_pane.py"},
        (
            (
                "zarrbrowser/panes/registry.py",
                "PANES = (\n",
                '    PaneKind("Mood", lambda node: "mood" in node.attributes, "mood_pane:MoodPane"),\n',
            ),
        ),
    ),
}


def place(copy: Path, path: str) -> Path:
    """A file as the document names it, in a copy of the repository."""
    return copy / SOURCES.get(path.partition("/")[0], "") / path


def install(copy: Path) -> None:
    """The metadata of the copy, as an installer leaves them."""
    project = tomllib.loads((copy / "pyproject.toml").read_text("utf-8"))["project"]
    information = copy / "core" / f"zarrscope-{project['version']}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: zarrscope\nVersion: {project['version']}\n"
    )
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {entry}" for name, entry in entries.items())]
    (information / "entry_points.txt").write_text("\n".join(lines))


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The error of each use of what the recipes added; empty if it worked."""
    copy = tmp_path_factory.mktemp("copy")
    for package, folder in SOURCES.items():
        shutil.copytree(ROOT / folder / package, copy / folder / package)
    shutil.copy(ROOT / "pyproject.toml", copy)
    for recipe in RECIPES.values():
        for path, sample in recipe.files.items():
            place(copy, path).parent.mkdir(exist_ok=True)
            place(copy, path).write_bytes((SAMPLES / sample).read_bytes() if sample else b"")
        for path, before, added in recipe.lines:
            text = place(copy, path).read_text("utf-8")
            assert text.count(before) == 1, path
            place(copy, path).write_text(text.replace(before, before + added), "utf-8")
    install(copy)
    done = subprocess.run(
        [sys.executable, "-m", "tests.packaging.recipes.uses"],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(copy / folder) for folder in SOURCES.values()),
            "QT_QPA_PLATFORM": "offscreen",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    assert Path(found["zarrcore"]).is_relative_to(copy)
    return found


@pytest.mark.parametrize("added", RECIPES)
def test_what_a_recipe_adds_works(outcomes: dict[str, str], added: str) -> None:
    assert outcomes[added] == ""


def test_each_recipe_is_used() -> None:
    assert set(USES) == set(RECIPES)


@pytest.mark.parametrize("added", RECIPES)
def test_a_recipe_names_the_files_that_change_and_no_others(added: str) -> None:
    text = (ROOT / "core/docs/architecture.md").read_text("utf-8")
    (row,) = re.findall(rf"^\| add {added} \| (.*) \|$", text, re.MULTILINE)
    named = {name for name in re.findall(r"`([^`]*)`", row) if re.search(r"/|\.toml$", name)}
    recipe = RECIPES[added]
    changed = {*recipe.files, *(path for path, _, _ in recipe.lines)}
    assert all(any(name.strip("/") in path for name in named) for path in changed)
    assert all(any(name.strip("/") in path for path in changed) for name in named)
