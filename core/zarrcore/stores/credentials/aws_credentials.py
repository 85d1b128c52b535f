"""The keys of an AWS profile for obstore: from the file, or printed by a command."""

from __future__ import annotations

import json
import shlex
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from zarrcore.errors import AccessDeniedError
from zarrcore.stores.credentials.aws_profile import AwsProfile
from zarrcore.stores.validation import check_sendable

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from obstore.store import S3Credential

_PATIENCE_S: Final = 60.0
"""Time limit of a command, which may have to ask a service itself."""


@dataclass(frozen=True, slots=True)
class ProfileCredentials:
    """The credential provider that obstore calls for keys, and again when they expire."""

    profile: AwsProfile

    def __call__(self) -> S3Credential:
        """The keys.

        Raises:
            AccessDeniedError: the command fails or prints no keys.
        """
        profile = self.profile
        try:
            static = bool(profile.access_key_id)
            found = _keys(profile) if static else _credential(_output(profile.credential_process or ""))
            for text in (found["access_key_id"], found["token"]):
                check_sendable(text, "a key")
        except (
            OSError,
            subprocess.SubprocessError,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
            RecursionError,
        ) as error:
            # The message shows neither the command nor its output, because both may contain secrets.
            raise AccessDeniedError(f"the AWS profile gives no keys ({type(error).__name__})") from None
        return found


def _keys(profile: AwsProfile) -> S3Credential:
    """The keys in the file."""
    return {
        "access_key_id": profile.access_key_id or "",
        "secret_access_key": profile.secret_access_key or "",
        "token": profile.session_token,
        "expires_at": None,
    }


def _output(command: str) -> Any:
    """The document that a command prints."""
    done = subprocess.run(
        shlex.split(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=_PATIENCE_S,
        check=True,
    )
    return json.loads(done.stdout)


def _credential(document: Any) -> S3Credential:
    expires = document.get("Expiration")
    moment = None if expires is None else datetime.fromisoformat(expires)
    if moment is not None and moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    token = document.get("SessionToken")
    return {
        "access_key_id": str(document["AccessKeyId"]),
        "secret_access_key": str(document["SecretAccessKey"]),
        "token": None if token is None else str(token),
        "expires_at": moment,
    }
