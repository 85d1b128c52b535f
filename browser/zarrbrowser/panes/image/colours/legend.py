"""The legend of the colours of missing values, below a picture that has some."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from zarrbrowser.image.colours.contrast import Statistics
from zarrbrowser.values.quantities import count
from zarrbrowser.widgets.label import ElidedLabel


class MissingLegend(QFrame):
    """A swatch with the number of NaN elements, another for the fill value; each hidden if there are none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "foot")
        self._nan, self._fill = _Entry("missing"), _Entry("fill")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(8)
        for entry in (self._nan, self._fill):
            row.addWidget(entry.swatch)
            row.addWidget(entry.words)
            row.addSpacing(12)
        row.addStretch(1)
        self.hide()

    @property
    def text(self) -> str:
        """The text beside the visible swatches."""
        shown = (entry.words for entry in (self._nan, self._fill) if not entry.words.isHidden())
        return "; ".join(words.text for words in shown)

    def show_statistics(
        self,
        found: Statistics | None,
        *,
        is_exact: bool = True,
        mark: str = "with the fill value",
        is_missing: bool = False,
    ) -> None:
        """Show how many elements of a picture are missing.

        Args:
            mark: what is said of elements that are marked.
            is_missing: whether these have the colour of NaN.
            is_exact: whether all elements were counted, not only a sample.
        """
        nan_count, fill_count, size = (
            (0, 0, 1) if found is None else (found.nan_count, found.fill_count, found.size)
        )
        self._nan.say(nan_count, size, "without a value (NaN)", is_exact=is_exact)
        self._fill.colour("missing" if is_missing else "fill")
        self._fill.say(fill_count, size, mark, is_exact=is_exact)
        self.setVisible(nan_count + fill_count > 0)


class _Entry:
    """A swatch with text."""

    def __init__(self, role: str) -> None:
        self.swatch, self.words = QFrame(), ElidedLabel("muted")
        self.words.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.swatch.setProperty("role", role)
        self.swatch.setFixedSize(14, 14)

    def colour(self, role: str) -> None:
        """Give the swatch another colour of the theme."""
        if self.swatch.property("role") != role:
            self.swatch.setProperty("role", role)
            self.swatch.style().polish(self.swatch)

    def say(self, number: int, size: int, what: str, *, is_exact: bool) -> None:
        if is_exact:
            self.words.set_text(f"{number:,} of {count(size, 'element')} {what}")
        else:
            self.words.set_text(f"about {100 * number / max(1, size):.3g} % {what}")
        self.words.setVisible(number > 0)
        self.swatch.setVisible(number > 0)
