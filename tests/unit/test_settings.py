"""Settings from inputs and environment."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from evalaction.errors import BadInput
from evalaction.inputs import INPUTS
from evalaction.records.gate import GateName
from evalaction.records.settings import (
    CommentMode,
    Defaults,
    Endpoint,
    Forks,
    Limits,
    Posting,
    Settings,
)
from evalaction.settings import read_settings


def test_read_settings__defaults() -> None:
    """Without any input the built-in defaults hold, and nothing is sent that was not asked for."""
    expected = Settings(
        repo=".",
        base=None,
        head=None,
        endpoint=None,
        judge_endpoint=None,
        defaults=Defaults(
            model=None, judge_model=None, n=5, temperature=None, agreement_min=Fraction(4, 5), expect_min=Fraction(1)
        ),
        limits=Limits(max_calls=2_000, max_total_tokens=None, deadline_s=1_800, max_concurrency=8),
        config=None,
        golden=None,
        root="",
        force_all=False,
        fail_on=frozenset(GateName) - frozenset({GateName.CONTRACT, GateName.INDEPENDENCE, GateName.JUDGE_PROBE}),
        forks=Forks.FAIL,
        posting=Posting(token=None, mode=CommentMode.ALWAYS, comment_id="default"),
        show_completions=True,
        allow_commands=False,
        report_dir="evalaction-report",
        ledger=None,
        resume=False,
    )
    assert expected == read_settings({}, environ={})
    assert expected == read_settings({item.name: " \n" for item in INPUTS}, environ={})


def test_read_settings__all_given() -> None:
    """Every input reaches its setting."""
    inputs = {
        "base-url": " https://llm.example.test/v1\n",
        "model": "m-1",
        "api-key": "sk-0123456789\n",
        "judge-base-url": "https://judge.example.test/v1 ",
        "judge-model": " j-1",
        "judge-api-key": "\tjk-0123456789\n",
        "config": "evals/evalaction.yml",
        "golden": "evals/*.jsonl\n\n more/**/golden.jsonl ",
        "working-directory": "evals",
        "base": "main",
        "head": "WORKTREE",
        "repeat": "7",
        "temperature": "0.7",
        "agreement-min": "0.9",
        "max-concurrency": "2",
        "max-calls": "10",
        "max-total-tokens": "200000",
        "deadline": "60",
        "fail-on": "contract, independence judge-probe",
        "warn-on": "length,judge-gold",
        "force-run": "true",
        "show-completions": "false",
        "allow-commands": "true",
        "report-dir": "out",
        "ledger": " runs/ledger.jsonl",
        "resume": "true",
        "github-token": " ghs_0123456789\n",
        "comment-mode": "failures",
        "comment-id": "nightly",
        "forks": "draw",
    }
    assert set(inputs) == {item.name for item in INPUTS}
    expected = Settings(
        repo="r",
        base="main",
        head="WORKTREE",
        endpoint=Endpoint(base_url="https://llm.example.test/v1", api_key="sk-0123456789"),
        judge_endpoint=Endpoint(
            base_url="https://judge.example.test/v1",
            api_key="jk-0123456789",
            url_name="JUDGE_URL",
            key_name="JUDGE_API_KEY",
            model_name="JUDGE_MODEL",
        ),
        defaults=Defaults(
            model="m-1", judge_model="j-1", n=7, temperature=Decimal("0.7"), agreement_min=Fraction(9, 10)
        ),
        limits=Limits(max_calls=10, max_total_tokens=200_000, deadline_s=60, max_concurrency=2),
        config="evals/evalaction.yml",
        golden=("evals/*.jsonl", "more/**/golden.jsonl"),
        root="evals",
        force_all=True,
        cases=("a",),
        tags=("t",),
        fail_on=frozenset(GateName) - {GateName.LENGTH, GateName.JUDGE_GOLD},
        forks=Forks.DRAW,
        posting=Posting(token="ghs_0123456789", mode=CommentMode.FAILURES, comment_id="nightly"),
        show_completions=False,
        allow_commands=True,
        report_dir="out",
        ledger="runs/ledger.jsonl",
        resume=True,
    )
    assert expected == read_settings(inputs, environ={"EVAL_MODEL": "x"}, repo="r", cases=("a",), tags=("t",))


def test_read_settings__environment() -> None:
    """What an input leaves empty is read from its environment variable."""
    environ = {"EVAL_BASE_URL": "http://127.0.0.1:1", "EVAL_MODEL": "m", "EVAL_API_KEY": "k" * 8, "EVAL_N": "9"}
    settings = read_settings({"model": ""}, environ=environ)
    assert Endpoint(base_url="http://127.0.0.1:1", api_key="kkkkkkkk") == settings.endpoint
    assert Defaults(model="m") == settings.defaults


def test_read_settings__usual_gates() -> None:
    """The help says which gates fail a run by themselves."""
    (help_text,) = (item.help for item in INPUTS if item.name == "fail-on")
    usual = "agreement, schema, length, expected, judge-flip and judge-gold"
    assert f"Gates, separated by commas, whose failure fails the run, besides {usual}." == help_text


def test_read_settings__keys_do_not_show() -> None:
    """Neither key nor token nor a URL, which may hold one, shows in a ``repr``."""
    inputs = {"base-url": "http://u:secret-1@h", "api-key": "secret-2", "github-token": "secret-3"}
    settings = read_settings(
        {**inputs, "judge-base-url": "http://u:secret-4@j", "judge-api-key": "secret-5"}, environ={}
    )
    assert "secret" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("repeat", "1", "repeat: must be a whole number from 2 to 100."),
        ("repeat", "5.0", "repeat: must be a whole number from 2 to 100."),
        ("repeat", "\u0665", "repeat: must be a whole number from 2 to 100."),
        ("max-calls", "-1", "max-calls: must be a whole number from 0 to 10,000,000."),
        ("max-total-tokens", "0", "max-total-tokens: must be a whole number from 1 to 100,000,000,000."),
        ("max-total-tokens", "1e6", "max-total-tokens: must be a whole number from 1 to 100,000,000,000."),
        ("resume", "yes", "resume: must be true or false."),
        ("resume", "true", "resume: there is no ledger to take draws from. Name it with ledger (--ledger FILE)."),
        ("deadline", "0", "deadline: must be a whole number from 1 to 86,400."),
        ("max-concurrency", "1001", "max-concurrency: must be a whole number from 1 to 1,000."),
        ("temperature", "2.1", "temperature: must be a number from 0 to 2, such as 0.5."),
        ("temperature", "nan", "temperature: must be a number from 0 to 2, such as 0.5."),
        ("agreement-min", "80%", "agreement-min: must be a number from 0 to 1, such as 0.5."),
        ("agreement-min", "1e-1", "agreement-min: must be a number from 0 to 1, such as 0.5."),
        ("force-run", "yes", "force-run: must be true or false."),
        ("forks", "yes", "forks: must be one of fail, skip, draw."),
        ("comment-mode", "ALWAYS", "comment-mode: must be one of always, failures, changes, off."),
        ("comment-id", "a\nb", "comment-id: must be printable, in one line of 100 characters at the most."),
        ("show-completions", "ture", "show-completions: must be true or false."),
        (
            "fail-on",
            "speed",
            "fail-on: names no gate: speed; allowed: agreement, schema, length, expected, contract, independence, "
            "judge-flip, judge-gold, judge-probe.",
        ),
        ("modle", "x", "modle: there is no such input. Did you mean model?"),
    ],
)
def test_read_settings__malformed(name: str, text: str, message: str) -> None:
    """A malformed or unknown input is named with what is allowed."""
    with pytest.raises(BadInput) as caught:
        read_settings({name: text}, environ={})
    assert message == str(caught.value)


def test_read_settings__all_at_once() -> None:
    """Everything that is wrong is named at once, an environment variable by its own name."""
    with pytest.raises(BadInput) as caught:
        read_settings({"repeat": "0", "warn-on": "contract", "fail-on": "contract", "zzz": ""}, environ={})
    expected = (
        "zzz: there is no such input. Allowed: " + ", ".join(item.name for item in INPUTS) + ".\n"
        "repeat: must be a whole number from 2 to 100.\n"
        "warn-on: names gates that fail-on names too: contract."
    )
    assert expected == str(caught.value)


THE_KEY = "The key has fewer than 8 characters, so it is not redacted from the reports."
JUDGES_KEY = "The judge's key has fewer than 8 characters, so it is not redacted from the reports."


@pytest.mark.parametrize(
    ("inputs", "notes"),
    [
        ({"api-key": "short"}, (THE_KEY,)),
        ({"judge-api-key": "short"}, (JUDGES_KEY,)),
        ({"api-key": "1234567", "judge-api-key": "short"}, (THE_KEY, JUDGES_KEY)),
        ({"api-key": "12345678", "judge-api-key": "12345678"}, ()),
    ],
)
def test_read_settings__short_key(inputs: dict[str, str], notes: tuple[str, ...]) -> None:
    """A key too short to be redacted is noted, and never shown."""
    assert notes == read_settings({"base-url": "http://h", **inputs}, environ={}).notes
