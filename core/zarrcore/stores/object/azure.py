"""Azure Blob Storage."""

from __future__ import annotations

import os
import time
from collections.abc import Hashable
from math import inf
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from zarrcore.errors import AccessDeniedError, StoreError
from zarrcore.late_imports import imported
from zarrcore.stores.connection.clients import client_options
from zarrcore.stores.credentials.cloud_machine import any_set, first_set, first_with_value, is_machine_of
from zarrcore.stores.credentials.variables import AZURE_CONNECTION, AZURE_SOURCES
from zarrcore.stores.http.client import WebClient
from zarrcore.stores.object.azure_access import AzureAccess, AzureListing, shared_access_signature
from zarrcore.stores.object.bucket import BucketStore
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.validation import check_address, check_bucket, check_sendable

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from obstore.store import AzureConfig, RetryConfig


_KEYS: Final = ("AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_ACCESS_KEY", "AZURE_STORAGE_MASTER_KEY")
_TOKENS: Final = ("AZURE_STORAGE_SAS_KEY", "AZURE_STORAGE_SAS_TOKEN")
_ONLY_OBSTORE: Final = tuple(name for name in AZURE_SOURCES if name not in (*_KEYS, *_TOKENS))
"""Variables that name credentials which only obstore uses, or change its requests."""
_ENDPOINTS: Final = ("AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT")


class AzureStore(BucketStore):
    """A container of Azure Blob Storage, or a prefix in one.

    Credentials come from the environment (``AZURE_STORAGE_ACCOUNT_KEY``, ``AZURE_STORAGE_SAS_TOKEN``,
    ``AZURE_STORAGE_CONNECTION_STRING``, …); with ``options.anonymous`` none are used.

    Args:
        container: the container.
        prefix: the path within it, "" or ending in ``/``.
        options: how to connect.
        account: the storage account; by default, that of ``AZURE_STORAGE_ACCOUNT_NAME`` or of the endpoint.
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
        check_bucket(container)
        self.container = container
        self.account = account
        place = f"az://{container}"
        if account is not None:
            place = f"abfs://{container}@{account}.dfs.core.windows.net"
        super().__init__(place, prefix, options or StoreOptions())
        self.lists_itself = True

    @property
    def bucket_identity(self) -> Hashable:
        return self.account, self.container

    def _make_client(self, repeats: RetryConfig, timeouts: int) -> Any:
        imported("obstore")
        from obstore.store import AzureStore as Client

        config = self._configuration()
        return Client(
            self.container,
            config=config,
            client_options=client_options(self.options, config.get("endpoint", ""), timeouts=timeouts),
            retry_config=repeats,
        )

    def _find_access(self) -> AzureAccess | None:
        config = self._configuration()
        if any_set(_ONLY_OBSTORE):
            return None
        account = config["account_name"]
        endpoint = config.get("endpoint") or f"https://{account}.blob.core.windows.net"
        address = f"{endpoint.rstrip('/')}/{quote(self.container)}"
        if self.options.anonymous:
            return AzureAccess(address, self.options, "", inf)
        key = config.get("account_key") or first_set(_KEYS)
        token = None if key else config.get("sas_key") or first_set(_TOKENS)
        if token:
            return AzureAccess(address, self.options, token.strip().lstrip("?"), inf)
        if not key:
            return None  # only obstore has the token
        try:
            return AzureAccess(address, self.options, *shared_access_signature(account, key, time.time()))
        except ValueError:
            return None  # obstore's request reports it

    def _list_by(self, access: Any, web: WebClient) -> AzureListing:
        return AzureListing(access, web, self._renewed)

    def access_settings(self) -> AzureConfig:
        """The settings for another client of this container, in addition to the environment.

        Raises:
            As the first request.
        """
        return self._configuration()

    def _configuration(self) -> AzureConfig:
        """The settings for obstore in addition to those that it takes from the environment."""
        connection = self._connection()
        endpoint = self.options.endpoint_url or connection.get("BlobEndpoint") or first_set(_ENDPOINTS) or ""
        if endpoint:
            check_address(endpoint, "the endpoint")
        account = (
            self.account
            or os.environ.get("AZURE_STORAGE_ACCOUNT_NAME")
            or connection.get("AccountName")
            or _account_in(endpoint)
        )
        if not account:
            raise StoreError(
                f"{self.url}: the storage account is unknown; set AZURE_STORAGE_ACCOUNT_NAME, or write "
                "abfs://container@account.dfs.core.windows.net/path",
                url=self.url,
            )
        check_bucket(account)
        check_sendable(os.environ.get("AZURE_STORAGE_TOKEN"), "AZURE_STORAGE_TOKEN")
        config: AzureConfig = {"account_name": account}
        if endpoint:
            config["endpoint"] = endpoint
        if self.options.anonymous:
            config["skip_signature"] = True
        elif "AccountKey" in connection:
            config["account_key"] = connection["AccountKey"]
        elif "SharedAccessSignature" in connection:
            config["sas_key"] = connection["SharedAccessSignature"]
        else:
            self._check_found()
        return config

    def _endpoint_of_surroundings(self) -> tuple[str, str] | None:
        if self.options.endpoint_url:
            return None
        if endpoint := self._connection().get("BlobEndpoint"):
            return endpoint, AZURE_CONNECTION
        return first_with_value(_ENDPOINTS)

    def _connection(self) -> dict[str, str]:
        """The members of a connection string in the environment, if it belongs to this account."""
        parts = os.environ.get(AZURE_CONNECTION, "").split(";")
        members = {name.strip(): value.strip() for name, _, value in (part.partition("=") for part in parts)}
        named = self.account or os.environ.get("AZURE_STORAGE_ACCOUNT_NAME")
        return members if named in (None, "", members.get("AccountName")) else {}

    def _check_found(self) -> None:
        """Refuse if obstore could only ask a metadata address that does not exist or is not wanted."""
        if not any_set(AZURE_SOURCES) and not is_machine_of("Azure"):
            raise AccessDeniedError(f"{self.url}: no credentials were found; {self._hint()}", url=self.url)

    def _hint(self) -> str:
        if self.options.anonymous:
            return "give credentials instead of --anonymous"
        return (
            "use --anonymous for a public container, or give credentials with AZURE_STORAGE_ACCOUNT_KEY, "
            "AZURE_STORAGE_SAS_TOKEN, AZURE_STORAGE_CONNECTION_STRING or, after 'az login', AZURE_USE_AZURE_CLI=true"
        )


def _account_in(endpoint: str) -> str:
    """The account in an endpoint: the first path segment for an emulator, otherwise the beginning of the host name."""
    parts = urlsplit(endpoint)
    host, _, provider = (parts.hostname or "").partition(".")
    return parts.path.strip("/").partition("/")[0] or (host if provider.startswith("blob.") else "")
