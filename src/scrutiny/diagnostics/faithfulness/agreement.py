"""Agreement of attention with gradients and with leave-one-out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.core.diagnostic import Context, Failure, RowKind
from scrutiny.core.record import Measure
from scrutiny.diagnostics.faithfulness.single_layer import LengthGroup, OfLayer, layer_of
from scrutiny.stats.association.rank_correlation import tau_b
from scrutiny.stats.distributions.divergence import tvd


@dataclass(frozen=True, slots=True)
class AgreementParams:
    """Limits of the claims about agreement.

    Parameters
    ----------
    margin
        Smallest mean tau, and smallest difference of two.
    """

    margin: float = 0.10


#: Pairs of rankings, each a condition; the last needs no attention.
PAIRS: Final = (
    ("attention", "gradient"),
    ("attention", "leave_one_out"),
    ("gradient", "leave_one_out"),
)
_ONLY_TIES: Final = Failure("only_ties", status="undefined")
_NAMES: Final = tuple("-".join(pair) for pair in PAIRS)
_BASELINE: Final = _NAMES[-1]
_ROLES: Final = {**dict.fromkeys(_NAMES, "measured"), _BASELINE: "baseline"}


class AttentionAgreement(OfLayer[AgreementParams]):
    """Whether attention ranks words as gradients and leave-one-out do (Jain & Wallace).

    Kendall's tau-b between rankings of words: attention, gradients, leave-one-out.

    Records of an item, for each pair of rankings (``between``): ``tau``, the number of ``tokens``,
    and ``hit`` of the model's own answer. A word's gradient is the absolute value of its input
    times the gradient of the likeliest label's probability, attention held constant; leaving it out
    counts by the change of the output (total variation distance) when the text is read without it.
    A text in which a ranking has only ties is undefined.

    **Measures**: whether attention puts the words of a text in the order in which they matter to
    the output by other accounts.

    **Misleads when**: the other accounts are taken for the truth: gradients are local, and a word
    that another one repeats can be left out at no cost. Long tails of words that matter to nobody
    are ordered by noise and pull tau to 0; two rankings that agree on the top word may have a tau
    near 0. The tau between gradients and leaving out shows how well two such accounts agree.

    **References**: Jain & Wallace (2019), Attention is not explanation, NAACL; Kendall (1945), The
    treatment of ties in ranking problems.
    """

    id = "faithfulness.agreement@1"
    measures = (
        Measure(
            "tau",
            says="tau of two rankings of the words",
            row_range=(-1.0, 1.0),
            no_effect=0.0,
            drawn_as=(("mean", "mean_tau@1"),),
        ),
        Measure("tokens", unit="tokens"),
        Measure("hit", unit="items"),
    )

    def design(self, params: AgreementParams, inputs: Inputs) -> Design:
        """Mean tau of each pair, gaps to the pair without attention, and the claims."""
        own = _NAMES[1]
        return Design(
            conditions=tuple({"between": name} for name in _NAMES),
            estimates=(
                EstimateSpec(
                    "level", "accuracy@1", sides={"": _selector(_NAMES[0])}, role="baseline"
                ),
                *(
                    EstimateSpec(f"tau/{name}", "mean(tau)@1", {"between": name}, role=role)
                    for name, role in _ROLES.items()
                ),
                EstimateSpec(
                    "tau_gap",
                    "gap(mean(tau))@1",
                    {"between": f"{own} - {_BASELINE}"},
                    sides={"first": _selector(own), "other": _selector(_BASELINE)},
                ),
            ),
            claims=tuple(_claims(params, inputs)),
            queries_per_item=3,
            notes=(
                "Tau-b over the words of one text, averaged over texts. Gradients are absolute "
                "values of input times gradient with attention held constant; leaving a word out "
                "reads the text without it.",
            ),
            families={
                "agreement": f"attention of {inputs.subject.name} ranks words as gradients do"
            },
            contrasts=tuple(ContrastSpec.untrained([f"tau/{name}" for name in _NAMES[:-1]])),
        )

    def kinds(self, params: AgreementParams) -> Sequence[RowKind]:
        """One for each pair of rankings."""
        return [RowKind.of({"between": name}, role) for name, role in _ROLES.items()]

    def values_of(
        self, params: AgreementParams, group: LengthGroup, ctx: Context
    ) -> Iterator[Sequence[Sequence[float] | Failure]]:
        """Tau of each pair of rankings, and the number of tokens, for each item of a group."""
        layer = layer_of(ctx)
        gradient = np.abs(np.stack(layer.input_slopes(group.attended)))
        without = np.stack(layer.without_each(group.attended))  # (text, token, label)
        left_out = tvd(without, group.probabilities[:, None, :])
        rankings = {  # differences below a millionth of a millionth are rounding and tie
            "attention": group.weights,
            "gradient": np.round(gradient, 12),
            "leave_one_out": np.round(left_out, 12),
        }
        taus = [tau_b(rankings[one], rankings[other]) for one, other in PAIRS]
        n = float(group.weights.shape[1])
        for by_pair in np.stack(taus, axis=1).tolist():
            yield [_ONLY_TIES if np.isnan(tau) else (tau, n) for tau in by_pair]


def _selector(name: str) -> Selector:
    return Selector(_ROLES[name], {"between": name})


def _claims(params: AgreementParams, inputs: Inputs) -> Iterator[Claim]:
    """Claims: attention agrees with both, and with leave-one-out as well as gradients do."""
    skill = (("level", inputs.data.chance),)
    names = [f"tau/{name}" for name in _NAMES[:-1]]
    yield Claim(
        id="agrees",
        says="attention ranks the words of a text as gradients and leave-one-out do: tau above "
        f"{params.margin:g} with each",
        components=(
            *(Component(name, params.margin) for name in names),
            *(part for name in names for part in inputs.beyond_untrained(name, 0.0)),
        ),
        family="agreement",
        checks=Claim.checks_with(),
        competence=skill,
        needs_control="null" in inputs.controls,
    )
    yield Claim(
        id="as good as gradients",
        says="attention agrees with leave-one-out about as well as gradients do (worse by less "
        f"than {params.margin:g})",
        components=(Component("tau_gap", -params.margin, "control: gradients"),),
        family="agreement",
        checks=Claim.checks_with(),
        competence=skill,
    )
