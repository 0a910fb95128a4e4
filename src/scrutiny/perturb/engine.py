"""From an example and a recipe to a variant.

For each step and text field: find the sites, rank them by random keys, and go down the ranking
until enough of them are changed. At each site the first candidate stands that differs from the
original, breaks no annotation and passes the constraints. A site without one is passed over, and
the next takes its place. Since the stream's key holds no intensity, a higher share changes what a
lower one changed, and more.

===========  =============================  ==================================================
status       reason                         when
===========  =============================  ==================================================
``ok``                                      every step changed the text
``skipped``  ``no_site``                    a step found no place
``skipped``  ``unchanged``                  a step found places and no way to change them
``skipped``  ``language``                   a step does not know the language of the text
``refused``  the veto's own                 every candidate broke an annotation or a constraint
``failed``   ``error:`` and its class       the transformation raised
===========  =============================  ==================================================
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from scrutiny.core.edit import Edit, EditRefusedError, Variant
from scrutiny.core.errors import UserError
from scrutiny.core.example import Example
from scrutiny.core.transformation import Constraint, Site
from scrutiny.perturb.document import TextDocument
from scrutiny.perturb.fences import Chosen, Fences
from scrutiny.perturb.rebase import rebase
from scrutiny.perturb.recipe import Recipe, Step, as_recipe
from scrutiny.perturb.streams import streams
from scrutiny.perturb.where import sites_where
from scrutiny.text.edits import apply_edits, apply_to_text, in_order

if TYPE_CHECKING:
    from numpy.random import Generator


class Context(NamedTuple):
    """What a constraint may ask for besides the document and the edits."""

    example: Example
    resources: Mapping[str, Any]


class Outcome(NamedTuple):
    """What a step did to one text: its edits, or why there are none."""

    edits: Sequence[Edit]
    status: str = "ok"
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """What is the same for all items of a call of `perturb` or `perturb_stream`."""

    seed: int
    draw: int = 0
    resources: Mapping[str, Any] | None = None
    constraints: tuple[Constraint, ...] = ()
    task: str | None = None


class Progress:
    """An example on its way through the steps of a recipe."""

    __slots__ = ("base", "current", "edits", "outcome", "recipe")

    def __init__(self, base: Example, recipe: Recipe) -> None:
        self.base = base
        self.recipe = recipe
        self.current = base
        self.edits: Sequence[Edit] = ()
        self.outcome = Outcome(())

    @property
    def is_alive(self) -> bool:
        """Whether every step so far changed the text."""
        return self.outcome.status == "ok"

    def documents(self, step: Step, resources: Mapping[str, Any] | None) -> list[TextDocument]:
        """Documents of the fields that a step changes."""
        current = self.current
        names = step.fields or current.fields
        return [TextDocument(current, n, resources) for n in names if n in current.fields]

    def take(self, outcome: Outcome, *, is_last: bool) -> None:
        """Go on with what a step did; the example itself is only needed by a further step."""
        self.outcome = outcome
        if outcome.status != "ok":
            return
        try:
            if self.edits:
                self.edits = rebase(self.base, self.current, self.edits, outcome.edits)
                if not self.edits:
                    self.outcome = Outcome((), "skipped", "unchanged")
            else:
                self.edits = outcome.edits
            if not is_last:
                self.current = apply_edits(self.base, self.edits)
        except EditRefusedError as error:
            self.outcome = Outcome((), "refused", error.reason)

    def variant(self, setting: Setting) -> Variant:
        """Variant at the end of the recipe."""
        recipe, base = self.recipe, self.base
        draw = setting.draw
        edits = tuple(self.edits) if self.is_alive else ()
        return Variant(
            item=base.id,
            name=f"{recipe.name}#{draw}" if draw else recipe.name,
            role="measured",
            control_of=None,
            recipe=recipe.name,
            edits=edits,
            gold=_gold(base, edits, recipe, setting.task),
            status=self.outcome.status,
            reason=self.outcome.reason,
            draw=draw,
        )


def perturb(
    example: Example,
    recipe: Recipe | str,
    *,
    seed: int,
    draw: int = 0,
    resources: Mapping[str, Any] | None = None,
    constraints: Sequence[Constraint] = (),
    task: str | None = None,
) -> Variant:
    """Variant of one example.

    Parameters
    ----------
    example
        What is changed; its gold spans, annotations and protected stretches hold.
    recipe
        A recipe, or its written form.
    seed, draw
        Seed of the run, and which of the independent draws this is. Together with the recipe and
        the example's id they settle the outcome.
    resources
        Objects or specifications by name (`scrutiny.perturb.resources`).
    constraints
        Vetoes, asked in this order.
    task
        Whose gold answer it is; where nothing is said, the shape of the example tells. A gold
        answer that the recipe does not keep is dropped from the variant, which then cannot be
        scored.

    Raises
    ------
    UserError
        If the recipe does not read or a resource is missing: that concerns every item. All other
        errors of a transformation end in a variant with the status ``failed``.

    Examples
    --------
    >>> example = Example("r1", {"text": "a wonderful little film"}, gold="positive")
    >>> variant = perturb(example, "typos(share=0.5)", seed=0)
    >>> variant.status, len(variant.edits), variant.gold
    ('ok', 2, 'positive')
    """
    setting = Setting(seed, draw, resources, tuple(constraints), task)
    progress = Progress(example, as_recipe(recipe))
    for number, step in enumerate(progress.recipe.steps):
        advance(progress, number, progress.documents(step, resources), setting)
        if not progress.is_alive:
            break
    return progress.variant(setting)


def advance(
    progress: Progress, number: int, documents: Sequence[TextDocument], setting: Setting
) -> None:
    """Take one step on all documents of an example."""
    steps = progress.recipe.steps
    step, repetition = steps[number], _repetition(steps, number)
    outcomes = [_change(step, d, setting, repetition) for d in documents]
    merged = outcomes[0] if len(outcomes) == 1 else _merge(outcomes)
    progress.take(merged, is_last=number == len(steps) - 1)


def _merge(outcomes: Sequence[Outcome]) -> Outcome:
    """Outcome over the fields: ok if one of them changed and none failed."""
    by_status = {outcome.status: outcome for outcome in reversed(outcomes)}
    if "failed" in by_status:
        return by_status["failed"]
    if "ok" in by_status:
        return Outcome([edit for outcome in outcomes for edit in outcome.edits])
    return by_status.get("refused") or by_status.get("skipped") or Outcome((), "skipped", "no_site")


def _change(step: Step, document: TextDocument, setting: Setting, repetition: int) -> Outcome:
    """What a step does to one document; an error is an outcome."""
    if not speaks(step, document):
        return Outcome((), "skipped", "language")
    try:
        return _choose(step, document, setting, repetition)
    except UserError:
        raise  # a missing resource concerns every item
    except Exception as error:
        return Outcome((), "failed", f"error:{type(error).__name__}")


def speaks(step: Step, document: TextDocument) -> bool:
    """Whether a step knows the language of a document."""
    known = step.transformation.languages
    language = document.language
    return "*" in known or language in known or language.partition("-")[0] in known


def _choose(step: Step, document: TextDocument, setting: Setting, repetition: int) -> Outcome:
    """Edits at the best ranked sites that can be changed."""
    transformation = step.transformation
    sites = sites_where(transformation.sites(document), document, step.where)
    if not sites:
        return Outcome((), "skipped", "no_site")
    wanted = step.intensity.units(document.word_count, len(sites))
    rng = _stream(step, document, setting, repetition)
    gate = Gate(document, setting)
    changed = 0
    for index in _ranked(len(sites), rng) if wanted > 0 else ():
        changed += gate.admit_first(transformation.candidates(document, sites[index], rng))
        if changed == wanted:
            break
    return gate.outcome()


def planned_sites(
    progress: Progress, number: int, document: TextDocument, setting: Setting
) -> list[Site]:
    """Sites that a step will try first, as many as it will change if nothing is refused."""
    steps = progress.recipe.steps
    step = steps[number]
    sites = sites_where(step.transformation.sites(document), document, step.where)
    wanted = step.intensity.units(document.word_count, len(sites))
    rng = _stream(step, document, setting, _repetition(steps, number))
    return [sites[i] for i in _ranked(len(sites), rng)[:wanted]] if sites else []


def _repetition(steps: Sequence[Step], number: int) -> int:
    """How often an earlier step has the same transformation."""
    name = steps[number].transformation.id
    return sum([step.transformation.id == name for step in steps[:number]])


def _stream(step: Step, document: TextDocument, setting: Setting, repetition: int) -> "Generator":
    name = _stream_name(step, document, repetition)
    item, draw = document.example.id, setting.draw
    return streams().stream(setting.seed, "perturb", name=name, item=item, draw=draw)


def _stream_name(step: Step, document: TextDocument, repetition: int) -> str:
    """Name of the stream: further fields and repeated steps draw numbers of their own."""
    name = step.transformation.id
    if document.field != next(iter(document.example.fields)):
        name = f"{name}/{document.field}"
    return f"{name}+{repetition}" if repetition else name


def _ranked(count: int, rng: "Generator") -> Sequence[int]:
    """Indices of the sites by their random keys."""
    if count == 1:
        return (0,)
    keys = rng.random(count).tolist()
    return sorted(range(count), key=keys.__getitem__)


class Gate:
    """Admits the first candidate of each site that may stand, and remembers the first veto."""

    __slots__ = ("_chosen", "_context", "_document", "_fences", "_setting", "_veto")

    def __init__(self, document: TextDocument, setting: Setting) -> None:
        self._document = document
        self._setting = setting
        self._chosen = Chosen()
        self._context: Context | None = None
        self._veto: str | None = None
        example = document.example
        tokens = example.tokens.get(document.field) if example.tokens is not None else None
        is_plain = not (document.annotations or document.protected)
        self._fences = (
            None if is_plain else Fences(document.annotations, document.protected, tokens)
        )

    def admit_first(self, candidates: Iterator[tuple[Edit, ...]]) -> bool:
        """Whether one of the candidates may stand."""
        text = self._document.text
        for candidate in candidates:
            edits = [e for e in candidate if text[e.start : e.end] != e.text or e.spans]
            if not edits:
                continue
            reason = self._refusal(edits)
            if reason is None:
                self._chosen.add(edits)
                if self._fences is not None:
                    self._fences.add(edits)
                return True
            self._veto = self._veto or reason
        return False

    def _refusal(self, edits: Sequence[Edit]) -> str | None:
        """Code of the first reason why these may not stand, or nothing."""
        chosen, length = self._chosen, len(self._document.text)
        if any(not 0 <= e.start <= e.end <= length for e in edits):
            return "bounds"
        if chosen.overlaps(edits):
            return "overlap"
        if self._fences is not None and (reason := self._fences.refusal(edits)):
            return reason
        if not self._setting.constraints:
            return None
        if self._context is None:
            self._context = Context(self._document.example, self._document.resources)
        together = [*chosen.edits, *edits]
        for constraint in self._setting.constraints:
            if not constraint.allows(self._document, together, self._context):
                return constraint.reason
        return None

    def outcome(self) -> Outcome:
        """What came of it all."""
        edits = in_order(self._chosen.edits)
        if edits and self._is_changed(edits):
            return Outcome(edits)
        if self._veto is not None and not edits:
            return Outcome((), "refused", self._veto)
        return Outcome((), "skipped", "unchanged")

    def _is_changed(self, edits: Sequence[Edit]) -> bool:
        """Whether the edits change the text; several that differ each may cancel out."""
        if len(edits) == 1 or any(e.spans for e in edits):
            return True
        if sum(len(e.text) - (e.end - e.start) for e in edits):
            return True
        return apply_to_text(self._document.text, edits) != self._document.text


def _gold(base: Example, edits: Sequence[Edit], recipe: Recipe, task: str | None) -> Any:
    """Gold answer afterwards, or nothing where the recipe does not keep it."""
    gold = base.gold
    if gold is None:
        return None
    if recipe.effect(_task_of(base) if task is None else task) != "keeps":
        return None
    if isinstance(gold, tuple) and edits:
        return apply_edits(base, edits).gold
    return gold


def _task_of(example: Example) -> str:
    """Task that the shape of an example speaks for."""
    if isinstance(example.gold, tuple):
        return "token-tagging"
    return "text-classification" if len(example.fields) == 1 else "text-pair-classification"
