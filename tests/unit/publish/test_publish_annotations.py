"""Annotations, as GitHub's runner reads them."""

from __future__ import annotations

import posixpath
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.actions_runner import KEPT, Command, read_log
from support.example_reports import mixed
from support.reports import case_result, change, deck, removed, report, untrusted_everywhere, with_id
from support.story import lines
from support.suites import suite_of

from evalaction.errors import BadInput, Problem
from evalaction.publish.annotations import MESSAGE, annotation_lines, message_lines, problem_lines
from evalaction.report.remark import Level
from evalaction.report.remarks import remarks
from evalaction.report.untrusted import plain, visible

TEXTS = st.text(st.one_of(st.sampled_from(":#[],%=\r\n\v\f\x85\u2028 \t"), st.characters()), max_size=20)


def commands(rows: list[str]) -> list[Command]:
    """Return what the runner makes of lines, each of which must be one command and nothing else."""
    log = read_log("\n".join(rows))
    assert (len(log.commands), log.shown) == (len(rows), [] if rows else [""])
    return log.commands


def test_annotation_lines__mixed() -> None:
    """An annotation is one line with file, line, title and message."""
    rows = annotation_lines(mixed())

    assert rows[0] == (
        "::error file=golden/refunds.golden.jsonl,line=3,title=evalaction%3A fails on agreement::"
        "refund_abstain_v1 (golden/refunds.golden.jsonl:3) fails on agreement. Draws A A A A B; agreement 4/5, "
        "needs 5/5; flip rate 1/5 (0.5 – 82 %25); drawn because prompt (prompts/refund.j2). "
        "Have the prompt settle which answer is right."
    )
    assert commands(rows) == [
        Command(
            name=remark.level,
            data=plain(remark.message),
            properties={"file": remark.path or "", "line": str(remark.line), "title": remark.title},
        )
        for remark in remarks(mixed())
    ]


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("a.jsonl", "a.jsonl"),
        ("b/a.jsonl", "b/a.jsonl"),
        ("a,b:c%2C%.jsonl", "a,b:c%2C%.jsonl"),
        ("a\n::error::b\r.jsonl", "a⏎::error::b⟨U+000D⟩.jsonl"),
        ("caf\udce9.jsonl", "caf⟨U+DCE9⟩.jsonl"),
        ("\u202egp.jsonl", "⟨U+202E⟩gp.jsonl"),
        ("##[error]x].jsonl", "## [error]x].jsonl"),
        ("x" * 5_000, None),
        ("=x.jsonl", None),
    ],
)
def test_annotation_lines__paths(path: str, file: str | None) -> None:
    """A path reaches the runner as it is, but for what cannot be seen; one that cannot be said is left out."""
    (command,) = commands(annotation_lines(report(case_result("a", "A B", agreement_min=1, path=path))))

    assert command.properties.get("file") == file


def test_annotation_lines__removed_with_its_file() -> None:
    """A removed case is shown at its file while that is there at head: not where the file has another name now."""
    run = report(removed=(replace(removed("a"), path="old.jsonl"), replace(removed("b"), path="kept.jsonl")))
    found = commands(annotation_lines(run, paths={"new.jsonl": 1, "kept.jsonl": 2}))

    assert [(each.name, each.properties.get("file")) for each in found] == [
        ("warning", None),
        ("warning", "kept.jsonl"),
    ]


@example("::error::x")
@example("%0A::error::x")
@example("a,line=1::x")
@example("=")
@given(TEXTS)
def test_annotation_lines__any_text(text: str) -> None:
    """Whatever ids, paths and values hold, each line is the one command that was meant, with all its properties."""
    run = untrusted_everywhere(text)
    found = commands(annotation_lines(run))

    assert [(command.name, command.properties["title"]) for command in found] == [
        (remark.level, remark.title) for level in Level for remark in remarks(run) if remark.level is level
    ]
    assert {name for command in found for name in command.properties} <= {"file", "line", "title"}
    files = {command.properties.get("file") for command in found} - {None}
    paths = {remark.path for remark in remarks(run) if remark.path is not None and remark.path[:1] != "="}
    assert files == {visible(path.translate({0x0A: "⏎", 0x09: "⇥"})).replace("##[", "## [") for path in paths if path}
    assert [command.data for command in found if "\n" in command.data or "\r" in command.data] == []


def test_annotation_lines__as_many_as_a_runner_keeps() -> None:
    """Ten errors are ten."""
    flips = case_result("c", "A B", agreement_min=1)
    found = commands(annotation_lines(report(*(with_id(flips, f"case_{index}") for index in range(KEPT)))))

    assert [command.data.split()[0] for command in found] == [f"case_{index}" for index in range(KEPT)]


