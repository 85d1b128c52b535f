"""The package that ``core/docs/extending.md`` shows: installed as an installer would, and used."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.other_package import other_package

TEXT = (Path(__file__).parents[2] / "core/docs/extending.md").read_text()
BLOCKS = re.findall(r"^```(python|toml)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture
def _installed(tmp_path: Path) -> Iterator[None]:
    groups = tomllib.loads(BLOCKS[0][1])["project"]["entry-points"]
    lines = (
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{name} = {place}" for name, place in entries.items()))
    )
    modules = {block.partition("\n")[0].removeprefix("# "): block for _, block in BLOCKS[1:-1]}
    with other_package(tmp_path, modules, "\n".join(lines)):
        yield


@pytest.mark.usefixtures("_installed")
def test_a_package_that_adds_one_of_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [language for language, _ in BLOCKS] == ["toml", *["python"] * 6]
    exec(compile(BLOCKS[-1][1], "extending.md", "exec"), {})
