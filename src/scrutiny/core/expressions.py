"""Metric expressions: ``accuracy``, ``success_within(100)``, ``drop(accuracy)``, ``a - b``.

A metric has a name, arguments in parentheses (numbers, words or other metrics), and a
version at the end. ``drop(accuracy)@1`` is the drop of ``accuracy@1``. Two metrics are joined by
``-`` or ``/`` with a space on either side. Slices follow behind ``where`` and ``minus``.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from scrutiny.core.errors import PlanError
from scrutiny.core.plugin_base import unversioned
from scrutiny.core.slice_syntax import canonical

_TOKEN: Final = re.compile(
    r"\s*([A-Za-z_][\w-]*|\d+(?:\.\d+)?|\.\d+|\"[^\"]+\"|@[1-9]\d*|[(),]|(?<=\s)[-/](?=\s))"
)
#: Operators between two metrics, and how they are spoken.
OPERATORS: Final = {"-": "minus", "/": "divided by"}
#: Words of metrics' names that have capitals.
_PROPER: Final = {
    name.lower(): name
    for name in (
        "ANOVA BLEU CAPA CCA CEAF CKA CoNLL F1 Jaccard JS JSD KL LAS LMS McNemar MMD MUC NFR OOD "
        "PFR Procrustes PWCCA Rand RSA SS STIR SVCCA TV UAS UPOS XPOS chrF iCAT"
    ).split()
}
#: Words of metrics' names that readers are told otherwise; files keep the name.
_TOLD: Final = {"mended": "fixed"}


class Expression(NamedTuple):
    """Parsed metric expression.

    Parameters
    ----------
    name
        Name, number, word, text in quotation marks, or operator.
    arguments
        Arguments in parentheses; both sides of an operator.
    version
        The number behind ``@``; None for the newest.
    """

    name: str
    arguments: tuple["Expression", ...] = ()
    version: int | None = None

    @property
    def text(self) -> str:
        """Written form, with spaces around operators alone.

        Examples
        --------
        >>> parse_expression("drop( accuracy )@1").text
        'drop(accuracy)@1'
        """
        if self.name in OPERATORS:
            return f" {self.name} ".join(one.text for one in self.arguments)
        inner = f"({','.join(one.text for one in self.arguments)})" if self.arguments else ""
        return f"{self.name}{inner}{'' if self.version is None else f'@{self.version}'}"


#: Of two models: the second minus the first.
GAIN: Final = "gain"
#: For each value of an axis: ``each(topic, accuracy)``.
EACH: Final = "each"
#: Words added to the label of a measure.
_OF_MEASURE: Final = {"mean": "", "share": "", "median": ", median"}
_SPOKEN: Final = {
    "drop": "{} drop",
    "excess": "excess {} drop",
    "beyond": "{} beyond chance",
    "gap": "{} gap",
    "gain": "{} gain",
}


def expression_in_words(metric: str, says: Mapping[str, str] | None = None) -> str:
    """Expression of a metric, parsed and put into words; what does not parse stays as it is.

    Parameters
    ----------
    metric
        As it is written.
    says
        Labels of the means of measures, by the measures' names.

    Examples
    --------
    >>> expression_in_words("drop(accuracy)"), expression_in_words("success_within(30)@1")
    ('accuracy drop', 'success within 30')
    >>> expression_in_words("median(asked)", {"asked": "texts asked"})
    'texts asked, median'
    """
    try:
        return _in_words(parse_expression(metric), says or {})
    except PlanError:
        return _proper(metric.partition("@")[0])


#: Names that are written in a way of their own.
_WHOLE: Final = {"micro_f1": "micro-F1", "macro_f1": "macro-F1", "mrr": "MRR"}


def _proper(name: str) -> str:
    """Name with spaces, and with the capitals of its words.

    Examples
    --------
    >>> _proper("entity_f1"), _proper("mcnemar")
    ('entity F1', 'McNemar')
    >>> _proper("mended_rate"), _proper("micro_f1")
    ('fixed rate', 'micro-F1')
    """
    name = _WHOLE.get(name, name)
    words = (_TOLD.get(word, word) for word in name.split("_"))
    return " ".join(_PROPER.get(word, word) for word in words)


def _in_words(whole: Expression, says: Mapping[str, str]) -> str:
    of = whole.arguments[0].name if len(whole.arguments) == 1 else ""
    if whole.name in _OF_MEASURE and of in says:
        return says[of] + _OF_MEASURE[whole.name]
    inner = [_in_words(one, says) for one in whole.arguments]
    if whole.name in OPERATORS:
        return f" {OPERATORS[whole.name]} ".join(inner)
    if whole.name in _SPOKEN and len(inner) == 1:
        return _SPOKEN[whole.name].format(*inner)
    return " ".join([_proper(whole.name), *inner])


def names_metric(text: str, metric: str) -> bool:
    """Whether an expression names a metric; spaces, versions and a parameter are optional in it.

    Examples
    --------
    >>> names_metric("drop(accuracy@1)", "drop(accuracy)@1"), names_metric("recall", "accuracy@1")
    (True, False)
    >>> names_metric("macro_f1", "macro_f1(3)@1"), names_metric("drop", "drop(accuracy)@1")
    (True, False)
    """
    try:
        (mine, stated), (theirs, versions) = map(_parsed, (text, metric))
    except PlanError:
        return text in (metric, metric.partition("@")[0])
    return stated <= versions and _is_same(mine, theirs)


def _is_same(text: Expression, metric: Expression) -> bool:
    """Whether two expressions are the same, but for parameters that the first leaves out."""
    if text.name != metric.name or metric.name in (*_SPOKEN, *_OF_MEASURE):
        return text == metric
    pairs = zip(text.arguments, metric.arguments, strict=False)
    is_short = not text.arguments or len(text.arguments) == len(metric.arguments)
    return is_short and all(_is_same(*pair) for pair in pairs)


@lru_cache(maxsize=1024)
def _parsed(text: str) -> tuple[Expression, set[int]]:
    return _without_versions(parse_expression(text))


def _without_versions(whole: Expression) -> tuple[Expression, set[int]]:
    """Expression without versions, and the versions."""
    inner = [_without_versions(one) for one in whole.arguments]
    versions = set[int]().union(*(found for _, found in inner), {whole.version or 0} - {0})
    return Expression(whole.name, tuple(bare for bare, _ in inner)), versions


def metric_of_metric(name: str, metric: str) -> str:
    """Full expression of a metric that is applied to another metric.

    Examples
    --------
    >>> metric_of_metric("drop", "accuracy@1")
    'drop(accuracy)@1'
    """
    stem, _, version = metric.rpartition("@")
    return f"{name}({stem})@{version}"


@lru_cache(maxsize=512)
def name_and_arguments(metric: str) -> tuple[str, str]:
    """Name of a metric's expression without its version, and its arguments as they are written.

    Examples
    --------
    >>> name_and_arguments("mean_head(f1)@1"), name_and_arguments("f1_over_baseline@1")
    (('mean_head', 'f1'), ('f1_over_baseline', ''))
    """
    try:
        whole = parse_expression(metric)
    except PlanError:
        return unversioned(metric), ""
    return whole.name, ",".join(one.text for one in whole.arguments)


def parse_expression(text: str) -> Expression:
    """Parse a metric expression.

    Raises
    ------
    PlanError
        If it cannot be read.
    """
    found, rest = _joined(_tokens(text), text)
    if rest:
        raise _unread(text)
    return found


def _joined(tokens: list[str], text: str) -> tuple[Expression, list[str]]:
    """Parse an expression, or two with an operator between them, from the front of the tokens."""
    found, rest = _expression(tokens, text)
    if not rest or rest[0] not in OPERATORS:
        return found, rest
    second, more = _expression(rest[1:], text)
    return Expression(rest[0], (found, second)), more


def _tokens(text: str) -> list[str]:
    tokens, place = [], 0
    while place < len(text.rstrip()):
        found = _TOKEN.match(text, place)
        if found is None:
            raise _unread(text)
        tokens.append(found[1])
        place = found.end()
    return tokens


def _expression(tokens: list[str], text: str) -> tuple[Expression, list[str]]:
    """Parse an expression from the front of the tokens; the expression and the remaining tokens."""
    if not tokens or tokens[0][0] in "@(),-/":
        raise _unread(text)
    name, rest = tokens[0], tokens[1:]
    arguments: list[Expression] = []
    if rest[:1] == ["("]:
        separator = ","
        rest = rest[1:]
        while separator == ",":
            one, rest = (_joined if name == EACH else _expression)(rest, text)
            arguments.append(one)
            separator, rest = (rest[0], rest[1:]) if rest else ("", rest)
        if separator != ")":
            raise _unread(text)
    version = None
    if rest and rest[0][0] == "@":
        version, rest = int(rest[0][1:]), rest[1:]
    return Expression(name, tuple(arguments), version), rest


def _unread(text: str) -> PlanError:
    return PlanError(
        f"The metric {text!r} cannot be read. A metric is a name such as accuracy, a name with a "
        "parameter such as success_within(100), a metric of a metric such as drop(accuracy), or "
        "two of these with - or / between spaces: accuracy - macro_f1."
    )


_MINUS: Final = re.compile(r"((?:\"[^\"]*\"|[^\"])*?)\sminus\s(.*)")


def metric_and_slices(text: str) -> tuple[str, str, str]:
    """Metric, slice behind ``where``, and slice behind ``minus`` of a text.

    Examples
    --------
    >>> metric_and_slices("drop(accuracy) where length>20"), metric_and_slices("accuracy")
    (('drop(accuracy)', 'length > 20', ''), ('accuracy', '', ''))
    >>> metric_and_slices("accuracy where topic=film minus topic=hotel")
    ('accuracy', 'topic = film', 'topic = hotel')
    """
    metric, _, where = text.partition(" where ")
    where, minus = subtracted(where)
    return metric.strip(), canonical(where), canonical(minus)


def subtracted(where: str) -> tuple[str, str]:
    """Parts before and after ``minus``; the second is empty without it.

    Examples
    --------
    >>> subtracted("subject=new, negated minus subject=old"), subtracted('topic = "a minus b"')
    (('subject=new, negated', 'subject=old'), ('topic = "a minus b"', ''))
    """
    found = _MINUS.fullmatch(where)
    return (found[1].strip(), found[2].strip()) if found else (where, "")
