"""NumPy files written to a mount: an error of the mount, or the array that numpy.load reads."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable

import numpy as np

import zarrcore
from zarrcore.errors import ZarrError
from zarrcore.hierarchy import ArrayNode
from zarrcore.stores import MemoryStore
from zarrcore.typing import AnyArray
from zarrfs.trees.errors import RefusedError
from zarrfs.trees.writing.new_array import NewArray
from zarrfs.trees.writing.spool import SpoolMemory

WORDS = (
    *(
        "{'descr': '",
        "'fortran_order': True",
        "'shape': (",
        "<M8[s/0]",
        "<M8[0s]",
        "<m8[7us]",
        "|V0",
        "|O",
        "<U3",
        ">f8",
        "|S0",
    ),
    *(
        "[('a', '<i4')]",
        "('",
        "', (2,))",
        "(-1,)",
        "(1L,)",
        "(True,)",
        "()",
        "\\x00",
        "\\N{BULLET}",
        "1e3",
        "0x10",
        "True",
        "#",
        "\n",
    ),
)


def check(data: bytes) -> None:
    """The first byte says how many zeros follow the rest, which is the beginning of the file."""
    if not data:
        return
    content = data[1:] + bytes(data[0])
    hierarchy = zarrcore.create(MemoryStore())
    new = NewArray(lambda: hierarchy, "/new", lambda: None, SpoolMemory(1 << 20))
    try:
        new.write(0, content, True)
        new.store(closing=True)
    except (ZarrError, RefusedError):
        assert "/new" not in hierarchy
        return
    finally:
        new.close()
    array = hierarchy["/new"]
    assert isinstance(array, ArrayNode)
    expected = _loaded(content)
    assert array.shape == expected.shape
    found = np.asarray(array[...])
    if expected.dtype.kind in "biufcSU":
        assert found.tobytes() == np.ascontiguousarray(expected).astype(array.dtype).tobytes()


def _loaded(content: bytes) -> AnyArray:
    """What NumPy itself reads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded: AnyArray = np.load(io.BytesIO(content))
    return loaded


def examples() -> Iterable[bytes]:
    """Each version of the header, both orders, records."""
    arrays: list[tuple[AnyArray, tuple[int, int]]] = [
        (np.arange(6, dtype="<i2").reshape(2, 3), (1, 0)),
        (np.asfortranarray(np.arange(6, dtype=">f4").reshape(2, 3)), (1, 0)),
        (np.array([(1, 2.5)], [("a", "<i2"), ("b", "<f8", (2,))]), (2, 0)),
        (np.array([(1,)], [("é", "<i2")]), (3, 0)),
        (np.array(["ab"]), (1, 0)),
        (np.array("2020-01-01", "M8[D]"), (1, 0)),
    ]
    for array, version in arrays:
        file = io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.lib.format.write_array(file, array, version)
        yield b"\0" + file.getvalue()
        yield b"\x08" + file.getvalue()[:-8]
