"""Amazon S3 and services with the S3 API."""

from __future__ import annotations

import os
import time
from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from zarrcore.errors import AccessDeniedError, StoreError
from zarrcore.late_imports import imported
from zarrcore.stores.connection.clients import WHOLE_TRANSFER, client_options, httpx_client
from zarrcore.stores.connection.failures import Failure
from zarrcore.stores.connection.reader import modification_time
from zarrcore.stores.connection.retries import no_repeats
from zarrcore.stores.connection.service_codes import SKEWED
from zarrcore.stores.credentials.aws_credentials import ProfileCredentials
from zarrcore.stores.credentials.aws_profile import AwsProfile, read_profile
from zarrcore.stores.credentials.boto_credentials import BotoCredentials
from zarrcore.stores.credentials.cloud_machine import (
    any_set,
    first_set,
    first_with_value,
    is_machine_of,
    is_yes,
)
from zarrcore.stores.credentials.variables import AWS_KEY, AWS_SOURCES
from zarrcore.stores.credentials.web_identity import WebIdentityCredentials
from zarrcore.stores.http.client import tls_context
from zarrcore.stores.http.connections import until, watch
from zarrcore.stores.object.bucket import BucketStore
from zarrcore.stores.object.s3_access import S3Access
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.validation import check_address, check_bucket, check_sendable

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from obstore.store import RetryConfig, S3Config

_AMAZON: Final = "https://s3.amazonaws.com"

_EXPRESS: Final = "--x-s3"
"""The suffix of bucket names in S3 Express One Zone, which needs sessions and addresses of its own."""

_ENDPOINTS: Final = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
_Provider = ProfileCredentials | BotoCredentials | WebIdentityCredentials
_ONLY_OBSTORE: Final = (
    "AWS_VIRTUAL_HOSTED_STYLE_REQUEST",
    "AWS_SKIP_SIGNATURE",
    "AWS_REQUEST_PAYER",
    "AWS_S3_EXPRESS",
    "AWS_SSE_CUSTOMER_KEY_BASE64",
)
"""Variables that change requests in ways that only obstore's have."""
_REGIONS: Final = ("AWS_REGION", "AWS_DEFAULT_REGION")


