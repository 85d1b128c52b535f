"""Signatures of requests for S3."""

from datetime import UTC, datetime

import pytest

from zarrcore.stores.object.s3_access import S3Access, Signer
from zarrcore.stores.options import StoreOptions

KEYS = {
    "access_key_id": "AKIAIOSFODNN7EXAMPLE",
    "secret_access_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "token": None,
    "expires_at": None,
}


@pytest.mark.parametrize(
    ("path", "query", "headers", "signed"),
    [
        ("", "max-keys=2&prefix=J", {}, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
        (
            "test.txt",
            "",
            {"range": "bytes=0-9"},
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
    ],
)
def test_signatures_are_those_of_amazons_examples(
    path: str, query: str, headers: dict[str, str], signed: str
) -> None:
    """Amazon S3, "Signature Calculations for the Authorization Header", "GET Object" and "GET Bucket (List Objects)"."""
    time_s = int(datetime(2013, 5, 24, tzinfo=UTC).timestamp())
    signer = Signer("examplebucket.s3.amazonaws.com", "us-east-1", KEYS, time_s, headers)
    found = signer.headers("GET", f"/{path}", query)
    assert found["authorization"].endswith(f"Signature={signed}")


def test_secrets_are_not_shown() -> None:
    access = S3Access("http://host/bucket", StoreOptions(), "us-east-1", KEYS)
    assert KEYS["secret_access_key"] not in repr(access)
