"""Recipes: one transformation with its parameters, or several in sequence."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from typing import Any, Final, get_args

from scrutiny.core.answers.answer import type_of
from scrutiny.core.boundary.parameters import (
    chosen_parameters,
    known,
    parameters_of,
    read_parameters,
)
from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.facts import Facts
from scrutiny.core.languages import both
from scrutiny.core.plugin_base import title_of
from scrutiny.core.randomness import stream_of
from scrutiny.core.registry import registry
from scrutiny.core.transformation import (
    ChangesAtOnce,
    Document,
    Effect,
    Intensity,
    SetsGold,
    Site,
    Transformation,
    Where,
    effect_of,
)
from scrutiny.perturb.engine.recipe_syntax import check_parameters, read_recipe, write_value
from scrutiny.perturb.engine.rewrite import held, hold_function, keeps_label

AtOnce = Callable[[Document, Sequence[Site], Sequence[float]], list[Edit] | None]

_SEVERITY: Final[tuple[Effect, ...]] = ("keeps", "sets", "flips", "may change")
_IN_PLACES: Final = ("within", "beside")  # of annotated spans
_OF_STEPS: Final[Mapping[str, Any]] = {
    "share": float,
    "least": int,
    "most": int | None,
    "fields": tuple[str, ...],
    "where": Where,
}


@dataclass(frozen=True, slots=True)
class Step:
    """A transformation, the number of units of the text that it changes, and where.

    Parameters
    ----------
    transformation
        What proposes the edits.
    intensity
        How many units are changed.
    where
        ``around``: units that touch an annotated span (a gold entity, an aspect term; not a mention
        of a cluster) are left alone. ``within``: only those are changed. ``beside``: only the
        others of sentences that hold such a span. ``anywhere``: all may be; an edit that would
        break a span is refused in any case.
    fields
        Names of the text fields to change; empty for all of them.
    name
        Canonical form, which reads back to the same step.

    Attributes
    ----------
    stream
        Name of its random numbers.
    at_once
        The transformation's own quick way, if it has one.
    """

    transformation: Transformation
    intensity: Intensity
    where: Where
    fields: tuple[str, ...] = ()
    name: str = ""
    stream: str = field(init=False, repr=False, compare=False)
    at_once: AtOnce | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stream", stream_of(self.transformation))
        own = self.transformation
        quick = own.at_once if isinstance(own, ChangesAtOnce) else None
        object.__setattr__(self, "at_once", quick)

    @property
    def title(self) -> str:
        """Readable name, with non-default parameters in brackets."""
        return title_of(self.transformation, self.name or self.transformation.id)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Steps in sequence, each applied to the result of the previous; all must change the text.

    Attributes
    ----------
    is_harmless
        Whether the gold answer of every task is kept.

    Examples
    --------
    >>> parse_recipe("word_case(case=title)+typos(share=0.5)").name
    'word_case@1(case=title)+typos@1(share=0.5)'
    """

    steps: tuple[Step, ...]
    name: str = field(init=False)
    is_harmless: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.steps:
            raise PlanError("A recipe needs at least one step.")
        object.__setattr__(self, "name", "+".join(step.name for step in self.steps))
        if sum(isinstance(step.transformation, SetsGold) for step in self.steps) > 1:
            raise PlanError(
                f"{self.name}: two of its steps say what is right afterwards, each from its own "
                "edits, so that nobody knows it of both. Ask them one by one."
            )
        effects = [dict(step.transformation.effect) for step in self.steps]
        object.__setattr__(self, "is_harmless", all(e == {"*": "keeps"} for e in effects))

    def effect(self, task: Facts) -> Effect:
        """Effect on the gold answer of a task: the worst of its steps."""
        if len(self.steps) == 1:
            return effect_of(self.steps[0].transformation, task)
        found = [effect_of(step.transformation, task) for step in self.steps]
        return max(found, key=_SEVERITY.index)

    def is_scored(self, task: Facts) -> bool:
        """Whether the gold answer of a task is known afterwards."""
        return self.effect(task) in ("keeps", "sets")

    def new_gold(self, gold: Any, task: Facts, before: Example, edits: Sequence[Edit]) -> Any:
        """Gold answer to an item after edits, where it is known; a text changed in parts keeps its.

        It says nothing in layers that a step does not keep, and is None where a step cannot tell.
        """
        for step in self.steps:
            of = step.transformation
            if effect_of(of, task) != "sets":
                continue
            if isinstance(of, SetsGold):
                gold = of.gold_after(gold, before, edits) if edits else gold
                if gold is None:
                    return None
            elif step.intensity == of.intensity:
                gold = of.new_gold(gold)
        kind = type_of(gold)
        changed = [layer for layer in kind.layers if not self.keeps(layer)]
        return kind.without(gold, changed) if changed else gold

    def must_suit(self, task: Facts, labels: Sequence[str], fields: Sequence[str] = ()) -> None:
        """Raise a `PlanError` if a step finds no place in a task, or can't say what is right.

        ``fields`` are the names of the texts that changes may touch; empty where nobody knows them.
        """
        for step in self.steps:
            step.transformation.must_suit(task, labels)
            must_have_places(step.where, task, f"{step.name}: where={step.where}")
            if fields:
                known("text of these items", step.fields, fields, where=f"{step.name}: fields")

    def keeps(self, layer: str) -> bool:
        """Whether every step keeps a layer of an answer."""
        return all(s.transformation.effect.get(layer, "keeps") == "keeps" for s in self.steps)

    @property
    def title(self) -> str:
        """Readable name: "typos (share=0.9)", "spelling errors + OCR noise"."""
        return " + ".join(step.title for step in self.steps)

    @property
    def resources(self) -> tuple[str, ...]:
        """Names of all resources that its steps need, sorted."""
        return tuple(sorted({r for step in self.steps for r in step.transformation.resources}))

    @property
    def is_for_search(self) -> bool:
        """Whether a step is intended for searches only."""
        return any(step.transformation.is_for_search for step in self.steps)

    @property
    def is_default(self) -> bool:
        """Whether all steps are defaults: not for searches, and of sufficient quality."""
        chosen = all(step.transformation.is_default for step in self.steps)
        return chosen and not self.is_for_search

    @property
    def languages(self) -> frozenset[str]:
        """Languages that all steps support; ``*`` means any."""
        return reduce(both, (step.transformation.languages for step in self.steps))


