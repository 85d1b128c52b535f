"""The version of the distribution."""

from importlib.metadata import version
from typing import Final

__version__: Final = version("zarrscope")
