"""Models of a finished run, asked again: which words their answers to changed texts hang on.

A run keeps answers, not models. Each answer is asked for without each word of its text (occlusion),
and what was explained stands in a file of the run folder, from which every page reads it. A model
that answers otherwise today than in the run is not explained.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from scrutiny.blocks.labels import replicate_words
from scrutiny.core.answers.answer import type_of
from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.diagnostic import Failure
from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.model import Model
from scrutiny.core.record import grouped
from scrutiny.diagnostics.attribution.explained import Explained
from scrutiny.diagnostics.attribution.one_answer import METHOD, AskedAlone, explain_answers
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.store.explained_answers import case_key, read_explained, write_explained
from scrutiny.store.item_tables import examples_of
from scrutiny.store.run_folder import RunFolder
from scrutiny.tasks.tasks import load_task
from scrutiny.text.edits import apply_edits

#: Cases that are explained where nobody says how many.
MOST_EXPLAINED: Final = 24
_OBJECT: Final = "python:object:"
_OTHERWISE: Final = "the model answers otherwise today than in the run"


class WantedCase(NamedTuple):
    """Answer of a model to a changed text.

    Parameters
    ----------
    model, replicate
        Name of the model, and its replicate in words.
    dataset, item, edits
        The changed text: the item and what was changed in it.
    said
        The answer in few words, as the run has it.
    """

    model: str
    replicate: str
    dataset: str
    item: str
    edits: tuple[Edit, ...]
    said: str

    @property
    def key(self) -> str:
        """Identity of the changed text and its model in the file."""
        return case_key(self.model, self.dataset, self.item, self.edits)


def explain_cases(
    folder: RunFolder, wanted: Sequence[WantedCase], models: LoadedModels
) -> dict[str, dict[str, Any]]:
    """Explain the answers to cases, those that are not yet, and keep them with the run.

    Returns
    -------
    dict
        What the file of the run holds: ``target``, ``words``, ``scores`` by method, and ``why``
        where an answer could not be explained.

    Raises
    ------
    PlanError
        If a model was handed over as an object that is not at hand.
    ModelError
        If a model cannot be loaded.
    """
    known = read_explained(folder.path)
    missing = {one.key: one for one in wanted if one.key not in known}
    if not missing:
        return known
    for (name, dataset, replicate), own in grouped(
        ((one.model, one.dataset, one.replicate), one) for one in missing.values()
    ).items():
        asked = _asked(folder, models, name, dataset, replicate)
        items = examples_of(folder.items(), dataset)
        texts = [_changed(one, items) for one in own]
        there = [text for text in texts if text is not None]
        found = iter(explain_answers(asked, there))
        for one, text in zip(own, texts, strict=True):
            made = None if text is None else next(found)
            known[one.key] = {**_kept(one, made), "method": METHOD, "replicate": replicate}
    write_explained(folder.path, known)
    return known


def _kept(one: WantedCase, made: Explained | Failure | None) -> dict[str, Any]:
    """An explanation in plain values, or why there is none."""
    if made is None:
        return {"why": "its text cannot be made again"}
    if isinstance(made, Failure):
        return {"why": made.message or made.reason}
    scores = made.scores[METHOD]
    if isinstance(scores, Failure):
        return {"why": scores.message or scores.reason}
    target = made.text.target
    if not isinstance(target, Span) and type_of(target).brief(target) != one.said:
        return {"why": _OTHERWISE}
    return made.kept()


def _changed(one: WantedCase, items: Mapping[str, Example]) -> Example | None:
    """The changed text; None if its item is not there, or does not fit the edits."""
    item = items.get(one.item)
    if item is None:
        return None
    try:
        return apply_edits(replace(item, gold=None), one.edits)
    except EditRefusedError:
        return None


def _asked(
    folder: RunFolder, models: LoadedModels, name: str, dataset: str, replicate: str
) -> AskedAlone:
    """The model of a run, loaded again, with its labels in the data's words."""
    manifest = folder.manifest
    source = _source(manifest["models"][name], replicate)
    if source.startswith(_OBJECT) and name not in models.given:
        raise PlanError(
            f"The model {name!r} was handed over as an object in Python, and only who has it can "
            "ask it again: scrutiny.run(...).cases(explain=True)."
        )
    task = load_task(manifest["data"][dataset]["task"])
    model, _ = models.get(name, source, task)
    _must_answer(model)
    order = manifest.get("label_order", {}).get(f"{name} on {dataset}")
    return AskedAlone(model, tuple(order or model.labels))


def _source(model: Mapping[str, Any], replicate: str) -> str:
    """Model string of a replicate."""
    every = model.get("replicates", ())
    for one in every:
        random = canonical_json(one["random"]) if one.get("random") else None
        if replicate_words(random) == replicate:
            return str(one["source"])
    return str(every[0]["source"] if every else model["source"])


def _must_answer(model: Model) -> None:
    """Raise for models that answer no other texts than a run's."""
    if model.has_stored_answers_only or not model.answers_other_texts:
        raise PlanError(
            f"{model.source} holds answers to the items alone, and occlusion asks for texts with a "
            "word less: nothing of it can be explained."
        )


def explain_rows(
    folder: RunFolder,
    rows: Sequence[dict[str, Any]],
    models: LoadedModels,
    most: int = MOST_EXPLAINED,
) -> list[str]:
    """Explain the first of some rows (`case_rows`), which get more columns; returns why some fail.

    Of rows whose answers changed those that stand first; of suites, those that failed.
    """
    chosen = [row for row in rows if row["flipped"] or row["broken"] or row["mended"]][:most]
    wanted = [
        WantedCase(
            row["model"],
            row["_replicate"],
            row["dataset"],
            row["item"],
            tuple(Edit(*edit[:4]) for edit in row["_edits"]),
            row["_said"],
        )
        for row in chosen
    ]
    known = explain_cases(folder, wanted, models)
    for row, one in zip(chosen, wanted, strict=True):
        kept = known[one.key]
        if "why" not in kept:
            row["_explained"] = kept
            row["explained"], row["explained_by"] = kept["target"], kept["method"]
            row["words"], row["scores"] = kept["words"], kept["scores"][kept["method"]]
    return unexplained(known[one.key] for one in wanted)


def unexplained(known: Iterable[Mapping[str, Any]]) -> list[str]:
    """Why answers were not explained, each reason once."""
    return [*dict.fromkeys(str(one["why"]) for one in known if "why" in one)]
