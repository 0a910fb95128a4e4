"""The answer in one table: which methods of explanation may be believed of a model, and how far.

Three tests are put together, of which each may be missing: removal (`attribution`), other seeds
(attribution.seeds) and random weights (`attribution.weights`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.core.claim import Finding
from scrutiny.core.record import grouped

_NOT_ASKED: Final = "not asked"
_YES: Final = "yes"
#: Families of claims, in the order in which they count, with what they ask.
TESTS: Final[Mapping[str, str]] = {
    "uses": "removal",
    "same": "other seeds",
    "changes": "random weights",
}
_HOW: Final[Mapping[str, str]] = {
    "uses": "attribution",
    "same": "attribution.seeds, of a model with several seeds",
    "changes": "attribution.weights, of a model whose weights can be shuffled",
}


def believed(verdicts: Mapping[str, str]) -> str:
    """How far a method may be believed, by its verdict in each test that was asked.

    Examples
    --------
    >>> believed({"uses": "supported", "same": "supported", "changes": "supported"})
    'yes'
    >>> believed({"uses": "supported"})
    'as far as asked'
    >>> believed({"uses": "supported", "changes": "not supported"})
    'no'
    >>> believed({"uses": "undecided", "same": "supported"})
    'not shown'
    >>> believed({"uses": "supported", "same": "not supported", "changes": "supported"})
    'of each seed by itself'
    """
    asked = {name: verdicts.get(name, _NOT_ASKED) for name in TESTS}
    if "not supported" in (asked["uses"], asked["changes"]):
        return "no"
    if asked["uses"] != "supported" or asked["changes"] not in ("supported", _NOT_ASKED):
        return "not shown"
    if asked["same"] not in ("supported", _NOT_ASKED):
        return "of each seed by itself"
    return "as far as asked" if _NOT_ASKED in asked.values() else _YES


def by_method(findings: Iterable[Finding], subject: str, dataset: str) -> dict[str, dict[str, str]]:
    """Verdict of each test of each method, of one model on one dataset."""
    kept = []
    for one in findings:
        family = one.claim.family
        test = family.rpartition("/")[2]
        is_own = one.claim.diagnostic.partition(".")[0] == "attribution" and test in TESTS
        if is_own and family.partition("/")[2] == f"{subject}/{dataset}/{test}":
            kept.append((one.claim.id.removeprefix(f"{family}/"), (test, one.verdict)))
    return {method: dict(verdicts) for method, verdicts in grouped(kept).items()}


def believed_chart(
    methods: Mapping[str, Mapping[str, str]], first: Sequence[str], where: str, name: str
) -> Chart:
    """Table of the methods: how far each may be believed, and what each test says.

    Parameters
    ----------
    methods
        Verdict of each test by method.
    first
        Methods that stand first, the one with the largest effect of removal at the top.
    where, name
        The model and its data, and a name that an anchor may have.
    """
    order = [*(m for m in first if m in methods), *(m for m in methods if m not in first)]
    rows = [
        (m, believed(methods[m]), *(methods[m].get(test, _NOT_ASKED) for test in TESTS))
        for m in order
    ]
    missing = [test for test in TESTS if not any(test in own for own in methods.values())]
    caption = (
        "Removal: the words that it names matter to the answer more than random ones. Other "
        "seeds: they name mostly the same words. Random weights: other words are named. Of a "
        "method that fails removal or random weights, colored words say nothing of the model."
    )
    if missing:
        caption += f" Not asked: {'; '.join(f'{TESTS[m]} ({_HOW[m]})' for m in missing)}."
    return Chart(
        anchor=f"attribution-believed-{name}",
        title=f"Which explanations of {where} may be believed?",
        caption=caption,
        table=ChartTable(("method", "believe it?", *TESTS.values()), tuple(rows), 5),
    )