def test_annotation_lines__more_than_a_runner_keeps() -> None:
    """Where there are more, the tenth says how many, and of what."""
    flips, missing = case_result("c", "A B", agreement_min=1), case_result("u", "∅ ∅")
    cases = [with_id(flips, f"case_{index}") for index in range(11)]
    run = report(*cases, *(with_id(missing, f"u{index}") for index in range(4)), decks=(deck("d"),))
    found = commands(annotation_lines(run))

    assert [command.data.split()[0] for command in found[:-1]] == [f"case_{index}" for index in range(KEPT - 1)]
    assert found[-1] == Command(
        name="error",
        data="And 2 more failing cases, 4 more unmeasured cases, 1 more unmeasured deck: see the step summary.",
        properties={"title": "evalaction: more"},
    )


def test_annotation_lines__many_warnings() -> None:
    """Errors and warnings are counted apart."""
    run = report(
        case_result("a", "A B", agreement_min=1),
        loosened=tuple(change(f"c{index}", "n", 5, 4, line=index + 1) for index in range(37)),
        edited_gold=(change("a", "expect", 1, 2),),
        removed=(removed("x"), removed("y")),
    )
    found = commands(annotation_lines(run))

    assert [command.name for command in found] == ["error"] + ["warning"] * KEPT
    assert found[-1].data == (
        "And 28 more loosened gates, 1 more edited expected value, 2 more removals: see the step summary."
    )


def test_annotation_lines__long_message() -> None:
    """A message is cut long before the runner would."""
    found = commands(message_lines(["x" * 5_000]))

    assert [(command.name, len(command.data), command.data[-1]) for command in found] == [("notice", MESSAGE, "…")]


def test_message_lines__notices() -> None:
    """A remark on the run is a notice without a file, and what a runner would drop is counted."""
    assert message_lines(["a::b\n##[error]c"]) == ["::notice title=evalaction::a::b⏎## [error]c"]
    assert commands(message_lines(["x"] * 12))[-1].data == "And 3 more notices: see the log."


@pytest.mark.parametrize(
    ("problem", "place"),
    [
        (Problem(message="m", path="a/golden.jsonl", line=3), {"file": "a/golden.jsonl", "line": "3"}),
        (Problem(message="m", path="golden", line=3), {"file": "golden", "line": "3"}),
        (Problem(message="m", path="a/golden.jsonl"), {"file": "a/golden.jsonl"}),
        (Problem(message="m", path="repeat"), {}),
        (Problem(message="m", path="EVAL_BASE_URL"), {}),
        (Problem(message="m", path="/github/workspace/x.y"), {}),
        (Problem(message="m", path="a.b/folder"), {}),
        (Problem(message="m"), {}),
        (
            Problem(message="m", path="a/golden.jsonl", line=3, source_path="p/t.j2", source_line=7),
            {"file": "p/t.j2", "line": "7"},
        ),
        (Problem(message="m", path="a/golden.jsonl", line=3, source_path="p.prompt.yml"), {"file": "p.prompt.yml"}),
    ],
)
def test_problem_lines__place(problem: Problem, place: dict[str, str]) -> None:
    """A problem stands on the line that is wrong; what an input or a variable is called is no file."""
    assert commands(problem_lines([problem])) == [
        Command(name="error", data=str(problem), properties={**place, "title": "evalaction"})
    ]


def test_problem_lines__one_template() -> None:
    """A broken template is one error on its own line, however many golden lines ask for it."""
    cases = [{"id": f"c{index}", "prompt_file": "t.j2"} for index in range(3)]
    files = {"golden.jsonl": lines(*cases, {"id": "d", "nope": 1}), "t.j2": "a\n{{ name }}"}

    assert problem_lines(suite_of(files).problems) == [
        "::error file=t.j2,line=2,title=evalaction::golden.jsonl:1: In the case 'c0': The template t.j2:2 "
        "cannot be rendered: 'name' is undefined. Give name in `vars`. 2 more golden lines cannot be read for it.",
        "::error file=golden.jsonl,line=4,title=evalaction::golden.jsonl:4: There is no field `nope`. "
        "Did you mean note?",
    ]


def test_problem_lines__one_prompt_file() -> None:
    """What a prompt file asks for and a golden line does not give is an error on that file."""
    prompt = "messages: [{role: user, content: '{{name}}'}]"
    problems = suite_of(
        {"golden.jsonl": lines({"id": "a", "prompt_file": "p.prompt.yml"}), "p.prompt.yml": prompt}
    ).problems

    assert [command.properties["file"] for command in commands(problem_lines(problems))] == ["p.prompt.yml"]


def test_problem_lines__many() -> None:
    """What a runner would drop is counted."""
    problems = [Problem(message="m", path="g.jsonl", line=line) for line in range(1, 31)]

    assert commands(problem_lines(problems))[-1].data == "And 21 more problems: see the log."


@given(TEXTS)
def test_problem_lines__any_text(text: str) -> None:
    """Whatever a problem quotes, it is one command."""
    error = BadInput(Problem(message=text, path=text, line=1, remedy=text, source_path=posixpath.join("p", text)))

    assert [command.name for command in commands(problem_lines(error.problems))] == ["error"]
