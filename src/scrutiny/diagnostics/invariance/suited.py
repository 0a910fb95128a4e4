"""Whether capabilities fit data and machine: said before anything is asked."""

from collections.abc import Collection, Sequence

from scrutiny.core.diagnostic import Inputs
from scrutiny.core.errors import MissingExtraError, PlanError
from scrutiny.diagnostics.invariance.capabilities import Generation
from scrutiny.diagnostics.invariance.params import ScopeParams
from scrutiny.perturb.resources.loading import RESOURCES


def suited(
    made: Sequence[Generation], params: ScopeParams, inputs: Inputs
) -> tuple[Generation, ...]:
    """Generations that can change these data; an audit leaves the others out.

    Raises
    ------
    PlanError
        If one knows no language of the data, or a resource is not named that has no default.
    MissingExtraError
        If a resource needs packages that are not installed.
    """
    if inputs.is_audit:
        return tuple(g for g in made if _speaks(g, inputs.languages))
    for generation in made:
        if not _speaks(generation, inputs.languages):
            raise _wrong_language(generation, inputs)
        _require_resources(generation, params.resources)
    return tuple(made)


def _speaks(generation: Generation, languages: Collection[str]) -> bool:
    """Whether some data are in a language that it knows."""
    known = _languages(generation)
    spoken = {part for code in languages for part in (code, code.partition("-")[0])}
    return not languages or "*" in known or not spoken.isdisjoint(known)


def _languages(generation: Generation) -> set[str]:
    """Languages that any of its moves knows."""
    return {code for move in generation.space.moves for code in move.transformation.languages}


def _wrong_language(generation: Generation, inputs: Inputs) -> PlanError:
    known, spoken = (", ".join(sorted(c)) for c in (_languages(generation), inputs.languages))
    return PlanError(
        f"The capability {generation.capability!r} is for texts in {known}, and {inputs.dataset!r} "
        f"is in {spoken}: name others (capabilities), or say the language behind the data string, "
        f"#language={sorted(_languages(generation))[0]}."
    )


def _require_resources(generation: Generation, given: Collection[str]) -> None:
    """Refuse a resource that is neither given nor there by default."""
    for name in generation.space.resources:
        kind = RESOURCES.get(name)
        if kind is None or name in given:
            continue
        if kind.default is None:
            raise PlanError(
                f"The capability {generation.capability!r} needs the resource {name!r}, which has "
                f'no default: params.resources = {{ {name} = "..." }} names one ({kind.specs}).'
            )
        if not kind.is_installed:
            raise MissingExtraError(f"The capability {generation.capability!r}", kind.extra or "")
