"""Elements that compress well and differ from their neighbours."""

from __future__ import annotations

import numpy as np

from zarrcore.typing import AnyArray


def ramps(dtype: str, shape: tuple[int, ...]) -> AnyArray:
    """Rows of numbers from 0 to 119, which every numeric type holds."""
    rows = np.add.outer(np.arange(np.prod(shape[:-1])), 3 * np.arange(shape[-1]))
    return (rows % 120).astype(dtype).reshape(shape)
