"""Sequences of changes to names, and a store that is marked as remote."""

from __future__ import annotations

from hypothesis import strategies as st

from zarrcore.stores import MemoryStore

PATHS = st.sampled_from(["a", "b", "c", "a/b", "a/c", "b/a", "a/b/c", "c/a/b"])


COURSES = st.lists(
    st.tuples(
        st.sampled_from(["write", "append", "unlink", "mkdir", "rmdir", "rename", "move", "link"]),
        PATHS,
        PATHS,
    ),
    max_size=20,
)


class Far(MemoryStore):
    """A store that is marked as remote, so that its answers are remembered."""

    is_remote = True
    requests_in_flight = 4
