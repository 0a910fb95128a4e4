"""Shared invariances of two models, in lines of at most 80 columns."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from scrutiny.cli.compare.words import bounds, wrapped
from scrutiny.cli.narrow import narrowed
from scrutiny.parts.wording.numbers import out_of

if TYPE_CHECKING:
    from scrutiny.run.comparing.kept import Kept, Likened, SharedInvariances, VectorLikeness

_WORDS: Final = {
    "no regression": "PASS  the second keeps these invariances of the first within",
    "regression": "FAIL  the second is shown to lose more of these invariances than",
    "undecided": "UNDECIDED  nothing is shown about a loss of invariances of",
}
_LONGEST: Final = 12  # letters of a capability that stands before its numbers
OWN: Final = "the first beside itself"
UNTRAINED: Final = "untrained networks"


def shared_lines(shared: "SharedInvariances | None") -> Iterator[str]:
    """Everything that is said of what two models share beyond their answers; nothing of nothing."""
    if shared is None:
        return
    if shared.outcome is not None:
        yield f"{_WORDS[shared.outcome]} {shared.margin:g}."
    for is_forward in (True, False):
        several = [one for one in shared.kept if one.is_forward == is_forward]
        for one in several:
            if one is several[0] or one.dataset != several[0].dataset:
                yield from narrowed(direction(one)).splitlines()
            yield from _lines_of(one)
    if shared.likeness is not None:
        yield from _likeness(shared.likeness)


def direction(one: "Kept") -> str:
    """Whose invariances are asked of whom."""
    told = "" if one.is_forward else " (told, not judged)"
    return f"Changes that keep the answer of {one.reference}, asked of {one.target}{told}"


def _lines_of(one: "Kept") -> Iterator[str]:
    """One capability: what is kept, what it is held against, and the verdict."""
    is_long = len(one.capability) > _LONGEST
    words = (
        f"{bounds(one.hard)} keep the answer; {ceiling_name(one)} {bounds(one.ceiling)}; random "
        f"changes {bounds(one.random)}; {out_of(one.hard, sign=' of ')}"
    )
    yield from wrapped(
        "" if is_long else one.capability, f"{one.capability}: {words}" if is_long else words
    )
    lift, kappa, soft, own = (
        one.further.get(name)
        for name in ("scope_lift@1", "kappa_inv@1", "soft_scope@1", "lift of itself")
    )
    parts = [
        f"{name} {bounds(found)}"
        for name, found in (
            ("lift", lift),
            ("of itself", own),
            ("kappa", kappa),
            ("Soft-SCoPE", soft),
        )
        if found is not None and found.value is not None
    ]
    if parts:
        yield from wrapped("", ", ".join(parts))
    yield from wrapped("", f"{verdict_word(one)}: {one.finding.reason}")


def verdict_word(one: "Kept") -> str:
    """What is shown of a capability."""
    return {"supported": "kept", "not supported": "lost"}.get(
        one.finding.verdict, one.finding.verdict
    )


def ceiling_name(one: "Kept") -> str:
    """What the target is held against."""
    return "the reference itself" if one.how == "itself" else "another run of the reference"


def _likeness(found: "VectorLikeness") -> Iterator[str]:
    """Vectors of the last layers: the claim, then each measure with what stands beside it."""
    for claimed in found.findings:
        said = f"{claimed.verdict}: {claimed.claim.says}; {claimed.reason}"
        yield from wrapped("vectors", said)
    for one in found.rows:
        beside = [
            f"{name} {bounds(e)}" for name, e in ((OWN, one.own), (UNTRAINED, one.untrained)) if e
        ]
        yield from wrapped("", "; ".join([f"{likeness_name(one)} {bounds(one.value)}", *beside]))


def likeness_name(one: "Likened") -> str:
    """Which measure of which vectors."""
    measure = one.measure.replace("_", " ")
    return f"{measure} ({one.pooling})" if one.pooling else measure
