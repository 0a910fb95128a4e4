"""Plan of a run: data, models, measurements, estimates, trainings and claims."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from scrutiny.core.claim import Claim
from scrutiny.core.published import PublishedPlan

_SHOWN: Final = 4  # names of each kind, where a plan is printed


@dataclass(frozen=True, slots=True)
class DataPlan:
    """Dataset with its name in the plan.

    ``unit`` names the column that is resampled as a whole; "item" leaves it to the data string's
    own ``unit=``, and to single items where there is none. ``training`` is the data string of what
    the models were trained on, for attributes that look into it.
    """

    name: str
    source: str
    task: str = ""
    unit: str = "item"
    limit: int | str | None = None
    training: str = ""


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """Family of models with its name in the plan.

    ``control_of`` names the family that a control or null family belongs to; empty means all.
    ``base`` names the family that it was trained from, where that is known.
    """

    name: str
    source: str
    random: tuple[str, ...] = ()
    role: str = "measured"
    seeds: tuple[int, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    control_of: str = ""
    base: str = ""


@dataclass(frozen=True, slots=True)
class MeasurePlan:
    """Measurement: one diagnostic on some models and datasets.

    ``nulls`` is the number of untrained replicates of each model to measure as well; None: the
    diagnostic decides. ``reference`` is the model of the plan that each of them is compared with,
    for diagnostics of two models. ``where`` are slices on which its main numbers are computed.
    ``items`` is the number of items of each dataset that it measures, drawn by the hash of their
    names; None for all of them.
    """

    id: str
    diagnostic: str
    models: tuple[str, ...]
    data: tuple[str, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    is_audit: bool = False
    nulls: int | None = None
    reference: str = ""
    where: tuple[str, ...] = ()
    items: int | None = None


@dataclass(frozen=True, slots=True)
class EstimatePlan:
    """Estimate added by the user to the defaults of the diagnostic.

    ``where`` selects by subject, dataset, role, group and condition, and items by their columns
    (``a_heldout = "yes"``) or, as ``where``, by a slice (``length > 20``). ``contrast`` names two
    sides ``a`` and ``b``, each by a selector of its own on top; the value is a minus b. ``paired``
    says whether replicate k of one side belongs to replicate k of the other; None pairs the
    replicates of one family only.
    """

    id: str
    source: str
    metric: str
    contrast: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    where: Mapping[str, Any] = field(default_factory=dict)
    paired: bool | None = None


#: What is made of estimates over replicates.
RelationKind = Literal["correlation", "spread", "difference", "disagreement"]
#: Those of one estimate alone.
OF_ONE: Final = ("difference", "disagreement")


@dataclass(frozen=True, slots=True)
class RelatePlan:
    """Relation of estimates over replicates.

    ``a`` and ``b`` say ``from`` which measurement, the ``metric``, and ``where`` as an estimate of
    the plan does. ``how``: their ``correlation``, replicates joined by their random factors and
    several steps of each compared step by step; the ``spread`` of a over replicates relative to
    that of b, each in units of its item error; or of a alone, without b, the largest ``difference``
    between two replicates, or the share of items on which they part (``disagreement``).
    """

    id: str
    a: Mapping[str, Any]
    b: Mapping[str, Any] | None = None
    how: RelationKind = "correlation"


@dataclass(frozen=True, slots=True)
class TrainPlan:
    """Training node; several seeds are the normal case.

    Parameters
    ----------
    name
        Of the family that it makes, with the ``role``.
    source
        Base model: a model string, or a model of the plan; of a family, each member. Empty for a
        trainer that starts from scratch.
    task
        Task of the data, if its columns do not identify it; or a training task that labels every
        piece of annotated sentences (``anchored-tagging``, ``control-labels``).
    data, dev
        Data of the plan, or data strings; without dev data a share is split off for choosing.
    runs
        Number of models per base. Default: five for a single base, one for each member of a family.
    random, seeds
        Of the family that is trained, as `ModelPlan` has them; seeds of the models themselves where
        the trainer starts from scratch.
    params
        The recipe.
    control_of
        As in `ModelPlan`: the family that a control task belongs to.
    trainer
        Name of the kind of training.
    """

    name: str
    source: str
    task: str
    data: str
    dev: str = ""
    runs: int | None = None
    role: str = "measured"
    random: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    control_of: str = ""
    trainer: str = "finetune"


@dataclass(frozen=True, slots=True)
class Resampling:
    """Resampling settings: how uncertainty is computed.

    Parameters
    ----------
    draws
        Resamples of the items.
    method
        ``crossed`` (the default), ``multi-bootstrap`` (as published) or ``items``.
    level
        Confidence level.
    replicates
        ``resample`` (population of the recipe), ``fixed`` (these very checkpoints), or ``each``:
        as ``resample``, with a further estimate for every replicate by itself.
    """

    draws: int = 10_000
    method: Literal["crossed", "multi-bootstrap", "items"] = "crossed"
    level: float = 0.95
    replicates: Literal["resample", "fixed", "each"] = "resample"

    @property
    def is_held(self) -> bool:
        """Whether the scope is "these checkpoints", not the recipe."""
        return self.replicates == "fixed" or self.method == "items"


@dataclass(frozen=True, slots=True)
class Budget:
    """Time budget of a plan, and what was left out to meet it before the first query.

    Parameters
    ----------
    seconds
        The time.
    asked
        Digest of the requested command, by which the same command finds its earlier choice.
    left_out
        A sentence for each measurement that is smaller than requested, or left out.
    """

    seconds: float
    asked: str
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Plan:
    """Plan: everything a run does, resolved or not.

    ``where`` are slices that the main numbers of all measurements are asked in; ``budget`` is there
    where its measurements were chosen to fit into a time, ``profile`` where an audit chose them;
    ``left_out`` are sentences about what would be asked of data in another language.
    The plan's canonical JSON is hashed into the manifest before the first query.
    """

    seed: int = 0
    data: tuple[DataPlan, ...] = ()
    models: tuple[ModelPlan, ...] = ()
    train: tuple[TrainPlan, ...] = ()
    measure: tuple[MeasurePlan, ...] = ()
    estimate: tuple[EstimatePlan, ...] = ()
    relate: tuple[RelatePlan, ...] = ()
    claim: tuple[Claim, ...] = ()
    published: tuple[PublishedPlan, ...] = ()
    resampling: Resampling = field(default_factory=Resampling)
    on_bad_row: Literal["skip", "fail"] = "skip"
    where: tuple[str, ...] = ()
    budget: Budget | None = None
    profile: str = ""
    left_out: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Measurements, models and data in one line."""
        parts = (self.measure, "of", self.models, "on", self.data)
        said = [p if isinstance(p, str) else _first(p) for p in parts]
        return f"<Plan: {' '.join(said)}, seed {self.seed}>"

    def model(self, name: str) -> ModelPlan:
        """Model of the plan by its name."""
        return next(one for one in self.models if one.name == name)

    def dataset(self, name: str) -> DataPlan:
        """Dataset of the plan by its name."""
        return next(one for one in self.data if one.name == name)

    @property
    def only_trained(self) -> frozenset[str]:
        """Data that training nodes use and no measurement does."""
        measured = {name for measure in self.measure for name in measure.data}
        return frozenset(n for node in self.train for n in (node.data, node.dev)) - measured


def _first(parts: tuple[MeasurePlan | ModelPlan | DataPlan, ...]) -> str:
    """Names of the first few parts of a plan, and the number of the others."""
    names = [part.id if isinstance(part, MeasurePlan) else part.name for part in parts]
    more = [f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    return ", ".join([*names[:_SHOWN], *more]) or "nothing"
