"""The package that ``core/docs/extending.md`` shows: installed as an installer would, and used."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from zarrcore import extensions, formats
from zarrcore.codecs import registry as codecs
from zarrcore.metadata.data_type import registry as data_types

TEXT = (Path(__file__).parents[2] / "core/docs/extending.md").read_text()
BLOCKS = re.findall(r"^```(python|toml)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
CACHES = (extensions.extension_names, formats._extension, codecs._load, data_types._load)


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    information = tmp_path / "example_zarrscope-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: example-zarrscope\nVersion: 1.0\n")
    groups = tomllib.loads(BLOCKS[0][1])["project"]["entry-points"]
    lines = (
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{name} = {place}" for name, place in entries.items()))
    )
    (information / "entry_points.txt").write_text("\n".join(lines))
    (tmp_path / "example_zarrscope").mkdir()
    for _, block in BLOCKS[1:-1]:
        name = block.partition("\n")[0].removeprefix("# ")
        (tmp_path / name).write_text(block)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    for cached in CACHES:
        cached.cache_clear()
    yield
    for name in [name for name in sys.modules if name.startswith("example_zarrscope")]:
        del sys.modules[name]
    for cached in CACHES:
        cached.cache_clear()


@pytest.mark.usefixtures("_installed")
def test_a_package_that_adds_one_of_each() -> None:
    assert [language for language, _ in BLOCKS] == ["toml", *["python"] * 5]
    exec(compile(BLOCKS[-1][1], "extending.md", "exec"), {})
