"""Marks of caches, by which a reply is known to have been given before. Pure.

What is looked for, and where it is described:

- ``cf-aig-cache-status: HIT`` (Cloudflare AI Gateway, developers.cloudflare.com/ai-gateway/features/caching)
- ``cf-cache-status: HIT``, ``STALE``, ``UPDATING``, ``REVALIDATED`` (Cloudflare, http.dev/cf-cache-status)
- ``helicone-cache: HIT`` (Helicone, docs.helicone.ai/features/advanced-usage/caching)
- ``x-portkey-cache-status: HIT``, ``SEMANTIC HIT`` (Portkey, portkey.ai/docs/api-reference/response-schema)
- ``x-openrouter-cache-status: HIT`` (OpenRouter, openrouter.ai/docs/guides/features/response-caching; the id and the
  time of such a reply are new ones, so that nothing else tells)
- ``x-litellm-cache-hit: True`` (LiteLLM). Its ``x-litellm-cache-key`` is no mark: it is documented for hits in one
  place and for every answer in another; a hit keeps the id of the first reply, and is known by that.
- ``x-bt-cached: HIT``, earlier ``x-cached`` (Braintrust, braintrust.dev/docs/guides/proxy)
- ``x-ai-cache-status: HIT``, ``HIT-L1`` (Apache APISIX, apisix.apache.org/docs/apisix/plugins/ai-cache)
- ``x-cache-status: Hit`` (Kong, developer.konghq.com/plugins/ai-semantic-cache)
- ``x-semantic-cache: HIT``, ``x-cache: MISS, HIT``, ``x-cache-hits: 0, 1`` (Fastly, docs.fastly.com, X-Cache)
- ``x-cache: Hit from cloudfront``, ``TCP_HIT from ...`` (CloudFront, Akamai, Squid)
- ``cache-status: name; hit`` (RFC 9211) and ``age`` above 0 (RFC 9111, 5.1)
- in the body ``cached: true`` and its like, ``extra_fields.cache_debug.cache_hit: true`` (Bifrost,
  docs.getbifrost.ai/features/semantic-caching), ``gptcache: true`` (GPTCache)

A provider's own prompt cache (``cached_tokens``, ``prompt_cache_hit_tokens``) makes a reply cheaper and is no mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from evalaction import late

_LONGEST = 100
"""Characters of a mark that are kept."""
_OTHER_CACHES = frozenset({"prompt", "prefix", "kv", "token", "tokens", "context", "lookup", "control", "key", "ttl"})
"""Words in the name of a header or field that speaks of no kept reply."""
_HIT = late.pattern(
    r"(?<![a-z])(?<!no[ _-])(?<!not[ _-])(?:hit|refreshhit|hitstale|stale|updating|revalidated)(?![a-z])"
    r"(?!\s*[=:]\s*(?:\?0|0|false|no)\b)"
)
_FORWARDED = late.pattern(r"fwd[a-z-]*\s*=\s*[a-z-]+")
"""RFC 9211: why a cache asked the endpoint (``fwd=stale``), which it then did."""
_YES = frozenset({"true", "yes", "1"})
_SERVED = ("cached", "hit", "from-cache")
"""Ends of the names of headers whose value is yes or no."""

_FIELDS = frozenset({"cached", "is_cached", "cache_hit", "cachehit", "from_cache", "fromcache", "gptcache"})
_NO_HOLDERS = frozenset({"usage", "choices", "error"})
_DEPTH = 3


def header_mark(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Return the header by which a cache says that it gave the answer, as ``name: value``; None without one.

    Args:
        headers: names and values, as they came: untrusted.
    """
    for raw_name, raw_value in headers:
        name = raw_name.lower()
        if (b"cache" in name or name == b"age") and _tells(name.decode("latin-1"), raw_value.decode("latin-1")):
            return f"{name.decode('latin-1')}: {raw_value.decode('latin-1')}"[:_LONGEST]
    return None


def body_mark(completion: dict[str, Any]) -> str | None:
    """Return the field by which a body says that it was given before, as ``path: value``; None without one.

    Args:
        completion: a parsed body: untrusted.
    """
    return _mark(completion, "", _DEPTH)


def _tells(name: str, value: str) -> bool:
    value = value.strip().lower()
    if name == "age":
        return value.isascii() and value.isdigit() and value.strip("0") != ""
    words = re.split(r"[-_]", name)
    if not _OTHER_CACHES.isdisjoint(words):
        return False
    if words[-1] == "hits":
        return any(count.strip().isdigit() and count.strip().strip("0") for count in value.split(","))
    if value in _YES:
        return name.replace("_", "-").endswith(_SERVED)
    return _HIT.search(_FORWARDED.sub("", value)) is not None


def _mark(holder: dict[str, Any], path: str, depth: int) -> str | None:
    for name, value in holder.items():
        if value is True:
            if name.lower() in _FIELDS or (name == "hit" and path.lower().endswith("cache.")):
                return f"{path}{name}: true"[-_LONGEST:]
        elif isinstance(value, str):
            if "cache" in name.lower() and len(value) <= _LONGEST and _tells(name.lower(), value):
                return f"{path}{name}: {value}"[-_LONGEST:]
        elif isinstance(value, dict) and depth and name not in _NO_HOLDERS and not _is_other(name):
            found = _mark(value, f"{path}{name}.", depth - 1)
            if found is not None:
                return found
    return None


def _is_other(name: str) -> bool:
    return not _OTHER_CACHES.isdisjoint(re.split(r"[-_]", name.lower()))
