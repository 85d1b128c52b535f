"""The library, `zarrcore`, under the name of its distribution: ``import zarrscope as zc``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zarrcore import *  # noqa: F403 - all of it
    from zarrcore import __version__ as __version__
else:
    from zarrcore import __all__ as __all__
    from zarrcore import __dir__ as __dir__
    from zarrcore import __getattr__ as __getattr__
