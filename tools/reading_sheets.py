"""Draws outputs of transformations for two readings, and tallies the readings.

    python tools/reading_sheets.py draw --texts reviews.txt=80 --texts news.txt=20 --out reading
    python tools/reading_sheets.py tally --key reading/key.jsonl --first reading/first.jsonl \
        --second reading/rated-1.jsonl --second reading/rated-2.jsonl

``draw`` takes files with a text a line, and how many outputs each is to give; or data with right
answers (``--data conllu:dev.conllu=50``), whose claim says what is right of the changed text, of an
item of several texts all of which are shown. With ``--around 200``, long texts are drawn, too: what
is shown is so much around each edit and around the answer. It writes

``key.jsonl``          what every row is: ``{id, transformation, text_before, text_after}``; rows
                       without a transformation are unchanged texts
``named.txt``          for a reader who knows the names, with the edits marked
``sheet-N.jsonl``      for readers who don't: ``{id, text_before, text_after, claim}``, shuffled
                       over the transformations and mixed with the unchanged texts
``INSTRUCTIONS.md``    what those readers are told

A reading is a file of lines ``{"id": ..., "fit": true or false, "why": ...}``; with ``"right"``
beside it, the answer was rated apart from the text. ``tally`` prints a Markdown table: the share of
fit outputs (``--mark right``: of right answers) by either reading with Wilson's interval, how often
the two agree, and Cohen's kappa.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from shutil import copyfile
from typing import Any, NamedTuple, TypeVar

from scrutiny.core.answers.answer import has_places, type_of
from scrutiny.core.answers.clusters import Clusters
from scrutiny.core.answers.label_and_spans import Segments
from scrutiny.core.answers.texts import Extract
from scrutiny.core.answers.words import Words
from scrutiny.core.edit import Edit, Variant, measured_variant
from scrutiny.core.example import Example
from scrutiny.core.record import grouped
from scrutiny.data.dataset import load_dataset
from scrutiny.diagnostics.robustness.robustness_recipes import RobustnessParams
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.resources.other_items import OtherItems
from scrutiny.stats.agreement.kappa import cohen_kappa
from scrutiny.stats.intervals.interval import wilson
from scrutiny.tasks.tasks import load_task
from scrutiny.text.edit_tracks import in_order
from scrutiny.text.edits import apply_to_text

T = TypeVar("T")
TASK = "text-classification"
CLAIMS = {"keeps": "keeps the label", "may change": "turns the meaning round"}
SAME_MENTIONS = "every mention still means what it meant; what is said twice means the same twice"
NOT_SCORED = "may ask or say something else"
UNCHANGED = "unchanged texts"
SEVERAL = " || "  # between the texts of one item
LEFT_OUT = " […] "  # what is not shown of a long text
LONGEST = 320  # code points; a longer text tires its reader
INSTRUCTIONS = Path(__file__).with_name("reading_instructions.md")


class Item(NamedTuple):
    """Item of data with right answers, the others of the data, and its task."""

    example: Example
    items: OtherItems
    task: str | None = None

    @property
    def text(self) -> str:
        """All its texts."""
        return SEVERAL.join(self.example.fields.values())


#: Texts, or items, and how many outputs they are to give.
Source = tuple[Sequence["str | Item"], int]


class Shown(NamedTuple):
    """How much of a long text is shown around an edit, and what changes may ask for."""

    around: int | None = None
    resources: Mapping[str, str] = {}

    def excerpt(self, text: str, places: Iterable[tuple[int, int]]) -> str:
        """A text, or what stands around the places of a long one."""
        if self.around is None or len(text) <= LONGEST:
            return text
        shown: list[tuple[int, int]] = []
        for start, end in sorted(places):
            halves = [(start, end)] if end - start <= LONGEST else [(start, start), (end, end)]
            for a, b in halves:
                low, high = max(0, a - self.around), min(len(text), b + self.around)
                if shown and low <= shown[-1][1]:
                    shown[-1] = (shown[-1][0], max(high, shown[-1][1]))
                else:
                    shown.append((low, high))
        return LEFT_OUT.join(text[low:high] for low, high in shown or [(0, LONGEST)])


class Row(NamedTuple):
    """One text to be read; no transformation where it is unchanged."""

    id: str
    transformation: str | None
    before: str
    after: str
    claim: str
    marked: str


class Line(NamedTuple):
    """Two readings of one transformation; nothing stands where nobody read."""

    name: str
    n: int
    first: int | None
    second: int
    agreement: float | None
    kappa: float | None


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    draw = verbs.add_parser("draw")
    draw.add_argument("--texts", action="append", default=[], metavar="FILE=N")
    draw.add_argument("--data", action="append", default=[], metavar="DATA=N")
    draw.add_argument("--out", type=Path, required=True)
    draw.add_argument(
        "--transformation", action="append", metavar="NAME", help="beside the defaults"
    )
    draw.add_argument("--only", action="store_true", help="no defaults beside them")
    draw.add_argument("--seed", type=int, default=0)
    draw.add_argument("--sheets", type=int, default=8)
    draw.add_argument("--unchanged", type=float, default=0.15)
    draw.add_argument("--around", type=int, help="shown of long texts, in code points")
    draw.add_argument("--resource", action="append", default=[], metavar="NAME=SPEC")
    tally = verbs.add_parser("tally")
    tally.add_argument("--key", type=Path, required=True)
    tally.add_argument("--first", type=Path, required=True)
    tally.add_argument("--second", type=Path, action="append", required=True)
    tally.add_argument("--mark", choices=("fit", "right"), default="fit")
    given = parser.parse_args(arguments)
    if given.verb == "draw":
        write_sheets(given)
    else:
        key = {row["id"]: row["transformation"] for row in read_lines([given.key])}
        first, second = (ratings_of(f, given.mark) for f in ([given.first], given.second))
        lines = tallied(key, first, second)
        print("\n".join(as_table(lines)))


def write_sheets(given: argparse.Namespace) -> None:
    sources: list[Source] = [sourced(text) for text in given.texts]
    sources += [sourced_data(data, is_long=bool(given.around)) for data in given.data]
    names = [*(() if given.only else default_names()), *(given.transformation or ())]
    shown = Shown(given.around, dict(one.split("=", 1) for one in given.resource))
    rows = [row for name in names for row in drawn(name, sources, given.seed, shown)]
    count = round(len(rows) * given.unchanged / (1 - given.unchanged))
    rows += unchanged(sources, count, given.seed, shown)
    given.out.mkdir(parents=True, exist_ok=True)
    copyfile(INSTRUCTIONS, given.out / "INSTRUCTIONS.md")
    key = [{"id": r.id, "transformation": r.transformation, **both(r)} for r in rows]
    write_lines(given.out / "key.jsonl", key)
    for number, sheet in enumerate(sheets_of(rows, given.sheets, given.seed), 1):
        lines = [{"id": r.id, **both(r), "claim": r.claim} for r in sheet]
        write_lines(given.out / f"sheet-{number}.jsonl", lines)
    named = [f"{r.id} {r.transformation} {r.marked}" for r in rows if r.transformation]
    (given.out / "named.txt").write_text("\n".join(named) + "\n", encoding="utf-8")


def default_names() -> list[str]:
    """Transformations that the robustness diagnostic runs when none is named."""
    recipes = RobustnessParams().recipes(load_task("text-classification"), frozenset({"en"}))
    return [recipe.name.partition("@")[0] for recipe in recipes]


def sourced(option: str) -> Source:
    """Texts of a ``FILE=N`` and how many outputs they are to give."""
    path, _, count = option.rpartition("=")
    texts = [line.strip() for line in Path(path).read_text(encoding="utf-8").splitlines()]
    return [text for text in texts if text and len(text) <= LONGEST], int(count)


def sourced_data(option: str, *, is_long: bool = False) -> Source:
    """Items of a ``DATA=N`` that are short enough, and how many outputs they are to give."""
    data, _, count = option.rpartition("=")
    found = load_dataset(data)
    items = OtherItems(found.examples)
    every = (Item(example, items, found.task) for example in found.examples)
    return [item for item in every if is_long or len(item.text) <= LONGEST], int(count)


def item_of(text: str) -> Item:
    """A text without a right answer, or others."""
    return Item(Example(text, {"text": text}), OtherItems())


def drawn(
    name: str,
    sources: Sequence[Source],
    seed: int,
    shown: Shown = Shown(),  # noqa: B008
) -> list[Row]:
    """Outputs of a transformation; what one file can't give, the next ones do."""
    rows: list[Row] = []
    owed = 0
    for texts, count in [*sources, *((texts, 0) for texts, _ in sources)]:
        owed += count
        for text in shuffled(texts, f"{seed} {name}"):
            if owed == 0:
                break
            row = changed(name, text, seed, shown)
            if row is not None and all(row.before != other.before for other in rows):
                rows.append(row)
                owed -= 1
    return rows


