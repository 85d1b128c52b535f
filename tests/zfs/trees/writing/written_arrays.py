"""An array to write, and what is stored of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zarr

from zarrcore.typing import AnyArray

VALUES = np.arange(60 * 50, dtype="<i4").reshape(60, 50)


def stored(path: Path, name: str = "a") -> AnyArray:
    return zarr.open_array(path / name, mode="r")[...]


def error_of(action: Callable[..., object], *arguments: object) -> int | None:
    with pytest.raises(OSError) as caught:  # noqa: PT011 - its errno is what the caller looks at
        action(*arguments)
    return caught.value.errno
