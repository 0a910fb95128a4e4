"""Wording of every report: verdicts as words and signs, its first sentence, its footer."""

import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from scrutiny.blocks.labels import replicate_words, shared_words, short_names
from scrutiny.blocks.run_view import DatasetLine, RunView
from scrutiny.core.boundary.printable import whole_percent
from scrutiny.core.claim import Finding
from scrutiny.core.languages import is_english
from scrutiny.core.record import grouped

#: Sentences that open a report, at most.
MOST_SENTENCES: Final = 6
#: What is found of a risk, the worst first.
STATES: Final = ("hurts", "can't tell", "not tested", "holds", "not asked")
#: What each of them means, in a few words.
MEANINGS: Final[Mapping[str, str]] = {
    "hurts": "costs something, and maybe more than is tolerable",
    "can't tell": "these items and models do not decide it",
    "not tested": "asked, but no conclusion can be drawn",
    "holds": "costs at most what is tolerable",
    "not asked": "no question was sent for it",
}
#: In the order in which a reader wants them.
VERDICTS: Final = (*STATES, "supported", "not supported", "undecided", "refused")
MARKS: Final[Mapping[str, str]] = {
    "hurts": "\N{BLACK CIRCLE}",
    "can't tell": "\N{WHITE CIRCLE}",
    "holds": "\N{CHECK MARK}",
    "not tested": "\N{DOTTED CIRCLE}",
    "not asked": "\N{EN DASH}",
    "supported": "\N{CHECK MARK}",
    "not supported": "\N{BALLOT X}",
    "undecided": "?",
    "refused": "\N{EN DASH}",
}
#: Style of each of them in a terminal.
STYLES: Final[Mapping[str, str]] = {
    "hurts": "bold red",
    "can't tell": "yellow",
    "holds": "green",
    "supported": "bold blue",
    "not supported": "cyan",
    "undecided": "yellow",
}
OUTCOME_MARKS: Final[Mapping[str, str]] = {
    "no": "no",
    "undecided": "?",
    "not run": "\N{EN DASH}",
    "yes": "yes",
}
#: Of what a finding is true, as readers are told; JSON, CSV and Python keep the name of the scope.
_SCOPES: Final[Mapping[str, str]] = {
    "this checkpoint": "this model",
    "these checkpoints": "these models",
    "beyond this dataset": "other data",
}
#: How names of families of claims over several data sets end (`scrutiny.run.planning.plan_claims`).
_ACROSS: Final = "/across"
_OPEN: Final = {
    "can't tell": "can't be told yet",
    "not tested": "not tested",
    "not asked": "not asked",
}
#: A condition of the model family, as `scrutiny.run.planning.plan_claims` puts it into full names.
_WITHIN: Final = re.compile(r"\[(\w[\w-]*)=([^\]/]*)\]")


def mark(verdict: str) -> str:
    """Sign of a verdict."""
    return MARKS.get(verdict, "?")


def scope_words(scope: str) -> str:
    """Of what a finding is true, in the words of terminal, page, comment, gate and JUnit.

    Examples
    --------
    >>> scope_words("these checkpoints"), scope_words("this recipe, on these items")
    ('these models', 'this recipe, on these items')
    """
    of, comma, rest = scope.partition(",")
    return _SCOPES.get(of, of) + comma + rest


def sentences(findings: Sequence[Finding], families: Mapping[str, str]) -> tuple[str, ...]:
    """Verdicts in words: one sentence for each family of claims, the largest first.

    Where there are too many families to read, the first sentence counts all claims, and those
    families follow that have something to state.
    """
    by_family = grouped((f.claim.family or f.claim.diagnostic_name, f) for f in findings)
    ordered = sorted(by_family.items(), key=lambda pair: -len(pair[1]))
    first: tuple[str, ...] = ()
    if len(ordered) > MOST_SENTENCES:
        first = (
            _tally(f"{counts(findings)['supported']} of {len(findings)} claims hold", findings),
        )
        telling = [(n, own) for n, own in ordered if any(f.verdict == "supported" for f in own)]
        ordered = telling[: MOST_SENTENCES - 1]
    said = []
    for name, own in ordered:
        whole = _WITHIN.sub("", name)
        phrase = families.get(whole) or families.get(whole.rpartition("/")[2], "")
        on_all = families.get(whole.removesuffix(_ACROSS), "")
        if not phrase and on_all and not any(f.claim.risk for f in own):
            phrase = f"{on_all}, on each data set"
        said.append((own, f"{phrase}{_within(name)}" if phrase else ""))
    of = Counter(phrase for _, phrase in said)  # "on which data?" where two sentences begin alike
    return (*first, *(_sentence(own, p, is_one_of_several=of[p] > 1) for own, p in said))


