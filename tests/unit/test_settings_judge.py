"""Where judges are asked, and with which key: none reaches an origin that it was not given for."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evalaction.draw.endpoint import make_target
from evalaction.errors import BadInput
from evalaction.records.settings import Endpoint
from evalaction.settings import origin_of, read_settings

KEY, JUDGE_KEY = "the-key-of-the-draws", "the-key-of-the-judge"


def judge_at(**environ: str) -> Endpoint | None:
    """Return where judges are asked in this environment."""
    return read_settings({}, environ=environ).judge_endpoint


def endpoint(url: str, key: str | None, *, url_name: str, key_name: str) -> Endpoint:
    """Return an endpoint of judges with the names of what has to be changed."""
    return Endpoint(base_url=url, api_key=key, url_name=url_name, key_name=key_name, model_name="JUDGE_MODEL")


HOME, AWAY = "https://llm.example.test/v1", "https://judge.example.test/v1"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, None),
        ({"EVAL_API_KEY": KEY, "JUDGE_API_KEY": JUDGE_KEY}, None),
        ({"EVAL_BASE_URL": HOME}, endpoint(HOME, None, url_name="EVAL_BASE_URL", key_name="EVAL_API_KEY")),
        (
            {"EVAL_BASE_URL": HOME, "EVAL_API_KEY": KEY},
            endpoint(HOME, KEY, url_name="EVAL_BASE_URL", key_name="EVAL_API_KEY"),
        ),
        (
            {"EVAL_BASE_URL": HOME, "EVAL_API_KEY": KEY, "JUDGE_API_KEY": JUDGE_KEY},
            endpoint(HOME, JUDGE_KEY, url_name="EVAL_BASE_URL", key_name="JUDGE_API_KEY"),
        ),
        (
            {"EVAL_BASE_URL": HOME, "EVAL_API_KEY": KEY, "JUDGE_URL": AWAY},
            endpoint(AWAY, None, url_name="JUDGE_URL", key_name="JUDGE_API_KEY"),
        ),
        (
            {"EVAL_BASE_URL": HOME, "EVAL_API_KEY": KEY, "JUDGE_URL": AWAY, "JUDGE_API_KEY": JUDGE_KEY},
            endpoint(AWAY, JUDGE_KEY, url_name="JUDGE_URL", key_name="JUDGE_API_KEY"),
        ),
        (
            {"EVAL_BASE_URL": HOME, "EVAL_API_KEY": KEY, "JUDGE_URL": "https://LLM.example.test:443/judge"},
            endpoint("https://LLM.example.test:443/judge", KEY, url_name="JUDGE_URL", key_name="EVAL_API_KEY"),
        ),
        (
            {"EVAL_API_KEY": KEY, "JUDGE_URL": AWAY},
            endpoint(AWAY, None, url_name="JUDGE_URL", key_name="JUDGE_API_KEY"),
        ),
        (
            {"EVAL_BASE_URL": "https://hôte.test", "EVAL_API_KEY": KEY, "JUDGE_URL": " https://hôte.test\n"},
            endpoint("https://hôte.test", KEY, url_name="JUDGE_URL", key_name="EVAL_API_KEY"),
        ),
    ],
    ids=[
        "nothing",
        "keys alone",
        "no key",
        "that of the draws",
        "a key of its own",
        "elsewhere without a key",
        "elsewhere",
        "another path",
        "judge alone",
        "the same text",
    ],
)
def test_judge_endpoint__whole(environ: dict[str, str], expected: Endpoint | None) -> None:
    """A judge is asked at its own URL, else at that of the draws; messages name what was given, or what is to be."""
    assert expected == judge_at(**environ)


def test_judge_endpoint__inputs_first() -> None:
    """The inputs count before the environment, each by itself."""
    inputs = {"judge-base-url": AWAY, "judge-api-key": JUDGE_KEY}
    environ = {"JUDGE_URL": "http://other", "JUDGE_API_KEY": "other-0123456", "JUDGE_MODEL": "j"}
    settings = read_settings(inputs, environ=environ)
    expected = endpoint(AWAY, JUDGE_KEY, url_name="JUDGE_URL", key_name="JUDGE_API_KEY")
    assert (expected, "j") == (settings.judge_endpoint, settings.defaults.judge_model)


def test_judge_endpoint__documented() -> None:
    """The document's table says which key is sent."""
    page = (Path(__file__).parents[2] / "docs" / "endpoints.md").read_text()
    _, table = page.split("| `EVAL_BASE_URL` | `JUDGE_URL` | judges are sent |\n")
    rows = [row.split("|")[1:4] for row in table.partition("\n\n")[0].splitlines()[1:]]
    said = []
    for usual, own, sent in rows:
        found = judge_at(EVAL_BASE_URL=usual.strip(" `"), EVAL_API_KEY=KEY, JUDGE_URL=own.strip(" `"))
        said.append((found is not None and found.api_key == KEY, sent.strip().startswith("`EVAL_API_KEY`")))
    assert said == [(True, True), (True, True), *[(False, False)] * 4]


