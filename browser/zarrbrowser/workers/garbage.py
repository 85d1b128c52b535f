"""Python's garbage collector, run by the thread of the window.

By default, it runs in the thread that just allocates. A worker would then destroy widgets, which Qt allows only in the thread
of the window: the program would crash.
"""

from __future__ import annotations

import gc
from typing import Final

from PySide6.QtCore import QObject, QTimer

_EACH_MS: Final = 500


def collect_in_this_thread(owner: QObject) -> None:
    """Collect garbage in this thread only, as often as Python would, as long as ``owner`` lives and the event loop runs."""
    gc.disable()
    timer = QTimer(owner, interval=_EACH_MS)
    timer.timeout.connect(_collect_due)
    timer.start()


def _collect_due() -> None:
    """Collect the oldest generation that is due; a threshold of 0 means that Python itself includes it when needed."""
    counts = zip(gc.get_count(), gc.get_threshold(), strict=True)
    due = [generation for generation, (count, threshold) in enumerate(counts) if 0 < threshold < count]
    if due:
        gc.collect(due[-1])
