"""Amazon S3 and the many services that speak its language."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from zarrcore.errors import AccessDeniedError
from zarrcore.stores.aws_profile import AwsProfile, read_profile
from zarrcore.stores.bucket import BucketStore
from zarrcore.stores.checks import check_address
from zarrcore.stores.clients import client_options, retry_config
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.web_client import tls_context

if TYPE_CHECKING:
    from obstore.store import S3Config

_AMAZON: Final = "https://s3.amazonaws.com/{bucket}"

_OTHER_SOURCES: Final = (
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
"""Environment variables by which a cloud tells its own machines where credentials are; obstore follows them."""

_MACHINE_FILES: Final = (
    "/sys/devices/virtual/dmi/id/sys_vendor",
    "/sys/devices/virtual/dmi/id/bios_vendor",
    "/sys/hypervisor/uuid",
)
"""Where the kernel tells whose machine this is."""


class S3Store(BucketStore):
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

        profile = self._profile()
        config = self._configuration(profile)
        endpoint = config.get("endpoint", "")
        return Client(
            self.bucket,
            config=config,
            client_options=client_options(self.options, endpoint),
            retry_config=retry_config(self.options),
            # As keys in the configuration, a profile's would be joined with a session token of the environment.
            credential_provider=profile.credential if profile is not None and profile.access_key_id else None,
        )

    def _profile(self) -> AwsProfile | None:
        """The profile that counts, or None where the environment does, or nothing at all."""
        options = self.options
        if options.anonymous or (options.profile is None and os.environ.get("AWS_ACCESS_KEY_ID")):
            return None
        profile = read_profile(options.profile)
        self._check_found(profile)
        return profile

    def _configuration(self, profile: AwsProfile | None) -> S3Config:
        """What obstore must be told beside what it finds in the environment itself."""
        options, environment = self.options, os.environ
        config: S3Config = {}
        endpoint = options.endpoint_url or environment.get("AWS_ENDPOINT_URL")
        region = options.region or environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
        if profile is not None:
            endpoint, region = endpoint or profile.endpoint_url, region or profile.region
        if endpoint:
            check_address(endpoint, "the endpoint")
        if not region and not endpoint:
            region = self._discover_region()
        if endpoint:
            config["endpoint"] = endpoint
        if region:
            config["region"] = region
        if options.anonymous:
            config["skip_signature"] = True
        if options.requester_pays:
            config["request_payer"] = True
        return config

    def _discover_region(self) -> str | None:
        """The region in which Amazon keeps the bucket: it tells that to everybody, whoever may read the bucket."""
        import httpx

        address = _AMAZON.format(bucket=quote(self.bucket))
        try:
            answer = httpx.head(address, timeout=self.options.timeout_s, verify=tls_context(self.options))
        except httpx.HTTPError:
            return None  # the first request will tell what is wrong
        region: str | None = answer.headers.get("x-amz-bucket-region")
        return region

    def _check_found(self, profile: AwsProfile) -> None:
        """Refuse where obstore would be left with asking an address that is not there or not wanted."""
        if profile.access_key_id or any(os.environ.get(name) for name in _OTHER_SOURCES):
            return
        if profile.foreign is not None:
            reason = (
                f"the AWS profile {profile.name} has {profile.foreign} instead of keys, which is not followed; "
                f'run: eval "$(aws configure export-credentials --profile {profile.name} --format env)"'
            )
        elif self.options.profile or not _may_ask_metadata_address():
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


def _may_ask_metadata_address() -> bool:
    """Whether this is one of Amazon's machines: elsewhere nobody answers there, and one would wait for long."""
    if os.environ.get("AWS_EC2_METADATA_DISABLED", "").lower() == "true":
        return False
    if os.environ.get("AWS_METADATA_ENDPOINT"):
        return True
    for path in _MACHINE_FILES:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                said = file.read(100).lower()
        except OSError:
            continue
        if said.startswith("ec2") or "amazon" in said:
            return True
    return False
