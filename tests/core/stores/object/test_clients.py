"""The settings of obstore clients, and their use after a fork."""

from __future__ import annotations

import subprocess
import sys

import pytest

from zarrcore.errors import (
    StoreError,
)
from zarrcore.stores import open_store


def test_obstore_is_not_used_before_the_first_request() -> None:
    program = (
        "import pickle, sys\n"
        "from zarrcore.stores import open_store\n"
        "for url in ('s3://b/x', 'gs://b', 'az://c', 'http://127.0.0.1:1/x', 's3://b/x.zip', 'http://h/x.zip'):\n"
        "    pickle.loads(pickle.dumps(open_store(url)))\n"
        "heavy = [name for name in ('obstore', 'httpx', 'zarr', 'boto3') if name in sys.modules]\n"
        "print(heavy)\n"
    )
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (outcome.stdout, outcome.stderr) == ("[]\n", "")


def test_a_missing_certificate_file_is_reported(options: dict[str, object]) -> None:
    with pytest.raises(StoreError, match="cannot read the certificates in /absent"):
        open_store("s3://bucket", **options, ca_bundle="/absent").get("key")
