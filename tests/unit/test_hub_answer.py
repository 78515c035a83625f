"""What GitHub's answers mean."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.hub_answer import Answer, comment_at, list_at, origin, read_answer, text_at, value_at
from evalaction.records.hub import Comment, HubFailure, Refusal
from evalaction.redact import Redactor

NOW = 1_767_323_045.0
FORBIDDEN, LIMITED, UNSURE = Refusal.FORBIDDEN, Refusal.LIMITED, Refusal.UNSURE
PRIMARY = "API rate limit exceeded for installation ID 1."
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
LATER = "Fri, 02 Jan 2026 04:04:%02d GMT"
USED_UP = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": f"{NOW + 30:.0f}"}


def answer(status: int | None, said: str = "", **headers: str) -> Answer:
    """Return an answer; ``_`` in the names of headers is ``-``."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, headers=named, data=None, said=said)


def limits(**headers: str) -> dict[str, str]:
    return {name.replace("-", "_"): value for name, value in {**USED_UP, **headers}.items()}


@pytest.mark.parametrize(
    ("given", "refusal", "pauses"),
    [
        (answer(200), None, (1, 2)),
        (answer(204), None, (1, 2)),
        (answer(301), FORBIDDEN, (1, 2)),
        (answer(307), FORBIDDEN, (1, 2)),
        (answer(400), FORBIDDEN, (1, 2)),
        (answer(401, "Bad credentials"), FORBIDDEN, (1, 2)),
        (answer(403), FORBIDDEN, (1, 2)),
        (answer(403, "Resource not accessible by integration"), FORBIDDEN, (1, 2)),
        (answer(403, "Resource not accessible by integration", **limits()), FORBIDDEN, (31, 31)),
        (answer(404, "Not Found", **limits()), FORBIDDEN, (31, 31)),
        (answer(404, "No common ancestor between rate limit and main."), FORBIDDEN, (1, 2)),
        (answer(422, "Validation Failed"), FORBIDDEN, (1, 2)),
        (answer(422, "Validation Failed; was submitted too quickly"), LIMITED, (60, 120)),
        (answer(403, **limits()), LIMITED, (31, 31)),
        (answer(403, PRIMARY, **limits()), LIMITED, (31, 31)),
        (answer(429, PRIMARY, **limits()), LIMITED, (31, 31)),
        (answer(403, PRIMARY, **limits(**{"x-ratelimit-reset": f"{NOW - 90:.0f}"})), LIMITED, (1, 2)),
        (answer(403, PRIMARY, **limits(**{"x-ratelimit-reset": f"{NOW + 2:.0f}.5"})), LIMITED, (3.5, 3.5)),
        (answer(403, PRIMARY, **limits(**{"x-ratelimit-reset": "soon"})), LIMITED, (60, 120)),
        (answer(403, PRIMARY, **limits(**{"retry-after": "40"})), LIMITED, (40, 40)),
        (answer(403, PRIMARY, x_ratelimit_remaining="7", x_ratelimit_reset=f"{NOW + 30:.0f}"), LIMITED, (60, 120)),
        (answer(403, SECONDARY), LIMITED, (60, 120)),
        (answer(403, SECONDARY, retry_after="1"), LIMITED, (1, 2)),
        (answer(403, SECONDARY, retry_after="Fri, 02 Jan 2026 03:04:35 GMT"), LIMITED, (30, 30)),
        (answer(403, "You have triggered an abuse detection mechanism."), LIMITED, (60, 120)),
        (answer(403, SECONDARY, retry_after=f"{LATER % 35}", date=f"{LATER % 5}"), LIMITED, (30, 30)),
        (answer(403, SECONDARY, retry_after=f"{LATER % 35}", date="soon"), LIMITED, (3_630, 3_630)),
        (answer(403, PRIMARY, **limits(date=f"{LATER % 5}")), LIMITED, (1, 2)),
        (answer(403, PRIMARY, **limits(date="Fri, 02 Jan 2026 03:03:05 -0000")), LIMITED, (91, 91)),
        (answer(403, "", retry_after="7"), LIMITED, (7, 7)),
        (answer(429), LIMITED, (60, 120)),
        (answer(429, "", retry_after="0"), LIMITED, (1, 2)),
        (answer(500), UNSURE, (1, 2)),
        (answer(503, "", retry_after="7"), UNSURE, (7, 7)),
        (answer(599), UNSURE, (1, 2)),
        (answer(None, "ReadTimeout"), UNSURE, (1, 2)),
    ],
)
def test_answer__kinds(given: Answer, refusal: Refusal | None, pauses: tuple[float, float]) -> None:
    """What is not allowed and what is too fast are told apart; a wait is what GitHub asks for, longer at each try."""
    assert given.refusal is refusal
    assert (given.pause(tries=1, now=NOW), given.pause(tries=2, now=NOW)) == pauses


