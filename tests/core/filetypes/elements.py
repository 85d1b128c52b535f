"""Elements for files of tests."""

from __future__ import annotations

import numpy as np

DATA = np.random.default_rng(3).normal(size=(6, 11, 13)).astype("f4")


RGB = np.random.default_rng(4).integers(0, 255, (20, 30, 3)).astype("u1")
