"""Where requests go: URLs, keys, and how both are shown."""

from __future__ import annotations

import pytest

from evalaction.draw.endpoint import Target, chat_url, clean_key, host_of, make_target, shown
from evalaction.errors import BadInput
from evalaction.records.settings import Endpoint

KEY = "sk-test-AAAA1111BBBB2222"
REMEDY = "Set it to an OpenAI-compatible endpoint, such as https://llm.example.test/v1."


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        ("https://llm.example.test/v1", "https://llm.example.test/v1/chat/completions"),
        ("https://llm.example.test/v1/", "https://llm.example.test/v1/chat/completions"),
        ("https://llm.example.test/v1//", "https://llm.example.test/v1/chat/completions"),
        ("https://llm.example.test/v1/chat/completions", "https://llm.example.test/v1/chat/completions"),
        ("https://llm.example.test/v1/chat/completions/", "https://llm.example.test/v1/chat/completions"),
        ("https://gw.example.test/api/v1/", "https://gw.example.test/api/v1/chat/completions"),
        (" https://llm.example.test/v1\n", "https://llm.example.test/v1/chat/completions"),
        (
            "http://127.0.0.1:8080/v1?api-version=2024-06-01",
            "http://127.0.0.1:8080/v1/chat/completions?api-version=2024-06-01",
        ),
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions"),
        ("http://127.0.0.1:11434/", "http://127.0.0.1:11434/v1/chat/completions"),
        ("http://[::1]:11434", "http://[::1]:11434/v1/chat/completions"),
        ("https://llm.example.test?a=b", "https://llm.example.test/v1/chat/completions?a=b"),
        ("https://llm.example.test/av1", "https://llm.example.test/av1/chat/completions"),
        ("https://llm.example.test/xchat/completions", "https://llm.example.test/xchat/completions/chat/completions"),
        ("HTTPS://llm.example.test/v1#part", "https://llm.example.test/v1/chat/completions"),
        ("https://u:p@llm.example.test/v1", "https://u:p@llm.example.test/v1/chat/completions"),
    ],
)
def test_chat_url__forms(base_url: str, expected: str) -> None:
    """Scheme, host, port, path prefix and query are kept, and the operation's path stands there once."""
    assert expected == chat_url(base_url)
    assert expected == chat_url(chat_url(base_url))


@pytest.mark.parametrize(
    ("base_url", "message"),
    [
        ("", "is empty."),
        (" \n", "is empty."),
        (f"{KEY}@llm.example.test/v1", "is not a URL that begins with http:// or https://."),
        ("localhost:8080/v1", "is not a URL that begins with http:// or https://."),
        (f"ftp://u:{KEY}@llm.example.test", "is not a URL that begins with http:// or https://."),
        ("file:///etc/passwd", "is not a URL that begins with http:// or https://."),
        (f"https://u:{KEY}@", "has no host, or a port that is none."),
        ("https:///v1", "has no host, or a port that is none."),
        ("https://llm.example.test:0/v1", "has no host, or a port that is none."),
        (f"https://{KEY}:{KEY}/v1", "has no host, or a port that is none."),
        (f"https://[{KEY}/v1", "has no host, or a port that is none."),
        ("https://llm.example.test:99999/v1", "has no host, or a port that is none."),
        (f"https://llm.example.test/v1\n?key={KEY}", "holds white space or a control character."),
        ("https://llm.example.test/v 1", "holds white space or a control character."),
        ("https://llm.example.test/\u00a0v1", "holds white space or a control character."),
        ("https://llm.example.test/\x7f", "holds white space or a control character."),
        ("https://llm.example.test/\x00v1", "holds white space or a control character."),
        ("https://xn--\u00fc.test/v1", "cannot be read as a URL."),
    ],
)
def test_chat_url__unusable(base_url: str, message: str) -> None:
    """What cannot be requested is refused with the setting's name, and without a word of its value."""
    with pytest.raises(BadInput) as caught:
        chat_url(base_url)
    assert f"EVAL_BASE_URL: {message} {REMEDY}" == str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://user:secret@LLM.example.test/v1?key=secret", "llm.example.test"),
        ("http://127.0.0.1:8080/v1", "127.0.0.1:8080"),
        ("http://[::1]:8080/v1", "[::1]:8080"),
    ],
)
def test_host_of__host_and_port(url: str, expected: str) -> None:
    """The host is shown with its port and without credentials."""
    assert expected == host_of(url)


def test_shown__secrets() -> None:
    """A URL is shown without credentials and without the values of its query."""
    url = f"https://user:{KEY}@llm.example.test/v1/chat/completions?key={KEY}&flag"
    assert shown(url) == "https://llm.example.test/v1/chat/completions?key=…&flag=…"


@pytest.mark.parametrize(
    ("key", "expected"),
    [(None, None), ("", None), (" \n", None), (KEY, KEY), (f"{KEY}\n", KEY), (f" {KEY}\r\n", KEY)],
)
def test_clean_key__stray_white_space(key: str | None, expected: str | None) -> None:
    """White space around a key does not count, and a key of nothing else is none."""
    assert expected == clean_key(key)


