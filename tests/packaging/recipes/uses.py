"""Uses what was added to a copy of the repository: ``python -m tests.packaging.recipes.uses`` prints an error for each use."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import zarrcore as zc
from zarrcore.stores import MemoryStore

NUMBERS = np.arange(6, dtype=np.uint8).reshape(2, 3)


def array(codecs: list[str] | None = None) -> Any:
    hierarchy = zc.create(MemoryStore())
    found = hierarchy.create_array("a", shape=NUMBERS.shape, dtype="uint8", codecs=codecs)
    found[...] = NUMBERS
    return found


def run(*words: str) -> str:
    """The output of a command."""
    from zarrcore.cli.main import main

    printed = io.TextIOWrapper(io.BytesIO(), "latin-1")
    with contextlib.redirect_stdout(printed):
        assert main(words) == 0
    printed.flush()
    printed.seek(0)
    return printed.read()


def codec() -> None:
    inverted = array(["bytes", "invert"])
    assert np.array_equal(inverted[...], NUMBERS)
    assert inverted.hierarchy.store.get("a/c/0/0") == bytes(255 - number for number in range(6))


def store() -> None:
    assert [*zc.open_hierarchy("empty://place")["/"].attributes] == []


def file_type() -> None:
    from zarrbrowser.export.export import ENDINGS, Export, why_not, write
    from zarrbrowser.export.viewed_array import ViewedArray

    found = b"HEAR" + bytes(range(6))
    file = zc.virtual_file(array(), suffix="shout")
    assert bytes(file.read(0, file.size)) == found
    viewed = ViewedArray.whole(array())
    with tempfile.TemporaryDirectory() as folder:
        with zc.create(f"{folder}/a.zarr") as hierarchy:
            hierarchy.create_array("a", shape=NUMBERS.shape, dtype="uint8")[...] = NUMBERS
        assert run("cat", f"{folder}/a.zarr", "/a", "--as", "shout").encode("latin-1") == found
        assert ENDINGS["shout"] == "Shouted file"
        assert why_not(viewed, viewed.selection, "shout") == ""
        path = f"{folder}/a.shout"
        write(Export(viewed, viewed.selection, "shout", path), lambda _: b"", lambda: False, lambda _: None)
        assert Path(path).read_bytes() == found


def tree_column() -> None:
    from PySide6.QtWidgets import QApplication

    application = QApplication.instance() or QApplication([])
    from zarrbrowser.models.hit_model import HitModel
    from zarrbrowser.models.tree_item import TreeItem
    from zarrbrowser.models.tree_model import TreeModel
    from zarrbrowser.session.inventory import Entry
    from zarrbrowser.window.side.search_results import SearchResults
    from zarrbrowser.window.side.tree_view import TreeView
    from zarrbrowser.workers import Workers

    model, hits = TreeModel(Workers()), HitModel()
    model._insert(model._root, 0, [TreeItem(model._root, array())])
    hits.add(SimpleNamespace(hierarchy=SimpleNamespace(url="")), [Entry("/a", "array", (2, 3), "uint8")])
    tree, results = TreeView(model), SearchResults(hits)
    for view, shown in ((tree, model), (results, hits)):
        assert shown.columnCount() == 4
        assert view.header().model().headerData(3, view.header().orientation()) == "Axes"
        assert view.model().index(0, 3).data() == "2"
        assert view.columnWidth(3) == 37
    for width, hidden in ((800, False), (110 + 112 + 84 + 20, True)):
        tree.resize(width, 200)
        tree.show()
        application.processEvents()
        assert (tree.isColumnHidden(3), tree.isColumnHidden(1)) == (hidden, False)


def command() -> None:
    assert run("greet", "you") == "Hello, you\n"


def convention() -> None:
    from zarrcore.conventions import meaning

    root = zc.create("memory://moods")["/"]
    root.attributes = {"mood": "cheerful"}
    found = meaning(root)
    assert found is not None
    assert found.summary == "Moods mood, cheerful"


def data_type() -> None:
    dates = zc.create(MemoryStore()).create_array("a", shape=(2,), dtype="date", fill_value="2024-02-29")
    dates[0] = np.datetime64("1999-12-31")
    assert dates[...].astype(str).tolist() == ["1999-12-31", "2024-02-29"]


def format_of_a_store() -> None:
    plain = MemoryStore()
    plain.set("plain.json", b'{"shape": [2, 3]}')
    plain.set("0.0", bytes(range(6)))
    hierarchy = zc.open_hierarchy(plain)
    assert hierarchy.format.title == "Plain arrays"
    assert np.array_equal(hierarchy["/"][...], NUMBERS)


def kind_of_file() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.pad")
        path.write_bytes(b"NOTEfirst")
        assert zc.open_hierarchy(path)["/"].attributes == {"name": "first"}
        assert [node.name for node in zc.open_hierarchy(folder)["/"].children()] == ["a.pad"]


def tab() -> None:
    from PySide6.QtWidgets import QApplication

    _application = QApplication.instance() or QApplication([])
    from zarrbrowser.panes.pane_set import PaneSet
    from zarrbrowser.panes.registry import tabs_for
    from zarrbrowser.session.state import Session
    from zarrbrowser.workers import Workers

    root = zc.create(MemoryStore())["/"]
    root.attributes = {"mood": "cheerful"}
    assert "Mood" in tabs_for(root)
    pane: Any = PaneSet(Session(), Workers())["Mood"]
    pane.show_node(None, root)
    assert pane.label.text() == "cheerful"


USES = {
    "a codec": codec,
    "a store": store,
    "a file type": file_type,
    "a column to the tree": tree_column,
    "a command": command,
    "a convention": convention,
    "a data type": data_type,
    "a format": format_of_a_store,
    "a kind of file or folder": kind_of_file,
    "a tab": tab,
}


def outcome(use: str) -> str:
    try:
        USES[use]()
    except (Exception, SystemExit):  # noqa: BLE001 - the test shows it
        return traceback.format_exc()
    return ""


if __name__ == "__main__":
    print(json.dumps({"zarrcore": zc.__file__, **{use: outcome(use) for use in USES}}))
