"""What a checkpoint's card says of its competence."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from scrutiny.store.files import write_text

_HEADING: Final = "## What it can do"
#: Share of agreement pairs that the zoo's recipe aims at.
AIM: Final = 0.65


def with_competence(
    card: str, record: Mapping[str, Any], goals: Mapping[str, Any] | None = None
) -> str:
    """Card with what ``competence.json`` says of the checkpoint; an earlier such part gives way.

    Parameters
    ----------
    card
        Markdown.
    record
        Competence record.
    goals
        What the whole zoo was to show, as `goals.goals_of` has it.
    """
    before = card.partition(f"\n{_HEADING}")[0].rstrip("\n")
    lines = [*_lines(record), *(_of_goals(goals) if goals else ())]
    return f"{before}\n\n{_HEADING}\n\n" + "\n".join(lines) + "\n"


def write_on_card(
    folder: Path, record: Mapping[str, Any], goals: Mapping[str, Any] | None = None
) -> None:
    """Put what the record says on the card in a checkpoint's folder."""
    card = folder / "README.md"
    write_text(card, with_competence(card.read_text(encoding="utf-8"), record, goals))


def _of_goals(goals: Mapping[str, Any]) -> Iterator[str]:
    """Whether sizes and the student are what they were to be, for who contrasts them."""
    larger, student = goals["larger_above_smaller"], goals["student_above_smaller"]
    yield ""
    yield "At equal text, gains of masked accuracy on the same hidden pieces:"
    yield ""
    yield (
        f"- four layers over two, five seeds: {signed(larger['over_seeds'])}"
        + _verdict(larger, "do not compare sizes on it")
    )
    yield (
        f"- the student over two layers, seed 1: {signed(student)}"
        + _verdict(student, "do not read a contrast with it as distillation's doing")
    )


def _verdict(goal: Mapping[str, Any], warning: str) -> str:
    return (
        "." if goal["is_reached"] else f"; the goal was more than zero, and is missed: {warning}."
    )


def signed(found: Mapping[str, Any]) -> str:
    """Difference with its interval, signs in front."""
    value, low, high = (f"{found[name]:+.3f}" for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    likelihood, agreement = record["likelihood"], record["agreement"]["accuracy"]
    masked, following = record["masked_accuracy"], record["next_sentence"]["accuracy"]
    yield "| on held-out text | value | beside |"
    yield "| --- | --- | --- |"
    yield f"| masked accuracy | {_interval(masked, 3)} | |"
    yield (
        f"| pseudo-perplexity | {_interval(likelihood['pseudo_perplexity'], 0)} | "
        f"{likelihood['fivegram_perplexity']['value']:.0f} by a 5-gram, "
        f"{likelihood['unigram_perplexity']['value']:,.0f} by the unigram |"
    )
    yield f"| next sentence | {_interval(following, 3)} | 0.5 by chance |"
    yield (
        f"| agreement, {agreement['n']} minimal pairs | {_interval(agreement, 3)} | 0.5 by chance |"
    )
    yield ""
    failed = [name for name, passed in record["gates"].items() if not passed]
    yield (
        f"Below the gates {', '.join(failed)}: scrutiny refuses claims that presuppose them."
        if failed
        else "Above all gates."
    )
    if agreement["value"] < AIM:
        yield ""
        yield (
            f"It does not reach {AIM:.0%} of the agreement pairs, which the recipe aimed at: read "
            "findings on grammar with that in mind."
        )


def _interval(found: Mapping[str, Any], decimals: int) -> str:
    value, low, high = (f"{found[name]:.{decimals}f}" for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"
