"""What a file of results or a run supports, and what would unlock more."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.boundary.printable import with_dots
from scrutiny.core.errors import DataError
from scrutiny.data.item_values import FEWEST
from scrutiny.reliability.assignment import assignments_in
from scrutiny.store.run_folder import RunFolder

Presence = Literal["there", "partly", "missing"]
_MOST: Final = 4  # names in a sentence
#: How each tool asks a case again.
_AGAIN: Final[Mapping[str, str]] = {
    "inspect": "run it with --epochs 2",
    "promptfoo": "run it with --repeat 2",
    "table": "add rows of a second trial, with a column that numbers the trials",
}
_SECOND_RUN: Final = "evaluate the same model once more, and give that with --again"


@dataclass(frozen=True, slots=True)
class Support:
    """One thing that results may hold.

    Parameters
    ----------
    check
        What it is.
    state
        Whether all items have it, some, or none.
    says
        How much of it is there, in a sentence.
    unlocks
        What would be possible with more, and what to do for it; empty where nothing is lacking.
    """

    check: str
    state: Presence
    says: str
    unlocks: str = ""

    def plain(self) -> dict[str, str]:
        """Plain JSON of it."""
        return asdict(self)


def supports(folder: RunFolder) -> list[Support]:
    """What the items, scores and answers of a run or an import support.

    Parameters
    ----------
    folder
        A finished run, or the import of a log.

    Examples
    --------
    >>> Support("gold answers", "missing", "none").plain()["state"]
    'missing'
    """
    manifest, items = folder.manifest, folder.items()
    rows = items.to_pylist()
    outputs = _outputs(folder)
    return [
        _items(manifest, len(rows)),
        _identities(manifest, [row["item"] for row in rows]),
        _repeats(manifest),
        _scores(folder),
        *_of_answers(len(rows), outputs),
        _gold(rows),
        _texts(rows),
        _groups(items.column_names, len(rows)),
        _prompts(items.column_names),
        *_left_out(manifest),
    ]


def _outputs(folder: RunFolder) -> list[dict[str, Any]]:
    """Answers to the items as they are; none where a run keeps none."""
    try:
        table = folder.table("outputs", columns=["dataset", "item", "variant", "answer", "scores"])
    except DataError:
        return []
    return [row for row in table.to_pylist() if row["variant"] is None]


def _there(count: int, whole: int) -> Presence:
    return "missing" if not count else "there" if count == whole else "partly"


def _of(count: int, whole: int) -> str:
    return f"of all {whole:,} items" if count == whole else f"of {count:,} of {whole:,} items"


def _items(manifest: Mapping[str, Any], n_items: int) -> Support:
    names = [f"{data['items']:,} of {name}" for name, data in manifest["data"].items()]
    models = list(manifest["models"])
    says = f"{n_items:,}: " if len(names) > 1 else ""
    says += f"{with_dots(names, _MOST)}; "
    says += f"{len(models)} model{'s' * (len(models) > 1)}: {with_dots(models, _MOST)}"
    if n_items >= 2 * FEWEST:
        return Support("items", "there", says)
    more = f"from {2 * FEWEST} items on: kinds of input on which something changed (slices)"
    return Support("items", "partly", says, more)


def _identities(manifest: Mapping[str, Any], names: Sequence[str]) -> Support:
    if any("case = the number of its row" in said for said in manifest.get("read_as", ())):
        return Support(
            "identities",
            "partly",
            "rows pair by their number, whatever stands in them",
            "add a column of ids or texts: items pair in any order",
        )
    return Support("identities", "there", f"items pair by their ids, such as {names[0]}")


def _repeats(manifest: Mapping[str, Any]) -> Support:
    counts = {name: len(one.get("replicates", "1")) for name, one in manifest["models"].items()}
    most, fewest = max(counts.values(), default=0), min(counts.values(), default=0)
    if fewest > 1:
        said = f"{most}" if most == fewest else f"{fewest} to {most}"
        return Support("repeats", "there", f"{said} of each item: a noise floor")
    how = _AGAIN.get(manifest.get("imported", ""), _SECOND_RUN)
    more = f"{how}: a noise floor, so that a change can be told from chance"
    if most > 1:
        once = [name for name, count in counts.items() if count == 1]
        return Support("repeats", "partly", f"none of {with_dots(once, _MOST)}", more)
    return Support("repeats", "missing", "each item was asked once", more)


def _scores(folder: RunFolder) -> Support:
    manifest = folder.manifest
    told: dict[str, None] = {}
    for one in assignments_in(manifest):
        if one.role == "measured" and not one.where and one.group == "all":
            name = " ".join(map(str, one.whole_condition.values())) or one.metric.partition("@")[0]
            told.setdefault(name if one.metric != "accuracy@1" else f"{name} (right or wrong)")
    status = Counter(folder.table("records", columns=["status"]).column("status").to_pylist())
    lacking = status.total() - status["ok"]
    says = with_dots(list(told), _MOST) or "none"
    if not told:
        return Support("scores", "missing", says, "scores of single items: everything")
    if not lacking:
        return Support("scores", "there", says)
    return Support(
        "scores",
        "partly",
        f"{says}; {lacking:,} of {status.total():,} are missing",
        "scores that are there for every item: the missing ones leave their items out",
    )


def _of_answers(n_items: int, outputs: Sequence[Mapping[str, Any]]) -> Iterator[Support]:
    """The model's answers, and their probabilities."""
    pairs = {(row["dataset"], row["item"]) for row in outputs if row["answer"] is not None}
    sure = {(row["dataset"], row["item"]) for row in outputs if row["scores"] is not None}
    state = _there(len(pairs), n_items)
    more = "" if state == "there" else "keep the model's answers: which answer turned into which"
    says = _of(len(pairs), n_items) if pairs else "none are kept"
    yield Support("answers", state, says, more)
    state = _there(len(sure), n_items)
    more = "of choices (lm-eval's multiple choice, or log-probabilities): how far answers moved"
    says = _of(len(sure), n_items) if sure else "none are kept"
    yield Support("probabilities", state, says, "" if state == "there" else more)


