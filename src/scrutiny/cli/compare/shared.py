"""What is said of the invariances that two models share, and of the likeness of their vectors."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from scrutiny.parts.charts.findings import forest_or_table
from scrutiny.parts.charts.tables import Line, forest_table
from scrutiny.parts.part import Chapter, Part
from scrutiny.run.comparing.kept import Kept, Likened, SharedInvariances, VectorLikeness

SHARED: Final = Chapter(
    "shared",
    "Shared invariances",
    "Texts were changed so that one model answers as before, and the other was asked about them, "
    "too.",
)
VECTORS: Final = Chapter(
    "likeness", "How alike the vectors of the last layers are", "Told, and never decides."
)
#: Numbers that stand beside what is kept, by the names of their statistics.
_FURTHER: Final[Mapping[str, str]] = {
    "scope_lift@1": "lift",
    "lift of itself": "of itself",
    "kappa_inv@1": "kappa",
    "soft_scope@1": "Soft-SCoPE",
}
_CEILINGS: Final = {
    "itself": "the reference itself",
    "another run": "another run of the reference",
}
_SHOWN: Final = {"supported": "kept", "not supported": "lost"}


def shared_parts(shared: SharedInvariances) -> Iterator[Part]:
    """A part for each direction, the judged one first, and one for the vectors."""
    for is_forward, anchor in ((True, "kept-of-the-first"), (False, "kept-of-the-second")):
        own = [one for one in shared.kept if one.is_forward == is_forward]
        if own:
            yield _direction(own, anchor, shared.margin)
    if shared.likeness is not None:
        yield _vectors(shared.likeness)


def _direction(found: Sequence[Kept], anchor: str, margin: float) -> Part:
    """Whose invariances are asked of whom, and what is kept of each change."""
    first, facts, drawn, listed = found[0], [], [], []
    for one in found:
        label = f"{one.capability}{f' of {one.dataset}' * (one.dataset != first.dataset)}"
        series = {"keeps the answer": one.hard, _CEILINGS[one.how]: one.ceiling}
        series["random changes"] = one.random
        more = {name: one.further[key] for key, name in _FURTHER.items() if key in one.further}
        drawn.append(Line(label, series))
        listed.append(Line(label, series | more))
        verdict = one.finding.verdict
        facts.append((label, f"{_SHOWN.get(verdict, verdict)}: {one.finding.reason}"))
    charts = forest_or_table(
        f"{anchor}-chart",
        "How often the answer stays",
        "Share of the changed texts over which the answer stays (Hard-SCoPE). Random changes of as "
        "many words are the control; nothing can be expected above the ceiling, "
        f"{_CEILINGS[first.how]}. Losing at most {margin:g} of it does not matter.",
        drawn,
        metric="answers kept",
        table=forest_table(listed),
    )
    told = "" if first.is_forward else " (told, not judged)"
    title = f"Changes that keep the answer of {first.reference}, asked of {first.target}{told}"
    return Part(anchor, title, "", tuple(charts), chapter=SHARED, facts=tuple(facts))


def _vectors(found: VectorLikeness) -> Part:
    """Vectors of the last layers: what is claimed, and each measure with what stands beside it."""
    charts = forest_or_table(
        "vectors-chart",
        "Likeness",
        "1 is the same up to what a measure disregards; never one measure alone. The first beside "
        "itself is its other runs, where it has any: the most that can be expected.",
        [_likened(one) for one in found.rows],
        metric="likeness",
    )
    facts = tuple((f.verdict, f"{f.claim.says}; {f.reason}") for f in found.findings)
    title = "Vectors of the last layers"
    return Part("vectors", title, "", tuple(charts), chapter=VECTORS, facts=facts)


def _likened(one: Likened) -> Line:
    measure = one.measure.replace("_", " ")
    several = {
        "second beside first": one.value,
        "the first beside itself": one.own,
        "untrained networks": one.untrained,
    }
    return Line(
        f"{measure} ({one.pooling})" if one.pooling else measure,
        {name: e for name, e in several.items() if e is not None},
    )
