"""Trees that GitHub serves: the same trees as git's own, with as few questions as can be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.gitrepo import Repo, clone, contents, new_repo
from support.served import GitObjects
from support.story import lines

from evalaction.check import Prepared, prepare
from evalaction.errors import BadInput
from evalaction.records.event import Event, PullRequest
from evalaction.records.hub import HubFailure, Refusal, ServedEntry
from evalaction.records.plan import Reason
from evalaction.records.settings import Defaults, Settings
from evalaction.records.tree import EntryKind
from evalaction.trees import objects as stored
from evalaction.trees.event_pair import find_event_pair
from evalaction.trees.pair import NO_BASE
from evalaction.trees.source import read_served


@pytest.fixture
def source(tmp_path: Path) -> Repo:
    return new_repo(tmp_path / "source")


@pytest.fixture
def empty(tmp_path: Path) -> Repo:
    """A clone that has nothing of the source."""
    repo = new_repo(tmp_path / "empty")
    repo.commit({"other": "x"})
    return repo


def test_read_served__as_git_reads_it(source: Repo, empty: Repo) -> None:
    """A served tree is the tree that git reads: paths, kinds, order, contents, odd names and all."""
    source.write(
        {
            "a": "x",
            "a.b": "y",
            "a/\u00e9\n\udcff".replace("a/", "z/"): b"\0\xff",
            "empty": "",
            "pointer": "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 1\n",
            "windows": "1\r\n2\r\n",
        }
    )
    (source.path / "link").symlink_to("a")
    sha = source.commit()
    source.git("update-index", "--add", "--cacheinfo", f"160000,{sha},module")
    source.git("commit", "--quiet", "--message", "A submodule.")
    sha = source.git("rev-parse", "HEAD")
    with source.open() as there, empty.open() as here:
        own = there.commit(sha, ref="main")
        tree = read_served(GitObjects(source), here.blobs, sha=sha, ref="main")
        assert list(own.entries.items()) == list(tree.entries.items())
        assert (own.sha, own.ref, own.oids) == (tree.sha, tree.ref, tree.oids)
        assert contents(own) == contents(tree)
        for path in ("link", "module", "nowhere"):
            with pytest.raises(KeyError):
                tree.read(path)


def test_read__each_content_once(source: Repo, empty: Repo) -> None:
    """A content is asked for when it is read, and once, at however many paths it stands."""
    sha = source.commit({"a": "same", "b": "same", "c": "never read"})
    github = GitObjects(source)
    with empty.open() as here:
        tree = read_served(github, here.blobs, sha=sha, ref="main")
        assert [b"same"] * 4 == [tree.read(path) for path in ("a", "b", "a", "b")]
    assert [("entries", sha), ("blob", source.git("rev-parse", f"{sha}:a"))] == github.asked


def test_read__what_the_clone_has(source: Repo, empty: Repo) -> None:
    """A content that the clone holds anywhere is read there, also after one that it lacks."""
    sha = source.commit({"a": "lacking", "b": "x"})
    github = GitObjects(source)
    with empty.open() as here:
        tree = read_served(github, here.blobs, sha=sha, ref="main")
        assert [b"x", b"lacking", b"x"] == [tree.read(path) for path in ("b", "a", "b")]
        assert here.blobs.read(tree.oids["b"], path="b") == b"x"
    assert [("entries", sha), ("blob", source.git("rev-parse", f"{sha}:a"))] == github.asked


def test_read__too_large(source: Repo, empty: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file has the same limit as one of git's own, wherever it is read from."""
    sha = source.commit({"a": "12345", "b": "123456"})
    empty.commit({"b": "123456"})
    monkeypatch.setattr(stored, "MAX_FILE_BYTES", 4)
    with empty.open() as here:
        tree = read_served(GitObjects(source), here.blobs, sha=sha, ref="main")
        for path, size in (("a", 5), ("b", 6)):
            with pytest.raises(BadInput) as caught:
                tree.read(path)
            expected = (
                f"{path}: The file has {size} bytes; 4 is the most that is read. "
                "Make it smaller, or keep it out of what cases refer to."
            )
            assert expected == str(caught.value)


def test_read__refused(source: Repo, empty: Repo) -> None:
    """What GitHub does not serve is said to be so: of a base to whoever can do without it, of a head to people."""
    sha = source.commit({"a": "1"})
    github = GitObjects(source, refuse=("blob",))
    with empty.open() as here:
        tree = read_served(github, here.blobs, sha=sha, ref="main")
        with pytest.raises(HubFailure) as failed:
            replace(tree, is_base=True).read("a")
        with pytest.raises(BadInput) as caught:
            tree.read("a")
        assert "API rate limit exceeded" == failed.value.message
        expected = (
            "a: This file's content cannot be had: it is not in this clone; GitHub's API did not help (API rate limit "
            "exceeded)."
        )
        assert expected == str(caught.value)
        github.refuse = ()
        assert tree.read("a") == b"1"


class Forged(GitObjects):
    """A server that has been tampered with, or cuts contents short."""

    def blob(self, oid: str) -> bytes:
        """Return another content than the id stands for."""
        return super().blob(oid)[:-1]


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_read__held_against_its_id(tmp_path: Path, empty: Repo, kind: str) -> None:
    """A content that is not the one that its id stands for is refused, as if it were not served."""
    there = new_repo(tmp_path / "there", f"--object-format={kind}")
    sha = there.commit({"a": "12\n", "empty": ""})
    for github, expected in ((GitObjects(there), b"12\n"), (Forged(there), None)):
        with empty.open() as here:
            tree = replace(read_served(github, here.blobs, sha=sha, ref="main"), is_base=True)
            if expected is not None:
                assert {"a": expected, "empty": b""} == contents(tree)
                continue
            with pytest.raises(HubFailure) as caught:
                tree.read("a")
        said = f"what it serves as {tree.oids['a'][:12]} is another content"
        assert (Refusal.UNSURE, said) == (caught.value.refusal, caught.value.message)