def changed(name: str, given: str | Item, seed: int, shown: Shown) -> Row | None:
    """A text and what a transformation makes of it; nothing where it finds no place."""
    given = item_of(given) if isinstance(given, str) else given
    example = given.example
    resources = {**shown.resources, "items": given.items}
    variant = perturb(example, name, seed=seed, resources=resources, task=given.task)
    if variant.status != "ok" or not variant.edits:
        return None
    return shown_row(name, given, variant, seed, shown)


def shown_row(name: str, item: Item, variant: Variant, seed: int, shown: Shown) -> Row:
    """An item and a variant of it, which may be without edits, as a reader sees them."""
    fields, edits = item.example.fields, grouped((edit.field, edit) for edit in variant.edits)
    texts = {name: apply_to_text(text, edits.get(name, ())) for name, text in fields.items()}
    old, new = [edit[:3] for edit in variant.edits], list(new_places(variant))
    if not edits:
        old = new = [(field, len(text) // 2, len(text) // 2) for field, text in fields.items()]
    before = shown_of(fields, old, item.example.gold, shown)
    after = shown_of(texts, new, variant.gold or item.example.gold, shown)
    marks = SEVERAL.join(marked(text, edits.get(name, ())) for name, text in fields.items())
    row, claim = row_id(name, item.text, seed), claim_of(item, variant, texts)
    return Row(row, name if edits else None, before, after, claim, marks)


def claim_of(item: Item, variant: Variant, texts: Mapping[str, str]) -> str:
    """What is said of a changed text: what is right of it, if data say that of the text before."""
    gold = variant.gold
    if gold is None and item.example.gold is not None:
        return NOT_SCORED
    if isinstance(gold, Clusters):
        return SAME_MENTIONS
    if extracts := extracts_of(gold):
        return f"right is {' / '.join(dict.fromkeys(one.text for one in extracts))}"
    if isinstance(gold, Segments):
        return f"its words: {type_of(gold).show(gold, texts)}"
    if has_places(gold):
        return right_of(variant, texts)
    if gold is None or (len(texts) == 1 and not item.example.spans):
        return CLAIMS[claimed(variant.recipe) if variant.edits else "keeps"]
    return f"right is {type_of(gold).show(gold, texts)}"


def shown_of(
    texts: Mapping[str, str], edited: Iterable[tuple[str, int, int]], gold: Any, shown: Shown
) -> str:
    """What is shown of the texts of an item: what stands around edits, and around an answer."""
    answers = ((one.field, one.start, one.start + len(one.text)) for one in extracts_of(gold))
    places = [*edited, *answers]
    by_field = {name: [(a, b) for own, a, b in places if own == name] for name in texts}
    return SEVERAL.join(shown.excerpt(text, by_field[name]) for name, text in texts.items())


def extracts_of(gold: Any) -> list[Extract]:
    """Right answers that are words of a text."""
    several = gold if isinstance(gold, tuple) and not isinstance(gold, Extract) else (gold,)
    return [one for one in several if isinstance(one, Extract)]


def new_places(variant: Variant) -> Iterator[tuple[str, int, int]]:
    """Where the edits of a variant stand in its texts, as field, start and end."""
    for field, edits in grouped((edit.field, edit) for edit in variant.edits).items():
        gain = 0
        for edit in in_order(edits):
            low = edit.start + gain
            yield field, low, low + len(edit.text)
            gain += len(edit.text) - edit.end + edit.start


def right_of(variant: Variant, texts: Mapping[str, str]) -> str:
    """What is right of a changed text: its spans, or the tags of the words that edits brought."""
    gold = variant.gold
    if not isinstance(gold, Words):
        return f"in it: {type_of(gold).show(gold, texts)}"
    after = SEVERAL.join(texts.values())
    new, gain = [], 0
    for edit in in_order(variant.edits):
        low = edit.start + gain
        new += [
            f"{after[a:b]} is {tag}"
            for (a, b), tag in zip(gold.borders, gold.xpos or gold.upos or (), strict=False)
            if tag and low <= a and b <= low + len(edit.text)
        ]
        gain += len(edit.text) - edit.end + edit.start
    return ", ".join([*new, "all other words depend on what they depended on"])


def claimed(recipe: str) -> str:
    """What a recipe promises of the label of a text."""
    return (
        "keeps" if parse_recipe(recipe).effect(load_task(TASK).facts) == "keeps" else "may change"
    )


def unchanged(
    sources: Sequence[Source],
    count: int,
    seed: int,
    shown: Shown = Shown(),  # noqa: B008
) -> list[Row]:
    """Texts as they are, in the files' proportions."""
    total = sum(share for _, share in sources)
    rows = []
    for texts, share in sources:
        for one in shuffled(texts, f"{seed} {UNCHANGED}")[: round(count * share / total)]:
            item = one if isinstance(one, Item) else item_of(one)
            same = measured_variant(
                item.example.id, UNCHANGED, (), item.example.gold, "ok", None, 0
            )
            rows.append(shown_row(UNCHANGED, item, same, seed, shown))
    return rows


def sheets_of(rows: Sequence[Row], count: int, seed: int) -> list[list[Row]]:
    """The rows in random order, dealt to so many sheets of nearly one size."""
    order = sorted(rows, key=lambda row: row_id("order", row.id, seed))
    return [order[number::count] for number in range(count)]


def shuffled(texts: Iterable[T], key: str) -> list[T]:
    """Texts or items in random order, each text once."""
    found = {one.text if isinstance(one, Item) else one: one for one in texts}
    order = list(found.values())
    random.Random(key).shuffle(order)
    return order


def row_id(name: str, text: str, seed: int) -> str:
    return sha256(f"{seed}\n{name}\n{text}".encode()).hexdigest()[:10]


def marked(text: str, edits: Iterable[Edit]) -> str:
    """The text with every edit as ``[old>new]``."""
    pieces, done = [], 0
    for edit in in_order(edits):
        pieces += [text[done : edit.start], f"[{text[edit.start : edit.end]}>{edit.text}]"]
        done = edit.end
    return "".join([*pieces, text[done:]])


def both(row: Row) -> dict[str, str]:
    return {"text_before": row.before, "text_after": row.after}


def read_lines(paths: Iterable[Path]) -> list[dict[str, Any]]:
    lines = [ln for path in paths for ln in path.read_text(encoding="utf-8").splitlines()]
    return [json.loads(line) for line in lines if line.strip()]


def write_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")


def ratings_of(paths: Iterable[Path], mark: str = "fit") -> dict[str, bool]:
    """Ratings by row; an id that is rated twice, or not as true or false, ends the program.

    Whether the answer is ``right`` is what ``fit`` says where nothing else is said.
    """
    found: dict[str, bool] = {}
    for row in read_lines(paths):
        rating = row.get(mark, row.get("fit"))
        if row["id"] in found or not isinstance(rating, bool):
            raise SystemExit(
                f"row {row['id']!r} is rated twice, or its {mark} is not true or false."
            )
        found[row["id"]] = rating
    return found


def tallied(
    key: Mapping[str, str | None], first: Mapping[str, bool], second: Mapping[str, bool]
) -> list[Line]:
    """Readings by transformation, then of all, then of the unchanged texts.

    Rows that the second reading lacks count nowhere; ratings of rows that the key lacks end it.
    """
    strangers = (set(first) | set(second)) - set(key)
    if strangers:
        raise SystemExit(f"{len(strangers)} rated rows are not in the key: {min(strangers)!r}, ...")
    names = sorted({name for name in key.values() if name is not None})
    groups = [(name, [i for i, own in key.items() if own == name]) for name in names]
    groups.append(("all of them", [i for i, own in key.items() if own is not None]))
    lines = [line_of(name, ids, first, second) for name, ids in groups]
    return [*lines, line_of(UNCHANGED, [i for i, own in key.items() if own is None], {}, second)]


def line_of(
    name: str, ids: Sequence[str], first: Mapping[str, bool], second: Mapping[str, bool]
) -> Line:
    read = [i for i in ids if i in second and (not first or i in first)]
    fit = sum(second[i] for i in read)
    if not first or not read:
        return Line(name, len(read), None, fit, None, None)
    own = [int(first[i]) for i in read]
    other = [int(second[i]) for i in read]
    agreement = sum(a == b for a, b in zip(own, other, strict=True)) / len(read)
    return Line(name, len(read), sum(own), fit, agreement, cohen_kappa(own, other).value)


def as_table(lines: Iterable[Line]) -> list[str]:
    return [
        "| transformation | outputs | fit, knowing the name | fit, blind | agreement | kappa |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        *(
            f"| {line.name} | {line.n} | {share_of(line.first, line.n)} "
            f"| {share_of(line.second, line.n)} | {shown(line.agreement, percent=True)} "
            f"| {shown(line.kappa)} |"
            for line in lines
        ),
    ]


def share_of(fit: int | None, n: int) -> str:
    """Percentage with Wilson's interval at 95 %."""
    if fit is None or n == 0:
        return "–"
    interval = wilson(fit, n)
    return f"{100 * fit / n:.0f} % [{100 * interval.low:.0f}, {100 * interval.high:.0f}]"


def shown(value: float | None, *, percent: bool = False) -> str:
    if value is None:
        return "–"
    return f"{100 * value:.0f} %" if percent else f"{value:.2f}"


if __name__ == "__main__":
    main(sys.argv[1:])