def context(finding: Finding) -> str:
    """Context of a claim: "sentiment on reviews", or only the model if it covers all datasets."""
    if finding.estimate is None:
        return ""
    key = finding.estimate.key
    subject = f"{key.subject}{_within(finding.claim.id)}"
    if any(c.against.startswith("dataset") for c in finding.claim.components):
        return subject
    return f"{subject} on {key.dataset}"


def _within(name: str) -> str:
    """Condition of the model family in the full name of a claim: " (step 400)", or nothing.

    Examples
    --------
    >>> _within("clusters/bert[step=400]/seat/weat6")
    ' (step 400)'
    """
    found = ", ".join(f"{factor} {value}" for factor, value in _WITHIN.findall(name))
    return f" ({found})" if found else ""


def headline(findings: Sequence[Finding], families: Mapping[str, str]) -> str:
    """First of `sentences` about verdicts, or a sentence for an empty run."""
    found = sentences(findings, families)
    return found[0] if found else "No claim was made: what follows stands without a verdict."


def counts(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings have each verdict, for sentences that count them; zeros included."""
    counter = Counter(finding.verdict for finding in findings)
    return {verdict: counter[verdict] for verdict in VERDICTS}


def _sentence(findings: Sequence[Finding], phrase: str, *, is_one_of_several: bool = False) -> str:
    """Sentence about one family; where others have the same phrase, it says of what it is."""
    of = {context(f) for f in findings if context(f)}
    place = next(iter(of)) if len(of) == 1 else ""
    if any(f.claim.risk for f in findings):
        return _of_risks(findings, phrase, place)
    if len(findings) == 1:
        only = findings[0]
        if only.claim.is_headline and only.lacks_skill:  # its claim would read as if it had some
            said = f"{only.reason[:1].upper()}{only.reason[1:]}"
            return f"{said} ({place})." if place else f"{said}."
        said = only.claim.says.rstrip(".") + (f" ({place})" if place else "")
        return f"{only.verdict.capitalize()} for {scope_words(only.scope)}: {said}."
    supported = counts(findings)["supported"]
    if phrase:
        what = phrase.rstrip(".")
        first = what.partition(" ")[0]
        subjects = {f.estimate.key.subject for f in findings if f.estimate is not None}
        # whether it begins with what is counted ("changes hurt m"), not with the model
        is_counted = first.isalpha() and first.endswith("s") and first not in subjects
        what = what if is_counted else f"claims hold that {what}"
        opening = f"{supported} of {len(findings)} {what}"
        opening += f" ({place})" if is_one_of_several and place else ""
    else:
        frame, _ = shared_words([f.claim.says for f in findings])
        name = findings[0].claim.diagnostic_name
        said = f"hold (\N{LEFT DOUBLE QUOTATION MARK}{frame}\N{RIGHT DOUBLE QUOTATION MARK})"
        opening = f"{place}: " if place else ""
        opening += f"{supported} of {len(findings)} {name} claims {said if frame else 'hold'}"
    return _tally(opening, findings)


def _of_risks(findings: Sequence[Finding], phrase: str, place: str) -> str:
    """Number of risks in a family that hurt, hold, or can't be told."""
    n, total = counts(findings), len(findings)
    if total == 1:
        (only,) = findings
        what = only.claim.risk.what if only.claim.risk else only.claim.says
        told = only.reason.partition(":")[0]
        said = f"{what} {told}" if n["hurts"] or n["holds"] else only.claim.says
        return f"{only.verdict.capitalize()}: {said}" + (f" ({place})." if place else ".")
    what = phrase.rstrip(".") if phrase else f"{findings[0].claim.diagnostic} risks hurt"
    untested = next((name for name in ("not tested", "not asked") if n[name] == total), "")
    if untested:
        return f"{untested.capitalize()}: whether {what} ({total} of {total})."
    parts = [f"{n['hurts']} of {total} {what}"]
    parts += [f"{n['holds']} hold"] * bool(n["holds"])
    parts += [f"{n[name]} {said}" for name, said in _OPEN.items() if n[name]]
    return "; ".join(parts) + "."


def _tally(opening: str, findings: Sequence[Finding]) -> str:
    """Rest of a sentence with the verdicts other than supported."""
    n = counts(findings)
    parts = [opening]
    if n["not supported"]:
        contrary = "does not" if n["not supported"] == 1 else "do not"
        parts.append(f"{n['not supported']} {contrary}")
    parts += [f"{n[verdict]} {verdict}" for verdict in ("undecided", "refused") if n[verdict]]
    why = {finding.reason for finding in findings}
    if n["refused"] == len(findings) and len(why) == 1:  # numbers below would read as answers
        (reason,) = why
        parts[-1] += f": {reason.rstrip('.')}"
    return "; ".join(parts) + "."


_PROGRAM: Final = "scrutiny"
#: What replicates share, by what they are replicates of.
SHARED: Final[Mapping[str, str]] = {
    "fine-tuning": ": they share one pre-trained model",
    "initialization": ": nothing was trained",
}


def report_command(path: object) -> str:
    """Command that reports a run, as it can be typed here.

    A program that is on no path of the shell, as that of a virtual environment which was not
    activated, is named by where it lies.
    """
    started = Path(sys.argv[0])
    is_ours = started.stem == _PROGRAM and started.is_file()
    if not is_ours or shutil.which(_PROGRAM):
        return f"{_PROGRAM} report {path}"
    place, here = started.absolute(), Path.cwd()
    return f"{place.relative_to(here) if place.is_relative_to(here) else place} report {path}"


def title_of(view: RunView, *, is_short: bool = False) -> str:
    """What was examined on which data; unless short, with how many seeds and items."""

    def of(data: DatasetLine) -> str:
        """Language behind the name of a dataset; of English no word is said."""
        return "" if all(map(is_english, data.languages)) else f", {data.language}"

    parts = [", ".join(short_names(view.facts.subjects).values())]
    names = short_names([d.name for d in view.datasets])
    if is_short:
        parts += [names[d.name] + of(d) for d in view.datasets]
    else:
        parts.append(models_in_words(view))
        parts += [f"{names[d.name]} ({d.size}{of(d)})" for d in view.datasets]
    return " \N{MIDDLE DOT} ".join(filter(None, parts))


def models_in_words(view: RunView) -> str:
    """Number of models, one of each seed; nothing of one, nor where only some have seeds."""
    names = view.facts.replicates
    is_mixed = replicate_words(None) in names
    return f"{len(names)} models" if len(names) > 1 and not is_mixed else ""


def footer_lines(view: RunView) -> list[str]:
    """Sentences under the table, each short enough to read at a glance."""
    facts = view.facts
    lines = [f"run: {facts.path}" + ("" if facts.status == "complete" else f" ({facts.status})")]
    lines.append(f"more: {report_command(facts.path)} -o report.html")
    is_single = len(facts.replicates) <= 1
    lines.append(f"{'run seed' if is_single else 'seeds'}: {seeds(view)}")
    method = (
        f"draws: {facts.draws:,} · {facts.method or 'no interval'} · {whole_percent(facts.level)}"
    )
    lines.append(method)
    if view.findings:
        lines.append("signs: yes/no passed or failed the check · ? undecided · \N{EN DASH} not run")
    return lines


def seeds(view: RunView) -> str:
    """Replicates and seed in the footer of a table; of a single one, the seed alone."""
    seed = view.facts.seed
    return f"{replicates(view)} · run seed {seed}" if len(view.facts.replicates) > 1 else f"{seed}"


def replicates(view: RunView) -> str:
    """Replicates in the footer of a table: number, kind, and what they share."""
    facts = view.facts
    count = len(facts.replicates)
    kinds = set(facts.replicates_of.values())
    ends = (*facts.replicates[:1], *facts.replicates[-1:])
    names = f"({', '.join(facts.replicates) if count <= 3 else ' … '.join(ends)})"
    if len(kinds) == 1 and len(facts.replicates_of) == max(1, len(facts.subjects)):
        kind = kinds.pop()
        return f"{count} {kind} replicates {names}{SHARED.get(kind, '')}"
    said = [f"{who}: {kind}{SHARED.get(kind, '')}" for who, kind in facts.replicates_of.items()]
    return "; ".join([f"{count} replicates {names}", *said])
