"""Attention maps of sentences, each read once for all presets and examples."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Protocol, TypeVar, cast

from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure
from scrutiny.core.grouping import grouped
from scrutiny.core.queries.attention import Attends, AttentionMap, Weighting, Words
from scrutiny.core.record import Row
from scrutiny.diagnostics.attention.word_maps import MapOptions, WordMap, word_map

#: What a preset makes of a sentence: a map, or why there is none.
Made = WordMap | Failure
#: Maps of one sentence by preset, and how many pieces each word has.
Sentence = tuple[dict[str, Made], dict[int, int]]

WITHOUT_PIECES = "word_without_pieces"
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
    needed = _needed(model, sentences, presets)
    streams = {
        key: cast("Attends", model).attentions(
            [tuple(word.lower() for word in words) if key[0] else words for words in sentences],
            weighting=key[1],
        )
        for key in dict.fromkeys(needed.values())
    }
    for words in sentences:
        found = {key: next(stream) for key, stream in streams.items()}
        made = {name: _made(found[key], len(words), presets[name]) for name, key in needed.items()}
        first = next((m for m in found.values() if isinstance(m, AttentionMap)), None)
        yield made, _pieces(first)


def _needed(
    model: Any, sentences: Sequence[Words], presets: Mapping[str, MapOptions]
) -> dict[str, tuple[bool, Weighting]]:
    """Needs of each preset: lower-casing, and the weighting."""
    differs = any(p.is_lower_cased for p in presets.values()) and not all(
        p.is_lower_cased for p in presets.values()
    )
    is_uncased = differs and bool(model.capabilities & _ENCODING) and _is_uncased(model, sentences)
    return {
        name: (options.is_lower_cased or is_uncased, options.weighting)
        for name, options in presets.items()
    }


def _is_uncased(model: Any, sentences: Sequence[Words]) -> bool:
    """Whether a model's tokenizer gives the same tokens for lower-cased words."""
    cased = list(dict.fromkeys(w for words in sentences for w in words if w != w.lower()))
    pairs = zip(
        model.encode(cased, special=False),
        model.encode([word.lower() for word in cased], special=False),
        strict=True,
    )
    return all(one.ids == other.ids for one, other in pairs)


def _made(found: AttentionMap | Failure, n_words: int, options: MapOptions) -> Made:
    """Map between words, or the reason why a sentence has none."""
    if isinstance(found, Failure):
        return found
    if options.missing == "drop-sentence":
        there = len({word for word in found.words if word is not None})
        if there < n_words:
            return Failure(WITHOUT_PIECES, status="undefined")
    return word_map(found, n_words, options)


def _pieces(found: AttentionMap | None) -> dict[int, int]:
    """Number of tokens of each word."""
    counts = Counter(() if found is None else found.words)
    return {word: count for word, count in counts.items() if word is not None}
