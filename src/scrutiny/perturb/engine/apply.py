"""Application of a recipe to an example, which gives a variant.

For each step and text field: find the sites, rank them by random keys, and go down the ranking
until enough of them are changed. At each site the first candidate stands that differs from the
original, breaks no annotation and passes the constraints. A site without one is passed over, and
the next takes its place. Where nothing can be broken, a transformation that changes one place in
each token by one number (``at_once``) is asked for all of them in one call; the numbers and the
edits are the same. Since the stream's key holds no intensity, a higher share changes what a
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

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from scrutiny.core.answers.answer import has_places, type_of
from scrutiny.core.answers.label_and_spans import LABEL
from scrutiny.core.answers.texts import AnyOf
from scrutiny.core.edit import Edit, EditRefusedError, Variant, measured_variant
from scrutiny.core.errors import UserError
from scrutiny.core.example import Example
from scrutiny.core.facts import Facts
from scrutiny.core.languages import speaks
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Constraint, Site
from scrutiny.perturb.engine.changes import STREAMS, new_tuple
from scrutiny.perturb.engine.document import TextDocument, allowed_sites
from scrutiny.perturb.engine.edit_gate import Gate, StepOutcome, outcome_of
from scrutiny.perturb.engine.edited_words import rebase
from scrutiny.perturb.engine.recipe import Recipe, Step, as_recipe
from scrutiny.tasks.tasks import load_task
from scrutiny.text.edits import apply_edits
from scrutiny.text.language_detection import evidence


class Setting(NamedTuple):
    """Settings shared by all items of a call of `perturb` or `perturb_stream`.

    ``facts`` are those of the task whose gold answers they have.
    """

    seed: int
    draw: int = 0
    resources: Mapping[str, Any] | None = None
    constraints: Sequence[Constraint] = ()
    facts: Facts | None = None


class InProgress:
    """An example between two steps of a recipe.

    ``analyzed`` are documents of its fields that other recipes have used already.
    """

    __slots__ = ("_analyzed", "base", "current", "edits", "outcome", "recipe")

    def __init__(
        self, base: Example, recipe: Recipe, analyzed: Mapping[str, TextDocument] | None = None
    ) -> None:
        self._analyzed = analyzed or {}
        self.base = base
        self.recipe = recipe
        self.current = base
        self.edits: Sequence[Edit] = ()
        self.outcome = StepOutcome(())

    @property
    def is_alive(self) -> bool:
        """Whether every step so far changed the text."""
        return self.outcome.status == "ok"

    def documents(self, step: Step, resources: Mapping[str, Any] | None) -> list[TextDocument]:
        """Documents of the fields that a step changes."""
        current = self.current
        known = self._analyzed if current is self.base else {}
        return [
            known.get(name) or TextDocument(current, name, resources)
            for name in step.fields or current.fields
            if name in current.fields
        ]

    def take(self, outcome: StepOutcome, *, is_last: bool) -> None:
        """Store the result of a step; the example is only needed for a further step."""
        self.outcome = outcome
        if outcome.status != "ok":
            return
        try:
            if self.edits:
                self.edits = rebase(self.base, self.current, self.edits, outcome.edits)
                if not self.edits:
                    self.outcome = StepOutcome((), "skipped", "unchanged")
            else:
                self.edits = outcome.edits
            if not is_last:
                self.current = apply_edits(self.base, self.edits)
        except EditRefusedError as error:
            self.outcome = StepOutcome((), "refused", error.reason)

    def variant(self, setting: Setting) -> Variant:
        """Variant at the end of the recipe."""
        outcome = self.outcome._replace(edits=self.edits if self.is_alive else ())
        return _variant(self.base, self.recipe, outcome, setting)


def perturb(
    example: Example | str,
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
        What is changed; its gold spans, annotations and protected stretches hold. A text is one
        without a gold answer, in English unless it is clearly in another language.
    recipe
        A recipe, or its written form.
    seed, draw
        Seed of the run, and which of the independent draws this is. Together with the recipe and
        the example's id they settle the outcome.
    resources
        Objects or specifications by name (`scrutiny.perturb.resources.loading`).
    constraints
        Vetoes, asked in this order.
    task
        Whose gold answer it is; where nothing is said, the shape of the example tells. A gold
        answer that the recipe does not keep is dropped from the variant, which then cannot be
        scored.

    Raises
    ------
    UserError
        If the recipe cannot be read or a resource is missing: that concerns every item. All other
        errors of a transformation end in a variant with the status ``failed``.

    Examples
    --------
    >>> example = Example("r1", {"text": "a wonderful little film"}, gold="positive")
    >>> variant = perturb(example, "typos(share=0.5)", seed=0)
    >>> variant.status, len(variant.edits), variant.gold
    ('ok', 2, 'positive')
    """
    if isinstance(example, str):
        language = evidence(example).clearly("en") or "en"
        example = Example("", {"text": example}, language=language)
    facts = None if task is None else load_task(task).facts
    setting = new_tuple(Setting, (seed, draw, resources, constraints, facts))
    documents = {name: TextDocument(example, name, resources) for name in example.fields}
    return perturb_analyzed(example, as_recipe(recipe), documents, setting)


def perturb_analyzed(
    example: Example, recipe: Recipe, documents: Mapping[str, TextDocument], setting: Setting
) -> Variant:
    """Variant of one example whose fields are already analyzed."""
    if len(recipe.steps) == 1 and len(documents) == 1:
        (document,) = documents.values()
        step = recipe.steps[0]
        if not step.fields or document.field in step.fields:  # the common case, and the quick one
            return _variant(example, recipe, _change(step, document, setting, 0), setting)
    progress = InProgress(example, recipe, documents)
    for number, step in enumerate(recipe.steps):
        advance(progress, number, progress.documents(step, setting.resources), setting)
        if not progress.is_alive:
            break
    return progress.variant(setting)


