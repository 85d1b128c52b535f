"""What type checkers see of a package is what it exports."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "package", ["zarrcore", "zarrcore.conventions", "zarrcore.filetypes", "zarrcore.stores"]
)
def test_the_imports_for_type_checkers_are_the_exports(package: str) -> None:
    module = import_module(package)
    static = next(
        node for node in ast.parse(Path(module.__file__ or "").read_text()).body if isinstance(node, ast.If)
    )
    found = {}
    for node in static.body:
        if isinstance(node, ast.ImportFrom):
            source = import_module(node.module or "")
            found.update({name.asname or name.name: getattr(source, name.name) for name in node.names})
        elif isinstance(node, ast.Assign):
            assert isinstance(node.targets[0], ast.Name)
            assert isinstance(node.value, ast.Name)
            found[node.targets[0].id] = found.pop(node.value.id)
    assert sorted(found) == dir(module)
    for name, value in found.items():
        assert getattr(module, name) is value


def test_the_library_has_the_name_of_its_distribution_too() -> None:
    zarrscope, zarrcore = map(import_module, ("zarrscope", "zarrcore"))
    assert dir(zarrscope) == dir(zarrcore) == zarrscope.__all__
    assert all(getattr(zarrscope, name) is getattr(zarrcore, name) for name in dir(zarrcore))
    assert zarrscope.__version__ == version("zarrscope")


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match=r"module 'zarrcore' has no attribute 'opne'"):
        getattr(import_module("zarrcore"), "opne")  # noqa: B009 - mypy refuses it, too