# Origins

ALIKE = [
    ("https://llm.example.test", "https://LLM.Example.TEST/v1"),
    ("https://llm.example.test", "HTTPS://llm.example.test"),
    ("https://llm.example.test", "https://llm.example.test:443"),
    ("https://llm.example.test", "https://llm.example.test:"),
    ("https://llm.example.test", "https://llm.example.test:0443?x=1"),
    ("http://llm.example.test:80/v1", "http://llm.example.test"),
    ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080#x"),
    ("http://[::1]:8080", "http://[::1]:8080/v1"),
    ("https://user:password@llm.example.test", "https://llm.example.test"),
    ("https://llm.example.test", "https://other%40name:x:y@llm.example.test/"),
]
APART = [
    ("https://llm.example.test", "http://llm.example.test"),
    ("https://llm.example.test:443", "http://llm.example.test:443"),
    ("https://llm.example.test", "https://llm.example.test:8443"),
    ("https://llm.example.test", "https://llm.example.test:80"),
    ("https://llm.example.test", "https://llm.example.test."),
    ("https://llm.example.test", "https://llm.example.test.evil.test"),
    ("https://llm.example.test", "https://evil-llm.example.test"),
    ("https://llm.example.test", "https://llm.example.test@evil.test"),
    ("https://llm.example.test", "https://llm.example.test:443@evil.test"),
    ("https://llm.example.test", "https://evil.test#@llm.example.test"),
    ("https://llm.example.test", "https://evil.test?@llm.example.test"),
    ("https://llm.example.test", "https://evil.test/@llm.example.test"),
    ("https://llm.example.test", "https://evil.test\\@llm.example.test"),
    ("https://llm.example.test", "https://llm.example.test\\@evil.test"),
    ("https://llm.example.test", "https://a@evil.test@llm.example.test"),
    ("https://llm.example.test", "https://llm.example.test\t.evil.test"),
    ("https://llm.example.test", "https://llm.ex%61mple.test"),
    ("https://llm.example.test", "https://\uff4cllm.example.test"),
    ("https://k.test", "https://\u212a.test"),
    ("http://127.0.0.1", "http://localhost"),
    ("http://127.0.0.1", "http://127.1"),
    ("http://[::1]", "http://[0:0:0:0:0:0:0:1]"),
    ("https://hôte.test", "https://hôte.test/v1"),
    ("llm.example.test", "llm.example.test/v1"),
    ("ftp://llm.example.test", "ftp://llm.example.test/v1"),
]


@pytest.mark.parametrize(("usual", "own"), [*ALIKE, *(pair[::-1] for pair in ALIKE)])
def test_key__same_origin(usual: str, own: str) -> None:
    """The key goes where scheme, host and port are those that it was given for, however they are written."""
    found = judge_at(EVAL_BASE_URL=usual, EVAL_API_KEY=KEY, JUDGE_URL=own)
    assert endpoint(own, KEY, url_name="JUDGE_URL", key_name="EVAL_API_KEY") == found


