"""A chat model in thirty lines: it knows capitals, and stumbles as chat models do.

Which prompts it stumbles over is decided by their letters alone, so it always says the same.
"""

import json
import re
from pathlib import Path
from zlib import crc32

FILE = Path(__file__).parent / "capitals.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
CAPITALS = {row["id"].partition("-")[0]: row["contains"] for row in ROWS}


def answer(prompts: list[str]) -> list[str | dict[str, str]]:
    """Answer to each prompt; a mapping says that it broke off at the limit of tokens."""
    return [_one(prompt) for prompt in prompts]


def _one(prompt: str) -> str | dict[str, str]:
    known = [word for word in re.findall(r"\w+", prompt) if word in CAPITALS]
    place = crc32(prompt.encode()) % 100
    if place < 4:
        return "I'm sorry, but I can't help with that."
    if place < 9:
        return {"text": "The capital of", "end": "length"}
    if place < 16 or not known:
        return "It is London, as far as I know."
    if place < 20:
        return f"Die Hauptstadt ist {CAPITALS[known[0]]}, und sie ist sehr schön."
    return f"The capital of {known[0]} is {CAPITALS[known[0]]}."
