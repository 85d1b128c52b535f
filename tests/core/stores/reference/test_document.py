"""Reference documents, compared with fsspec's interpretation of them."""

from __future__ import annotations

import gzip
import json
import random
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
import zstandard
from fsspec.implementations.reference import ReferenceFileSystem
from hypothesis import example, given
from hypothesis import strategies as st

from zarrcore.errors import StoreError
from zarrcore.stores.reference.document import decompressed, parse_references
from zarrcore.stores.reference.index import Reference, ReferenceIndex

SEGMENTS = st.sampled_from(
    ["a", "b", "0", "1", "10", "007", "1.2", "0.0.3", "c", "é", ".zarray", 'q"', "b\\s", "-1"]
)
KEYS = st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join)
URLS = st.sampled_from(["x.nc", "s3://bucket/a/b.nc", "https://host/ü.h5", "dir\\x", "{{u}}/a", "{{ v }}"])
OFFSETS = st.integers(0, 1 << 50)
VALUES = st.one_of(
    st.text('abcé"\\/{}', max_size=9),
    st.binary(max_size=9).map(lambda data: "base64:" + __import__("base64").b64encode(data).decode()),
    st.dictionaries(st.text("ab", max_size=2), st.integers(), max_size=2),
    URLS.map(lambda url: [url]),
    st.tuples(URLS, OFFSETS, OFFSETS).map(list),
)


def parsed(document: Any, size: int = 1 << 20) -> ReferenceIndex:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return parse_references(blocks(data, size), "memory://a.json")


