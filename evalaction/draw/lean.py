"""The library httpx without its own command, which would load rich and pygments: half of what it takes to import it."""

import sys

# None stands for a module that there is not: httpx does without its command then, as where rich is not installed.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type] # a module, for all that typeshed knows

import httpx  # noqa: E402 - after the line above

__all__ = ["httpx"]