def _gold(rows: Sequence[Mapping[str, Any]]) -> Support:
    count = sum(row["gold"] not in (None, "null") for row in rows)
    state = _there(count, len(rows))
    more = "" if state == "there" else "add right answers: slices by them, and cases to read"
    return Support("gold answers", state, _of(count, len(rows)) if count else "none", more)


def _texts(rows: Sequence[Mapping[str, Any]]) -> Support:
    count = sum(any(parse_json(row["fields"]).values()) for row in rows)
    state = _there(count, len(rows))
    more = "add what was asked: slices by its words, and cases to read"
    says = _of(count, len(rows)) if count else "none"
    return Support("texts", state, says, "" if state == "there" else more)


def _groups(columns: Sequence[str], n_items: int) -> Support:
    names = [name.removeprefix("a_") for name in columns if name.startswith("a_")]
    if names:
        return Support("groups", "there", with_dots(names, _MOST))
    more = f"add a column (topic, difficulty) whose values have {FEWEST} items: where it changed"
    return Support("groups", "missing", "none", more if n_items >= 2 * FEWEST else "")


def _prompts(columns: Sequence[str]) -> Support:
    if "prompt" in columns:
        return Support("prompts", "there", "kept: other prompts of the same items are noticed")
    return Support("prompts", "missing", "not kept: other prompts of the same items go unnoticed")


def _left_out(manifest: Mapping[str, Any]) -> Iterator[Support]:
    """Rows that cannot be read."""
    for name, data in manifest["data"].items():
        if data.get("n_bad_rows"):
            first = data["bad_rows"][0]
            says = f"{data['n_bad_rows']:,} of {name}; the first, {first['source']}: "
            yield Support("unread rows", "partly", f"{says}{first['reason']}", "mend them")
