"""Label checks: whether labels may be swapped or shifted, and how a reader mends them."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa

from scrutiny.blocks.labels import replicate_words
from scrutiny.core.answers.answer import answer_of, answer_text, label_in, labels_in
from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.columns.coded import coded
from scrutiny.core.columns.item_columns import (
    attribute_column,
    coded_golds,
    counted_golds,
    id_column,
)
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped
from scrutiny.data.dataset import Dataset
from scrutiny.data.entity_types import types_differ
from scrutiny.data.labels import write_label_map
from scrutiny.data.source import DataSource, parse_source
from scrutiny.run.planning.matched_labels import STATED_ROLES
from scrutiny.run.planning.resolved import Pairing, Resolved
from scrutiny.stats.agreement.labels import (
    Exchange,
    Ints,
    exchange,
    far_better_order,
    has_better_answer,
    share_by_chance,
)
from scrutiny.store.arrow import coded as stored_codes
from scrutiny.store.arrow import combined
from scrutiny.store.name_column import NameColumn
from scrutiny.store.row_groups import RowGroups
from scrutiny.store.run_folder import RunFolder

_LOOK: Final = "Look at what each label means on both sides."
_ONLY: Final = "the only replicate"


def label_warnings(
    resolved: Resolved, folder: RunFolder, estimates: Sequence[Estimate]
) -> Iterator[str]:
    """Warnings for families whose labels may be swapped or shifted on a dataset.

    Either exchanged labels would make its answers right far more often (by an exact test of the
    items, or units of items, of each replicate), or the whole interval of its accuracy lies below
    what the same answers get at random. Warnings for taggers that do not say which types they have,
    none of which is one of the data's.
    """
    wanted = [key for key, pairing in resolved.pairings.items() if _has_classes(key, resolved)]
    # families that do not say which types their spans have, where data have some
    open_ones = [
        key
        for key, pairing in resolved.pairings.items()
        if not (pairing.model_labels or resolved.tasks[key[1]].gives_labels)
        and resolved.datasets[key[1]].labels
    ]
    if not wanted and not open_ones:
        return
    answers = folder.answers()
    for family, data in open_ones:
        # Warning if no span of a family has a type of the dataset.
        parts = answers.where(subject=family, dataset=data, variant=None)
        words = {word for part in parts for word in stored_codes(part["answer"])[0].to_pylist()}
        given = {label for word in words for label in labels_in(answer_of(word))}
        known = resolved.datasets[data].labels
        if given and given.isdisjoint(known):
            yield types_differ(resolved.pairings[family, data].source, sorted(given), known)
    for family, data in wanted:
        found = _answers_of(answers, family, data, resolved)
        if found is not None and not folder.has_scores(family):
            found = replace(found, source="")
        if found is not None:
            yield from _warnings(found, _level(estimates, family, data))


def _has_classes(key: tuple[str, str], resolved: Resolved) -> bool:
    """Whether a family classifies the items of a dataset that has gold labels."""
    family, data = key
    pairing, dataset = resolved.pairings[key], resolved.datasets[data]
    return (
        resolved.families[family].role in STATED_ROLES
        and len(pairing.model_labels) > 1
        and len(pairing.labels.mapping) > 0
        and any(label_in(gold) is not None for gold, _ in counted_golds(dataset.examples))
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Answers:
    """Answers of one family to the items of one dataset, replicate by replicate.

    Parameters
    ----------
    family, source, dataset, pairing
        Model and dataset; ``source`` is the model string, or empty for an object, and for a model
        whose answers are labels without scores.
    has_map
        Whether the plan maps the data's labels to this family's.
    groups
        Answers of each replicate.
    """

    family: str
    source: str
    dataset: Dataset
    pairing: Pairing
    has_map: bool
    groups: list["_Group"]

    @property
    def n_labels(self) -> int:
        """Number of labels of the model."""
        return len(self.pairing.model_labels)


class _Group(NamedTuple):
    """Answers of one replicate: canonical JSON of its random factors, and its model string.

    The string is empty for an object. ``cells`` counts the answers given to gold labels, by
    gold * labels + answer; ``read`` gives, item by item, gold, answer and unit of resampling.
    """

    replicate: str | None
    source: str
    cells: Counter[int]
    read: Callable[[], tuple[Ints, Ints, Ints]]


def _answers_of(answers: RowGroups, family: str, data: str, resolved: Resolved) -> _Answers | None:
    """Answers of one family on one dataset, as label indices; ``None`` without answers."""
    pairing, dataset = resolved.pairings[family, data], resolved.datasets[data]
    model = resolved.plan.model(family)
    words, n = pairing.labels.in_data_words(pairing.model_labels), len(pairing.model_labels)
    numbers = {words[label]: i for i, label in enumerate(pairing.model_labels)}
    texts = {answer_text(label): i for label, i in numbers.items()}
    known = coded_golds(dataset.examples)
    golds = np.array([numbers.get(label_in(g) or "", -1) for g in known.values])
    names = NameColumn(id_column(dataset.examples))

    def parts(**more: str | None) -> Iterator[tuple[pa.Table, Ints, Ints, Ints]]:
        """Rows of a stretch with a gold label and a known answer; position, gold and answer."""
        for rows in answers.where(subject=family, dataset=data, variant=None, **more):
            items = names.places(rows["item"])
            answered, code = stored_codes(rows["answer"])
            given = np.array([texts.get(word, -1) for word in answered.to_pylist()])[code]
            gold = golds[known.codes[items]]
            is_whole = (items >= 0) & (given >= 0) & (gold >= 0)
            mask = pa.array(is_whole)
            yield rows.filter(mask), items[is_whole], gold[is_whole], given[is_whole]

    def read(key: tuple[str | None, str]) -> tuple[Ints, Ints, Ints]:
        """Gold, answer and unit of resampling of each item of a replicate."""
        found = [part[1:] for part in parts(replicate=key[0], condition=key[1])]
        items, gold, given = (np.concatenate(each) for each in zip(*found, strict=True))
        column = dataset.unit_column(resolved.plan.dataset(data).unit)
        if column == "item":
            return gold, given, items
        return gold, given, coded(attribute_column(dataset.examples, column)).codes[items]

    cells: dict[tuple[str | None, str], Counter[int]] = {}
    for rows, _, gold, given in parts():
        for key, at in _groups(rows).items():
            kinds = np.unique(gold[at] * n + given[at], return_counts=True)
            pairs = zip(*(one.tolist() for one in kinds), strict=True)
            cells.setdefault(key, Counter()).update(dict(pairs))
    strings = {
        (r.key, canonical_json(dict(r.condition))): r.source
        for r in resolved.families[family].replicates
        if ":object:" not in r.source
    }
    groups = [
        _Group(key[0], strings.get(key, ""), own, partial(read, key)) for key, own in cells.items()
    ]
    source = "" if ":object:" in model.source else model.source
    found = _Answers(family, source, dataset, pairing, bool(model.labels), groups)
    return found if groups else None


def _groups(rows: pa.Table) -> dict[tuple[str | None, str], Ints]:
    """Rows of each replicate in each condition, in the order of their first ones."""
    keys, code = combined(rows, ("replicate", "condition"))
    parts = np.split(np.argsort(code, kind="stable"), np.cumsum(np.bincount(code))[:-1])
    return dict(zip(keys, parts, strict=False))  # without rows there is one empty part


def _level(estimates: Sequence[Estimate], family: str, data: str) -> Estimate | None:
    """Accuracy of a family on the original items, over all replicates."""
    for estimate in estimates:
        key = estimate.key
        is_plain = key.reference is None and key.replicate is None and not key.condition
        is_original = key.role == "baseline" or key.diagnostic.startswith("performance@")
        if (key.metric, key.subject, key.dataset) == ("accuracy@1", family, data):
            if is_plain and is_original and key.group == "all":
                return estimate
    return None


def _warnings(found: _Answers, level: Estimate | None) -> Iterator[str]:
    """Warnings of one family on one dataset: of its replicates, or else of all together."""
    who = f"{found.family} on {found.dataset.name}"
    orders = (
        (one, _far_better(one, found.n_labels))
        for one in found.groups
        if has_better_answer(_counts([one], found.n_labels))
    )
    by_order = grouped((better.order, (one, better)) for one, better in orders if better)
    for members in by_order.values():
        which, (one, better) = "", members[0]
        if len(members) < len(found.groups):
            named = (replicate_words(o.replicate) if o.replicate else _ONLY for o, _ in members)
            which = f" ({', '.join(named)})"
            mend = _mend_some(found, better, one.source)
        else:
            mend = _mend(found, better)
        yield (
            f"{who}{which}: labels may be swapped or shifted: {better.now:.3f} of its answers are "
            f"right as the labels are matched, and {better.then:.3f} would be if they were "
            f"exchanged. {mend}"
        )
    if not by_order and level is not None:
        yield from _below_chance(found, who, level)


def _counts(groups: Sequence[_Group], n_labels: int) -> Ints:
    """Counts of each answer given to each gold label, ``(gold, answer)``."""
    counts = np.zeros(n_labels * n_labels, np.int64)
    for one in groups:
        counts[[*one.cells]] += [*one.cells.values()]
    return counts.reshape(n_labels, n_labels)


def _far_better(one: _Group, n_labels: int) -> Exchange | None:
    """Far better order of the labels of a replicate."""
    gold, answer, units = one.read()
    return far_better_order(gold, answer, n_labels=n_labels, units=units)


def _below_chance(found: _Answers, who: str, level: Estimate) -> Iterator[str]:
    """Warning if the whole interval of the accuracy lies below chance."""
    counts = _counts(found.groups, found.n_labels)
    chance = share_by_chance(counts)
    if level.high is None or level.high >= chance:
        return
    better = exchange(counts)
    mend = "" if better is None else f" {_mend(found, better)}"
    yield (
        f"{who}: labels may be swapped or shifted: the whole interval of the accuracy, "
        f"{level.value:.3f} [{level.low:.3f}, {level.high:.3f}], lies below the {chance:.3f} that "
        f"the same answers get if they are handed out at random.{mend}"
    )


def _mend(found: _Answers, better: Exchange) -> str:
    """String that exchanges the labels, as a suggestion."""
    mended = exchanged(
        found.dataset, found.pairing, better.order, model=found.source, has_map=found.has_map
    )
    return f"If so, {mended}." if mended else _LOOK


def _mend_some(found: _Answers, better: Exchange, source: str) -> str:
    """Suggestion for a family of which some replicates have exchanged labels."""
    mended = exchanged(found.dataset, found.pairing, better.order, model="", has_map=found.has_map)
    if not source or not mended:
        return _LOOK
    return (
        "All replicates of a family are matched as one, so no string for all mends some: if so, "
        f"leave these out and measure each by itself, such as {source}, and for it {mended}."
    )


def exchanged(
    dataset: Dataset,
    pairing: Pairing,
    order: Sequence[int],
    *,
    model: str,
    has_map: bool,
) -> str:
    """Suggested data or model string that maps labels in another order.

    Parameters
    ----------
    dataset, pairing
        What was matched.
    order
        For each label of the model, by its number, the one whose answers go with it.
    model
        Its string, or nothing where it has none, or where it says its labels itself: names of its
        outputs change nothing then.
    has_map
        Whether the plan maps the data's labels to the model's: then that map has to change.
    """
    place = {name: i for i, name in enumerate(pairing.model_labels)}
    mapping = {
        data: pairing.model_labels[order[place[own]]]
        for data, own in pairing.labels.mapping.items()
    }
    if has_map:
        stated = ", ".join(f"{_toml(data)} = {_toml(m)}" for data, m in mapping.items())
        return f"write labels = {{ {stated} }} of the model in the plan"
    if dataset.data_string:
        renamed = dataset.label_map or {data: data for data in mapping}
        written = {raw: mapping[name] for raw, name in renamed.items() if name in mapping}
        source = parse_source(dataset.source)
        options = {**source.options, "labels": write_label_map(written)}
        target = source.target.replace(f"{Path.cwd()}{os.sep}", "")
        return f"give the data as {DataSource(source.scheme, target, options)}"
    if not model:
        return ""
    target, _, stated_options = model.partition("#")
    kept = [o for o in stated_options.split(",") if o and not o.startswith("labels=")]
    labels = f"labels={'|'.join(_outputs(mapping, pairing.model_labels))}"
    return f"give the model as {target}#{','.join([*kept, labels])}"


def _outputs(mapping: Mapping[str, str], names: Sequence[str]) -> list[str]:
    """Names of the model's outputs, in order, taken from the matched data labels."""
    theirs = {model: data for data, model in mapping.items()}
    left = iter([name for name in names if name in theirs and name not in mapping])
    return [theirs.get(n) or (n if n not in mapping else next(left)) for n in names]


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
