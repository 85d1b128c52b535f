"""Arrays with stored chunks, and the texts of the Storage tab."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QLabel

from tests.browser.fakes import FakeArray
from zarrbrowser.panes.storage_pane import StoragePane


def array_of(*stored: tuple[int, int]) -> FakeArray:
    array = FakeArray(np.zeros((30, 20), "f4"), chunks=(10, 10))
    array.stored_chunks = [*stored]
    return array


def texts(pane: StoragePane) -> list[str]:
    return [one.text() for one in pane.facts.findChildren(QLabel)]
