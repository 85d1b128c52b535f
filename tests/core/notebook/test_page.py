"""What notebooks show: the facts, bounded, without chunks, and without markup from names and attributes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import lxml.html
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.core.array.counting_store import CountingStore
from tests.core.notebook.parsing import parsed
from zarrcore.array import Array
from zarrcore.errors import UnreachableError
from zarrcore.hierarchy import BrokenNode
from zarrcore.notebook import as_html, page
from zarrcore.notebook.style import STYLE
from zarrcore.printable import printable
from zarrcore.stores import MemoryStore

ANYTHING = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    [
        "</pre><script>alert(1)</script>",
        "<!--",
        '"onload="x',
        "' onerror='x",
        "&lt;b&gt;",
        "]]>",
        "\u202egnp.exe",
        "\x1b[31m",
    ]
)
NAMES = ANYTHING.map(lambda name: name.replace("/", "|").replace("\0", "")).filter(
    lambda name: name.strip(".") and not name.startswith("__")
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANYTHING,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANYTHING, inner, max_size=3),
    max_leaves=8,
)


def tags_and_texts(
    name: str, dimension: str, attributes: Any
) -> list[tuple[list[tuple[str, ...]], list[str]]]:
    hierarchy = zarrcore.create(MemoryStore())
    group = hierarchy.create_group(name, attributes={"a": attributes, name: 1})
    array = hierarchy.create_array(
        f"{name}/{name}",
        shape=(6, 4),
        dtype="uint8",
        chunks=(3, 2),
        dimension_names=[dimension, None],
        attributes={"b": attributes},
    )
    pages = [parsed(shown._repr_html_()) for shown in (hierarchy, group, array)]
    return [(page.tags, page.texts) for page in pages]


@settings(max_examples=60, deadline=None)
@given(NAMES, ANYTHING.filter(bool), JSON)
def test_names_and_attributes_never_become_markup(name: str, dimension: str, attributes: Any) -> None:
    found = tags_and_texts(name, dimension, attributes)
    harmless = tags_and_texts("x", "x", "x")
    for (tags, texts), (expected, _) in zip(found, harmless, strict=True):
        assert tags == expected
        assert all(printable(text.replace("\n", "")) == text.replace("\n", "") for text in texts)
    assert any(printable(name) in text for text in found[0][1])


@given(JSON)
def test_attributes_are_shown_as_json(attributes: Any) -> None:
    group = zarrcore.create(MemoryStore()).create_group("g", attributes={"a": attributes})
    (pre,) = lxml.html.fromstring(group._repr_html_()).iter("pre")
    assert json.loads(pre.text_content()) == {"a": attributes}


def test_an_array_shows_its_facts() -> None:
    hierarchy = zarrcore.create("memory://facts")
    array = hierarchy.create_array("deep/a", shape=(60, 30), dtype="uint16", chunks=(5, 10), shards=(20, 10))
    text = "\n".join(parsed(array._repr_html_()).texts)
    for fact in (
        "memory://facts#/deep/a",
        "Zarr v3",
        "60 × 30",
        "uint16",
        "20 × 10",
        "5 × 10",
        "zstd",
        "3.52 KiB",
    ):
        assert fact in text
    bare = Array(array.store, "deep/a/", array.metadata)
    assert "60 × 30" in "".join(parsed(bare._repr_html_()).texts)


def test_a_node_shows_what_its_convention_says() -> None:
    hierarchy = zarrcore.create(MemoryStore())
    hierarchy.create_array(
        "t",
        shape=(4, 5),
        dtype="float32",
        dimension_names=["lat", "lon"],
        attributes={"units": "K", "standard_name": "air_temperature"},
    )
    assert any("in K on lat 4 × lon 5" in text for text in parsed(hierarchy["t"]._repr_html_()).texts)
    axes = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]
    scale = [{"type": "scale", "scale": [0.5, 0.5]}]
    levels = [{"path": "t", "coordinateTransformations": scale}]
    hierarchy["/"].attributes = {
        "ome": {"version": "0.5", "multiscales": [{"axes": axes, "datasets": levels}]}
    }
    assert any(
        "OME-NGFF 0.5 image, 1 level, 0.5 µm" in text for text in parsed(hierarchy._repr_html_()).texts
    )


def test_a_tree_shows_nodes_of_all_kinds() -> None:
    store = MemoryStore()
    hierarchy = zarrcore.create(store)
    hierarchy.create_array("deep/deeper/a", shape=(3,), dtype="uint8")
    hierarchy.create_array("text", shape=(3,), dtype="string")
    hierarchy.create_group("empty")
    store.set("broken/zarr.json", b"{")
    hierarchy = zarrcore.open_hierarchy(store)
    text = "\n".join(parsed(hierarchy._repr_html_()).texts)
    for part in ("deep", "deeper", "3  uint8  3 bytes", "3  string", "empty", "broken", "broken/zarr.json: "):
        assert part in text
    assert "broken/zarr.json: " in "".join(parsed(hierarchy.node("broken")._repr_html_()).texts)
    assert isinstance(hierarchy.node("broken"), BrokenNode)
    assert "no nodes below" in parsed(hierarchy["empty"]._repr_html_()).texts


def test_a_collection_shows_its_hierarchies(tmp_path: Path) -> None:
    for name in ("one.zarr", "two.zarr"):
        zarrcore.create(tmp_path / name).create_array("a", shape=(3,), dtype="uint8")
    texts = parsed(zarrcore.open_hierarchy(tmp_path)._repr_html_()).texts
    assert {"one.zarr", "two.zarr", "a"} <= set(texts)


def test_no_chunk_is_read_and_few_requests_are_made(store: CountingStore) -> None:
    hierarchy = zarrcore.open_hierarchy(store)
    parsed(hierarchy._repr_html_())
    parsed(hierarchy["sharded"]._repr_html_())
    assert store.chunk_requests() == []
    requests = len(store.requests)
    parsed(hierarchy["sharded"]._repr_html_())
    assert len(store.requests) == requests, "what is known is not requested again"


class Broken(MemoryStore):
    """A store that fails once it is told to."""

    fails = False

    def get(self, *arguments: Any, **options: Any) -> Any:
        if self.fails:
            raise UnreachableError("no answer\nfrom <b>here</b>", url=self.url)
        return super().get(*arguments, **options)

    def list_prefix(self, prefix: str) -> Any:
        if self.fails:
            raise UnreachableError("no answer\nfrom <b>here</b>", url=self.url)
        return super().list_prefix(prefix)


def test_a_store_that_fails_gives_a_line() -> None:
    store = Broken()
    zarrcore.create(store).create_array("g/a", shape=(3,), dtype="uint8")
    hierarchy = zarrcore.open_hierarchy(store)
    group = hierarchy["g"]
    store.fails = True
    assert "no answer from <b>here</b>" in parsed(group._repr_html_()).texts
    fresh = zarrcore.hierarchy.store_hierarchy.StoreHierarchy(store, hierarchy.format)
    assert any("no answer" in text for text in parsed(fresh._repr_html_()).texts)


def test_any_error_becomes_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    array = zarrcore.create(MemoryStore()).create_array("a", shape=(3,), dtype="uint8")

    def fails(*_: object) -> None:
        raise KeyError("<odd>")

    monkeypatch.setattr(page, "chunk_drawing", fails)
    assert any("KeyError: '<odd>'" in text for text in parsed(array._repr_html_()).texts)
    assert any("expected a node, found int" in text for text in parsed(as_html(3)).texts)


def test_long_facts_and_attributes_are_cut() -> None:
    array = zarrcore.create(MemoryStore()).create_array(
        "a", shape=(3,), dtype="uint8", attributes={"long": "x" * 100_000}
    )
    html = array._repr_html_()
    assert len(html) < 40_000
    assert any("more characters)" in text for text in parsed(html).texts)


def test_the_style_needs_nothing_from_elsewhere() -> None:
    html = zarrcore.create(MemoryStore()).create_group("g")._repr_html_()
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    assert "<script" not in html
    assert "http" not in html


def test_nothing_of_this_is_imported_before_a_notebook_asks() -> None:
    program = (
        "import sys, zarrcore; g = zarrcore.create('memory://'); a = g.create_array('a', shape=(3,), dtype='u1');"
        "assert 'zarrcore.notebook' not in sys.modules; g._repr_html_(); assert 'zarrcore.notebook' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_values_that_json_does_not_have_are_shown_too() -> None:
    document = np.float64("nan")
    group = zarrcore.create(MemoryStore()).create_group("g", attributes={"a": float(document)})
    assert any("NaN" in text for text in parsed(group._repr_html_()).texts)
