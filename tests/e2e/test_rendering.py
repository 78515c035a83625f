"""Comments in a browser: GitHub's own Markdown renderer, then headless Chromium.

With ``PICTURES=FOLDER`` the example comments are saved there as images, to be looked at.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from support.browser import Window, window
from support.endpoint import Answer, ScriptedEndpoint, answer, completion
from support.gitrepo import new_repo
from support.hostile import HOSTILE, KINDS
from support.page import ALERTS, BENEATH, DIM, LINKED, READ, WRAPPED, Read, document
from support.places import graders_everywhere
from support.reports import case_result, report, untrusted_everywhere, with_id
from support.story import lines, run

from evalaction.records.case import Grader
from evalaction.report.comment import render_comment
from evalaction.report.untrusted import code, html_code, line, shorten
from evalaction.report.words import ID, PATH
from evalaction.values import dumps

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

RUNS = "https://github.example.test/acme/evals/actions/runs/"
LOCATION = f"{RUNS}1"
SOURCE = "https://github.example.test/acme/evals/blob/8a41b77000000000000000000000000000000000"
EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*/[cr]*.md"))
MARKER = re.compile(r" evalaction v1 id=default( run=[0-9]+)? ")
TAGS = {
    '<html lang="en">',
    *("<body>", "<article>", "<h3>", "<p>", "<strong>", "<b>", "<em>", "<sub>", "<br>", "<code>", "<ul>", "<li>"),
    *("<table>", "<thead>", "<tbody>", "<tr>", "<th>", "<td>", "<details>", "<summary>"),
    *('<pre lang="text">', '<pre lang="diff">'),
    '<div class="markdown-alert markdown-alert-note">',
    '<div class="markdown-alert markdown-alert-warning">',
    '<p class="markdown-alert-title">',
    f'<a href="{RUNS}N">',
    "<!---->",
}
"""All that a page may hold: what we write, links to runs, and no attribute but these."""
LINE = f'<a href="{SOURCE}/PATH#LN">'
"""What it may hold besides, where the page of the commit is known: links to lines of its files."""
LINES = re.compile(f'<a href="{re.escape(SOURCE)}/[A-Za-z0-9._~/%-]+#L[0-9]+">')
WIDTHS = (1000, 390)
FOLD = 800
"""Pixels that are seen without scrolling."""


@pytest.fixture(scope="module")
def seen() -> Iterator[Window]:
    """A browser's window."""
    with window() as opened:
        yield opened


def read(seen: Window, comment: str, *, width: int = 390, scheme: Literal["light", "dark"] = "light") -> Read:
    """Show a comment, and return what the browser makes of it."""
    seen.show(document(comment), width=width, scheme=scheme)
    seen.ask(ALERTS)
    return Read(*seen.ask(READ))


def overflow(seen: Window) -> Any:
    """Return by how many pixels the page is wider than its window."""
    return seen.ask("() => document.documentElement.scrollWidth - innerWidth")


def assert_ours(seen: Window, page: Read, *, linked: bool = False) -> None:
    """Check what holds for every comment: nothing in it but what we write, and all of it whole."""
    assert kinds(page.tags) <= (TAGS | {LINE} if linked else TAGS)
    assert (LINKED.findall(page.outside), page.head, overflow(seen), seen.tried) == ([], 3, 0, [])
    # The verdict is the first thing and the only heading. Whatever swallowed the rest would end behind the marker.
    assert page.tags[:4] == ['<html lang="en">', "<body>", "<article>", "<h3>"]
    assert page.tags[-4:] == ["<!---->", "</article>", "</body>", "</html>"]
    assert (page.tags.count("<h3>"), [MARKER.fullmatch(said) is None for said in page.comments]) == (1, [False])
    for header, *rows in tables(page.tags):
        assert [header] * len(rows) == rows


def kinds(tags: list[str]) -> set[str]:
    """Return the tags that open something, runs without their number, lines of files without path and number."""
    opening = {tag for tag in tags if not tag.startswith("</")}
    return {re.sub(f'(?<="{RUNS})[0-9]+(?=">)', "N", LINES.sub(LINE, tag)) for tag in opening}


def tables(tags: list[str]) -> list[list[int]]:
    """Return the number of cells in each row of each table."""
    found: list[list[int]] = []
    for tag in tags:
        if tag == "<table>":
            found.append([])
        elif tag == "<tr>":
            found[-1].append(0)
        elif tag in {"<th>", "<td>"}:
            found[-1][-1] += 1
    return found


def everywhere(text: str, *, relayed_from: str | None = None, source_url: str | None = None) -> str:
    """Return a comment with a text in every place that untrusted text can have."""
    run = untrusted_everywhere(text)
    return render_comment(run, report_location=LOCATION, relayed_from=relayed_from, source_url=source_url)


