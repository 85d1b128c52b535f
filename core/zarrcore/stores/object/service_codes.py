"""The words by which object services, and obstore before it asks any, say what is wrong."""

from __future__ import annotations

from typing import Final

NO_BUCKET: Final = frozenset(
    # The last is what Azure tells a stranger of a container that is not public.
    {"NoSuchBucket", "ContainerNotFound", "AccountNotFound", "ResourceNotFound"}
)
"""There is no bucket of this name."""

WRONG_REGION: Final = frozenset({"PermanentRedirect", "IllegalLocationConstraintException"})
"""The bucket lies in another region than the one asked."""

EXPIRED: Final = frozenset(
    {"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired"}
)
"""The credentials were right once."""

NO_KEYS: Final = "External AWS credential provider"
"""What obstore names where it was given no keys."""

DENIED: Final = {
    NO_KEYS: "the AWS profile gives no keys: its credential_process, role or single sign-on (aws sso login) fails",
    **dict.fromkeys(EXPIRED, "the credentials have expired"),
    "InvalidToken": "the session token is not valid",
    "AuthorizationHeaderMalformed": "the access key is none",
    "InvalidAccessKeyId": "the access key is not known there",
    "SignatureDoesNotMatch": "the secret key is not the access key's",
    "AuthenticationFailed": "the account key or signature is wrong or has expired",
    "InvalidAuthenticationInfo": "the account key or token is none",
    "RequestTimeTooSkewed": "the clock of this machine is wrong",
    "PublicAccessNotPermitted": "the account admits nobody without credentials",
    "NoAuthenticationInformation": "the account admits nobody without credentials",
    "UserProjectMissing": "somebody must pay for requests (--header 'x-goog-user-project: PROJECT')",
    "AccessDenied": "access is denied",
}
"""Why the service refuses, whatever the status of its answer."""

FAILING: Final = frozenset(
    {"InternalError", "SlowDown", "ServiceUnavailable", "ServerBusy", "OperationTimedOut"}
)
"""The service is at fault, or has too much to do; S3 says so even in answers of status 200."""

UNUSABLE: Final = {
    "MissingSecretAccessKey": "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not",
    "MissingAccessKeyId": "AWS_SECRET_ACCESS_KEY is set, but AWS_ACCESS_KEY_ID is not",
    "InvalidAccessKey": "the account key is none: it is written in base64",
    "SasComponent": "the shared access signature is none",
    "DecodeSasKey": "the shared access signature is none",
    "OpenCredentials": "the file with the credentials cannot be read",
    "UnableToOpenFile": "the file with the credentials cannot be read",
    "DecodeCredentials": "the credentials are no service account's key, nor what gcloud leaves",
    "ReadPem": "the service account's private key is none",
    "InvalidKey": "the service account's private key is none",
    "InvalidCertificate": "the file of certificates holds something else (--ca-bundle)",
    "root_certificate": "the file of certificates holds none (--ca-bundle)",
    "Invalid Zone suffix": "the name of the bucket does not tell its zone",
}
"""What in obstore's complaint tells why it makes no client; its own words may quote a secret."""