@pytest.mark.parametrize(
    ("given", "refusal", "message", "status"),
    [
        (answer(None, "ReadTimeout"), UNSURE, "no answer (ReadTimeout)", None),
        (answer(502), UNSURE, "HTTP 502", 502),
        (answer(404, "Not Found"), FORBIDDEN, "HTTP 404: Not Found", 404),
        (answer(200), UNSURE, "the answer does not hold what was asked for", 200),
    ],
)
def test_answer__failure(given: Answer, refusal: Refusal, message: str, status: int | None) -> None:
    """A failure says what happened; a success without what was asked for is one too."""
    failure = given.failure()

    assert (failure.refusal, failure.message, failure.status, str(failure)) == (refusal, message, status, message)


@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        (200, '{"a": 1}', Answer(status=200, headers={}, data={"a": 1}, said="")),
        (200, '{"message": "hello"}', Answer(status=200, headers={}, data={"message": "hello"}, said="")),
        (204, "", Answer(status=204, headers={}, data=None, said="")),
        (200, "<html>", Answer(status=None, headers={}, data=None, said="it is not JSON")),
        (200, "[" * 100_000, Answer(status=None, headers={}, data=None, said="it is not JSON")),
        (502, "<html>", Answer(status=502, headers={}, data=None, said="")),
        (404, '"gone"', Answer(status=404, headers={}, data="gone", said="")),
        (403, '{"message": ["x"]}', Answer(status=403, headers={}, data={"message": ["x"]}, said="")),
    ],
)
def test_read_answer__kinds(status: int, text: str, expected: Answer) -> None:
    """JSON is read, a success that is none is no answer, and an error needs no body."""
    assert read_answer(status, {}, text, redactor=Redactor([])) == expected


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"message": "Not Found"}, "Not Found"),
        (
            {
                "message": "Validation Failed",
                "errors": [{"code": "custom", "message": "too long"}, {"code": "missing"}],
            },
            "Validation Failed; too long; missing",
        ),
        ({"message": "Validation Failed", "errors": ["too long", 7, None, {}]}, "Validation Failed; too long"),
        ({"message": "a\r\nb\x1b[2J\u202e::error::"}, "a⟨U+000D⟩⏎b⟨U+001B⟩[2J⟨U+202E⟩::error::"),
        ({"message": "the token ghs_secret1 is bad"}, "the token ‹redacted› is bad"),
        ({"message": "x" * 295 + "ghs_secret1"}, "x" * 295 + "‹red…"),
    ],
)
def test_read_answer__words(body: Any, said: str) -> None:
    """GitHub's own words are one visible line of some length, without the token, also where it would be cut."""
    read = read_answer(403, {}, json.dumps(body), redactor=Redactor(["ghs_secret1"]))

    assert read == Answer(status=403, headers={}, data=body, said=said)


@given(
    st.one_of(st.none(), st.integers(100, 599)),
    st.dictionaries(
        st.sampled_from(["retry-after", "x-ratelimit-remaining", "x-ratelimit-reset", "link", "date"]),
        st.one_of(st.text(max_size=20), st.from_regex(r"[0-9]{1,30}(\.[0-9]+)?", fullmatch=True), st.just("0")),
    ),
    st.text(max_size=50),
    st.integers(1, 20),
)
def test_answer__any(status: int | None, headers: dict[str, str], text: str, tries: int) -> None:
    """Whatever an answer holds, there is a kind, a message and a wait of a second or more."""
    read = read_answer(status or 200, headers, text, redactor=Redactor([]))

    assert read.refusal in {None, *Refusal}
    assert read.message.isprintable()
    assert 1 <= read.pause(tries=tries, now=NOW) < 10**13


