"""Which browser the tests drive, and a window of it that shows pages and loads nothing.

Use it as a context manager; the browser ends with the block::

    with window() as seen:
        seen.show("<title>Hello</title>", width=390)
        assert (seen.ask("() => document.title"), seen.tried) == ("Hello", [])
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from playwright.sync_api import Dialog, Page, Route

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""What a Chromium is called, Debian's first; GitHub's own runners have the last."""
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ADDRESS = "https://pull.example.test/acme/evals/pull/1"
"""Where the pages stand, so that a relative address in one leads somewhere. It is never looked up."""

Run: TypeAlias = Callable[[Callable[[], Any]], Any]
"""Does something in the thread that drives the browser, and returns what comes of it."""


def chromium() -> str | None:
    """Return the path of an installed Chromium; None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Window:
    """One page at a time, at any width and in either colour scheme."""

    def __init__(self, page: Page, run: Run) -> None:
        """Listen to what the pages do; in the browser's thread."""
        self._page, self._run = page, run
        self.tried: list[str] = []
        """What they tried beyond being shown: addresses that they asked for, dialogs that they opened."""
        page.on("dialog", self._dismiss)
        page.route(ADDRESS, lambda route: route.fulfill(body="", content_type="text/html"), times=1)
        page.goto(ADDRESS)
        page.route("**/*", self._refuse)

    def _refuse(self, route: Route) -> None:
        self.tried.append(route.request.url)
        route.abort()

    def _dismiss(self, dialog: Dialog) -> None:
        self.tried.append(f"{dialog.type}: {dialog.message}")
        dialog.dismiss()

    def show(self, html: str, *, width: int = 1000, scheme: Literal["light", "dark"] = "light") -> None:
        """Show a page, and wait until everything in it has been refused.

        Args:
            html: a whole document.
            width: of the window, in pixels; it is 800 high.
            scheme: which colours a person prefers.
        """

        def there() -> None:
            self._page.set_viewport_size({"width": width, "height": 800})
            self._page.emulate_media(color_scheme=scheme)
            self._page.set_content(html)

        self._run(there)

    def ask(self, script: str) -> Any:
        """Return what a function in JavaScript returns for the page."""
        return self._run(lambda: self._page.evaluate(script))

    def picture(self, path: Path) -> None:
        """Save the page as an image, from its top to its end."""
        self._run(lambda: self._page.screenshot(path=path, full_page=True))


@contextmanager
def window() -> Iterator[Window]:
    """Open a browser.

    Playwright keeps an event loop running in the thread that drives it. It gets one of its own, so that tests can
    run loops in theirs.
    """
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - conftest imports this module for every test

    with ThreadPoolExecutor(max_workers=1) as thread:

        def run(work: Callable[[], Any]) -> Any:
            return thread.submit(work).result()

        playwright = run(sync_playwright().start)
        try:
            launch = playwright.chromium.launch
            browser = run(lambda: launch(executable_path=chromium(), args=OPTIONS))
            yield run(lambda: Window(browser.new_page(), run))
            run(browser.close)
        finally:
            run(playwright.stop)
