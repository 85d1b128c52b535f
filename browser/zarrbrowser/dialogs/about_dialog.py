"""What this program is, and the versions of its parts."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from zarrbrowser.theme import current_colours, icon
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.label import label

_PARTS = ("zarrscope", "PySide6-Essentials", "pyqtgraph", "numpy", "cmap")


class AboutDialog(QDialog):
    """The name, the licence and the versions, to be copied into a report of a problem."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("About zarrscope")
        picture = QLabel()
        picture.setPixmap(icon("zarrscope", current_colours().accent).pixmap(QSize(64, 64)))
        self.versions = label(versions(), selectable=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        buttons.addButton(
            push_button("Copy versions", self.copy, drawing="copy"), QDialogButtonBox.ButtonRole.ActionRole
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 24, 28, 16)
        column.setSpacing(10)
        column.addWidget(picture, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(label("zarrscope", "title"), 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(label("See inside any Zarr hierarchy, wherever it is stored. MIT licence.", "muted"))
        column.addWidget(self.versions)
        column.addSpacing(6)
        column.addWidget(buttons)

    def copy(self) -> None:
        """Copy the versions to the clipboard."""
        QGuiApplication.clipboard().setText(self.versions.text())


def versions() -> str:
    """One line for each part of the program: its name and version."""
    lines = [f"{name} {_version(name)}" for name in _PARTS]
    return "\n".join(
        [*lines, f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"]
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(version unknown)"
