"""Where the Action finds things and leaves things: secrets, servers of one's own, folders of the workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.actionjob import (
    CASE,
    CHANGED,
    NOT_POSTED,
    OTHER,
    PASSED,
    POSTED,
    TOKEN,
    Ended,
    Project,
    new_project,
)
from support.endpoint import Answer, ScriptedEndpoint, answer
from support.fakehub import FakeGitHub, refused
from support.payloads import REPOSITORY
from support.story import lines

from evalaction import action

KEY = "sk-test/0123+4567=89"
SECRET = "hunter2-hunter2"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with new_project(tmp_path) as made:
        yield made


# Keys and tokens


def written(project: Project, ended: Ended) -> bytes:
    """Return all that a run left: log without masks, summary, outputs, comments, and every file of report and step."""
    shown = "\n".join(line for line in ended.out.splitlines() if not line.startswith("::add-mask::"))
    folders = (ended.folder / ended.report_dir, project.folder / f"step-{project.runs}")
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    comments = [comment.body for comment in project.comments]
    return b"\n".join([shown.encode(), *(body.encode() for body in comments), *(path.read_bytes() for path in files)])


def leaking(_: int, body: Any) -> Answer:
    """Answer as an endpoint that repeats the key it was given."""
    return answer({"error": {"message": f"invalid key {KEY} or {SECRET} for {body['model']}"}}, 401)


def fault(*_: object, **__: object) -> None:
    raise ValueError(f"Authorization: Bearer {KEY} token {TOKEN} at https://u:{SECRET}@llm.example.test")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, 3),
        ({"repeat": "many"}, 2),
        ({"comment_mode": KEY}, 2),
        ({"working_directory": "x"}, 2),
        ({"fault": "x"}, 3),
    ],
    ids=["refused", "input", "mode", "folder", "fault"],
)
def test_main__secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, str], code: int) -> None:
    """Keys are masked before anything else is said, also when settings are bad, and stand nowhere else.

    Not in the log, the summary, the outputs, the comment, a report file or what GitHub is sent, though the endpoint
    repeats them, or an exception of ours does.
    """
    with FakeGitHub(token=TOKEN) as github, ScriptedEndpoint(leaking) as endpoint:
        project = Project(folder=tmp_path, github=github, endpoint=endpoint)
        if given.pop("fault", ""):
            monkeypatch.setattr(action, "measure", fault)
        url = endpoint.base_url.replace("//", f"//u:{SECRET}@")
        ended = project.run(api_key=f" {KEY}\n", base_url=url, given=given)

    assert ended.code == code
    names = [command.name for command in ended.log.commands]
    masks = [command.data for command in ended.log.commands if command.name == "add-mask"]
    assert names[: len(masks)] == ["add-mask"] * len(masks)
    assert ended.out.splitlines()[: len(masks)] == [f"::add-mask::{mask.replace('%', '%25')}" for mask in masks]
    assert {KEY, TOKEN, SECRET} <= set(masks)
    left = written(project, ended)
    assert [secret for secret in (KEY, TOKEN, SECRET, *masks) if secret.encode() in left] == []
    assert "⚪ evalaction: ".encode() in left
    for request in github.requests:
        headers = {name: text for name, text in request.headers.items() if name != "authorization"}
        assert not any(mask in f"{request.path}{request.query}{request.json}{headers}" for mask in masks)


def test_main__token_repeated(project: Project) -> None:
    """Nor does what GitHub says of a token bring it into a notice."""
    project.github.script("GET", r"/repos/.*/comments", refused(403, f"{TOKEN} may not ::error::x"))
    ended = project.run()

    assert TOKEN.encode() not in written(project, ended)
    ((level, notice),) = ended.said
    assert (level, notice.partition("). ")[0]) == (
        "notice",
        "The comment could not be written (HTTP 403: ‹redacted› may not ::error::x",
    )


@pytest.mark.parametrize("given", [{"api_key": "short"}, {"EVAL_API_KEY": "short"}])
def test_main__short_secret(project: Project, given: dict[str, str]) -> None:
    """A key of few characters would mask words: it is not, and the report says so."""
    ended = project.run(given=given)

    assert [command.data for command in ended.log.commands if command.name == "add-mask"] == [TOKEN]
    assert ended.notes == ["The key has fewer than 8 characters, so it is not redacted from the reports."]
    assert {request.headers["authorization"] for request in project.endpoint.requests} == {"Bearer short"}


# A GitHub of one's own


def test_main__server_of_ones_own(tmp_path: Path) -> None:
    """On GitHub Enterprise Server the API is asked below ``/api/v3``, and links lead to that server."""
    server = "https://github.example.test"
    with new_project(tmp_path, prefix="/api/v3", server=server) as project:
        first = project.run()
        project.push({"golden.jsonl": "{"})
        second = project.run("pull_request.synchronize")

        (comment,) = project.comments
        assert (first.outputs, second.code) == ({**PASSED, **POSTED}, 2)
        assert f"[log]({server}/{REPOSITORY}/actions/runs/102)" in comment.body
        assert project.asked[3:] == ["GET issues/2/comments", "GET user", "POST graphql", "PATCH issues/comments/1001"]


def test_main__api_unreachable(project: Project) -> None:
    """An API that is not there is a notice; and no request goes elsewhere."""
    ended = project.run(GITHUB_API_URL="file:///etc")

    assert (ended.code, ended.outputs) == (0, {**PASSED, **NOT_POSTED})
    assert ended.said == [
        (
            "notice",
            "The comment could not be written (GITHUB_API_URL is no address of a server: file:///etc). Check the input "
            "github-token, GITHUB_API_URL and GITHUB_REPOSITORY.",
        )
    ]
    assert project.asked == []


# Folders


def test_main__checkout_below(tmp_path: Path) -> None:
    """A checkout below the workspace is found by ``working-directory``; annotations name files as its repository does.

    The report lies in the workspace, and outputs name it from there.
    """
    base = {"evals/golden.jsonl": lines(CASE), "golden.jsonl": lines(OTHER)}
    head = {"evals/golden.jsonl": lines({**CASE, "prompt": "Waver"}), "golden.jsonl": lines({**OTHER, "prompt": "Oh"})}
    with new_project(tmp_path, base=base, head=head) as project:
        repo = project.checkout(below="src/app")
        given = {"GITHUB_WORKSPACE": str(repo.path.parents[1]), "working_directory": "src/app/evals"}
        ended = project.run(checkout=repo, report_dir="out/eval s", given=given)

        (comment,) = project.comments
        paths = {"report-json": "out/eval s/report.json", "report-md": "out/eval s/report.md"}
        counts = {"cases-total": "1", "verdict": "fail", "exit-code": "1", "cases-failed": "1", "flip-rate": "0.5"}
        assert (ended.code, ended.outputs) == (1, {**PASSED, **counts, **paths, **POSTED})
        assert [each.properties.get("file") for each in ended.annotations] == ["evals/golden.jsonl"]
        assert comment.body == ended.as_comment(project.page, project.run_id)
        assert ended.summary == ended.as_summary
        assert sorted(path.name for path in (ended.folder / "out" / "eval s").iterdir()) == ["report.json", "report.md"]


def test_main__report_of_an_earlier_run(project: Project) -> None:
    """Whatever becomes of a run, no file tells of another one."""
    repo = project.checkout()
    project.run(checkout=repo)
    ended = project.run(checkout=repo, base_url="")

    assert (ended.code, list((ended.folder / "evalaction-report").iterdir())) == (2, [])


def test_main__removed_from_a_renamed_file(tmp_path: Path) -> None:
    """A case that is gone from a file with another name now is told without a file: at its old path nothing is."""
    more = {"id": "c", "prompt": "Ha", "n": 2}
    with new_project(tmp_path, base={"old.golden.jsonl": lines(CASE, OTHER, more)}, head={"x": "x"}) as project:
        project.origin.git("switch", "--quiet", "changes")
        project.origin.git("mv", "old.golden.jsonl", "new.golden.jsonl")
        project.push({"new.golden.jsonl": lines(CASE, OTHER)})
        ended = project.run("pull_request.synchronize")

    assert (ended.code, ended.drawn) == (0, [])
    assert [(each.name, each.data, each.properties) for each in ended.annotations] == [
        ("warning", "removed: case c (old.golden.jsonl)", {"title": "evalaction: removed"})
    ]


FORGED = ("report.json", "report.md", "index.html")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, 0),
        ({"base_url": ""}, 2),
        ({"repeat": "many"}, 2),
        ({"comment_mode": "sometimes"}, 2),
        ({"GITHUB_EVENT_PATH": "/nowhere"}, 2),
        ({"INPUT_base-url": "http://127.0.0.1:1"}, 2),
        ({"report_dir": " out/x "}, 0),
    ],
    ids=["none", "endpoint", "input", "mode", "event", "case", "elsewhere"],
)
def test_main__report_of_a_pull_request(project: Project, given: dict[str, str], code: int) -> None:
    """However a run ends, no report that the pull request brought along is left to be kept as this run's."""
    repo = project.checkout()
    folder = repo.path / (given.get("report_dir", "").strip() or "evalaction-report")
    folder.mkdir(parents=True)
    for name in FORGED:
        (folder / name).write_text("forged")
    ended = project.run(checkout=repo, given=given)

    left = {path.name: path.read_text() == "forged" for path in folder.iterdir()}
    ours = {"report.json": False, "report.md": False} if code == 0 else {}
    assert (ended.code, left) == (code, {**ours, "index.html": True})


