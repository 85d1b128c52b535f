"""gzip streams within bounds."""

from __future__ import annotations

from isal import igzip_lib, isal_zlib


def unpacked(packed: bytes, max_nbytes: int) -> bytes:
    """The content of a gzip stream.

    Raises:
        ValueError: it is broken, or has more than ``max_nbytes`` bytes.

    >>> import gzip
    >>> unpacked(gzip.compress(b"abc"), 3)
    b'abc'
    """
    stream = isal_zlib.decompressobj(wbits=31)
    try:
        value = stream.decompress(packed, max_nbytes + 1)
    except igzip_lib.IsalError as error:  # type: ignore[misc]  # the stub declares a variable
        raise ValueError(f"the gzip stream is broken: {error}") from error
    if len(value) > max_nbytes:
        raise ValueError(f"the gzip stream has more than {max_nbytes:,} bytes")
    if not stream.eof:
        raise ValueError("the gzip stream ends early")
    return value
