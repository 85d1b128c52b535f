"""The keys that a token service of the user's gives for the identity of this machine, as ``AWS_ENDPOINT_URL_STS`` asks.

Without that, obstore asks Amazon's service. It would refuse a service without TLS, as there are in private networks.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from zarrcore.errors import AccessDeniedError
from zarrcore.stores.connection.clients import httpx_client, is_loopback
from zarrcore.stores.credentials.cloud_machine import first_set
from zarrcore.stores.http.client import tls_context
from zarrcore.stores.http.connections import until, watch
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.validation import check_address, check_sendable

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from obstore.store import S3Credential

_IDENTITY_FILE: Final = "AWS_WEB_IDENTITY_TOKEN_FILE"
_ROLE: Final = "AWS_ROLE_ARN"
_ANSWER_MAX: Final = 1 << 20
_MEMBER: Final = re.compile(r"<(AccessKeyId|SecretAccessKey|SessionToken|Expiration)>([^<]+)</")


@dataclass(frozen=True, slots=True)
class WebIdentityCredentials:
    """The credential provider that obstore calls for keys, and again when they expire."""

    endpoint: str
    """The address of the token service."""
    options: StoreOptions

    @classmethod
    def of_environment(cls, endpoint: str | None, options: StoreOptions) -> WebIdentityCredentials | None:
        """The provider if the environment has an identity, and a service is named there or by ``endpoint``.

        Raises:
            StoreError: the service's address is invalid.
        """
        named = first_set(("AWS_ENDPOINT_URL_STS",)) or endpoint
        if named is None or not (first_set((_IDENTITY_FILE,)) and first_set((_ROLE,))):
            return None
        check_address(named, "the endpoint of the token service")
        return cls(named, options)

    def __call__(self) -> S3Credential:
        """The keys.

        Raises:
            AccessDeniedError: the identity cannot be read, or the service gives no keys.
        """
        import httpx

        try:
            found = dict(_MEMBER.findall(self._answer()))
            for name in ("AccessKeyId", "SessionToken"):
                check_sendable(found[name], "a key")
            return {
                "access_key_id": found["AccessKeyId"],
                "secret_access_key": found["SecretAccessKey"],
                "token": found["SessionToken"],
                "expires_at": datetime.fromisoformat(found["Expiration"]),
            }
        except (OSError, LookupError, ValueError, httpx.HTTPError) as error:
            # The error's text is not shown, because it may contain a secret.
            status = error.response.status_code if isinstance(error, httpx.HTTPStatusError) else ""
            host = urlsplit(self.endpoint).hostname
            raise AccessDeniedError(
                f"the token service {host} gives no keys ({status or type(error).__name__})"
            ) from None

    def _answer(self) -> str:
        with open(os.environ[_IDENTITY_FILE], encoding="utf-8") as file:
            token = file.read().strip()
        asked = {
            "Action": "AssumeRoleWithWebIdentity",
            "Version": "2011-06-15",
            "RoleArn": os.environ[_ROLE],
            "RoleSessionName": first_set(("AWS_ROLE_SESSION_NAME",)) or "zarrscope",
            "WebIdentityToken": token,
        }
        body = bytearray()
        with (
            httpx_client(
                timeout=self.options.timeout_s,
                verify=tls_context(self.options),
                trust_env=not is_loopback(self.endpoint),
            ) as client,
            until(time.monotonic() + self.options.timeout_s),
            client.stream("POST", self.endpoint, data=asked, extensions={"trace": watch}) as answer,
        ):
            answer.raise_for_status()
            for piece in answer.iter_raw():
                body += piece
                if len(body) > _ANSWER_MAX:
                    raise ValueError("it is not an answer of a token service")
        return body.decode()
