"""Google Cloud Storage."""

from __future__ import annotations

import os
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from zarrcore.errors import AccessDeniedError
from zarrcore.late_imports import imported
from zarrcore.stores.connection.clients import client_options
from zarrcore.stores.credentials.cloud_machine import any_set, first_with_value, is_machine_of, is_yes
from zarrcore.stores.credentials.variables import GOOGLE_LOGIN, GOOGLE_SOURCES
from zarrcore.stores.object.bucket import BucketStore
from zarrcore.stores.object.s3_access import S3Access
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.validation import check_address, check_bucket, check_sendable

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from obstore.store import GCSConfig, RetryConfig


_GOOGLE: Final = "https://storage.googleapis.com"


class GCSStore(BucketStore):
    """A bucket of Google Cloud Storage, or a prefix in one.

    Credentials come from ``GOOGLE_APPLICATION_CREDENTIALS`` or from the file of ``gcloud auth application-default login``;
    with ``options.anonymous`` none are used.
    """

    _has_conditions = False  # they need the generation of an object, which obstore shows for none

    service = "GCS"
    headers = {"Accept-Encoding": "gzip"}  # noqa: RUF012 - a constant
    # Without it, the service decodes values that are stored compressed, and then states no length and ignores ranges.

    def __init__(self, bucket: str, prefix: str = "", options: StoreOptions | None = None) -> None:
        check_bucket(bucket)
        self.bucket = bucket
        self.lists_itself = True  # where it has no token
        super().__init__(f"gs://{bucket}", prefix, options or StoreOptions())

    @property
    def bucket_identity(self) -> Hashable:
        return self.bucket

    def _make_cloner(self, source: Any, client: Any) -> Any:
        return None  # no server of the tests supports it: they store an empty value

    def _make_client(self, repeats: RetryConfig, timeouts: int) -> Any:
        imported("obstore")
        from obstore.store import GCSStore as Client

        config = self.access_settings()
        return Client(
            self.bucket,
            config=config,
            client_options=client_options(
                self.options, config.get("base_url", ""), self.headers, timeouts=timeouts
            ),
            retry_config=repeats,
        )

    def access_settings(self) -> GCSConfig:
        """The settings for a client of this bucket, in addition to the environment.

        Raises:
            As the first request.
        """
        config: GCSConfig = {}
        endpoint = self.options.endpoint_url or os.environ.get("GOOGLE_BASE_URL", "")
        if endpoint:
            check_address(endpoint, "the endpoint")
            config["base_url"] = endpoint
        if self.options.anonymous:
            config["skip_signature"] = True
        else:
            self._check_found()
        return config

    def _endpoint_of_surroundings(self) -> tuple[str, str] | None:
        return None if self.options.endpoint_url else first_with_value(("GOOGLE_BASE_URL",))

    def _find_access(self) -> S3Access | None:
        if not self.options.anonymous:
            return None  # only obstore has the token
        base = self.access_settings().get("base_url") or _GOOGLE
        return S3Access(f"{base.rstrip('/')}/{quote(self.bucket)}", self.options)

    def _check_found(self) -> None:
        """Refuse if obstore could only ask a metadata address that does not exist or is not wanted."""
        check_sendable(os.environ.get("GOOGLE_BEARER_TOKEN"), "GOOGLE_BEARER_TOKEN")
        if any_set(GOOGLE_SOURCES) or os.path.exists(os.path.expanduser(GOOGLE_LOGIN)):
            return
        # Google's own libraries use the second; the third is set in its containers.
        if is_yes("NO_GCE_CHECK") or not (
            any_set(("GCE_METADATA_HOST", "K_SERVICE")) or is_machine_of("GCS")
        ):
            raise AccessDeniedError(f"{self.url}: no credentials were found; {self._hint()}", url=self.url)

    def _writer(self) -> Any:
        if self.options.anonymous:
            # obstore would still ask for a token, at the metadata address of a cloud that may not be this machine's.
            raise AccessDeniedError(f"{self.url}: writing needs credentials; {self._hint()}", url=self.url)
        return super()._writer()

    def _hint(self) -> str:
        if self.options.anonymous:
            return "give credentials instead of --anonymous"
        return (
            "use --anonymous for a public bucket, or give credentials with GOOGLE_APPLICATION_CREDENTIALS "
            "or 'gcloud auth application-default login'"
        )
