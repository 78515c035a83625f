"""Selection on real repositories: exactly the cases whose content changed, whatever the diff looks like."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.gitrepo import Repo, new_repo

from evalaction.plan.make import make_plan
from evalaction.records.plan import Plan, Reason
from evalaction.records.settings import Defaults
from evalaction.records.suite import Suite
from evalaction.records.tree import Pair
from evalaction.suite.load import Known, load_suite
from evalaction.trees.pair import find_pair

TEMPLATE = "{% include 'prompts/shared/tone.txt' %}\nInvoice {{ number }}: vendor, total_cents, currency?\n"


def row(number: int, **fields: object) -> str:
    request = (
        {"prompt_file": "prompts/invoice.txt", "vars": {"number": number}}
        if number % 10 == 0
        else {"prompt": f"Invoice {number}, total $19.50"}
    )
    contract = {"expect_keys": ["total_cents"], "max_completion_tokens": 60, "n": 5, "agreement_min": 0.8}
    return json.dumps({"id": f"inv-{number}", **request, **contract, **fields})


ROWS = [row(number) for number in range(1_000)]
FILES = {
    "golden.jsonl": "\n".join(ROWS) + "\n",
    "prompts/invoice.txt": TEMPLATE,
    "prompts/shared/tone.txt": "Be brief.\n",
    "README.md": "x\n",
}
TEMPLATED = [f"inv-{number}" for number in range(0, 1_000, 10)]


def sides(pair: Pair) -> tuple[Suite, Suite]:
    known: Known = {}
    head = load_suite(pair.head, defaults=Defaults(), known=known)
    assert pair.base is not None
    return load_suite(pair.base, defaults=Defaults(), known=known), head


def planned(repo: Repo) -> Plan:
    """Plan the last commit against the one before it."""
    with repo.open() as opened:
        pair = find_pair(opened, base="HEAD~1", head="HEAD")
        base, head = sides(pair)
        assert () == base.problems + head.problems
        return make_plan(base, head, renames=pair.renames)


def drawn(plan: Plan) -> list[str]:
    return [item.case.id for item in plan.cases]


def reformatted(rows: list[str]) -> bytes:
    """Return the same lines with other spacing, key order, number notation, line ends and a byte order mark."""
    lines = []
    for line in reversed(rows):
        fields = dict(reversed(json.loads(line).items()))
        lines.append(json.dumps(fields, separators=(" ,", " :\t"), ensure_ascii=False).replace("0.8", "8e-1"))
    return b"\xef\xbb\xbf" + "\r\n\r\n".join(lines).encode()


CHANGES: list[tuple[str, Mapping[str, str | bytes], list[str]]] = [
    ("one line", {"golden.jsonl": "\n".join([*ROWS[:500], row(500, n=6), *ROWS[501:]])}, ["inv-500"]),
    ("a line in front", {"golden.jsonl": "\n".join([row(1_000), *ROWS])}, ["inv-1000"]),
    ("the format", {"golden.jsonl": reformatted(ROWS)}, []),
    ("one include", {"prompts/shared/tone.txt": "Be kind.\n"}, TEMPLATED),
    ("the include's last line end", {"prompts/shared/tone.txt": "Be brief."}, []),
    ("one template", {"prompts/invoice.txt": TEMPLATE.replace("?", "!")}, TEMPLATED),
    ("something else", {"README.md": "y\n", "src/prompt.py": "x"}, []),
    (
        "a dependency that is listed anew",
        {"evalaction.yml": "dependencies: README.md\n"},
        [f"inv-{n}" for n in range(1_000)],
    ),
]


@pytest.mark.parametrize(
    ("files", "expected"), [change[1:] for change in CHANGES], ids=[change[0] for change in CHANGES]
)
def test_selection__of_a_thousand(tmp_path: Path, files: Mapping[str, str | bytes], expected: list[str]) -> None:
    """Of 1,000 cases exactly those are drawn whose request, contract or sampling changed."""
    repo = new_repo(tmp_path / "repo")
    repo.commit(FILES)
    repo.commit(files)
    plan = planned(repo)
    assert expected == drawn(plan)
    assert plan.total == len(expected) + plan.unaffected


REFUND = "".join(f"Rule {number}: be fair.\n" for number in range(30))
R1 = '{"id":"r1","prompt_file":"prompts/refund.txt"}\n'


@pytest.fixture
def refunds(tmp_path: Path) -> Repo:
    """A repository whose case r1 uses the template prompts/refund.txt."""
    repo = new_repo(tmp_path / "repo")
    repo.commit({"golden.jsonl": R1, "prompts/refund.txt": REFUND})
    return repo


def test_rename__golden_updated(refunds: Repo) -> None:
    """A template that was only renamed, with its golden line, changes nothing that is drawn."""
    refunds.git("mv", "prompts/refund.txt", "prompts/refund_v2.txt")
    refunds.commit({"golden.jsonl": R1.replace("refund.txt", "refund_v2.txt")})
    plan = planned(refunds)
    assert ([], 1, ()) == (drawn(plan), plan.unaffected, plan.removed)


def test_rename__with_edit(refunds: Repo) -> None:
    """A template that was renamed and edited affects its case, and is named."""
    refunds.git("mv", "prompts/refund.txt", "prompts/refund_v2.txt")
    refunds.commit(
        {
            "golden.jsonl": R1.replace("refund.txt", "refund_v2.txt"),
            "prompts/refund_v2.txt": REFUND.replace("Rule 3:", "Rule three:"),
        }
    )
    assert [("r1", ("prompts/refund_v2.txt",))] == [
        (item.case.id, item.changed_files) for item in planned(refunds).cases
    ]


@pytest.mark.parametrize("target", ["prompts/refund_v2.txt", "archive/refund.txt", None])
def test_rename__golden_not_updated(refunds: Repo, target: str | None) -> None:
    """A template that is gone is an error that names the case's line and the missing path, never a case less."""
    if target is None:
        refunds.git("rm", "--quiet", "prompts/refund.txt")
    else:
        (refunds.path / target).parent.mkdir(exist_ok=True)
        refunds.git("mv", "prompts/refund.txt", target)
    refunds.commit({"other.txt": "x"})
    with refunds.open() as opened:
        suite = load_suite(find_pair(opened, base="HEAD~1", head="HEAD").head, defaults=Defaults())
    hint = f" Did you mean {target}?" if target == "prompts/refund_v2.txt" else ""
    hint = " Did you mean archive/refund.txt?" if target == "archive/refund.txt" else hint
    found = [str(problem).removesuffix(hint) for problem in suite.problems]
    assert ["golden.jsonl:1: In the case 'r1': prompts/refund.txt does not exist."] == found