class S3Store(BucketStore):
    """A bucket of S3, or a prefix in one.

    Credentials come from the options, from the environment (``AWS_ACCESS_KEY_ID``…), from the profile of the AWS configuration
    files, or, on a machine of the cloud, from its metadata address; with ``options.anonymous`` none are used.
    """

    service = "S3"

    def __init__(self, bucket: str, prefix: str = "", options: StoreOptions | None = None) -> None:
        check_bucket(bucket)
        self.bucket = bucket
        self.lists_itself = True
        self.lists_in_order = not bucket.endswith(_EXPRESS)
        self._ahead_s = 0.0
        super().__init__(f"s3://{bucket}", prefix, options or StoreOptions())

    @property
    def bucket_identity(self) -> Hashable:
        return self.bucket

    def _make_client(self, repeats: RetryConfig, timeouts: int) -> Any:
        profile = read_profile(self.options.profile)
        return self._client_of(self.bucket, self._configuration(profile), profile, repeats, timeouts)

    def _make_cloner(self, source: Any, client: Any) -> Any:
        if source.bucket == self.bucket or self.bucket.endswith(_EXPRESS) or source.bucket.endswith(_EXPRESS):
            return super()._make_cloner(source, client)
        profile = read_profile(self.options.profile)
        config = self._configuration(profile)
        endpoint = config.get("endpoint") or f"https://s3.{config.get('region')}.amazonaws.com"
        # obstore copies within its client's bucket. Its requests go to the endpoint, which may contain a bucket itself: this one.
        config["endpoint"] = config["aws_endpoint_url_s3"] = f"{endpoint.rstrip('/')}/{quote(self.bucket)}"
        config["virtual_hosted_style_request"] = True
        return self._client_of(source.bucket, config, profile, no_repeats(), WHOLE_TRANSFER)

    def _client_of(
        self, bucket: str, config: S3Config, profile: AwsProfile, repeats: RetryConfig, timeouts: int
    ) -> Any:
        imported("obstore")
        from obstore.store import S3Store as Client

        credentials = self._credentials(profile)
        return Client(
            bucket,
            config=config,
            client_options=client_options(self._trusting(), config.get("endpoint", ""), timeouts=timeouts),
            retry_config=repeats,
            # In the configuration, a profile's keys would be combined with a session token of the environment.
            credential_provider=credentials,
        )

    def _find_access(self) -> S3Access | None:
        if self.bucket.endswith(_EXPRESS) or any_set(_ONLY_OBSTORE):
            return None
        config, provider = self.access_settings()
        try:
            keys = None if provider is None else provider()
        except Exception:  # noqa: BLE001 - a program, or a service, that gives no keys; obstore's request reports it
            return None
        if keys is None and not self.options.anonymous:
            if not os.environ.get(AWS_KEY):
                return None  # obstore asks the machine for keys
            keys = {
                "access_key_id": os.environ[AWS_KEY],
                "secret_access_key": os.environ.get("AWS_SECRET_ACCESS_KEY", ""),
                "token": os.environ.get("AWS_SESSION_TOKEN"),
                "expires_at": None,
            }
        region = config.get("region") or "us-east-1"
        endpoint = config.get("endpoint") or f"https://s3.{region}.amazonaws.com"
        address = f"{endpoint.rstrip('/')}/{quote(self.bucket)}"
        pays = self.options.requester_pays
        return S3Access(address, self._trusting(), region, keys, requester_pays=pays, ahead_s=self._ahead_s)

    def _mends(self, failure: Failure, mendings: int) -> bool:
        """Also learn by how much the clock of the service differs. Only our own requests can follow it."""
        now = modification_time(failure.date)
        if failure.code != SKEWED or now is None:
            return super()._mends(failure, mendings)
        with self._lock:
            if mendings == self._mendings:
                self._mendings += 1
                self._ahead_s = now.timestamp() - time.time()
                self._accessing = None
        return True

    def access_settings(self) -> tuple[S3Config, _Provider | None]:
        """The settings and the credentials for another client of this bucket.

        Raises:
            As the first request.
        """
        profile = read_profile(self.options.profile)
        return self._configuration(profile), self._credentials(profile)

    def _credentials(self, profile: AwsProfile) -> _Provider | None:
        """The credentials of the profile if it has precedence; None if the environment has, or without credentials.

        Raises:
            MissingExtraError: the profile needs boto3, which is not installed.
            AccessDeniedError: there are none, and obstore would ask a metadata address that does not answer.
        """
        options = self.options
        if options.anonymous:
            return None
        if options.access_key_id:
            keys = options.access_key_id, options.secret_access_key, options.session_token
            return ProfileCredentials(AwsProfile("options", *keys))
        if options.profile is None and os.environ.get(AWS_KEY):
            for name in (AWS_KEY, "AWS_SESSION_TOKEN"):
                check_sendable(os.environ.get(name), name)
            return None
        if profile.access_key_id or profile.credential_process:
            return ProfileCredentials(profile)
        if any_set(AWS_SOURCES) and options.profile is None:
            return WebIdentityCredentials.of_environment(profile.sts_endpoint_url, self._trusting())
        if profile.delegated:
            return BotoCredentials(profile)
        if options.profile or not _may_ask_metadata_address():
            raise AccessDeniedError(f"{self.url}: no credentials were found; {self._hint()}", url=self.url)
        return None

    def _configuration(self, profile: AwsProfile) -> S3Config:
        """The settings for obstore in addition to those that it takes from the environment."""
        options = self.options
        config: S3Config = {}
        endpoint = self._endpoint(profile)
        region = options.region or first_set(_REGIONS) or profile.region
        if endpoint:
            check_address(endpoint, "the endpoint")
            # The second would have precedence over the first if it were set in the environment.
            config["endpoint"] = config["aws_endpoint_url_s3"] = endpoint
        elif self.bucket.endswith(_EXPRESS):
            if not region:
                raise StoreError(f"{self.url}: name the region of the bucket with --region", url=self.url)
            config["s3_express"] = True
        elif not region:
            region = self._told_region(_AMAZON)
        check_sendable(region, "the region")
        if region:
            config["region"] = region
        if options.anonymous:
            config["skip_signature"] = True
        if options.requester_pays:
            config["request_payer"] = True
        return config

    def _trusting(self) -> StoreOptions:
        """The options with the certificates that AWS's own settings name if ``ca_bundle`` names none."""
        bundle = (
            self.options.ca_bundle
            or first_set(("AWS_CA_BUNDLE",))
            or read_profile(self.options.profile).ca_bundle
        )
        return replace(self.options, ca_bundle=bundle)

    def _endpoint_of_surroundings(self) -> tuple[str, str] | None:
        if self.options.endpoint_url:
            return None
        if found := first_with_value(_ENDPOINTS):
            return found
        profile = read_profile(self.options.profile)
        if not profile.endpoint_url:
            return None
        return profile.endpoint_url, f"the AWS profile {profile.name} in {profile.endpoint_file}"

    def _endpoint(self, profile: AwsProfile) -> str | None:
        return self.options.endpoint_url or first_set(_ENDPOINTS) or profile.endpoint_url

    def _error(self, failure: Failure, key: str | None, hint: str = "") -> StoreError:
        if failure.wrong_region and not failure.region:
            endpoint = self._endpoint(read_profile(self.options.profile))
            failure = replace(failure, region=self._told_region(endpoint or _AMAZON) or "")
        return super()._error(failure, key, hint)

    def _told_region(self, endpoint: str) -> str | None:
        """The region of a bucket, which Amazon reports even without permission to read the bucket."""
        import httpx

        address = f"{endpoint.rstrip('/')}/{quote(self.bucket)}"
        try:
            with (
                httpx_client(timeout=self.options.timeout_s, verify=tls_context(self._trusting())) as client,
                until(time.monotonic() + self.options.timeout_s),
            ):
                answer = client.head(address, extensions={"trace": watch})
        except (httpx.HTTPError, StoreError):
            return None  # the first request will report the problem
        region: str | None = answer.headers.get("x-amz-bucket-region")
        return region

    def _hint(self) -> str:
        if self.options.anonymous:
            return "give credentials instead of --anonymous"
        return (
            "use --anonymous for a public bucket, or give credentials with --profile or AWS_ACCESS_KEY_ID "
            "and AWS_SECRET_ACCESS_KEY"
        )


def _may_ask_metadata_address() -> bool:
    """Whether the metadata address may be asked: if it does not exist, a request hangs for long."""
    if is_yes("AWS_EC2_METADATA_DISABLED"):
        return False
    return any_set(("AWS_METADATA_ENDPOINT",)) or is_machine_of("S3")
