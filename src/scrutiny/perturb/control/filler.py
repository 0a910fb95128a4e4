"""Random material of a given shape: words, letters."""

from typing import TYPE_CHECKING

from scrutiny.perturb.control.frequent_words import random_word
from scrutiny.perturb.engine.letters import pick, same_class
from scrutiny.text.casing import match_case
from scrutiny.text.tokens import token_spans

if TYPE_CHECKING:
    from numpy.random import Generator


def random_text(like: str, rng: "Generator", *, unlike: str = "", is_english: bool = True) -> str:
    """Text with the spaces, marks, capitals and word lengths of another, of random words.

    Parameters
    ----------
    like
        What it takes its shape from; it has exactly as many code points.
    unlike
        A word that must not come out.
    is_english
        Otherwise the words are random letters of the same classes.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> drawn = random_text("As far as I know, ", default_rng(0))
    >>> len(drawn), drawn[-2:], drawn[0].isupper()
    (18, ', ', True)
    """
    if not is_english:
        return random_letters(like, rng, unlike=unlike)
    pieces, done = [], 0
    for start, end in token_spans(like):
        word = like[start:end]
        if any(char.isalnum() for char in word):
            shares = rng.random(end - start).tolist()
            fresh = random_word(end - start, shares, unlike=unlike.lower())
            pieces += [like[done:start], match_case(word, fresh)]
            done = end
    return "".join([*pieces, like[done:]])


def random_letters(like: str, rng: "Generator", *, unlike: str = "") -> str:
    """Random characters of the same classes, each other than the one that it replaces.

    Letters stay letters of their case and script, digits digits; everything else stays as it is.
    """
    drawn = ""
    for i, (char, share) in enumerate(zip(like, rng.random(len(like)).tolist(), strict=True)):
        options = same_class(char) + char if char.isalnum() else char
        if taken := unlike[i : i + 1]:
            options = options.replace(taken, "") or options
        drawn += pick(options, share)
    return drawn


def of_length(text: str, length: int) -> str | None:
    """Text with its last words made longer or shorter, or nothing if that cannot be done.

    Examples
    --------
    >>> of_length("so good", 9), of_length("so good", 4), of_length("so", 0)
    ('so goodxx', 'so g', None)
    """
    spans = [s for s in token_spans(text) if any(c.isalnum() for c in text[s[0] : s[1]])]
    excess = len(text) - length
    if not spans:
        return text if excess == 0 else None
    if excess <= 0:
        end = spans[-1][1]
        filling = text[end - 1] if text[end - 1].isalpha() else "x"
        return text[:end] + ("x" if filling.islower() else filling) * -excess + text[end:]
    for start, end in reversed(spans):
        cut = min(excess, end - start - 1)
        text = text[: end - cut] + text[end:]
        excess -= cut
    return text if excess == 0 else None