def test_rename__golden_file_by_git(tmp_path: Path) -> None:
    """Two golden files that share an id and move at once keep their cases, along the renames that git finds."""
    repo = new_repo(tmp_path / "repo")
    first = "".join(f'{{"id":"{number}","prompt":"first {number}"}}\n' for number in range(20))
    second = first.replace("first", "second")
    repo.commit({"a/golden.jsonl": first, "b/golden.jsonl": second})
    repo.git("mv", "a", "c")
    repo.git("mv", "b", "d")
    repo.commit({"d/golden.jsonl": second.replace("second 7", "second seven")})
    plan = planned(repo)
    assert [("d/golden.jsonl", "7")] == [item.case.key for item in plan.cases]
    assert [(Reason.PROMPT,)] == [item.reasons for item in plan.cases]
    assert () == plan.removed


def test_symlink__never_followed(tmp_path: Path) -> None:
    """A template that is a symbolic link out of the repository is refused, in a commit and in the work tree."""
    repo = new_repo(tmp_path / "repo")
    (tmp_path / "secret.txt").write_text("secret")
    repo.write({"golden.jsonl": '{"id":"a","prompt_file":"link.txt"}\n'})
    (repo.path / "link.txt").symlink_to(tmp_path / "secret.txt")
    repo.commit()
    problem = "link.txt is a symbolic link, which is never followed. Put the file itself there."
    expected = f"golden.jsonl:1: In the case 'a': {problem}"
    for head in ("HEAD", "WORKTREE"):
        with repo.open() as opened:
            suite = load_suite(find_pair(opened, base="HEAD", head=head).head, defaults=Defaults())
        assert [expected] == [str(problem) for problem in suite.problems]
