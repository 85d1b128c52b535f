"""A store that throttles, or is down for a moment: clients of the server are told when to ask again."""

from __future__ import annotations

import numpy as np
import pytest

import zarrcore as zc
from tests.servers import fault_server
from tests.zfs.http.serving import get, serving
from zarrcore.stores import open_store
from zarrcore.stores.memory import MemoryStore


@pytest.mark.parametrize(
    ("fault", "asked", "answered"),
    [
        (429, "30", "30"),
        (503, "30", "30"),
        (503, "", "1"),
        ("reset", "", "1"),
        (503, "999999999", "3600"),
        (503, "9" * 400, "3600"),
    ],
)
def test_the_pause_of_the_store_is_that_of_the_server(fault: int | str, asked: str, answered: str) -> None:
    made = MemoryStore()
    zc.create(made).create_array("a", data=np.arange(4, dtype="u1"), chunks=(2,), codecs=["bytes"])
    with fault_server() as store:
        store.values |= {entry.key: bytes(made.get(entry.key) or b"") for entry in made.list_prefix("")}
        with serving(open_store(store.url, timeout_s=1, retries=0), ttl_s=0) as served:
            url = f"{served.url}/keys/a/c/1"
            assert get(url).content == b"\2\3"
            store.faults["a/c/1"] = fault
            store.headers |= {"Retry-After": asked} if asked else {}
            answer = get(url)
            assert (answer.status_code, answer.headers["retry-after"]) == (503, answered)
            store.faults.clear()
            assert get(url).content == b"\2\3"
