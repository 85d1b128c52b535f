"""Back and forward through visited nodes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.session.history import History, Visit

STEPS = st.lists(st.sampled_from(["back", "forward", "/a", "/b", "/c"]), max_size=30)


@given(STEPS)
def test_back_and_forward_behave_like_two_stacks(steps: list[str]) -> None:
    history, before, after = History(), list[str](), list[str]()
    for step in steps:  # modelled as two stacks and the present place
        if step == "back":
            found = history.back()
            if len(before) > 1:
                after.append(before.pop())
                assert found is not None
                assert found.path == before[-1]
            else:
                assert found is None
        elif step == "forward":
            found = history.forward()
            if after:
                before.append(after.pop())
                assert found is not None
                assert found.path == before[-1]
            else:
                assert found is None
        else:
            history.visit(Visit("x", "x", step, ""))
            if not before or before[-1] != step:
                before.append(step)
                after.clear()
        assert (history.can_go_back, history.can_go_forward) == (len(before) > 1, bool(after))