def advance(
    progress: InProgress, number: int, documents: Sequence[TextDocument], setting: Setting
) -> None:
    """Apply one step to all documents of an example."""
    steps = progress.recipe.steps
    step, repetition = steps[number], _repetition(steps, number)
    outcomes = [_change(step, d, setting, repetition) for d in documents]
    by_status = {outcome.status: outcome for outcome in reversed(outcomes)}
    if "ok" in by_status and "failed" not in by_status:
        merged = StepOutcome([edit for outcome in outcomes for edit in outcome.edits])
    else:
        worst = (by_status[s] for s in ("failed", "refused", "skipped") if s in by_status)
        merged = next(worst, StepOutcome((), "skipped", "no_site"))
    progress.take(merged, is_last=number == len(steps) - 1)


def _change(step: Step, document: TextDocument, setting: Setting, repetition: int) -> StepOutcome:
    """Result of a step on one document; an error is an outcome."""
    if not speaks(step.transformation.languages, document.language):
        return StepOutcome((), "skipped", "language")
    try:
        return _choose(step, document, setting, repetition)
    except UserError:
        raise  # a missing resource concerns every item
    except Exception as error:
        return StepOutcome((), "failed", f"error:{type(error).__name__}")


def _choose(step: Step, document: TextDocument, setting: Setting, repetition: int) -> StepOutcome:
    """Edits at the best-ranked sites that can be changed."""
    transformation = step.transformation
    sites = document.sites_of(transformation)
    is_plain = document.is_plain
    if not is_plain or step.where in ("within", "beside"):
        sites = allowed_sites(sites, document, step.where)
    if not sites:
        return StepOutcome((), "skipped", "no_site")
    wanted = step.intensity.units(document.word_count, len(sites))
    rng = _stream(step, document, setting, repetition)
    if is_plain and wanted > 0 and not setting.constraints and document.example.tokens is None:
        if step.at_once is not None:  # and tokens of our own never overlap
            edits = step.at_once(document, *_drawn(sites, wanted, rng))
            if edits is not None:
                return outcome_of(document.text, sorted(edits))
            rng = _stream(step, document, setting, repetition)  # from its beginning again
    gate = Gate(document, setting.constraints, opens=transformation.changes_marked)
    changed = 0
    for index in _ranked(len(sites), rng) if wanted > 0 else ():
        changed += gate.admit_first(transformation.candidates(document, sites[index], rng))
        if changed == wanted:
            break
    return gate.outcome()


def _drawn(sites: Sequence[Site], wanted: int, rng: Rng) -> tuple[list[Site], list[float]]:
    """The best-ranked sites, and the number of draws for each."""
    count = len(sites)
    if count == 1:
        return list(sites), rng.random(1).tolist()
    numbers = rng.random(count + wanted).tolist()  # the same as one by one
    order = sorted(range(count), key=numbers.__getitem__)
    return [sites[i] for i in order[:wanted]], numbers[count:]


def planned_sites(
    progress: InProgress, number: int, document: TextDocument, setting: Setting
) -> list[Site]:
    """Sites that a step tries first, as many as it changes if nothing is refused."""
    steps = progress.recipe.steps
    step = steps[number]
    sites = allowed_sites(document.sites_of(step.transformation), document, step.where)
    wanted = step.intensity.units(document.word_count, len(sites))
    rng = _stream(step, document, setting, _repetition(steps, number))
    return [sites[i] for i in _ranked(len(sites), rng)[:wanted]] if sites else []


def _repetition(steps: Sequence[Step], number: int) -> int:
    """Number of earlier steps with the same transformation."""
    name = steps[number].transformation.id
    return sum([step.transformation.id == name for step in steps[:number]])


def _stream(step: Step, document: TextDocument, setting: Setting, repetition: int) -> Rng:
    """Random stream of a step; further fields and repeated steps have streams of their own."""
    name, fields = step.stream, document.example.fields
    if len(fields) > 1 and document.field != next(iter(fields)):
        name = f"{name}/{document.field}"
    if repetition:
        name = f"{name}+{repetition}"
    item, draw = document.example.id, setting.draw
    return STREAMS.stream(setting.seed, "perturb", name=name, item=item, draw=draw)


def _ranked(count: int, rng: Rng) -> Sequence[int]:
    """Indices of the sites, sorted by their random keys."""
    if count == 1:
        return (0,)
    return sorted(range(count), key=rng.random(count).tolist().__getitem__)


def _variant(base: Example, recipe: Recipe, outcome: StepOutcome, setting: Setting) -> Variant:
    """Variant of an outcome, with the gold answer if the recipe keeps it.

    An answer that may have changed is none of the variant's; its places must have outlived the
    edits all the same.
    """
    edits, status, reason = outcome
    gold = base.gold
    if not (recipe.is_harmless or gold is None):
        facts = setting.facts
        if facts is None:  # those of a task that the answer and the fields imply
            kind = type_of(gold[0] if isinstance(gold, AnyOf) else gold)
            is_relation = kind is LABEL and len(base.fields) > 1
            facts = Facts(kind.name, "relation" if is_relation else "text")
        is_known = recipe.is_scored(facts)
        gold = recipe.new_gold(gold, facts, base, edits) if is_known else None
    if edits and has_places(base.gold):
        try:
            carried = apply_edits(base if gold is None else replace(base, gold=gold), edits).gold
            gold = None if gold is None else carried
        except EditRefusedError as error:
            edits, gold, status, reason = (), None, "refused", error.reason
    return measured_variant(base.id, recipe.name, tuple(edits), gold, status, reason, setting.draw)