@pytest.mark.parametrize("inner", ["\n", "\r", "\x00", " ", "\t", "\x7f", "é", "\u2028", "🔑"])
def test_clean_key__unusable(inner: str) -> None:
    """A key that no header can carry is refused without being repeated."""
    with pytest.raises(BadInput) as caught:
        clean_key(f"sk-test{inner}AAAA")
    assert str(caught.value) == (
        "EVAL_API_KEY: the key holds white space, a control character or a character outside ASCII. "
        "Give the key alone, as the provider shows it: no second line, no 'Bearer' before it."
    )


def test_make_target__key() -> None:
    """A key goes into a bearer header, and is known as a secret."""
    expected = Target(
        url="https://llm.example.test/v1/chat/completions",
        shown="https://llm.example.test/v1/chat/completions",
        host="llm.example.test",
        authorization=f"Bearer {KEY}",
        secrets=(KEY,),
    )
    assert expected == make_target(Endpoint(base_url="https://llm.example.test/v1", api_key=f"{KEY}\n"))


def test_make_target__credentials_in_url() -> None:
    """Credentials of the URL go into a basic header, out of the URL, and are known as secrets; short ones are not."""
    target = make_target(Endpoint(base_url=f"http://us%40er:{KEY}@127.0.0.1:8080/v1?key=other-secret&v=1"))
    expected = Target(
        url="http://127.0.0.1:8080/v1/chat/completions?key=other-secret&v=1",
        shown="http://127.0.0.1:8080/v1/chat/completions?key=…&v=…",
        host="127.0.0.1:8080",
        authorization="Basic dXNAZXI6c2stdGVzdC1BQUFBMTExMUJCQkIyMjIy",
        secrets=("dXNAZXI6c2stdGVzdC1BQUFBMTExMUJCQkIyMjIy", KEY, "other-secret"),
        loopback=True,
    )
    assert expected == target


def test_make_target__key_before_credentials() -> None:
    """Of a key and credentials in the URL, the key is sent."""
    target = make_target(Endpoint(base_url="https://u:password1@llm.example.test", api_key=KEY))
    assert f"Bearer {KEY}" == target.authorization


@pytest.mark.parametrize(
    ("user", "secrets"),
    [
        ("a-long-token", ("YS1sb25nLXRva2VuOg==", "a-long-token")),
        ("name:sh%20rt", ("bmFtZTpzaCBydA==",)),
        ("developer:pass%40word", ("ZGV2ZWxvcGVyOnBhc3NAd29yZA==", "pass%40word", "pass@word")),
    ],
)
def test_make_target__secrets(user: str, secrets: tuple[str, ...]) -> None:
    """A password is a secret in every form, and so is a name that stands alone; short ones are left alone."""
    assert secrets == make_target(Endpoint(base_url=f"https://{user}@llm.example.test")).secrets


def test_make_target__nothing() -> None:
    """Without key and credentials no header is sent."""
    assert None is make_target(Endpoint(base_url="https://llm.example.test")).authorization


def test_make_target__repr() -> None:
    """A target shows no secret when it is printed."""
    target = make_target(Endpoint(base_url=f"https://u:{KEY}@llm.example.test?k={KEY}", api_key=KEY))
    expected = (
        "Target(shown='https://llm.example.test/v1/chat/completions?k=…', host='llm.example.test', "
        "loopback=False, in_container=False, url_name='EVAL_BASE_URL', key_name='EVAL_API_KEY', "
        "model_name='EVAL_MODEL')"
    )
    assert expected == repr(target)


def test_make_target__all_problems() -> None:
    """A bad URL and a bad key are named at once."""
    with pytest.raises(BadInput) as caught:
        make_target(Endpoint(base_url="llm", api_key="a b"))
    assert [problem.path for problem in caught.value.problems] == ["EVAL_BASE_URL", "EVAL_API_KEY"]


def test_make_target__other_names() -> None:
    """What is wrong with the judges' endpoint is said under its own names."""
    with pytest.raises(BadInput) as caught:
        make_target(Endpoint(base_url="llm", api_key="a b", url_name="JUDGE_URL", key_name="JUDGE_API_KEY"))
    assert [problem.path for problem in caught.value.problems] == ["JUDGE_URL", "JUDGE_API_KEY"]


def test_target__settings() -> None:
    """A setting is named with the Action's input where it has one."""
    own = make_target(Endpoint(base_url="https://llm.example.test"))
    other = make_target(Endpoint(base_url="https://llm.example.test", url_name="SOME_URL", key_name="SOME_KEY"))
    assert (own.url_setting, own.key_setting) == ("EVAL_BASE_URL (input base-url)", "EVAL_API_KEY (input api-key)")
    assert (other.url_setting, other.key_setting) == ("SOME_URL", "SOME_KEY")


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.1.2.3", True), ("[::1]", True), ("localhost", True), ("ollama", False)],
)
def test_make_target__loopback(host: str, expected: bool) -> None:
    """Loopback is known by address and by name."""
    assert expected == make_target(Endpoint(base_url=f"http://{host}:1/v1")).loopback
