"""Environment variables with credentials, or with the place of credentials, that obstore reads."""

from __future__ import annotations

from typing import Final

AWS_KEY: Final = "AWS_ACCESS_KEY_ID"

AWS_SOURCES: Final = (
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_SKIP_SIGNATURE",
)
"""Variables in which a cloud gives its machines the address of credentials, and the switch for none."""

GOOGLE_SOURCES: Final = (
    "GOOGLE_SERVICE_ACCOUNT",
    "GOOGLE_SERVICE_ACCOUNT_PATH",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_BEARER_TOKEN",
    "GOOGLE_SKIP_SIGNATURE",
)

GOOGLE_LOGIN: Final = "~/.config/gcloud/application_default_credentials.json"
"""The file in which gcloud stores credentials."""

AZURE_SOURCES: Final = (
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_ACCESS_KEY",
    "AZURE_STORAGE_MASTER_KEY",
    "AZURE_STORAGE_SAS_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_STORAGE_TOKEN",
    "AZURE_STORAGE_CLIENT_SECRET",
    "AZURE_CLIENT_SECRET",
    "AZURE_FEDERATED_TOKEN_FILE",
    "AZURE_USE_AZURE_CLI",
    "AZURE_MSI_ENDPOINT",
    "AZURE_IDENTITY_ENDPOINT",
    "AZURE_STORAGE_USE_EMULATOR",
    "AZURE_SKIP_SIGNATURE",
)

AZURE_CONNECTION: Final = "AZURE_STORAGE_CONNECTION_STRING"
"""The variable with an account and its key, which obstore does not read; zarrcore does."""
