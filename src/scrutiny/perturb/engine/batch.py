"""Perturbation of many examples at once, in constant memory.

Examples are taken a chunk at a time. Within a chunk each step of each recipe is taken for all
examples before the next one, so that a transformation with a model can be asked in batches (its
``warm``). What comes out is the same as from `scrutiny.perturb.engine.apply.perturb`, one by one,
and does not depend on the size of the chunks.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from scrutiny.core.edit import Variant
from scrutiny.core.errors import UserError
from scrutiny.core.example import Example
from scrutiny.core.languages import speaks
from scrutiny.core.transformation import AsksAhead, Site
from scrutiny.perturb.engine.apply import (
    InProgress,
    Setting,
    advance,
    perturb_analyzed,
    planned_sites,
)
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.engine.recipe import Recipe, as_recipe

CHUNK: Final = 256


Analyzed = tuple[Example, Mapping[str, TextDocument]]


def perturb_stream(
    examples: Iterable[Example],
    recipes: Sequence[Recipe | str],
    setting: Setting,
    *,
    chunk: int = CHUNK,
) -> Iterator[tuple[Example, list[Variant]]]:
    """Each example with its variants, one for each recipe, in order.

    Parameters
    ----------
    examples
        Taken lazily, so that any number of them may come.
    recipes
        Recipes, or their written forms.
    setting
        Seed, draw, resources and constraints.
    chunk
        Examples that are held at a time.

    Examples
    --------
    >>> found = perturb_stream([Example("1", {"text": "good film"})], ["typos"], Setting(seed=0))
    >>> [(example.id, variant.recipe) for example, variants in found for variant in variants]
    [('1', 'typos@1')]
    """
    for example, _, (variants,) in perturb_draws(examples, recipes, [setting], chunk=chunk):
        yield example, variants


def perturb_draws(
    examples: Iterable[Example],
    recipes: Sequence[Recipe | str],
    settings: Sequence[Setting],
    *,
    chunk: int = CHUNK,
) -> Iterator[tuple[Example, Mapping[str, TextDocument], list[list[Variant]]]]:
    """Each example with its analyzed fields and a list of variants for each setting.

    The settings have the same resources: texts are analyzed once for all of them. What was
    analyzed comes along, so that a control (`scrutiny.perturb.engine.controls.Controls`) finds it
    done.

    Examples
    --------
    >>> draws = [Setting(seed=0, draw=draw) for draw in range(2)]
    >>> rows = list(perturb_draws([Example("1", {"text": "good film"})], ["typos"], draws))
    >>> [[v.name for v in variants] for _, _, made in rows for variants in made]
    [['typos@1'], ['typos@1#1']]
    """
    parsed = [as_recipe(recipe) for recipe in recipes]
    source = iter(examples)
    while held := list(islice(source, chunk)):
        given = settings[0].resources
        analyzed = [  # once for all recipes and settings
            (one, {name: TextDocument(one, name, given) for name in one.fields}) for one in held
        ]
        columns = [[_perturb_chunk(analyzed, r, setting) for r in parsed] for setting in settings]
        for at, (example, documents) in enumerate(analyzed):
            yield example, documents, [[made[at] for made in column] for column in columns]


def _perturb_chunk(analyzed: Sequence[Analyzed], recipe: Recipe, setting: Setting) -> list[Variant]:
    """Variants of one recipe, step by step over all examples."""
    if len(recipe.steps) == 1 and not isinstance(recipe.steps[0].transformation, AsksAhead):
        return [perturb_analyzed(one, recipe, texts, setting) for one, texts in analyzed]
    progresses = [InProgress(one, recipe, texts) for one, texts in analyzed]
    for number, step in enumerate(recipe.steps):
        held = [(p, p.documents(step, setting.resources)) for p in progresses if p.is_alive]
        if isinstance(step.transformation, AsksAhead):
            known = step.transformation.languages
            spoken = [(p, d) for p, texts in held for d in texts if speaks(known, d.language)]
            sites = (planned_sites(p, number, d, setting) for p, d in spoken)
            ask_ahead(step.transformation, [d for _, d in spoken], sites)
        for progress, documents in held:
            advance(progress, number, documents, setting)
    return [progress.variant(setting) for progress in progresses]


def ask_ahead(
    transformation: AsksAhead, documents: Sequence[TextDocument], sites: Iterable[Sequence[Site]]
) -> None:
    """Let a transformation query its model about all documents and sites.

    Where that fails for no fault of the user's, every item is asked about by itself afterwards,
    and fails by itself.
    """
    try:
        if documents:
            transformation.warm(documents, list(sites))
    except UserError:
        raise  # a missing resource concerns every item
    except Exception:
        return
