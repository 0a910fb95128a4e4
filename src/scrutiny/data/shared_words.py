"""Attributes of what texts of an item share: a hypothesis and its premise, a query and passages."""

from collections.abc import Sequence
from typing import Final

from scrutiny.core.answers.choices import Option, Ranking, is_option_field, options_in
from scrutiny.core.example import Example
from scrutiny.data.attribute import attribute, tokens_of, words_of

_HALF: Final = 0.5


@attribute("words of the last text that the first one has, as a share", of_words=True)
def overlap(example: Example) -> float | None:
    """Share of the words of the last text (a hypothesis) that the first one (a premise) has.

    Of options it is the right one that counts as the last text; of candidates for a query the right
    ones are the first text, and the query is the last.

    Examples
    --------
    >>> overlap(Example("1", {"premise": "A man sleeps.", "hypothesis": "The man sleeps"}))
    0.6666666666666666
    >>> asked = {"query": "who sleeps", "option_1": "A dog barks.", "option_2": "A man sleeps."}
    >>> overlap(Example("1", asked, Ranking([1]))), overlap(Example("1", asked, Ranking([0])))
    (0.5, 0.0)
    """
    first, *rest = (text for name, text in example.fields.items() if not is_option_field(name))
    options, gold = options_in(example.fields), example.gold
    known, asked = [first], rest[-1:]
    if options and isinstance(gold, Ranking):
        known, asked = [options[place] for place in gold], [first]
    elif options:
        asked = [options[gold]] if isinstance(gold, Option) else []
    return _shared(asked, known)


def _shared(asked: Sequence[str], known: Sequence[str]) -> float | None:
    """Share of the words of some texts that others have; None where there are no words."""
    last, there = words_of(_item_of(asked)), set(words_of(_item_of(known)))
    return sum(word in there for word in last) / len(last) if last else None


def _item_of(texts: Sequence[str]) -> Example:
    """Item with these texts alone, whose words and tokens can be asked for."""
    return Example("", {str(n): text for n, text in enumerate(texts)})


@attribute("what of a query its right passage lacks: number, name, rival, words, none")
def mismatch(example: Example) -> str | None:
    """Kind of mismatch between a query and its right passages; None where nothing is ranked.

    The first that applies: ``number`` or ``name``, of which the query has one that they lack;
    ``rival``, another candidate has more of the query's words; ``words``, they have less than half
    of these; else ``none``.

    Examples
    --------
    >>> asked = {"query": "who met Ida", "option_1": "Ida and Bo.", "option_2": "A man met her."}
    >>> [mismatch(Example("1", asked, Ranking([place]))) for place in (0, 1)]
    ['words', 'name']
    """
    options, gold = options_in(example.fields), example.gold
    if not options or not isinstance(gold, Ranking):
        return None
    query = next(text for name, text in example.fields.items() if not is_option_field(name))
    right, others = (
        [text for place, text in enumerate(options) if (place in gold) is wanted]
        for wanted in (True, False)
    )
    there = {token.lower() for token in tokens_of(_item_of(right))}
    tokens = enumerate(tokens_of(_item_of([query])))
    lacked = [(place, token) for place, token in tokens if token.lower() not in there]
    if any(map(str.isdigit, "".join(token for _, token in lacked))):
        return "number"
    if any(place and token[:1].isupper() for place, token in lacked):
        return "name"
    own = _shared([query], right) or 0.0
    if any((_shared([query], [text]) or 0.0) > own for text in others):
        return "rival"
    return "words" if own < _HALF else "none"
