"""The first screen as a comment on a pull request: risks open, their cases folded; or signs."""

from collections.abc import Iterator
from typing import Final

from scrutiny.core.grouping import grouped
from scrutiny.parts.run.first_screen import Front
from scrutiny.parts.run.found_risks import FoundRisk, held_words
from scrutiny.parts.run.view import EvidenceItem
from scrutiny.parts.seed_signs import Signs
from scrutiny.parts.wording.diffs import changed_words
from scrutiny.parts.wording.numbers import NO_VALUE, interval
from scrutiny.parts.wording.verdicts import mark
from scrutiny.report.formats.markup import escape, folded, table
from scrutiny.text.edits.apply import apply_to_text

_CASES: Final = 6
_LONGEST: Final = 240
_MORE: Final = {"yes": "more than random change", "no": "no more than random change"}


def front_blocks(front: Front) -> list[str]:
    """Heading, numbers, one line a risk, what to do, what would decide the rest."""
    counts = front.counts.rstrip(".")
    heading = f"### scrutiny: {escape(front.title)} \N{EM DASH} {escape(counts.partition(',')[0])}"
    numbers = [f"**{escape(front.skill)}**"] if front.skill else []
    numbers += [escape(number.says) for number in front.numbers] + [*map(escape, front.beside)]
    numbers += [f"In brackets: {front.intervals}."] * bool(front.intervals)
    lines = [_line(risk) for state in ("hurts", "can't tell") for risk in front.of(state)]
    held = front.of("holds")
    lines += [f"- {mark('holds')} {escape(held_words(held))}"] if held else []
    lines += [f"  - {escape(r.name)}: {escape(r.touched)}" for r in held if r.is_rare]
    lines += [
        f"- {mark(state)} {state}: {escape(', '.join(names))}: {escape(reason)}"
        for state in ("not tested", "not asked")
        for reason, names in grouped((r.finding.reason, r.spoken) for r in front.of(state)).items()
    ]
    return [
        heading,
        "<br>\n".join(numbers),
        "\n".join(lines),
        f"**{escape(front.decision)}**",
        f"What would decide the rest: {escape(front.rest)}" if front.rest else "",
    ]


def _line(risk: FoundRisk) -> str:
    """One risk: what it costs, whether random change costs as much, or what would decide."""
    said = f"**{escape(risk.name)}** {escape(risk.costs)}"
    if risk.state == "hurts":
        cases = f"{risk.n_cases:,} cases" if risk.cases else ""
        rest = [_MORE.get(risk.more, ""), risk.scope, cases]
    else:
        rest = [risk.ways.short() if risk.ways else risk.scope]
    rest += [risk.touched] * risk.is_rare
    return f"- {mark(risk.state)} " + "; ".join([said, *(escape(r) for r in rest if r)])


def case_folds(front: Front) -> Iterator[str]:
    """Cases of each risk that hurts, broken and fixed ones told apart."""
    for risk in front.of("hurts"):
        if risk.cases:
            counted = ", ".join(f"{n:,} {turn}" for turn, n in risk.n_turned.items() if n)
            shown = [_case(case) for case in risk.cases[:_CASES]]
            yield folded(f"Cases of {risk.name}: {counted or risk.n_cases}", "\n".join(shown))


def _case(case: EvidenceItem) -> str:
    """One case: text after the change, what changed, what was answered."""
    turned = next((a for a in case.answers if a.is_flipped), case.answers[0])
    own = {name: [e for e in case.edits if e.field == name] for name in case.fields}
    pairs = [pair for name, text in case.fields.items() for pair in changed_words(text, own[name])]
    words = "; ".join(f"{old} \N{RIGHTWARDS ARROW} {new}" for old, new in pairs)
    texts = [apply_to_text(text, own[name]) for name, text in case.fields.items() if own[name]]
    text = " / ".join(texts or case.fields.values())
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\N{HORIZONTAL ELLIPSIS}"
    of = len(case.answers)
    answered = f"{escape(turned.before)} \N{RIGHTWARDS ARROW} **{escape(turned.after)}**"
    times = f" in {case.n_flipped} of {of} models" if of > 1 else ""
    return f"- {case.turn}: {escape(text)} ({escape(words)}): {answered}{times}"


def sign_blocks(signs: Signs) -> list[str]:
    """Which signs are clear over seeds, and a table for each number."""
    blocks = [f"**{escape(signs.headline)}**", escape(signs.decision)]
    blocks += [escape(said) for said in (signs.counts, signs.controls) if said]
    header = ("of", "over all seeds", "seeds", "minus neutral twins", "sign")
    for panel in signs.panels:
        cells = [
            (
                escape(row.name),
                interval(row.whole),
                f"{row.above} above, {row.below} below",
                "; ".join(filter(None, (row.against_twins, escape(row.caveat)))) or NO_VALUE,
                escape(row.says),
            )
            for row in panel.rows
        ]
        blocks += [escape(f"{panel.question} {panel.title}"), table(header, cells, right=(1, 3))]
    return blocks
