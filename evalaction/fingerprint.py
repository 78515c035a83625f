"""Fingerprints: SHA-256 in hex over canonical bytes. Pure.

Two cases with equal fingerprints make the same request and are held to the same contract, whatever the
golden file looks like.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from evalaction.records.plan import Fingerprints
from evalaction.values import JSON, canonical, sha256

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalaction.records.case import Case, CaseJudge, Command, Compare, Contract, Sampling, Schema

SHORT = 12
"""Characters of a fingerprint on display."""


def short(fingerprint: str) -> str:
    """Return the first 12 characters of a fingerprint, for display."""
    return fingerprint[:SHORT]


def of_case(case: Case) -> Fingerprints:
    """Return the three fingerprints of a case."""
    return Fingerprints(
        prompt=prompt(case), contract=sha256(canonical(contract(case.contract))), sampling=sampling(case)
    )


def prompt(case: Case) -> str:
    """Return the fingerprint of the messages.

    For a single user message it is the SHA-256 of the text's UTF-8 bytes, so that it equals what
    ``printf %s "$PROMPT" | sha256sum`` prints; otherwise that of the canonical bytes of all messages.
    """
    if len(case.messages) == 1:
        message = case.messages[0]
        content = message.get("content")
        if message.keys() == {"role", "content"} and message["role"] == "user" and isinstance(content, str):
            return sha256(content.encode())
    return sha256(canonical([dict(message) for message in case.messages]))


def contract(contract: Contract) -> dict[str, JSON]:
    """Return a contract as the JSON object that its fingerprint is taken over: only what is set."""
    return _set(
        {
            "grader": contract.grader.value,
            "expect_keys": list(contract.expect_keys) or None,
            "agree_on": None if contract.agree_on is None else list(contract.agree_on),
            "schema": None if contract.schema is None else _schema(contract.schema),
            "expect": contract.expect,
            "expect_min": _fraction(contract.expect_min),
            "agreement_min": _fraction(contract.agreement_min),
            "max_completion_tokens": contract.max_completion_tokens,
            "judge": None if contract.judge is None else _judge(contract.judge),
            "labels": list(contract.labels) or None,
            "regex": contract.regex,
            "compare": {key: _compare(compare) for key, compare in contract.compare} or None,
            "whole": _compare(contract.whole) or None,
            "fence": contract.fence,
            "command": None if contract.command is None else _command(contract.command),
        }
    )


def sampling(case: Case) -> str:
    """Return the fingerprint of what is asked of the sampler, n included."""
    return sha256(canonical({**asked(case.sampling), "n": case.n}))


def asked(sampling: Sampling) -> dict[str, JSON]:
    """Return the sampling parameters that are set, with ``samples_per_request`` where it is more than 1.

    A request says that in another way (``n``), and where every draw is a request of its own, there is nothing to say.
    """
    fields = parameters(sampling)
    if sampling.samples_per_request > 1:
        fields["samples_per_request"] = sampling.samples_per_request
    return fields


def parameters(sampling: Sampling) -> dict[str, JSON]:
    """Return the sampling parameters that are set, by the names that a request gives them."""
    return _set(
        {
            "model": sampling.model,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": sampling.seed,
            "stop": None if sampling.stop is None else list(sampling.stop),
            "response_format": sampling.response_format,
            "max_tokens": sampling.max_tokens,
        }
    )


def together(fingerprints: Iterable[str]) -> str:
    """Return one fingerprint over several, in their order."""
    return sha256("\n".join(fingerprints).encode())


def _judge(judge: CaseJudge) -> JSON:
    # By its text: a rubric that moved asks the same of a judge.
    return {
        "rubric": judge.rubric,
        "labels": list(judge.labels),
        "repeats": judge.repeats,
        "sampling": parameters(judge.sampling),
    }


def _compare(compare: Compare) -> dict[str, JSON]:
    return _set(
        {
            "case_insensitive": compare.case_insensitive or None,
            "unordered": compare.unordered or None,
            "round": compare.round,
            "tolerance": compare.tolerance,
        }
    )


def _command(command: Command) -> JSON:
    # Files by their names beside the artifact, and not by their place in the tree.
    return {
        "argv": list(command.argv),
        "artifact": command.artifact,
        "files": dict(command.digests),
        "timeout": command.timeout_s,
    }


def _schema(schema: Schema) -> JSON:
    # By content, not by place: a schema that moved with its references asks the same of a draw.
    return [schema.document, *(document for _, document in schema.resources)]


def _fraction(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def _set(fields: dict[str, JSON]) -> dict[str, JSON]:
    return {name: value for name, value in fields.items() if value is not None}
