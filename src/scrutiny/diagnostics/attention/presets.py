"""Presets of word maps: their options, sentences read once for all, claims that hold in each.

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

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, ClassVar, Final, Protocol, TypeVar, cast, get_args, get_type_hints

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.parameters import known
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, EstimateSpec, Subtracted
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure
from scrutiny.core.errors import PlanError
from scrutiny.core.queries.attention import Attends, AttentionMap, Words
from scrutiny.core.record import Measure, Row, grouped
from scrutiny.diagnostics.attention.word_maps import MapOptions, WordMap, word_map

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
#: What each option can be: what its type names.
_ALLOWED: Final[Mapping[str, tuple[Any, ...]]] = {
    name: get_args(hint) or (True, False) for name, hint in get_type_hints(MapOptions).items()
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
        own = {OWN: replace(PRESETS[self.presets[0]], **self.options)} if self.options else {}
        return {name: PRESETS[name] for name in self.presets} | own

    @property
    def readings(self) -> int:
        """How often each sentence is read: as it is written, in lower case, or both."""
        return len({options.is_lower_cased for options in self.conditions().values()})


#: What a preset makes of a sentence: a map, or why there is none.
Made = WordMap | Failure
#: Maps of one sentence by preset, and how many pieces each word has.
Sentence = tuple[dict[str, Made], dict[int, int]]
#: Capabilities whose models can be asked for the pieces of a text.
_ENCODING: Final = frozenset({"tokenizes", "head_interventions"})


class HasPresets(Protocol):
    """Parameters with presets for turning token maps into word maps."""

    def conditions(self) -> dict[str, MapOptions]:
        """Presets by name."""


P = TypeVar("P", bound=HasPresets)


class ReadsMaps(Diagnostic[P]):
    """A diagnostic of the attention maps of annotated sentences.

    Attributes
    ----------
    View
        How an example is read: its ``words``, and what is annotated.
    """

    needs = frozenset({"attentions"})
    nulls = 20
    View: ClassVar[Any]

    def measure(self, params: P, cell: Cell, batch: Batch, ctx: Context) -> Iterator[Row]:
        """Rows of each example, from its maps of every preset."""
        views = [self.View.of(example) for example in batch.examples]

        def use(position: int, sentence: Sentence) -> list[Row]:
            item, (made, _) = batch.examples[position].id, sentence
            return list(self.rows_of(params, item, views[position], made))

        words = [view.words for view in views]
        return each_example(ctx.model, words, params.conditions(), use=use)

    @abstractmethod
    def rows_of(self, params: P, item: str, view: Any, made: Mapping[str, Made]) -> Iterable[Row]:
        """Rows of one example, from its maps by preset."""


def each_example(
    model: Any,
    words: Sequence[Words],
    presets: Mapping[str, MapOptions],
    *,
    use: Callable[[int, Sentence], list[Row]],
) -> Iterator[Row]:
    """Rows of each example, computed from its maps.

    Examples of one sentence share its maps, which are let go before the next sentence is read.
    """
    of_sentence = grouped((own, position) for position, own in enumerate(words))
    rows: list[list[Row]] = [[] for _ in words]
    maps = read_sentences(model, list(of_sentence), presets)
    for positions, sentence in zip(of_sentence.values(), maps, strict=True):
        for position in positions:
            rows[position] = use(position, sentence)
    for found in rows:
        yield from found


def read_sentences(
    model: Any, sentences: Sequence[Words], presets: Mapping[str, MapOptions]
) -> Iterator[Sentence]:
    """Maps of every sentence by preset, in order; a sentence is not kept afterwards.

    A preset's words may be lower-cased. Where the model's tokenizer lower-cases anyway, the model
    is not asked twice.
    """
    is_lowered = {options.is_lower_cased for options in presets.values()}
    can_encode = bool(model.capabilities & _ENCODING)
    is_uncased = False
    if len(is_lowered) > 1 and can_encode:
        cased = list(dict.fromkeys(w for words in sentences for w in words if w != w.lower()))
        lowered = [word.lower() for word in cased]
        both = (model.encode(words, special=False) for words in (cased, lowered))
        is_uncased = all(one.ids == other.ids for one, other in zip(*both, strict=True))
    needed = {  # of each preset: whether words are lower-cased, and the weighting
        name: (options.is_lower_cased or is_uncased, options.weighting)
        for name, options in presets.items()
    }
    streams = {
        key: cast("Attends", model).attentions(
            [tuple(word.lower() for word in words) if key[0] else words for words in sentences],
            weighting=key[1],
        )
        for key in dict.fromkeys(needed.values())
    }
    for words in sentences:
        found = {key: next(stream) for key, stream in streams.items()}
        made: dict[str, Made] = {}
        for name, key in needed.items():
            one, options = found[key], presets[name]
            if isinstance(one, Failure):
                made[name] = one
            elif options.missing == "drop-sentence" and len({*one.words} - {None}) < len(words):
                made[name] = Failure("word_without_pieces", status="undefined")
            else:
                made[name] = word_map(one, len(words), options)
        first = next((m.words for m in found.values() if isinstance(m, AttentionMap)), ())
        yield made, dict(Counter(word for word in first if word is not None))


#: The preset that no claim has to survive: it is read literally, and halves what heads score.
_LITERAL: Final = "as_published"
#: Accuracy of the head that is chosen on the other half, and beyond the baseline chosen there.
SELECTED: Final = "selected_head(accuracy)"
OVER: Final = "selected_head_over_baseline(accuracy)"
#: Families that a family is beside, as its contrasts name them.
_OTHERS: Final[Sequence[tuple[str, Subtracted]]] = (
    ("untrained", "null"),
    ("control", "control"),
    ("base", "base"),
)


def claimed_presets(names: Iterable[str]) -> list[str]:
    """Presets of the claims: all except the literal one, unless it is the only one.

    Examples
    --------
    >>> claimed_presets(["default", "as_published"]), claimed_presets(["as_published"])
    (['default'], ['as_published'])
    """
    every = list(names)
    return [name for name in every if name != _LITERAL] or every[:1]


def measures_of_heads(
    unit: str, heads: tuple[tuple[str, int], ...], baselines: tuple[tuple[str, int], ...] = ()
) -> tuple[Measure, ...]:
    """Counts of which the F1 of attention heads is made, and those of baselines if there are any.

    Parameters
    ----------
    unit
        What is counted.
    heads, baselines
        Axes along which heads and baselines lie.
    """
    axes = {"tp": heads, "predicted": heads, "gold": ()}
    if baselines:
        axes |= {"baseline_tp": baselines, "baseline_predicted": baselines}
    return tuple(Measure(name, own, unit=unit) for name, own in axes.items())


def accuracy_counts(right: Floats, right_without: Floats, n: float) -> tuple[float, ...]:
    """Counts as `measures_of_heads` has them, where each of n cases is one prediction.

    Parameters
    ----------
    right, right_without
        Right predictions of every head, and of every baseline.
    n
        How many cases there are.
    """
    heads, baselines = right.ravel().tolist(), right_without.ravel().tolist()
    return (*heads, *[n] * len(heads), n, *baselines, *[n] * len(baselines))


def spec_name(condition: Mapping[str, object], *ends: str) -> str:
    """Identifier of an estimate of attention: the values of its condition, and its metric.

    Examples
    --------
    >>> spec_name({"preset": "default", "relation": "nsubj"}, "best_head(accuracy)")
    'default/nsubj/best_head(accuracy)'
    """
    return "/".join([*map(str, condition.values()), *ends])


def spec_of(
    condition: Mapping[str, object], metric: str, *ends: str, **stated: Any
) -> EstimateSpec:
    """Estimate of attention; its identifier ends with ``ends``, and ``stated`` is as it is."""
    return EstimateSpec(spec_name(condition, metric, *ends), f"{metric}@1", condition, **stated)


def specs_of(
    condition: Mapping[str, object], metrics: Mapping[str, tuple[str, ...]]
) -> Iterator[EstimateSpec]:
    """Estimates of attention with the same condition, by the axes of each metric."""
    return (spec_of(condition, metric, along=along) for metric, along in metrics.items())


def preset_claim(
    name: str,
    says: str,
    parts: Sequence[tuple[str, str, str]],
    choices: Mapping[str, str],
    *,
    margin: float,
    **stated: Any,
) -> Claim:
    """Claim about attention: every part exceeds the margin in every preset of counting.

    Parameters
    ----------
    name, says
        Of the claim.
    parts
        Metric, what it is against, and where its estimate stands: ``untrained/{}``.
    choices
        What identifiers of estimates begin with, by preset; the first is the reference.
    margin
        Smallest difference worth the claim.
    stated
        What else the claim says.
    """
    components = tuple(
        Component(
            place.format(f"{start}/{metric}"),
            margin,
            against if position == 0 else f"choice: preset {preset}, {against}",
        )
        for position, (preset, start) in enumerate(choices.items())
        for metric, against, place in parts
    )
    checks = Claim.checks_with(preset=choices)
    return Claim(id=name, says=says, components=components, checks=checks, **stated)


def of_accuracy(head: tuple[str, ...], baseline: str) -> dict[str, tuple[str, ...]]:
    """Metrics of attention's accuracy by their axes: of heads, baselines, chosen ones."""
    chosen = ("mean_head", "best_head", "selected_head", "selected_baseline")
    names = (*chosen, "selected_head_over_baseline")
    each = {"head(accuracy)": head, "baseline(accuracy)": (baseline,)}
    return {**each, **{f"{name}(accuracy)": () for name in names}}


def attention_contrasts(specs: Iterable[str]) -> Iterator[ContrastSpec]:
    """Contrasts of attention: with untrained networks, with controls, with the base network."""
    for (who, minus), spec in product(_OTHERS, list(specs)):
        yield ContrastSpec(f"{who}/{spec}", spec, spec, minus=minus)
