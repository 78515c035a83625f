"""Which browser the tests drive."""

from __future__ import annotations

import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""What a Chromium is called, Debian's first; GitHub's own runners have the last."""


def chromium() -> str | None:
    """Return the path of an installed Chromium; None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)
