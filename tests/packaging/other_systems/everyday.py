"""Does what people do every day, on this system or one that lacks much.

``python -m tests.packaging.other_systems.everyday SYSTEM FOLDER``
SYSTEM is ``here``, or what this system is to look like: ``darwin`` or ``win32``.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pkgutil
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from tests.packaging.other_systems.reduced_system import become

VALUES = np.arange(600, dtype="i4").reshape(20, 30)
CHANGED = VALUES.copy()
CHANGED[3:5, 4] = [7, 8]


def main(system: str, folder: Path) -> None:
    with h5py.File(folder / "x.h5", "w") as file:
        file.create_dataset("x", data=VALUES, chunks=(10, 10))
    if system != "here":
        become(system)
    for step in (library, links, cache, files, commands, fsspec, served, window):
        step(folder)
        print(f"{step.__name__} works", flush=True)


def library(folder: Path) -> None:
    import zarrcore as zc

    for name in ("x.zarr", "x.zip"):
        made = zc.create(str(folder / name))
        made.create_array("a/x", data=VALUES, chunks=(10, 10), dimension_names=("y", "x"))
        made.array("a/x")[3:5, 4] = [7, 8]
        made.create_array("b", data=VALUES)
        del made["b"]
        made.close()
        opened = zc.open(str(folder / name))
        np.testing.assert_array_equal(opened.array("a/x")[...], CHANGED)
        assert list(opened) == ["a"]
        opened.close()
    assert not list(folder.rglob(".zarrscope-*")), "no temporary file is left"


def links(folder: Path) -> None:
    """A link that leads out of a folder is refused; one that stays inside is followed."""
    from zarrcore.errors import AccessDeniedError
    from zarrcore.stores import LocalStore

    (folder / "secret").write_bytes(b"secret")
    (folder / "linked").mkdir()
    (folder / "linked/inner").write_bytes(b"inner")
    os.symlink(folder / "secret", folder / "linked/out")
    os.symlink("inner", folder / "linked/in")
    store = LocalStore(folder / "linked")
    assert bytes(store.get("in") or b"") == b"inner"
    try:
        store.get("out")
    except AccessDeniedError:
        return
    raise AssertionError("a link led out")


def cache(folder: Path) -> None:
    from zarrcore.stores.cache.directory import CacheDirectory

    kept = CacheDirectory(folder / "cache", 1 << 20)
    name = "0123456789abcdef" * 4
    assert kept.claim(name)
    kept.put(name, b"value")
    kept.unclaim(name)
    assert bytes(kept.get(name) or b"") == b"value"
    kept.make_room()


def files(folder: Path) -> None:
    import zarrcore as zc

    np.testing.assert_array_equal(zc.open(str(folder / "x.h5")).array("x")[...], VALUES)


def commands(folder: Path) -> None:
    source, target = str(folder / "x.zarr"), str(folder / "copy.zarr")
    assert "x" in zarrscope("tree", source)
    zarrscope("copy", source, target)
    zarrscope("copy", "--to", "v2", source, str(folder / "v2.zarr"))
    zarrscope("copy", source, str(folder / "copy.zip"))
    zarrscope("check", target)
    zarrscope("info", target, "a/x")
    zarrscope("cat", target, "a/x", "--output", str(folder / "x.csv"))
    zarrscope("diff", source, str(folder / "v2.zarr"))
    zarrscope("mv", target, "a/x", "a/y")
    zarrscope("rm", target, "a/y", "--yes")
    assert zarrscope("--version").startswith("zarrscope ")
    assert "all required Python packages are installed" in zarrscope("doctor")


def zarrscope(*words: str) -> str:
    from zarrcore.__main__ import main

    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = main(list(words))
    assert status == 0, (words, status, said.getvalue())
    return said.getvalue()


def fsspec(folder: Path) -> None:
    import fsspec

    source = folder / "x.zarr"
    for files in (
        fsspec.filesystem("zarrscope", source=source),
        fsspec.url_to_fs(f"zarrscope::{source.as_uri()}")[0],
    ):
        assert files.cat("/arrays/a/x/data.npy").startswith(b"\x93NUMPY")
        assert files.cat("/keys/zarr.json").startswith(b"{")


def served(folder: Path) -> None:
    """The command, which serves until this process ends."""
    from zarrcore.__main__ import main

    said = Lines()
    with contextlib.redirect_stdout(said):
        threading.Thread(
            target=lambda: main(["serve", str(folder / "x.zarr"), "--port", "0"]), daemon=True
        ).start()
        address = said.first().split()[-1]
    with urllib.request.urlopen(f"{address}arrays/a/x/data.npy") as answer:
        np.testing.assert_array_equal(np.load(io.BytesIO(answer.read())), CHANGED)


class Lines(io.StringIO):
    """What is printed; its first line can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.is_whole = threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        if "\n" in text:
            self.is_whole.set()
        return written

    def first(self) -> str:
        assert self.is_whole.wait(60)
        return self.getvalue().splitlines()[0]


def window(folder: Path) -> None:
    """All modules of the window; and it opens."""
    import zarrbrowser

    for module in pkgutil.walk_packages(zarrbrowser.__path__, "zarrbrowser."):
        if not module.name.endswith("__main__") and not module.name.endswith("start_qt"):
            importlib.import_module(module.name)
    picture = folder / "window.png"
    zarrscope("browse", "--fresh", "--screenshot", str(picture), str(folder / "x.zarr"), "a/x")
    assert picture.stat().st_size


def _end(status: int) -> Any:
    sys.stdout.flush()
    os._exit(status)  # the server still runs


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
    _end(0)
