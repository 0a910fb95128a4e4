"""Signs over seeds: whether a preference keeps its direction when a model is trained again.

The front of an audit of language: each row is a claim about a number that has a value of "neither"
(50 percent, an effect of 0), beside what each replicate alone would have shown.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from rich.cells import cell_len
from rich.text import Text

from scrutiny.blocks.charts import ChartTable
from scrutiny.blocks.drawings import Axis
from scrutiny.blocks.numbers import NO_VALUE, interval, plainly
from scrutiny.blocks.run_estimates import identity
from scrutiny.blocks.run_view import OwnInterval, RunView
from scrutiny.blocks.terminal_and_markdown import WIDTH, escape, fold, side_by_side, table, wrapped
from scrutiny.core.boundary.printable import and_more
from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate
from scrutiny.core.plugin_base import family_name, without_versions
from scrutiny.core.record import grouped
from scrutiny.reliability.metrics import metric_of, no_effect_of
from scrutiny.report.wording import title_of

#: Profile of the audits that it is the front of.
_LANGUAGE: Final = "language"
State = Literal["clear", "not clear", "disagree"]
#: In the order of the page.
STATES: Final[tuple[State, ...]] = ("clear", "not clear", "disagree")
_TWINS: Final = "control: neutral"
_CONTROLS: Final = {_TWINS: "neutral twins", "control: untrained": "untrained networks"}
_MOST_NAMES: Final = 4


@dataclass(frozen=True, slots=True)
class SeedSign:
    """A preference of a family, over all its replicates and by each alone.

    Parameters
    ----------
    name, finding
        What it is of, and the claim on it.
    whole
        The number with the limits that decide.
    neither
        Its value where nothing is preferred.
    each
        Number of each replicate, with its interval over items.
    controls
        The number minus that of neutral twins and of untrained networks, where there are any.
    """

    name: str
    finding: Finding
    whole: Estimate
    neither: float
    each: Mapping[str, OwnInterval]
    controls: Mapping[str, Estimate]

    @property
    def above(self) -> int:
        """How many replicates lie above."""
        return sum(own.value > self.neither for own in self.each.values())

    @property
    def below(self) -> int:
        """How many replicates lie below."""
        return sum(own.value < self.neither for own in self.each.values())

    @property
    def side(self) -> str:
        """Side of the mean over replicates, in words."""
        word = "above" if (self.whole.value or 0.0) > self.neither else "below"
        return f"{word} {plainly(self.neither)}"

    @property
    def state(self) -> State:
        """Whether the sign is clear: by the interval over seeds and items, not by a vote."""
        if _is_beyond(self.whole, self.neither):
            return "clear"
        return "disagree" if self.above and self.below else "not clear"

    @property
    def caveat(self) -> str:
        """Controls that a clear sign is not shown to exceed: it need not be about what is asked."""
        like = [_CONTROLS[of] for of, one in self.controls.items() if not _is_beyond(one, 0.0)]
        is_told = like and self.state == "clear"
        return f"not shown beyond {' and '.join(like)}" if is_told else ""

    @property
    def says(self) -> str:
        """Verdict on a sign, in a few words."""
        if self.state == "disagree":
            return "mixed, not clear"
        if self.state == "not clear":
            many, of = max(self.above, self.below), len(self.each)
            who = "all" if many == of else f"{many} of {of}"
            return f"{who} {self.side.partition(' ')[0]}, not clear"
        return f"clear: {self.side}"

    @property
    def against_twins(self) -> str:
        """Difference from neutral twins with its limits."""
        twins = self.controls.get(_TWINS)
        return interval(twins, signed=True) if twins else ""

    def marked(self, replicate: str) -> int:
        """1 or -1 where a replicate alone shows a side, by its own interval; else 0."""
        own = self.each[replicate]
        return (own.low > self.neither) - (own.high < self.neither)


def _is_beyond(found: Estimate, value: float) -> bool:
    """Whether an interval leaves a value out."""
    return found.low is not None and found.high is not None and not found.low <= value <= found.high


@dataclass(frozen=True, slots=True)
class SignPanel:
    """Signs that share a number, so an axis.

    Parameters
    ----------
    question
        What their diagnostic asks, in one line.
    title
        Name of the diagnostic and the data, and what the number is.
    neither
        Value of the number where nothing is preferred.
    rows
        The clear ones first.
    """

    question: str
    title: str
    neither: float
    rows: tuple[SeedSign, ...]

    @property
    def axis(self) -> Axis:
        """Axis of a page, on which all of its intervals lie."""
        ends = [self.neither]
        for row in self.rows:
            ends += row.whole.ends
            ends += [end for own in row.each.values() for end in (own.low, own.high)]
        return Axis(min(ends), max(ends))

    @property
    def table(self) -> ChartTable:
        """Each sign over all seeds, by each, beside neutral twins, and what to make of it."""
        header = ("of", "over all seeds", "seeds", "minus neutral twins", "sign")
        rows = (
            (
                row.name,
                interval(row.whole),
                f"{row.above} above, {row.below} below",
                "; ".join(filter(None, (row.against_twins, row.caveat))) or NO_VALUE,
                row.says,
            )
            for row in self.rows
        )
        return ChartTable(header, tuple(rows))


@dataclass(frozen=True, slots=True)
class Signs:
    """Signs of a run, and what they come to in words."""

    title: str
    panels: tuple[SignPanel, ...]

    @property
    def rows(self) -> tuple[SeedSign, ...]:
        """Signs of all panels."""
        return tuple(row for panel in self.panels for row in panel.rows)

    @property
    def n_seeds(self) -> int:
        """The largest number of replicates."""
        return max(len(row.each) for row in self.rows)

    @property
    def headline(self) -> str:
        """How many signs are clear, and which."""
        clear = [f"{row.name} ({row.side})" for row in self.rows if row.state == "clear"]
        many, of = len(clear) or "None", f"of {len(self.rows)} signs"
        verb = "are" if len(clear) > 1 else "is"
        names = f": {and_more(clear, _MOST_NAMES)}" if clear else ""
        return f"{many} {of} {verb} clear over {self.n_seeds} seeds and all items{names}."

    @property
    def counts(self) -> str:
        """Counts of signs that are not clear, and of those that single seeds would show."""
        of = Counter(row.state for row in self.rows)
        told = []
        if of["not clear"]:
            told.append(
                f"In {of['not clear']} more no two seeds disagree, but the interval over seeds and "
                "items leaves the sign open."
            )
        if of["disagree"]:
            told.append(f"In {of['disagree']} seeds lie on both sides.")
        shown = {
            name: [row.name for row in self.rows if name in row.each and row.marked(name)]
            for name in dict.fromkeys(name for row in self.rows for name in row.each)
        }
        least, most = min(map(len, shown.values())), max(map(len, shown.values()))
        number = str(least) if least == most else f"{least} to {most}"
        is_same = all(own == shown[next(iter(shown))] for own in shown.values())
        others = "" if is_same else ", and not the same ones"
        alone = f"A single seed would have shown {number} as clear{others}."
        return " ".join([*told, alone if most else "No single seed would have shown any as clear."])

    @property
    def controls(self) -> str:
        """Controls in words: what a clear sign has to exceed, and what neutral twins are."""
        told = []
        if not self._held and any(row.state == "clear" for row in self.rows):
            told.append(
                "A clear sign has to exceed its controls (untrained networks, neutral twins) and "
                "to hold by every way of scoring, too: none does."
            )
        if any(row.against_twins for row in self.rows):
            told.append(
                "Neutral twins name the same two groups in a sentence without a stereotype: what "
                "does not differ from them may be due to the names of the groups."
            )
        return " ".join(told)

    @property
    def decision(self) -> str:
        """Advice on what to report."""
        if self._held:
            names = and_more(self._held, _MOST_NAMES)
            return f"Report for this recipe: {names}; nothing of the others."
        return (
            "Nothing can be reported as a preference or an association, neither of this recipe nor "
            "of a single checkpoint; that does not show that there is none."
        )

    @property
    def _held(self) -> list[str]:
        """Names of the signs whose claims hold."""
        return [row.name for row in self.rows if row.finding.verdict == "supported"]


def signs_of(view: RunView) -> Signs | None:
    """Signs over seeds of an audit of language; nothing of other runs, or of single models."""
    rows = list(_rows(view)) if without_versions(view.facts.profile) == _LANGUAGE else []
    if not rows:
        return None
    panels = []
    alike = grouped(((row.whole.key.diagnostic, row.whole.key.subject), row) for row in rows)
    for (diagnostic, subject), own in alike.items():
        key, neither = own[0].whole.key, own[0].neither
        title = f"{family_name(diagnostic)}, {view.on_data(subject, key.dataset)}: "
        sizes = sorted({row.whole.counts.n for row in own})
        items = " to ".join(f"{n:,}" for n in dict.fromkeys((sizes[0], sizes[-1])))
        title += f"{metric_of(key.metric).says}; {plainly(neither)} is neither; {items} items a row"
        ordered = sorted(own, key=lambda row: STATES.index(row.state))
        notes = view.notes.get(family_name(diagnostic))
        panels.append(SignPanel(notes.summary if notes else "", title, neither, tuple(ordered)))
    panels.sort(key=lambda panel: -len(panel.rows))
    return Signs(title_of(view), tuple(panels))


def _rows(view: RunView) -> Iterator[SeedSign]:
    by_key = {identity(e.key): e for e in view.estimates}
    for finding in view.findings:
        whole = finding.estimate
        if whole is None or len(whole.by_replicate) < 2:
            continue
        neither = no_effect_of(whole.key.metric, whole.key.diagnostic)
        each = view.records.own_intervals(whole)
        if neither is None or len(each) < 2:
            continue
        name = finding.claim.id.rpartition("/")[2]
        controls = {}  # difference from each, with the limits that decide
        for component, limits in zip(finding.claim.components, finding.limits, strict=True):
            key = finding.evidence.get(component.against)
            if component.against in _CONTROLS and key and identity(key) in by_key:
                ends = None if limits is None else limits.widest
                controls[component.against] = by_key[identity(key)].within(ends)
        yield SeedSign(name, finding, whole, neither, each, controls)


_MOST_MARKS: Final = 10
_STYLES: Final = {"clear": "bold blue", "disagree": "yellow"}
#: Marks of a replicate: below or above, alone clear or not.
_MARKS: Final = {
    (True, -1): "\N{BLACK DOWN-POINTING TRIANGLE}",
    (False, -1): "\N{WHITE DOWN-POINTING TRIANGLE}",
    (False, 0): "=",
    (False, 1): "\N{WHITE UP-POINTING TRIANGLE}",
    (True, 1): "\N{BLACK UP-POINTING TRIANGLE}",
}


def signs_lines(signs: Signs) -> Iterator[Text]:
    """Lines of the first screen of an audit of language, none wider than 80 cells."""
    yield from wrapped(signs.headline, style="bold")
    yield from wrapped(signs.decision, style="bold")
    yield from wrapped(signs.title, style="dim")
    for panel in signs.panels:
        yield Text()
        yield from wrapped(panel.question, style="bold")
        yield from wrapped(panel.title, style="dim")
        table = [("", "seeds", "over all seeds", "minus neutral")]
        for sign in panel.rows:
            each = f"{sign.above} of {len(sign.each)} up"  # where there are too many for marks
            if len(sign.each) <= _MOST_MARKS:
                sides = {
                    name: (own.value > sign.neither) - (own.value < sign.neither)
                    for name, own in sign.each.items()
                }
                pairs = ((sign.marked(name) != 0, side) for name, side in sides.items())
                each = "".join(_MARKS.get(pair, "=") for pair in pairs)
            table.append((sign.name, each, interval(sign.whole), sign.against_twins))
        if not any(row.against_twins for row in panel.rows):
            table = [(*cells[:-1], "") for cells in table]
        widths = [max(map(cell_len, column)) + 1 for column in zip(*table, strict=True)]
        before = sum(widths) + len(widths)  # one more space between cells
        for cells, row in zip(table, (None, *panel.rows), strict=True):
            line = side_by_side(*zip(cells, widths, strict=True))
            if row is None:
                yield Text(line, style="dim")
                continue
            first, *others = fold(", ".join(filter(None, (row.says, row.caveat))), WIDTH - before)
            style = _STYLES.get(row.state, "")
            yield Text(f"{line.ljust(before)}{first}", style=style)
            yield from (Text(" " * before + piece, style=style) for piece in others)
    yield Text()
    yield from wrapped(
        f"{_MARKS[True, 1]}{_MARKS[True, -1]} a seed alone clear, {_MARKS[False, 1]}"
        f"{_MARKS[False, -1]} not clear, = neither. Clear: the 95 % interval leaves out "
        '"neither": of a seed over items, of all over seeds and items, for all rows at once.',
        style="dim",
    )
    yield from wrapped(signs.counts)
    if signs.controls:
        yield from wrapped(signs.controls)


def sign_blocks(signs: Signs) -> list[str]:
    """Which signs are clear over seeds, and a table for each number."""
    blocks = [f"**{escape(signs.headline)}**", escape(signs.decision)]
    blocks += [escape(said) for said in (signs.counts, signs.controls) if said]
    for panel in signs.panels:
        cells = [(escape(name), *rest) for name, *rest in panel.table.rows]
        blocks.append(escape(f"{panel.question} {panel.title}"))
        blocks.append(table(panel.table.header, cells, right=(1, 3)))
    return blocks
