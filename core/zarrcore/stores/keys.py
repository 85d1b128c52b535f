"""Keys and prefixes: which ones a store takes, and how what lies under one is shown."""

from __future__ import annotations

from zarrcore.errors import InvalidKeyError
from zarrcore.stores.validation import is_encodable


def check_key(key: str, url: str) -> None:
    """Refuse what is no key at all, for every kind of store.

    Raises:
        InvalidKeyError: ``key`` is empty or ends in ``/``.
    """
    if not key or key.endswith("/"):
        raise InvalidKeyError(f"{key!r} is no key: it is empty or ends in '/'", key=key, url=url)


def check_path_like_key(key: str, url: str) -> None:
    """Refuse keys that a store whose keys are file paths or object names cannot hold, or must not follow.

    Raises:
        InvalidKeyError: an empty segment, ``.``, ``..``, NUL or half a surrogate pair.
    """
    # The common key passes with three scans in C; only a suspicious one is split.
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
                    f"key {key!r} has the segment {segment!r}, which is no file or object name",
                    key=key,
                    url=url,
                )


def check_prefix(prefix: str, url: str) -> None:
    """Refuse what is no prefix, for every kind of store.

    Raises:
        InvalidKeyError: ``prefix`` is neither empty nor ends in ``/``.
    """
    if prefix and not prefix.endswith("/"):
        raise InvalidKeyError(
            f"{prefix!r} is no prefix: it is neither empty nor ends in '/'", key=prefix, url=url
        )


def check_path_like_prefix(prefix: str, url: str) -> None:
    """Refuse prefixes under which a store of files or objects cannot hold a key.

    Raises:
        InvalidKeyError: ``prefix`` is none, or has a segment that is no file or object name.
    """
    check_prefix(prefix, url)
    if prefix:
        check_path_like_key(prefix[:-1], url)


def join_url(url: str, path: str) -> str:
    """How to show what lies at ``path`` in the store at ``url``.

    >>> join_url("s3://bucket", "a/x.zip"), join_url("/", "x.zip"), join_url("memory://", "x.zip")
    ('s3://bucket/a/x.zip', '/x.zip', 'memory://x.zip')
    """
    return url + path if url.endswith("/") else f"{url}/{path}"
