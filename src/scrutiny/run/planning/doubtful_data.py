"""Doubtful data of a plan: the same items under two names, labels that look alike."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations
from typing import Any, Final

from scrutiny.core.claim import Claim
from scrutiny.core.columns.item_columns import with_equal_texts
from scrutiny.core.errors import PlanError
from scrutiny.core.plan import Plan
from scrutiny.data.dataset import Dataset, SharedItems, shared_items
from scrutiny.models.strings.training_records import TRAINING_FILE, checkpoint_folder
from scrutiny.run.planning.presuppositions import refused_where
from scrutiny.run.planning.resolved import Resolved
from scrutiny.tasks.item_hashes import COLUMN

#: Share of items that may repeat others before a warning says so: short texts recur by chance.
_REPEATED: Final = 0.05


def shared_data(plan: Plan, datasets: Mapping[str, Dataset]) -> tuple[SharedItems, ...]:
    """Items that datasets of one measurement of a plan share.

    Raises
    ------
    PlanError
        If two of them hold the same items.
    """
    pairs = {p for m in plan.measure for p in combinations(sorted(set(m.data)), 2)}
    named = [replace(datasets[name], name=name) for name in sorted({n for p in pairs for n in p})]
    found = tuple(s for s in shared_items(named) if tuple(sorted((s.a, s.b))) in pairs)
    for one in found:
        if one.is_same:
            raise PlanError(
                f"data {one.a!r} and {one.b!r} hold the same {one.smaller:,} items, and what holds "
                "on both would count as holding on two data sets. Leave one of them out, or "
                "measure them in two runs."
            )
    return found


def data_warnings(datasets: Mapping[str, Dataset]) -> list[str]:
    """Warnings about the files of datasets, each with the dataset's name."""
    return [f"{name}: {said}" for name, data in datasets.items() for said in data.warnings]


def repeat_warnings(resolved: Resolved) -> Iterator[str]:
    """A sentence for each dataset many of whose items have exactly the texts of an earlier one.

    Whoever draws answers several times and writes each as a row counts repeats as items, and every
    interval is too narrow. Datasets with units are left alone: what belongs together is stated.
    """
    for name, data in resolved.datasets.items():
        alike = with_equal_texts(data.examples)
        texts = Counter(tuple(one.fields.values()) for one in alike)
        repeated = sum(n - 1 for fields, n in texts.items() if any(fields))
        is_open = data.unit_column(resolved.plan.dataset(name).unit) == "item"
        if repeated > _REPEATED * len(data) and is_open:
            yield (
                f"{name}: {repeated:,} of {len(data):,} items repeat the texts of an earlier one "
                "and count as items of their own, so intervals are too narrow. Leave them out, or "
                "name the column whose equal values mark them (#unit=COLUMN)."
            )


def left_out_of(resolved: Resolved) -> list[str]:
    """Sentences about what is not asked of the data of a run, because it knows other languages."""
    designs = (d for m in resolved.measurements.values() for d in m.designs.values())
    return list(dict.fromkeys(said for design in designs for said in design.left_out))


def model_warnings(resolved: Resolved) -> Iterator[str]:
    """Sentences on what models of a plan do not read, are not asked, or are not scored on."""
    yield from truncation_warnings(resolved)
    yield from unasked_warnings(resolved)
    for (family, data), pairing in resolved.pairings.items():
        if pairing.unscored:
            yield (
                f"{family} was not scored on {data}: {pairing.unscored}. What it changes when "
                "texts change is counted all the same."
            )


def truncation_warnings(resolved: Resolved) -> Iterator[str]:
    """A sentence for each model that reads only the beginning of some items of a dataset."""
    for (family, data), pairing in resolved.pairings.items():
        if pairing.truncated:
            n = len(resolved.datasets[data])
            yield (
                f"{data}: {pairing.truncated:,} of {n:,} items are longer than {family} reads: the "
                "end of such a text has no effect on the answer."
            )


