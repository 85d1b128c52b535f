"""The error codes of object services, and of obstore before it sends a request."""

from __future__ import annotations

from typing import Final

NO_BUCKET: Final = frozenset(
    # The last is Azure's answer for a private container without credentials.
    {"NoSuchBucket", "ContainerNotFound", "AccountNotFound", "ResourceNotFound"}
)
"""There is no bucket of this name."""

WRONG_REGION: Final = frozenset({"PermanentRedirect", "IllegalLocationConstraintException"})
"""The bucket is in another region than the requested one."""

EXPIRED: Final = frozenset(
    {"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired"}
)
"""The credentials have expired."""

INVALID_KEYS: Final = ("InvalidToken", "InvalidAccessKeyId", "SignatureDoesNotMatch")
"""The service does not accept the keys."""

NO_KEYS: Final = "External AWS credential provider"
"""The source that obstore names if it got no keys."""

LOGIN_PAGE: Final = "LoginPage"
"""Our own code: a web server redirects from a value to a page."""

NO_ROLE_KEYS: Final = "the token service"
"""How the message begins if the service that ``AWS_ENDPOINT_URL_STS`` names gives no keys."""

WITHOUT_KEYS: Final = (NO_ROLE_KEYS, NO_KEYS)

SKEWED: Final = "RequestTimeTooSkewed"
"""The request was signed at another time than the service's."""

FORBIDDEN: Final = "AccessDenied"
"""The service gives no other reason; it may also hide that a key does not exist."""

ARCHIVED: Final = ("InvalidObjectState", "BlobArchived", "BlobBeingRehydrated")
"""The value is in a class of storage that must be restored before it can be read."""

FULL: Final = "QuotaExceeded"
"""Nothing more may be stored; Ceph answers so with the status 403."""

OVERTAKEN: Final = frozenset({"ConditionalRequestConflict", "OperationAborted"})
"""Another request for the same key was under way: what became of it, a repeat shows."""

NO_PLACE: Final = frozenset({"ContainerBeingDeleted", "ContainerDisabled", "AccountBeingCreated"})
"""The container takes no requests: nothing is known of its keys."""

UNPAID: Final = "UserProjectMissing"
"""The one who reads must name who pays."""

DENIED: Final = {
    LOGIN_PAGE: "the server redirects to a web page, perhaps one to log in",
    NO_ROLE_KEYS: "the token service (AWS_ENDPOINT_URL_STS) gives no keys for the role of this machine (AWS_ROLE_ARN)",
    NO_KEYS: "the AWS profile gives no keys: its credential_process, role or single sign-on (aws sso login) fails",
    **dict.fromkeys(EXPIRED, "the credentials have expired"),
    "InvalidToken": "the session token is not valid",
    "AuthorizationHeaderMalformed": "the access key is malformed",
    "InvalidAccessKeyId": "the service does not know the access key",
    "SignatureDoesNotMatch": "the secret key does not match the access key",
    "AuthenticationFailed": "the account key or signature is wrong or has expired",
    "InvalidAuthenticationInfo": "the account key or token is malformed",
    SKEWED: "the clock of this machine is wrong",
    "PublicAccessNotPermitted": "the account requires credentials",
    "NoAuthenticationInformation": "the account requires credentials",
    UNPAID: "requests must be paid for",
    **dict.fromkeys(ARCHIVED, "the value is archived"),
    FORBIDDEN: "access is denied",
}
"""Why the service refuses, whatever the status of its answer."""

REMEDIES: Final = {
    **dict.fromkeys(EXPIRED, "renew them"),
    SKEWED: "set the clock",
    **dict.fromkeys(ARCHIVED, "restore it from its storage class first"),
    UNPAID: "name who pays with --header 'x-goog-user-project: PROJECT'",
}
"""What to do where other credentials do not help."""

SLOW_BODY: Final = "RequestTimeout"
"""The service waited too long for the rest of a request, and closes the connection."""

FAILING: Final = frozenset(
    {"InternalError", "SlowDown", "ServiceUnavailable", "ServerBusy", "OperationTimedOut"}
)
"""The service failed or is overloaded; S3 reports this even in answers of status 200."""

PASSING: Final = FAILING | OVERTAKEN | {SLOW_BODY}
"""The same request may succeed in a repeat."""

UNUSABLE: Final = {
    "MissingSecretAccessKey": "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not",
    "MissingAccessKeyId": "AWS_SECRET_ACCESS_KEY is set, but AWS_ACCESS_KEY_ID is not",
    "InvalidAccessKey": "the account key is malformed: it must be base64",
    "SasComponent": "the shared access signature is malformed",
    "DecodeSasKey": "the shared access signature is malformed",
    "OpenCredentials": "the file with the credentials cannot be read",
    "UnableToOpenFile": "the file with the credentials cannot be read",
    "DecodeCredentials": "the credentials are neither a service account's key nor a file of gcloud",
    "ReadPem": "the service account's private key is malformed",
    "InvalidKey": "the service account's private key is malformed",
    "InvalidCertificate": "the file of certificates has other content (--ca-bundle)",
    "root_certificate": "the file of certificates is empty (--ca-bundle)",
    "No CA certificates": "this system has no trusted certificates: apt install ca-certificates, or set SSL_CERT_FILE",
    "Invalid Zone suffix": "the name of the bucket has no valid zone",
}
"""Parts of obstore's message and why it makes no client. The message itself may quote a secret."""
