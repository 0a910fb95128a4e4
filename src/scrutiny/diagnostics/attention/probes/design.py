"""Estimates and claims of the attention probes."""

from collections.abc import Iterator, Sequence
from typing import Final

from scrutiny.core.claim import Claim, Component, checks_with
from scrutiny.core.diagnostic import ContrastSpec, Design, EstimateSpec, Inputs

#: Baseline without a parameter: every word hangs on the next one.
RIGHT: Final = "right-branching"
_OF_ATTENTION: Final = ("attention", "attention-words")
_PAIR: Final = ("attention-words", "distances-words")


def condition_of(kind: str, draw: int) -> dict[str, object]:
    """Condition of the records of one probe and one random initialization."""
    return {"probe": kind, "draw": draw}


def make_probes_design(
    kinds: Sequence[str], inputs: Inputs, *, draws: int, margin: float, notes: tuple[str, ...]
) -> Design:
    """Design for one family on one dataset."""
    places = [(kind, draw) for kind in kinds for draw in range(1, draws + 1)]
    places.append((RIGHT, 1))
    own = [kind for kind in _OF_ATTENTION if kind in kinds]
    is_paired = set(_PAIR) <= set(kinds)
    return Design(
        conditions=tuple(condition_of(*place) for place in places),
        estimates=tuple(
            EstimateSpec.of(_name(*place), "uas@1", condition_of(*place)) for place in places
        ),
        claims=tuple(_claims(own, draws=draws, margin=margin, is_paired=is_paired)),
        queries_per_item=2,
        notes=notes,
        families={
            "attention.probe": f"attention of {inputs.subject.name} encodes syntax beyond "
            "distances and words, and beyond untrained networks"
        },
        contrasts=tuple(_contrasts(own, draws, is_paired=is_paired)),
    )


def _name(kind: str, draw: int) -> str:
    return f"{kind}/{draw}"


def _contrasts(own: Sequence[str], draws: int, *, is_paired: bool) -> Iterator[ContrastSpec]:
    """Differences from distances with words, right-branching, and untrained networks."""
    for draw in range(1, draws + 1):
        if is_paired:
            a, b = (_name(kind, draw) for kind in _PAIR)
            yield ContrastSpec(f"beyond-distances/{a}", a, b, minus="own")
        for kind in own:
            a = _name(kind, draw)
            yield ContrastSpec(f"beyond-right/{a}", a, _name(RIGHT, 1), minus="own")
            yield from ContrastSpec.untrained([a])


def _claims(own: Sequence[str], *, draws: int, margin: float, is_paired: bool) -> Iterator[Claim]:
    """Claims: maps add to words and distances, in every draw."""
    for kind in own:
        against = [("untrained", "control: untrained")]
        if kind == "attention":
            against.insert(0, ("beyond-right", "baseline: right-branching"))
        elif is_paired:
            against.insert(0, ("beyond-distances", "baseline: distances and words"))
        else:
            continue
        components = [
            Component(
                f"{place}/{_name(kind, draw)}",
                margin,
                guard if draw == 1 else f"choice: draw {draw}, {guard}",
            )
            for draw in range(1, draws + 1)
            for place, guard in against
        ]
        yield Claim(
            id=kind,
            says=f"a probe of attention{' and words' if kind != 'attention' else ''} finds "
            f"{margin:g} more of the syntactic heads than its baseline and untrained maps do",
            components=tuple(components),
            family="attention.probe",
            checks=checks_with(draw=range(draws)),
        )
