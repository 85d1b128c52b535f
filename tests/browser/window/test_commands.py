"""The table of commands."""

from __future__ import annotations

from itertools import chain

import pytest
from PySide6.QtGui import QKeySequence

from zarrbrowser.panes.registry import PANES
from zarrbrowser.window.commands import COMMANDS, Command

EVERY = [*chain.from_iterable(group.commands for group in COMMANDS)]


def test_each_key_has_one_meaning_in_each_place() -> None:
    everywhere = [key for one in EVERY if one.run is not None and not one.panes for key in one.keys]
    assert len(everywhere) == len(set(everywhere))
    for kind in PANES:
        inside = [key for one in EVERY if kind.title in one.panes for key in one.keys]
        assert len(inside) == len({*inside})
        assert not {*inside} & {*everywhere}


@pytest.mark.parametrize("command", EVERY, ids=lambda one: one.title)
def test_the_keys_of_a_command_exist(command: Command) -> None:
    assert command.keys
    assert all(QKeySequence(key).toString() for key in command.keys)
    assert {kind.title for kind in PANES} >= {*command.panes}