def step_of(
    transformation: Transformation,
    *,
    intensity: Intensity | None = None,
    where: Where | None = None,
    fields: Sequence[str] = (),
) -> Step:
    """Step with this transformation; missing settings are the transformation's defaults.

    Raises
    ------
    PlanError, UnknownNameError
        For a value that a parameter of the transformation cannot have.
    """
    check_parameters(transformation)
    chosen = transformation.intensity if intensity is None else intensity
    place = transformation.where if where is None else where
    # the canonical form: parameters that differ from the defaults, in the order of declaration
    written = [*chosen_parameters(transformation)]
    written += [
        (key, getattr(chosen, key))
        for key in ("share", "least", "most")
        if getattr(chosen, key) != getattr(transformation.intensity, key)
    ]
    if fields:
        written.append(("fields", tuple(fields)))
    if place != transformation.where:
        written.append(("where", place))
    inner = ",".join(f"{key}={write_value(value)}" for key, value in written)
    name = f"{transformation.id}({inner})" if inner else transformation.id
    return Step(transformation, chosen, place, tuple(fields), name)


def must_have_places(where: str, task: Facts, named: str) -> None:
    """Raise a `PlanError` if changes are confined to annotated places that a task does not have.

    Parameters
    ----------
    where
        As in `Step`.
    task
        Facts of the task.
    named
        What confines them, for the message.
    """
    if where not in _IN_PLACES or task.has_places:
        return
    free = [value for value in get_args(Where) if value not in _IN_PLACES]
    raise PlanError(
        f"{named} changes words by the annotated parts of a text (entities, an answer, an aspect), "
        f"and here right answers are {task}, with no such parts: it would find nothing that it can "
        f"change. Allowed here are {' and '.join(free)}, which mean the same: leave it out."
    )


