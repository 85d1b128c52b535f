"""Types that Qt sends from one thread to another."""

from __future__ import annotations


def test_qt_calls_keep_the_reference_count_of_none(application: object) -> None:
    """PySide6 6.12.0 lost a reference to None at every call on Python 3.11, until the process aborted."""
    import sys

    from PySide6.QtCore import QObject

    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(1000):
        thing.setObjectName("x")
    assert sys.getrefcount(None) - before > -500
