"""The reasons for which object storage and web servers fail, and the errors that they become."""

from __future__ import annotations

import pytest

from zarrcore.errors import (
    StoreError,
)
from zarrcore.stores.object.failures import Failure, certificate_trouble_in, trouble_in


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("unable to get local issuer certificate", "is not trusted"),
        ("self-signed certificate in certificate chain", "is not trusted"),
        ("unable to verify the first certificate", "is not trusted"),
        ("certificate has expired", "has expired"),
        ("certificate is not yet valid", "is not valid yet"),
        ("IP address mismatch, certificate is not valid for '127.0.0.1'.", "is for another name"),
        ("Hostname mismatch, certificate is not valid for 'a.b'.", "is for another name"),
        ("Missing Authority Key Identifier", "is malformed: Missing Authority Key Identifier"),
    ],
)
def test_each_certificate_problem_has_its_own_message(reason: str, said: str) -> None:
    text = f"[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: {reason} (_ssl.c:1020)"
    trouble = trouble_in(text)
    assert trouble.endswith(said) or said in trouble
    assert certificate_trouble_in(f"Error 1 connecting to host:6379. {text}.") == trouble
    assert not Failure.of_kind("Connect", trouble=trouble).passing


def test_an_unusable_option_is_not_reported_as_an_invalid_name() -> None:
    failure = Failure.of(ValueError("HTTP error: builder error"))
    error = failure.error("http://h", None, "http://h", service="a web server", hint="")
    assert type(error) is StoreError
    assert "this name" not in str(error)