def blocks(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def theirs(document: dict) -> dict[str, Any]:
    """What fsspec makes of a document, in our terms."""
    filesystem = ReferenceFileSystem(
        fo=document,
        simple_templates=False,
        target_protocol="file",
        remote_protocol="file",
        skip_instance_cache=True,
    )
    found = {}
    for key in filesystem.references:
        part, _, _ = filesystem._cat_common(key)
        value = filesystem.references[key]
        if isinstance(part, bytes):
            # Spaces in objects depend on the JSON library that is installed.
            told = document.get("refs", document).get(key)
            found[key] = json.dumps(told).encode() if isinstance(told, dict) else part
        else:
            found[key] = Reference(value[0], 0, None) if len(value) == 1 else Reference(*value)
    return found


def listed(index: ReferenceIndex, prefix: str = "") -> Iterator[str]:
    for entry in index.list_dir(prefix):
        if entry.is_prefix:
            yield from listed(index, entry.key)
        else:
            yield entry.key


@example({"a": "\\/"}, False, False, 1).via("a backslash before a slash, in two pieces")
@given(st.dictionaries(KEYS, VALUES, max_size=12), st.booleans(), st.booleans(), st.integers(1, 300))
def test_a_document_means_what_fsspec_makes_of_it(
    refs: dict, is_first: bool, ascii_only: bool, size: int
) -> None:
    document = {"version": 1, "templates": {"u": "s3://bucket", "v": "w"}, "refs": refs} if is_first else refs
    index = parsed(json.dumps(document, ensure_ascii=ascii_only).encode(), size)
    expected = theirs(json.loads(json.dumps(document)))
    assert {key: index.find(key) for key in expected} == expected
    keys = [*listed(index)]
    assert sorted(keys) == sorted(expected)
    assert index.find("absent/0.9") is None


@given(
    st.dictionaries(
        st.sampled_from("ij"),
        st.one_of(
            st.lists(st.integers(0, 5), min_size=1, max_size=3),
            st.builds(
                lambda a, n, s: {"start": a, "stop": a + n * s, "step": s},
                st.integers(0, 10**12),  # a thousand times as much is still an offset
                st.integers(1, 3),
                st.integers(1, 9),
            ),
        ),
        min_size=2,
        max_size=2,
    ),
    st.sampled_from(["v/{{i}}.{{j}}", "v/{{ i + 1 }}/{{j}}", "k_{{'%02d' % i}}_{{j}}"]),
    st.sampled_from(["{{u}}/{{i}}.nc", "{{f(c='x')}}", "{{ f(c=i) }}"]),
    st.sampled_from([None, ("{{(i + 1) * 1000}}", "10"), ("{{ j // 2 }}", "{{i % 7}}")]),
)
def test_generators_mean_what_fsspec_makes_of_them(dimensions: dict, key: str, url: str, place: Any) -> None:
    generator = {"key": key, "url": url, "dimensions": dimensions}
    if place is not None:
        generator["offset"], generator["length"] = place
    document = {
        "version": 1,
        "templates": {"u": "s3://b", "f": "s3://c/{{c}}"},
        "gen": [generator],
        "refs": {},
    }
    filesystem = ReferenceFileSystem(
        fo=json.loads(json.dumps(document)),
        simple_templates=False,
        target_protocol="file",
        remote_protocol="file",
        skip_instance_cache=True,
    )
    index = parsed(document)
    assert sorted(listed(index)) == sorted(filesystem.references)
    for name, value in filesystem.references.items():
        assert index.find(name) == (Reference(value[0], 0, None) if len(value) == 1 else Reference(*value))


def test_many_chunks_in_any_order_are_found() -> None:
    numbers = [(i, j) for i in range(60) for j in range(70)]
    random.Random(1).shuffle(numbers)
    refs = {f"a/{i}.{j}": ["x.nc", i * 1000 + j, j + 1] for i, j in numbers}
    index = parsed(json.dumps({"version": 1, "refs": refs}).replace("/", "\\/").encode(), 5000)
    for key, value in refs.items():
        assert index.find(key) == Reference(*value)
    assert sorted(listed(index)) == sorted(refs)
    assert index.find("a/60.0") is None
    assert index.find("a/3") is None


def test_of_two_entries_with_one_key_the_last_counts() -> None:
    index = parsed(b'{"a/0": ["x", 1, 1], "a/1": ["x", 2, 2], "a/0": ["y", 3, 3], "b/0": ["z"]}')
    assert index.find("a/0") == Reference("y", 3, 3)
    assert [*listed(index)] == ["a/0", "a/1", "b/0"]


def test_indices_too_large_for_one_number_are_found() -> None:
    key = "a/" + ".".join(["999999999"] * 5)
    assert parsed({key: ["x"], "a/0.0.0.0.1": ["y"]}).find(key) == Reference("x", 0, None)


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_compressed_documents_are_decompressed(compress: Any) -> None:
    data = compress(b'{"a/0": ["x", 1, 2]}') + compress(b" ")
    assert parsed(data, 7).find("a/0") == Reference("x", 1, 2)
    with pytest.raises(StoreError, match="not a reference document"):
        parsed(compress(b'{"a/0": ["x", 1, 2]}')[:-9])


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (b"", "the file is empty"),
        (b"[]", "expected '{'"),
        (b'{"a": 1}', "the value of 'a' is neither"),
        (b'{"a": null}', "neither"),
        (b'{"a": ["x", -1, 2]}', "neither"),
        (b'{"a": ["x", 1.5, 2]}', "neither"),
        (b'{"a": ["x", true, 2]}', "neither"),
        (b'{"a": ["x", 99999999999999999999, 2]}', "neither"),
        (b'{"a": "base64:???"}', "base64"),
        (b'{"' + b"1/" * 40_000 + b'1": ["u", 0, 1]}', "65,536 characters"),
        (b'{"' + b"a" * 70_000 + b'/0": ["u", 0, 1], "b": ["u"]}', "65,536 characters"),
        (b'{"a": "\\ud800"}', "surrogate"),
        (b'{"a": "\xff"}', "utf-8"),
        (b'{"a": "x"', "breaks off"),
        (b'{"a": "x"} {', "follows its end"),
        (b'{"a": ' + b"[" * 200_000, "nested|neither"),
        (b'{"version": 2, "refs": {}}', "its version is 2"),
        (b'{"version": 1, "refs": {"a/0": ["{{f()}}"]}, "templates": {"f": "{{f()}}"}}', "nested deeper"),
        (b'{"version": 1, "refs": {"a": ["{{x}}"]}, "templates": {"u": "v"}}', "'x' is not defined"),
        (b'{"version": 1, "templates": {"u": 5}, "refs": {}}', "object of texts"),
        (
            b'{"version": 1, "gen": [{"key": "{{i}}", "url": "x", "dimensions": {"i": {"stop": 1000000000000}}}]}',
            "more than 1,000,000 keys",
        ),
        (b'{"version": 1, "gen": [{"key": "{{i}}", "url": "x", "dimensions": 3}]}', "must be an object"),
        (b'{"version": 1, "gen": 3}', "array of objects"),
        (b'{"a/0": ["x", ' + b"3" * 10**5 + b", 1]}", "has more digits than any program reads$"),
    ],
)
def test_a_broken_document_is_refused_with_one_sentence(document: bytes, expected: str) -> None:
    with pytest.raises(StoreError, match=expected) as caught:
        parsed(document)
    assert "memory://a.json is not a reference document" in str(caught.value)


def test_a_document_that_explodes_when_it_is_decompressed_needs_little_memory() -> None:
    bomb = zstandard.compress(b'{"a": "' + b"x" * (300 << 20))
    tracemalloc.start()
    with pytest.raises(StoreError, match="64 MiB"):
        parsed(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 700 << 20


def test_empty_blocks_and_a_byte_order_mark_do_not_matter() -> None:
    assert b"".join(decompressed(iter([b"", b"ab", b"", b"c"]))) == b"abc"
    assert parsed(b'\xef\xbb\xbf {"a": "x"}').find("a") == b"x"


@pytest.mark.parametrize("key", ["1/" * 30_000 + "a", "1/" * 30_000 + "1", "1." * 30_000 + "a"])
def test_no_key_takes_long_to_parse(key: str) -> None:
    """A pattern with quadratic time would take minutes for these keys."""
    assert parsed({key: ["x", 3, 5], "a/0": ["y"]}).find(key) == Reference("x", 3, 5)


def test_keys_of_thousands_of_numbers_take_little_time() -> None:
    document = ",".join(f'"{"1/" * 30_000}{i}": ["u", {i}, 1]' for i in range(30))
    began_s = time.monotonic()
    found = parse_references(iter([f"{{{document}}}".encode()]), "u")
    assert time.monotonic() - began_s < 3
    assert found.find("1/" * 30_000 + "7") == Reference("u", 7, 1)
