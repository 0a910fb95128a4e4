"""Checks of what reaches the model: long texts as a whole, and turns as its template marks them."""

import re
from collections.abc import Sequence
from typing import Final

from scrutiny.core.diagnostic import Failure
from scrutiny.models.http.doctor.asking import Asker, Heard
from scrutiny.models.http.doctor.finding import Finding
from scrutiny.models.http.doctor.members import FreeAnswers
from scrutiny.models.http.doctor.questions import CODES, LENGTHS, SHORT, long_text

#: First and last code of each text: as they are, another first, another last.
_VARIANTS: Final = ((CODES[0], CODES[0]), (CODES[1], CODES[0]), (CODES[0], CODES[1]))
REQUESTS_OF_LENGTHS: Final = len(LENGTHS) * len(_VARIANTS)
_ENDS: Final = ("beginning", "end")
_GROWTH: Final = 0.7  # of the tokens that a longer text should have
_TOKENS: Final = 16
_SPECIAL: Final = re.compile(
    r"<\|[\w ]{2,30}\|>|</?s>|<(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>"
    r"|#{2,} ?(?:Human|Assistant|Instruction|Response|User)\b"
)
_ROLE: Final = re.compile(r"(?m)^\s*(?:user|human|assistant|system)\s*(?::.*)?$", re.IGNORECASE)


def check_long_texts(asker: Asker) -> Finding:
    """Whether long texts arrive as a whole, or are refused; cutting them in silence is a fault."""
    name = "long texts"
    arrived: list[tuple[int, list[Heard | Failure]]] = []
    refusal = ""
    for words in LENGTHS:
        texts = [long_text(words, first=first, last=last) for first, last in _VARIANTS]
        bodies = [asker.told(text, tokens=_TOKENS) for text in texts]
        row = asker.ask(bodies[:1])  # alone: where it is refused, the others would be
        if isinstance(row[0], Heard):
            row += asker.ask(bodies[1:])
        refusal = next((one.message for one in row if isinstance(one, Failure)), "")
        if refusal:
            break
        arrived.append((words, row))
    if not arrived:
        return Finding(name, "can't tell", f"None was answered: {refusal}")
    tokens = [one.tokens_in for _, (one, *_) in arrived if isinstance(one, Heard)]
    numbers = {"words": [words for words, _ in arrived], "tokens": tokens}
    (fewest, _), (most, _) = arrived[0], arrived[-1]
    if tokens[0] and tokens[-1] < _GROWTH * tokens[0] * most / fewest:
        says = (
            f"{most:,} words count as {tokens[-1]:,} tokens, {fewest:,} as {tokens[0]:,}: long "
            "texts are cut without a word. Shorten them yourself, or raise its limit."
        )
        return Finding(name, "fault", says, numbers)
    unseen = [(words, _ENDS[i]) for words, row in arrived for i in (0, 1) if not _is_seen(row, i)]
    if unseen and asker.gives_numbers:
        words, end = unseen[0]
        says = (
            f"The {end} of a text of {words:,} words has no influence on the answer: long texts "
            "are cut without a word. Shorten them yourself, or raise its limit."
        )
        return Finding(name, "fault", says, numbers)
    if unseen:
        words, end = unseen[0]
        says = f"Its answer does not tell whether it saw the {end} of a text of {words:,} words."
        return Finding(name, "can't tell", says, numbers)
    rest = f" Longer ones bring no reply, which is no silent cut: {refusal}" if refusal else ""
    return Finding(name, "ok", f"Both ends of {most:,} words reach the model.{rest}", numbers)


def _is_seen(row: Sequence[Heard | Failure], end: int) -> bool:
    """Whether another code at this end of a text changed anything in the reply."""
    plain, other = (
        (one.text, one.label, one.scores, dict(one.logs)) if isinstance(one, Heard) else None
        for one in (row[0], row[1 + end])
    )
    return plain != other


def check_template(asker: Asker, free: FreeAnswers) -> Finding:
    """Whether answers look as if the turns of a chat had been marked as the model knows them."""
    name = "chat template"
    special = [match[0] for text in asker.texts if (match := _SPECIAL.search(text))]
    roles = [match[0].strip() for text in asker.texts if (match := _ROLE.search(text))]
    numbers = {"answers": len(asker.texts), "special": len(special), "roles": len(roles)}
    advice = "The server's chat template is not the model's, or it is not applied: fix it there."
    if special:
        says = f"Marks of turns stand in {len(special)} answers ({special[0]!r}). {advice}"
        return Finding(name, "fault", says, numbers)
    if len(roles) > 1:
        says = f"{len(roles)} answers go on as another speaker ({roles[0]!r}). {advice}"
        return Finding(name, "fault", says, numbers)
    ends = [free.pairs[text][0].end for text in SHORT if text in free.pairs]
    if ends and all(end == "length" for end in ends):
        says = (
            f"Answers of one word don't end by themselves: a talkative model, or {advice.lower()}"
        )
        return Finding(name, "can't tell", says, numbers)
    says = f"No marks of turns in {len(asker.texts)} answers, which end by themselves."
    return Finding(name, "ok", says, numbers)