def test_main__input_in_another_case(project: Project) -> None:
    """A variable that is no input as the runner writes it wins nowhere: it is an error that names it."""
    ended = project.run(given={"INPUT_BASE-URL": project.endpoint.base_url, "INPUT_base-url": "http://127.0.0.1:1"})

    said = "INPUT_base-url: there is no such input. Did you mean base-url?"
    assert (ended.code, ended.said, project.calls) == (2, [("error", said)], 0)


@pytest.mark.parametrize("away", [True, False], ids=["started elsewhere", "started in the workspace"])
@pytest.mark.parametrize(
    ("link", "report_dir"), [("evalaction-report", ""), ("out", "out/report")], ids=["folder", "parent"]
)
def test_main__report_folder_is_a_link(tmp_path: Path, link: str, report_dir: str, away: bool) -> None:
    """A pull request that puts a symbolic link in the report folder's place has nothing written elsewhere."""
    started = tmp_path if away else None
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with new_project(tmp_path / "job") as project:
        repo = project.checkout()
        (repo.path / link).symlink_to(elsewhere)
        ended = project.run(checkout=repo, report_dir=report_dir, cwd=started)

    said = f"The report folder is reached through the symbolic link {repo.path / link}. "
    assert (ended.code, ended.said) == (
        2,
        [("error", f"{said}Name another folder with report-dir, or remove what is there.")],
    )
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"working_directory": "../../x"}, "working-directory: ../../x is not inside the workspace."),
        ({"working_directory": "/etc"}, "working-directory: /etc is not inside the workspace."),
        ({"report_dir": "/tmp/x"}, "report-dir: /tmp/x is not inside the workspace."),  # noqa: S108 - refused
    ],
)
def test_main__outside(project: Project, given: dict[str, str], said: str) -> None:
    """Neither what is looked at nor what is written lies outside the workspace: other steps see nothing else."""
    ended = project.run(given=given)

    assert (ended.code, ended.said, project.calls) == (2, [("error", said)], 0)


def test_main__no_files_of_the_runner(project: Project) -> None:
    """Without the runner's files the run ends as it would, and says what is missing."""
    ended = project.run(GITHUB_OUTPUT="", GITHUB_STEP_SUMMARY="")

    assert (ended.code, ended.outputs, ended.summary) == (0, {}, "")
    assert "No step summary: GITHUB_STEP_SUMMARY is not set." in ended.log.shown
    assert ended.said == [("notice", "No outputs: GITHUB_OUTPUT is not set.")]
    assert [comment.body for comment in project.comments] == [ended.as_comment(project.page, project.run_id)]
    assert CHANGED["golden.jsonl"] == (ended.folder / "golden.jsonl").read_text()
