"""Pipelines of spaCy as models: ``spacy:NAME`` of an installed one, ``spacy:FOLDER`` of another.

A pipeline is given the data's own words, so that it is not tokenization that is measured;
``#tokens=own`` lets it find its words itself, which are scored by equal places in the text.

As a tagger, ``#layer=entities`` (the default) is what ``ner`` and rules for entities find; ``upos``
and ``xpos`` are the part of speech of each word, which is a span of one word.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from scrutiny.core.answers.words import ROOT, UNIVERSAL_RELATIONS, Words
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.errors import ModelError, require_packages
from scrutiny.core.example import Example, Span
from scrutiny.core.facts import ARCS, SPANS
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.returned_answers import borders
from scrutiny.models.strings.adapters import Adapter, IdentifiedModel, must_answer_task
from scrutiny.models.strings.model_loading import TYPES
from scrutiny.models.strings.model_strings import TRAINING, ModelSource
from scrutiny.models.strings.training_records import HASHES, TRAINING_FILE
from scrutiny.store.files import hash_file
from scrutiny.tasks.tags import UNIVERSAL

#: Documents that go through a pipeline together.
BATCH: Final = 64
#: Relation of a root, in spaCy and elsewhere.
_ROOTS: Final = {"ROOT": "root"}
#: Files beside a pipeline that are none of its own.
_OF_TRAINING: Final = {TRAINING_FILE, HASHES}


def document(vocab: Any, example: Example, annotation: Words | None = None) -> Any:
    """Document with the words of an item's first field, and spaces where the text has some.

    Parameters
    ----------
    vocab
        Of the pipeline.
    example
        Item; its tokens are the data's, or ours where it has none.
    annotation
        What is known of exactly these words, to learn from.
    """
    from spacy.tokens import Doc

    text, places = example.text, borders(example)
    words = [text[start:end] for start, end in places]
    spaces = [text[end : end + 1].isspace() for _, end in places]
    if annotation is None:
        return Doc(vocab, words=words, spaces=spaces)
    layers = {"pos": annotation.upos, "tags": annotation.xpos}
    # Heads and relations in spaCy's words; a word without a head is one of its own, unnamed.
    if annotation.heads is None or annotation.relations is None:
        arcs = {}
    else:
        heads = [
            number if head is None or head == ROOT else head
            for number, head in enumerate(annotation.heads)
        ]
        pairs = zip(annotation.heads, annotation.relations, strict=True)
        named = ["ROOT" if h == ROOT else r.partition(":")[0] for h, r in pairs]
        arcs = {"heads": heads, "deps": named}
    return Doc(
        vocab,
        words=words,
        spaces=spaces,
        sent_starts=[number == 0 for number in range(len(words))],
        **{name: list(layer) for name, layer in layers.items() if layer is not None},
        **arcs,
    )


def annotation(doc: Any, field: str, places: list[tuple[int, int]] | None = None) -> Words:
    """Annotation of a document's words; whitespace that spaCy's tokenizer keeps is no word.

    Parameters
    ----------
    doc
        Document that a pipeline has read.
    field
        Name of its text.
    places
        Borders of its words in the text; default: spaCy's own.
    """
    tokens = [token for token in doc if not token.is_space]
    number = {token.i: k for k, token in enumerate(tokens)}
    if places is None:
        places = [(token.idx, token.idx + len(token)) for token in tokens]
    heads = relations = None
    if doc.has_annotation("DEP"):
        heads = tuple([ROOT if t.head.i == t.i else number.get(t.head.i) for t in tokens])
        relations = tuple([_ROOTS.get(t.dep_, t.dep_) for t in tokens])
    upos = tuple([t.pos_ for t in tokens]) if doc.has_annotation("POS") else None
    xpos = tuple([t.tag_ for t in tokens]) if doc.has_annotation("TAG") else None
    return Words(field, tuple(places), heads, relations, upos, xpos)


def versions() -> list[str]:
    """Versions of the packages that a pipeline's answers depend on."""
    return [f"{name} {version(name)}" for name in ("spacy", "thinc")]


def files_of(folder: Path) -> list[str]:
    """Each file of a pipeline, with the digest of its bytes."""
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in _OF_TRAINING)
    return [f"{path.relative_to(folder).as_posix()} {hash_file(path)}" for path in paths]


