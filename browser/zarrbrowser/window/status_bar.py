"""The status bar: what is being read or was read, and the value under the pointer."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QStatusBar, QWidget

from zarrbrowser.theme.motion import is_reduced
from zarrbrowser.values.quantities import count, format_bytes, format_duration
from zarrbrowser.widgets.buttons import tool_button
from zarrbrowser.widgets.label import ElidedLabel, label
from zarrbrowser.workers import Request, Workers

_QUIET_S = 0.2
"""Shorter work is not shown, to avoid flicker."""
_TICK_MS = 200


class StatusBar(QStatusBar):
    """Shows the activity of the workers.

    Args:
        traffic: returns the requests to all stores so far, and the bytes received.
    """

    def __init__(
        self, workers: Workers, traffic: Callable[[], tuple[int, int]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.setAccessibleName("status")
        self._workers = workers
        self._traffic, self._before, self._busy = traffic, (0, 0), False
        self._last = ""
        self._fractions: dict[Request, float] = {}
        self.message, self.fetched, self.value = ElidedLabel("muted"), label(role="muted"), ElidedLabel()
        self.fetched.setToolTip("Requests to the stores since the window was last idle")
        self.progress = QProgressBar()
        self.progress.setFixedWidth(120)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName("progress of reading")
        self.cancel = tool_button("close", "Cancel reading (Esc)", workers.stop)
        self.addWidget(self.cancel)
        self.addWidget(self.progress)
        self.addWidget(self.message, 1)
        self.value.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.fetched.setContentsMargins(12, 0, 0, 0)
        self.addPermanentWidget(self.value)
        self.addPermanentWidget(self.fetched)
        self.setContentsMargins(8, 0, 12, 0)
        self.setMinimumHeight(30)
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._refresh)
        workers.activity_changed.connect(self._follow)
        workers.progressed.connect(self._note_progress)
        self._refresh()

    def report(self, text: str) -> None:
        """Show what was read, until the next report."""
        self._last = text
        self._show_activity()

    def forget(self) -> None:
        """Show nothing of a node that is not shown any more."""
        self.value.set_text("")
        if not self._busy:
            self.fetched.clear()
        self.report("")

    def show_value(self, text: str) -> None:
        """Show the value under the pointer."""
        self.value.set_text(text)

    def _follow(self) -> None:
        if not self._workers.active:
            self._refresh()
            return
        if not self._busy:
            self._busy, self._before = True, self._traffic()
            self.fetched.clear()  # the requests of earlier work
        if not self._tick.isActive():
            self._tick.start()

    def _show_traffic(self) -> None:
        requests, nbytes = (now - before for now, before in zip(self._traffic(), self._before, strict=True))
        if requests > 0:
            text = count(requests, "request")
            self.fetched.setText(f"{text}, {format_bytes(nbytes)}" if nbytes else text)

    def _note_progress(self, request: Request, fraction: float) -> None:
        self._fractions[request] = fraction

    def _refresh(self) -> None:
        self._show_traffic()
        if not self._workers.active:
            self._tick.stop()
            self._fractions.clear()
            self._busy = False
        self._show_activity()

    def _show_activity(self) -> None:
        now = time.monotonic()
        active = [
            request
            for request in self._workers.active
            if request.label and now - request.started_s > _QUIET_S
        ]
        for widget in (self.progress, self.cancel):
            widget.setVisible(bool(active))
        if not active:
            self.message.set_text(self._last)
            return
        oldest = active[0]
        others = f"  (and {len(active) - 1} more)" if len(active) > 1 else ""
        self.message.set_text(f"{oldest.label}…  {format_duration(now - oldest.started_s)}{others}")
        fraction = self._fractions.get(oldest)
        self.progress.setRange(
            0, 0 if fraction is None and not is_reduced() else 100
        )  # 0 to 0 moves to and fro
        self.progress.setValue(round((fraction or 0) * 100))
