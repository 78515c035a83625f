"""Which quotas do not come back within a run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evalaction.draw.quota import is_used_up

PLAN = "You exceeded your current quota, please check your plan and billing details."
DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
MINUTE = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"
INPUT = "GenerateContentInputTokensPerModelPerMinute-FreeTier"


def openai(message: str, code: str | None = None, kind: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def google(*ids: str) -> list[dict[str, Any]]:
    return [
        {
            "error": {
                "code": 429,
                "message": PLAN,
                "status": "RESOURCE_EXHAUSTED",
                "details": [
                    {
                        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                        "violations": [{"quotaMetric": "x/requests", "quotaId": name} for name in ids],
                    },
                    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "59s"},
                ],
            }
        }
    ]


GROQ = (
    "Rate limit reached for model `llama` in organization `org_1` service tier `on_demand` on tokens per {} ({}): "
    "Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s. Need more tokens? Upgrade"
)
GIT = "Rate limit of {} per {}s exceeded for UserByModelBy{}. Please wait 52220 seconds before retrying."
ADVICE = "Add 10 credits to unlock 1000 free model requests per day"
ZERO = "* Quota exceeded for metric: x/generate_content_free_tier_requests, limit: {}, model: m\nPlease retry in 45s."
NEURONS = "you have used up your daily free allocation of 10,000 neurons, please upgrade"
BALANCE = (
    "Your credit balance is too low to access the API. Please go to Plans & Billing to upgrade or purchase credits."
)

USED_UP = [
    pytest.param(429, openai(PLAN, "insufficient_quota", "insufficient_quota"), id="OpenAI"),
    pytest.param(429, openai(PLAN, None, "insufficient_quota"), id="OpenAI, earlier"),
    pytest.param(429, openai("Billing hard limit has been reached", "billing_hard_limit_reached"), id="hard limit"),
    pytest.param(429, openai("Your account is not active, please check your billing details"), id="not active"),
    pytest.param(429, google(DAY), id="Google, day"),
    pytest.param(429, google(INPUT, MINUTE, DAY), id="Google, several"),
    pytest.param(429, openai(ZERO.format(0)), id="Google, none at all"),
    pytest.param(429, openai(GROQ.format("day", "TPD"), "rate_limit_exceeded", "tokens"), id="Groq, tokens"),
    pytest.param(429, openai("Rate limit reached on : requests (RPD): Limit 1000"), id="Groq, requests"),
    pytest.param(429, openai(f"Rate limit exceeded: free-models-per-day. {ADVICE}"), id="OpenRouter"),
    pytest.param(
        429, openai("x", None, None) | {"limit_source": "openrouter_free_tier_daily"}, id="OpenRouter, source"
    ),
    pytest.param(429, openai(GIT.format(50, 86400, "Day"), "RateLimitReached"), id="GitHub"),
    pytest.param(429, {"errors": [{"message": f"AiError: 4006: {NEURONS}"}]}, id="Cloudflare"),
    pytest.param(429, openai("Your account is suspended", kind="exceeded_current_quota_error"), id="Moonshot"),
    pytest.param(403, openai("Your account is not active", kind="exceeded_current_quota_error"), id="Moonshot, 403"),
    pytest.param(
        400, {"type": "error", "error": {"type": "invalid_request_error", "message": BALANCE}}, id="Anthropic"
    ),
    pytest.param(400, openai("Budget has been exceeded! Current cost: 2.0, Max budget: 1.0"), id="LiteLLM"),
    pytest.param(400, openai("x", "Arrearage", "Arrearage"), id="DashScope, arrears"),
    pytest.param(402, openai("Insufficient Balance"), id="DeepSeek"),
    pytest.param(402, {}, id="402"),
    pytest.param(402, openai("This request requires more credits, or fewer max_tokens."), id="OpenRouter, credits"),
    pytest.param(
        403,
        {"error": "Your team has either used all available credits or reached its monthly spending limit."},
        id="xAI",
    ),
    pytest.param(
        429, {"message": "You are using a Trial key, which is limited to 1000 API calls per month"}, id="Cohere"
    ),
    pytest.param(429, openai("余额不足或无可用资源包,请充值。", "1113"), id="Zhipu"),
    pytest.param(None, openai(PLAN, "insufficient_quota"), id="in a 200"),
]


@pytest.mark.parametrize(("status", "body"), USED_UP)
def test_is_used_up__yes(status: int | None, body: Any) -> None:
    """A quota of days or months, and an account without money, do not come back within a run."""
    assert is_used_up(status, json.dumps(body, ensure_ascii=False).encode())


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(429, {}, id="nothing said"),
        pytest.param(429, openai("Rate limit reached", "rate_limit_exceeded"), id="some limit"),
        pytest.param(429, google(MINUTE, INPUT), id="Google, minute"),
        pytest.param(429, openai(ZERO.format(15)), id="Google, some"),
        pytest.param(429, openai(GROQ.format("minute", "TPM"), "rate_limit_exceeded"), id="Groq, minute"),
        pytest.param(429, openai(f"Rate limit exceeded: free-models-per-min. {ADVICE}"), id="OpenRouter, minute"),
        pytest.param(429, openai(GIT.format(10, 60, "Minute")), id="GitHub, minute"),
        pytest.param(429, openai("Rate limit of 2 per 0s exceeded for UserConcurrentRequests."), id="GitHub, at once"),
        pytest.param(
            429,
            openai("Allocated quota exceeded, please increase your quota limit.", "insufficient_quota"),
            id="DashScope",
        ),
        pytest.param(429, openai("Limit of requests per minute reached; there is none per day."), id="minute first"),
        pytest.param(400, openai("Invalid schema: the property 'daily' exceeds the limit"), id="of the request"),
        pytest.param(401, openai(PLAN, "insufficient_quota"), id="key"),
        pytest.param(500, openai(PLAN, "insufficient_quota"), id="the server's own failure"),
        pytest.param(503, openai("daily limit"), id="busy"),
    ],
)
def test_is_used_up__no(status: int | None, body: Any) -> None:
    """A limit that a wait of minutes cures is none, whatever it is called."""
    assert not is_used_up(status, json.dumps(body, ensure_ascii=False).encode())