def unasked_warnings(resolved: Resolved) -> Iterator[str]:
    """A sentence for each model that an audit asks less: it can't be asked, or each text costs."""
    audited = [m for m in resolved.measurements.values() if m.plan.is_audit]
    if not audited:
        return
    changed = {f for m in audited if m.diagnostic.asks_other_texts for f, _ in m.designs}
    searched = {f for m in audited if m.diagnostic.searches for f, _ in m.designs}
    for family in {f: None for (f, _), pairing in resolved.pairings.items() if pairing.is_remote}:
        if family in changed - searched:
            yield (
                f"{family} is behind a URL, and was not attacked: an attack asks hundreds of texts "
                "for one item. `--only attack` asks for it."
            )
    for family in {f: None for (f, _), p in resolved.pairings.items() if not p.answers_other_texts}:
        yield (
            f"{family} has stored answers to the items only, so an audit asks it neither for "
            "robustness nor for attacks. Give the model itself to ask for them."
        )


def refused_on_shared(
    claims: Iterable[Claim], datasets: Mapping[str, Set[str]], shared: Sequence[SharedItems]
) -> list[Claim]:
    """Claims; those on several datasets are refused if two of these share half their items.

    Parameters
    ----------
    datasets
        Data sets of each estimate, by its full name.
    """
    halves = {frozenset((one.a, one.b)): one for one in shared if one.is_half}

    def why(claim: Claim) -> str:
        used = sorted({d for c in claim.components for d in datasets.get(c.estimate, ())})
        known = (halves[pair] for pair in map(frozenset, combinations(used, 2)) if pair in halves)
        return next(map(_of_both, known), "")

    return refused_where(claims, why)


def _of_both(one: SharedItems) -> str:
    """Reason why a claim on two datasets that share half their items is refused."""
    return (
        f"{one.a} and {one.b} share {one.shared:,} of the {one.smaller:,} items of the smaller, so "
        "that it holds on both says nothing beyond one of them, nor does their difference; give "
        "data of which less than half is shared"
    )


def trained_on_it(resolved: Resolved) -> Iterator[str]:
    """Sentences on families that a run trained on, or chose by, data they are measured on."""
    for family, name in resolved.pairings:
        dataset = resolved.datasets[name]
        members = resolved.families[family].replicates
        known = [_data_of(member.source) for member in members]
        trained = [data for data in known if dataset.fingerprint in data.get("fingerprints", ())]
        if not trained:
            continue
        who = f"{len(trained)} of {len(members)} replicates of {family}"
        if not resolved.tasks[name].must_be_answered and "held_out" in trained[0]:
            yield _probed(who, name, len(dataset), trained[0])
        else:
            yield (
                f"{who} were trained on {name}, or their epoch was chosen by it: their scores on "
                "it are too good to be reported."
            )


def _probed(who: str, name: str, n_items: int, data: Mapping[str, Any]) -> str:
    """Sentence about a probe of annotations on which the probed models were trained."""
    counts = {part: data.get(part, {}).get("n", 0) for part in ("train", "dev", "held_out")}
    return (
        f"{who} were trained on {counts['train']:,} of the {n_items:,} items of {name}, and their "
        f"epoch was chosen by {counts['dev']:,}; {counts['held_out']:,} were held out "
        f"({COLUMN} = yes). What is probed on all of them is no score of the task: the gain on the "
        "held-out ones says what holds for sentences that were not trained on."
    )


def _data_of(source: str) -> Mapping[str, Any]:
    """Data section of a checkpoint's training record."""
    folder = checkpoint_folder(source)
    if folder is None:
        return {}
    try:
        data = json.loads((folder / TRAINING_FILE).read_text(encoding="utf-8"))["data"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    is_whole = isinstance(data, dict) and isinstance(data.get("fingerprints", []), list)
    return data if is_whole else {}
