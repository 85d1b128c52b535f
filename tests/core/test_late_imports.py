"""Imports while other threads import, too."""

import ast
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import zarrcore
from tests.campaigns import ALL
from tests.core import opened_at_once
from zarrcore.errors import InternalError, MissingExtraError
from zarrcore.late_imports import from_extra, imported

ROUNDS = 4 if ALL else 1
"""The trial `imports` of `tests.proofs` does many more."""

_ALONE = ("cli", "interop", "cluster.py")
"""Commands run in one thread, and other libraries import what makes zarrscope a part of them."""

_SOURCES = [
    path for path in sorted(Path(zarrcore.__file__).parent.rglob("*.py")) if not {*_ALONE} & {*path.parts}
]


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    opened_at_once.make(folder)
    return folder


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_eight_threads_open_all_kinds_of_source(sources: Path, seed: int) -> None:
    opened_at_once.run(sources, seed)


def test_a_part_and_its_package_are_imported_by_two_threads(packages: Path) -> None:
    package = packages / "slow_package"
    package.mkdir()
    (package / "__init__.py").write_text(
        "import time\nentered = True\ntime.sleep(0.05)\nfrom slow_package.part import whole\n"
    )
    (package / "part.py").write_text("import time\ntime.sleep(0.05)\nwhole = True\n")
    results: list[object] = []

    def take(name: str, attribute: str) -> None:
        results.append(getattr(imported(name), attribute))

    threads = [
        threading.Thread(target=take, args=found)
        for found in [("slow_package", "whole"), ("slow_package.part", "whole")] * 4
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 8


def test_a_package_that_is_not_installed_is_an_extra() -> None:
    with pytest.raises(MissingExtraError, match="reading X needs an optional dependency"):
        from_extra("nothing_like_it.part", "reading X", "x")


@pytest.mark.parametrize(
    "text", ["import nothing_like_it", "raise ImportError('libx.so.1: cannot open shared object file')"]
)
def test_a_package_that_fails_is_not_a_missing_one(packages: Path, text: str) -> None:
    (packages / "broken_package.py").write_text(text)
    with pytest.raises(InternalError, match="broken_package is installed, but cannot be imported") as caught:
        from_extra("broken_package", "reading X", "x")
    assert "the data may be in order" in str(caught.value)


def _imports(body: list[ast.stmt]) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    """The imports of parts of packages among statements that run one after another, and the code before each."""
    before: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            continue
        names: list[str] = []
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            names = [statement.module or ""]
        for name in names:
            package = name.partition(".")[0]
            is_own = package in sys.stdlib_module_names or package in ("zarrcore", "numpy")
            is_own = is_own or name == "redis.exceptions"  # after redis has connected
            if "." in name and not is_own and f"('{package}" not in "".join(map(ast.unparse, before)):
                assert isinstance(statement, ast.Import | ast.ImportFrom)
                yield statement, name
        before.append(statement)
        for block in ("body", "orelse", "finalbody"):
            yield from _imports(getattr(statement, block, []))


def test_a_package_is_imported_before_its_parts() -> None:
    found = [
        f"{path}:{line.lineno}: {name}"
        for path in _SOURCES
        for line, name in _imports(ast.parse(path.read_text()).body)
    ]
    assert not found, "call `zarrcore.late_imports.imported` for the package first"


def test_a_fresh_process_does_not_import_them_at_all() -> None:
    code = "import sys, zarrcore.hierarchy; print('numcodecs' in sys.modules, 'icechunk' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert done.stdout == "False False\n"
