"""What every format promises of the documents that it writes and reads, on metadata of any kind."""

from __future__ import annotations

import contextlib
import json
import warnings
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from zarr.core.metadata import ArrayV2Metadata, ArrayV3Metadata

from tests.core.formats.strategies import CORE_TYPES, N5_TYPES, OTHER_TYPES, arrays, attributes, broken
from zarrcore.codecs import completed
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats import FORMATS, Format
from zarrcore.formats.chunk_terms import chunk_spec
from zarrcore.formats.n5.array import RESERVED_MEMBERS
from zarrcore.metadata import ArrayMetadata, GroupMetadata

each_format = pytest.mark.parametrize("written", [known for known in FORMATS if known.writable], ids=str)


def strict_json(data: bytes) -> Any:
    """What a reader makes of the text that knows nothing but RFC 8259."""

    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is not JSON")

    return json.loads(data.decode(), parse_constant=refuse)


def types_of(written: Format) -> list[Any]:
    """Data types that the format knows, most of them."""
    return N5_TYPES if written is Format.N5 else CORE_TYPES + OTHER_TYPES


def adapted(written: Format, metadata: ArrayMetadata) -> ArrayMetadata:
    """In the format's own terms; documents that it cannot hold are skipped."""
    assume(written is not Format.N5 or set(RESERVED_MEMBERS).isdisjoint(metadata.attributes))
    try:
        result = written.adapted(metadata)
    except UnsupportedError:
        assume(False)
        raise
    assert isinstance(result, ArrayMetadata)
    return result


def bits(element: Any) -> Any:
    """What two elements have in common that are the same, whatever NaN."""
    return element[()] if element.dtype.hasobject else element.tobytes()


@each_format
@settings(max_examples=40)
@given(data=st.data())
def test_written_documents_read_back(written: Format, data: st.DataObject) -> None:
    metadata = data.draw(arrays(types_of(written)))
    own = adapted(written, metadata)
    documents = written.encode(own)
    assert [strict_json(document) for document in documents if document is not None]
    again = written.parse(documents)
    assert again == own
    assert bits(again.fill_value) == bits(own.fill_value)
    assert (own.shape, own.data_type.dtype) == (metadata.shape, metadata.data_type.dtype)
    assert written.adapted(own) == own, "what is adapted needs no more"
    if written is not Format.N5:
        assert bits(own.fill_value) == bits(metadata.fill_value)


@settings(max_examples=50)
@given(metadata=arrays())
def test_version_3_says_everything(metadata: ArrayMetadata) -> None:
    own = Format.V3.parse(Format.V3.encode(metadata))
    assert isinstance(own, ArrayMetadata)
    assert own.codecs == completed(metadata.codecs, chunk_spec(metadata))
    assert own.chunk_key_encoding == metadata.chunk_key_encoding
    assert (own.attributes, own.dimension_names) == (metadata.attributes, metadata.dimension_names)


@each_format
@settings(max_examples=20)
@given(given_attributes=attributes)
def test_documents_of_groups_read_back(written: Format, given_attributes: dict[str, Any]) -> None:
    group = GroupMetadata(given_attributes)
    assert written.parse(written.encode(group)) == group
    assert written.claims(written.encode(group, at_root=True))
    assert written.parse(written.with_attributes(written.encode(GroupMetadata()), given_attributes)) == group


@each_format
@settings(max_examples=20)
@given(changed=attributes, data=st.data())
def test_a_change_leaves_the_other_members(
    written: Format, changed: dict[str, Any], data: st.DataObject
) -> None:
    own = adapted(written, data.draw(arrays(types_of(written))))
    documents = written.encode(own)
    shape = tuple(data.draw(st.integers(0, 20)) for _ in own.shape)
    resized = written.parse(written.with_shape(documents, shape))
    assert isinstance(resized, ArrayMetadata)
    assert (resized.shape, resized.codecs, resized.attributes) == (shape, own.codecs, own.attributes)
    other = written.parse(written.with_attributes(documents, changed))
    assert isinstance(other, ArrayMetadata)
    assert (other.shape, other.codecs, other.dimension_names) == (
        own.shape,
        own.codecs,
        own.dimension_names,
    )
    assert {name: other.attributes[name] for name in changed} == changed


@settings(max_examples=20)
@given(metadata=arrays(CORE_TYPES))
def test_zarr_python_reads_our_documents(metadata: ArrayMetadata) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of codecs that zarr-python calls its own
        document = strict_json(Format.V3.encode(metadata)[0] or b"")
        found = ArrayV3Metadata.from_dict(document)
        assert (found.shape, found.dimension_names) == (metadata.shape, metadata.dimension_names)
        own = adapted(Format.V2, metadata)
        array, _, _ = Format.V2.encode(own)
        old = ArrayV2Metadata.from_dict(strict_json(array or b""))
        assert (old.shape, old.dtype.to_native_dtype().newbyteorder("<")) == (own.shape, own.data_type.dtype)


@each_format
@settings(max_examples=50)
@given(data=st.data())
def test_broken_documents_only_raise_our_errors(written: Format, data: st.DataObject) -> None:
    own = adapted(written, data.draw(arrays(types_of(written))))
    documents = [
        None if document is None else json.dumps(data.draw(broken(strict_json(document)))).encode()
        for document in written.encode(own)
    ]
    with contextlib.suppress(MetadataError, UnsupportedError):
        parsed = written.parse(tuple(documents))
        if parsed is not None:
            written.encode(parsed)
            written.adapted(parsed)
    for change in (
        lambda: written.with_attributes(tuple(documents), {"a": 1}),
        lambda: written.with_shape(tuple(documents), (3, 4)),
        lambda: written.normalize(tuple(documents)),
        lambda: written.consolidate({"/": tuple(documents)}),
    ):
        with contextlib.suppress(MetadataError, UnsupportedError):
            change()


@each_format
@settings(max_examples=40)
@given(text=st.binary(max_size=40), data=st.data())
def test_any_text_only_raises_our_errors(written: Format, text: bytes, data: st.DataObject) -> None:
    whole = next(document for document in written.encode(GroupMetadata({"a": [1]})) if document)
    place = data.draw(st.integers(0, len(whole)))
    documents = tuple(whole[:place] + text for _ in written.document_keys("/"))
    written.claims(documents)
    with contextlib.suppress(MetadataError, UnsupportedError):
        written.parse(documents)
