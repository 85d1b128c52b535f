"""Both ways of requesting values: through obstore, and without it, which credentials in a header need."""

from __future__ import annotations

import pytest

from tests.any_store import AnyStore, open_store
from tests.core.stores.conftest import Opener
from tests.servers import FaultServer


@pytest.fixture(params=["obstore", "httpx"])
def opened(request: pytest.FixtureRequest, faults: FaultServer) -> Opener:
    """Opens URLs of ``faults`` in both ways."""
    headers = {} if request.param == "obstore" else {"X-Token": "hush"}

    def open_it(path: str = "", **options: object) -> AnyStore:
        defaults = {"timeout_s": 10.0, "retries": 1, "headers": headers}
        return open_store(f"{faults.url}/{path}", **{**defaults, **options})

    return open_it
