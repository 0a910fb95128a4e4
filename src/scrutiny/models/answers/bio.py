"""Conversion of token tags that a model gives to labeled spans, in any notation of the data's."""

from collections.abc import Sequence

from scrutiny.core.errors import DataError
from scrutiny.core.example import Span
from scrutiny.models.answers.checked import BAD, AnswerError
from scrutiny.tasks.columns.tags import spans_of

Border = tuple[int, int]


def spans_from_tags(tags: Sequence[str], tokens: Sequence[Border], field: str) -> tuple[Span, ...]:
    """Spans of a tagged text, read as tags of data are (`scrutiny.tasks.columns.tags`).

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
    AnswerError
        ``bad_answer`` if there are more or fewer tags than tokens, or one is no tag.

    Examples
    --------
    >>> spans_from_tags(["B-PER", "I-PER", "O"], [(0, 3), (4, 9), (10, 15)], "text")
    (Span(field='text', start=0, end=9, label='PER'),)
    """
    if len(tags) != len(tokens):
        raise AnswerError(BAD, f"{len(tags)} tags were given to a text of {len(tokens)} tokens.")
    try:
        return spans_of(tags, tokens, field=field)
    except DataError as error:
        raise AnswerError(BAD, f"{error}.") from error
