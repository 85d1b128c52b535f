"""Keys and prefixes: which are valid, and how they are shown."""

from __future__ import annotations

from zarrcore.errors import InvalidKeyError
from zarrcore.stores.validation import is_encodable


def check_key(key: str, url: str) -> None:
    """Refuse keys that are not valid in any store.

    Raises:
        InvalidKeyError: ``key`` is empty or ends in ``/``.
    """
    if not key or key.endswith("/"):
        raise InvalidKeyError(f"{key!r} is not a key: it is empty or ends in '/'", key=key, url=url)


def check_path_like_key(key: str, url: str) -> None:
    """Refuse keys that are not valid as file paths or object names, or must not be followed.

    Raises:
        InvalidKeyError: an empty segment, ``.``, ``..``, NUL or half a surrogate pair.
    """
    # A common key passes with three scans in C; only a suspicious key is split.
    if (
        not (key and key.isascii())
        or "\0" in key
        or key[0] in "/."
        or key[-1] == "/"
        or "//" in key
        or "/." in key
    ):
        for segment in key.split("/"):
            if segment in {"", ".", ".."} or not is_encodable(segment):
                raise InvalidKeyError(
                    f"key {key!r} has the segment {segment!r}, which is not a file or object name",
                    key=key,
                    url=url,
                )


def encoded_key(key: str, url: str) -> bytes:
    """The bytes of a key in UTF-8, for stores whose keys are bytes.

    Raises:
        InvalidKeyError: it is not a text that has any.
    """
    try:
        return key.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise InvalidKeyError(f"{key!r} is not a text that a database can store", key=key, url=url) from error


def check_prefix(prefix: str, url: str) -> None:
    """Refuse prefixes that are not valid in any store.

    Raises:
        InvalidKeyError: ``prefix`` is neither empty nor ends in ``/``.
    """
    if prefix and not prefix.endswith("/"):
        raise InvalidKeyError(
            f"{prefix!r} is not a prefix: it is neither empty nor ends in '/'", key=prefix, url=url
        )


def check_path_like_prefix(prefix: str, url: str) -> None:
    """Refuse prefixes that cannot contain a key in a store of files or objects.

    Raises:
        InvalidKeyError: not a prefix, or it has a segment that is not a file or object name.
    """
    check_prefix(prefix, url)
    if prefix:
        check_path_like_key(prefix[:-1], url)


def join_url(url: str, path: str) -> str:
    """The URL to show for ``path`` in the store at ``url``.

    >>> join_url("s3://bucket", "a/x.zip"), join_url("/", "x.zip"), join_url("memory://", "x.zip")
    ('s3://bucket/a/x.zip', '/x.zip', 'memory://x.zip')
    """
    return url + path if url.endswith("/") else f"{url}/{path}"