@pytest.mark.parametrize(("usual", "own"), [*APART, *(pair[::-1] for pair in APART)])
def test_key__other_origin(usual: str, own: str) -> None:
    """It goes nowhere else, and nowhere where it is in doubt whose origin that is."""
    found = judge_at(EVAL_BASE_URL=usual, EVAL_API_KEY=KEY, JUDGE_URL=own)
    assert endpoint(own, None, url_name="JUDGE_URL", key_name="JUDGE_API_KEY") == found


HOSTS = st.sampled_from(
    ["a.test", "A.test", "a.test.", "b.a.test", "a-test", "127.0.0.1", "[::1]", "[::1%25eth0]", "hôte.test", "a.test\\"]
)
URLS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["http://", "https://", "HTTPS://", "http:", "ftp://", ""]),
        st.sampled_from(["", "", "u@", "u:p@", "a.test@", "a.test:443@", "@", "u@a.test@", "u\\@", "u%40b@"]),
        HOSTS,
        st.sampled_from(["", "", ":", ":80", ":443", ":0443", ":8443", ":x", ":99999"]),
        st.sampled_from(["", "/", "/v1", "?q=@b.test", "#@b.test", "\\@b.test", "/\t", "@b.test", "."]),
    ),
) | st.text(max_size=30)


def asked(url: str) -> tuple[str, str, int | None]:
    """Return whom a request is sent to, by the HTTP library's own reading of what is requested."""
    target = httpx.URL(make_target(Endpoint(base_url=url)).url)
    port = target.port or {"http": 80, "https": 443}[target.scheme]
    return target.scheme, target.raw_host.decode(), port


@given(usual=URLS, own=URLS)
def test_key__never_elsewhere(usual: str, own: str) -> None:
    """Whatever the two URLs are, the key of the draws is sent to the one host that the draws are sent to."""
    assume(usual.strip() and own.strip())
    judge = judge_at(EVAL_BASE_URL=usual, EVAL_API_KEY=KEY, JUDGE_URL=own)
    assert judge is not None
    assert judge.api_key in {None, KEY}
    if judge.api_key is None:
        return
    try:
        origins = [asked(url) for url in (usual, own)]
    except BadInput:
        return  # to such a URL nothing is sent
    assert origins[0] == origins[1]


@given(url=URLS)
def test_origin_of__as_it_is_asked(url: str) -> None:
    """An origin is that of the request, or there is none; none has white space, credentials or letters in capitals."""
    origin = origin_of(url)
    if origin is None:
        return
    assert re.fullmatch(r"[0-9a-z._-]+|\[[0-9a-f:.]+\]", origin[1])
    try:
        scheme, host, port = asked(url)
    except BadInput:
        return
    assert origin == (scheme, f"[{host}]" if ":" in host else host, port)


@given(
    host=st.from_regex(r"[a-z0-9]{1,5}(\.[a-z0-9]{1,5}){0,2}", fullmatch=True),
    scheme=st.sampled_from(["http", "https"]),
    path=st.sampled_from(["", "/", "/v1", "/v1/chat/completions?x=1"]),
    user=st.sampled_from(["", "u@", "u:p@"]),
)
def test_key__same_host(host: str, scheme: str, path: str, user: str) -> None:
    """Neither letters in capitals, nor the usual port, nor credentials, nor a path makes another origin."""
    port = {"http": 80, "https": 443}[scheme]
    usual, own = f"{scheme}://{host}", f"{scheme.upper()}://{user}{host.upper()}:{port}{path}"
    judge = judge_at(EVAL_BASE_URL=usual, EVAL_API_KEY=KEY, JUDGE_URL=own)
    assert judge is not None
    assert judge.api_key == KEY
