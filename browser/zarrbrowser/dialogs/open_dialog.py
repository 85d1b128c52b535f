"""The dialog that asks for a location, its format, and connection options."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from zarrbrowser.session.connection import OPTIONS, Connection
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.theme.fonts import scaled
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.completion import suggest
from zarrbrowser.widgets.label import label
from zarrcore.stores import StoreOption

_DETECT = "Detect"
_LABEL_WIDTH = 104


class OpenDialog(QDialog):
    """Asks for a location; shows errors in the dialog, which stays open.

    Signals:
        requested: the `SourceRequest`.
    """

    requested = Signal(object)

    def __init__(self, suggested: SourceRequest, known: list[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Open location")
        self.setMinimumWidth(scaled(520))
        connection = Connection.of(suggested.options)
        self.address = _line(
            suggested.address, "/data/scan.zarr   s3://bucket/scan.zarr   https://…", "path or URL"
        )
        suggest(self.address, known)
        self.format = QComboBox()
        name_box(self.format, "format")
        self._fill_formats(suggested.format)
        self.fields = {one.name: _field(one, getattr(connection, one.name)) for one in OPTIONS}
        """One for each connection option."""
        self.problem = label(role="problem", wrap=True)
        self.problem.hide()
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Open | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.button(QDialogButtonBox.StandardButton.Open).setProperty("role", "primary")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        anonymous, profile = self.fields["anonymous"], self.fields["profile"]
        if isinstance(anonymous, QCheckBox):
            anonymous.toggled.connect(profile.setDisabled)
        profile.setDisabled(connection.anonymous)
        self._lay_out()

    def accept(self) -> None:
        """Emit the request, or show what is wrong with it."""
        try:
            request = self._request()
        except Exception as error:  # noqa: BLE001 - the dialog shows any error
            self.problem.setText(sentence(error))
            self.problem.show()
            self.adjustSize()
            return
        super().accept()
        self.requested.emit(request)

    def _request(self) -> SourceRequest:
        from zarrcore.errors import StoreError  # late: for a fast start

        typed = SourceRequest.typed(self.address.text())
        if not typed.address:
            raise StoreError("a path or URL is needed")
        values: dict[str, Any] = {name: _value_of(field) for name, field in self.fields.items()}
        connection = Connection(**values)
        connection.store_options()
        return SourceRequest(typed.address, typed.path, self.format.currentData(), connection)

    def _fill_formats(self, chosen: str | None) -> None:
        from zarrcore.formats import known_formats  # late: for a fast start

        self.format.addItem(_DETECT, None)
        for one in sorted(known_formats(), key=lambda one: one.name.startswith("draft")):
            self.format.addItem(one.title, one.name)
        self.format.setCurrentIndex(max(0, self.format.findData(chosen)))

    def _lay_out(self) -> None:
        what, how = QFormLayout(), QFormLayout()
        for form in (what, how):
            form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            form.setHorizontalSpacing(16)
            form.setVerticalSpacing(8)
        lines = [(how, one.label, self.fields[one.name]) for one in OPTIONS if not one.is_flag]
        for form, name, field in (
            (what, "Path or URL", self.address),
            (what, "Format", self.format),
            *lines,
        ):
            name_label = label(name, "muted")
            name_label.setFixedWidth(scaled(_LABEL_WIDTH))
            name_label.setMinimumHeight(field.sizeHint().height())
            form.addRow(name_label, field)
        for one in OPTIONS:
            if one.is_flag:
                how.addRow("", self.fields[one.name])
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(12)
        column.addLayout(what)
        column.addSpacing(4)
        column.addWidget(label("Connection, for S3, Google, Azure and compatible services", "heading"))
        column.addLayout(how)
        column.addWidget(
            label(
                "Credentials come from the environment, the AWS configuration files or the provider's own tools; "
                "they are never entered or stored here.",
                "muted",
                wrap=True,
            )
        )
        column.addWidget(self.problem)
        column.addWidget(self.buttons)


def _field(option: StoreOption, value: str | bool) -> QLineEdit | QCheckBox:
    if not option.is_flag:
        return _line(str(value), option.example, option.label)
    box = QCheckBox(option.label)
    box.setChecked(bool(value))
    return box


def _value_of(field: QLineEdit | QCheckBox) -> str | bool:
    """What the user chose; None for a disabled field."""
    if isinstance(field, QCheckBox):
        return field.isChecked()
    return field.text().strip() if field.isEnabled() else ""


def _line(text: str, example: str, name: str) -> QLineEdit:
    line = QLineEdit(text)
    line.setPlaceholderText(example)
    line.setAccessibleName(name)
    return line
