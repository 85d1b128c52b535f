"""Azure Blob Storage."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from zarrcore.errors import StoreError
from zarrcore.stores.bucket import BucketStore
from zarrcore.stores.clients import client_options, retry_config
from zarrcore.stores.options import StoreOptions

if TYPE_CHECKING:
    from obstore.store import AzureConfig


class AzureStore(BucketStore):
    """A container of Azure Blob Storage, or a prefix in one.

    Credentials come from the environment (``AZURE_STORAGE_ACCOUNT_KEY``, ``AZURE_STORAGE_SAS_TOKEN``, …); with
    ``options.anonymous`` none is looked for.

    Args:
        container: the container.
        prefix: the path within it, "" or ending in ``/``.
        options: how to reach it.
        account: the storage account; without it, that of ``AZURE_STORAGE_ACCOUNT_NAME``.
    """

    service = "Azure"
    suffix_ranges = False

    def __init__(
        self,
        container: str,
        prefix: str = "",
        options: StoreOptions | None = None,
        account: str | None = None,
    ) -> None:
        self.container = container
        self.account = account
        place = f"az://{container}"
        if account is not None:
            place = f"abfs://{container}@{account}.dfs.core.windows.net"
        super().__init__(place, prefix, options or StoreOptions())

    def _make_client(self) -> Any:
        from obstore.store import AzureStore as Client

        account = self.account or os.environ.get("AZURE_STORAGE_ACCOUNT_NAME")
        if not account:
            raise StoreError(
                f"{self.url}: the storage account is not known; set AZURE_STORAGE_ACCOUNT_NAME, or write "
                "abfs://container@account.dfs.core.windows.net/path",
                url=self.url,
            )
        config: AzureConfig = {"account_name": account}
        endpoint = self.options.endpoint_url or ""
        if endpoint:
            config["endpoint"] = endpoint
        if self.options.anonymous:
            config["skip_signature"] = True
        return Client(
            self.container,
            config=config,
            client_options=client_options(self.options, endpoint),
            retry_config=retry_config(self.options),
        )

    def _hint(self) -> str:
        if self.options.anonymous:
            return "give credentials instead of --anonymous"
        return (
            "use --anonymous for a public container, or credentials by AZURE_STORAGE_ACCOUNT_KEY "
            "or AZURE_STORAGE_SAS_TOKEN"
        )
