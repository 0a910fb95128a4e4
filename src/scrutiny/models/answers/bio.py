"""Conversion of token tags to labeled spans: BIO, and E, S, L, U of richer schemes."""

from collections.abc import Sequence

from scrutiny.core.errors import ModelError
from scrutiny.core.example import Span

Border = tuple[int, int]


def split_tag(tag: str) -> tuple[str, str]:
    """Prefix and label of a tag.

    Examples
    --------
    >>> split_tag("B-PER"), split_tag("O"), split_tag("PER")
    (('B', 'PER'), ('O', ''), ('I', 'PER'))
    """
    if tag == "O":
        return "O", ""
    prefix, dash, label = tag.partition("-")
    if dash and prefix in {"B", "I", "E", "S", "L", "U"}:
        return prefix, label
    return "I", tag


def spans_from_tags(tags: Sequence[str], tokens: Sequence[Border], field: str) -> tuple[Span, ...]:
    """Spans of a tagged text, by the rules of conlleval: an I without a predecessor begins a span.

    Parameters
    ----------
    tags
        One for each token.
    tokens
        Code-point borders of the tokens.
    field
        Name of the text field.

    Raises
    ------
    ModelError
        If there are more or fewer tags than tokens.

    Examples
    --------
    >>> spans_from_tags(["B-PER", "I-PER", "O"], [(0, 3), (4, 9), (10, 15)], "text")
    (Span(field='text', start=0, end=9, label='PER'),)
    """
    if len(tags) != len(tokens):
        raise ModelError(f"{len(tags)} tags were given to a text of {len(tokens)} tokens.")
    spans: list[Span] = []
    is_open = False
    for tag, (start, end) in zip(tags, tokens, strict=True):
        prefix, label = split_tag(tag)
        if prefix == "O":
            is_open = False
            continue
        if is_open and prefix in {"I", "E", "L"} and spans[-1].label == label:
            spans[-1] = spans[-1]._replace(end=end)
        else:
            spans.append(Span(field, start, end, label))
        is_open = prefix not in {"E", "S", "L", "U"}
    return tuple(spans)


def labels_of_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Distinct span labels of a tag set, in its order.

    Examples
    --------
    >>> labels_of_tags(["O", "B-PER", "I-PER", "B-LOC"])
    ('PER', 'LOC')
    """
    return tuple(dict.fromkeys(label for _, label in map(split_tag, tags) if label))
