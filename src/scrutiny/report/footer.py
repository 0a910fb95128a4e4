"""What stands under every report: where the run is, how the intervals were made, how to go on."""

from scrutiny.report.numbers import percent
from scrutiny.report.view import RunView


def footer_lines(view: RunView) -> list[str]:
    """Sentences under the table, each short enough to read at a glance."""
    facts = view.facts
    lines = [f"run: {facts.path}" + ("" if facts.status == "complete" else f" ({facts.status})")]
    lines.append(f"more: scrutiny report {facts.path} -o report.html")
    lines.append(f"seeds: {seeds(view)}")
    method = f"draws: {facts.draws:,} · {facts.method or 'no interval'} · {percent(facts.level)}"
    lines.append(method)
    if view.findings:
        lines.append("signs: yes/no the check was passed or failed · ? undecided · – not run")
    return lines


def seeds(view: RunView) -> str:
    """Replicates and seed of the run in words."""
    facts = view.facts
    count = len(facts.replicates)
    if count <= 1:
        replicates = "one replicate"
    else:
        replicates = f"{count} replicates ({_range(facts.replicates)})"
    return f"{replicates} · run seed {facts.seed}"


def _range(replicates: tuple[str, ...]) -> str:
    return ", ".join(replicates) if len(replicates) <= 3 else f"{replicates[0]} … {replicates[-1]}"
