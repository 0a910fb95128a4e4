"""Models and datasets that one command has open: each is loaded or read once, whoever wants it.

Models come from a model string, or are Python objects registered under a name. A command loads as
few as it can: the last ones stay, and planning knows them by their cards, which come from the
process that will ask them.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol

from scrutiny.core.errors import ScrutinyError
from scrutiny.core.example import Example
from scrutiny.core.long_runs import seldom_collected
from scrutiny.core.model import LoadOptions, Model, PlainModel, as_model, capabilities_of
from scrutiny.core.plan import DataPlan
from scrutiny.core.queries.remote import RemoteModel
from scrutiny.core.task import Task
from scrutiny.data.dataset import Dataset, load_dataset
from scrutiny.data.hashes import training_hashes
from scrutiny.data.opening import iter_examples
from scrutiny.data.reading import OnBadRow
from scrutiny.data.source import parse_source
from scrutiny.models.answers.isolation import errors_named, isolated
from scrutiny.models.python.object_digest import ObjectReading, reading_of
from scrutiny.models.python.python_model import around_object
from scrutiny.models.strings.adapters import checkpoint_of, imports_of
from scrutiny.models.strings.model_loading import load_model, training_source
from scrutiny.models.strings.model_strings import UNTRAINED, parse
from scrutiny.models.strings.training_records import with_training_text

_DEFAULT: Final = LoadOptions()
#: Models that stay loaded in a process: one that is measured, and its reference.
KEPT: Final = 2
#: Beside them stay models of few weights: these take longer to load than they take room.
LIGHT_KEPT: Final = 14
_LIGHT_BYTES: Final = 16_000_000


def _checkpoint(source: str) -> Path | None:
    """Folder of a model that is a checkpoint, or untrained like one."""
    try:
        parsed = parse(source)
        found = checkpoint_of(parse(parsed.target) if parsed.scheme == UNTRAINED else parsed)
    except ScrutinyError:  # it is said where the model is loaded
        return None
    return None if found is None else Path(found.target).expanduser()


def _is_light(folder: Path | None) -> bool:
    """Whether the weights of a checkpoint are few."""
    if folder is None:
        return False
    return 0 < sum(path.stat().st_size for path in folder.glob("*.safetensors")) <= _LIGHT_BYTES


def _load_replicate(
    source: str, task: Task, options: LoadOptions, *, hashes: Callable[[str], Any]
) -> Model:
    """Model of a complete string, with its training text if the user states it.

    What a checkpoint that was trained here knows of its own gives way to that. ``hashes`` are those
    of a data string, from whoever has read it before.
    """
    patience = seldom_collected() if imports_of(source) else nullcontext()
    with errors_named(source), isolated(source, is_new=True), patience:
        model = load_model(source, task, options)
    stated = training_source(source, options)
    if stated is None:
        return model
    return with_training_text(model, partial(hashes, stated))


def _hashes_of(source: str) -> Any:
    """Sorted ``uint64`` hashes of the letters of all texts of a data string."""
    return training_hashes(
        text for example in iter_examples(source) for text in example.fields.values()
    )


class ModelKey(NamedTuple):
    """Model to load: its family, because objects may share a source string; source, and task."""

    family: str
    source: str
    task: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ModelCard:
    """Model card: what planning has to know of a model; can be sent between processes.

    ``reading`` is what can be read of a model that states no ``fingerprint``. ``truncated`` counts
    the items that are longer than the model reads. ``is_stored`` means that answers are read from
    a file, ``is_remote`` that they come from an endpoint.
    """

    source: str
    model_labels: tuple[str, ...]
    capabilities: frozenset[str]
    fingerprint: str | None
    is_batch_invariant: bool
    is_stored: bool = False
    is_remote: bool = False
    n_layers: int = 0
    n_heads: int = 0
    reading: ObjectReading | None = None
    truncated: int = 0
    answers_other_texts: bool = True
    unscored: str = ""


class LoadedModels:
    """Loaded models of one process; the last ones stay.

    Parameters
    ----------
    options
        How they are loaded.
    given
        Python objects by the names of families.
    """

    def __init__(
        self,
        options: LoadOptions = _DEFAULT,
        given: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.models = self  # these are of this process
        self.options = options
        self.given = given
        #: Seconds that the slowest one took to load.
        self.slowest = 0.0
        self._checkpoint = cache(_checkpoint)
        self._light = cache(lambda source: _is_light(self._checkpoint(source)))
        self._hashes = cache(_hashes_of)  # replicates were trained on the same texts
        self._kept: OrderedDict[ModelKey, tuple[Model, ObjectReading | None]] = OrderedDict()

    def get(self, family: str, source: str, task: Task) -> tuple[Model, ObjectReading | None]:
        """Model, and what was read of it before it answered if it has no fingerprint."""
        # the language model of a checkpoint is one and the same for all that it need not answer
        is_shared = not task.must_be_answered and self._checkpoint(source) is not None
        key = ModelKey(family, source, "" if is_shared else task.name)
        if key not in self._kept:
            is_light = self._light(source)
            alike = [one for one in self._kept if self._light(one.source) is is_light]
            room = (LIGHT_KEPT if is_light else KEPT) - 1
            for oldest in alike[: max(0, len(alike) - room)]:
                del self._kept[oldest]
            self._kept[key] = self._load(key, task)
        self._kept.move_to_end(key)
        return self._kept[key]

    def forget(self) -> None:
        """Give the memory of all models back."""
        self._kept.clear()

    def forget_answers(self) -> None:
        """Give the memory of stored answers back, which is soon read again."""
        stored = [key for key, (model, _) in self._kept.items() if model.has_stored_answers_only]
        for key in stored:
            del self._kept[key]

    def _load(self, key: ModelKey, task: Task) -> tuple[Model, ObjectReading | None]:
        given = self.given.get(key.family)
        if isinstance(given, PlainModel):
            model = as_model(given)
        elif key.family in self.given:
            of = parse(f"python:object:{type(given).__name__}")
            model = around_object(given, task, of, batch=None)
        else:
            begun = perf_counter()
            model = _load_replicate(key.source, task, self.options, hashes=self._hashes)
            self.slowest = max(self.slowest, perf_counter() - begun)
        with errors_named(key.source), isolated(key.source):
            return model, reading_of(model)

    def expect(self, sources: Iterable[str]) -> None:
        """Nothing: this process does one thing after the other."""

    def card(
        self, family: str, source: str, task: Task, examples: Sequence[Example] = ()
    ) -> ModelCard:
        """Card of a model, with how many of the examples are longer than it reads."""
        model, reading = self.get(family, source, task)
        with errors_named(model.source), isolated(model.source):
            n_layers, n_heads = model.attention_shape or (model.n_layers, 0)
            return ModelCard(
                source=model.source,
                model_labels=tuple(model.labels),
                capabilities=capabilities_of(model, task),
                fingerprint=model.fingerprint(),
                is_batch_invariant=model.is_batch_invariant,
                is_stored=model.has_stored_answers_only,
                is_remote=isinstance(model, RemoteModel),
                n_layers=int(n_layers),
                n_heads=int(n_heads),
                reading=reading,
                answers_other_texts=model.answers_other_texts,
                unscored=model.unscored,
                truncated=model.truncated(examples) if "predict" in model.capabilities else 0,
            )


class Cards(Protocol):
    """Source of model cards: the models of this process, or the workers that will ask them."""

    @property
    def models(self) -> LoadedModels:
        """Models of this process."""

    def expect(self, sources: Iterable[str]) -> None:
        """Get ready for models that will be asked for, while something else is done."""

    def card(
        self, family: str, source: str, task: Task, examples: Sequence[Example] = ()
    ) -> ModelCard:
        """Card of a model, with how many of the examples are longer than it reads."""


class Opened:
    """Datasets of a command, and the source of its model cards.

    Parameters
    ----------
    cards
        Source of model cards; by default models of this process.
    data
        Python objects for names of data.
    """

    def __init__(
        self, cards: Cards | None = None, data: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        cards = cards or LoadedModels()
        self.data = data
        self.card, self.expect = cards.card, cards.expect
        self.options = cards.models.options
        self._read: dict[tuple[Any, ...], Dataset] = {}

    def dataset(self, plan: DataPlan, on_bad_row: OnBadRow = "skip") -> Dataset:
        """Dataset of a plan.

        Raises
        ------
        DataError
            If it cannot be read.
        """
        key = (plan.name, plan.source, plan.task, plan.limit, on_bad_row)
        if key not in self._read:
            given = self.data.get(plan.name)
            self._read[key] = load_dataset(
                plan.source if given is None else given,
                columns=None if given is None else parse_source(plan.source).options,
                task=plan.task or None,
                limit=plan.limit,
                on_bad_row=on_bad_row,
                name=plan.name,
            )
        return self._read[key]
