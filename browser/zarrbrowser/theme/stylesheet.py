"""The stylesheet: spacing, corners and lines, which a palette cannot set. One radius, one line, one grid of 4."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from string import Template

from zarrbrowser.theme.colours import Colours
from zarrbrowser.theme.fonts import USUAL_POINTS
from zarrbrowser.theme.icons import drawing_path

_TEMPLATE = Template(
    """
* { outline: 0; }
QToolTip { background: $surface; color: $text; border: 1px solid $border; padding: 4px 6px; }
QMainWindow, QDialog { background: $window; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QLabel { background: transparent; }
QLabel[role="muted"] { color: $muted; }
QWidget[role="title"] { font-size: ${title}pt; font-weight: 600; }
QWidget[role="heading"] { font-weight: 600; color: $muted; }
QLabel[role="number"] { font-size: ${number_size}pt; }
QLabel[role="problem"] { color: $warning; }
QLabel[role="key"] { background: $hover; border: 1px solid $border; border-radius: 4px; padding: 1px 6px; }
QLabel[role="chip"] { background: $selection; color: $text; border-radius: 4px; padding: 2px 8px; }
QToolButton[role="changes"] {
    background: $warning_ground; color: $warning; border: 1px solid $warning; border-radius: 4px;
    padding: 1px 8px; font-weight: 600;
}
QToolButton[role="changes"]:hover { background: $hover; }
QToolButton[role="changes"]:focus { padding: 0 7px; }
QLineEdit[role="cell"], QLineEdit[role="cell"]:focus {
    border: 2px solid $warning; border-radius: 0; padding: 0 2px; min-height: 0;
}
QPlainTextEdit[role="code"] { border: 1px solid $outline; border-radius: 5px; padding: 1px; }
QPlainTextEdit[role="code"]:focus { border: 2px solid $accent; padding: 0; }
QLabel[role="drop"] {
    background: $drop; color: $text; border: 3px solid $accent; font-size: ${drop_size}pt; font-weight: 600;
}
QFrame[role="stored"] { background: $accent; border-radius: 2px; }
QFrame[role="absent"] { background: $border; border-radius: 2px; }
QFrame[role="missing"] { background: $missing; border-radius: 3px; }
QFrame[role="fill"] { background: $fill; border-radius: 3px; }

QLineEdit, QComboBox, QAbstractSpinBox {
    background: $surface; color: $text; border: 1px solid $outline; border-radius: 5px;
    padding: 3px 7px; min-height: ${line}px; selection-background-color: $accent; selection-color: $on_accent;
}
QLineEdit QToolButton { background: transparent; border: 0; padding: 0; min-height: 16px; }
QLineEdit:focus, QComboBox:focus, QAbstractSpinBox:focus { border: 2px solid $accent; padding: 2px 6px; }
QLineEdit[refused="true"], QLineEdit[refused="true"]:focus,
QAbstractSpinBox[refused="true"], QAbstractSpinBox[refused="true"]:focus { border-color: $warning; background: $warning_ground; }
QLineEdit:disabled, QComboBox:disabled, QAbstractSpinBox:disabled {
    color: $disabled; border-color: $border;
}
QComboBox { padding-right: 2px; }
QComboBox:focus { padding-right: 1px; }
QComboBox::drop-down { border: 0; width: 20px; subcontrol-position: center right; }
QComboBox::down-arrow { image: url("$down"); width: 12px; height: 12px; }
QComboBox QAbstractItemView {
    background: $surface; border: 1px solid $border; padding: 3px;
    selection-background-color: $selection; selection-color: $text;
}
QAbstractSpinBox { padding-right: 20px; }
QAbstractSpinBox:focus { padding-right: 19px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: 0; width: 18px; background: transparent; }
QAbstractSpinBox::up-button { subcontrol-position: top right; margin-top: 1px; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; margin-bottom: 1px; }
QAbstractSpinBox::up-arrow { image: url("$up"); width: 10px; height: 10px; }
QAbstractSpinBox::down-arrow { image: url("$down"); width: 10px; height: 10px; }

QPushButton, QToolButton {
    background: $raised; color: $text; border: 1px solid $border; border-radius: 5px; padding: 4px 12px;
    min-height: ${row}px;
}
QToolButton { padding: 4px; }
QPushButton:hover, QToolButton:hover { background: $hover; }
QPushButton:pressed, QToolButton:pressed { background: $selection; }
QPushButton:focus { border: 2px solid $accent; padding: 3px 11px; }
QToolButton:focus { border: 2px solid $accent; padding: 3px; }
QPushButton:disabled, QToolButton:disabled { color: $disabled; }
QPushButton[role="primary"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: 600; }
QPushButton[role="primary"]:focus { border: 3px double $on_accent; padding: 2px 10px; }
QPushButton[role="primary"]:disabled { background: $raised; color: $disabled; border-color: $border; }
QPushButton[role="link"] {
    background: transparent; border: 0; color: $accent; text-align: left; padding: 3px 4px;
}
QPushButton[role="link"]:hover { text-decoration: underline; }
QPushButton[role="link"]:focus { text-decoration: underline; }
QPushButton[role="card"] { padding: 0; }
QPushButton[role="crumb"] { background: transparent; border: 0; color: $accent; padding: 0 1px; min-height: 0; }
QPushButton[role="crumb"]:hover, QPushButton[role="crumb"]:focus { text-decoration: underline; }
QToolButton[role="flat"] { background: transparent; border-color: transparent; }
QToolButton[role="flat"]:hover { background: $hover; }
QToolButton[role="flat"]:focus { border-color: $accent; }
QToolButton:checked { background: $selection; border-color: $accent; }
QToolButton:checked:focus { border: 2px solid $accent; padding: 3px; }
QToolButton[popupMode="1"] { padding-right: 20px; }
QToolButton[popupMode="1"]:focus { padding-right: 19px; }
QToolButton[role="open"] { padding: 4px 12px 4px 8px; }
QToolButton[role="open"]:focus { padding: 3px 11px 3px 7px; }
QToolButton[role="open"][popupMode="1"] { padding-right: 26px; }
QToolButton[role="open"][popupMode="1"]:focus { padding-right: 25px; }
QToolButton::menu-button { border: 0; border-left: 1px solid $border; width: 20px; }
QToolButton::menu-arrow { image: url("$down"); width: 12px; height: 12px; }
QToolButton::menu-indicator { image: none; }

QCheckBox { spacing: 7px; background: transparent; }
QCheckBox:disabled { color: $disabled; }
QCheckBox::indicator, QListView::indicator {
    width: 13px; height: 13px; border: 1px solid $muted; border-radius: 3px; background: $surface;
}
QCheckBox::indicator:checked, QListView::indicator:checked {
    background: $selection; border-color: $accent; image: url("$check");
}
QCheckBox::indicator:disabled { border-color: $disabled; }
QCheckBox::indicator:hover { border-color: $accent; }
QCheckBox::indicator:focus { border: 2px solid $accent; width: 11px; height: 11px; }

QMenu { background: $surface; border: 1px solid $border; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: $selection; color: $text; }
QMenu::item:disabled { color: $disabled; }
QMenu::icon:checked { background: $selection; border: 1px solid $accent; border-radius: 4px; }
QMenu::separator { height: 1px; background: $border; margin: 4px 8px; }
QMenu::indicator { width: 12px; height: 12px; margin-left: 6px; }
QMenu::indicator:checked { image: url("$check"); }

QTreeView, QPlainTextEdit, QListView {
    background: $surface; color: $text; selection-background-color: $selection;
    selection-color: $text; alternate-background-color: $window;
}
QListView::item:focus { background: $selection; color: $text; }
QListView[role="views"]::item { padding: 4px 6px; }
QAbstractScrollArea { border: 1px solid transparent; }
QAbstractScrollArea:focus { border: 1px solid $accent; }
QTreeView::item { padding: 3px 2px; border: 0; }
QTreeView::item:hover { background: $hover; }
QTreeView::item:selected { background: $selection; color: $text; }
QTreeView::branch { background: transparent; }
QTreeView::branch:selected { background: $selection; }
QTreeView::branch:hover:!selected { background: $hover; }
QTreeView::branch:has-children:closed { image: url("$right"); }
QTreeView::branch:has-children:open { image: url("$down"); }
QHeaderView { background: $surface; border: 0; }
QHeaderView::section {
    background: $surface; color: $muted; border: 0; border-bottom: 1px solid $border; padding: 5px 6px;
}
QTableView {
    background: $surface; color: $text; gridline-color: $hover;
    selection-background-color: $selection; selection-color: $text;
}
QTableView QHeaderView::section { padding: 3px 8px; }
QTableView QHeaderView::section:vertical { border-bottom: 0; border-right: 1px solid $border; }
QTableView QTableCornerButton::section { background: $surface; border: 0; border-bottom: 1px solid $border; }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QFrame[role="panel"] { background: $surface; border: 1px solid $border; border-radius: 6px; }
QFrame[role="notice"] { background: $warning_ground; border: 1px solid $warning; border-radius: 6px; }
QFrame[role="notice"] QLabel { color: $text; }
QFrame[role="bar"] { background: $window; border: 0; border-bottom: 1px solid $border; }
QFrame[role="side"] { background: $window; border: 0; border-left: 1px solid $border; }
QFrame[role="foot"] { background: $window; border: 0; border-top: 1px solid $border; }
QWidget[role="surface"] { background: $surface; }
QWidget[role="canvas"] { background: $canvas; }
QScrollArea { background: $surface; }
QScrollArea[role="page"], QFrame[role="page"] { background: transparent; }

QTabWidget::pane { border: 0; border-top: 1px solid $border; background: $surface; }
QTabBar { background: transparent; qproperty-drawBase: 0; }
QTabBar::tab {
    background: transparent; color: $muted; padding: 7px 14px 6px 14px; border: 0;
    border-bottom: 2px solid transparent;
}
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:selected:focus { color: $accent; border: 2px solid $accent; padding: 5px 12px 6px 12px; }
QTabBar[role="switch"]::tab {
    background: $raised; border: 1px solid $border; padding: 4px 10px; margin: 0; min-height: ${row}px;
}
QTabBar[role="switch"]::tab:first { border-top-left-radius: 5px; border-bottom-left-radius: 5px; border-right: 0; }
QTabBar[role="switch"]::tab:last { border-top-right-radius: 5px; border-bottom-right-radius: 5px; }
QTabBar[role="switch"]::tab:selected { background: $selection; color: $text; }
QTabBar[role="switch"]::tab:selected:focus { border: 2px solid $accent; padding: 3px 9px; }

QSlider::groove:horizontal { height: 4px; background: $border; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal {
    background: $surface; border: 2px solid $accent; width: 10px; height: 10px; margin: -5px 0; border-radius: 7px;
}
QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus { background: $accent; }

QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $border; border-radius: 4px; margin: 1px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: $disabled; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QSplitter::handle { background: $border; }
QStatusBar { background: $window; border-top: 1px solid $border; color: $muted; }
QStatusBar::item { border: 0; }
QProgressBar { background: $border; border: 0; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
"""
)


LINE = 20
"""The height of a field for text of the usual size."""


@cache
def stylesheet(colours: Colours, points: float = USUAL_POINTS, line: int = LINE) -> str:
    """The stylesheet of one appearance, for text of a size in points in fields of a height in pixels."""
    arrows = {name: drawing_path(f"{name}-{colours.name}") for name in ("down", "up", "right", "check")}
    drop = colours.surface.replace(
        "#", "#d8"
    )  # mostly opaque: the sentence must be readable over any picture
    larger = {"title": 15, "number_size": 22, "drop_size": 18}
    sizes = {name: f"{size * points / USUAL_POINTS:.4g}" for name, size in larger.items()}
    return _TEMPLATE.substitute(asdict(colours), drop=drop, line=line, row=line - 2, **arrows, **sizes)
