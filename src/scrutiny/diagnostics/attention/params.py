"""Parameters of the attention diagnostics, and presets of the published procedure.

Presets: the published procedure twice, since paper and released code differ, and our own.

| preset | pieces into words | self | special tokens | casing | words without a piece |
| --- | --- | --- | --- | --- | --- |
| ``default`` | mean in, mean out | masked | dropped | the model's | word left out |
| ``as_released`` | sum in, mean out | masked | dropped | lower-cased | sentence left out |
| ``as_published`` | sum in, mean out | kept | kept as rivals | lower-cased | sentence left out |

The released code zeroes each word's attention to itself and removes [CLS] and [SEP] before the
arg-max; equation 3 of the paper mentions neither. On MiniLM the equation read literally halves the
F1 of the average head. Both sum the attention to the pieces of a word, which inflates every head,
trained or not, on corpora whose cues split; our default takes their mean.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from scrutiny.core.boundary.limits import known
from scrutiny.core.errors import PlanError
from scrutiny.core.queries.attention import WEIGHTINGS
from scrutiny.diagnostics.attention.encodings import ENCODINGS
from scrutiny.diagnostics.attention.heads.scored import UNSCORED
from scrutiny.diagnostics.attention.word_maps import MapOptions

PRESETS: Final[Mapping[str, MapOptions]] = {
    "default": MapOptions(),
    "as_released": MapOptions(into="sum", is_lower_cased=True, missing="drop-sentence"),
    "as_published": MapOptions(
        into="sum",
        is_self_masked=False,
        special="keep",
        is_lower_cased=True,
        missing="drop-sentence",
    ),
}


def preset(name: str) -> MapOptions:
    """Options of a preset.

    Raises
    ------
    UnknownNameError
        If there is no such preset; the message lists those that there are.
    """
    known("preset", [name], PRESETS)
    return PRESETS[name]


#: Name of the condition that has options of the user's own.
OWN: Final = "own"
_ALLOWED: Final[Mapping[str, tuple[Any, ...]]] = {
    "into": ("sum", "mean", "max"),
    "out_of": ("mean", "first", "max"),
    "is_self_masked": (True, False),
    "special": ("drop", "renormalize", "keep"),
    "direction": ("from", "to", "both"),
    "is_lower_cased": (True, False),
    "weighting": WEIGHTINGS,
    "missing": ("drop-sentence", "drop-word"),
}


@dataclass(frozen=True, slots=True)
class PresetParams:
    """Presets: ways from attention of tokens to attention of words, each a condition.

    Parameters
    ----------
    presets
        Names of presets. Claims are of the first.
    options
        Choices of the user's own, on top of the first preset; they become a further condition,
        ``own``.

    Raises
    ------
    PlanError, UnknownNameError
        If a preset or option is not there.
    """

    presets: tuple[str, ...] = ("default",)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.presets:
            raise PlanError(f"presets is empty; there are {', '.join(PRESETS)}.")
        known("preset", self.presets, PRESETS)
        known("option", self.options, _ALLOWED)
        for name, value in self.options.items():
            if value not in _ALLOWED[name]:
                allowed = ", ".join(str(one) for one in _ALLOWED[name])
                raise PlanError(f"options: {name} is {value!r}; it can be {allowed}.")

    def conditions(self) -> dict[str, MapOptions]:
        """Options of each condition, in the order of the records."""
        found = {name: preset(name) for name in self.presets}
        if self.options:
            first = found[self.presets[0]]
            stated = {one.name: getattr(first, one.name) for one in fields(MapOptions)}
            found[OWN] = MapOptions(**{**stated, **self.options})
        return found


@dataclass(frozen=True, slots=True)
class HeadsParams(PresetParams):
    """Encoding and presets of the heads diagnostic.

    Parameters
    ----------
    presets
        Ways from pieces to words, each a condition: ``default``, ``as_released``,
        ``as_published``. Claims are of the first.
    options
        Choices of the user's own, on top of the first preset; they become a further condition,
        ``own``: ``{"into": "max", "weighting": "value-norm"}``.
    encoding
        Hypothesis: ``attends-to``, ``attended-by``, ``path-to``, ``rollout-to``.
    margin
        Smallest difference of F1 worth a claim.
    tau_margin
        Smallest difference of tau worth a claim.
    baselines
        What C1 compares the chosen head with, each a claim: ``every``, all baselines, pseudo-cues
        and untrained networks; ``offsets``, fixed offsets alone, as published.
    unscored
        What is left out of all counts: ``empty``, examples without a target; ``anchors``, the
        anchor's own words.

    Raises
    ------
    PlanError, UnknownNameError
        If a preset, option, encoding or baseline is not there.
    """

    presets: tuple[str, ...] = ("default", "as_released", "as_published")
    encoding: str = "attends-to"
    margin: float = 0.02
    tau_margin: float = 0.10
    baselines: tuple[str, ...] = ("every",)
    unscored: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        PresetParams.__post_init__(self)
        known("encoding", [self.encoding], ENCODINGS)
        known("set of baselines", self.baselines, ("every", "offsets"))
        known("unscored part", self.unscored, UNSCORED)