ENTITIES: Final = "entities"
#: Layers of a pipeline, with the components that say nothing of them.
_NEEDLESS_TO_TAG: Final = {
    ENTITIES: ("parser", "tagger", "morphologizer", "attribute_ruler", "lemmatizer", "senter"),
    "upos": ("parser", "ner", "lemmatizer", "senter"),
    "xpos": ("parser", "ner", "lemmatizer", "senter"),
}
_TAGGER_VERSION: Final = "spacy-tags@1"
_FINDERS: Final = ("ner", "beam_ner", "entity_ruler", "span_ruler")


class SpacyModel(IdentifiedModel, ABC):
    """A pipeline of spaCy, loaded once; what it is asked for says its kind.

    ``known_by`` is what identifies the question, beside the words that it is given, the versions of
    spaCy and thinc, and the pipeline's files.
    """

    capabilities: frozenset[str] = frozenset({"predict"})

    def __init__(
        self, nlp: Any, source: ModelSource, task: Task, *, known_by: Sequence[str]
    ) -> None:
        self._nlp = nlp
        self._finds_words = source.options.get(_TOKENS) == "own"
        asked = *known_by, str(self._finds_words)
        identity = digest(*asked, *versions(), *files_of(nlp.path))
        super().__init__(source.text, task.name, identity)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Annotation of the first field of each example, in order."""
        make, vocab = self._nlp.make_doc, self._nlp.vocab
        asked = (make(e.text) if self._finds_words else document(vocab, e) for e in examples)
        read = self._nlp.pipe(asked, batch_size=BATCH)
        return [
            Prediction(self._answer(example, doc))
            for example, doc in zip(examples, read, strict=True)
        ]

    @abstractmethod
    def _answer(self, example: Example, doc: Any) -> Any:
        """Answer read from a document."""


class SpacyTagger(SpacyModel):
    """A tagger: its answers are spans."""

    def __init__(self, nlp: Any, source: ModelSource, task: Task, *, layer: str) -> None:
        super().__init__(nlp, source, task, known_by=(_TAGGER_VERSION, layer))
        # Types that a pipeline tells apart.
        if layer == ENTITIES:
            finders = [nlp.get_pipe(name) for name in _FINDERS if nlp.has_pipe(name)]
            found = [label for finder in finders for label in finder.labels]
        elif layer == "xpos":
            found = list(nlp.get_pipe("tagger").labels) if nlp.has_pipe("tagger") else []
        else:
            has = nlp.has_pipe("morphologizer") or nlp.has_pipe("attribute_ruler")
            found = sorted(UNIVERSAL | {"SPACE"}) if has else []
        if not found:
            raise ModelError(
                f"{source.text!r} has nothing that finds layer={layer}; its components are: "
                f"{', '.join(nlp.pipe_names) or 'none'}. Layers are {', '.join(_NEEDLESS_TO_TAG)}."
            )
        self.labels = tuple(dict.fromkeys(found))
        self._layer = layer

    def _answer(self, example: Example, doc: Any) -> tuple[Span, ...]:
        """Spans of one document."""
        field = next(iter(example.fields))
        if self._finds_words:
            places = [(token.idx, token.idx + len(token)) for token in doc]
        else:
            places = borders(example)
        if self._layer == ENTITIES:
            return tuple(
                Span(field, places[found.start][0], places[found.end - 1][1], found.label_)
                for found in doc.ents
            )
        words = annotation(doc, field, None if self._finds_words else places)
        tags = words.upos if self._layer == "upos" else words.xpos
        pairs = zip(words.borders, tags or (), strict=False)
        return tuple(Span(field, start, end, tag) for (start, end), tag in pairs if tag)


#: Versioned name of what is asked and how.
_PARSER_VERSION: Final = "spacy@1"
_TOKENS: Final = "tokens"
_LAYER: Final = "layer"
_CONFIG: Final = "config.cfg"
_SHOWN: Final = 4
#: Components that say nothing of what a parser is asked.
_NEEDLESS_TO_PARSE: Final = ("ner", "lemmatizer", "senter", "textcat")


class SpacyParser(SpacyModel):
    """A parser and tagger: its answers are annotations of words."""

    def __init__(self, nlp: Any, source: ModelSource, task: Task) -> None:
        super().__init__(nlp, source, task, known_by=(_PARSER_VERSION,))
        self.unscored = _other_scheme(nlp)

    def _answer(self, example: Example, doc: Any) -> Words:
        """Annotation of one document."""
        places = None if self._finds_words else borders(example)
        return annotation(doc, next(iter(example.fields)), places)


def _load_pipeline(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Pipeline of spaCy, by its name or folder: ``spacy:en_core_web_sm``, ``spacy:./seed-1``.

    It is given the data's words; with ``#tokens=own`` it finds its words itself. As a tagger it
    answers with its entities, or with another ``#layer=``.

    Raises
    ------
    ModelError
        If there is none, it cannot be read, or the task is not about words.
    MissingExtraError
        If spaCy is not installed.
    """
    del options  # spaCy's small pipelines run on the CPU
    tags = SPANS.are_of(task.facts)
    source.refuse_unknown_options((_TOKENS, *([_LAYER, TYPES] if tags else []), TRAINING))
    if source.options.get(_TOKENS, "gold") not in ("gold", "own"):
        stated = source.options[_TOKENS]
        raise ModelError(f"{source.text!r}: tokens= is gold (the data's) or own, not {stated!r}.")
    layer = source.options.get(_LAYER, ENTITIES)
    if layer not in _NEEDLESS_TO_TAG:
        raise ModelError(
            f"{source.text!r}: layer= is {', '.join(_NEEDLESS_TO_TAG)}, not {layer!r}."
        )
    if not tags:
        must_answer_task(task, (ARCS, SPANS), source=source.text)
    require_packages("A pipeline of spaCy", "nlp", "spacy")
    _must_be_there(source)
    if tags:
        return SpacyTagger(_loaded(source, _NEEDLESS_TO_TAG[layer]), source, task, layer=layer)
    return SpacyParser(_loaded(source, _NEEDLESS_TO_PARSE), source, task)


