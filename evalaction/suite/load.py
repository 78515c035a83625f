"""A tree → everything that it asks to be checked. Pure.

Bad files raise nothing here: every problem is collected with its place, and the caller decides what one
means. At head any problem stops a run; at base the cases concerned are missing.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from evalaction.errors import BadInput, Problem
from evalaction.records.case import Case
from evalaction.records.settings import DEFAULT_GOLDEN, Defaults
from evalaction.records.suite import Suite
from evalaction.records.tree import Tree
from evalaction.suite.case import Resolver
from evalaction.suite.config import Config, load_config
from evalaction.suite.deck_files import not_read
from evalaction.suite.decks import Decks, load_decks
from evalaction.suite.files import Files, placed, resolve
from evalaction.suite.given import Given, given_by
from evalaction.suite.globs import is_glob
from evalaction.suite.lines import bounded, decode, split
from evalaction.suite.telling import telling
from evalaction.suite.warnings import warnings_of
from evalaction.suite.words import listed
from evalaction.values import sha256

Known = dict[tuple[Given, str], dict[bytes, Case]]
"""Cases by what holds where a line says nothing, its folder, and the line's bytes.

Handed to ``load_suite`` for one tree and then for the other, it makes equal lines one object, so that they
are resolved once and told to be equal at a glance.
"""

_NAMED = 5
"""Files of base that are named."""


def load_suite(
    tree: Tree,
    *,
    defaults: Defaults,
    golden: tuple[str, ...] | None = None,
    config: str | None = None,
    root: str = "",
    known: Known | None = None,
    before: Callable[[], Iterable[str]] | None = tuple,
) -> Suite:
    """Read the suite of a tree.

    Args:
        tree: at one commit, or the work tree.
        defaults: what the workflow, the environment or the built-in table says for cases and judges.
        golden: globs of golden files, seen from ``root``; None for those of the configuration file, or the usual.
        config: path of the configuration file, seen from ``root``; None for the usual places.
        root: folder of the tree that is looked at; empty for all of it.
        known: cases that were resolved before, added to here; share one between the two trees of a comparison.
        before: returns the golden and fixture files of base, to be named when there is nothing to check here. None:
            that is no problem, in all or in a golden file; a base may be older than its first case.

    Returns:
        The suite, with every problem that was found in it.
    """
    try:
        files = Files(tree, root=_folder(root))
    except BadInput as error:
        return _empty(error)
    configured, problems = load_config(files, path=config)
    given = configured.over(given_by(defaults))
    decks = load_decks(files, configured, given)
    resolver = Resolver(files, given, decks.judges)
    paths, missing = _golden_paths(files, golden, configured, decks, problems)
    cases = _golden_files(paths, files, resolver, {} if known is None else known, problems, may_be_empty=before is None)
    dependencies = _dependencies(configured, files, problems)
    problems += decks.problems
    if before is not None and not (paths or decks.asked or problems):
        problems.append(_nothing(golden or _globs(configured), files.root, tuple(before())))
    return Suite(
        cases=tuple(cases),
        decks=decks.decks,
        golden_paths=tuple(paths),
        dependencies=dependencies,
        dataset_sha256=_identity(files, sorted({*paths, *_files_of(decks)})),
        config_path=configured.path,
        config_sha256=None if configured.path is None else files.sha256(configured.path),
        problems=tuple(dict.fromkeys(problems)),
        warnings=(*missing, *warnings_of(cases, resolver.unread(cases), resolver.unused), *_of_decks(decks, files)),
    )


def _folder(root: str) -> str:
    path = resolve(root, folder="") if root else ""
    return "" if path == "." else path


def _golden_paths(
    files: Files, golden: tuple[str, ...] | None, configured: Config, decks: Decks, problems: list[Problem]
) -> tuple[list[str], list[str]]:
    """Return the golden files, and a warning for each glob that matches none though it was asked for."""
    asked: list[tuple[str, str, int | None]] = [(glob, "golden", None) for glob in golden or ()]
    asked = asked or [(entry.glob, configured.path or "", entry.line) for entry in configured.golden]
    paths: set[str] = set()
    missing = []
    for glob, place, line in asked or [(glob, "golden", None) for glob in DEFAULT_GOLDEN]:
        try:
            found = files.match(glob)
        except BadInput as error:
            problems += placed(error, path=place, line=line)
            continue
        if not found and asked:
            missing.append(f"No file matches {glob}.")
        paths.update(found)
    paths -= decks.lines
    readable = []
    for path in sorted(paths, key=lambda name: name.encode("utf-8", "surrogateescape")):
        if files.exists(path):
            readable.append(path)
        else:
            problems.append(files.unreadable(path))
    return readable, missing


def _golden_files(
    paths: Iterable[str],
    files: Files,
    resolver: Resolver,
    known: Known,
    problems: list[Problem],
    *,
    may_be_empty: bool,
) -> list[Case]:
    cases: list[Case] = []
    with _rare_collections():
        for path in paths:
            found, wrong = _golden_file(path, files, resolver, known, may_be_empty=may_be_empty)
            cases += found
            problems += wrong
    return cases


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Let Python's collector of cycles look less often: cases hold none, and it would go through all of them anew."""
    usual = gc.get_threshold()
    gc.set_threshold(usual[0] * 100, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _golden_file(
    path: str, files: Files, resolver: Resolver, known: Known, *, may_be_empty: bool
) -> tuple[list[Case], list[Problem]]:
    cases: list[Case] = []
    problems: list[Problem] = []
    cache = known.setdefault((resolver.given, path.rpartition("/")[0]), {})
    try:
        rows = split(path, files.read(path))
    except BadInput as error:
        return [], list(error.problems)
    lines: dict[str, int] = {}
    for line, raw in rows:
        case = cache.get(raw)
        if case is None or (case.uses and not files.same(case.uses)):
            try:
                case, repeatable = resolver.case(decode(raw), path=path, line=line)
            except BadInput as error:
                problems += placed(error, path=path, line=line)
                continue
            if repeatable:
                cache[raw] = case
        elif case.line != line or case.path != path:
            case = replace(case, path=path, line=line)
        if lines.setdefault(case.id, line) == line:
            cases.append(case)
        else:
            problems.append(_twice(case, lines[case.id]))
    if not (rows or may_be_empty):
        message = "The file holds no case (0 cases)."
        problems.append(Problem(message=message, path=path, remedy="Add a line, or remove the file."))
    return cases, bounded(problems, path)


def _twice(case: Case, first: int) -> Problem:
    return Problem(
        message=f"The id {case.id!r} stands in lines {first} and {case.line}.",
        path=case.path,
        line=case.line,
        remedy='Give each case of a file its own; 1 and "1" are the same.',
    )


def _of_decks(decks: Decks, files: Files) -> Iterator[str]:
    """Yield what should be known of the decks, and of files that look like theirs."""
    yield from not_read(files)
    for deck in decks.decks:
        yield from telling(deck)


def _files_of(decks: Decks) -> set[str]:
    return {path for deck in decks.decks for path in (deck.path, deck.planted_path) if path is not None}


def _dependencies(configured: Config, files: Files, problems: list[Problem]) -> dict[str, str]:
    found: dict[str, str] = {}
    for dependency in configured.dependencies:
        try:
            paths = files.match(dependency.glob) if is_glob(dependency.glob) else [_one(dependency.glob, files)]
            for path in paths:
                found[path] = sha256(files.read(path))
        except BadInput as error:
            problems += placed(error, path=configured.path or "", line=dependency.line)
    return dict(sorted(found.items()))


def _one(reference: str, files: Files) -> str:
    return resolve(reference, folder=files.root)


def _identity(files: Files, paths: Iterable[str]) -> str:
    rows: Iterator[str] = (f"{files.sha256(path)}  {path}\n" for path in paths)
    return sha256("".join(rows).encode("utf-8", "surrogateescape"))


def _globs(configured: Config) -> Sequence[str]:
    return [entry.glob for entry in configured.golden] or DEFAULT_GOLDEN


def _nothing(globs: Iterable[str], root: str, before: Sequence[str]) -> Problem:
    """Return that there is nothing to check; after a change that took away the last of it, with what that was."""
    below = f" below {root}" if root else ""
    message = f"No golden file matches {listed(globs)}{below}, and no deck is configured."
    remedy = "dd a file such as prompts/golden.jsonl, one case a line."
    if not before:
        return Problem(message=message, remedy=f"A{remedy}")
    more = [f"{len(before) - _NAMED:,} more"] if len(before) > _NAMED else []
    was, it = listed([*before[:_NAMED], *more]), "it" if len(before) == 1 else "one"
    return Problem(message=f"{message} Base has {was}.", remedy=f"Bring {it} back, or a{remedy}")


def _empty(error: BadInput) -> Suite:
    return Suite(
        cases=(),
        decks=(),
        golden_paths=(),
        dependencies={},
        dataset_sha256=sha256(b""),
        config_path=None,
        config_sha256=None,
        problems=tuple(placed(error, path="working-directory", line=None)),
    )
