"""The fixture of the tests of saved views."""

from tests.browser.window.saved_views.windows import windows

__all__ = ["windows"]
