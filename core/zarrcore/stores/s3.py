"""Amazon S3 and the many services that speak its language."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from zarrcore.errors import AccessDeniedError
from zarrcore.stores.aws_profile import AwsProfile, read_profile
from zarrcore.stores.clients import client_options, retry_config
from zarrcore.stores.object import ObstoreStore
from zarrcore.stores.options import StoreOptions

if TYPE_CHECKING:
    from obstore.store import S3Config

_OTHER_SOURCES: Final = (
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
"""Environment variables by which a cloud tells its own machines where credentials are; obstore follows them."""


class S3Store(ObstoreStore):
    """A bucket of S3, or a prefix in one.

    Credentials come from the environment (``AWS_ACCESS_KEY_ID``…), from the profile of the AWS configuration files,
    or, on a machine of the cloud, from its metadata address; with ``options.anonymous`` none is looked for.
    """

    service = "S3"

    def __init__(self, bucket: str, prefix: str = "", options: StoreOptions | None = None) -> None:
        self.bucket = bucket
        super().__init__(f"s3://{bucket}", prefix, options or StoreOptions())

    def _make_client(self) -> Any:
        from obstore.store import S3Store as Client

        config = self._configuration()
        endpoint = config.get("endpoint") or os.environ.get("AWS_ENDPOINT_URL") or ""
        return Client(
            self.bucket,
            config=config,
            client_options=client_options(self.options, plain_http=endpoint.lower().startswith("http://")),
            retry_config=retry_config(self.options),
        )

    def _configuration(self) -> S3Config:
        """What obstore must be told beside what it finds in the environment itself."""
        options, environment = self.options, os.environ
        config: S3Config = {}
        endpoint, region = options.endpoint_url, options.region
        if options.requester_pays:
            config["request_payer"] = True
        if options.anonymous:
            config["skip_signature"] = True
        elif options.profile is not None or not environment.get("AWS_ACCESS_KEY_ID"):
            profile = read_profile(options.profile)
            self._check_found(profile)
            endpoint = endpoint or environment.get("AWS_ENDPOINT_URL") or profile.endpoint_url
            region = (
                region
                or environment.get("AWS_REGION")
                or environment.get("AWS_DEFAULT_REGION")
                or profile.region
            )
            if profile.access_key_id and profile.secret_access_key:
                config["access_key_id"] = profile.access_key_id
                config["secret_access_key"] = profile.secret_access_key
                # A token of the environment belongs to other keys than these.
                config["session_token"] = profile.session_token or ""
        if endpoint:
            config["endpoint"] = endpoint
        if region:
            config["region"] = region
        return config

    def _check_found(self, profile: AwsProfile) -> None:
        """Refuse where obstore would be left with asking an address that is not there or not wanted."""
        if profile.access_key_id or any(os.environ.get(name) for name in _OTHER_SOURCES):
            return
        if profile.foreign is not None:
            reason = (
                f"the AWS profile {profile.name} has {profile.foreign} instead of keys, which is not followed; "
                f'run: eval "$(aws configure export-credentials --profile {profile.name} --format env)"'
            )
        elif os.environ.get("AWS_EC2_METADATA_DISABLED", "").lower() == "true" or self.options.profile:
            reason = f"no credentials were found; {self._hint()}"
        else:
            return
        raise AccessDeniedError(f"{self.url}: {reason}", url=self.url)

    def _hint(self) -> str:
        if self.options.anonymous:
            return "give credentials instead of --anonymous"
        return (
            "use --anonymous for a public bucket, or credentials by --profile or AWS_ACCESS_KEY_ID "
            "and AWS_SECRET_ACCESS_KEY"
        )
