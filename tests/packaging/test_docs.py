"""The documentation site builds without a warning, and holds every document and the library's reference."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import zarrcore
from tests.packaging.test_documents import DOCUMENTS, ROOT

# The site is built once: half a minute, minutes on a busy machine.
pytestmark = [pytest.mark.timeout(330), pytest.mark.campaign]


PUBLIC = re.findall(r"automodule:: (\S+)", (ROOT / "packaging/site/api.md").read_text("utf-8"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = ["bash", str(ROOT / "packaging" / "docs"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr  # a warning is an error; what packages log is not
    assert done.stdout.splitlines()[-1] == f"{folder}/index.html"
    return folder


def test_every_document_is_a_page(site: Path) -> None:
    assert [name for name in DOCUMENTS if not (site / name).with_suffix(".html").exists()] == []


def test_the_contents_lead_to_every_document(site: Path) -> None:
    readme = (site / "README.html").read_text("utf-8")
    contents = readme[readme.index('class="sidebar-tree"') :]
    linked = set(re.findall(r'href="([^"#]+)"', contents))
    pages = {name.removesuffix(".md") + ".html" for name in DOCUMENTS} - {"README.html"}
    assert pages - linked == set()


def test_the_reference_describes_every_public_name_and_member(site: Path) -> None:
    reference = (site / "packaging" / "site" / "api.html").read_text("utf-8")
    described = set(re.findall(r'id="(zarrcore\.[\w.]+)"', reference))
    assert {
        f"zarrcore.{name}" for name in vars(zarrcore)["__all__"] if not name.startswith("__")
    } <= described
    assert [name for module in PUBLIC for name in _members(module) if not name & described] == []


def _members(module_name: str) -> Iterator[set[str]]:
    """The names of each class, function and member in a module: its own one, and that in zarrcore."""
    module = importlib.import_module(module_name)
    listed = vars(module).get("__all__") or [
        name for name, value in vars(module).items() if getattr(value, "__module__", None) == module_name
    ]
    for name in listed:
        found = getattr(module, name)
        if name.startswith("_") or not (inspect.isclass(found) or inspect.isfunction(found)):
            continue  # constants, and names of types
        yield {f"{module_name}.{name}", f"zarrcore.{name}"}
        for member in dir(found) if inspect.isclass(found) else ():
            owner = next((kind for kind in found.__mro__ if member in vars(kind)), object)
            if not member.startswith("_") and owner.__module__.startswith("zarrcore"):
                yield {f"{module_name}.{name}.{member}", f"zarrcore.{name}.{member}"}


def test_the_architecture_lists_every_folder(site: Path) -> None:
    page = (site / "core" / "docs" / "architecture.html").read_text("utf-8")
    listed = re.findall(r'<span class="pre">(z\w+(?:/\w+)*)/</span>.*?<p>(.*?)</p>', page, re.DOTALL)
    packages = {
        module.parent.relative_to(ROOT / top).as_posix()
        for top in ("core", "zfs", "browser")
        for module in (ROOT / top).rglob("__init__.py")
    }
    assert packages - {name for name, summary in listed if summary} == set()


def test_the_search_finds_words_of_documents_and_docstrings(site: Path) -> None:
    index = (site / "searchindex.js").read_text("utf-8")
    terms = json.loads(index[index.index("{") : index.rindex("}") + 1])["terms"]
    assert {"umount", "fstab", "decod"} <= set(terms)
