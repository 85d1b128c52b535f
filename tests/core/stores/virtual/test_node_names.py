"""Names in files as names of nodes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zarrcore.formats import Format
from zarrcore.stores.virtual.node_names import node_name

names = st.lists(
    st.sampled_from(
        ["%", "25", "2E", "2F", "00", "E9", "ze", ".", "/", "\0", "\udce9", "é", "zarr.json", "a"]
    ),
    min_size=1,
    max_size=8,
).map("".join)


@given(names, names)
def test_every_name_has_a_node_of_its_own(one: str, other: str) -> None:
    shown = node_name(one)
    assert Format.V3.may_name_node(shown)
    assert shown != "zarr.json"
    assert not {"/", "\0", "\udce9"} & {*shown}
    assert (shown == node_name(other)) == (one == other)


def test_ordinary_names_stay_as_they_are() -> None:
    for name in ("a", "__x", ".zarray", "c", "0", "50%", "a%20b", "a.b", "é", "%25", "zarr.json.bak"):
        assert node_name(name) == name
