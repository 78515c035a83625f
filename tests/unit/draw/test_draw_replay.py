"""By what a reply is known to have been given before."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.draw.replay import body_mark, header_mark

BESIDE = [(b"Content-Type", b"application/json"), (b"Server", b"x"), (b"Cache-Control", b"no-store"), (b"Age", b"0")]


def mark(name: str, value: str) -> str | None:
    return header_mark([*BESIDE, (name.encode("latin-1"), value.encode("latin-1"))])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cf-aig-cache-status", "HIT"),
        ("CF-Cache-Status", "HIT"),
        ("CF-Cache-Status", "STALE"),
        ("CF-Cache-Status", "UPDATING"),
        ("CF-Cache-Status", "REVALIDATED"),
        ("Helicone-Cache", "HIT"),
        ("x-portkey-cache-status", "HIT"),
        ("x-portkey-cache-status", "SEMANTIC HIT"),
        ("X-OpenRouter-Cache-Status", "HIT"),
        ("x-litellm-cache-hit", "True"),
        ("x-bt-cached", "HIT"),
        ("x-cached", "true"),
        ("X-AI-Cache-Status", "HIT"),
        ("X-AI-Cache-Status", "HIT-L1"),
        ("X-Cache-Status", "Hit"),
        ("x-semantic-cache", "HIT"),
        ("x-gateway-cache", "semantic_hit"),
        ("X-Cache", "HIT"),
        ("X-Cache", "MISS, HIT"),
        ("X-Cache", "Hit from cloudfront"),
        ("X-Cache", "RefreshHit from cloudfront"),
        ("X-Cache", "TCP_MEM_HIT from a1-2-3.deploy.example.test"),
        ("X-Cache-Hits", "0, 3"),
        ("Cache-Status", "ExampleCache; hit; ttl=376"),
        ("Cache-Status", "ExampleCache;hit=?1"),
        ("x-served-from-cache", "1"),
        ("Age", "17"),
    ],
)
def test_header_mark__marks(name: str, value: str) -> None:
    """What caches say of a reply that they had is a mark, in the words in which they say it."""
    assert f"{name.lower()}: {value}" == mark(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cf-aig-cache-status", "MISS"),
        ("cf-cache-status", "DYNAMIC"),
        ("cf-cache-status", "BYPASS"),
        ("cf-cache-status", "EXPIRED"),
        ("x-portkey-cache-status", "SEMANTIC MISS"),
        ("x-portkey-cache-status", "DISABLED"),
        ("x-portkey-cache-status", "REFRESH"),
        ("x-litellm-cache-key", "586bf3f3c1bf5aecb55bd9996494d3bb"),
        ("x-litellm-cache-hit", "False"),
        ("x-litellm-cache-hit", "None"),
        ("x-openrouter-cache", "true"),
        ("x-cache", "MISS"),
        ("x-cache", "TCP_REFRESH_MISS from x"),
        ("x-cache", "white"),
        ("x-cache-hits", "0, 0"),
        ("x-cache-lookup", "HIT from proxy.example.test:3128"),
        ("cache-control", "max-age=9, stale-while-revalidate=9"),
        ("cache-status", "ExampleCache; fwd=stale; fwd-status=200; stored"),
        ("cache-status", "ExampleCache; fwd=miss"),
        ("cache-status", "ExampleCache; hit=?0"),
        ("x-prompt-cache", "HIT"),
        ("x-kv-cache-hit", "true"),
        ("x-prefix-cache-status", "hit"),
        ("x-llm-cache-replicated", "true"),
        ("age", "0"),
        ("age", "000"),
        ("age", "old"),
        ("age", "-1"),
        ("x-age", "17"),
        ("server", "hit"),
    ],
)
def test_header_mark__none(name: str, value: str) -> None:
    """A cache that asked the endpoint, a provider's prompt cache and anything else leave no mark."""
    assert None is mark(name, value)


def test_header_mark__long() -> None:
    """Of a long header the start is kept."""
    assert "x-cache: " + ("HIT " * 100)[:91] == mark("x-cache", "HIT " * 100)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"cached": True}, "cached: true"),
        ({"cached": "true"}, "cached: true"),
        ({"cache_hit": True}, "cache_hit: true"),
        ({"from_cache": True}, "from_cache: true"),
        ({"gptcache": True}, "gptcache: true"),
        ({"cache_status": "HIT"}, "cache_status: HIT"),
        ({"cache": {"hit": True}}, "cache.hit: true"),
        ({"extra_fields": {"cache_debug": {"cache_hit": True}}}, "extra_fields.cache_debug.cache_hit: true"),
        ({"extra_fields": {"cache_metadata": {"cache_hit": True}}}, "extra_fields.cache_metadata.cache_hit: true"),
        ({"cached": False}, None),
        ({"cached": 1_024}, None),
        ({"cache_status": "MISS"}, None),
        ({"hit": True}, None),
        ({"prompt_cache": {"hit": True, "cached": True}}, None),
        ({"prompt_cache_hit_tokens": 5}, None),
        ({"usage": {"cached": True, "prompt_cache_hit_tokens": 9, "cache_hit": True}}, None),
        ({"choices": [{"cached": True}], "error": {"cached": True}}, None),
        ({"a": {"b": {"c": {"d": {"cached": True}}}}}, None),
        ({}, None),
    ],
)
def test_body_mark__fields(fields: dict[str, Any], expected: str | None) -> None:
    """A field that says that the body was given before is a mark, with its place; the usage never is."""
    assert expected == body_mark({"id": "cmpl-1", "usage": {"prompt_tokens_details": {"cached_tokens": 64}}, **fields})


@given(st.lists(st.tuples(st.binary(max_size=20) | st.just(b"x-cache"), st.binary(max_size=20))))
def test_header_mark__any_bytes(headers: list[tuple[bytes, bytes]]) -> None:
    """No header raises."""
    header_mark(headers)
