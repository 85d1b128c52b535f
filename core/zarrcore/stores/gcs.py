"""Google Cloud Storage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zarrcore.errors import AccessDeniedError
from zarrcore.stores.bucket import BucketStore
from zarrcore.stores.clients import client_options, retry_config
from zarrcore.stores.options import StoreOptions

if TYPE_CHECKING:
    from obstore.store import GCSConfig


class GCSStore(BucketStore):
    """A bucket of Google Cloud Storage, or a prefix in one.

    Credentials come from ``GOOGLE_APPLICATION_CREDENTIALS`` or from what ``gcloud auth application-default login``
    left; with ``options.anonymous`` none is looked for.
    """

    service = "GCS"

    def __init__(self, bucket: str, prefix: str = "", options: StoreOptions | None = None) -> None:
        self.bucket = bucket
        super().__init__(f"gs://{bucket}", prefix, options or StoreOptions())

    def _make_client(self) -> Any:
        from obstore.store import GCSStore as Client

        config: GCSConfig = {}
        endpoint = self.options.endpoint_url or ""
        if endpoint:
            config["base_url"] = endpoint
        if self.options.anonymous:
            config["skip_signature"] = True
        return Client(
            self.bucket,
            config=config,
            client_options=client_options(self.options, endpoint),
            retry_config=retry_config(self.options),
        )

    def _writer(self) -> Any:
        if self.options.anonymous:
            # obstore would look for a token all the same, at the metadata address of a cloud that may not be ours.
            raise AccessDeniedError(
                f"{self.url}: nothing is written without credentials; {self._hint()}", url=self.url
            )
        return super()._writer()

    def _hint(self) -> str:
        if self.options.anonymous:
            return "give credentials instead of --anonymous"
        return (
            "use --anonymous for a public bucket, or credentials by GOOGLE_APPLICATION_CREDENTIALS "
            "or 'gcloud auth application-default login'"
        )
