"""Pre-training recipe: every hyperparameter that can change a weight."""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, Literal

from scrutiny.core.boundary.given import refuse_odd_values
from scrutiny.core.errors import PlanError

#: Shares of selected pieces: masked, replaced by another, left unchanged (Devlin et al. 2019).
REPLACED: Final = (0.8, 0.1, 0.1)


@dataclass(frozen=True, slots=True)
class Phase:
    """Phase of the training with passages of one length.

    Parameters
    ----------
    until
        Share of the steps at which it ends, in (0, 1].
    length
        Pieces of a passage, special ones included.
    batch
        Passages of a step.
    """

    until: float
    length: int
    batch: int


@dataclass(frozen=True, slots=True)
class PretrainingRecipe:
    """Hyperparameters of a run; texts, vocabulary and seeds are not among them.

    Parameters
    ----------
    layers, hidden, heads, feed_forward, positions
        Sizes of the encoder.
    vocabulary
        Number of word pieces, special ones included.
    steps
        Optimizer steps, always fixed.
    phases
        Passage lengths over the run; the last one ends at 1.
    single_share
        Share of steps with single sentences in place of passages of two segments.
    masking
        ``dynamic``: drawn anew for each use of a passage; ``static``: drawn once per passage.
    masked_share
        Share of the pieces that the model has to predict.
    next_sentence
        Weight of the next-sentence loss; 0 for none.
    learning_rate, warmup, weight_decay, betas, clip
        AdamW with linear warm-up (share of the steps) and linear decay to 0.
    precision
        ``bf16``: matrix products in bfloat16, weights and sums in float32. The command chooses
        ``fp32`` where the processor only emulates it, and nothing else is stated.
    initial_sd
        Standard deviation of the initial weights. BERT's 0.02 is for 768 units; at 128 it leaves
        the plateau of plain frequencies later.
    """

    layers: int = 4
    hidden: int = 128
    heads: int = 8
    feed_forward: int = 512
    positions: int = 128
    vocabulary: int = 8192
    steps: int = 9000
    phases: tuple[Phase, ...] = (Phase(0.3, 64, 32), Phase(0.9, 64, 64), Phase(1.0, 128, 32))
    single_share: float = 0.2
    masking: Literal["dynamic", "static"] = "dynamic"
    masked_share: float = 0.2
    next_sentence: float = 0.3
    learning_rate: float = 2e-3
    warmup: float = 0.03
    weight_decay: float = 0.01
    betas: tuple[float, float] = (0.9, 0.98)
    clip: float = 1.0
    precision: Literal["bf16", "fp32"] = "bf16"
    initial_sd: float = 0.05

    def __post_init__(self) -> None:
        r = self
        ends = [p.until for p in r.phases]
        are_phases_in_order = (
            bool(ends) and ends == sorted(set(ends)) and ends[0] > 0 and ends[-1] == 1
        )
        checks = {
            f"hidden {r.hidden} is no multiple of heads {r.heads}": r.hidden % r.heads == 0,
            "steps, layers and vocabulary are positive": min(r.steps, r.layers, r.vocabulary - 5)
            > 0,
            "phases end at rising shares, the last at 1": are_phases_in_order,
            f"a passage is 8 to {r.positions} pieces (`positions`) and a batch 1 or more": all(
                8 <= p.length <= r.positions and p.batch > 0 for p in r.phases
            ),
            "masked_share lies in (0, 1), single_share and warmup in [0, 1]": 0 < r.masked_share < 1
            and 0 <= r.single_share <= 1
            and 0 <= r.warmup <= 1,
            "masking is dynamic or static": r.masking in ("dynamic", "static"),
            "precision is bf16 or fp32": r.precision in ("bf16", "fp32"),
        }
        for rule, holds in checks.items():
            if not holds:
                raise PlanError(f"The recipe does not fit: it should be that {rule}.")

    def phase_of(self, step: int) -> Phase:
        """Phase of a step, counted from 0."""
        return next(p for p in self.phases if step < round(p.until * self.steps) or p.until == 1)

    def learning_rate_at(self, step: int) -> float:
        """Learning rate of a step: linear warm-up, then linear decay to (almost) 0."""
        warm = max(1, round(self.warmup * self.steps))
        if step < warm:
            return self.learning_rate * (step + 1) / warm
        return self.learning_rate * (self.steps - step) / max(1, self.steps - warm)

    def to_json(self) -> dict[str, Any]:
        """All fields, as JSON values."""
        return asdict(self)


def recipe_from(
    values: Mapping[str, Any], base: PretrainingRecipe | None = None
) -> PretrainingRecipe:
    """Recipe with some fields changed, the others from ``base``.

    Parameters
    ----------
    values
        Fields by name; ``phases`` as a list of ``[until, length, batch]`` or of tables.
    base
        Where the other fields come from; the defaults without.

    Raises
    ------
    PlanError
        For a field that there is not, or a value that does not fit or is no finite number.
    """
    refuse_odd_values(values, where="The recipe")
    known = {f.name for f in fields(PretrainingRecipe)}
    if unknown := sorted(set(values) - known):
        raise PlanError(
            f"A recipe has no field {unknown[0]!r}. Fields are {', '.join(sorted(known))}."
        )
    given = dict(values)
    if "phases" in given:
        given["phases"] = tuple(
            Phase(**p) if isinstance(p, Mapping) else Phase(*p) for p in given["phases"]
        )
    if "betas" in given:
        given["betas"] = tuple(given["betas"])
    return replace(base or PretrainingRecipe(), **given)


def read_recipe(path: Path, base: PretrainingRecipe | None = None) -> PretrainingRecipe:
    """Recipe from a TOML file with its fields at top level; the others from ``base``.

    Raises
    ------
    PlanError
        If the file cannot be read, or names a field that there is not.
    """
    try:
        return recipe_from(tomllib.loads(path.read_text(encoding="utf-8")), base)
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise PlanError(f"{path}: the recipe cannot be read: {error}") from error