def test_comment__harmless_text_everywhere(seen: Window) -> None:
    """With a harmless text in all places, a comment is ours, and every kind of element in it is seen."""
    page = read(seen, everywhere("x"))
    assert_ours(seen, page)
    graded = read(seen, render_comment(graders_everywhere("x"), report_location=LOCATION))
    assert_ours(seen, graded)

    assert kinds([*page.tags, *graded.tags]) == TAGS
    assert [len(rows) for rows in tables(page.tags)] == [8, 3, 3, 3, 3, 3, 3, 4, 4, 2, 3]


@pytest.mark.parametrize("kind", KINDS)
def test_comment__hostile_text_everywhere(seen: Window, kind: str) -> None:
    """Neither an element nor a word outside code depends on the text; nothing is loaded, run, or wider than a phone."""
    plain = read(seen, everywhere("x"))
    for text in KINDS[kind]:
        comment = everywhere(text)
        page = read(seen, comment)
        assert (text, page, overflow(seen), seen.tried) == (text, plain, 0, [])
        # The marker is looked for in the text, not in the page.
        assert comment.count("<!--") == 1


def test_comment__hostile_fork(seen: Window) -> None:
    """The same holds for the report of a fork's own run, of which every text is a stranger's."""
    plain = read(seen, everywhere("x", relayed_from=f"{RUNS}2"))
    assert_ours(seen, plain)
    for text in HOSTILE[::4]:
        page = read(seen, everywhere(text, relayed_from=f"{RUNS}2"))
        assert (text, page, overflow(seen), seen.tried) == (text, plain, 0, [])


LEADS = """(root) => [...document.querySelectorAll('a')].map((link) => link.href)
  .filter((address) => !address.startsWith(root)).map((address) => new URL(address).pathname)"""
"""Script that returns where the links lead that do not lead below ROOT, as the browser would follow them."""


def without_lines(tags: list[str]) -> list[str]:
    """Return tags without links to lines of files, for which there is an element of ours around the code."""
    kept: list[str] = []
    depth = 0
    for tag in tags:
        depth += LINES.fullmatch(tag) is not None
        if LINES.fullmatch(tag) is None and not (tag == "</a>" and depth):
            kept.append(tag)
        depth -= tag == "</a>" and depth > 0
    return kept


@pytest.mark.parametrize("kind", KINDS)
def test_comment__hostile_paths_as_links(seen: Window, kind: str) -> None:
    """With links to golden lines, they alone come in addition, and all lead below the commit's own page."""
    plain = read(seen, everywhere("x"))
    for text in KINDS[kind]:
        page = read(seen, everywhere(text, source_url=SOURCE))
        assert (text, page._replace(tags=without_lines(page.tags)), overflow(seen), seen.tried) == (text, plain, 0, [])
        strange = seen.ask(f"() => ({LEADS})('{SOURCE}/')")
        assert strange == [LOCATION.removeprefix("https://github.example.test")]


def test_comment__links_to_lines(seen: Window) -> None:
    """A golden line's link leads to its file, whatever the file is called, and the text that is seen is its place."""
    paths = [name for name in file_names() if len(name) < PATH - len(".golden.jsonl:3")]
    cases = [
        case_result(f"c{at}", "A B", agreement_min=1, path=f"{name}.golden.jsonl", line=3)
        for at, name in enumerate(paths)
    ]
    assert_ours(
        seen, read(seen, render_comment(report(*cases), report_location=LOCATION, source_url=SOURCE)), linked=True
    )

    links = seen.ask("() => [...document.querySelectorAll('td a')].map((link) => [link.href, link.textContent])")
    leads = [(unquote_to_bytes(urlsplit(address).path), urlsplit(address).fragment) for address, _ in links]
    root = urlsplit(SOURCE).path
    assert leads == [(f"{root}/{case.planned.case.path}".encode(), "L3") for case in cases]
    assert [text for _, text in links] == [
        line(f"{case.planned.case.path}:3").replace("<!--", "‹!--") for case in cases
    ]


def test_code__cut(seen: Window) -> None:
    """A text cut at 30 characters is one whole piece of code, in a paragraph and in a fold, and reads as it did."""
    texts = [text for text in HOSTILE if text.isprintable() and text.strip() and "<!--" not in text]
    parts = [f"{code(text, 30)}\n\n<details><summary>{html_code(text, 30)}</summary></details>" for text in texts]
    page = read(seen, "\n\n".join(parts))

    assert (page.outside.split(), seen.tried) == (["␣"] * (2 * len(texts)), [])
    shown = seen.ask("() => [...document.querySelectorAll('code')].map((item) => item.textContent)")
    assert shown == [shorten(text, 30) for text in texts for _ in range(2)]


