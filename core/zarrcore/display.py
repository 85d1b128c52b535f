"""What hierarchies, groups and arrays show in a notebook.

The code that makes it, `zarrcore.notebook`, stands above the layers that it shows. It is imported by name when a notebook asks.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class Displayed:
    """Something that a notebook shows as HTML."""

    def _repr_html_(self) -> str:
        """HTML without scripts and without requests to other servers; a line that says why if something fails."""
        as_html: Callable[[Any], str] = importlib.import_module("zarrcore.notebook").as_html
        return as_html(self)


class Pictured(Displayed):
    """Something of which a picture can be made."""

    def preview(self, selection: Any = None, *, size: int = 512) -> Preview:
        """A picture of a plane, which a notebook shows.

        Args:
            selection: a basic selection that leaves a plane; by default the middle of all other dimensions. It may also name
                only the first dimensions.
            size: pixels of the longer side, at most about this many.

        Raises:
            UnsupportedError: the elements are not numbers, or there is no plane.
            SelectionError: an index out of range, or no plane is left.
            Else as `Array.read`.
        """
        make: Callable[..., Preview] = importlib.import_module("zarrcore.notebook").preview
        return make(self, selection, size)


@dataclass(frozen=True, slots=True)
class Preview:
    """A picture of a part of an array."""

    png: bytes
    """The picture as a PNG file."""
    width: int
    """Pixels."""
    height: int
    """Pixels."""
    text: str
    """What it shows."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file."""
        with open(path, "wb") as file:
            file.write(self.png)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<Preview {self.width} × {self.height}: {self.text}>"