def recipe_of(*transformations: Transformation) -> Recipe:
    """Recipe of transformations with their own intensities."""
    return Recipe(tuple(step_of(t) for t in transformations))


@lru_cache(maxsize=1024)
def parse_recipe(text: str) -> Recipe:
    """Recipe parsed from its written form.

    Parameters are the transformation's own, and ``share``, ``least``, ``most`` (how many units),
    ``where`` and ``fields`` (see `Step`). A name without a version takes the newest.

    Raises
    ------
    PlanError
        If it cannot be read, or a value is of the wrong type or out of range.
    UnknownNameError
        For a name, a parameter or a choice that does not exist; near ones are in the message.

    Examples
    --------
    >>> recipe = parse_recipe("typos(share=0.5, mode=swap)")
    >>> recipe.name, recipe.steps[0].intensity.share
    ('typos@1(mode=swap,share=0.5)', 0.5)
    >>> parse_recipe(recipe.name) == recipe
    True
    """
    return Recipe(tuple(_build_step(name, parameters) for name, parameters in read_recipe(text)))


def recipes_given(given: Any) -> list[Any]:
    """Written recipes of the transformations that a user passes in Python.

    Parameters
    ----------
    given
        A recipe, a function from text to text, a mapping from names to functions, or several of
        these in a list.

    Raises
    ------
    PlanError
        For a function without a name, or one that cannot be told from others.
    """
    several = given if isinstance(given, list | tuple) else [given]
    named: list[Any] = []
    for one in several:
        if isinstance(one, Mapping):
            named += [hold_function(name, function) for name, function in one.items()]
        elif callable(one):
            own = one.function if isinstance(one, keeps_label) else one
            name = str(getattr(own, "__name__", ""))
            if not name.isidentifier():
                raise PlanError(
                    f"transformations: a {name or type(own).__name__} has no name to stand in the "
                    "plan. Name it: transformations={'shout': lambda text: text.upper()}."
                )
            named.append(hold_function(name, one))
        else:
            named.append(one)
    parse_recipe.cache_clear()  # which knows functions that were given before by these names
    for at, one in enumerate(named):
        if isinstance(one, str) and any(held(name) for name, _ in read_recipe(one)):
            named[at] = parse_recipe(one).name  # with the versions of this process's functions
    return named


def as_recipe(recipe: Recipe | str) -> Recipe:
    """The recipe itself, or parsed from its written form."""
    return parse_recipe(recipe) if isinstance(recipe, str) else recipe


def _build_step(name: str, parameters: Mapping[str, Any]) -> Step:
    """Step from a name and its written parameters."""
    kind: Any = held(name)
    if kind is None:
        name = registry().resolve("transformation", name)
        kind = registry().load("transformation", name)
    read = read_parameters(kind, parameters, of=name, besides=_OF_STEPS)
    own = parameters_of(kind)
    transformation: Transformation = kind(**{k: v for k, v in read.items() if k in own})
    counts = {key: read[key] for key in ("share", "least", "most") if key in read}
    intensity = replace(transformation.intensity, **counts)
    if not 0 <= intensity.share <= 1:
        raise PlanError(f"'share' of {name} must lie between 0 and 1, not {intensity.share}.")
    least, most = intensity.least, intensity.most
    if least < 0 or (most is not None and most < max(1, least)):
        raise PlanError(
            f"'least' and 'most' of {name} must satisfy 0 <= least <= most and most >= 1; "
            f"they are {least} and {most}."
        )
    return step_of(
        transformation, intensity=intensity, where=read.get("where"), fields=read.get("fields", ())
    )
