"""Which changes can be undone."""

from __future__ import annotations

from zarrbrowser.editing.changes import Outcome, Undo
from zarrbrowser.editing.undo_stack import UndoStack


def outcome(what: str, nbytes: int = 0) -> Outcome:
    return Outcome("done", undo=Undo(what, lambda _progress: Outcome("undone"), nbytes))


def test_the_last_change_is_undone_first() -> None:
    stack = UndoStack()
    assert stack.last is None
    stack.note(outcome("one"))
    stack.note(outcome("two"))
    last = stack.last
    assert last is not None
    assert last.what == "two"
    stack.drop(last)
    stack.drop(last)
    assert stack.last is not None
    assert stack.last.what == "one"


def test_a_change_that_cannot_be_undone_ends_what_came_before() -> None:
    stack = UndoStack()
    stack.note(outcome("one"))
    stack.note(Outcome("deleted", ends_undo=True))
    assert stack.last is None


def test_the_stack_is_bounded_in_number_and_memory() -> None:
    stack = UndoStack()
    for number in range(300):
        stack.note(outcome(str(number)))
    assert len(stack) == 200
    for _ in range(10):
        stack.note(outcome("large", 100 << 20))
    assert len(stack) == 2
