"""Pipelines of spaCy as taggers: entities, or parts of speech, of the data's own words.

``#layer=entities`` (the default) is what ``ner`` and rules for entities find; ``upos`` and ``xpos``
are the part of speech of each word, which is a span of one word.
"""

from collections.abc import Sequence
from typing import Any, Final

from scrutiny.core.boundary.canonical import digest
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example, Span
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.models.answers.inputs import borders
from scrutiny.models.spacy.annotation import BATCH, annotation, documents, files_of, versions
from scrutiny.models.strings.source import ModelSource
from scrutiny.tasks.columns.tags import UNIVERSAL

ENTITIES: Final = "entities"
#: Layers of a pipeline, with the components that say nothing of them.
NEEDLESS: Final = {
    ENTITIES: ("parser", "tagger", "morphologizer", "attribute_ruler", "lemmatizer", "senter"),
    "upos": ("parser", "ner", "lemmatizer", "senter"),
    "xpos": ("parser", "ner", "lemmatizer", "senter"),
}
_VERSION: Final = "spacy-tags@1"
_FINDERS: Final = ("ner", "beam_ner", "entity_ruler", "span_ruler")


class SpacyTagger(Model):
    """A tagger, loaded once."""

    capabilities: frozenset[str] = frozenset({"predict"})

    def __init__(self, nlp: Any, source: ModelSource, task: str, *, layer: str, own: bool) -> None:
        self.source = source.text
        self.task = task
        self.labels = _labels(nlp, layer, source)
        self._nlp = nlp
        self._layer = layer
        self._finds_words = own
        self._identity = digest(_VERSION, layer, str(own), *versions(), *files_of(nlp.path))

    def fingerprint(self) -> str:
        """Digest of the pipeline's files, of the versions of spaCy and thinc, and of options."""
        return self._identity

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Spans of the first field of each example, in order."""
        asked = documents(self._nlp, examples, finds_words=self._finds_words)
        read = self._nlp.pipe(asked, batch_size=BATCH)
        return [
            Prediction(self._spans(example, doc))
            for example, doc in zip(examples, read, strict=True)
        ]

    def _spans(self, example: Example, doc: Any) -> tuple[Span, ...]:
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


def _labels(nlp: Any, layer: str, source: ModelSource) -> tuple[str, ...]:
    """Types that a pipeline tells apart.

    Raises
    ------
    ModelError
        If it has no component for the layer.
    """
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
            f"{', '.join(nlp.pipe_names) or 'none'}. Layers are {', '.join(NEEDLESS)}."
        )
    return tuple(dict.fromkeys(found))
