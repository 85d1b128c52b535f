"""Start Qt and exit; ``zarrscope doctor`` runs this in a child process, since Qt aborts where it cannot start."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication

if __name__ == "__main__":
    QGuiApplication([])
