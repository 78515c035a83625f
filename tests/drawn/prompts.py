"""What the local model was asked for the draws beside this module, and by which contract each draw is read."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from evalaction.records.case import Compare, Contract, Grader, Schema
from evalaction.values import JSON

SEEDS = range(1, 21)
"""One draw of each prompt for each seed."""
TEMPERATURE = 0.8
TICKET = "I was charged twice for my order and want one of the payments back."
ORDER: dict[str, JSON] = {
    "type": "object",
    "required": ["item", "quantity"],
    "properties": {"item": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1}},
    "additionalProperties": False,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompt:
    """One prompt and the contract that its draws are read by."""

    messages: tuple[tuple[str, str], ...]
    """(role, content) of each message."""
    contract: Contract
    max_tokens: int = 100


def asked(*texts: str) -> tuple[tuple[str, str], ...]:
    """Return a chat of the user and the assistant by turns, the user first."""
    return tuple(("assistant" if number % 2 else "user", text) for number, text in enumerate(texts))


PROMPTS: dict[str, Prompt] = {
    "json keys": Prompt(
        messages=asked(
            'Give the label and the urgency of a ticket as JSON with the keys "label" and "urgent".\n'
            "Ticket: It is late.",
            '{"label": "delivery", "urgent": false}',
            f"Ticket: {TICKET}",
        ),
        contract=Contract(grader=Grader.JSON, expect_keys=("label", "urgent")),
    ),
    "json without an example": Prompt(
        messages=asked(f'Reply with one JSON object with the key "label" for this ticket, and nothing else. {TICKET}'),
        contract=Contract(grader=Grader.JSON, expect_keys=("label",)),
    ),
    "json in a fence": Prompt(
        messages=asked(
            "Describe a cat as JSON in a fenced code block.",
            '```json\n{"animal": "cat", "legs": 4}\n```',
            "Describe a spider as JSON in a fenced code block.",
        ),
        contract=Contract(grader=Grader.JSON, expect_keys=("animal", "legs")),
    ),
    "json in prose": Prompt(
        messages=asked(
            "Where is Rome? Explain in a sentence, and end with JSON.",
            'Rome is the capital of Italy, so the result is {"country": "Italy"} in short.',
            "Where is Lyon? Explain in a sentence, and end with JSON.",
        ),
        contract=Contract(grader=Grader.JSON),
    ),
    "json by a schema in words": Prompt(
        messages=asked(
            'Write an order as JSON. It has exactly two keys: "item", a text, and "quantity", an integer above 0.\n'
            "Order: two loaves of bread",
            '{"item": "loaf of bread", "quantity": 2}',
            "Order: a dozen eggs",
        ),
        contract=Contract(grader=Grader.JSON, schema=Schema(document=ORDER), expect_keys=("quantity",)),
    ),
    "json array": Prompt(
        messages=asked("List three animals as a JSON array of texts.", '["cat", "dog", "cow"]', "List three colours."),
        contract=Contract(grader=Grader.JSON, schema=Schema(document={"type": "array", "items": {"type": "string"}})),
    ),
    "json array, order aside": Prompt(
        messages=asked('Name the primary colours as JSON: {"colours": […]}. Say a word of welcome first.'),
        contract=Contract(
            grader=Grader.JSON,
            expect_keys=("colours",),
            compare=(("colours", Compare(unordered=True, case_insensitive=True)),),
        ),
    ),
    "choice": Prompt(
        messages=asked(
            "Is the ticket about billing, refund or other? One word.\nTicket: Where is your shop?",
            "other",
            f"Ticket: {TICKET}",
        ),
        contract=Contract(grader=Grader.CHOICE, labels=("billing", "refund", "other")),
        max_tokens=60,
    ),
    "number": Prompt(
        messages=asked("What is 3 + 4? Only the number.", "7", "What is 12 + 30? Only the number."),
        contract=Contract(grader=Grader.NUMBER),
        max_tokens=60,
    ),
    "number in prose": Prompt(
        messages=asked("A coat of 20 dollars is 25% off. What does it cost now? Answer in one short sentence."),
        contract=Contract(grader=Grader.NUMBER, whole=Compare(round=Decimal("0.5"))),
        max_tokens=60,
    ),
    "regex": Prompt(
        messages=asked(
            "What is the capital of Spain? End with: Answer: and the city.",
            "Spain's government sits in Madrid. Answer: Madrid",
            "What is the capital of Italy?",
        ),
        contract=Contract(grader=Grader.REGEX, regex=r"Answer:\s*(\w+)"),
        max_tokens=60,
    ),
    "text": Prompt(
        messages=asked("The capital of Spain? One word.", "Madrid", "The capital of France? One word."),
        contract=Contract(grader=Grader.TEXT),
        max_tokens=40,
    ),
    "diff in a fence": Prompt(
        messages=asked(
            "Write a Python function that doubles x, in a fenced code block.",
            "```python\ndef double(x):\n    return 2 * x\n```",
            "Write one that triples x.",
        ),
        contract=Contract(
            grader=Grader.DIFF, expect="def triple(x):\n    return 3 * x", expect_path="triple.py", fence="python"
        ),
    ),
    "reasoning, then json": Prompt(
        messages=asked(
            'Think between <think> and </think>, then give JSON with the key "sum". 2 + 2?',
            '<think>\nTwo and two. Maybe {"sum": 5}? No, it is 4.\n</think>\n{"sum": 4}',
            "3 + 5?",
        ),
        contract=Contract(grader=Grader.JSON, expect_keys=("sum",)),
    ),
    "reasoning, then a word": Prompt(
        messages=asked(
            "Think between <think> and </think>, then answer yes or no. Is ice cold?",
            "<think>Ice is frozen water.</think>\nYes",
            "Is fire cold?",
        ),
        contract=Contract(grader=Grader.CHOICE, labels=("yes", "no")),
        max_tokens=60,
    ),
}
"""Name → prompt. Together they call for every grader that reads a completion by itself but ``exact``."""
