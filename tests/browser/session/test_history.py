"""Back and forward through visited nodes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.session.history import MOST, History, Visit

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


def test_the_oldest_visits_are_forgotten() -> None:
    history = History()
    for number in range(MOST + 5):
        history.visit(Visit("x", "x", f"/{number}", "Image"))
    steps = 0
    while history.back() is not None:
        steps += 1
    assert steps == MOST - 1
    assert history.here is not None
    assert history.here.path == "/5"


def test_the_view_of_the_present_visit_is_kept() -> None:
    history = History()
    history.keep_view_state({"index": [0]})
    assert history.here is None, "there is nothing to keep it for"
    for path in ("/a", "/b"):
        history.visit(Visit("x", "x", path, "Image"))
    history.keep_view_state({"index": [3]})
    history.visit(Visit("x", "x", "/b", "Image", {"index": [7]}))
    assert history.here is not None
    assert history.here.view_state == {"index": [3]}, "the same place is not a new visit"
    assert history.back() == Visit("x", "x", "/a", "Image")
    found = history.forward()
    assert found is not None
    assert found.view_state == {"index": [3]}


def test_another_tab_is_another_visit() -> None:
    history = History()
    for tab in ("Image", "Table"):
        history.visit(Visit("x", "x", "/a", tab))
    found = history.back()
    assert found is not None
    assert found.tab == "Image"
