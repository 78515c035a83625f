"""What is loaded to draw leaves out what nobody draws with."""

from __future__ import annotations

import subprocess
import sys


def test_httpx__without_its_command() -> None:
    """The library is whole but for its command, which would load what shows things on a terminal."""
    code = (
        "import sys, evalaction.draw.client, evalaction.draw.run, httpx;"
        "print(sorted({'rich', 'pygments', 'click', 'httpx'} & set(sys.modules)), httpx.AsyncClient.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['httpx'] AsyncClient\n"
