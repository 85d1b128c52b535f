"""Variables of MATLAB in its files of version 7.3, which are HDF5 files.

MathWorks publishes no specification. The class of a variable is in the attribute ``MATLAB_class``. Dimensions are in reverse
order: MATLAB's first one is the last. Characters are code units of UTF-16. An empty array stores its size in place of elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from zarrcore.conventions.interface import Convention, Find, Meaning
from zarrcore.conventions.values import number, text
from zarrcore.errors import ReadCancelledError
from zarrcore.typing import AnyArray

TITLE: Final = "MATLAB"
_MOST_CHARACTERS: Final = 4096
_MOST_DIMENSIONS: Final = 32
_ENCODINGS: Final = {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}


@dataclass(frozen=True, slots=True)
class MatlabVariable(Meaning):
    """A variable, or a field of a struct."""

    kind: ClassVar[str] = "variable"

    type: str
    """Its class in MATLAB, such as ``double``."""
    size: tuple[int, ...] | None
    """As MATLAB's function ``size`` returns it; None if it is not known without reading elements, or of a struct."""
    is_sparse: bool
    characters: tuple[str, ...]
    """The rows of a short array of class ``char``."""

    @property
    def summary(self) -> str:
        size = "" if self.size is None else " " + " × ".join(f"{length:,}" for length in self.size)
        quoted = [", ".join(f"'{row}'" for row in self.characters)] if any(self.characters) else []
        sparse = "sparse " if self.is_sparse else ""
        return ", ".join([f"{self.convention} {sparse}{self.type}{size}", *quoted])


def _recognise(node: Any) -> str | None:
    return MatlabVariable.kind if text(node.attributes.get("MATLAB_class")) else None


def _read(node: Any, find: Find) -> MatlabVariable:
    name = text(node.attributes["MATLAB_class"])
    rows = number(node.attributes.get("MATLAB_sparse"))
    if node.kind != "array":
        return MatlabVariable(TITLE, name, None, rows is not None, ())
    if number(node.attributes.get("MATLAB_empty")):
        return MatlabVariable(TITLE, name, _stored_size(find(node.path)), False, ())
    characters = _characters(find(node.path)) if name == "char" else ()
    return MatlabVariable(TITLE, name, node.shape[::-1], False, characters)


def _stored_size(array: Any) -> tuple[int, ...] | None:
    """The size of an empty array, which its elements are."""
    if array.dtype.kind not in "iu" or array.ndim != 1 or array.size > _MOST_DIMENSIONS:
        return None
    elements = _elements(array)
    return None if elements is None else tuple(elements.tolist())


def _characters(array: Any) -> tuple[str, ...]:
    """The rows of a short array of characters."""
    if array.dtype.kind != "u" or array.ndim != 2 or not 0 < array.size <= _MOST_CHARACTERS:
        return ()
    elements, encoding = _elements(array), _ENCODINGS.get(array.dtype.itemsize)
    if elements is None or encoding is None:
        return ()
    rows = np.ascontiguousarray(elements.T, array.dtype.newbyteorder("<"))
    return tuple(row.tobytes().decode(encoding, "replace").rstrip() for row in rows)


def _elements(array: Any) -> AnyArray | None:
    """All elements; None if only metadata are read."""
    try:
        return np.asarray(array[...])
    except ReadCancelledError:
        return None


MATLAB: Final = Convention(
    "matlab",
    TITLE,
    "https://www.mathworks.com/help/matlab/import_export/mat-file-versions.html",
    (MatlabVariable.kind,),
    _recognise,
    _read,
)
