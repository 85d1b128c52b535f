"""The dialog that opens a location."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeHierarchy
from tests.browser.window.places import example
from zarrbrowser.dialogs.open_dialog import OpenDialog
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow
from zarrcore.errors import AccessDeniedError


def dialog_of(window: MainWindow) -> OpenDialog:
    return next(one for one in window.findChildren(OpenDialog) if one.isVisible())


def test_a_location_is_opened_with_all_its_options(application: QApplication, qtbot: QtBot) -> None:
    asked: list[SourceRequest] = []

    def opener(request: SourceRequest) -> Source:
        asked.append(request)
        if request.options is None:
            raise AccessDeniedError("access to s3://bucket/a.zarr is denied", url=request.address)
        return Source(request, FakeHierarchy(example()), example())

    window = MainWindow(Settings(fresh=True), opener)
    qtbot.addWidget(window)
    window.show()
    window.open_text("s3://bucket/a.zarr#/image")
    qtbot.waitUntil(lambda: "denied" in window.view.sentence.text)
    window.choose_location()
    dialog = dialog_of(window)
    assert dialog.address.text() == "s3://bucket/a.zarr", "the dialog starts with the address that failed"
    dialog.fields["endpoint_url"].setText("nonsense")
    QTest.keyClick(dialog.address, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert "endpoint" in dialog.problem.text()
    dialog.fields["endpoint_url"].setText("http://localhost:9000")
    dialog.fields["region"].setText("us-east-1")
    dialog.fields["profile"].setText("work")
    dialog.fields["anonymous"].setChecked(True)
    dialog.format.setCurrentIndex(dialog.format.findData("v2"))
    dialog.accept()
    qtbot.waitUntil(lambda: bool(window.session.sources))
    connection = Connection("http://localhost:9000", "us-east-1", "", anonymous=True)
    assert asked[-1] == SourceRequest("s3://bucket/a.zarr", "/", "v2", connection)
    assert window.model.rowCount() == 1
    assert window.session.recent.requests[0].options == connection
    assert any("anonymous" in action.text() for action in window.view.top_bar.recent_menu.actions())
    window.close()
    assert window.workers.shut_down(30)


def test_a_location_without_an_address_is_not_opened(application: QApplication, qtbot: QtBot) -> None:
    dialog = OpenDialog(SourceRequest(""), [])
    qtbot.addWidget(dialog)
    dialog.show()
    with qtbot.assertNotEmitted(dialog.requested):
        dialog.accept()
    assert dialog.problem.text() == "A path or URL is needed."
    dialog.address.setText(" s3://bucket/a.zarr#/raw ")
    with qtbot.waitSignal(dialog.requested) as heard:
        dialog.accept()
    assert heard.args == [SourceRequest("s3://bucket/a.zarr", "/raw", None, Connection())]


def test_the_dialog_starts_with_the_options_of_the_last_time(application: QApplication, qtbot: QtBot) -> None:
    options = Connection("http://localhost:9000", "", "work", anonymous=True)
    suggested = SourceRequest("s3://bucket/a.zarr", "/", "n5", options)
    dialog = OpenDialog(suggested, ["s3://bucket/b.zarr"])
    qtbot.addWidget(dialog)
    assert dialog.format.currentData() == "n5"
    assert dialog.fields["profile"].text() == "work"
    assert not dialog.fields["profile"].isEnabled(), "no credentials are sent"
    with qtbot.waitSignal(dialog.requested) as heard:
        dialog.accept()
    assert heard.args[0].options == Connection("http://localhost:9000", anonymous=True)
    dialog.fields["anonymous"].setChecked(False)
    with qtbot.waitSignal(dialog.requested) as heard:
        dialog.accept()
    assert heard.args[0].options.profile == "work"