ROOT = "https://ghe.example.test/api/v3/"
PAGE = f"{ROOT}repositories/1/issues/7/comments?per_page=100&page=2"


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("", None),
        (f'<{PAGE}>; rel="next", <{PAGE}0>; rel="last"', PAGE),
        (f'<{PAGE}0>; rel="prev", <{PAGE}>; rel="next"', PAGE),
        (f"<{PAGE}>; rel=next", PAGE),
        (f'<{PAGE}>; title="x"; rel="next"', PAGE),
        ("</api/v3/issues?page=2>; rel=next", "https://ghe.example.test/api/v3/issues?page=2"),
        ("<HTTPS://GHE.example.test:443/a?page=2>; rel=next", "https://GHE.example.test:443/a?page=2"),
        (f'<{PAGE}>; rel="last"', None),
        (f'<{PAGE}>; rel="last", <{PAGE}>; rel="prev"', None),
        (f"{PAGE}; rel=next", None),
    ],
)
def test_answer__next_page(link: str, expected: str | None) -> None:
    """The next page is the one that a Link header calls so."""
    assert answer(200, link=link).next_page(ROOT) == expected


@pytest.mark.parametrize(
    "address",
    [
        "http://ghe.example.test/api/v3/a",
        "https://ghe.example.test:8443/api/v3/a",
        "https://evil.example.test/api/v3/a",
        "https://x.ghe.example.test/api/v3/a",
        "https://ghe.example.test@evil.example.test/",
        "//evil.example.test/a",
        "file:///etc/passwd",
        "https://[::1",
        "https://ghe.example.test:x/",
    ],
)
def test_answer__next_page_elsewhere(address: str) -> None:
    """A next page on another server, port or scheme is refused."""
    with pytest.raises(HubFailure, match=r"^GitHub's next page lies on another server$"):
        answer(200, link=f"<{address}>; rel=next").next_page(ROOT)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://api.github.com", ("https", "api.github.com", 443)),
        ("http://127.0.0.1:8080/api/v3", ("http", "127.0.0.1", 8080)),
        ("https://[::1]:7", ("https", "::1", 7)),
        ("ftp://host", None),
        ("https://", None),
        ("https:///path", None),
        ("https://host:99999", None),
        ("", None),
    ],
)
def test_origin__kinds(address: str, expected: tuple[str, str, int] | None) -> None:
    """An origin is scheme, host and port; what has none of these is no address."""
    assert origin(address) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            {"id": 1, "user": {"login": "a"}, "body": "b", "html_url": "u"},
            Comment(id=1, author="a", body="b", url="u"),
        ),
        ({"id": 1}, Comment(id=1, author="", body="sent", url="")),
        ({"id": 1, "user": None, "body": None, "html_url": 7}, Comment(id=1, author="", body="sent", url="")),
        ({"id": True}, None),
        ({"id": "1"}, None),
        ({}, None),
        (None, None),
        ([], None),
    ],
)
def test_comment_at__kinds(data: Any, expected: Comment | None) -> None:
    """A comment needs an id; everything else may be missing."""
    assert comment_at(data, body="sent") == expected


def test_value_at__kinds() -> None:
    """A value that is not where it should be, or of another kind, is as if it were not there."""
    data = {"a": {"b": "text", "c": [1]}, "d": None}

    assert (value_at(data, "a", "b"), value_at(data, "a", "b", "c"), value_at(data, "d", "e")) == ("text", None, None)
    assert (text_at(data, "a", "b"), text_at(data, "a", "c"), text_at([], "a")) == ("text", "", "")
    assert (list_at(data, "a", "c"), list_at(data, "a", "b"), list_at(data)) == ([1], None, None)
