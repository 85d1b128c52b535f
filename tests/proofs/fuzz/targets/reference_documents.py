"""Reference documents: StoreError, or references that are found by the keys that are listed.

What other servers would hold is empty: no input may make this program talk to one.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from unittest import mock

from zarrcore.errors import StoreError
from zarrcore.stores import MemoryStore
from zarrcore.stores.reference.index import Reference, ReferenceIndex
from zarrcore.stores.reference.recognition import is_reference_document
from zarrcore.stores.reference.store import open_document
from zarrcore.stores.targets import opening, policy

WORDS = (
    '"version": 1',
    '"refs": {',
    '"gen": [',
    '"templates": {',
    '"dimensions": {',
    '"stop": ',
    "{{",
    "}}",
    "base64:",
    '"a/0.0": ["x", 1, 2],',
    '"a/0/1": ["x"],',
    ".zarray",
)


def check(data: bytes) -> None:
    """The same document is read from one block and from a compressed one; each listed key is found."""
    is_reference_document(data[:8192])
    with (
        mock.patch.object(opening, "_opened_remote", return_value=MemoryStore("")),
        mock.patch.object(policy, "is_local_server", return_value=False),
    ):
        found = _values(data)
        packed = _values(gzip.compress(data, 1))
    if not data.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        assert found == packed


def _values(data: bytes) -> dict[str, bytes | Reference] | None:
    """All references; None if the document is refused."""
    try:
        store = open_document(MemoryStore("", {"a.json": data}), "a.json", "memory://a.json")
    except StoreError:
        return None
    references = store._references
    assert isinstance(references, ReferenceIndex)
    found: dict[str, bytes | Reference] = {}
    for key in _listed(references, ""):
        value = references.find(key)
        assert value is not None, key
        assert key not in found, key
        found[key] = value
        try:
            store.get(key, max_nbytes=1 << 20)
        except (StoreError, ValueError):
            continue
    return found


def _listed(references: ReferenceIndex, prefix: str) -> Iterator[str]:
    for entry in references.list_dir(prefix):
        if entry.key.endswith("/") and entry.key != prefix:
            yield from _listed(references, entry.key)
        else:
            yield entry.key


def examples() -> Iterable[bytes]:
    """Both versions, templates, generators, values of all kinds."""
    refs = {
        ".zgroup": "{}",
        "a/0.0": ["x", 1, 2],
        "a/0.1": ["x"],
        "b/c/0/1": ["s3://b/x", 0, 5],
        "d": "base64:AAAA",
    }
    yield json.dumps(refs).encode()
    yield json.dumps({"version": 1, "refs": refs | {"e": {"f": 1}}}).replace("/", "\\/").encode()
    generator = {"key": "g/{{i}}", "url": "{{u}}/{{'%03d' % i}}", "offset": "{{i * 10}}", "length": "10"}
    generator["dimensions"] = {"i": {"stop": 4}}
    templates = {"u": "s3://bucket", "f": "{{u}}/{{c}}"}
    yield json.dumps(
        {"version": 1, "templates": templates, "gen": [generator], "refs": {"h/0": ["{{f(c='x')}}", 3, 4]}}
    ).encode()