def many(number: int, letter: str, repeat: int) -> str:
    """Return a comment on ``number`` failing cases with long answers, and 30 passing ones."""
    answers = {"A": letter * repeat, "B": f"b{letter * repeat}"}
    failing = case_result("f", "A B", agreement_min=1, grader=Grader.TEXT, answers=answers)
    passing = case_result("p", "A A")
    cases = [with_id(failing, f"failing_{index}") for index in range(number)]
    cases += [with_id(passing, f"passing_{index}") for index in range(30)]
    return render_comment(report(*cases, manifest={"items": 1_000}), report_location=LOCATION)


@pytest.mark.parametrize(
    ("number", "letter", "repeat"), [(400, "a", 2_000), (400, "測", 1_000), (400, "🔴", 1_000), (1, "x", 500_000)]
)
def test_comment__too_long(seen: Window, number: int, letter: str, repeat: int) -> None:
    """A comment that had to be shortened is whole, with every fold, fence and table closed, and it says so on top."""
    page = read(seen, many(number, letter, repeat))

    assert_ours(seen, page)
    verb = "fails" if number == 1 else "fail"
    top = page.outside.splitlines()
    assert top[0] == f"❌ evalaction: {number} of {number + 30} affected cases {verb}"
    assert top[1].startswith("Shortened to fit. Left out or cut: ") == (number > 1)


def file_names() -> list[str]:
    """Return the texts that can be paths of files, each with its number in front."""
    return [
        f"{number}{text.replace('//', '/')}"
        for number, text in enumerate(HOSTILE)
        if "\0" not in text and ".." not in text and text.encode(errors="ignore") == text.encode(errors="replace")
        if max(len(part.encode()) for part in text.split("/")) < 200 > len(text)
    ]


def hostile_run(folder: Path) -> tuple[str, list[Any]]:
    """Check a repository in which hostile texts are file names, ids, keys, values, tags, model and branch.

    The model answers with them, the endpoint fails with them and gives them as its reason to stop.

    Returns:
        The report as Markdown, and the cases of the report file.
    """
    names = file_names()
    golden = {f"golden/{name}.golden.jsonl": name for name in names}
    cases = [
        {
            "id": name if name.isprintable() else ascii(name),
            "prompt_file": f"{'../' * path.count('/')}prompts/{name}.txt",
            "expect_keys": [name],
            "expect": {name: name},
            "tags": [name],
            "note": name,
            "n": 3,
        }
        for path, name in golden.items()
    ]
    repo = new_repo(folder / "repo")
    prompts = {f"prompts/{name}.txt": str(number) for number, name in enumerate(names)}
    config = {"evalaction.yml": f"model: {dumps(HOSTILE[3])}\n"}
    repo.commit({**config, **prompts, **{path: lines(case) for path, case in zip(golden, cases, strict=True)}})
    branch = "</details><img/src=x>|`@octo-user#12`"
    repo.git("branch", "--move", branch)
    repo.git("switch", "--quiet", "--create", "change")
    repo.commit({path: f"{number}\nagain" for path, number in prompts.items()})
    turns: Counter[int] = Counter()

    def script(number: int, body: Any) -> Answer:
        case = int(body["messages"][0]["content"].split()[0])
        name = names[case]
        if case % 10 == 0:
            return answer({"error": {"message": name}}, status=500, headers={"Retry-After": "0"})
        turns[case] += 1
        text = (name, dumps({name: 1}), dumps({name: name, "more": name}))[turns[case] % 3]
        stop = name if case % 10 == 1 else "stop"
        return answer(completion(text, id=f"cmpl-{number}", finish_reason=stop))

    with ScriptedEndpoint(script) as endpoint:
        ended = run(repo.path, "check", "--base", branch, url=endpoint.base_url, model=None)
    assert ended.report is not None, ended.err
    return (folder / "report" / "report.md").read_text(), ended.report["cases"]


def test_report__hostile_repository(seen: Window, tmp_path: Path) -> None:
    """A whole run over hostile files, branch, model, answers and errors shows all its cases, and is ours alone."""
    text, cases = hostile_run(tmp_path)
    page = read(seen, text)

    assert_ours(seen, page)
    assert [case["verdict"] for case in cases].count("unmeasured") == len(range(0, len(cases), 10))
    named = seen.ask("() => [...document.querySelectorAll('td:nth-child(2) > code')].map((item) => item.textContent)")
    assert sorted(named) == sorted(line(case["id"], ID).replace("<!--", "‹!--") for case in cases)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_example__at_a_glance(seen: Window, path: Path) -> None:
    """On a desk and a phone, by day and by night: all text stands out, and verdict, cause and next step are on top."""
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for width, scheme in ((width, scheme) for width in WIDTHS for scheme in schemes):
        page = read(seen, path.read_text(), width=width, scheme=scheme)
        assert_ours(seen, page, linked=path.parent.name == "comment-linked")
        assert [seen.ask(script) for script in (DIM, WRAPPED, BENEATH.replace("FOLD", str(FOLD)))] == [[], [], []]
        if folder := os.environ.get("PICTURES"):
            seen.picture(Path(folder) / f"{path.parent.name}-{width}-{scheme}.png")
