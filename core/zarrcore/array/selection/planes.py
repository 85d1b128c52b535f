"""How many trailing dimensions form one image."""

from __future__ import annotations

from typing import Any

import numpy as np


def plane_ndim(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    """The number of trailing dimensions that form an image: 2, or 3 if the last one is RGB or RGBA.

    >>> plane_ndim((9, 64, 64), np.dtype("u2")), plane_ndim((64, 64, 3), np.dtype("u1")), plane_ndim((5,), np.dtype("u1"))
    (2, 3, 1)
    """
    is_rgb = len(shape) >= 3 and shape[-1] in (3, 4) and dtype in (np.uint8, np.uint16)
    return min(len(shape), 3 if is_rgb else 2)
