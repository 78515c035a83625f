"""A small set of contracts, at least one for each grader that reads a completion by itself."""

from __future__ import annotations

from decimal import Decimal

from evalaction.records.case import Command, Compare, Contract, Grader, Schema

_COMMAND = Command(argv=("python3", "check.py"), artifact="artifact.txt")
CONTRACTS: dict[str, Contract] = {
    "json": Contract(grader=Grader.JSON),
    "json-keys": Contract(grader=Grader.JSON, expect_keys=("label", "a")),
    "json-array": Contract(grader=Grader.JSON, schema=Schema(document={"type": "array", "items": {}})),
    "json-compare": Contract(
        grader=Grader.JSON,
        expect_keys=("a", "label", "tags", "n"),
        compare=(
            ("label", Compare(case_insensitive=True)),
            ("n", Compare(round=Decimal("0.5"))),
            ("tags", Compare(unordered=True, case_insensitive=True, round=10)),
        ),
    ),
    "text": Contract(grader=Grader.TEXT),
    "exact": Contract(grader=Grader.EXACT),
    "choice": Contract(grader=Grader.CHOICE, labels=("Billing", "refund", "it's open", "ẞ", "a b")),
    "number": Contract(grader=Grader.NUMBER),
    "number-rounded": Contract(grader=Grader.NUMBER, whole=Compare(round=Decimal("0.25"))),
    "regex": Contract(grader=Grader.REGEX, regex=r"(?i)\b(?:label|answer)\W+(\w+)"),
    "regex-whole": Contract(grader=Grader.REGEX, regex=r"[0-9]{2,4}-[0-9]{2}"),
    "regex-backtracking": Contract(grader=Grader.REGEX, regex=r"(?<!x)(?:a+)+([bc])"),
    "diff": Contract(grader=Grader.DIFF, expect="a\nb", expect_path="known.txt"),
    "diff-fence": Contract(grader=Grader.DIFF, expect="a\nb", expect_path="known.txt", fence=""),
    "diff-python": Contract(grader=Grader.DIFF, expect="a\nb", expect_path="known.txt", fence="python"),
    "command": Contract(grader=Grader.COMMAND, expect="pass", command=_COMMAND),
    "command-keys": Contract(grader=Grader.COMMAND, expect="pass", command=_COMMAND, expect_keys=("a",)),
    "command-fence": Contract(grader=Grader.COMMAND, expect="pass", command=_COMMAND, fence=""),
    "judge": Contract(grader=Grader.JUDGE),
}
"""Name → contract; the fuzzer's first byte picks one by its place, so new ones stand at the end."""
NAMES = tuple(CONTRACTS)
