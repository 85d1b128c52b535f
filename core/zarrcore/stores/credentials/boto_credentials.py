"""The keys of an AWS profile that delegates to another source: single sign-on, a role, a web identity.

boto3 follows these, and obstore has a provider based on it; both are in the extra ``aws``.
"""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from zarrcore.errors import AccessDeniedError
from zarrcore.late_imports import from_extra, imported
from zarrcore.stores.credentials.aws_profile import AwsProfile

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from obstore.auth.boto3 import Boto3CredentialProvider
    from obstore.store import S3Credential

_LIFETIME: Final = timedelta(minutes=5)
"""The time after which obstore asks for keys again: boto3 renews them ten minutes before they expire."""


class BotoCredentials:
    """The credential provider that obstore calls for keys, and again when they may have expired. Thread-safe.

    Args:
        profile: the profile, whose ``delegates_by`` names the delegating member.

    Raises:
        MissingExtraError: boto3 is not installed.
    """

    def __init__(self, profile: AwsProfile) -> None:
        what = f"the AWS profile {profile.name}, which has {profile.delegates_by} instead of keys,"
        from_extra("boto3", what, "aws")
        self._profile = profile
        self._lock = threading.Lock()
        self._provider: Boto3CredentialProvider | None = None

    def __call__(self) -> S3Credential:
        """The keys.

        Raises:
            AccessDeniedError: there are no keys.
        """
        try:
            with self._lock:
                if self._provider is None:
                    self._provider = self._make()
                return self._provider()
        except Exception as error:  # noqa: BLE001 - boto3 raises its own errors and those of its libraries
            # The error's text is not shown, because it may contain a secret.
            name = self._profile.name
            raise AccessDeniedError(
                f"the AWS profile {name} gives no keys ({type(error).__name__})"
            ) from None

    def _make(self) -> Boto3CredentialProvider:
        imported("obstore")
        import boto3
        from obstore.auth.boto3 import Boto3CredentialProvider

        return Boto3CredentialProvider(boto3.Session(profile_name=self._profile.name), ttl=_LIFETIME)