def _loaded(source: ModelSource, needless: Sequence[str]) -> Any:
    """Pipeline in memory, without some of its components."""
    import spacy

    try:
        return spacy.load(_module(source) or _folder(source), exclude=list(needless))
    except Exception as error:  # of whatever a pipeline is made of
        raise ModelError(
            f"{source.text!r} cannot be loaded by spaCy {version('spacy')}: {error}"
        ) from error


def _must_be_there(source: ModelSource) -> None:
    """Refuse a name that is not installed, and a folder that holds no pipeline."""
    if _module(source) or (_folder(source) / _CONFIG).is_file():
        return
    inside = sorted(found.parent.name for found in _folder(source).glob(f"*/{_CONFIG}"))
    hint = f" There are pipelines in: {', '.join(inside[:12])}." if inside else ""
    raise ModelError(
        f"{source.text!r}: there is no installed pipeline of this name, and no folder with a "
        f"{_CONFIG}.{hint} `scrutiny train task` makes one."
    )


def _folder(source: ModelSource) -> Path:
    return Path(source.target).expanduser()


def _module(source: ModelSource) -> str:
    """Module of an installed pipeline of this name, or empty."""
    name = source.target.replace("-", "_")
    return name if name.isidentifier() and find_spec(name) is not None else ""


def _folder_of(source: ModelSource) -> Path | None:
    """Folder of a pipeline that was trained here, with its record."""
    return None if _module(source) else _folder(source)


def _other_scheme(nlp: Any) -> str:
    """Relations of a parser that are not universal ones, in words; empty if all are."""
    known = nlp.get_pipe("parser").labels if nlp.has_pipe("parser") else ()
    other = sorted({label.partition(":")[0] for label in known} - UNIVERSAL_RELATIONS - {"ROOT"})
    if not other:
        return ""
    some = ", ".join(other[:_SHOWN]) + (", …" if other[_SHOWN:] else "")
    return f"its relations ({some}) are not those of Universal Dependencies"


ADAPTER: Final = Adapter(
    _load_pipeline, must_be_there=_must_be_there, folder_of=_folder_of, imports=("spacy",)
)
