"""All methods by their names, and those that a model and a task allow."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from scrutiny.core.boundary.parameters import known
from scrutiny.core.errors import PlanError
from scrutiny.core.facts import LABELS, ONE_TEXT
from scrutiny.core.task import Task
from scrutiny.diagnostics.attribution.methods.attention import (
    Attention,
    AttentionRollout,
    AttentionTimesGradient,
)
from scrutiny.diagnostics.attribution.methods.gradient import Gradient, GradientTimesInput
from scrutiny.diagnostics.attribution.methods.integrated_gradients import (
    FromMask,
    FromMean,
    FromPadding,
    IntegratedGradients,
)
from scrutiny.diagnostics.attribution.methods.kernel_shap import KernelShap
from scrutiny.diagnostics.attribution.methods.lime import Lime
from scrutiny.diagnostics.attribution.methods.method import AttributionMethod
from scrutiny.diagnostics.attribution.methods.occlusion import Occlusion

METHODS: Final[Mapping[str, type[AttributionMethod]]] = {
    one.name: one
    for one in (
        IntegratedGradients,
        FromPadding,
        FromMask,
        FromMean,
        GradientTimesInput,
        Gradient,
        Occlusion,
        KernelShap,
        Lime,
        Attention,
        AttentionRollout,
        AttentionTimesGradient,
    )
}
#: Those that are tried unless others are named: each of another kind.
USUAL: Final = (
    "integrated_gradients",
    "gradient_x_input",
    "gradient",
    "occlusion",
    "kernel_shap",
    "lime",
    "attention",
    "attention_rollout",
    "attention_x_gradient",
)


def named(names: Sequence[str]) -> None:
    """Raise unless all of these are methods.

    Raises
    ------
    UnknownNameError
        For the first that is none.
    """
    known("method", names, METHODS)


def methods_for(
    names: Sequence[str], capabilities: Collection[str], task: Task
) -> tuple[AttributionMethod, ...]:
    """Methods of these names, or the usual ones that the model and the task allow.

    Raises
    ------
    PlanError
        If one that was named is not allowed.
    """
    several = not ONE_TEXT.are_of(task.facts)
    other = not LABELS.are_of(task.facts)
    found = []
    for name in names or USUAL:
        kind = METHODS[name]
        whys = {
            "items have several texts": several and not other and kind.of_one_text,
            "it explains labels alone": other and kind.of_labels,
            "the model cannot be asked for "
            + " or ".join(sorted(one for needs in kind.needs for one in needs)): not any(
                needs <= {*capabilities} for needs in kind.needs
            ),
        }
        why = next((said for said, is_so in whys.items() if is_so), "")
        if not why:
            found.append(kind())
        elif names:
            raise PlanError(f"The method {name} is not to be had here: {why}.")
    return tuple(found)
