"""What a run declares, in rows and sentences: numbers, risks, conditions, and what is open."""

from collections.abc import Iterator
from typing import Final

from scrutiny.blocks.numbers import denominator, interval
from scrutiny.blocks.run_estimates import identity, main_estimates
from scrutiny.blocks.run_view import Missing, RunView
from scrutiny.core.estimate import Estimate
from scrutiny.core.plugin_base import family_name, without_versions
from scrutiny.report.first_screen.content import first_screen_of

_MOST_MISSING: Final = 10


def declared_rows(view: RunView) -> list[tuple[str, str, str, str, str]]:
    """Model, dataset, metric, value with its interval, and items, of each main number."""
    return [
        (one.key.subject, one.key.dataset, one.key.metric_name, interval(one), denominator(one))
        for one in declared_numbers(view)
    ]


def declared_numbers(view: RunView) -> list[Estimate]:
    """Main numbers over all items, under no condition; with the limits of a verdict, if any."""
    judged = {identity(f.estimate.key): f.estimate for f in view.findings if f.estimate}
    plain = [e for e in main_estimates(view) if e.value is not None and not e.key.condition]
    own = [e for e in plain if (e.key.role, e.key.group) == ("measured", "all")]
    return [judged.get(identity(one.key), one) for one in own]


def state_rows(view: RunView) -> list[tuple[str, str, str, str]]:
    """Risk, state, cost in words, and of what it is said, of each risk, the worst first."""
    found = first_screen_of(view).risks
    return [(risk.name, risk.state, risk.costs, risk.scope) for risk in found]


def claim_rows(view: RunView) -> list[tuple[str, str, str]]:
    """Claims beside scores and risks: the sentence, its verdict and its scope."""
    found = [f for f in view.findings if f.claim.risk is None and not f.claim.is_headline]
    return [(f.claim.says, f.verdict, f.scope) for f in found]


def conditions(view: RunView) -> Iterator[tuple[str, str]]:
    """Names and values of what the numbers were measured with."""
    facts = view.facts
    for name, model in view.manifest.get("models", {}).items():
        if isinstance(model, dict) and model.get("role", "measured") == "measured":
            yield f"model {name}", str(model.get("source", name))
    for data in view.datasets:
        yield f"data {data.name}", f"{data.source} ({data.size})"
    if facts.replicates:
        yield "replicates", ", ".join(facts.replicates)
    yield "seed of the run", str(facts.seed)
    if facts.profile:
        yield "profile", facts.profile
    yield "intervals", f"{facts.method}, {100 * facts.level:.0f} %, {facts.draws:,} draws"
    yield "a second run", facts.promise or "not known"
    shown = [f"{name} {said}" for name, said in facts.environment.items()]
    yield "versions", ", ".join(shown) or facts.version
    if facts.command:
        yield "command", facts.command


def open_questions(view: RunView) -> list[str]:
    """What was not tested, not asked, not decided, left out or missing, in sentences."""
    screen = first_screen_of(view)
    said = [sentence.partition(" ")[2] for sentence in screen.not_told]
    undecided = [risk.spoken for risk in screen.of("can't tell")]
    if undecided:
        said.append(f"can't be told yet: {', '.join(undecided)}")
    said += view.facts.left_out
    said += view.facts.warnings
    said += [
        f"{_change(one)}: {one.count:,} text{'s' * (one.count != 1)} {one.status}"
        f" ({one.reason.replace('_', ' ') or 'no reason given'})"
        for one in view.missing[:_MOST_MISSING]
    ]
    more = len(view.missing) - _MOST_MISSING
    return [*said, *([f"{more} more reasons why texts were not asked"] if more > 0 else [])]


def _change(one: Missing) -> str:
    """Change whose texts were not asked, or else the diagnostic."""
    return without_versions(one.recipe) or family_name(one.diagnostic)