class Rubbish(GitObjects):
    """A server whose ids are none."""

    def entries(self, commit: str) -> list[ServedEntry]:
        """Return an entry that would ask git for something else."""
        return [ServedEntry(path="a", kind=EntryKind.FILE, oid=f"HEAD:a\n{commit}")]


def test_read_served__no_ids(source: Repo, empty: Repo) -> None:
    """What a server calls an object reaches git only as an id."""
    sha = source.commit({"a": "1"})
    for github, asked, said in (
        (Rubbish(source), sha, f"the tree of {sha[:12]} names something that is no object"),
        (GitObjects(source), "main", "what it names is no commit"),
    ):
        with empty.open() as here, pytest.raises(HubFailure) as caught:
            read_served(github, here.blobs, sha=asked, ref="main")
        assert (Refusal.UNSURE, said) == (caught.value.refusal, caught.value.message)


# Selection through GitHub's API


def pull_request(source: Repo, base: dict[str, str], head: dict[str, str], *, remove: tuple[str, ...] = ()) -> Event:
    """Make a pull request in the source, and return its event."""
    base_sha = source.commit(base)
    source.git("switch", "--quiet", "--create", "pr")
    head_sha = source.commit(head, remove=remove)
    pull = PullRequest(number=7, base_sha=base_sha, base_ref="main", head_sha=head_sha, from_fork=False)
    return Event(name="pull_request", pull=pull)


def selected(source: Repo, path: Path, event: Event) -> tuple[Prepared, GitObjects]:
    """Plan in a clone of depth 1, of the head, without a remote."""
    repo = clone(source, path, "--depth=1", "--branch=pr")
    repo.git("remote", "remove", "origin")
    github = GitObjects(source)
    with repo.open() as repository:
        pair = find_event_pair(repository, event, objects=github)
        return prepare(Settings(defaults=Defaults(model="m")), pair=pair), github


def test_selection__three_thousand_files(source: Repo, tmp_path: Path) -> None:
    """Of a pull request that adds 3,100 files and edits the prompt that sorts last, that prompt's case is drawn.

    GitHub lists at most 300 files of a comparison and 3,000 of a pull request. No list of files is asked for: one
    merge base, one tree, and the one content that differs.
    """
    golden = lines({"id": "z", "prompt_file": "zz/prompt.txt"}, {"id": "y", "prompt": "Hi"})
    event = pull_request(
        source,
        {"golden.jsonl": golden, "zz/prompt.txt": "Be brief.\n"},
        {**{f"data/{number:04}.txt": f"{number}\n" for number in range(3_100)}, "zz/prompt.txt": "Be kind.\n"},
    )
    assert event.pull is not None
    prepared, github = selected(source, tmp_path / "r", event)
    drawn = [(item.case.id, list(item.reasons), item.changed_files) for item in prepared.plan.cases]
    assert ([("z", ["prompt"], ("zz/prompt.txt",))], 1) == (drawn, prepared.plan.unaffected)
    base, head = event.pull.base_sha, event.pull.head_sha
    old = source.git("rev-parse", f"{base}:zz/prompt.txt")
    assert [("merge_base", base, head), ("entries", base), ("blob", old)] == github.asked


def test_selection__renamed(source: Repo, tmp_path: Path) -> None:
    """Golden files that share an id and moved without an edit keep their cases; an edited one is paired by its id."""
    first, second = lines({"id": "1", "prompt": "first"}), lines({"id": "1", "prompt": "second"})
    event = pull_request(
        source,
        {"a/golden.jsonl": first, "b/golden.jsonl": second},
        {"c/golden.jsonl": first, "d/golden.jsonl": second.replace("second", "another")},
        remove=("a/golden.jsonl", "b/golden.jsonl"),
    )
    plan = selected(source, tmp_path / "r", event)[0].plan
    summary: dict[str, Any] = {
        "drawn": [(item.case.key, list(item.reasons)) for item in plan.cases],
        "unaffected": plan.unaffected,
        "removed": [(item.kind, item.path, item.id) for item in plan.removed],
    }
    assert {
        "drawn": [(("d/golden.jsonl", "1"), ["new"])],
        "unaffected": 1,
        "removed": [("file", "b/golden.jsonl", None), ("case", "b/golden.jsonl", "1")],
    } == summary


def test_selection__refused_midway(source: Repo, tmp_path: Path) -> None:
    """A content of the base that GitHub refuses leaves the run without a base: every case is drawn, and it is said."""
    event = pull_request(
        source, {"golden.jsonl": lines({"id": "a", "prompt_file": "t.txt"}), "t.txt": "1"}, {"t.txt": "2"}
    )
    repo = clone(source, tmp_path / "r", "--depth=1", "--branch=pr")
    repo.git("remote", "remove", "origin")
    with repo.open() as repository:
        pair = find_event_pair(repository, event, objects=GitObjects(source, refuse=("blob",)))
        prepared = prepare(Settings(defaults=Defaults(model="m")), pair=pair)
    assert [planned.reasons for planned in prepared.plan.cases] == [(Reason.ALL,)]
    assert (prepared.pair.base, prepared.pair.notes[-1].startswith(NO_BASE)) == (None, True)
